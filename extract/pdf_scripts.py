"""Scripts that do not run from left to right in rows: Hebrew and Arabic lines, vertical Japanese and Chinese.

Right-to-left text may be stored in reading order or as it stands on the page, and readers of it guess. The glyphs'
places do not lie: a line is read from its right end by position, and its numbers and Latin words are turned back.
"""

import re
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from bookblend.extract.pdf_lines import TEXT_FLAGS, Line, Page

_RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")
_WIDE = re.compile("[\u3000-\u30ff\u3400-\u9fff\uf900-\ufaff\uff00-\uffef]")
_MIRROR = str.maketrans("()[]{}<>«»", ")(][}{><»«")
# Glyphs further apart than this share of their size have a blank between them: MuPDF's own measure.
_BLANK_GAP = 0.15
# A page is vertical if at least this share of its lines are single wide characters, as MuPDF gives vertical text.
_VERTICAL_SHARE = 0.6
# Fewer single characters are labels and numbers, or a title.
_VERTICAL_LINES = 8
# Ruby beside a column is at most this share of the column's size: half of it is usual.
_RUBY_RATIO = 0.7


def mend_scripts(page: Any, result: Page) -> None:
    """Put right-to-left lines and vertical columns of one page into reading order, in place."""
    lines = result.lines
    if all(line.text.isascii() for line in lines):
        return
    hebrew = {
        (round(line.x0), round(line.base)): line
        for line in lines
        if not line.text.isascii() and _RIGHT_TO_LEFT.search(line.text)
    }
    if hebrew:
        _read_right_to_left(page, hebrew)
    singles = [
        line for line in lines if not line.turned and len(line.text.strip()) == 1 and _WIDE.match(line.text.strip())
    ]
    if len(singles) >= max(_VERTICAL_LINES, _VERTICAL_SHARE * len(lines)):
        result.lines = _columns(lines, result)


def _read_right_to_left(page: Any, lines: dict[tuple[int, int], Line]) -> None:
    for block in page.get_text("rawdict", flags=TEXT_FLAGS)["blocks"]:
        for raw in block["lines"]:
            line = lines.get((round(raw["bbox"][0]), round(raw["spans"][0]["origin"][1])))
            if line is not None and not line.marks:
                text = _by_position(raw["spans"])
                if sorted(text.replace(" ", "")) == sorted("".join(line.text.split()).translate(str.maketrans("", ""))):
                    line.text = _balanced(text)


def _by_position(spans: Sequence[dict[str, Any]]) -> str:
    """A line's characters from right to left by their places, runs of the other direction turned back."""
    glyphs = [(char["c"], char["bbox"], span["size"]) for span in spans for char in span["chars"]]
    glyphs = [glyph for glyph in glyphs if not glyph[0].isspace()]
    glyphs.sort(key=lambda glyph: -(glyph[1][0] + glyph[1][2]))
    pieces: list[tuple[str, bool]] = []
    before = None
    for character, box, size in glyphs:
        if before is not None and before - box[2] > _BLANK_GAP * size:
            pieces.append((" ", False))
        pieces.append((character, _is_left_to_right(character)))
        before = box[0]
    text = ""
    for turned, run in groupby(_bridge(pieces), key=lambda piece: piece[1]):
        part = "".join(character for character, _ in run)
        text += part[::-1] if turned else part
    return text


def _is_left_to_right(character: str) -> bool:
    return character.isdigit() or (character.isalpha() and not _RIGHT_TO_LEFT.match(character))


def _bridge(pieces: list[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Signs between two characters of a turned run belong to it: "3.14", "New York", "10:30"."""
    result = list(pieces)
    index = 0
    while index < len(result):
        end = index
        while end < len(result) and not result[end][1] and not _RIGHT_TO_LEFT.match(result[end][0]):
            end += 1
        inside = index > 0 and end < len(result) and result[index - 1][1] and result[end][1]
        if inside and all(sign in ".,:/-–' " for sign, _ in result[index:end]):
            result[index:end] = [(sign, True) for sign, _ in result[index:end]]
        index = max(end, index + 1)
    return result


def _balanced(text: str) -> str:
    """Brackets turned where the file stores them as they look: a closing one before its opening one."""
    opening, closing = text.find("("), text.find(")")
    if closing >= 0 and (opening < 0 or closing < opening):
        return text.translate(_MIRROR)
    return text


def _columns(lines: Sequence[Line], result: Page) -> list[Line]:
    """Single characters into columns from top to bottom, columns from right to left; ruby is set apart."""
    size = max(line.size for line in lines)
    columns: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: -(line.x0 + line.x1)):
        centre = (line.x0 + line.x1) / 2
        if line.size < _RUBY_RATIO * size and _WIDE.match(line.text.strip()):
            result.hidden.append(line.text)
            continue
        if columns and abs((columns[-1][0].x0 + columns[-1][0].x1) / 2 - centre) < 0.5 * size:
            columns[-1].append(line)
        else:
            columns.append([line])
    merged = []
    for number, column in enumerate(columns):
        column.sort(key=lambda line: line.base)
        first = column[0]
        first.text = "".join(line.text.strip() for line in column)
        # From here on a column is a line: rows from top to bottom, right edge where the column ended.
        first.x0, first.x1 = first.y0, column[-1].y1
        first.left, first.right = first.x0, first.x1
        first.base = (number + 1) * 1.5 * size
        merged.append(first)
    result.width, result.height = result.height, max(result.width, merged[-1].base + 2 * size)
    return merged
