"""Bind the sample book as an EPUB 3 such as a publisher makes: EbookLib writes it, `_repacked` makes it repeatable.

The text's own structure is declared throughout: `epub:type` and roles, number and title in one `<hgroup>`, note
marks that link to a document of notes, contents both as nav and as NCX, landmarks.
"""

import io
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime
from html import escape
from itertools import groupby
from pathlib import Path
from typing import Any

from ebooklib import epub

from bookblend.books.sample.source import Inline, Mark, Note, Run, SampleBook, Section, SourceBlock

COVER = Path(__file__).parent / "cover.svg"
STYLE = Path(__file__).parent / "style.css"

# What a section is in the vocabularies of EPUB 3 (`epub:type`) and of DPUB-ARIA (`role`; not every type has one).
_TYPES = {
    "imprint": "copyright-page",
    "dedication": "dedication",
    "preface": "preface",
    "part": "part",
    "chapter": "chapter",
    "afterword": "afterword",
    "notes": "rearnotes",
    "bibliography": "bibliography",
    "index": "index",
    "colophon": "colophon",
}
_ROLES = ("dedication", "preface", "part", "chapter", "afterword", "bibliography", "index", "colophon")
# Sections whose heading is not printed.
_BARE = ("imprint", "dedication")
# Words in small capitals at a chapter's opening, as in the PDF.
_LEAD_WORDS = 3


@dataclass(slots=True)
class _Links:
    """What binding collects on its way through the text: notes, and where the index's marks stand."""

    notes: list[tuple[str, Note]] = field(default_factory=list)
    marks: list[tuple[str, str, str]] = field(default_factory=list)  # entry, where it links to, the section's label


def bind_epub(book: SampleBook) -> bytes:
    """The EPUB's bytes, the same on every run and machine."""
    links = _Links()
    pages = [_page("cover", "Cover", '<section epub:type="cover"><img src="cover.svg" alt="Cover"/></section>')]
    pages.append(_page("title-page", book.title, _title_page(book)))
    for section in book.sections:
        if section.kind == "preface":
            pages.append(_page("contents", "Contents", _contents(book)))
        if section.kind == "colophon":
            pages.append(_page("footnotes", "Footnotes", _footnotes(links)))
        pages.append(_page(section.name, section.title, _section(section, book, links)))

    made = epub.EpubBook()
    _describe(made, book)
    made.set_cover("cover.svg", COVER.read_bytes(), create_page=False)
    style = epub.EpubItem(
        uid="style", file_name="style.css", media_type="text/css", content=STYLE.read_text(encoding="utf-8")
    )
    for item in (style, *pages, epub.EpubNcx(), epub.EpubNav(title="Contents")):
        made.add_item(item)
    made.spine = pages
    made.toc = _toc(book)
    made.guide = [
        {"type": kind, "title": title, "href": href}
        for kind, title, href in (
            ("cover", "Cover", "cover.xhtml"),
            ("copyright-page", "Copyright", "imprint.xhtml"),
            ("toc", "Contents", "contents.xhtml"),
            ("text", "Start of the text", f"{next(s.name for s in book.sections if s.kind == 'part')}.xhtml"),
            ("bibliography", "Bibliography", "bibliography.xhtml"),
            ("index", "Index", "index.xhtml"),
        )
    ]
    stream = io.BytesIO()
    date = datetime.fromisoformat(book.date)
    # EbookLib would make a page list of whatever bears an `epub:type` and an id: of our notes.
    epub.write_epub(stream, made, {"mtime": date, "epub3_pages": False, "raise_exceptions": True})
    return _repacked(stream.getvalue(), date)


def _describe(made: Any, book: SampleBook) -> None:
    made.set_identifier(book.identifier)
    made.set_title(book.title)
    made.set_language(book.language)
    made.add_author(book.author)
    for name, value in (("publisher", book.publisher), ("rights", book.licence), ("date", book.date)):
        made.add_metadata("DC", name, value)


def _repacked(made: bytes, date: datetime) -> bytes:
    """The same members in the same order with the book's date, stored: deflated bytes differ between zlibs."""
    stream = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(made)) as old, zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as new:
        for name in old.namelist():
            member = zipfile.ZipInfo(name, (date.year, date.month, date.day, 0, 0, 0))
            member.create_system = 3  # Unix, wherever we run
            member.external_attr = 0o644 << 16
            new.writestr(member, old.read(name))
    return stream.getvalue()


def _page(name: str, title: str, body: str) -> Any:
    page = epub.EpubHtml(uid=name, title=title, file_name=f"{name}.xhtml")
    page.content = f"<html><body>{body}</body></html>"
    page.add_link(href="style.css", rel="stylesheet", type="text/css")
    return page


def _title_page(book: SampleBook) -> str:
    return (
        f'<section epub:type="titlepage"><h1>{escape(book.title)}</h1><p class="subtitle">{escape(book.subtitle)}</p>'
        f'<p class="author">{escape(book.author)}</p><p class="publisher">{escape(book.publisher)}</p></section>'
    )


def _label(section: Section) -> str:
    """How the contents name a section."""
    if not section.number:
        return section.title
    return f"{section.number}{':' if section.kind == 'part' else '.'} {section.title}"


def _contents(book: SampleBook) -> str:
    listed = [section for section in book.sections if section.kind not in _BARE]
    rows = "".join(
        f'<p class="{section.kind}"><a href="{section.name}.xhtml">{escape(_label(section))}</a></p>'
        for section in listed
    )
    return f'<section epub:type="toc" role="doc-toc"><h1>Contents</h1>{rows}</section>'


def _toc(book: SampleBook) -> list[Any]:
    """EbookLib's table of contents: the chapters under their parts."""
    entries: list[Any] = []
    for section in book.sections:
        link = (f"{section.name}.xhtml", _label(section), f"toc-{section.name}")
        if section.kind == "part":
            entries.append((epub.Section(link[1], link[0]), []))
        elif section.kind == "chapter":
            entries[-1][1].append(epub.Link(*link))
        elif section.kind not in _BARE:
            if section.kind == "colophon":
                entries.append(epub.Link("footnotes.xhtml", "Footnotes", "toc-footnotes"))
            entries.append(epub.Link(*link))
    return entries


def _section(section: Section, book: SampleBook, links: _Links) -> str:
    role = f' role="doc-{section.kind}"' if section.kind in _ROLES else ""
    body = _index(book, links) if section.kind == "index" else "\n".join(_blocks(section, links))
    return f'<section epub:type="{_TYPES[section.kind]}"{role}>{_heading(section)}\n{body}</section>'


def _heading(section: Section) -> str:
    if section.kind in _BARE:
        return ""
    if not section.number:
        return f"<h1>{escape(section.title)}</h1>"
    group = "header" if section.kind == "part" else "hgroup"
    return (
        f'<{group}><h1 epub:type="ordinal">{escape(section.number)}</h1>'
        f'<p epub:type="title">{escape(section.title)}</p></{group}>'
    )


def _blocks(section: Section, links: _Links) -> Iterator[str]:
    blocks = section.blocks
    if section.kind in ("preface", "chapter", "afterword"):
        yield _first_paragraph(blocks[0], section, links)
        blocks = blocks[1:]
    for kind, run in groupby(blocks, key=lambda block: block.kind):
        group = [_inlines(block.inlines, section, links) for block in run]
        yield _WRAPPED[kind](group)


def _first_paragraph(block: SourceBlock, section: Section, links: _Links) -> str:
    """The opening, its first letter and words in spans of their own, as the PDF has them by design."""
    marks = [piece for piece in block.inlines if isinstance(piece, Mark)]
    run, *rest = (piece for piece in block.inlines if not isinstance(piece, Mark))
    text = run.text if isinstance(run, Run) else ""
    lead, tail = " ".join(text.split(" ")[:_LEAD_WORDS]), " ".join(text.split(" ")[_LEAD_WORDS:])
    first = f'<span class="lead">{escape(lead, quote=False)}</span>'
    if section.kind == "chapter":
        first = f'<span class="initial">{lead[0]}</span><span class="lead">{escape(lead[1:], quote=False)}</span>'
    after = _inlines([Run(f" {tail}"), *rest], section, links)
    return f'<p class="opening">{_inlines(marks, section, links)}{first}{after}</p>'


def _paragraphs(group: list[str]) -> str:
    return "\n".join(f"<p>{text}</p>" for text in group)


def _quotation(group: list[str]) -> str:
    return f"<blockquote>{_paragraphs(group)}</blockquote>"


def _inner_heading(group: list[str]) -> str:
    return "".join(f"<h2>{text}</h2>" for text in group)


def _list(group: list[str]) -> str:
    return f"<ul>{''.join(f'<li>{text}</li>' for text in group)}</ul>"


def _verse(group: list[str]) -> str:
    stanzas = (stanza.split("\n") for text in group for stanza in text.split("\n\n"))
    lines = ("<br/>".join(f"<span>{line}</span>" for line in stanza) for stanza in stanzas)
    return f'<div class="verse">{"".join(f"<p>{stanza}</p>" for stanza in lines)}</div>'


def _scene_break(_: list[str]) -> str:
    return "<hr/>"


_WRAPPED: dict[str, Callable[[list[str]], str]] = {
    "p": _paragraphs,
    "quote": _quotation,
    "heading": _inner_heading,
    "item": _list,
    "verse": _verse,
    "break": _scene_break,
}


def _inlines(pieces: Iterable[Inline], section: Section, links: _Links) -> str:
    return "".join(_inline(piece, section, links) for piece in pieces)


def _inline(piece: Inline, section: Section, links: _Links) -> str:
    if isinstance(piece, Mark):
        place = f"at-{len(links.marks) + 1}"
        links.marks.append((piece.entry, f"{section.name}.xhtml#{place}", section.number or section.title))
        return f'<span id="{place}"></span>'
    if isinstance(piece, Note):
        number = len(links.notes) + 1
        links.notes.append((section.name, piece))
        return (
            f'<a id="ref-{number}" class="noteref" epub:type="noteref" role="doc-noteref" '
            f'href="footnotes.xhtml#note-{number}">{number}</a>'
        )
    text = escape(piece.text, quote=False)
    return f"<em>{text}</em>" if piece.emphasis else text


def _footnotes(links: _Links) -> str:
    rows = []
    for number, (name, note) in enumerate(links.notes, 1):
        text = "".join(f"<em>{escape(run.text)}</em>" if run.emphasis else escape(run.text) for run in note.runs)
        back = f'<a href="{name}.xhtml#ref-{number}" role="doc-backlink">↩</a>'
        rows.append(f'<li id="note-{number}" epub:type="endnote"><p>{text} {back}</p></li>')
    return f'<section epub:type="endnotes" role="doc-endnotes"><h1>Footnotes</h1><ol>{"".join(rows)}</ol></section>'


def _index(book: SampleBook, links: _Links) -> str:
    """Each entry with the chapters it is found in, each a link to its first mark there."""
    rows = []
    for entry, _ in book.index:
        places: dict[str, str] = {}
        for name, href, label in links.marks:
            if name == entry:
                places.setdefault(label, href)
        found = ", ".join(f'<a href="{href}">{escape(label)}</a>' for label, href in places.items())
        rows.append(f"<li>{escape(entry)}, {found}</li>")
    return f"<ul>{''.join(rows)}</ul>"
