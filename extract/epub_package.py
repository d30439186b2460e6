"""The package document: metadata, manifest, reading order, guide. As lenient as an e-reader, and it says so.

No container: any `.opf`. No package: every page of the archive. No spine: the manifest's order. Elements are matched
by local name, so a package without namespaces is read as well. Leaves out collections, bindings, media overlays.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from bookblend.errors import InputError
from bookblend.extract import epub_markup
from bookblend.extract.epub_archive import Archive, DamagedMemberError, one_line
from bookblend.extract.epub_lines import squeeze

_CONTAINER = "META-INF/container.xml"
_ENCRYPTION = "META-INF/encryption.xml"
# The two ways to scramble a font so that it is of no use outside its book: no lock on the text.
_FONT_SCRAMBLING = ("http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC")
_PAGES = ("html", "xhtml", "htm", "xht", "xml", "svg", "dtbook")
_NO_PAGES = ("image/", "text/css", "font/", "audio/", "video/", "application/font", "application/vnd.ms-opentype")
_NOT_READ = ("json", "pdf", "javascript", "dtbncx", "smil")


@dataclass(frozen=True, slots=True)
class Page:
    """One document of the reading order. `name` is its member; `linear` is False for what stands beside the text."""

    name: str
    linear: bool = True


@dataclass(frozen=True, slots=True)
class GuideReference:
    """What the guide (EPUB 2) says a place is: its type in lower case, the member, the fragment or ""."""

    type: str
    name: str
    fragment: str


@dataclass(frozen=True, slots=True)
class Package:
    """A book as its package document declares it. `nav` and `ncx` are members, "" where there is none."""

    name: str
    title: str
    author: str
    language: str
    pages: tuple[Page, ...]
    nav: str
    ncx: str
    guide: tuple[GuideReference, ...]


@dataclass(frozen=True, slots=True)
class _Item:
    name: str
    href: str
    media: str
    properties: frozenset[str]
    fallback: str


def read_package(archive: Archive) -> Package:
    """The package of the book. Raises `InputError` where the archive holds no page at all, or a locked one."""
    root, name = _find_package(archive)
    if root is None:
        return _without_package(archive, "no package document (.opf) that can be used")
    items = _manifest(archive, root, name)
    pages = tuple(_spine(archive, root, items))
    if not pages:
        pages = tuple(
            Page(item.name) for item in items.values() if item.name and _is_page(item) and "nav" not in item.properties
        )
        if pages:
            archive.warn(f"{name}: no reading order (spine) that can be used; read in the manifest's order")
    if not pages:
        return _without_package(archive, f"{name} lists no document that is in the archive")
    _refuse_locked(archive, {page.name for page in pages})
    return Package(
        name=name,
        title=_title(root),
        author=", ".join(dict.fromkeys(_metadata(root, "creator"))),
        language=next(iter(_metadata(root, "language")), ""),
        pages=pages,
        nav=next((item.name for item in items.values() if "nav" in item.properties), ""),
        ncx=_ncx(root, items),
        guide=tuple(_guide(archive, root, name)),
    )


def local(element: Any) -> str:
    """An element's name without its namespace, in lower case; "" for comments and entities."""
    tag = element.tag
    return tag.rpartition("}")[2].lower() if isinstance(tag, str) else ""


def children(element: Any, name: str) -> Iterator[Any]:
    """The children of that local name, whatever its case."""
    return (child for child in element if local(child) == name.lower())


def descendants(element: Any, name: str) -> Iterator[Any]:
    """All elements of that local name, itself included, in document order; in any case where none is written so."""
    found = list(element.iter(f"{{*}}{name}"))
    return iter(found or [child for child in element.iter() if local(child) == name.lower()])


def read_xml(archive: Archive, name: str) -> Any:
    """The root of an XML member, or None with a warning where nothing of it can be read."""
    try:
        data = archive.read(name)
        epub_markup.check_tags(data, f"{archive.title}: {name}")
        root, mended = epub_markup.parse(data, shallow=True)
    except DamagedMemberError as error:
        archive.warn(str(error).removeprefix(f"{archive.title}: "))
        return None
    except epub_markup.NoMarkupError as error:
        archive.warn(f"{name}: {error}")
        return None
    if mended:
        archive.warn(f"{name}: {mended}")
    return root


def _find_package(archive: Archive) -> tuple[Any, str]:
    """The root and member of the package: the container's first that can be read, else any in the archive."""
    names: list[str] = []
    container = archive.find("", _CONTAINER)
    root = read_xml(archive, container) if container else None
    if root is not None:
        for rootfile in descendants(root, "rootfile"):
            path = rootfile.get("full-path") or ""
            found = archive.find("", path)
            if found and found not in names:
                names.append(found)
            elif not found:
                archive.warn(f"{_CONTAINER}: names a package '{path}' that is not in the archive")
    else:
        archive.warn(f"{_CONTAINER}: missing or unreadable; looked for a package by its name")
    others = sorted((n for n in archive.names if n.lower().endswith(".opf")), key=lambda n: (n.count("/"), n))
    for name in dict.fromkeys((*names, *others)):
        root = read_xml(archive, name)
        if root is not None and next(descendants(root, "manifest"), None) is not None:
            if name not in names and names:
                archive.warn(f"{name}: read in place of the package that the container names")
            return root, name
    return None, ""


def _without_package(archive: Archive, why: str) -> Package:
    """Every page of the archive, by name, numbers in names counted as numbers."""
    names = sorted((n for n in archive.names if n.lower().endswith((".xhtml", ".html", ".htm"))), key=_natural)
    if not names:
        raise InputError(one_line(f"{archive.title}: nothing to read: {why}, and the archive holds no page of text"))
    archive.warn(f"{why}; read the {len(names)} pages of the archive by name")
    _refuse_locked(archive, set(names))
    return Package("", "", "", "", tuple(Page(name) for name in names), "", "", ())


def _natural(name: str) -> tuple[tuple[int, str], ...]:
    return tuple((int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", name) if part)


def _manifest(archive: Archive, root: Any, name: str) -> dict[str, _Item]:
    """The items by id; of duplicate ids the first."""
    items: dict[str, _Item] = {}
    for element in (item for manifest in descendants(root, "manifest") for item in children(manifest, "item")):
        href = element.get("href") or ""
        items.setdefault(
            (element.get("id") or "").strip() or f"item {len(items)}",
            _Item(
                name=archive.find(name, href) or "",
                href=href,
                media=(element.get("media-type") or "").strip().lower(),
                properties=frozenset((element.get("properties") or "").split()),
                fallback=(element.get("fallback") or "").strip(),
            ),
        )
    return items


def _spine(archive: Archive, root: Any, items: dict[str, _Item]) -> Iterator[Page]:
    seen: set[str] = set()
    repeated = 0
    for element in (ref for spine in descendants(root, "spine") for ref in children(spine, "itemref")):
        identity = (element.get("idref") or "").strip()
        item = items.get(identity)
        if item is None:
            archive.warn(f"spine: '{identity}' is not in the manifest; left out")
            continue
        page = _readable(items, item)
        if page is None:
            archive.warn(f"spine: {item.href or identity} {_why_unread(item)}; left out")
        elif page.name in seen:
            repeated += 1
        else:
            seen.add(page.name)
            yield Page(page.name, (element.get("linear") or "").strip().lower() != "no")
    if repeated:
        archive.warn(f"spine: {repeated} references repeat a document; each was read once")


def _readable(items: dict[str, _Item], item: _Item) -> _Item | None:
    """The item itself, or the first of its fallbacks that is a page in the archive; chains that bite their tail end."""
    seen: list[_Item] = []
    while item not in seen:
        if item.name and _is_page(item):
            return item
        seen.append(item)
        item = items.get(item.fallback, item)
    return None


def _why_unread(item: _Item) -> str:
    if not item.name:
        return "is a remote address" if "://" in item.href else "is not in the archive"
    return f"is no page of text ({item.media or 'no media type'})"


def _is_page(item: _Item) -> bool:
    """Whether an item can hold text: by its media type, or by its name where the type is wrong or missing."""
    suffix = item.name.rpartition(".")[2].lower()
    if any(word in item.media for word in ("xhtml", "html", "dtbook", "oeb1-document", "svg")) or suffix in _PAGES[:4]:
        return True
    if item.media.startswith(_NO_PAGES) or any(word in item.media for word in _NOT_READ):
        return False
    return suffix in _PAGES or item.media in ("", "text/xml", "application/xml", "text/plain")


def _refuse_locked(archive: Archive, names: set[str]) -> None:
    """Raise `InputError` where a page is encrypted. Scrambled fonts are no lock."""
    listing = archive.find("", _ENCRYPTION)
    root = read_xml(archive, listing) if listing else None
    if root is None:
        return
    for entry in descendants(root, "EncryptedData"):
        method = next((m.get("Algorithm") or "" for m in children(entry, "EncryptionMethod")), "")
        if method.startswith(_FONT_SCRAMBLING):
            continue
        for reference in descendants(entry, "CipherReference"):
            name = archive.find("", reference.get("URI") or "")
            if name in names:
                raise InputError(
                    one_line(
                        f"{archive.title}: locked by DRM{_vendor(archive)}: {name} is encrypted "
                        f"({method.rpartition('#')[2] or 'no method named'}); an unprotected copy is needed"
                    )
                )


def _vendor(archive: Archive) -> str:
    marks = {
        "META-INF/license.lcpl": "Readium LCP",
        "META-INF/rights.xml": "Adobe ADEPT or the like",
        "META-INF/sinf.xml": "Apple FairPlay",
    }
    return next((f" ({vendor})" for mark, vendor in marks.items() if archive.find("", mark)), "")


def _metadata(root: Any, name: str) -> list[str]:
    found = (squeeze("".join(e.itertext())) for m in descendants(root, "metadata") for e in descendants(m, name))
    return [text for text in found if text]


def _title(root: Any) -> str:
    """The main title: the one that EPUB 3's title-type calls so, else the first."""
    main = {
        (meta.get("refines") or "").lstrip("#")
        for meta in descendants(root, "meta")
        if meta.get("property") == "title-type" and (meta.text or "").strip() == "main"
    }
    titles = [
        (e.get("id"), squeeze("".join(e.itertext())))
        for m in descendants(root, "metadata")
        for e in descendants(m, "title")
    ]
    named = [text for identity, text in titles if text and identity in main]
    return next(iter(named or [text for _, text in titles if text]), "")


def _ncx(root: Any, items: dict[str, _Item]) -> str:
    """The NCX: what the spine's `toc` names, else the item of that media type or suffix."""
    for spine in descendants(root, "spine"):
        item = items.get((spine.get("toc") or "").strip())
        if item is not None and item.name:
            return item.name
    found = (i.name for i in items.values() if "dtbncx" in i.media or i.name.lower().endswith(".ncx"))
    return next((name for name in found if name), "")


def _guide(archive: Archive, root: Any, name: str) -> Iterator[GuideReference]:
    for reference in (r for guide in descendants(root, "guide") for r in descendants(guide, "reference")):
        href = reference.get("href") or ""
        member = archive.find(name, href)
        if member:
            kind = (reference.get("type") or "").strip().lower().removeprefix("other.")
            yield GuideReference(kind, member, href.partition("#")[2])
