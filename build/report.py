"""The table a build ends with: the records, what the slice left out, and what was dropped by which rule."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from bookblend.build.records import Record
from bookblend.ledger import STAGES, Entry
from bookblend.talk import counted, shortened

# Longest title shown; the whole one is in the sidecar.
_TITLE_WIDTH = 60


def table(records: Sequence[Record], dropped: Iterable[Entry], outside: Mapping[str, Mapping[str, int]]) -> str:
    """Lines for a terminal, without colours or clocks."""
    rows = [
        (str(r.number), shortened(r.title or r.heading or "(no heading)", _TITLE_WIDTH), f"{r.words:,}", pages(r))
        for r in records
    ]
    total = ("", counted(len(records), "record"), f"{sum(r.words for r in records):,}", "")
    shown = 4 if any(row[3] for row in rows) else 3  # only a PDF has pages
    cells = [row[:shown] for row in (("no", "title", "words", "pages"), *rows, total)]
    parts = ["\n".join(columns(cells, right=(0, 2)))]
    sides = [
        f"{side} the body: {counted(n['words'], 'word')} in {counted(n['blocks'], 'block')}"
        for side, n in outside.items()
        if n["blocks"]
    ]
    if sides:
        parts.append("\n".join(sides))
    counts = Counter((entry.stage, entry.rule) for entry in dropped)
    if counts:
        order = sorted(counts, key=lambda key: (STAGES.index(key[0]), key[1]))
        lines = [("dropped by", "rule", "pieces"), *((s, rule, f"{counts[s, rule]:,}") for s, rule in order)]
        parts.append("\n".join(columns(lines, right=(2,))))
    return "\n\n".join(parts)


def pages(record: Record) -> str:
    """A record's pages as people write them: "12–30", "12", or "" where there are none."""
    if not record.first_page:
        return ""
    return f"{record.first_page}–{record.last_page}" if record.last_page > record.first_page else str(record.first_page)


def columns(rows: Sequence[Sequence[str]], right: Sequence[int]) -> list[str]:
    """Rows of cells as lines, columns aligned; `right` names the columns of numbers."""
    widths = [max(len(row[i]) for row in rows) for i in range(len(rows[0]))]
    lines = []
    for row in rows:
        cells = (cell.rjust(widths[i]) if i in right else cell.ljust(widths[i]) for i, cell in enumerate(row))
        lines.append("  ".join(cells).rstrip())
    return lines
