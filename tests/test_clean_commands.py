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


def test_running_it_again_changes_nothing_and_keeps_the_ledger(book: Path) -> None:
    assert main(["clean", "ocr", str(book)]) == 0
    before = {path.name: path.read_bytes() for path in book.parent.iterdir()}
    assert main(["clean", "ocr", str(book)]) == 0
    assert {path.name: path.read_bytes() for path in book.parent.iterdir()} == before


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
