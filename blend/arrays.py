"""Token arrays of one role (train, val), as trainers read them; written as a stream, each file with its SHA-256.

npy       {role}_ids.npy (uint16 or uint32) and {role}_offsets.npy (int64, documents + 1)
nanogpt   nanogpt/{role}.bin: the ids alone, which nanoGPT reads as uint16
megatron  megatron/{role}.bin and .idx: the ids, and what Megatron's IndexedDataset needs to find documents in them

The ids are uint16 if the largest that is really there fits, else uint32. The two .bin are the same bytes: one is a hard
link to the other where the file system has those.
"""

import hashlib
import os
import shutil
import struct
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy
import numpy.typing

from bookblend.blend.encoder_engines import Ids, Lengths
from bookblend.errors import InputError, UsageError
from bookblend.files import HashedStream, Outputs, sha256_file

NPY, NANOGPT, MEGATRON = FORMATS = ("npy", "nanogpt", "megatron")

_UINT16, _UINT32, _INT64 = numpy.dtype("<u2"), numpy.dtype("<u4"), numpy.dtype("<i8")
_DTYPES: dict[str, Any] = {"uint16": _UINT16, "uint32": _UINT32}
_INT32_MAX = 2**31 - 1

# numpy's format 1.0: magic, version, length of the header, header. 128 bytes hold any shape of one dimension, and numpy
# pads to a multiple of 64 as well, so the length is known before the shape is.
_NPY_HEADER = 128
_NPY_START = b"\x93NUMPY\x01\x00" + struct.pack("<H", _NPY_HEADER - 10)

# The start of Megatron's index, its version, and its numbers for the two types. It has none for uint32: ids below 2**31
# are the same bytes as int32.
_MEGATRON_START = b"MMIDIDX\x00\x00" + struct.pack("<Q", 1)
_MEGATRON_TYPES = {_UINT16: 8, _UINT32: 4}

# Items read back at once where a file is widened, or lengths are turned into offsets.
_AT_ONCE = 1 << 20


@dataclass(frozen=True, slots=True)
class Made:
    """A file that was written: its path from the folder, size, hash, the type of its numbers and how many there are."""

    file: str
    bytes: int
    sha256: str
    dtype: str
    items: int


def array_files(role: str, formats: Sequence[str]) -> list[str]:
    """The files of a role, as paths from the folder. Raises `UsageError` for a format that is none."""
    names = {
        NPY: [f"{role}_ids.npy", f"{role}_offsets.npy"],
        NANOGPT: [f"nanogpt/{role}.bin"],
        MEGATRON: [f"megatron/{role}.bin", f"megatron/{role}.idx"],
    }
    for name in formats:
        if name not in names:
            raise UsageError(f"no array format {name!r}; choose among {', '.join(FORMATS)}")
    if not formats:
        raise UsageError(f"no array format; choose among {', '.join(FORMATS)}")
    return [file for name in FORMATS if name in formats for file in names[name]]


def refuse_existing(folder: Path, roles: Sequence[str], formats: Sequence[str]) -> None:
    """Raise `UsageError` if any file of these roles is there, in any of the formats; to be called before any work."""
    for role in roles:
        for file in array_files(role, formats):
            if (folder / file).exists():
                raise UsageError(f"{folder / file}: is there already; --again writes it anew")


def write_arrays(
    folder: Path,
    role: str,
    pieces: Iterable[tuple[Ids, Lengths]],
    *,
    largest: int,
    formats: Sequence[str],
    outputs: Outputs,
    eos_id: int | None = None,
    dtype: str | None = None,
) -> list[Made]:
    """Write `pieces`, flat ids with eos and the lengths of their documents, and return what was made.

    `largest` is an id that none is above (a vocabulary's last will do). With `eos_id` each document must end with it.
    An explicit `dtype` that an id does not fit raises `InputError`, as do documents that are empty or do not end.
    """
    files = array_files(role, formats)
    if dtype is not None and dtype not in _DTYPES:
        raise UsageError(f"no type {dtype!r} for ids; choose uint16 or uint32")
    if MEGATRON in formats and largest > _INT32_MAX:
        raise InputError(f"{role}: ids up to {largest:,} do not fit Megatron's int32")
    for file in files:
        (folder / file).parent.mkdir(parents=True, exist_ok=True)
    # Which of the two comes to be linked does not matter; the ids are written once with numpy's header, once without.
    bins = [file for file in files if file.endswith(".bin")]
    streams = [_IdFile(outputs.open(folder / f"{role}_ids.npy"), _NPY_HEADER)] if NPY in formats else []
    streams += [_IdFile(outputs.open(folder / bins[0]), 0)] if bins else []
    with tempfile.TemporaryFile(dir=folder) as spool:
        width = _write_ids(role, pieces, streams, spool, eos_id, dtype, MEGATRON in formats)
        counts = _Counts(spool, width)
        made = []
        if NPY in formats:
            made += [streams[0].made(files[0], _npy_header(width, streams[0].items))]
            made += [_write_offsets(outputs.open(folder / files[1]), files[1], counts)]
        if bins:
            first = streams[-1].made(bins[0])
            made += [first]
            if len(bins) > 1:
                _link(streams[-1].stream, outputs.open(folder / bins[1]))
                made += [Made(bins[1], first.bytes, first.sha256, first.dtype, first.items)]
        if MEGATRON in formats:
            made += [_write_index(outputs.open(folder / files[-1]), files[-1], counts)]
    return made


def _write_ids(
    role: str,
    pieces: Iterable[tuple[Ids, Lengths]],
    streams: "list[_IdFile]",
    spool: BinaryIO,
    eos_id: int | None,
    dtype: str | None,
    short: bool,
) -> "numpy.dtype[Any]":
    """Write the ids to all streams and the lengths to `spool`; returns the type that the ids have in the end."""
    width = _DTYPES[dtype] if dtype else _UINT16
    documents = 0
    for ids, lengths in pieces:
        _check_documents(role, documents, ids, lengths, eos_id, short)
        top = int(ids.max(initial=0))
        if top > numpy.iinfo(width).max:
            if dtype:
                raise InputError(f"{role}: id {top:,} does not fit {dtype}; leave --dtype out, or give uint32")
            width = _UINT32
            for stream in streams:
                stream.widen()
        data = ids.astype(width, copy=False)
        for stream in streams:
            stream.append(data)
        spool.write(lengths.astype(_INT64, copy=False).data)
        documents += len(lengths)
    return width


def _check_documents(role: str, before: int, ids: Ids, lengths: Lengths, eos_id: int | None, short: bool) -> None:
    if int(lengths.sum()) != len(ids):
        raise InputError(f"{role}: {len(ids):,} ids do not make the lengths of their documents, {int(lengths.sum()):,}")
    if not len(lengths):
        return
    if lengths.min() < 1:
        number = before + int(lengths.argmin()) + 1
        raise InputError(f"{role}: document {number:,} is empty; leave it out")
    if short and lengths.max() > _INT32_MAX:
        number = before + int(lengths.argmax()) + 1
        raise InputError(
            f"{role}: document {number:,} has {int(lengths.max()):,} tokens; Megatron's index holds {_INT32_MAX:,}"
        )
    if eos_id is not None:
        ends = ids[numpy.cumsum(lengths) - 1] == eos_id
        if not ends.all():
            raise InputError(f"{role}: document {before + int(ends.argmin()) + 1:,} does not end with the eos")


class _IdFile:
    """A file of ids that may turn out to be wider than they began; hashed as it is written if nothing stands before."""

    def __init__(self, stream: BinaryIO, header: int) -> None:
        self.stream = stream
        self.items = 0
        self._header = header
        self._width = _UINT16
        self._hash = None if header else hashlib.sha256()
        stream.write(bytes(header))

    def append(self, data: "numpy.typing.NDArray[Any]") -> None:
        """Write ids that have the type of all of them so far."""
        self._width = data.dtype
        self.items += len(data)
        raw = data.data
        if self._hash:
            self._hash.update(raw)
        self.stream.write(raw)

    def widen(self) -> None:
        """Turn the ids written so far from uint16 into uint32, in place: from the end, so that none is overwritten."""
        self.stream.flush()
        with Path(self.stream.name).open("r+b") as again:
            for start in reversed(range(0, self.items, _AT_ONCE)):
                count = min(_AT_ONCE, self.items - start)
                again.seek(self._header + start * _UINT16.itemsize)
                wide = numpy.frombuffer(again.read(count * _UINT16.itemsize), _UINT16).astype(_UINT32)
                again.seek(self._header + start * _UINT32.itemsize)
                again.write(wide.data)
        if self._hash:
            with Path(self.stream.name).open("rb") as again:
                self._hash = hashlib.file_digest(again, "sha256")
        self.stream.seek(0, os.SEEK_END)

    def made(self, file: str, header: bytes = b"") -> Made:
        """Put the header in place, which is as long as was said, and say what the file is now."""
        if header:
            self.stream.seek(0)
            self.stream.write(header)
        self.stream.flush()
        # A header known only at the end: the whole file is hashed from the system's cache.
        digest = self._hash.hexdigest() if self._hash else sha256_file(Path(self.stream.name))
        size = self._header + self.items * self._width.itemsize
        return Made(file, size, digest, self._width.name, self.items)


def _npy_header(width: "numpy.dtype[Any]", items: int) -> bytes:
    text = f"{{'descr': '{width.str}', 'fortran_order': False, 'shape': ({items},), }}"
    return _NPY_START + text.ljust(_NPY_HEADER - len(_NPY_START) - 1).encode("ascii") + b"\n"


@dataclass(frozen=True, slots=True)
class _Counts:
    """The lengths of all documents, in a file, and the type of their ids."""

    spool: BinaryIO
    width: "numpy.dtype[Any]"

    @property
    def documents(self) -> int:
        self.spool.seek(0, os.SEEK_END)
        return self.spool.tell() // _INT64.itemsize

    def lengths(self) -> Iterator[Lengths]:
        """The lengths, some at a time."""
        for start in range(0, self.documents, _AT_ONCE):
            self.spool.seek(start * _INT64.itemsize)
            yield numpy.frombuffer(self.spool.read(_AT_ONCE * _INT64.itemsize), _INT64)

    def ends(self) -> Iterator[Lengths]:
        """Where each document ends, in tokens, some at a time."""
        before = 0
        for lengths in self.lengths():
            ends = numpy.cumsum(lengths) + before
            before = int(ends[-1])
            yield ends

    def starts(self) -> Iterator[Lengths]:
        """Where each document begins."""
        for lengths, ends in zip(self.lengths(), self.ends(), strict=True):
            yield ends - lengths


def _write_offsets(stream: BinaryIO, file: str, counts: _Counts) -> Made:
    hashed = HashedStream(stream)
    hashed.write(_npy_header(_INT64, counts.documents + 1))
    hashed.write(bytes(_INT64.itemsize))
    for ends in counts.ends():
        hashed.write(ends.data)
    return Made(file, hashed.size, hashed.hexdigest, _INT64.name, counts.documents + 1)


def _write_index(stream: BinaryIO, file: str, counts: _Counts) -> Made:
    documents = counts.documents
    hashed = HashedStream(stream)
    hashed.write(_MEGATRON_START + struct.pack("<BQQ", _MEGATRON_TYPES[counts.width], documents, documents + 1))
    for lengths in counts.lengths():
        hashed.write(lengths.astype(numpy.dtype("<i4")).data)
    for starts in counts.starts():
        hashed.write((starts * counts.width.itemsize).data)
    for start in range(0, documents + 1, _AT_ONCE):
        hashed.write(numpy.arange(start, min(start + _AT_ONCE, documents + 1), dtype=_INT64).data)
    dtype = "int32" if counts.width is _UINT32 else counts.width.name
    return Made(file, hashed.size, hashed.hexdigest, dtype, documents)


def _link(source: BinaryIO, target: BinaryIO) -> None:
    """Make the staged file `target` another name of `source`, or a copy where that cannot be."""
    source.flush()
    part = Path(target.name)
    part.unlink()
    try:
        part.hardlink_to(source.name)
    except OSError:
        shutil.copyfile(source.name, part)
