"""The body slice: find the headings that `--start` and `--end` name, or say what stands there instead.

The rules are the specification's: a heading matches whole, whatever its case and tier; an anchor may be a run of
consecutive heading lines joined by blanks; where a heading stands twice (contents page and body) the last one counts.
"""

from dataclasses import dataclass
from difflib import get_close_matches

from bookblend.build.headings import fold, plain
from bookblend.errors import ExpectationError
from bookblend.manuscript import Manuscript

# How many headings an error offers, and how alike (difflib's ratio) they must be to be offered as near. 0.5 keeps
# "Introduction" near "Introducton to the book" and leaves out what merely shares letters.
_OFFERED = 3
_NEAR = 0.5
# Runs of heading lines longer than this are no heading but a contents page.
_LONGEST_RUN = 8


@dataclass(frozen=True, slots=True)
class Slice:
    """The ordinals of a body's first block and of the first one after it."""

    start: int
    end: int


def find_slice(book: Manuscript, start: str | None, end: str | None) -> Slice:
    """The slice from the heading `start`, inclusive, to the heading `end`, exclusive.

    None and "" mean the text's own start or end. Raises `ExpectationError` naming the nearest headings where an anchor
    is not found, and both places where `end` does not stand after `start`.
    """
    first = _find(book, start, "--start") if start else 0
    last = _find(book, end, "--end") if end else len(book.blocks)
    if start and end and last <= first:
        raise ExpectationError(
            f"--end '{end}' ({book.place(last)}) does not stand after --start '{start}' ({book.place(first)}); "
            "where a heading stands twice, the last one counts"
        )
    return Slice(first, last)


def _find(book: Manuscript, anchor: str, option: str) -> int:
    """The ordinal of the last heading, or first line of the last run of headings, that is `anchor`."""
    wanted = fold(anchor)
    folded = [fold(block.text) if block.level else "" for block in book.blocks]
    for first in reversed(range(len(folded))):
        if _matches(folded, first, wanted):
            return first
    raise ExpectationError(f"{option} '{anchor}': no heading like that; {_nearest(book, folded, wanted)}")


def _matches(folded: list[str], first: int, wanted: str) -> bool:
    """Whether the heading lines from `first` on, joined by blanks, are `wanted`."""
    run = ""
    for line in folded[first : first + _LONGEST_RUN]:
        if not line:
            return False
        run = f"{run} {line}" if run else line
        if len(run) >= len(wanted):
            return run == wanted
    return False


def _nearest(book: Manuscript, folded: list[str], wanted: str) -> str:
    """The headings most like `wanted` and where they stand; failing those, the first ones."""
    where: dict[str, int] = {}
    for ordinal, line in enumerate(folded):
        if line:
            where[line] = ordinal
            if ordinal and folded[ordinal - 1]:
                where[f"{folded[ordinal - 1]} {line}"] = ordinal - 1
    if not where:
        return "the text has no headings"
    near = get_close_matches(wanted, where, n=_OFFERED, cutoff=_NEAR)
    near += [line for line in where if wanted in line and line not in near][: _OFFERED - len(near)]
    offered = near or [line for line in where if folded[where[line]] == line][:_OFFERED]
    names = ", ".join(f"'{_spelled(book, folded, where[line], line)}' ({book.place(where[line])})" for line in offered)
    return f"the nearest {'are' if len(offered) > 1 else 'is'} {names}" if near else f"the first ones are {names}"


def _spelled(book: Manuscript, folded: list[str], ordinal: int, line: str) -> str:
    """The heading as the book has it: one line, or two where `line` is a run of two."""
    text = plain(book.blocks[ordinal].text)
    return text if folded[ordinal] == line else f"{text} {plain(book.blocks[ordinal + 1].text)}"
