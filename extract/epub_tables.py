"""Tables: rows and cells of data tables; tables that only arrange text on the page are none."""

from typing import Any

from bookblend.extract.epub_code import has_lines, is_line_numbers
from bookblend.extract.epub_elements import kind_of, tag_of
from bookblend.extract.epub_vocabulary import Role

# Between the cells of a row.
COLUMN = "\t"
# Characters. A cell with more text than this in several blocks is a column of prose, and its table only arranges it.
_CELL_PROSE = 400
_BLOCKS = frozenset({"p", "div", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "blockquote", "section"})


def rows_of(table: Any) -> list[list[Any]] | None:
    """The cells of each row, or None for a table that is layout: of one column, nested, with prose or
    lines of code in a cell. A column of line numbers is none."""
    rows, preformatted = [], []
    for node in table.iter():
        role, tag = kind_of(node)
        if tag == "table" and node is not table:
            return None
        if tag == "tr":
            rows.append([cell for cell in node if tag_of(cell) in ("td", "th") and not is_line_numbers(cell)])
        elif role is Role.PREFORMATTED:
            preformatted.append(node)
    if max(map(len, rows), default=0) < 2:
        return None
    if any(_is_prose(cell) for row in rows for cell in row) or any(map(has_lines, preformatted)):
        return None
    return rows


def _is_prose(cell: Any) -> bool:
    if sum(tag_of(node) in _BLOCKS for node in cell) < 2:
        return False
    return sum(len(text) for text in cell.itertext()) > _CELL_PROSE
