"""The stage `prepare`: every source's rows into closed documents, with an index and a report of what became of them."""

import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from bookblend.blend.inputs import input_files, pieces, reads_raw_rows
from bookblend.blend.local_raw import book_provenance, is_local_raw, make_raw
from bookblend.blend.model import GutenbergFolder, Registry, Selectors, Source
from bookblend.blend.prepare_piece import Piece, Tally, prepare_piece
from bookblend.blend.prepared import RECORD
from bookblend.blend.workspace import DOCUMENTS, INDEX, TEXT, Workspace, sealed
from bookblend.files import HashedStream, Outputs, Scratch
from bookblend.names import natural
from bookblend.parallel import map_pieces
from bookblend.progress import track
from bookblend.talk import counted, warn

# A source with packaging on fewer of its rows is no source of Gutenberg texts, and may only quote it.
_MOSTLY = 0.5
_STATES = ("both", "start-only", "end-only", "none")
_COUNTS = (
    "read", "rows", "documents", "words", "bytes", "empty", "not_selected", "credit_lines", "note_lines", "marks",
    "altered", "holding_eos", "packaged",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Outcome:
    """A source's report, and whether it was up to date already."""

    name: str
    report: dict[str, Any]
    fresh: bool


def prepare(
    registry: Registry, workspace: Workspace, names: Sequence[str] = (), workers: int = 1, again: bool = False
) -> list[Outcome]:
    """Prepare the named sources (all where none is named) that are not up to date, and write the stage's report.

    Raises `InputError` for files that are missing or cannot be read.
    """
    outcomes = [
        _source(registry, workspace, source, workers, again)
        for source in registry.sources
        if not names or source.name in names
    ]
    for outcome in outcomes:
        _tell(outcome)
    with Outputs() as outputs:
        report = {"stage": "prepare", "sources": {outcome.name: outcome.report for outcome in outcomes}}
        outputs.write(workspace.report("prepare"), sealed(report))
    return outcomes


def _tell(outcome: Outcome) -> None:
    """Warn of rows that give no text, and of a source without documents."""
    report = outcome.report
    for reason, count in report["skipped"].items():
        first = next((entry for entry in report["skipped_first"] if entry.endswith(reason)), "")
        warn(
            f"source '{outcome.name}': {counted(count, 'row')} skipped: {reason}"
            + (f" (first: {first.removesuffix(': ' + reason)})" if first else "")
        )
    counts, twins = report["counts"], report.get("twins", {})
    if 0 < counts["packaged"] < counts["read"] * _MOSTLY:
        warn(
            f"source '{outcome.name}': Gutenberg's packaging was taken off {counted(counts['packaged'], 'row')} "
            f"(first: {report['packaged_first'][0]}); strip = false keeps every row as it is"
        )
    if twins:
        book, other = next(iter(twins.items()))
        warn(
            f"source '{outcome.name}': {counted(len(twins), 'book')} twice ({book} is {other}"
            f"{', …' if len(twins) > 1 else ''}); gutenberg.duplicates says what becomes of them"
        )
    if not report["counts"]["documents"]:
        warn(f"source '{outcome.name}': holds no documents")


def settings(registry: Registry, source: Source) -> dict[str, Any]:
    """What a source's documents depend on beside its files."""
    return {
        "columns": [source.text, source.template, source.id, source.group, source.metadata],
        "select": [getattr(source.select, name) for name in ("authors", "bookshelves", "languages", "only_languages")],
        "strip": source.strip,
        "rules": registry.rules,
        "rows_per_document": source.rows_per_document,
        "document": source.document,
        "eos": registry.eos,
    }


def _source(registry: Registry, workspace: Workspace, source: Source, workers: int, again: bool) -> Outcome:
    raw = make_raw(registry, workspace, source, workers, again) if is_local_raw(source) else {}
    files = input_files(registry, workspace, source)
    inputs = {name: workspace.sha256(path) for path, name in files}
    folder = workspace.prepared(source.name)
    wanted = settings(registry, source)
    report = None if again else workspace.current(folder, wanted, inputs)
    if report is not None:
        return Outcome(source.name, report, False)
    workspace.make(folder)
    rows, twins = _as_rows(source), _twins(raw)
    work = pieces(files, whole=source.document == "book", joined=source.rows_per_document > 1)
    with Scratch(folder / TEXT) as scratch, Outputs() as outputs:
        parts = scratch.folder()
        jobs = [
            Piece(rows, registry.eos, registry.rules == "recipe", spans, parts / str(number), twins)
            for number, spans in enumerate(work)
        ]
        tally, made = _joined(folder, outputs, jobs, workers)
        report = _report(source, tally) | {"books": book_provenance(registry, workspace, source)}
        if "states" in raw:  # (packaging was taken off before there were rows)
            report["states"] = raw["states"]
            report["counts"]["credit_lines"] = raw["counts"]["credit_lines"]
            report["twins"] = twins
        workspace.sign(outputs, folder, settings=wanted, inputs=inputs, made=made, report=report)
    return Outcome(source.name, report, True)


def _twins(raw: Mapping[str, Any]) -> dict[str, str]:
    """Books of a Gutenberg folder that are editions of another one, by the id of the first of them."""
    doubles = raw.get("duplicates", {})
    first: dict[str, str] = {}
    for book, earlier in sorted(
        [*doubles.get("title_author", ()), *doubles.get("near", ())], key=lambda pair: natural(pair[0])
    ):
        root, other = _root(first, earlier), _root(first, book)
        if root != other:
            first[max(root, other, key=natural)] = min(root, other, key=natural)
    return {book: _root(first, book) for book in first}


def _root(first: Mapping[str, str], book: str) -> str:
    while book in first:
        book = first[book]
    return book


def _as_rows(source: Source) -> Source:
    """The source as its rows are to be read: the fetch has made columns of its own, and has selected already."""
    if not reads_raw_rows(source):
        return source
    strip = source.strip and not isinstance(source.origin, GutenbergFolder)  # that has been done
    return replace(
        source, text="text", template="", id="id", group="group", metadata="", select=Selectors(), strip=strip
    )


def _joined(folder: Path, outputs: Outputs, jobs: list[Piece], workers: int) -> tuple[Tally, dict[str, str]]:
    """All pieces' parts appended in order; SHA-256 of the three products by name."""
    tally = Tally()
    text = HashedStream(outputs.open(folder / TEXT))
    listed = HashedStream(outputs.open(folder / DOCUMENTS))
    indexes: list[Path] = []
    places: list[int] = []
    outcomes = map_pieces(prepare_piece, jobs, workers)
    for job, outcome in track(zip(jobs, outcomes, strict=True), len(jobs), f"{folder.name}: pieces"):
        tally.add(outcome.result())
        places.append(text.size)
        for stream, suffix in ((text, ".text"), (listed, ".documents")):
            stream.append(job.parts.with_suffix(suffix))
            job.parts.with_suffix(suffix).unlink()
        indexes.append(job.parts.with_suffix(".index"))
    index = HashedStream(outputs.open(folder / INDEX))
    _write_index(index, indexes, places)
    return tally, {TEXT: text.hexdigest, INDEX: index.hexdigest, DOCUMENTS: listed.hexdigest}


def _write_index(target: HashedStream, parts: list[Path], places: list[int]) -> None:
    """One .npy file of all parts' records, each part's places moved by where its text begins."""
    count = sum(part.stat().st_size for part in parts) // RECORD.itemsize
    header = {"descr": np.lib.format.dtype_to_descr(RECORD), "fortran_order": False, "shape": (count,)}
    head = io.BytesIO()
    np.lib.format.write_array_header_1_0(head, header)
    target.write(head.getvalue())
    for part, place in zip(parts, places, strict=True):
        records = np.fromfile(part, dtype=RECORD)
        records["start"] += place
        target.write(records.tobytes())


def _report(source: Source, tally: Tally) -> dict[str, Any]:
    return {
        "slice": source.slice,
        "counts": {name: tally.counts[name] for name in _COUNTS},
        "states": {name: tally.states[name] for name in _STATES},
        "skipped": dict(sorted(tally.skipped.items())),
        "skipped_first": tally.listed,
        "holding_eos_first": tally.holding_eos,
        "packaged_first": tally.packaged,
    }
