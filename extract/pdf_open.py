"""Opening a PDF: what is no PDF, damaged, locked or empty is refused here in one line, before anything is read."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pymupdf

from bookblend.errors import InputError
from bookblend.extract.model import ExtractOptions

# An HTML page in place of a PDF says what it is within so many bytes.
_HEADER_REACH = 1024
# The PDF header may stand behind other bytes: readers look 1,024 far (ISO 32000-1, implementation note 13), MuPDF any.
_DEEP_REACH = 1 << 16
# The end-of-file mark stands in so many bytes from the end: some files have padding behind it.
_TRAILER_REACH = 1 << 16
# Titles that producers write where nobody gave one.
_NO_TITLE = re.compile(r"untitled|microsoft word|.*\.(?:docx?|tex|dvi|indd|qxd|html?|pdf|fm|odt)$|\(anonymous\)", re.I)

library: Any = pymupdf  # its functions are untyped


@dataclass(slots=True)
class Source:
    """An open PDF. `outline` holds (level, title, page) as the file declares it, pages counting from 1.

    papers   the file's page of each page read, where sheets of two book pages were cut apart (`pdf_sheets`)
    """

    document: Any
    count: int
    title: str = ""
    author: str = ""
    language: str = ""
    outline: tuple[tuple[int, str, int], ...] = ()
    warnings: list[str] = field(default_factory=list)
    reading: int = 0  # the page last asked for, to name in an error
    papers: tuple[int, ...] = ()

    def paper(self, number: int) -> int:
        """The page of the file that page `number` (from 1) is, or is a half of."""
        return self.papers[number - 1] if self.papers else number

    def reopen(self) -> None:
        """Read the document anew as it was changed in memory, past everything the library had cached of it."""
        name, data = self.document.name, self.document.tobytes()
        self.document.close()
        self.document = library.open(name, data, filetype="pdf")

    def pages(self, indices: range) -> Iterator[tuple[int, Any]]:
        """(number from 1, PyMuPDF page) of the pages `indices` (from 0), in order."""
        for index in indices:
            self.reading = index + 1
            yield index + 1, self.document[index]


@contextmanager
def open_pdf(path: Path, options: ExtractOptions) -> Iterator[Source]:
    """Open the PDF at `path` for reading; raises `InputError` with the reason and what to do where it cannot be."""
    _check_bytes(path)
    # The library would print its remarks on stdout, among the results.
    library.set_messages(pylogging=True, pylogging_level=logging.DEBUG)
    library.TOOLS.mupdf_display_errors(False)
    library.TOOLS.mupdf_display_warnings(False)
    try:
        document = library.open(path, filetype="pdf")
    except (pymupdf.FileDataError, pymupdf.EmptyFileError, RuntimeError, library.mupdf.FzErrorBase) as error:
        raise InputError(f"{path.name}: cannot be opened as a PDF ({_reason(error)}); get another copy") from error
    source = Source(document, 0)
    try:
        _describe(path, source, options)
        yield source
    except library.mupdf.FzErrorBase as error:
        where = f"page {source.paper(source.reading)}" if source.reading else "it"
        raise InputError(
            f"{path.name}: {where} cannot be read ({_reason(error)}); the file is damaged: get a whole copy"
        ) from error
    finally:
        source.document.close()


def _check_bytes(path: Path) -> None:
    with path.open("rb") as stream:
        head = stream.read(_DEEP_REACH)
    if not head:
        raise InputError(f"{path.name}: is empty (0 bytes); get another copy")
    if b"%PDF-" not in head:
        kind = " (it is an HTML page)" if re.search(rb"<(?:!doctype html|html)", head[:_HEADER_REACH], re.I) else ""
        raise InputError(f"{path.name}: not a PDF{kind}; get the file itself")


def _describe(path: Path, source: Source, options: ExtractOptions) -> None:
    document = source.document
    if document.needs_pass and not (options.password and document.authenticate(options.password)):
        problem = "the password is wrong" if options.password else "needs a password to be opened"
        raise InputError(f"{path.name}: {problem}; give it with --password")
    count = document.page_count
    if not count:
        cut = not _has_trailer(path)
        reason = "is cut off: no page can be read; get a whole copy" if cut else "has no pages"
        raise InputError(f"{path.name}: {reason}")
    source.count = count
    if document.is_repaired:
        if not _has_trailer(path):
            raise InputError(
                f"{path.name}: is cut off ({count} pages can still be read, the end is missing); get a whole copy"
            )
        source.warnings.append(f"{path.name}: its cross-reference table is broken; all objects were searched for pages")
    metadata = document.metadata or {}
    title = (metadata.get("title") or "").strip()
    source.title = "" if _NO_TITLE.match(title) else title
    source.author = (metadata.get("author") or "").strip()
    source.language = (document.language or "").strip() if hasattr(document, "language") else ""
    source.outline = _outline(document, source)


def _has_trailer(path: Path) -> bool:
    """Whether the end-of-file mark stands near the end, as it does in every whole PDF (some have padding behind)."""
    size = path.stat().st_size
    with path.open("rb") as stream:
        stream.seek(max(0, size - _TRAILER_REACH))
        return b"%%EOF" in stream.read()


def _outline(document: Any, source: Source) -> tuple[tuple[int, str, int], ...]:
    try:
        entries = document.get_toc(simple=True)
    except (RuntimeError, ValueError, AttributeError, library.mupdf.FzErrorBase) as error:
        source.warnings.append(f"its outline cannot be read and is ignored ({_reason(error)})")
        return ()
    return tuple((level, " ".join(str(title).split()), page) for level, title, page in entries)


def _reason(error: Exception) -> str:
    return str(error).strip().splitlines()[-1][:120] if str(error).strip() else type(error).__name__
