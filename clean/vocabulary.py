"""The words of one book, counted, and the word list of its language beside them: what repairs by evidence ask.

Words are counted in lower case, whole and as parts of compounds; compounds that single hyphens hold together are
counted as pairs of neighbours ("mother-in-law": "mother-in", "in-law"), and both by stems as well.
"""

import re
from collections import Counter
from collections.abc import Iterator
from itertools import pairwise

from bookblend.clean import wordlist
from bookblend.clean.wordlist import words

# Hyphen, non-breaking hyphen, hyphen-minus (last: it goes into character classes). A soft hyphen is the caller's.
HYPHENS = "‐‑-"
# The lists give this frequency to words that their corpus never met.
UNMET = 50

PART = r"[^\W\d_]+(?:['’][^\W\d_]+)*"
_PART = re.compile(PART)
_TOKEN = re.compile(rf"[\w'’{HYPHENS}]+")
# What stands around most words; without it they are plain and need not be taken apart.
_EDGES = ".,;:!?…“”„‘’\"'()[]—–«»"
_HYPHEN = re.compile(f"[{HYPHENS}]")
_POSSESSIVE = re.compile(r"['’]s?$")

# Endings that English inflection and derivation add; a form and its stem are one family. Other languages' forms are
# cut as well: a coarse stem is evidence enough where a whole word is asked for.
_ENDINGS = words(
    "nesses ations ation ingly ments ness ment ings able ible less ally edly ers ies ied ing est eth ful ity ism ist "
    "ion ous ive ed er es ly al s d y e"
)
_LONGEST_ENDING = max(map(len, _ENDINGS))
# Letters that stay when an ending goes: shorter stems are other words.
_MIN_STEM = 4
# Letters after an apostrophe that make a word of their own ("qu'il" is one, "don't" and "they're" are none).
_MIN_ELIDED = 3
# British forms and the American ones the list has ("ardour", "civilise", "centre", "travelled").
_SPELLINGS = (
    (re.compile("our"), "or"),
    (re.compile("([iy])s(?=e|ing|ation)"), r"\1z"),
    (re.compile("tre(?=s?$)"), "ter"),
    (re.compile("ll(?=ed$|ing$|er$)"), "l"),
)


class Vocabulary:
    """Fill it with the whole book, then ask: the first question after an `add` counts all words anew."""

    def __init__(self, language: str = "") -> None:
        """`language`: what the file declares (a BCP 47 tag, may be ""); what its words speak is preferred."""
        self._declared = wordlist.primary(language)
        self._language = self._declared
        self._pending: list[str] = []
        self._broken = False
        self._words: Counter[str] = Counter()
        self._pairs: Counter[str] = Counter()
        # Counted when first asked for: many books decide all their hyphens without them.
        self._word_stems: Counter[str] | None = None
        self._pair_stems: Counter[str] | None = None
        self._frequencies: dict[str, int] = {}

    def add(self, text: str) -> None:
        """Count the words and compounds of `text` that stand whole; words broken at its line ends are left out."""
        for line in text.split("\n"):
            whole = line.lstrip().partition(" ")[2] if self._broken else line
            stripped = whole.rstrip()
            self._broken = stripped.endswith(tuple(HYPHENS)) and not stripped.endswith("--")
            self._pending.append(stripped.rpartition(" ")[0] if self._broken else whole)

    @property
    def language(self) -> str:
        """The primary tag of the language that the words speak, else of the one declared, else ""."""
        self._settle()
        return self._language

    def seen(self, word: str) -> int:
        """How often the book has `word` (any case), whole or as a part of a compound."""
        self._settle()
        return self._words[fold(word)]

    def frequency(self, word: str) -> int:
        """How often the word list's corpus has `word` (any case), or its American spelling; `UNMET` where the list
        knows it from a dictionary only, 0 where there is no such word or no list."""
        self._settle()
        return self._frequency(fold(word))

    def knows(self, word: str) -> bool:
        """Whether the book or its language's word list has `word` (any case)."""
        self._settle()
        return self._is_word(fold(word))

    def has_list(self) -> bool:
        """Whether there is a word list of the book's language."""
        return wordlist.load(self.language) is not None

    def unlisted(self, least: int, longest: int) -> frozenset[str]:
        """The words (lower case) of up to `longest` letters that the word list has not, and the book `least` times or
        oftener."""
        self._settle()
        return frozenset(
            word
            for word, count in self._words.items()
            if count >= least and len(word) <= longest and word.isalpha() and not self._frequency(word)
        )

    def strangers(self, most: int, endings: tuple[str, ...] = ()) -> frozenset[str]:
        """The words (lower case) that the word list has not, and the book at most `most` times; with one of `endings`,
        however often."""
        self._settle()
        return frozenset(
            word
            for word, count in self._words.items()
            if (count <= most or word.endswith(endings)) and not self._frequency(word)
        )

    def _is_word(self, word: str) -> bool:
        return self._words[word] > 0 or self._frequency(word) > 0 or self._frequency(word.removesuffix("s")) > 0

    def _frequency(self, word: str) -> int:
        known = self._frequencies.get(word)
        if known is None:
            known = self._frequencies[word] = self._look_up(word)
        return known

    def _look_up(self, word: str) -> int:
        listed = wordlist.load(self._language)
        if listed is None:
            return 0
        frequency = listed.frequency(word)
        if frequency or self._language != "en":
            return frequency
        american = word
        for pattern, replacement in _SPELLINGS:
            american = pattern.sub(replacement, american)
        return listed.frequency(american) if american != word else 0

    def stemmed(self, word: str) -> int:
        """How often the book has words with this stem (see `stem`)."""
        self._settle()
        if self._word_stems is None:
            self._word_stems = Counter()
            for seen, count in self._words.items():
                self._word_stems[stem(seen)] += count
        return self._word_stems[word]

    def stemmed_pair(self, one: str, two: str) -> int:
        """How often the book has compounds of `one` and a word with the stem `two`."""
        self._settle()
        if self._pair_stems is None:
            self._pair_stems = Counter()
            for pair, count in self._pairs.items():
                first, _, second = pair.partition("-")
                self._pair_stems[f"{first}-{stem(second)}"] += count
        return self._pair_stems[f"{one}-{two}"]

    def _settle(self) -> None:
        if not self._pending:
            return
        # Tokens are taken apart once for all their occurrences, and most are plain words.
        for token, count in Counter("\n".join(self._pending).lower().split()).items():
            bare = token.strip(_EDGES)
            if bare.isalpha():
                self._words[bare] += count
            elif bare:
                self._count_parts(bare, count)
        self._pending.clear()
        self._word_stems = self._pair_stems = None
        self._language = wordlist.guess(self._words) or self._declared
        self._frequencies.clear()

    def _count_parts(self, token: str, count: int) -> None:
        for parts in (parts for piece in _TOKEN.findall(token) for parts in _runs(piece)):
            for part in parts:
                self._words[part] += count
                if elided(part) != part:
                    self._words[elided(part)] += count
            for one, two in pairwise(parts):
                self._pairs[f"{one}-{two}"] += count


def fold(part: str) -> str:
    """Lower case, with a straight apostrophe."""
    return part.lower().replace("’", "'")


def without_possessive(part: str) -> str:
    """ "station's" → "station"; a closing quote goes as well."""
    return _POSSESSIVE.sub("", part)


def elided(part: str) -> str:
    """What stands after an elided article or pronoun: "l'encens" → "encens"; other words as they are."""
    head, _, tail = part.rpartition("'")
    return tail if head and len(tail) >= _MIN_ELIDED else part


def stem(word: str) -> str:
    """The word without one English ending and without a doubled consonant before it; at least four letters stay."""
    for length in range(min(_LONGEST_ENDING, len(word) - _MIN_STEM), 0, -1):
        if word[-length:] in _ENDINGS:
            word = word[:-length]
            break
    return word[:-1] if len(word) > _MIN_STEM and word[-1] == word[-2] else word


def _runs(token: str) -> Iterator[list[str]]:
    """The parts of a token, a list for each run that single hyphens hold together: "mother-in-law--oh" gives two."""
    run: list[str] = []
    for piece in _HYPHEN.split(token):
        match = _PART.search(piece)
        if match is None:
            if run:
                yield run
            run = []
        else:
            run.append(fold(without_possessive(match[0])))
    if run:
        yield run
