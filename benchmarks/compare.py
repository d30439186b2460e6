"""Compare our readers with other tools on a folder of books with truth, and write the figures as a page.

    python benchmarks/compare.py FOLDER --out docs/benchmarks.md [--peers-python PYTHON] [--cache DIR] [--only NAME]
                                 [--slow NAME …] [--again NAME …] [--long FILE …] [--real FOLDER …] [--cases FOLDER]

A book is NAME.pdf or NAME.epub with NAME.truth.json beside it (benchmarks/README.md describes it). Every reader runs
on every book in a process of its own. What it wrote, and how long it took, is kept under --cache by reader, version
and book, so that a rerun is quick and an interrupted run goes on. Progress goes to stderr; the page is written whole at
the end. A peer that is not installed is a line of the page.
"""

import argparse
import json
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import measures
import page
import peers
import runs
import score

SCORER = Path(__file__).with_name("score.py")


def main(words: list[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 where there is nothing to compare or rapidfuzz is missing."""
    given = _parser().parse_args(words)
    found = [book for book in find_books(given.folder) if not given.only or given.only in book.path.stem]
    if not found:
        print(f"{given.folder}: no NAME.truth.json with NAME.pdf or NAME.epub beside it", file=sys.stderr)
        return 2
    forget(given.cache, given.again)
    try:
        report = compare(found, given)
    except score.ScoreError as error:
        print(f"compare: {error}", file=sys.stderr)
        return 2
    given.out.parent.mkdir(parents=True, exist_ok=True)
    runs.write_whole(given.out, page.render(report).encode())
    _say(f"{given.out} written")
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="Compare our readers with other tools on books with truth.")
    parser.add_argument("folder", type=Path, help="holds NAME.pdf or NAME.epub with NAME.truth.json beside it")
    parser.add_argument("--out", type=Path, required=True, metavar="PAGE", help="the page, markdown")
    parser.add_argument("--peers-python", default="", metavar="PYTHON", help="the Python of the peers' environment")
    parser.add_argument(
        "--cache", type=Path, default=Path("out/benchmarks"), metavar="DIR", help="default: %(default)s"
    )
    parser.add_argument("--only", default="", metavar="NAME", help="only books with this in their name")
    parser.add_argument("--slow", nargs="*", metavar="NAME", help="run slow peers on these books alone (default: all)")
    parser.add_argument("--again", nargs="*", default=[], metavar="NAME", help="readers, or parts, to be run anew")
    parser.add_argument("--long", nargs="*", type=Path, default=[], metavar="FILE", help="long PDFs: speed and memory")
    parser.add_argument("--real", nargs="*", type=Path, default=[], metavar="FOLDER", help="real files of any kind")
    parser.add_argument("--cases", type=Path, metavar="FOLDER", help="fault cases with a run.py")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs of what is quick (default: 3)")
    return parser


def find_books(folder: Path) -> Iterator[peers.Book]:
    """The books of a folder that have a truth, by name; one truth may stand for a PDF and an EPUB."""
    for truth in sorted(folder.glob("*.truth.json")):
        for kind in (".pdf", ".epub"):
            path = truth.with_name(truth.name.removesuffix(".truth.json") + kind)
            if path.is_file():
                yield peers.Book(path, kind, truth, _pages(path) if kind == ".pdf" else 0)


def _pages(path: Path) -> int:
    import pymupdf

    opened: Any = pymupdf.open  # PyMuPDF has no types
    with opened(path) as document:
        return int(document.page_count)


def forget(cache: Path, names: list[str]) -> None:
    """Remove what the cache holds of readers (by their names) or parts (speed, long, real, cases)."""
    for name in names:
        shutil.rmtree(cache / peers.folder_name(name), ignore_errors=True)


def compare(found: list[peers.Book], given: argparse.Namespace) -> page.Report:
    """Run every reader on every book and measure the rest."""
    python = given.peers_python and os.path.abspath(given.peers_python)  # noqa: PTH100 (a venv's link must stay one)
    versions = {reader.name: reader.find(python) for reader in (peers.OURS, peers.OUR_EXTRACT, *peers.PEERS)}
    ours = versions[peers.OURS.name] or ""
    results: list[peers.Result] = []
    for number, book in enumerate(found, 1):
        truth = json.loads(book.truth.read_text("utf-8"))
        plans = [
            ("flags", peers.OURS, peers.flags(truth)),
            ("auto", peers.OURS, []),
            *(("", reader, list[str]()) for reader in (peers.OUR_EXTRACT, *peers.PEERS)),
        ]
        for mode, reader, options in plans:
            version = versions[reader.name]
            if book.kind not in reader.kinds or version is None:
                continue
            wanted = not reader.slow or given.slow is None or book.path.stem in given.slow
            times = given.runs if wanted else 0
            _say(f"{number}/{len(found)} {book.path.name}: {reader.name} {mode}")
            kept = peers.run_reader(reader, version, python, book.path, options, given.cache, times)
            if kept is not None:
                mark = None if kept.run.error else scored(kept, book, reader.form, given.cache)
                results.append(peers.Result(reader.name, mode, book, kept.run, mark))
    speeds = []
    for book in found:
        _say(f"speed: {book.path.name}")
        speeds.append(measures.speed(book.path, ours, given.cache, given.runs))
    long = []
    for path in given.long:
        _say(f"long: {path.name}")
        long.append(measures.long_book(path, ours, given.cache, given.runs))
    real: list[measures.RealFile] = []
    for folder in given.real:
        _say(f"real files: {folder}")
        real += measures.real_files(folder, ours, given.cache)
    fault_cases: list[measures.Case] = []
    if given.cases:
        _say(f"cases: {given.cases}")
        fault_cases = measures.cases(given.cases, ours, given.cache)
    return page.Report(machine(), versions, results, speeds, long, real, fault_cases)


def scored(kept: runs.Kept, book: peers.Book, form: str, cache: Path) -> score.Score:
    """The score of what a reader wrote, from the cache where scorer, truth and text are the same."""
    key = "-".join(runs.file_digest(path) for path in (SCORER, book.truth, kept.output))

    def make() -> dict[str, object]:
        truth = json.loads(book.truth.read_text("utf-8"))
        return asdict(score.score(truth, kept.output.read_bytes().decode("utf-8", "replace"), form))

    return score.Score(**measures.kept_json(cache / "scores" / f"{key}-{form}.json", make))


def machine() -> str:
    """The machine that the figures are from, in a few words."""
    model = platform.processor() or platform.machine()
    told = Path("/proc/cpuinfo")
    if told.exists():
        lines = told.read_text("utf-8", "replace").splitlines()
        model = next((line.split(":", 1)[1].strip() for line in lines if line.startswith("model name")), model)
    return f"{os.cpu_count()} cores, {model}, {platform.system()}, Python {platform.python_version()}"


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
