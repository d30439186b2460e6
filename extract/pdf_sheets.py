"""Two book pages on one sheet: told by their page numbers, then cut apart, so that all else sees pages of a book.

Text in two columns looks the same but for the numbers: a sheet of two pages has one on either half, and they follow
each other. Without numbers the space between the halves tells: two inner margins are wider than any gutter. The cut is
made in the open document, by crop boxes, so that every later look at a page sees its half.
"""

from collections import Counter
from collections.abc import Iterator, Sequence

from bookblend.extract.pdf_folios import Reading, split_counter
from bookblend.extract.pdf_lines import Line, Page
from bookblend.extract.pdf_open import Source, library

# A sheet is wider than high; two pages of the slimmest usual books (4:7) make 1.14.
_SHEET_RATIO = 1.1
# Points on either side of the middle that no line of a sheet enters.
_FOLD = 3.0
# Of the wide pages with text on both halves, at least this share shows two numbers in a row: chapters open without.
_NUMBERED_SHARE = 0.34
# Without numbers there are so many such pages at least: of fewer the space between the halves may be chance.
_LEAST_SHEETS = 3
# They are this share of the wide pages: figures and titles may run over a fold, a book in columns has them often.
_CLEAR_SHARE = 0.9
# Their halves are so many ems apart (gutters: 1 to 3 ems; two inner margins of half an inch: 6 or 7).
_CLEARANCE = 4.5
# Baselines this many points apart are one row.
_ROW = 2.0
# Rows at the head and foot of a half that may hold its page number.
_ROWS = 2


def find_sheets(pages: Sequence[Page]) -> dict[int, bool]:
    """The pages (numbers from 1) that are sheets of two book pages; whether the right half comes first.

    Empty where the book has none, or its pages' numbers do not say so.
    """
    wide = [page for page in pages if page.width > _SHEET_RATIO * page.height and _is_parted(page)]
    full = [page for page in wide if all(_halves(page))]
    leftward = rightward = 0
    for page in full:
        left, right = (_numbers(lines) for lines in _halves(page))
        rightward += any((kind, value + 1) in right for kind, value in left)
        leftward += any((kind, value - 1) in right for kind, value in left)
    numbered = max(leftward, rightward)
    if not numbered or numbered < _NUMBERED_SHARE * len(full):
        clear = sum(_clearance(page) >= _CLEARANCE for page in full)
        if clear < _LEAST_SHEETS or clear < _CLEAR_SHARE * sum(page.width > page.height for page in pages):
            return {}
    return {page.number: leftward > rightward for page in wide}


def cut_sheets(source: Source, sheets: dict[int, bool]) -> None:
    """Make each of the sheets two pages, in memory; the source's outline and page numbers follow."""
    papers: list[int] = []
    for number in range(1, source.count + 1):
        papers += [number] * (2 if number in sheets else 1)
    document = source.document
    for number in sorted(sheets, reverse=True):
        document.fullcopy_page(number - 1, number if number < document.page_count else -1)
        page = document[number - 1]
        shown, corner, stored = page.rect, page.cropbox.tl, page.derotation_matrix
        middle = shown.width / 2
        halves = [library.Rect(0, 0, middle, shown.height), library.Rect(middle, 0, shown.width, shown.height)]
        if sheets[number]:
            halves.reverse()
        for index, half in enumerate(halves, number - 1):
            document[index].set_cropbox(half * stored + (*corner, *corner))
    source.reopen()
    first = {paper: index for index, paper in reversed(list(enumerate(papers, 1)))}
    source.outline = tuple((level, title, first.get(page, page)) for level, title, page in source.outline)
    source.papers = tuple(papers)
    source.count = len(papers)


def _is_parted(page: Page) -> bool:
    if not page.lines or page.aside:
        return False
    middle = page.width / 2
    return not any(line.x0 < middle + _FOLD and line.x1 > middle - _FOLD for line in page.lines)


def _halves(page: Page) -> tuple[list[Line], list[Line]]:
    middle = page.width / 2
    left = [line for line in page.lines if line.x1 < middle]
    return left, [line for line in page.lines if line.x1 >= middle]


def _clearance(page: Page) -> float:
    """How far the halves of a page are apart, in ems of its commonest size."""
    left, right = _halves(page)
    size, _ = Counter(line.size for line in page.lines).most_common(1)[0]
    return (min(line.x0 for line in right) - max(line.x1 for line in left)) / size


def _numbers(lines: Sequence[Line]) -> set[tuple[str, int]]:
    """The numbers that may be a half page's, from its outermost rows."""
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (line.base, line.x0)):
        if rows and line.base - rows[-1][0].base <= _ROW:
            rows[-1].append(line)
        else:
            rows.append([line])
    edges = {id(row): row for row in rows[:_ROWS] + rows[-_ROWS:]}
    texts = (" ".join(line.text.strip() for line in row) for row in edges.values())
    return {counter for text in texts for counter in _counters(text)}


def _counters(text: str) -> Iterator[tuple[str, int]]:
    readings: tuple[Reading, Reading | None] = split_counter(text)
    for reading in readings:
        if reading and reading[1]:
            yield reading[1]
