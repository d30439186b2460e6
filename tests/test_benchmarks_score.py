"""The scorer of the benchmarks, on small invented texts with figures that can be counted by hand."""

import json
import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("rapidfuzz")

FIRST = "The ferry left at nine with two goats and a piano, and nobody on the quay thought it odd at all."
SECOND = "By noon the wind had gone round; the captain played a waltz, slowly, so that the goats would sleep."
THIRD = "When the island rose out of the haze, somebody counted the passengers and found that there was one too many."
VERSE = "Row, sailor, row\nThe tide is slow"


@pytest.fixture
def score(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    monkeypatch.delitem(sys.modules, "score", raising=False)
    return import_module("score")


def block(text: str, kind: str = "p") -> dict[str, str]:
    return {"t": kind, "text": text}


@pytest.fixture
def truth() -> dict[str, Any]:
    return {
        "chapters": [
            {"kind": "chapter", "heading": ["I", "The Ferry"], "blocks": [block(FIRST), block(SECOND)]},
            {"kind": "chapter", "heading": ["II", "The Island"], "blocks": [block(THIRD), block(VERSE, "verse")]},
        ]
    }


def records(*texts: str) -> str:
    return "".join(json.dumps({"text": text}) + "\n" for text in texts)


ONE = f"I\nThe Ferry\n{FIRST}\n{SECOND}"
TWO = f"II\nThe Island\n{THIRD}\n{VERSE}"
WORDS = 21 + 19 + 20 + 7 + 6


def test_a_perfect_output_scores_nought_and_one(score: Any, truth: dict[str, Any]) -> None:
    result = score.score(truth, records(ONE, TWO), "jsonl")

    assert result == score.Score(WORDS, 0.0, 0.0, 1.0, 1.0, 2, 2, 1.0)


def test_a_word_left_out_is_lost(score: Any, truth: dict[str, Any]) -> None:
    result = score.score(truth, records(ONE.replace("piano", ""), TWO), "jsonl")

    assert (result.lost, result.junk) == (round(1e4 / WORDS, 2), 0.0)


def test_a_word_put_in_is_junk(score: Any, truth: dict[str, Any]) -> None:
    result = score.score(truth, records(ONE.replace("piano", "piano 17"), TWO), "jsonl")

    assert (result.lost, result.junk) == (0.0, round(1e4 / WORDS, 2))


@pytest.mark.parametrize("altered", ["Piano", "pian0", "piano-"])
def test_an_altered_word_is_lost_and_junk_but_punctuation_is_no_word(
    score: Any, truth: dict[str, Any], altered: str
) -> None:
    result = score.score(truth, records(ONE.replace("piano", altered), TWO), "jsonl")

    rate = 0.0 if altered == "piano-" else round(1e4 / WORDS, 2)
    assert (result.lost, result.junk) == (rate, rate)


def test_a_word_split_at_a_line_end_is_one_lost_and_two_junk(score: Any, truth: dict[str, Any]) -> None:
    result = score.score(truth, records(ONE.replace("captain", "cap- tain"), TWO), "jsonl")

    assert (result.lost, result.junk) == (round(1e4 / WORDS, 2), round(2e4 / WORDS, 2))


def test_signs_that_a_typesetter_may_choose_either_way_count_as_the_same(score: Any) -> None:
    assert score.words_of("don\u2019t of\ufb01ce well\u2010worn cap\u00adtain") == [
        "don't",
        "office",
        "well-worn",
        "captain",
    ]


def test_a_record_too_many_or_too_few_lowers_the_chapters(score: Any, truth: dict[str, Any]) -> None:
    many = score.score(truth, records(*ONE.rsplit("\n", 1), TWO), "jsonl")
    few = score.score(truth, records(f"{ONE}\n{TWO}"), "jsonl")

    assert (many.chapters, many.found, many.wanted) == (0.8, 3, 2)
    assert (few.chapters, few.found) == (0.6667, 1)


def test_a_chapter_may_start_three_words_off_and_no_more(score: Any, truth: dict[str, Any]) -> None:
    near = score.score(truth, records(f"{ONE}\nII\nThe Island".rsplit("\n", 2)[0], f"II\nThe Island\n{THIRD}"), "jsonl")
    shifted = score.score(truth, records(f"{ONE}\nII\nThe Island", f"{THIRD}\n{VERSE}"), "jsonl")
    far = score.score(truth, records(f"{ONE}\nII\nThe Island\nWhen", THIRD.removeprefix("When")), "jsonl")

    assert near.chapters == shifted.chapters == 1.0
    assert far.chapters == 0.5


def test_joined_paragraphs_are_missed_and_verse_is_not_asked(score: Any, truth: dict[str, Any]) -> None:
    joined = score.score(truth, records(ONE.replace(f"\n{SECOND}", f" {SECOND}"), TWO), "jsonl")
    verse = score.score(truth, records(ONE, TWO.replace("\nThe tide", " The tide")), "jsonl")
    split = score.score(truth, records(ONE.replace("; the captain", "\nthe captain"), TWO), "jsonl")

    assert joined.paragraphs == 0.8  # two found, all right, of three
    assert verse.paragraphs == 1.0
    assert split.paragraphs == 0.8571  # four found, three right, of three


def test_text_is_cut_to_the_body_and_knows_no_chapters(score: Any, truth: dict[str, Any]) -> None:
    body = "\n\n".join(["I", "The Ferry", FIRST, SECOND, "II", "The Island", THIRD, VERSE])
    result = score.score(truth, f"A Novel\n\nContents\n\nThe Ferry 1\n\n{body}\n\nPrinted in Sannick", "txt")

    assert (result.lost, result.junk, result.chapters, result.paragraphs) == (0.0, 0.0, 0.0, 1.0)


def test_marks_of_markdown_are_no_words(score: Any, truth: dict[str, Any]) -> None:
    marked = FIRST.replace("two goats", "*two* [goats](goats.xhtml#two)[1](notes.xhtml#n1)").replace(
        "odd", "**odd**[^2]"
    )
    body = "\n\n".join(
        ["# I", "# The Ferry", marked, "![a quay](images/quay.png)", SECOND, "# II The Island", THIRD, VERSE]
    )
    result = score.score(truth, body, "md")

    assert (result.lost, result.junk, result.chapters, result.found) == (0.0, 0.0, 1.0, 2)


def test_chapters_at_another_level_count_for_the_best_level_alone(score: Any, truth: dict[str, Any]) -> None:
    body = "\n\n".join(["# A Novel", "## I The Ferry", FIRST, SECOND, "## II The Island", THIRD, VERSE])
    result = score.score(truth, body, "md")

    assert result.chapters < 1.0
    assert result.best == 1.0


def test_the_command_prints_the_figures_or_one_line_of_what_is_wrong(
    score: Any, truth: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.truth.json").write_text(json.dumps(truth), "utf-8")
    (tmp_path / "a.jsonl").write_text(records(ONE, TWO), "utf-8")

    assert score.main([str(tmp_path / "a.truth.json"), str(tmp_path / "a.jsonl")]) == 0
    assert json.loads(capsys.readouterr().out)["chapters"] == 1.0
    assert score.main([str(tmp_path / "a.truth.json"), str(tmp_path / "b.jsonl")]) == 2
    assert "b.jsonl" in capsys.readouterr().err
