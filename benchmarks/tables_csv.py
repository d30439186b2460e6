"""CSV into JSONL: `bookblend convert csv --rows` beside the csv module alone and beside csv with json.

usage: python benchmarks/tables_csv.py [--megabytes N]

Makes a CSV file (seeded: the same bytes on every run) in a temporary folder and prints a table. Whole processes, start
and imports included; of three runs the fastest. "csv alone" only counts rows and writes nothing; it is the floor.
"""

import argparse
import csv
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

_WORDS = "the of a ferry warden lantern river “quiet” naïve mill weir crossing, silver; “no,” she said".split()  # noqa: SIM905
_ALONE = "import csv, sys\nfor row in csv.reader(open(sys.argv[1], newline='', encoding='utf-8')): pass"
_PLAIN = (
    "import csv, json, sys\n"
    "with open(sys.argv[1], newline='', encoding='utf-8') as source, open(sys.argv[2], 'w', encoding='utf-8') as out:\n"
    "    for row in csv.DictReader(source):\n"
    "        out.write(json.dumps(row, ensure_ascii=False) + '\\n')"
)
_RUNS = 3


def main() -> int:
    """Make the file, time the ways, print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--megabytes", type=int, default=200, help="size of the file made (default: 200)")
    size = parser.parse_args().megabytes * 1_000_000
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "made.csv"), Path(folder, "out.jsonl")
        rows = make(source, size)
        ways = {
            "csv alone, nothing written": [sys.executable, "-c", _ALONE, str(source)],
            "csv.DictReader and json.dumps": [sys.executable, "-c", _PLAIN, str(source), str(target)],
            "bookblend convert csv --rows": [
                *(sys.executable, "-m", "bookblend", "convert", "csv"),
                *(str(source), str(target), "--rows"),
            ],
        }
        print("| way | seconds | MB/s | rows/s | peak MB |\n|---|---|---|---|---|")
        for name, command in ways.items():
            seconds, peak = min(run(command) for _ in range(_RUNS))
            megabytes = source.stat().st_size / 1e6
            print(
                f"| {name} | {seconds:.2f} | {megabytes / seconds:.0f} | {rows / seconds:,.0f} | {peak:.0f} |",
                flush=True,
            )
    return 0


def make(target: Path, size: int) -> int:
    """Write about `size` bytes of CSV: an id, a number, a short and a long text with quotes and line ends."""
    chance = random.Random(5)
    with target.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["id", "score", "title", "text"])
        rows = 0
        while stream.tell() < size if rows % 1000 == 0 else True:
            long = " ".join(chance.choices(_WORDS, k=chance.randrange(20, 200)))
            writer.writerow(
                [rows, f"{chance.random():.6f}", " ".join(chance.choices(_WORDS, k=5)), f"{long}\n{long[:80]}"]
            )
            rows += 1
    return rows


def run(command: Sequence[str]) -> tuple[float, float]:
    """Wall seconds of a process, and the peak memory in MB of the largest child so far."""
    start = time.perf_counter()
    subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    return time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1000


if __name__ == "__main__":
    sys.exit(main())
