"""A book between the stages: its markdown blocks, and beside each what markdown cannot say about it.

In one process the marks travel in memory; between stages run one by one they travel in the sidecar (`sidecar.py`).
Markdown from elsewhere has no marks but the line each block begins on.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Self

from bookblend.markdown import MarkdownBlock, normal, parse_lines, render


@dataclass(frozen=True, slots=True)
class Mark:
    """Where a block came from and what was recognised about it.

    page, end_page  PDF pages, counted from 1; 0 where there are none
    item            an EPUB's spine document
    line            the line of a markdown file that came without a sidecar; 0 otherwise
    matter          "" for the body, else the kind of front or back matter (see `extract.model.Block.matter`)
    evidence        what named a heading
    """

    page: int = 0
    end_page: int = 0
    item: str = ""
    line: int = 0
    matter: str = ""
    evidence: str = ""

    def __str__(self) -> str:
        if self.page:
            return f"page {self.page}"
        return self.item or (f"line {self.line}" if self.line else "")


@dataclass(frozen=True, slots=True)
class Manuscript:
    """Blocks in reading order and as many marks. Raises `ValueError` where the two differ in number."""

    blocks: tuple[MarkdownBlock, ...]
    marks: tuple[Mark, ...]

    def __post_init__(self) -> None:
        if len(self.blocks) != len(self.marks):
            raise ValueError(f"{len(self.blocks)} blocks, but {len(self.marks)} marks")

    def pick(self, ordinals: Iterable[int]) -> Self:
        """The blocks with these ordinals, in the order given."""
        chosen = tuple(ordinals)
        return replace(self, blocks=tuple(self.blocks[i] for i in chosen), marks=tuple(self.marks[i] for i in chosen))

    def rewritten(self, blocks: Sequence[MarkdownBlock], origins: Sequence[int]) -> Self:
        """Other blocks under the marks of the blocks they came from; blocks without a word left are left out."""
        pairs = ((normal(b.level, b.text, code=b.code), self.marks[i]) for b, i in zip(blocks, origins, strict=True))
        kept = [(block, mark) for block, mark in pairs if block]
        return replace(self, blocks=tuple(b for b, _ in kept), marks=tuple(m for _, m in kept))

    def place(self, ordinal: int) -> str:
        """Where a block stands, in words: "page 12", a spine item, "line 40", or at least "block 7"."""
        return str(self.marks[ordinal]) or f"block {ordinal + 1}"

    def markdown(self) -> str:
        """The text of its `.md` file."""
        return render(self.blocks)


def from_markdown(text: str) -> Manuscript:
    """Markdown by anybody, its blocks marked with their lines."""
    numbered = [(line, clean) for line, b in parse_lines(text) if (clean := normal(b.level, b.text, code=b.code))]
    return Manuscript(tuple(block for _, block in numbered), tuple(Mark(line=line) for line, _ in numbered))
