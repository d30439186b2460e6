"""Small EPUBs for tests: zip the given documents with a package around them. All text is made up."""

import zipfile
from collections.abc import Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from bookblend.extract.epub import extract_epub
from bookblend.extract.model import Book, ExtractOptions

CONTAINER = (
    '<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container">'
    '<rootfiles><rootfile full-path="{package}" media-type="application/oebps-package+xml"/></rootfiles></container>'
)

_FILLER = "the boat lay under the wall and nobody asked for the rope again that week or said why"

# (label, href) or (label, href, entries below)
Entries = Sequence[tuple[Any, ...]]


def page(body: str, *, head: str = "", attributes: str = "") -> str:
    """A whole XHTML document around the markup of a body."""
    return (
        '<?xml version="1.0" encoding="utf-8"?>\n<!DOCTYPE html>\n'
        '<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops">'
        f"<head><title>Untitled</title>{head}</head><body {attributes}>{body}</body></html>"
    )


def prose(opening: str, words: int = 40) -> str:
    """A sentence of that many words, beginning with `opening`."""
    filler = _FILLER.split()
    return " ".join((opening.split() + filler * (words // len(filler) + 1))[:words]) + "."


def chapter(title: str, opening: str, words: int = 40) -> str:
    """An `h1` and a paragraph."""
    return f"<h1>{title}</h1><p>{prose(opening, words)}</p>"


def nav(entries: Entries, *, more: str = "") -> str:
    """A navigation document."""
    return page(f'<nav epub:type="toc"><h1>Contents</h1>{_list(entries)}</nav>{more}')


def _list(entries: Entries) -> str:
    items = "".join(
        f'<li><a href="{escape(entry[1])}">{escape(entry[0])}</a>{_list(entry[2]) if len(entry) > 2 else ""}</li>'
        for entry in entries
    )
    return f"<ol>{items}</ol>"


def ncx(entries: Entries) -> str:
    """An NCX."""
    return (
        '<?xml version="1.0"?><ncx xmlns="http://www.daisy.org/z3986/2005/ncx/" version="2005-1"><head/>'
        f"<docTitle><text>T</text></docTitle><navMap>{_points(entries)}</navMap></ncx>"
    )


def _points(entries: Entries) -> str:
    return "".join(
        f"<navPoint><navLabel><text>{escape(entry[0])}</text></navLabel>"
        f'<content src="{escape(entry[1])}"/>{_points(entry[2]) if len(entry) > 2 else ""}</navPoint>'
        for entry in entries
    )


def package(
    items: Mapping[str, str],
    spine: Sequence[str],
    *,
    title: str = "The Slack Tide",
    metadata: str = "<dc:creator>A. Nonesuch</dc:creator><dc:language>en</dc:language>",
    guide: str = "",
    spine_attributes: str = "",
) -> str:
    """A package document; `items` gives media type (and more attributes) by href, `spine` hrefs or whole itemrefs."""
    ids = {href: f"i{number}" for number, href in enumerate(items)}
    manifest = "".join(
        f'<item id="{ids[href]}" href="{escape(href)}" media-type="{media}"/>'
        if '"' not in media
        else f'<item id="{ids[href]}" href="{escape(href)}" {media}/>'
        for href, media in items.items()
    )
    references = "".join(ref if ref.startswith("<") else f'<itemref idref="{ids[ref]}"/>' for ref in spine)
    return (
        '<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="b">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="b">x</dc:identifier>'
        f"<dc:title>{escape(title)}</dc:title>{metadata}</metadata><manifest>{manifest}</manifest>"
        f"<spine {spine_attributes}>{references}</spine>{guide}</package>"
    )


def zip_files(path: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write an archive of just these members."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def make(
    path: Path,
    documents: Mapping[str, str | bytes],
    *,
    contents: Entries = (),
    kind: str = "nav",
    spine: Sequence[str] | None = None,
    more: Mapping[str, str | bytes] | None = None,
    **about: Any,
) -> Path:
    """Write an EPUB of `documents` (bodies, or whole documents that begin with "<?xml", "<html" or bytes) in order.

    `contents` become a navigation document or, with `kind` "ncx", an NCX; `more` members are zipped as they are.
    """
    items = dict.fromkeys(documents, "application/xhtml+xml")
    files: dict[str, str | bytes] = {}
    for name, body in documents.items():
        whole = isinstance(body, bytes) or body.startswith(("<?xml", "<html"))
        files[f"OEBPS/{name}"] = body if whole else page(str(body))
    if contents and kind == "nav":
        items["nav.xhtml"] = 'media-type="application/xhtml+xml" properties="nav"'
        files["OEBPS/nav.xhtml"] = nav(contents)
    elif contents:
        items["toc.ncx"] = "application/x-dtbncx+xml"
        files["OEBPS/toc.ncx"] = ncx(contents)
    opf = package(items, list(documents) if spine is None else spine, **about)
    return zip_files(
        path,
        {
            "mimetype": "application/epub+zip",
            "META-INF/container.xml": CONTAINER.format(package="OEBPS/content.opf"),
            "OEBPS/content.opf": opf,
            **files,
            **(more or {}),
        },
    )


def read(path: Path, **options: Any) -> Book:
    """Extract a book."""
    return extract_epub(path, ExtractOptions(**options))


def outline(book: Book) -> list[str]:
    """The body's blocks as markdown lines: "# " and "## " headings, texts as they are; matter left out."""
    return ["#" * block.level + " " * bool(block.level) + block.text for block in book.blocks if not block.matter]


def headings(book: Book, level: int = 1) -> list[str]:
    """The texts of the body's headings of one tier."""
    return [block.text for block in book.blocks if block.level == level and not block.matter]


def text(book: Book) -> str:
    """All text of the body, a blank between blocks."""
    return " ".join(block.text for block in book.blocks if not block.matter)


def rules(book: Book) -> list[tuple[str, str]]:
    """The ledger: (rule, text)."""
    return [(entry.rule, entry.text) for entry in book.dropped]
