"""What `books inspect` shows: every heading with all that helps to choose anchors, a pattern and a count."""

from collections.abc import Sequence

from bookblend.build.builder import BuildOptions, build
from bookblend.build.headings import plain
from bookblend.build.report import columns
from bookblend.ledger import Entry, tally
from bookblend.manuscript import Manuscript
from bookblend.sidecar import Provenance


def overview(book: Manuscript, known: Provenance, dropped: Sequence[Entry]) -> str:
    """A summary, one line a heading (tier, place, words up to the next heading, text, evidence, matter), and what
    the extractor left out."""
    parts = [_summary(book, known), _headings(book), _closing(book)]
    counts = [("dropped by", "rule", "pieces")]
    counts += [(stage, rule, f"{n:,}") for stage, rules in tally(dropped).items() for rule, n in rules.items()]
    if len(counts) > 1:
        parts.append("\n".join(columns(counts, right=(2,))))
    return "\n\n".join(part for part in parts if part)


def _summary(book: Manuscript, known: Provenance) -> str:
    words = sum(len(block.text.split()) for block in book.blocks)
    lines = [f"{known.source['name']}: {known.source['format']}, {len(book.blocks):,} blocks, {words:,} words"]
    lines += [f"{key}: {value}" for key, value in known.book.items()]
    return "\n".join(lines)


def _headings(book: Manuscript) -> str:
    ordinals = [i for i, block in enumerate(book.blocks) if block.level]
    if not ordinals:
        return "no headings: the whole text is one record"
    rows = [("tier", "place", "words", "heading", "evidence", "matter")]
    for ordinal, following in zip(ordinals, [*ordinals[1:], len(book.blocks)], strict=True):
        block, mark = book.blocks[ordinal], book.marks[ordinal]
        words = sum(len(book.blocks[i].text.split()) for i in range(ordinal + 1, following))
        tier = "#" if block.level == 1 else "##"
        rows.append((tier, book.place(ordinal), f"{words:,}", plain(block.text), mark.evidence, mark.matter))
    used = [i for i in range(len(rows[0])) if any(row[i] for row in rows[1:])]
    return "\n".join(columns([[row[i] for i in used] for row in rows], right=(2,)))


def _closing(book: Manuscript) -> str:
    """How many records there would be without a word from the user."""
    built = build(book, "book", BuildOptions())
    left_out = f", {len(built.dropped):,} blocks of inferred front and back matter left out" if built.dropped else ""
    return f"without --start, --end and --pattern: {len(built.records)} records{left_out}"
