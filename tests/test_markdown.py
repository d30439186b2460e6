"""The markdown between the stages comes back as it was written, whatever stands in it."""

from hypothesis import given
from hypothesis import strategies as st

from bookblend.markdown import MarkdownBlock, normal, parse, parse_lines, render

# Text that tries to break the format: hashes, backslashes, blanks of all kinds, line ends.
_TRICKY = st.text(st.sampled_from(list("#\\ \t\n\rab.*_\u2028\u0085\u00a0\ufeff\0")), max_size=30)
_BLOCKS = st.lists(st.builds(normal, st.integers(0, 7), _TRICKY | st.text(max_size=60)), max_size=8).map(
    lambda blocks: [block for block in blocks if block]
)


@given(_BLOCKS)
def test_what_was_rendered_parses_to_the_same_blocks(blocks):
    assert parse(render(blocks)) == blocks


@given(_TRICKY | st.text(max_size=200))
def test_what_was_parsed_renders_to_markdown_that_parses_alike(text):
    blocks = [clean for block in parse(text) if (clean := normal(block.level, block.text))]
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
