"""Elements with their attributes read: what they are, what they are called, whether they are page numbers."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from bookblend.extract.epub_style import HIDDEN, Style, inline_display
from bookblend.extract.epub_vocabulary import (
    NO_FACTS,
    NOTE_TYPES,
    PAGE_TEXT,
    ROLES,
    Facts,
    Role,
    class_facts,
    is_note_mark,
)

NO_TYPES: frozenset[str] = frozenset()

# Converters lose the prefix of `epub:type`; what HTML's own `type` says is none of the words looked for.
_TYPE_KEYS = frozenset({"{http://www.idpf.org/2007/ops}type", "epub:type", "type", "role"})
_XML_ID = "{http://www.w3.org/XML/1998/namespace}id"
# The attributes with few different values that decide what an element is, or say nothing.
SPEAKING = _TYPE_KEYS | {
    *("class", "style", "hidden", "lang", "dir", "xml:lang"),
    "{http://www.w3.org/XML/1998/namespace}lang",
}
# A page number with its decoration ("[Pg 123]", "page xii") is not longer.
_LONGEST_PAGE_MARK = 14
_LONGEST_NOTE_MARK = 8
_NO_PLAIN_TYPES = NOTE_TYPES | {"pagebreak"}

_LINK, _PAGE = Role.LINK, Role.PAGE
# Element names of all namespaces met so far; a book that makes them up must not fill the memory.
_kinds: dict[Any, tuple[Role, str]] = {}
_REMEMBERED = 10_000


# Role, name, classes, types, facts, display, plain: an element but for what is its own.
Known = tuple[Role, str, str, frozenset[str], Facts, str, bool]


class Element(NamedTuple):
    """An element with its attributes read.

    display  what its style says ("" for nothing)
    plain    neither its class nor its style says anything, and what it declares to be is no note and no page number
    """

    node: Any
    tag: str
    role: Role
    classes: str
    identity: str
    types: frozenset[str]
    facts: Facts
    display: str
    plain: bool


def tag_of(node: Any) -> str:
    """The local name in lower case; "" for entities."""
    return kind_of(node)[1]


def kind_of(node: Any) -> tuple[Role, str]:
    """The role and local name (in lower case) of an element, by its name; remembered."""
    kind = _kinds.get(node.tag)
    if kind is None:
        tag = node.tag
        name = tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""
        kind = (ROLES.get(name, Role.INLINE) if name else Role.SKIP), name
        if len(_kinds) < _REMEMBERED:
            _kinds[tag] = kind
    return kind


def read(node: Any, items: Iterable[tuple[str, str]], style: Style) -> Element:
    """The element of a node, its attributes given as (name, value)."""
    speaking = [item for item in items if item[0] in SPEAKING]
    key = (node.tag, *speaking)
    known = style.elements.get(key)
    if known is None:
        known = _read(node, speaking, style)
        if len(style.elements) < _REMEMBERED:
            style.elements[key] = known
    role, tag, classes, types, facts, display, plain = known
    identity = (
        node.get("id") or node.get(_XML_ID) or node.get("xml:id") or (node.get("name") if role is _LINK else None)
    )
    identity = identity.strip() if identity else ""
    if identity and style.by_id and not display:
        display = style.display(tag, classes, identity)
        plain = plain and not display
    return Element(node, tag, role, classes, identity, types, facts, display, plain)


def _read(node: Any, speaking: Iterable[tuple[str, str]], style: Style) -> Known:
    """What an element's name and speaking attributes say."""
    role, tag = kind_of(node)
    classes = inline = ""
    types, hidden = NO_TYPES, False
    for key, value in speaking:
        if key == "class":
            classes = value
        elif key in _TYPE_KEYS:
            types |= frozenset(word.removeprefix("doc-") for word in value.lower().split())
        elif key == "style":
            inline = value
        elif key == "hidden":
            hidden = True
    display = HIDDEN if hidden else (inline_display(inline) if inline else "")
    if not display and style:
        display = style.display(tag, classes, "")
    facts = class_facts(classes)
    plain = facts is NO_FACTS and not display and role is not _PAGE and types.isdisjoint(_NO_PLAIN_TYPES)
    return role, tag, classes, types, facts, display, plain


def is_note_body(element: Element) -> bool:
    """Whether an element is called a note or a collection of notes."""
    return element.facts.note or (bool(element.types) and not element.types.isdisjoint(NOTE_TYPES))


def is_page_mark(element: Element) -> bool:
    """Whether an element marks where a printed page begins: declared so, or by class and with nothing but a number."""
    if not element.facts.page:
        return element.role is _PAGE or "pagebreak" in element.types
    text = "".join(element.node.itertext()).strip()
    return len(text) <= _LONGEST_PAGE_MARK and bool(PAGE_TEXT.match(text))


def is_only_mark(node: Any) -> bool:
    """Whether an element holds no more than a note's mark ("[1]", "*")."""
    text = "".join(node.itertext()).strip()
    return len(text) <= _LONGEST_NOTE_MARK and (not text or is_note_mark(text))
