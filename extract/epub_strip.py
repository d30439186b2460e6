"""Texts that are in a book's files but are no text of the book: running titles, what distributors put around it."""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import islice

from bookblend.extract import labels
from bookblend.extract.epub_blocks import Document, Piece
from bookblend.extract.epub_places import alive, fold
from bookblend.extract.model import HEADING

# A heading that opens this many documents, and this share of them, is a running title; where it is the book's own
# title, two are enough.
_FEWEST_REPEATS = 3
_REPEAT_SHARE = 0.5
_FEWEST_TITLES = 2

_START = re.compile(r"\*{3} ?START OF (?:THE|THIS) PROJECT GUTENBERG E(?:BOOK|TEXT)", re.IGNORECASE)
_END = re.compile(
    r"\*{3} ?END OF (?:THE|THIS) PROJECT GUTENBERG E(?:BOOK|TEXT)|End of (?:the |this )?Project Gutenberg['’]?s? ",
    re.IGNORECASE,
)
# Words. What stands before the start marker of a Gutenberg file; real ones measured 60 to 400.
_LONGEST_HEADER = 1500
# (Asked of few books: a pattern that long is compiled where it is needed.)
_WAYS_BACK = (
    r"\W*(?:(?:back|return|go)(?: up)? to (?:the )?(?:table of contents|contents|toc|top|index)|table of contents|"
    r"contents|toc|top|next|previous|prev|home|back|up|inhalt|zum inhaltsverzeichnis|nach oben|zurück|weiter|"
    r"table des matières|retour|sommaire|índice|volver|arriba)(?:\W+(?:next|previous|prev|home|contents|top|up))*\W*$"
)


def strip(documents: Sequence[Document], title: str) -> None:
    """Give rules to pieces that are no text of the book. `title` is the book's."""
    _running_titles(documents, fold(title))
    _gutenberg(documents)
    for document in documents:
        for piece in document.pieces:
            if piece.linked and not piece.rule and piece.kind is not HEADING and _is_way_back(piece):
                piece.rule = "navigation"


def _is_way_back(piece: Piece) -> bool:
    return (
        piece.linked * 4 >= len(piece.text) * 3
        and len(piece.text) < 60
        and bool(re.match(_WAYS_BACK, piece.text, re.IGNORECASE))
    )


def _running_titles(documents: Sequence[Document], title: str) -> None:
    opening: dict[int, list[Piece]] = {}
    for document in documents:
        first = list(islice(alive(document, 0), 2))
        # A running title stands first and is followed by the document's own text or heading.
        if len(first) > 1 and first[0][1].kind is HEADING:
            opening[document.number] = [p for p in document.pieces if p.kind is HEADING and not p.rule]
    texts = Counter(fold(headings[0].text) for headings in opening.values())
    for text, count in texts.items():
        own = text == title and count >= _FEWEST_TITLES
        many = count >= _FEWEST_REPEATS and count >= _REPEAT_SHARE * len(documents)
        if not text or labels.is_label(text) or not (own or many):
            continue
        for headings in opening.values():
            if fold(headings[0].text) == text and (own or len(headings) > 1):
                headings[0].rule = "running-title"


def _gutenberg(documents: Sequence[Document]) -> None:
    """The header and licence of Project Gutenberg files that do not mark them up: by their own separator lines."""
    pieces = [piece for document in documents for piece in document.pieces if not piece.rule]
    words = 0
    for number, piece in enumerate(pieces):
        if words > _LONGEST_HEADER:
            break
        if _START.search(piece.text):
            for before in pieces[: number + 1]:
                before.rule = "gutenberg-boilerplate"
            break
        words += piece.words
    else:
        return
    if words > _LONGEST_HEADER:
        return
    end = next((n for n in range(len(pieces) - 1, -1, -1) if not pieces[n].rule and _END.search(pieces[n].text)), None)
    first = end
    while end is not None and end >= 0 and not pieces[end].rule and _END.search(pieces[end].text):
        first, end = end, end - 1
    for piece in pieces[first:] if first is not None else ():
        piece.rule = piece.rule or "gutenberg-boilerplate"
