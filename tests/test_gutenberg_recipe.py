"""The recipe's rules to the byte: markers, credit lines of the first forty, grouping, rows, the eos line."""

import json

import pytest

from bookblend.blend.documents import Counts, documents, read_rows
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


def test_documents_are_closed_by_the_eos_line_and_a_blank_one() -> None:
    counts = Counts()
    assert list(documents(["One.", "Two."], counts)) == ["One.\n</s>\n\n", "Two.\n</s>\n\n"]
    assert list(documents(["One."], Counts(), eos="<|endoftext|>")) == ["One.\n<|endoftext|>\n\n"]
    assert (counts.rows, counts.documents, counts.states["none"]) == (2, 2, 2)


def test_rows_are_grouped_and_the_short_last_group_is_closed_like_any_other() -> None:
    counts = Counts()
    made = list(documents([f"Line {n}." for n in range(5)], counts, rows_per_document=2))
    assert made == ["Line 0.\n\nLine 1.\n</s>\n\n", "Line 2.\n\nLine 3.\n</s>\n\n", "Line 4.\n</s>\n\n"]
    assert (counts.rows, counts.documents) == (5, 3)


def test_empty_documents_are_not_written() -> None:
    counts = Counts()
    assert list(documents(["", " \n\t", "One."], counts)) == ["One.\n</s>\n\n"]
    assert (counts.empty, counts.documents) == (2, 1)


def test_bad_rows_are_counted_and_skipped() -> None:
    counts = Counts()
    lines = [
        '{"text": "One."}',
        "{",
        '{"body": "x"}',
        '{"text": 3}',
        '{"text": null}',
        '["text"]',
        "",
        '{"text": "Two."}',
    ]
    assert list(read_rows(lines, counts)) == ["One.", "Two."]
    assert dict(counts.skipped) == {"malformed": 1, "text missing": 2, "text no string": 2}


def test_a_text_that_holds_the_eos_is_counted_and_forges_no_boundary() -> None:
    counts = Counts()
    text = "One.\n</s>\nTwo </s> three."
    assert list(documents([text], counts)) == ["One.\n </s>\nTwo </s> three.\n</s>\n\n"]
    assert counts.holding_eos == 1
    assert list(documents([text], Counts(), recipe=True)) == [f"{text}\n</s>\n\n"]


def test_rows_read_as_jsonl_keep_their_text() -> None:
    text = 'A "quoted" line\nand é'
    assert list(read_rows([json.dumps({"text": text})], Counts())) == [text]
