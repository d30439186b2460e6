"""`<Book>.book.json`: what a book's products were made from, with what, and what was found.

One dataclass, written and read as JSON with a fixed order of keys. Nothing in it depends on the clock, the machine
or the folder: two runs give the same bytes. Between stages run one by one it also carries the marks of the blocks
(page, spine item, matter, evidence), by ordinal and in runs; they hold only for the `.md` whose SHA-256 it names.
"""

import hashlib
import json
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from typing import Any

from bookblend import __version__
from bookblend.errors import InputError
from bookblend.files import check_source, sha256_file
from bookblend.jsonio import dump_pretty
from bookblend.manuscript import Manuscript, Mark, from_markdown

# Raised when a reader of an older sidecar would misread a newer one.
LAYOUT = 1
# In the entry of a source that is our own markdown, edited: the format of the book it was made from.
EXTRACTED_FROM = "extracted_from"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """A sidecar's content; every mapping holds JSON values only.

    tools     name → version of what made the products
    source    the input file: name, format, bytes, sha256; extracted_from, where it is our own markdown, edited
    book      title, author, language, licence, group, as far as known
    options   stage → option → value, every option of every stage that ran
    evidence  what the extractor says decided (see `extract.model.Book.evidence`)
    repairs   repair → number of changes
    warnings  what the user was told, in order
    dropped   stage → rule → number of pieces in the ledger
    outside   what the slice left out: side → blocks, words
    products  file name → SHA-256, of files in the sidecar's own folder
    records   one mapping a record (see `build.records.describe`)
    marks     one a block of the `.md`, () where unknown
    """

    tools: Mapping[str, str] = field(default_factory=dict)
    source: Mapping[str, Any] = field(default_factory=dict)
    book: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    evidence: Mapping[str, Any] = field(default_factory=dict)
    repairs: Mapping[str, int] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()
    dropped: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    outside: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    products: Mapping[str, str] = field(default_factory=dict)
    records: tuple[Mapping[str, Any], ...] = ()
    marks: tuple[Mark, ...] = ()


def render(provenance: Provenance) -> str:
    """The sidecar file's text."""
    p = provenance
    return dump_pretty(
        {
            "layout": LAYOUT,
            "tools": dict(p.tools),
            "input": dict(p.source),
            "book": dict(p.book),
            "options": {stage: dict(options) for stage, options in p.options.items()},
            "evidence": dict(p.evidence),
            "repairs": dict(p.repairs),
            "warnings": list(p.warnings),
            "dropped": {stage: dict(rules) for stage, rules in p.dropped.items()},
            "outside": {side: dict(counts) for side, counts in p.outside.items()},
            "products": dict(sorted(p.products.items())),
            "records": [dict(record) for record in p.records],
            "blocks": _pack(p.marks),
        }
    )


def read(path: Path) -> Provenance | None:
    """The sidecar at `path`, or None where there is none. Raises `InputError` for one that cannot be read."""
    if not path.is_file():
        return None
    try:
        raw = json.loads(path.read_text("utf-8"))
        if raw["layout"] != LAYOUT:
            raise InputError(f"{path}: written by another version of bookblend (layout {raw['layout']}); make it anew")
        return Provenance(
            tools=dict(raw["tools"]),
            source=dict(raw["input"]),
            book=dict(raw["book"]),
            options=dict(raw["options"]),
            evidence=dict(raw["evidence"]),
            repairs=dict(raw["repairs"]),
            warnings=tuple(raw["warnings"]),
            dropped=dict(raw["dropped"]),
            outside=dict(raw["outside"]),
            products=dict(raw["products"]),
            records=tuple(dict(record) for record in raw["records"]),
            marks=tuple(_unpack(raw["blocks"])),
        )
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path}: damaged sidecar ({error!r}); remove it or make it anew") from error


def open_own(path: Path, text: str) -> tuple[Manuscript, Provenance] | None:
    """The markdown file at `path`, whose content is `text`, if it is our own: the sidecar beside it names it.

    What the sidecar says counts only while the text's SHA-256 is the one named there. A file changed since is still
    read as our own, but its blocks are marked with their lines and it is itself the source; a warning says so.
    Raises `InputError` for a sidecar that cannot be read.
    """
    known = read(beside(path, ".book.json"))
    if known is None or path.name not in known.products:
        return None
    manuscript = from_markdown(text)
    if known.products[path.name] == sha256_text(text):
        marks = known.marks if len(known.marks) == len(manuscript.blocks) else manuscript.marks
        return Manuscript(manuscript.blocks, marks), known
    source = describe_source(path, "markdown") | {EXTRACTED_FROM: origin(known)}
    changed = (
        f"{path.name}: changed since it was made, so it has no pages and starts a ledger of its own; "
        f"if another tool made it, remove {beside(path, '.book.json').name} first"
    )
    return manuscript, Provenance(tools=tool_versions(), source=source, book=known.book, warnings=(changed,))


def origin(known: Provenance) -> str:
    """The format of the book that our own markdown was made from, however often it was edited since."""
    return str(known.source.get(EXTRACTED_FROM) or known.source.get("format", ""))


def is_own(known: Provenance) -> bool:
    """Whether the provenance that a markdown file was opened with says that it is our own."""
    return bool(known.products) or EXTRACTED_FROM in known.source


def read_text(path: Path) -> str:
    """A text file's content. Raises `InputError` for what `check_source` refuses and for bytes that are not UTF-8."""
    check_source(path)
    try:
        return path.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: not UTF-8 at byte {error.start}; convert it to UTF-8 first") from error


def describe_source(path: Path, kind: str) -> dict[str, Any]:
    """The sidecar's entry for an input file: its name (no path), format, size and hash."""
    return {"name": path.name, "format": kind, "bytes": path.stat().st_size, "sha256": sha256_file(path)}


def tool_versions(*libraries: str) -> dict[str, str]:
    """Versions of bookblend and of the libraries that a stage used."""
    return {"bookblend": __version__, **{name: _version(name) for name in libraries}}


def _version(name: str) -> str:
    """The version of a library: what it says of itself if it is loaded; looking into its package takes 10 ms more."""
    own = getattr(sys.modules.get(name), "__version__", None)
    if isinstance(own, str):
        return own
    from importlib.metadata import version

    return version(name)


def beside(path: Path, suffix: str) -> Path:
    """The product with another suffix beside `path`: `Book.md` → `Book.book.json`."""
    return path.with_name(path.stem + suffix)


def sha256_text(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _pack(marks: tuple[Mark, ...]) -> dict[str, Any]:
    """Marks as runs that a person can read: "3-4*2" is two blocks on pages 3 to 4, "20 ch1.xhtml" twenty blocks."""
    return {
        "count": len(marks),
        "pages": " ".join(f"{key}*{n}" if n > 1 else key for key, n in _runs(_page_key(mark) for mark in marks)),
        "items": [f"{n} {key}" for key, n in _runs(mark.item for mark in marks)],
        "matter": [f"{n} {key}" for key, n in _runs(mark.matter for mark in marks)],
        "evidence": {str(i): mark.evidence for i, mark in enumerate(marks) if mark.evidence},
    }


def _unpack(raw: Mapping[str, Any]) -> Iterator[Mark]:
    """The marks that `_pack` wrote. Raises `ValueError` where the runs do not fit together."""
    pages = [key for run in raw["pages"].split() for key in _spread(*run.partition("*")[::2])]
    items = [key for run in raw["items"] for key in _spread(*reversed(run.split(" ", 1)))]
    matter = [key for run in raw["matter"] for key in _spread(*reversed(run.split(" ", 1)))]
    if not len(pages) == len(items) == len(matter) == raw["count"]:
        raise ValueError("its block marks do not fit together")
    for ordinal, (key, item, kind) in enumerate(zip(pages, items, matter, strict=True)):
        page, _, end = key.partition("-")
        evidence = raw["evidence"].get(str(ordinal), "")
        yield Mark(int(page), int(end or page), item, 0, kind, evidence)


def _runs(keys: Iterable[str]) -> Iterator[tuple[str, int]]:
    return ((key, sum(1 for _ in run)) for key, run in groupby(keys))


def _spread(key: str, count: str) -> list[str]:
    return [key] * int(count or 1)


def _page_key(mark: Mark) -> str:
    return f"{mark.page}-{mark.end_page}" if mark.end_page > mark.page else str(mark.page)
