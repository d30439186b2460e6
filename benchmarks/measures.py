"""What is measured besides the books with truth: speed beside the bare library, long books, real files, fault cases.

Each measurement is cached by our version and the file, so that a rerun measures what has changed.
"""

import json
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import books
import peers
import runs

# Worker processes for one long book: alone, and as many as a small machine has cores.
WORKERS = (1, 2)
# Seconds for all cases of one kind: some sixty, of which none may take more than a minute and most take one second.
CASES_PATIENCE = 3600
# The kinds of fault cases that books have, by the letter that their names begin with.
CASE_KINDS = {"P": "PDF", "E": "EPUB"}
# A file's reason is told up to here: what follows is advice.
_ADVICE = re.compile(r"[;(].*$")


@dataclass(frozen=True, slots=True)
class Long:
    """A long book: `row` beside the bare library, and wall seconds of extraction by the number of workers."""

    name: str
    row: books.Row
    walls: dict[int, float]


@dataclass(frozen=True, slots=True)
class RealFile:
    """A file from the world: `outcome` is text, line (one clear line saying why not) or other (`reason` says what)."""

    kind: str
    outcome: str
    reason: str
    wall: float
    peak: int


@dataclass(frozen=True, slots=True)
class Case:
    """A file of a fault case: whether it passed, why not, and what its case says where more answers are right."""

    kind: str
    name: str
    passed: bool
    reason: str
    policy: str


def kept_json(place: Path, make: Callable[[], dict[str, Any]]) -> dict[str, Any]:
    """A measurement from the cache, or made now and put there."""
    if place.exists():
        known: dict[str, Any] = json.loads(place.read_text("utf-8"))
        return known
    made = make()
    place.parent.mkdir(parents=True, exist_ok=True)
    runs.write_whole(place, json.dumps(made).encode() + b"\n")
    return made


def speed(path: Path, version: str, cache: Path, times: int) -> books.Row:
    """Our reading of a book beside that of the bare library, in CPU seconds (see books.py)."""
    place = cache / "speed" / version / f"{runs.file_digest(path)}.json"
    kept = kept_json(place, lambda: asdict(books.measure(path, path.parent, times)))
    kept["readings"] = {name: books.Reading(**reading) for name, reading in kept["readings"].items()}
    return books.Row(**kept)


def long_book(path: Path, version: str, cache: Path, times: int) -> Long:
    """A long book's speed and memory, and its wall time with each number of workers, where our extractor takes one."""
    place = cache / "long" / version / f"{runs.file_digest(path)}.json"
    walls = kept_json(place, lambda: {str(workers): wall_with_workers(path, workers, times) for workers in WORKERS})
    row = speed(path, version, cache, times)
    return Long(path.stem, row, {int(workers): wall for workers, wall in walls.items() if wall is not None})


def wall_with_workers(path: Path, workers: int, times: int) -> float | None:
    """Wall seconds of `bookblend extract pdf --workers N`, whole process, the fastest of `times`.

    None where the command has no such option or fails.
    """
    command = [sys.executable, "-P", "-X", "utf8", "-m", "bookblend", "extract", "pdf"]
    told = subprocess.run([*command, "--help"], capture_output=True, text=True, check=False).stdout
    if "--workers" not in told:
        return None
    walls = []
    for _ in range(times):
        with tempfile.TemporaryDirectory() as folder:
            words = [*command, str(path.resolve()), str(Path(folder, "out.md")), "--workers", str(workers)]
            run, _ = runs.timed(words, Path(folder))
        if run.error:
            return None
        walls.append(run.wall)
    return min(walls)


def real_files(folder: Path, version: str, cache: Path) -> Iterator[RealFile]:
    """Extract every PDF and EPUB under a folder, each in a process of its own, and say what came of it."""
    files = [path for path in folder.rglob("*") if path.suffix.lower() in books.READINGS and path.is_file()]
    for path in sorted(files, key=lambda path: path.relative_to(folder).as_posix()):
        place = cache / "real" / version / f"{path.suffix[1:].lower()}-{runs.file_digest(path)}.json"
        yield RealFile(**kept_json(place, partial(_real_file, path)))


def _real_file(path: Path) -> dict[str, Any]:
    kind = path.suffix[1:].lower()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out.md")
        command = [sys.executable, "-P", "-X", "utf8", "-m", "bookblend", "extract", kind]
        run, printed = runs.timed([*command, str(path.resolve()), str(out)], Path(folder), books.PATIENCE)
        text = out.exists() and bool(out.read_text("utf-8").strip())
    outcome, reason = outcome_of(run, printed, text)
    return asdict(RealFile(kind, outcome, reason, run.wall, run.peak))


def outcome_of(run: runs.Run, printed: str, text: bool) -> tuple[str, str]:
    """text, line or other, and the reason: of a line the part that files share, without names and numbers."""
    if not run.error:
        return ("text", "") if text else ("other", "success without text")
    lines = [line for line in printed.splitlines() if line.strip() and not line.startswith("bookblend: warning:")]
    if len(lines) != 1 or not lines[0].startswith("bookblend: "):
        return "other", run.error
    return "line", shared_reason(lines[0])


def shared_reason(line: str) -> str:
    """What an error line says of any file: `bookblend: NAME.pdf: page 7 is blank; …` is `page N is blank`."""
    said = line.removeprefix("bookblend: ")
    name = re.match(r".*?\.(?:pdf|epub)(?:, page \d+)?: ", said, re.IGNORECASE)
    said = said[name.end() :] if name else said
    said = re.sub(r"“[^”]*”|'[^']*'|\"[^\"]*\"", "…", _ADVICE.sub("", said))
    return re.sub(r"\d[\d,.]*", "N", said).strip() or "no reason"


def cases(folder: Path, version: str, cache: Path) -> list[Case]:
    """The fault cases of a folder that has a run.py which prints one line a file: `CASE/FILE: pass` or `FAIL why`.

    A case is a folder with expected.json, whose `policy`, if any, says in words where more than one answer is right.
    """
    place = cache / "cases" / version / f"{runs.file_digest(folder / 'run.py')}.json"
    lines = kept_json(place, lambda: {kind: _case_lines(folder, kind) for kind in CASE_KINDS})
    return [case for kind in CASE_KINDS for line in lines[kind] if (case := _case(folder, kind, line))]


def _case_lines(folder: Path, kind: str) -> list[str]:
    command = [sys.executable, str((folder / "run.py").resolve()), str(peers.REPOSITORY), "--only", kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=CASES_PATIENCE, check=False)
    return done.stdout.splitlines()


def _case(folder: Path, kind: str, line: str) -> Case | None:
    found = re.match(rf"({kind}\d+)/(\S+): (pass|FAIL ?)(.*)", line)
    if not found:
        return None
    expected = folder / found[1] / "expected.json"
    policy = json.loads(expected.read_text("utf-8")).get("policy", "") if expected.exists() else ""
    return Case(kind, f"{found[1]}/{found[2]}", found[3] == "pass", found[4].strip(), str(policy))


def reasons(files: list[RealFile], kind: str) -> list[tuple[str, str, int]]:
    """Why files of a kind gave no text: outcome, reason, how many; the most frequent first."""
    counted = Counter((file.outcome, file.reason) for file in files if file.kind == kind and file.outcome != "text")
    return [(*key, count) for key, count in sorted(counted.items(), key=lambda item: (-item[1], item[0]))]
