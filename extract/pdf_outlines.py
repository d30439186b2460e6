"""Text that is drawn twice: its letters as paths, which show, and under them see-through text that can be searched.

Browsers' engines print so what they cannot embed as it is (effects, some web fonts); such text is the page's own.
"""

from functools import lru_cache
from typing import Any

# The outline of a letter has at least so many pieces (an "I" has four sides; blanks and dots have fewer).
_PIECES = 3
# Paths belong to a text if they stand in its box, give or take this share of its size.
_SLACK = 0.25

# (x0, y0, x1, y1, pieces) of a filled path.
_Path = tuple[float, float, float, float, int]


def is_outlined(page: Any, span: dict[str, Any]) -> bool:
    """Whether the letters of a see-through span of a PyMuPDF page are drawn as paths in its place.

    A frame, an underline or a picture there has too few pieces, or is larger than the text.
    """
    x0, y0, x1, y1 = span["bbox"]
    slack = _SLACK * span["size"]
    pieces = sum(
        count
        for left, top, right, bottom, count in _paths(page)
        if left >= x0 - slack and right <= x1 + slack and top >= y0 - slack and bottom <= y1 + slack
    )
    return pieces >= _PIECES * sum(map(str.isalnum, span["text"])) > 0


@lru_cache(maxsize=1)
def _paths(page: Any) -> list[_Path]:
    """The filled paths of a page; asked for each of its see-through spans in a row, so the last answer is kept."""
    return [(*drawing["rect"], len(drawing["items"])) for drawing in page.get_cdrawings() if "f" in drawing["type"]]
