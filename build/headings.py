"""What a heading line says: folded for comparing, a bare number, a bare label ("Chapter Four"), a title.

Pure functions on single lines; nothing here knows about files or records.
"""

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

from bookblend.extract import labels

# Typographic signs and what a keyboard has for them. Dashes too: nobody types an em dash after --start.
_TYPED = str.maketrans(
    dict.fromkeys("‘’‚‛′ʼ", "'") | dict.fromkeys("“”„‟″", '"') | dict.fromkeys("‐‑‒–—―−", "-") | {"\u00ad": None}
)
# Emphasis that converters leave in headings: "**Preface**", "*Note* to the reader".
_EMPHASIS = re.compile(r"(\*{1,3}|_{1,3})(?=\S)(.+?)(?<=\S)\1(?!\w)")

# Roman numerals under 400, also in the old additive spelling (IIII, XXXX). No book has more chapters, and beyond that
# lie words ("MIX" is 1009, "DIX" 509, "MD" 1500).
_ROMAN = r"(?=[ivxlc])c{0,3}(?:xc|xl|l?x{0,4})(?:ix|iv|v?i{0,4})"
_ROMAN_LINE = re.compile(rf"{_ROMAN}\.?|{_ROMAN.upper()}\.?")
_DIGIT_LINE = re.compile(r"\d+\.?")

# Labels that count with letters ("Appendix B"), and those of Chinese and Japanese books, beside `extract.labels`.
_OTHER_LABEL = re.compile(
    r"(?:appendix|anhang|annexe|bijlage|part|section) [a-z][ .:—–-]*"
    r"|第[\d〇零一二三四五六七八九十百]+[章部卷回节節編篇]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Heading:
    """What a record's heading lines say: its title, and the bare label ("CHAPTER ONE") that stood before it, or ""."""

    title: str
    label: str


def plain(line: str) -> str:
    """A heading line without what converters leave in it: emphasis marks, entities, runs of blanks."""
    line = html.unescape(line)
    while (bare := _EMPHASIS.sub(r"\2", line)) != line:
        line = bare
    return " ".join(line.replace("\\_", "_").split())


def typed(line: str) -> str:
    """A plain heading line with quotes and dashes as a keyboard has them."""
    return plain(line).translate(_TYPED)


def fold(line: str) -> str:
    """A heading line for comparing: whatever its case, blanks, quotes and dashes."""
    return " ".join(unicodedata.normalize("NFKC", typed(line)).casefold().split())


def is_number(line: str) -> bool:
    """Whether a heading line is only a number: digits or a roman numeral, perhaps with a dot ("XII.", "7")."""
    text = plain(line)
    return bool(_DIGIT_LINE.fullmatch(text) or _ROMAN_LINE.fullmatch(text))


def is_label(line: str) -> bool:
    """Whether a heading line only counts: a number alone, or a unit's word and its number ("Part Two")."""
    text = plain(line)
    if is_number(line) or _OTHER_LABEL.fullmatch(text):
        return True
    # There "MIX" is a number too; here a title must not go for a label.
    return labels.is_label(text) and not labels.is_bare_number(text)


def read_heading(lines: Sequence[str]) -> Heading:
    """The title of a run of heading lines, joined by blanks, and the label that stood before it.

    Bare labels go where another line follows; what stood before the last label (a part's title) goes with it.
    Where all lines are labels, the last one is the title.
    """
    texts = [plain(line) for line in lines]
    counting = [i for i, text in enumerate(texts) if is_label(text)]
    if not texts:
        return Heading("", "")
    if not counting:
        return Heading(" ".join(texts), "")
    last = counting[-1]
    if last + 1 < len(texts):
        return Heading(" ".join(texts[last + 1 :]), texts[last])
    if len(counting) == len(texts):
        return Heading(texts[last], texts[last - 1] if last else "")
    return Heading(" ".join(text for i, text in enumerate(texts) if i not in counting), texts[last])
