"""Repairs of single characters: each a stateless `str → str` that leaves sound text as it is.

Left out on purpose: NFKC (it would turn ½, ™, ①, x² and full-width letters into something else), straightening of
quotes and dashes, and any change of spelling.
"""

import re
import unicodedata

# Terminal control sequences (ECMA-48: CSI, parameters, intermediates, final) go whole, not just their escape.
_TERMINAL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]")
# Everything that ends a line or page for somebody: CR LF, CR, VT, FF, NEL, LINE and PARAGRAPH SEPARATOR.
_BREAKS = re.compile("\r*\n\r*|[\r\x0b\x0c\x85\u2028\u2029]")
_CONTROLS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufffc\ufffe\uffff]")
# What stays after line ends are settled: C0 but tab and newline, DEL, object replacement, noncharacters.
_REST = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffc\ufffe\uffff]")
# C1 controls are never text; where they occur, a Windows-1252 file was read as Latin-1 (WHATWG reads it so too).
_C1 = {byte: bytes([byte]).decode("cp1252") for byte in range(0x80, 0xA0) if byte not in (0x81, 0x8D, 0x8F, 0x90, 0x9D)}
_C1_OF_WINDOWS = re.compile("[\x80\x82-\x84\x86-\x8c\x8e\x91-\x9c\x9e\x9f]")

# The Latin ligatures of the Alphabetic Presentation Forms block; its Armenian and Hebrew letters are not damage.
_LIGATURES = {
    0xFB00: "ff",
    0xFB01: "fi",
    0xFB02: "fl",
    0xFB03: "ffi",
    0xFB04: "ffl",
    0xFB05: "st",
    0xFB06: "st",
}
_HAS_LIGATURE = re.compile("[ﬀ-ﬆ]")

# Joiners shape letters in these scripts: Arabic and its kin, Mongolian; Devanagari to Sinhala, Tibetan, Myanmar, Khmer.
_JOINING = "\u0600-\u08ff\u0900-\u0dff\u0f00-\u109f\u1780-\u18af\ua840-\ua87f\ua8e0-\uabff\ufb50-\ufdff\ufe70-\ufefc"
_PICTURE = "\u2190-\u2bff\ufe0f\u20e3\U0001f000-\U0001faff"
# A soft hyphen before a line end is evidence that the hyphen repair uses; any other is invisible.
_INVISIBLE = re.compile(
    "[\u200b\ufeff\u2060-\u2064\u180e]"
    "|\u00ad(?![ \t]*\n)"
    f"|\u200c(?<![{_JOINING}]\u200c)(?![{_JOINING}])"
    f"|\u200d(?<![{_JOINING}]\u200d)(?![{_JOINING}])(?:(?<![{_PICTURE}]\u200d)|(?![{_PICTURE}]))"
)
_MAY_HIDE = re.compile("[\u00ad\u180e\u200b-\u200d\u2060-\u2064\ufeff]")


def controls(text: str) -> str:
    """Line and page breaks of every kind to "\\n", Windows-1252 characters read as Latin-1 to what they were, no other
    control characters; tab stays."""
    if not _CONTROLS.search(text):
        return text
    text = _TERMINAL.sub("", text)
    if _C1_OF_WINDOWS.search(text):  # then U+0085 is an ellipsis; alone it is NEL, a line end
        text = text.translate(_C1)
    return _REST.sub("", _BREAKS.sub("\n", text))


def invisibles(text: str) -> str:
    """Without zero-width spaces, inner byte order marks, word joiners and soft hyphens. The joiners ZWNJ and ZWJ stay
    beside letters of the scripts that they shape, and ZWJ between the parts of an emoji."""
    return _INVISIBLE.sub("", text) if _MAY_HIDE.search(text) else text


def composition(text: str) -> str:
    """In Unicode normal form C: accents composed with their letters, nothing else changed."""
    return text if unicodedata.is_normalized("NFC", text) else unicodedata.normalize("NFC", text)


def ligatures(text: str) -> str:
    """The ligature characters ﬀ to ﬆ as the letters they stand for."""
    return text.translate(_LIGATURES) if _HAS_LIGATURE.search(text) else text
