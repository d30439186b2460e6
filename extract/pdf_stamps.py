"""Watermarks, stamps and what stands in the margins: texts at one place on many pages, line numbers, side notes."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from itertools import pairwise

from bookblend.extract.pdf_folios import COUNTED_ROWS, FOLIO_EXCESS, SAME_HEIGHT, SAME_SIZE, page_number
from bookblend.extract.pdf_lines import Line, Page
from bookblend.extract.pdf_stats import Style

# A watermark stands on at least this share of the pages: headings and refrains that recur do not.
_WATERMARK_SHARE = 0.5
# It stands on so many at the least: in a file of two or three pages the share is met by chance.
_WATERMARK_PAGES = 3
# Marginal numbers and notes are at least so many in a book: fewer are strays of the setting.
_MARGINALS = 3
# They stand clear of the text by this many ems: signs that hang over its edge do not.
_MARGIN_CLEARANCE = 0.4
# A line in a margin is narrower than this share of the text.
_MARGIN_SHARE = 0.5
# Lines of body size there, beyond this share of all, make the margins columns.
_COLUMN_SHARE = 0.02

# Letters and signs that reach below the baseline.
_DESCENDERS = frozenset("gjpqyçþßQJ,;()[]{}|§µ")

_DIGITS = re.compile(r"\d+")


def watermarks(pages: Sequence[Page], style: Style) -> Iterable[tuple[str, Page, Line]]:
    """Texts that stand at one place on many pages; a number in them may change where they are not set as the body."""
    least = max(_WATERMARK_PAGES, _WATERMARK_SHARE * len(pages))
    texts = Counter(text for page in pages for text in {line.text for line in page.lines})
    often = {text for text, count in texts.items() if count >= least}
    found: dict[tuple[str, int, int], list[tuple[Page, Line]]] = defaultdict(list)
    for page in pages:
        for line in page.lines:
            if line.text in often or abs(line.size - style.body) > SAME_SIZE:
                found[_stamp(line, style)].append((page, line))
        for line in page.aside:
            found[_stamp(line, style)].append((page, line))
    for places in found.values():
        if len({page.number for page, _ in places}) >= least:
            for page, line in places:
                if not _is_embedded(line, page, style):
                    yield "watermark", page, line


def _stamp(line: Line, style: Style) -> tuple[str, int, int]:
    # In display type another number is another label: chapters of a page each, all headed at one place.
    display = line.size > style.body + FOLIO_EXCESS and not line.turned
    text = line.text if display else _DIGITS.sub("#", line.text)
    return text, int(line.x0 / 4 + 0.5), int(line.base / 4 + 0.5)


def _is_embedded(line: Line, page: Page, style: Style) -> bool:
    """Whether a line stands inside a column of text: others of its size right above and below, flush with it."""
    near = [
        other.base - line.base
        for other in page.lines
        if other is not line
        and abs(other.size - line.size) < SAME_SIZE
        and abs(other.x0 - line.x0) < 1
        and abs(other.base - line.base) < 1.3 * style.leading
    ]
    return any(gap > 0 for gap in near) and any(gap < 0 for gap in near)


def slices(pages: Sequence[Page]) -> Iterable[tuple[str, Page, Line]]:
    """The feet of the last line of the page before, which engines that cut one long page into pieces print once more
    above the first line: its letters with descenders alone."""
    for before, page in pairwise(pages):
        high = [
            line
            for line in page.lines
            if line.text.lstrip()[:1] in _DESCENDERS and _DESCENDERS.issuperset("".join(line.text.split()))
        ]
        if not high or len(high) > len(page.lines) / 2:
            continue
        first = min(line.base for line in high)
        row = sorted((line for line in high if line.base - first < 2.0), key=lambda line: line.x0)
        feet = _feet("".join(line.text for line in row))
        last = [line for line in before.lines if line.x0 - 1 <= row[0].x0 and row[-1].x1 <= line.x1 + 1]
        if feet and any(feet == _feet(line.text) for line in last):
            yield from (("cut line", page, line) for line in row)


def _feet(text: str) -> str:
    return "".join(letter for letter in text if letter in _DESCENDERS and letter.isalpha())


def marginals(pages: Sequence[Page], style: Style) -> Iterable[tuple[str, Page, Line]]:
    """Line numbers and side notes: smaller than the body, narrow, and wholly in a margin beside body lines."""
    clear = _MARGIN_CLEARANCE * style.body
    numbers: list[tuple[Page, Line]] = []
    notes: list[tuple[Page, Line]] = []
    alone: list[tuple[Page, Line]] = []
    folios: dict[tuple[str, int, int], list[tuple[Page, Line]]] = defaultdict(list)
    within = columns = 0
    for page in pages:
        left, right = style.margins.get(page.number % 2, (0.0, page.width))
        bodies = [line for line in page.lines if abs(line.size - style.body) <= 0.3]
        for line in page.lines:
            outside = line.x1 < left - clear or line.x0 > right + clear
            if outside and (counter := page_number(line.text)):
                kind, value = counter
                folios[kind, value - page.number, round(line.base / SAME_HEIGHT)].append((page, line))
            if line.size > 0.95 * style.body:
                columns, within = columns + outside, within + (not outside)
                continue
            if outside and line.x1 - line.x0 < _MARGIN_SHARE * (right - left):
                beside = any(abs(other.base - line.base) < style.body for other in bodies)
                (alone if not beside else numbers if line.text.strip().isdigit() else notes).append((page, line))
    for members in folios.values():
        if len(members) >= COUNTED_ROWS:
            yield from (("folio", page, line) for page, line in members)
            columns -= sum(line.size > 0.95 * style.body for _, line in members)
    if columns > _COLUMN_SHARE * within:
        return  # text of body size stands there as well: these are columns, not margins
    if len(numbers) >= _MARGINALS:
        # Beside a quotation or verse in smaller type no line of the body stands.
        sizes = {round(2 * line.size) for _, line in numbers}
        numbers += (
            (page, line) for page, line in alone if line.text.strip().isdigit() and round(2 * line.size) in sizes
        )
        yield from (("line number", page, line) for page, line in numbers)
    if len(notes) >= _MARGINALS:
        # A note's last lines may reach below the text.
        sizes = {round(2 * line.size) for _, line in notes}
        notes += ((page, line) for page, line in alone if round(2 * line.size) in sizes)
        yield from (("side note", page, line) for page, line in notes)
