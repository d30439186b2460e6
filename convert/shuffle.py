"""A shuffle of lines for files of any size: every order equally likely, fixed by the seed, in bounded memory.

**The order.** Record i has a key of 64 random bits, the i-th of a stream that SHAKE-128 makes of the seed. The records
are put out by their keys. Records whose keys are equal are told apart by further bits, drawn for them alone. So the
order depends on the seed and the records' places only: not on memory, temporary files, machine or version of Python.

**Why it is uniform.** A key with its further bits is the beginning of a random number with as many digits as are needed
to tell the numbers apart. Such numbers are independent and distributed alike, so by symmetry each of the n! orders of n
of them is equally likely. That SHAKE-128's output cannot be told from random bits is what it is trusted for (FIPS 202).

**How it is done.** Records that do not fit into memory are dealt into buckets by the first bits of their keys, in
their first order; buckets are read back one after the other and each is sorted in memory, or dealt again by the next
bits where it is still too large. A bucket never holds a key above one of the next bucket, so the outcome is the order
by keys. This is the shuffle of Rao (Sankhya A 23, 1961) and Sandelius (J. Royal Statistical Society B 24, 1962), who
deal by random digits until each pile holds one card.
"""

import hashlib
import struct
import sys
from array import array
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from itertools import chain, islice
from pathlib import Path
from typing import Any, BinaryIO

from bookblend.progress import Meter

_KEY_BITS = 64
# Keys drawn from one call of the hash: large enough that the call costs nothing, small for tiny files.
_BLOCK = 2048
# 128 buckets a level: few enough to be open together where a process may have 256 files, and with 256 MB of memory
# enough for 20 GB in two passes.
_BUCKET_BITS = 7
_BUCKETS = 1 << _BUCKET_BITS
# What a record costs beside its bytes: object, key, entries of lists and of the dictionary that sorts (measured: 280).
OVERHEAD = 300
# Bytes read, or put out, at once.
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
    """A temporary file of records whose keys share their first bits: frames of header, keys, lines."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.records = 0
        self.cost = 0

    def append(self, stream: BinaryIO, pile: _Batch) -> None:
        pile.lines.append(b"")  # so that a newline ends the last record too
        data = b"\n".join(pile.lines)
        pile.lines.clear()
        stream.write(_HEADER.pack(len(pile.keys), len(data)))
        stream.write(pile.keys)
        stream.write(data)
        self.records += len(pile.keys)
        self.cost += len(data) + OVERHEAD * len(pile.keys)

    def frames(self) -> Iterator[_Batch]:
        with self.path.open("rb") as stream:
            while header := stream.read(_HEADER.size):
                records, size = _HEADER.unpack(header)
                keys = array("Q", stream.read(8 * records))
                lines = stream.read(size).split(b"\n")
                lines.pop()  # behind the last newline
                yield _Batch(lines, keys, size + OVERHEAD * records)


class Shuffle:
    """One shuffle: `run` reads inputs to their ends and writes their records in the seed's order.

    `budget` is the memory for records in bytes; `folder` gives the folder for temporary files, and is called only where
    the records do not fit into it. A record that is itself larger than the budget takes up to twice its size.
    `expected`: bytes that there are at least, where that is known (to hold records back that will not fit is slow).
    """

    def __init__(self, keys: Keys, budget: int, folder: Callable[[], Path], expected: int = 0) -> None:
        self.counts = Counts()
        self._keys = keys
        self._budget = budget
        self._deal = min(_DEAL, budget // 4)
        self._hold = budget - self._deal if expected < budget else 0
        self._piece = min(_PIECE, budget // 16)
        self._folder = folder
        self._buckets = 0

    def run(self, inputs: Iterable[BinaryIO], out: BinaryIO) -> Counts:
        """Shuffle the records of all `inputs`, in the order given, into `out`."""
        batches = self._gathered(self._read(inputs))
        held: list[_Batch] = []
        cost = 0
        for batch in batches:
            held.append(batch)
            cost += batch.cost
            if cost > self._hold:
                break
        with Meter(0, "writing") as meter:
            if cost <= self._hold:
                self._write(held, out, meter)
            else:
                self._pass_on(self._dealt(chain(_released(held), batches), 0), 1, out, meter)
        return self.counts

    def _read(self, inputs: Iterable[BinaryIO]) -> Iterator[_Batch]:
        """The records of each piece that is read, the newline of the last one given where it has none."""
        counts = self.counts
        for stream in inputs:
            begun: list[bytes] = []
            fresh = True
            while piece := stream.read(self._piece):
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
        folder = self._folder()
        buckets = [_Bucket(folder / str(self._buckets + place)) for place in range(_BUCKETS)]
        self._buckets += _BUCKETS
        with ExitStack() as stack:
            streams = [stack.enter_context(bucket.path.open("wb")) for bucket in buckets]
            for batch in batches:
                for bucket, stream, pile in zip(buckets, streams, _piles(batch, level), strict=True):
                    if pile.lines:
                        bucket.append(stream, pile)
        return buckets

    def _pass_on(self, buckets: list[_Bucket], level: int, out: BinaryIO, meter: Meter) -> None:
        """Write the records of buckets that were dealt at the level before, one bucket after the other."""
        for bucket in buckets:
            divisible = bucket.records > 1 and _BUCKET_BITS * (level + 1) <= _KEY_BITS
            if bucket.cost > self._budget and divisible:
                parts = self._dealt(self._gathered(bucket.frames()), level)
                bucket.path.unlink()
                self._pass_on(parts, level + 1, out, meter)
            else:
                held = list(bucket.frames())
                bucket.path.unlink()
                self._write(held, out, meter)

    def _write(self, held: list[_Batch], out: BinaryIO, meter: Meter) -> None:
        """Write records that fit into memory, by their keys, a piece of about `_PIECE` bytes at a time."""
        whole = _Batch()
        for batch in _released(held):
            whole.add(batch)
        step = max(1, len(whole.lines) * self._piece // max(1, whole.cost))
        ordered = self._ordered(whole)
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


def _released(held: list[_Batch]) -> Iterator[_Batch]:
    """The batches of a list, which lets go of each as it is handed on."""
    held.reverse()
    while held:
        yield held.pop()
