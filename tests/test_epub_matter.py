"""Front and back matter of EPUBs: declared, named, or told by its look; and what is none."""

from pathlib import Path

import pytest
from epub_fixtures import chapter, headings, make, outline, prose, read, rules

from bookblend.extract.model import Book

BODY = {"a.xhtml": chapter("Ebb", "A", 300), "b.xhtml": chapter("Neap", "B", 300)}


def matter(book: Book) -> dict[str, str]:
    """Matter by the text of its blocks."""
    return {block.text: block.matter for block in book.blocks if block.matter}


@pytest.mark.parametrize(
    ("kind", "rule"),
    [
        ("titlepage", "title-page"),
        ("halftitlepage", "half-title"),
        ("imprint", "imprint"),
        ("copyright-page", "copyright"),
        ("colophon", "colophon"),
        ("loi", "list-of-illustrations"),
    ],
)
def test_declared_furniture_at_the_edges_is_marked_and_inside_dropped(tmp_path: Path, kind: str, rule: str) -> None:
    section = f"<section epub:type='{kind}'><h1>Some Name</h1><p>By nobody at all.</p></section>"
    at_edge = read(make(tmp_path / "a.epub", {"f.xhtml": section, **BODY}))
    assert matter(at_edge) == {"Some Name": rule, "By nobody at all.": rule}
    assert headings(at_edge) == ["Ebb", "Neap"]
    inside = read(
        make(tmp_path / "b.epub", {"a.xhtml": BODY["a.xhtml"], "f.xhtml": section, "b.xhtml": BODY["b.xhtml"]})
    )
    assert matter(inside) == {}
    assert rules(inside) == [(rule, "Some Name"), (rule, "By nobody at all.")]
    kept = read(tmp_path / "b.epub", keep_furniture=True)
    assert "By nobody at all." in outline(kept) and not kept.dropped


def test_guide_and_landmarks_declare_as_well(tmp_path: Path) -> None:
    documents = {"c.xhtml": "<h1>Rights</h1><p>Nobody may copy this.</p>", **BODY}
    guide = '<guide><reference type="copyright-page" href="c.xhtml" title="x"/></guide>'
    assert set(matter(read(make(tmp_path / "b.epub", documents, guide=guide))).values()) == {"copyright"}


def test_a_guide_that_calls_the_whole_book_a_cover_is_not_believed(tmp_path: Path) -> None:
    documents = {"all.xhtml": chapter("Ebb", "A", 4000)}
    guide = '<guide><reference type="cover" href="all.xhtml" title="x"/></guide>'
    assert headings(read(make(tmp_path / "b.epub", documents, guide=guide))) == ["Ebb"]


@pytest.mark.parametrize(
    ("title", "where", "kind"),
    [
        ("Contents", "front", "contents"),
        ("Inhaltsverzeichnis", "front", "contents"),
        ("Copyright", "front", "copyright"),
        ("Title Page", "front", "title-page"),
        ("Notes", "back", "endnotes"),
        ("Index", "back", "index"),
        ("Bibliography", "back", "bibliography"),
        ("About the Author", "back", "about"),
    ],
)
def test_matter_by_name_at_its_end_of_the_book(tmp_path: Path, title: str, where: str, kind: str) -> None:
    extra = {"x.xhtml": f"<h1>{title}</h1><p>Oak, ash, elm.</p>"}
    documents = {**extra, **BODY} if where == "front" else {**BODY, **extra}
    assert matter(read(make(tmp_path / "b.epub", documents))) == {title: kind, "Oak, ash, elm.": kind}
    middle = {"a.xhtml": BODY["a.xhtml"], **extra, "b.xhtml": BODY["b.xhtml"]}
    assert headings(read(make(tmp_path / "c.epub", middle))) == ["Ebb", title, "Neap"]


@pytest.mark.parametrize(
    "title",
    [
        "Preface",
        "Foreword",
        "Introduction",
        "Prologue",
        "Epilogue",
        "Afterword",
        "Acknowledgments",
        "Appendix",
        "Glossary",
    ],
)
def test_these_are_body(tmp_path: Path, title: str) -> None:
    extra = {"x.xhtml": f"<h1>{title}</h1><p>{prose('X', 90)}</p>"}
    assert headings(read(make(tmp_path / "a.epub", {**extra, **BODY}))) == [title, "Ebb", "Neap"]
    assert headings(read(make(tmp_path / "b.epub", {**BODY, **extra}))) == ["Ebb", "Neap", title]


def test_acknowledgments_between_notes_and_index_stay(tmp_path: Path) -> None:
    documents = {
        **BODY,
        "n.xhtml": "<h1>Notes</h1><p>p. 3: low.</p>",
        "t.xhtml": "<h1>Acknowledgments</h1><p>Thanks.</p>",
        "i.xhtml": "<h1>Index</h1><p>Ash, 3</p>",
        "i2.xhtml": "<p>Oak, 7</p>",
    }
    book = read(make(tmp_path / "b.epub", documents))
    assert headings(book) == ["Ebb", "Neap", "Acknowledgments"]
    assert matter(book)["Oak, 7"] == "index"


def test_pages_told_by_their_look(tmp_path: Path) -> None:
    documents = {
        "t.xhtml": "<h1>The Slack Tide</h1><p>A. Nonesuch</p>",
        "c.xhtml": "<p>Copyright © 1999 by nobody. All rights reserved.</p><p>ISBN 0-000</p>",
        "d.xhtml": "<p>For my aunt, who rowed.</p>",
        "e.xhtml": "<p>Low water waits.</p><p>Old saying</p>",
        **BODY,
    }
    kinds = list(matter(read(make(tmp_path / "b.epub", documents))).values())
    assert kinds == ["title-page", "title-page", "copyright", "copyright", "dedication", "epigraph", "epigraph"]


def test_a_page_of_links_is_a_contents_page(tmp_path: Path) -> None:
    links = "".join(f"<p><a href='{f}.xhtml'>Some chapter {f}</a></p>" for f in "abababab")
    book = read(make(tmp_path / "b.epub", {"toc.xhtml": links, **BODY}))
    assert set(matter(book).values()) == {"contents"}
    inside = {"p.xhtml": chapter("Preface", "P", 50), "toc.xhtml": links, **BODY}
    assert headings(read(make(tmp_path / "c.epub", inside))) == ["Preface", "Ebb", "Neap"]
    assert {rule for rule, _ in rules(read(tmp_path / "c.epub"))} == {"contents"}


def test_a_navigation_document_in_the_reading_order_goes(tmp_path: Path) -> None:
    path = make(
        tmp_path / "b.epub",
        BODY,
        contents=[("Ebb", "a.xhtml"), ("Neap", "b.xhtml")],
        spine=['<itemref idref="i2"/>', "a.xhtml", "b.xhtml"],
    )
    book = read(path)
    assert headings(book) == ["Ebb", "Neap"]
    assert {rule for rule, _ in rules(book)} == {"contents"}


def test_a_local_contents_box_goes(tmp_path: Path) -> None:
    box = "<div class='toc'><dl><dt><a href='a.xhtml#x'>Mud</a></dt><dt><a href='a.xhtml#y'>Reeds</a></dt></dl></div>"
    book = read(make(tmp_path / "b.epub", {"a.xhtml": f"<h1>Ebb</h1>{box}<p>{prose('A')}</p>"}))
    assert outline(book) == ["# Ebb", prose("A")]
    assert rules(book) == [("contents", "MudReeds")] or rules(book) == [("contents", "Mud Reeds")]


def test_a_cover_without_text_gives_no_chapter(tmp_path: Path) -> None:
    cover = "<svg xmlns='http://www.w3.org/2000/svg'><title>Cover</title><desc>x</desc></svg>"
    contents = [("Cover", "cover.xhtml"), ("Ebb", "a.xhtml"), ("Neap", "b.xhtml")]
    assert headings(read(make(tmp_path / "b.epub", {"cover.xhtml": cover, **BODY}, contents=contents))) == [
        "Ebb",
        "Neap",
    ]


def test_a_book_that_is_all_matter_is_kept_as_text(tmp_path: Path) -> None:
    book = read(make(tmp_path / "b.epub", {"x.xhtml": "<h1>Index</h1><p>Ash, 3</p>"}))
    assert outline(book) == ["# Index", "Ash, 3"]


def test_what_stands_beside_the_text_comes_last_and_marked(tmp_path: Path) -> None:
    documents = {"a.xhtml": BODY["a.xhtml"], "x.xhtml": "<p>A map key.</p>", "b.xhtml": BODY["b.xhtml"]}
    spine = ["a.xhtml", '<itemref idref="i1" linear="no"/>', "b.xhtml"]
    book = read(make(tmp_path / "b.epub", documents, spine=spine))
    assert (book.blocks[-1].text, book.blocks[-1].matter) == ("A map key.", "auxiliary")
    every = [f'<itemref idref="i{n}" linear="no"/>' for n in range(3)]
    assert "A map key." in outline(read(make(tmp_path / "c.epub", documents, spine=every)))
