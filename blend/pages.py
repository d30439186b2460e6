"""A blend's pages, made from its manifest alone so that neither can drift: provenance, licensing, one HTML overview."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bookblend.blend.shares import percent
from bookblend.blend.table import markdown

PROVENANCE, LICENSING, OVERVIEW = "provenance.md", "licensing.md", "overview.html"
_TEMPLATE = Path(__file__).with_name("overview.html.jinja")


def provenance(manifest: Mapping[str, Any]) -> str:
    """Where every source came from, what became of its rows, and the hashes that prove it."""
    train, validation = manifest["train"], manifest["validation"]
    tokenizer = manifest["tokenizer"]
    head = [
        f"# Provenance of {manifest['name']}",
        "",
        f"{train['tokens']:,} tokens of training in {train['documents']:,} documents ({train['difference']:+,} "
        f"against the budget of {manifest['budget']:,}), {validation['tokens']:,} tokens of validation in "
        f"{validation['documents']:,} documents. {manifest['cut'].capitalize()} cut, {manifest['order']}, "
        f"seed {manifest['seed']}, eos `{manifest['eos']}`; tokens counted by {manifest['counted_by']} "
        f"(`{tokenizer['file']}`, SHA-256 `{tokenizer['sha256']}`).",
        "",
    ]
    mix = markdown(
        ["source", "slice", "asked", "got", "tokens", "available", "repetition", "upsample"],
        [
            [
                name, source["slice"], percent(source["share"]["target"]), _share(source["share"]["achieved"]),
                f"{source['tokens']['emitted']:,}", f"{source['tokens']['available']:,}",
                _times(source["repetition"]), f"{source['upsample']['declared']:g}" + _kept(source),
            ]
            for name, source in manifest["sources"].items()
        ],
        2,
    )  # fmt: skip
    funnel = markdown(
        ["source", "rows read", "skipped", "not selected", "empty", "kept", "documents", "for training", "emitted"],
        [
            [name, *(f"{number:,}" for number in source["funnel"].values()),
             f"{source['documents']['available']:,}", f"{source['documents']['emitted']:,}"]
            for name, source in manifest["sources"].items()
        ],
    )  # fmt: skip
    origins = [f"- **{name}**: {source['origin']}" for name, source in manifest["sources"].items()]
    books = [
        f"  - {name}: {book['book'].get('title', '')}, {book['book'].get('author', '')}; "
        f"`{book['source'].get('name', '')}`, SHA-256 `{book['source'].get('sha256', '')}`"
        for name, source in manifest["sources"].items()
        for book in source["books"]
    ]
    inputs = markdown(
        ["source", "file", "SHA-256"],
        [[n, file, f"`{sha}`"] for n, source in manifest["sources"].items() for file, sha in source["inputs"].items()],
        3,
    )
    read = markdown(
        ["source", "file", "SHA-256"],
        [[n, file, f"`{sha}`"] for n, source in manifest["sources"].items() for file, sha in source["read"].items()],
        3,
    )
    listed = markdown(
        ["source", "document", "times", "tokens"],
        [
            [name, entry["id"], f"{entry['times']:,}", f"{entry['tokens']:,}"]
            for name, source in manifest["sources"].items()
            for entry in source["listed"]
        ],
        2,
    )
    outputs = markdown(
        ["file", "bytes", "SHA-256"],
        [[file, f"{made['bytes']:,}", f"`{made['sha256']}`"] for file, made in manifest["outputs"].items()],
    )
    parts = [
        head, ["## Mix", "", *mix], ["## What became of the rows", "", *funnel], ["## Origins", "", *origins, *books],
        ["## Documents of sources that gave few", "", *listed], ["## Read", "", *read],
        ["## Made from", "", *inputs], ["## Made", "", *outputs],
    ]  # fmt: skip
    return "\n\n".join("\n".join(part).rstrip() for part in parts) + "\n"


def licensing(manifest: Mapping[str, Any]) -> str:
    """Every source's licence, whom to name, and whether the blend may be passed on as one file."""
    conflict = manifest["share_alike_conflict"]
    alike = sorted({s["licence"]["spdx"] for s in manifest["sources"].values() if s["licence"]["share_alike"]})
    if conflict:
        verdict = f"**{conflict}**"
    elif alike:
        verdict = f"One licence asks that the whole stands under it: {alike[0]}."
    else:
        verdict = "No source's licence asks that the whole stands under its own terms."
    rows = [
        [
            name, source["licence"]["spdx"], "yes" if source["licence"]["share_alike"] else "no",
            _share(source["share"]["achieved"]), source["licence"]["attribution"], source["licence"]["url"],
            source["licence"]["note"],
        ]
        for name, source in manifest["sources"].items()
    ]  # fmt: skip
    table = markdown(["source", "licence", "share-alike", "share", "attribution", "text", "note"], rows, 7)
    return "\n".join([f"# Licences in {manifest['name']}", "", verdict, "", *table]) + "\n"


def overview(manifest: Mapping[str, Any]) -> str:
    """One HTML page without anything from elsewhere: shares, tokens, repetition, licences, funnel, lengths, hashes."""
    from jinja2 import Environment, StrictUndefined

    environment = Environment(autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"share": _share, "times": _times, "number": lambda value: f"{value:,}"}
    most = max([max(s["share"]["target"], s["share"]["achieved"] or 0) for s in manifest["sources"].values()])
    return environment.from_string(_TEMPLATE.read_text("utf-8")).render(m=manifest, most=most)


def _share(share: float | None) -> str:
    return "none" if share is None else percent(share)


def _times(repetition: float | None) -> str:
    return "none" if repetition is None else f"{repetition:.6g} x"


def _kept(source: Mapping[str, Any]) -> str:
    return "" if source["upsample"]["kept"] else " (passed)"
