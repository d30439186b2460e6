"""Recipes: what onboarding a book settled, one small TOML file a book.

A recipe names its source file (the user's own) and what was found out about it; it holds no text of the book but
its headings and the exact replacements it needs. Errors carry the path into the file: `x.toml: expect: must be …`.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any, Literal, cast

from bookblend import licences
from bookblend.build.records import FIELDS
from bookblend.errors import InputError
from bookblend.toml_table import TomlTable, read_toml

Notes = Literal["drop", "end", "inline"]

_SHA256 = re.compile(r"[0-9a-f]{64}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """An exact text that the recipe replaces, and how often it must be found."""

    text: str
    by: str
    count: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """One book's settled options. None: the recipe says nothing about it.

    source     the source's file name, looked for beside the recipe (see `find_source`)
    sha256     the source it was settled on, "" where that is not recorded
    licence    of the text, an SPDX expression; LicenseRef-… for what SPDX has no name for
    group      the source group that the blend counts the book to
    fields     what records carry beside their text
    keep_junk  leave out the junk-line pass of the repairs
    """

    name: str
    title: str
    author: str
    licence: str
    group: str
    source: str
    sha256: str = ""
    start: str | None = None
    end: str | None = None
    pattern: str | None = None
    expect: int | None = None
    fields: tuple[str, ...] = ()
    notes: Notes = "drop"
    keep_furniture: bool = False
    accept_ocr: bool = False
    clean: bool = True
    keep_junk: bool = False
    replacements: tuple[Replacement, ...] = ()

    def book(self) -> Mapping[str, str]:
        """What the sidecar says about the book."""
        return {"title": self.title, "author": self.author, "licence": self.licence, "group": self.group}


def read_recipe(path: Path) -> Recipe:
    """Read a recipe file. Raises `InputError` that names the file and key for whatever is wrong with it."""
    return _recipe(read_toml(path, "recipe"), path.stem)


def parse_recipe(raw: Mapping[str, Any], name: str, where: str) -> Recipe:
    """The recipe a parsed TOML file holds; `where` begins every error."""
    return _recipe(TomlTable(raw, where), name)


def _recipe(table: TomlTable, name: str) -> Recipe:
    table.require("title", "author", "licence", "group", "source")
    recipe = Recipe(
        name=name,
        title=table.text("title"),
        author=table.text("author"),
        licence=_licence(table),
        group=table.text("group"),
        source=_source(table),
        sha256=_sha256(table),
        start=table.maybe_text("start"),
        end=table.maybe_text("end"),
        pattern=_pattern(table),
        expect=table.count("expect"),
        fields=_fields(table),
        notes=_notes(table),
        keep_furniture=table.flag("keep_furniture", False),
        accept_ocr=table.flag("accept_ocr", False),
        clean=table.flag("clean", True),
        keep_junk=table.flag("keep_junk", False),
        replacements=tuple(_replacement(entry) for entry in table.tables("replacements")),
    )
    table.finish()
    return recipe


def find_source(recipe: Recipe, folder: Path, named: Path | None) -> Path:
    """The recipe's source: the file the user `named`, else the one of its name in the recipe's `folder`.

    Raises `InputError` where it is not there.
    """
    path = named or folder / recipe.source
    if not path.exists():
        hint = "" if named else f"; put '{recipe.source}' there or name your copy with --source"
        raise InputError(f"{path}: no such file{hint}")
    return path


def _licence(table: TomlTable) -> str:
    licence = table.text("licence")
    if not licences.is_expression(licence):
        raise table.error("licence", licences.EXPECTED)
    return licence


def _source(table: TomlTable) -> str:
    source = table.text("source")
    parts = PurePosixPath(source.replace("\\", "/"))
    if parts.is_absolute() or ".." in parts.parts or re.match(r"[A-Za-z]:", source):
        raise table.error("source", "must be a file name, without a way out of the recipe's folder")
    return source


def _sha256(table: TomlTable) -> str:
    sha256 = table.maybe_text("sha256") or ""
    if sha256 and not _SHA256.fullmatch(sha256):
        raise table.error("sha256", "must be 64 hexadecimal digits in lower case")
    return sha256


def _pattern(table: TomlTable) -> str | None:
    pattern = table.maybe_text("pattern")
    try:
        re.compile(pattern or "")
    except re.error as error:
        raise table.error("pattern", f"no regular expression: {error}") from error
    return pattern


def _fields(table: TomlTable) -> tuple[str, ...]:
    fields = table.texts("fields")
    for name in fields:
        if name not in FIELDS:
            raise table.error("fields", f"no field '{name}'; there are {', '.join(FIELDS)}")
    return fields


def _notes(table: TomlTable) -> Notes:
    notes = table.maybe_text("notes") or "drop"
    if notes not in ("drop", "end", "inline"):
        raise table.error("notes", "must be drop, end or inline")
    return cast("Notes", notes)


def _replacement(table: TomlTable) -> Replacement:
    """An exact text, what stands in its place ("" deletes it), and how often it must be found."""
    table.require("text", "with", "count")
    replacement = Replacement(
        text=table.text("text"), by=cast("str", table.maybe_text("with")), count=cast("int", table.count("count"))
    )
    table.finish()
    return replacement
