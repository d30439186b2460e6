"""The readers that are compared: ours and the peers, how each is called, and which version answers.

Every reader turns one book into one file: JSONL, markdown or text. Peers that are Python packages run in an
environment of their own (--peers-python), because some need another PyMuPDF than ours. Each is called the way its own
documentation shows for books, with the options that suit it best here; a peer that is missing has no version.
"""

import hashlib
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import runs
import score

REPOSITORY = Path(__file__).resolve().parents[1]
# Seconds that a program may take to tell its version.
VERSION_PATIENCE = 60


@dataclass(frozen=True, slots=True)
class Reader:
    """One way of turning a book into text.

    `kinds` are the suffixes it reads, `form` the form it writes (jsonl, md, txt). `find` gives the version, or None
    where it is not installed, for the peers' Python. `call` gives the command's words for (peers' Python, book,
    output, options).
    """

    name: str
    kinds: tuple[str, ...]
    form: str
    how: str
    find: Callable[[str], str | None]
    call: Callable[[str, Path, Path, list[str]], list[str]]
    slow: bool = False


@dataclass(frozen=True, slots=True)
class Book:
    """A book with its truth; `kind` is its suffix, `pages` a PDF's."""

    path: Path
    kind: str
    truth: Path
    pages: int


@dataclass(frozen=True, slots=True)
class Result:
    """A reader's run on a book. `mode` says how ours was called: flags, auto, or "" for every other reader."""

    reader: str
    mode: str
    book: Book
    run: runs.Run
    score: score.Score | None


def _ours_version(_python: str) -> str | None:
    """Our version with a digest of the sources: every change of ours is another reader to the cache."""
    whole = hashlib.sha256()
    for folder in ("pkg", "extract", "clean", "build", "books"):
        for path in sorted((REPOSITORY / folder).rglob("*.py")):
            if "sample" not in path.parts:
                whole.update(path.relative_to(REPOSITORY).as_posix().encode() + b"\0" + path.read_bytes() + b"\0")
    text = (REPOSITORY / "pkg" / "bookblend" / "__init__.py").read_text("utf-8")
    found = re.search(r'__version__ = "([^"]+)"', text)
    return f"{found[1] if found else '0'}-{whole.hexdigest()[:8]}"


def _ours(_python: str, book: Path, out: Path, options: list[str]) -> list[str]:
    onboard = [sys.executable, "-P", "-X", "utf8", "-m", "bookblend", "books", "onboard"]
    return [*onboard, str(book), str(out.with_suffix(".jsonl")), *options]


def _our_extract(_python: str, book: Path, out: Path, _options: list[str]) -> list[str]:
    group = [sys.executable, "-P", "-X", "utf8", "-m", "bookblend", "extract"]
    return [*group, book.suffix[1:].lower(), str(book), str(out.with_suffix(".md"))]


def _program(*words: str, pattern: str = r"(\d+(?:\.\d+)+)") -> Callable[[str], str | None]:
    """The version that a program prints."""

    def find(_python: str) -> str | None:
        return _told(list(words), pattern)

    return find


def _packages(*names: str) -> Callable[[str], str | None]:
    """The versions of packages in the peers' environment, all of which have to be there."""

    def find(python: str) -> str | None:
        code = f"import importlib.metadata as m; print(*(m.version(name) for name in {names!r}), sep=' + ')"
        return _told([python, "-c", code], r"^(.+)$") if python else None

    return find


def _told(words: list[str], pattern: str) -> str | None:
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=VERSION_PATIENCE, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(pattern, (done.stdout + done.stderr).strip()) if done.returncode == 0 else None
    return found[1] if found else None


# What every script of a Python peer shares: it reads sys.argv[1], writes sys.argv[2], and prints the CPU seconds that
# the reading took without the imports (children's included: opendataloader-pdf is a Java program).
_SCRIPT = """
import os, pathlib, sys
{imports}
source, target = sys.argv[1:]
before = sum(os.times()[:4])
{work}
print("{mark}", sum(os.times()[:4]) - before)
"""


def _script(imports: str, work: str) -> Callable[[str, Path, Path, list[str]], list[str]]:
    """A call of a Python package: statements that import it, and those that turn `source` into `target`."""
    code = _SCRIPT.format(imports=imports, work=work, mark=runs.READING_MARK)

    def call(python: str, book: Path, out: Path, _options: list[str]) -> list[str]:
        return [python, "-X", "utf8", "-c", code, str(book), str(out)]

    return call


def _words(*template: str) -> Callable[[str, Path, Path, list[str]], list[str]]:
    """A call of a program: BOOK and OUT in the template are the two paths."""

    def call(_python: str, book: Path, out: Path, _options: list[str]) -> list[str]:
        return [word.replace("BOOK", str(book)).replace("OUT", str(out)) for word in template]

    return call


_PYMUPDF4LLM = _script(
    "import pymupdf4llm",
    """text = pymupdf4llm.to_markdown(source, header=False, footer=False)
pathlib.Path(target).write_text(text, encoding="utf-8")""",
)
_PDFMINER = _script(
    "from pdfminer.high_level import extract_text",
    'pathlib.Path(target).write_text(extract_text(source), encoding="utf-8")',
)
_OPENDATALOADER = _script(
    "import opendataloader_pdf",
    """opendataloader_pdf.convert(
    [source], output_dir=target, format="markdown", image_output="off", quiet=True
)""",
)
_EBOOKLIB = _script(
    "import ebooklib\nfrom bs4 import BeautifulSoup\nfrom ebooklib import epub",
    """book = epub.read_epub(source)
documents = book.get_items_of_type(ebooklib.ITEM_DOCUMENT)
text = "\\n\\n".join(BeautifulSoup(item.get_content(), "html.parser").get_text() for item in documents)
pathlib.Path(target).write_text(text, encoding="utf-8")""",
)

OURS = Reader("bookblend", (".pdf", ".epub"), "jsonl", "books onboard", _ours_version, _ours)
OUR_EXTRACT = Reader("bookblend-extract", (".pdf", ".epub"), "md", "extract pdf, epub", _ours_version, _our_extract)
PEERS = (
    Reader(
        "pdftotext",
        (".pdf",),
        "txt",
        "`pdftotext`",
        _program("pdftotext", "-v"),
        _words("pdftotext", "BOOK", "OUT.txt"),
    ),
    Reader(
        "pymupdf4llm",
        (".pdf",),
        "md",
        "`to_markdown(header=False, footer=False)`, its neural layout on",
        _packages("pymupdf4llm"),
        _PYMUPDF4LLM,
        slow=True,
    ),
    Reader(
        "opendataloader-pdf",
        (".pdf",),
        "md",
        '`convert(format="markdown")`',
        _packages("opendataloader-pdf"),
        _OPENDATALOADER,
    ),
    Reader("pdfminer.six", (".pdf",), "txt", "`extract_text()`", _packages("pdfminer.six"), _PDFMINER),
    Reader(
        "pandoc",
        (".epub",),
        "md",
        "`pandoc -f epub-native_divs-native_spans -t gfm-raw_html --wrap=none`",
        _program("pandoc", "--version"),
        _words(
            "pandoc", "-f", "epub-native_divs-native_spans", "-t", "gfm-raw_html", "--wrap=none", "BOOK", "-o", "OUT.md"
        ),
    ),
    Reader(
        "EbookLib + BeautifulSoup",
        (".epub",),
        "txt",
        "`get_text()` of every `ITEM_DOCUMENT`",
        _packages("ebooklib", "beautifulsoup4"),
        _EBOOKLIB,
    ),
    Reader(
        "Calibre ebook-convert",
        (".epub",),
        "md",
        "`ebook-convert BOOK OUT.txt --txt-output-formatting=markdown`",
        _program("ebook-convert", "--version"),
        _words("ebook-convert", "BOOK", "OUT.txt", "--txt-output-formatting=markdown"),
    ),
)


def flags(truth: dict[str, Any]) -> list[str]:
    """The options a person who has looked at the book would give, from its truth (see README, "Truth").

    Always --start with the first heading; --end where the truth's `end` names what follows the body, or its style is
    that of an edition that closes with endnotes and a colophon; --pattern where its headings look like body text.
    """
    given = ["--start", " ".join(truth["chapters"][0]["heading"])]
    style = truth.get("style", "")
    end = truth.get("end") or (("Endnotes" if truth.get("notes") else "Colophon") if style == "epub-se" else "")
    if end:
        given += ["--end", end]
    if style == "chrome-bold":
        openings = dict.fromkeys(re.escape(chapter["heading"][0].lower()) for chapter in truth["chapters"])
        given += ["--pattern", f"({'|'.join(openings)})$"]
    return given


def run_reader(
    reader: Reader, version: str, python: str, book: Path, options: list[str], cache: Path, times: int
) -> runs.Kept | None:
    """A reader's run on a book, from the cache or made now; with times=0 from the cache alone, None where not there."""

    def command(out: Path) -> list[str]:
        return reader.call(python, book.resolve(), out, options)

    words = reader.call("python", Path("book"), Path("out"), [])
    called = runs.digest("\0".join("python" if word == sys.executable else word for word in words))[:8]
    place = cache / folder_name(reader.name) / f"{version}-{called}"
    return runs.kept_run(place, book, options, command, times)


def folder_name(reader: str) -> str:
    """A reader's folder in the cache."""
    return re.sub(r"[^\w.-]+", "-", reader)
