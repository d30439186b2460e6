"""The lines of a page in reading order: fragments joined, drop caps given back to their word, columns one by one.

Works on one page at a time, with the book's body size as the only knowledge from outside. A page without lines side
by side, the usual one, is only sorted by its baselines.
"""

from collections import Counter
from collections.abc import Callable, Sequence

from bookblend.extract.pdf_lines import Line, Page

# Two pieces on one baseline are one line where the gap is under this many ems: wide justified blanks reach about one.
_JOIN_GAP = 1.1
# A blank belongs between two joined pieces from this share of the size on (a thin space is 1/6 em).
_BLANK_GAP = 0.15
# Initials are set over two lines and more: at least this many times the body size.
_CAP_RATIO = 1.8
# They have at most so many characters: a letter, and quotes or an apostrophe about it.
_CAP_LENGTH = 3
# Letters that are words of their own in some language ("A few", "I saw", "O Captain", "Y así", "È vero", "Я шёл").
_LETTER_WORDS = frozenset("aioeyuàèéóвикосуяö")
# Text columns have at least so many lines each: fewer side by side are a table's or signatures.
_COLUMN_LINES = 4
# Their median line has at least this share of the column's width: cells of a table have less.
_COLUMN_FILL = 0.45
# Labels of a column (numbers, speakers, terms) are this share of its width or less.
_LABEL_SHARE = 0.55
# A book has a gutter of its own if this share of its pages has one: title pages and the ends of chapters have none.
_GUTTER_SHARE = 0.4
# Gutters are one within so many points: each is taken from the widest lines of its page.
_GUTTER_STEP = 6.0
# A gutter is at least this many ems wide; narrower gaps are blanks.
_GUTTER = 0.8


def common_gutter(pages: Sequence[Page], body: float) -> float | None:
    """The x of the gutter of a book that is set in two columns throughout, else None.

    Pages with a few lines only, at the ends of chapters, are read by it.
    """
    found: Counter[int] = Counter()
    for page in pages:
        lines = sorted(page.lines, key=lambda line: line.base)
        rights = _right_neighbours(lines, body)
        gutter = _gutter(lines, rights, body) if len(rights) >= _COLUMN_LINES else None
        if gutter is not None:
            found[round(gutter / _GUTTER_STEP)] += 1
    if not found:
        return None
    best, count = max(found.items(), key=lambda item: (item[1], -item[0]))
    return best * _GUTTER_STEP if count >= _GUTTER_SHARE * len(pages) else None


def order_page(page: Page, body: float, is_word: Callable[[str], bool], gutter: float | None = None) -> list[Line]:
    """The page's lines in reading order; fragments joined, drop caps merged, `column` numbered from 0.

    body is the book's body size in points, is_word tells whether a string is a word of the book or of its language
    (used only to decide whether a drop cap is a word of its own, as the "A" of "A few"), gutter the book's own.
    """
    lines = sorted(page.lines, key=lambda line: (line.base, line.x0))
    lines = _merge_drop_caps(lines, body, is_word)
    lines = _join_fragments(lines)
    return _number_columns(_order(lines, body, page.width / 2, gutter))


def _join_fragments(lines: list[Line]) -> list[Line]:
    """Join pieces that stand on one baseline with no more than a wide blank between them."""
    result: list[Line] = []
    row: list[Line] = []
    for line in lines:
        if row and line.base - row[0].base > 0.25 * row[0].size:
            result += _join_row(row)
            row = []
        row.append(line)
    return result + _join_row(row) if row else result


def _join_row(row: list[Line]) -> list[Line]:
    if len(row) == 1:
        return row
    row.sort(key=lambda line: line.x0)
    joined = [row[0]]
    for line in row[1:]:
        last = joined[-1]
        gap = line.x0 - last.x1
        size = max(last.size, line.size)
        if -0.5 * size < gap < _JOIN_GAP * size and last.size == line.size:
            _append(last, line, gap > _BLANK_GAP * size)
        else:
            joined.append(line)
    return joined


def _append(first: Line, second: Line, blank: bool) -> None:
    parts = first.text + (" " if blank and not first.text.endswith(" ") else "")
    first.marks += [(offset + len(parts), mark) for offset, mark in second.marks]
    if second.lead:
        first.marks.append((len(parts), second.lead))
    first.text = parts + second.text
    first.x1 = first.right = max(first.x1, second.x1)
    first.y0, first.y1 = min(first.y0, second.y0), max(first.y1, second.y1)
    first.top = max(first.top, second.top)
    first.bold, first.italic, first.mono = (
        first.bold and second.bold,
        first.italic and second.italic,
        first.mono and second.mono,
    )


def _merge_drop_caps(lines: list[Line], body: float, is_word: Callable[[str], bool]) -> list[Line]:
    caps = [line for line in lines if _may_be_cap(line, body)]
    for cap in caps:
        foot = cap.base + 0.2 * body
        top = cap.base - 0.75 * cap.size - 0.6 * body
        beside = [
            line
            for line in lines
            if line is not cap
            and top < line.base <= foot
            and line.size < cap.size / 1.4
            and cap.x0 - 1 < line.x0 < cap.x1 + 3 * body
        ]
        if not beside:
            continue
        first = min(beside, key=lambda line: (round(line.base), line.x0))
        initial = cap.text.strip()
        first.text = initial + _cap_joint(initial, first.text, is_word) + first.text.lstrip()
        beside += _inset_below(lines, beside, body)
        for line in beside:
            line.x0 = line.left = cap.x0
        lines = [line for line in lines if line is not cap]
    if caps:
        lines.sort(key=lambda line: (line.base, line.x0))
    return lines


def _inset_below(lines: Sequence[Line], beside: Sequence[Line], body: float) -> list[Line]:
    """Lines right below those beside a drop cap that are set in as far: the cap's box is deeper than its glyph."""
    inset, low = min(line.x0 for line in beside), max(line.base for line in beside)
    found: list[Line] = []
    for line in lines if len(beside) > 1 else ():
        if 0 < line.base - low < 1.6 * body and abs(line.x0 - inset) < 1:
            found.append(line)
            low = line.base
    return found


def _may_be_cap(line: Line, body: float) -> bool:
    return line.size >= _CAP_RATIO * body and len(line.text.strip()) <= _CAP_LENGTH and any(map(str.isalpha, line.text))


def _cap_joint(initial: str, rest: str, is_word: Callable[[str], bool]) -> str:
    """ "" or " " between a drop cap and the text beside it: "A few" has a blank, "At" and "Abundance" have none."""
    if rest[:1] in " \u00a0":
        return " "
    letters = "".join(filter(str.isalpha, initial))
    head = rest.split(maxsplit=1)[0] if rest.strip() else ""
    word = head.strip(".,;:!?\u201c\u201d\u2018\u2019\"'()—-")
    if letters.casefold() not in _LETTER_WORDS or not word or is_word(letters + word.lower()):
        return ""
    return " " if is_word(word.lower()) else ""


def _order(lines: list[Line], body: float, middle: float, usual: float | None = None) -> list[list[Line]]:
    """Regions in reading order, each a list of lines from top to bottom; `middle` is the x of the page's middle."""
    rights = _right_neighbours(lines, body)
    if not rights:
        return [lines]
    gutter = _gutter(lines, rights, body)
    if gutter is None and usual is not None and not any(line.x0 < usual - 1 < usual + 1 < line.x1 for line in rights):
        gutter = usual
    if gutter is None:
        return [_as_rows(lines)]
    regions: list[list[Line]] = []
    left: list[Line] = []
    right: list[Line] = []
    across: list[Line] = []

    def flush() -> None:
        for column in (left, right):
            if column:
                regions.extend(_order(list(column), body, middle))
                column.clear()

    for line in lines:
        if _is_title(line, lines, body, middle):
            flush()
            across.append(line)
            continue
        if line.x1 <= gutter + 1:
            side = left
        elif line.x0 >= gutter - 1:
            side = right
        else:
            flush()
            across.append(line)
            continue
        if across:
            regions.append(list(across))
            across.clear()
        side.append(line)
    if across:
        flush()
        regions.append(across)
    flush()
    return regions


def _is_title(line: Line, lines: Sequence[Line], body: float, middle: float) -> bool:
    """A title set alone across the middle of the page belongs to no column, however short it is."""
    if not (line.top > body + 0.7 or line.bold) or abs((line.x0 + line.x1) / 2 - middle) > body:
        return False
    return all(other is line or abs(other.base - line.base) > 0.6 * body for other in lines)


def _right_neighbours(lines: Sequence[Line], body: float) -> list[Line]:
    """Lines that have another one on their left at the same height, a gutter or more away."""
    found = []
    for i, line in enumerate(lines):
        for other in lines[i + 1 :]:
            if other.base - line.base > 0.6 * body:
                break
            first, second = (line, other) if line.x0 <= other.x0 else (other, line)
            if second.x0 - first.x1 > _GUTTER * body:
                found.append(second)
    return found


def _gutter(lines: Sequence[Line], rights: Sequence[Line], body: float) -> float | None:
    """The x that parts two columns of text, or None where lines side by side are a table's cells."""
    edges = Counter(round(line.x0) for line in rights)
    for edge, _ in edges.most_common(3):
        x = edge - 1.0
        left = [line for line in lines if line.x1 <= x + 1]
        right = [line for line in lines if line.x0 >= x - 1]
        crossing = len(lines) - len(left) - len(right)
        if min(len(left), len(right)) < _COLUMN_LINES or crossing > min(len(left), len(right)):
            continue
        x = min(line.x0 for line in right)
        if x - max(line.x1 for line in left) < _GUTTER * body * 0.5:
            continue
        if _are_labels(left, right):
            continue
        if all(_fills(column) or _is_columns(column, body) for column in (left, right)):
            return (x + max(line.x1 for line in left)) / 2
    return None


def _are_labels(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Whether the left lines are labels of the right ones: each on the baseline of one, all of them short."""
    widths = [max(line.x1 for line in side) - min(line.x0 for line in side) for side in (left, right)]
    if widths[0] > _LABEL_SHARE * widths[1]:
        return False
    rights = {round(line.base) + step for line in right for step in (-1, 0, 1)}
    return all(round(line.base) in rights for line in left)


def _is_columns(lines: Sequence[Line], body: float) -> bool:
    """Whether one side of a gutter is itself several columns of text."""
    rights = _right_neighbours(lines, body)
    return len(rights) >= _COLUMN_LINES and _gutter(lines, rights, body) is not None


def _fills(column: Sequence[Line]) -> bool:
    widths = sorted(line.x1 - line.x0 for line in column)
    width = max(line.x1 for line in column) - min(line.x0 for line in column)
    return widths[len(widths) // 2] >= _COLUMN_FILL * width and width > 0


def _as_rows(lines: list[Line]) -> list[Line]:
    """A table's cells on one baseline become one line, from left to right."""
    result: list[Line] = []
    for line in lines:
        last = result[-1] if result else None
        if last and line.base - last.base < 0.4 * last.size and line.x0 >= last.x1:
            last.stop = last.stop or line.x0
            _append(last, line, True)
            last.block = -1
        else:
            result.append(line)
    return result


def _number_columns(regions: list[list[Line]]) -> list[Line]:
    for number, region in enumerate(regions):
        for line in region:
            line.column = number
    return [line for region in regions for line in region]
