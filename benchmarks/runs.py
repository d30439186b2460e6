"""Run one reader on one book in a process of its own, time it, and keep what it wrote so that a rerun is quick.

The cache is a folder: READER/VERSION/BOOK.json holds the figures of a run and BOOK.out what the reader wrote, where
BOOK is the start of the file's SHA-256 and, where there are options, of theirs. A folder that is removed is forgotten.
"""

import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from pathlib import Path

# Seconds after which a reader counts as hung: four times what the slowest peer took for the longest book.
PATIENCE = 1800
# A run is repeated while fewer seconds than this are spent on one book: what is quick is noisy, what is slow is not.
REPEAT_WITHIN = 15.0
# What a reader prints before the CPU seconds of its reading alone.
READING_MARK = "seconds of reading:"
# Hex digits of a SHA-256 that name a book, an option set or a version: 64 bits do not meet by chance here.
DIGITS = 16

# The launcher is a process as small as Python gets, because the peak that Linux counts begins with the parent's. It
# ends the whole group at the limit: some peers start processes of their own.
_LAUNCHER = """
import json, os, signal, subprocess, sys, threading, time
limit, errors, command = float(sys.argv[1]), sys.argv[2], sys.argv[3:]
late = []
with open(errors, "wb") as log:
    start = time.monotonic()
    child = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, start_new_session=True
    )
    def end():
        late.append(True)
        os.killpg(child.pid, signal.SIGKILL)
    timer = threading.Timer(limit, end)
    timer.start()
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.monotonic() - start
    timer.cancel()
unit = 1 if sys.platform == "darwin" else 1024
print(json.dumps({
    "wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": usage.ru_maxrss * unit,
    "status": os.waitstatus_to_exitcode(status), "late": bool(late),
}))
"""


@dataclass(frozen=True, slots=True)
class Run:
    """One reader's run on one book, the fastest of `runs`: wall and CPU seconds, peak bytes of its largest process.

    `reading` are the CPU seconds without start and imports, where the reader tells them. `error` says in one line why
    it gave nothing; the figures are then of the failed run.
    """

    wall: float
    cpu: float
    peak: int
    runs: int = 1
    reading: float | None = None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Kept:
    """What the cache holds of a run: its figures and the file with its output (absent where the run failed)."""

    run: Run
    output: Path


def timed(command: list[str], folder: Path, patience: float = PATIENCE) -> tuple[Run, str]:
    """Run a command in `folder`; its figures and all that it printed.

    A command that is not there, that fails or that takes more than `patience` seconds is a Run with its `error`.
    """
    log = folder / "printed.log"
    launcher = [sys.executable, "-I", "-S", "-c", _LAUNCHER, str(patience), str(log), *command]
    done = subprocess.run(launcher, cwd=folder, capture_output=True, text=True, check=False)
    printed = log.read_bytes().decode("utf-8", "replace") if log.exists() else ""
    if done.returncode:
        return Run(0.0, 0.0, 0, error=_last_line(done.stderr)), printed
    told = json.loads(done.stdout)
    error = ""
    if told["late"]:
        error = f"not done after {patience:.0f} s"
    elif told["status"]:
        error = f"status {told['status']}: {_last_line(printed)}"
    mark = re.search(rf"^{READING_MARK} (\S+)$", printed, re.MULTILINE)
    return Run(told["wall"], told["cpu"], told["peak"], 1, float(mark[1]) if mark else None, error), printed


def kept_run(
    place: Path, book: Path, options: list[str], command: Callable[[Path], list[str]], times: int
) -> Kept | None:
    """The cached run of a reader on a book, made now where there is none; with times=0 None instead.

    `place` is the cache's folder for the reader in its version; `command` gives the words for an output path; `options`
    are those that change the output, and part of the key. The fastest of `times` runs counts, of fewer where a run is
    slow (REPEAT_WITHIN). A run that fails is kept as well, with its error.
    """
    key = file_digest(book) + ("-" + digest(json.dumps(options)) if options else "")
    figures, output = place / f"{key}.json", place / f"{key}.out"
    if figures.exists():
        return Kept(Run(**json.loads(figures.read_text("utf-8"))), output)
    if not times:
        return None
    place.mkdir(parents=True, exist_ok=True)
    best, written = _one_run(command)
    spent, done = best.wall, 1
    while done < times and not best.error and spent + spent / done <= REPEAT_WITHIN:
        run, _ = _one_run(command)
        spent, done = spent + run.wall, done + 1
        if run.error or run.wall < best.wall:
            best = run
    best = replace(best, runs=done)
    if not best.error:
        write_whole(output, written)
    write_whole(figures, json.dumps(asdict(best)).encode() + b"\n")
    return Kept(best, output)


def _one_run(command: Callable[[Path], list[str]]) -> tuple[Run, bytes]:
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder, "out")
        run, _ = timed(command(out), Path(folder))
        written = next((path for path in _outputs(out) if path.is_file()), None)
        if run.error or written is None:
            return run if run.error else replace(run, error="wrote no output"), b""
        return run, written.read_bytes()


def _outputs(out: Path) -> list[Path]:
    """Where a reader told to write `out` may have written: there, with a suffix, or in a folder of that name."""
    return [
        out,
        *sorted(out.parent.glob("out.jsonl")),
        *sorted(out.parent.glob("out.[mt]*")),
        *sorted(out.glob("*.md")),
    ]


def file_digest(path: Path) -> str:
    """The first DIGITS hex digits of a file's SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:DIGITS]


def digest(text: str) -> str:
    """The first DIGITS hex digits of a text's SHA-256."""
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def write_whole(path: Path, data: bytes) -> None:
    """Write a file that is there whole or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    part.write_bytes(data)
    part.replace(path)


def _last_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:200] if lines else "no word of why"
