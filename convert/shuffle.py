"""A shuffle of lines for files of any size: every order equally likely, fixed by the seed, in bounded memory.

**The order.** Record i has a key of 64 random bits, the i-th of a stream that SHAKE-128 makes of the seed. The records
are put out by their keys. Records whose keys are equal are told apart by further bits, drawn for them alone. So the
order depends on the seed and the records' places only: not on memory, temporary files, machine or version of Python.

**Why it is uniform.** A key with its further bits is the beginning of a random number with as many digits as are needed
to tell the numbers apart. Such numbers are independent and distributed alike, so by symmetry each of the n! orders of n
of them is equally likely. That SHAKE-128's output cannot be told from random bits is what it is trusted for (FIPS 202).

**How it is done.** Records are dealt into buckets by the first bits of their keys, in their first order; the buckets
are then sorted one after the other, or dealt again by the next bits where one is too large for the memory. Buckets are
held in memory as long as they fit there, then in temporary files. A bucket never holds a key above one of the next
bucket, so the outcome is the order by keys. This is the shuffle of Rao (Sankhya A 23, 1961) and Sandelius (J. Royal
Statistical Society B 24, 1962), who deal by random digits until each pile holds one card.
"""

import hashlib
import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, ExitStack
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

from bookblend.progress import Meter

T = TypeVar("T")

_KEY_BITS = 64
# Keys drawn from one call of the hash: large enough that the call costs nothing, small for tiny files.
_BLOCK = 2048
# 128 buckets a level: few enough to be open together where a process may have 256 files, and with 256 MB of memory
# enough for 20 GB in two passes.
_BUCKET_BITS = 7
_BUCKETS = 1 << _BUCKET_BITS
_LEVELS = _KEY_BITS // _BUCKET_BITS
# What a record costs beside its bytes: object, key, entries of lists and of the dictionary that sorts (measured: 280).
OVERHEAD = 300
# Bytes put out at once.
_PIECE = 1 << 20
# Memory for the records that are dealt together; more only leaves the processor's caches.
_DEAL = 16 << 20
# Of a frame in a bucket: its records, and their bytes.
_HEADER = struct.Struct("<QQ")
_BOMS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff")


@dataclass(slots=True)
class Counts:
    """What has been read: records, those of them without a byte, bytes with newlines, inputs that begin with a BOM."""

    records: int = 0
    blank: int = 0
    size: int = 0
    marked: int = 0


class Keys:
    """The keys of the records in their order, as the seed gives them."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self._block = 0
        self._ahead = array("Q")

    def take(self, count: int) -> "array[int]":
        """The keys of the next `count` records."""
        keys = self._ahead
        while len(keys) < count:
            block = array("Q", hashlib.shake_128(b"bookblend %d %d" % (self._seed, self._block)).digest(8 * _BLOCK))
            if sys.byteorder == "big":
                block.byteswap()
            keys += block
            self._block += 1
        self._ahead = keys[count:]
        del keys[count:]
        return keys

    def further(self, key: int, place: int) -> bytes:
        """More bits for one of several records with the same key: the one at `place` among them."""
        return hashlib.shake_128(b"bookblend %d tie %d %d" % (self._seed, key, place)).digest(32)


@dataclass(slots=True)
class _Batch:
    """Records, without their newlines, and their keys; `cost` is the memory that they take."""

    lines: list[bytes] = field(default_factory=list)
    keys: "array[int]" = field(default_factory=lambda: array("Q"))
    cost: int = 0

    def add(self, other: "_Batch") -> None:
        self.lines += other.lines
        self.keys += other.keys
        self.cost += other.cost


class _Bucket:
    """Records whose keys share their first bits: frames of keys and lines, in memory or in a temporary file.

    Joined, small records take a fraction of the memory that they take one by one.
    """

    def __init__(self) -> None:
        self.records = 0
        self.cost = 0
        self._held: list[tuple[array[int], bytes]] = []
        self._path: Path | None = None
        self._stream: BinaryIO | None = None

    def append(self, pile: _Batch) -> int:
        """Add a pile; returns the bytes of memory that it takes now and will add when the bucket is sorted."""
        pile.lines.append(b"")  # so that a newline ends the last record too
        data = b"\n".join(pile.lines)
        records = len(pile.keys)
        self.records += records
        self.cost += len(data) + OVERHEAD * records
        if self._stream:
            self._put(pile.keys, data)
            return 0
        self._held.append((pile.keys, data))
        return len(data) + (8 + OVERHEAD // _BUCKETS) * records

    def spill(self, path: Path) -> None:
        """From now on, keep everything in a file."""
        self._path = path
        self._stream = path.open("wb")
        for keys, data in _released(self._held):
            self._put(keys, data)

    def _put(self, keys: "array[int]", data: bytes) -> None:
        if self._stream:
            self._stream.write(_HEADER.pack(len(keys), len(data)))
            self._stream.write(keys)
            self._stream.write(data)

    def close(self) -> None:
        """End of the appending."""
        if self._stream:
            self._stream.close()

    def frames(self) -> Iterator[_Batch]:
        """The records; they are not kept, and the file is gone at the end."""
        for keys, data in _released(self._held):
            yield _frame(keys, data)
        if self._path:
            with self._path.open("rb") as stream:
                while header := stream.read(_HEADER.size):
                    records, size = _HEADER.unpack(header)
                    yield _frame(array("Q", stream.read(8 * records)), stream.read(size))
            self._path.unlink()


def _frame(keys: "array[int]", data: bytes) -> _Batch:
    lines = data.split(b"\n")
    lines.pop()  # behind the last newline
    return _Batch(lines, keys, len(data) + OVERHEAD * len(keys))


class Shuffle:
    """One shuffle: `run` reads inputs to their ends and writes their records in the seed's order.

    `budget` is the memory for records in bytes; `folder` gives the folder for temporary files, and is called only where
    the records do not fit into it. A record that is itself larger than the budget takes up to twice its size.
    `expected`: bytes that there are at least, where that is known (holding what will not fit only costs memory).
    """

    def __init__(self, keys: Keys, budget: int, folder: Callable[[], Path], expected: int = 0) -> None:
        self.counts = Counts()
        self._keys = keys
        self._budget = budget
        self._deal = min(_DEAL, budget // 4)
        self._hold = budget - 2 * self._deal if expected < budget else 0
        # Lines of a few bytes take fifty times their size: a piece that is read must not outgrow what is dealt at once.
        self._reading = self._deal // 64
        self._piece = min(_PIECE, budget // 16)
        self._folder = folder
        self._files = 0

    def run(self, inputs: Iterable[AbstractContextManager[BinaryIO]], out: BinaryIO) -> Counts:
        """Shuffle the records of all `inputs`, in the order given, into `out`."""
        batches = self._gathered(self._read(inputs))
        first = next(batches, _Batch())
        second = next(batches, None)
        with Meter(0, "writing") as meter:
            if second:
                buckets = self._dealt(chain(_released([first, second]), batches), 0)
                self._pass_on(buckets, 1, out, meter)
            else:
                self._write(first, out, meter)
        return self.counts

    def _read(self, inputs: Iterable[AbstractContextManager[BinaryIO]]) -> Iterator[_Batch]:
        """The records of each piece that is read, the newline of the last one given where it has none."""
        for opened in inputs:
            with opened as stream:
                yield from self._split(stream)

    def _split(self, stream: BinaryIO) -> Iterator[_Batch]:
        counts = self.counts
        begun: list[bytes] = []
        fresh = True
        while piece := stream.read(self._reading):
            counts.marked += fresh and piece.startswith(_BOMS)
            fresh = False
            counts.size += len(piece)
            lines = piece.split(b"\n")
            begun.append(lines.pop())
            if lines:
                lines[0] = b"".join([*begun[:-1], lines[0]])
                del begun[:-1]
                yield self._batch(lines, len(piece))
        last = b"".join(begun)
        if last:
            counts.size += 1
            yield self._batch([last], len(last))

    def _batch(self, lines: list[bytes], size: int) -> _Batch:
        self.counts.records += len(lines)
        self.counts.blank += lines.count(b"")
        return _Batch(lines, self._keys.take(len(lines)), max(size, len(lines[0])) + OVERHEAD * len(lines))

    def _gathered(self, batches: Iterable[_Batch]) -> Iterator[_Batch]:
        """Small batches put together to such as are worth dealing."""
        whole = _Batch()
        for batch in batches:
            whole.add(batch)
            if whole.cost >= self._deal:
                yield whole
                whole = _Batch()
        if whole.lines:
            yield whole

    def _dealt(self, batches: Iterable[_Batch], level: int) -> list[_Bucket]:
        """Deal records into new buckets by the bits of their keys at `level`."""
        buckets = [_Bucket() for _ in range(_BUCKETS)]
        held = 0
        spilled = False
        with ExitStack() as stack:
            for batch in batches:
                for bucket, pile in zip(buckets, _piles(batch, level), strict=True):
                    if pile.lines:
                        held += bucket.append(pile)
                if held > self._hold and not spilled:
                    spilled = True
                    for bucket in buckets:
                        bucket.spill(self._folder() / str(self._files))
                        stack.callback(bucket.close)
                        self._files += 1
        return buckets

    def _pass_on(self, buckets: list[_Bucket], level: int, out: BinaryIO, meter: Meter) -> None:
        """Write the records of buckets that were dealt at the level before, one bucket after the other."""
        for bucket in _released(buckets):
            if bucket.cost > self._budget and bucket.records > 1 and level < _LEVELS:
                self._pass_on(self._dealt(self._gathered(bucket.frames()), level), level + 1, out, meter)
                continue
            whole = _Batch()
            for frame in bucket.frames():
                whole.add(frame)
            self._write(whole, out, meter)

    def _write(self, batch: _Batch, out: BinaryIO, meter: Meter) -> None:
        """Write records that fit into memory, by their keys, a piece of about `_PIECE` bytes at a time."""
        step = max(1, len(batch.lines) * self._piece // max(1, batch.cost))
        ordered = self._ordered(batch)
        while piece := list(islice(ordered, step)):
            piece.append(b"")  # so that a newline ends the last record too
            out.write(data := b"\n".join(piece))
            meter.advance(len(data))

    def _ordered(self, batch: _Batch) -> Iterator[bytes]:
        by_key = dict(zip(batch.keys, batch.lines, strict=True))
        if len(by_key) == len(batch.lines):
            return map(by_key.__getitem__, sorted(by_key))
        return self._told_apart(batch)

    def _told_apart(self, batch: _Batch) -> Iterator[bytes]:
        """Records by their keys where some keys are equal (never seen: 1 in 37,000 shuffles of a million records)."""
        piles: dict[int, list[bytes]] = {}
        for key, line in zip(batch.keys, batch.lines, strict=True):
            piles.setdefault(key, []).append(line)
        for key, lines in sorted(piles.items()):
            bits = [self._keys.further(key, place) for place in range(len(lines))]
            yield from (line for _, line in sorted(zip(bits, lines, strict=True)))


def _piles(batch: _Batch, level: int) -> list[_Batch]:
    """Deal a batch by the bits of its keys at `level`; the batch is empty afterwards."""
    shift = _KEY_BITS - _BUCKET_BITS * (level + 1)
    # Keys and lines by turns: one call a record, and slices take them apart again.
    piles: list[list[Any]] = [[] for _ in range(_BUCKETS)]
    deal = [pile.extend for pile in piles]
    for pair in zip(batch.keys, batch.lines, strict=True):
        deal[pair[0] >> shift & _BUCKETS - 1](pair)
    batch.lines, batch.keys = [], array("Q")
    return [_Batch(pile[1::2], array("Q", pile[::2])) for pile in piles]


def _released(items: list[T]) -> Iterator[T]:
    """The items of a list, which lets go of each as it is handed on."""
    items.reverse()
    while items:
        yield items.pop()
