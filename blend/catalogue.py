"""Catalogues of Project Gutenberg, the selection of its books, and their files in a folder.

Two kinds: pgcorpus' `metadata.csv` (ids as `PG11`, languages as `['en']`) and Gutenberg's own `pg_catalog.csv`. Both
give the same entries; a folder without a catalogue gives entries that know their number alone.
"""

import csv
import io
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from bookblend.convert.streams import open_input
from bookblend.errors import InputError

_TEXT = "Text"
# `PG11_raw.txt`, `11-0.txt`, `11-8.txt`, `11.txt`, `pg11.txt`: the number, and what form of the text it is.
_FILE = re.compile(r"(?:PG(?P<raw>\d+)_raw|(?:pg)?(?P<id>\d+)(?P<form>-0|-8|-5)?)\.txt", re.IGNORECASE)
# Of several files of a book the first of these is read: UTF-8 before eight bits before seven.
_FORMS = ("raw", "-0", "-8", "-5", "")
_COLUMNS = {
    "id": ("id", "text#"),
    "title": ("title",),
    "authors": ("author", "authors"),
    "languages": ("language",),
    "type": ("type",),
    "shelves": ("subjects", "bookshelves"),
}
_LISTED = re.compile(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"")
# A field of subjects may be long; csv's own limit is 128 KiB.
_LONGEST_FIELD = 1 << 24


@dataclass(frozen=True, slots=True)
class Entry:
    """One book of a catalogue."""

    id: int
    title: str = ""
    authors: str = ""
    languages: tuple[str, ...] = ()
    type: str = _TEXT
    shelves: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Selection:
    """Which books are wanted. Languages are codes; authors and shelves are parts of the name, whatever the case.

    A book is taken if it is of the type, is in one of the languages (if any are given), and matches one of the authors
    or shelves, or is in one of `any_languages` (if any of these are given).
    """

    languages: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    shelves: tuple[str, ...] = ()
    type: str = _TEXT
    any_languages: tuple[str, ...] = ()

    def takes(self, entry: Entry) -> bool:
        """Whether a book is wanted."""
        if self.type and entry.type and entry.type.casefold() != self.type.casefold():
            return False
        if self.languages and not {code.casefold() for code in entry.languages} & {
            c.casefold() for c in self.languages
        }:
            return False
        if not self.authors and not self.shelves and not self.any_languages:
            return True
        if {code.casefold() for code in entry.languages} & {code.casefold() for code in self.any_languages}:
            return True
        author, shelves = entry.authors.casefold(), "\n".join(entry.shelves).casefold()
        return any(part.casefold() in author for part in self.authors) or any(
            part.casefold() in shelves for part in self.shelves
        )


def read_catalogue(path: Path) -> list[Entry]:
    """The entries of a catalogue in its order, each number once. Raises `InputError` where it is none."""
    entries: dict[int, Entry] = {}
    csv.field_size_limit(_LONGEST_FIELD)
    try:
        with open_input(str(path)) as raw, io.TextIOWrapper(raw, encoding="utf-8-sig", newline="") as stream:
            reader = csv.reader(stream, strict=False)
            columns = _columns(path, next(reader, []))
            for row in reader:
                entry = _entry(row, columns)
                if entry is not None:
                    entries.setdefault(entry.id, entry)
    except (UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: cannot be read as a catalogue ({error}); fetch it again") from error
    if not entries:
        raise InputError(f"{path}: lists no book")
    return list(entries.values())


def _columns(path: Path, header: list[str]) -> dict[str, list[int]]:
    places = {name.strip().casefold(): number for number, name in enumerate(header)}
    columns = {field: [places[name] for name in names if name in places] for field, names in _COLUMNS.items()}
    for field in ("id", "languages"):
        if not columns[field]:
            wanted = " or ".join(_COLUMNS[field])
            raise InputError(f"{path}: is no catalogue: it has no column {wanted} (metadata.csv or pg_catalog.csv)")
    return columns


def _entry(row: list[str], columns: dict[str, list[int]]) -> Entry | None:
    def field(name: str) -> list[str]:
        return [row[place].strip() for place in columns[name] if place < len(row)]

    number = re.fullmatch(r"(?:PG)?(\d+)", next(iter(field("id")), ""))
    if number is None:
        return None
    return Entry(
        id=int(number[1]),
        title=" ".join(next(iter(field("title")), "").split()),
        authors=" ".join(next(iter(field("authors")), "").split()),
        languages=_listed(next(iter(field("languages")), "")),
        type=next(iter(field("type")), "") or _TEXT,
        shelves=tuple(part for text in field("shelves") for part in _listed(text)),
    )


def _listed(text: str) -> tuple[str, ...]:
    """The parts of a list: `['en', 'fr']`, `{'Fiction'}`, or `en; fr`."""
    if text[:1] in ("[", "{"):
        return tuple(one or other for one, other in _LISTED.findall(text))
    return tuple(part.strip() for part in text.split(";") if part.strip() and part.strip() != "set()")


def find_texts(folder: Path) -> dict[int, Path]:
    """The text file of each book in a folder, mirrors with folders of folders included."""
    found: dict[int, tuple[int, str]] = {}
    for name, path in _files(folder):
        match = _FILE.fullmatch(name)
        if match is None:
            continue
        number = int(match["raw"] or match["id"])
        form = "raw" if match["raw"] else match["form"] or ""
        rank = (_FORMS.index(form), path)
        if number not in found or rank < found[number]:
            found[number] = rank
    return {number: Path(path) for number, (_, path) in sorted(found.items())}


def passed_over(folder: Path) -> tuple[str, ...]:
    """Text files of a folder whose names hold no book's number, so that they are never read."""
    return tuple(
        os.path.relpath(path, folder).replace(os.sep, "/")
        for name, path in _files(folder)
        if name.lower().endswith(".txt") and not _FILE.fullmatch(name)
    )


def _files(folder: Path) -> Iterator[tuple[str, str]]:
    for root, folders, names in os.walk(folder):  # links to folders are not followed: they may lead in circles
        folders.sort()
        for name in sorted(names):
            yield name, os.path.join(root, name)  # noqa: PTH118  (a Path a file is slow for sixty thousand)


def select(
    entries: Iterable[Entry], texts: dict[int, Path], selection: Selection
) -> tuple[list[tuple[Entry, Path]], int]:
    """The wanted books that have a file, in the catalogue's order, and how many wanted ones have none."""
    chosen, missing = [], 0
    for entry in entries:
        if selection.takes(entry):
            if entry.id in texts:
                chosen.append((entry, texts[entry.id]))
            else:
                missing += 1
    return chosen, missing
