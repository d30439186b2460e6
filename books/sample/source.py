"""Read the sample book's source: `source/book.toml` and the numbered text files beside it.

A text file is one section. It opens with `key: value` lines (kind, title; number and short where they apply) and
a blank line; then come blocks parted by blank lines:

    Plain lines             a paragraph          > Plain lines           a paragraph of a quotation
    ## A line               a heading within     - Plain lines           an item of a list
    ***                     a break              | Line by line          verse; a bare "|" parts two stanzas

Within a block `_these words_` are emphasised and `^[this]` is a footnote. The index is a section whose lines are
`entry = term; term`: every block of the text that holds one of the terms gets a mark, so that the page numbers
(PDF) and the links (EPUB) of the index are found, not typed.
"""

import re
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from bookblend.errors import InputError

SOURCE = Path(__file__).parent / "source"

BlockKind = Literal["p", "heading", "quote", "verse", "item", "break"]

# Sections that are read from start to end: they have chapters' openings, take index marks and become records.
READ_THROUGH = ("preface", "chapter", "afterword")
# Sections that a record is made of: all of the above and the part pages. The rest is front and back matter.
RECORDED = (*READ_THROUGH, "part")

_SIGNS: dict[str, BlockKind] = {"## ": "heading", "> ": "quote", "|": "verse", "- ": "item"}
_INLINE = re.compile(r"\^\[(?P<note>[^\]]*)\]|_(?P<emphasis>[^_]+)_")


@dataclass(frozen=True, slots=True)
class Run:
    """Words in one style. Verse keeps its line ends as "\\n", an empty line between two stanzas."""

    text: str
    emphasis: bool = False


@dataclass(frozen=True, slots=True)
class Note:
    """A footnote, standing where its mark stands."""

    runs: tuple[Run, ...]


@dataclass(frozen=True, slots=True)
class Mark:
    """A place that the index points to; `entry` is the index's line."""

    entry: str


Inline = Run | Note | Mark


@dataclass(frozen=True, slots=True)
class SourceBlock:
    """One block of a section; a "break" has no inlines."""

    kind: BlockKind
    inlines: tuple[Inline, ...] = ()

    @property
    def text(self) -> str:
        """The words alone: no footnotes, no styles."""
        return "".join(piece.text for piece in self.inlines if isinstance(piece, Run))


@dataclass(frozen=True, slots=True)
class Section:
    """One section; `name` is its file's name without number and ending, `number` is "" where it has none."""

    name: str
    kind: str
    title: str
    number: str = ""
    short: str = ""
    blocks: tuple[SourceBlock, ...] = ()

    @property
    def heading(self) -> list[str]:
        """The heading as printed, one string a line of display."""
        return [line for line in (self.number, self.title) if line]


@dataclass(frozen=True, slots=True, kw_only=True)
class SampleBook:
    """The whole book; `index` holds (entry, terms) in printed order."""

    title: str
    subtitle: str
    author: str
    publisher: str
    language: str
    identifier: str
    licence: str
    date: str
    typst: str
    sections: tuple[Section, ...]
    index: tuple[tuple[str, tuple[str, ...]], ...]


def read_source(folder: Path = SOURCE) -> SampleBook:
    """Read the book. Raises `InputError` for a section that does not have the form described above."""
    meta = tomllib.loads((folder / "book.toml").read_text(encoding="utf-8"))
    files = sorted(folder.glob("*.txt"))
    sections = [_read_section(path.stem, path.read_text(encoding="utf-8")) for path in files]
    index = tuple(_index_entries(next(section for section in sections if section.kind == "index")))
    return SampleBook(**meta, sections=tuple(_with_marks(section, index) for section in sections), index=index)


def _read_section(stem: str, text: str) -> Section:
    head, _, body = text.partition("\n\n")
    fields: dict[str, str] = {}
    for line in head.splitlines():
        key, colon, value = line.partition(": ")
        if not colon or key not in ("kind", "title", "number", "short"):
            raise InputError(f"{stem}: '{line}' is no field of a section; expected kind, title, number or short")
        fields[key] = value.strip()
    blocks = tuple(_read_block(part) for part in body.strip().split("\n\n") if part.strip())
    return Section(name=stem.partition("-")[2], blocks=blocks, **fields)


def _read_block(part: str) -> SourceBlock:
    if part.strip() == "***":
        return SourceBlock("break")
    sign = next((sign for sign in _SIGNS if part.startswith(sign)), "")
    kind = _SIGNS.get(sign, "p")
    lines = [line.removeprefix(sign.strip()).strip() for line in part.splitlines()]
    # The index keeps its lines, like verse: each is an entry.
    joined = "\n".join(lines) if kind == "verse" or all(" = " in line for line in lines) else " ".join(lines)
    return SourceBlock(kind, tuple(_inlines(joined)))


def _inlines(text: str) -> Iterator[Inline]:
    at = 0
    for found in _INLINE.finditer(text):
        if found.start() > at:
            yield Run(text[at : found.start()])
        if found["note"] is not None:
            yield Note(tuple(piece for piece in _inlines(found["note"]) if isinstance(piece, Run)))
        else:
            yield Run(found["emphasis"], emphasis=True)
        at = found.end()
    if at < len(text):
        yield Run(text[at:])


def _index_entries(section: Section) -> Iterator[tuple[str, tuple[str, ...]]]:
    for block in section.blocks:
        for line in block.text.splitlines():
            entry, _, terms = line.partition(" = ")
            yield entry, tuple(term.strip() for term in terms.split(";"))


def _with_marks(section: Section, index: tuple[tuple[str, tuple[str, ...]], ...]) -> Section:
    if section.kind not in READ_THROUGH:
        return section
    blocks = []
    for block in section.blocks:
        entries = [entry for entry, terms in index if _holds(block.text, terms)] if block.kind in ("p", "item") else []
        for entry in entries:
            block = _mark(block, entry, next(terms for name, terms in index if name == entry))
        blocks.append(block)
    if blocks:
        # The opening lines are set word by word around a drop cap: their marks stand before the first word.
        first = blocks[0]
        marks = [piece for piece in first.inlines if isinstance(piece, Mark)]
        blocks[0] = SourceBlock(first.kind, (*marks, *_joined(p for p in first.inlines if not isinstance(p, Mark))))
    return replace(section, blocks=tuple(blocks))


def _pattern(terms: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, terms))})s?\b(?!-)")


def _holds(text: str, terms: tuple[str, ...]) -> bool:
    return bool(_pattern(terms).search(text))


def _mark(block: SourceBlock, entry: str, terms: tuple[str, ...]) -> SourceBlock:
    """Put a mark before the first of the terms; at the block's start where a change of style cuts the term."""
    pieces = list(block.inlines)
    for place, piece in enumerate(pieces):
        if isinstance(piece, Run) and (found := _pattern(terms).search(piece.text)):
            before, after = piece.text[: found.start()], piece.text[found.start() :]
            parts = [Run(before, piece.emphasis)] if before else []
            pieces[place : place + 1] = [*parts, Mark(entry), Run(after, piece.emphasis)]
            return SourceBlock(block.kind, tuple(pieces))
    return SourceBlock(block.kind, (Mark(entry), *pieces))


def _joined(pieces: Iterator[Inline]) -> Iterator[Inline]:
    """Runs of one style that stand side by side, as one."""
    held: Run | None = None
    for piece in pieces:
        if held and isinstance(piece, Run) and piece.emphasis == held.emphasis:
            held = Run(held.text + piece.text, held.emphasis)
            continue
        if held:
            yield held
        held = piece if isinstance(piece, Run) else None
        if not held:
            yield piece
    if held:
        yield held
