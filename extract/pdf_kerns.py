"""Blanks inside words that take no room: "giv en", though the letters touch.

Kerned text that went through a distiller (groff's, by Ghostscript) has kerns written as blanks as wide as nothing, in
every tenth line. A book shows them by words that its language lacks and that the next word makes whole; only then are
its glyphs looked at.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from bookblend.clean.hyphens import Lexicon
from bookblend.clean.vocabulary import UNMET
from bookblend.extract.pdf_lines import TEXT_FLAGS, Line, Page
from bookblend.extract.pdf_open import Source

# Words that the list has not and the book so often at least may be first halves: what is rarer is a slip or a name.
_LEAST = 3
# Longer ones are mostly names.
_LONGEST = 5
# A book has false blanks if this many such words are made whole by the next word: one or two are slips.
_LEAST_PAIRS = 4
# They are looked for on so many pages all over the book: where false blanks are, every tenth line has one.
_PROBES = 24
# Letters closer than this share of their size touch; kerned ones overlap by up to that much.
_TOUCH = 0.06
# Characters on either side that find the blank in the line again.
_CONTEXT = 6


def close_kerned(pages: Sequence[Page], source: Source, lexicon: Lexicon) -> bool:
    """Take false blanks out of the pages' lines, in place; returns whether the book has any. `lexicon` knows its words.

    A book without first halves of words pays for a look at its short unknown words only.
    """
    halves = lexicon.unlisted(_LEAST, _LONGEST)
    if not halves or not lexicon.has_list():
        return False
    pattern = re.compile(rf"(?<![\w’'-])({'|'.join(sorted(halves))}) ([a-z]+)")
    pairs: Counter[tuple[str, str]] = Counter()
    for page in pages[:: max(1, len(pages) // _PROBES)]:
        pairs.update(pattern.findall("\n".join(line.text for line in page.lines)))
    whole = sum(count for (one, two), count in pairs.items() if lexicon.frequency(one + two) > UNMET)
    if whole < _LEAST_PAIRS:
        return False
    return sum(_close_page(source.document[page.number - 1], page) for page in pages) > 0


def _close_page(page: Any, read: Page) -> int:
    places = {(round(line.x0), round(line.base)): line for line in read.lines if not line.turned}
    closed = 0
    for block in page.get_text("rawdict", flags=TEXT_FLAGS)["blocks"]:
        for raw in block["lines"]:
            line = places.get((round(raw["bbox"][0]), round(raw["spans"][0]["origin"][1])))
            for before, behind in _false_blanks(raw["spans"]) if line else ():
                closed += _close(line, before, behind)
    return closed


def _false_blanks(spans: Sequence[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    """What stands before and behind each blank between two letters that touch."""
    glyphs = [(char["c"], char["bbox"], span["size"]) for span in spans for char in span["chars"]]
    text = "".join(glyph[0] for glyph in glyphs)
    for index, ((one, left, size), (blank, _, _)) in enumerate(pairwise(glyphs[:-1])):
        two, right, _ = glyphs[index + 2]
        if blank == " " and one.isalpha() and two.isalpha() and abs(right[0] - left[2]) < _TOUCH * size:
            yield text[max(0, index + 1 - _CONTEXT) : index + 1], text[index + 2 : index + 2 + _CONTEXT]


def _close(line: Line | None, before: str, behind: str) -> int:
    place = line.text.find(f"{before} {behind}") if line else -1
    if line is None or place < 0:
        return 0
    place += len(before)
    line.text = line.text[:place] + line.text[place + 1 :]
    line.marks = [(offset - (offset > place), mark) for offset, mark in line.marks]
    return 1
