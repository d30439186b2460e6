"""Labels of parts and chapters are told from titles, in figures, roman numerals and words."""

import pytest

from bookblend.extract import labels


@pytest.mark.parametrize(
    "text",
    [
        *("CHAPTER ONE", "Chapter 4", "Part II.", "Lectures IV and V", "— Kapitel 3 —", "Book the First", "First Book"),
        *("Chapter Twenty-one", "CHAPTER FIFTY ONE", "Часть первая", "ΜΈΡΟΣ 2", "3.", "XII", "*2*"),
    ],
)
def test_labels_are_labels(text: str) -> None:
    assert labels.is_label(text)


@pytest.mark.parametrize(
    "text",
    [
        "Chapter 4: Pirates",
        "One Thousand",
        "chapter_IV",
        "The Book",
        "Part of one",
        "A chapter of one",
        "One more book",
        "",
    ],
)
def test_titles_are_no_labels(text: str) -> None:
    assert not labels.is_label(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Chapter 4: Pirates", True),
        ("Part One — The Weir", True),
        ("Teil zwei. Die Flut", True),
        ("Chapters of one life", False),
        ("Partly one", False),
        ("A chapter 4", False),
        ("Chapter 4 " + "and so on " * 1000, True),
    ],
)
def test_texts_that_open_with_a_label(text: str, expected: bool) -> None:
    assert labels.is_labelled(text) is expected
