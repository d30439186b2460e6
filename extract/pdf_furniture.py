"""Running heads, folios, watermarks, marginal numbers and notes: what stands on a page but is not the text.

A line at the head or foot is furniture on evidence from its neighbours: the same words at the same height one to four
pages away, a number that counts with the pages, or a place where nearly only furniture stands. Position alone is
never enough, so a heading or a first line of text that happens to stand high is kept.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from bookblend.extract.labels import is_unit_word
from bookblend.extract.pdf_folios import (
    COUNTED_ROWS,
    FOLIO_EXCESS,
    SAME_HEIGHT,
    SAME_SIZE,
    Reading,
    fold,
    split_counter,
)
from bookblend.extract.pdf_lines import Line, Page
from bookblend.extract.pdf_stamps import marginals, slices, watermarks
from bookblend.extract.pdf_stats import Style

# Rows from each edge that may be furniture: heads and feet of several rows are seen, the outermost judged first.
_DEPTH = 4
# They stand in this share of the page from the edge: on a page of a few lines the text's own are among the first rows.
_BAND = 0.34
# Pages on either side that a running head is compared with: heads alternate, and a chapter's opening page has none.
_REACH = 4
# Pieces of a row with fewer letters and digits than this recur by chance.
_CELL_LETTERS = 8
# A row in the text's own type and rhythm needs so many twins ("“No,” she said." opens pages by chance).
_PLAIN_TWINS = 3
# A place is a furniture place if so many rows there were recognised: fewer meet at one by chance.
_ZONE_ROWS = 4
# They must be this share of all rows there: the text's first lines may stand at that height too.
_ZONE_SHARE = 0.6
# A page that says it is blank has no more lines than the notice, head and foot; in a longer one the words are text.
_BLANK_LEAF_LINES = 6
_BLANK_LEAF = re.compile(
    r"\W*(?:this )?page (?:has been )?(?:was )?(?:is )?(?:left )?intentionally (?:left )?blank\W*$", re.I
)


@dataclass(frozen=True, slots=True)
class Stray:
    """A line taken off its page, and the rule that took it."""

    rule: str
    page: int
    text: str


@dataclass(slots=True)
class _Row:
    page: int
    lines: list[Line]
    height: float  # distance of the baseline from the edge
    size: float
    words: str  # letters and digits, folded, without a number that opens or closes the row
    counter: tuple[str, int] | None  # that number: ("arabic" | "roman", value)
    other: Reading | None = None  # with numbers at both ends ("6 Chapter 1"), the reading by the first one
    cells: frozenset[str] = frozenset()  # the words of each piece, where there are several
    plain: bool = False  # set as the text and in its rhythm: only its recurrence could tell it from a first line
    rule: str = ""


def strip_furniture(pages: Sequence[Page], style: Style) -> list[Stray]:
    """Take furniture off all pages, in place; returns what was taken, in page order."""
    taken: list[tuple[int, Stray]] = []
    gone: dict[int, set[int]] = defaultdict(set)
    for rule, page, line in _find(pages, style):
        if id(line) not in gone[page.number]:
            gone[page.number].add(id(line))
            taken.append((page.number, Stray(rule, page.number, line.text.strip())))
    for page in pages:
        drop = gone.get(page.number)
        if drop:
            page.lines = [line for line in page.lines if id(line) not in drop]
            page.aside = [line for line in page.aside if id(line) not in drop]
        for line in page.slanted:
            taken.append((page.number, Stray("slanted text", page.number, line.text.strip())))
        page.slanted = []
    taken.sort(key=lambda entry: entry[0])
    return [stray for _, stray in taken]


def _find(pages: Sequence[Page], style: Style) -> Iterable[tuple[str, Page, Line]]:
    by_number = {page.number: page for page in pages}
    edges = []
    for head in (True, False):
        rows = {page.number: _edge_rows(page, head, style) for page in pages}
        _judge(rows, style)
        edges.append(rows)
    _keep_numerals(edges[0], edges[1], style)
    for rows in edges:
        for page_rows in rows.values():
            for row in page_rows:
                if row.rule:
                    for line in row.lines:
                        yield row.rule, by_number[row.page], line
    yield from watermarks(pages, style)
    yield from marginals(pages, style)
    yield from slices(pages)
    for page in pages:
        if len(page.lines) <= _BLANK_LEAF_LINES:
            for line in page.lines:
                if _BLANK_LEAF.match(line.text.strip()):
                    yield "blank leaf notice", page, line


def _edge_rows(page: Page, head: bool, style: Style) -> list[_Row]:
    """The outermost rows of one edge, from the edge inwards."""
    band = _BAND * page.height
    rows: list[list[Line]] = []
    foot = page.height - band
    near = [line for line in page.lines if (line.base <= band if head else line.base >= foot)]
    for line in sorted(near, key=lambda line: line.base if head else -line.base):
        if rows and abs(rows[-1][0].base - line.base) <= 2.0:
            rows[-1].append(line)
        elif len(rows) == _DEPTH:
            break
        else:
            rows.append([line])
    result = []
    for row in rows:
        row.sort(key=lambda line: line.x0)
        text = " ".join(line.text.strip() for line in row)
        height = row[0].base if head else page.height - row[0].base
        (words, counter), other = split_counter(text)
        result.append(_Row(page.number, row, height, row[0].size, words, counter, other, _cells(row, style)))
    for outer, inner in pairwise(result):
        line = outer.lines[0]
        close = abs(outer.height - inner.height) < 1.2 * style.leading and abs(outer.size - inner.size) < SAME_SIZE
        outer.plain = close and not outer.counter and not (line.italic or line.bold or line.text.isupper())
    return result


def _cells(row: Sequence[Line], style: Style) -> frozenset[str]:
    """The words of a row's pieces, if it has several and is not set as the body is (two columns of text have too)."""
    first = row[0]
    plain = abs(first.size - style.body) <= SAME_SIZE and not (first.italic or first.bold or first.text.isupper())
    if len(row) == 1 or plain:
        return frozenset()
    return frozenset(cell for line in row if len(cell := fold(line.text)) >= _CELL_LETTERS)


def _choose_readings(rows: Iterable[_Row]) -> None:
    """Of the numbers at a row's ends the page number is the one whose distance to the page count is commoner."""
    unsettled = [row for row in rows if row.other]
    if not unsettled:
        return
    steps = Counter(
        (counter[0], counter[1] - row.page)
        for row in rows
        for counter in (row.counter, row.other and row.other[1])
        if counter
    )
    for row in unsettled:
        if row.counter and row.other and row.other[1]:
            (kind, value), (other_kind, other_value) = row.counter, row.other[1]
            if steps[other_kind, other_value - row.page] > steps[kind, value - row.page]:
                row.words, row.counter = row.other


def _judge(rows: dict[int, list[_Row]], style: Style) -> None:
    """Mark rows of one edge as furniture: outermost first, a row only if all outside it are."""
    _choose_readings([row for page in rows.values() for row in page[:2]])
    offsets = Counter(
        (row.counter[0], row.counter[1] - row.page)
        for page in rows.values()
        for row in page[:2]
        if row.counter and not row.words
    )
    _judge_rows(rows, offsets, style)
    if _judge_counters(rows, style):
        _judge_rows(rows, offsets, style)
    if _judge_zones(rows):
        _judge_rows(rows, offsets, style)


def _judge_rows(rows: dict[int, list[_Row]], offsets: Counter[tuple[str, int]], style: Style) -> None:
    for page_rows in rows.values():
        for row in page_rows:
            row.rule = row.rule or _evidence(row, rows, offsets, style)
            if not row.rule:
                break


def _judge_zones(rows: dict[int, list[_Row]]) -> bool:
    """Rows at places where nearly only furniture stands; returns whether there are any that were not known."""
    found = False
    zones: Counter[tuple[int, int]] = Counter()
    places: Counter[tuple[int, int]] = Counter()
    for page_rows in rows.values():
        for row in page_rows:
            for place in _places(row):
                places[place] += 1
                zones[place] += bool(row.rule)
    for page_rows in rows.values():
        for row in page_rows:
            if not row.rule:
                place = _places(row)[0]
                if zones[place] < _ZONE_ROWS or zones[place] < _ZONE_SHARE * places[place]:
                    break
                row.rule = "running head"
                found = True
    return found


def _judge_counters(rows: dict[int, list[_Row]], style: Style) -> bool:
    """Heads whose words change from page to page (section titles): their page number counts with the pages.

    The number alone would do for a folio; with words beside it the row must stand as high as others of its kind, and
    be the outermost. Returns whether there are any that were not known.
    """
    found = False
    counted: dict[tuple[str, int, int, int], list[_Row]] = defaultdict(list)
    for page in rows.values():
        row = page[0] if page else None
        if row and row.counter and row.size <= style.body + FOLIO_EXCESS:
            kind, value = row.counter
            counted[kind, value - row.page, round(row.height / 3), round(2 * row.size)].append(row)
    for members in counted.values():
        if len(members) >= COUNTED_ROWS:
            for row in members:
                found = found or not row.rule
                row.rule = row.rule or ("running head" if row.words else "folio")
    return found


def _keep_numerals(heads: dict[int, list[_Row]], feet: dict[int, list[_Row]], style: Style) -> None:
    """A page has one folio: a number in body type that counts with the pages too is a poem's, where another number
    stands at the other edge, smaller or on more pages."""
    twice = []
    for page, page_rows in heads.items():
        found = [
            [row for row in edge if row.rule and row.counter and not row.words]
            for edge in (page_rows, feet.get(page, []))
        ]
        if all(found) and found[0][0].counter != found[1][0].counter:
            twice.append((found[0][0], found[1][0]))
    if not twice:
        return
    steps = Counter(
        (row.counter[0], row.counter[1] - row.page)
        for edge in (heads, feet)
        for page_rows in edge.values()
        for row in page_rows
        if row.rule and row.counter and not row.words
    )

    def weight(row: _Row) -> tuple[int, float]:
        kind, value = row.counter or ("", 0)
        return steps[kind, value - row.page], -row.size

    for pair in twice:
        numeral, folio = sorted(pair, key=weight)
        if weight(numeral) < weight(folio) and numeral.size >= style.body - SAME_SIZE:
            numeral.rule = ""


def _places(row: _Row) -> list[tuple[int, int]]:
    """The row's place (height and size in whole units), and its neighbours, so that rounding parts no place."""
    height, size = round(row.height), round(2 * row.size)
    return [(height, size), (height - 1, size), (height + 1, size)]


def _evidence(row: _Row, rows: dict[int, list[_Row]], offsets: Counter[tuple[str, int]], style: Style) -> str:
    if not row.words:
        if row.counter is None or row.size > style.body + FOLIO_EXCESS:
            return ""
        kind, value = row.counter
        return "folio" if offsets[kind, value - row.page] >= 2 else ""
    if is_unit_word(row.words):
        return ""  # "CHAPTER", its number and title in rows of their own
    if row.counter and row.size > style.body + FOLIO_EXCESS:
        return ""  # "Chapter 2" in display type, one page after "Chapter 1"
    near = [row.page + step for step in range(-_REACH, _REACH + 1) if step]
    twins = sum(any(_twins(row, twin) for twin in rows.get(other, ())) for other in near)
    return "running head" if twins >= (_PLAIN_TWINS if row.plain else 1) else ""


def _twins(row: _Row, other: _Row) -> bool:
    """Same words at the same height in the same size; a number in them stands still or counts with the pages.

    Of a row in two pieces (chapter left, section right) one that recurs is enough.
    """
    if abs(other.height - row.height) > SAME_HEIGHT or abs(other.size - row.size) > SAME_SIZE:
        return False
    if row.cells & other.cells:
        return True
    if row.words != other.words:
        return False
    if row.counter is None or other.counter is None:
        return row.counter is other.counter
    (kind, value), (other_kind, other_value) = row.counter, other.counter
    return kind == other_kind and value - other_value in (0, row.page - other.page)
