"""Repair of blocks: what is done, in what order, what is recorded; and texts of many kinds that stay as they are."""

from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from bookblend.clean.repair import REPAIRS, Repaired, RepairOptions, Replacement, repair
from bookblend.clean.text import clean_text, repair_text
from bookblend.errors import ExpectationError
from bookblend.markdown import MarkdownBlock

PLAIN = "The man said that it was not for him, but the keeper of the port with her boats was sure of it."


def blocks(*texts: str, level: int = 0) -> list[MarkdownBlock]:
    return [MarkdownBlock(level, text) for text in texts]


def texts(done: Repaired) -> list[str]:
    return [block.text for block in done.blocks]


SOUND = [
    PLAIN,
    "It was a self-made man’s pre- and post-war fleet; 10–20 boats, well‑oiled.",
    "x² + ½ = 3, 5 °C, ＡＢＣ, ①, ™, ﷺ",
    "J. R. R. Marrable & Co., a. D. 1861",
    "A SÃO tin and a bücher shelf, À la carte.",
    "«É A MANHû, gritou.",
    "می‌خواهم بروم",
    "नमस्ते, क्‍ष",
    "\U0001f468‍\U0001f469‍\U0001f467 came.",
    "第三回　紅樓夢曲",
    "Ring, ring the bell of Marrow Bar.\nRing, ring again.",
    "1. Tar\n2. Rope\n12. Eels",
    "The tide rose in\n1861.",
    "as he wrote on page\n12.",
    "de nig said to de dog",
    "Was? — Ja. Vor- und Nachteile.",
]


@pytest.mark.parametrize("text", SOUND)
@pytest.mark.parametrize("numbers", ["drop", "keep"])
def test_sound_text_stays_as_it_is(text: str, numbers: str) -> None:
    done = repair(blocks(text), RepairOptions(numbers="keep" if numbers == "keep" else "drop"))
    assert texts(done) == [text]
    assert not done.counts
    assert not done.dropped
    assert not done.warnings


def test_repairs_are_counted_by_name_and_only_where_they_did_something() -> None:
    done = repair(
        blocks(
            PLAIN,
            "A cafÃ© ﬁlm.",
            "sa\u200bng a\x07",
            "cafe\u0301",
            "remem-\nber",
            "C H A P T E R  O N E",
            "a diffe rent",
        )
    )
    assert texts(done)[1:] == ["A café film.", "sang a", "café", "remember", "CHAPTER ONE", "a different"]
    assert dict(done.counts) == dict.fromkeys(REPAIRS, 1)


def test_each_repair_can_be_left_out_by_its_name() -> None:
    damaged = blocks(PLAIN, "A cafÃ© ﬁlm sa\u200bng\x07 cafe\u0301 remem-\nber the diffe rent C H A P T E R  O N E")
    done = repair(damaged, RepairOptions(skip=frozenset(REPAIRS)))
    assert texts(done) == [block.text for block in damaged]


def test_what_is_dropped_is_listed_with_rule_and_place() -> None:
    done = repair(blocks(PLAIN, "~ .,;: 1|l ' ^", "A line.\n|| ~~ ^^\n12", "* * *"))
    assert texts(done) == [PLAIN, "A line."]
    assert done.origins == (0, 2)
    assert done.dropped == (
        ("noise", 1, "~ .,;: 1|l ' ^"),
        ("noise", 2, "|| ~~ ^^"),
        ("number", 2, "12"),
        ("separator", 3, "* * *"),
    )


def test_headings_are_never_junk_and_stay_on_one_line() -> None:
    done = repair([MarkdownBlock(1, "~ 12 ^"), MarkdownBlock(2, "CHAPTER\u2028ONE")])
    assert done.blocks == (MarkdownBlock(1, "~ 12 ^"), MarkdownBlock(2, "CHAPTER ONE"))


def test_numbers_stay_where_folios_are_gone_already() -> None:
    assert texts(repair(blocks(PLAIN, "12", "XIV"), RepairOptions(numbers="keep"))) == [PLAIN, "12", "XIV"]


def test_junk_and_notices_can_be_kept() -> None:
    foot = "Digitized by Google"
    done = repair(blocks("~ ^ ~", foot), RepairOptions(junk=False, notices=False))
    assert texts(done) == ["~ ^ ~", foot]


def test_a_replacement_must_match_as_often_as_it_says() -> None:
    book = blocks("The quav and the quav.", "A quav.")
    done = repair(book, RepairOptions(replacements=(Replacement(text="quav", by="quay", count=3),)))
    assert texts(done) == ["The quay and the quay.", "A quay."]
    assert done.counts["replacements"] == 3
    with pytest.raises(ExpectationError, match="'quav': expected 2 times, found 3 times"):
        repair(book, RepairOptions(replacements=(Replacement(text="quav", by="quay", count=2),)))
    with pytest.raises(ExpectationError, match="'pier': expected at least once, found 0 times"):
        repair(book, RepairOptions(replacements=(Replacement(text="pier", by="quay"),)))
    with pytest.raises(ExpectationError, match="empty"):
        repair(book, RepairOptions(replacements=(Replacement(text="", by="quay"),)))


def test_replacements_see_the_repaired_text_and_each_other_in_order() -> None:
    wanted = (Replacement(text="café", by="inn", count=1), Replacement(text="an inn", by="the inn", count=1))
    assert texts(repair(blocks("an cafÃ© there"), RepairOptions(replacements=wanted))) == ["the inn there"]


def test_a_block_that_a_replacement_empties_is_gone() -> None:
    wanted = (Replacement(text="Stamp.", by="", count=1),)
    done = repair(blocks("Stamp.", PLAIN), RepairOptions(replacements=wanted))
    assert done.origins == (1,)


def test_a_digitisers_notice_at_the_front_goes_with_a_warning() -> None:
    notice = (
        "This is a digital copy of a book of the Marrow Bar Library, scanned for all. Usage guidelines: keep it legal."
    )
    done = repair(blocks(notice, PLAIN))
    assert texts(done) == [PLAIN]
    assert done.dropped == (("notice", 0, notice),)
    assert len(done.warnings) == 1


def test_what_only_resembles_a_notice_stays_and_is_reported() -> None:
    letter = "She had scanned the library for an hour when the bell rang."
    done = repair(blocks(letter, PLAIN))
    assert texts(done) == [letter, PLAIN]
    assert len(done.warnings) == 1


def test_a_notice_deep_in_the_book_is_its_own_text() -> None:
    notice = (
        "This is a digital copy of a book of the Marrow Bar Library, scanned for all. Usage guidelines: keep it legal."
    )
    book = blocks(*[PLAIN] * 60, notice)
    assert texts(repair(book)) == [block.text for block in book]


def test_a_digitisers_line_goes_anywhere() -> None:
    done = repair(blocks(*[PLAIN] * 60, "Digitized by the Internet Archive in 2007"))
    assert done.dropped == (("notice", 60, "Digitized by the Internet Archive in 2007"),)


@example(["AÂ\x08\x80"])
@example(["AÂ\u200b\x80 so"])
@given(st.lists(st.text(max_size=40), max_size=6))
def test_a_repaired_book_is_sound(parts: list[str]) -> None:
    once = repair(blocks(*parts))
    again = repair(once.blocks)
    assert again.blocks == once.blocks
    assert not again.dropped


@given(st.lists(st.sampled_from([PLAIN, "~ ^", "12", "A cafÃ© ﬁlm.", "", "\n", "Yes."]), max_size=8))
def test_every_block_is_kept_or_listed(parts: list[str]) -> None:
    done = repair(blocks(*parts))
    assert list(done.origins) == sorted(set(done.origins))
    listed = {ordinal for _, ordinal, _ in done.dropped}
    assert all(i in done.origins or i in listed or not parts[i].strip() for i in range(len(parts)))


def test_plain_text_keeps_its_paragraphs_and_lines() -> None:
    text = "First line\r\nsecond remem-\r\nber line\r\n \r\n\r\n# no heading\r\n"
    assert clean_text(text) == "First line\nsecond remember\nline\n\n# no heading\n"


def test_a_plain_text_says_what_was_done() -> None:
    done = repair_text(f"{PLAIN}\n\n~ ^ ~\n\ncafÃ©\x07\n")
    assert done.text == f"{PLAIN}\n\ncafé\n"
    assert dict(done.repaired.counts) == {"mojibake": 1, "controls": 1}
    assert done.repaired.dropped == (("noise", 1, "~ ^ ~"),)


def test_an_empty_text_stays_empty() -> None:
    assert clean_text("") == ""
    assert clean_text("\n \n\n") == ""


def test_code_keeps_every_line_and_sign_but_those_nobody_sees():
    code = MarkdownBlock(0, "~ .,;: 1|l\n\n12\nremem-\nber C H A P T E R caf\u00c3\u00a9\n* * *\x07\u200b", code=True)
    done = repair([code, MarkdownBlock(0, "Some words of prose.")])
    assert done.blocks[0] == replace(code, text=code.text.removesuffix("\x07\u200b"))
    assert not done.dropped
    assert done.counts == {"controls": 1, "invisibles": 1}


def test_a_notice_inside_code_is_code():
    code = MarkdownBlock(0, "Digitized by Google", code=True)
    assert repair([code]).blocks == (code,)
    assert not repair([replace(code, code=False)]).blocks


def test_a_short_word_without_a_vowel_that_the_book_has_often_is_no_noise():
    often = ["The dpkg tool reads it, and dpkg says so.", "Then dpkg writes it down."]
    assert not repair(blocks(*often, "dpkg calls:")).dropped
    assert repair(blocks("The tool reads it and says so.", "dpkg calls:")).dropped == (("noise", 1, "dpkg calls:"),)
