"""`bookblend clean ocr`: in place, with ledger and sidecar, all or nothing."""

import json
from pathlib import Path

import pytest

from bookblend.cli import main

DAMAGED = "# CHAPTER I\n\nThe man said that it was not for her, but a cafÃ© of the port.\n\n~ ., |l\n\n12\n"
SOUND = "# CHAPTER I\n\nThe man said that it was not for her, but a café of the port.\n"


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "Book.md"
    path.write_text(DAMAGED, "utf-8")
    return path


def ledger(path: Path) -> list[tuple[str, str, str]]:
    rows = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    return [(row["rule"], row["place"], row["text"]) for row in rows]


def test_a_file_is_repaired_in_place_with_its_ledger_and_sidecar(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["clean", "ocr", str(book)]) == 0
    assert book.read_text("utf-8") == SOUND
    assert ledger(book.with_name("Book.dropped.jsonl")) == [("noise", "line 5", "~ ., |l"), ("number", "line 7", "12")]
    side = json.loads(book.with_name("Book.book.json").read_text("utf-8"))
    assert side["repairs"] == {"mojibake": 1}
    assert side["dropped"] == {"clean": {"noise": 1, "number": 1}}
    assert side["options"]["clean"]["numbers"] == "drop"
    out = capsys.readouterr()
    assert "mojibake 1" in out.out
    assert not out.err


def test_running_it_again_changes_nothing_says_so_and_keeps_the_ledger(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book.write_text(DAMAGED + "\nDigitized by Google\n", "utf-8")
    assert main(["clean", "ocr", str(book)]) == 0
    before = {path.name: path.read_bytes() for path in book.parent.iterdir()}
    capsys.readouterr()
    assert main(["clean", "ocr", str(book)]) == 0
    assert {path.name: path.read_bytes() for path in book.parent.iterdir()} == before
    done = capsys.readouterr()
    assert done.out == f"{book}: blocks repaired: none; pieces dropped: none\n"
    assert not done.err


def test_a_file_changed_since_starts_a_ledger_of_its_own(book: Path) -> None:
    assert main(["clean", "ocr", str(book)]) == 0
    book.write_text(SOUND + "\n^ ~ ^\n", "utf-8")
    assert main(["clean", "ocr", str(book)]) == 0
    assert ledger(book.with_name("Book.dropped.jsonl")) == [("noise", "line 5", "^ ~ ^")]


def test_another_output_leaves_the_input_alone(book: Path) -> None:
    target = book.with_name("Clean.md")
    assert main(["clean", "ocr", str(book), "-o", str(target)]) == 0
    assert target.read_text("utf-8") == SOUND
    assert book.read_text("utf-8") == DAMAGED
    assert target.with_name("Clean.dropped.jsonl").is_file()


def test_options_say_what_stays(book: Path) -> None:
    assert main(["clean", "ocr", str(book), "--keep-junk", "--skip", "mojibake, splits"]) == 0
    assert book.read_text("utf-8") == DAMAGED


FOREIGN = (
    "---\ntitle: The Ferry\n---\n\n# *One*\n\nA **word**[^1] of 2\\*3.\n\n"
    "| a | b |\n|---|---|\n| ~ | ^ |\n| ash | elm |\n\n<!-- page 2 -->\n\n[^1]: The note.\n"
)


def test_another_tools_markdown_becomes_ours_and_is_literal_from_then_on(
    book: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    book.write_text(FOREIGN, "utf-8")
    assert main(["clean", "ocr", str(book)]) == 0
    ours = "# One\n\nA word of 2*3.\n\na | b\n~ | ^\nash | elm\n"
    assert book.read_text("utf-8") == ours
    assert "front matter 1, note 1" in capsys.readouterr().out
    side = json.loads(book.with_name("Book.book.json").read_text("utf-8"))
    assert side["book"] == {"title": "The Ferry"}
    assert side["dropped"] == {"extract": {"comment": 1, "front matter": 1, "note": 1}}
    book.write_text(ours + "\n*so* it goes, &amp; on\n", "utf-8")
    assert main(["clean", "ocr", str(book)]) == 0
    assert book.read_text("utf-8") == ours + "\n*so* it goes, &amp; on\n"
    assert "changed since it was made" in capsys.readouterr().err


def test_notes_of_another_tools_markdown_stay_where_they_are_asked_to(book: Path) -> None:
    book.write_text(FOREIGN, "utf-8")
    assert main(["clean", "ocr", str(book), "--notes", "inline"]) == 0
    assert "A word [The note.] of 2*3." in book.read_text("utf-8")


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["Book.md", "-o", "Book.md"], 2, "same file"),
        (["Book.md", "--skip", "spelling"], 2, "no repair 'spelling'"),
        (["None.md"], 3, "no such file"),
        (["Book.md", "-o", "none/Out.md"], 1, "no such folder"),
    ],
)
def test_what_cannot_be_done_is_said_in_one_line_and_leaves_all_as_it_was(
    book: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    status: int,
    message: str,
) -> None:
    monkeypatch.chdir(book.parent)
    assert main(["clean", "ocr", *words]) == status
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert [path.name for path in book.parent.iterdir()] == ["Book.md"]
    assert book.read_text("utf-8") == DAMAGED
