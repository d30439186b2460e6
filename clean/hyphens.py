"""Hyphens at line ends, decided on evidence: was the hyphen put there by the line break, or is it the word's own?

A `Lexicon` is filled with the book's own text first; `join` then asks, in this order: the book's words (is the joined
form or the hyphenated one seen whole elsewhere, then the same for inflected forms), a word list of the language, and
rules. Left out: hyphenation patterns (a compound breaks at a legal point as well), and any look at the sentence.
"""

import re
from collections.abc import Mapping
from enum import Enum

from bookblend.clean.vocabulary import HYPHENS, PART, UNMET, Vocabulary, elided, fold, stem, without_possessive
from bookblend.clean.wordlist import words

# Only this many characters on either side of a break are looked at: no word part is longer, and a damaged text may
# hold a "word" of a million letters.
_REACH = 64

_LAST_PART = re.compile(rf"{PART}['’]?$")
_FIRST_PART = re.compile(PART)
# "don-" + "’t": no word of its own begins so.
_CLITIC = re.compile(r"['’](?:t|s|d|m|ve|ll|re)\b", re.IGNORECASE)
# Words that stand after a suspended hyphen ("long- and short-styled", "zwei- bis dreimal"). General conjunctions.
_SUSPENDING: Mapping[str, frozenset[str]] = {
    "en": words("and or to nor but versus vs as than through"),
    "de": words("und oder bis bzw sowie als wie noch statt aber"),
    "nl": words("en of tot als"),
    "fr": words("et ou à"),
    "es": words("y o e u a"),
    "it": words("e o ed od"),
    "pt": words("e ou a"),
    "ru": words("и или до а"),
}
_ANY_SUSPENDING = frozenset().union(*_SUSPENDING.values())

# Languages that write compounds as one word, or whose list is too small to call a form unknown: a form that nothing
# is known about is joined there. Everywhere else two words of the language make a hyphenated compound.
_HYPHENATING = words("en fr es it pt")

# Uninflected adjectives that stand before another one ("römisch-katholisch"), not before a mere suffix.
_GERMAN_ADJECTIVES = ("isch", "lich")
# A second part of so many letters is one; shorter ones are suffixes ("-keit") or endings.
_GERMAN_LONG = 5

# First parts that keep a hyphen before any word, also where the list knows the joined form from a dictionary only.
_HYPHENATED_FIRST: Mapping[str, frozenset[str]] = {
    "en": words("self ex all well half quasi vice ill non"),
}
# Of these the ones that begin no other word that a list could lack.
_HYPHENATED_ALWAYS: Mapping[str, frozenset[str]] = {"en": words("self non quasi")}
# Pronouns and particles that hang on any verb by a hyphen.
_CLITICS: Mapping[str, frozenset[str]] = {
    "fr": words("t il elle ils elles on je tu nous vous ce ci là moi toi y lui leur même mêmes"),
    "pt": words("se me te lhe lhes nos vos lo la los las no na nas"),
    "ru": words("то либо нибудь ка таки"),
}
# Endings that are words or look like some, but never the second part of a compound.
_SUFFIXES: Mapping[str, frozenset[str]] = {
    "en": words(
        "less lessly lessness ness nesses ful fully fulness ed en es est eth er ers ing ings ish ism isms ist ists "
        "ity ities dom doms ship ships hood ly able ably ation ations ment ments ion ions some teen ty wards "
        "son ton ley"
    ),
}
# The two-letter words that end compounds ("make-up"); any other short second part is the rest of a broken word.
_PARTICLES = words("up in on do go by me us be so it no of il je tu on ce ci là en te se la le lo")
# Words that link the parts of longer compounds ("mother-in-" + "law").
_LINKS = words("in of to and the a at by for on up o de le la des du del und am an auf à t en op van af om")
# First parts that are prefixes: words of the list, yet rarely first parts of hyphenated compounds.
_PREFIXES: Mapping[str, frozenset[str]] = {
    "en": words(
        "ab ac ad af al an ap ar as at be com con de dis em en es im in inter ir mis ob par per pro "
        "re sub sup sur un mac mc"
    ),
}


def may_suspend(word: str) -> bool:
    """Whether a word can follow a suspended hyphen in any language ("long- and …"): a cheap question before `judge`."""
    return word.lower() in _ANY_SUSPENDING


class Hyphen(Enum):
    """What a hyphen at a line end is, and what stands between the parts when the lines are joined."""

    WRAP = ""
    COMPOUND = "-"
    SUSPENDED = "- "


class Lexicon(Vocabulary):
    """The words of one book, and what they say about a hyphen at a line end. Fill it with the whole book, then ask."""

    def join(self, left: str, right: str) -> str:
        """Join a line's last token, without its hyphen, and the next line's first token.

        "remem", "bering," → "remembering,"; "self", "made" → "self-made"; "pre", "and" → "pre- and".
        """
        return f"{left}{self.judge(left, right).value}{right}"

    def judge(self, left: str, right: str) -> Hyphen:
        """What the hyphen between two tokens is (see `join`)."""
        self._settle()
        near = left[-_REACH:]
        first, second = _LAST_PART.search(near), _FIRST_PART.match(right[:_REACH])
        if first and _CLITIC.match(right):
            return Hyphen.WRAP
        if not first or not second:
            bare = not any(character.isalnum() for character in left) and not left.endswith(tuple(HYPHENS))
            suspended = second and self._suspends(second[0], right[second.end() :])
            return Hyphen.SUSPENDED if bare or suspended else Hyphen.COMPOUND
        before, behind = near[: first.start()], right[second.end() :]
        if before[-1:].isdigit() or behind[:1].isdigit():
            return Hyphen.COMPOUND  # "386er-" + "basierten", "Free-" + "i386": codes are not parted
        if second[0][0].isupper() and second[0][1:].islower() and not first[0].isupper() and self._language == "de":
            return Hyphen.COMPOUND  # German writes the rest of a broken word small
        chained = before.endswith(tuple(HYPHENS))
        if chained and self._goes_on(before, fold(first[0]), fold(second[0])):
            return Hyphen.COMPOUND
        return self._judge_parts(first[0], without_possessive(second[0]), behind, chained)

    def _goes_on(self, before: str, a: str, b: str) -> bool:
        """Whether a chain of hyphens ("N'a-t-" + "elle", "nemo-me-impune-" + "lacessit") has the last one as well."""
        if len(a) == 1:
            return True
        if self._words[a + b] or self._frequency(a + b) or b in _SUFFIXES.get(self._language, ()):
            return False
        links = sum(map(before.count, HYPHENS))
        return links > 1 or (self._is_word(a) and self._is_word(b))

    def _judge_parts(self, first: str, second: str, rest: str, chained: bool) -> Hyphen:
        a, b = fold(first), fold(second)
        if self._language == "nl" and b == "en" and not rest and a[-1] not in "aeiouyj":
            return Hyphen.SUSPENDED  # Dutch syllables take the consonant along ("lan-den"): "land-" + "en" is no wrap
        if not self._words[a + b]:
            a = elided(a)
        joined, pair = a + b, f"{a}-{b}"
        seen = self._by_count(self._words[joined], self._pairs[pair])
        if seen:
            return seen
        if not self._frequency(joined):
            if self._suspends(second, rest):
                return Hyphen.SUSPENDED
            if b in self._suspending():  # "out-" + "and-out"
                return Hyphen.COMPOUND
        if (chained and a in _LINKS and self._is_word(b)) or (b in _LINKS and rest.startswith(tuple(HYPHENS))):
            return Hyphen.COMPOUND
        seen = self._by_count(self.stemmed(stem(joined)), self.stemmed_pair(a, stem(b)))
        if seen:
            return seen
        if second[0].isupper() and not (first.isupper() and (second.isupper() or len(second) == 1)):
            return Hyphen.COMPOUND
        if len(a) == 1 or (first.isupper() and second.islower()):
            return Hyphen.COMPOUND
        return self._by_list(a, b, chained or rest.startswith(tuple(HYPHENS)))

    @staticmethod
    def _by_count(joined: int, hyphenated: int) -> Hyphen | None:
        if not joined and not hyphenated:
            return None
        return Hyphen.WRAP if joined > hyphenated else Hyphen.COMPOUND

    def _by_list(self, a: str, b: str, chained: bool) -> Hyphen:
        language = self._language
        if b in _CLITICS.get(language, ()) and not self._frequency(a + b):
            return Hyphen.COMPOUND
        frequency = self._frequency(a + b)
        if not frequency and a in _HYPHENATED_ALWAYS.get(language, ()):
            return Hyphen.COMPOUND
        if frequency <= UNMET and a in _HYPHENATED_FIRST.get(language, ()) and self._is_word(b):
            return Hyphen.COMPOUND
        if frequency or b in _SUFFIXES.get(language, ()):
            return Hyphen.WRAP
        if language == "de" and a.endswith(_GERMAN_ADJECTIVES) and len(b) >= _GERMAN_LONG and self._is_word(b):
            return Hyphen.COMPOUND
        if (language not in _HYPHENATING and not chained) or a in _PREFIXES.get(language, ()):
            return Hyphen.WRAP
        if len(b) <= 2 and b not in _PARTICLES:
            return Hyphen.WRAP
        return Hyphen.COMPOUND if self._is_word(a) and self._is_word(b) else Hyphen.WRAP

    def suspends(self, word: str) -> bool:
        """Whether `word` is one that stands after suspended hyphens ("pre- and post-war") in the book's language."""
        self._settle()
        return word.lower() in self._suspending()

    def _suspends(self, second: str, rest: str) -> bool:
        """Whether the next line opens as after a suspended hyphen; "and-thirty" and "and," do not."""
        return second.lower() in self._suspending() and not rest

    def _suspending(self) -> frozenset[str]:
        return _SUSPENDING.get(self._language, frozenset())
