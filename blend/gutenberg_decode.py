"""Bytes of a Gutenberg file into text: what the bytes are counts more than what the header says.

Own rules instead of a detection library: nearly all of the collection's files are UTF-8, Latin-1 or Windows-1252, and a
header names most others.
"""

import codecs
import re
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice

WINDOWS = "windows-1252"
# The header stands in the first bytes.
_HEADER = 8192
_DECLARED = re.compile(rb"(?im)^[ \t]*Character set encoding:[ \t]*([^\r\n]+)")
# What headers call encodings, letters and figures alone, where Python has another name, or a wider one of the same.
_NAMES = {
    "ascii": WINDOWS, "usascii": WINDOWS, "iso646us": WINDOWS, "iso646ususascii": WINDOWS, "iso88591": WINDOWS,
    "latin1": WINDOWS, "isolatin1": WINDOWS, "iso8859115": "iso-8859-15", "cp1252": WINDOWS, "windowscp1252": WINDOWS,
    "windowscodepage1252": WINDOWS, "gb2312": "gb18030", "gb": "gb18030", "gbk": "gb18030", "big5": "big5hkscs",
    "shiftjis": "cp932", "sjis": "cp932", "euckr": "cp949", "macroman": "mac_roman", "ibm850": "cp850",
    "codepage1251": "cp1251", "windowscodepage1251": "cp1251",
}  # fmt: skip
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_ESCAPE = b"\x1b"
_ZIP, _PDF = b"PK\x03\x04", b"%PDF-"
# A text has no NUL; of UTF-16 without a mark nearly every other byte is one.
_ZERO_SHARE = 0.3
# UTF-8 read as Windows-1252 and written as UTF-8 once more: its lead bytes as letters, each before a mark.
_TWICE = re.compile("[ÂÃ][\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]|â€")
_TWICE_LEAST = 3
_BEYOND_ASCII = re.compile("[^\x00-\x7f]+")
# Of bytes outside ASCII in a text of another script than the Latin one; accents of European texts stay under a fifth.
_FOREIGN = 0.3
_CYRILLIC = ("cp1251", "koi8-r", "cp866", "iso8859-5")
_GREEK = ("iso8859-7",)
_ASIAN = ("gb18030", "big5hkscs", "cp932", "euc_jp", "euc_kr")
_LATIN = (WINDOWS, "cp850", "mac_roman")
# So many of a file's bytes beyond ASCII tell its encoding.
_SAMPLE = 65536
# Bytes that are valid UTF-8 where they stand for every one that is not: the file is UTF-8 with other lines in it.
_MOSTLY = 4


@dataclass(frozen=True, slots=True)
class Decoded:
    """A text, the encoding it was read in, how that was told, and what its header declared ("" for nothing).

    `source` holds the bytes where they were the text's UTF-8 already.
    """

    text: str
    encoding: str
    how: str
    declared: str = ""
    source: bytes | None = None

    @property
    def utf8(self) -> bytes:
        """The text as UTF-8; halves of surrogate pairs become question marks."""
        return self.text.encode("utf-8", "replace") if self.source is None else self.source


class UnreadableError(ValueError):
    """Bytes that are no text; the message says why."""


def decode(data: bytes) -> Decoded:
    """A file's text. Raises `UnreadableError` for what is no text in any encoding."""
    for mark, name in _MARKS:
        if data.startswith(mark):
            return _marked(data, mark, name)
    declared = _declared(data)
    if data.isascii() and b"\x1b$" not in data[:_SAMPLE] and b"\0" not in data:
        return Decoded(data.decode("ascii"), "ascii", "bytes", declared, data)
    if data.startswith((_ZIP, _PDF)):
        raise UnreadableError("is an archive or a PDF, not a text")
    if b"\0" in data:
        return _wide(data, declared)
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return _single(data, declared)
    if _ESCAPE in data and b"\x1b$" in data:
        return _attempt(data, "iso2022_jp", declared) or Decoded(text, "utf-8", "bytes", declared)
    return _once(text, data, declared)


def _marked(data: bytes, mark: bytes, name: str) -> Decoded:
    body = data[len(mark) :] if name == "utf-8" else data
    try:
        return Decoded(body.decode(name), name, "mark", _declared(data), body if name == "utf-8" else None)
    except UnicodeDecodeError:
        if name == "utf-8":
            return _single(body, _declared(data))
        raise UnreadableError(f"begins with the mark of {name} and is none") from None


def _declared(data: bytes) -> str:
    head = data[:_HEADER]
    found = _DECLARED.search(head) if b"character set encoding" in head.lower() else None
    return found[1].decode("ascii", "replace").strip() if found else ""


def _wide(data: bytes, declared: str) -> Decoded:
    even, odd = data[:_SAMPLE:2].count(0), data[1:_SAMPLE:2].count(0)
    half = min(len(data), _SAMPLE) / 2
    for zeros, others, name in ((odd, even, "utf-16-le"), (even, odd, "utf-16-be")):
        if zeros > _ZERO_SHARE * half and others < zeros / 4:
            found = _attempt(data, name, declared)
            if found is not None:
                return found
    if data.count(0) * 1000 < len(data):  # a few: a damaged text
        return decode(data.replace(b"\0", b""))
    raise UnreadableError("holds zero bytes: no text")


def _once(text: str, data: bytes, declared: str) -> Decoded:
    """UTF-8, undone once more if it was encoded twice."""
    # (One sign is looked for ten times as fast as two.)
    if "Ã" in text or ("â" in text and "â€" in text):
        runs = len(_BEYOND_ASCII.findall(text))
        twice = len(_TWICE.findall(text))
        if twice >= _TWICE_LEAST and twice * 2 >= runs:
            try:
                return Decoded(_back(text).decode("utf-8"), "utf-8", "encoded twice", declared)
            except (UnicodeDecodeError, UnicodeEncodeError):
                return Decoded(text, "utf-8", "encoded twice in places", declared)
    return Decoded(text, "utf-8", "bytes", declared, data)


def _back(text: str) -> bytes:
    """The bytes that were read as Windows-1252; its five holes stand for themselves."""
    return text.encode(WINDOWS, _HOLES)


def _hole(error: UnicodeError) -> tuple[bytes, int]:
    if isinstance(error, UnicodeEncodeError):
        part = error.object[error.start : error.end]
        if all("\x80" <= sign <= "\x9f" for sign in part):
            return part.encode("latin-1"), error.end
    raise error


def _other_byte(error: UnicodeError) -> tuple[str, int]:
    """A byte that is no UTF-8, as Windows-1252."""
    if isinstance(error, UnicodeDecodeError):
        byte = error.object[error.start : error.start + 1]
        return byte.decode(WINDOWS, "replace"), error.start + 1
    raise error


_HOLES, _OTHERS = "bookblend.windows-holes", "bookblend.windows-bytes"
codecs.register_error(_HOLES, _hole)
codecs.register_error(_OTHERS, _other_byte)


def _single(data: bytes, declared: str) -> Decoded:
    """What is no UTF-8: UTF-8 with other lines in it, else what the header declares, else what the bytes can be."""
    high = _count(data, _HIGH)
    good = len(data.decode("utf-8", "ignore").encode("utf-8")) - (len(data) - high)
    if good > _MOSTLY * (high - good):
        return Decoded(data.decode("utf-8", _OTHERS), "utf-8", "bytes, with windows-1252 in places", declared)
    share = _count(data[:_SAMPLE], _HIGH) / max(1, _count(data[:_SAMPLE], _LETTERS))
    name = _lookup(declared)
    if name and name != WINDOWS and not name.startswith("utf"):
        found = _attempt(data, name, declared, "header")
        if found is not None:
            return found
    foreign = share >= _FOREIGN
    if not foreign and not _count(data, _CONTROLS):
        return Decoded(data.decode(WINDOWS), WINDOWS, "header" if name == WINDOWS else "bytes", declared)
    sample = data[: _SAMPLE + data[_SAMPLE : 2 * _SAMPLE].find(b"\n") + 1] if foreign else _high(data)
    candidates = (*_ASIAN, *_CYRILLIC, *_GREEK, *_LATIN) if foreign else _LATIN
    for candidate in sorted(candidates, key=lambda candidate: -_likeness(sample, candidate)):
        found = _attempt(data, candidate, declared, "header" if name == candidate else "bytes")
        if found is not None:
            return found
    return Decoded(data.decode(WINDOWS, "replace"), WINDOWS, "bytes, some of them unknown", declared)


_HIGH = bytes(range(0x80, 0x100))
_LETTERS = bytes(range(ord("A"), ord("Z") + 1)) + bytes(range(ord("a"), ord("z") + 1)) + _HIGH
# Bytes that Latin-1 has no signs for; the accents of DOS and the Macintosh are mostly among them.
_CONTROLS = bytes(range(0x80, 0xA0))


def _count(data: bytes, which: bytes) -> int:
    return len(data) - len(data.translate(None, which))


def _high(data: bytes) -> bytes:
    """What stands around bytes that Latin-1 has no signs for: by them its relatives differ."""
    # (Bytes that are all alike are looked for twenty times as fast as those of a class.)
    found = islice(_MARKED.finditer(data.translate(_MARKING)), _PLACES)
    return b"\n".join(data[max(0, place.start() - _AROUND) : place.end() + _AROUND] for place in found)


_MARKING = bytes(0x80 if code in _CONTROLS else 0 for code in range(0x100))
_MARKED = re.compile(rb"\x80\x80*")  # begins with one byte alone, which the engine looks for at once
_PLACES, _AROUND = 2000, 8


def _lookup(declared: str) -> str:
    key = re.sub(r"[^a-z0-9]", "", declared.lower())
    if key in _NAMES:
        return _NAMES[key]
    for name in (declared, key):
        try:
            return codecs.lookup(name).name
        except (LookupError, ValueError):
            continue
    return ""


def _attempt(data: bytes, name: str, declared: str, how: str = "bytes") -> Decoded | None:
    try:
        return Decoded(data.decode(name), name, how, declared)
    except (UnicodeDecodeError, LookupError):
        return None


def _likeness(words: bytes, name: str) -> float:
    """How much words look like text in an encoding: the share of usual signs, less the others."""
    text = words.decode(name, "replace")
    signs = [sign for sign in text if sign > "\x7f"]
    if not signs:
        return 0.0
    common = _COMMON.get(name, _common_latin)
    score = sum(1 for sign in signs if common(sign)) - 4 * text.count("\ufffd")
    # A capital or a sign inside a word of small letters is the mark of a wrong guess.
    score -= 2 * len(_INSIDE.findall(text))
    return score / len(signs) * (2 if name in _ASIAN else 1)


_INSIDE = re.compile(
    "(?<=[a-zа-яα-ω])[^\x00-\x7f’‘—–“”…a-zß-ÿœšžа-яёα-ωά-ώ](?=[a-zа-яα-ω])|(?<=[a-zа-яα-ω])[À-ÞА-ЯΑ-Ω]"
)


def _common_latin(sign: str) -> bool:
    return sign in "’‘—–“”…«»£§°·¿¡" or sign.islower()


def _common_cyrillic(sign: str) -> bool:
    return sign in "оеаинтсрвлкмдпуяыьгзбчйхжшюцщ"


def _common_greek(sign: str) -> bool:
    return sign in "αοιετνσςρκπυληωμδγθχφβξζψάέήίόύώ"


def _common_asian(sign: str) -> bool:
    """Kana, Hangul, and the characters that a first level of a national set holds in any of them."""
    return "\u3041" <= sign <= "\u30ff" or "\uac00" <= sign <= "\ud7a3" or sign in _FREQUENT


# The hundred commonest characters of Chinese prose, in both scripts.
_FREQUENT = frozenset(
    "的一是不了人我在有他这這个個上们們来來到时時大地为為子中你说說生国國年着著就那和要她出也得里裡后後自以会會家可下而过過天去能对對"
    "小多然于於心学學么麼之都好看起发發当當没沒成只如事把还還用第样樣道想作种種开開美乙同此曰其者無与與"
    "，。、「」！？：；“”　．"
)
_COMMON: dict[str, Callable[[str], bool]] = {
    **dict.fromkeys(_CYRILLIC, _common_cyrillic),
    **dict.fromkeys(_GREEK, _common_greek),
    **dict.fromkeys(_ASIAN, _common_asian),
}
