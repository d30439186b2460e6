"""Small PDFs for tests, described in a few words: `make_pdf([Page(Heading("One"), Para("Words …"), folio="1")])`.

A page holds blocks from its top down. `Para` breaks its text into lines; `Lines` sets lines as given, for verse and
for hyphens at line ends. `^1` in a text sets that figure as a raised note mark. The bytes are the same on every run.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

import pymupdf

Face = Literal["roman", "italic", "bold", "mono"]

# A small page keeps the fixtures' texts short: about nine words a line.
WIDTH, HEIGHT, MARGIN = 300.0, 440.0, 45.0
BODY = 10.0
# Line to line, and the note mark's size and rise, in font sizes.
STEP, MARK_SIZE, MARK_RISE = 1.3, 0.62, 0.36
# Baselines of running heads and folios, from the page's edges.
HEAD, FOOT = 25.0, 20.0
COLUMN_GAP = 16.0

_FONTS: dict[Face, str] = {"roman": "tiro", "italic": "tiit", "bold": "tibo", "mono": "cour"}
_PIECES = re.compile(r"\^(\d+)")


@dataclass(frozen=True)
class Para:
    """Running text, broken into lines by width. `indent` moves its first line, `inset` all of them, in points."""

    text: str
    size: float = BODY
    face: Face = "roman"
    indent: float = 12.0
    inset: float = 0.0
    before: float = 0.0
    hang: bool = False


@dataclass(frozen=True)
class Lines:
    """Lines set exactly as they are given."""

    lines: Sequence[str]
    size: float = BODY
    face: Face = "roman"
    inset: float = 0.0
    before: float = 0.0
    centred: bool = False


def heading(text: str, size: float = 18.0, face: Face = "roman", before: float = 0.0) -> Lines:
    """A heading, centred; "\\n" in the text wraps it."""
    return Lines(text.split("\n"), size=size, face=face, centred=True, before=before)


@dataclass(frozen=True)
class Page:
    """One page: blocks, notes at its foot, a running head and a folio; `columns` are filled one after the other.

    `at_head` puts the folio into the running head's line, on the outer side, instead of under the text.
    """

    blocks: Sequence[Para | Lines] = ()
    notes: Sequence[str] = ()
    head: str = ""
    folio: str = ""
    at_head: bool = False
    columns: int = 1


def make_pdf(pages: Sequence[Page], toc: Sequence[tuple[int, str, int]] = (), title: str = "") -> bytes:
    """The PDF's bytes; `toc` is its outline: (level, title, page from 1). Raises ValueError where text runs over."""
    document = pymupdf.open()
    for number, page in enumerate(pages, 1):
        _draw(document.new_page(width=WIDTH, height=HEIGHT), page, number)
    if toc:
        document.set_toc([list(entry) for entry in toc])
    if title:
        document.set_metadata({"title": title})
    made: bytes = document.tobytes(garbage=3, deflate=True, no_new_id=True)
    document.close()
    return made


@cache
def _font(face: Face) -> pymupdf.Font:
    return pymupdf.Font(_FONTS[face])


def _draw(page: pymupdf.Page, what: Page, number: int) -> None:
    writer = pymupdf.TextWriter(page.rect)
    size = BODY * 0.85
    if what.head:
        _line(writer, what.head, MARGIN, WIDTH - 2 * MARGIN, HEAD, size, "italic", centred=True)
    if what.folio:
        left = MARGIN if number % 2 == 0 else WIDTH - MARGIN - _font("roman").text_length(what.folio, size)
        if what.at_head:
            _line(writer, what.folio, left, 0, HEAD, size, "roman", centred=False)
        else:
            _line(writer, what.folio, MARGIN, WIDTH - 2 * MARGIN, HEIGHT - FOOT, size, "roman", centred=True)
    bottom = HEIGHT - MARGIN
    notes = [Para(note, size=BODY * 0.8, indent=0.0) for note in what.notes]
    if notes:
        bottom -= sum(len(list(_broken(note, WIDTH - 2 * MARGIN))) * note.size * STEP for note in notes)
        _flow(writer, notes, 1, bottom, HEIGHT - MARGIN + 1)
        bottom -= BODY
    _flow(writer, what.blocks, what.columns, MARGIN, bottom)
    writer.write_text(page)


def _flow(writer: pymupdf.TextWriter, blocks: Sequence[Para | Lines], columns: int, top: float, bottom: float) -> None:
    width = (WIDTH - 2 * MARGIN - COLUMN_GAP * (columns - 1)) / columns
    column, y = 0, top
    for block in blocks:
        y += block.before if y > top else 0.0
        for x, text in _broken(block, width):
            y += block.size * STEP
            if y > bottom:
                column, y = column + 1, top + block.size * STEP
            if column == columns:
                raise ValueError(f"the page is full before {text!r}")
            left = MARGIN + column * (width + COLUMN_GAP) + x
            centred = isinstance(block, Lines) and block.centred
            _line(writer, text, left, width, y, block.size, block.face, centred)


def _broken(block: Para | Lines, width: float) -> Iterator[tuple[float, str]]:
    """(offset from the left edge, line) for each line of a block."""
    if isinstance(block, Lines):
        yield from ((block.inset, line) for line in block.lines)
        return
    room = width - 2 * block.inset
    line, x = "", 0.0 if block.hang else block.indent
    for word in block.text.split():
        wider = f"{line} {word}" if line else word
        if line and x + _width(wider, block) > room:
            yield block.inset + x, line
            line, x = word, block.indent if block.hang else 0.0
        else:
            line = wider
    if line:
        yield block.inset + x, line


def _width(line: str, block: Para | Lines) -> float:
    return float(_font(block.face).text_length(_PIECES.sub("", line), block.size))


def _line(
    writer: pymupdf.TextWriter, text: str, x: float, width: float, y: float, size: float, face: Face, centred: bool
) -> None:
    font = _font(face)
    if centred:
        x += (width - font.text_length(text, size)) / 2
    # re.split gives text, mark, text, mark, …, text.
    for place, piece in enumerate(_PIECES.split(text)):
        if not piece:
            continue
        used, rise = (size * MARK_SIZE, size * MARK_RISE) if place % 2 else (size, 0.0)
        writer.append((x, y - rise), piece, font=font, fontsize=used)
        x += font.text_length(piece, used)
