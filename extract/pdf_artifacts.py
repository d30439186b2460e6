"""Artifacts: what the file itself marks as no part of its text (ISO 32000-1, 14.8.2.2): heads, folios, watermarks.

MuPDF tells nothing of these marks, so pages that still have marked text when the usual furniture is gone are read once
more without it, and what is missing then was marked. Engines mark wrongly too, so a page gives up only a small share
of its letters, and without a declared kind only small type at its head and foot.
"""

import re
from collections import Counter
from collections.abc import Sequence

from bookblend.extract.pdf_folios import FOLIO_EXCESS
from bookblend.extract.pdf_furniture import Stray
from bookblend.extract.pdf_lines import Line, Page, read_page
from bookblend.extract.pdf_open import Source
from bookblend.extract.pdf_stats import Style

# Pages of a book that are looked at for marks: tools that mark do so on all pages.
_PROBES = 8
# Reading pages again ends where it brought nothing so often, and on fewer than one page in so many something.
_FRUITLESS = 4
# Marked text is believed up to this share of a page's letters: where engines mark wrongly, they mark whole pages.
_SHARE = 0.25
# So many letters are believed on any page: on one of a few lines head and folio are a larger share.
_LETTERS = 120

_OPENING = re.compile(rb"/Artifact\b[^\n]{0,400}?\b(?:BDC|BMC)\b")
_MARKS = re.compile(rb"\b(BDC|BMC|EMC)\b")
# Operators that show text, or a form that may hold some.
_SHOWN = re.compile(
    rb"(?:\[[^\]]*\]|\((?:[^()\\]|\\.)*\)|<[0-9A-Fa-f\s]*>)\s*(?:TJ|Tj|'|\")|/[^\s/]+\s+Do\b", re.DOTALL
)
_DECLARED = re.compile(rb"/(?:Pagination|Header|Footer|Watermark|PageNum|BatesN)\b")


def strip_artifacts(pages: Sequence[Page], source: Source, strays: Sequence[Stray], style: Style) -> list[Stray]:
    """Take marked text off the pages, in place, that `strays`, the furniture already taken, does not account for.

    Returns what was taken, in page order.
    """
    if not _has_marks(source):
        return []
    gone = Counter(stray.page for stray in strays)
    taken: list[Stray] = []
    fruitful = fruitless = 0
    for page in pages:
        if not page.lines or fruitless > _FRUITLESS * (fruitful + 1):
            continue
        contents = source.document[page.number - 1].read_contents()
        spans = _marked(contents)
        if len(spans) > gone[page.number]:
            declared = all(_DECLARED.search(contents, start, start + 400) for start, _ in spans)
            found = _believed(page, _missing(page, source, contents, spans), declared, style)
            fruitful, fruitless = fruitful + bool(found), fruitless + (not found)
            for line in found:
                page.lines.remove(line)
                taken.append(Stray("artifact", page.number, line.text.strip()))
    return taken


def _has_marks(source: Source) -> bool:
    step = max(1, source.count // _PROBES)
    return any(b"/Artifact" in source.document[index].read_contents() for index in range(0, source.count, step))


def _marked(contents: bytes) -> list[tuple[int, int]]:
    """Where in a page's contents artifacts that show something begin and end."""
    found: list[tuple[int, int]] = []
    end = 0
    for opening in _OPENING.finditer(contents):
        if opening.start() < end:
            continue  # inside another one
        depth, end = 1, len(contents)
        for mark in _MARKS.finditer(contents, opening.end()):
            depth += -1 if mark[1] == b"EMC" else 1
            if not depth:
                end = mark.start()
                break
        if _SHOWN.search(contents, opening.end(), end):
            found.append((opening.start(), end))
    return found


def _missing(page: Page, source: Source, contents: bytes, spans: Sequence[tuple[int, int]]) -> list[Line]:
    """The page's lines that are not there when what the marks enclose is not shown."""
    bare, done = b"", 0
    for start, end in spans:
        bare += contents[done:start] + _SHOWN.sub(b" ", contents[start:end])
        done = end
    document = source.document
    xref = document[page.number - 1].xref
    kept = document.xref_get_key(xref, "Contents")[1]
    stream = document.get_new_xref()
    document.update_object(stream, "<<>>")
    document.update_stream(stream, bare + contents[done:])
    document.xref_set_key(xref, "Contents", f"{stream} 0 R")
    rest = read_page(document[page.number - 1], page.number)
    document.xref_set_key(xref, "Contents", kept)
    places = {_place(line) for line in rest.lines}
    return [line for line in page.lines if _place(line) not in places and not _is_shared(line, rest.lines)]


def _place(line: Line) -> tuple[int, int, int]:
    return round(line.x0), round(line.base), round(line.x1)


def _is_shared(line: Line, others: Sequence[Line]) -> bool:
    """Whether a part of the line is still there: it was joined of marked and unmarked pieces."""
    return any(abs(line.base - other.base) < 1 and other.x0 < line.x1 and other.x1 > line.x0 for other in others)


def _believed(page: Page, marked: list[Line], declared: bool, style: Style) -> list[Line]:
    """Those of the marked lines that are taken for what they are said to be."""
    others = [line for line in page.lines if line not in marked]
    if not declared:
        if not others:
            return []
        top, foot = min(line.base for line in others), max(line.base for line in others)
        limit = style.body + FOLIO_EXCESS
        marked = [line for line in marked if (line.base < top or line.base > foot) and line.top <= limit]
    letters = _letters(marked)
    return marked if letters <= max(_LETTERS, _SHARE * (letters + _letters(others))) else []


def _letters(lines: Sequence[Line]) -> int:
    return sum(len(line.text) for line in lines)
