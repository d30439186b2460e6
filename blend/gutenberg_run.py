"""A folder of Gutenberg files into documents or shards, with a report; nothing is done where all is up to date."""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from bookblend import __version__
from bookblend.blend.catalogue import Entry
from bookblend.blend.gutenberg_books import Batch, Book, Options, batches, hash_batch, read_batch
from bookblend.blend.near import Duplicates
from bookblend.files import Outputs, sha256_file
from bookblend.jsonio import dump_pretty
from bookblend.parallel import map_pieces
from bookblend.progress import track

# What a shard holds at most; a book longer than that has one of its own.
SHARD_BYTES = 500_000_000
_REPORT = "report.json"
# Files that are no books of the folder are listed up to so many.
_LISTED = 20


@dataclass(frozen=True, slots=True)
class Job:
    """What is to be made: `out` is the documents' file, or the shards' folder."""

    folder: Path
    books: tuple[tuple[Entry, Path], ...]
    out: Path
    options: Options
    once: bool = False
    missing: int = 0
    workers: int = 1
    passed_over: tuple[str, ...] = ()
    shard_bytes: int = SHARD_BYTES

    @property
    def report(self) -> Path:
        """The report's file."""
        if self.options.shards:
            return self.out / _REPORT
        return self.out.with_name(self.out.name.removesuffix(".jsonl") + "." + _REPORT)

    def settings(self) -> dict[str, Any]:
        """What the outputs depend on beside the files."""
        return {
            "shards": self.options.shards,
            "eos": self.options.eos,
            "rules": "recipe" if self.options.recipe else "full",
            "steps": sorted(step.value for step in self.options.steps),
            "duplicates": "once" if self.once else "report",
            "shard_bytes": self.shard_bytes,
        }


@dataclass(slots=True)
class _Tally:
    """What the report counts, in the order of the books."""

    counts: Counter[str] = field(default_factory=Counter)
    states: Counter[str] = field(default_factory=Counter)
    encodings: Counter[str] = field(default_factory=Counter)
    skipped: list[dict[str, str]] = field(default_factory=list)
    flagged: list[dict[str, str]] = field(default_factory=list)
    holding_eos: list[str] = field(default_factory=list)
    copyrighted: list[str] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)

    def add(self, book: Book) -> None:
        self.counts["files"] += 1
        self.counts["bytes_read"] += book.size
        if book.why:
            self.skipped.append({"file": book.file, "why": book.why})
            return
        self.states[book.state] += 1
        self.encodings[book.encoding] += 1
        self.counts["credit_lines"] += book.credits
        self.counts["note_lines"] += book.notes
        self.counts["marks"] += book.marks
        if book.kept:
            self.flagged.append({"file": book.file, "why": f"packaging kept: {book.kept}"})
        if book.how not in ("bytes", "mark", "header"):
            self.flagged.append({"file": book.file, "why": f"{book.encoding}: {book.how}"})
        if book.holds_eos:
            self.holding_eos.append(book.name)
        if book.copyrighted:
            self.copyrighted.append(book.name)


def is_current(job: Job) -> dict[str, Any] | None:
    """The report of an earlier run, if it was of the same files and settings and its outputs are as it left them."""
    try:
        report: dict[str, Any] = json.loads(job.report.read_text("utf-8"))
        outputs = [(job.report.parent / made["file"], made["sha256"], made["bytes"]) for made in report["outputs"]]
        if report["version"] != __version__ or report["settings"] != job.settings():
            return None
        if any(path.stat().st_size != size or sha256_file(path) != digest for path, digest, size in outputs):
            return None
    except (OSError, ValueError, KeyError, TypeError):
        return None
    parts = batches(job.folder, job.books, job.options)
    hashed = (pair for outcome in map_pieces(hash_batch, parts, job.workers) for pair in outcome.result())
    return report if _inputs_digest(job.books, hashed) == report.get("inputs_sha256") else None


def run(job: Job) -> dict[str, Any]:
    """Make the outputs and the report; returns the report."""
    earlier = _earlier_outputs(job)
    tally, duplicates = _Tally(), Duplicates()
    hashed: list[tuple[str, str]] = []
    with Outputs() as outputs:
        writer = _Writer(job, outputs)
        for book in _books(job):
            hashed.append((book.file, book.sha256))
            tally.add(book)
            if book.why:
                continue
            if duplicates.add(book.name, book.key, book.prints) and job.once:
                tally.left_out.append(book.name)
            else:
                writer.write(book.data)
        made = writer.close()
        report = _report(job, tally, duplicates, made, _inputs_digest(job.books, hashed))
        outputs.write(job.report, dump_pretty(report))
    for stale in earlier - {entry["file"] for entry in made}:
        (job.report.parent / stale).unlink(missing_ok=True)
    return report


def _books(job: Job) -> Iterator[Book]:
    parts = batches(job.folder, job.books, job.options)
    outcomes = map_pieces(read_batch, parts, job.workers)
    for part, outcome in track(zip(parts, outcomes, strict=True), len(parts), "batches of books"):
        if outcome.error is None:
            yield from outcome.result()
        else:
            yield from _alone(part, outcome.error)


def _alone(part: Batch, error: Exception) -> Iterator[Book]:
    """A batch whose process died, file by file in processes of their own, so that one file alone is lost."""
    if len(part.books) == 1:  # (never again, and never in this process)
        yield _unread(part, error)
        return
    singles = [Batch(part.folder, (book,), part.options) for book in part.books]
    for single, outcome in zip(singles, map_pieces(read_batch, singles, 2), strict=True):
        if outcome.error is None:
            yield from outcome.result()
        else:
            yield _unread(single, outcome.error)


def _unread(single: Batch, error: Exception) -> Book:
    entry, path = single.books[0]
    return Book(f"PG{entry.id}", path.relative_to(single.folder).as_posix(), 0, "", why=f"could not be read ({error})")


class _Writer:
    """Documents into one file, or into numbered shards; counts and hashes what it writes."""

    def __init__(self, job: Job, outputs: Outputs) -> None:
        self._job, self._outputs = job, outputs
        self._made: list[dict[str, Any]] = []
        self._stream: BinaryIO | None = None
        self._hash = hashlib.sha256()
        if not job.options.shards:
            self._open(job.out)

    def write(self, data: bytes) -> None:
        if self._job.options.shards and (not self._made or self._made[-1]["bytes"] + len(data) > self._job.shard_bytes):
            self._open(self._job.out / f"gutenberg-{len(self._made) + 1:05d}.txt")
        assert self._stream is not None
        self._stream.write(data)
        self._hash.update(data)
        self._made[-1]["bytes"] += len(data)
        self._made[-1]["documents"] += 1

    def _open(self, target: Path) -> None:
        self._finish()
        self._stream = self._outputs.open(target)
        self._hash = hashlib.sha256()
        self._made.append({"file": target.name, "documents": 0, "bytes": 0, "sha256": ""})

    def _finish(self) -> None:
        if self._made:
            self._made[-1]["sha256"] = self._hash.hexdigest()

    def close(self) -> list[dict[str, Any]]:
        self._finish()
        return self._made


def _inputs_digest(books: Iterable[tuple[Entry, Path]], hashed: Iterable[tuple[str, str]]) -> str:
    digest = hashlib.sha256()
    for (entry, _), (file, sha256) in zip(books, hashed, strict=True):
        digest.update(f"{entry!r}\0{file}\0{sha256}\n".encode())
    return digest.hexdigest()


def _earlier_outputs(job: Job) -> set[str]:
    """The shards that an earlier run's report names; only files of our own naming are ever removed."""
    if not job.options.shards:
        return set()
    return {path.name for path in job.out.glob("gutenberg-[0-9][0-9][0-9][0-9][0-9].txt")}


def _report(job: Job, tally: _Tally, duplicates: Duplicates, made: list[dict[str, Any]], inputs: str) -> dict[str, Any]:
    return {
        "version": __version__,
        "settings": job.settings(),
        "inputs_sha256": inputs,
        "outputs": made,
        "counts": {
            "files": tally.counts["files"],
            "bytes_read": tally.counts["bytes_read"],
            "documents": sum(entry["documents"] for entry in made),
            "bytes_written": sum(entry["bytes"] for entry in made),
            "skipped": len(tally.skipped),
            "without_file": job.missing,
            "passed_over": len(job.passed_over),
            "credit_lines": tally.counts["credit_lines"],
            "note_lines": tally.counts["note_lines"],
            "marks": tally.counts["marks"],
            "left_out_as_duplicates": len(tally.left_out),
        },
        "states": {state: tally.states[state] for state in ("both", "start-only", "end-only", "none")},
        "encodings": dict(sorted(tally.encodings.items())),
        "skipped": tally.skipped,
        "passed_over_first": list(job.passed_over[:_LISTED]),
        "flagged": tally.flagged,
        "holding_eos": tally.holding_eos,
        "copyrighted": tally.copyrighted,
        "duplicates": {"title_author": duplicates.title_author, "near": duplicates.near},
        "left_out": tally.left_out,
    }
