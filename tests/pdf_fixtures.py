"""Small PDFs for tests, described in a few words: `make_pdf([Page([heading("One"), Para("Words …")], folio="1")])`.

A page holds blocks from its top down. `Para` breaks its text into lines; `Lines` sets lines as given, for verse and
for hyphens at line ends; `flow` spreads blocks over pages. `At` puts a line anywhere, turned, hidden or coloured.

In a text `^1` and `^{th}` are set small and raised; `{i:word}`, `{b:word}`, `{m:word}` and `{s:WORD}` set a piece in
italics, bold, typewriter type and small capitals (no blanks in a piece). The bytes are the same on every run.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import pymupdf
from pdf_canvas import Canvas, Face, advance, font_of

# A small page keeps the fixtures' texts short: about nine words a line.
WIDTH, HEIGHT, MARGIN = 300.0, 440.0, 45.0
MEASURE = WIDTH - 2 * MARGIN
BODY = 10.0
# Line to line, and the note mark's size and rise, in font sizes; small capitals.
STEP, MARK_SIZE, MARK_RISE, SMALL_CAPITALS = 1.3, 0.62, 0.36, 0.8
# Lines of body type that a page holds.
ROWS = int((HEIGHT - 2 * MARGIN) / (BODY * STEP))
# Baselines of running heads and folios, from the page's edges.
HEAD, FOOT = 25.0, 20.0
COLUMN_GAP = 16.0

_PIECES = re.compile(r"\^\{([^}]*)\}|\^(\d+)|\{([ibms]):([^}]*)\}")
_FACES: dict[str, Face] = {"i": "italic", "b": "bold", "m": "mono"}


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
    justify: bool = False


@dataclass(frozen=True)
class Lines:
    """Lines set exactly as they are given; with a `width` their blanks are stretched to it."""

    lines: Sequence[str]
    size: float = BODY
    face: Face = "roman"
    inset: float = 0.0
    before: float = 0.0
    centred: bool = False
    width: float = 0.0


def heading(text: str, size: float = 18.0, face: Face = "roman", before: float = 0.0) -> Lines:
    """A heading, centred; "\\n" in the text wraps it."""
    return Lines(text.split("\n"), size=size, face=face, centred=True, before=before)


@dataclass(frozen=True)
class At:
    """One line with its baseline at (x, y) points from the page's upper left corner.

    `turn` is in degrees, against the clock; `hidden` draws it invisibly; `grey` is 0 for black and 1 for white.
    `spread` puts every letter on its own, that many points further than its width, and draws no blanks;
    `tracking` lets the engine do the same and draws them.
    """

    x: float
    y: float
    text: str
    size: float = BODY
    face: Face = "roman"
    turn: float = 0.0
    hidden: bool = False
    grey: float = 0.0
    spread: float = 0.0
    tracking: float = 0.0


@dataclass(frozen=True)
class Page:
    """One page: blocks, notes at its foot, a running head and a folio; `columns` are filled one after the other.

    `at_head` puts the folio into the running head's line, on the outer side, instead of under the text. `top` is
    where the text begins. `marks` are lines anywhere; `picture` and `ground` are boxes (x0, y0, x1, y1) that show a
    picture and black; `crop` is the box that is shown; `raw` are PDF operators. `shift` moves all but those to the
    right, as the inner margin does; `tall` is the page's height.
    """

    blocks: Sequence[Para | Lines] = ()
    notes: Sequence[str] = ()
    head: str = ""
    folio: str = ""
    at_head: bool = False
    columns: int = 1
    top: float = MARGIN
    marks: Sequence[At] = ()
    picture: tuple[float, float, float, float] | None = None
    ground: tuple[float, float, float, float] | None = None
    crop: tuple[float, float, float, float] | None = None
    raw: str = ""
    shift: float = 0.0
    tall: float = HEIGHT


def make_pdf(pages: Sequence[Page], toc: Sequence[tuple[int, str, int]] = (), title: str = "") -> bytes:
    """The PDF's bytes; `toc` is its outline: (level, title, page from 1). Raises ValueError where text runs over."""
    document = pymupdf.open()
    fonts: dict[Face, int] = {}
    for number, page in enumerate(pages, 1):
        _draw(Canvas(document, WIDTH, page.tall, fonts, page.shift), page, number)
    if toc:
        document.set_toc([list(entry) for entry in toc])
    if title:
        document.set_metadata({"title": title})
    made: bytes = document.tobytes(garbage=3, deflate=True, no_new_id=True)
    document.close()
    return made


def flow(blocks: Sequence[Para | Lines | None], rows: int = ROWS) -> list[tuple[Lines, ...]]:
    """Blocks spread over pages of so many body lines each; None ends a page early. Every line is set by itself."""
    pages: list[list[Lines]] = [[]]
    room = rows * BODY * STEP
    left = room
    for block in blocks:
        if block is None:
            pages.append([])
            left = room
            continue
        before = block.before
        for line in _lines(block, MEASURE):
            height = line.size * STEP + (before if pages[-1] else 0.0)
            if height > left + 0.1:
                pages.append([])
                left, height = room, line.size * STEP
            pages[-1].append(replace(line, before=before))
            left -= height
            before = 0.0
    return [tuple(page) for page in pages]


def edit_pdf(data: bytes, change: Callable[[Any], None], **options: Any) -> bytes:
    """The PDF after `change` has worked on the open PyMuPDF document; `options` go to its `tobytes`."""
    document = pymupdf.open(stream=data, filetype="pdf")
    change(document)
    made: bytes = document.tobytes(**options)
    document.close()
    return made


def remap(data: bytes, mapping: Mapping[str, str], face: Face = "roman") -> bytes:
    """The PDF with the glyphs of the characters `mapping` names declared to be other texts; its look stays."""
    font = font_of(face)
    name = pymupdf.Font(fontbuffer=font.buffer).name
    declared = {chr(code): chr(code) for code in range(32, 127)} | {sign: sign for sign in "“”‘’—–é"} | dict(mapping)
    rows = [f"<{font.has_glyph(ord(sign)):04X}> <{text.encode('utf-16-be').hex()}>" for sign, text in declared.items()]
    parts = [rows[start : start + 100] for start in range(0, len(rows), 100)]
    body = "\n".join(f"{len(part)} beginbfchar\n" + "\n".join(part) + "\nendbfchar" for part in parts)
    table = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Other def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{body}\nendcmap end end"
    )

    def change(document: Any) -> None:
        for xref in range(1, document.xref_length()):
            kind, value = document.xref_get_key(xref, "ToUnicode")
            if kind == "xref" and document.xref_get_key(xref, "BaseFont")[1].replace("#20", " ") == f"/{name}":
                document.update_stream(int(value.split()[0]), table.encode())

    return edit_pdf(data, change, deflate=True, no_new_id=True)


@cache
def text_width(text: str, size: float = BODY, face: Face = "roman") -> float:
    """The width of a line in points, its pieces in their own type."""
    return sum(
        used * sum(advance(own, character) for character in piece) for piece, own, used, _ in _pieces(text, size, face)
    )


def _draw(canvas: Canvas, what: Page, number: int) -> None:
    if what.picture:
        canvas.page.insert_image(what.picture, pixmap=_picture())
    if what.ground:
        canvas.rectangle(what.ground)
    size = BODY * 0.85
    if what.head:
        _line(canvas, what.head, MARGIN, HEAD, size, "italic", centred=MEASURE)
    if what.folio:
        left = MARGIN if number % 2 == 0 else WIDTH - MARGIN - text_width(what.folio, size)
        if what.at_head:
            _line(canvas, what.folio, left, HEAD, size, "roman")
        else:
            _line(canvas, what.folio, MARGIN, what.tall - FOOT, size, "roman", centred=MEASURE)
    bottom = what.tall - MARGIN
    notes = [Para(note, size=BODY * 0.8, indent=0.0) for note in what.notes]
    if notes:
        bottom -= sum(len(list(_lines(note, MEASURE))) * note.size * STEP for note in notes)
        _flow(canvas, notes, 1, bottom, what.tall - MARGIN + 1)
        bottom -= BODY
    _flow(canvas, what.blocks, what.columns, what.top, bottom + 0.1)
    for mark in what.marks:
        _put(canvas, mark)
    if what.raw:
        canvas.operators(what.raw)
    canvas.finish()
    if what.crop:
        canvas.page.set_cropbox(pymupdf.Rect(what.crop))


def _put(canvas: Canvas, mark: At) -> None:
    angle = math.radians(mark.turn)
    turn = (round(math.cos(angle), 6), round(math.sin(angle), 6))
    mode = 3 if mark.hidden else 0
    x, y = mark.x, mark.y
    letters = list(mark.text) if mark.spread else []
    for letter in letters:
        if letter != " ":
            canvas.text(letter, x, y, mark.size, mark.face, mode=mode, grey=mark.grey)
        x += mark.size * advance(mark.face, letter) + mark.spread
    if letters:
        return
    for piece, own, used, rise in _pieces(mark.text, mark.size, mark.face):
        canvas.text(piece, x, y - rise, used, own, turn=turn, mode=mode, grey=mark.grey, tracking=mark.tracking)
        x += turn[0] * text_width(piece, used, own)
        y -= turn[1] * text_width(piece, used, own)


@cache
def _picture() -> pymupdf.Pixmap:
    pixmap = pymupdf.Pixmap(pymupdf.csGRAY, pymupdf.IRect(0, 0, 8, 8))
    pixmap.clear_with(160)
    return pixmap


def _flow(canvas: Canvas, blocks: Sequence[Para | Lines], columns: int, top: float, bottom: float) -> None:
    width = (MEASURE - COLUMN_GAP * (columns - 1)) / columns
    column, y = 0, top
    for block in blocks:
        y += block.before if y > top else 0.0
        for line in _lines(block, width):
            y += line.size * STEP
            if y > bottom:
                column, y = column + 1, top + line.size * STEP
            if column == columns:
                raise ValueError(f"the page is full before {line.lines[0]!r}")
            left = MARGIN + column * (width + COLUMN_GAP) + line.inset
            _line(canvas, line.lines[0], left, y, line.size, line.face, width if line.centred else 0.0, line.width)


def _lines(block: Para | Lines, width: float) -> Iterator[Lines]:
    """A block as lines of their own, for a column of that width."""
    if isinstance(block, Lines):
        yield from (replace(block, lines=[line]) for line in block.lines)
        return
    room = width - 2 * block.inset
    blank = text_width(" ", block.size, block.face)
    line: list[str] = []
    x, end = 0.0 if block.hang else block.indent, 0.0
    for word in block.text.split():
        width = text_width(word, block.size, block.face)
        if line and x + end + blank + width > room:
            stretched = room - x if block.justify else 0.0
            yield Lines([" ".join(line)], block.size, block.face, block.inset + x, width=stretched)
            line, x, end = [], block.indent if block.hang else 0.0, 0.0
        end += width + (blank if line else 0.0)
        line.append(word)
    if line:
        yield Lines([" ".join(line)], block.size, block.face, block.inset + x)


def _pieces(text: str, size: float, face: Face) -> Iterator[tuple[str, Face, float, float]]:
    """(text, face, size, rise) of each piece that is set in one type."""
    end = 0
    for found in _PIECES.finditer(text):
        if found.start() > end:
            yield text[end : found.start()], face, size, 0.0
        if raised := found[1] or found[2]:
            yield raised, face, size * MARK_SIZE, size * MARK_RISE
        elif found[3] == "s":
            yield found[4], face, size * SMALL_CAPITALS, 0.0
        else:
            yield found[4], _FACES[found[3]], size, 0.0
        end = found.end()
    if end < len(text):
        yield text[end:], face, size, 0.0


def _line(
    canvas: Canvas,
    text: str,
    x: float,
    y: float,
    size: float,
    face: Face,
    centred: float = 0.0,
    width: float = 0.0,
) -> None:
    """Set one line; `centred` is the width it is centred in, `width` the one its blanks are stretched to."""
    if centred:
        x += (centred - text_width(text, size, face)) / 2
    words = text.split(" ") if width else [text]
    extra = (width - text_width(text, size, face)) / max(len(words) - 1, 1)
    for index, word in enumerate(words):
        last = index + 1 == len(words)
        for piece, own, used, rise in _pieces(word if last else f"{word} ", size, face):
            canvas.text(piece, x, y - rise, used, own)
            x += text_width(piece, used, own)
        x += extra
