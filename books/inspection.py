"""What `books inspect` shows: a book's headings with all that helps to choose anchors, a pattern and a count."""

from collections.abc import Sequence

from bookblend.build.builder import BuildOptions, build
from bookblend.build.headings import plain
from bookblend.build.report import columns
from bookblend.ledger import Entry, tally
from bookblend.manuscript import Manuscript
from bookblend.sidecar import Provenance
from bookblend.talk import counted, shortened

# Characters of a heading on a terminal: the columns behind it tell more than the end of a long one.
_HEADING_WIDTH = 48


def overview(book: Manuscript, known: Provenance, dropped: Sequence[Entry], *, every: bool, width: int = 0) -> str:
    """A summary, one line a heading (tier, place, words, text, evidence, matter), and what the extractor left out.

    every  all headings; else those of the chapter tier, where there is one
    width  of the terminal in characters, 0 for no limit
    """
    parts = [_summary(book, known), _headings(book, every, width), _closing(book)]
    counts = [("dropped by", "rule", "pieces")]
    counts += [(stage, rule, f"{n:,}") for stage, rules in tally(dropped).items() for rule, n in rules.items()]
    if len(counts) > 1:
        parts.append("\n".join(columns(counts, right=(2,))))
    return "\n\n".join(part for part in parts if part)


def _summary(book: Manuscript, known: Provenance) -> str:
    blocks = counted(len(book.blocks), "block")
    words = counted(sum(len(block.text.split()) for block in book.blocks), "word")
    lines = [f"{known.source['name']}: {known.source['format']}, {blocks}, {words}"]
    lines += [f"{key}: {value}" for key, value in known.book.items()]
    return "\n".join(lines)


def _headings(book: Manuscript, every: bool, width: int) -> str:
    ordinals = [i for i, block in enumerate(book.blocks) if block.level]
    if not ordinals:
        return "no headings: the whole text is one record"
    chapters = [i for i in ordinals if book.blocks[i].level == 1]
    listed = ordinals if every or not chapters else chapters
    rows = [("tier", "place", "words", "heading", "evidence", "matter")]
    for ordinal in listed:
        block, mark = book.blocks[ordinal], book.marks[ordinal]
        text = shortened(plain(block.text), _HEADING_WIDTH) if width else plain(block.text)
        words = f"{_words_under(book, ordinal):,}"
        rows.append(("#" * block.level, book.place(ordinal), words, text, mark.evidence, mark.matter))
    used = [i for i in range(len(rows[0])) if any(row[i] for row in rows[1:])]
    lines = columns([[row[i] for i in used] for row in rows], right=(used.index(2),))
    if len(listed) < len(ordinals):
        others = len(ordinals) - len(listed)
        lines += [
            "",
            f"and {counted(others, 'heading')} of the second tier; --all lists {'it' if others == 1 else 'them'}",
        ]
    return "\n".join(shortened(line, width) if width else line for line in lines)


def _words_under(book: Manuscript, ordinal: int) -> int:
    """The words up to the next heading of the same tier or a higher one, headings of lower tiers among them."""
    level = book.blocks[ordinal].level
    words = 0
    for i in range(ordinal + 1, len(book.blocks)):
        block = book.blocks[i]
        if 0 < block.level <= level:
            break
        words += len(block.text.split())
    return words


def _closing(book: Manuscript) -> str:
    """How many records there would be without a word from the user."""
    built = build(book, "book", BuildOptions())
    matter = counted(len(built.dropped), "block")
    left_out = f", {matter} of inferred front and back matter left out" if built.dropped else ""
    return f"without --start, --end and --pattern: {counted(len(built.records), 'record')}{left_out}"
