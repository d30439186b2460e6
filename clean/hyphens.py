"""Hyphens at line ends, decided on evidence: was the hyphen put there by the line break, or is it the word's own?

A `Lexicon` is filled with the book's own text first; `join` then asks, in this order: the book's words (is the joined
form or the hyphenated one seen whole elsewhere, then the same for inflected forms), a word list of the language, and
rules. Left out: hyphenation patterns (a compound breaks at a legal point as well), and any look at the sentence.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from enum import Enum
from itertools import pairwise

from bookblend.clean import wordlist
from bookblend.clean.wordlist import words

# Hyphen, non-breaking hyphen, hyphen-minus (last: it goes into character classes). A soft hyphen is the caller's.
HYPHENS = "‐‑-"

# Only this many characters on either side of a break are looked at: no word part is longer, and a damaged text may
# hold a "word" of a million letters.
_REACH = 64

_TOKEN = re.compile(rf"[\w'’{HYPHENS}]+")
_PART = r"[^\W\d_]+(?:['’][^\W\d_]+)*"
_LAST_PART = re.compile(rf"{_PART}['’]?$")
_FIRST_PART = re.compile(_PART)
# "don-" + "’t": no word of its own begins so.
_CLITIC = re.compile(r"['’](?:t|s|d|m|ve|ll|re)\b", re.IGNORECASE)
_HYPHEN = re.compile(f"[{HYPHENS}]")
_POSSESSIVE = re.compile(r"['’]s?$")

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

# Languages that write compounds as one word, or whose list is too small to call a form unknown: a form that nothing
# is known about is joined there. Everywhere else two words of the language make a hyphenated compound.
_HYPHENATING = words("en fr es it pt")

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
# The lists give this frequency to words that their corpus never met.
UNMET = 50
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
# British forms and the American ones the list has ("ardour", "civilise", "centre", "travelled").
_SPELLINGS = (
    (re.compile("our"), "or"),
    (re.compile("([iy])s(?=e|ing|ation)"), r"\1z"),
    (re.compile("tre(?=s?$)"), "ter"),
    (re.compile("ll(?=ed$|ing$|er$)"), "l"),
)
# First parts that are prefixes: words of the list, yet rarely first parts of hyphenated compounds.
_PREFIXES: Mapping[str, frozenset[str]] = {
    "en": words(
        "ab ac ad af al an ap ar as at be com con de dis em en es im in inter ir mis ob par per pro "
        "re sub sup sur un mac mc"
    ),
}

# Endings that English inflection and derivation add; a form and its stem are one family.
_ENDINGS = words(
    "nesses ations ation ingly ments ness ment ings able ible less ally edly ers ies ied ing est eth ful ity ism ist "
    "ion ous ive ed er es ly al s d y e"
)
_LONGEST_ENDING = max(map(len, _ENDINGS))
_MIN_STEM = 4
# Letters after an apostrophe that make a word of their own ("qu'il" is one, "don't" and "they're" are none).
_MIN_ELIDED = 3


class Hyphen(Enum):
    """What a hyphen at a line end is, and what stands between the parts when the lines are joined."""

    WRAP = ""
    COMPOUND = "-"
    SUSPENDED = "- "


class Lexicon:
    """The words of one book, and what they say about a hyphen at a line end.

    Fill it with the whole book, then ask: the first question after an `add` counts all words anew.
    """

    def __init__(self, language: str = "") -> None:
        """`language`: what the file declares (a BCP 47 tag, may be ""); what its words speak is preferred."""
        self._declared = wordlist.primary(language)
        self._pending: list[str] = []
        self._broken = False
        self._words: Counter[str] = Counter()
        self._pairs: Counter[str] = Counter()
        self._word_stems: Counter[str] = Counter()
        self._pair_stems: Counter[str] = Counter()
        self._language = self._declared

    def add(self, text: str) -> None:
        """Count the words and compounds of `text` that stand whole; words broken at its line ends are left out."""
        for line in text.split("\n"):
            whole = line.lstrip().partition(" ")[2] if self._broken else line
            stripped = whole.rstrip()
            self._broken = stripped.endswith(tuple(HYPHENS)) and not stripped.endswith("--")
            self._pending.append(stripped.rpartition(" ")[0] if self._broken else whole)

    def join(self, left: str, right: str) -> str:
        """Join a line's last token, without its hyphen, and the next line's first token.

        "remem", "bering," → "remembering,"; "self", "made" → "self-made"; "pre", "and" → "pre- and".
        """
        return f"{left}{self.judge(left, right).value}{right}"

    def judge(self, left: str, right: str) -> Hyphen:
        """What the hyphen between two tokens is (see `join`)."""
        if self._pending:
            self._count()
        near = left[-_REACH:]
        first, second = _LAST_PART.search(near), _FIRST_PART.match(right[:_REACH])
        if first and _CLITIC.match(right):
            return Hyphen.WRAP
        if not first or not second:
            bare = not any(character.isalnum() for character in left) and not left.endswith(tuple(HYPHENS))
            suspended = second and self._suspends(second[0], right[second.end() :])
            return Hyphen.SUSPENDED if bare or suspended else Hyphen.COMPOUND
        chained = near[: first.start()].endswith(tuple(HYPHENS))
        return self._judge_parts(first[0], _POSSESSIVE.sub("", second[0]), right[second.end() :], chained)

    def _judge_parts(self, first: str, second: str, rest: str, chained: bool) -> Hyphen:
        a, b = _fold(first), _fold(second)
        if self._language == "nl" and b == "en" and not rest and a[-1] not in "aeiouyj":
            return Hyphen.SUSPENDED  # Dutch syllables take the consonant along ("lan-den"): "land-" + "en" is no wrap
        if not self._words[a + b]:
            a = _elided(a)
        joined, pair = a + b, f"{a}-{b}"
        seen = self._seen(self._words[joined], self._pairs[pair])
        if seen:
            return seen
        if not self._frequency(joined):
            if self._suspends(second, rest):
                return Hyphen.SUSPENDED
            if b in self._suspending():  # "out-" + "and-out"
                return Hyphen.COMPOUND
        if (chained and a in _LINKS and self._is_word(b)) or (b in _LINKS and rest.startswith(tuple(HYPHENS))):
            return Hyphen.COMPOUND
        seen = self._seen(self._word_stems[_stem(joined)], self._pair_stems[f"{a}-{_stem(b)}"])
        if seen:
            return seen
        if second[0].isupper() and not (first.isupper() and (second.isupper() or len(second) == 1)):
            return Hyphen.COMPOUND
        if len(a) == 1 or (first.isupper() and second.islower()):
            return Hyphen.COMPOUND
        return self._by_list(a, b, chained or rest.startswith(tuple(HYPHENS)))

    @staticmethod
    def _seen(joined: int, hyphenated: int) -> Hyphen | None:
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
        if (language not in _HYPHENATING and not chained) or a in _PREFIXES.get(language, ()):
            return Hyphen.WRAP
        if len(b) <= 2 and b not in _PARTICLES:
            return Hyphen.WRAP
        return Hyphen.COMPOUND if self._is_word(a) and self._is_word(b) else Hyphen.WRAP

    def knows(self, word: str) -> bool:
        """Whether the book or its language's word list has `word` (any case)."""
        if self._pending:
            self._count()
        return self._is_word(_fold(word))

    def seen(self, word: str) -> int:
        """How often the book has `word` (any case), whole or as a part of a compound."""
        if self._pending:
            self._count()
        return self._words[_fold(word)]

    def frequency(self, word: str) -> int:
        """How often the word list's corpus has `word` (any case); 50 where the list knows it from a dictionary only."""
        if self._pending:
            self._count()
        return self._frequency(_fold(word))

    def _is_word(self, word: str) -> bool:
        return self._words[word] > 0 or self._frequency(word) > 0 or self._frequency(word.removesuffix("s")) > 0

    def _frequency(self, word: str) -> int:
        """The list's frequency of `word`, or of its American spelling."""
        listed = wordlist.load(self._language)
        if listed is None:
            return 0
        frequency = listed.frequency(word)
        if frequency or self._language != "en":
            return frequency
        other = word
        for british, american in _SPELLINGS:
            other = british.sub(american, other)
        return listed.frequency(other) if other != word else 0

    def strangers(self, most: int) -> frozenset[str]:
        """The words (lower case) that the book has at most `most` times and the word list not at all."""
        if self._pending:
            self._count()
        return frozenset(word for word, count in self._words.items() if count <= most and not self._frequency(word))

    def has_list(self) -> bool:
        """Whether there is a word list of the book's language."""
        if self._pending:
            self._count()
        return wordlist.load(self._language) is not None

    def suspends(self, word: str) -> bool:
        """Whether `word` is one that stands after suspended hyphens ("pre- and post-war") in the book's language."""
        if self._pending:
            self._count()
        return word.lower() in self._suspending()

    def _suspends(self, second: str, rest: str) -> bool:
        """Whether the next line opens as after a suspended hyphen; "and-thirty" and "and," do not."""
        return second.lower() in self._suspending() and not rest

    def _suspending(self) -> frozenset[str]:
        return _SUSPENDING.get(self._language, frozenset())

    def _count(self) -> None:
        # Tokens are taken apart once for all their occurrences, and most are plain words.
        for token, count in Counter("\n".join(self._pending).lower().split()).items():
            if token.isalpha():
                self._words[token] += count
                continue
            for parts in (parts for piece in _TOKEN.findall(token) for parts in _compounds(piece)):
                for part in parts:
                    self._words[part] += count
                    if _elided(part) != part:
                        self._words[_elided(part)] += count
                for one, two in pairwise(parts):
                    self._pairs[f"{one}-{two}"] += count
        self._pending.clear()
        self._word_stems.clear()
        for word, count in self._words.items():
            self._word_stems[_stem(word)] += count
        self._pair_stems.clear()
        for pair, count in self._pairs.items():
            one, _, two = pair.partition("-")
            self._pair_stems[f"{one}-{_stem(two)}"] += count
        self._language = wordlist.guess(self._words) or self._declared


def _compounds(token: str) -> Iterator[list[str]]:
    """The parts of a token, a list for each run that single hyphens hold together: "mother-in-law--oh" gives two."""
    run: list[str] = []
    for piece in _HYPHEN.split(token):
        match = _FIRST_PART.search(piece)
        if match is None:
            if run:
                yield run
            run = []
        else:
            run.append(_fold(_POSSESSIVE.sub("", match[0])))
    if run:
        yield run


def _fold(part: str) -> str:
    return part.lower().replace("’", "'")


def _elided(part: str) -> str:
    """What stands after an elided article or pronoun: "l'encens" → "encens"; other words as they are."""
    head, _, tail = part.rpartition("'")
    return tail if head and len(tail) >= _MIN_ELIDED else part


def _stem(word: str) -> str:
    """The word without one English ending and without a doubled consonant before it; at least four letters stay."""
    for length in range(min(_LONGEST_ENDING, len(word) - _MIN_STEM), 0, -1):
        if word[-length:] in _ENDINGS:
            word = word[:-length]
            break
    return word[:-1] if len(word) > _MIN_STEM and word[-1] == word[-2] else word
