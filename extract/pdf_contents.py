"""Contents pages: lists of titles and page numbers, which hold no chapters and no text."""

import re
from collections.abc import Sequence

from bookblend.extract.labels import matter_name
from bookblend.extract.pdf_lines import Line
from bookblend.extract.pdf_stats import Style

# A page is a contents page if it is headed as one, or if at least this share of its lines end in a page number.
_NUMBERED_SHARE = 0.5
_HEADED_SHARE = 0.3
_UNHEADED_SHARE = 0.75
# A headed page with fewer lines than this needs no numbers: some lists give titles only.
_SHORT_PAGE = 40
# Lists without a heading are looked for on so many pages, or in the first fifth.
_FRONT_PAGES = 30
_LEAST_LINES = 4
_LONGEST_NAME = 60
_ENTRY = re.compile(r"\S.*?(?:[\s.…·_]{2,}|\s)(?:\d{1,4}|[ivxlc]{1,7})\s*$")


def contents_pages(pages: Sequence[Sequence[Line]], style: Style) -> frozenset[int]:
    """Numbers (from 1) of the contents pages: a headed one, and those right behind it that go on as it does."""
    found: set[int] = set()
    front = max(_FRONT_PAGES, len(pages) // 5)
    for number, lines in enumerate(pages, 1):
        headed = _is_headed(lines, style)
        if not headed and number > front and number - 1 not in found:
            continue
        share = _share(lines)
        goes_on = number - 1 in found and share >= _NUMBERED_SHARE
        unheaded = number <= front and share >= _UNHEADED_SHARE and _counts(lines)
        if (headed and (share >= _HEADED_SHARE or len(lines) < _SHORT_PAGE)) or goes_on or unheaded:
            found.add(number)
    return frozenset(found)


def _is_headed(lines: Sequence[Line], style: Style) -> bool:
    """Whether a page's first lines hold the name of a list, set as a heading (not a word that ends a paragraph)."""
    return any(
        len(line.text) < _LONGEST_NAME
        and matter_name(line.text) in ("contents", "list of figures")
        and (line.top >= style.body + 0.7 or line.bold or line.text.upper() == line.text)
        for line in lines[:4]
    )


def _share(lines: Sequence[Line]) -> float:
    texts = [line.text.strip() for line in lines if any(map(str.isalnum, line.text))]
    if len(texts) < _LEAST_LINES:
        return 0.0
    return sum(bool(_ENTRY.match(text)) for text in texts) / len(texts)


def _counts(lines: Sequence[Line]) -> bool:
    """Whether the numbers at the line ends never go down, as page numbers of a contents list do not."""
    numbers = [int(match[1]) for line in lines if (match := re.search(r"(\d{1,4})\s*$", line.text))]
    return len(numbers) >= _LEAST_LINES and numbers == sorted(numbers)
