"""Builds: titles, pages, counts, the words of records and raw text, and what is left out of them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookblend.build.builder import BuildOptions, build
from bookblend.build.records import parse_fields, verify_words
from bookblend.errors import ExpectationError, UsageError, VerificationError
from bookblend.manuscript import Manuscript, Mark, from_markdown
from bookblend.markdown import MarkdownBlock, normal

BOOK = from_markdown("# Preface\n\nWhy.\n\n# Chapter 1\n\n# The Oar\n\nOne  two.\n\n\\# three\n\n# Notes\n\nFour.")


def _texts(built):
    return [json.loads(line)["text"] for line in built.lines.splitlines()]


def _book(*rows):
    return Manuscript(tuple(MarkdownBlock(level, text) for level, text, _ in rows), tuple(mark for _, _, mark in rows))


def test_a_record_holds_its_blocks_without_markers_and_escapes_and_nothing_else():
    built = build(BOOK, "book", BuildOptions(start="chapter 1 the oar", end="notes"))
    assert [json.loads(line) for line in built.lines.splitlines()] == [
        {"text": "Chapter 1\n\nThe Oar\n\nOne  two.\n\n# three"}
    ]
    assert built.text == "Chapter 1\n\nThe Oar\n\nOne  two.\n\n# three\n"


def test_fields_are_added_in_the_order_asked_for():
    built = build(BOOK, "book", BuildOptions(start="chapter 1", end="notes", fields=("title", "id", "words")))
    assert list(json.loads(built.lines).items())[1:] == [("title", "The Oar"), ("id", "book-001"), ("words", 8)]


def test_an_unknown_field_is_a_usage_error():
    with pytest.raises(UsageError, match="no field 'colour'"):
        parse_fields("id,colour")


def test_line_separators_in_a_text_do_not_split_its_line():
    built = build(from_markdown("# A\n\nbefore\u2028after\u0085end"), "book", BuildOptions())
    assert len(built.lines.splitlines()) == 1
    assert _texts(built) == ["A\n\nbefore\u2028after\u0085end"]


def test_another_count_than_expected_lists_the_records_with_titles_and_sizes():
    with pytest.raises(ExpectationError, match=r"--expect 2: found 3 .*2 'The Oar' 8 words"):
        build(BOOK, "book", BuildOptions(expect=2))
    assert len(build(BOOK, "book", BuildOptions(expect=3)).records) == 3


def test_what_the_slice_left_out_is_counted():
    built = build(BOOK, "book", BuildOptions(start="chapter 1", end="notes"))
    assert built.outside == {"before": {"blocks": 2, "words": 2}, "after": {"blocks": 2, "words": 2}}


def test_a_part_page_that_flows_into_a_chapter_gives_the_chapters_title_and_both_pages():
    book = _book(
        (1, "PART ONE", Mark(page=1)),
        (1, "The Coast", Mark(page=1)),
        (1, "The Oar", Mark(page=3, evidence="outline")),
        (0, "Words.", Mark(page=3, end_page=4)),
    )
    (record,) = build(book, "book", BuildOptions()).records
    assert (record.title, record.first_page, record.last_page) == ("The Oar", 1, 4)
    assert (record.heading, record.evidence) == ("PART ONE The Coast The Oar", "outline")


def test_a_spine_item_tells_a_part_from_its_chapter_as_a_page_does():
    book = _book((1, "The Coast", Mark(item="p1.xhtml")), (1, "The Oar", Mark(item="c1.xhtml")), (0, "x", Mark()))
    assert build(book, "book", BuildOptions()).records[0].title == "The Oar"


@pytest.mark.parametrize(
    ("markdown", "pattern", "title"),
    [
        ("# IV\n\n## The Oar\n\nx", None, "The Oar"),
        ("## Chapter 4\n\n## The Oar\n\nx", "chapter", "The Oar"),
        ("## Preface\n\n## A first section\n\nx", "preface", "Preface"),
        ("# The Oar\n\n## A first section\n\nx", None, "The Oar"),
        ("Only words.", None, ""),
    ],
)
def test_a_label_alone_takes_the_next_heading_line_for_its_title(markdown, pattern, title):
    assert build(from_markdown(markdown), "book", BuildOptions(pattern=pattern)).records[0].title == title


def test_headings_without_chapter_tier_are_one_record_and_a_warning():
    built = build(from_markdown("## A\n\nx\n\n## B\n\ny"), "book", BuildOptions())
    assert len(built.records) == 1
    assert "--pattern" in built.warnings[0]
    assert not build(from_markdown("Only words."), "book", BuildOptions()).warnings


FRONT, BACK = Mark(matter="contents", page=2), Mark(matter="index", page=9)
MATTER = _book(
    (1, "Contents", FRONT),
    (0, "The Oar 3", FRONT),
    (1, "The Oar", Mark(page=3)),
    (0, "Words.", Mark(page=3)),
    (1, "Contents of Part Two", FRONT),
    (1, "Low Water", Mark(page=5)),
    (0, "More.", Mark(page=5)),
    (1, "Index", BACK),
    (0, "oar, 3", BACK),
)


@pytest.mark.parametrize(
    ("start", "end", "kept"),
    [
        (None, None, ["The Oar", "Words.", "Low Water", "More."]),
        ("The Oar", None, ["The Oar", "Words.", "Contents of Part Two", "Low Water", "More."]),
        (None, "Index", ["The Oar", "Words.", "Contents of Part Two", "Low Water", "More."]),
        ("Contents", "Low Water", ["Contents", "The Oar 3", "The Oar", "Words.", "Contents of Part Two"]),
        ("Low Water", "", ["Low Water", "More.", "Index", "oar, 3"]),
        ("Index", None, ["Index", "oar, 3"]),
    ],
)
def test_inferred_matter_goes_only_where_the_user_set_no_anchor(start, end, kept):
    assert build(MATTER, "book", BuildOptions(start=start, end=end)).text.split("\n\n") == [*kept[:-1], kept[-1] + "\n"]


def test_dropped_matter_is_on_the_ledger_with_its_side_and_place():
    entries = build(MATTER, "book", BuildOptions()).dropped
    assert [(e.stage, e.rule, e.place, e.text) for e in entries] == [
        ("build", "front matter: contents", "page 2", "Contents"),
        ("build", "front matter: contents", "page 2", "The Oar 3"),
        ("build", "inner matter: contents", "page 2", "Contents of Part Two"),
        ("build", "back matter: index", "page 9", "Index"),
        ("build", "back matter: index", "page 9", "oar, 3"),
    ]


def test_a_book_that_is_matter_from_end_to_end_is_kept():
    book = _book((1, "Index", BACK), (0, "oar, 3", BACK))
    assert build(book, "book", BuildOptions()).text == "Index\n\noar, 3\n"


def test_lost_added_and_changed_words_are_found():
    lines = '{"text": "a b"}\n{"text": "c d"}\n'
    verify_words(lines, "a b\n\nc d\n")
    for text, message in (
        ("a b c", "record 2 has 'd'"),
        ("a x c d", "record 1 has 'b'"),
        ("a b c d e", "goes on with 'e'"),
    ):
        with pytest.raises(VerificationError, match=message):
            verify_words(lines, text)


def test_an_empty_record_is_found():
    with pytest.raises(VerificationError, match="record 2 is empty"):
        verify_words('{"text": "a"}\n{"text": " "}\n', "a")


_TEXT = st.text(max_size=20) | st.sampled_from(["I", "Part One", "# x", "Chapter 1", "two\nlines", "a\u2028b"])
_BLOCK = st.builds(normal, st.integers(0, 2), _TEXT)
_MARK = st.builds(Mark, page=st.integers(0, 3), matter=st.sampled_from(["", "", "index"]))


@given(
    st.lists(st.tuples(_BLOCK, _MARK).filter(lambda pair: pair[0]), min_size=1, max_size=10),
    st.none() | st.sampled_from([".*", "i|part", r"\w"]),
)
def test_records_concatenated_equal_the_raw_text_word_for_word(pairs, pattern):
    book = Manuscript(tuple(block for block, _ in pairs), tuple(mark for _, mark in pairs))
    try:
        built = build(book, "book", BuildOptions(pattern=pattern))
    except ExpectationError:
        assert pattern
        return
    assert [word for text in _texts(built) for word in text.split()] == built.text.split()
    everything = sorted(f"{built.text} {' '.join(e.text for e in built.dropped)}".split())
    assert everything == sorted(" ".join(block.text for block in book.blocks).split())
