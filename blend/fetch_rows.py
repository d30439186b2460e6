"""Rows of files that were fetched into `text.jsonl` of one or several sources, in one pass over the files.

Only the columns that a source needs are read, and of a catalogue's rows only the texts of those that are selected.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from bookblend.blend.hub_files import PACKED, kind_of
from bookblend.blend.model import Source
from bookblend.blend.rows import RowError, needed_columns, row_reader
from bookblend.blend.selectors import select_row
from bookblend.convert.bad_lines import BadLines
from bookblend.convert.lines import LineWriter, half_quote
from bookblend.errors import InputError
from bookblend.files import HashedStream

# Bytes of a text file that is one row, at most: as much as a row of a table may have.
_LONGEST_TEXT = 300_000_000


@dataclass(slots=True)
class Tally:
    """What a source saw of files: rows, those it selected and took, why it skipped some, what its selectors met."""

    rows: int = 0
    selected: int = 0
    taken: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    hits: Counter[tuple[str, str]] = field(default_factory=Counter)

    def add(self, other: "Tally") -> None:
        """Count another's rows as well."""
        self.rows += other.rows
        self.selected += other.selected
        self.taken += other.taken
        self.skipped.update(other.skipped)
        self.hits.update(other.hits)

    def wants(self, source: Source, metadata: object) -> bool:
        """Count a row by its metadata; whether the source selects it."""
        self.rows += 1
        wanted, met = select_row(metadata, source.select) if source.metadata else (True, ())
        self.selected += wanted
        for selector in met:
            self.hits[selector] += 1
        return wanted


class Taker:
    """Writes the rows that one source takes to a stream, and counts."""

    def __init__(self, source: Source, stream: BinaryIO) -> None:
        self.source = source
        self.tally = Tally()
        self._read = row_reader(source)
        self._stream = HashedStream(stream)
        self._writer = LineWriter(self._stream, controls=True)  # type: ignore[arg-type]

    def write(self, record: Mapping[str, Any], fallback: str) -> None:
        """Take a row that is selected; `fallback` is its id if it has none of its own."""
        try:
            row = self._read(record)
        except RowError as error:
            self.tally.skipped[str(error)] += 1
            return
        self.tally.taken += 1
        group = f', "group": "{half_quote(row.group)}"' if row.group else ""
        label = half_quote(row.id or fallback)
        self._writer.write(f'{{"id": "{label}", "text": "{half_quote(row.text)}"{group}}}')

    def close(self) -> tuple[str, int]:
        """Write what is left; the SHA-256 and the size of all."""
        self._writer.close()
        return self._stream.hexdigest, self._stream.size


def take_rows(path: Path, stem: str, takers: Sequence[Taker], lines: bool) -> None:
    """Hand every row of a file to every source; rows without an id of their own are called `stem`:number.

    `lines`: each line of a plain text file is a row; otherwise the file is one. Raises `InputError` for a damaged file
    and one that lacks a column.
    """
    kind = kind_of(path.name) or sniffed(path)
    if kind == "parquet":
        _take_parquet(path, stem, takers)
        return
    with _records(path, kind, takers, lines) as records:
        for number, record in records:
            for taker in takers:
                if taker.tally.wants(taker.source, record.get(taker.source.metadata)):
                    taker.write(record, f"{stem}:{number}")


def sniffed(path: Path) -> str:
    """The kind of a file whose name does not tell."""
    from bookblend.convert.records import is_parquet

    return "parquet" if is_parquet(path) else "jsonl"


def stems(names: Iterable[str]) -> dict[str, str]:
    """What rows of each file are called after: its name without folder and suffix, or its path where two share it."""
    short = {name: _stem(name.rpartition("/")[2]) for name in names}
    shared = Counter(short.values())
    return {name: stem if shared[stem] == 1 else _stem(name) for name, stem in short.items()}


def _stem(name: str) -> str:
    for suffix in PACKED:
        name = name.removesuffix(suffix)
    head, point, tail = name.rpartition(".")
    return head if point and head and "/" not in tail else name


def all_columns(sources: Iterable[Source]) -> tuple[str, ...] | None:
    """The columns that all these sources together need; None: all there are."""
    names: dict[str, None] = {}
    for source in sources:
        needed = needed_columns(source)
        if needed is None:
            return None
        names.update(dict.fromkeys(needed))
    return tuple(names)


def _take_parquet(path: Path, stem: str, takers: Sequence[Taker]) -> None:
    from bookblend.convert.parquet import open_table

    with open_table(str(path), all_columns(taker.source for taker in takers)) as table:
        done = 0
        for batch in table.batches():
            try:
                _take_batch(batch, stem, done, takers)
            except UnicodeDecodeError as error:
                raise InputError(f"{path}: row {done + 1} or after holds bytes that are no UTF-8 text") from error
            done += batch.num_rows


def _take_batch(batch: Any, stem: str, done: int, takers: Sequence[Taker]) -> None:
    """The rows of a batch: first who wants which by the catalogue's column alone, then the texts of those."""
    chosen = [_chosen(batch, taker) for taker in takers]
    wanted: Sequence[int] = range(batch.num_rows)
    if all(isinstance(some, list) for some in chosen):
        wanted = sorted(set().union(*chosen))
        batch = batch.take(wanted)
    records = dict(zip(wanted, batch.to_pylist(), strict=True))
    for taker, some in zip(takers, chosen, strict=True):
        for index in some:
            taker.write(records[index], f"{stem}:{done + index + 1}")


def _chosen(batch: Any, taker: Taker) -> Sequence[int]:
    """The rows that a source selects, which are counted; all of them where it has no catalogue."""
    tally, source = taker.tally, taker.source
    if not source.metadata:
        tally.rows += batch.num_rows
        tally.selected += batch.num_rows
        return range(batch.num_rows)
    metadata = batch.column(source.metadata).to_pylist()
    return [index for index, value in enumerate(metadata) if tally.wants(source, value)]


@contextmanager
def _records(
    path: Path, kind: str, takers: Sequence[Taker], lines: bool
) -> Iterator[Iterator[tuple[int, Mapping[str, Any]]]]:
    from bookblend.convert.records import open_records

    if kind == "text":
        yield _lines(path) if lines else _whole(path)
        return
    with open_records(str(path), _Skipped(str(path), takers)) as records:
        yield records.rows


def _lines(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    from bookblend.convert.streams import open_input

    with open_input(str(path)) as stream:
        for number, line in enumerate(stream, start=1):
            yield number, {"text": _decoded(path, line.rstrip(b"\r\n"), number)}


def _whole(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    from bookblend.convert.streams import open_input

    with open_input(str(path)) as stream:
        data = stream.read(_LONGEST_TEXT + 1)
    if len(data) > _LONGEST_TEXT:
        raise InputError(f"{path}: is one text of more than {_LONGEST_TEXT // 1_000_000} MB; make records of it")
    yield 1, {"text": _decoded(path, data, 1)}


def _decoded(path: Path, data: bytes, line: int) -> str:
    try:
        return data.decode("utf-8-sig" if line == 1 else "utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{path}: line {line}: is no UTF-8 text") from error


class _Skipped(BadLines):
    """Bad lines of a file, counted for every source as skipped."""

    def __init__(self, name: str, takers: Sequence[Taker]) -> None:
        super().__init__(name, None)
        self._takers = takers

    def __call__(self, _line: int, reason: str, _text: str) -> None:
        for taker in self._takers:
            taker.tally.rows += 1
            taker.tally.skipped[reason] += 1
