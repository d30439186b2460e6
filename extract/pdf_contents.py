"""Contents pages: lists of titles and page numbers, which hold no chapters and no text."""

import re
from collections.abc import Sequence

from bookblend.extract.labels import matter_name
from bookblend.extract.pdf_lines import Line
from bookblend.extract.pdf_stats import Style

# A page is a contents page if it is headed as one, or if at least this share of its lines end in a page number.
_NUMBERED_SHARE = 0.5
_LEAST_LINES = 4
_ENTRY = re.compile(r"\S.*?(?:[\s.…·_]{2,}|\s)(?:\d{1,4}|[ivxlc]{1,7})\s*$")


def contents_pages(pages: Sequence[Sequence[Line]], style: Style) -> frozenset[int]:
    """Numbers (from 1) of the contents pages: a headed one, and those right behind it that go on as it does."""
    found: set[int] = set()
    for number, lines in enumerate(pages, 1):
        share = _share(lines)
        headed = _is_headed(lines, style)
        goes_on = number - 1 in found and share >= _NUMBERED_SHARE
        unheaded = number <= max(30, len(pages) // 5) and share >= 0.75 and _counts(lines)
        if (headed and (share >= 0.3 or len(lines) < 40)) or goes_on or unheaded:
            found.add(number)
    return frozenset(found)


def _is_headed(lines: Sequence[Line], style: Style) -> bool:
    """Whether a page's first lines hold the name of a list, set as a heading (not a word that ends a paragraph)."""
    return any(
        matter_name(line.text) in ("contents", "list of figures")
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
