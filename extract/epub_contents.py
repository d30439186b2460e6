"""The declared table of contents: the navigation document of EPUB 3, the NCX of EPUB 2, and the landmarks.

The navigation document wins where it has entries; an NCX is then stale as often as not. Lists without `ol`, entries
without links, NCX points outside a `navMap` and labels that are pictures are read as far as they go.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from bookblend.extract.epub_archive import Archive
from bookblend.extract.epub_lines import squeeze
from bookblend.extract.epub_package import Package, children, descendants, local, read_xml

_TYPE = "{http://www.idpf.org/2007/ops}type"
# Entries of one book; the richest contents of the set have 1,200.
ENTRY_LIMIT = 50_000
# Entries deeper than any real contents; deeper ones are counted as this deep.
_DEEPEST = 12


@dataclass(slots=True)
class Entry:
    """One entry of the contents: its label, the member and fragment it points at ("" for none), and its children."""

    label: str
    name: str
    fragment: str
    types: frozenset[str] = frozenset()
    children: list["Entry"] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Contents:
    """The declared contents. `source` is "nav", "ncx" or "" where there are none.

    landmarks  (types, member, fragment): what places the book declares ("bodymatter", "toc", …), guide included
    missing    entries that point at no document of the archive
    """

    source: str
    entries: tuple[Entry, ...]
    landmarks: tuple[tuple[frozenset[str], str, str], ...]
    missing: int


def read_contents(archive: Archive, package: Package) -> Contents:
    """The contents of a book, as far as it declares any; a warning where entries point at nothing."""
    entries: list[Entry] = []
    landmarks = [(frozenset((ref.type,)), ref.name, ref.fragment) for ref in package.guide]
    source = ""
    for kind, member, read in (("nav", package.nav, _read_nav), ("ncx", package.ncx, _read_ncx)):
        if not member or entries:
            continue
        root = read_xml(archive, member)
        if root is not None:
            entries = _within_limit(archive, member, read(archive, root, member))
            source = kind if entries else ""
            if kind == "nav":
                landmarks += _landmarks(archive, root, member)
    missing = [entry for entry in walk(entries) if not entry.name and entry.fragment != _NO_LINK]
    if missing:
        archive.warn(
            f"{package.nav if source == 'nav' else package.ncx}: {len(missing)} contents entries point at no document "
            f"in the archive (the first is '{missing[0].label}')"
        )
    for entry in walk(entries):
        entry.fragment = "" if entry.fragment == _NO_LINK else entry.fragment
    return Contents(source, tuple(entries), tuple(landmarks), len(missing))


def _within_limit(archive: Archive, member: str, entries: list[Entry]) -> list[Entry]:
    """The entries, or none where they are more than any book has."""
    if sum(1 for _ in walk(entries)) <= ENTRY_LIMIT:
        return entries
    archive.warn(f"{member}: over {ENTRY_LIMIT:,} contents entries, the limit of one book; not used")
    return []


def walk(entries: list[Entry] | tuple[Entry, ...]) -> Iterator[Entry]:
    """All entries, parents before their children."""
    for entry in entries:
        yield entry
        yield from walk(entry.children)


# The fragment of an entry that is a label without a link.
_NO_LINK = "\0"


def types_of(element: Any) -> frozenset[str]:
    """What an element declares to be: `epub:type` and `role`, in lower case, without the prefix `doc-`."""
    words = f"{element.get(_TYPE) or element.get('epub:type') or ''} {element.get('role') or ''}".lower().split()
    return frozenset(word.removeprefix("doc-") for word in words)


def label_of(element: Any) -> str:
    """The words of a label; where it is a picture, its alternative text or title."""
    text = squeeze("".join(_text_of(element)))
    if text:
        return text
    for image in descendants(element, "img"):
        text = squeeze(image.get("alt") or image.get("title") or "")
        if text:
            return text
    return squeeze(element.get("title") or "")


def _text_of(element: Any) -> Iterator[str]:
    """The text below, ruby readings left out, a blank for a line break."""
    yield element.text or ""
    for child in element:
        name = local(child)
        if name == "br":
            yield " "
        elif name not in ("rt", "rp", "script", "style", ""):
            yield from _text_of(child)
        yield child.tail or ""


def _target(archive: Archive, base: str, href: str | None) -> tuple[str, str]:
    """The member and fragment of a link; (\"\", _NO_LINK) for no link at all."""
    if href is None or not href.strip():
        return "", _NO_LINK
    path, _, fragment = href.strip().partition("#")
    name = base if not path and fragment else archive.find(base, path)
    return name or "", unquote(fragment)


def _read_nav(archive: Archive, root: Any, member: str) -> list[Entry]:
    navs = list(descendants(root, "nav"))
    typed = [nav for nav in navs if "toc" in types_of(nav)]
    others = [nav for nav in navs if not types_of(nav) & {"landmarks", "page-list", "pagelist", "loi", "lot"}]
    for nav in typed or others or [root]:
        lists = [e for e in nav.iter() if local(e) in ("ol", "ul")]
        entries = _list_entries(archive, lists[0], member, 0) if lists else _flat_links(archive, nav, member)
        if entries:
            return entries
    return []


def _list_entries(archive: Archive, element: Any, member: str, depth: int) -> list[Entry]:
    entries: list[Entry] = []
    for item in element:
        if local(item) in ("ol", "ul") and depth < _DEEPEST:
            # A list straight inside a list belongs to the entry before it.
            below = _list_entries(archive, item, member, depth + 1)
            (entries[-1].children if entries else entries).extend(below)
        elif local(item) == "li":
            entries += _item_entries(archive, item, member, depth)
    return entries


def _item_entries(archive: Archive, item: Any, member: str, depth: int) -> list[Entry]:
    link = next((e for e in _above_lists(item) if local(e) == "a"), None)
    label = (
        link if link is not None else next((e for e in _above_lists(item) if local(e) in ("span", "p", "div")), None)
    )
    below = [
        entry
        for inner in item.iter()
        if local(inner) in ("ol", "ul") and _list_parent(inner) is item and depth < _DEEPEST
        for entry in _list_entries(archive, inner, member, depth + 1)
    ]
    text = label_of(label) if label is not None else " ".join((item.text or "").split())
    name, fragment = _target(archive, member, link.get("href") if link is not None else None)
    if not text and not name:
        return below
    return [Entry(text, name, fragment, types_of(link) if link is not None else frozenset(), below)]


def _above_lists(item: Any) -> Iterator[Any]:
    """The elements of a list item that stand before its inner lists, in document order."""
    for child in item:
        if local(child) in ("ol", "ul"):
            return
        yield child
        yield from _above_lists(child)


def _list_parent(element: Any) -> Any:
    parent = element.getparent()
    while parent is not None and local(parent) != "li":
        if local(parent) in ("ol", "ul"):
            return None
        parent = parent.getparent()
    return parent


def _flat_links(archive: Archive, element: Any, member: str) -> list[Entry]:
    entries = []
    for link in descendants(element, "a"):
        name, fragment = _target(archive, member, link.get("href"))
        text = label_of(link)
        if text and fragment != _NO_LINK:
            entries.append(Entry(text, name, fragment))
    return entries


def _landmarks(archive: Archive, root: Any, member: str) -> list[tuple[frozenset[str], str, str]]:
    found = []
    for nav in descendants(root, "nav"):
        if "landmarks" in types_of(nav):
            for link in descendants(nav, "a"):
                name, fragment = _target(archive, member, link.get("href"))
                if name:
                    found.append((types_of(link), name, fragment))
    return found


def _read_ncx(archive: Archive, root: Any, member: str) -> list[Entry]:
    top = next(descendants(root, "navMap"), None)
    if top is None:
        points = list(descendants(root, "navPoint"))
        return [entry for point in points for entry in _point(archive, point, member, _DEEPEST)]
    return [entry for point in children(top, "navPoint") for entry in _point(archive, point, member, 0)]


def _point(archive: Archive, point: Any, member: str, depth: int) -> list[Entry]:
    label = next(children(point, "navLabel"), None)
    content = next(children(point, "content"), None)
    text = squeeze("".join(label.itertext())) if label is not None else ""
    name, fragment = _target(archive, member, content.get("src") if content is not None else None)
    below = [
        entry
        for inner in (children(point, "navPoint") if depth < _DEEPEST else ())
        for entry in _point(archive, inner, member, depth + 1)
    ]
    return [Entry(text, name, fragment, frozenset(), below)] if text or name else below
