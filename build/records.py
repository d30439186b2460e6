"""The products of a build: raw text, records, their JSONL lines, and the check that no word got lost between them."""

import hashlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bookblend.build.headings import plain, read_heading
from bookblend.build.split import opening_lines
from bookblend.errors import UsageError, VerificationError
from bookblend.jsonio import dump_line
from bookblend.manuscript import Manuscript, Mark

# Between blocks in the raw text and in records: a blank line, as between paragraphs everywhere.
_GAP = "\n\n"
# What `--fields` can add to a record's text.
FIELDS = ("id", "number", "title", "label", "words", "first_page", "last_page", "sha256")


@dataclass(frozen=True, slots=True)
class Record:
    """One record: `text` is all that training sees; the rest goes to the provenance.

    number, id   from 1; `<book>-001`
    title        its heading lines joined, without the bare label; "" for text that no heading opened
    label        the bare label before the title ("CHAPTER ONE"), or ""
    heading      all its heading lines joined, a part page's included
    words        runs of non-blank characters in `text`
    first_page   of a PDF, counted from 1; 0 where there are none
    evidence     what named its heading
    """

    number: int
    id: str
    title: str
    label: str
    heading: str
    text: str
    words: int
    first_page: int
    last_page: int
    evidence: str

    @property
    def sha256(self) -> str:
        """SHA-256 of the text's UTF-8 bytes."""
        return hashlib.sha256(self.text.encode("utf-8")).hexdigest()


def raw_text(body: Manuscript) -> str:
    """The `.txt` product: the blocks' texts, blank lines between them, "" for no blocks."""
    return _GAP.join(block.text for block in body.blocks) + "\n" if body.blocks else ""


def make_record(body: Manuscript, span: range, number: int, name: str, pattern: re.Pattern[str] | None) -> Record:
    """The record of one span of the body; `name` is the book's, for the id."""
    blocks, marks = body.blocks[span.start : span.stop], body.marks[span.start : span.stop]
    opening = opening_lines(blocks, pattern)
    lines = [blocks[i].text for i in _on_last_page(opening, marks)]
    heading = read_heading(lines)
    text = _GAP.join(block.text for block in blocks)
    pages = [mark for mark in marks if mark.page]
    return Record(
        number=number,
        id=f"{name}-{number:03d}",
        title=heading.title,
        label=heading.label,
        heading=" ".join(plain(blocks[i].text) for i in range(opening.stop)),
        text=text,
        words=len(text.split()),
        first_page=pages[0].page if pages else 0,
        last_page=max((mark.end_page for mark in pages), default=0),
        evidence=next((marks[i].evidence for i in reversed(opening) if marks[i].evidence), ""),
    )


def jsonl(records: Sequence[Record], fields: Sequence[str] = ()) -> str:
    """The `.jsonl` product: `{"text": …}` a line, and the `fields` that were asked for, in that order."""
    return "".join(
        dump_line({"text": record.text, **{name: getattr(record, name) for name in fields}}) for record in records
    )


def parse_fields(words: str) -> tuple[str, ...]:
    """The field names of `--fields id,title`. Raises `UsageError` for one that records do not have."""
    names = tuple(word.strip() for word in words.split(",") if word.strip())
    for name in names:
        if name not in FIELDS:
            raise UsageError(f"--fields: no field '{name}'; there are {', '.join(FIELDS)}")
    return names


def describe(record: Record) -> Mapping[str, Any]:
    """The sidecar's entry for a record; pages only where there are some."""
    pages = {"first_page": record.first_page, "last_page": record.last_page} if record.first_page else {}
    return {
        "number": record.number,
        "id": record.id,
        "title": record.title,
        "label": record.label,
        "heading": record.heading,
        "evidence": record.evidence,
        "words": record.words,
        "sha256": record.sha256,
        **pages,
    }


def verify_words(lines: str, text: str) -> None:
    """Check that the texts of JSONL `lines`, concatenated, equal `text` word for word, and that none is empty.

    Raises `VerificationError` naming the first record and word that differ.
    """
    texts = [json.loads(line)["text"].split() for line in lines.split("\n") if line]
    for number, found in enumerate(texts, start=1):
        if not found:
            raise VerificationError(f"record {number} is empty")
    wanted = text.split()
    if [word for found in texts for word in found] == wanted:
        return
    position = 0
    for number, found in enumerate(texts, start=1):
        for word in found:
            right = wanted[position] if position < len(wanted) else "its end"
            if position >= len(wanted) or word != right:
                raise VerificationError(f"record {number} has {word!r} where the raw text has {right!r}")
            position += 1
    raise VerificationError(f"the records end where the raw text goes on with {wanted[position]!r}")


def _on_last_page(lines: range, marks: Sequence[Mark]) -> list[int]:
    """The heading lines that stand where the last one does: a part's page before them names the part."""
    if not lines:
        return []
    last = marks[lines[-1]]
    return [i for i in lines if (marks[i].page, marks[i].item) == (last.page, last.item)]
