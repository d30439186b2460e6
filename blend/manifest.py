"""The manifest: what a blend was asked to be and what it is, measured, with the hashes of all it was made from.

Every number is of what was written. A source's share is its emitted tokens over all emitted ones, never its target.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from bookblend import __version__
from bookblend.blend.arrays import Made
from bookblend.blend.cut_documents import Taken
from bookblend.blend.licensing import conflict
from bookblend.blend.measure import Measured
from bookblend.blend.model import Registry, Source
from bookblend.blend.plan import origin_text
from bookblend.blend.selection import Selection
from bookblend.blend.shares import Supply

# Parts of the documents, the shortest first, whose lengths the manifest gives.
# A source that gave so few documents has them listed.
_LISTED = 100
_PARTS = (0, 10, 25, 50, 75, 90, 99, 100)


def manifest(
    registry: Registry,
    measured: Measured,
    selection: Selection,
    made: Sequence[Made],
    inputs: Mapping[str, Mapping[str, Mapping[str, str]]],
    tokenizer: Mapping[str, Any],
    reports: Mapping[str, Any],
) -> dict[str, Any]:
    """The manifest as JSON.

    `inputs` are hashes by source: of the files it was `read` from, and of its documents, the `inputs` of the blend.
    `reports` are those of `prepare` by source.
    """
    supplies = {supply.name: supply for supply in measured.supplies(registry)}
    train = sum(taken.tokens for taken in selection.train.values())
    validation = sum(taken.tokens for taken in selection.validation.values())
    sources = {
        source.name: _source(measured, selection, source, supplies[source.name], train, reports[source.name])
        | {what: dict(hashes) for what, hashes in inputs[source.name].items()}
        for source in registry.sources
    }
    return {
        "bookblend": __version__,
        "name": registry.name,
        "cut": registry.cut,
        "order": registry.order if registry.cut == "document" else "by-source",
        "seed": registry.seed,
        "eos": registry.eos,
        "duplicates": registry.duplicates,
        "rules": registry.rules,
        "counted_by": measured.method,
        "tokenizer": dict(tokenizer),
        "budget": registry.budget,
        "train": _role(measured, selection.train, train) | {"difference": train - registry.budget},
        "validation": _role(measured, selection.validation, validation)
        | {"share": registry.validation.share, "split": registry.validation.split},
        "sources": sources,
        "left_out": list(registry.left_out),
        "share_alike_conflict": conflict(registry.sources),
        "outputs": {one.file: {"bytes": one.bytes, "sha256": one.sha256} for one in made},
    }


def sizes_of(taken: Taken, lengths: Any) -> Any:
    """The tokens of each document taken, the one that was cut as it was cut."""
    sizes = lengths[taken.documents].copy()
    if taken.cut is not None:
        sizes[-1] = taken.cut.tokens
    return sizes


def _role(measured: Measured, role: Mapping[str, Taken], tokens: int) -> dict[str, Any]:
    sizes = np.concatenate([sizes_of(taken, measured.tokens[name]) for name, taken in role.items()])
    ordered = np.sort(sizes)
    places = [(len(ordered) - 1) * part // 100 for part in _PARTS]
    lengths = {str(part): int(ordered[place]) for part, place in zip(_PARTS, places, strict=True)} if len(sizes) else {}
    return {"tokens": tokens, "documents": len(sizes), "document_tokens_by_percentile": lengths}


def _source(
    measured: Measured,
    selection: Selection,
    source: Source,
    supply: Supply,
    total: int,
    report: Mapping[str, Any],
) -> dict[str, Any]:
    taken, held = selection.train[source.name], selection.validation[source.name]
    roles, words = measured.roles[source.name], measured.sources[source.name].index["words"]
    repetition = taken.tokens / supply.available if supply.available else None
    cut_words = len(taken.cut.text.split()) - int(words[taken.documents[-1]]) if taken.cut is not None else 0
    return {
        "slice": source.slice,
        "origin": origin_text(source.origin),
        "share": {"target": source.share, "achieved": taken.tokens / total if total else None},
        "tokens": {"planned": supply.target, "emitted": taken.tokens, "available": supply.available},
        "documents": {
            "available": len(roles.train),
            "emitted": len(taken.documents),
            "cut": int(taken.cut is not None),
        },
        "words": int(words[taken.documents].sum()) + cut_words,
        "repetition": repetition,
        "upsample": {"declared": source.upsample, "kept": repetition is None or repetition <= source.upsample},
        "largest_document": int(sizes_of(taken, measured.tokens[source.name]).max(initial=0)),
        "passed_over_as_too_large": len(taken.too_large),
        "validation": {
            "documents": len(held.documents),
            "tokens": held.tokens,
            "held_out": len(roles.validation),
            "left_out_of_training_as_validation_text": roles.twins,
        },
        "left_out_as_repeated": roles.repeated,
        "funnel": _funnel(report),
        "licence": {
            "spdx": source.licence.spdx,
            "url": source.licence.url,
            "attribution": source.licence.attribution,
            "share_alike": source.licence.share_alike,
            "note": source.licence.note,
        },
        "books": report.get("books", []),
        "listed": _listed(measured, source.name, taken),
    }


def _listed(measured: Measured, name: str, taken: Taken) -> list[dict[str, Any]]:
    """The documents of a source that gave few, by their labels, with how often and how many tokens each gave."""
    numbers, times = np.unique(taken.documents, return_counts=True)
    if len(numbers) > _LISTED:
        return []
    sizes = sizes_of(taken, measured.tokens[name])
    tokens = {int(number): int(sizes[taken.documents == number].sum()) for number in numbers}
    labels = measured.sources[name].labels(numbers)
    return [
        {"id": label, "times": int(count), "tokens": tokens[int(number)]}
        for number, count, label in zip(numbers, times, labels, strict=True)
    ]


def _funnel(report: Mapping[str, Any]) -> dict[str, int]:
    counts = report["counts"]
    return {
        "rows_read": counts["read"],
        "rows_skipped": sum(report["skipped"].values()),
        "rows_not_selected": counts["not_selected"],
        "rows_empty": counts["empty"],
        "rows_kept": counts["rows"],
        "documents": counts["documents"],
    }
