"""JSON records written as lines: strict, UTF-8, one record a line for every reader, a megabyte at a time."""

import json
import re
from json.encoder import encode_basestring
from typing import Any, BinaryIO

from bookblend.jsonio import escape_splitters

# Characters gathered before they are encoded and written.
_BATCH = 1 << 20
_encoder = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(", ", ": "))
_SPLITTER = re.compile("[\x85\u2028\u2029]")

# A string as JSON, quotation marks included (C speed).
quote = encode_basestring


def dump(value: Any) -> str:
    """A value as strict JSON in one line. Raises ValueError for NaN and infinities."""
    return _encoder.encode(value)


class LineWriter:
    """Writes records, given as JSON text without line ends, to a binary stream.

    Line separators inside strings that some readers take for line ends (U+0085, U+2028, U+2029) are written as
    escapes. `between` and the two ends make other forms of it (a JSON array); call `close` at the end.
    """

    def __init__(self, stream: BinaryIO, opening: str = "", between: str = "\n", closing: str = "\n") -> None:
        self.count = 0
        self._stream = stream
        self._between, self._closing = between, closing
        self._lines: list[str] = []
        self._size = 0
        self._lead = opening

    def write(self, record: str) -> None:
        """Add one record."""
        self.count += 1
        self._lines.append(record)
        self._size += len(record)
        if self._size >= _BATCH:
            self._flush()

    def close(self) -> None:
        """Write what is left, and the end. An empty set of lines is an empty file; an empty array is an array."""
        self._flush()
        if self.count or self._lead:
            self._stream.write((self._closing if self.count else self._lead + self._closing).encode())

    def _flush(self) -> None:
        if not self._lines:
            return
        text = self._lead + self._between.join(self._lines)
        self._lead = self._between
        if not text.isascii() and _SPLITTER.search(text):
            text = escape_splitters(text)
        self._stream.write(text.encode("utf-8"))
        self._lines.clear()
        self._size = 0
