"""What typists set into a book's text: marks of pictures that are not there, and the numbers of the printed pages.

A mark goes where it can be nothing else. `[Illustration]` alone in its paragraph says only that a picture stood there;
with a caption it stays, as captions are the book's words. Page numbers go where many marks of one form count up
through the text: single ones may be notes, sets of mathematics, or the book's own.
"""

import re
from itertools import pairwise

from bookblend.blend.normalise import normalise_utf8

_PICTURE = re.compile(rb"(?m)^[ \t]*\[(?:Illustration|Illustrations|Illustrazione)\.?\][ \t]*\n?")
# {20}, [Pg 20], [Page 20], [p. 20], each form by itself, with the sign that it begins with.
_PAGES = ((b"{", rb"\{(\d{1,4})\}"), (b"[", rb"\[(?:Pg|Page|p\.) ?(\d{1,4})\]"))
# So many marks of a form must be there; they may go back once (a misprint; verses go back with every chapter), and most
# steps are of few pages (plates and blank pages have no mark).
_LEAST, _BACK, _FEW, _MOST = 8, 1, 6, 0.9


def drop_pictures(data: bytes) -> tuple[bytes, int]:
    """UTF-8 without marks of pictures that have no caption, and how many there were."""
    # (One byte is looked for ten times as fast as several.)
    place = data.find(b"[")
    while place >= 0 and not data.startswith(b"[Illustra", place):
        place = data.find(b"[", place + 1)
    if place < 0:
        return data, 0
    data, count = _PICTURE.subn(b"", data)
    return (normalise_utf8(data) if count else data), count


def drop_pages(data: bytes) -> tuple[bytes, int]:
    """UTF-8 without the numbers of printed pages, and how many there were."""
    total = 0
    for sign, mark in _PAGES:
        if sign not in data:
            continue
        marks = list(re.finditer(mark, data))
        if _counts_up([int(found[1]) for found in marks]):
            data = _without(data, [found.span() for found in marks])
            total += len(marks)
    return (normalise_utf8(data) if total else data), total


def _without(data: bytes, spans: list[tuple[int, int]]) -> bytes:
    """The bytes without some spans; a span's line goes where it is all of it, blanks behind it where blanks precede."""
    pieces, last = [], 0
    for start, end in spans:
        line = data.rfind(b"\n", 0, start) + 1
        line_end = data.find(b"\n", end)
        if line_end >= 0 and not data[line:start].strip() and not data[end:line_end].strip():
            start, end = line, line_end + 1
        elif start == line or data[start - 1 : start].isspace():
            while data[end : end + 1] == b" ":
                end += 1
        pieces.append(data[last:start])
        last = end
    return b"".join([*pieces, data[last:]])


def _counts_up(numbers: list[int]) -> bool:
    if len(numbers) < _LEAST:
        return False
    steps = [after - before for before, after in pairwise(numbers)]
    return sum(step <= 0 for step in steps) <= _BACK and sum(0 < step <= _FEW for step in steps) >= _MOST * len(steps)
