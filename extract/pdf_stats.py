"""What is usual in a book: body size, leading, margins, paragraph indent. Everything unusual is judged against it."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from bookblend.extract.pdf_lines import Line, Page

# A line counts as body-sized within this many points of the body size: well under what makes a heading.
BODY_TOLERANCE = 0.3
# First-line indents lie between these many ems; more is a centred line or a quotation.
_INDENT_EMS = (0.6, 4.0)
# Edges this many points apart are one edge: letters have side bearings of their own.
_EDGE = 1.5
# Pairs of lines from which a size's leading is known: fewer may be headings.
_LEADING_PAIRS = 6
# Of the body lines, at least this share must end at the right edge for the text to be justified (ragged: under 0.15).
_JUSTIFIED_SHARE = 0.3


@dataclass(slots=True)
class Style:
    """The book's usual measures, in points.

    margins   (left, right) text edges by page parity (page number modulo 2)
    indent    usual first-line indent, 0 where paragraphs open flush (then gaps part them)
    leading   usual distance of two baselines of body text
    leadings  the same by size (in half points), where a size was seen often enough
    bold      the body itself is bold (a typescript): weight then says nothing about headings
    """

    body: float
    leading: float = 0.0
    indent: float = 0.0
    justified: bool = True
    bold: bool = False
    mono: bool = False
    margins: dict[int, tuple[float, float]] = field(default_factory=dict)
    leadings: dict[float, float] = field(default_factory=dict)


def measure(pages: Sequence[Page]) -> Style:
    """Measure a book. With no text at all the body size is 0."""
    # Where code outweighs prose the typewriter face would be taken for the body.
    sizes, mono = _sizes(pages, mono=False), _sizes(pages, mono=True)
    style = Style(body=0.0)
    if sum(mono.values()) > 20 * sum(sizes.values()):
        sizes, style.mono = mono, True
    if not sizes:
        return style
    style.body = max(sizes, key=lambda size: (sizes[size], size))
    low, high, face = style.body - BODY_TOLERANCE, style.body + BODY_TOLERANCE, style.mono
    bodies = [[line for line in page.lines if low <= line.size <= high and line.mono == face] for page in pages]
    bold = sum(len(line.text) for lines in bodies for line in lines if line.bold)
    style.bold = 2 * bold > sum(len(line.text) for lines in bodies for line in lines)
    _measure_leadings(pages, style)
    _measure_margins(bodies, style)
    _measure_indent(bodies, style)
    return style


def _sizes(pages: Sequence[Page], *, mono: bool) -> Counter[float]:
    """Characters by size, in quarters of a point."""
    exact: dict[float, int] = {}
    for page in pages:
        for line in page.lines:
            if line.mono == mono:
                exact[line.size] = exact.get(line.size, 0) + len(line.text)
    sizes: Counter[float] = Counter()
    for size, count in exact.items():
        sizes[max(round(size * 4), 1) / 4] += count
    return sizes


def is_body(line: Line, style: Style) -> bool:
    """Whether a line is set in the body size (and in the body's kind of face)."""
    return abs(line.size - style.body) <= BODY_TOLERANCE and line.mono == style.mono


def mode(values: Iterable[float], step: float = 1.0) -> float | None:
    """The commonest value, values within one `step` of it counted together; the smallest of equals."""
    counts = Counter(round(value / step) for value in values)
    if not counts:
        return None
    best = max(counts, key=lambda key: (counts[key] + counts.get(key + 1, 0), -key))
    near = counts[best + 1] > counts[best] if best + 1 in counts else False
    return (best + 1 if near else best) * step


def _measure_leadings(pages: Sequence[Page], style: Style) -> None:
    gaps: dict[float, Counter[float]] = defaultdict(Counter)
    for page in pages:
        for above, below in pairwise(page.lines):
            gap = below.base - above.base
            size = round(below.size * 2) / 2
            if abs(above.size - below.size) < 0.2 and 0.9 * size < gap < 3 * size:
                gaps[size][round(gap * 4) / 4] += 1
    for size, counts in gaps.items():
        if counts.total() >= _LEADING_PAIRS:
            style.leadings[size] = max(counts, key=lambda gap: (counts[gap], -gap))
    style.leading = style.leadings.get(round(style.body * 2) / 2, 1.2 * style.body)


def _measure_margins(bodies: Sequence[Sequence[Line]], style: Style) -> None:
    at_edge = total = 0
    for parity in (0, 1):
        lines = [line for number, body in enumerate(bodies, 1) if number % 2 == parity for line in body]
        left = mode(line.x0 for line in lines)
        if left is None:
            continue
        own = [line for line in lines if -_EDGE < line.x0 - left < _INDENT_EMS[1] * style.body]
        right = mode(line.x1 for line in own if line.x1 > left + 8 * style.body)
        if right is None:
            right = max(line.x1 for line in own)
        ends = sum(abs(line.x1 - right) <= _EDGE for line in own)
        if ends < _JUSTIFIED_SHARE * len(own):
            widest = sorted(line.x1 for line in own)
            right = widest[int(0.98 * (len(widest) - 1))]
        at_edge, total = at_edge + ends, total + len(own)
        style.margins[parity] = (left, right)
    style.justified = total > 0 and at_edge >= _JUSTIFIED_SHARE * total
    for parity in (0, 1):
        if parity not in style.margins and 1 - parity in style.margins:
            style.margins[parity] = style.margins[1 - parity]


def _measure_indent(bodies: Sequence[Sequence[Line]], style: Style) -> None:
    indents: Counter[float] = Counter()
    low, high = (ems * style.body for ems in _INDENT_EMS)
    for lines in bodies:
        for (above, line), (_, below) in pairwise(pairwise(lines)):
            # A first line stands in by the indent: the line before it does not, and the next goes back to the margin.
            if (
                low < line.x0 - below.x0 < high
                and 0 < below.base - line.base < 1.5 * style.leading
                and (line.x0 - above.x0 > low or not 0 < line.base - above.base < 1.5 * style.leading)
            ):
                indents[round((line.x0 - below.x0) * 2) / 2] += 1
    if indents:
        best = max(indents, key=lambda indent: (indents[indent], -indent))
        if indents[best] >= max(3, 0.005 * sum(map(len, bodies))):
            style.indent = best
