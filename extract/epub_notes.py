"""Which marks refer to notes, which pieces are the notes, and what becomes of both.

A mark goes when the book declares it a note reference, when it is a raised link, or when its link leads to a note: a
piece declared so, or one that opens with the same mark and links back. Raised numbers without a link stay (exponents,
ordinals), unless they count 1, 2, 3 … through their document.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice, zip_longest

from bookblend.extract.epub_blocks import REF, Document, Piece, Reference
from bookblend.extract.epub_vocabulary import NUMBER_MARK, SYMBOL_MARK, is_note_mark
from bookblend.extract.model import HEADING, ITEM, TABLE

_ANY_MARK = re.compile(f"{REF}\\d+{REF}")
_BRACKETS = frozenset({("[", "]"), ("(", ")")})
# Signs that no blank may stand before once the mark between is gone.
_CLOSING = frozenset(".,;:!?)]}”’»")
# So many raised numbers in a row, from 1 on, are note marks and no exponents.
_SHORTEST_COUNT = 3
# A note that is not declared goes on over this many pieces at most, up to the next note.
_LONGEST_NOTE = 12
# A paragraph with fewer words beside its marks is a list of links. Marks longer than this are years.
_FEWEST_WORDS = 2
_LONGEST_HANGING = 3
# Characters: of a mark with its brackets, and of any paragraph.
_LONGEST_MARK = 16
_LONGEST_PARAGRAPH = 50_000
_PERMALINKS = frozenset({"¶", "#", "§", "*"})
_WORDS = re.compile(r"[^\W\d_]+")


@dataclass(slots=True)
class Notes:
    """What was decided: the pieces of each note by reference number, and how many marks were dropped."""

    bodies: dict[int, list[Piece]] = field(default_factory=dict)
    dropped: int = 0


def settle(documents: Sequence[Document], references: Sequence[Reference], note_lists: set[int]) -> Notes:
    """Decide on all references, give every piece that is a note the rule "note", and put the decisions into the texts.

    Headings inside collections of notes keep no rule; what they head is seen later.
    """
    evidence = _Evidence(documents, references)
    targets: dict[int, tuple[Document, int]] = {}
    for number, reference in enumerate(references):
        target, own = evidence.target(reference), evidence.own(reference)
        # A mark that opens its piece, or stands in a note, is the note's own and leads back into the text.
        is_own_mark = own is not None and (own.context.note or _leads(own, number))
        leads_to_note = target is not None and evidence.is_note(number, *target)
        if target is not None and own is not None and _is_permalink(reference, own, number, target):
            reference.dropped = True
            continue
        reference.dropped = reference.declared or (
            not is_own_mark and (leads_to_note or (reference.raised and bool(reference.name)))
        )
        if target is not None and reference.dropped and leads_to_note and not is_own_mark:
            targets[number] = target
    _settle_unlinked(documents, references)
    notes = Notes(dropped=sum(reference.dropped for reference in references))
    _mark_bodies(references, targets, note_lists, notes)
    for document in documents:
        for piece in document.pieces:
            if piece.context.note and piece.kind is not HEADING:
                piece.rule = piece.rule or "note"
    return notes


def write_out(pieces: Iterable[Piece], references: Sequence[Reference], inline: Mapping[int, str]) -> None:
    """Replace the marks in texts: dropped ones by nothing, or by what `inline` has for them; others by their text."""
    if not references:
        return
    for piece in pieces:
        if REF in piece.text:
            piece.text = _settled(piece.text, references, inline)


def clear_labels(bodies: Sequence[Piece], note_lists: set[int]) -> None:
    """Take away what only labels a note: a mark in a paragraph or column of its own, brackets whose link is gone."""
    for piece, following in zip_longest(bodies, bodies[1:]):
        labels = piece.context.tag == "dt" or (
            following is not None and piece.note == following.note and piece.note and piece.note not in note_lists
        )
        if (labels and is_note_mark(piece.text)) or not piece.text.strip("[]() "):
            piece.text = ""
        elif piece.kind is TABLE and "\n" not in piece.text:
            piece.text = piece.text.strip("\t")


def _settled(text: str, references: Sequence[Reference], inline: Mapping[int, str]) -> str:
    """One text without marks; the brackets around a dropped one go too, and a blank that nothing follows."""
    written, *rest = text.split(REF)
    for number, after in zip(rest[::2], rest[1::2], strict=True):
        reference = references[int(number)]
        if not reference.dropped:
            written += reference.text
        else:
            if (written[-1:], after[:1]) in _BRACKETS:
                written, after = written[:-1], after[1:]
            if noted := inline.get(int(number)):
                written = f"{written.rstrip()} [{noted}]"
            elif written.endswith(" ") and (after[:1] in _CLOSING or after[:1] == " "):
                written = written[:-1]
        written += after
    return written.strip()


class _Evidence:
    """What marks and pieces say about being notes, looked up once for each."""

    def __init__(self, documents: Sequence[Document], references: Sequence[Reference]) -> None:
        self._documents = documents
        self._references = references
        self._names = {document.name: document for document in documents}
        self._at_place: dict[tuple[int, int], list[int]] = {}
        for number, reference in enumerate(references):
            self._at_place.setdefault(reference.place, []).append(number)
        self._prose: dict[tuple[int, int], bool] = {}

    def target(self, reference: Reference) -> tuple[Document, int] | None:
        """The document and piece number that a mark leads to."""
        document = self._names.get(reference.name)
        if document is None or not reference.fragment:
            return None
        index = document.anchors.get(reference.fragment, len(document.pieces))
        return (document, index) if index < len(document.pieces) else None

    def own(self, reference: Reference) -> Piece | None:
        """The piece that a mark stands in."""
        pieces = self._documents[reference.place[0]].pieces
        return pieces[reference.place[1]] if reference.place[1] < len(pieces) else None

    def is_note(self, number: int, document: Document, index: int) -> bool:
        """Whether the piece that a mark leads to is a note.

        It is one that is declared so; or that opens with a mark, or the same number, and links back to where the first
        mark stands; or that opens with the same number where the first mark hangs on a word of prose ("word1"); or an
        item of a list where the mark is declared.
        """
        reference = self._references[number]
        piece, own = document.pieces[index], self.own(reference)
        if piece.context.note:
            return True
        if piece.kind is HEADING or own is None or own is piece:
            return False
        if reference.declared and piece.kind is ITEM:
            return True
        if not self._is_prose(reference.place, own):
            return False
        mark = reference.text.strip("[](){}.:")
        same = bool(mark) and bool(re.match(rf"{re.escape(mark)}(?!\w)", piece.text.lstrip("[( ")[:_LONGEST_MARK]))
        returns, opens = self._returns(reference, document, index)
        hangs = same and len(mark) <= _LONGEST_HANGING and _hangs(own, number)
        return (returns and (same or opens)) or (same and (reference.declared or hangs))

    def _is_prose(self, place: tuple[int, int], own: Piece) -> bool:
        """Whether a piece has words beside its marks, and is no list of links."""
        if place not in self._prose:
            bare = _ANY_MARK.sub(" ", own.text)
            self._prose[place] = len(list(islice(_WORDS.finditer(bare), _FEWEST_WORDS))) == _FEWEST_WORDS
        return self._prose[place]

    def _returns(self, reference: Reference, document: Document, index: int) -> tuple[bool, bool]:
        """Whether a note links back to where a mark stands, and whether a mark opens it or an arrow leads back."""
        home, piece = self._documents[reference.place[0]], document.pieces[index]
        here = self._at_place.get((document.number, index), ())
        first = next((self._references[n] for n in here if _leads(piece, n)), None)
        links = [(first.name, first.fragment)] if first else []
        start, end = document.spans.get(reference.fragment, (index, index + 1))
        whole = document.pieces[index : min(end, index + _LONGEST_NOTE)] if start == index < end else [piece]
        links += [target for part in whole for target in part.targets]
        returns = any(
            name == home.name and home.anchors.get(fragment, reference.place[1]) == reference.place[1]
            for name, fragment in links
        )
        return returns, first is not None or any(part.back for part in whole)


def _hangs(own: Piece, number: int) -> bool:
    """Whether a mark follows right on a word or sign; not asked of pieces too long for a paragraph."""
    if len(own.text) > _LONGEST_PARAGRAPH:
        return False
    at = own.text.find(f"{REF}{number}{REF}")
    return at > 0 and not own.text[at - 1].isspace()


def _is_permalink(reference: Reference, own: Piece, number: int, target: tuple[Document, int]) -> bool:
    """Whether a mark is the address of the block it stands in or right before: a sign, or a number all alone."""
    document, index = target
    if document.number != reference.place[0] or index not in (reference.place[1], reference.place[1] + 1):
        return False
    return reference.text in _PERMALINKS or own.text == f"{REF}{number}{REF}"


def _leads(piece: Piece, number: int) -> bool:
    """Whether the mark of that number opens the piece, as a note's own mark does."""
    return piece.text[:_LONGEST_MARK].lstrip("[( ").startswith(f"{REF}{number}{REF}")


def _settle_unlinked(documents: Sequence[Document], references: Sequence[Reference]) -> None:
    by_document: dict[int, list[Reference]] = {}
    for reference in references:
        if not reference.name and not reference.dropped:
            by_document.setdefault(reference.place[0], []).append(reference)
    for number, marks in by_document.items():
        counted = [(mark, int(found[1])) for mark in marks if (found := NUMBER_MARK.match(_plain(mark.text)))]
        for run in _counting_runs(counted):
            for mark in run:
                mark.dropped = True
        opened = {piece.text[:1] for piece in documents[number].pieces}
        for mark in marks:
            if SYMBOL_MARK.match(mark.text) and mark.text[0] in opened:
                mark.dropped = True


def _plain(text: str) -> str:
    return text.translate(str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789"))


def _counting_runs(counted: Sequence[tuple[Reference, int]]) -> list[list[Reference]]:
    """The runs of marks that count up by one, from 1 or on from the run before, and are long enough."""
    runs: list[list[Reference]] = []
    run: list[Reference] = []
    last = 0
    for mark, number in counted:
        if number == last + 1 and run:
            run.append(mark)
        elif number == 1 or not run:
            runs.append(run)
            run = [mark]
        else:
            continue
        last = number
    runs.append(run)
    return [run for run in runs if len(run) >= _SHORTEST_COUNT]


def _mark_bodies(
    references: Sequence[Reference],
    targets: dict[int, tuple[Document, int]],
    note_lists: set[int],
    notes: Notes,
) -> None:
    """Find the pieces of every note that is referred to, and give them the rule "note"."""
    found: dict[int, set[int]] = {}
    for document, index in targets.values():
        found.setdefault(document.number, set()).add(index)
    starts = {number: sorted(indices) for number, indices in found.items()}
    bodies: dict[tuple[int, int, str], list[Piece]] = {}
    for number, (document, index) in targets.items():
        key = (document.number, index, references[number].fragment)
        body = bodies.get(key)
        if body is None:
            body = bodies[key] = _body(references[number], document, index, starts[document.number], note_lists)
        notes.bodies[number] = body
        for piece in body:
            piece.rule = "note"


def _body(
    reference: Reference, document: Document, index: int, starts: Sequence[int], note_lists: set[int]
) -> list[Piece]:
    pieces = document.pieces
    note = pieces[index].note
    following = bisect_right(starts, index)
    limit = starts[following] if following < len(starts) else len(pieces)
    first, last = document.spans.get(reference.fragment, (index, index))
    if (note and note not in note_lists) or pieces[index].context.tag == "dt":
        end = min(_entry_end(pieces, index, note), limit)
    elif first == index and last > first + 1:
        end = min(last, limit)
    else:
        end = _undeclared_end(pieces, index, limit, note)
    if pieces[index].kind is HEADING:
        return []
    return [piece for piece in pieces[index:end] if piece.kind is not HEADING]


def _entry_end(pieces: Sequence[Piece], index: int, note: int) -> int:
    """Where a note ends that is an element of its own, or an entry of a list: before the next mark that is a term."""
    for end in range(index + 1, len(pieces)):
        piece = pieces[end]
        marks = piece.context.tag == "dt" and is_note_mark(_ANY_MARK.sub("1", piece.text))
        if piece.note != note or marks or (not note and piece.kind is not ITEM):
            return end
    return len(pieces)


def _undeclared_end(pieces: Sequence[Piece], index: int, limit: int, note: int) -> int:
    """Where a note ends that is no element of its own: before the next note, if that is near and no heading between."""
    for end in range(index + 1, min(index + _LONGEST_NOTE, len(pieces)) + 1):
        if end == limit < len(pieces):
            return end
        if end == len(pieces) or pieces[end].kind is HEADING or (note and pieces[end].note != note):
            return end if note else index + 1
    return index + 1
