"""What a heading line says: folded for comparing, a bare number, a bare label ("Chapter Four"), a title.

Pure functions on single lines; nothing here knows about files or records.
"""

import html
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass

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

_ONES = "one two three four five six seven eight nine"
_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen"
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINAL_ONES = "first second third fourth fifth sixth seventh eighth ninth"
_ORDINALS = (
    "tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth "
    "twentieth thirtieth fortieth fiftieth last"
)
# Words that name a unit of a book, in the languages the tests and the named corpora have.
_UNITS = (
    "chapter part book section lecture letter canto act scene volume appendix essay lesson stave episode "
    "kapitel teil buch abschnitt band brief anhang "
    "chapitre partie livre tome lettre annexe "
    "capítulo capitulo parte libro capitolo carta sección hoofdstuk deel boek "
    "глава часть книга том"
)


def _any(words: str) -> str:
    return "|".join(words.split())


_NUMBER_WORD = (
    rf"(?:{_any(_TENS)})(?:[ -](?:{_any(_ONES)}|{_any(_ORDINAL_ONES)}))?"
    rf"|{_any(_TEENS)}|{_any(_ONES)}|{_any(_ORDINALS)}|{_any(_ORDINAL_ONES)}"
)
_COUNTED = rf"(?:\d+|{_ROMAN}|{_NUMBER_WORD}|[a-z])"
_LABEL = re.compile(
    rf"(?:(?:{_any(_UNITS)})[ .:]*(?:no\. ?|the |n° ?)?{_COUNTED}"  # Chapter 4, Part the Second, Appendix B
    rf"|(?:the )?(?:\d+\.|{_NUMBER_WORD}) (?:{_any(_UNITS)})"  # First Part, 2. Kapitel
    rf"|第[\d〇零一二三四五六七八九十百]+[章部卷回节節編篇]"
    rf")[ .:,—–-]*"
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
    return is_number(line) or bool(_LABEL.fullmatch(plain(line).casefold()))


def read_heading(lines: Sequence[str]) -> Heading:
    """The title of a run of heading lines, joined by blanks, and the label that stood before it.

    Bare labels go where another line follows; what stood before the last label (a part's title) goes with it.
    Where all lines are labels, the last one is the title.
    """
    texts = [plain(line) for line in lines]
    labels = [i for i, text in enumerate(texts) if is_label(text)]
    if not texts:
        return Heading("", "")
    if not labels:
        return Heading(" ".join(texts), "")
    last = labels[-1]
    if last + 1 < len(texts):
        return Heading(" ".join(texts[last + 1 :]), texts[last])
    if len(labels) == len(texts):
        return Heading(texts[last], texts[last - 1] if last else "")
    return Heading(" ".join(text for i, text in enumerate(texts) if i not in labels), texts[last])
