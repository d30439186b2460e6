"""Hyphens at line ends: the book's own words first, then a word list, then rules."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookblend.clean import wordlist
from bookblend.clean.hyphens import Hyphen, Lexicon


def lexicon(text: str, language: str = "en") -> Lexicon:
    book = Lexicon(language)
    book.add(text)
    return book


@pytest.mark.parametrize(
    ("left", "right", "whole"),
    [
        ("remem", "ber", "remember"),
        ("remem", "bering,”", "remembering,”"),
        ("“sta", "tion’s", "“station’s"),
        ("self", "made", "self-made"),
        ("pre", "and", "pre- and"),
        ("long", "and", "long- and"),
        ("thous", "ands", "thousands"),
        ("hus", "band", "husband"),
        ("10", "20", "10-20"),
        ("mid", "1850s", "mid-1850s"),
        ("Anglo", "Saxon", "Anglo-Saxon"),
        ("mother-in", "law", "mother-in-law"),
        ("out", "and-out", "out-and-out"),
        ("X", "ray", "X-ray"),
        ("don", "’t", "don’t"),
        ("DISAP", "POINTED", "DISAPPOINTED"),
        ("lamp", "fever", "lamp-fever"),
        ("word-", "another", "word--another"),
        ("", "Marrable", "- Marrable"),
    ],
)
def test_without_evidence_in_the_book_list_and_rules_decide(left: str, right: str, whole: str) -> None:
    assert lexicon("").join(left, right) == whole


@pytest.mark.parametrize(
    ("book", "language", "left", "right", "whole"),
    [
        ("", "en", "hold-me-tighter-", "vandela", "hold-me-tighter--vandela"),
        ("", "en", "ring-a-dingle-dan", "dillo", "ring-a-dingle-dan-dillo"),
        ("", "en", "self-consid", "eration", "self-consideration"),
        ("Elle était telle, et telle autre, mais pas la même que nous.", "fr", "dira-t", "elle", "dira-t-elle"),
        ("", "de", "686er", "basierten", "686er-basierten"),
        ("", "en", "kOpen", "x86", "kOpen-x86"),
        ("Die Gartenarbeit und die Nacht, das ist nicht mehr so.", "de", "Garten", "Arbeit", "Garten-Arbeit"),
        ("Die Gartenarbeit und die Nacht, das ist nicht mehr so.", "de", "Garten", "arbeit", "Gartenarbeit"),
    ],
)
def test_chains_codes_and_german_capitals_keep_their_hyphen(
    book: str, language: str, left: str, right: str, whole: str
) -> None:
    assert lexicon(book, language).join(left, right) == whole


@pytest.mark.parametrize(
    ("book", "left", "right", "whole"),
    [
        ("They met to-day, and to-day again.", "to", "day", "to-day"),
        ("They met today.", "to", "day", "today"),
        ("A lampfever ran.", "lamp", "fever.", "lampfever."),
        ("A tar-barrel burned.", "tar", "barrels", "tar-barrels"),
        ("Old Quorrin sat.", "Quor", "rin", "Quorrin"),
        ("A mother-in-law came.", "in", "law", "in-law"),
        ("Well re‐formed they were.", "re", "formed", "re-formed"),
    ],
)
def test_the_books_own_words_decide_first(book: str, left: str, right: str, whole: str) -> None:
    assert lexicon(book).join(left, right) == whole


def test_words_broken_at_line_ends_are_no_evidence() -> None:
    book = Lexicon("en")
    book.add("He saw the tar-\nbarrel burn.")
    book.add("The lamp-")
    book.add("fever came")
    assert book.judge("tar", "barrel") is Hyphen.COMPOUND
    assert book.judge("lamp", "fever") is Hyphen.COMPOUND


def test_a_compounding_language_joins_what_is_unknown() -> None:
    text = "Der Mann und die Frau sind nicht auf dem Weg zu den Booten, die sich mit der Flut heben."
    assert lexicon(text, "").join("Fischer", "netze") == "Fischernetze"
    assert lexicon(text, "").join("Vor", "und") == "Vor- und"
    assert lexicon(text, "").join("Nord", "Amerika") == "Nord-Amerika"


def test_the_words_of_the_text_outvote_a_wrong_declaration() -> None:
    text = "Der Mann und die Frau sind nicht auf dem Weg zu den Booten, die sich mit der Flut heben."
    assert lexicon(text, "en-US").join("Vor", "und") == "Vor- und"


@given(st.text(max_size=12), st.text(max_size=12))
def test_any_two_tokens_join_without_loss(left: str, right: str) -> None:
    joined = lexicon("the quay and the boats").join(left, right)
    assert joined in {left + right, f"{left}-{right}", f"{left}- {right}"}


def test_a_word_of_a_million_letters_is_judged_at_once() -> None:
    assert lexicon("a-" * 500_000).join("a-" * 500_000 + "remem", "ber" + "-a" * 500_000).startswith("a-a")


@pytest.mark.parametrize("language", ["en", "de", "fr", "es", "it", "pt", "nl", "ru"])
def test_each_word_list_answers_for_its_language(language: str) -> None:
    common = {"en": "house", "de": "haus", "fr": "maison", "es": "casa", "it": "casa", "pt": "casa", "nl": "huis"}
    words = wordlist.load(language)
    assert words is not None
    assert words.frequency(common.get(language, "дом")) > 50
    assert words.frequency("qzxqzx") == 0


def test_a_list_on_one_line_is_read_as_well() -> None:
    assert wordlist.WordList(b'{"eel": 7, "quay": 3}').frequency("quay") == 3


@pytest.mark.parametrize(("tag", "name"), [("en-GB", "en"), ("ger", "de"), ("pt_BR", "pt"), ("", ""), ("../x", "")])
def test_language_tags_are_cut_to_their_primary_part(tag: str, name: str) -> None:
    assert wordlist.primary(tag) == name
