"""Documents into token arrays: read, encoded and written at the same time, with memory that the documents' number has
no part in.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from bookblend.blend.ahead import Ahead
from bookblend.blend.arrays import Made, write_arrays
from bookblend.blend.encoder import Encoder, with_engine
from bookblend.blend.encoder_engines import Ids, Lengths
from bookblend.blend.text_lines import Block, read_blocks
from bookblend.errors import ExpectationError, InputError
from bookblend.files import Outputs
from bookblend.jsonio import dump_pretty

MANIFEST = "manifest.json"
# Characters and documents encoded at once: enough work for all threads, little enough to be in memory many times.
BATCH, BATCH_DOCUMENTS = 1 << 20, 1 << 13
# Batches that each step may be in front of the next one: so many are read while the tokenizer loads.
_DEPTH = 16
# Documents named in the manifest for holding the eos text.
_LISTED = 100


@dataclass(frozen=True, slots=True)
class EncodeJob:
    """What to encode, and how."""

    inputs: tuple[Path, ...]
    tokenizer: Path
    eos: str
    out: Path
    role: str
    formats: tuple[str, ...]
    dtype: str | None = None
    unknown_limit: float = 0.01
    engine: str = "auto"


@dataclass(slots=True)
class Counts:
    """What was met on the way."""

    documents: int = 0
    empty: int = 0
    tokens: int = 0
    unknown: int = 0
    holding_eos: int = 0
    holding_nul: int = 0
    eos_in: list[dict[str, Any]] = field(default_factory=list)

    @property
    def unknown_rate(self) -> float:
        """Unknown tokens of all that stand for text."""
        return self.unknown / max(1, self.tokens - self.documents)


def encode_documents(texts: Iterable[str], encoder: Encoder) -> Iterator[tuple[Ids, Lengths]]:
    """Flat ids of documents with the eos behind each, and their lengths with it; batch by batch, in order.

    `texts` is taken by a thread of its own, and the encoder works in another one while the caller has the batch before.
    """
    return _encoded(Ahead(_batches(texts), _DEPTH), encoder)


def _encoded(batches: Iterable[list[str]], encoder: Encoder) -> Iterator[tuple[Ids, Lengths]]:
    return iter(Ahead(map(encoder.encode_closed, batches), _DEPTH))


def _batches(texts: Iterable[str]) -> Iterator[list[str]]:
    batch: list[str] = []
    held = 0
    for text in texts:
        batch.append(text)
        held += len(text)
        if held >= BATCH or len(batch) >= BATCH_DOCUMENTS:
            yield batch
            batch, held = [], 0
    if batch:
        yield batch


def encode_files(job: EncodeJob) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Encode the texts of JSONL files into arrays and a manifest; returns its entry and lines for the user.

    Raises `InputError` for a line or tokenizer that cannot be used, `ExpectationError` for too many unknown tokens.
    """
    begun = [_Reading(job)]
    try:
        return with_engine(job.tokenizer, job.eos, lambda encoder: _encode(job, encoder, begun), job.engine)
    finally:
        for reading in begun:
            reading.batches.close()


class _Reading:
    """The texts of a job's files, read by a thread that begins at once, and what was met in them."""

    def __init__(self, job: EncodeJob) -> None:
        self.counts = Counts()
        self.inputs: list[dict[str, Any]] = []
        self.batches = Ahead(self._texts(job), _DEPTH)

    def _texts(self, job: EncodeJob) -> Iterator[list[str]]:
        for path in job.inputs:
            digest = hashlib.sha256()
            for block in read_blocks(path, digest.update):
                yield self._kept(path, block, job.eos)
            self.inputs.append({"file": path.name, "bytes": path.stat().st_size, "sha256": digest.hexdigest()})

    def _kept(self, path: Path, block: Block, eos: str) -> list[str]:
        """The texts that are not empty, all of them counted."""
        counts = self.counts
        holding = block.holding(eos)
        counts.holding_eos += len(holding)
        room = _LISTED - len(counts.eos_in)
        counts.eos_in += [{"file": path.name, "line": line} for line in holding[:room]]
        counts.holding_nul += len(block.holding("\0"))
        kept = list(filter(None, block.texts))
        counts.empty += len(block.texts) - len(kept)
        return kept


def _encode(job: EncodeJob, encoder: Encoder, begun: list[_Reading]) -> tuple[dict[str, Any], tuple[str, ...]]:
    # What was read before the tokenizer was there; a second time, all is read anew.
    reading = begun.pop() if begun else _Reading(job)
    counts = reading.counts
    with Outputs() as outputs:
        pieces = _counted(_encoded(reading.batches, encoder), encoder, counts)
        made = write_arrays(
            job.out,
            job.role,
            pieces,
            largest=encoder.vocabulary - 1,
            formats=job.formats,
            outputs=outputs,
            eos_id=encoder.eos_id,
            dtype=job.dtype,
        )
        _check(job, counts)
        entry = _entry(job, encoder, reading, made)
        outputs.write(job.out / MANIFEST, dump_pretty(_manifest(job, entry)))
    return entry, encoder.notices


def _counted(pieces: Iterable[tuple[Ids, Lengths]], encoder: Encoder, counts: Counts) -> Iterator[tuple[Ids, Lengths]]:
    for ids, lengths in pieces:
        counts.documents += len(lengths)
        counts.tokens += len(ids)
        counts.unknown += encoder.count_unknown(ids)
        if encoder.unknown_id == encoder.eos_id:
            counts.unknown -= len(lengths)
        yield ids, lengths


def _check(job: EncodeJob, counts: Counts) -> None:
    if not counts.documents:
        raise InputError(f"{', '.join(map(str, job.inputs))}: no document with a text")
    if counts.unknown_rate > job.unknown_limit:
        raise ExpectationError(
            f"{job.tokenizer}: {counts.unknown:,} tokens ({counts.unknown_rate:.2%}) are unknown to this tokenizer, "
            f"above the limit of {job.unknown_limit:.2%}; train one on these texts, or raise --unknown-limit"
        )


def _entry(job: EncodeJob, encoder: Encoder, reading: _Reading, made: list[Made]) -> dict[str, Any]:
    counts = reading.counts
    return {
        "documents": counts.documents,
        "tokens": counts.tokens,
        "empty_documents_skipped": counts.empty,
        "unknown_tokens": counts.unknown,
        "unknown_rate": round(counts.unknown_rate, 6),
        "documents_holding_eos_text": counts.holding_eos,
        "first_holding_eos_text": counts.eos_in,
        "documents_holding_nul": counts.holding_nul,
        "tokenizer": {
            "file": job.tokenizer.name,
            "sha256": encoder.sha256,
            "vocabulary": encoder.vocabulary,
            "eos": encoder.eos,
            "eos_id": encoder.eos_id,
            "notices": list(encoder.tokenizer_notices),
        },
        "inputs": reading.inputs,
        "outputs": [asdict(file) for file in made],
    }


def _manifest(job: EncodeJob, entry: dict[str, Any]) -> dict[str, Any]:
    """The manifest with this role's entry; those of other roles in the same folder stay."""
    try:
        roles = dict(json.loads((job.out / MANIFEST).read_text("utf-8"))["roles"])
    except (OSError, ValueError, KeyError, TypeError):
        roles = {}
    roles[job.role] = entry
    return {"roles": dict(sorted(roles.items()))}
