"""The command that compares our readers with other tools: runs and their cache, measurements, and the page."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pdf_fixtures import Page, Para, make_pdf

SENTENCES = "The lamp was lit before the boats came home, and nobody asked by whom. " * 5
MODULES = ("books", "score", "runs", "peers", "measures", "page", "compare")


@pytest.fixture
def tools(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The modules of benchmarks/ by name."""
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    return SimpleNamespace(**{name: import_module(name) for name in MODULES})


@pytest.fixture
def book(tmp_path: Path) -> Path:
    path = tmp_path / "book.pdf"
    path.write_bytes(b"one book")
    return path


# Runs and the cache.


def test_a_run_tells_its_figures_and_the_reading_alone(tools: Any, tmp_path: Path) -> None:
    code = f"print('words'); print('{tools.runs.READING_MARK}', 0.25)"
    run, printed = tools.runs.timed([sys.executable, "-c", code], tmp_path)

    assert printed.startswith("words\n")
    assert run.wall > 0 and run.cpu > 0 and run.reading == 0.25 and not run.error
    assert run.peak > 1_000_000


@pytest.mark.parametrize(
    ("code", "patience", "error"),
    [
        ("import sys; print('bad page 7'); sys.exit(3)", 60, "status 3: bad page 7"),
        ("import time; time.sleep(60)", 0.2, "not done after 0 s"),
    ],
)
def test_a_run_that_fails_or_hangs_is_an_error_in_one_line(
    tools: Any, tmp_path: Path, code: str, patience: float, error: str
) -> None:
    run, _ = tools.runs.timed([sys.executable, "-c", code], tmp_path, patience)

    assert run.error == error


def test_a_command_that_is_not_there_is_an_error_in_one_line(tools: Any, tmp_path: Path) -> None:
    run, _ = tools.runs.timed(["no-such-program"], tmp_path)

    assert "no-such-program" in run.error
    assert "\n" not in run.error


def test_what_was_run_is_taken_from_the_cache_until_version_options_or_book_change(
    tools: Any, tmp_path: Path, book: Path
) -> None:
    calls: list[Path] = []

    def command(out: Path) -> list[str]:
        calls.append(out)
        return [sys.executable, "-c", f"import pathlib; pathlib.Path({str(out)!r}).write_text('text')"]

    def run(version: str, options: list[str], times: int = 1) -> Any:
        return tools.runs.kept_run(tmp_path / "cache" / version, book, options, command, times)

    first, again = run("1", []), run("1", [])
    assert first == again
    assert first.output.read_text() == "text"
    assert len(calls) == 1

    assert run("2", [], times=0) is None
    run("2", [])
    run("1", ["--start", "I"])
    book.write_bytes(b"another book")
    run("1", [])
    assert len(calls) == 4


def test_a_failed_run_is_kept_with_its_error(tools: Any, tmp_path: Path, book: Path) -> None:
    calls: list[Path] = []

    def command(out: Path) -> list[str]:
        calls.append(out)
        return [sys.executable, "-c", "raise SystemExit('no text in it')"]

    kept = [tools.runs.kept_run(tmp_path / "cache", book, [], command, 3) for _ in range(2)]

    assert kept[0].run.error == kept[1].run.error == "status 1: no text in it"
    assert len(calls) == 1


# Readers.


def test_a_peer_that_is_missing_has_no_version(tools: Any, tmp_path: Path) -> None:
    nothing = str(tmp_path / "python")
    python_peers = [peer for peer in tools.peers.PEERS if not peer.find.__qualname__.startswith("_program")]

    assert len(python_peers) >= 3
    assert [peer.find(nothing) for peer in python_peers] == [None] * len(python_peers)
    assert [peer.find("") for peer in python_peers] == [None] * len(python_peers)


def test_the_options_of_a_book_come_from_its_truth(tools: Any) -> None:
    chapters = [{"heading": ["I", "The Quay"]}, {"heading": ["II", "The Sea"]}]

    assert tools.peers.flags({"chapters": chapters}) == ["--start", "I The Quay"]
    assert tools.peers.flags({"chapters": chapters, "end": "Index"})[2:] == ["--end", "Index"]
    assert tools.peers.flags({"chapters": chapters, "style": "chrome-bold"})[2:] == ["--pattern", "(i|ii)$"]


# Measurements.


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("bookblend: deep/Lamps, 1904.epub: is empty (0 bytes); fetch it again", "is empty"),
        ("bookblend: a.pdf: no text on 17 of 1,204 pages; run OCR", "no text on N of N pages"),
        ("bookblend: b.pdf: the font “Lamp” is damaged", "the font … is damaged"),
    ],
)
def test_error_lines_of_one_kind_are_one_reason(tools: Any, line: str, reason: str) -> None:
    assert tools.measures.shared_reason(line) == reason


def test_only_one_clear_line_or_text_is_as_it_should_be(tools: Any) -> None:
    good, bad = tools.runs.Run(1, 1, 1), tools.runs.Run(1, 1, 1, error="status 3: ...")
    outcome = tools.measures.outcome_of

    assert outcome(good, "", True) == ("text", "")
    assert outcome(good, "", False)[0] == "other"
    assert outcome(bad, "bookblend: warning: no contents\nbookblend: a.pdf: is empty\n", False) == ("line", "is empty")
    assert outcome(bad, "Traceback (most recent call last):\n  File\nKeyError\n", False)[0] == "other"
    assert outcome(bad, "bookblend: a.pdf: is empty\nbookblend: a.pdf: is broken\n", False)[0] == "other"


def test_cases_are_read_from_the_lines_of_their_runner(tools: Any, tmp_path: Path) -> None:
    (tmp_path / "P02").mkdir()
    (tmp_path / "P02" / "expected.json").write_text('{"policy": "either is right"}')
    lines = 'for line in ("P01/a.pdf: pass", "P02/b.pdf: FAIL present: \'x\'", "1 passed, 1 failed"): print(line)\n'
    (tmp_path / "run.py").write_text(f"import sys\nif sys.argv[-1] == 'P':\n    {lines}")

    found = tools.measures.cases(tmp_path, "1", tmp_path / "cache")

    assert [(case.name, case.passed, case.reason, case.policy) for case in found] == [
        ("P01/a.pdf", True, "", ""),
        ("P02/b.pdf", False, "present: 'x'", "either is right"),
    ]


# The page.


def result(tools: Any, reader: str, mode: str, name: str, lost: float | None, wall: float = 2.0) -> Any:
    score = None if lost is None else tools.score.Score(1000, lost, lost * 2, 0.5, 0.75, 1, 2, 0.9)
    run = tools.runs.Run(wall, 1.5, 7_000_000, error="" if score else "status 1: bad page")
    return tools.peers.Result(reader, mode, tools.peers.Book(Path(name), ".pdf", Path("t"), 10), run, score)


def report(tools: Any, *results: Any, **more: Any) -> Any:
    versions: dict[str, str | None] = {reader.name: "1" for reader in tools.peers.PEERS}
    versions |= {"pymupdf4llm": None, "bookblend": "0.1.0-abc"}
    rest: dict[str, Any] = {"speeds": [], "long": [], "real": [], "cases": []} | more
    return tools.page.Report("2 cores", versions, list(results), **rest)


def rows(text: str) -> dict[str, list[str]]:
    """A page's table rows by their first cell, the last of that name."""
    cells = [[cell.strip() for cell in line.strip("|").split(" | ")] for line in text.splitlines() if line[:1] == "|"]
    return {line[0]: line[1:] for line in cells}


def test_the_page_gives_medians_and_worsts_and_names_the_books_a_figure_stands_on(tools: Any) -> None:
    ours = [result(tools, "bookblend", "flags", name, lost) for name, lost in (("a.pdf", 1.0), ("b.pdf", 4.0))]
    peer = result(tools, "pdftotext", "", "b.pdf", 30.0, wall=0.5)
    text = tools.page.render(report(tools, *ours, peer))

    assert "On every book (2):" in text
    assert "On 1 of them (b):" in text
    assert rows(text)["**worst**"][:4] == ["4.00", "8.00", "0.500", "0.900"]
    assert rows(text)["**median**"][:2] == ["2.50", "5.00"]
    assert rows(text.split("On 1 of them")[0])["**bookblend, with flags**"][7] == "5.0"  # 20 pages in 4 s
    assert rows(text.split("Book by book")[0])["pdftotext"][:2] == ["30.00", "30.00"]
    assert rows(text.split("Book by book")[1])["a"] == ["1.00 / 2.00", "–"]


def test_a_missing_peer_is_a_line_of_the_page(tools: Any) -> None:
    text = tools.page.render(report(tools, result(tools, "bookblend", "auto", "a.pdf", 0.0)))

    assert "\npymupdf4llm: not installed.\n" in text
    assert "\npdfminer.six: not run on these books.\n" in text
    assert rows(text)["pymupdf4llm"][0] == "not installed"
    assert rows(text)["bookblend"][0] == "0.1.0"


def test_a_peer_that_fails_is_counted_and_says_why(tools: Any) -> None:
    ours = result(tools, "bookblend", "auto", "a.pdf", 0.0)
    text = tools.page.render(report(tools, ours, result(tools, "pdftotext", "", "a.pdf", None)))

    assert rows(text.split("Book by book")[0])["pdftotext"] == ["–"] * 10 + ["1"]
    assert "- pdftotext, a: status 1: bad page" in text


def test_the_page_tells_speed_real_files_and_cases(tools: Any) -> None:
    reading = tools.books.Reading
    row = tools.books.Row("a.pdf", "pdf", 1, {"ours": reading(3.0, 9_000_000, 0), "dict": reading(2.0, 1_000_000, 30)})
    real = [
        tools.measures.RealFile("pdf", "text", "", 1.0, 5_000_000),
        tools.measures.RealFile("pdf", "line", "is empty", 2.5, 6_000_000),
    ]
    case = tools.measures.Case("P", "P02/b.pdf", False, "present: a|b", "either is right")
    long = tools.measures.Long("a", row, {1: 4.0, 2: 2.5})
    ours = result(tools, "bookblend", "auto", "a.pdf", 0.0)
    text = tools.page.render(report(tools, ours, speeds=[row], long=[long], real=real, cases=[case]))

    assert rows(text.split("## Speed: PDF")[1].split("##")[0])["a"] == ["30", "3.00", "2.00", "1.50", "10", "9"]
    assert rows(text.split("## Long books")[1].split("##")[0])["a"][-2:] == ["4.00", "2.50"]
    assert rows(text.split("## Real files")[1].split("##")[0])["PDF"][:6] == ["2", "1", "1", "0", "6", "2.5"]
    assert rows(text.split("## Real files")[1])["is empty"] == ["line", "1"]
    assert rows(text.split("## Fault cases")[1])["PDF"] == ["1", "0", "0", "1"]
    assert "present: a\\|b" in text


# The command.


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "shelf"
    folder.mkdir()
    page = Page([Para("Lamps", size=18), Para(SENTENCES), Para(SENTENCES)])
    (folder / "lamps.pdf").write_bytes(make_pdf([page]))
    blocks = [{"t": "p", "text": SENTENCES.strip()}] * 2
    truth = {"chapters": [{"kind": "chapter", "heading": ["Lamps"], "blocks": blocks}]}
    (folder / "lamps.truth.json").write_text(json.dumps(truth), "utf-8")
    return folder


def run_compare(repository: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """The command with no peer in reach."""
    command = [sys.executable, str(repository / "benchmarks" / "compare.py"), *words]
    environment = {**os.environ, "PATH": ""}
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, env=environment)


def test_a_folder_becomes_a_page_and_a_rerun_the_same_page(folder: Path, tmp_path: Path, repository: Path) -> None:
    pytest.importorskip("rapidfuzz")
    words = [str(folder), "--out", str(tmp_path / "page.md"), "--cache", str(tmp_path / "cache"), "--runs", "1"]
    done = run_compare(repository, *words)
    text = (tmp_path / "page.md").read_text("utf-8")
    again = run_compare(repository, *words)

    assert (done.returncode, done.stdout) == (0, ""), done.stderr
    assert "1 typeset PDF with the truth" in text
    assert "pdftotext: not installed." in text
    assert rows(text.split("## Our scores: PDF")[1].split("##")[0])["lamps"] == ["0.00", "0.00", "1.000", "1.000"] * 2
    assert str(tmp_path) not in text
    assert again.returncode == 0
    assert (tmp_path / "page.md").read_text("utf-8") == text


def test_a_folder_without_truth_is_an_error_in_one_line(tmp_path: Path, repository: Path) -> None:
    done = run_compare(repository, str(tmp_path), "--out", str(tmp_path / "page.md"))

    assert done.returncode == 2
    assert done.stderr == f"{tmp_path}: no NAME.truth.json with NAME.pdf or NAME.epub beside it\n"
    assert not (tmp_path / "page.md").exists()
