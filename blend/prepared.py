"""A source's prepared documents on disk, as all later stages read them.

`text.txt` is what people and other tools read: each document, a line that holds exactly the eos text, a blank line.
`index.npy` says where each document stands in it, so nothing is ever found again by looking for the eos.
"""

import hashlib
import json
import os
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np

from bookblend.blend.documents import unstuffed
from bookblend.blend.workspace import DOCUMENTS, INDEX, TEXT

# One document: the place and length in bytes of its text in text.txt, its words (what whitespace splits, the eos not
# counted), its group and its text as hashes: the first 64 bits of a SHA-256, by which two of twenty million documents
# are taken for one with a chance of one in a hundred thousand.
RECORD = np.dtype([("start", "<i8"), ("bytes", "<i8"), ("words", "<i8"), ("group", "<u8"), ("text", "<u8")])


def text_hash(data: bytes) -> int:
    """The hash of a text by which `RECORD` knows it, of its bytes as they stand in text.txt."""
    return int.from_bytes(hashlib.sha256(data).digest()[:8], "big")


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

    def labels(self, numbers: Sequence[int] | Any) -> list[str]:
        """The labels of some documents, by number in ascending order."""
        wanted = set(map(int, numbers))
        with self._path.with_name(DOCUMENTS).open(encoding="utf-8", newline="\n") as stream:
            return [str(json.loads(line)["id"]) for number, line in enumerate(stream) if number in wanted]

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
    """A source's text file, open for documents in any order; not mapped, as memory would then grow with the file."""

    def __init__(self, prepared: Prepared) -> None:
        self._starts, self._sizes = prepared.index["start"], prepared.index["bytes"]
        self._stream = prepared.path.open("rb", buffering=0)

    def raw(self, number: int) -> bytes:
        """One document's bytes."""
        return os.pread(self._stream.fileno(), int(self._sizes[number]), int(self._starts[number]))

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()
