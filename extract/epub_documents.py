"""The documents of the reading order, one after the other: read, parsed, walked; only their pieces are kept."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from bookblend.errors import InputError
from bookblend.extract import epub_markup
from bookblend.extract.epub_archive import Archive, DamagedMemberError
from bookblend.extract.epub_blocks import Document
from bookblend.extract.epub_contents import Contents, walk
from bookblend.extract.epub_head import Head, head_of
from bookblend.extract.epub_marks import Resolve
from bookblend.extract.epub_package import Package, Page
from bookblend.extract.epub_stream import NeedsTreeError, read_document
from bookblend.extract.epub_style import STYLE_LIMIT, Rules, Style, read_sheet
from bookblend.extract.epub_walk import Walker

# Different link targets of one document that are looked up once; more are looked up each time.
_REMEMBERED = 10_000


def read_documents(archive: Archive, package: Package, contents: Contents, walker: Walker) -> Iterator[Document]:
    """Every document of the reading order that can be read, walked; a warning for each that cannot.

    Documents beside the text (`linear="no"`) come last, unless the contents name them or most documents are such.
    """
    types: dict[str, frozenset[str]] = {}
    for kinds, name, fragment in contents.landmarks:
        if not fragment:
            types[name] = types.get(name, frozenset()) | kinds
    reader = _Reader(archive, walker)
    for number, page in enumerate(_in_order(package.pages, contents)):
        yield reader.read(Document(number, page.name, page.linear, types=types.get(page.name, frozenset())))


class _Reader:
    """Reads documents one after the other."""

    def __init__(self, archive: Archive, walker: Walker) -> None:
        self._archive = archive
        self._walker = walker
        self._sheets = _Sheets(archive)
        self._tags = 0

    def read(self, empty: Document) -> Document:
        """A document with its text; `empty` is what is known without."""
        name, archive, walker = empty.name, self._archive, self._walker
        data = _read(archive, name)
        self._tags = epub_markup.check_tags(data, f"{archive.title}: {name}", self._tags)
        resolve = _resolver(archive, name)
        markup = epub_markup.plain(data)
        if markup is not None:
            references = len(walker.references)
            document = replace(empty, pieces=[], anchors={}, spans={}, anchor_types={}, asides=[])
            try:
                read_document(markup, walker, document, lambda head: self._sheets.style(name, head), resolve)
            except NeedsTreeError:
                del walker.references[references:]
            else:
                return document
        root = _parse(archive, name, data)
        if root is not None:
            head = head_of(root)
            empty.title = head.title
            walker.walk(root, empty, self._sheets.style(name, head), resolve)
        return empty


def _in_order(pages: Sequence[Page], contents: Contents) -> list[Page]:
    named = {entry.name for entry in walk(contents.entries)}
    beside = [page for page in pages if not page.linear and page.name not in named]
    if len(beside) * 2 >= len(pages):
        return [Page(page.name) for page in pages]
    return [Page(page.name) for page in pages if page not in beside] + beside


def _read(archive: Archive, name: str) -> bytes:
    """The bytes of a document; none, with a warning, where it is damaged."""
    try:
        return archive.read(name)
    except DamagedMemberError as error:
        archive.warn(str(error).removeprefix(f"{archive.title}: ") + "; left out")
        return b""


def _parse(archive: Archive, name: str, data: bytes) -> Any:
    """The root of a document, or None with a warning."""
    if not data:
        return None
    try:
        root, mended = epub_markup.parse(data)
    except epub_markup.NoMarkupError as error:
        archive.warn(f"{name}: {error}; left out")
        return None
    if mended:
        archive.warn(f"{name}: {mended}")
    return root


def _resolver(archive: Archive, base: str) -> Resolve:
    """What links written in the member `base` mean."""
    known: dict[str, str] = {"": base}

    def resolve(href: str) -> tuple[str, str]:
        path, _, fragment = href.strip().partition("#")
        name = known.get(path)
        if name is None:
            name = archive.find(base, path) or ""
            if len(known) < _REMEMBERED:
                known[path] = name
        return name, unquote(fragment) if "%" in fragment else fragment

    return resolve


class _Sheets:
    """The style sheets of a book, each read once."""

    def __init__(self, archive: Archive) -> None:
        self._archive = archive
        self._rules: dict[str, Rules] = {}
        self._styles: dict[tuple[str, ...], Style] = {}

    def style(self, name: str, head: Head) -> Style:
        """The style of the document `name`: its linked sheets and its own `style` elements, in order."""
        linked = tuple(member for href in head.sheets if (member := self._archive.find(name, href)))
        if linked not in self._styles:
            self._styles[linked] = Style(self._sheet(member) for member in linked)
        own = [read_sheet(text) for text in head.styles]
        if not any(own):
            return self._styles[linked]
        return Style([*(self._sheet(member) for member in linked), *own])

    def _sheet(self, member: str) -> Rules:
        if member not in self._rules:
            self._rules[member] = {}
            try:
                data = self._archive.read(member, STYLE_LIMIT)
            except InputError:
                # A sheet that is missing, locked or oversized hides nothing: its text stays in.
                self._archive.warn(f"{member}: style sheet could not be read; hidden text may have been kept")
                return {}
            text = epub_markup.decode(data)[0]
            self._rules[member] = read_sheet(re.sub(r"<!--|-->", " ", text))
        return self._rules[member]
