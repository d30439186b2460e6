"""A source's prepared documents on disk, as all later stages read them.

`text.txt` is what people and other tools read: each document, a line that holds exactly the eos text, a blank line.
`index.npy` says where each document stands in it, so nothing is ever found again by looking for the eos.
"""

import mmap
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from bookblend.blend.workspace import INDEX, TEXT

# One document: the place and length in bytes of its text in text.txt, its words (what whitespace splits, the eos not
# counted), its group and its text as hashes: the first 64 bits of a SHA-256, by which two of twenty million documents
# are taken for one with a chance of one in a hundred thousand.
RECORD = np.dtype([("start", "<i8"), ("bytes", "<i8"), ("words", "<i8"), ("group", "<u8"), ("text", "<u8")])


def stuffed(text: str, eos: str) -> str:
    """A text in which no line is the eos text: lines of it, or of blanks and it, are set in by one blank more."""
    return re.sub(rf"(?m)^(?= *{re.escape(eos)}$)", " ", text) if eos in text else text


def unstuffed(text: str, eos: str) -> str:
    """The text that `stuffed` was given."""
    return re.sub(rf"(?m)^ (?= *{re.escape(eos)}$)", "", text) if eos in text else text


class Prepared:
    """A source's documents; `index` is an array of `RECORD`."""

    def __init__(self, folder: Path, eos: str, recipe: bool) -> None:
        self._path = folder / TEXT
        self._eos = "" if recipe else eos  # the recipe's rules leave a text's own eos lines as they are
        self.index: Any = np.load(folder / INDEX)

    def __len__(self) -> int:
        return len(self.index)

    @property
    def path(self) -> Path:
        """The text file."""
        return self._path

    def reader(self) -> "Reader":
        """The documents' bytes by number, until it is closed."""
        return Reader(self)

    def raw(self, numbers: Sequence[int] | Any) -> Iterator[bytes]:
        """The bytes of some documents, by number, as they stand in the file, without the eos line."""
        with closing(self.reader()) as reader:
            for number in numbers:
                yield reader.raw(number)

    def texts(self, numbers: Sequence[int] | Any) -> Iterator[str]:
        """The texts of some documents, by number, as they were before they were written."""
        for data in self.raw(numbers):
            text = data.decode("utf-8")
            yield unstuffed(text, self._eos) if self._eos else text


class Reader:
    """A source's text file mapped into memory, so that documents may be read in any order."""

    def __init__(self, prepared: Prepared) -> None:
        self._starts, self._sizes = prepared.index["start"], prepared.index["bytes"]
        self._map: mmap.mmap | None = None
        if len(self._starts):  # an empty file cannot be mapped
            with prepared.path.open("rb") as stream:
                self._map = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)

    def raw(self, number: int) -> bytes:
        """One document's bytes."""
        assert self._map is not None
        start = int(self._starts[number])
        return self._map[start : start + int(self._sizes[number])]

    def close(self) -> None:
        """Let go of the file."""
        if self._map is not None:
            self._map.close()
