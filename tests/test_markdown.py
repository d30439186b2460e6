"""The markdown between the stages comes back as it was written, whatever stands in it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookblend.markdown import MarkdownBlock, normal, parse, parse_lines, render

# Text that tries to break the format: hashes, backslashes, blanks of all kinds, line ends.
_TRICKY = st.text(st.sampled_from(list("#\\ \t\n\rab.*_`~\u2028\u0085\u00a0\ufeff\0")), max_size=30)
# Lines that open and close fences, of several lengths and depths.
_FENCES = st.lists(st.sampled_from(["```", "~~~", "````", "  ```", "``` sh", "# a", "\\```", "", "  b"]), max_size=12)
_TEXT = _TRICKY | _FENCES.map("\n".join) | st.text(max_size=60)
_BLOCK = st.builds(normal, st.integers(0, 7), _TEXT) | st.builds(normal, st.just(0), _TEXT, code=st.just(True))
_BLOCKS = st.lists(_BLOCK, max_size=8).map(lambda blocks: [block for block in blocks if block])


@given(_BLOCKS)
def test_what_was_rendered_parses_to_the_same_blocks(blocks):
    assert parse(render(blocks)) == blocks


@given(_TEXT | st.text(max_size=200))
def test_what_was_parsed_renders_to_markdown_that_parses_alike(text):
    blocks = [clean for block in parse(text) if (clean := normal(block.level, block.text, code=block.code))]
    assert parse(render(blocks)) == blocks


def test_a_text_line_that_looks_like_a_heading_stays_text_even_indented():
    block = MarkdownBlock(0, "# one\n  ## two\n\\# three")
    assert parse(render([block])) == [block]
    assert "\n#" not in "\n" + render([block])


def test_hashes_at_the_end_of_a_heading_are_its_own():
    heading = MarkdownBlock(1, "Sonata in C #")
    assert parse(render([heading])) == [heading]


def test_closing_hashes_of_other_tools_are_marks_and_not_text():
    assert parse("## Notes ##\n") == [MarkdownBlock(2, "Notes")]


def test_deeper_tiers_read_as_the_second():
    assert [block.level for block in parse("# a\n## b\n### c\n###### d\n")] == [1, 2, 2, 2]


def test_blocks_know_the_line_they_begin_on():
    assert [line for line, _ in parse_lines("\n# a\nb\nc\n\n\nd\n## e")] == [2, 3, 7, 8]


def test_normal_leaves_nothing_that_cannot_be_written():
    assert normal(0, "a\0b\ud800\n \nc ") == MarkdownBlock(0, "ab\ufffd\nc")
    assert normal(1, " a\n b ") == MarkdownBlock(1, "a b")
    assert normal(0, " \n\u00a0") is None


CODE = MarkdownBlock(0, "all:\n\tcc -o a a.c\n\n# install it\n    x", code=True)


def test_code_stands_between_fences_with_its_lines_blanks_and_hashes_as_they_are():
    assert render([CODE]) == "```\nall:\n\tcc -o a a.c\n\n# install it\n    x\n```\n"
    assert parse(render([CODE])) == [CODE]


def test_a_fence_is_longer_than_any_run_of_backticks_in_the_code():
    block = MarkdownBlock(0, "```\nx ````` y", code=True)
    assert render([block]).startswith("``````\n")
    assert parse(render([block])) == [block]


def test_text_that_looks_like_a_fence_stays_text():
    block = MarkdownBlock(0, "~~~\n``` and on\n# x\n~~~")
    assert parse(render([block])) == [block]


@pytest.mark.parametrize(
    ("markdown", "text"),
    [
        ("```sh\nls\n# x\n```", "ls\n# x"),
        ("~~~ {.python}\n```\n~~~~", "```"),
        ("````\n```\nls\n````", "```\nls"),
        ("prose\n```\nls\n```\nmore", "ls"),
        ("1. item\n\n    ```\n    ls\n      -l\n    ```", "ls\n  -l"),
        ("```\nls\n\n# never closed", "ls\n\n# never closed"),
        ("~~~ sh\nls\n# never closed", "ls\n# never closed"),
        ("```\n\n  ls\n\n```", "  ls"),
    ],
)
def test_fences_of_other_tools_hold_code(markdown, text):
    assert [block.text for block in parse(markdown) if block.code] == [text]
    assert not any(block.level for block in parse(markdown))


@pytest.mark.parametrize("text", ["before\n\n~~~\n\n# Chapter\n\nafter", "```code``` within a line\n\n# Chapter"])
def test_an_ornament_of_tildes_or_code_within_a_line_opens_no_fence(text):
    assert [block.text for block in parse(text) if block.level] == ["Chapter"]
    assert not any(block.code for block in parse(text))


def test_empty_fences_hold_nothing():
    assert parse("```\n\n```\n# a") == [MarkdownBlock(1, "a")]
