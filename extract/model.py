"""The one document model between extraction and everything after it.

An extractor turns a file into a `Book`: blocks in reading order, each with its kind, its place and the evidence
that named its kind, and a ledger of what was left out. Nothing here knows how a file is read or a text is written.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final, Literal


class Kind(StrEnum):
    """What a block is. Only headings become markdown headings; the others differ in how their lines are kept."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    VERSE = "verse"
    QUOTE = "quote"
    ITEM = "item"
    TABLE = "table"
    CODE = "code"
    CAPTION = "caption"
    NOTE = "note"


# The members by names of their own, for loops over every block: Python 3.11 takes ten times as long for `Kind.HEADING`.
HEADING: Final = Kind.HEADING
PARAGRAPH: Final = Kind.PARAGRAPH
VERSE: Final = Kind.VERSE
QUOTE: Final = Kind.QUOTE
ITEM: Final = Kind.ITEM
TABLE: Final = Kind.TABLE
CODE: Final = Kind.CODE
CAPTION: Final = Kind.CAPTION
NOTE: Final = Kind.NOTE


@dataclass(frozen=True, slots=True)
class Place:
    """Where a block stands: PDF pages count from 1 (0: no pages), `item` is an EPUB's spine document."""

    page: int = 0
    end_page: int = 0
    item: str = ""

    def __str__(self) -> str:
        return f"page {self.page}" if self.page else self.item


@dataclass(frozen=True, slots=True)
class Block:
    """One block of the book.

    text      one line; verse and tables keep theirs, parted by "\\n"; never empty, no blank line inside. Code keeps
              its lines as they are, blanks at their start and blank lines between them included
    level     headings: 1 is the chapter tier ("# "), 2 any other ("## "); 0 for all other kinds
    evidence  what named a heading ("outline", "size 18.0 pt, first on its page", "contents (nav)", …)
    matter    "" for the body; else what the front or back matter it belongs to was recognised as
              ("title-page", "contents", "copyright", "index", "endnotes", …). Inferred, so it is only
              acted on where the user set no anchor; what the file itself declares goes to `Book.dropped`.
    """

    kind: Kind
    text: str
    place: Place
    level: int = 0
    evidence: str = ""
    matter: str = ""


@dataclass(frozen=True, slots=True)
class Dropped:
    """One ledger entry: the rule that dropped a text, where it stood ("page 12", a spine item, "block 40")."""

    rule: str
    place: str
    text: str


@dataclass(frozen=True, slots=True)
class Book:
    """A book as read: what is kept, what was dropped by which rule, and what the user should be told.

    `evidence` goes into the provenance as it is: numbers and words that say what decided (body size, what named
    the chapters, signals of an OCR layer or of unmapped glyphs). JSON values only, no clocks, no paths.
    """

    format: Literal["pdf", "epub"]
    blocks: tuple[Block, ...]
    dropped: tuple[Dropped, ...] = ()
    warnings: tuple[str, ...] = ()
    title: str = ""
    author: str = ""
    language: str = ""
    evidence: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtractOptions:
    """What a user may ask of an extractor.

    notes           "drop" (default; counted), "end" (gathered after the chapter they belong to) or "inline"
    keep_furniture  keep what the file declares to be furniture (title pages, imprint, navigation …)
    accept_ocr      read a PDF that is an OCR layer over scans, which is refused otherwise
    password        for PDFs that need one to be opened
    """

    notes: Literal["drop", "end", "inline"] = "drop"
    keep_furniture: bool = False
    accept_ocr: bool = False
    password: str | None = None
