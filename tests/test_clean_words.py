"""Repairs of words: broken over lines, split by a blank, set letter by letter; and the words they must leave."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookblend.clean.hyphens import Lexicon
from bookblend.clean.spaced import spaced
from bookblend.clean.splits import Splits
from bookblend.clean.wraps import wraps

PLAIN = "The man said that it was not for him, but the keeper of the port with her boats was sure of it. "


def lexicon(*texts: str) -> Lexicon:
    book = Lexicon("en")
    for text in (PLAIN, *texts):
        book.add(text)
    return book


@pytest.mark.parametrize(
    ("broken", "whole"),
    [
        ("could not remem-\nber the tide", "could not remember\nthe tide"),
        ("could not remem-\n   ber the tide", "could not remember\n   the tide"),
        ("could not remem‐\nber.", "could not remember."),
        ("har\u00ad\nbour lights", "harbour\nlights"),
        ("the self-\nmade man", "the self-made\nman"),
        ("the 10-\n20 boats", "the 10-20\nboats"),
        ("re-\nmem-\nber", "remember"),
        ("could remem- ber it", "could remember it"),
    ],
)
def test_broken_words_are_closed_up(broken: str, whole: str) -> None:
    assert wraps(broken, lexicon(broken)) == whole


@pytest.mark.parametrize(
    "text",
    [
        "The pre-\nand post-war fleets",
        "long- and short-styled flowers",
        "two- or three-masted",
        "He would be my-\nMar. What?",
        "she began--\nand stopped",
        "she began -\nand stopped",
        "-\n\n--\nThe clerk",
        "| eels- | tar |\n| ropes | oil |",
        "he waited- but no one came",
        "a well- oiled hinge",
    ],
)
def test_hyphens_that_are_no_wraps_stay(text: str) -> None:
    assert wraps(text, lexicon(text)) == text


@pytest.mark.parametrize(
    ("apart", "closed"),
    [
        ("C H A P T E R  O N E", "CHAPTER ONE"),
        ("C H A P T E R O N E", "CHAPTER ONE"),
        ("C H A P T E R\u2003I V", "CHAPTER IV"),
        ("C H A P T E R I V", "CHAPTER IV"),
        ("C H A P T E R 1 2", "CHAPTER 12"),
        ("T H E  E N D", "THE END"),
        ("T H E E N D", "THE END"),
        ("C\u00a0O\u00a0N\u00a0T\u00a0E\u00a0N\u00a0T\u00a0S", "CONTENTS"),
        ("O L D  Q U O R R I N", "OLD QUORRIN"),
        ("it was d i f f e r e n t then", "it was different then"),
    ],
)
def test_letters_set_apart_are_closed_up(apart: str, closed: str) -> None:
    assert spaced(apart, lexicon()) == closed


@pytest.mark.parametrize(
    "text",
    [
        "J. R. R. Marrable",
        "A B C",
        "A B C D E F G",
        "A  B  C  D  E",
        "a b c d",
        "S O S",
        "1 2 3 4 5 6",
        "1 2 3  4 5 6",
        "x y z w",
        "I a m",
        "Q U O R R I N",  # no gap, no known word
        "Plan A, B or C",
    ],
)
def test_initials_alphabets_and_figures_stay_apart(text: str) -> None:
    assert spaced(text, lexicon()) == text


@pytest.mark.parametrize(
    ("split", "whole"),
    [
        ("It was a diffe rent tide.", "It was a different tide."),
        ("the of fi ce was shut", "the office was shut"),
        ("the fi rst fl oor", "the first floor"),
        ("the sta ff, and", "the staff, and"),
        ("an “unkno wn” man", "an “unknown” man"),
        ("He could remem ber it", "He could remember it"),
        ("Old Quor rin came", "Old Quorrin came"),
    ],
)
def test_split_words_are_made_whole(split: str, whole: str) -> None:
    book = lexicon("Quorrin came, and Quorrin went.", split)
    assert Splits(book)(split) == whole


@pytest.mark.parametrize(
    "text",
    [
        "to day and to morrow",
        "an other man with out a coat",
        "pp. 12 ff. the",
        "in deed he was here after",
        "Fi fi and Lu lu",
        "vor aus gehen",
        "un sung",
        "the post mortem was new fangled",
    ],
)
def test_words_that_make_another_word_together_stay_apart(text: str) -> None:
    assert Splits(lexicon(text))(text) == text


@pytest.mark.xfail(reason="both halves are words, and which was meant only the sentence tells")
def test_a_word_split_into_two_words_is_made_whole() -> None:
    split = "He was not with out hope."
    assert Splits(lexicon(split))(split) == "He was not without hope."


@given(st.text(alphabet="ab \n-‐C\u00ad.", max_size=30))
def test_word_repairs_lose_and_add_no_letter(text: str) -> None:
    book = lexicon(text)

    def letters(value: str) -> list[str]:
        return [character for character in value if character.isalpha()]

    for done in (wraps(text, book), spaced(text, book), Splits(book)(text)):
        assert letters(done) == letters(text)


def test_texts_without_blanks_take_linear_time() -> None:
    """What is quadratic takes minutes at this size; the bound leaves room for a busy machine."""
    start = time.monotonic()
    for text in ("a-" * 100_000, "a " * 100_000, "a" * 200_000, "ab- " * 50_000, "a-\n" * 60_000):
        book = lexicon(text)
        assert wraps(text, book)
        assert spaced(text, book)
        assert Splits(book)(text)
    assert time.monotonic() - start < 20
