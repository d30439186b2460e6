"""Text to token ids, whatever the tokenizer.json: those of `tokenizers`, by a faster encoder where that gives the same.

The faster one is used if both agree on hostile samples at load, and is held against `tokenizers` on a piece of every
batch. Where it parts there, `EngineMismatchError` is raised, since ids given before may be wrong too: `with_engine`
starts the work again with `tokenizers`.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

import numpy

from bookblend.blend.encoder_engines import FAST, REFERENCE, Engine, Fast, Ids, Lengths, Reference, closed
from bookblend.blend.encoder_file import TokenizerFile, read_tokenizer
from bookblend.blend.encoder_samples import samples
from bookblend.errors import BookblendError, InputError, UsageError

T = TypeVar("T")

AUTO = "auto"
ENGINES = (AUTO, REFERENCE, FAST)
# Characters of each batch that the reference encodes too: it takes fifty times as long, and a batch has millions.
_CHECKED = 250
# Primes that lead from one batch's document and place to the next one's.
_NEXT_DOCUMENT, _NEXT_PLACE = 7_919, 104_729
# What a tokenizer that keeps text gives back as it was. (A leading blank is left out: some tokenizers put one there.)
_ROUND_TRIP = "The Ferry,  at nine:\n\n\tfare 12.50!  Élan"

# The process whose threads `fastokens` runs on: a forked child has none of them and would wait for ever.
_threads_of: int | None = None


class EngineMismatchError(BookblendError):
    """The fast encoder gave other ids than the reference; what it gave before cannot be trusted either."""


class Encoder:
    """A tokenizer file, ready to encode documents.

    sha256       of the tokenizer file
    eos, eos_id  the text and the id of what ends a document
    vocabulary   largest id + 1, added tokens included
    unknown_id   the id of what the vocabulary does not hold; None where there is none
    engine       the encoder in use, `tokenizers` or `fastokens`
    notices      lines for the user: what is switched off, what is lossy, why the slower encoder is used
    tokenizer_notices  of those, what the tokenizer file alone decides, whatever is installed
    """

    def __init__(self, file: TokenizerFile, eos: str, engine: str) -> None:
        self.sha256, self.eos, self.eos_id = file.sha256, eos, file.eos_id
        self.vocabulary, self.unknown_id = file.vocabulary, file.unknown_id
        self._fast: Fast | None = None
        why = ""
        if engine == REFERENCE:
            self._reference = Reference(file.text, file.eos_id)
        else:
            # Side by side: together they take three times as long to load as all the rest of a start.
            with ThreadPoolExecutor(1) as pool:
                loading = pool.submit(Fast, file.text)
                self._reference = Reference(file.text, file.eos_id)
                self._fast, why = _checked_fast(file, self._reference, loading)
            if why and engine == FAST:
                raise InputError(f"{FAST} cannot be used with this tokenizer: {why}; leave the engine to be chosen")
        self.tokenizer_notices = file.notices
        self.notices = file.notices + ((f"encoded by {REFERENCE}, which is slower: {why}",) if why else ())
        if not file.lossy and self.decode(self._reference.encode([_ROUND_TRIP])[0]).lstrip(" ") != _ROUND_TRIP:
            lossy = "text does not come back whole from its tokens; the round trip is lossy"
            self.tokenizer_notices += (lossy,)
            self.notices += (lossy,)
        self._batches = 0

    @staticmethod
    def load(path: Path, eos: str, engine: str = AUTO) -> "Encoder":
        """Read a tokenizer.json; `engine` is `auto`, `tokenizers` or `fastokens`.

        Raises `InputError` for a file that is none, or where `eos` is not exactly one of its tokens.
        """
        if engine not in ENGINES:
            raise UsageError(f"no encoder {engine!r}; choose {', '.join(ENGINES)}")
        file = read_tokenizer(path, eos)
        try:
            return Encoder(file, eos, engine)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error

    @property
    def engine(self) -> str:
        """The encoder in use."""
        return self._engine().name

    def encode(self, texts: Sequence[str]) -> tuple[Ids, Lengths]:
        """The ids of all `texts` one after another, without eos, and the number of ids of each.

        No text gives the id of the eos. Raises `EngineMismatchError` (see `with_engine`), and `InputError` for what
        cannot be encoded.
        """
        engine = self._engine()
        ids, lengths = self._checked(engine, engine.encode, texts, ends=0)
        if (ids == self.eos_id).any():
            ids, lengths = self._without_eos(engine, texts, ids, lengths)
        return ids, lengths

    def encode_closed(self, texts: Sequence[str]) -> tuple[Ids, Lengths]:
        """The same with the id of the eos behind each text's, counted in its number."""
        engine = self._engine()
        ids, lengths = self._checked(engine, engine.encode_closed, texts, ends=1)
        if numpy.count_nonzero(ids == self.eos_id) != len(texts):
            return closed(*self.encode(texts), self.eos_id)
        return ids, lengths

    def _checked(
        self, engine: Engine, encode: Callable[[Sequence[str]], tuple[Ids, Lengths]], texts: Sequence[str], ends: int
    ) -> tuple[Ids, Lengths]:
        """What `encode` of this engine gives for `texts`, of which each has `ends` ids more than its text."""
        try:
            ids, lengths = encode(texts)
        except UnicodeEncodeError as error:
            raise InputError(f"a text holds a lone surrogate, which is no character ({error})") from error
        except Exception as error:
            if engine is not self._fast:
                raise
            raise EngineMismatchError(
                f"{FAST} failed on a text ({_first_line(error)}); the work starts again"
            ) from error
        if engine is self._fast:
            self._spot_check(texts, ids, lengths, ends)
        return ids, lengths

    def decode(self, ids: Sequence[int] | Ids) -> str:
        """The text of `ids`, special tokens included."""
        return self._reference.decode(list(map(int, ids)))

    def count_unknown(self, ids: Ids) -> int:
        """How many of `ids` stand for what the vocabulary does not hold."""
        return 0 if self.unknown_id is None else int(numpy.count_nonzero(ids == self.unknown_id))

    def _engine(self) -> Engine:
        if self._fast is None or _threads_of not in (None, os.getpid()):
            return self._reference
        return self._fast

    def _spot_check(self, texts: Sequence[str], ids: Ids, lengths: Lengths, ends: int) -> None:
        """Hold a piece of this batch against the reference; which piece, the batch's number decides."""
        if not texts:
            return
        self._batches += 1
        number = self._batches * _NEXT_DOCUMENT % len(texts)
        text = texts[number]
        if len(text) <= _CHECKED:
            end = int(lengths[: number + 1].sum())
            given = ids[end - int(lengths[number]) : end - ends]
        else:
            start = self._batches * _NEXT_PLACE % (len(text) - _CHECKED)
            text = text[start : start + _CHECKED]
            assert self._fast is not None
            given = self._fast.encode([text])[0]
        if not numpy.array_equal(given, self._reference.encode([text])[0]):
            raise EngineMismatchError(f"{FAST} and {REFERENCE} part on the text {text[:60]!r}…; the work starts again")

    def _without_eos(self, engine: Engine, texts: Sequence[str], ids: Ids, lengths: Lengths) -> tuple[Ids, Lengths]:
        """Encode anew the texts of a batch that gave the eos id, cut inside each place that spells it.

        Only tokenizers that hold the eos as an ordinary word need it: added tokens that are special are never found.
        """
        ends = numpy.cumsum(lengths)
        parts: list[Ids] = []
        counts = lengths.copy()
        for number, text in enumerate(texts):
            part = ids[ends[number] - lengths[number] : ends[number]]
            if (part == self.eos_id).any():
                part = engine.encode(_cut_inside(text, self.eos))[0]
                if (part == self.eos_id).any():
                    raise InputError(
                        f"this tokenizer makes ordinary text the eos {self.eos!r} ({text[:60]!r}…); give another --eos"
                    )
                counts[number] = len(part)
            parts.append(part)
        return numpy.concatenate(parts), counts


def _cut_inside(text: str, eos: str) -> list[str]:
    """The text in pieces of which none holds `eos`: each of its places is cut behind the first character."""
    first, *others = text.split(eos)
    heads = [first, *(eos[1:] + other for other in others)]
    return [head + eos[:1] for head in heads[:-1]] + heads[-1:]


def with_engine(path: Path, eos: str, work: Callable[[Encoder], T], engine: str = AUTO) -> T:
    """`work(encoder)`; where the fast encoder parts from the reference on the way, all of it again with `tokenizers`.

    `work` must be able to start afresh: what it wrote before the error must not stay (see `files.Outputs`).
    """
    encoder = Encoder.load(path, eos, engine)
    try:
        return work(encoder)
    except EngineMismatchError as error:
        encoder = Encoder.load(path, eos, REFERENCE)
        encoder.notices += (f"encoded by {REFERENCE}, which is slower: {error}",)
        return work(encoder)


def _checked_fast(file: TokenizerFile, reference: Reference, loading: "Future[Fast]") -> tuple[Fast | None, str]:
    """The fast encoder if it takes this tokenizer and agrees on all samples; else None and why not."""
    global _threads_of
    try:
        fast = loading.result()
    except ImportError:
        return None, f"{FAST} is not installed"
    except Exception as error:  # the library raises ValueError for what it does not know
        return None, f"{FAST} does not take it ({_first_line(error)})"
    if _threads_of not in (None, os.getpid()):
        return None, f"{FAST} cannot be used in a process that was forked after it ran"
    texts = [text for text in samples(file.vocabulary, file.added, reference) if text]
    _threads_of = os.getpid()
    try:
        given, given_lengths = fast.encode_closed(texts)
    except Exception as error:
        return None, f"{FAST} fails on a sample ({_first_line(error)})"
    wanted, wanted_lengths = reference.encode_closed(texts)
    if not numpy.array_equal(given_lengths, wanted_lengths):
        number = int(numpy.flatnonzero(given_lengths != wanted_lengths)[0])
        return None, f"{FAST} parts from it on {texts[number][:40]!r}"
    if not numpy.array_equal(given, wanted):
        return None, f"{FAST} parts from it on a sample"
    return fast, ""


def _first_line(error: Exception) -> str:
    return (str(error) or type(error).__name__).splitlines()[0]
