"""Where records begin, and that nothing falls between them."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookblend.build.split import compile_pattern, split
from bookblend.errors import ExpectationError, UsageError
from bookblend.markdown import parse


def _records(markdown, pattern=None):
    blocks = parse(markdown)
    spans = split(blocks, compile_pattern(pattern) if pattern else None)
    return [" / ".join(blocks[i].text for i in span) for span in spans]


def test_records_open_at_the_chapter_tier_only():
    assert _records("# A\n\nx\n\n## B\n\ny\n\n# C\n\nz") == ["A / x / B / y", "C / z"]


def test_consecutive_chapter_lines_open_one_record():
    assert _records("# Chapter Four\n\n# In Which\n\n# It Rains\n\nx") == ["Chapter Four / In Which / It Rains / x"]


def test_a_line_that_is_only_a_number_always_opens_a_record():
    assert _records("# Part One\n\n# I\n\n# The Oar\n\nx\n\n# 2.\n\ny") == ["Part One", "I / The Oar / x", "2. / y"]


def test_text_before_the_first_chapter_is_a_record_of_its_own():
    assert _records("## Foreword\n\nx\n\n# A\n\ny") == ["Foreword / x", "A / y"]


def test_heading_lines_alone_before_the_first_chapter_belong_to_it():
    assert _records("## The Book\n\n# A\n\ny") == ["The Book / A / y"]


def test_a_text_without_chapter_tier_is_one_record():
    assert _records("## A\n\nx\n\n## B\n\ny") == ["A / x / B / y"]


def test_a_pattern_opens_records_at_headings_of_any_tier_whatever_their_case():
    assert _records("## PREFACE\n\nx\n\n# Chapter 1\n\ny\n\n## Notes\n\nz", r"preface|chapter \d+") == [
        "PREFACE / x",
        "Chapter 1 / y / Notes / z",
    ]


def test_every_match_of_a_pattern_opens_a_record_also_consecutive_ones():
    assert _records("## Part I\n\n## 1 The Oar\n\nx", r"part [ivx]+$|\d ") == ["Part I", "1 The Oar / x"]


def test_a_pattern_matches_at_the_start_of_the_line_and_not_within():
    assert _records("## A chapter 1\n\nx\n\n## Chapter 1\n\ny", r"chapter \d") == ["A chapter 1 / x", "Chapter 1 / y"]


def test_a_pattern_does_not_match_text():
    assert _records("## A\n\nChapter 1\n\n## Chapter 1\n\ny", "chapter") == ["A / Chapter 1", "Chapter 1 / y"]


def test_a_pattern_may_have_typewriter_quotes_or_the_books_own():
    book = "## The Pilot’s Oath\n\nx\n\n## Other\n\ny"
    assert len(_records("## O\n\nz\n\n" + book, "the pilot's oath$")) == 2
    assert len(_records("## O\n\nz\n\n" + book, "the pilot’s oath$")) == 2


def test_text_before_the_first_match_is_a_record_of_its_own():
    assert _records("## Preface\n\nx\n\n## A. Writer\n\ny", "a. writer$") == ["Preface / x", "A. Writer / y"]


def test_a_pattern_that_matches_no_heading_is_an_error_that_shows_some():
    with pytest.raises(ExpectationError, match="'Preface'"):
        _records("## Preface\n\nx", "chapter")


def test_a_bad_pattern_is_a_usage_error_with_its_position():
    with pytest.raises(UsageError, match="at character 4"):
        compile_pattern("ab|(c")


def test_an_empty_body_has_no_records():
    assert split([], None) == []
    assert split([], re.compile("x")) == []


_LINES = st.sampled_from(["# I", "# Part One", "# The Oar", "## Sub", "## 3", "Words and words.", "\\# no heading"])


@given(st.lists(_LINES, min_size=1, max_size=12), st.none() | st.sampled_from(["part", r"\d", ".*", "the|sub"]))
def test_every_block_is_in_exactly_one_record_and_no_record_is_empty(lines, pattern):
    blocks = parse("\n\n".join(lines))
    compiled = re.compile(pattern, re.IGNORECASE) if pattern else None
    try:
        spans = split(blocks, compiled)
    except ExpectationError:
        assert not any(b.level and compiled.match(b.text) for b in blocks)
        return
    assert [i for span in spans for i in span] == list(range(len(blocks)))
    assert all(len(span) for span in spans)
