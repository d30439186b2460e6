"""A selection written out: the texts that people and other tools read, and the token arrays that trainers read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np

from bookblend.blend.arrays import Made, write_arrays
from bookblend.blend.cut_documents import Taken, interleave
from bookblend.blend.cut_words import Emitted, blend_words
from bookblend.blend.documents import stuffed
from bookblend.blend.encoded import Encoded
from bookblend.blend.measure import Measured
from bookblend.blend.model import Registry
from bookblend.blend.prepared import Prepared
from bookblend.blend.selection import Selection, word_parts
from bookblend.files import HashedStream, Outputs
from bookblend.progress import Meter

Role = Literal["train", "val"]
ORIGINS = {role: (f"{role}_sources.npy", f"{role}_numbers.npy") for role in ("train", "val")}
# Documents that are gathered before they are handed on: enough to make copying cheap, some megabytes of ids.
_GATHERED = 1 << 12


@dataclass(frozen=True, slots=True)
class Row:
    """A role's documents in order: `sources` are places in `names` and `taken`, `places` ones in their `documents`."""

    names: tuple[str, ...]
    taken: tuple[Taken, ...]
    sources: Any
    places: Any

    def __iter__(self) -> Iterator[tuple[str, int, Taken, bool]]:
        """Each document's source and number, and whether it is the one that was cut."""
        for start in range(0, len(self.places), _GATHERED):  # (as lists, all of them would take a hundred bytes each)
            block = slice(start, start + _GATHERED)
            for source, place in zip(self.sources[block].tolist(), self.places[block].tolist(), strict=True):
                taken = self.taken[source]
                cut = taken.cut is not None and place == len(taken.documents) - 1
                yield self.names[source], int(taken.documents[place]), taken, cut


def in_order(registry: Registry, selection: Selection, role: Role, lengths: Mapping[str, Any]) -> Row:
    """A role's documents in a row: the sources interleaved in proportion, or one after the other."""
    by_name = selection.train if role == "train" else selection.validation
    names = tuple(name for name in selection.names if name in by_name)
    taken = tuple(by_name[name] for name in names)
    if registry.cut == "document" and registry.order == "interleaved":
        sources, places = interleave([t.tokens for t in taken], taken, [lengths[name] for name in names])
        return Row(names, taken, sources, places)
    sizes = [len(t.documents) for t in taken]
    sources = np.repeat(np.arange(len(names), dtype=np.int32), sizes)
    places = np.concatenate([np.arange(size, dtype=np.int64) for size in sizes])
    return Row(names, taken, sources, places)


def write_text(target: Path, row: Row, prepared: Mapping[str, Prepared], eos: str, outputs: Outputs) -> Made:
    """A role's documents as text, each closed by the eos line."""
    stream = HashedStream(outputs.open(target))
    end = f"\n{eos}\n\n".encode()
    readers = {name: prepared[name].reader() for name in row.names}
    try:
        with Meter(0, target.name) as meter:
            for name, number, taken, cut in row:
                if cut and taken.cut is not None:
                    data = stuffed(taken.cut.text, eos).encode("utf-8")
                else:
                    data = readers[name].raw(number)
                stream.write(data + end)
                meter.advance(len(data))
    finally:
        for reader in readers.values():
            reader.close()
    return Made(target.name, stream.size, stream.hexdigest, "text", len(row.places))


def write_words(
    target: Path, registry: Registry, measured: Measured, outputs: Outputs
) -> tuple[Made, dict[str, Emitted]]:
    """The recipe's blend as one text, to the byte, and the account of every source, by name."""
    stream = HashedStream(outputs.open(target))
    accounts: dict[str, Emitted] = {}
    for text, account in blend_words(word_parts(registry, measured), registry.budget, registry.eos):
        stream.write(text.encode("utf-8"))
        accounts[account.name] = account
    return Made(target.name, stream.size, stream.hexdigest, "text", 0), accounts


def write_role(
    folder: Path,
    role: Role,
    row: Row,
    encoded: Mapping[str, Encoded],
    cuts: Mapping[str, Any],
    vocabulary: int,
    formats: Sequence[str],
    outputs: Outputs,
) -> list[Made]:
    """A role's token arrays; `cuts` are the ids (with eos) of the documents that were cut, by source."""
    pieces = _pieces(row, encoded, cuts)
    return write_arrays(folder, role, pieces, largest=vocabulary - 1, formats=formats, outputs=outputs)


def write_origins(folder: Path, role: Role, row: Row, sources: Sequence[str], outputs: Outputs) -> list[Made]:
    """Where a role's documents come from: each one's place in `sources` and its number in that source's documents."""
    places = np.array([sources.index(name) for name in row.names], np.uint16)
    numbers = np.empty(len(row.places), np.int64)
    for place, taken in enumerate(row.taken):
        mine = row.sources == place
        numbers[mine] = taken.documents[row.places[mine]]
    columns = dict(zip(ORIGINS[role], (places[row.sources], numbers), strict=True))
    made = []
    for name, values in columns.items():
        stream = HashedStream(outputs.open(folder / name))
        np.lib.format.write_array(stream, values)
        made.append(Made(name, stream.size, stream.hexdigest, str(values.dtype), len(values)))
    return made


def _pieces(row: Row, encoded: Mapping[str, Encoded], cuts: Mapping[str, Any]) -> Iterator[tuple[Any, Any]]:
    gathered: list[Any] = []
    for name, number, _, cut in row:
        gathered.append(cuts[name] if cut else encoded[name].document(number))
        if len(gathered) == _GATHERED:
            yield _joined(gathered)
            gathered = []
    if gathered:
        yield _joined(gathered)


def _joined(gathered: list[Any]) -> tuple[Any, Any]:
    lengths = np.fromiter((len(ids) for ids in gathered), np.int64, len(gathered))
    return np.concatenate(gathered), lengths
