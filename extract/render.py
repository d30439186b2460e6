"""From a `Book` to what the next stages read: markdown blocks with their marks, and the ledger of what was dropped."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict
from pathlib import Path

from bookblend import ledger, sidecar
from bookblend.extract.model import CODE, HEADING, TABLE, VERSE, Block, Book, ExtractOptions
from bookblend.manuscript import Manuscript, Mark
from bookblend.markdown import MarkdownBlock, normal

# What read the file, for the sidecar's list of tools.
_LIBRARY = {"pdf": "pymupdf", "epub": "lxml"}
_BY_LINE = frozenset({VERSE, TABLE, CODE})


def manuscript(book: Book) -> Manuscript:
    """The book's blocks as markdown blocks: headings by tier, verse, tables and code by line, any other on one line.

    A block of which nothing writable is left (only NULs, say) is left out.
    """
    pairs = zip(map(_markdown, book.blocks), _marks(book.blocks), strict=True)
    kept = [(block, mark) for block, mark in pairs if block]
    return Manuscript(tuple(block for block, _ in kept), tuple(mark for _, mark in kept))


def dropped(book: Book) -> list[ledger.Entry]:
    """The extractor's ledger entries, in its order."""
    return [ledger.Entry("extract", entry.rule, entry.place, entry.text) for entry in book.dropped]


def _markdown(block: Block) -> MarkdownBlock | None:
    text = block.text if block.kind in _BY_LINE else block.text.replace("\n", " ")
    return normal(block.level if block.kind is HEADING else 0, text, code=block.kind is CODE)


def _marks(blocks: Iterable[Block]) -> Iterator[Mark]:
    """The marks of blocks; one for all that follow each other at one place and of one matter."""
    last: Block | None = None
    mark = Mark()
    for block in blocks:
        alike = last is not None and block.place is last.place and block.matter == last.matter
        if last is None or not alike or block.evidence != last.evidence:
            last, mark = block, _mark(block)
        yield mark


def _mark(block: Block) -> Mark:
    place = block.place
    return Mark(
        page=place.page,
        end_page=max(place.page, place.end_page),
        item=place.item,
        matter=block.matter,
        evidence=block.evidence,
    )


def provenance(
    book: Book, source: Path, options: ExtractOptions, blocks: Manuscript, made: Mapping[str, str]
) -> sidecar.Provenance:
    """The sidecar after extraction; `made` holds the products' texts by file name. A password is never written."""
    known = {"title": book.title, "author": book.author, "language": book.language}
    return sidecar.Provenance(
        tools=sidecar.tool_versions(_LIBRARY[book.format]),
        source=sidecar.describe_source(source, book.format),
        book={key: value for key, value in known.items() if value},
        options={"extract": {**asdict(options), "password": options.password is not None}},
        evidence=book.evidence,
        warnings=book.warnings,
        dropped=ledger.tally(dropped(book)),
        products={name: sidecar.sha256_text(text) for name, text in made.items()},
        marks=blocks.marks,
    )
