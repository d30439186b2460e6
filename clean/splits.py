"""Words that extraction or OCR has split by a blank ("diffe rent", "of fi ce"), made whole on strong evidence only.

The whole must be known, and both parts unknown (to the book, but for the odd repetition of the damage, and to the word
list); or the first is unknown, both are long, and the whole is common. The letters of a lost ligature (fi, fl, ff,
ffi, ffl) standing alone are never a word; there the whole alone decides.
"""

import re

from bookblend.clean.hyphens import Lexicon

_WORDS = re.compile(r"[^\W\d_]+")
_LIGATURES = frozenset({"fi", "fl", "ff", "ffi", "ffl"})
# A part that the book has more often is a word of its own (a name, a dialect, another language).
_DAMAGE = 2
# The frequency the lists give to mere dictionary entries: with up to three letters those are mostly abbreviations.
_UNMET = 50
_SHORT = 3
# Where the second part is a word itself: letters in either part, and the whole's frequency in the list. In 25 MB of
# sound books in four languages this joins nothing; without the bounds it would join 75 pairs ("des noods").
_LONG = 4
_COMMON = 1_000


def splits(text: str, lexicon: Lexicon) -> str:
    """`text` with split words made whole."""
    words = list(_WORDS.finditer(text))
    cuts: list[int] = []
    for at in range(len(words) - 1):
        if _adjacent(text, words, at):
            cuts += _cuts_at(text, words, at, lexicon)
    done, parts = 0, []
    for cut in sorted(set(cuts)):
        parts.append(text[done:cut])
        done = cut + 1
    return "".join(parts) + text[done:]


def _cuts_at(text: str, words: list[re.Match[str]], at: int, lexicon: Lexicon) -> list[int]:
    """The positions of the blanks to take out between word `at` and its neighbours."""
    first, second = words[at][0], words[at + 1][0]
    if not second.islower():
        return []
    if second in _LIGATURES:
        third = words[at + 2][0] if at + 2 < len(words) and _adjacent(text, words, at + 1) else ""
        if third.islower() and _known(first + second + third, lexicon):
            return [words[at].end(), words[at + 1].end()]
        if third.islower() and _known(second + third, lexicon):
            return [words[at + 1].end()]
        return [words[at].end()] if _known(first + second, lexicon) else []
    if first.lower() in _LIGATURES:
        return [words[at].end()] if _known(first + second, lexicon) else []
    if not _fragment(first, lexicon):
        return []
    whole = first + second
    sure = _known(whole, lexicon) if _fragment(second, lexicon) else _long_and_common(first, second, lexicon)
    return [words[at].end()] if sure else []


def _adjacent(text: str, words: list[re.Match[str]], at: int) -> bool:
    end, start = words[at].end(), words[at + 1].start()
    return start == end + 1 and text[end] == " "


def _fragment(part: str, lexicon: Lexicon) -> bool:
    frequency = lexicon.frequency(part)
    listed = frequency > (_UNMET if len(part) <= _SHORT else 0)
    return len(part) > 1 and not listed and lexicon.seen(part) <= _DAMAGE


def _long_and_common(first: str, second: str, lexicon: Lexicon) -> bool:
    return min(len(first), len(second)) >= _LONG and lexicon.frequency(first + second) >= _COMMON


def _known(word: str, lexicon: Lexicon) -> bool:
    return lexicon.seen(word) > 0 or lexicon.frequency(word) > _UNMET
