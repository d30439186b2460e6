"""Words that extraction or OCR has split by a blank ("diffe rent", "of fi ce"), made whole on strong evidence only.

The whole must be known, and both parts unknown (to the book, but for the odd repetition of the damage, and to the word
list); or the first is unknown, both are long, and the whole is common. The letters of a lost ligature (fi, fl, ff,
ffi, ffl) standing alone are never a word; there the whole alone decides, and a part that ends in them may recur.
"""

import re

from bookblend.clean.vocabulary import UNMET, Vocabulary

_WORDS = re.compile(r"[^\W\d_]+")
# What may stand before a word's first letter; for the quick look only.
_OPENING = re.compile("[“‘\"'(]")
_LIGATURES = frozenset({"fi", "fl", "ff", "ffi", "ffl"})
_LIGATURE_TOKENS = frozenset(ligature + mark for ligature in _LIGATURES for mark in ("", *".,;:!?)”’\"'"))
# A part that the book has more often is a word of its own (a name, a dialect, another language).
_DAMAGE = 2
# A whole that the book has once may be a slip itself.
_ESTABLISHED = 2
# Up to so many letters, what the list has from a dictionary only is mostly an abbreviation.
_SHORT = 3
# Where the second part is a word itself: letters in either part, and the whole's frequency in the list. In 25 MB of
# sound books in four languages this joins nothing; without the bounds it would join 75 pairs ("des noods").
_LONG = 4
_COMMON = 1_000


class Splits:
    """The repair for one book; made once, as it gathers the book's unknown words."""

    def __init__(self, lexicon: Vocabulary) -> None:
        self._lexicon = lexicon
        self._strangers = lexicon.strangers(_DAMAGE, tuple(_LIGATURES))
        self._suspects = self._strangers | _LIGATURE_TOKENS

    def __call__(self, text: str) -> str:
        """`text` with split words made whole."""
        if self._suspects.isdisjoint(_OPENING.sub(" ", text).lower().split()):
            return text
        words = list(_WORDS.finditer(text))
        cuts: set[int] = set()
        for at in range(len(words) - 1):
            if _adjacent(text, words, at):
                cuts.update(self._cuts_at(text, words, at))
        done, parts = 0, []
        for cut in sorted(cuts):
            parts.append(text[done:cut])
            done = cut + 1
        return "".join(parts) + text[done:]

    def _cuts_at(self, text: str, words: list[re.Match[str]], at: int) -> list[int]:
        """The positions of the blanks to take out between word `at` and its neighbours."""
        first, second = words[at][0], words[at + 1][0]
        if not second.islower():
            return []
        if second in _LIGATURES:
            third = words[at + 2][0] if at + 2 < len(words) and _adjacent(text, words, at + 1) else ""
            if third.islower() and self._known(first + second + third):
                return [words[at].end(), words[at + 1].end()]
            if third.islower() and self._known(second + third):
                return [words[at + 1].end()]
            return [words[at].end()] if self._known(first + second) else []
        if first.lower() in _LIGATURES:
            return [words[at].end()] if self._known(first + second) else []
        if not self._fragment(first):
            return []
        whole = first + second
        sure = self._known(whole) if self._fragment(second) else self._long_and_common(first, second)
        return [words[at].end()] if sure else []

    def _fragment(self, part: str) -> bool:
        if len(part) < 2:
            return False
        if part.lower() in self._strangers:
            return True
        rare = len(part) <= _SHORT and self._lexicon.seen(part) <= _DAMAGE
        return rare and self._lexicon.frequency(part) <= UNMET

    def _known(self, word: str) -> bool:
        return self._lexicon.seen(word) >= _ESTABLISHED or self._lexicon.frequency(word) > UNMET

    def _long_and_common(self, first: str, second: str) -> bool:
        return min(len(first), len(second)) >= _LONG and self._lexicon.frequency(first + second) >= _COMMON


def _adjacent(text: str, words: list[re.Match[str]], at: int) -> bool:
    end, start = words[at].end(), words[at + 1].start()
    return start == end + 1 and text[end] == " "
