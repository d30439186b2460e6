"""Elements with their attributes read: what they are, what they are called, whether they are page numbers."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from bookblend.extract.epub_style import HIDDEN, Style, inline_display
from bookblend.extract.epub_vocabulary import NOTE_MARK, PAGE_TEXT, ROLES, Facts, Role, class_facts

NO_TYPES: frozenset[str] = frozenset()
NO_FACTS = Facts()

_TYPE_KEYS = frozenset({"{http://www.idpf.org/2007/ops}type", "epub:type", "role"})
_ID_KEYS = frozenset({"id", "{http://www.w3.org/XML/1998/namespace}id"})
# A page number with its decoration ("[Pg 123]", "page xii") is not longer.
_LONGEST_PAGE_MARK = 14
_LONGEST_NOTE_MARK = 8

# Element names of all namespaces met so far; a book that makes up names must not fill the memory.
_roles: dict[Any, Role] = {}
_REMEMBERED = 10_000


class Element(NamedTuple):
    """An element with its attributes read; `display` is what its style says ("" for nothing)."""

    node: Any
    tag: str
    role: Role
    classes: str
    identity: str
    types: frozenset[str]
    facts: Facts
    display: str


def tag_of(node: Any) -> str:
    """The local name in lower case; "" for entities."""
    tag = node.tag
    return tag.rpartition("}")[2].rpartition(":")[2].lower() if isinstance(tag, str) else ""


def known_roles() -> dict[Any, Role]:
    """The roles of the names met so far, for a look-up without a call; `learn` adds to it."""
    return _roles


def learn(node: Any) -> Role:
    """The role of an element whose name is new."""
    name = tag_of(node)
    role = ROLES.get(name, Role.INLINE) if name else Role.SKIP
    if len(_roles) < _REMEMBERED:
        _roles[node.tag] = role
    return role


def read(node: Any, role: Role, items: Iterable[tuple[str, str]], style: Style) -> Element:
    """The element of a node, its attributes given as (name, value)."""
    classes = identity = inline = ""
    types, hidden = NO_TYPES, False
    for key, value in items:
        if key == "class":
            classes = value
        elif key in _ID_KEYS or (key == "name" and role is Role.LINK):
            identity = identity or value.strip()
        elif key in _TYPE_KEYS:
            types |= frozenset(word.removeprefix("doc-") for word in value.lower().split())
        elif key == "style":
            inline = value
        elif key == "hidden":
            hidden = True
    tag = tag_of(node)
    display = HIDDEN if hidden else (inline_display(inline) if inline else "")
    if not display and style:
        display = style.display(tag, classes, identity)
    return Element(node, tag, role, classes, identity, types, class_facts(classes), display)


def is_page_mark(element: Element) -> bool:
    """Whether an element marks where a printed page begins: declared so, or by class and with nothing but a number."""
    if element.role is Role.PAGE or "pagebreak" in element.types:
        return True
    if not element.facts.page:
        return False
    text = "".join(element.node.itertext()).strip()
    return len(text) <= _LONGEST_PAGE_MARK and bool(PAGE_TEXT.match(text))


def is_only_mark(node: Any) -> bool:
    """Whether an element holds no more than a note's mark ("[1]", "*")."""
    text = "".join(node.itertext()).strip()
    return len(text) <= _LONGEST_NOTE_MARK and (not text or bool(NOTE_MARK.match(text)))
