"""The two encoders: `tokenizers`, whose ids are the right ones by definition, and `fastokens`, many times faster.

Both give the ids of all texts one after another and how many each has. Special tokens in text are text to both.
"""

import contextlib
import os
from collections.abc import Sequence
from itertools import chain
from typing import Any, Protocol

import numpy
import numpy.typing

from bookblend.errors import InputError

Ids = numpy.typing.NDArray[numpy.uint32]
Lengths = numpy.typing.NDArray[numpy.int64]

REFERENCE, FAST = "tokenizers", "fastokens"
# Characters that the reference is given at once: an encoding takes some hundred bytes a token until it is read out.
_AT_ONCE = 1 << 20


class Engine(Protocol):
    """One way to encode."""

    name: str

    def encode(self, texts: Sequence[str]) -> tuple[Ids, Lengths]:
        """Flat ids of `texts` and the number of ids of each."""

    def encode_closed(self, texts: Sequence[str]) -> tuple[Ids, Lengths]:
        """The same with the id of the eos behind each text's."""


class Reference:
    """Hugging Face `tokenizers`."""

    name = REFERENCE

    def __init__(self, definition: str, eos_id: int) -> None:
        from tokenizers import Tokenizer

        _quiet_forks()
        try:
            self._tokenizer = Tokenizer.from_str(definition)
        except Exception as error:  # the library raises nothing more special
            raise InputError(f"the tokenizer file cannot be loaded ({error})") from error
        self._tokenizer.encode_special_tokens = True
        self._eos_id = eos_id

    def encode(self, texts: Sequence[str]) -> tuple[Ids, Lengths]:
        """Flat ids of `texts` and the number of ids of each."""
        flat: list[Ids] = []
        counts: list[int] = []
        for few in _portions(texts):
            encodings = [encoding.ids for encoding in self._encoded(few)]
            counts += map(len, encodings)
            flat.append(numpy.fromiter(chain.from_iterable(encodings), numpy.uint32, sum(map(len, encodings))))
        ids = numpy.concatenate(flat) if flat else numpy.empty(0, numpy.uint32)
        return ids, numpy.array(counts, numpy.int64)

    def encode_closed(self, texts: Sequence[str]) -> tuple[Ids, Lengths]:
        """The same with the id of the eos behind each text's."""
        ids, lengths = self.encode(texts)
        return closed(ids, lengths, self._eos_id)

    def _encoded(self, texts: list[str]) -> list[Any]:
        try:
            return list(self._tokenizer.encode_batch_fast(texts, add_special_tokens=False))
        except UnicodeEncodeError:
            raise
        except Exception as error:  # such as a model without the unknown token that it names
            raise InputError(f"the tokenizer cannot encode this text ({error})") from error

    def decode(self, ids: Sequence[int]) -> str:
        """The text of `ids`, special tokens included."""
        return str(self._tokenizer.decode(list(ids), skip_special_tokens=False))


def closed(ids: Ids, lengths: Lengths, eos_id: int) -> tuple[Ids, Lengths]:
    """The same documents with `eos_id` behind each."""
    return numpy.insert(ids, numpy.cumsum(lengths), numpy.uint32(eos_id)), lengths + 1


def _portions(texts: Sequence[str]) -> list[list[str]]:
    portions: list[list[str]] = []
    held = _AT_ONCE
    for text in texts:
        if held >= _AT_ONCE:
            portions.append([])
            held = 0
        portions[-1].append(text)
        held += len(text)
    return portions


class Fast:
    """`fastokens`. Raises `ValueError` where it does not take the tokenizer."""

    name = FAST

    def __init__(self, definition: str) -> None:
        from fastokens import Tokenizer

        self._tokenizer = Tokenizer.from_json_str(definition)

    def encode(self, texts: Sequence[str]) -> tuple[Ids, Lengths]:
        """Flat ids of `texts` and the number of ids of each."""
        return self._flat(texts, eos=False)

    def encode_closed(self, texts: Sequence[str]) -> tuple[Ids, Lengths]:
        """The same with the id of the eos behind each text's. The library puts it there: no copy is made for it."""
        return self._flat(texts, eos=True)

    def _flat(self, texts: Sequence[str], eos: bool) -> tuple[Ids, Lengths]:
        ids, offsets = self._tokenizer.encode_batch_flat(list(texts), add_special_tokens=eos, split_special_tokens=True)
        places = numpy.frombuffer(offsets, numpy.dtype("<u8")).astype(numpy.int64)
        return numpy.frombuffer(ids, numpy.dtype("<u4")), numpy.diff(places)


_SWITCH = "TOKENIZERS_PARALLELISM"
_watched = False


def _quiet_forks() -> None:
    """Let forked processes use `tokenizers` on one core, as the library would, but without its warning."""
    global _watched
    if _watched or not hasattr(os, "register_at_fork"):
        return
    _watched = True
    ours = False

    def before() -> None:
        nonlocal ours
        ours = _SWITCH not in os.environ
        if ours:
            os.environ[_SWITCH] = "false"

    def in_parent() -> None:
        if ours:
            with contextlib.suppress(KeyError):
                del os.environ[_SWITCH]

    os.register_at_fork(before=before, after_in_parent=in_parent)
