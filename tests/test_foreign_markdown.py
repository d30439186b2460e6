"""Markdown of other tools: what stands on the page comes out, marks go, and what is no text is in the ledger."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookblend.extract.markdown_blocks import read_markdown
from bookblend.extract.markdown_inline import plain
from bookblend.markdown import MarkdownBlock


def blocks(text: str, notes: str = "drop") -> list[MarkdownBlock]:
    return list(read_markdown(text, notes).manuscript.blocks)


def texts(text: str, notes: str = "drop") -> list[str]:
    return [block.text for block in blocks(text, notes)]


def ledger(text: str, notes: str = "drop") -> list[tuple[str, str, str]]:
    return [(entry.rule, entry.place, entry.text) for entry in read_markdown(text, notes).dropped]


@pytest.mark.parametrize(
    ("marked", "bare"),
    [
        ("a *word* and **two** and ***three***", "a word and two and three"),
        ("a _word_ and __two words__, _“quoted”_", "a word and two words, “quoted”"),
        ("**the *inner* mark** and *over\na line*", "the inner mark and over\na line"),
        ("**W**hen the tide", "When the tide"),
        ("这是**粗体**文本", "这是粗体文本"),
        ("~~gone~~ stays", "gone stays"),
        ("the `ls -l *.c` and `` a ` b ``", "the ls -l *.c and a ` b"),
        ("see [the *map*](maps/a.html \"Map\") and <https://a.invalid/b>", "see the map and https://a.invalid/b"),
        ("the [map](https://a.invalid/b-\n  c/d_(e).html) of it", "the map of it"),
        ("[a (b)](c_(d)) [e]{.smallcaps}", "a (b) e"),
        (r"a\_b \* \# 1\. \[sic\]", "a_b * # 1. [sic]"),
        ("Q&amp;A &lt;x&gt; caf&eacute; &#8212;&nbsp;end", "Q&A <x> café — end"),
        ("H<sub>2</sub>O, 10<sup>6</sup>, <b>bold</b><br/>next<span id='p'></span>", "H₂O, 10⁶, bold\nnext"),
        ("<tr><td>oar</td><td>4</td></tr>", "oar | 4"),
        ("one  \ntwo\\\nthree", "one\ntwo\nthree"),
        ("![a map](map.png){width=50%} The map", "The map"),
        ("The ![seal](s.png) seal", "The seal"),
    ],
)  # fmt: skip
def test_marks_within_a_line_go_and_what_they_mark_stays(marked, bare):
    assert texts(marked) == [bare]


@pytest.mark.parametrize(
    "text",
    [
        "2*3*4 and 5 * 6 * 7",
        "the snake_case_name and __init__ of it",
        "a note* and another*",
        "either (*) or (*)",
        "costs $5 and then $6",
        "let $a_1*b*c_2$ and $$x_i *y* z_i$$ be",
        "run it as <newversion> or a < b > c",
        "AT&T and &c; so on",
        "an unclosed *mark and [bracket",
        "x[1] and [^2] and [so]",
        "* * *",
        "12. Eels\n13. Oars",
        "- Oui, dit-il.",
        "C:\\temp",
        "~~~",
    ],
)
def test_what_only_looks_like_a_mark_is_text(text):
    assert texts(text) == [text]
    assert not ledger(text)


def test_headings_of_both_kinds_with_marks_and_attributes():
    text = "The *Oar*\n=====\n\nLow\n---\n\n## Ebb ##\n\n### Flood {#sec .x}\n\n<h1 align='center'>Tide</h1>\nText"
    assert [(b.level, b.text) for b in blocks(text)] == [
        (1, "The Oar"),
        (2, "Low"),
        (2, "Ebb"),
        (2, "Flood"),
        (1, "Tide"),
        (0, "Text"),
    ]


@pytest.mark.parametrize(
    "text",
    ["One line\nand two\n---", "Text\n\n---\n\nmore", "- item\n---", "---\n\ntext", "Text\n--", "***\n---"],
)
def test_a_rule_makes_no_heading_of_what_is_no_title(text):
    assert not any(block.level for block in blocks(text))


def test_front_matter_names_title_author_and_language_and_goes_to_the_ledger():
    head = "---\ntitle: 'The Ferry''s: a book'\nauthor:\n- A. Nonesuch\n- name: B. Other\nlang: en\ndate: x\n---"
    read = read_markdown(f"{head}\n\n# One\n")
    assert read.book == {"title": "The Ferry's: a book", "author": "A. Nonesuch, B. Other", "language": "en"}
    assert [(e.rule, e.text) for e in read.dropped] == [("front matter", head)]
    assert [b.text for b in read.manuscript.blocks] == ["One"]
    assert str(read.manuscript.marks[0]) == "line 10"


@pytest.mark.parametrize(
    ("head", "book"),
    [
        ("title: Ferry # x\nauthors: [A. One, \"B. Two\"]", {"title": "Ferry", "author": "A. One, B. Two"}),
        ('title: "A \\"b\\""\nauthor: C', {"title": 'A "b"', "author": "C"}),
        ("title: >\n  The\n  Ferry\nkeys:\n  title: no", {"title": "The Ferry"}),
        ("date: 2020", {}),
    ],
)  # fmt: skip
def test_front_matter_in_its_plain_forms(head, book):
    assert read_markdown(f"---\n{head}\n...\n\ntext").book == book


def test_toml_front_matter_too():
    assert read_markdown('+++\ntitle = "Ferry"\n+++\ntext').book == {"title": "Ferry"}


@pytest.mark.parametrize(
    "text", ["---\n\nA dream.\n\n---\n", "---\nA dream, no key\n---\n", "---\ntitle: x\n\nnever closed"]
)
def test_a_rule_at_the_head_is_no_front_matter(text):
    assert not read_markdown(text).book
    assert "front matter" not in [rule for rule, _, _ in ledger(text)]


def test_comments_go_wherever_they_stand_and_part_nothing():
    text = "<!-- page 1 -->\n\nOne\n<!-- page 2 -->\ntwo.<!-- x --> Three <!-- y --> four\n\n<!--\nlong\n\none --> five"
    assert texts(text) == ["One\ntwo. Three four", "five"]
    assert [place for rule, place, _ in ledger(text) if rule == "comment"] == [
        "line 1",
        "line 4",
        "line 5",
        "line 5",
        "line 7",
    ]
    assert ledger(text)[-1][2] == "<!--\nlong\n\none -->"


def test_a_comment_that_is_never_closed_or_only_spoken_of_swallows_nothing():
    assert texts("The sign `<!--` opens.\n\nText.\n\n<!-- a -->\nmore") == ["The sign <!-- opens.", "Text.", "more"]
    assert "after" in texts("<!-- open\n\nafter")[-1]


def test_a_table_is_a_row_a_line_without_the_line_of_dashes():
    text = "Prices\n| Oar | *Cost* |\n|:----|-----:|\n| ash \\| elm | `4` |\n|  | 5 |\n\nx | y"
    assert texts(text) == ["Prices", "Oar | Cost\nash | elm | 4\n| 5", "x | y"]
    assert texts("a | b\n--- | ---\nc | d") == ["a | b\nc | d"]


def test_pictures_go_with_their_words_and_links_to_nowhere_leave_theirs():
    text = (
        "![A weir][w] [![alt](a.png)](b) See [the map][m] and [m] and [other].\n\n"
        "[m]: http://a.invalid/ 'T'\n[w]: ./w.png"
    )
    assert texts(text) == ["See the map and m and [other]."]
    assert [(rule, what) for rule, _, what in ledger(text)] == [
        ("image", "![A weir][w]"),
        ("image", "![alt](a.png)"),
        ("link target", "[m]: http://a.invalid/ 'T'"),
        ("link target", "[w]: ./w.png"),
    ]


NOTED = (
    "# One\n\nA word[^1] here.\n\n# Two\n\nMore[^b]; so^[said *here*].\n\n"
    "[^1]: The first\n    note.\n\n    And on.\n[^b]: Second.\n[^c]: Nobody's.\n\nEnd."
)


def test_notes_are_dropped_with_their_marks():
    assert texts(NOTED) == ["One", "A word here.", "Two", "More; so.", "End."]
    assert ledger(NOTED) == [
        ("note", "line 7", "said *here*"),
        ("note", "line 9", "The first note. And on."),
        ("note", "line 13", "Second."),
        ("note", "line 14", "Nobody's."),
    ]


def test_notes_are_gathered_behind_their_chapter():
    assert texts(NOTED, "end") == [
        "One", "A word here.", "The first note. And on.", "Two", "More; so.", "End.", "Second.", "Nobody's."
    ]  # fmt: skip


def test_notes_are_kept_in_place():
    assert texts(NOTED, "inline") == [
        "One", "A word [The first note. And on.] here.", "Two", "More [Second.]; so [said here].", "End.", "Nobody's."
    ]  # fmt: skip


def test_code_is_code_and_nothing_in_it_is_a_mark():
    code = "# make *all*\n\n[^1]: x\n<!-- y -->\n&amp; \\_"
    assert blocks(f"text\n```sh\n{code}\n```\n\n[^1]: note") == [
        MarkdownBlock(0, "text"),
        MarkdownBlock(0, code, code=True),
    ]
    assert blocks("~~~\na *b*\n~~~") == [MarkdownBlock(0, "a *b*", code=True)]


def test_indented_lines_are_code_only_where_they_look_like_it():
    assert blocks("Run:\n\n    ./configure --prefix=/usr\n      make\n\nDone.")[1] == MarkdownBlock(
        0, "./configure --prefix=/usr\n  make", code=True
    )
    assert not any(block.code for block in blocks("He sang:\n\n    Row the boat,\n    row the boat.\n"))
    assert not any(block.code for block in blocks("1. Run\n\n    ./configure --prefix=/usr\n"))


def test_quotations_and_lines_of_verse_lose_their_signs():
    assert texts("> said *so*\n> and on\n>\n> more\n\n| Row the boat,\n|   row on") == [
        "said so\nand on",
        "more",
        "Row the boat,\n  row on",
    ]
    assert texts("::: {.note}\nInside.\n:::") == ["Inside."]


def test_blocks_know_their_lines_where_lines_before_them_went():
    read = read_markdown("<!-- a\nb -->\none\n\n[^1]: note\ntwo\n\n# three\n")
    assert [
        (mark.line, block.text) for block, mark in zip(read.manuscript.blocks, read.manuscript.marks, strict=True)
    ] == [
        (3, "one"),
        (8, "three"),
    ]


@given(st.text(st.sampled_from(list("*_^\\|#>-=+.:!(\n ab12\t\r\u00a0\0"))))
def test_no_letter_is_lost_without_a_word_in_the_ledger(text):
    read = read_markdown(text)
    found = "".join(block.text for block in read.manuscript.blocks) + "".join(entry.text for entry in read.dropped)
    assert [found.count(letter) for letter in "ab"] == [text.count(letter) for letter in "ab"]


@given(st.text(st.sampled_from(list("[]()^:!<>-&;{}*_`~$\\\n |#a/1 ")), max_size=60) | st.text(max_size=60))
@pytest.mark.parametrize("notes", ["drop", "end", "inline"])
def test_any_text_can_be_read(notes, text):
    read = read_markdown(text, notes)
    assert len(read.manuscript.blocks) == len(read.manuscript.marks)
    assert all(block.text.strip() for block in read.manuscript.blocks)


@pytest.mark.parametrize(
    "piece", ["*a ", "[", "`", "$", "![a](", "<a ", "**a", "_a_", "\\[", "[a", "<!--", "[^1]: a\n"]
)
def test_marks_that_are_never_closed_cost_no_time(piece):
    begun = time.monotonic()
    read_markdown(piece * (40_000 // len(piece)))
    assert time.monotonic() - begun < 5


def test_plain_says_which_notes_a_text_refers_to():
    done = plain("a[^1] b[^x]", note={"1": ""}.get)
    assert (done.text, done.notes) == ("a b[^x]", ["1"])
