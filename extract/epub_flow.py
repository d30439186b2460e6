"""The writing side of the walk: text gathers in a buffer, and the end of a block makes pieces of it."""

from collections.abc import Callable

from bookblend.extract import epub_lines
from bookblend.extract.epub_blocks import LINE, Context, Document, Piece
from bookblend.extract.model import HEADING, PARAGRAPH, QUOTE, VERSE, Kind

# Characters. Longer than any stanza: what is called one and goes on must not be copied line by line for ever.
_LONGEST_STANZA = 20_000
_CELLS = frozenset({"table", "td", "th"})


class Flow:
    """What has been written of one document, and what is being written."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.pieces = document.pieces
        self.buffer: list[str] = []
        # Text of links in the block being filled, and where they point.
        self.linked = 0
        self.targets: list[tuple[str, str]] = []
        self.back = False
        # Alternative texts of pictures in a heading; whether breaks or edges are in the buffer; whether a page-break
        # marker stood before the block.
        self.alts: list[str] = []
        self.marked = False
        self.broken = False
        # While pieces are captured for a table or note, the piece number of the place they will stand at.
        self.fixed: int | None = None
        # The number of the note that is being read, 0 outside of notes.
        self.note = 0
        self.deferred: list[tuple[list[Piece], list[str]]] = []
        # A text on one line.
        self.squeeze: Callable[[str], str] = epub_lines.squeeze

    def at(self) -> int:
        """The number of the piece that is being filled."""
        return len(self.pieces) if self.fixed is None else self.fixed

    def edge(self) -> str:
        """Begin a span that is shown as a block; returns what to write at its end."""
        self.buffer.append(LINE)
        self.marked = True
        return LINE

    def flush(self, context: Context) -> None:
        """The end of a block, or a block inside it: what was gathered becomes pieces of `context`."""
        buffer = self.buffer
        if buffer:
            text = buffer[0] if len(buffer) == 1 else "".join(buffer)
            buffer.clear()
            if self.marked:
                self.marked = False
                self._emit_lines(text, context)
            elif not text.isspace() and (text := self.squeeze(text)):
                if context.leaf is None or self.broken or self.targets:
                    self.emit(text, context)
                else:
                    self.pieces.append(Piece(text, context.leaf, context.level, context, self.note))
            elif self.alts:
                self._emit_pictured(context)
            if self.targets:
                self.linked, self.targets, self.back = 0, [], False
            if self.alts:
                self.alts.clear()
        if self.deferred and self.fixed is None:
            self._append_deferred()

    def emit(self, text: str, context: Context, kind: Kind | None = None) -> None:
        """Write one piece; lines of one stanza, and lines of verse that are blocks of their own, become one piece."""
        kind = kind or context.kind
        if context.stanza and kind is PARAGRAPH and self._continue_stanza(text, context):
            return
        if kind is PARAGRAPH and context.quote:
            kind = QUOTE
        piece = Piece(text, kind, context.level, context, self.note)
        if self.targets:
            piece.linked, piece.targets, piece.back = self.linked, tuple(self.targets), self.back
        if self.broken:
            piece.broken, self.broken = True, False
        self.pieces.append(piece)

    def _continue_stanza(self, text: str, context: Context) -> bool:
        before = self.pieces[-1] if self.pieces else None
        if before is None or before.context.stanza != context.stanza or len(before.text) > _LONGEST_STANZA:
            return False
        before.text += "\n" + text
        before.kind = VERSE
        return True

    def defer(self, pieces: list[Piece], identities: list[str]) -> None:
        """Pieces that stand behind the paragraph being filled, and the ids inside them."""
        self.deferred.append((pieces, identities))

    def _emit_lines(self, text: str, context: Context) -> None:
        if context.kind is HEADING or context.tag in _CELLS:
            if line := epub_lines.one_line(text):
                self.emit(line, context)
            elif self.alts:
                self._emit_pictured(context)
            return
        verse = context.verse or context.stanza > 0
        for lines in epub_lines.split_paragraphs(text, self.squeeze):
            for part in epub_lines.arrange(lines, verse=verse, quote=context.quote):
                self.emit(part, context, VERSE if "\n" in part else None)

    def _emit_pictured(self, context: Context) -> None:
        """A heading that is pictures only, by their alternative texts."""
        if text := " ".join(alt for alt in self.alts if alt):
            self.emit(text, context)
            self.pieces[-1].pictured = True

    def _append_deferred(self) -> None:
        deferred, self.deferred = self.deferred, []
        for pieces, identities in deferred:
            first = self.at()
            self.pieces += pieces
            for identity in identities:
                self.document.anchors[identity] = first
                self.document.spans[identity] = (first, self.at())
