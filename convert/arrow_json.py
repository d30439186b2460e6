"""Arrow columns as JSON text, whole columns at a time.

Arrow's own kernels escape, cast and join; no Python object is made of a value, but for the few kinds without a
kernel (binary, durations, years of five figures). The rules, also in `bookblend convert parquet --help`:

- integers and floats are numbers, floats always with a point or an exponent; NaN and infinities are null, and counted;
- decimals are strings in full, without exponent; binary is base64, a UUID its usual text;
- dates, times and timestamps are ISO 8601 with all the digits of their unit; an instant (a timestamp with a zone) is
  written in UTC with "Z", whatever the zone, as offsets depend on the machine's zone tables; years outside 0–9999
  have a sign; durations are ISO 8601 seconds ("PT1.5S");
- maps with string keys are objects, other maps lists of [key, value]; so is a single map that repeats a key.
"""

import binascii
import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from uuid import UUID

import pyarrow as pa

from bookblend.convert.arrow_time import date_text, duration_text, timestamp_text
from bookblend.jsonio import dump_line

# Bytes of the text of one call's rows, at most: escapes make six bytes of one, and offsets have 31 bits.
MOST_BYTES = 300_000_000

# What JSON strings must escape, as single bytes, and all other bytes, which `translate` takes away to find the first.
_SPECIAL = bytes(range(0x20)) + b'"\\'
_PLAIN = bytes(sorted(set(range(256)) - set(_SPECIAL)))
# What `bookblend.jsonio` escapes besides: line ends of Unicode.
_LINE_ENDS = ("\u0085", "\u2028", "\u2029")
# Digits of a second's fraction by Arrow's unit.
_DIGITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}

# The stubs of the kernels reject what they take; their results are arrays here throughout.
pc: Any = import_module("pyarrow.compute")
Array = Any
# A column as texts to be joined row by row: literals and string arrays without nulls.
Pieces = list[Any]


class ValueFaultError(Exception):
    """A value that has no faithful JSON text; says why, for the row's error."""


@dataclass(slots=True)
class Notes:
    """What was changed on the way and has to be said."""

    not_finite: dict[str, int] = field(default_factory=dict)
    repeated_keys: dict[str, int] = field(default_factory=dict)


def encode_batch(batch: Any, notes: Notes) -> Any:
    """A record batch (of less than `MOST_BYTES`) as a buffer of JSON lines, an object a row.

    Raises `ValueFaultError`, and `TypeError` for a type that has no JSON form.
    """
    if not batch.num_rows:
        return pa.py_buffer(b"")
    if not batch.num_columns:
        return pa.py_buffer(b"{}\n" * batch.num_rows)
    parts: list[Pieces] = []
    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        try:
            parts.append(_Encoder(name, notes).encode(column))
        except (ValueFaultError, TypeError) as error:
            raise type(error)(f"column {_quoted(name)}: {error}") from error
    text = _joined([*_object(batch.schema.names, parts), "\n"], batch.num_rows)
    return _characters(text)


class _Encoder:
    """Encodes one column, whatever is nested in it."""

    def __init__(self, column: str, notes: Notes) -> None:
        self._column = column
        self._notes = notes

    def encode(self, array: Array) -> Pieces:
        """The pieces of the texts of an array, nulls included."""
        kind = array.type
        if isinstance(array, pa.ExtensionArray):
            if isinstance(kind, pa.UuidType):
                return self._texts(array.storage, lambda value: str(UUID(bytes=value)))
            return self.encode(array.storage)
        if pa.types.is_null(kind):
            return ["null"]
        for test, method in self._KINDS:
            if test(kind):
                pieces: Pieces = method(self, array)
                return _with_nulls(pieces, array)
        raise TypeError(f"{kind} has no JSON form")

    def _boolean(self, array: Array) -> Pieces:
        return [_filled(pc.cast(array, pa.string()))]

    def _floating(self, array: Array) -> Pieces:
        numbers = pc.cast(array, pa.float32()) if pa.types.is_float16(array.type) else array
        finite = pc.is_finite(numbers)
        lost = len(array) - array.null_count - (pc.sum(finite).as_py() or 0)
        text = _filled(pc.cast(numbers, pa.string()))
        whole = pc.match_substring_regex(text, r"^-?\d+$")
        if pc.any(whole).as_py():
            text = pc.if_else(whole, pc.binary_join_element_wise(text, ".0", ""), text)
        if lost:
            self._notes.not_finite[self._column] = self._notes.not_finite.get(self._column, 0) + lost
            text = pc.if_else(pc.fill_null(finite, True), text, "null")
        return [text]

    def _decimal(self, array: Array) -> Pieces:
        text = pc.cast(array, pa.string())
        text = _repaired(text, pc.match_substring(text, "E"), array, lambda value: f"{value.as_py():f}")
        return ['"', _filled(text), '"']

    def _string(self, array: Array) -> Pieces:
        if array.type != pa.string():
            array = pc.cast(array, pa.string())
        try:
            array.validate(full=True)
        except pa.ArrowInvalid as error:
            raise ValueFaultError("the text is not UTF-8") from error
        return ['"', _filled(_escaped(array)), '"']

    def _binary(self, array: Array) -> Pieces:
        return self._texts(array, lambda value: binascii.b2a_base64(value, newline=False).decode("ascii"))

    def _date(self, array: Array) -> Pieces:
        text = pc.cast(array, pa.string())
        days = array.cast(pa.int32()) if pa.types.is_date32(array.type) else array.cast(pa.int64())
        scale = 1 if pa.types.is_date32(array.type) else 86_400_000
        text = _repaired(text, _odd_year(text), days, lambda day: date_text(day.as_py() // scale))
        return ['"', _filled(text), '"']

    def _time(self, array: Array) -> Pieces:
        text = pc.cast(array, pa.string())
        if pc.any(pc.starts_with(text, "<")).as_py():
            raise ValueFaultError("a time of day outside the day")
        return ['"', _filled(text), '"']

    def _timestamp(self, array: Array) -> Pieces:
        unit, instant = array.type.unit, array.type.tz is not None
        plain = array.cast(pa.int64()).cast(pa.timestamp(unit))
        text = pc.replace_substring(pc.cast(plain, pa.string()), " ", "T")
        digits = _DIGITS[unit]
        text = _repaired(text, _odd_year(text), array.cast(pa.int64()), lambda v: timestamp_text(v.as_py(), digits))
        return ['"', _filled(text), 'Z"' if instant else '"']

    def _duration(self, array: Array) -> Pieces:
        digits = _DIGITS[array.type.unit]
        return self._texts(array.cast(pa.int64()), lambda value: duration_text(value, digits))

    def _dictionary(self, array: Array) -> Pieces:
        if not (pa.types.is_string(array.type.value_type) or pa.types.is_large_string(array.type.value_type)):
            return self.encode(array.dictionary_decode())
        values = _joined(self.encode(array.dictionary), len(array.dictionary))
        return [pc.fill_null(pc.take(values, array.indices), "null")]

    def _struct(self, array: Array) -> Pieces:
        names = [array.type.field(index).name for index in range(array.type.num_fields)]
        # flatten() gives the fields the struct's own nulls: what stands under a null struct is never read.
        return _object(names, [self.encode(child) for child in array.flatten()])

    def _list(self, array: Array) -> Pieces:
        items = array.flatten()
        lengths = pc.if_else(array.is_valid(), pc.list_value_length(array), 0)
        return ["[", _lists(_joined(self.encode(items), len(items)), lengths), "]"]

    def _map(self, array: Array) -> Pieces:
        entries = _map_as_list(array)
        items = entries.flatten()
        lengths = pc.if_else(entries.is_valid(), pc.list_value_length(entries), 0)
        keys, values = items.field(0), items.field(1)
        key_text = _joined(self.encode(keys), len(items))
        value_text = _joined(self.encode(values), len(items))
        if not _is_text(keys.type):
            return ["[", _pairs(key_text, value_text, lengths), "]"]
        members = _lists(pc.binary_join_element_wise(key_text, value_text, ":"), lengths)
        repeating = _repeating(key_text, lengths)
        if not repeating:
            return ["{", members, "}"]
        self._notes.repeated_keys[self._column] = self._notes.repeated_keys.get(self._column, 0) + len(repeating)
        pairs = pc.binary_join_element_wise("[", _pairs(key_text, value_text, lengths), "]", "")
        mask = pa.array([index in repeating for index in range(len(array))])
        return [pc.if_else(mask, pairs, pc.binary_join_element_wise("{", members, "}", ""))]

    def _texts(self, array: Array, text: Callable[[Any], str]) -> Pieces:
        values = [None if value is None else text(value) for value in array.to_pylist()]
        return _with_nulls(['"', _filled(pa.array(values, pa.string())), '"'], array)

    _KINDS = (
        (lambda kind: pa.types.is_boolean(kind) or pa.types.is_integer(kind), _boolean),
        (lambda kind: _is_plain_text(kind), _string),
        (pa.types.is_floating, _floating),
        (pa.types.is_decimal, _decimal),
        (pa.types.is_timestamp, _timestamp),
        (pa.types.is_date, _date),
        (pa.types.is_time, _time),
        (pa.types.is_duration, _duration),
        (pa.types.is_dictionary, _dictionary),
        (pa.types.is_struct, _struct),
        (pa.types.is_map, _map),
        (lambda kind: _is_list(kind), _list),
        (lambda kind: _is_binary(kind), _binary),
    )


def _is_plain_text(kind: Any) -> bool:
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_string_view(kind)


def _is_text(kind: Any) -> bool:
    return _is_plain_text(kind) or (pa.types.is_dictionary(kind) and _is_plain_text(kind.value_type))


def _is_list(kind: Any) -> bool:
    tests = ("is_list", "is_large_list", "is_fixed_size_list", "is_list_view", "is_large_list_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def _is_binary(kind: Any) -> bool:
    tests = ("is_binary", "is_large_binary", "is_fixed_size_binary", "is_binary_view")
    return any(getattr(pa.types, test)(kind) for test in tests)


def _quoted(text: str) -> str:
    return dump_line(text)[:-1]


def _object(names: Iterable[str], columns: list[Pieces]) -> Pieces:
    pieces: Pieces = ["{"]
    for index, (name, column) in enumerate(zip(names, columns, strict=True)):
        pieces += [f"{',' if index else ''}{_quoted(name)}:", *column]
    return [*pieces, "}"]


def _joined(pieces: Pieces, rows: int) -> Array:
    """The pieces joined row by row; literals that stand together become one, for the kernel pays by argument."""
    merged: Pieces = []
    for piece in pieces:
        if isinstance(piece, str) and merged and isinstance(merged[-1], str):
            merged[-1] += piece
        else:
            merged.append(piece)
    if len(merged) == 1:
        return pa.repeat(merged[0], rows) if isinstance(merged[0], str) else merged[0]
    return pc.binary_join_element_wise(*merged, "")


def _with_nulls(pieces: Pieces, array: Array) -> Pieces:
    if not array.null_count:
        return pieces
    return [pc.if_else(array.is_valid(), _joined(pieces, len(array)), "null")]


def _filled(text: Array) -> Array:
    return pc.fill_null(text, "") if text.null_count else text


def _characters(text: Array) -> Any:
    """The characters of a string array, one after the other, as a buffer."""
    offsets = memoryview(text.buffers()[1]).cast("i")
    start, end = offsets[text.offset], offsets[text.offset + len(text)]
    data = text.buffers()[2]
    return data.slice(start, end - start) if data is not None else pa.py_buffer(b"")


def _escaped(text: Array) -> Array:
    """The texts as the inside of JSON strings. Only what occurs somewhere costs a pass."""
    if not len(text):
        return text
    data = bytes(memoryview(_characters(text)))
    found = set(data.translate(None, _PLAIN))
    if ord("\\") in found:  # first: the other escapes are made with it
        text = pc.replace_substring(text, "\\", "\\\\")
    for code in sorted(found - {ord("\\")}):
        text = pc.replace_substring(text, chr(code), json.dumps(chr(code))[1:-1])
    if not data.isascii():
        for mark in _LINE_ENDS:
            if mark.encode() in data:
                text = pc.replace_substring(text, mark, f"\\u{ord(mark):04x}")
    return text


def _odd_year(text: Array) -> Array:
    """Which dates are out of the kernels' range, or need the sign of years that have not four figures."""
    return pc.invert(pc.match_substring_regex(text, r"^\d{4}-"))


def _repaired(text: Array, odd: Array, values: Array, better: Callable[[Any], str]) -> Array:
    """The texts with those that are `odd` written by `better` from their values."""
    odd = pc.fill_null(odd, False)
    if not pc.any(odd).as_py():
        return text
    replacements = pa.array([better(value) for value in pc.filter(values, odd)], pa.string())
    return pc.replace_with_mask(text, odd, replacements)


def _lists(items: Array, lengths: Array) -> Array:
    """The texts of consecutive items joined by commas, so many to each list."""
    ends = pc.cumulative_sum(pc.cast(lengths, pa.int32()))
    offsets = pa.concat_arrays([pa.array([0], pa.int32()), ends])
    return pc.binary_join(pa.ListArray.from_arrays(offsets, items), ",")


def _pairs(keys: Array, values: Array, lengths: Array) -> Array:
    return _lists(pc.binary_join_element_wise("[", keys, ",", values, "]", ""), lengths)


def _map_as_list(array: Array) -> Array:
    kind = array.type
    entry = pa.struct([pa.field("key", kind.key_type), pa.field("value", kind.item_type)])
    return array.cast(pa.list_(entry))


def _repeating(keys: Array, lengths: Array) -> set[int]:
    """The maps that have a key twice."""
    parents = pa.array([i for i, n in enumerate(lengths.to_pylist()) for _ in range(n)], pa.int64())
    both = pc.binary_join_element_wise(pc.cast(parents, pa.string()), keys, ":")
    if pc.count_distinct(both).as_py() == len(both):
        return set()
    counts = pc.value_counts(both)
    twice = pc.filter(counts.field(0), pc.greater(counts.field(1), 1))
    return {int(text.partition(":")[0]) for text in twice.to_pylist()}
