"""One document's tree into pieces, in one pass and without recursion, so that no nesting can bring it down.

Elements are sorted by what they do (`epub_vocabulary.Role`). A block closes the text before it; inline elements only
pass text on; whatever may be a note reference leaves a numbered mark that is settled when all documents are known.
"""

from collections.abc import Callable
from typing import Any

from bookblend.extract import epub_code, epub_inline, epub_tables
from bookblend.extract.epub_blocks import BREAK, LINE, Context, Document, Piece, Reference
from bookblend.extract.epub_context import Contexts
from bookblend.extract.epub_elements import (
    NO_TYPES,
    SPEAKING,
    Element,
    is_note_body,
    is_only_mark,
    is_page_mark,
    kind_of,
    read,
    tag_of,
)
from bookblend.extract.epub_marks import Marks, Resolve
from bookblend.extract.epub_style import BLOCK, HIDDEN, Style
from bookblend.extract.epub_vocabulary import (
    BOILERPLATE_ID,
    FURNITURE,
    NO_FACTS,
    NOTE_LISTS,
    Role,
)
from bookblend.extract.model import CODE, TABLE, VERSE

# From this share of link text on, a box that is called a table of contents is one.
_CONTENTS_DENSITY = 0.7
_BLOCK_ROLES = frozenset({Role.PARAGRAPH, Role.BLOCK, Role.HEADING})
# Elements that end the text before them.
_CLOSING_ROLES = _BLOCK_ROLES | {Role.TABLE, Role.PREFORMATTED, Role.RULE}
# Nested deeper than this, elements are read for their text alone: what looks at all that is below an element must not
# do so at each of two thousand levels. Real books stay under 40.
_DEEPEST = 60
# Characters of one document that are looked at to tell lists of links; the longest contents page of the set has 60,000.
_MOST_LOOKED_AT = 2_000_000
_INLINE, _BREAK = Role.INLINE, Role.BREAK
_SIMPLE = frozenset({Role.SKIP, Role.IMAGE, Role.DRAWING, Role.RULE, Role.PAGE})
_INNER_NOTES = frozenset({"aside", "note", "div"})


class Walker:
    """Walks the documents of one book.

    references  the marks that may refer to notes, all documents together
    note_lists  the numbers of notes that are collections of notes (a section of endnotes)
    """

    def __init__(self, *, keep_navigation: bool = False) -> None:
        self.references: list[Reference] = []
        self.note_lists: set[int] = set()
        self.contexts = Contexts()
        self.keep_navigation = keep_navigation

    def walk(self, root: Any, document: Document, style: Style, resolve: Resolve) -> None:
        """Fill `document` with what its tree holds."""
        Walk(self, document, style, resolve).run_document(root)


class Walk(Marks):
    """The walk through the tree of one document, or through the trees of parts of it (`epub_stream`)."""

    def __init__(self, walker: Walker, document: Document, style: Style, resolve: Resolve) -> None:
        super().__init__(document, style, resolve, walker.references)
        self.contexts = walker.contexts
        self._note_lists = walker.note_lists
        self._keep_navigation = walker.keep_navigation
        self._depth = 0
        self._unlooked = _MOST_LOOKED_AT

    def run_document(self, root: Any) -> None:
        """Walk a whole document; a page that is nothing but a drawing gives the drawing's text."""
        if tag_of(root) != "svg":
            body = next(root.iter("{*}body"), root)
            outer = self.contexts.root(self.document.types, self.style)
            context = self._open(body, body.items(), outer)
            if context is not None:
                self._run(body, context)
        if not self.pieces and not self.document.asides:
            for node in root.iter("{http://www.w3.org/2000/svg}text"):
                if text := epub_inline.text_of(node):
                    self.emit(text, Context())

    def _run(self, top: Any, context: Context, *, whole: bool = True, depth: int = 0) -> None:
        """Walk everything below `top`, whose context is `context`; a part of it goes on (not `whole`), `depth` deep.

        What an element without an id opens depends on its name and attributes and on the context alone, nearly
        always; so it is looked up in the context's shortcuts first. That carries most of every book.
        """
        # Children still to come, context around, element, what to write at its end, its first piece, note around.
        stack: list[tuple[Any, Context, Any, str, int, int]] = []
        kids, buffer, pieces = iter(top), self.buffer, self.pieces
        write, shortcuts = buffer.append, context.shortcuts
        if whole:
            write(top.text or "")
        while True:
            for node in kids:
                items = node.items()
                inner = shortcuts.get((node.tag, *items) if items else node.tag)
                note, known = self.note, inner is not None
                if inner is None:
                    self._depth = depth + len(stack)
                    inner = self._open(node, items, context)
                    if inner is None:
                        write(node.tail or "")
                        continue
                elif inner is not context and buffer:
                    self.flush(context)
                text, tail = node.text, node.tail
                if after := self.after:
                    self.after = ""
                if len(node):
                    if text and (inner is context or not text.isspace()):
                        write(text)
                    stack.append((kids, context, node, after, len(pieces), note))
                    kids, context, shortcuts = iter(node), inner, inner.shortcuts
                    break
                if inner is context:
                    write(f"{text or ''}{after}{tail or ''}")
                    continue
                self._leaf(node, text, inner, "" if known else node.get("id"))
                self.note = note
                if tail and not tail.isspace():
                    write(tail)
            else:
                if not stack:
                    if whole:
                        self.flush(context)
                    return
                inner = context
                kids, context, node, after, start, note = stack.pop()
                shortcuts = context.shortcuts
                tail = node.tail
                if inner is not context:
                    self._close(node, inner, start)
                    self.note = note
                    if tail and not tail.isspace():
                        write(tail)
                else:
                    # Blocks inside may have closed the text that the first edge was in.
                    self.marked = self.marked or after == LINE
                    write(after + (tail or ""))

    def _leaf(self, node: Any, text: str | None, inner: Context, identity: str | None) -> None:
        """A block without elements inside: most paragraphs of most books."""
        start = len(self.pieces)
        if text and (text := self.squeeze(text)):
            if inner.leaf is None or self.broken:
                self.emit(text, inner)
            else:
                self.pieces.append(Piece(text, inner.leaf, inner.level, inner, self.note))
        if identity:
            self._close(node, inner, start)

    def _close(self, node: Any, inner: Context, start: int) -> None:
        """The end of a block element."""
        if self.buffer or self.deferred or self.alts:
            self.flush(inner)
        identity = node.get("id")
        if identity and self.fixed is None:
            self.document.spans.setdefault(identity.strip(), (start, self.at()))

    def _open(self, node: Any, items: Any, context: Context) -> Context | None:
        """The context inside an element, or None where the element is dealt with."""
        if kind_of(node)[0] is _BREAK:
            self.buffer.append(BREAK)
            self.marked = True
            return None
        if (known := self._known_with_id(node, items, context)) is not None:
            return known
        return self._admit(read(node, items, self.style), context)

    def _admit(self, element: Element, context: Context) -> Context | None:
        """What `_open` does at an element that is not known yet."""
        node, role = element.node, element.role
        if role in _CLOSING_ROLES and not (context.tag == "p" and element.tag in _INNER_NOTES):
            self.flush(context)
        facts, types, identity = element.facts, element.types, element.identity
        if identity:
            self.document.anchors.setdefault(identity, self.at())
            if types:
                self.document.anchor_types.setdefault(identity, types)
        if element.plain and not identity.startswith("pg-"):
            return self._dispatch(element, context)
        is_note = is_note_body(element)
        if element.display == HIDDEN and not is_note:
            self._leave_out("hidden", element)
        elif facts.double:
            self.anchor_all(node)
        elif facts.boilerplate or (identity.startswith("pg-") and BOILERPLATE_ID.match(identity)):
            self._leave_out("gutenberg-boilerplate", element)
        elif facts.line_numbers and epub_code.is_line_numbers(node):
            self._leave_out("line-numbers", element)
        elif is_page_mark(element):
            self._page_mark(element)
        elif is_note and self._depth < _DEEPEST and any(map(str.strip, self.buffer)) and not is_only_mark(node):
            self._inner_note(element, context)
        else:
            return self._dispatch(element, context, is_note=is_note)
        return None

    def _dispatch(self, element: Element, context: Context, *, is_note: bool = False) -> Context | None:
        """What an element does by its role."""
        role = element.role
        if role in _BLOCK_ROLES:
            self.flush(context)
            if is_note:
                self._open_note(element)
            return self._block(element, context)
        if role is not _INLINE and (self._depth < _DEEPEST or role in _SIMPLE):
            return _OPENERS[role](self, element, context)
        if element.display == BLOCK:
            self.after = self.edge()
        elif not is_note:
            self._remember(context, element, context)
        return context

    def _known_with_id(self, node: Any, items: Any, context: Context) -> Context | None:
        """What an element with an id opens, if one just like it but for the id has been seen in this context."""
        identity = node.get("id")
        if not identity or self.style.by_id or identity.startswith("pg-"):
            return None
        others = [item for item in items if item[0] != "id"]
        inner = context.shortcuts.get((node.tag, *others) if others else node.tag)
        if inner is not None:
            self.admit_known(identity.strip(), inner, context)
        return inner

    def admit_known(self, identity: str, inner: Context, context: Context) -> None:
        """Begin an element of that id whose context is known."""
        if inner is not context:
            self.flush(context)
            if inner.types:
                self.document.anchor_types.setdefault(identity, inner.types)
        self.document.anchors.setdefault(identity, self.at())

    def _remember(self, context: Context, element: Element, inner: Context) -> None:
        """Let like elements be looked up; not where attributes differ each time, or the text inside decides."""
        facts = element.facts
        if facts.page or facts.line_numbers or facts.contents or (element.identity and self.style.by_id):
            return
        items = [item for item in element.node.items() if item[0] != "id"]
        if all(key in SPEAKING for key, _ in items):
            context.shortcuts[(element.node.tag, *items) if items else element.node.tag] = inner

    def _block(self, element: Element, context: Context) -> Context | None:
        navigation = element.tag == "nav"
        listed = (navigation or element.facts.contents) and element.types.isdisjoint(FURNITURE)
        if listed and not self._keep_navigation and self._is_list_of_links(element.node):
            self._leave_out("navigation" if navigation else "contents", element)
            return None
        level = 0
        if "heading" in element.types:
            given = element.node.get("aria-level") or ""
            level = int(given) if given in tuple("123456") else 2
        inner = self.contexts.derive(
            context, element.tag, element.role, element.classes, element.types, element.facts, level
        )
        # Contexts that are made once for all like elements may be looked up; the others have numbers of their own.
        if inner.shared and not navigation:
            self._remember(context, element, inner)
        return inner

    def _is_list_of_links(self, node: Any) -> bool:
        """Whether most of a box's text is links; not asked for ever where such boxes nest."""
        if self._depth >= _DEEPEST or self._unlooked <= 0:
            return False
        characters, linked = epub_inline.link_characters(node)
        self._unlooked -= characters
        return linked > 0 and linked >= _CONTENTS_DENSITY * characters

    def _leave_out(self, rule: str, element: Element) -> None:
        text = epub_inline.text_of(element.node)
        if text:
            self.document.asides.append((rule, text))
        self.anchor_all(element.node)

    def _page_mark(self, element: Element) -> None:
        self.document.pagebreaks += 1
        self.anchor_all(element.node)
        if not any(map(str.strip, self.buffer)):
            self.broken = True

    def _open_note(self, element: Element) -> None:
        self.note = self.contexts.next_number()
        if element.facts.note_list or not element.types.isdisjoint(NOTE_LISTS):
            self._note_lists.add(self.note)

    def _inner_note(self, element: Element, context: Context) -> None:
        """A note's text inside a paragraph is set behind the paragraph."""
        types = element.types | {"footnote"}
        inner = self.contexts.derive(context, element.tag, Role.BLOCK, element.classes, types, element.facts)
        identities = [e.get("id") for e in element.node.iter() if isinstance(e.tag, str) and e.get("id")]
        outer, self.note = self.note, self.contexts.next_number()
        self.defer(self._capture(element.node, inner), identities)
        self.note = outer

    def _preformatted(self, element: Element, context: Context) -> None:
        """Lines as they are: code, or verse where it is called so, and there a blank line ends a stanza."""
        inner = self.contexts.derive(context, "pre", Role.BLOCK, element.classes, element.types, element.facts)
        text, numbers = epub_code.code_of(element.node)
        if numbers:
            self.document.asides.append(("line-numbers", numbers))
        kind = VERSE if inner.verse else CODE
        for part in text.split("\n\n") if inner.verse else [text]:
            if lines := part.strip("\n"):
                self.pieces.append(Piece(lines, kind, 0, inner, self.note))
        self.anchor_all(element.node)

    def _table(self, element: Element, context: Context) -> Context | None:
        rows = epub_tables.rows_of(element.node)
        if rows is None:
            return self._block(element, context)
        inner = self.contexts.derive(context, "table", Role.BLOCK, element.classes, element.types, element.facts)
        for caption in element.node.iterchildren("{*}caption"):
            titled = self.contexts.derive(inner, "caption", Role.PARAGRAPH, "", NO_TYPES, NO_FACTS)
            self.pieces += self._capture(caption, titled)
        lines: list[str] = []
        linked, targets = 0, list[tuple[str, str]]()
        for row in rows:
            cells = []
            for cell in row:
                captured = self._capture(cell, inner)
                cells.append(" ".join(piece.text.replace("\n", " ") for piece in captured))
                linked += sum(piece.linked for piece in captured)
                targets += [target for piece in captured for target in piece.targets]
            if any(cells):
                lines.append(epub_tables.COLUMN.join(cells).rstrip())
        if lines:
            self.linked, self.targets = linked, targets
            self.emit("\n".join(lines), inner, TABLE)
            self.linked, self.targets = 0, []
        return None

    def _capture(self, node: Any, context: Context) -> list[Piece]:
        """The pieces below `node`, kept apart; ids in it stand at the piece that is being filled now."""
        kept = (self.pieces, self.buffer, self.fixed, self.marked, self.broken, self.alts)
        self.fixed = self.at()
        self.pieces, self.buffer, self.marked, self.broken, self.alts = [], [], False, False, []
        self._run(node, context)
        captured = self.pieces
        self.pieces, self.buffer, self.fixed, self.marked, self.broken, self.alts = kept
        return captured


_OPENERS: dict[Role, Callable[[Walk, Element, Context], Context | None]] = {
    Role.SKIP: Marks.skip,
    Role.IMAGE: Marks.image,
    Role.LINK: Marks.link,
    Role.RAISED: Marks.raised,
    Role.LOWERED: Marks.lowered,
    Role.MATH: Marks.math,
    Role.DRAWING: Marks.drawing,
    Role.TABLE: Walk._table,
    Role.PREFORMATTED: Walk._preformatted,
    Role.QUOTED: Marks.quoted,
    Role.CASE: Marks.case,
    Role.RULE: Marks.skip,
    Role.PAGE: Marks.skip,
}
