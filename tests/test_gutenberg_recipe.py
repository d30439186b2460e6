"""The recipe's rules to the byte: markers, credit lines of the first forty, the eos line."""

import pytest

from bookblend.blend.documents import closed_utf8
from bookblend.blend.gutenberg import strip_recipe

START = "*** START OF {} PROJECT GUTENBERG {} A TALE ***"
END = "*** END OF {} PROJECT GUTENBERG {} A TALE ***"
PROSE = "A first line.\nA second line."


@pytest.mark.parametrize("article", ["THE", "THIS", "the"])
@pytest.mark.parametrize("word", ["EBOOK", "ETEXT", "eBook"])
@pytest.mark.parametrize("state", ["both", "start-only", "end-only", "none"])
def test_marker_forms_and_states(article: str, word: str, state: str) -> None:
    start, end = START.format(article, word) + "\n", "\n" + END.format(article, word) + "\nlicence"
    text = ("head\n" + start) * (state in ("both", "start-only")) + PROSE + end * (state in ("both", "end-only"))
    stripped = strip_recipe(text)
    assert (stripped.text, stripped.state.value) == (PROSE, state)


def test_the_newer_word_is_tried_first() -> None:
    text = f"{START.format('THE', 'ETEXT')}\nold head\n{START.format('THE', 'EBOOK')}\n{PROSE}"
    assert strip_recipe(text).text == PROSE


def test_a_marker_must_begin_its_line() -> None:
    text = f"> {START.format('THE', 'EBOOK')}\n{PROSE}"
    assert strip_recipe(text).text == text


@pytest.mark.parametrize(
    "line",
    [
        "This eBook was produced by Ann Other.",
        "e-text was produced by Ann Other.",
        "Produced by Ann Other",
        "There are several editions of this ebook in the collection.",
        "Various characteristics of each ebook are listed.",
        "Transcriber's note: spelling kept.",
        "Updated editions will replace the previous one.",
        "This file was produced from images.",
        "Transcribed from the 1900 edition.",
        "Ann Other, ann.other@example.org",
    ],
)
def test_credit_lines_go(line: str) -> None:
    assert strip_recipe(f"{line}\n\n{line}\n{PROSE}").text.strip("\n") == PROSE
    assert strip_recipe(f"{line}\n{PROSE}").credits == (line,)


@pytest.mark.parametrize(
    "line",
    [
        "produced by charity, or by chance, such things are rare.",
        "produced by Nature herself, they need no keeper.",
        "Produced by charity alone.",
        "He met her @ noon.",
    ],
)
def test_prose_stays_with_both_old_faults(line: str) -> None:
    assert strip_recipe(f"{line}\n{PROSE}").text == f"{line}\n{PROSE}"


def test_credits_end_for_good_at_the_first_other_line() -> None:
    text = f"Produced by Ann Other\n\nA TALE\n\nProduced by Ann Other\n{PROSE}"
    assert strip_recipe(text).text == f"\nA TALE\n\nProduced by Ann Other\n{PROSE}"


def test_the_window_is_forty_lines() -> None:
    credit = "Produced by Ann Other"
    inside = strip_recipe("\n".join([credit] * 40 + [PROSE]))
    assert (inside.text, len(inside.credits)) == (PROSE, 40)
    beyond = strip_recipe("\n".join([credit] * 41 + [PROSE]))
    assert (beyond.text, len(beyond.credits)) == (f"{credit}\n{PROSE}", 40)
    blank = strip_recipe("\n".join([credit, *[""] * 39, credit, PROSE]))
    assert (blank.text.lstrip("\n"), len(blank.credits)) == (f"{credit}\n{PROSE}", 1)


def test_a_document_is_closed_by_the_eos_line_and_a_blank_one() -> None:
    assert closed_utf8(b"One.", b"</s>") == b"One.\n</s>\n\n"
    assert closed_utf8(b"One.", b"<|endoftext|>") == b"One.\n<|endoftext|>\n\n"


def test_a_text_that_holds_the_eos_forges_no_boundary_and_the_recipe_leaves_it() -> None:
    text = b"One.\n</s>\nTwo </s> three.\n  </s>"
    assert closed_utf8(text, b"</s>") == b"One.\n </s>\nTwo </s> three.\n   </s>\n</s>\n\n"
    assert closed_utf8(text, b"</s>", recipe=True) == text + b"\n</s>\n\n"
