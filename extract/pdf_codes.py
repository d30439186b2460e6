"""Character codes that stand for other letters: those of unmapped TeX fonts, and Ghostscript's for ligatures."""

import re
from string import ascii_letters

# Codes below the blank are no text; fonts of TeX without any mapping (bitmaps) have ligatures and signs there: the T1
# ("Cork") encoding from 0x10 on, the older OT1 from 0x0b on.
_CONTROL = re.compile("[\x0b-\x1f]")
_TEX_LETTERS = {
    **dict(zip(range(0x0B, 0x10), ("ff", "fi", "fl", "ffi", "ffl"), strict=True)),
    **dict(zip(range(0x10, 0x17), "“”„«»–—", strict=True)),
    **dict(zip(range(0x17, 0x1B), ("", "", "ı", "ȷ"), strict=True)),
    **dict(zip(range(0x1B, 0x20), ("ff", "fi", "fl", "ffi", "ffl"), strict=True)),
}

# Ghostscript 10.00 writes the letters of a ligature with their two bytes exchanged ("fi" is U+6600 U+6900), and of
# three letters the last two as one, added up ("ffi": U+6600 U+CF00). No Chinese word is made of such codes alone.
_SWAPPED = {chr(ord(letter) << 8): letter for letter in ascii_letters}
_ADDED = {chr(ord("f") + ord(letter) << 8): f"f{letter}" for letter in "bfhijkl"}
_LIGATURE = re.compile(f"[{''.join(_SWAPPED)}][{''.join(_SWAPPED)}{''.join(_ADDED)}]+")
_EASTERN = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")


def control_letters(text: str) -> str:
    """Control codes of unmapped TeX fonts as the letters they stand for."""
    return text.translate(_TEX_LETTERS) if _CONTROL.search(text) else text


def has_swapped(text: str) -> bool:
    """Whether there may be something for `swapped_letters` in a text."""
    return not text.isascii() and bool(_LIGATURE.search(text))


def swapped_letters(text: str) -> str:
    """Ligatures whose letters' bytes are exchanged as their letters; a line of Chinese or Korean stays as it is."""
    if not has_swapped(text):
        return text
    mended = _LIGATURE.sub(_letters, text)
    return text if _EASTERN.search(mended) else mended


def _letters(match: re.Match[str]) -> str:
    return "".join(_SWAPPED.get(code) or _ADDED[code] for code in match[0])
