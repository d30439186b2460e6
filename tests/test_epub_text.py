"""What of a document's markup is text, and how it is cut into blocks."""

import time
from pathlib import Path

import pytest
from epub_fixtures import make, outline, page, prose, read, rules, text
from hypothesis import given
from hypothesis import strategies as st

from bookblend.errors import InputError
from bookblend.extract.epub_lines import arrange, split_paragraphs, squeeze
from bookblend.extract.model import Book, Kind

# (libxml2 takes a minute for what takes a third of a second here.)
MANY_SECONDS = 20
A, B = prose("Atide"), prose("Btide")


def body(tmp_path: Path, markup: str, head: str = "", **options: object) -> Book:
    """A one-chapter book of that markup."""
    document = page(f"<h1>Ebb</h1>{markup}", head=head)
    return read(make(tmp_path / "b.epub", {"a.xhtml": document}, contents=[("Ebb", "a.xhtml")]), **options)


def texts(tmp_path: Path, markup: str, head: str = "") -> list[str]:
    return [block.text for block in body(tmp_path, markup, head).blocks if not block.level]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<p><span class='drop'>T</span>he bell</p>", "The bell"),
        ("<p><b>half</b><i>way</i> up</p>", "halfway up"),
        ("<p><span>A</span><span> </span><span>word</span> <span>apart</span></p>", "A word apart"),
        ("<p>exam<span epub:type='pagebreak' id='p12' title='12'/>ple</p>", "example"),
        ("<p>exam<span class='pagenum'>[Pg 12]</span>ple</p>", "example"),
        ("<p>exam<a id='p12' class='page-break'></a>ple</p>", "example"),
        ("<p>extra&#173;ordinary won\u200bder<wbr/>ful \u2060S\u2060\u2e3a</p>", "extraordinary wonderful S\u2e3a"),
        ("<p>5&#160;km\u2009\u2014\u202fgone</p>", "5 km \u2014 gone"),
        ("<p>\u201c\u200a\u2018Row\u2019\u200a\u201d</p>", "\u201c\u2018Row\u2019\u201d"),
        ("<p>H<sub>2</sub>O is 10<sup>6</sup> y<sup>e</sup> 1<sup>st</sup></p>", "H\u2082O is 10\u2076 ye 1st"),
        ("<p><img src='w.png' alt='W'/>hen the tide</p>", "When the tide"),
        ("<p><span class='cap'><img src='w.png' alt='W'/></span>hen the tide</p>", "When the tide"),
        ("<p>Seen <img src='w.png' alt='A weir'/>well</p>", "Seen well"),
        ("<p><ruby>\u9418<rp>(</rp><rt>\u304b\u306d</rt><rp>)</rp></ruby>\u304c</p>", "\u9418\u304c"),
        ("<p>He said <q>row <q>hard</q> now</q>.</p>", "He said \u201crow \u2018hard\u2019 now\u201d."),
        ("<p>He said <q>\u201crow\u201d</q>.</p>", "He said \u201crow\u201d."),
        ("<p>a<script>x()</script>b<style>p{}</style>c<!-- no -->d<template><p>e</p></template></p>", "abcd"),
        ("<p>a <object data='x'>fall</object><audio>back</audio><iframe src='y'>text</iframe> b</p>", "a b"),
        (
            "<p>Wait&nbsp;here&mdash;it is 5&deg; &amp; &unknown; 2 &lt; 3</p>",
            "Wait here\u2014it is 5\u00b0 & &unknown; 2 < 3",
        ),
    ],
)
def test_inline_markup(tmp_path: Path, markup: str, expected: str) -> None:
    assert texts(tmp_path, markup) == [expected]


def test_hidden_elements_are_no_text_and_are_on_record(tmp_path: Path) -> None:
    style = (
        "<style>.ghost{display:none} .shade{visibility:hidden} @media x {.seen{display:none}} .seen{color:red}</style>"
    )
    markup = (
        "<p hidden='hidden'>one</p><p style='DISPLAY : NONE ;'>two</p><p class='big ghost'>three</p>"
        "<div style='visibility:hidden'><p>four</p></div><p class='shade'>five</p>"
        "<p style='display:none-ish'>Seen.</p><p class='seen'>Seen too.</p>"
    )
    book = body(tmp_path, markup, style)
    assert outline(book) == ["# Ebb", "Seen.", "Seen too."]
    assert [entry for entry in rules(book) if entry[0] == "hidden"] == [
        ("hidden", word) for word in ("one", "two", "three", "four", "five")
    ]


def test_a_linked_style_sheet_hides_too(tmp_path: Path) -> None:
    document = page("<p class='gone'>no</p><p>yes</p>", head="<link rel='stylesheet' href='css/x.css'/>")
    path = make(tmp_path / "b.epub", {"a.xhtml": document}, more={"OEBPS/css/x.css": "p.gone, h7 { display: none }"})
    assert text(read(path)) == "yes"


def test_mathml_is_written_once(tmp_path: Path) -> None:
    formula = "<mrow><msup><mi>x</mi><mn>2</mn></msup><mo>+</mo><mfrac><mn>1</mn><mi>y</mi></mfrac></mrow>"
    plain = f"<p>Take <math xmlns='http://www.w3.org/1998/Math/MathML'>{formula}</math> now.</p>"
    note = "<annotation encoding='application/x-tex'>x^{2}+\\frac{1}{y}</annotation>"
    with_tex = plain.replace(formula, f"<semantics>{formula}{note}</semantics>")
    katex = plain.replace("</math>", "</math><span class='katex-html' aria-hidden='true'>x2+1/y</span>")
    bare = "<p>Take <math xmlns='http://www.w3.org/1998/Math/MathML' alttext='x squared'/> now.</p>"
    assert texts(tmp_path, plain) == ["Take x^2+1/y now."]
    assert texts(tmp_path, with_tex) == ["Take x^{2}+\\frac{1}{y} now."]
    assert texts(tmp_path, katex) == ["Take x^2+1/y now."]
    assert texts(tmp_path, bare) == ["Take x squared now."]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (f"<div>{A}<br/><br/>{B}</div>loose text<div>end.</div>", [A, B, "loose text", "end."]),
        (f"<div>{A}<br/>{B}<br/></div>", [A, B]),
        ("<p>AT&amp;T<br/>Line two</p>", ["AT&T Line two"]),
        ("<p>No. 4<br/>Quay Street<br/>Saltmarsh</p>", ["No. 4\nQuay Street\nSaltmarsh"]),
        ("<blockquote><p>row, row<br/>the tide is low</p></blockquote>", ["row, row\nthe tide is low"]),
        ("<blockquote><p>One line.</p><p>Two.</p></blockquote>", ["One line.", "Two."]),
        ("<div class='stanza'><div class='verse'>row</div><div class='verse'>low</div></div>", ["row\nlow"]),
        ("<div class='poem'><div class='line'>row</div><div class='line'>low</div></div>", ["row\nlow"]),
        ("<ul><li>oak</li><li>elm<ol><li>wych</li></ol>tail</li></ul>", ["oak", "elm", "wych", "tail"]),
        ("<dl><dt>Ebb</dt><dd>It falls.</dd></dl>", ["Ebb", "It falls."]),
        ("<pre>a  b\n   c\n\nd</pre>", ["a  b\n   c\n\nd"]),
        ("<figure><img src='a.png' alt='A weir'/><figcaption>Plate 1.</figcaption></figure>", ["Plate 1."]),
        (
            "<table><tr><th>Oar</th><th>Cost</th></tr><tr><td>ash</td><td><p>4</p></td></tr></table>",
            ["Oar\tCost\nash\t4"],
        ),
        ("<table><tr><td><p>Prose in one cell.</p></td></tr></table>", ["Prose in one cell."]),
        ("<p>One <a href='http://x.invalid/'><span>two</span></a></p><hr/><p>three</p>", ["One two", "three"]),
        ("<a href='#x'><p>In a link.</p></a>", ["In a link."]),
        ("<section><p>One</p>two<p>three</p></section>", ["One", "two", "three"]),
    ],
)
def test_blocks(tmp_path: Path, markup: str, expected: list[str]) -> None:
    assert texts(tmp_path, markup) == expected


def test_verse_of_spans_keeps_its_lines_and_kinds_are_told(tmp_path: Path) -> None:
    markup = (
        "<blockquote epub:type='z3998:verse'><p><span>Row</span><br/><span>low</span></p></blockquote>"
        f"<blockquote><p>{A}</p></blockquote><ul><li>oak</li></ul>"
    )
    book = body(tmp_path, markup)
    assert [(block.kind, block.text) for block in book.blocks[1:]] == [
        (Kind.VERSE, "Row\nlow"),
        (Kind.QUOTE, A),
        (Kind.ITEM, "oak"),
    ]


def test_verse_stays_verse_between_poems(tmp_path: Path) -> None:
    poem = "<div class='poem'><div class='line'>row</div><div class='line'>low</div></div>"
    assert texts(tmp_path, poem + poem) == ["row\nlow", "row\nlow"]


def test_old_gutenberg_page_numbers_and_boilerplate_go(tmp_path: Path) -> None:
    markup = (
        "<section class='pg-boilerplate' id='pg-header'><p>Terms of use.</p></section>"
        f"<p><span class='pagenum'><a name='Page_3' id='Page_3'>[3]</a></span>{A}</p>"
        "<div id='pg-footer'><p>Licence.</p></div>"
    )
    book = body(tmp_path, markup)
    assert outline(book) == ["# Ebb", A]
    assert ("gutenberg-boilerplate", "Terms of use.") in rules(book)
    assert book.evidence["page_breaks"] == 1


def test_gutenberg_separators_without_markup(tmp_path: Path) -> None:
    documents = {
        "a.xhtml": "<p>The Project Gutenberg EBook of Ebb</p><p>*** START OF THIS PROJECT GUTENBERG EBOOK EBB ***</p>"
        f"<h1>Ebb</h1><p>{A}</p>",
        "b.xhtml": f"<h1>Neap</h1><p>{B}</p><p>End of the Project Gutenberg EBook of Ebb</p>"
        "<p>*** END OF THIS PROJECT GUTENBERG EBOOK EBB ***</p><p>Licence.</p>",
    }
    assert outline(read(make(tmp_path / "b.epub", documents))) == ["# Ebb", A, "# Neap", B]


def test_a_link_back_to_the_contents_is_navigation(tmp_path: Path) -> None:
    book = body(tmp_path, f"<p>{A}</p><p><a href='nav.xhtml'>Back to contents</a></p>")
    assert outline(book) == ["# Ebb", A]


def test_deep_nesting_loses_nothing(tmp_path: Path) -> None:
    deep = "<span>" * 1500 + "deep" + "</span>" * 1500
    boxes = "<div>" * 900 + "box" + "</div>" * 900
    unclosed = "".join(f"<p><b>word{n} " for n in range(2500))
    assert texts(tmp_path, f"<p>{deep}</p>{boxes}") == ["deep", "box"]
    found = " ".join(texts(tmp_path, unclosed)).split()
    assert found == [f"word{n}" for n in range(2500)]
    for tag in ("div", "span", "sup"):
        nested = f"<{tag}>" * 50_000 + "deep" + f"</{tag}>" * 50_000
        assert texts(tmp_path, f"{nested}<p>after it</p>")[-1] == "after it", tag


def test_a_tag_of_very_many_attributes_costs_no_more_than_its_size(tmp_path: Path) -> None:
    attributes = " ".join(f"a{n}='{n}'" for n in range(100_000))
    started = time.monotonic()
    assert texts(tmp_path, f"<p {attributes}>{A}</p>") == [A]
    assert time.monotonic() - started < MANY_SECONDS


def test_a_page_that_is_a_drawing_gives_its_text(tmp_path: Path) -> None:
    svg = "<svg xmlns='http://www.w3.org/2000/svg'><title>no</title><text>Tide <tspan>table</tspan></text></svg>"
    path = make(tmp_path / "b.epub", {"a.xhtml": svg, "b.xhtml": f"<p>{A}</p>{svg}"})
    assert text(read(path)) == f"Tide table {A}"


def test_switch_shows_one_way(tmp_path: Path) -> None:
    markup = (
        "<p><epub:switch><epub:case required-namespace='urn:x'>no</epub:case>"
        "<epub:default>yes</epub:default></epub:switch></p>"
    )
    assert texts(tmp_path, markup) == ["yes"]


def test_dtbook_is_read(tmp_path: Path) -> None:
    dtbook = (
        "<?xml version='1.0'?><dtbook xmlns='http://www.daisy.org/z3986/2005/dtbook/'><book><bodymatter><level1>"
        "<h1>Ebb</h1><pagenum>3</pagenum><p>One<noteref idref='#n1'>1</noteref> tide.</p>"
        "<note id='n1'><p>Low water.</p></note></level1></bodymatter></book></dtbook>"
    )
    assert outline(read(make(tmp_path / "b.epub", {"a.xml": dtbook}))) == ["# Ebb", "One tide."]


@given(st.text(alphabet=st.sampled_from("ab \t\n\u00a0\u00ad\u200a\u2060\u201c\u2018"), max_size=40))
def test_squeezed_text_has_single_blanks_and_is_squeezed(raw: str) -> None:
    once = squeeze(raw)
    assert squeeze(once) == once
    assert once == once.strip() and "  " not in once and not set(once) & set("\t\n\u00a0\u00ad\u200a\u2060")


@given(st.lists(st.sampled_from(["\x01", "\x04", "word ", " long" * 40, "\n"]), max_size=20))
def test_line_breaks_keep_every_word_in_order(parts: list[str]) -> None:
    pieces = [piece for lines in split_paragraphs("".join(parts)) for piece in arrange(lines, verse=False, quote=False)]
    assert all(piece.strip() == piece and piece and "\n\n" not in piece for piece in pieces)
    assert " ".join(pieces).split() == "".join(p if p not in "\x01\x04" else " " for p in parts).split()


def test_no_text_is_an_error_that_says_so(tmp_path: Path) -> None:
    path = make(tmp_path / "b.epub", {"a.xhtml": "<p><img src='a.png' alt='A weir'/></p>"})
    with pytest.raises(InputError, match=r"b\.epub: no text in its 1 documents, only 1 pictures"):
        read(path)
