"""Front and back matter: what the book declares, what its headings name, what its pages look like.

The text is cut into segments (a document, or the part of one under a chapter-tier heading). A segment that is
furniture by the book's own word is dropped at once where it stands inside the body; at the book's edges it keeps its
pieces, marked, so that an anchor can still name its heading. What is only inferred is marked and never dropped here.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bookblend.extract import labels
from bookblend.extract.epub_blocks import Document, Piece, count_words
from bookblend.extract.epub_places import fold
from bookblend.extract.epub_vocabulary import BODY_TYPES, FURNITURE, NAVIGATION, NOTE_LISTS
from bookblend.extract.model import HEADING

# Words. A page that is declared a title page or imprint but has more is a whole book under a wrong name.
_LARGEST_PAGE = 3000
_LARGEST_TITLE_PAGE = 100
# Characters. A heading that is the beginning of the book's title is the title only if it is not just a word of it.
_SHORTEST_TITLE = 8
# A copyright page has a sign or two in some lines, or many signs in a page of licence.
_SHORT_COPYRIGHT = 450
_LARGEST_COPYRIGHT = 1500
# A dedication or motto on a page of its own; longer ones are letters and essays, and body. One that is called so
# may be a letter to a friend.
_LARGEST_DEDICATION = 100
_LARGEST_DECLARED_DEDICATION = 600
# Front matter has at most this share of the body's words before it, back matter as much behind it.
_EDGE = 0.1
# A page is a list of links from this share of linked characters and this many linked pieces on.
_LINK_SHARE = 0.6
_FEWEST_LINKS = 4

_COPYRIGHT_SIGNS = re.compile(
    r"©|\(c\) ?\d{4}|copyright|all rights reserved|\bisbn\b|first published|library of congress|published by|"
    r"printed in|tous droits réservés|alle rechte vorbehalten|todos los derechos|creative commons|"
    r"dépôt légal|tutti i diritti|все права защищены"
)
_FEWEST_SIGNS = 2
_MANY_SIGNS = 4
_NAMED = {
    "cover": "cover",
    "cover page": "cover",
    "cover image": "cover",
    "title page": "title-page",
    "titlepage": "title-page",
    "title": "title-page",
    "half title": "half-title",
    "half title page": "half-title",
    "halftitle": "half-title",
    "titelseite": "title-page",
    "page de titre": "title-page",
    "couverture": "cover",
    "portada": "cover",
    "copertina": "cover",
    "umschlag": "cover",
    "the full project gutenberg license": "copyright",
    "full project gutenberg license": "copyright",
}
_TAKEN_OUT = frozenset({"note", "moved"})
_FRONT = frozenset({"contents", "list of figures", "copyright", "about", "title-page", "half-title", "cover"})
_BACK = frozenset({"endnotes", "bibliography", "index", "about", "copyright", "contents", "list of figures"})
_DEDICATION = re.compile(r"(?:to|for|in memory of|für|à|pour|a|para|per|dedicated to|в память|посвящается)\b", re.I)


@dataclass(slots=True, eq=False)
class Segment:
    """A stretch of pieces with one heading, or none.

    words      of its pieces that no rule drops
    of_notes, beside_notes  whether its document is nothing but notes and headings, or has notes at all
    declared   furniture by the book's own word, "" for none
    inferred   what it seems to be, "" for body
    """

    document: Document
    pieces: list[Piece] = field(default_factory=list)
    declared: str = ""
    inferred: str = ""
    words: int = 0
    of_notes: bool = False
    beside_notes: bool = False

    @property
    def heading(self) -> str:
        """Its chapter-tier heading, or whatever heading it opens with; "" for none."""
        lines = []
        for piece in self.pieces:
            if piece.kind is not HEADING:
                break
            lines.append(piece.text)
        return " ".join(lines)

    @property
    def types(self) -> frozenset[str]:
        """What it declares to be, and what the landmarks say of its document."""
        return self.document.types.union(*(piece.context.within for piece in self.pieces[:1]))


def recognise(
    documents: Sequence[Document], title: str, *, keep_furniture: bool
) -> tuple[list[Document], tuple[str, ...]]:
    """Write matter and dropping rules onto the pieces. `title` is the book's.

    Returns the documents in the order they go on in, and warnings: see `_notes_behind`.
    """
    segments = list(cut(documents))
    with_notes = {d.number: _only_notes(d) for d in documents if any(p.rule in _TAKEN_OUT for p in d.pieces)}
    for segment in segments:
        _drop_navigation(segment, keep=keep_furniture)
    segments = [s for s in segments if any(not piece.rule for piece in s.pieces)]
    for segment in segments:
        segment.pieces = [piece for piece in segment.pieces if not piece.rule]
        segment.beside_notes = segment.document.number in with_notes
        segment.of_notes = with_notes.get(segment.document.number, False)
        segment.words = count_words(segment.pieces)
        segment.declared = _declared(segment)
        segment.inferred = segment.declared or _named(segment) or _looks(segment, fold(title))
    _continue_lists(segments)
    if keep_furniture:
        for segment in segments:
            if segment.declared not in ("", "endnotes"):
                segment.declared = segment.inferred = ""
    if not segments:
        return list(documents), ()
    _settle(segments)
    return _notes_behind(documents, segments)


def cut(documents: Iterable[Document]) -> Iterator[Segment]:
    """The segments, in order: a new one at a document, at a chapter-tier heading, where declared furniture changes, and
    at the headings of contents and the like that stand on the title page's document."""
    for document in documents:
        segment, before = Segment(document), None
        for piece in document.pieces:
            if piece.rule:
                continue
            tier, context = piece.tier, piece.context
            if (
                before is not None
                and (tier or before.context is not context)
                and ((tier and _opens(piece, before)) or before.context.furniture != context.furniture)
            ):
                yield segment
                segment = Segment(document)
            segment.pieces.append(piece)
            before = piece
        if segment.pieces:
            yield segment


def _opens(piece: Piece, before: Piece) -> bool:
    """Whether a heading opens a segment of its own behind another piece."""
    if piece.tier == 1:
        return before.tier != 1
    name = labels.matter_name(piece.text)
    return name == "contents" or (name in _FRONT and before.kind is not HEADING)


def _drop_navigation(segment: Segment, *, keep: bool) -> None:
    if keep:
        return
    listed = [piece for piece in segment.pieces if piece.context.furniture in NAVIGATION]
    if listed and _is_link_list(segment.pieces, fewest=1):
        for piece in listed:
            piece.rule = piece.context.furniture


def _declared(segment: Segment) -> str:
    """The furniture that a segment is by the book's own word, if its size allows that."""
    if _is_notes(segment):
        return "endnotes"
    if not segment.document.linear:
        return "auxiliary"
    types = segment.types
    rule = segment.pieces[0].context.furniture or next((FURNITURE[t] for t in sorted(types) if t in FURNITURE), "")
    if rule and segment.words <= _LARGEST_PAGE and not (rule != "cover" and _is_body(segment, rule)):
        return rule
    if _is_link_list(segment.pieces, fewest=_FEWEST_LINKS) and not types & BODY_TYPES:
        return "contents"
    return ""


def _is_body(segment: Segment, rule: str) -> bool:
    """Whether a document's landmark says one thing and its own markup that it is body."""
    return segment.pieces[0].context.furniture != rule and bool(
        segment.pieces[0].context.within & (BODY_TYPES - {"bibliography"})
    )


def _is_notes(segment: Segment) -> bool:
    """Whether nothing but headings is left of a segment whose notes were taken out, or that is declared notes."""
    for piece in segment.pieces:
        if piece.kind is not HEADING:
            return False
    return bool(segment.types & NOTE_LISTS) or segment.of_notes or (segment.beside_notes and segment.pieces[0].note > 0)


def _only_notes(document: Document) -> bool:
    return all(piece.rule in _TAKEN_OUT or piece.kind is HEADING for piece in document.pieces)


def _is_link_list(pieces: Sequence[Piece], *, fewest: int) -> bool:
    if not any(piece.linked or not piece.text for piece in pieces):
        return False
    text = [piece for piece in pieces if piece.kind is not HEADING]
    linked = [piece for piece in text if piece.linked * 2 >= len(piece.text)]
    characters = sum(len(piece.text) for piece in text)
    share = sum(min(piece.linked, len(piece.text)) for piece in text)
    rows = sum(piece.text.count("\n") + 1 for piece in linked)
    return rows >= fewest and share >= _LINK_SHARE * characters


def _named(segment: Segment) -> str:
    heading = segment.heading
    if not heading:
        return ""
    name = labels.matter_name(heading) or _NAMED.get(fold(heading), "")
    return "" if name == "bibliography" and segment.pieces[0].tier != 1 else name


def _looks(segment: Segment, title: str) -> str:
    """Front matter by its look: a title page, a copyright page."""
    if segment.words > _LARGEST_COPYRIGHT or segment.types & BODY_TYPES:
        return ""
    text = " ".join(piece.text for piece in segment.pieces)
    heading = fold(segment.pieces[0].text) if segment.pieces[0].kind is HEADING else ""
    is_title = bool(title) and (
        heading == title or _opens_with(fold(text), title) or (bool(heading) and _opens_with(title, heading))
    )
    signs = len(set(_COPYRIGHT_SIGNS.findall(text.casefold())))
    # A chapter may speak of copyrights, so a heading of its own must be the book's title, or none of the contents.
    fewest = _FEWEST_SIGNS if is_title or segment.words <= _SHORT_COPYRIGHT else _MANY_SIGNS
    if (is_title or segment.pieces[0].tier != 1) and signs >= fewest:
        return "copyright"
    return "title-page" if is_title and segment.words <= _LARGEST_TITLE_PAGE else ""


def _opens_with(text: str, opening: str) -> bool:
    """Whether folded texts begin alike: `opening` whole, and a good part of `text` where that is a title."""
    return f"{text} ".startswith(f"{opening} ") and len(opening) >= min(len(text), _SHORTEST_TITLE)


def _continue_lists(segments: Sequence[Segment]) -> None:
    """A document without a heading goes on with the list before it (an index over several files)."""
    for before, segment in pairwise(segments):
        unmarked = not segment.inferred and segment.pieces[0].kind is not HEADING
        if unmarked and before.inferred in ("index", "endnotes", "bibliography") and not segment.types & BODY_TYPES:
            segment.inferred = before.inferred


def _settle(segments: Sequence[Segment]) -> None:
    """From what segments are and where they stand to marks and drops."""
    body = [segment for segment in segments if not segment.inferred]
    if not body:
        body = [s for s in segments if not s.declared] or list(segments)
        for segment in body:
            segment.declared = segment.inferred = ""
    total = sum(segment.words for segment in body) or 1
    numbers = [number for number, segment in enumerate(segments) if not segment.inferred]
    first, last = numbers[0], numbers[-1]
    opening = _first_chapter(segments)
    before = 0
    for number, segment in enumerate(segments):
        at_front, at_back = before <= _EDGE * total, total - before <= _EDGE * total
        if segment.declared and segment.declared != "endnotes" and first < number < last:
            _drop(segment)
        elif segment.declared:
            _mark(segment, segment.declared)
        elif segment.inferred and (
            (at_front and segment.inferred in _FRONT) or (at_back and segment.inferred in _BACK)
        ):
            _mark(segment, segment.inferred)
        elif not segment.inferred and number <= opening and (name := _dedication(segment)):
            _mark(segment, name)
        if not segment.inferred:
            before += segment.words


def _notes_behind(documents: Sequence[Document], segments: Sequence[Segment]) -> tuple[list[Document], tuple[str, ...]]:
    """Set a document of notes behind the body text that follows it.

    Its notes are taken out, and what is left is a heading. As an anchor ("--end Endnotes") that heading means "without
    the notes"; it must not cut off an afterword or bibliography that stands behind them.
    """
    order, warnings = list(documents), []
    for number, segment in enumerate(segments):
        if segment.declared != "endnotes" or not segment.of_notes:
            continue
        after = [later for later in segments[number + 1 :] if not any(p.matter or p.rule for p in later.pieces)]
        if not after:
            continue
        order.remove(segment.document)
        order.insert(order.index(after[-1].document) + 1, segment.document)
        warnings.append(
            f"{segment.document.name}: its notes are taken out; its heading '{segment.heading}' now stands behind "
            f"'{after[-1].heading or after[-1].document.name}', which follows the notes in the book"
        )
    return order, tuple(warnings)


def _first_chapter(segments: Sequence[Segment]) -> int:
    """The number of the first segment that is body and has a chapter-tier heading; -1 where none has."""
    return next((n for n, s in enumerate(segments) if not s.inferred and s.pieces[0].tier == 1), -1)


def _dedication(segment: Segment) -> str:
    """A dedication or motto before the first chapter, without a heading or so called, and short."""
    declared = "dedication" if "dedication" in segment.types else "epigraph" if "epigraph" in segment.types else ""
    heading = fold(segment.heading)
    if heading and heading not in ("dedication", "epigraph", "widmung", "dédicace", "dedica", "dedicatoria"):
        return ""
    if segment.words > (_LARGEST_DECLARED_DEDICATION if declared or heading else _LARGEST_DEDICATION):
        return ""
    text = segment.pieces[0].text
    return declared or heading or ("dedication" if _DEDICATION.match(text) else "epigraph")


def _mark(segment: Segment, matter: str) -> None:
    for piece in segment.pieces:
        piece.matter = matter


def _drop(segment: Segment) -> None:
    for piece in segment.pieces:
        piece.rule = segment.declared
