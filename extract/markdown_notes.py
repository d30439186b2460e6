"""Footnotes of other tools' markdown: "[^1]: text" and where it goes."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from bookblend.markdown import MarkdownBlock, normal

Notes = Literal["drop", "end", "inline"]

_DEFINITION = re.compile(r" {0,3}\[\^(?P<id>[^\]\s]{1,100})\]:[ \t]*(?P<text>.*)$")
_INDENTED = re.compile(r"(?: {2,}|\t)\S")
_HEADING = re.compile(r" {0,3}#{1,6}(?:\s|$)")


@dataclass(slots=True)
class Note:
    """A note's text on one line, and the line (from 1) it began on."""

    line: int
    text: str


@dataclass(frozen=True, slots=True)
class Arranged:
    """The blocks with the lines they began on, notes among them where they are kept; and the notes that are dropped."""

    blocks: list[tuple[int, MarkdownBlock]]
    dropped: list[Note]


def take_notes(lines: Sequence[str], outside_code: Iterable[int], gone: set[int]) -> dict[str, Note]:
    """The notes that `lines` define, by name; their lines go into `gone`. Of two with one name the first counts."""
    notes: dict[str, Note] = {}
    for at in outside_code:
        found = _DEFINITION.match(lines[at])
        if not found or found["id"] in notes:
            continue
        end = _end(lines, at)
        text = [found["text"], *(lines[i] for i in range(at + 1, end) if i not in gone)]
        notes[found["id"]] = Note(at + 1, " ".join(" ".join(text).split()))
        gone.update(range(at, end))
    return notes


def _end(lines: Sequence[str], at: int) -> int:
    """The index behind a note's last line: its paragraph, and paragraphs below that are indented."""
    end = at + 1
    while end < len(lines):
        line = lines[end]
        if line.strip():
            if _DEFINITION.match(line) or _HEADING.match(line):
                return end
            end += 1
            continue
        below = next((i for i in range(end, len(lines)) if lines[i].strip()), len(lines))
        if below == len(lines) or not _INDENTED.match(lines[below]):
            return end
        end = below
    return end


def arrange(
    blocks: Sequence[tuple[int, MarkdownBlock, Sequence[str]]], notes: Mapping[str, Note], where: Notes
) -> Arranged:
    """Put notes where `where` says: nowhere ("drop"), behind the chapter that refers to them ("end"), or, those that
    nothing refers to aside, where they are already ("inline")."""
    if where == "drop":
        return Arranged([(line, block) for line, block, _ in blocks], list(notes.values()))
    # The tier that opens chapters; where all headings are of one tier, any of them.
    tier = min((block.level for _, block, _ in blocks if block.level), default=0)
    placed: list[tuple[int, MarkdownBlock]] = []
    waiting: dict[str, None] = {}
    seen: set[str] = set()

    def put(names: Iterable[str]) -> None:
        for name in names:
            if block := normal(0, notes[name].text):
                placed.append((notes[name].line, block))

    for line, block, names in blocks:
        if block.level == tier and waiting and where == "end":
            put(waiting)
            waiting = {}
        placed.append((line, block))
        waiting |= dict.fromkeys(name for name in names if name not in seen)
        seen.update(names)
    put([*(waiting if where == "end" else ()), *(name for name in notes if name not in seen)])
    return Arranged(placed, [])
