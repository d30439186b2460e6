"""The stage `encode`: every document of a source as token ids, once; passes and blends only copy them.

`ids.bin` holds the ids of all documents in file order, each closed by the eos id, as 16 bits where the vocabulary
allows and else 32; `lengths.npy` their lengths.
"""

import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from bookblend.blend.encode import encode_documents
from bookblend.blend.encoder import Encoder
from bookblend.blend.model import Source
from bookblend.blend.prepared import Prepared
from bookblend.blend.workspace import INDEX, TEXT, Workspace
from bookblend.errors import InputError
from bookblend.files import HashedStream, Outputs
from bookblend.progress import Meter
from bookblend.talk import warn

# Part of a source's tokens that may be unknown: more is the wrong tokenizer for the text.
UNKNOWN_LIMIT = 0.01
IDS, LENGTHS = "ids.bin", "lengths.npy"


class Encoded:
    """A source's ids: `lengths` (int64, eos counted) by document."""

    def __init__(self, folder: Path) -> None:
        self.lengths: Any = np.load(folder / LENGTHS)
        self._ends = np.cumsum(self.lengths)
        tokens = int(self._ends[-1]) if len(self._ends) else 0
        path = folder / IDS
        self._kind = np.dtype(np.uint16 if path.stat().st_size == 2 * tokens else np.uint32)
        self._stream = path.open("rb", buffering=0)  # not mapped, as memory would then grow with the file

    def document(self, number: int) -> Any:
        """One document's ids with its eos."""
        width, count = self._kind.itemsize, int(self.lengths[number])
        start = (int(self._ends[number]) - count) * width
        return np.frombuffer(os.pread(self._stream.fileno(), count * width, start), self._kind)

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()


def encode_source(
    workspace: Workspace, source: Source, prepared: Prepared, encoder: Encoder, again: bool = False
) -> Encoded:
    """A source's ids, made where they are not up to date with its documents and the tokenizer."""
    folder = workspace.encoded(source.name)
    beside = workspace.prepared(source.name)
    inputs = {name: workspace.sha256(beside / name) for name in (TEXT, INDEX)} | {"tokenizer": encoder.sha256}
    settings = {"eos": encoder.eos}
    if again or workspace.current(folder, settings, inputs) is None:
        workspace.make(folder)
        with Outputs() as outputs:
            made, report = _write(folder, outputs, prepared, encoder, source.name)
            workspace.sign(outputs, folder, settings=settings, inputs=inputs, made=made, report=report)
    return Encoded(folder)


def _write(
    folder: Path, outputs: Outputs, prepared: Prepared, encoder: Encoder, name: str
) -> tuple[dict[str, str], dict[str, Any]]:
    kind = np.uint16 if encoder.vocabulary <= 1 << 16 else np.uint32
    lengths: list[Any] = []
    ids_stream = HashedStream(outputs.open(folder / IDS))
    unknown = 0
    for ids, sizes in encode_documents(_shown(prepared, name), encoder):
        unknown += encoder.count_unknown(ids)
        ids_stream.write(ids.astype(kind).data)
        lengths.append(sizes)
    sizes = np.concatenate([np.empty(0, np.int64), *lengths])
    sizes_stream = HashedStream(outputs.open(folder / LENGTHS))
    np.lib.format.write_array(sizes_stream, sizes)
    total = int(sizes.sum())
    check_unknown(name, unknown, total)
    made = {IDS: ids_stream.hexdigest, LENGTHS: sizes_stream.hexdigest}
    return made, {"documents": len(prepared), "tokens": total, "unknown": unknown}


def check_unknown(name: str, unknown: int, total: int) -> None:
    """Warn of tokens that stand for what the vocabulary does not hold; raise `InputError` where they are many."""
    if unknown > total * UNKNOWN_LIMIT:
        raise InputError(
            f"source '{name}': {unknown / total:.4g} of its tokens are unknown to the tokenizer (at most "
            f"{UNKNOWN_LIMIT:g} may be); use one with a byte alphabet, or let the blend train its own"
        )
    if unknown:
        warn(f"source '{name}': {unknown:,} of {total:,} tokens are unknown to the tokenizer; their text is lost")


def _shown(prepared: Prepared, name: str) -> Iterator[str]:
    """All texts in file order, with progress by bytes."""
    with Meter(int(prepared.index["bytes"].sum()), f"{name}: tokens") as meter:
        sizes: Iterable[int] = prepared.index["bytes"]
        for text, size in zip(prepared.texts(range(len(prepared))), sizes, strict=True):
            yield text
            meter.advance(int(size))
