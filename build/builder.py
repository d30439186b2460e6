"""A build: from a manuscript and what the user said about the book to its raw text and records. No files here."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bookblend.build import matter
from bookblend.build.anchors import Slice, find_slice
from bookblend.build.records import Record, describe, jsonl, make_record, raw_text, verify_words
from bookblend.build.split import compile_pattern, split
from bookblend.errors import ExpectationError
from bookblend.ledger import Entry, tally
from bookblend.manuscript import Manuscript
from bookblend.sidecar import Provenance, sha256_text
from bookblend.talk import counted, shortened

# How many records an unmet --expect lists before it says how many more there are, and how much of each title: the error
# is one line, and that line must be read.
_LISTED = 30
_TITLE_WIDTH = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildOptions:
    """What the user says about the book.

    start, end  body slice: a heading, "" for the text's own start or end, None for no word on that side (the same,
                and inferred front or back matter is left out there)
    pattern     regular expression for headings that open records; None or "" for the chapter tier
    expect      how many records there must be; None for any number
    fields      what records carry beside their text, of `records.FIELDS`
    """

    start: str | None = None
    end: str | None = None
    pattern: str | None = None
    expect: int | None = None
    fields: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """The sidecar's form."""
        return {
            "start": self.start,
            "end": self.end,
            "pattern": self.pattern,
            "expect": self.expect,
            "fields": list(self.fields),
        }


@dataclass(frozen=True, slots=True)
class Built:
    """What a build made.

    text      the `.txt`
    lines     the `.jsonl`, verified against `text` word for word
    records   the records behind its lines
    dropped   ledger entries for inferred matter
    outside   what the slice left out: "before" and "after" → blocks, words
    warnings  what the user should be told
    """

    text: str
    lines: str
    records: tuple[Record, ...]
    dropped: tuple[Entry, ...]
    outside: Mapping[str, Mapping[str, int]]
    warnings: tuple[str, ...]


def build(book: Manuscript, name: str, options: BuildOptions) -> Built:
    """Slice, leave out inferred matter, split, and verify; `name` is the book's, for record ids.

    Raises `UsageError` (bad pattern), `ExpectationError` (anchors, pattern, number of records, nothing there) and
    `VerificationError` (records and raw text differ, which would be a bug).
    """
    pattern = compile_pattern(options.pattern) if options.pattern else None
    body, dropped, where = body_of(book, options.start, options.end)
    spans = split(body.blocks, pattern)
    records = tuple(make_record(body, span, number, name, pattern) for number, span in enumerate(spans, start=1))
    _check_count(records, options.expect)
    text = raw_text(body)
    lines = jsonl(records, options.fields)
    verify_words(lines, text)
    outside = {"before": _size(book, range(where.start)), "after": _size(book, range(where.end, len(book.blocks)))}
    return Built(text, lines, records, dropped, outside, _warnings(body, pattern))


def body_of(book: Manuscript, start: str | None, end: str | None) -> tuple[Manuscript, tuple[Entry, ...], Slice]:
    """The body between the anchors, without inferred matter; ledger entries for that; and the slice.

    Raises `ExpectationError` for anchors, and where nothing stands between them.
    """
    where = find_slice(book, start, end)
    kept = matter.without_matter(book.marks, where, free_start=start is None, free_end=end is None)
    if not kept:
        raise ExpectationError(f"nothing stands between --start '{start or ''}' and --end '{end or ''}'")
    staying = set(kept)
    dropped = tuple(
        Entry("build", matter.rule(book.marks, i, kept), book.place(i), book.blocks[i].text)
        for i in range(where.start, where.end)
        if i not in staying
    )
    return book.pick(kept), dropped, where


def provenance(
    known: Provenance, options: BuildOptions, built: Built, dropped: Sequence[Entry], made: Mapping[str, str]
) -> Provenance:
    """The sidecar after a build: `known` from the stages before, `dropped` the whole ledger, `made` the products' texts
    by file name."""
    return replace(
        known,
        options={**known.options, "build": options.as_json()},
        warnings=known.warnings + tuple(w for w in built.warnings if w not in known.warnings),
        dropped=tally(dropped),
        outside=built.outside,
        products={name: sha256_text(text) for name, text in made.items()},
        records=tuple(describe(record) for record in built.records),
    )


def _check_count(records: Sequence[Record], expect: int | None) -> None:
    if expect is None or len(records) == expect:
        return
    listed = "; ".join(
        f"{r.number} '{shortened(r.title or r.heading or '(no heading)', _TITLE_WIDTH)}' {counted(r.words, 'word')}"
        for r in records[:_LISTED]
    )
    more = f"; … and {len(records) - _LISTED} more" if len(records) > _LISTED else ""
    raise ExpectationError(f"--expect {expect}: found {counted(len(records), 'record')}: {listed}{more}")


def _warnings(body: Manuscript, pattern: re.Pattern[str] | None) -> tuple[str, ...]:
    """A body without chapter tier is one record: seldom what the user wants where it has other headings."""
    if pattern or any(block.level == 1 for block in body.blocks):
        return ()
    others = sum(1 for block in body.blocks if block.level)
    if not others:
        return ()
    among = counted(others, "heading")
    return (f"no chapter tier ('# ') among {among}, so the body is one record; split it with --pattern",)


def _size(book: Manuscript, ordinals: range) -> dict[str, int]:
    return {"blocks": len(ordinals), "words": sum(len(book.blocks[i].text.split()) for i in ordinals)}
