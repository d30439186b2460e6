"""Code in EPUBs: preformatted text of many tools keeps its lines, and only its lines."""

from pathlib import Path

import pytest
from epub_fixtures import make, page, prose, read, rules

from bookblend.extract.model import Book, Kind

A = prose("Atide")


def body(tmp_path: Path, markup: str, **options: object) -> Book:
    """A one-chapter book of that markup."""
    document = page(f"<h1>Ebb</h1><p>{A}</p>{markup}")
    return read(make(tmp_path / "b.epub", {"a.xhtml": document}, contents=[("Ebb", "a.xhtml")]), **options)


def codes(book: Book) -> list[str]:
    return [block.text for block in book.blocks if block.kind is Kind.CODE]


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<pre>\nall:\n\tcc a.c\n\n# done\n  x\n\n</pre>", "all:\n\tcc a.c\n\n# done\n  x"),
        ("<pre><code>if a:\n    b\n</code></pre>", "if a:\n    b"),
        # DocBook
        ('<pre class="screen"><code class="prompt">$ </code><strong class="userinput">ls</strong>\na</pre>', "$ ls\na"),
        ('<pre class="literallayout">one<br/>  two<br/></pre>', "one\n  two"),
        # Sphinx and docutils
        ('<div class="highlight"><pre><span></span><span class="k">int</span> a;\n</pre></div>', "int a;"),
        ('<pre class="literal-block">a\n  b</pre>', "a\n  b"),
        # pandoc
        (
            '<div class="sourceCode" id="cb1"><pre class="sourceCode bash"><code class="sourceCode bash">'
            '<span id="cb1-1"><a href="#cb1-1" aria-hidden="true" tabindex="-1"></a>ls</span>\n'
            '<span id="cb1-2"><a href="#cb1-2" aria-hidden="true" tabindex="-1"></a>  cd</span></code></pre></div>',
            "ls\n  cd",
        ),
        # Asciidoctor
        ('<pre class="source"><code>puts 1 <i class="conum"></i><b>(1)</b>\nend</code></pre>', "puts 1 (1)\nend"),
        # A list item or a block a line
        ('<pre><ol class="linenums"><li>a = 1</li><li>  b</li></ol></pre>', "a = 1\n  b"),
        ("<pre><code><div>a</div><div>  b</div>\nc</code></pre>", "a\n  b\nc"),
        ("<pre>\n<div>\na\n</div>\n  <div>  b</div>c\n\nd</pre>", "a\n  b\nc\n\nd"),
        # Converters indent with hard blanks.
        ("<pre>a:\n&#160;&#160;b&#173;\u200b</pre>", "a:\n  b"),
        ("<blockquote><pre>a\nb</pre></blockquote>", "a\nb"),
        ("<ul><li>Run: <pre>a\nb</pre></li></ul>", "a\nb"),
    ],
)  # fmt: skip
def test_preformatted_text_is_code_with_its_lines(tmp_path: Path, markup: str, expected: str) -> None:
    assert codes(body(tmp_path, markup)) == [expected]


@pytest.mark.parametrize(
    "markup",
    [
        # Pygments, inline and as a table
        '<pre><span class="linenos">1</span>a = 1\n<span class="linenos">2</span>  b</pre>',
        '<table class="highlighttable"><tr><td class="linenos"><div class="linenodiv"><pre>1\n2</pre></div></td>'
        '<td class="code"><div class="highlight"><pre>a = 1\n  b\n</pre></div></td></tr></table>',
        # Rouge
        '<table class="rouge-table"><tbody><tr><td class="rouge-gutter gl"><pre class="lineno">1\n2\n</pre></td>'
        '<td class="rouge-code"><pre>a = 1\n  b\n</pre></td></tr></tbody></table>',
        # highlight.js
        '<pre><code><table class="hljs-ln"><tr><td class="hljs-ln-numbers">1</td><td class="hljs-ln-code">a = 1</td>'
        '</tr><tr><td class="hljs-ln-numbers">2</td><td class="hljs-ln-code">  b</td></tr></table></code></pre>',
    ],
)
def test_line_numbers_are_no_code_and_go_to_the_ledger(tmp_path: Path, markup: str) -> None:
    book = body(tmp_path, markup)
    assert codes(book) == ["a = 1\n  b"]
    assert ("line-numbers", "1 2") in rules(book)


def test_figures_that_are_not_called_line_numbers_stay(tmp_path: Path) -> None:
    assert codes(body(tmp_path, "<pre><span class='n'>1</span> a\n<span class='lineno'>2b</span></pre>")) == ["1 a\n2b"]


@pytest.mark.parametrize("around", ["<div class='poem'>{}</div>", "<div class='verseblock'>{}</div>"])
def test_preformatted_verse_is_verse_a_stanza_a_block(tmp_path: Path, around: str) -> None:
    book = body(tmp_path, around.format("<pre>row\n  low\n\nebb</pre>"))
    assert [block.text for block in book.blocks if block.kind is Kind.VERSE] == ["row\n  low", "ebb"]
    assert not codes(book)


def test_code_in_a_table_keeps_its_lines_and_commands_of_one_line_stay_in_their_rows(tmp_path: Path) -> None:
    row = "<table><tr><td>List</td><td><pre>{}</pre></td></tr></table>"
    assert codes(body(tmp_path, row.format("ls\n  -l"))) == ["ls\n  -l"]
    rows = [block.text for block in body(tmp_path, row.format("ls -l")).blocks if block.kind is Kind.TABLE]
    assert rows == ["List\tls -l"]


def test_code_in_a_note_that_is_kept_keeps_its_lines(tmp_path: Path) -> None:
    markup = (
        "<p>Said<a epub:type='noteref' href='#n1'>1</a> so.</p>"
        "<aside epub:type='footnote' id='n1'><p>See:</p><pre>ls\n  -l</pre></aside>"
    )
    assert codes(body(tmp_path, markup, notes="end")) == ["ls\n  -l"]
    assert not codes(body(tmp_path, markup))
