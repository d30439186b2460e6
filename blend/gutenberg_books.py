"""Files of Gutenberg books into documents, a batch at a time, as the worker processes do it."""

import hashlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bookblend.blend.catalogue import Entry
from bookblend.blend.documents import DEFAULT_EOS, clean_utf8, closed_utf8, holds
from bookblend.blend.gutenberg import ALL_STEPS, Step, Stripped
from bookblend.blend.gutenberg_decode import UnreadableError, decode
from bookblend.blend.near import fingerprints, work_key
from bookblend.convert.lines import dump, quote_utf8
from bookblend.errors import one_line
from bookblend.jsonio import escape_splitters

# Bytes of files that a worker is given at once: starting on a piece costs little beside reading it.
_BATCH = 4 << 20
_FIELD = re.compile(r"(?m)^(Title|Author|Language):[ \t]*(.+)$")
_CODES = {
    "english": "en", "french": "fr", "german": "de", "spanish": "es", "italian": "it", "dutch": "nl", "finnish": "fi",
    "portuguese": "pt", "chinese": "zh", "latin": "la", "swedish": "sv", "danish": "da", "greek": "el",
    "japanese": "ja", "russian": "ru", "polish": "pl", "hungarian": "hu", "esperanto": "eo", "norwegian": "no",
    "czech": "cs",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Options:
    """How books become documents."""

    shards: bool = False
    eos: str = DEFAULT_EOS
    recipe: bool = False
    steps: frozenset[Step] = ALL_STEPS


@dataclass(frozen=True, slots=True)
class Batch:
    """Books that one worker reads in one go; paths are below `folder`."""

    folder: Path
    books: tuple[tuple[Entry, Path], ...]
    options: Options

    def __str__(self) -> str:
        return f"{self.books[0][1]} and the {len(self.books) - 1} files after it"


@dataclass(frozen=True, slots=True)
class Book:
    """One book's document as bytes ready to be written, and what the report says of it; `why` it was skipped."""

    name: str
    file: str
    size: int
    sha256: str
    data: bytes = b""
    why: str = ""
    state: str = ""
    encoding: str = ""
    how: str = ""
    declared: str = ""
    credits: int = 0
    notes: int = 0
    marks: int = 0
    kept: str = ""
    copyrighted: bool = False
    holds_eos: bool = False
    key: str = ""
    prints: tuple[int, ...] = ()


def batches(folder: Path, books: Iterable[tuple[Entry, Path]], options: Options) -> list[Batch]:
    """The books in their order, parted so that each batch is some megabytes."""
    parts: list[Batch] = []
    group: list[tuple[Entry, Path]] = []
    size = 0
    for entry, path in books:
        group.append((entry, path))
        try:
            size += path.stat().st_size
        except OSError:  # said where it is read
            size += 1
        if size >= _BATCH:
            parts.append(Batch(folder, tuple(group), options))
            group, size = [], 0
    if group:
        parts.append(Batch(folder, tuple(group), options))
    return parts


def read_batch(batch: Batch) -> list[Book]:
    """The books of a batch, in their order."""
    return [_book(batch, entry, path) for entry, path in batch.books]


def hash_batch(batch: Batch) -> list[tuple[str, str]]:
    """File and SHA-256 of each book of a batch; "" for one that cannot be read."""
    hashes = []
    for _, path in batch.books:
        try:
            digest = hashlib.sha256(path.read_bytes()).hexdigest()
        except OSError:
            digest = ""
        hashes.append((_relative(batch.folder, path), digest))
    return hashes


def _relative(folder: Path, path: Path) -> str:
    return os.path.relpath(path, folder).replace(os.sep, "/")


def _book(batch: Batch, entry: Entry, path: Path) -> Book:
    name, file = f"PG{entry.id}", _relative(batch.folder, path)
    try:
        raw = path.read_bytes()
    except OSError as error:
        return Book(name, file, 0, "", why=one_line(error))
    digest = hashlib.sha256(raw).hexdigest()
    if not raw or raw.isspace():
        return Book(name, file, len(raw), digest, why="is empty")
    try:
        decoded = decode(raw)
    except UnreadableError as error:
        return Book(name, file, len(raw), digest, why=str(error))
    options = batch.options
    stripped = clean_utf8(decoded.utf8, options.recipe, options.steps)
    text = stripped.data
    if not text:
        return Book(name, file, len(raw), digest, why="holds no text")
    title, author, language = _about(entry, stripped)
    eos = options.eos.encode("utf-8")
    return Book(
        name,
        file,
        len(raw),
        digest,
        data=closed_utf8(text, eos, options.recipe)
        if options.shards
        else _record(name, file, text, title, author, language, stripped),
        state=stripped.state.value,
        encoding=decoded.encoding,
        how=decoded.how,
        declared=decoded.declared,
        credits=len(stripped.credits),
        notes=len(stripped.notes),
        marks=stripped.marks,
        kept=stripped.kept,
        copyrighted=stripped.copyrighted,
        holds_eos=holds(text, eos),
        key=work_key(title, author),
        prints=fingerprints(text),
    )


def _about(entry: Entry, stripped: Stripped) -> tuple[str, str, str]:
    """Title, author and language: the catalogue's, else the header's."""
    if entry.title and entry.authors and entry.languages:
        return entry.title, entry.authors, entry.languages[0]
    said = {name: " ".join(value.split()) for name, value in reversed(list(_fields(stripped.header)))}
    language = said.get("Language", "")
    return (
        entry.title or said.get("Title", ""),
        entry.authors or said.get("Author", ""),
        entry.languages[0] if entry.languages else _CODES.get(language.casefold(), language),
    )


def _fields(header: str) -> Iterator[tuple[str, str]]:
    for found in _FIELD.finditer(header):
        yield found[1], found[2]


def _record(name: str, file: str, text: bytes, title: str, author: str, language: str, stripped: Stripped) -> bytes:
    about = {"title": title, "author": author, "language": language, "source": "gutenberg", "file": file}
    if stripped.copyrighted:
        about["copyright"] = "COPYRIGHTED: not in the public domain"
    rest = escape_splitters(dump(about)[1:]).encode("utf-8", "replace")
    return b'{"id": %b, "text": %b, %b\n' % (dump(name).encode(), quote_utf8(text), rest)
