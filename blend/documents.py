"""Rows of text into documents of a corpus: cleaned, grouped, closed by the eos text, and counted."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from bookblend.blend.gutenberg import Stripped, strip, strip_recipe
from bookblend.blend.normalise import from_utf8, line_ends, normalise, normalise_utf8, to_utf8

DEFAULT_EOS = "</s>"


@dataclass(slots=True)
class Counts:
    """What became of a source's rows."""

    rows: int = 0
    documents: int = 0
    empty: int = 0
    credits: int = 0
    holding_eos: int = 0
    states: Counter[str] = field(default_factory=Counter)
    skipped: Counter[str] = field(default_factory=Counter)


def clean(text: str, recipe: bool = False) -> Stripped:
    """A text without packaging, normalised: by the full rules, or by the recipe's alone."""
    if recipe:
        return _normalised(strip_recipe(line_ends(text)))
    return _normalised(strip(normalise(text)))


def _normalised(stripped: Stripped) -> Stripped:
    return replace(stripped, data=normalise_utf8(stripped.data))


def read_rows(lines: Iterable[str], counts: Counts, column: str = "text") -> Iterator[str]:
    """The texts of JSONL rows; others (malformed, no text, no string) are counted and skipped."""
    for line in lines:
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
        except ValueError:
            counts.skipped["malformed"] += 1
            continue
        if not isinstance(row, dict) or column not in row:
            counts.skipped["text missing"] += 1
        elif not isinstance(row[column], str):
            counts.skipped["text no string"] += 1
        else:
            yield row[column]


def documents(
    texts: Iterable[str], counts: Counts, *, eos: str = DEFAULT_EOS, rows_per_document: int = 1, recipe: bool = False
) -> Iterator[str]:
    """Closed documents of cleaned texts, `rows_per_document` of them joined by a blank line; the last of fewer."""
    group: list[str] = []
    for text in texts:
        stripped = clean(text, recipe)
        counts.states[stripped.state.value] += 1
        counts.credits += len(stripped.credits)
        if not stripped.text:
            counts.empty += 1
            continue
        counts.rows += 1
        group.append(stripped.text)
        if len(group) == rows_per_document:
            yield _document(group, counts, eos, recipe)
            group = []
    if group:
        yield _document(group, counts, eos, recipe)


def _document(group: list[str], counts: Counts, eos: str, recipe: bool) -> str:
    text = "\n\n".join(group)
    counts.documents += 1
    counts.holding_eos += eos in text
    return closed(text, eos, recipe)


def closed(text: str, eos: str, recipe: bool = False) -> str:
    """A document: its text, a line that holds exactly the eos text, a blank line.

    A line of the text that is the eos text itself is set in by a blank, so that it forges no boundary; the recipe
    leaves it.
    """
    return from_utf8(closed_utf8(to_utf8(text), to_utf8(eos), recipe))


def closed_utf8(data: bytes, eos: bytes, recipe: bool = False) -> bytes:
    """The same of UTF-8."""
    if not recipe and holds(data, eos):
        data = b"\n".join(b" " + line if line == eos else line for line in data.split(b"\n"))
    return b"%b\n%b\n\n" % (data, eos)


def holds(data: bytes, eos: bytes) -> bool:
    """Whether the eos text stands in a text."""
    # (One byte is looked for ten times as fast as several.)
    return eos[:1] in data and eos in data
