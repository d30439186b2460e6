"""Documents into token arrays: read, encoded and written at the same time, with memory that the documents' number has
no part in.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy

from bookblend.blend.ahead import ahead
from bookblend.blend.arrays import Made, write_arrays
from bookblend.blend.encoder import Encoder, with_engine
from bookblend.blend.encoder_engines import Ids, Lengths
from bookblend.blend.text_lines import read_texts
from bookblend.errors import ExpectationError, InputError
from bookblend.files import Outputs, sha256_file
from bookblend.jsonio import dump_pretty

MANIFEST = "manifest.json"
# Characters and documents encoded at once: enough that all threads have work, little enough to stay in memory thrice.
BATCH, BATCH_DOCUMENTS = 1 << 22, 1 << 15
# Batches that each step may be in front of the next one.
_DEPTH = 2
# Documents of at most so many tokens are put together by one mask for all, longer ones by a copy each.
_SHORT = 200
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
    batches = ahead(_batches(texts), _DEPTH)
    return ahead((with_eos(*encoder.encode(batch), encoder.eos_id) for batch in batches), _DEPTH)


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


def with_eos(ids: Ids, lengths: Lengths, eos_id: int) -> tuple[Ids, Lengths]:
    """The same documents with `eos_id` behind each."""
    longer = lengths + 1
    ends = numpy.cumsum(longer)
    made = numpy.empty(len(ids) + len(lengths), numpy.uint32)
    if len(ids) <= _SHORT * len(lengths):
        inner = numpy.ones(len(made), numpy.bool_)
        inner[ends - 1] = False
        made[inner] = ids
    else:
        start = 0
        for end, length in zip(ends.tolist(), lengths.tolist(), strict=True):
            made[end - 1 - length : end - 1] = ids[start : start + length]
            start += length
    made[ends - 1] = eos_id
    return made, longer


def encode_files(job: EncodeJob) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Encode the texts of JSONL files into arrays and a manifest; returns its entry and lines for the user.

    Raises `InputError` for a line or tokenizer that cannot be used, `ExpectationError` for too many unknown tokens.
    """
    return with_engine(job.tokenizer, job.eos, lambda encoder: _encode(job, encoder), job.engine)


def _encode(job: EncodeJob, encoder: Encoder) -> tuple[dict[str, Any], tuple[str, ...]]:
    counts = Counts()
    with Outputs() as outputs:
        pieces = _counted(encode_documents(_texts(job.inputs, job.eos, counts), encoder), encoder, counts)
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
        entry = _entry(job, encoder, counts, made)
        outputs.write(job.out / MANIFEST, dump_pretty(_manifest(job, entry)))
    return entry, encoder.notices


def _texts(inputs: Sequence[Path], eos: str, counts: Counts) -> Iterator[str]:
    for path in inputs:
        for line, text in read_texts(path):
            if not text:
                counts.empty += 1
                continue
            if eos in text:
                counts.holding_eos += 1
                if len(counts.eos_in) < _LISTED:
                    counts.eos_in.append({"file": path.name, "line": line})
            counts.holding_nul += "\0" in text
            yield text


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


def _entry(job: EncodeJob, encoder: Encoder, counts: Counts, made: list[Made]) -> dict[str, Any]:
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
        "inputs": [
            {"file": path.name, "bytes": path.stat().st_size, "sha256": sha256_file(path)} for path in job.inputs
        ],
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
