"""Glyphs without a right Unicode value: noticed by what they do to the text, mended from the embedded fonts.

A font's ToUnicode table may map ligatures to private use, to NUL or to a wrong letter, or be scrambled as a whole. The
embedded font program often knows better: its glyphs have names ("f_f_i") or a character map of their own. Only books
that show a sign of such faults are looked at, so a clean book costs nothing.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import median
from typing import Any

import pymupdf

from bookblend.clean.hyphens import Lexicon
from bookblend.extract.pdf_lines import TEXT_FLAGS, Page

library: Any = pymupdf  # its functions are untyped
mupdf = library.mupdf

_PRIVATE = re.compile("[\ue000-\uf8ff\ufffd\x00]")
# A capital inside a lower-case word: "aOce" for "affice" read through a wrong table. "McX" and "iX" are names.
_INNER_CAPITAL = re.compile(r"\b(?!Mc|Mac|De|La|Le|Di|Fitz|i[A-Z]|e[A-Z])[A-Za-z]?[a-z]+[A-Z][a-z]+\b")
# A figure inside a word: "won9t", where an apostrophe is mapped to it.
_INNER_DIGIT = re.compile(r"(?<=[a-z])[0-9<=](?=[a-z])")
_INNER_SIGN = re.compile(r"[a-z][A-Z0-9<=][a-z]")
# Words with such a sign beyond this share of all are no names: a letter is read wrongly all over the book.
_INNER_SHARE = 0.002
_LATIN_WORD = re.compile(r"\b[a-zA-Z]{3,}\b")
_VOWELLESS = re.compile(r"\b[b-df-hj-np-tv-xzB-DF-HJ-NP-TV-XZ]{3,}\b")
# Of Latin words of three letters and more at most this share has no vowel (English 0.01, Czech 0.05, shifted 0.5).
_VOWELLESS_SHARE = 0.2
# Fewer words without a vowel are usual on a page of prose (numerals, abbreviations).
_LEAST_VOWELLESS = 8
# On a page with fewer words the share is chance.
_LEAST_WORDS = 40
# Glyph names that only number the glyphs tell nothing.
_NUMBERED_NAME = re.compile(r"(?:g|gid|glyph|cid|index|char|c|a)?\d+$|\.notdef|\.null", re.I)
_BFCHAR = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f\s]*)>")
_BLOCK = re.compile(rb"begin(bfchar|bfrange)(.*?)end\1", re.S)
_BFRANGE = re.compile(rb"<([0-9A-Fa-f]+)>\s*<([0-9A-Fa-f]+)>\s*(?:<([0-9A-Fa-f\s]*)>|\[(.*?)\])", re.S)
# General punctuation, and what its dashes, quotation marks and dots become when its two bytes are added up.
_PUNCTUATION = 0x2000
_ADDED_SIGNS = frozenset(chr((code >> 8) + (code & 0xFF)) for code in map(ord, "–—‘’‚“”„†‡•…‰‹›"))
# Letters, figures and signs of ASCII that stand in its order in a font before another place is doubted.
_LEAST_IN_ORDER = 20
# A soft hyphen inside a word.
_INNER_SOFT = re.compile("([^\\W\\d_]+)\xad([^\\W\\d_]+)")
# One that is drawn is wider than this many ems.
_LEAST_WIDTH = 0.15
# Widths, in ems, that differ by less are one glyph's.
_SAME_GLYPH = 0.02
# So many pages with some are looked at: what a book does with them it does everywhere.
_PROBES = 5
# Where at least this share of the glyphs agrees with the table, the names are believed on the others too.
_AGREEMENT = 0.5


def is_suspicious(pages: Sequence[Page]) -> bool:
    """Whether the text shows signs of wrongly mapped glyphs."""
    inner = words = 0
    private = False
    for page in pages:
        text = "\n".join([line.text for line in page.lines])
        private = private or (not text.isascii() and bool(_PRIVATE.search(text)))
        page.garbled = _is_garbled(text)
        words += text.count(" ")
        if _INNER_SIGN.search(text):
            inner += len(_INNER_CAPITAL.findall(text)) + len(_INNER_DIGIT.findall(text))
    return private or (inner >= 2 and inner >= _INNER_SHARE * words) or any(page.garbled for page in pages)


def settle_private(pages: Sequence[Page]) -> None:
    """Write private-use characters that no font explained as U+FFFD, counted; a bullet that opens a line stays."""
    for page in pages:
        for line in page.lines:
            if line.text.isascii() or not _PRIVATE.search(line.text):
                continue
            head = 1 if "\uf000" <= line.text[0] <= "\uf0ff" else 0
            body, count = _PRIVATE.subn("\ufffd", line.text[head:])
            page.unmapped += count - line.text.count("\ufffd")
            line.text = line.text[:head] + body


def settle_soft_hyphens(pages: Sequence[Page], document: Any, lexicon: Lexicon) -> bool:
    """Write soft hyphens as hyphens where the book's fonts map the drawn hyphen to them, in place; returns whether.

    Inside a line a soft hyphen is not drawn. Where those of the first few pages that have some are the glyph that
    stands at line ends, and most of their words are none without a hyphen, the code is the hyphen's own: rewritten
    files have one glyph for both.
    """
    widths: list[float] = []
    ends: list[float] = []
    words = known = probes = 0
    for page in pages:
        inner = [pair for line in page.lines if "\xad" in line.text for pair in _INNER_SOFT.findall(line.text)]
        if inner and probes < _PROBES:
            probes += 1
            words += len(inner)
            known += sum(lexicon.frequency(f"{one}{two}") > 0 for one, two in inner)
            for share, at_end in _soft_widths(document[page.number - 1]):
                (ends if at_end else widths).append(share)
    hyphen = median(ends) if ends else None
    drawn = sum(share > _LEAST_WIDTH and (not hyphen or abs(share - hyphen) < _SAME_GLYPH) for share in widths)
    if 2 * drawn <= words or 2 * known > words:
        return False
    for page in pages:
        for line in page.lines:
            line.text = line.text.replace("-\xad", "-").replace("\xad", "-")
    return True


def _soft_widths(page: Any) -> Iterator[tuple[float, bool]]:
    """The widths, in ems, of the soft hyphens of a page, and whether each ends its line."""
    for block in page.get_text("rawdict", flags=TEXT_FLAGS)["blocks"]:
        for raw in block["lines"]:
            glyphs = [(char, span["size"]) for span in raw["spans"] for char in span["chars"]]
            for place, (char, size) in enumerate(glyphs):
                if char["c"] == "\xad":
                    at_end = all(after["c"].isspace() for after, _ in glyphs[place + 1 :])
                    yield (char["bbox"][2] - char["bbox"][0]) / size, at_end


def _is_garbled(text: str) -> bool:
    """Whether too many Latin words of a page have no vowel for them to be of any language."""
    vowelless = len(_VOWELLESS.findall(text))
    # The cheap count first: a page of prose has a handful (numerals, abbreviations).
    if vowelless < _LEAST_VOWELLESS:
        return False
    words = len(_LATIN_WORD.findall(text))
    return words >= _LEAST_WORDS and vowelless > _VOWELLESS_SHARE * words


def mend_fonts(document: Any, garbled: bool) -> int:
    """Rewrite the ToUnicode tables that disagree with their font programs; returns how many fonts were changed.

    `document` is an open PyMuPDF document, changed in memory only. With `garbled` the tables are disbelieved as a
    whole, else only where most of a font's glyphs agree with theirs.
    """
    changed = 0
    for xref in range(1, document.xref_length()):
        if document.xref_get_key(xref, "Type")[1] == "/Font" and document.xref_get_key(xref, "Subtype")[1] == "/Type0":
            changed += _mend_font(document, xref, garbled)
    return changed


def _mend_font(document: Any, xref: int, garbled: bool) -> bool:
    if document.xref_get_key(xref, "Encoding")[1] not in ("/Identity-H", "/Identity-V"):
        return False
    kind, value = document.xref_get_key(xref, "DescendantFonts/0/CIDToGIDMap")
    if kind not in ("null", "name") or value not in ("null", "/Identity"):
        return False
    program = document.extract_font(xref)[3]
    if not program:
        return False
    names = _glyph_texts(program)
    declared = _read_table(document, xref)
    added = _added_bytes(declared)
    if added and not names:
        _write_table(document, xref, {**declared, **added})
        return True
    both = [gid for gid in names if gid in declared and not _PRIVATE.search(declared[gid])]
    agree = sum(_same(names[gid], declared[gid]) for gid in both)
    believed = garbled or (bool(both) and agree >= _AGREEMENT * len(both))
    wrong = [
        gid
        for gid, text in names.items()
        if gid not in declared or _PRIVATE.search(declared[gid]) or (believed and not _same(text, declared[gid]))
    ]
    if not wrong:
        return False
    _write_table(document, xref, {**declared, **{gid: names[gid] for gid in wrong}})
    return True


def _added_bytes(declared: Mapping[int, str]) -> dict[int, str]:
    """The glyphs whose punctuation Ghostscript 10.00 wrote with its two bytes added up (U+2019 as U+0039, "9").

    Told by the order of the glyphs, which is that of ASCII in most fonts: a sign of ASCII is not where it should be.
    """
    steps = Counter(ord(text) - gid for gid, text in declared.items() if len(text) == 1 and " " < text <= "~")
    if not steps:
        return {}
    step, count = steps.most_common(1)[0]
    if count < _LEAST_IN_ORDER:
        return {}
    return {
        gid: chr(_PUNCTUATION + ord(text) - (_PUNCTUATION >> 8))
        for gid, text in declared.items()
        if text in _ADDED_SIGNS and ord(text) - gid != step
    }


def _same(one: str, other: str) -> bool:
    return unicodedata.normalize("NFKC", one).casefold() == unicodedata.normalize("NFKC", other).casefold()


def _glyph_texts(program: bytes) -> dict[int, str]:
    """What each glyph of a font program stands for, by its name or by the program's own character map."""
    font = library.Font(fontbuffer=program)
    texts: dict[int, str] = {}
    for code in font.valid_codepoints():
        gid = font.has_glyph(code)
        if gid and not _PRIVATE.match(chr(code)):
            texts.setdefault(gid, unicodedata.normalize("NFC", chr(code)).replace("\xa0", " "))
    for gid in range(1, font.glyph_count):
        text = _text_of_name(mupdf.fz_get_glyph_name2(font.this, gid))
        if text and (gid not in texts or len(text) > 1):
            texts[gid] = text
    return texts


def _text_of_name(name: str) -> str:
    """Adobe's rule for glyph names: a suffix after "." is dropped, "_" parts the letters of a ligature."""
    if not name or _NUMBERED_NAME.match(name):
        return ""
    parts = name.partition(".")[0].split("_")
    codes = [mupdf.fz_unicode_from_glyph_name_strict(part) for part in parts if part]
    if not codes or not all(codes) or any(_PRIVATE.match(chr(code)) for code in codes):
        return ""
    return "".join(unicodedata.normalize("NFKC" if 0xFB00 <= code <= 0xFB06 else "NFC", chr(code)) for code in codes)


def _read_table(document: Any, xref: int) -> dict[int, str]:
    kind, value = document.xref_get_key(xref, "ToUnicode")
    if kind != "xref":
        return {}
    table: dict[int, str] = {}
    for block in _BLOCK.finditer(document.xref_stream(int(value.split()[0])) or b""):
        table.update(_entries(block[1], block[2]))
    return table


def _entries(kind: bytes, body: bytes) -> Iterable[tuple[int, str]]:
    if kind == b"bfchar":
        for code, target in _BFCHAR.findall(body):
            yield int(code, 16), _utf16(target)
        return
    for low, high, start, listed in _BFRANGE.findall(body):
        first, last = int(low, 16), min(int(high, 16), int(low, 16) + 0xFFFF)
        if listed:
            for code, target in zip(range(first, last + 1), re.findall(rb"<([0-9A-Fa-f\s]*)>", listed), strict=False):
                yield code, _utf16(target)
        elif text := _utf16(start):
            for code in range(first, last + 1):
                yield code, text[:-1] + chr(min(ord(text[-1]) + code - first, 0x10FFFF))


def _utf16(digits: bytes) -> str:
    raw = bytes.fromhex(b"".join(digits.split()).decode("ascii").ljust(4, "0"))
    return raw.decode("utf-16-be", "replace")


def _write_table(document: Any, xref: int, table: dict[int, str]) -> None:
    rows = [f"<{gid:04X}> <{text.encode('utf-16-be').hex().upper()}>" for gid, text in sorted(table.items()) if text]
    blocks = [rows[i : i + 100] for i in range(0, len(rows), 100)]
    body = "\n".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar" for block in blocks)
    stream = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Mended def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{body}\nendcmap end end"
    )
    fresh = document.get_new_xref()
    document.update_object(fresh, "<<>>")
    document.update_stream(fresh, stream.encode("ascii"))
    document.xref_set_key(xref, "ToUnicode", f"{fresh} 0 R")
