"""Contents lists: titles and page numbers, which hold no chapters and no text, on pages of their own or in part."""

import re
from collections.abc import Sequence

from bookblend.extract.labels import matter_name
from bookblend.extract.pdf_lines import Line
from bookblend.extract.pdf_stats import Style

# A page goes on with the list of the page before if at least this share of its lines end in a page number.
_NUMBERED_SHARE = 0.5
# On a page that is headed as a list fewer do: an entry of several lines has one number.
_HEADED_SHARE = 0.3
# On a page without a heading more must: tables and indexes have many numbers at line ends as well.
_UNHEADED_SHARE = 0.75
# A headed page with fewer lines than this needs no numbers: some lists give titles only.
_SHORT_PAGE = 40
# Lists without a heading are looked for on so many pages, or in the first fifth: further on are tables and indexes.
_FRONT_PAGES = 30
# Of fewer lines no share is taken, and fewer lines of text below a list do not close it.
_LEAST_LINES = 4
# A longer line that has a list's name in it is a sentence.
_LONGEST_NAME = 60
# Below a list that ends in mid-page stands text: a line of so many words without a number closes the list.
_PROSE_WORDS = 9
# An entry ends in a page number behind a blank or leaders (with the joiners that some engines put there).
_ENTRY = re.compile(r"\S.*?[\s.…·_\u2060\u200b](?:\d{1,4}|[ivxlc]{1,7})\s*$")
_NUMBER = re.compile(r"(\d{1,4})\s*$")


def mark_contents(pages: Sequence[Sequence[Line]], style: Style) -> None:
    """Set `part` of all lines of contents lists: headed ones, and pages right behind them that go on."""
    front = max(_FRONT_PAGES, len(pages) // 5)
    before = False
    for number, lines in enumerate(pages, 1):
        head = _heading(lines, style)
        if head is None and number > front and not before:
            continue
        listed = lines[head or 0 :]
        share = _share(listed)
        goes_on = before and _share(listed, 1) >= _NUMBERED_SHARE
        unheaded = head is None and number <= front and share >= _UNHEADED_SHARE and _counts(listed)
        headed = head is not None and (share >= _HEADED_SHARE or len(listed) < _SHORT_PAGE or _count(listed) >= 3)
        before = headed or goes_on or unheaded
        if before:
            for line in listed[: _end(listed)]:
                line.part = "contents"


def _heading(lines: Sequence[Line], style: Style) -> int | None:
    """The line that is the name of a list, set as a heading (not a word that ends a paragraph), near the top."""
    for index, line in enumerate(lines[:12]):
        if len(line.text) < _LONGEST_NAME and matter_name(line.text) in ("contents", "list of figures"):
            display = line.top >= style.body + 0.7 or line.bold or line.text.isupper()
            if display or index < 2:
                return index
    return None


def _end(lines: Sequence[Line]) -> int:
    """How many lines belong to the list: all of the page, or those up to the text that follows it."""
    last = max((index for index, line in enumerate(lines) if _ENTRY.match(line.text.strip())), default=len(lines) - 1)
    prose = sum(len(line.text.split()) >= _PROSE_WORDS for line in lines[last + 1 :])
    return last + 1 if prose >= _LEAST_LINES else len(lines)


def _texts(lines: Sequence[Line]) -> list[str]:
    return [line.text.strip() for line in lines if any(map(str.isalnum, line.text))]


def _count(lines: Sequence[Line]) -> int:
    """Entries right below a heading, before the first line that is none."""
    count = 0
    for text in _texts(lines)[1:]:
        if not _ENTRY.match(text):
            break
        count += 1
    return count


def _share(lines: Sequence[Line], least: int = _LEAST_LINES) -> float:
    texts = _texts(lines)
    if len(texts) < least:
        return 0.0
    return sum(bool(_ENTRY.match(text)) for text in texts) / len(texts)


def _counts(lines: Sequence[Line]) -> bool:
    """Whether the numbers at the line ends never go down, as page numbers of a contents list do not."""
    numbers = [int(match[1]) for line in lines if (match := _NUMBER.search(line.text))]
    return len(numbers) >= _LEAST_LINES and numbers == sorted(numbers)
