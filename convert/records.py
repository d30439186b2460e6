"""Records of any kind of table, one by one: Parquet, CSV with a header, JSONL. Each with its place, as a dict."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bookblend.convert.bad_lines import BadLines
from bookblend.convert.csv_reader import csv_notes, keyed, read_csv
from bookblend.convert.jsonl_reader import JsonlFile, jsonl_notes, read_jsonl
from bookblend.convert.streams import STANDARD, label, open_input
from bookblend.talk import counted, say, warn

PARQUET = b"PAR1"
_CSV_NAMES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".csv.zst", ".tsv.zst")


@dataclass(slots=True)
class Records:
    """The records of one input: (line or row from 1, record); `unit` says which of the two.

    notes   what the user should be warned of, and manner   how it was read; both fill on the way
    """

    name: str
    unit: str
    rows: Iterator[tuple[int, dict[str, Any]]] = field(default_factory=lambda: iter(()))
    notes: list[str] = field(default_factory=list)
    manner: list[str] = field(default_factory=list)


@contextmanager
def open_records(name: str, bad: BadLines) -> Iterator[Records]:
    """The records of a Parquet file or folder, a CSV file or (whatever else it is called) JSONL; `-` is no Parquet.

    Records that are no objects go to `bad`, as do lines that cannot be read. Raises `InputError`.
    """
    if name != STANDARD and is_parquet(Path(name)):
        yield _parquet(name)
        return
    with open_input(name) as stream:
        if name.endswith(_CSV_NAMES):
            yield _csv(name, stream)
        else:
            yield _jsonl(name, stream, bad)


def is_parquet(path: Path) -> bool:
    """Whether a path is a Parquet file, by its name or its first bytes, or a folder, which can only hold such."""
    if path.is_dir() or path.suffix == ".parquet":
        return True
    with path.open("rb") as stream:
        return stream.read(len(PARQUET)) == PARQUET


def _csv(name: str, stream: Any) -> Records:
    file, rows = read_csv(stream, name)
    records = Records(name, "row")

    def read() -> Iterator[tuple[int, dict[str, Any]]]:
        keys, even = keyed(file, rows)
        for row in even:
            yield file.row, dict(zip(keys, row, strict=True))
        records.notes += csv_notes(file)

    records.rows = read()
    return records


def _jsonl(name: str, stream: Any, bad: BadLines) -> Records:
    records = Records(name, "line")

    def read() -> Iterator[tuple[int, dict[str, Any]]]:
        file = JsonlFile(name, bad)
        for value in read_jsonl(file, stream):
            if isinstance(value.value, dict):
                yield value.line, value.value
            else:
                bad(value.line, "is no object", value.text)
        records.notes += jsonl_notes(file, objects_only=True)

    records.rows = read()
    return records


def _parquet(name: str) -> Records:
    from bookblend.convert.parquet import find_files, open_table

    def read() -> Iterator[tuple[int, dict[str, Any]]]:
        row = 0
        for file in find_files([name]):
            with open_table(file) as table:
                for batch in table.batches():
                    for record in batch.to_pylist():
                        row += 1
                        yield row, record

    return Records(name, "row", read())


def place(records: Records, number: int) -> str:
    """A record's place, as errors name it."""
    return f"{label(records.name)}: {records.unit} {number}"


def report(name: str, notes: Iterable[str], count: int, manner: Iterable[str] = ()) -> None:
    """Tell what became of an input: warnings, then its records and how they were read."""
    for note in notes:
        warn(f"{label(name)}: {note}")
    say("; ".join([f"{label(name)}: {counted(count, 'record')}", *manner]))
