"""Whether the volume has room for a fetch: told before anything large is fetched, and never made."""

import shutil
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookblend.blend.fetch_plan import Job
from bookblend.errors import NoRoomError


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes that a dataset still needs: to fetch, to write from it (about), and how many files have no known size."""

    title: str
    sources: tuple[str, ...]
    fetch: int
    write: int
    unknown: int

    @property
    def total(self) -> int:
        """Both at once: files are kept until the texts made from them are whole."""
        return self.fetch + self.write

    def as_json(self) -> dict[str, Any]:
        """For reports."""
        return {
            "dataset": self.title,
            "sources": list(self.sources),
            "bytes_to_fetch": self.fetch,
            "bytes_to_write": self.write,
            "files_of_unknown_size": self.unknown,
        }


def need(job: Job) -> Need:
    """What a job still needs."""
    missing = job.missing()
    return Need(
        job.title,
        tuple(source.name for source in job.sources),
        sum(left for left in missing.values() if left > 0),
        job.to_write(),
        sum(left < 0 for left in missing.values()),
    )


def free_bytes(folder: Path) -> int:
    """Free bytes of the volume that a folder is on, or will be once it is made."""
    for place in (folder, *folder.absolute().parents):
        if place.exists():
            return shutil.disk_usage(place).free
    return 0


def check_room(needs: Sequence[Need], folder: Path) -> None:
    """Raise `NoRoomError` where the volume of the folder has less room than all needs together."""
    wanted, free = sum(one.total for one in needs), free_bytes(folder)
    if wanted > free:
        raise NoRoomError(
            f"{folder}: the fetch needs about {size(wanted)} ({size(sum(one.fetch for one in needs))} to fetch, the "
            f"rest to write), and {size(free)} are free; free some, or choose another --folder"
        )


def size(count: int) -> str:
    """Bytes as people read them."""
    for unit, factor in (("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if count >= factor:
            return f"{count / factor:,.1f} {unit}"
    return f"{count} bytes"
