"""Tables: rows and cells of data tables; tables that only arrange text on the page are none."""

from typing import Any

from bookblend.extract.epub_elements import tag_of

# Between the cells of a row.
COLUMN = "\t"
# Characters. A cell with more text than this in several blocks is a column of prose, and its table only arranges it.
_CELL_PROSE = 400
_BLOCKS = frozenset({"p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "section"})


def rows_of(table: Any) -> list[list[Any]] | None:
    """The cells of each row, or None for a table that is layout: of one column, nested, or with prose in a cell."""
    rows = []
    for node in table.iter():
        tag = tag_of(node)
        if tag == "table" and node is not table:
            return None
        if tag == "tr":
            rows.append([cell for cell in node if tag_of(cell) in ("td", "th")])
    if max(map(len, rows), default=0) < 2:
        return None
    if any(_is_prose(cell) for row in rows for cell in row):
        return None
    return rows


def _is_prose(cell: Any) -> bool:
    if sum(tag_of(node) in _BLOCKS for node in cell) < 2:
        return False
    return sum(len(text) for text in cell.itertext()) > _CELL_PROSE
