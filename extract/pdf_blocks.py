"""Ordered lines, headings and the book's measures into blocks: the last step, where paragraphs cross pages."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from bookblend.extract.model import Block, Kind, Place
from bookblend.extract.pdf_furniture import Stray
from bookblend.extract.pdf_headings import Run
from bookblend.extract.pdf_lines import Line
from bookblend.extract.pdf_matter import mark_matter
from bookblend.extract.pdf_notes import Note
from bookblend.extract.pdf_paragraphs import (
    Joiner,
    Paragraph,
    append_text,
    code_lines,
    group_region,
    join_lines,
    runs_on,
)
from bookblend.extract.pdf_stats import Style, is_body, mode

# A list item's sign is layout, as it is in an EPUB, where the style sheet draws it. Dashes may be speech: they stay.
_BULLET = re.compile(r"[•▪◦‣●○■□◆➢►∙·\uf000-\uf0ff]\s*")


@dataclass(slots=True)
class _Piece:
    page: int
    run: Run | None = None
    paragraph: Paragraph | None = None


def build_blocks(
    pages: Sequence[Sequence[Line]], runs: Sequence[Run], style: Style, joiner: Joiner, title: str = ""
) -> list[Block]:
    """All blocks of the book in reading order, front and back matter marked; `title` is what the file declares."""
    by_page: dict[int, list[Run]] = {}
    for run in runs:
        by_page.setdefault(run.page, []).append(run)
    pieces = [
        piece
        for number, lines in enumerate(pages, 1)
        for piece in _pieces(number, list(lines), by_page.get(number, []), style)
    ]
    shared = {style for style, count in Counter(run.style for run in runs).items() if count > 1}
    blocks: list[Block] = []
    for group in _joined(pieces, style):
        if group[0].run:
            blocks += _heading_blocks(group[0].run, joiner)
        else:
            block = _text_block(group, joiner)
            if block:
                blocks.append(block)
    return mark_matter(blocks, {run.page for run in runs if run.opens and run.style not in shared}, title)


def gather_notes(blocks: Sequence[Block], notes: Sequence[Note], texts: Sequence[Stray]) -> list[Block]:
    """The blocks with the notes (texts in the notes' order) behind the chapter whose pages they stood on."""
    result: list[Block] = []
    waiting = [
        Block(Kind.NOTE, text.text, Place(note.page, note.page)) for note, text in zip(notes, texts, strict=True)
    ]
    for index, block in enumerate(blocks):
        if block.level == 1 and not (index and blocks[index - 1].level == 1):
            due = [note for note in waiting if note.place.page < block.place.page]
            result += due
            waiting = waiting[len(due) :]
        result.append(block)
    return result + waiting


def _pieces(number: int, lines: list[Line], runs: list[Run], style: Style) -> Iterator[_Piece]:
    """A page's headings and paragraphs, in order."""
    owner = {id(line): run for run in runs for line in run.lines}
    region: list[Line] = []

    def flush() -> Iterator[_Piece]:
        if region:
            for paragraph in group_region(region, style, _edges(number, region, lines, style)):
                yield _Piece(number, paragraph=paragraph)
            region.clear()

    done: set[int] = set()
    for line in lines:
        run = owner.get(id(line))
        if run is not None:
            yield from flush()
            if id(run) not in done:
                done.add(id(run))
                yield _Piece(number, run=run)
            continue
        if region and (region[-1].column != line.column or region[-1].part != line.part):
            yield from flush()
        region.append(line)
    yield from flush()


def _edges(number: int, region: Sequence[Line], lines: Sequence[Line], style: Style) -> tuple[float, float]:
    """Left and right text edge of a column: the margins of its page's side, unless its own lines say otherwise."""
    left, right = style.margins.get(number % 2, (region[0].x0, region[0].x1))
    columns = len({line.column for line in lines})
    bodies = [line for line in region if is_body(line, style)] or list(region)
    at_margin = any(abs(line.x0 - left) <= 1.5 for line in region)
    if columns == 1 and at_margin:
        return left, right
    own_left = mode(line.x0 for line in bodies)
    own_right = mode(line.x1 for line in bodies)
    if own_left is None or own_right is None:
        return left, right
    if columns == 1:
        # A whole page of quotation or verse stays inside the margins; a page set elsewhere has margins of its own.
        inside = own_left >= left - 2 and max(line.x1 for line in region) <= right + 2
        return (left, right) if inside else (min(own_left, left), max(right, own_right))
    own_left = min(own_left, *(line.x0 for line in bodies))
    return own_left, max(own_right, *(line.x1 for line in bodies))


def _joined(pieces: Sequence[_Piece], style: Style) -> Iterator[list[_Piece]]:
    """Pieces that are one block: paragraphs that run on over a column or page end."""
    group: list[_Piece] = []
    for piece in pieces:
        last = group[-1] if group else None
        if (
            last
            and last.paragraph
            and piece.paragraph
            and _crosses(last.paragraph.lines[-1], piece.paragraph.lines[0])
            and runs_on(last.paragraph, piece.paragraph, style)
        ):
            group.append(piece)
            continue
        if group:
            yield group
        group = [piece]
    if group:
        yield group


def _crosses(last: Line, first: Line) -> bool:
    return last.part == first.part and (last.page != first.page or last.column != first.column)


def _text_block(group: Sequence[_Piece], joiner: Joiner) -> Block | None:
    paragraphs = [piece.paragraph for piece in group if piece.paragraph]
    kind = paragraphs[0].kind
    if kind is Kind.VERSE:
        text = "\n".join(" ".join(line.text.split()) for line in paragraphs[0].lines)
    elif kind is Kind.CODE:
        text = code_lines(paragraphs[0].lines)
    else:
        text = ""
        for paragraph in paragraphs:
            part = join_lines(paragraph.lines, joiner)
            text = append_text(text, part, joiner) if text else part
    text = text.replace("\xad", "").strip("\n" if kind is Kind.CODE else None)
    if kind is Kind.ITEM:
        text = _BULLET.sub("", text)
    if not text:
        return None
    return Block(kind, text, Place(group[0].page, group[-1].page), matter=paragraphs[0].lines[0].part)


def _heading_blocks(run: Run, joiner: Joiner) -> Iterator[Block]:
    """One block a title."""
    for title in run.titles():
        yield Block(Kind.HEADING, join_title(title, joiner), Place(run.page, run.page), run.level, run.evidence)


def join_title(lines: Sequence[Line], joiner: Joiner) -> str:
    """A heading's lines as one, letter-spaced words closed up."""
    text = ""
    for line in lines:
        piece = close_up(line.text)
        text = append_text(text, piece, joiner) if text else piece
    return text.replace("\xad", "").strip()


def close_up(text: str) -> str:
    """ "C H A P T E R   O N E" → "CHAPTER ONE": single blanks part the letters, wider ones the words."""
    tokens = text.split()
    if len(tokens) < 4 or sum(len(token) == 1 for token in tokens) < 0.8 * len(tokens):
        return " ".join(tokens)
    wide = text.strip().replace("\xa0", " ").split("  ")
    words = ["".join(part.split()) for part in wide if part.strip()]
    return " ".join(words)
