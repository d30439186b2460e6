"""From settled pieces to the `Book`: blocks in order, sentences that a file boundary cut joined, notes put in place."""

import re
from collections.abc import Iterator, Mapping, Sequence

from bookblend.extract.epub_blocks import Document, Piece
from bookblend.extract.model import CODE, HEADING, NOTE, PARAGRAPH, Block, Dropped, Place

_SENTENCE_END = re.compile(r"[.!?…:;。！？][\"'”’»›)\]]*$")
_MARK = r"(?:\d{1,4}|[*†‡§¶‖]{1,4}|[a-z])"
_OWN_MARK = re.compile(rf"^(?:[\[(]{_MARK}[\])][.:]?\s*|[\[(]?{_MARK}[\])]?[.:]?\s+)")


def blocks(documents: Sequence[Document], notes_after: Mapping[Piece, Sequence[Piece]]) -> Iterator[Block]:
    """The blocks of a book. `notes_after` gives the notes that each piece refers to, to be set at its chapter's end."""
    pending: dict[Piece, str] = {}
    held: Block | None = None
    was_heading = True
    for document in documents:
        first, place = True, Place(item=document.name)
        for piece in document.pieces:
            if piece.rule or not piece.text:
                continue
            if pending and piece.tier == 1 and not was_heading:
                yield from [held] if held else []
                yield from _notes(pending)
                held, pending = None, {}
            block = _block(piece, place)
            if held is not None:
                joined = _join(held, block) if first or piece.broken else None
                if joined is None:
                    yield held
                held = joined or block
            else:
                held = block
            if notes_after:
                pending.update((note, document.name) for note in notes_after.get(piece, ()))
            was_heading = piece.tier == 1
            first = False
    if held is not None:
        yield held
    yield from _notes(pending)


def dropped(documents: Sequence[Document]) -> Iterator[Dropped]:
    """The ledger: what was left out, by which rule, in which document."""
    for document in documents:
        for rule, text in document.asides:
            yield Dropped(rule, document.name, text)
        for piece in document.pieces:
            if piece.rule and piece.rule not in ("moved", "joined") and piece.text:
                yield Dropped(piece.rule, document.name, piece.text)


def without_mark(text: str) -> str:
    """A note's text without the mark it opens with."""
    return _OWN_MARK.sub("", text, count=1)


def _block(piece: Piece, place: Place) -> Block:
    kind = piece.kind
    if kind is HEADING:
        return Block(kind, piece.text, place, piece.tier or 2, piece.evidence, piece.matter)
    if piece.context.note and kind is not CODE:
        kind = NOTE
    return Block(kind, piece.text, place, 0, "", piece.matter)


def _notes(pending: Mapping[Piece, str]) -> Iterator[Block]:
    for piece, name in pending.items():
        yield Block(CODE if piece.kind is CODE else NOTE, piece.text, Place(item=name))


def _join(before: Block, block: Block) -> Block | None:
    """One block of two that a file boundary or page break parted in mid-sentence; None where they are two."""
    if before.kind is not PARAGRAPH or block.kind is not PARAGRAPH or before.matter != block.matter:
        return None
    if _SENTENCE_END.search(before.text) or not block.text[0].islower():
        return None
    blank = "" if before.text.endswith("-") else " "
    return Block(PARAGRAPH, before.text + blank + block.text, before.place, matter=before.matter)
