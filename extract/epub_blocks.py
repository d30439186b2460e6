"""What a walk over the documents of an EPUB finds: pieces of text in order, the contexts they stand in, link marks.

Pieces are the extractor's working form of blocks: later steps write a tier, a matter or a dropping rule onto them.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from bookblend.extract.model import PARAGRAPH, Kind

# Marks inside a piece's raw text. XML allows none of these characters, so no book can forge one.
BREAK = "\x01"  # <br/>
REF = "\x02"  # REF number REF: the place of a mark that may be a note reference
LINE = "\x04"  # the edge of a span that the style sheet shows as a block


@dataclass(slots=True, eq=False)
class Context:
    """The element a piece stands in, and what it and the elements around it say.

    tag, classes  of the nearest block element
    types         what that element declares itself to be (`epub:type`, `role`)
    within        the types of it and of all elements around it
    kind, level   what text in it is; the level of a heading element (1–6)
    verse         inside verse, so lines are kept
    stanza        number of the stanza whose lines belong together; 0 outside of one
    quote         inside a quotation
    note          inside a note or a collection of notes
    group         number of the `hgroup` or `header` it stands in; 0 outside of one
    strict        that group is an `hgroup`, all of which is heading
    furniture     the rule by which the book declares it to be furniture; "" for text
    shared        like elements in the same context stand in this one too, and opening one takes nothing else
    leaf          the kind of a line of text right in it; None where that takes a closer look
    derived       the contexts of elements inside that stand for all like ones, by name, class and types
    shortcuts     contexts inside elements by name (and attributes); itself for elements that change nothing
    """

    tag: str = "body"
    classes: str = ""
    types: frozenset[str] = frozenset()
    within: frozenset[str] = frozenset()
    kind: Kind = PARAGRAPH
    level: int = 0
    verse: bool = False
    stanza: int = 0
    quote: bool = False
    note: bool = False
    group: int = 0
    strict: bool = False
    furniture: str = ""
    shared: bool = False
    leaf: Kind | None = None
    derived: dict[tuple[str, str, frozenset[str]], "Context"] = field(default_factory=dict)
    shortcuts: dict[Any, "Context"] = field(default_factory=dict)


@dataclass(slots=True, eq=False)
class Piece:
    """One piece of text of a document.

    text        one line, or lines for verse and tables; may hold REF marks
    note        number of the note, or collection of notes, it belongs to; 0 outside of notes
    linked      how many of its characters are the text of links to places in the book
    targets     where those links point: (member, fragment)
    back        one of them is an arrow or the like that leads back into the text
    pictured    its text is only the alternative text of pictures
    broken      a page-break marker stands right before it
    tier        1 chapter tier, 2 other heading, 0 text; set for headings at first by their elements
    evidence    what named it a heading
    matter      front or back matter it was recognised as
    rule        the rule that drops it; "" keeps it
    """

    text: str
    kind: Kind
    level: int
    context: Context
    note: int = 0
    linked: int = 0
    targets: tuple[tuple[str, str], ...] = ()
    back: bool = False
    pictured: bool = False
    broken: bool = False
    tier: int = 0
    evidence: str = ""
    matter: str = ""
    rule: str = ""

    @property
    def words(self) -> int:
        """How many words it has, about, by its length: as good for thresholds as a count, and for scripts without
        blanks a good deal better."""
        return len(self.text) // _WORD_LENGTH + 1


# Characters of a word and its blank, in English prose; German and Russian have a seventh more.
_WORD_LENGTH = 6


def count_words(pieces: Iterable[Piece]) -> int:
    """The `words` of pieces together."""
    return sum([len(piece.text) // _WORD_LENGTH + 1 for piece in pieces])


@dataclass(slots=True)
class Reference:
    """A mark in the text that may refer to a note.

    text       the mark as the book has it
    name       the member its link points into; "" for a mark without a link
    fragment   the place in that member
    declared   the book says that it is a note reference
    raised     it is set as a superscript
    place      (document number, piece number) where it stands
    dropped    decided: it is a note reference and goes
    """

    text: str
    name: str
    fragment: str
    declared: bool
    raised: bool
    place: tuple[int, int]
    dropped: bool = False


@dataclass(slots=True)
class Document:
    """One document of the reading order after the walk.

    anchors    piece number at which an id stands
    spans      for ids of block elements: first piece number inside, and first one after
    anchor_types  what elements with an id declare to be
    title      the text of its `title` element
    asides     texts that were left out in the walk: (rule, text)
    """

    number: int
    name: str
    linear: bool = True
    pieces: list[Piece] = field(default_factory=list)
    anchors: dict[str, int] = field(default_factory=dict)
    spans: dict[str, tuple[int, int]] = field(default_factory=dict)
    anchor_types: dict[str, frozenset[str]] = field(default_factory=dict)
    types: frozenset[str] = frozenset()
    title: str = ""
    asides: list[tuple[str, str]] = field(default_factory=list)
    pagebreaks: int = 0
    pictures: int = 0
