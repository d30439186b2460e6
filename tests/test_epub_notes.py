"""Note references go, notes go where the options want them, and everything that only looks like a note stays."""

from pathlib import Path

import pytest
from epub_fixtures import headings, make, outline, page, prose, read, rules, text

from bookblend.extract.model import Book

A, B = prose("Atide"), prose("Btide")


def book_of(tmp_path: Path, markup: str, **options: object) -> Book:
    return read(make(tmp_path / "b.epub", {"a.xhtml": f"<h1>Ebb</h1>{markup}"}), **options)


@pytest.mark.parametrize(
    ("reference", "note"),
    [
        ("<a epub:type='noteref' href='#n'>2</a>", "<aside epub:type='footnote' id='n'><p>2 Low water.</p></aside>"),
        ("<a role='doc-noteref' href='#n'>*</a>", "<aside role='doc-footnote' id='n'><p>* Low water.</p></aside>"),
        ("<a href='#n' class='fn'>17</a>", "<div class='footnotes'><p id='n'><a href='#r'>17</a> Low water.</p></div>"),
        ("<sup><a id='r' href='#n'>1</a></sup>", "<p id='n'><sup><a href='#r'>1</a></sup> Low water.</p>"),
        ("<a id='r' href='#n'><sup>1</sup></a>", "<p id='n'><a href='#r'>1</a>. Low water.</p>"),
        ("<a id='FNanchor_1' href='#n' class='fnanchor'>[1]</a>", "<div class='footnote'><p id='n'>[1] Low.</p></div>"),
        ("<a id='r' href='#n'>[1]</a>", "<p><a id='n' href='#r'>[1]</a> Low water.</p>"),
        ("<a href='#n'>1</a>", "<p id='n'>1. Low water.</p>"),
        ("[<a id='r' href='#n'>1</a>]", "<p id='n'>[<a href='#r'>1</a>] Low water.</p>"),
        ("<sup class='footnote'>[<a href='#n'>a</a>]</sup>", "<div class='footnote' id='n'><p>[a] Low.</p></div>"),
        (
            "<a id='r' href='#n'>1</a>",
            "<ol><li id='n'><p>Low water. <a href='#r'>↩</a></p></li></ol>",
        ),
        ("<a type='noteref' href='#n'>1</a>", "<ol><li id='n'><p>Low water.</p></li></ol>"),
        (
            "<a class='_idFootnoteLink' href='#n'>1</a>",
            "<div class='_idFootnotes'><div class='_idFootnote' id='n'><p>1\tLow water.</p></div></div>",
        ),
        (
            "<a class='footnote' id='r' href='#n'><sup class='footnote'>[1]</sup></a>",
            "<div class='footnotes'><div id='n'>Low. <a href='#r' class='return-footnote'>↵</a></div></div>",
        ),
        (
            "<a class='footnote-ref' href='#n'>1</a>",
            "<section class='footnotes'><ol><li id='n'><p>Low. <a class='footnote-back' href='#r'>↩</a></p></li></ol>"
            "</section>",
        ),
    ],
)
def test_references_and_notes_of_all_makes_go(tmp_path: Path, reference: str, note: str) -> None:
    book = book_of(tmp_path, f"<p id='r'>In that year{reference} the quay fell.</p><p>In 1842 it rose.</p>{note}")
    assert outline(book) == ["# Ebb", "In that year the quay fell.", "In 1842 it rose."]
    assert book.evidence["note_references"] == 1
    assert [rule for rule, _ in rules(book)] == ["note"]


@pytest.mark.parametrize(
    "markup",
    [
        "<p>As shown in chapter <a href='#x'>3</a> above.</p><p id='x'>3 men went.</p>",
        "<p>In <a href='#y'>1842</a> it fell.</p><p id='y'>1842 The quay falls.</p>",
        "<p>y<sup>e</sup> olde 10<sup>6</sup> or x<sup>2</sup></p>",
        "<p><a href='#v1'>1</a> <a href='#v2'>2</a></p><p id='v1'><a href='#t'>1</a> In.</p><p id='v2'>2 And.</p>",
        "<p>See <a href='http://x.invalid/#n'>1</a>.</p>",
    ],
)
def test_what_only_looks_like_a_note_stays(tmp_path: Path, markup: str) -> None:
    book = book_of(tmp_path, markup)
    assert not book.dropped
    assert book.evidence["note_references"] == 0


def test_a_heading_that_links_back_to_the_contents_is_no_note(tmp_path: Path) -> None:
    documents = {
        "toc.xhtml": "<h1>Contents</h1>"
        + "".join(f"<p id='t{n}'><a href='a.xhtml#c{n}'>{n}</a> Oar</p>" for n in "123"),
        "a.xhtml": "".join(
            f"<h2 id='c{n}'><a href='toc.xhtml#t{n}'>{n}</a></h2><p>{prose(n + 'x')}</p>" for n in "123"
        ),
    }
    contents = [(n, f"a.xhtml#c{n}") for n in "123"]
    assert headings(read(make(tmp_path / "b.epub", documents, contents=contents))) == ["1", "2", "3"]


def test_raised_numbers_without_links_go_where_they_count(tmp_path: Path) -> None:
    book = book_of(tmp_path, "<p>One.<sup>1</sup> Two.<sup>2</sup> Area in m<sup>2</sup>.</p><p>Three.<sup>3</sup></p>")
    assert outline(book)[1:] == ["One. Two. Area in m².", "Three."]


def test_blanks_and_brackets_close_up_behind_a_mark(tmp_path: Path) -> None:
    reference = "<a epub:type='noteref' href='#n'>1</a>"
    book = book_of(tmp_path, f"<p>The quay {reference}, ({reference}) fell {reference} down {reference}.</p>")
    assert outline(book)[1] == "The quay, fell down."


def test_a_note_in_mid_paragraph_does_not_cut_it(tmp_path: Path) -> None:
    note = "<span class='footnote' id='n'>Low water is when the mud shows.</span>"
    book = book_of(tmp_path, f"<p>The quay<a epub:type='noteref' href='#n'>1</a>{note} fell.</p>")
    assert outline(book) == ["# Ebb", "The quay fell."]
    assert rules(book) == [("note", "Low water is when the mud shows.")]


def test_endnotes_of_a_book_keep_their_heading_as_an_anchor(tmp_path: Path) -> None:
    documents = {
        "a.xhtml": f"<h1>Ebb</h1><p>{A}<a epub:type='noteref' href='n.xhtml#n1'>1</a></p>",
        "b.xhtml": f"<h1>Neap</h1><p>{B}<a epub:type='noteref' href='n.xhtml#n2'>2</a></p>",
        "n.xhtml": "<section epub:type='endnotes'><h2>Endnotes</h2><ol>"
        + "".join(f"<li id='n{n}' epub:type='endnote'><p>Note {n}.</p></li>" for n in (1, 2))
        + "</ol></section>",
    }
    contents = [("Ebb", "a.xhtml"), ("Neap", "b.xhtml"), ("Endnotes", "n.xhtml")]
    path = make(tmp_path / "b.epub", documents, contents=contents)
    book = read(path)
    assert headings(book) == ["Ebb", "Neap"]
    last = book.blocks[-1]
    assert (last.text, last.level, last.matter) == ("Endnotes", 1, "endnotes")
    assert rules(book) == [("note", "Note 1."), ("note", "Note 2.")]
    at_end = read(path, notes="end")
    assert [b.text for b in at_end.blocks if not b.matter] == ["Ebb", A, "Note 1.", "Neap", B, "Note 2."]
    inline = read(path, notes="inline")
    assert outline(inline)[1] == f"{A} [Note 1.]"
    assert not at_end.dropped and not inline.dropped


def test_body_text_behind_the_endnotes_is_not_cut_off_by_their_anchor(tmp_path: Path) -> None:
    documents = {
        "a.xhtml": f"<h1>Ebb</h1><p>{A}<a epub:type='noteref' href='n.xhtml#n1'>1</a></p>",
        "n.xhtml": "<section epub:type='endnotes'><h1>Endnotes</h1><p id='n1' epub:type='endnote'>Low.</p></section>",
        "z.xhtml": f"<h1>Afterword</h1><p>{B}</p>",
    }
    contents = [("Ebb", "a.xhtml"), ("Endnotes", "n.xhtml"), ("Afterword", "z.xhtml")]
    book = read(make(tmp_path / "b.epub", documents, contents=contents))
    assert [block.text for block in book.blocks] == ["Ebb", A, "Afterword", B, "Endnotes"]
    assert any("'Endnotes' now stands behind 'Afterword'" in warning for warning in book.warnings)


def test_notes_of_several_paragraphs_go_whole(tmp_path: Path) -> None:
    note = "<li id='n' epub:type='footnote'><p>Low.</p><blockquote><p>Very low.</p></blockquote></li>"
    book = book_of(tmp_path, f"<p>Quay<a epub:type='noteref' href='#n'>1</a>.</p><ol epub:type='footnotes'>{note}</ol>")
    assert rules(book) == [("note", "Low."), ("note", "Very low.")]


def test_permalinks_and_paragraph_numbers_go(tmp_path: Path) -> None:
    markup = f"<h2 id='s'>Mud<a class='headerlink' href='#s'>¶</a></h2><div><a href='#p7'>7</a></div><p id='p7'>{A}</p>"
    assert outline(book_of(tmp_path, markup))[1:] == ["## Mud", A]


def test_a_note_document_beside_the_text(tmp_path: Path) -> None:
    documents = {
        "a.xhtml": f"<h1>Ebb</h1><p>{A}<a epub:type='noteref' href='n.xhtml#n1'>*</a></p>",
        "n.xhtml": page("<h2>Notes</h2><p id='n1'><a href='a.xhtml'>*</a> Low.</p>"),
    }
    spine = ["a.xhtml", '<itemref idref="i1" linear="no"/>']
    book = read(make(tmp_path / "b.epub", documents, spine=spine))
    assert text(book) == f"Ebb {A}"


@pytest.mark.parametrize(
    ("mark", "notes"),
    [
        (
            "<a class='footnote-reference brackets' href='#n' id='r'>1</a>",
            "<dl class='footnote brackets'><dt class='label' id='n'><span class='brackets'>"
            "<a class='fn-backref' href='#r'>1</a></span></dt><dd><p>Low water.</p></dd>"
            "<dt class='label' id='m'><span class='brackets'>2</span></dt><dd><p>High water.</p></dd></dl>",
        ),
        (
            "<a class='footnote-reference brackets' href='#n' id='r' role='doc-noteref'>1</a>",
            "<aside class='footnote-list brackets'><aside class='footnote brackets' id='n' role='doc-footnote'>"
            "<span class='label'>[<a role='doc-backlink' href='#r'>1</a>]</span><p>Low water.</p></aside>"
            "<aside class='footnote brackets' id='m' role='doc-footnote'><span class='label'>[2]</span>"
            "<p>High water.</p></aside></aside>",
        ),
        (
            "<a class='footnote-reference' href='#n' id='r'>[1]</a>",
            "<table class='docutils footnote' id='n'><tr><td class='label'><a class='fn-backref' href='#r'>[1]</a></td>"
            "<td>Low water.</td></tr></table><aside class='footnote'><p>High water.</p></aside>",
        ),
        (
            "<sup><a href='#n' id='r'>1</a></sup>",
            "<dl><dt id='n'><a href='#r'>1</a></dt><dd>Low water.</dd></dl><aside class='footnote'>High water.</aside>",
        ),
        (
            "<a href='#n' id='r' class='footnote'><sup>[1]</sup></a>",
            "<div class='footnote' id='n'><p><a href='#r'><sup>[1]</sup></a>Low water.</p></div>"
            "<div class='footnote'><p>High water.</p></div>",
        ),
    ],
)
def test_a_note_of_a_list_is_its_own_text_without_its_label(tmp_path: Path, mark: str, notes: str) -> None:
    path = tmp_path / "b.epub"
    make(path, {"a.xhtml": page(f"<h1>Ebb</h1><p>Quay{mark} and weir.</p>{notes}<p>The tide turned.</p>")})
    assert text(read(path)) == "Ebb Quay and weir. The tide turned."
    inline = [block.text for block in read(path, notes="inline").blocks]
    assert inline == ["Ebb", "Quay [Low water.] and weir.", "High water.", "The tide turned."]
    at_end = [block.text for block in read(path, notes="end").blocks]
    assert [part.removeprefix("[1]") for part in at_end] == [
        *("Ebb", "Quay and weir.", "High water.", "The tide turned.", "Low water."),
    ]


def test_a_note_that_is_a_number_is_no_label(tmp_path: Path) -> None:
    notes = (
        "<section epub:type='endnotes'><ol><li id='n'><p>1588. <a epub:type='backlink' href='#r'>↩</a></p></li>"
        "<li id='m'><p>High water.</p></li></ol></section>"
    )
    path = make(
        tmp_path / "b.epub",
        {
            "a.xhtml": page(
                f"<p>In 88<a epub:type='noteref' href='#n'>1</a>.<a epub:type='noteref' href='#m'>2</a></p>{notes}"
            )
        },
    )
    assert read(path, notes="inline").blocks[0].text == "In 88 [1588.]. [High water.]"
