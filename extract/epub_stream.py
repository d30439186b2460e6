"""One document's markup into pieces while it is parsed: no tree is built but of the few elements that need one.

A tree costs more than all that is read off it: lxml makes an object of every element that is looked at. So expat reads
the markup and calls back at each tag. Most elements are settled there by name and attributes (`Walk` remembers how);
the few that are told by what they hold, such as links, notes or tables, are read to their end first, and if there are
elements inside, the part of the markup they span is parsed by lxml and walked as a tree.
Leaves to the tree whatever is out of the common: `read` raises `NeedsTreeError`, and nothing is lost but a little time.
"""

import re
from collections.abc import Callable
from typing import Any
from xml.parsers import expat

from lxml import etree

from bookblend.extract import epub_inline, epub_lines
from bookblend.extract.epub_blocks import BREAK, LINE, Context, Document
from bookblend.extract.epub_elements import Element, is_note_body, kind_of, read
from bookblend.extract.epub_head import Head, is_sheet
from bookblend.extract.epub_marks import Resolve
from bookblend.extract.epub_markup import parse_part
from bookblend.extract.epub_style import HIDDEN, Style
from bookblend.extract.epub_tag import Tag
from bookblend.extract.epub_vocabulary import Role
from bookblend.extract.epub_walk import Walk, Walker

_OPS = "http://www.idpf.org/2007/ops"
_XML = "http://www.w3.org/XML/1998/namespace"
# Elements that are what their name and attributes say; all others are told by what they hold.
_PLAIN_ROLES = frozenset({Role.INLINE, Role.PARAGRAPH, Role.BLOCK, Role.HEADING})
# Of those others, the ones that a `Tag` is enough for where no element is inside.
_LEAF_ROLES = _PLAIN_ROLES | {Role.LINK, Role.RAISED, Role.LOWERED, Role.IMAGE, Role.RULE, Role.PAGE, Role.SKIP}
_IMAGE = Role.IMAGE
_TREE_NAMES = frozenset({"nav", "switch"})
_BUFFER = 1 << 16


class NeedsTreeError(ValueError):
    """The markup is not well-formed, or something in it can only be told from the whole tree."""


def read_document(
    markup: bytes, walker: Walker, document: Document, style: Callable[[Head], Style], resolve: Resolve
) -> None:
    """Fill `document` with what its markup (UTF-8, without DOCTYPE and declaration) holds.

    Raises `NeedsTreeError`; what `document` and `walker.references` then hold is half a document.
    """
    stream = _Stream(walker, document, style, resolve, markup)
    try:
        stream.parser.Parse(markup, True)
    except expat.ExpatError as error:
        raise NeedsTreeError(str(error)) from error
    finally:
        stream.release()
    if not stream.found_body or (not document.pieces and not document.asides and b"svg" in markup):
        raise NeedsTreeError("no body, or nothing in it but a drawing")


class _Stream(Walk):
    """The walk through one document, as its markup is read."""

    def __init__(
        self, walker: Walker, document: Document, style: Callable[[Head], Style], resolve: Resolve, markup: bytes
    ) -> None:
        super().__init__(walker, document, Style(()), resolve)
        self.parser = expat.ParserCreate("utf-8")
        self.parser.buffer_text = True
        self.parser.buffer_size = _BUFFER
        self.parser.StartElementHandler = self._head_start
        self.parser.EndElementHandler = self._head_end
        self.found_body = False
        self.squeeze = epub_lines.squeezer(markup)
        self._markup = markup
        self._style_of = style
        self._path: list[str] = []
        self._titles: list[str] = []
        self._sheets: list[str] = []
        self._styles: list[str] = []
        # Namespaces by prefix; whether elements of a name with attributes of certain names declare some themselves.
        self._prefixes = {"xml": _XML, "xmlns": ""}
        self._roles: dict[str, Role] = {}
        self._shapes: dict[tuple[str, ...], bool] = {}
        # The element that is read to its end: with the context and depth, where it begins, how deep in it we are.
        self._held: tuple[str, dict[str, str], Context, int] = ("", {}, Context(), 0)
        self._held_at = 0
        self._held_text: list[str] = []
        self._inside = 0
        self._has_inner = False
        self._handlers: tuple[Any, Any] = (None, None)

    def release(self) -> None:
        """Let go of the parser, which else would live on in a circle with this."""
        self.parser.StartElementHandler = self.parser.EndElementHandler = self.parser.CharacterDataHandler = None
        self._handlers = (None, None)

    # The head.

    def _head_start(self, name: str, attributes: dict[str, str]) -> None:
        path = self._path
        path.append(name.rpartition(":")[2].lower())
        depth = len(path)
        if depth == 1:
            self._read_root(path[0], attributes)
        self._check_prefixes(name, attributes)
        if depth == 2 and name == "body":
            self._start_body(name, attributes)
        elif depth == 3 and path[1] == "head":
            if name == "title" or path[2] == "style":
                self._held_text = []
                self.parser.CharacterDataHandler = self._held_text.append
            elif path[2] == "link" and is_sheet(attributes):
                self._sheets.append(attributes.get("href", ""))

    def _head_end(self, _name: str) -> None:
        if len(self._path) == 3 and self._path[1] == "head" and self._path[2] in ("title", "style"):
            self.parser.CharacterDataHandler = None
            found = self._titles if self._path[2] == "title" else self._styles
            found.append("".join(self._held_text))
        self._path.pop()

    def _read_root(self, tag: str, attributes: dict[str, str]) -> None:
        if tag != "html":
            raise NeedsTreeError(f"<{tag}> is its root")
        for key, value in attributes.items():
            if key.startswith("xmlns:"):
                self._prefixes[key.removeprefix("xmlns:")] = value
        if any((value == _OPS) != (prefix == "epub") for prefix, value in self._prefixes.items()):
            raise NeedsTreeError("an unusual prefix for types")

    def _start_body(self, name: str, attributes: dict[str, str]) -> None:
        self.found_body = True
        title = epub_lines.squeeze(self._titles[0]) if self._titles else ""
        self.document.title = title
        self.style = self._style_of(Head(title, tuple(self._sheets), tuple(self._styles)))
        outer = self.contexts.root(self.document.types, self.style)
        element = self._read(name, attributes)
        context = None if self._looks_inside(element) else self._admit(element, outer)
        if context is None:
            raise NeedsTreeError("its body may be no text")
        self._handlers = self._body_handlers(context)
        self.parser.StartElementHandler, self.parser.EndElementHandler = self._handlers
        self.parser.CharacterDataHandler = self.buffer.append

    # The body.

    def _body_handlers(self, body: Context) -> tuple[Any, Any]:
        """What is called at each start and each end of an element inside the body.

        Every element of the book comes through here, so all that is needed stands in local names.
        """
        # Context around, first piece, note around, id, what to write at the end; None where nothing happens there.
        stack: list[tuple[Context, int, int, str, str] | None] = [(Context(), 0, 0, "", "")]
        push, pop, buffer, pieces, flush = stack.append, stack.pop, self.buffer, self.pieces, self.flush
        spans = self.document.spans
        context, known = body, body.shortcuts.get

        def start(name: str, attributes: dict[str, str]) -> None:
            nonlocal context, known
            inner = known((name, *attributes.items()) if attributes else name)
            if inner is context:
                push(None)
                return
            note = self.note
            if inner is not None:
                if buffer:
                    flush(context)
                push((context, len(pieces), note, "", ""))
            elif name == "br":
                buffer.append(BREAK)
                self.marked = True
                push(None)
                return
            else:
                inner = self._enter(name, attributes, context, len(stack) - 1)
                if inner is None:
                    return
                push((context, len(pieces), note, attributes.get("id", ""), self.after))
                self.after = ""
            context, known = inner, inner.shortcuts.get

        def end(_name: str) -> None:
            nonlocal context, known
            frame = pop()
            if frame is None:
                return
            outer, first, note, identity, after = frame
            if outer is context:
                if after:
                    buffer.append(after)
                    # Blocks inside may have closed the text that the first edge was in.
                    self.marked = self.marked or after == LINE
                return
            if buffer or self.deferred or self.alts:
                flush(context)
            if identity:
                spans.setdefault(identity.strip(), (first, len(pieces)))
            self.note = note
            context, known = outer, outer.shortcuts.get
            if not stack:
                self.release()

        return start, end

    def _enter(self, name: str, attributes: dict[str, str], context: Context, depth: int) -> Context | None:
        """The context inside an element that is not known yet, or None where it must be read to its end first."""
        role = self._roles.get(name)
        if role is None:
            role = self._roles[name] = kind_of(Tag(name, attributes))[0]
        if role not in _PLAIN_ROLES:
            self._hold(name, attributes, context, depth)
            return None
        if "id" in attributes and (inner := self._known_but_id(name, attributes, context)) is not None:
            return inner
        element = self._read(name, attributes)
        if self._looks_inside(element):
            self._hold(name, attributes, context, depth)
            return None
        self._depth = depth
        inner = self._admit(element, context)
        if inner is None:
            raise NeedsTreeError(f"<{name}> holds what it should not")
        return inner

    def _known_but_id(self, name: str, attributes: dict[str, str], context: Context) -> Context | None:
        """`Walk._known_with_id`, for the attributes at hand."""
        identity = attributes["id"]
        if not identity or self.style.by_id or identity.startswith("pg-"):
            return None
        if len(attributes) == 1:
            inner = context.shortcuts.get(name)
        else:
            inner = context.shortcuts.get((name, *[item for item in attributes.items() if item[0] != "id"]))
        if inner is not None:
            self.admit_known(identity.strip(), inner, context)
        return inner

    def _read(self, name: str, attributes: dict[str, str]) -> Element:
        """An element with its attributes, those aside that declare namespaces.

        Raises `NeedsTreeError` where it has a prefix that the root does not declare, or gives one another meaning.
        """
        shape = (name, *attributes)
        namespaces = self._shapes.get(shape)
        if namespaces is None:
            namespaces = self._shapes[shape] = self._check_prefixes(name, attributes)
        if namespaces:
            for key, value in attributes.items():
                if key.startswith("xmlns:") and self._prefixes.get(key.removeprefix("xmlns:"), value) != value:
                    raise NeedsTreeError(f"{key} has another meaning inside")
            attributes = {key: value for key, value in attributes.items() if not key.startswith("xmlns")}
        node = Tag(name, attributes)
        return read(node, attributes.items(), self.style)

    def _check_prefixes(self, name: str, attributes: dict[str, str]) -> bool:
        """Whether an element declares namespaces itself.

        Raises `NeedsTreeError` where it has a prefix that the root does not declare.
        """
        for word in (name, *attributes):
            prefix, colon, _ = word.partition(":")
            if colon and prefix not in self._prefixes:
                raise NeedsTreeError(f"{word} has a prefix of its own")
        return any(key.startswith("xmlns") for key in attributes)

    def _looks_inside(self, element: Element) -> bool:
        """Whether what an element is depends on what it holds, or it is left out with all of that."""
        facts = element.facts
        if element.role not in _PLAIN_ROLES or element.display == HIDDEN or element.tag in _TREE_NAMES:
            return True
        if facts.double or facts.boilerplate or facts.line_numbers or facts.page or facts.contents:
            return True
        if "pagebreak" in element.types or element.identity.startswith("pg-"):
            return True
        return is_note_body(element) and any(map(str.strip, self.buffer))

    # Elements that are read to their end.

    def _hold(self, name: str, attributes: dict[str, str], context: Context, depth: int) -> None:
        parser = self.parser
        self._held, self._held_at = (name, attributes, context, depth), parser.CurrentByteIndex
        self._has_inner = False
        self._held_text = []
        parser.StartElementHandler, parser.EndElementHandler = self._held_start, self._held_end
        parser.CharacterDataHandler = self._held_text.append

    def _held_start(self, _name: str, _attributes: dict[str, str]) -> None:
        self._inside += 1
        self._has_inner = True

    def _held_end(self, name: str) -> None:
        if self._inside:
            self._inside -= 1
            return
        parser = self.parser
        parser.StartElementHandler, parser.EndElementHandler = self._handlers
        parser.CharacterDataHandler = self.buffer.append
        _, attributes, context, depth = self._held
        if self._has_inner or self._roles[name] not in _LEAF_ROLES:
            self._run(self._part(name), context, whole=False, depth=depth)
        else:
            self._depth = depth
            self._leave_held(self._read(name, attributes), context)

    def _leave_held(self, element: Element, context: Context) -> None:
        """The end of a held element that has nothing but text inside."""
        note, node = self.note, element.node
        node.text = text = "".join(self._held_text)
        if element.role is _IMAGE and epub_inline.may_be_initial(node):
            raise NeedsTreeError("a picture may be an initial")
        inner = self._admit(element, context)
        if inner is None:
            self.buffer.append("")
            return
        after, self.after = self.after, ""
        if inner is context:
            self.buffer.append(text + after)
        else:
            self._leaf(node, text, inner, node.get("id"))
            self.note = note

    def _part(self, name: str) -> Any:
        """An element around the part of the markup that the held element spans, parsed."""
        part = self._markup[self._held_at : self.parser.CurrentByteIndex]
        close = b"" if part.endswith(b"/>") and not self._has_inner else f"</{name}>".encode()
        names = "".join(f' xmlns:{prefix}="{_escaped(value)}"' for prefix, value in self._prefixes.items() if value)
        try:
            return parse_part(b"".join((f"<part{names}>".encode(), part, close, b"</part>")))
        except (etree.XMLSyntaxError, ValueError) as error:
            raise NeedsTreeError(str(error)) from error


def _escaped(value: str) -> str:
    return re.sub('["&<]', lambda found: f"&#{ord(found[0])};", value)
