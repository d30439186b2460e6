"""`blend gutenberg`: selection, documents, shards, duplicates, reports, and runs that are up to date."""

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from bookblend.blend import gutenberg_books, gutenberg_run
from bookblend.blend.catalogue import Entry as CatalogueEntry
from bookblend.blend.catalogue import find_texts, read_catalogue
from bookblend.blend.gutenberg_books import Batch, Book, Options, read_batch
from bookblend.blend.gutenberg_run import Job, run
from bookblend.cli import main

METADATA = """id,title,author,authoryearofbirth,authoryearofdeath,language,downloads,subjects,type
PG3,The Third Tally,"Invented, A.",1800,1880,"['en']",1,"{'Sea stories', 'Fiction'}",Text
PG1,The First Tally,"Other, B.",1800,1880,"['en', 'fr']",1,set(),Text
PG2,Das Zählen,"Other, B.",1800,1880,"['de']",1,set(),Text
PG9,A Song,"Other, B.",1800,1880,"['en']",1,set(),Sound
PG8,Not Here,"Other, B.",1800,1880,"['en']",1,set(),Text
"""
OWN = """Text#,Type,Issued,Title,Language,Authors,Subjects,LoCC,Bookshelves
3,Text,2001-01-01,The Third Tally,en,"Invented, A., 1800-1880",Sea stories -- Fiction; Tides,PS,Browsing: Fiction
1,Text,2001-01-01,"The First
Tally",en; fr,"Other, B.",,PS,
"""


def _prose(word: str, paragraphs: int = 14) -> str:
    return "\n\n".join(
        f"The {word} keeper counted wave {n} of the {word} tide, and wrote\nit in the book of the harbour for day {n}."
        for n in range(paragraphs)
    )


def _book(title: str, body: str) -> str:
    return (
        f"Title: {title}\n\n*** START OF THE PROJECT GUTENBERG EBOOK {title.upper()} ***\n\nProduced by Ann Other\n\n"
        f"{body}\n\n*** END OF THE PROJECT GUTENBERG EBOOK {title.upper()} ***\nlicence"
    )


@pytest.fixture
def mirror(tmp_path: Path) -> Path:
    folder = tmp_path / "mirror"
    (folder / "2").mkdir(parents=True)
    (folder / "PG3_raw.txt").write_text(_book("The Third Tally", _prose("grey")), "utf-8")
    (folder / "1-0.txt").write_text(_book("The First Tally", _prose("blue")), "utf-8")
    (folder / "1-8.txt").write_text("not this one", "utf-8")
    (folder / "2" / "pg2.txt").write_text(_book("Das Zählen", _prose("grün")), "cp1252")
    (folder / "readme.txt").write_text("no book", "utf-8")
    (tmp_path / "metadata.csv").write_text(METADATA, "utf-8")
    return folder


def _report(path: Path) -> dict[str, Any]:
    report: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return report


def test_selected_books_become_documents_in_the_catalogues_order(mirror: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    arguments = ["--catalogue", str(tmp_path / "metadata.csv"), "--language", "en", "--out", str(out)]
    assert main(["blend", "gutenberg", str(mirror), *arguments]) == 0
    records = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert [(r["id"], r["title"], r["author"], r["language"]) for r in records] == [
        ("PG3", "The Third Tally", "Invented, A.", "en"),
        ("PG1", "The First Tally", "Other, B.", "en"),
    ]
    assert records[1]["text"] == _prose("blue")
    report = _report(tmp_path / "out.report.json")
    assert report["counts"]["without_file"] == 1
    assert report["counts"]["credit_lines"] == 2


def test_shards_hold_whole_books_joined_by_the_eos_text(mirror: Path, tmp_path: Path) -> None:
    out = tmp_path / "shards"
    out.mkdir()
    (out / "gutenberg-00009.txt").write_text("of an earlier run")
    texts = find_texts(mirror)
    job = Job(
        mirror, tuple((CatalogueEntry(n), texts[n]) for n in (3, 1, 2)), out, Options(shards=True), shard_bytes=2500
    )
    report = run(job)
    made = sorted(path.name for path in out.glob("*.txt"))
    assert made == [entry["file"] for entry in report["outputs"]] == [f"gutenberg-0000{n}.txt" for n in (1, 2, 3)]
    joined = b"".join((out / name).read_bytes() for name in made).decode("utf-8")
    assert joined == "".join(f"{_prose(word)}\n</s>\n\n" for word in ("grey", "blue", "grün"))


def test_workers_change_no_byte(mirror: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bookblend.blend.gutenberg_books._BATCH", 1)
    for workers in "1", "3":
        (tmp_path / workers).mkdir()
        out = str(tmp_path / workers / "out.jsonl")
        assert main(["blend", "gutenberg", str(mirror), "--out", out, "--workers", workers]) == 0
    for name in ("out.jsonl", "out.report.json"):
        assert (tmp_path / "1" / name).read_bytes() == (tmp_path / "3" / name).read_bytes()


def test_a_second_run_does_nothing_until_a_file_or_an_option_changes(
    mirror: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["blend", "gutenberg", str(mirror), "--out", str(tmp_path / "out.jsonl"), "--workers", "1"]
    for more, change, current in (
        ([], False, False),
        ([], False, True),
        (["--again"], False, False),
        ([], True, False),
        ([], False, True),
        (["--keep", "credits"], False, False),
    ):
        if change:
            (mirror / "1-0.txt").write_text(_book("The First Tally", _prose("red")), "utf-8")
        assert main([*command, *more]) == 0
        assert ("up to date" in capsys.readouterr().err) is current


def test_duplicates_are_reported_and_kept_once_if_asked(mirror: Path, tmp_path: Path) -> None:
    again = _prose("grey").replace("wrote\nit", "wrote it").replace(",", " --")
    (mirror / "4.txt").write_text(_book("Another Title", "A new preface.\n\n" + again), "utf-8")
    (mirror / "5.txt").write_text(_book("The First Tally", _prose("white")), "utf-8")
    out = tmp_path / "out.jsonl"
    assert main(["blend", "gutenberg", str(mirror), "--out", str(out)]) == 0
    report = _report(tmp_path / "out.report.json")
    assert report["duplicates"] == {"title_author": [["PG5", "PG1"]], "near": [["PG4", "PG3"]]}
    assert report["counts"]["documents"] == 5
    assert main(["blend", "gutenberg", str(mirror), "--out", str(out), "--duplicates", "once"]) == 0
    assert [json.loads(line)["id"] for line in out.read_text("utf-8").splitlines()] == ["PG1", "PG2", "PG3"]


def test_what_cannot_be_read_is_skipped_by_name(
    mirror: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (mirror / "7.txt").write_bytes(b"PK\x03\x04\xff\xff")
    assert main(["blend", "gutenberg", str(mirror), "--out", str(tmp_path / "out.jsonl")]) == 0
    assert "7.txt: skipped" in capsys.readouterr().err
    assert _report(tmp_path / "out.report.json")["skipped"][0]["file"] == "7.txt"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--language", "en"], "--catalogue"),
        (["--catalogue", "none.csv"], "no such file"),
        (["--eos", " "], "--eos"),
    ],
)
def test_errors_are_one_line(
    mirror: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str
) -> None:
    assert main(["blend", "gutenberg", str(mirror), "--out", str(tmp_path / "out.jsonl"), *words]) != 0
    error = capsys.readouterr().err
    assert said in error and error.count("\n") == 1


def test_both_catalogues_are_read(tmp_path: Path) -> None:
    for name, text in (("metadata.csv", METADATA), ("pg_catalog.csv", OWN)):
        (tmp_path / name).write_text(text, "utf-8")
        first, second = read_catalogue(tmp_path / name)[:2]
        assert (first.id, first.title, first.languages, first.type) == (3, "The Third Tally", ("en",), "Text")
        assert "Sea stories" in first.shelves[0] and len(first.shelves) >= 2
        assert (second.title, second.languages) == ("The First Tally", ("en", "fr"))


def test_real_files_keep_no_packaging(shared: Path) -> None:
    from bookblend.blend.gutenberg import strip
    from bookblend.blend.gutenberg_decode import decode
    from bookblend.blend.normalise import normalise

    files = sorted((shared / "real" / "gutenberg").rglob("*.txt"))
    books = [file for file in files if file.parent.name != "catalog"]
    for file in books:
        stripped = strip(normalise(decode(file.read_bytes()).text))
        assert len(stripped.text) > 2000, file
        for line in stripped.text.split("\n"):
            assert not line.startswith(
                ("*** START OF TH", "*** END OF TH", "End of Project Gutenberg", "Produced by ")
            ), file
            assert "SMALL PRINT" not in line and "pglaf" not in line, file


def test_files_whose_names_hold_no_number_are_told(
    mirror: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["blend", "gutenberg", str(mirror), "--out", str(tmp_path / "out.jsonl")]) == 0
    assert "1 text file passed over (first: readme.txt): a name must hold the book's number" in capsys.readouterr().err
    report = _report(tmp_path / "out.report.json")
    assert (report["counts"]["passed_over"], report["passed_over_first"]) == (1, ["readme.txt"])


def test_a_catalogue_may_be_compressed(tmp_path: Path) -> None:
    (tmp_path / "metadata.csv.gz").write_bytes(gzip.compress(METADATA.encode()))
    assert [entry.id for entry in read_catalogue(tmp_path / "metadata.csv.gz")] == [3, 1, 2, 9, 8]


def _die_on_the_second(batch: Batch) -> list[Book]:
    if any(path.name == "pg2.txt" for _, path in batch.books):
        os._exit(9)
    return read_batch(batch)


@pytest.mark.parametrize("size", [1, 2000])  # a file a batch, two files a batch
def test_a_worker_that_dies_on_a_file_loses_that_file_alone(
    mirror: Path, tmp_path: Path, monkeypatch: Any, size: int
) -> None:
    monkeypatch.setattr(gutenberg_run, "read_batch", _die_on_the_second)
    monkeypatch.setattr(gutenberg_books, "_BATCH", size)
    texts = find_texts(mirror)
    books = tuple((CatalogueEntry(number), path) for number, path in texts.items())
    report = run(Job(mirror, books, tmp_path / "out.jsonl", Options(), workers=2))
    assert [entry["file"] for entry in report["skipped"]] == ["2/pg2.txt"]
    assert "could not be read" in report["skipped"][0]["why"]
    assert report["counts"]["documents"] == 2
