"""Move every threshold of the PDF reader both ways, run books with truth, and write what happens as a page.

Each is halved and doubled; where that changes anything it is moved by 30 % as well.

    python benchmarks/thresholds.py FOLDER … --out docs/thresholds.md [--workers N] [--only TEXT]

Which numbers these are, and what moving one means, says constants.py. A book is NAME.pdf with NAME.truth.json beside it
(benchmarks/README.md describes it), read as `bookblend books onboard` reads it with the options that its truth calls
for; where its records are the same to the byte, nothing is scored. Progress goes to stderr; the page is written at the
end, and is the same for any number of workers.
"""

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import compare
import peers
import runs
import score
from constants import FAR, NEAR, Constant, find_constants, moved
from effects import STILL, Reading, effect, render

from bookblend.books.pipeline import Options, onboard
from bookblend.build.commands import add_slice, add_split, read_options
from bookblend.errors import BookblendError, one_line
from bookblend.parallel import add_workers, map_pieces, read_workers
from bookblend.talk import counted


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


def move_all(
    constants: Sequence[Constant], books: tuple[peers.Book, ...], base: Sequence[Reading], workers: int
) -> dict[tuple[Constant, float], str]:
    """What each constant does at each value that it is moved to; the far ones first, near ones where these show."""
    told: dict[tuple[Constant, float], str] = {}
    known = tuple(reading.digest for reading in base)
    for factors in (FAR, NEAR):
        moves = dict.fromkeys(
            (constant, constant.moved(factor))
            for constant in constants
            for factor, far in zip(factors, FAR, strict=True)
            if told.get((constant, constant.moved(far))) != STILL
        )
        left = [move for move in moves if move not in told]
        pieces = [Piece(*move, books, known) for move in left]
        for count, outcome in enumerate(map_pieces(run_piece, pieces, workers)):
            said = one_line(outcome.error) if outcome.error else effect(books, base, outcome.result())
            told[left[count]] = said
            _say(f"{count + 1}/{len(left)} {pieces[count]}: {said}")
    return told


@cache
def _truth(path: Path) -> dict[str, Any]:
    truth: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return truth


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
    told = move_all(constants, books, base, workers)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    runs.write_whole(given.out, render(books, base, told, given.only).encode())
    return 0


def _fail(text: str) -> int:
    _say(f"thresholds: {text}")
    return 2


def _say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main())
