"""The files that a source's rows stand in, and their parting into pieces that workers read on their own."""

import glob
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from bookblend.blend.fetch import current
from bookblend.blend.model import BookRecipe, Files, GutenbergFolder, Hub, Registry, Source, Web
from bookblend.blend.workspace import RAW_ROWS, Workspace
from bookblend.errors import InputError
from bookblend.names import natural

# What a folder is searched for. Others in it are no texts, or need a converter first.
_PACKED = ("", ".gz", ".zst")
_KINDS = (".jsonl", ".csv", ".tsv", ".txt")
SUFFIXES = (*(kind + packed for kind in _KINDS for packed in _PACKED), ".parquet")
# What is read where it is named: the same, and markdown, which lies beside a book's records and would double them.
READ = (*SUFFIXES, ".md")
# Bytes of a JSONL file that a worker reads in one go.
_PIECE = 8 << 20
_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class Span:
    """Part of a file: its bytes from `start` to `end`, or all where `end` is 0; `lines` stand before it.

    `name` is how ids and reports call the file.
    """

    path: Path
    name: str
    start: int = 0
    end: int = 0
    lines: int = 0


def input_files(registry: Registry, workspace: Workspace, source: Source) -> list[tuple[Path, str]]:
    """A source's files in natural order, each with its name. Raises `InputError` where there is none."""
    if isinstance(source.origin, Files):
        return _local(registry, source, source.origin, workspace.folder)
    raw = workspace.raw(source.name) / RAW_ROWS
    if not raw.is_file():
        raise InputError(f"{raw}: is not there yet; run 'bookblend blend fetch {registry.file}' first")
    if isinstance(source.origin, Hub | Web) and current(source, workspace) is None:
        raise InputError(
            f"{raw}: is not what the recipe's present source '{source.name}' gives; run 'bookblend blend fetch "
            f"{registry.file}' again"
        )
    return [(raw, source.name)]


def reads_raw_rows(source: Source) -> bool:
    """Whether a source's rows were made by the fetch: columns id, text, group."""
    return not isinstance(source.origin, Files)


def is_book_file(source: Source) -> bool:
    """Whether the rows of one file make one book."""
    return source.document != "row" and not isinstance(source.origin, BookRecipe | GutenbergFolder)


def _local(registry: Registry, source: Source, origin: Files, made: Path | None = None) -> list[tuple[Path, str]]:
    """A source's own files; none of what blends have `made`."""
    found: dict[Path, None] = {}
    ours = made.resolve() if made else None
    for pattern in origin.paths:
        paths = [file for file in _expanded(registry.home, pattern) if not _is_made(file, ours)]
        if not paths:
            raise InputError(f"{registry.file}: source '{source.name}': {registry.local(pattern)}: no such file")
        for file in paths:
            _check(registry, source, file)
        found.update(dict.fromkeys(paths))
    return sorted(_named(list(found), registry.home.resolve()), key=lambda pair: natural(pair[1]))


def _is_made(file: Path, ours: Path | None) -> bool:
    """Whether a file lies in a blend's folder, where it would feed on itself."""
    whole = file.resolve()
    return any(part.endswith(".blend") for part in whole.parts[:-1]) or (
        ours is not None and whole.is_relative_to(ours)
    )


def _check(registry: Registry, source: Source, file: Path) -> None:
    where = f"{registry.file}: source '{source.name}': {file}"
    if not file.name.lower().endswith(READ):
        raise InputError(
            f"{where}: is of no kind that is read ({', '.join((*_KINDS, '.parquet', '.md'))}); convert it first"
        )
    if not os.access(file, os.R_OK):
        raise InputError(f"{where}: cannot be read (no permission)")


def _walk(folder: Path) -> Iterator[Path]:
    """All files below a folder. Raises `InputError` for a folder that cannot be looked into."""

    def refuse(error: OSError) -> None:
        raise InputError(f"{error.filename}: cannot be read ({error.strerror}); open it, or name the files") from error

    for root, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(root) / name for name in names)


def _expanded(home: Path, pattern: str) -> list[Path]:
    path = home / pattern
    if path.is_dir():
        inside = [file for file in _walk(path) if file.name.lower().endswith(SUFFIXES) and file.is_file()]
        return [file for file in inside if not file.name.startswith((".", "_")) and not _is_beside_a_book(file)]
    if path.is_file():
        return [path]
    whole = str(path) if Path(pattern).is_absolute() else str(Path(glob.escape(str(home))) / pattern)
    found = glob.glob(whole, recursive=True)  # noqa: PTH207 (Path.glob takes no pattern with folders above it)
    return [Path(file) for file in found if Path(file).is_file()]


def _is_beside_a_book(file: Path) -> bool:
    """Whether a file is a book's ledger, or its text beside its records, which would be read twice."""
    return ".dropped." in file.name or (file.suffix == ".txt" and file.with_suffix(".book.json").is_file())


def _named(paths: list[Path], home: Path) -> list[tuple[Path, str]]:
    """Files with their paths below the registry's folder; others by as many last parts as tell them apart.

    (Whole paths would make the products depend on the machine.)
    """
    named, others = [], []
    for path in paths:
        whole = path.resolve()
        if whole.is_relative_to(home):
            named.append((path, whole.relative_to(home).as_posix()))
        else:
            others.append((path, whole.parts))
    depth = 2
    while len({parts[-depth:] for _, parts in others}) < len({parts for _, parts in others}):
        depth += 1
    return named + [(path, "/".join(parts[-depth:])) for path, parts in others]


def pieces(files: list[tuple[Path, str]], whole: bool, joined: bool) -> list[tuple[Span, ...]]:
    """Files as pieces of work. `whole`: a file is one piece; `joined`: all are one, as documents run over files."""
    if joined:
        return [tuple(Span(path, name) for path, name in files)]
    parted: list[tuple[Span, ...]] = []
    for path, name in files:
        if whole or not path.name.lower().endswith(".jsonl"):
            parted.append((Span(path, name),))
        else:
            parted += ((span,) for span in _spans(path, name))
    return parted


def _spans(path: Path, name: str) -> Iterator[Span]:
    """A JSONL file cut at line ends."""
    start = lines = before = position = 0
    with path.open("rb") as stream:
        while block := stream.read(_BLOCK):
            if position + len(block) - start >= _PIECE and (cut := block.rfind(b"\n")) >= 0:
                end = position + cut + 1
                count = block.count(b"\n", 0, cut + 1)
                yield Span(path, name, start, end, before)
                start, before = end, before + lines + count
                lines = block.count(b"\n", cut + 1)
            else:
                lines += block.count(b"\n")
            position += len(block)
    if position > start:
        yield Span(path, name, start, position, before)


def book_sidecars(registry: Registry, source: Source) -> list[tuple[str, Path]]:
    """The files of a local source with the places where a book's provenance would stand beside them."""
    if not isinstance(source.origin, Files):
        return []
    return [
        (name, path.with_name(f"{path.name.partition('.jsonl')[0].removesuffix('.txt')}.book.json"))
        for path, name in _local(registry, source, source.origin)
    ]
