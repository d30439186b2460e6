"""A document read while it is parsed gives what its tree gives; what is out of the common is left to the tree."""

from typing import Any

import pytest
from tests.epub_fixtures import page

from bookblend.extract import epub_markup
from bookblend.extract.epub_blocks import Document
from bookblend.extract.epub_head import Head, head_of
from bookblend.extract.epub_stream import NeedsTreeError, read_document
from bookblend.extract.epub_style import Style, read_sheet
from bookblend.extract.epub_walk import Walker

_BODIES = {
    "paragraphs": "<p>The tide</p> <p id='a' class='x'> turned\n\tat <i>six</i>. </p>"
    "<div>So <b>it</b><p>was</p>said</div>",
    "headings": "<section epub:type='chapter'><header><h1>I</h1><p>Ebb</p></header><p>Text</p></section>",
    "breaks": "<p>one<br/>two<br/><br/>three</p><div class='verse'><p>Line<br/>Line</p></div><p>a<br/></p>",
    "notes": "<p>Word<a href='#n1' epub:type='noteref'>1</a> and<sup><a href='#n2'>2</a></sup> m<sup>2</sup></p>"
    "<p>H<sub>2</sub>O</p><aside id='n1' epub:type='footnote'><p>1 Note <a href='#r'>↩</a></p></aside><p id='n2'>2</p>",
    "inner note": "<p>Word<span epub:type='footnote' id='n'>inner note</span> goes on</p>",
    "tables": "<table><caption>Cap</caption><tr><td>a<table><tr><td>b</td></tr></table></td><td id='c'>c"
    "</td></tr></table>",
    "lists": "<ul><li>a</li><li>b<ol><li>c</li></ol>d</li></ul><dl><dt>t</dt><dd>d</dd></dl>",
    "code": "<pre> a\n  <b>b</b>\n\nc</pre><p>x <code>y</code></p>",
    "page breaks": "<p>The<span epub:type='pagebreak' id='p1' title='3'/> tide</p>"
    "<div epub:type='pagebreak'>4</div><p>x</p>",
    "hidden": "<p>a<span style='display:none'>b</span>c</p><div hidden='hidden'><p>d</p></div><p class='gone'>e</p>",
    "shown as blocks": "<p>a<span style='display:block'>b</span>c</p>",
    "pictures": "<h1><img alt='Ebb' src='x'/></h1><p><img alt='a ship' src='y'/>text</p><svg><text>t</text></svg>",
    "quotations": "<p>He said <q>no <q>inner</q></q></p><blockquote><p>Q</p>r</blockquote>",
    "other namespaces": "<math xmlns='http://www.w3.org/1998/Math/MathML'><mi>x</mi></math><p xmlns='urn:z'>z</p>",
    "links": "<p><a href='#x'>one</a> <a>two</a> <a href=''>three</a> <a href='#y'/><a id='y'/></p>",
    "boilerplate": "<div id='pg-header'><p>x</p></div><p>text</p>",
    "comments": "<p>a<!-- c -->b<?pi x?>c<![CDATA[<d>]]></p>",
    "characters": "<p>\u201c\u200a\u2018so\u00a0\u00a0it\u00ad \u2060was&#160;&#x2014; &amp;c</p>",
}


def _resolve(href: str) -> tuple[str, str]:
    return "a.xhtml", href.partition("#")[2]


def _style(head: Head) -> Style:
    return Style(read_sheet(text) for text in head.styles)


def _found(document: Document, walker: Walker) -> Any:
    pieces = [
        (p.text, p.kind, p.level, p.context.tag, p.note > 0, p.linked, p.targets, p.back, p.pictured, p.broken)
        for p in document.pieces
    ]
    places = (document.anchors, document.spans, document.anchor_types, document.asides, document.title)
    return pieces, places, document.pagebreaks, document.pictures, walker.references


def _by_tree(markup: bytes) -> Any:
    walker, document = Walker(), Document(0, "a.xhtml")
    root, _ = epub_markup.parse(markup)
    head = head_of(root)
    document.title = head.title
    walker.walk(root, document, _style(head), _resolve)
    return _found(document, walker)


def _by_stream(markup: bytes) -> Any:
    walker, document = Walker(), Document(0, "a.xhtml")
    plain = epub_markup.plain(markup)
    assert plain is not None
    read_document(plain, walker, document, _style, _resolve)
    return _found(document, walker)


@pytest.mark.parametrize("body", _BODIES.values(), ids=_BODIES)
def test_read_while_parsed_is_what_the_tree_gives(body: str) -> None:
    # Twice, so that what is remembered of the first half is looked up in the second.
    twice = body + body.replace("id='", "id='again-")
    markup = page(twice, head="<style>.gone { display: none }</style>").encode()
    assert _by_stream(markup) == _by_tree(markup)


@pytest.mark.parametrize(
    "body",
    [
        "<p>never closed",
        "<p>a</div>",
        "<p>&undeclared-entity;</p>",
        "<p foo:bar='1'>a prefix from nowhere</p>",
        "<div xmlns:epub='urn:other'><p epub:type='footnote'>a prefix that means something else</p></div>",
        "<p><img alt='T' src='t.png'/>he tide</p>",
        "<svg xmlns='http://www.w3.org/2000/svg'><text>only a drawing</text></svg>",
    ],
)
def test_what_is_out_of_the_common_is_left_to_the_tree(body: str) -> None:
    with pytest.raises(NeedsTreeError):
        _by_stream(page(body).encode())


def test_prefix_in_the_head_is_declared_or_left_to_the_tree() -> None:
    with pytest.raises(NeedsTreeError):
        _by_stream(page("<p>a</p>", head="<meta foo:bar='1'/>").encode())
