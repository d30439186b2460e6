"""What is to be fetched: sources that share a dataset as one job, its files, and what the catalogue says beforehand.

Of a Parquet file on a server only the footer is read here, and of a catalogue's column what there is of it, by ranges
of bytes; so an author who is in no row is known before anything large is fetched.
"""

import re
import urllib.parse
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bookblend.blend.fetch_rows import Tally, all_columns
from bookblend.blend.hub import CARD, list_repository
from bookblend.blend.hub_files import PACKED, choose_files, kind_of
from bookblend.blend.model import Hub, Selectors, Source, Web
from bookblend.blend.selectors import unmet
from bookblend.blend.web import PART, Client, NoRangesError, Ranges, Remote
from bookblend.blend.workspace import Workspace
from bookblend.errors import InputError
from bookblend.progress import track

# Folders under raw/ where files wait until all that need them are done.
CACHES = _HUB, _WEB = ".hub", ".web"
# What a row costs in text.jsonl beside its text: keys, quotation marks, an id made of the file's name and a number.
_ROW_BYTES = 64
# JSON escapes line ends and quotation marks: 3 % of prose in lines of 70 characters, 8 % of dialogue and verse.
_ESCAPED = 1.1
# Text per byte of a file that does not say: Parquet by its usual codecs (2 to 3 for prose), gzip and zstd (3 to 4).
_UNPACKED = {"parquet": 3.0, "packed": 4.0, "plain": 1.0}


# Files that are asked at a time for what they say of themselves: it is waiting, not work.
_SURVEYS = 4


@dataclass(slots=True)
class Survey:
    """What a Parquet file says before it is fetched: its rows, bytes by column, and how many rows a source selects."""

    rows: int
    bytes: Mapping[str, int]
    tallies: dict[str, Tally] = field(default_factory=dict)


@dataclass(slots=True)
class Job:
    """Sources that are filled in one pass: their files by name, each with its place in the cache.

    surveys   by file, where something could be learnt beforehand
    """

    origin: Hub | Web
    sources: tuple[Source, ...]
    files: dict[str, Remote]
    folder: Path
    surveys: dict[str, Survey] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The job as messages call it."""
        if isinstance(self.origin, Web):
            return self.origin.url
        return " ".join(part for part in (self.origin.repo, self.origin.config, self.origin.split) if part)

    def path(self, name: str) -> Path:
        """Where a file is kept until all that need it are done."""
        return self.folder / name

    def needed(self) -> list[str]:
        """The files that hold rows for any source, as far as their catalogue tells."""
        return [name for name in self.files if self._may_hold(name)]

    def missing(self) -> dict[str, int]:
        """Bytes still to be fetched, by file; -1 where the size is not known."""
        return {
            name: _left(self.files[name], self.path(name)) for name in self.needed() if not self.path(name).is_file()
        }

    def size(self, name: str) -> int:
        """Bytes of a file."""
        return self.path(name).stat().st_size if self.path(name).is_file() else self.files[name].size

    def to_write(self) -> int:
        """Bytes that the sources' text will take, about and rather too many than too few."""
        return int(sum(self._text_of(name, source) for name in self.needed() for source in self.sources))

    def warnings(self, source: Source, tally: Tally | None = None) -> list[str]:
        """Selectors of a source that no row met, as far as the catalogue tells, or by a tally of all rows."""
        if tally is None:
            if not source.metadata or set(self.surveys) != set(self.files):
                return []
            tally = Tally()
            for survey in self.surveys.values():
                tally.add(survey.tallies[source.name])
        found = [f'no row has {key} "{part}"' for key, part in unmet(source.select, tally.hits)]
        if not tally.selected:
            found.append("yields nothing")
        return found

    def _may_hold(self, name: str) -> bool:
        survey = self.surveys.get(name)
        return survey is None or any(
            source.name not in survey.tallies or survey.tallies[source.name].selected for source in self.sources
        )

    def _text_of(self, name: str, source: Source) -> float:
        survey, size = self.surveys.get(name), max(0, self.files[name].size)
        if survey is None:
            packed = "packed" if name.endswith(PACKED) else "parquet" if kind_of(name) == "parquet" else "plain"
            return size * _UNPACKED[packed] * _ESCAPED
        columns = all_columns([source])
        size = sum(survey.bytes.get(column, 0) for column in (survey.bytes if columns is None else columns))
        tally = survey.tallies.get(source.name)
        share = tally.selected / survey.rows if tally and survey.rows else 1.0
        return (size * _ESCAPED + survey.rows * _ROW_BYTES) * share


def grouped(sources: Sequence[Source]) -> list[tuple[Hub | Web, tuple[Source, ...]]]:
    """The origins of sources in their order, each with all the sources that it fills."""
    groups: dict[Hub | Web, list[Source]] = {}
    for source in sources:
        if isinstance(source.origin, (Hub, Web)):
            groups.setdefault(source.origin, []).append(source)
    return [(origin, tuple(some)) for origin, some in groups.items()]


def plan(origin: Hub | Web, sources: tuple[Source, ...], workspace: Workspace, client: Client) -> Job:
    """The job of filling sources from their origin: its files are known, and its catalogue is read.

    Raises `InputError` where dataset, commit, config, split or column are not there or not clear.
    """
    raw = workspace.folder / "raw"
    if isinstance(origin, Web):
        job = _web_job(origin, sources, raw / _WEB / origin.sha256[:16], client)
    else:
        job = _hub_job(origin, sources, raw / _HUB / origin.repo.replace("/", "--") / origin.revision, client)
    _survey(job, client)
    return job


def _hub_job(hub: Hub, sources: tuple[Source, ...], folder: Path, client: Client) -> Job:
    repository = list_repository(hub)
    card = client.text(repository.files[CARD]) if CARD in repository.files else ""
    names = choose_files(repository.files, card, hub.repo, hub.config, hub.split)
    return Job(hub, sources, {name: repository.files[name] for name in names}, folder)


def _web_job(web: Web, sources: tuple[Source, ...], folder: Path, client: Client) -> Job:
    last = urllib.parse.unquote(urllib.parse.urlsplit(web.url).path).rpartition("/")[2]
    name = re.sub(r"[^\w.-]", "_", last).lstrip(".") or "file"
    remote = Remote(name=web.url, url=web.url, digest=f"sha256:{web.sha256}")
    if not (folder / name).is_file():
        remote = replace(remote, size=client.size(remote))
    return Job(web, sources, {name: remote}, folder)


def _survey(job: Job, client: Client) -> None:
    """Ask each Parquet file for its footer and the catalogue's column; a server without ranges leaves it at that."""
    columns = all_columns(job.sources)

    def survey(name: str) -> Survey:
        with _opened(job.path(name), job.files[name], client) as reader:
            _check_columns(reader, columns, job.files[name].name)
            return _survey_file(reader, job.sources)

    names = [
        name
        for name, remote in job.files.items()
        if kind_of(name) == "parquet" and not name.endswith(PACKED) and remote.size >= 0
    ]
    with ThreadPoolExecutor(_SURVEYS) as pool:
        going = pool.map(survey, names)
        try:
            job.surveys.update(zip(names, track(going, len(names), f"{job.title}: catalogue"), strict=True))
        except NoRangesError:
            job.surveys.clear()
            pool.shutdown(cancel_futures=True)
        except BaseException:
            client.stop()
            pool.shutdown(cancel_futures=True)
            raise


@contextmanager
def _opened(path: Path, remote: Remote, client: Client) -> Iterator[Any]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        stream = path.open("rb") if path.is_file() else Ranges(client, remote)
        with closing(stream), pq.ParquetFile(pa.PythonFile(stream, mode="r"), pre_buffer=False) as reader:
            yield reader
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        first = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise InputError(f"{remote.name}: cannot be read as Parquet ({first})") from error


def _check_columns(reader: Any, columns: Sequence[str] | None, name: str) -> None:
    there = reader.schema_arrow.names
    for column in columns or ():
        if column not in there:
            raise InputError(f"{name}: has no column '{column}'; there are {', '.join(there) or 'none'}")


def _survey_file(reader: Any, sources: Sequence[Source]) -> Survey:
    sizes: dict[str, int] = {}
    meta = reader.metadata
    for group in range(meta.num_row_groups):
        for leaf in range(meta.num_columns):
            column = meta.row_group(group).column(leaf)
            top = column.path_in_schema.partition(".")[0]
            sizes[top] = sizes.get(top, 0) + column.total_uncompressed_size
    survey = Survey(sum(meta.row_group(group).num_rows for group in range(meta.num_row_groups)), sizes)
    for name in sorted({source.metadata for source in sources if source.metadata}):
        mine = [source for source in sources if source.metadata == name]
        survey.tallies |= {source.name: Tally() for source in mine}
        for batch in reader.iter_batches(columns=[name]):
            for metadata in batch.column(0).to_pylist():
                for source in mine:
                    survey.tallies[source.name].wants(source, metadata)
    return survey


def _left(remote: Remote, path: Path) -> int:
    """Bytes that a file still lacks; -1 where its size is not known."""
    if remote.size < 0:
        return -1
    part = path.with_name(path.name + PART)
    return max(0, remote.size - (part.stat().st_size if part.is_file() else 0))


def pinned(source: Source) -> dict[str, Any]:
    """What the text of a source depends on, beside our own rules: for receipts and reports."""
    origin, select = source.origin, source.select
    where = (
        {"repo": origin.repo, "revision": origin.revision, "config": origin.config, "split": origin.split}
        if isinstance(origin, Hub)
        else {"url": origin.url, "sha256": origin.sha256}
        if isinstance(origin, Web)
        else {}
    )
    return {
        "origin": where,
        "text": source.text,
        "template": source.template,
        "id": source.id,
        "group": source.group,
        "metadata": source.metadata,
        "select": _plain(select),
    }


def _plain(select: Selectors) -> dict[str, list[str]]:
    return {
        "authors": list(select.authors),
        "bookshelves": list(select.bookshelves),
        "languages": list(select.languages),
        "only_languages": list(select.only_languages),
    }
