"""Anchors find the heading they name, or say what stands there instead."""

import pytest

from bookblend.build.anchors import Slice, find_slice
from bookblend.errors import ExpectationError
from bookblend.manuscript import Manuscript, Mark, from_markdown
from bookblend.markdown import MarkdownBlock

BOOK = from_markdown(
    """# Contents

# The Oar

12

# Preface

Before all.

# Chapter One

# The Oar

## “Low” Water

First.

# Notes

Last.
"""
)


def _texts(book, found):
    return [block.text for block in book.blocks[found.start : found.end]]


def test_a_heading_matches_whatever_its_case_tier_blanks_and_quotes():
    assert find_slice(BOOK, '  "low"  WATER', None) == Slice(7, 11)


def test_a_heading_matches_only_whole():
    with pytest.raises(ExpectationError, match="--start 'Low'"):
        find_slice(BOOK, "Low", None)


def test_text_that_is_no_heading_does_not_match():
    with pytest.raises(ExpectationError):
        find_slice(BOOK, "First.", None)


def test_where_a_heading_stands_twice_the_last_one_counts():
    assert find_slice(BOOK, "The Oar", None).start == 6
    assert find_slice(BOOK, None, "The Oar").end == 6


def test_a_run_of_consecutive_heading_lines_is_an_anchor():
    assert find_slice(BOOK, "chapter one the oar", None).start == 5


def test_a_run_does_not_reach_over_text():
    with pytest.raises(ExpectationError):
        find_slice(BOOK, "Preface Chapter One", None)


def test_start_is_inclusive_and_end_exclusive():
    assert _texts(BOOK, find_slice(BOOK, "Preface", "Chapter One")) == ["Preface", "Before all."]


@pytest.mark.parametrize("nothing", ["", None])
def test_no_anchor_means_the_texts_own_start_and_end(nothing):
    assert find_slice(BOOK, nothing, nothing) == Slice(0, len(BOOK.blocks))


@pytest.mark.parametrize(("start", "end"), [("Notes", "Preface"), ("Preface", "preface")])
def test_an_end_that_does_not_stand_after_the_start_is_an_error_that_names_both_places(start, end):
    with pytest.raises(ExpectationError, match=r"line \d+.*line \d+"):
        find_slice(BOOK, start, end)


def test_a_missed_anchor_offers_the_nearest_headings_and_where_they_are():
    with pytest.raises(ExpectationError, match=r"nearest .*'Preface' \(line 7\)"):
        find_slice(BOOK, "Prefaces", None)


def test_a_missed_anchor_offers_near_runs_of_two_lines_as_well():
    with pytest.raises(ExpectationError, match="'Chapter One The Oar'"):
        find_slice(BOOK, "Chapter One: The Oar", None)


def test_a_missed_anchor_like_nothing_there_offers_the_first_headings():
    with pytest.raises(ExpectationError, match="first ones are 'Contents'"):
        find_slice(BOOK, "Zzzzzz", None)


def test_a_text_without_headings_says_so():
    with pytest.raises(ExpectationError, match="no headings"):
        find_slice(from_markdown("Just words."), "Preface", None)


def test_pages_are_named_where_they_are_known():
    book = Manuscript((MarkdownBlock(1, "Preface"),), (Mark(page=9),))
    with pytest.raises(ExpectationError, match=r"'Preface' \(page 9\)"):
        find_slice(book, "Prefac", None)


def test_anchors_are_found_on_headings_of_inferred_matter():
    book = Manuscript((MarkdownBlock(1, "Index"),), (Mark(matter="index"),))
    assert find_slice(book, "Index", None) == Slice(0, 1)
