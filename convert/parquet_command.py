"""`bookblend convert parquet`: Parquet files and folders of them into strict JSONL."""

import sys
from argparse import ArgumentParser, Namespace
from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from bookblend.command import Command
from bookblend.errors import InputError, UsageError
from bookblend.talk import counted, warn

if TYPE_CHECKING:
    from bookblend.convert.arrow_json import Notes
    from bookblend.convert.parquet import Table

# Batches that are encoded while another is written: the kernels leave Python to the others meanwhile. So many whatever
# the machine, as each is held in memory.
_AHEAD = 2

_TYPES = (
    "Integers and floats are numbers; NaN and infinities are null, and counted. Decimals are strings in full. "
    "Dates, times and timestamps are ISO 8601 with all digits of their unit; with a time zone in UTC, with Z; "
    "years beyond 9999 and before 0 have a sign; durations are seconds (PT1.5S). Binary is base64, a UUID its text. "
    "Maps are objects; lists of [key, value] where keys are no strings or one is repeated."
)


def _configure(parser: ArgumentParser) -> None:
    parser.description = f"{PARQUET.summary}.\n\n{_TYPES}"
    parser.add_argument(
        "inputs",
        metavar="IN",
        nargs="+",
        help="files, - for standard input, or folders: all *.parquet under them in natural name order, without names "
        "that begin with . or _ (values in the names of partition folders are no columns)",
    )
    parser.add_argument("-o", "--output", metavar="OUT", default="-", help="default: standard output; .gz, .zst packed")
    parser.add_argument("--columns", metavar="A,B", help="only these columns, in this order")


def _run(arguments: Namespace) -> int:
    from bookblend.convert.arrow_json import Notes
    from bookblend.convert.parquet import find_files, open_table
    from bookblend.convert.streams import check_names, open_output

    columns = _columns(arguments.columns)
    files = find_files(arguments.inputs)
    check_names(files, arguments.output)
    _warn_of_partitions(files)
    notes, known, rows = Notes(), _Known(), 0
    with open_output(arguments.output) as output:
        for name in files:
            with open_table(name, columns) as table:
                known.compare(table)
                _write(table, output, notes)
                rows += table.rows
    for column, count in notes.not_finite.items():
        warn(f"column '{column}': {counted(count, 'number')} that JSON lacks (NaN, infinity) became null")
    for column, count in notes.repeated_keys.items():
        warn(f"column '{column}': {counted(count, 'map')} with a repeated key became lists of [key, value]")
    print(f"{counted(rows, 'row')} of {counted(len(files), 'file')}", file=sys.stderr)
    return 0


def _columns(words: str | None) -> list[str] | None:
    if words is None:
        return None
    columns = words.split(",")
    for column in columns:
        if columns.count(column) > 1:
            raise UsageError(f"--columns {words}: '{column}' is named twice")
    return columns


def _warn_of_partitions(files: list[str]) -> None:
    folders = sorted({part for name in files for part in Path(name).parent.parts if "=" in part})
    if folders:
        warn(f"{folders[0]}: the values in the names of partition folders are not in the output")


def _write(table: "Table", output: BinaryIO, notes: "Notes") -> None:
    from bookblend.convert.streams import label
    from bookblend.progress import Meter

    done = 0
    shown = Meter(table.rows, label(table.name)) if table.rows else nullcontext()
    with shown as meter, ThreadPoolExecutor(_AHEAD) as pool:
        waiting: deque[tuple[Any, Future[tuple[list[Any], Notes]]]] = deque()
        for batch in chain(table.batches(), [None]):
            if batch is not None:
                waiting.append((batch, pool.submit(_encoded, batch)))
            while waiting and (batch is None or len(waiting) > _AHEAD):
                first, texts = waiting.popleft()
                for text in _result(table, first, texts, done, notes):
                    output.write(text)
                done += first.num_rows
                if meter is not None:
                    meter.advance(first.num_rows)


def _result(
    table: "Table", batch: Any, encoded: "Future[tuple[list[Any], Notes]]", done: int, notes: "Notes"
) -> list[Any]:
    """The texts of a batch that stands behind `done` rows; raises `InputError` with the row where it has none."""
    import pyarrow as pa

    from bookblend.convert.arrow_json import ValueFaultError
    from bookblend.convert.streams import label

    try:
        texts, own = encoded.result()
    except TypeError as error:
        raise InputError(f"{label(table.name)}: {error}") from error
    except ValueFaultError:
        raise _fault(table, batch, done) from None
    except pa.ArrowException as error:
        reason = str(error).strip().splitlines()[0]
        raise InputError(f"{label(table.name)}: row {done + 1:,} or soon after: {reason}") from error
    for counts, more in ((notes.not_finite, own.not_finite), (notes.repeated_keys, own.repeated_keys)):
        for column, count in more.items():
            counts[column] = counts.get(column, 0) + count
    return texts


def _encoded(batch: Any) -> "tuple[list[Any], Notes]":
    """The texts of a batch; in halves where its values come out longer than one array of Arrow's can hold."""
    import pyarrow as pa

    from bookblend.convert import arrow_json

    notes = arrow_json.Notes()

    def encode(part: Any) -> list[Any]:
        try:
            return [arrow_json.encode_batch(part, notes)]
        except (pa.ArrowCapacityError, pa.ArrowInvalid):
            if part.num_rows == 1:
                raise
            half = part.num_rows // 2
            return encode(part.slice(0, half)) + encode(part.slice(half))

    return encode(batch), notes


def _fault(table: "Table", batch: Any, done: int) -> InputError:
    """The error of the first row that has no faithful text."""
    from bookblend.convert.arrow_json import Notes, ValueFaultError, encode_batch
    from bookblend.convert.streams import label

    for row in range(batch.num_rows):
        try:
            encode_batch(batch.slice(row, 1), Notes())
        except ValueFaultError as error:
            return InputError(f"{label(table.name)}: row {done + row + 1:,}, {error}")
    raise AssertionError("a batch failed whose rows do not")


class _Known:
    """The columns of the files so far, so that a file that differs is said once."""

    def __init__(self) -> None:
        self._kinds: dict[str, tuple[str, str]] = {}  # kind, and the type as Arrow names it

    def compare(self, table: "Table") -> None:
        from bookblend.convert.streams import label

        first = not self._kinds
        found = {field.name: (_kind(field.type), str(field.type)) for field in table.schema}
        remarks = [f"no column '{name}'" for name in self._kinds if name not in found]
        for name, (kind, shown) in found.items():
            before, before_shown = self._kinds.get(name, ("", ""))
            if not before and not first:
                remarks.append(f"the files before have no column '{name}'")
            elif before and "null" not in (kind, before) and kind != before:
                remarks.append(f"column '{name}' is {shown}, before {before_shown}")
            if before in ("", "null"):
                self._kinds[name] = (kind, shown)
        if remarks:
            warn(f"{label(table.name)}: another schema: {'; '.join(remarks)}")


def _kind(kind: Any) -> str:
    """What a column is to a reader of the JSON: columns of one kind may differ in width or unit."""
    from pyarrow import types

    if types.is_dictionary(kind):
        return _kind(kind.value_type)
    if types.is_null(kind):
        return "null"
    if types.is_integer(kind) or types.is_floating(kind):
        return "number"
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return "text"
    for name in ("boolean", "decimal", "timestamp", "date", "time", "duration", "map", "struct"):
        if getattr(types, f"is_{name}")(kind):
            return name
    if types.is_nested(kind):
        return "list"
    return "binary"


PARQUET = Command(
    name="parquet",
    summary="Parquet files into strict JSONL, an object a row",
    example="bookblend convert parquet data/ -o data.jsonl.zst --columns text,id",
    configure=_configure,
    run=_run,
)
