"""What tests of the PDF extractor share: invented prose, reading a made PDF, and looking at the book that comes out."""

import random
import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from pdf_fixtures import ROWS, Lines, Page, Para, flow, heading, make_pdf

from bookblend.extract.model import Book, ExtractOptions
from bookblend.extract.pdf import extract_pdf

_WORD = re.compile(r"\w+(?:[-’']\w+)*")
_NOUNS, _VERBS, _ADJECTIVES, _TAILS = (
    [word.strip() for word in words.split("," if "," in words else " ") if word.strip()]
    for words in (
        "ferry warden orchard kettle ladder miller harbour lantern cousin ditch engine garden winter letter bridge "
        "market shepherd station window barrel chapel doctor island meadow painter river sailor thunder village wagon",
        "carried followed painted counted mended watched answered borrowed covered gathered lifted measured opened "
        "pulled remembered sheltered travelled visited wandered whistled",
        "broken quiet narrow heavy early yellow distant gentle patient crooked silver hollow northern",
        "before the rain came, while nobody was looking, and said so at supper, after the long frost, without another "
        "word, as people did in those years, because the road was closed, until the bell had stopped",
    )
)


@cache
def prose(words: int, seed: int = 0) -> str:
    """About so many words (never fewer) in sentences; another seed gives another text."""
    chance = random.Random(seed)
    sentences: list[str] = []
    count = 0
    while count < words:
        sentence = (
            f"The {chance.choice(_ADJECTIVES)} {chance.choice(_NOUNS)} {chance.choice(_VERBS)} "
            f"the {chance.choice(_NOUNS)} {chance.choice(_TAILS)}."
        )
        sentences.append(sentence)
        count += len(sentence.split())
    return " ".join(sentences)


def paragraphs(count: int, words: int = 40, seed: int = 0) -> list[Para]:
    """Indented, justified paragraphs of invented prose."""
    return [Para(prose(words, 1000 * seed + number), justify=True) for number in range(count)]


def leaves(count: int, seed: int = 0, rows: int = ROWS) -> tuple[list[Page], str]:
    """That many full pages of prose, paragraphs running over their ends, and the whole text."""
    body = paragraphs(count * rows // 5 + 2, seed=seed + 500)
    pages = flow(body, rows)[:count]
    return [Page(page) for page in pages], " ".join(" ".join(line.lines) for page in pages for line in page)


def chapters(titles: Sequence[str], size: float = 18.0, words: int = 280, seed: int = 1) -> list[Page]:
    """Chapters of two pages or so, each under its title on a new page."""
    blocks: list[Para | Lines | None] = []
    for number, title in enumerate(titles):
        if number:
            blocks.append(None)
        blocks.append(heading(title, size=size))
        body = paragraphs(words // 40, seed=seed + number)
        blocks += [Para(body[0].text, before=14, justify=True), *body[1:]]
    return [Page(page) for page in flow(blocks)]


def read_bytes(folder: Path, data: bytes, **options: Any) -> Book:
    """The book that the extractor makes of a PDF's bytes; `options` are those of `ExtractOptions`."""
    path = folder / "book.pdf"
    path.write_bytes(data)
    return extract_pdf(path, ExtractOptions(**options))


def read(folder: Path, pages: Sequence[Page], toc: Sequence[tuple[int, str, int]] = (), **options: Any) -> Book:
    """The book that the extractor makes of these pages."""
    return read_bytes(folder, make_pdf(pages, toc), **options)


def texts(book: Book) -> list[str]:
    """The texts of all blocks that are no headings."""
    return [block.text for block in book.blocks if not block.level]


def text(book: Book) -> str:
    """The book's whole text, headings too, a block a line."""
    return "\n".join(block.text for block in book.blocks)


def headings(book: Book) -> list[tuple[int, str]]:
    """(tier, text) of every heading."""
    return [(block.level, block.text) for block in book.blocks if block.level]


def titles(book: Book) -> list[str]:
    """The headings of the chapter tier."""
    return [text for level, text in headings(book) if level == 1]


def ledger(book: Book) -> dict[str, list[str]]:
    """What was dropped, by rule."""
    found: dict[str, list[str]] = defaultdict(list)
    for entry in book.dropped:
        found[entry.rule].append(entry.text)
    return dict(found)


def words(text: str) -> list[str]:
    """The words of a text, in order."""
    return _WORD.findall(text)


def words_of(blocks: Sequence[Para | Lines | None]) -> list[str]:
    """The words of what was put on pages, in order."""
    parts = (block.text if isinstance(block, Para) else " ".join(block.lines) for block in blocks if block)
    return words(" ".join(parts))
