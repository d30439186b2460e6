"""The dry run: what a registry asks of its sources, before anything is fetched."""

import math
from collections.abc import Mapping
from typing import Any

from bookblend.blend.licensing import conflict
from bookblend.blend.model import BookRecipe, Files, GutenbergFolder, Hub, Origin, Registry, Source, Web
from bookblend.blend.shares import percent
from bookblend.blend.table import lines


def plan(registry: Registry, measured: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """Shares, tokens, ceilings and licences as JSON; `measured` is the report of `measure`, if there is one."""
    known = measured["sources"] if measured else {}
    return {
        "name": registry.name,
        "budget": registry.budget,
        "eos": registry.eos,
        "seed": registry.seed,
        "cut": registry.cut,
        "validation": {"share": registry.validation.share, "split": registry.validation.split},
        "counted_by": measured["method"] if measured else None,
        "sources": {source.name: _source(registry, source, known.get(source.name)) for source in registry.sources},
        "share_alike_conflict": conflict(registry.sources),
    }


def _source(registry: Registry, source: Source, known: Mapping[str, Any] | None) -> dict[str, Any]:
    target = round(source.share * registry.budget)
    return {
        "slice": source.slice,
        "share": source.share,
        "target_tokens": target,
        "upsample": source.upsample,
        # What it must hold for its share, if it is repeated as often as it may be.
        "least_tokens": math.ceil(target / source.upsample),
        "available_tokens": known["available_tokens"] if known else None,
        "ceiling_share": known["ceiling_share"] if known else None,
        "origin": origin_text(source.origin),
        "licence": source.licence.spdx,
        "licence_url": source.licence.url,
        "share_alike": source.licence.share_alike,
        "note": source.licence.note,
    }


def origin_text(origin: Origin) -> str:
    """Where a source comes from, in one line."""
    match origin:
        case Hub():
            config = f", {origin.config}" if origin.config else ""
            return f"{origin.repo}{config} ({origin.split}) @ {origin.revision}"
        case Web():
            return f"{origin.url} sha256:{origin.sha256}"
        case GutenbergFolder():
            return f"Gutenberg texts in {origin.folder}"
        case BookRecipe():
            return f"book recipe {origin.recipe}"
        case Files():
            return ", ".join(origin.paths)


def plan_lines(planned: Mapping[str, Any]) -> list[str]:
    """The dry run as a table for people."""
    known = planned["counted_by"] is not None
    header = ["source", "slice", "licence", "share", "tokens", "upsample", "must hold"]
    header += ["holds", "ceiling", ""] if known else []
    rows = [_row(name, entry, known) for name, entry in planned["sources"].items()]
    validation = planned["validation"]
    head = [
        f"{planned['name']}: {planned['budget']:,} tokens of training, {planned['cut']} cut, seed {planned['seed']}, "
        f"eos {planned['eos']}; validation {percent(validation['share'])} by {validation['split']}",
        "",
    ]
    tail = ["", planned["share_alike_conflict"]] if planned["share_alike_conflict"] else []
    if known:
        tail = ["", f"tokens that a source holds are counted by: {planned['counted_by']}", *tail]
    return [*head, *lines(header, rows, left=3), *tail]


def _row(name: str, entry: Mapping[str, Any], known: bool) -> list[str]:
    licence = entry["licence"] + (" (share-alike)" if entry["share_alike"] else "")
    cells = [
        name, entry["slice"], licence, percent(entry["share"]), f"{entry['target_tokens']:,}", f"{entry['upsample']:g}",
        f"{entry['least_tokens']:,}",
    ]  # fmt: skip
    if known:
        has = entry["available_tokens"] is not None
        cells += [f"{entry['available_tokens']:,}", percent(entry["ceiling_share"])] if has else ["", ""]
        cells += ["short" if has and entry["ceiling_share"] < entry["share"] else ""]
    return cells
