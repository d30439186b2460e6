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

from bookblend.extract.labels import is_unit_word, roman_value
from bookblend.extract.pdf_lines import Line, Page
from bookblend.extract.pdf_stats import Style

# Rows from each edge that may be furniture, and the share of the page, from the edge, in which they must stand.
_DEPTH = 4
_BAND = 0.34
# Pages on either side that a running head is compared with: heads alternate, and a chapter's opening page has none.
_REACH = 4
# Pieces of a row with fewer letters and digits than this recur by chance.
_CELL_LETTERS = 8
# A row in the text's own type and rhythm needs so many twins ("“No,” she said." opens pages by chance).
_PLAIN_TWINS = 3
# Heights this many points apart are one height; sizes likewise.
_HEIGHT = 3.0
_SIZE = 0.4
# A number set larger than the body by more points than this is a chapter's number, not a folio.
_FOLIO_EXCESS = 2.0
# A place is a furniture place if so many rows there were recognised, and they are this share of all rows there.
_ZONE_ROWS = 4
# Rows at one height whose number keeps its distance to the page count: so many are no chance.
_COUNTED_ROWS = 5
_ZONE_SHARE = 0.6
# A watermark stands on at least this share of the pages, and on three at the least.
_WATERMARK_SHARE = 0.5
_WATERMARK_PAGES = 3
# Marginal numbers and notes: at least so many in a book, clear of the text by this many ems.
_MARGINALS = 3
_MARGIN_CLEARANCE = 0.4
# A margin is narrower than this share of the text; body type there, beyond this share of all, makes it a column.
_MARGIN_SHARE = 0.5
_COLUMN_SHARE = 0.02

_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$", re.IGNORECASE)
_FOLIO = re.compile(
    r"[\W_]*(?:(?:page|p|seite|s|página|pagina|pág|pag|стр)[.\s]*)?(\d{1,4}|[ivxlcdm]{1,9})(?:\s*(?:of|/|von|de|из)\s*\d+)?[\W_]*$",
    re.IGNORECASE,
)
# A folio and the head's first or last word without a blank between them.
_GLUED_FOLIO = re.compile(r"(?<=^\d)(?=[^\W\d_]{2})|(?<=^\d\d)(?=[^\W\d_]{2})|(?<=^\d\d\d)(?=[^\W\d_]{2})")
_OF_TOTAL = re.compile(r"\b(\d{1,4})\s*(?:of|/|von|de|из)\s*\d+\W*$", re.IGNORECASE)
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
    for head in (True, False):
        rows = {page.number: _edge_rows(page, head, style) for page in pages}
        _judge(rows, style)
        for page_rows in rows.values():
            for row in page_rows:
                if row.rule:
                    for line in row.lines:
                        yield row.rule, by_number[row.page], line
    yield from _watermarks(pages, style)
    yield from _marginals(pages, style)
    for page in pages:
        if len(page.lines) <= _BLANK_LEAF_LINES:
            for line in page.lines:
                if _BLANK_LEAF.match(line.text.strip()):
                    yield "blank leaf notice", page, line


def page_number(text: str) -> tuple[str, int] | None:
    """The number of a text that is nothing but a page number: ("arabic", 12), ("roman", 4), or None."""
    match = _FOLIO.match(text.strip())
    if not match:
        return None
    token = match[1]
    if token.isdigit():
        return "arabic", int(token)
    return ("roman", roman_value(token)) if _ROMAN.match(token) else None


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
        words, counter = _split_counter(text)
        result.append(_Row(page.number, row, height, row[0].size, words, counter, _cells(row, style)))
    for outer, inner in pairwise(result):
        line = outer.lines[0]
        close = abs(outer.height - inner.height) < 1.2 * style.leading and abs(outer.size - inner.size) < _SIZE
        outer.plain = close and not outer.counter and not (line.italic or line.bold or line.text.isupper())
    return result


def _cells(row: Sequence[Line], style: Style) -> frozenset[str]:
    """The words of a row's pieces, if it has several and is not set as the body is (two columns of text have too)."""
    first = row[0]
    plain = abs(first.size - style.body) <= _SIZE and not (first.italic or first.bold or first.text.isupper())
    if len(row) == 1 or plain:
        return frozenset()
    return frozenset(cell for line in row if len(cell := _fold(line.text)) >= _CELL_LETTERS)


def _split_counter(text: str) -> tuple[str, tuple[str, int] | None]:
    """A row's words and the page number that opens or closes it: "12 THE LEDGER" is ("theledger", 12)."""
    counter = page_number(text)
    of = _OF_TOTAL.search(text)
    if counter is None and of and (counter := page_number(of[1])):
        tokens = text[: of.start()].split()
    elif counter is None:
        tokens = _GLUED_FOLIO.sub(" ", text).split()
        for end, rest in ((tokens[-1:], tokens[:-1]), (tokens[:1], tokens[1:])):
            if rest and any(map(str.isdigit, end[0])) and (counter := page_number(end[0])):
                tokens = rest
                break
    else:
        tokens = []
    return _fold("".join(tokens)), counter


def _fold(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


def _judge(rows: dict[int, list[_Row]], style: Style) -> None:
    """Mark rows of one edge as furniture: outermost first, a row only if all outside it are."""
    offsets = Counter(
        (row.counter[0], row.counter[1] - row.page)
        for page in rows.values()
        for row in page[:2]
        if row.counter and not row.words
    )
    for page_rows in rows.values():
        for row in page_rows:
            row.rule = _evidence(row, rows, offsets, style)
            if not row.rule:
                break
    _judge_counters(rows, style)
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


def _judge_counters(rows: dict[int, list[_Row]], style: Style) -> None:
    """Heads whose words change from page to page (section titles): their page number counts with the pages.

    The number alone would do for a folio; with words beside it the row must stand as high as others of its kind, and
    be the outermost.
    """
    counted: dict[tuple[str, int, int, int], list[_Row]] = defaultdict(list)
    for page in rows.values():
        row = page[0] if page else None
        if row and row.counter and row.size <= style.body + _FOLIO_EXCESS:
            kind, value = row.counter
            counted[kind, value - row.page, round(row.height / 3), round(2 * row.size)].append(row)
    for members in counted.values():
        if len(members) >= _COUNTED_ROWS:
            for row in members:
                row.rule = row.rule or ("running head" if row.words else "folio")


def _places(row: _Row) -> list[tuple[int, int]]:
    """The row's place (height and size in whole units), and its neighbours, so that rounding parts no place."""
    height, size = round(row.height), round(2 * row.size)
    return [(height, size), (height - 1, size), (height + 1, size)]


def _evidence(row: _Row, rows: dict[int, list[_Row]], offsets: Counter[tuple[str, int]], style: Style) -> str:
    if not row.words:
        if row.counter is None or row.size > style.body + _FOLIO_EXCESS:
            return ""
        kind, value = row.counter
        return "folio" if offsets[kind, value - row.page] >= 2 else ""
    if is_unit_word(row.words):
        return ""  # "CHAPTER", its number and title in rows of their own
    if row.counter and row.size > style.body + _FOLIO_EXCESS:
        return ""  # "Chapter 2" in display type, one page after "Chapter 1"
    near = [row.page + step for step in range(-_REACH, _REACH + 1) if step]
    twins = sum(any(_twins(row, twin) for twin in rows.get(other, ())) for other in near)
    return "running head" if twins >= (_PLAIN_TWINS if row.plain else 1) else ""


def _twins(row: _Row, other: _Row) -> bool:
    """Same words at the same height in the same size; a number in them stands still or counts with the pages.

    Of a row in two pieces (chapter left, section right) one that recurs is enough.
    """
    if abs(other.height - row.height) > _HEIGHT or abs(other.size - row.size) > _SIZE:
        return False
    if row.cells & other.cells:
        return True
    if row.words != other.words:
        return False
    if row.counter is None or other.counter is None:
        return row.counter is other.counter
    (kind, value), (other_kind, other_value) = row.counter, other.counter
    return kind == other_kind and value - other_value in (0, row.page - other.page)


def _watermarks(pages: Sequence[Page], style: Style) -> Iterable[tuple[str, Page, Line]]:
    """Texts that stand at one place on many pages; a number in them may change where they are not set as the body."""
    least = max(_WATERMARK_PAGES, _WATERMARK_SHARE * len(pages))
    texts = Counter(text for page in pages for text in {line.text for line in page.lines})
    often = {text for text, count in texts.items() if count >= least}
    found: dict[tuple[str, int, int], list[tuple[Page, Line]]] = defaultdict(list)
    for page in pages:
        for line in page.lines:
            if line.text in often or abs(line.size - style.body) > _SIZE:
                found[_stamp(line)].append((page, line))
        for line in page.aside:
            found[_stamp(line)].append((page, line))
    for places in found.values():
        if len({page.number for page, _ in places}) >= least:
            for page, line in places:
                if not _is_embedded(line, page, style):
                    yield "watermark", page, line


def _stamp(line: Line) -> tuple[str, int, int]:
    return _DIGITS.sub("#", line.text), int(line.x0 / 4 + 0.5), int(line.base / 4 + 0.5)


def _is_embedded(line: Line, page: Page, style: Style) -> bool:
    """Whether a line stands inside a column of text: others of its size right above and below, flush with it."""
    near = [
        other.base - line.base
        for other in page.lines
        if other is not line
        and abs(other.size - line.size) < _SIZE
        and abs(other.x0 - line.x0) < 1
        and abs(other.base - line.base) < 1.3 * style.leading
    ]
    return any(gap > 0 for gap in near) and any(gap < 0 for gap in near)


def _marginals(pages: Sequence[Page], style: Style) -> Iterable[tuple[str, Page, Line]]:
    """Line numbers and side notes: smaller than the body, narrow, and wholly in a margin beside body lines."""
    clear = _MARGIN_CLEARANCE * style.body
    numbers: list[tuple[Page, Line]] = []
    notes: list[tuple[Page, Line]] = []
    within = columns = 0
    for page in pages:
        left, right = style.margins.get(page.number % 2, (0.0, page.width))
        bodies = [line for line in page.lines if abs(line.size - style.body) <= 0.3]
        for line in page.lines:
            outside = line.x1 < left - clear or line.x0 > right + clear
            if line.size > 0.95 * style.body:
                columns, within = columns + outside, within + (not outside)
                continue
            narrow = line.x1 - line.x0 < _MARGIN_SHARE * (right - left)
            if outside and narrow and any(abs(other.base - line.base) < style.body for other in bodies):
                (numbers if line.text.strip().isdigit() else notes).append((page, line))
    if columns > _COLUMN_SHARE * within:
        return  # text of body size stands there as well: these are columns, not margins
    if len(numbers) >= _MARGINALS:
        yield from (("line number", page, line) for page, line in numbers)
    if len(notes) >= _MARGINALS:
        yield from (("side note", page, line) for page, line in notes)
