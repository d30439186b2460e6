"""Plain tables for people: columns as wide as their cells, numbers to the right."""

from collections.abc import Sequence


def lines(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """The table's lines, the first `left` columns set to the left and all others to the right."""
    table = [list(header), *(list(row) for row in rows)]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    return [
        "  ".join(
            cell.ljust(width) if column < left else cell.rjust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in table
    ]


def markdown(header: Sequence[str], rows: Sequence[Sequence[str]], left: int = 1) -> list[str]:
    """The same as a markdown table."""
    rule = ["---" if column < left else "---:" for column in range(len(header))]
    return [f"| {' | '.join(_cell(cell) for cell in row)} |" for row in (header, rule, *rows)]


def _cell(text: str) -> str:
    """A cell's text where neither bars nor tags mean anything."""
    return " ".join(text.split()).replace("|", "\\|").replace("<", "&lt;")
