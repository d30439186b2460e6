"""Lines into paragraphs: where one ends and the next begins, on a page, over columns and over pages.

A paragraph is told by its first line's indent, by a wider gap, by a change of type, or by a line that ends though the
next word would have fitted. Lines that all end early though there was room are verse and keep their ends.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bookblend.extract.model import Kind
from bookblend.extract.pdf_lines import Line
from bookblend.extract.pdf_stats import Style

# A gap of this many usual leadings parts paragraphs; justified pages stretch theirs by up to a tenth.
_GAP = 1.28
# Indents under this many ems are optical margins and rounding.
_INDENT = 0.55
# A line is full if it ends within this many ems of the right edge.
_FULL = 1.1
# Cells that begin within so many points of each other begin at one place.
_STOP = 2.0
# Of a list's labels fewer than this share (of the others) reach up to their text.
_WIDE_LABELS = 0.5
# Type differs if both the commonest and the largest size of two lines differ by more points than this.
_SIZE_STEP = 0.55
# Share of line ends with room for the next word from which a block is verse.
_VERSE_SHARE = 0.5
# A ragged block set in and narrower than this share of the measure is verse too (or an address): prose uses its width.
_VERSE_WIDTH = 0.62

_SENTENCE_END = re.compile(r"[.!?…:][\"'”’»)\]]*\s*$")
# Symbol fonts without a mapping put their bullets into private use (U+F0B7 and its neighbours).
_BULLET = re.compile(r"[•▪◦‣●○■□◆➢►∙·–—*\uf000-\uf0ff-]\s*(?<=[\s\uf000-\uf0ff])\S")
_NUMBERED = re.compile(r"(?:\(?(?:\d{1,3}|[a-z]|[ivx]{1,4})[.)])\s+\S")
_LETTER = re.compile(r"[^\W\d_]")

# (text before the hyphen, the hyphen, text after it) → the joined text
# Line ends after which no plain blank follows: hyphens, dashes, and scripts without blanks (from U+3000 on).
_SPECIAL_ENDS = "-‐‑\xad—–/"
_WIDE_FROM = "\u3000"

# Signs that programs, commands, paths and addresses have and prose has not.
_CODE_SIGN = re.compile(r"[{}\[\]=<>|$#\\_`~@;]|\(\)|--|\w/|/\w|::|:$|^\s*[-%+*]\s?\w")
# At least this share of a listing's lines has some: titles and dedications in such faces have none.
_CODE_SHARE = 0.3

# Kinds that keep their lines.
_BY_LINE = frozenset({Kind.VERSE, Kind.CODE})

Joiner = Callable[[str, str, str], str]


@dataclass(slots=True)
class Paragraph:
    """Lines that belong together, on one page or several; `edges` are the left and right edge they are set to."""

    lines: list[Line]
    kind: Kind = Kind.PARAGRAPH
    edges: tuple[float, float] = (0.0, 0.0)
    fresh: bool = False  # opens by its own evidence (indent, gap), so nothing before can run on into it
    closed: bool = False  # ends by its own evidence (short last line)
    pages: list[int] = field(default_factory=list)


def group_region(lines: Sequence[Line], style: Style, edges: tuple[float, float]) -> list[Paragraph]:
    """Paragraphs of one column of one page (its body lines only, no headings), from top to bottom."""
    paragraphs: list[Paragraph] = []
    for group in _groups(lines, style):
        left, right = _group_edges(group, edges, style)
        parts = _split_group(group, style, (left, right), edges)
        if parts:
            parts[0].fresh = parts[0].fresh or bool(paragraphs)
        paragraphs += parts
    return paragraphs


def leading_of(line: Line, style: Style) -> float:
    """Usual distance of baselines in a line's size."""
    return style.leadings.get(round(line.size * 2) / 2, style.leading * line.size / style.body)


def _groups(lines: Sequence[Line], style: Style) -> Iterable[list[Line]]:
    """Lines without a wide gap or a change of type between them."""
    group: list[Line] = []
    for line in lines:
        if group:
            last = group[-1]
            gap = line.base - last.base
            usual = leading_of(line, style)
            if line.size != last.size:
                usual = max(usual, leading_of(last, style))
            other = abs(line.size - last.size) > _SIZE_STEP and abs(line.top - last.top) > _SIZE_STEP
            # A whole line of code inside a paragraph stands at its edge and in its rhythm; a listing does not.
            listing = line.mono != last.mono and (gap > 1.05 * usual or abs(line.x0 - last.x0) > _INDENT * line.size)
            if gap > _GAP * usual or other or listing:
                yield group
                group = []
        group.append(line)
    if group:
        yield group


def _group_edges(group: Sequence[Line], edges: tuple[float, float], style: Style) -> tuple[float, float]:
    left, right = edges
    em = style.body
    own_left = min(line.x0 for line in group)
    own_right = max(line.x1 for line in group)
    if own_left - left > _INDENT * em and not _is_first_line(group, left, style):
        left = own_left
    if right - own_right > _FULL * em and len(group) > 2:
        # Set in at the right as well: its own edge, if several lines reach it.
        reach = sum(own_right - line.x1 < 0.5 * em for line in group)
        if reach >= 0.4 * (len(group) - 1):
            right = own_right
    return left, max(right, own_right - 0.5 * em)


def _is_first_line(group: Sequence[Line], left: float, style: Style) -> bool:
    """A lone indented line is the first of a paragraph (which goes on elsewhere), if it has the usual indent."""
    if len(group) == 1:
        return bool(style.indent) and abs(group[0].x0 - left - style.indent) < 0.25 * style.body
    # One-line paragraphs in a row all stand at the usual indent; a quotation or verse is set in further or is longer.
    return bool(style.indent) and all(abs(line.x0 - left - style.indent) < 0.12 * style.body for line in group)


def _split_group(
    group: list[Line], style: Style, own: tuple[float, float], outer: tuple[float, float]
) -> list[Paragraph]:
    """`own` are the edges the group is set to, `outer` those of its column."""
    em = group[0].size
    left, right = own
    if not style.mono and all(line.mono for line in group):
        listing = _looks_like_code(group)
        if listing or (len(group) > 1 and not any(_is_full(line, outer[1], em) for line in group)):
            kind = Kind.CODE if listing else Kind.VERSE
            return [Paragraph(group, kind, (left, right), fresh=True, closed=True)]
    if _is_rows(group):
        return [Paragraph(lines, edges=own, fresh=True, closed=True) for lines in _rows(group)]
    if _is_verse(group, *outer, em, style):
        return [Paragraph(group, Kind.VERSE, (left, right), fresh=True, closed=True)]
    hanging = _is_hanging(group, left, right, em, style)
    parts: list[Paragraph] = []
    for line in group:
        last = parts[-1].lines[-1] if parts else None
        indent = line.x0 - left
        if last is None:
            opens = indent > _INDENT * em or bool(_BULLET.match(line.text))
        elif hanging:
            opens = indent <= _INDENT * em
        else:
            opens = _opens(last, line, left, right, em, style)
        if last is None or opens:
            parts.append(Paragraph([line], edges=(left, right), fresh=opens))
        else:
            parts[-1].lines.append(line)
    for part in parts:
        end = part.lines[-1]
        part.closed = end.x1 < right - 2 * em and not _is_broken(end.text)
        if _BULLET.match(part.lines[0].text) or (hanging and _NUMBERED.match(part.lines[0].text)):
            part.kind = Kind.ITEM
    return parts


def _is_rows(group: Sequence[Line]) -> bool:
    """Whether lines are labels with their texts, or a table's rows: second pieces begin at one place, single ones do so
    or (a label as wide as the gap) where the labels do. (Prose has wide blanks now and then, and anywhere.)"""
    rows = [line for line in group if line.stop]
    if len(rows) < 2 or max(line.stop for line in rows) - min(line.stop for line in rows) > _STOP:
        return False
    others = [line for line in group if not line.stop and abs(line.x0 - rows[0].stop) > _STOP]
    return len(others) < _WIDE_LABELS * len(rows) and all(abs(line.x0 - rows[0].x0) <= _STOP for line in others)


def _rows(group: Sequence[Line]) -> Iterable[list[Line]]:
    stop = next(line.stop for line in group if line.stop)
    row: list[Line] = []
    for line in group:
        if row and (line.stop or line.x0 < stop - _STOP):
            yield row
            row = []
        row.append(line)
    yield row


def _looks_like_code(group: Sequence[Line]) -> bool:
    """Whether lines in a face of one width are a listing: designers set titles and dedications in such faces too."""
    return sum(bool(_CODE_SIGN.search(line.text)) for line in group) >= _CODE_SHARE * len(group)


def _opens(last: Line, line: Line, left: float, right: float, em: float, style: Style) -> bool:
    """Whether `line` opens a paragraph behind `last`, both of one group."""
    indent, before = line.x0 - left, last.x0 - left
    if line.base - last.base < 0.3 * em or _is_broken(last.text):
        return False
    if _BULLET.match(line.text):
        return True
    if indent > _INDENT * em:
        if abs(line.x0 - last.x0) > _INDENT * em:
            # Deeper than the line before: a first line, unless it hangs under a marker of the line before.
            return line.x0 > last.x0 and not (_is_full(last, right, em) and _hangs(last))
        usual = bool(style.indent) and abs(indent - style.indent) < 0.15 * em
        # A full line that ends no sentence runs on, even at the usual indent: a quotation set in by as much.
        return not _is_full(last, right, em) or (usual and _ends(last))
    if before > _INDENT * em:
        return False
    # Most lines are full: the width of the next word is asked for the others alone.
    if style.justified:
        return last.x1 < right - 2 * em and last.x1 < right - _first_word(line) - 0.5 * em and _ends(last)
    return last.x1 < right - 1.5 * em and last.x1 < right - _first_word(line) - 1.5 * em and _ends(last)


def _is_broken(text: str) -> bool:
    """Whether a line ends inside a word: no paragraph ends so."""
    end = text.rstrip()[-2:]
    return end[-1:] in "-‐\xad" and end[:1].isalpha()


def _is_full(line: Line, right: float, em: float) -> bool:
    return line.x1 > right - _FULL * em


def _ends(line: Line) -> bool:
    return bool(_SENTENCE_END.search(line.text))


def _hangs(line: Line) -> bool:
    return bool(_BULLET.match(line.text) or _NUMBERED.match(line.text))


def _first_word(line: Line) -> float:
    """Width of a line's first word with the blank after it, in points, from the line's mean character width."""
    text = line.text.strip()
    word = text.split(maxsplit=1)[0] if text else ""
    return (len(word) + 1) * (line.x1 - line.x0) / max(len(text), 1)


def _is_verse(group: Sequence[Line], left: float, right: float, em: float, style: Style) -> bool:
    if len(group) < 2 or any(_is_full(line, right, em) for line in group):
        return False
    own_right = max(line.x1 for line in group)
    starts = Counter(round(line.x0) for line in group)
    if style.indent and all(abs(line.x0 - left - style.indent) < 0.12 * em for line in group):
        return False
    if sum(own_right - line.x1 < 1.5 for line in group[:-1]) > 0.4 * len(group) and len(starts) < 3:
        return False
    own_left = min(line.x0 for line in group)
    if own_left > left + style.indent + _INDENT * em and own_right - own_left < _VERSE_WIDTH * (right - left):
        return True
    roomy = sum(above.x1 + _first_word(below) + 0.2 * em < own_right for above, below in pairwise(group))
    if roomy < _VERSE_SHARE * (len(group) - 1):
        return False
    return own_left > left + _INDENT * em or own_right < right - 3 * em


def _is_hanging(group: Sequence[Line], left: float, right: float, em: float, style: Style) -> bool:
    """First lines stand out and the others in: bibliographies, indexes, lists. Not dialogue: there, the lines before
    an inner one are short, here they are full."""
    if len(group) < 3:
        return False
    inner = [line.x0 > left + _INDENT * em for line in group]
    if inner[0] or 2 * sum(inner) < len(group):
        return False
    stops = [line.x0 for line, within in zip(group, inner, strict=True) if within]
    if max(stops) - min(stops) > 1.5 * em or abs(stops[0] - left - style.indent) < 0.12 * em:
        return False
    full = [_is_full(above, right, em) for above, within in zip(group, inner[1:], strict=False) if within]
    return sum(full) >= 0.6 * len(full)


def join_lines(lines: Sequence[Line], joiner: Joiner) -> str:
    """A paragraph's lines as one line of text; hyphens at line ends go to `joiner`."""
    pieces: list[str] = []
    for line in lines:
        piece = " ".join(line.text.split())
        if pieces and (pieces[-1][-1:] in _SPECIAL_ENDS or pieces[-1][-1:] >= _WIDE_FROM or piece[:1] == "—"):
            pieces[-1] = append_text(pieces[-1], piece, joiner)
        elif piece:
            pieces.append(piece)
    return " ".join(pieces)


def code_lines(lines: Sequence[Line]) -> str:
    """The lines of a listing with the blanks before them, by their places and the width of a character."""
    lines = [line for line in lines if line.text.strip()]
    left = min(line.x0 for line in lines)
    widths = sorted((line.x1 - line.x0) / len(line.text) for line in lines)
    width = widths[len(widths) // 2] or 1.0
    return "\n".join(" " * round((line.x0 - left) / width) + line.text.strip() for line in lines)


def append_text(text: str, piece: str, joiner: Joiner) -> str:
    """`text` and the line `piece` behind it, joined as reading joins them."""
    if text.endswith("-\xad"):
        # A hard hyphen with a soft one behind it is the word's own; the soft one only allowed the break there.
        return text[:-1] + piece
    sign = text[-1:]
    if sign and sign in "-‐‑\xad" and len(text) > 1 and not text.endswith(("--", " -")):
        head, _, left = text[:-1].rpartition(" ")
        right, _, tail = piece.partition(" ")
        if left and right and (_LETTER.search(left) or left[-1:].isdigit()):
            joined = joiner(left, sign, right)
            return f"{head} {joined}".lstrip() + (f" {tail}" if tail else "")
    if text[-1:] in "—–/" and not text.endswith((" —", " –", " /")):
        return text + piece
    if piece[:1] == "—" and not text.endswith(" "):
        return text + piece
    if _is_wide(text[-1:]) and _is_wide(piece[:1]):
        return text + piece
    return f"{text} {piece}"


def _is_wide(character: str) -> bool:
    """Scripts written without blanks between words: a line end is no blank there."""
    return bool(character) and ("\u3000" <= character <= "\u9fff" or "\uff00" <= character <= "\uffef")


def runs_on(before: Paragraph, after: Paragraph, style: Style) -> bool:
    """Whether a paragraph goes on from one page or column into the next (spec: mid-sentence, lower case after).

    The geometry says more than the case: a full last line and a first line without indent is one paragraph in a book
    that indents; a short last line is an end, whatever follows.
    """
    last, first = before.lines[-1], after.lines[0]
    if {before.kind, after.kind} & _BY_LINE or last.turned != first.turned:
        return False
    if abs(last.size - first.size) > _SIZE_STEP and abs(last.top - first.top) > _SIZE_STEP:
        return False
    text = first.text.lstrip("“”\"'‘’([ ")
    lower = text[:1].islower()
    if _is_broken(last.text) and lower:
        return True
    if after.fresh:
        return lower and not _ends(last) and not before.closed
    if before.closed and last.x1 + _first_word(first) < before.edges[1]:
        # Its last line is short, though the next word would have fitted: an end, if it ends a sentence.
        return not _ends(last) and (lower or bool(style.indent))
    if style.indent or lower:
        return True
    return not _ends(last)
