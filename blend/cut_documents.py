"""The document cut: whole documents in an order drawn from the seed, until a source's tokens are used up.

A source's order depends on the seed, its name, the pass and the documents' texts alone, so neither another source nor
the number of workers moves a document, and one that is added leaves the others in their order.
"""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bookblend.errors import BookblendError, ExitCode

# Characters whose tokens are counted in one go while a paragraph's end is looked for.
_LOOKED_AT = 1 << 16


class ShortfallError(BookblendError):
    """Sources that cannot give what their shares ask; the message names them."""

    code = ExitCode.SHORTFALL


@dataclass(frozen=True, slots=True)
class Cut:
    """The beginning of a document that ends at a paragraph: its text, and its tokens with the eos."""

    text: str
    tokens: int


@dataclass(frozen=True, slots=True)
class Taken:
    """What a source gives: documents by number in their order, repeated ones several times; the last may be cut.

    passes     whole passes over the source
    too_large  documents that no cut at a paragraph made small enough, passed over
    """

    documents: Any
    tokens: int
    passes: int = 0
    cut: Cut | None = None
    too_large: tuple[int, ...] = ()


# Of a document and a number of tokens: as much of the document as they hold with an eos, or None.
Cutter = Callable[[int, int], Cut | None]


def order(seed: int, name: str, turn: int, numbers: Any, texts: Any) -> Any:
    """Documents in the order of one pass; `texts` are all documents' text hashes (uint64)."""
    digest = hashlib.sha256(f"{seed}\0{name}\0{turn}".encode()).digest()
    keys = _mixed(texts[numbers] ^ np.uint64(int.from_bytes(digest[:8], "big")))
    return numbers[np.argsort(_mixed(keys + _copies(texts[numbers])), kind="stable")]


def _copies(texts: Any) -> Any:
    """How many documents of the same text stand before each one, so that copies do not end up side by side."""
    by_text = np.argsort(texts, kind="stable")
    ordered = texts[by_text]
    new = np.ones(len(texts), bool)
    new[1:] = ordered[1:] != ordered[:-1]
    places = np.arange(len(texts))
    copies = np.empty(len(texts), np.uint64)
    copies[by_text] = places - np.maximum.accumulate(np.where(new, places, 0))
    return copies


def _mixed(values: Any) -> Any:
    """The finaliser of SplitMix64 (Steele, Lea, Flood 2014), which no library version will ever change."""
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return values ^ (values >> np.uint64(31))


def take(seed: int, name: str, numbers: Any, texts: Any, lengths: Any, target: int, cutter: Cutter | None) -> Taken:
    """Documents of a source for `target` tokens, pass after pass; `lengths` are all documents' tokens with their eos.

    What is missing at the end is less than the next paragraph. The caller has seen to it that the target is no more
    than the source may give. Without a `cutter` only whole documents are taken.
    """
    total = int(lengths[numbers].sum())
    if target <= 0 or not total:
        return Taken(numbers[:0], 0)
    passes = target // total
    whole = [order(seed, name, turn, numbers, texts) for turn in range(passes)]
    left = target - passes * total
    last, tokens, cut, too_large = _last_pass(order(seed, name, passes, numbers, texts), lengths, left, target, cutter)
    documents = np.concatenate([*whole, last])
    return Taken(documents, passes * total + tokens, passes, cut, too_large)


def _last_pass(
    ordered: Any, lengths: Any, left: int, target: int, cutter: Cutter | None
) -> tuple[Any, int, Cut | None, tuple[int, ...]]:
    chosen, tokens = [ordered[:0]], 0
    too_large: list[int] = []
    while len(ordered):
        ends = np.cumsum(lengths[ordered])
        fitting = int(np.searchsorted(ends, left - tokens, side="right"))
        chosen.append(ordered[:fitting])
        tokens += int(ends[fitting - 1]) if fitting else 0
        if fitting == len(ordered) or tokens == left:
            break
        number = int(ordered[fitting])
        cut = cutter(number, left - tokens) if cutter else None
        if cut is not None:
            chosen.append(ordered[fitting : fitting + 1])
            return np.concatenate(chosen), tokens + cut.tokens, cut, tuple(too_large)
        if lengths[number] <= target:
            break
        # Larger than all that is asked of the source: it must not keep the others out.
        too_large.append(number)
        ordered = ordered[fitting + 1 :]
    return np.concatenate(chosen), tokens, None, tuple(too_large)


def cut_at_paragraph(text: str, most: int, count: Callable[[Sequence[str]], Sequence[int]]) -> Cut | None:
    """As many of a text's first paragraphs as `most` tokens hold with an eos; None if not even the first.

    Paragraphs are parted by blank lines, in a text without any by line ends. `count` gives texts' tokens without eos; a
    text's tokens are about its paragraphs', which say where to look, and the beginning itself is counted. No more of
    the text is looked at than that takes.
    """
    ends = _Ends(text)
    number = ends.first_beyond(most, count)
    best: Cut | None = None
    while number > 0 and best is None:
        best = _beginning(text, ends, number, most, count)
        number -= best is None
    while best is not None and (longer := _beginning(text, ends, number + 1, most, count)) is not None:
        best, number = longer, number + 1
    return best


def _beginning(
    text: str, ends: "_Ends", number: int, most: int, count: Callable[[Sequence[str]], Sequence[int]]
) -> Cut | None:
    """The first `number` paragraphs, if they are not the whole text, not nothing, and not too much."""
    if not ends.has(number):
        return None
    beginning = text[: ends.places[number - 1]].rstrip("\n")
    tokens = count([beginning])[0] + 1
    return Cut(beginning, tokens) if beginning and tokens <= most else None


class _Ends:
    """Where a text's paragraphs end, the last one's end left out; found as far as they are asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._gap = "\n\n" if "\n\n" in text else "\n"
        self.places: list[int] = []

    def has(self, number: int) -> bool:
        """Whether there are so many paragraphs before the last one."""
        while len(self.places) < number:
            start = self.places[-1] + len(self._gap) if self.places else 0
            place = self._text.find(self._gap, start)
            if place < 0:
                return False
            self.places.append(place)
        return True

    def first_beyond(self, most: int, count: Callable[[Sequence[str]], Sequence[int]]) -> int:
        """The number of paragraphs whose own tokens are together just more than `most`, or all but the last."""
        tokens, done = 0, 0
        while tokens <= most:
            number, size = done, 0
            while size < _LOOKED_AT and self.has(number + 1):
                number += 1
                size = self.places[number - 1] - (self.places[done - 1] if done else 0)
            if number == done:
                return done
            starts = [self.places[n - 1] + len(self._gap) if n else 0 for n in range(done, number)]
            parts = [self._text[start:end] for start, end in zip(starts, self.places[done:number], strict=True)]
            for part in count(parts):
                done += 1
                tokens += part + 1
                if tokens > most:
                    return done
        return done


def interleave(targets: Sequence[int], taken: Sequence[Taken], lengths: Sequence[Any]) -> tuple[Any, Any]:
    """All sources' documents in one row: the source that is furthest behind its target goes next (Megatron's rule).

    Returns the sources' numbers (int32) and positions in their `documents` (int64). Ties go to the earlier source.
    """
    keys, sources, places = [], [], []
    for number, (target, source, tokens) in enumerate(zip(targets, taken, lengths, strict=True)):
        sizes = tokens[source.documents]
        if source.cut is not None:
            sizes[-1] = source.cut.tokens
        before = np.cumsum(sizes) - sizes
        keys.append(before / max(target, 1))
        sources.append(np.full(len(sizes), number, np.int32))
        places.append(np.arange(len(sizes), dtype=np.int64))
    key, source_numbers, place = (np.concatenate(column) for column in (keys, sources, places))
    row = np.lexsort((source_numbers, key))
    return source_numbers[row], place[row]
