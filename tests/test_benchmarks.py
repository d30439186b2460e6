"""The benchmark that users run on their own folder of books."""

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest
from pdf_fixtures import Page, Para, make_pdf


def run(repository: Path, *words: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(repository / "benchmarks" / "books.py"), *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


@pytest.fixture
def folder(tmp_path: Path, repository: Path) -> Path:
    books = tmp_path / "books"
    (books / "deep").mkdir(parents=True)
    page = Page([Para("The lamp was lit before the boats came home, and nobody asked by whom. " * 5)])
    (books / "deep" / "lamps.pdf").write_bytes(make_pdf([page, page, page]))
    (books / "sample.epub").write_bytes((repository / "books" / "sample" / "sample.epub").read_bytes())
    (books / "broken.pdf").write_bytes(b"no book")
    (books / "broken.EPUB").write_bytes(b"no book")
    (books / "notes.txt").write_bytes(b"no book either")
    return books


def test_every_book_of_the_folder_is_a_line_and_a_broken_one_says_why(folder: Path, repository: Path) -> None:
    done = run(repository, str(folder), "--runs", "1", "--json", str(folder / "out.json"))

    lines = {line.split()[0]: line for line in done.stdout.splitlines() if line}
    rows = {row["file"]: row for row in json.loads((folder / "out.json").read_text("utf-8"))}

    assert done.returncode == 0
    assert done.stderr == ""
    assert set(rows) == {"broken.pdf", "deep/lamps.pdf", "broken.EPUB", "sample.epub"}
    assert set(rows) <= set(lines)
    for name in ("broken.pdf", "broken.EPUB"):
        assert rows[name]["error"].startswith("InputError")
        assert rows[name]["error"] in lines[name]
    assert rows["deep/lamps.pdf"]["error"] == rows["sample.epub"]["error"] == ""


def test_our_reading_is_measured_beside_the_library_alone(folder: Path, repository: Path) -> None:
    run(repository, str(folder), "--runs", "1", "--json", str(folder / "out.json"))

    rows = {row["file"]: row["readings"] for row in json.loads((folder / "out.json").read_text("utf-8"))}
    pdf, epub = rows["deep/lamps.pdf"], rows["sample.epub"]

    assert list(pdf) == ["ours", "dict", "text"]
    assert list(epub) == ["ours", "parse"]
    assert pdf["dict"]["pages"] == pdf["text"]["pages"] == 3
    assert epub["parse"]["pages"] == 20
    assert all(reading["seconds"] > 0 for reading in (*pdf.values(), *epub.values()))
    if sys.platform == "linux":
        assert all(reading["peak"] > 10_000_000 for reading in (*pdf.values(), *epub.values()))


def test_the_ratio_is_our_time_over_the_floors(repository: Path) -> None:
    spec = spec_from_file_location("benchmark_of_books", repository / "benchmarks" / "books.py")
    assert spec is not None and spec.loader is not None
    module = module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)

    row = module.Row("a.pdf", "pdf", 1, {"ours": module.Reading(3.0, 1, 0), "dict": module.Reading(2.0, 1, 7)})

    assert row.ratio("dict") == 1.5
    assert row.ratio("text") is None
    assert row.pages == 7


def test_a_folder_without_books_is_an_error_in_one_line(tmp_path: Path, repository: Path) -> None:
    done = run(repository, str(tmp_path))

    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == f"{tmp_path}: no PDF or EPUB in it\n"
