"""Parquet files and folders of them, read as Arrow record batches in bounded memory."""

import shutil
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from bookblend.convert.arrow_json import MOST_BYTES
from bookblend.convert.streams import PIECE, STANDARD, is_packed, label, open_input
from bookblend.errors import InputError, UsageError
from bookblend.files import check_source
from bookblend.names import natural
from bookblend.talk import warn

# Bytes of a batch, about: enough for the kernels to run long, little beside the reader's own memory.
_BATCH_BYTES = 8 << 20
_MOST_ROWS = 1 << 16
# Rows that are read first to learn how long they are: the footer does not tell, as encodings squeeze repeated values.
_PROBE_ROWS = 64
# Bytes of a column's pages that are read at once, so that a row group may be larger than memory.
_PAGE_BUFFER = 1 << 20
# Microseconds from 1970 to the first and last instant that 64 bits of nanoseconds can hold.
_MOST_MICROSECONDS = (2**63 - 1) // 1000
_INT96_ROWS = 1 << 16
_PARQUET_SUFFIX = ".parquet"


def find_files(sources: Sequence[str]) -> list[str]:
    """The files that the words of a command mean: folders stand for the *.parquet under them, in natural name order.

    Names that begin with "." or "_" are no data, folders' neither, as for other readers. Raises `InputError`.
    """
    files: list[str] = []
    for source in sources:
        folder = Path(source)
        if source == STANDARD or not folder.is_dir():
            if source != STANDARD:
                check_source(folder)
            files.append(source)
            continue
        inside = [path for path in folder.rglob(f"*{_PARQUET_SUFFIX}") if _is_data(path, folder)]
        if not inside:
            raise InputError(f"{folder}: holds no *{_PARQUET_SUFFIX} file")
        files += [str(path) for path in sorted(inside, key=lambda path: natural(str(path.relative_to(folder))))]
    if files.count(STANDARD) > 1:
        raise UsageError("standard input (-) can be read once only; name the other files")
    return files


def _is_data(path: Path, folder: Path) -> bool:
    return path.is_file() and not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


class Table:
    """One Parquet file that is open: its columns, its number of rows, its rows as batches."""

    def __init__(self, name: str, reader: Any, columns: Sequence[str] | None) -> None:
        self.name = name
        self._reader = reader
        whole = reader.schema_arrow
        _refuse_twice(name, whole)
        missing = [column for column in columns or () if column not in whole.names]
        if missing:
            there = ", ".join(whole.names)
            raise InputError(f"{label(name)}: has no column '{missing[0]}'; there are {there or 'none'}")
        self.schema: Any = whole if columns is None else pa.schema([whole.field(column) for column in columns])
        # Of the row groups: the footer's own total is wrong in files of some writers.
        self.rows: int = sum(reader.metadata.row_group(i).num_rows for i in range(reader.metadata.num_row_groups))
        self._projected = columns is not None

    def batches(self) -> Iterator[Any]:
        """The rows in order, as record batches of bounded size with the columns in the order asked for.

        Raises `InputError` where the file is damaged, and for a single row too long to be held.
        """
        longest = 1.0  # bytes of a row, in the longest batch so far
        for group in range(self._reader.metadata.num_row_groups):
            size, done = self._first_size(group, longest), 0
            while True:
                for batch in self._from_group(group, size, done):
                    done += batch.num_rows
                    longest = max(longest, batch.nbytes / batch.num_rows)
                    yield from _slices(batch, self.name)
                    if batch.nbytes > 4 * _BATCH_BYTES and batch.num_rows > 1:
                        break  # longer rows than those before: on from here in smaller batches
                else:
                    break
                size = _rows_for(longest)
            said = self._reader.metadata.row_group(group).num_rows
            if done != said:
                raise InputError(
                    f"{label(self.name)}: row group {group + 1} says {said:,} rows and holds {done:,}; get another copy"
                )

    def _first_size(self, group: int, longest: float) -> int:
        meta = self._reader.metadata.row_group(group)
        if not meta.num_rows:
            return 1
        probe = 0.0
        for batch in self._from_group(group, min(_PROBE_ROWS, _rows_for(meta.total_byte_size / meta.num_rows)), 0):
            probe = batch.nbytes / batch.num_rows
            break
        return _rows_for(max(longest, probe, meta.total_byte_size / meta.num_rows))

    def _from_group(self, group: int, size: int, done: int) -> Iterator[Any]:
        """The batches of a row group without its first `done` rows."""
        names = self.schema.names if self._projected else None
        with _reading(self.name):
            # Column names are paths to this reader, split at points: a name with a point would mean another column.
            indices = None if names is None else _leaves(self._reader, names)
            seen = 0
            for batch in self._reader.reader.iter_batches(size, [group], column_indices=indices, use_threads=True):
                start = max(0, done - seen)
                seen += batch.num_rows
                if start >= batch.num_rows:
                    continue
                batch = batch.slice(start)
                yield batch if names is None else batch.select(names)


@contextmanager
def open_table(name: str, columns: Sequence[str] | None = None) -> Iterator[Table]:
    """Open one Parquet file, or standard input (`-`); compressed ones too. `columns`: these only, in this order.

    Raises `InputError` for what is no Parquet file, is damaged or encrypted, or lacks a column.
    """
    with _seekable(name) as path:
        with _reading(name):
            reader = _open(path, "ns")
            _ = reader.schema_arrow
            if _beyond_nanoseconds(path, reader):
                reader.close()
                reader = _open(path, "us")
                warn(
                    f"{label(name)}: its INT96 times reach beyond 1677-2262, where no nanoseconds can be counted: "
                    "they are read in microseconds"
                )
        with reader:
            yield Table(name, reader, columns)


def _open(path: str, unit: str) -> Any:
    return pq.ParquetFile(path, pre_buffer=False, buffer_size=_PAGE_BUFFER, coerce_int96_timestamp_unit=unit)


def _beyond_nanoseconds(path: str, reader: Any) -> bool:
    """Whether times of the old INT96 type are out of the range of nanoseconds, where Arrow wraps them in silence."""
    schema = reader.schema
    leaves = [i for i in range(len(schema)) if schema.column(i).physical_type == "INT96"]
    if not leaves:
        return False
    with _open(path, "us") as wide:
        groups = list(range(wide.metadata.num_row_groups))
        for batch in wide.reader.iter_batches(_INT96_ROWS, groups, column_indices=leaves, use_threads=True):
            for column in batch.columns:
                while pa.types.is_nested(column.type):
                    column = column.field(0) if pa.types.is_struct(column.type) else column.flatten()
                reach = pc.min_max(column.cast(pa.int64()))
                low, high = reach["min"].as_py(), reach["max"].as_py()
                if low is not None and (low < -_MOST_MICROSECONDS or high > _MOST_MICROSECONDS):
                    return True
    return False


@contextmanager
def _reading(name: str) -> Iterator[None]:
    """Whatever the reader says of a file as one line that names it."""
    try:
        yield
    except (pa.ArrowException, OSError, MemoryError, UnicodeDecodeError, OverflowError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise InputError(f"{label(name)}: cannot be read as Parquet ({first}); get another copy") from error


@contextmanager
def _seekable(name: str) -> Iterator[str]:
    """A path to the plain bytes of an input: Parquet is read from its end, so a stream is put into a file first."""
    if name != STANDARD and not _begins_packed(name):
        yield name
        return
    with tempfile.NamedTemporaryFile(suffix=_PARQUET_SUFFIX) as copy:
        with open_input(name) as stream:
            shutil.copyfileobj(stream, copy, PIECE)
        copy.flush()
        yield copy.name


def _begins_packed(name: str) -> bool:
    with Path(name).open("rb") as stream:
        return is_packed(stream.read(4))


def _leaves(reader: Any, names: Sequence[str]) -> list[int]:
    """The numbers of the leaf columns of the top-level columns so named."""
    counts = [_leaf_count(field.type) for field in reader.schema_arrow]
    starts = [sum(counts[:index]) for index in range(len(counts))]
    places = [reader.schema_arrow.names.index(name) for name in names]
    return [leaf for place in places for leaf in range(starts[place], starts[place] + counts[place])]


def _leaf_count(kind: Any) -> int:
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_dictionary(kind):
        return _leaf_count(kind.value_type)
    if not pa.types.is_nested(kind):
        return 1
    return sum(_leaf_count(kind.field(index).type) for index in range(kind.num_fields))


def _rows_for(bytes_a_row: float) -> int:
    return int(max(1, min(_MOST_ROWS, _BATCH_BYTES // max(1, bytes_a_row))))


def _slices(batch: Any, name: str) -> Iterator[Any]:
    """A batch in parts that the encoder can hold; rows differ in length, so halves are taken until they fit."""
    if batch.nbytes <= 4 * _BATCH_BYTES or batch.num_rows == 1:
        if batch.nbytes > MOST_BYTES:
            raise InputError(
                f"{label(name)}: a row of {batch.nbytes / 1e6:,.0f} MB; {MOST_BYTES / 1e6:,.0f} MB at most"
            )
        yield batch
        return
    half = batch.num_rows // 2
    yield from _slices(batch.slice(0, half), name)
    yield from _slices(batch.slice(half), name)


def _refuse_twice(name: str, schema: Any) -> None:
    twice = _repeated(schema.names, "column") or next(
        (found for field in schema for found in [_repeated_inside(field.type, field.name)] if found), ""
    )
    if twice:
        raise InputError(f"{label(name)}: {twice}, and a JSON object holds one of a name")


def _repeated(names: Sequence[str], what: str) -> str:
    for column in names:
        if names.count(column) > 1:
            return f"has the {what} '{column}' {names.count(column)} times"
    return ""


def _repeated_inside(kind: Any, path: str) -> str:
    if isinstance(kind, pa.BaseExtensionType):
        kind = kind.storage_type
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if not pa.types.is_nested(kind):
        return ""
    fields = [kind.field(index) for index in range(kind.num_fields)]
    if pa.types.is_struct(kind) and (found := _repeated([field.name for field in fields], f"field of '{path}'")):
        return found
    inner = (_repeated_inside(field.type, f"{path}.{field.name}") for field in fields)
    return next((found for found in inner if found), "")
