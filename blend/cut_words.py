"""The recipe's cut: lines as they are until a source's words are used up, byte for byte as the recipe does it.

Sources go in name order. A word is what whitespace parts (Python's `str.split`, so U+00A0 parts too). A source's ratio
is its available tokens over its words, its target round(share x budget) tokens over the ratio, in words. Its lines are
copied pass after pass, two newlines after each whole pass; the line that would reach the target gives the missing whole
number of words, joined by single blanks, and a newline; then the eos line follows, unless the eos is the last word.
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import floor

from bookblend.errors import InputError

# A source that would be gone through more often has a wrong count of tokens.
_MOST_PASSES = 100_000
# Where a source's text can be read from its beginning, line by line with its "\n", again and again.
Lines = Callable[[], Iterable[str]]


@dataclass(frozen=True, slots=True)
class Part:
    """What is asked of one source: its share of the budget, and its tokens as they were counted."""

    name: str
    share: float
    available: float
    lines: Lines


@dataclass(slots=True)
class Emitted:
    """What one source gave: words in all, whole passes, and where the last pass was cut.

    cut_line   lines of the last pass that were copied whole;  cut_words: words taken of the line after them
    """

    name: str
    target_words: float = 0.0
    words_available: int = 0
    words: int = 0
    passes: int = 0
    cut_line: int = 0
    cut_words: int = 0
    ratio: float = 0.0

    @property
    def tokens(self) -> float:
        """What the emitted words are in tokens, by the source's ratio."""
        return self.words * self.ratio

    @property
    def repetition(self) -> float:
        """How often the source's words were emitted."""
        return self.words / self.words_available


def target_words(share: float, budget: int, available: float, words: int) -> float:
    """A source's target in words; its ratio is its available tokens over its words."""
    return round(share * budget) / (available / words)


def blend_words(parts: Iterable[Part], budget: int, eos: str) -> Iterator[tuple[str, Emitted]]:
    """The blend's text in pieces, each with the account of the source that it is of, which grows as pieces are taken.

    Raises `InputError` by name for a source without words or tokens.
    """
    for part in sorted(parts, key=lambda part: part.name):
        words = sum(len(line.split()) for line in part.lines())
        if not words or part.available <= 0:
            what = "no words" if not words else f"{part.available} available tokens"
            raise InputError(f"source '{part.name}': has {what}, and its share is {part.share:g}")
        account = Emitted(part.name, words_available=words, ratio=part.available / words)
        account.target_words = target_words(part.share, budget, part.available, words)
        if account.target_words > words * _MOST_PASSES:
            raise InputError(
                f"source '{part.name}': has {part.available:g} available tokens, and would be repeated "
                f"{account.target_words / words:.4g} x; lower the budget or its share"
            )
        for text in _emit(part, account, eos):
            yield text, account


def _emit(part: Part, account: Emitted, eos: str) -> Iterator[str]:
    last = ""
    while True:
        for number, line in enumerate(part.lines()):
            words = line.split()
            if account.words + len(words) >= account.target_words:
                taken = words[: floor(account.target_words - account.words)]
                account.words += len(taken)
                account.cut_line, account.cut_words = number, len(taken)
                yield " ".join(taken) + "\n"
                if (taken[-1] if taken else last) != eos:
                    yield eos + "\n"
                return
            account.words += len(words)
            last = words[-1] if words else last
            yield line
        account.passes += 1
        yield "\n\n"
