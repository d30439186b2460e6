"""The ledger of what was left out: one line of `<Book>.dropped.jsonl` a piece, written by the stage that dropped it."""

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

from bookblend.errors import InputError
from bookblend.jsonio import dump_line

# Stages in the order in which a book passes them.
STAGES = ("extract", "clean", "build")


@dataclass(frozen=True, slots=True)
class Entry:
    """One dropped text: the stage and rule that dropped it, and where it stood."""

    stage: str
    rule: str
    place: str
    text: str


def render(entries: Iterable[Entry]) -> str:
    """The ledger file's text, one entry a line."""
    return "".join(dump_line(asdict(entry)) for entry in entries)


def read(path: Path) -> list[Entry]:
    """The entries of a ledger file; none where there is no such file. Raises `InputError` for a damaged one."""
    if not path.is_file():
        return []
    entries = []
    for number, line in enumerate(path.read_text("utf-8", errors="replace").split("\n"), start=1):
        if line:
            try:
                entries.append(Entry(**json.loads(line)))
            except (ValueError, TypeError) as error:
                raise InputError(f"{path}: line {number} is no ledger entry ({error})") from error
    return entries


def tally(entries: Iterable[Entry]) -> Mapping[str, Mapping[str, int]]:
    """How many pieces each rule dropped: stage → rule → count, stages in their order, rules sorted."""
    counts = Counter((entry.stage, entry.rule) for entry in entries)
    return {
        stage: {rule: counts[s, rule] for s, rule in sorted(counts) if s == stage}
        for stage in STAGES
        if any(s == stage for s, _ in counts)
    }
