"""A shuffle of JSONL: `bookblend convert shuffle` beside GNU shuf (in memory) and terashuf (temporary files).

usage: python benchmarks/tables_shuffle.py [--gigabytes N] [--record BYTES] [--memory SIZE] [--terashuf PROGRAM]

Makes a JSONL file of records of mixed sizes (seeded: the same bytes on every run) in a temporary folder (TMPDIR says
where; three times the file's size is needed there) and prints a table. Whole processes, start and imports included;
of three runs (`--runs`) the fastest. benchmarks/README.md tells what the columns are.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from math import log
from pathlib import Path

# Texts are cut from one block of letters: to make them word by word would take longer than all shuffles.
_BLOCK = 4 << 20
# Spread of the sizes (of their logarithms): with 1, one record in twenty is over five times the median.
_SPREAD = 1.0
# What terashuf is given of the memory: it counts its buffer alone, in GiB, not the places of the lines.
_TERASHUF_SHARE = 0.8
_UNITS = {"M": 1 / 1024, "G": 1.0}


def main() -> int:
    """Make the file, time the programs, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--gigabytes", type=float, default=2.0, help="size of the file made (default: 2)")
    parser.add_argument("--record", type=int, default=1600, help="mean bytes of a record (default: 1600)")
    parser.add_argument("--memory", default="256M", help="for ours and terashuf, with M or G (default: 256M)")
    parser.add_argument("--terashuf", default="terashuf", help="the program, where it is not on the path")
    parser.add_argument("--runs", type=int, default=3, help="runs of each, of which the fastest counts (default: 3)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "made.jsonl"), Path(folder, "out.jsonl")
        records = make(source, int(arguments.gigabytes * 1e9), arguments.record)
        size = source.stat().st_size
        print(f"{size / 1e9:.2f} GB, {records:,} records, {arguments.memory}\n")
        print("| program | seconds | on disk | CPU | MB/s | peak MB |\n|---|---|---|---|---|---|")
        for name, command, settings in ways(source, target, arguments.memory, arguments.terashuf):
            if not shutil.which(command[0]):
                print(f"| {name} | missing | | | | |", flush=True)
                continue
            seconds, on_disk, cpu, peak = min(
                run(command, settings, source, target, size) for _ in range(arguments.runs)
            )
            speed = size / 1e6 / seconds
            print(f"| {name} | {seconds:.2f} | {on_disk:.2f} | {cpu:.2f} | {speed:.0f} | {peak:.0f} |", flush=True)
    return 0


def ways(source: Path, target: Path, memory: str, terashuf: str) -> list[tuple[str, list[str], dict[str, str]]]:
    """The programs: name, command, environment. A command that names no target writes to standard output."""
    share = float(memory[:-1]) * _UNITS[memory[-1].upper()] * _TERASHUF_SHARE
    shuffle = [sys.executable, "-m", "bookblend", "convert", "shuffle", str(source), str(target)]
    return [
        (f"bookblend convert shuffle --memory {memory}", [*shuffle, "--seed", "1", "--memory", memory], {}),
        ("GNU shuf (all in memory)", ["shuf", str(source), "-o", str(target)], {}),
        (f"terashuf, MEMORY={share:.2f}", [terashuf], {"MEMORY": f"{share:.2f}", "TMPDIR": str(source.parent)}),
    ]


def make(target: Path, size: int, mean: int) -> int:
    """Write about `size` bytes of JSONL, ids and texts of log-normal sizes; returns the number of records."""
    chance = random.Random(5)
    block = bytes(chance.choices(b"abcdefghijklmnopqrstuvwxyz      ", k=_BLOCK))
    middle = log(mean) - _SPREAD**2 / 2
    records = written = 0
    with target.open("wb", buffering=1 << 20) as stream:
        while written < size:
            length = min(_BLOCK, int(chance.lognormvariate(middle, _SPREAD)))
            start = chance.randrange(_BLOCK - length + 1)
            written += stream.write(b'{"id": %d, "text": "%s"}\n' % (records, block[start : start + length]))
            records += 1
    return records


def run(
    command: Sequence[str], settings: dict[str, str], source: Path, target: Path, size: int
) -> tuple[float, float, float, float]:
    """Wall seconds of a process, the same with its output on the disk, its CPU seconds and its peak memory in MB."""
    target.unlink(missing_ok=True)
    os.sync()  # so that nobody waits for the output of the program before
    to_target = str(target) in command
    with source.open("rb") as stdin, (Path(os.devnull) if to_target else target).open("wb") as stdout:
        start = time.perf_counter()
        with subprocess.Popen(
            command, stdin=stdin, stdout=stdout, stderr=subprocess.DEVNULL, env=os.environ | settings
        ) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        seconds = time.perf_counter() - start
    with target.open("rb") as stream:
        os.fsync(stream.fileno())
    on_disk = time.perf_counter() - start
    if process.returncode or target.stat().st_size != size:
        raise SystemExit(f"{command[0]}: failed ({process.returncode})")
    return seconds, on_disk, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1000


if __name__ == "__main__":
    sys.exit(main())
