"""Which documents are held out for validation, and which ones training leaves out, before anything is repeated.

A hash of a document's group decides, so that a source that grows moves no document that was there before, and one group
(a book, its chapters, its editions) is never on both sides.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from bookblend.blend.model import Registry, Source
from bookblend.blend.prepared import Prepared


@dataclass(frozen=True, slots=True)
class Roles:
    """A source's documents by role, as numbers in file order (int64 arrays).

    twins      training documents that go because their text or group is a validation document's, of whatever source
    repeated   training documents that go because the source has the same text earlier
    """

    train: Any
    validation: Any
    twins: int = 0
    repeated: int = 0


def assign(registry: Registry, sources: Mapping[str, Prepared]) -> dict[str, Roles]:
    """The roles of all sources' documents, by source name. Memory: some bytes a document."""
    held = {source.name: _held_out(registry, source, sources[source.name]) for source in registry.sources}
    protected = {
        what: np.unique(np.concatenate([sources[name].index[what][numbers] for name, numbers in held.items()]))
        for what in ("text", "group")
    }
    return {
        source.name: _roles(registry, sources[source.name], held[source.name], protected) for source in registry.sources
    }


def _held_out(registry: Registry, source: Source, prepared: Prepared) -> Any:
    validation = registry.validation
    if validation.split != "group" or not validation.share or not source.validation:
        return np.empty(0, np.int64)
    # The first 53 bits, which floating point holds exactly on every machine.
    place = (prepared.index["group"] >> np.uint64(11)).astype(np.float64) / float(1 << 53)
    return _first_of_each(np.flatnonzero(place < validation.share), prepared.index["text"])


def _first_of_each(numbers: Any, texts: Any) -> Any:
    """Of documents with one text the first, in file order."""
    _, first = np.unique(texts[numbers], return_index=True)
    return numbers[np.sort(first)]


def _roles(registry: Registry, prepared: Prepared, held: Any, protected: Mapping[str, Any]) -> Roles:
    texts = prepared.index["text"]
    in_training = np.ones(len(prepared), bool)
    for what, values in protected.items():
        if len(values):
            in_training[np.isin(prepared.index[what], values)] = False
    train = np.flatnonzero(in_training)
    twins = len(prepared) - len(train) - len(held)
    if registry.duplicates == "once":
        once = _first_of_each(train, texts)
        return Roles(once, held, twins, len(train) - len(once))
    return Roles(train, held, twins)


def groups_of(prepared: Prepared, numbers: Sequence[int] | Any) -> int:
    """How many groups some documents are of."""
    return len(np.unique(prepared.index["group"][numbers]))
