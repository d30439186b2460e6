"""The zip archive of an EPUB: members found however a book spells them, read within limits, never written anywhere.

Reads members by hand (local header, then zlib with a bound) so that a member that inflates past its limit costs no
more than the limit, whatever its header says, and so that a wrong checksum costs a warning and no chapter.
Leaves out: repairing archives without a directory, and zip64 oddities beyond what `zipfile` reads.
"""

import contextlib
import re
import struct
import unicodedata
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import unquote

from bookblend.errors import InputError

MIB = 1 << 20
# One document of a real book is rarely over 5 MiB (the largest of 558 books measured: 4); a parsed tree takes up to
# twenty times its bytes, so this keeps one document well under a gigabyte.
DOCUMENT_LIMIT = 32 * MIB
# All documents of one book together. The largest book of the set holds 36 MiB of markup.
BOOK_LIMIT = 128 * MIB
# A picture book of the set has 4,000 members; past this the directory alone is an attack.
MEMBER_LIMIT = 100_000

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_LOCAL_HEADER = struct.Struct("<4s22xHH")
_ENCRYPTED = 0x1
_UTF8_NAME = 0x800

# What a file that is no zip begins with, for a message that helps.
_MAGIC = (
    (b"%PDF", "a PDF"),
    (b"\xff\xd8\xff", "a JPEG picture"),
    (b"\x89PNG", "a PNG picture"),
    (b"BOOKMOBI", "a Kindle book"),
    (b"\xd0\xcf\x11\xe0", "an old Word document"),
    (b"{\\rtf", "an RTF document"),
)


class DamagedMemberError(InputError):
    """One member cannot be read; the rest of the book may be fine."""


class Archive:
    """An opened EPUB archive. Collects one-line warnings in `warnings`, in the order they arose.

    Raises `InputError` where the file is missing, a folder, empty, or no zip archive.
    """

    def __init__(self, path: Path) -> None:
        self.title = path.name
        self.warnings: list[str] = []
        self._total = 0
        self._found: dict[tuple[str, str], str | None] = {}
        _check_file(path)
        try:
            self._zip = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, NotImplementedError, ValueError, struct.error, EOFError) as error:
            raise InputError(f"{path.name}: {_why_no_zip(path)}") from error
        infos = self._zip.infolist()
        if len(infos) > MEMBER_LIMIT:
            self._zip.close()
            raise InputError(f"{path.name}: {len(infos)} members, more than the limit of {MEMBER_LIMIT} (a zip bomb?)")
        self._infos = {info.filename: info for info in infos if not info.filename.endswith("/")}
        self._loose, self._bases = _loose_names(self._infos.values())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._zip.close()

    @property
    def names(self) -> tuple[str, ...]:
        """The member names, in the archive's order."""
        return tuple(self._infos)

    def warn(self, text: str) -> None:
        """Keep one warning, once; names in it may hold anything, line ends too."""
        text = one_line(text)
        if text not in self.warnings:
            self.warnings.append(text)

    def find(self, base: str, href: str) -> str | None:
        """The member that `href`, written in member `base`, means; None for remote addresses and missing files.

        Tried in this order: as written, percent-decoded, then regardless of case, of Unicode composition and of
        slashes, then by base name where only one member has it. `..` stops at the archive's root.
        """
        key = (base.rpartition("/")[0], href)
        if key in self._found:
            return self._found[key]
        name = self._find(*key)
        if len(self._found) < MEMBER_LIMIT:
            self._found[key] = name
        return name

    def _find(self, folder: str, href: str) -> str | None:
        href = re.sub(r"[\t\r\n]", "", href).strip().partition("#")[0]
        if not href or _SCHEME.match(href) or href.startswith("//"):
            return None
        spellings = []
        for text in (href, href.partition("?")[0]):
            spellings += [text, unquote(text), unquote(text, encoding="latin-1")]
        paths = list(dict.fromkeys(_join(folder, text) for text in spellings))
        for path in paths:
            if path in self._infos:
                return path
        for path in paths:
            if (name := self._loose.get(_fold(path))) is not None:
                return name
        for path in paths:
            if (name := self._bases.get(_fold(path).rpartition("/")[2])) is not None:
                return name
        return None

    def read(self, name: str, limit: int = DOCUMENT_LIMIT) -> bytes:
        """The bytes of a member.

        Raises `InputError` where it is encrypted by the zip itself, inflates past `limit` bytes, or the book's
        documents together pass `BOOK_LIMIT`; `DamagedMemberError` where nothing of it can be read.
        """
        info = self._infos[name]
        if info.flag_bits & _ENCRYPTED:
            raise InputError(one_line(f"{self.title}: {name} is locked with a zip password; give an unlocked copy"))
        data = b"" if info.file_size > limit else self._inflate(info, limit)
        if info.file_size > limit or len(data) > limit:
            raise InputError(
                one_line(
                    f"{self.title}: {name} inflates past {limit // MIB} MiB, the size limit of one document "
                    "(a zip bomb?); nothing was read"
                )
            )
        self._total += len(data)
        if self._total > BOOK_LIMIT:
            raise InputError(
                one_line(
                    f"{self.title}: its documents inflate past {BOOK_LIMIT // MIB} MiB together, the size limit of "
                    f"one book (a zip bomb?); stopped at {name}"
                )
            )
        return data

    def _inflate(self, info: zipfile.ZipInfo, limit: int) -> bytes:
        """At most `limit` + 1 bytes of a member; a warning where the checksum does not match."""
        if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
            return self._inflate_other(info, limit)
        packed = self._packed(info)
        data = packed[: limit + 1] if info.compress_type == zipfile.ZIP_STORED else self._unzip(info, packed, limit)
        if len(data) <= limit and zlib.crc32(data) != info.CRC:
            self.warn(f"{info.filename}: damaged in the archive (its checksum does not match); read as it is")
        return data

    def _packed(self, info: zipfile.ZipInfo) -> bytes:
        """A member's bytes as they are in the archive."""
        stream = self._zip.fp
        head = b""
        if stream is not None and info.header_offset >= 0:
            stream.seek(info.header_offset)
            head = stream.read(_LOCAL_HEADER.size)
        if stream is None or len(head) < _LOCAL_HEADER.size or not head.startswith(b"PK\x03\x04"):
            raise self._damaged(info, "no member stands where the archive's directory says")
        _, name_size, extra_size = _LOCAL_HEADER.unpack(head)
        stream.seek(name_size + extra_size, 1)
        return stream.read(info.compress_size)

    def _damaged(self, info: zipfile.ZipInfo, why: str) -> DamagedMemberError:
        return DamagedMemberError(one_line(f"{self.title}: {info.filename}: {why}"))

    def _unzip(self, info: zipfile.ZipInfo, packed: bytes, limit: int) -> bytes:
        try:
            return zlib.decompressobj(-zlib.MAX_WBITS).decompress(packed, limit + 1)
        except zlib.error:
            data = _salvage(packed, limit)
        if not data:
            raise self._damaged(info, "its compressed data are damaged")
        return data

    def _inflate_other(self, info: zipfile.ZipInfo, limit: int) -> bytes:
        """Members packed with a method EPUB does not allow (bzip2, LZMA), as far as `zipfile` knows it."""
        try:
            with self._zip.open(info) as member:
                return member.read(limit + 1)
        except (NotImplementedError, RuntimeError, OSError, EOFError, ValueError, zipfile.BadZipFile) as error:
            raise self._damaged(info, f"cannot be unpacked ({error})") from error


def one_line(text: str) -> str:
    """A message on one line, whatever names are in it."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def _salvage(packed: bytes, limit: int) -> bytes:
    """What a damaged deflate stream gives before its fault."""
    inflater = zlib.decompressobj(-zlib.MAX_WBITS)
    pieces: list[bytes] = []
    size = 0
    for start in range(0, len(packed), 64):
        try:
            piece = inflater.decompress(packed[start : start + 64], limit + 1 - size)
        except zlib.error:
            break
        pieces.append(piece)
        size += len(piece)
        if size > limit:
            break
    return b"".join(pieces)


def _check_file(path: Path) -> None:
    if path.is_dir():
        raise InputError(f"{path.name}: is a folder; give an .epub file (an unpacked book must be zipped again)")
    if not path.is_file():
        raise InputError(f"{path.name}: no such file")
    if path.stat().st_size == 0:
        raise InputError(f"{path.name}: is empty (0 bytes); fetch the book again")


def _why_no_zip(path: Path) -> str:
    with path.open("rb") as stream:
        head = stream.read(512)
    if head.startswith(b"PK"):
        return "is damaged: the zip archive has no directory at its end (cut off?); fetch the book again"
    for magic, what in _MAGIC:
        if magic in head[:80]:
            return f"is no EPUB but {what}"
    if b"<html" in head.lower() or b"<!doctype html" in head.lower():
        return "is no EPUB but an HTML page (a failed download?)"
    return "is no EPUB: not a zip archive"


def _join(folder: str, href: str) -> str:
    """`href` seen from `folder`, with `.` and `..` resolved inside the archive."""
    href = href.replace("\\", "/")
    parts: list[str] = [] if href.startswith("/") or not folder else folder.split("/")
    for part in href.split("/"):
        if part == "..":
            parts = parts[:-1]
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)


def _fold(name: str) -> str:
    return unicodedata.normalize("NFC", _join("", name)).casefold()


def _loose_names(infos: Iterable[zipfile.ZipInfo]) -> tuple[dict[str, str], dict[str, str]]:
    """Member names by folded name (the first of several wins), and by folded base name where only one has it."""
    loose: dict[str, str] = {}
    bases: dict[str, str | None] = {}
    for info in infos:
        name = info.filename
        spellings = [name]
        if not info.flag_bits & _UTF8_NAME and not name.isascii():
            # Written as UTF-8 by a tool that did not say so: `zipfile` has read the bytes as code page 437.
            with contextlib.suppress(UnicodeError):
                spellings.append(name.encode("cp437").decode("utf-8"))
        for spelling in spellings:
            loose.setdefault(_fold(spelling), name)
        base = _fold(spellings[-1]).rpartition("/")[2]
        bases[base] = None if base in bases else name
    return loose, {base: name for base, name in bases.items() if name is not None}
