"""What a heading line says: numbers, labels, titles, and how it compares."""

import pytest

from bookblend.build.headings import Heading, fold, is_label, is_number, plain, read_heading


@pytest.mark.parametrize("line", ["7", "12.", "IV", "xii.", "XXXX", "1984", "**3**", " II "])
def test_digits_and_roman_numerals_are_only_a_number(line):
    assert is_number(line)


@pytest.mark.parametrize("line", ["MIX", "Civil", "DIM", "Dix", "I am", "1a", "", ".", "Ii", "VX", "1.2"])
def test_words_and_other_things_are_no_number(line):
    assert not is_number(line)


@pytest.mark.parametrize(
    "line",
    [
        "CHAPTER ONE",
        "Chapter 4",
        "chapter iv.",
        "Part Two",
        "PART THE SECOND",
        "Chapter Twenty-One",
        "IV",
        "Book III —",
    ],
)
def test_a_unit_and_its_number_are_a_bare_label(line):
    assert is_label(line)


@pytest.mark.parametrize(
    "line", ["Chapter and verse", "Part of it", "CHAPTER 3 Of Eels", "Prologue", "The First Frost"]
)
def test_a_line_that_says_more_is_no_label(line):
    assert not is_label(line)


@pytest.mark.parametrize(
    ("lines", "title", "label"),
    [
        (["CHAPTER FOUR", "In Which the Boat", "Is Late"], "In Which the Boat Is Late", "CHAPTER FOUR"),
        (["IV THE LOWER SLUICE"], "IV THE LOWER SLUICE", ""),
        (["Chapter 9"], "Chapter 9", ""),
        (["PART ONE", "The Coast", "Chapter 1", "The Oar"], "The Oar", "Chapter 1"),
        (["The Oar", "Chapter 1"], "The Oar", "Chapter 1"),
        (["Part One", "Chapter 1"], "Chapter 1", "Part One"),
        ([], "", ""),
    ],
)
def test_a_title_is_the_heading_lines_without_the_bare_label(lines, title, label):
    assert read_heading(lines) == Heading(title, label)


def test_headings_compare_whatever_their_case_blanks_quotes_and_dashes():
    assert fold("The  Ferryman’s\u00a0“Oath” — told") == fold('the ferryman\'s "OATH" - told')


def test_marks_of_converters_do_not_count():
    assert plain("**Salt &amp; _Sand_**") == "Salt & Sand"
    assert plain("a * b * c") == "a * b * c"
    assert plain("snake\\_case_name") == "snake_case_name"
