"""Blanks that a tightly set line lost, put back from the gaps between its glyphs.

Engines that write no blanks (TeX) leave them to the reader, and MuPDF sees one from 0.15 em on; a line squeezed by the
justification has less between all its words and comes as one long "word". Only such lines are looked at by glyph.
"""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from bookblend.extract.pdf_lines import TEXT_FLAGS, Line, Page
from bookblend.extract.pdf_open import Source

# A line this long with fewer blanks than this share of its characters, or with such a long word, has lost some.
# (English prose has 0.17, German 0.14.)
_LEAST_LENGTH = 25
_BLANK_SHARE = 0.09
_LONG_WORD = 20
_LONG_RUN = 14
# So many words are looked for in one where only some blanks of a line are lost.
_GLUED_WORDS = 4
# In a book known to lose blanks a line is looked at from this share of blanks down.
_TIGHT_SHARE = 0.12
# A book loses blanks if at least so many of its lines had lost them all.
_LEAST_LINES = 5
# Gaps between glyphs in ems: kerning and italics stay under 0.05, the tightest blanks seen are 0.13.
_WORD_GAP = 0.1
# Where more pairs of glyphs than this share stand apart, the line is letter-spaced: its gaps part no words.
_TRACKED_SHARE = 0.45
# A line is letter-spaced from this usual gap on; its words are parted by so much more.
_TRACKED_GAP = 0.04
_TRACKED_EXCESS = 0.15
_SHORTEST_TITLE, _LONGEST_TITLE = 7, 80
_WORD = re.compile(r"[^\W\d_]+")


def lacks_blanks(text: str) -> bool:
    """Whether a line's text looks as if blanks were lost."""
    if len(text) < _LEAST_LENGTH or max(map(len, text.split()), default=0) < _LONG_RUN:
        return False
    run = max(map(len, _WORD.findall(text)), default=0)
    return run >= _LONG_WORD or (run >= _LONG_RUN and text.count(" ") < _BLANK_SHARE * len(text))


def restore_by_words(pages: Sequence[Page], source: Source) -> None:
    """Look at the glyphs of every line that holds an unknown word which is two known ones ("youlast").

    Only for a book in which lines were found that had lost all their blanks: there, others have lost a few.
    """
    if sum(page.respaced for page in pages) < _LEAST_LINES:
        return
    counts = Counter(word.casefold() for page in pages for line in page.lines for word in _WORD.findall(line.text))

    def splits(word: str, pieces: int) -> bool:
        """Whether a word is two to `pieces` words of the book in a row."""
        for end in range(1, len(word)):
            if counts[word[:end]] > 1:
                rest = word[end:]
                if counts[rest] > 1 or (pieces > 2 and splits(rest, pieces - 1)):
                    return True
        return False

    def glued(word: str) -> bool:
        folded = word.casefold()
        return len(word) < _LONG_WORD and counts[folded] == 1 and splits(folded, _GLUED_WORDS)

    for page in pages:
        poor = [line for line in page.lines if _is_tight(line.text) or any(map(glued, _WORD.findall(line.text)))]
        page.respaced += restore_blanks(source.document[page.number - 1], poor)


def _is_tight(text: str) -> bool:
    return len(text) >= _LEAST_LENGTH and text.count(" ") < _TIGHT_SHARE * len(text)


def is_tracked(text: str) -> bool:
    """Whether a line of capitals holds single letters, as letter-spaced titles come ("C HAPTER ONE", "WHA T")."""
    if not text.isupper() or not _SHORTEST_TITLE <= len(text) <= _LONGEST_TITLE:
        return False
    return any(len(word) == 1 and word.isalpha() for word in text.split())


def restore_blanks(page: Any, lines: Sequence[Line]) -> int:
    """Give lines of one page (a PyMuPDF page) their blanks back, in place; returns how many lines changed."""
    changed = 0
    for line, glyphs in _glyphs(page, lines):
        text = _spaced(glyphs, _WORD_GAP)
        if text.count(" ") > line.text.count(" ") and text.count(" ") <= _TRACKED_SHARE * len(glyphs):
            line.text = text
            changed += 1
    return changed


def close_tracked(page: Any, lines: Sequence[Line]) -> None:
    """Close up letter-spaced lines of one page, in place: a blank is where the gap is wider than the usual one."""
    for line, glyphs in _glyphs(page, lines):
        gaps = sorted((after[1][0] - before[1][2]) / after[2] for before, after in pairwise(glyphs))
        usual = gaps[len(gaps) // 2]
        if usual > _TRACKED_GAP:
            line.text = _spaced(glyphs, usual + _TRACKED_EXCESS)


# A character, its box and its size.
_Glyph = tuple[str, tuple[float, float, float, float], float]


def _glyphs(page: Any, lines: Sequence[Line]) -> Iterator[tuple[Line, list[_Glyph]]]:
    """Each line with its glyphs, blanks left out; lines whose glyphs cannot be told apart are left out."""
    wanted = {(round(line.x0), round(line.base)): line for line in lines if not line.turned}
    if not wanted:
        return
    # Glyph by glyph is the costliest way to read a page, so only the region of these lines is.
    margin = max(line.size for line in wanted.values())
    region = (
        min(line.x0 for line in wanted.values()) - margin,
        min(line.y0 for line in wanted.values()) - margin,
        max(line.x1 for line in wanted.values()) + margin,
        max(line.y1 for line in wanted.values()) + margin,
    )
    for block in page.get_text("rawdict", clip=region, flags=TEXT_FLAGS)["blocks"]:
        for raw in block["lines"]:
            spans = raw["spans"]
            line = wanted.get((round(raw["bbox"][0]), round(spans[0]["origin"][1])))
            if line is None or line.marks or line.lead:
                continue
            glyphs = [
                (char["c"], char["bbox"], span["size"])
                for span in spans
                for char in span["chars"]
                if not char["c"].isspace()
            ]
            if len(glyphs) > 1 and "".join(glyph[0] for glyph in glyphs) == _letters(line.text):
                yield line, glyphs


def _spaced(glyphs: Sequence[_Glyph], gap: float) -> str:
    """The glyphs' text with a blank wherever they stand further apart than `gap` ems."""
    text = glyphs[0][0]
    for (_, before, _), (character, box, size) in pairwise(glyphs):
        if box[0] - before[2] > gap * size:
            text += " "
        text += character
    return text


def _letters(text: str) -> str:
    return "".join(text.split())
