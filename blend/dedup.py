"""Records that are there twice, found in one pass: the same text, or (if asked) nearly the same.

The first of a family stays, in input order and as it is. A near duplicate is compared with what was *kept*, never with
what went, so that a chain of small changes does not carry off its end. Candidates are looked for by the smallest hashes
of a text's word n-grams (Broder's min-wise sampling, 1997); whether they are the same is then counted on all n-grams.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import blake2b

# Words of an n-gram; five in a row are seldom shared by chance.
NGRAM = 5
# Smallest hashes by which candidates are found. Two texts of similarity s share none of them once in (1 - s)^-16:
# at 0.7 once in 200 million.
_SMALLEST = 16
# A word, or a sign of a script that writes without blanks: ideographs, kana, Thai, Lao, Khmer, Burmese.
_WORD = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
    r"|\w+"
)


@dataclass(frozen=True, slots=True)
class Removed:
    """A record that went: its label and the kept one's, and how alike their texts are (1.0: the same)."""

    id: str
    kept: str
    similarity: float


@dataclass(slots=True)
class Dedup:
    """What has been kept so far. `near` is the least similarity of a near duplicate; 0 looks for equal texts only.

    `text_of` gives a kept record's text again by its number, so that no text is held. Memory: some hundred bytes a
    kept record, with `near` about two thousand.
    """

    text_of: Callable[[int], str]
    near: float = 0.0
    kept: int = 0
    removed: int = 0
    _by_text: dict[bytes, list[int]] = field(default_factory=dict)
    _by_hash: dict[int, list[int]] = field(default_factory=dict)
    _ids: dict[int, str] = field(default_factory=dict)

    def see(self, number: int, label: str, text: str) -> Removed | None:
        """Keep a record, or say which kept one it doubles. Numbers are the caller's, for `text_of`."""
        digest = blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
        for kept in self._by_text.get(digest, ()):
            if self.text_of(kept) == text:
                return self._gone(label, kept, 1.0)
        grams = ngrams(text) if self.near else frozenset()
        smallest = sorted(grams)[:_SMALLEST]
        if self.near:
            found = self._nearest(grams, smallest)
            if found is not None:
                return self._gone(label, *found)
        self._by_text.setdefault(digest, []).append(number)
        for value in smallest:
            self._by_hash.setdefault(value, []).append(number)
        self._ids[number] = label
        self.kept += 1
        return None

    def _gone(self, label: str, kept: int, similarity: float) -> Removed:
        self.removed += 1
        return Removed(label, self._ids[kept], similarity)

    def _nearest(self, grams: frozenset[int], smallest: list[int]) -> tuple[int, float] | None:
        """The first kept record that is similar enough."""
        shared = Counter(number for value in smallest for number in self._by_hash.get(value, ()))
        for number in sorted(shared):
            similarity = jaccard(grams, ngrams(self.text_of(number)))
            if similarity >= self.near:
                return number, similarity
        return None


def ngrams(text: str) -> frozenset[int]:
    """Hashes of a text's word n-grams, case aside; a text of fewer words has one hash of all of it."""
    words = _WORD.findall(text.casefold())
    if len(words) < NGRAM:
        return frozenset([_hash("\0".join(words) if words else text)])
    return frozenset(_hash("\0".join(gram)) for gram in _windows(words))


def _windows(words: list[str]) -> Iterator[tuple[str, ...]]:
    return zip(*(words[start:] for start in range(NGRAM)), strict=False)


def _hash(gram: str) -> int:
    return int.from_bytes(blake2b(gram.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "big")


def jaccard(one: frozenset[int], other: frozenset[int]) -> float:
    """Shared n-grams over all of both."""
    return len(one & other) / len(one | other) if one or other else 1.0
