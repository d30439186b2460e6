"""Files as the converters read and write them: by name, or `-` for standard input and output; gzip and zstd as well.

An input's compression is told by its first bytes, so a pipe may be compressed too; an output's by its suffix (`.gz`,
`.zst`). Compressed bytes are the same on every run: no time, no name, one thread.
"""

import errno
import gzip
import io
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, cast

import zstandard

from bookblend.errors import InputError, NoRoomError, UsageError
from bookblend.files import Outputs, check_source, check_target, refuse_same_file
from bookblend.progress import Meter

STANDARD = "-"
GZIP, ZSTD = ".gz", ".zst"
_MAGIC = {GZIP: b"\x1f\x8b", ZSTD: b"\x28\xb5\x2f\xfd"}
# Bytes asked for at once where pieces of a stream are handed on.
PIECE = 1 << 20
_GZIP_LEVEL, _ZSTD_LEVEL = 6, 3


def check_names(sources: list[str], target: str, folders: bool = False) -> None:
    """Say early what is wrong with the names of a command's inputs and output, before anything is read.

    With `folders` an input may be one. Raises `InputError`, `UsageError` or `BookblendError` with the one line that the
    user needs.
    """
    if sources.count(STANDARD) > 1:
        raise UsageError("standard input (-) can be read once only; name the other files")
    for source in sources:
        if source != STANDARD:
            if not (folders and Path(source).is_dir()):
                check_source(Path(source), may_be_empty=True)
            if target != STANDARD:
                refuse_same_file(Path(source), Path(target))
    if target != STANDARD:
        check_target(Path(target))


def label(name: str) -> str:
    """An input as errors name it."""
    return "standard input" if name == STANDARD else name


@contextmanager
def open_input(name: str, watch: Callable[[memoryview], object] | None = None) -> Iterator[BinaryIO]:
    """The decompressed bytes of an input; progress is shown by the share of the file that has been read.

    `watch` is given the bytes that are read as they stand in the file, such as for their hash.
    Raises `InputError` where the compressed data are damaged or cut off.
    """
    size = 0 if name == STANDARD else Path(name).stat().st_size
    try:
        with _raw(name) as raw, Meter(size, label(name)) as meter:
            counted = io.BufferedReader(_Counted(raw, meter, watch), PIECE)
            yield _decompressed(counted, name)
    except (gzip.BadGzipFile, zlib.error, zstandard.ZstdError) as error:
        raise InputError(f"{label(name)}: its compressed data are damaged ({error}); get another copy") from error
    except EOFError as error:
        raise InputError(f"{label(name)}: is cut off inside its compressed data; get a whole copy") from error


def _raw(name: str) -> AbstractContextManager[BinaryIO]:
    """A stream without a buffer of its own: such a buffer is filled without looking for a Ctrl-C between two reads."""
    if name == STANDARD:
        return nullcontext(getattr(sys.stdin.buffer, "raw", sys.stdin.buffer))
    return cast("AbstractContextManager[BinaryIO]", Path(name).open("rb", buffering=0))


def is_packed(head: bytes) -> bool:
    """Whether a file that begins with these bytes is compressed."""
    return head.startswith(tuple(_MAGIC.values()))


def _decompressed(stream: Any, name: str) -> Any:
    head = stream.peek(4)[:4]
    for suffix, magic in _MAGIC.items():
        if head.startswith(magic):
            if suffix == GZIP:
                return gzip.GzipFile(fileobj=stream, mode="rb")
            return io.BufferedReader(_ZstdFrames(stream), PIECE)
        if name.endswith(suffix) and head:
            raise InputError(f"{name}: is no {suffix} file (its first bytes say so); rename it or get another copy")
    return stream


class _Counted(io.RawIOBase):
    """A raw stream that tells a meter how much has been read, and shows it to who watches."""

    def __init__(self, raw: Any, meter: Meter, watch: Callable[[memoryview], object] | None) -> None:
        self._raw = raw
        self._meter = meter
        self._watch = watch

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        read = self._raw.readinto(buffer) or 0
        self._meter.advance(read)
        if self._watch:
            self._watch(memoryview(cast("bytearray", buffer))[:read])
        return read


class _ZstdFrames(io.RawIOBase):
    """All frames of a zstd stream, one after the other; `EOFError` where the last one is not whole."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._left = b""
        self._out = memoryview(b"")
        self._frame: zstandard.ZstdDecompressionObj | None = None

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        while not self._out and self._fill():
            pass
        view = memoryview(cast("bytearray", buffer))
        count = min(len(view), len(self._out))
        view[:count] = self._out[:count]
        self._out = self._out[count:]
        return count

    def _fill(self) -> bool:
        data = self._left or self._stream.read(PIECE)
        self._left = b""
        if not data:
            if self._frame is not None:
                raise EOFError
            return False
        if self._frame is None:
            self._frame = zstandard.ZstdDecompressor().decompressobj()
        self._out = memoryview(self._frame.decompress(data))
        if self._frame.eof:
            self._left = self._frame.unused_data
            self._frame = None
        return True


@contextmanager
def open_output(name: str) -> Iterator[BinaryIO]:
    """A binary stream to an output, which appears under its name when the block ends without an error.

    Raises `NoRoomError` for a full disk, also where something else was written in the block.
    """
    if name == STANDARD:
        with told_of_room("standard output", "the result"):
            yield sys.stdout.buffer
            sys.stdout.buffer.flush()
        return
    target = Path(name)
    with told_of_room(str(target.parent), target.name), Outputs() as outputs:
        raw = outputs.open(target)
        if target.suffix == GZIP:
            with gzip.GzipFile(filename="", mode="wb", compresslevel=_GZIP_LEVEL, fileobj=raw, mtime=0) as packed:
                yield cast("BinaryIO", packed)
        elif target.suffix == ZSTD:
            with zstandard.ZstdCompressor(level=_ZSTD_LEVEL).stream_writer(raw, closefd=False) as writer:
                yield cast("BinaryIO", writer)
        else:
            yield raw


@contextmanager
def told_of_room(place: str, what: str) -> Iterator[None]:
    """A full disk as one line that says where: what the system says names no file."""
    try:
        yield
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            raise
        raise NoRoomError(
            f"{place}: no room for {what} ({error.strerror}); free some, or choose another folder"
        ) from error
