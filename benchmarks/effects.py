"""What a moved threshold did to the books, in a few words, and the page that lists it for all of them."""

import statistics
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

import peers
import score
from constants import FAR, NEAR, Constant

from bookblend.talk import counted, shortened

FIGURES = ("lost", "junk", "chapters", "paragraphs")
FEWER = ("lost", "junk")  # of these less is better, of the others more
# Words per 10,000 that are printed: a mean that moved by less is the same.
LEAST_WORDS = 0.005
STILL = "no change"
# Of an error so many characters are told: it is a hint, and the whole is had by running the book.
ERROR_WIDTH = 60


@dataclass(frozen=True, slots=True)
class Reading:
    """What became of one book: its records' digest, and their score (None: known); or why there are none."""

    digest: str
    figures: score.Score | None = None
    error: str = ""


def effect(books: Sequence[peers.Book], base: Sequence[Reading], now: Sequence[Reading]) -> str:
    """What a move did, in a few words: the means over the books it left readable, and the book it changed most."""
    differ = [index for index, reading in enumerate(now) if reading.digest != base[index].digest]
    failed = [index for index in differ if now[index].error]
    if not differ:
        return STILL
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
    return bool(max(gains) > 0 and min(gains) >= 0)


def _faults(figures: Any) -> float:
    """One figure of a score's four, to find the book that changed most: all as shares, the fewer the better."""
    return float((figures.lost + figures.junk) / 10_000 + 2 - figures.chapters - figures.paragraphs)


def render(
    books: Sequence[peers.Book], base: Sequence[Reading], told: dict[tuple[Constant, float], str], only: str
) -> str:
    """The whole page, ending in a newline. `told` has what each constant at each value did."""
    constants = list(dict.fromkeys(constant for constant, _ in told))
    still = sum(all(told[one, one.moved(factor)] == STILL for factor in FAR) for one in constants)
    means = [statistics.fmean(getattr(reading.figures, name) for reading in base) for name in FIGURES]
    names = ", ".join(book.path.stem for book in books)
    asked = f" with {only!r} in its module or name" if only else ""
    parts = [
        "# Thresholds",
        _filled(
            "`make thresholds BOOKS=FOLDER` writes this page (benchmarks/thresholds.py; benchmarks/README.md says what "
            f"a book with truth is). Each number that the PDF reader names{asked} was halved and doubled, alone, and "
            f"with it what is made of it; where that changed a record, also {NEAR[0]:g} or {NEAR[1]:g} times. "
            "Integers go by at least 1; what is below 1 and would pass it has its distance to 1 divided."
        ),
        _filled(
            f"The bench: {counted(len(books), 'typeset PDF')} with truth ({names}), read with their flags. As the "
            f"numbers stand: lost {means[0]:.2f} and junk {means[1]:.2f} per 10,000 words, chapters {means[2]:.4f}, "
            f"paragraphs {means[3]:.4f}, means over the books (benchmarks/score.py says what the figures are). The "
            "effects below are changes of these means; the book named is the one that changed most."
        ),
        _filled(
            "- **no change**: every book's records are the same to the byte. The bench does not come near the "
            "threshold, or not with any effect; it is for the tests that are named after the behaviour to hold it. So "
            f"it is with {still} of {counted(len(constants), 'number')}, both ways."
        )
        + "\n- **same figures**: records differ, and no figure by what is printed of it."
        + "\n- **better**: a figure of some book is better and none of any book is worse.",
    ]
    for module, group in groupby(constants, key=lambda constant: constant.module):
        lines = ["| constant | value | reason | lower | higher |", "|---|---:|---|---|---|"]
        for constant in group:
            cells = [f"`{constant.label}`", f"{constant.value:g}", constant.reason]
            for factors in zip(NEAR, FAR, strict=True):
                values = dict.fromkeys(map(constant.moved, factors))
                cells.append(
                    "; ".join(f"{value:g}: {told[constant, value]}" for value in values if (constant, value) in told)
                )
            lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
        parts += [f"## {module.removeprefix('bookblend.')}", "\n".join(lines)]
    return "\n\n".join(parts) + "\n"


def _filled(text: str) -> str:
    indent = "  " if text.startswith("- ") else ""
    return textwrap.fill(text, 120, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
