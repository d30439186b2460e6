"""`fetch`: every source's rows into `raw/<source>/text.jsonl`, from pinned datasets of the Hub and files of the web.

Sources of one dataset are filled in one pass. Files are fetched whole first, into `raw/.hub` and `raw/.web`, where a
killed run's are gone on with, and removed when all that need them are done. A source whose receipt still holds costs
no request.
"""

import shutil
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextlib import suppress
from dataclasses import dataclass
from itertools import takewhile
from pathlib import Path
from typing import Any

from bookblend.blend import disk
from bookblend.blend.fetch_plan import CACHES, Job, grouped, pinned, plan
from bookblend.blend.fetch_rows import Taker, Tally, stems, take_rows
from bookblend.blend.model import Hub, Registry, Source, Web
from bookblend.blend.rows import row_reader
from bookblend.blend.web import Client
from bookblend.blend.workspace import RAW_ROWS, Workspace, read_receipt
from bookblend.convert.streams import told_of_room
from bookblend.errors import UsageError
from bookblend.files import Outputs, write_whole
from bookblend.jsonio import dump_pretty
from bookblend.progress import Meter, track
from bookblend.talk import say, warn

# Raised when the rows made of the same files by this module and those it uses change.
RULES = 1
# Downloads at a time: enough to fill a line that a single connection does not, few enough for the Hub's limits.
DOWNLOADS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """How to fetch: sources by name (none: all), again what is up to date, so many downloads at a time.

    sleep   waits between two tries of a download (none: as long as it says, or until the fetch is stopped)
    """

    names: tuple[str, ...] = ()
    again: bool = False
    downloads: int = DOWNLOADS
    sleep: Callable[[float], object] | None = None


def fetch_all(registry: Registry, workspace: Workspace, how: Fetch) -> dict[str, Any]:
    """Fetch what is not up to date; the report of all sources that are fetched, which also stands in `fetch.json`.

    Raises `BookblendError` at the first that fails: what was fetched until then is kept for the next run.
    """
    client = Client(how.sleep)
    chosen = choose(registry, how.names)
    stale = [source for source in chosen if how.again or current(source, workspace) is None]
    for source in chosen:
        if source not in stale:
            say(f"{source.name}: up to date (--again fetches it anew)")
    for source in stale:
        row_reader(source)  # a template that is none is told now
    jobs = [plan(origin, sources, workspace, client) for origin, sources in grouped(stale)]
    for job in jobs:
        _tell(job)
    disk.check_room([disk.need(job) for job in jobs], workspace.folder)
    made: dict[str, dict[str, Any]] = {}
    for job in jobs:
        _download(job, client, how.downloads)
        made |= _fill(job, workspace)
    report = _summary(registry, workspace, made)
    _clear(jobs, workspace.folder / "raw", whole=not report["not_fetched"])
    write_whole(workspace.make(workspace.folder) / workspace.report("fetch").name, dump_pretty(report))
    return report


def needs_of(registry: Registry, workspace: Workspace) -> list[disk.Need]:
    """What a fetch of everything that is not up to date would need."""
    client = Client()
    stale = [source for source in choose(registry, ()) if current(source, workspace) is None]
    return [disk.need(plan(origin, sources, workspace, client)) for origin, sources in grouped(stale)]


def choose(registry: Registry, names: Sequence[str]) -> list[Source]:
    """The sources so called that are fetched (none: all of them). Raises `UsageError` for a name that is none."""
    known = {source.name: source for source in registry.sources}
    for name in names:
        if name not in known:
            raise UsageError(f"--source {name}: {registry.file} has no such source; there are {', '.join(known)}")
        if not isinstance(known[name].origin, (Hub, Web)):
            say(f"{name}: is local, there is nothing to fetch")
    return [
        source
        for source in registry.sources
        if isinstance(source.origin, (Hub, Web)) and (not names or source.name in names)
    ]


def current(source: Source, workspace: Workspace) -> dict[str, Any] | None:
    """The report of a source that is fetched and unchanged. Its files need no look: revision or hash pin them."""
    folder = workspace.raw(source.name)
    inputs: dict[str, str] = {}
    with suppress(OSError, ValueError, KeyError, TypeError):
        inputs = read_receipt(folder)["inputs"]
    return workspace.current(folder, _settings(source), inputs)


def _summary(registry: Registry, workspace: Workspace, made: Mapping[str, dict[str, Any]]) -> dict[str, Any]:
    """What there is of a registry's fetched sources, in its order: made by this run, or before it."""
    reports = {source.name: made.get(source.name) or current(source, workspace) for source in choose(registry, ())}
    return {
        "recipe": registry.name,
        "sources": [report for report in reports.values() if report is not None],
        "not_fetched": [name for name, report in reports.items() if report is None],
    }


def _settings(source: Source) -> dict[str, Any]:
    return pinned(source) | {"rules": RULES}


def _tell(job: Job) -> None:
    """Say which files are meant, and what the catalogue warns of, before any of them is fetched."""
    names = list(job.files)
    shown = names[0] if len(names) == 1 else f"{names[0]} … {names[-1]} ({len(names)} files)"
    say(f"{job.title}: {shown} for {', '.join(source.name for source in job.sources)}")
    for source in job.sources:
        for warning in job.warnings(source):
            warn(f"{source.name}: {warning}")


def _download(job: Job, client: Client, downloads: int) -> None:
    """Fetch the files that are not there yet, several at a time; the first that fails stops the others."""
    missing = job.missing()
    total = sum(left for left in missing.values() if left > 0)
    with Meter(total, job.title) as meter, ThreadPoolExecutor(downloads) as pool:
        going = [pool.submit(client.download, job.files[name], job.path(name), meter.advance) for name in missing]
        try:
            for one in as_completed(going):
                one.result()
        except BaseException:
            client.stop()
            pool.shutdown(cancel_futures=True)
            raise


def _fill(job: Job, workspace: Workspace) -> dict[str, dict[str, Any]]:
    """One pass over a job's files for all its sources; their texts and receipts appear together. Reports by source."""
    called, needed = stems(job.files), set(job.needed())
    folders = [workspace.make(workspace.raw(source.name)) for source in job.sources]
    with told_of_room(str(workspace.folder), "the texts"), Outputs() as outputs:
        takers = [
            Taker(source, outputs.open(folder / RAW_ROWS)) for source, folder in zip(job.sources, folders, strict=True)
        ]
        for name in track(job.files, len(job.files), f"{job.title}: rows"):
            if name in needed:
                take_rows(job.path(name), called[name], takers, lines=isinstance(job.origin, Hub))
            else:
                for taker in takers:
                    taker.tally.add(job.surveys[name].tallies[taker.source.name])
        return {
            taker.source.name: _finish(job, taker, folder, workspace, outputs)
            for taker, folder in zip(takers, folders, strict=True)
        }


def _finish(job: Job, taker: Taker, folder: Path, workspace: Workspace, outputs: Outputs) -> dict[str, Any]:
    sha256, size = taker.close()
    report = _report(job, taker.source, taker.tally, size)
    workspace.sign(
        outputs,
        folder,
        settings=_settings(taker.source),
        inputs={name: remote.digest for name, remote in job.files.items()},
        made={RAW_ROWS: sha256},
        report=report,
    )
    told = set(job.warnings(taker.source))
    for warning in report["warnings"]:
        if warning not in told:
            warn(f"{taker.source.name}: {warning}")
    return report


def _report(job: Job, source: Source, tally: Tally, size: int) -> dict[str, Any]:
    warnings = job.warnings(source, tally)
    if not tally.taken and "yields nothing" not in warnings:
        warnings.append("yields nothing")
    return {
        "source": source.name,
        **pinned(source),
        "files": [{"file": name, "bytes": job.size(name), "hash": remote.digest} for name, remote in job.files.items()],
        "rows_read": tally.rows,
        "rows_selected": tally.selected,
        "rows_taken": tally.taken,
        "rows_skipped": dict(sorted(tally.skipped.items())),
        "selectors": [
            {"selector": key, "text": part, "rows": tally.hits[key, part]}
            for key in ("authors", "bookshelves", "languages", "only_languages")
            for part in getattr(source.select, key)
        ],
        "bytes_written": size,
        "warnings": warnings,
    }


def _clear(jobs: Sequence[Job], raw: Path, whole: bool) -> None:
    """Remove from the cache what jobs are done with; once the blend is `whole` all of it, older recipes' too."""
    if whole:
        for cache in CACHES:
            shutil.rmtree(raw / cache, ignore_errors=True)
        return
    for path in (job.path(name) for job in jobs for name in job.files):
        path.unlink(missing_ok=True)
        for folder in takewhile(lambda folder: folder != raw, path.parents):
            with suppress(OSError):  # not empty: of others that are not done
                folder.rmdir()
