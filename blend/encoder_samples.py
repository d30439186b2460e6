"""Texts on which two encoders tend to part: what the fast one must encode like the reference before it is used."""

from collections.abc import Iterator, Sequence
from typing import Protocol

# Single words are in question as much as their surroundings: each sample also stands between others in one batch.
_FIXED = (
    "",
    " ",
    "  \t\t ",
    "\n",
    "\n\n\n",
    "one\r\ntwo \r\n three\r",
    "The ferry left at nine; nobody saw it come back.",
    "  led by  two   blanks and ended   ",
    "don't WON'T I'll he'S they’re 's 'S ''t",
    "0 12 345 6789 3.1416 1,000,000 ½ ² Ⅷ ٣٤ ௧",
    "x1y22z333 4444a 5b",
    "...!!! ?!—– «»„“” (a)[b]{c}<d>",
    ".\n.\n\n. \n .",
    "snake_case camelCase kebab-case a/b\\c @user #tag $9 100%",
    "é e\u0301 e\u0323\u0301 \u0301x \u0308\u0308",
    "Straße ſ K İ ı ŉ ǅ ﬁ ﬂ ﬆ",
    "дом мир ёж Ελληνικά שָׁלוֹם مرحبا بالعالم",
    "日本語のテキスト。漢字 カタカナ 中文字符",
    "हिन्दी में লেখা ไทย ខ្មែរ 한국어 \u1100\u1161\u11a8",
    "\U0001f468\u200d\U0001f469\u200d\U0001f467 \U0001f44d\U0001f3fd \U0001f1e9\U0001f1ea \u2764\ufe0f",
    "\U0001d49c\U0001d4b7 \U00020000\U0002a6d6 \U0010ffff",
    "a\u00a0b\u2009c\u202fd\u3000e\u200bf\u2060g\ufeffh",
    "\ufeffmark first",
    "a\u0085b\u2028c\u2029d\x0be\x0cf\x1cg",
    "\x00 \x01\x02 \x1f \x7f \x9f",
    "\ufffd \ufffe \uffff \ue000 \ud7ff",
    "</s> <s>x<unk> <pad> <|endoftext|><|im_start|> [CLS][SEP] <0x0A><0xFF> ▁ ▁▁a",
    "a" * 700,
    " " * 700 + "x",
    "\n" * 300 + " x",
    "ab " * 400,
    "1234567890" * 80,
    "\u0301" * 200,
    "=-" * 300,
)
# Added tokens tried, and pieces of the vocabulary joined into texts: in steps, so that all of it is drawn on.
_ADDED, _JOINED, _TEXTS = 60, 24, 200
_STEP = 7_919  # a prime, so that steps meet every id of any vocabulary it does not divide


class _Decoder(Protocol):
    def decode(self, ids: Sequence[int]) -> str: ...


def samples(vocabulary: int, added: Sequence[str], decoder: _Decoder) -> Iterator[str]:
    """The fixed samples, the added tokens amid text, and texts joined from pieces all over the vocabulary."""
    yield from _FIXED
    for content in added[:_ADDED]:
        yield f"a{content}b {content}  {content}\n{content}{content} "
        yield content
    place = 0
    for _ in range(_TEXTS):
        ids = []
        for _ in range(_JOINED):
            ids.append(place)
            place = (place + _STEP) % vocabulary
        yield decoder.decode(ids)
