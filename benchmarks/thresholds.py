"""Move every threshold of the PDF reader both ways, run books with truth, and write what happens as a page.

    python benchmarks/thresholds.py FOLDER … --out docs/thresholds.md [--workers N] [--only TEXT]

Which numbers these are, and what moving one means, says constants.py. A book is NAME.pdf with NAME.truth.json beside it
(benchmarks/README.md describes it), read as `bookblend books onboard` reads it with the options that its truth calls
for; where its records are the same to the byte, nothing is scored. Progress goes to stderr; the page is written at the
end, and is the same for any number of workers.
"""

import argparse
import hashlib
import json
import statistics
import sys
import textwrap
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import compare
import peers
import runs
import score
from constants import SHIFT, Constant, find_constants, moved

from bookblend.books.pipeline import Options, onboard
from bookblend.build.commands import add_slice, add_split, read_options
from bookblend.errors import BookblendError, one_line
from bookblend.parallel import add_workers, map_pieces, read_workers
from bookblend.talk import counted, shortened

FIGURES = ("lost", "junk", "chapters", "paragraphs")
FEWER = ("lost", "junk")  # of these less is better, of the others more
# Words per 10,000 that are printed: a mean that moved by less is the same.
LEAST_WORDS = 0.005
# Of an error so many characters are told: it is a hint, and the whole is had by running the book.
ERROR_WIDTH = 60


@dataclass(frozen=True, slots=True)
class Piece:
    """All books with one constant moved (None: as they are); `known` are the digests of records not to be scored."""

    constant: Constant | None
    value: float
    books: tuple[peers.Book, ...]
    known: tuple[str, ...] = ()

    def __str__(self) -> str:
        if self.constant is None:
            return "as they are"
        return f"{self.constant.module} {self.constant.label} {self.constant.value:g} -> {self.value:g}"


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of one book: its records' digest, and their score (None: known); or why there are none."""

    digest: str
    figures: score.Score | None = None
    error: str = ""


# Running the books.


def run_piece(piece: Piece) -> list[Reading]:
    """Read all books of a piece, and score those whose records are not known."""
    with moved(piece.constant, piece.value) if piece.constant else nullcontext():
        texts = [_records(book) for book in piece.books]
    readings = []
    for index, (book, (text, error)) in enumerate(zip(piece.books, texts, strict=True)):
        digest = hashlib.sha256(text.encode()).hexdigest()
        known = bool(error) or (bool(piece.known) and piece.known[index] == digest)
        readings.append(Reading(digest, None if known else score.score(_truth(book.truth), text, "jsonl"), error))
    return readings


def _records(book: peers.Book) -> tuple[str, str]:
    """A book's records as `books onboard` writes them, or "" and why there are none."""
    parser = argparse.ArgumentParser()
    add_slice(parser)
    add_split(parser)
    try:
        build = read_options(parser.parse_args(peers.flags(_truth(book.truth))))
        return onboard(book.path, book.path.stem, Options(build=build)).texts[".jsonl"], ""
    except BookblendError as error:
        return "", one_line(error).replace(str(book.path), book.path.name)
    except Exception as error:  # a moved threshold may do what nobody thought of; that is the page's to tell
        return "", f"{type(error).__name__}: {error}"


@cache
def _truth(path: Path) -> dict[str, Any]:
    truth: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return truth


# The page.


def effect(books: Sequence[peers.Book], base: Sequence[Reading], now: Sequence[Reading]) -> str:
    """What a move did, in a few words: the means over the books it left readable, and the book it changed most."""
    differ = [index for index, reading in enumerate(now) if reading.digest != base[index].digest]
    failed = [index for index in differ if now[index].error]
    if not differ:
        return "no change"
    told = []
    if failed:
        told.append(f"{counted(len(failed), 'book')} not read ({_failure(books[failed[0]], now[failed[0]])})")
    if len(failed) < len(differ):
        pairs = {i: (base[i].figures, now[i].figures or base[i].figures) for i in range(len(now)) if i not in failed}
        faults = {i: abs(_faults(after) - _faults(before)) for i, (before, after) in pairs.items() if i in differ}
        most = books[max(faults, key=lambda index: faults[index])].path.stem
        told += _changes(list(pairs.values()))
        told.append(f"{most} alone" if len(faults) == 1 else f"{len(faults)} books, most {most}")
        if not failed and _is_better(list(pairs.values())):
            return "better: " + ", ".join(told)
    return ", ".join(told)


def _failure(book: peers.Book, reading: Reading) -> str:
    return f"{book.path.stem}: {shortened(reading.error.removeprefix(f'{book.path.name}: '), ERROR_WIDTH)}"


def _changes(pairs: Sequence[tuple[Any, Any]]) -> list[str]:
    """The figures whose means moved by what is printed of them."""
    told = []
    for name in FIGURES:
        before, after = (
            statistics.fmean(getattr(figures, name) for figures in side) for side in zip(*pairs, strict=True)
        )
        if name in FEWER:
            told += [f"{name} {after - before:+.2f}"] * (abs(after - before) >= LEAST_WORDS)
        else:
            told += [f"{name} {before:.4f} → {after:.4f}"] * (f"{before:.4f}" != f"{after:.4f}")
    return told or ["same figures"]


def _is_better(pairs: Sequence[tuple[Any, Any]]) -> bool:
    """Whether a figure of some book is better, and none of any book worse."""
    gains = [
        (getattr(after, name) - getattr(before, name)) * (-1 if name in FEWER else 1)
        for before, after in pairs
        for name in FIGURES
    ]
    return max(gains) > 0 and min(gains) >= 0


def _faults(figures: Any) -> float:
    """One figure of a score's four, to find the book that changed most: all as shares, the fewer the better."""
    return float((figures.lost + figures.junk) / 10_000 + 2 - figures.chapters - figures.paragraphs)


def render(
    books: Sequence[peers.Book], base: Sequence[Reading], rows: Sequence[tuple[Constant, str, str]], only: str
) -> str:
    """The whole page, ending in a newline."""
    still = sum(lower == higher == "no change" for _, lower, higher in rows)
    means = [statistics.fmean(getattr(reading.figures, name) for reading in base) for name in FIGURES]
    names = ", ".join(book.path.stem for book in books)
    asked = f" with {only!r} in its module or name" if only else ""
    parts = [
        "# Thresholds",
        _filled(
            "`make thresholds BOOKS=FOLDER` writes this page (benchmarks/thresholds.py; benchmarks/README.md says what "
            f"a book with truth is). Each number that the PDF reader names{asked} was moved by {SHIFT:.0%} down and "
            "up, alone, and with it what is made of it: integers by at least 1, what is below 1 never to 1."
        ),
        _filled(
            f"The bench: {counted(len(books), 'typeset PDF')} with truth ({names}), read with their flags. As the "
            f"numbers stand: lost {means[0]:.2f} and junk {means[1]:.2f} per 10,000 words, chapters {means[2]:.4f}, "
            f"paragraphs {means[3]:.4f}, means over the books (docs/benchmarks.md says what the figures are). The "
            "effects below are changes of these means; the book named is the one that changed most."
        ),
        _filled(
            "- **no change**: every book's records are the same to the byte. The bench does not come near the "
            "threshold, or not with any effect; what holds it are the tests that are named after its behaviour. So it "
            f"is with {still} of {counted(len(rows), 'number')}, both ways."
        )
        + "\n- **same figures**: records differ, and no figure by what is printed of it."
        + "\n- **better**: a figure of some book is better and none of any book is worse.",
    ]
    for module, group in groupby(rows, key=lambda row: row[0].module):
        lines = ["| constant | value | reason | lower | higher |", "|---|---:|---|---|---|"]
        for constant, lower, higher in group:
            down, up = (f"{value:g}: {told}" for value, told in zip(constant.moves(), (lower, higher), strict=True))
            cells = (f"`{constant.label}`", f"{constant.value:g}", constant.reason, down, up)
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        parts += [f"## {module.removeprefix('bookblend.')}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def _filled(text: str) -> str:
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)


# The command.


def main(words: list[str] | None = None) -> int:
    """The command; returns its exit status: 0, or 2 where there is nothing to move or to read."""
    parser = argparse.ArgumentParser(
        description="Move every threshold of the PDF reader both ways and write what books with truth say.",
        epilog="example: python benchmarks/thresholds.py books/sample --only pdf_notes --out page.md",
    )
    parser.add_argument("folders", type=Path, nargs="+", metavar="FOLDER", help="holds NAME.pdf and NAME.truth.json")
    parser.add_argument("--out", type=Path, required=True, metavar="PAGE", help="the page, markdown")
    parser.add_argument("--only", default="", metavar="TEXT", help="only constants with this in `module NAME`")
    add_workers(parser)
    given = parser.parse_args(words)
    workers = read_workers(given.workers)
    books = tuple(book for folder in given.folders for book in compare.find_books(folder) if book.kind == ".pdf")
    constants = [constant for constant in find_constants() if given.only in f"{constant.module} {constant.label}"]
    if not books or not constants:
        return _fail(f"no constant with {given.only!r}" if books else "no NAME.pdf with NAME.truth.json beside it")
    _say(f"{counted(len(books), 'book')} as they are")
    try:
        base = run_piece(Piece(None, 0, books))
    except score.ScoreError as error:
        return _fail(str(error))
    for reading in base:
        if reading.error:
            return _fail(reading.error)
    known = tuple(reading.digest for reading in base)
    pieces = [Piece(constant, value, books, known) for constant in constants for value in constant.moves()]
    told: list[str] = []
    for piece, outcome in zip(pieces, map_pieces(run_piece, pieces, workers), strict=True):
        told.append(one_line(outcome.error) if outcome.error else effect(books, base, outcome.result()))
        _say(f"{len(told)}/{len(pieces)} {piece}: {told[-1]}")
    rows = list(zip(constants, told[::2], told[1::2], strict=True))
    given.out.parent.mkdir(parents=True, exist_ok=True)
    runs.write_whole(given.out, render(books, base, rows, given.only).encode())
    return 0


def _fail(text: str) -> int:
    _say(f"thresholds: {text}")
    return 2


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
