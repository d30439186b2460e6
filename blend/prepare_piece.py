"""One piece of a source's rows into documents, as a worker process does it: cleaned, grouped, closed, indexed.

A piece's documents go into files of its own, which the stage appends in order; so memory holds one document.
"""

import io
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import IO, Any

import numpy as np

from bookblend.blend.documents import clean_utf8, holds, stuffed, unstuffed
from bookblend.blend.gutenberg import State
from bookblend.blend.gutenberg_decode import UnreadableError, decode
from bookblend.blend.inputs import Span, is_book_file
from bookblend.blend.model import Source
from bookblend.blend.normalise import normalise_utf8
from bookblend.blend.prepared import RECORD, text_hash
from bookblend.blend.rows import Row, RowError, row_reader
from bookblend.blend.selectors import takes
from bookblend.convert.bad_lines import BadLines
from bookblend.convert.lines import quote
from bookblend.convert.records import open_records
from bookblend.convert.streams import open_input
from bookblend.errors import InputError
from bookblend.jsonio import escape_splitters

# Rows skipped and documents that hold the eos are listed up to so many a piece; all are counted.
LISTED = 20
# Blank lines that may stand behind a text file's last eos line, in bytes.
_TAIL = 64
_UNWRITABLE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Piece:
    """Spans of a source's files, and the files that its documents go to: `parts` with .text, .index, .documents."""

    source: Source
    eos: str
    recipe: bool
    spans: tuple[Span, ...]
    parts: Path
    twins: Mapping[str, str] = field(default_factory=dict)

    def __str__(self) -> str:
        return f"{self.source.name}: {self.spans[0].name}"


@dataclass(slots=True)
class Tally:
    """What became of rows: counts, marker states, reasons of skipping, and lists of the first of them."""

    counts: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)
    listed: list[str] = field(default_factory=list)
    holding_eos: list[str] = field(default_factory=list)
    packaged: list[str] = field(default_factory=list)

    def skip(self, place: str, reason: str) -> None:
        """Count a row that gives no text."""
        self.skipped[reason] += 1
        if len(self.listed) < LISTED:
            self.listed.append(f"{place}: {reason}")

    def add(self, other: "Tally") -> None:
        """Count what another piece counted."""
        self.counts.update(other.counts)
        self.states.update(other.states)
        self.skipped.update(other.skipped)
        self.listed += other.listed[: max(0, LISTED - len(self.listed))]
        self.holding_eos += other.holding_eos[: max(0, LISTED - len(self.holding_eos))]
        self.packaged += other.packaged[: max(0, LISTED - len(self.packaged))]


def prepare_piece(piece: Piece) -> Tally:
    """Write a piece's documents; says what became of its rows."""
    tally = Tally()
    with (
        piece.parts.with_suffix(".text").open("wb") as text,
        piece.parts.with_suffix(".index").open("wb") as index,
        piece.parts.with_suffix(".documents").open("wb") as listed,
    ):
        writer = _Writer(piece, tally, text, index, listed)
        for group in _groups(piece, tally):
            writer.write(group)
        writer.flush()
    return tally


@dataclass(frozen=True, slots=True)
class _Cleaned:
    """A row that is left: its label, its text in UTF-8, its group."""

    id: str
    data: bytes
    group: str


def _groups(piece: Piece, tally: Tally) -> Iterator[list[_Cleaned]]:
    """Cleaned rows, as many together as make one document; the last group may be of fewer."""
    book = piece.source.document == "book"
    size = piece.source.rows_per_document
    group: list[_Cleaned] = []
    for row in _cleaned(piece, tally):
        if book and group and row.group != group[0].group:
            yield group
            group = []
        group.append(row)
        if not book and len(group) == size:
            yield group
            group = []
    if group:
        yield group


def _cleaned(piece: Piece, tally: Tally) -> Iterator[_Cleaned]:
    for row in _rows(piece, tally):
        data = _writable(row.text, tally)
        if piece.source.strip:
            stripped = clean_utf8(data, piece.recipe)
            tally.states[stripped.state.value] += 1
            tally.counts["credit_lines"] += len(stripped.credits)
            tally.counts["note_lines"] += len(stripped.notes)
            tally.counts["marks"] += stripped.marks
            if stripped.state is not State.NONE or stripped.credits or stripped.notes:
                tally.counts["packaged"] += 1
                if len(tally.packaged) < LISTED:
                    tally.packaged.append(row.id)
            data = stripped.data
        else:
            data = normalise_utf8(data)
        if data:
            tally.counts["rows"] += 1
            yield _Cleaned(row.id, data, row.group)
        else:
            tally.counts["empty"] += 1


def _writable(text: str, tally: Tally) -> bytes:
    """A text as UTF-8, without NULs, and with U+FFFD for halves of surrogate pairs."""
    altered = text.replace("\0", "") if "\0" in text else text
    try:
        data = altered.encode("utf-8")
    except UnicodeEncodeError:
        altered = _UNWRITABLE.sub("\ufffd", altered)
        data = altered.encode("utf-8")
    tally.counts["altered"] += altered is not text
    return data


def _rows(piece: Piece, tally: Tally) -> Iterator[Row]:
    read = row_reader(piece.source, piece.twins)
    for span in piece.spans:
        for place, value in _records(span, tally, piece.eos):
            where = f"{span.name}:{place}" if place else span.name
            tally.counts["read"] += 1
            if not isinstance(value, dict):
                tally.skip(where, "no object")
                continue
            try:
                if piece.source.select and not takes(value.get(piece.source.metadata), piece.source.select):
                    tally.counts["not_selected"] += 1
                    continue
                row = read(value)
            except RowError as error:
                tally.skip(where, str(error))
                continue
            group = row.group or (span.name if is_book_file(piece.source) else "")
            yield Row(row.id or where, row.text, group)


def _records(span: Span, tally: Tally, eos: str) -> Iterator[tuple[int, Any]]:
    """The records of a span with their line or row.

    A text file is one record, of place 0, unless it ends on a line of the eos: then it is a file of closed documents.
    """
    name = span.path.name.lower()
    if ".txt" in name or name.endswith(".md"):
        yield from (
            _closed_documents(span, eos)
            if name.endswith(".txt") and _is_closed(span.path, eos)
            else _text_file(span, tally)
        )
    elif span.end:
        with span.path.open("rb") as stream:
            stream.seek(span.start)
            yield from _lines(_until(stream, span.end - span.start), span, tally)
    elif ".jsonl" in name:
        with open_input(str(span.path)) as stream:
            yield from _lines(stream, span, tally)
    else:
        with open_records(str(span.path), _Skipping(span.name, tally)) as records:
            yield from records.rows


def _until(stream: IO[bytes], size: int) -> Iterator[bytes]:
    while size > 0 and (line := stream.readline()):
        size -= len(line)
        yield line


def _lines(lines: Any, span: Span, tally: Tally) -> Iterator[tuple[int, Any]]:
    for number, line in enumerate(lines, span.lines + 1):
        if not line.strip():
            continue
        try:
            yield number, json.loads(line.decode("utf-8-sig" if number == 1 else "utf-8"))
        except (ValueError, RecursionError):
            tally.counts["read"] += 1
            tally.skip(f"{span.name}:{number}", "malformed")


class _Skipping(BadLines):
    """Records that cannot be read are skipped and counted, as malformed lines are."""

    def __init__(self, name: str, tally: Tally) -> None:
        super().__init__(name, None)
        self._name, self._tally = name, tally

    def __call__(self, line: int, reason: str, text: str) -> None:  # noqa: ARG002 (the text is not listed)
        self._tally.counts["read"] += 1
        self._tally.skip(f"{self._name}:{line}", reason)


def _text_file(span: Span, tally: Tally) -> Iterator[tuple[int, Any]]:
    try:
        with open_input(str(span.path)) as stream:
            yield 0, {"text": decode(stream.read()).text}
    except UnreadableError as error:
        tally.counts["read"] += 1
        tally.skip(span.name, str(error))
    except OSError as error:
        raise InputError(f"{span.path}: cannot be read ({error.strerror})") from error


def _is_closed(path: Path, eos: str) -> bool:
    """Whether the last line of a text file that is not blank is the eos text."""
    with path.open("rb") as stream:
        stream.seek(max(0, stream.seek(0, io.SEEK_END) - len(eos.encode()) - _TAIL))
        return b"\n" in (tail := stream.read().rstrip()) and tail.rpartition(b"\n")[2] == eos.encode()


def _closed_documents(span: Span, eos: str) -> Iterator[tuple[int, Any]]:
    """The documents of a file as `blend gutenberg --shards` and a blend's own texts are, by their number from 1."""
    end, number = eos.encode() + b"\n", 0
    lines: list[bytes] = []
    with span.path.open("rb") as stream:
        for line in chain(stream, [end]):
            if line != end and line != end[:-1]:
                lines.append(line)
                continue
            data, lines = b"".join(lines), []
            if not data.strip():
                continue
            number += 1
            try:
                yield number, {"text": unstuffed(data.decode("utf-8"), eos)}
            except UnicodeDecodeError as error:
                raise InputError(f"{span.path}: document {number}: not UTF-8; make the file anew") from error


class _Writer:
    """Documents into a piece's three files."""

    def __init__(self, piece: Piece, tally: Tally, text: IO[bytes], index: IO[bytes], listed: IO[bytes]) -> None:
        self._piece, self._tally = piece, tally
        self._text, self._index, self._listed = text, index, listed
        self._eos = piece.eos.encode("utf-8")
        self._end = b"\n%b\n\n" % self._eos
        self._place = 0
        self._records: list[tuple[Any, ...]] = []

    def write(self, rows: list[_Cleaned]) -> None:
        data = b"\n\n".join([row.data for row in rows])
        text = data.decode("utf-8")
        if holds(data, self._eos):
            self._tally.counts["holding_eos"] += 1
            if len(self._tally.holding_eos) < LISTED:
                self._tally.holding_eos.append(rows[0].id)
            if not self._piece.recipe:
                data = stuffed(text, self._piece.eos).encode("utf-8")
        digest = text_hash(data)
        group = text_hash(rows[0].group.encode("utf-8", "replace")) if rows[0].group else digest
        self._records.append((self._place, len(data), len(text.split()), group, digest))
        self._text.write(data)
        self._text.write(self._end)
        self._place += len(data) + len(self._end)
        self._listed.write(self._about(rows).encode("utf-8", "replace"))
        self._tally.counts["documents"] += 1
        self._tally.counts["words"] += self._records[-1][2]
        self._tally.counts["bytes"] += len(data)
        if len(self._records) >= 1 << 14:
            self.flush()

    def _about(self, rows: list[_Cleaned]) -> str:
        group = f', "group": {quote(rows[0].group)}' if rows[0].group else ""
        count = f', "rows": {len(rows)}' if len(rows) > 1 else ""
        return escape_splitters(f'{{"id": {quote(self._name(rows))}{group}{count}}}\n')

    def _name(self, rows: list[_Cleaned]) -> str:
        return rows[0].group if self._piece.source.document == "book" and rows[0].group else rows[0].id

    def flush(self) -> None:
        self._index.write(np.array(self._records, dtype=RECORD).tobytes())
        self._records = []
