"""The encoding of a text file, told by its first bytes: what they declare, or what they can be."""

import codecs
import io
from typing import Any, BinaryIO, cast

from bookblend.convert.streams import PIECE, label
from bookblend.errors import InputError, UsageError

UTF8, WINDOWS = "utf-8", "windows-1252"
# Byte order marks; UTF-32's little-endian one begins like UTF-16's.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
# Without a mark: of the bytes at even (odd) places this share is zero in UTF-16 of any Western text.
_ZERO_SHARE = 0.4
# The longest sequence of UTF-8 bytes may be cut at the sample's end.
_LONGEST = 4


def detect(sample: bytes, whole: bool) -> str:
    """The encoding of a text that begins with `sample` (`whole`: it is all of it): a mark's, UTF-16, UTF-8, else
    Windows-1252, which any other Western text can be read in."""
    for mark, name in _MARKS:
        if sample.startswith(mark):
            return name
    even, odd = sample[::2], sample[1::2]
    if odd and odd.count(0) >= _ZERO_SHARE * len(odd) and not even.count(0):
        return "utf-16-le"
    if even and even.count(0) >= _ZERO_SHARE * len(even) and not odd.count(0):
        return "utf-16-be"
    try:
        codecs.getincrementaldecoder(UTF8)().decode(sample, final=whole)
    except UnicodeDecodeError as error:
        # Letters in UTF-8 before the fault: a file of two encodings, whose other letters must not be guessed at.
        return WINDOWS if sample[: error.start].isascii() else UTF8
    return UTF8


def check_encoding(name: str) -> None:
    """Raise `UsageError` for an encoding that nobody knows."""
    try:
        "".encode(name)  # refuses codecs that are none of text, as hex
        b"ab".decode(name, "ignore")
    except (LookupError, UnicodeError) as error:
        raise UsageError(f"--encoding {name}: no such encoding; try utf-8, utf-16, windows-1252, latin-1") from error


class Peeked(io.RawIOBase):
    """A stream whose first bytes have been looked at: `sample`, and `whole` where there are no more."""

    def __init__(self, stream: BinaryIO, size: int = PIECE) -> None:
        self.sample = _read_up_to(stream, size)
        self.whole = len(self.sample) < size
        self._stream: Any = stream
        self._left = memoryview(self.sample)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        if not self._left:
            return cast("int", self._stream.readinto(buffer))
        view = memoryview(cast("bytearray", buffer))
        count = min(len(view), len(self._left))
        view[:count] = self._left[:count]
        self._left = self._left[count:]
        return count


def _read_up_to(stream: BinaryIO, size: int) -> bytes:
    pieces, left = [], size
    while left and (piece := stream.read(left)):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)


def undecodable(name: str, encoding: str, where: str, error: UnicodeError) -> InputError:
    """What to tell of bytes that are no text in the encoding."""
    reason = getattr(error, "reason", "") or str(error)
    other = WINDOWS if encoding.startswith("utf-8") else UTF8
    return InputError(
        f"{label(name)}: {where}: cannot be decoded as {encoding} ({reason}); say the encoding, as --encoding {other}"
    )
