"""Rows of a source's tables into texts with a label and a group; what cannot be one is refused with its reason."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from bookblend.blend.model import GutenbergFolder, Source
from bookblend.convert.render import RenderError, compile_template


class RowError(ValueError):
    """A row that has no text; its text is the reason, as reports count it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A row's text, its label ("" where it has none) and its group ("" where its text alone is its group)."""

    id: str
    text: str
    group: str


def row_reader(source: Source, twins: Mapping[str, str] | None = None) -> Callable[[Mapping[str, Any]], Row]:
    """A function from a row's columns to the row. It raises `RowError`; a wrong template raises `UsageError` here.

    `twins` are books of a Gutenberg folder that are another one's edition, by that one's id.
    """
    if isinstance(source.origin, GutenbergFolder):
        return partial(_gutenberg_row, twins or {})
    text = _rendered(source.template) if source.template else _column(source.text)

    def read(columns: Mapping[str, Any]) -> Row:
        return Row(_label(columns, source.id), text(columns), _label(columns, source.group))

    return read


def _gutenberg_row(twins: Mapping[str, str], columns: Mapping[str, Any]) -> Row:
    """A row of `blend gutenberg`; editions of one work, told by title and author or by their text, are one group."""
    label = _label(columns, "id")
    return Row(label, _label(columns, "text"), twins.get(label, label))


def needed_columns(source: Source) -> tuple[str, ...] | None:
    """The columns that a source's rows are made of; None: all, as a template may name any."""
    if source.template:
        return None
    return tuple(dict.fromkeys(name for name in (source.text, source.id, source.group, source.metadata) if name))


def _column(name: str) -> Callable[[Mapping[str, Any]], str]:
    def text(columns: Mapping[str, Any]) -> str:
        value = columns.get(name)
        if value is None:
            raise RowError(f"no {name}")
        if not isinstance(value, str):
            raise RowError(f"{name} is no string")
        return value

    return text


def _rendered(template: str) -> Callable[[Mapping[str, Any]], str]:
    render = compile_template(template, "template")

    def text(columns: Mapping[str, Any]) -> str:
        try:
            return render(columns)
        except RenderError as error:
            raise RowError(f"template: {error}") from error

    return text


def _label(columns: Mapping[str, Any], name: str) -> str:
    value = columns.get(name) if name else None
    return "" if value is None else value if isinstance(value, str) else str(value)
