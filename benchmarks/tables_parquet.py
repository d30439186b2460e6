"""Parquet into JSONL: `bookblend convert parquet` beside pandas, Polars and DuckDB.

usage: python benchmarks/tables_parquet.py [--rows N] [--peers-python PYTHON]

Makes a Parquet file of mixed columns (seeded) in a temporary folder and prints a table. Whole processes, start and
imports included; of three runs the fastest. What each makes of values that are hard to write faithfully (NaN,
nanoseconds, decimals, uint64, binary) is printed below, from a file of one row. PYTHON has the other tools
(`python -m venv peers; peers/bin/pip install pandas polars duckdb pyarrow`).
"""

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

_WORDS = "the of a ferry warden lantern river “quiet” naïve mill weir crossing, silver; “no,” she said".split()  # noqa: SIM905
_RUNS = 3
_PEERS = {
    "pandas to_json": "import pandas, sys\n"
    "pandas.read_parquet(sys.argv[1]).to_json(sys.argv[2], orient='records', lines=True, force_ascii=False)",
    "Polars write_ndjson": "import polars, sys\npolars.read_parquet(sys.argv[1]).write_ndjson(sys.argv[2])",
    "Polars sink_ndjson": "import polars, sys\npolars.scan_parquet(sys.argv[1]).sink_ndjson(sys.argv[2])",
    "DuckDB COPY": "import duckdb, sys\nduckdb.sql(f\"COPY (FROM '{sys.argv[1]}') TO '{sys.argv[2]}' (FORMAT json)\")",
}


def main() -> int:
    """Make the files, time the ways, print the table and the hard values."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=300_000, help="rows of the file made (default: 300,000)")
    parser.add_argument("--peers-python", default=sys.executable, metavar="PYTHON")
    given = parser.parse_args()
    ways: dict[str, list[str]] = {"bookblend": [sys.executable, "-m", "bookblend", "convert", "parquet"]}
    ways |= {name: [given.peers_python, "-c", code] for name, code in _PEERS.items()}
    with tempfile.TemporaryDirectory() as folder:
        source, hard, target = (Path(folder, name) for name in ("made.parquet", "hard.parquet", "out.jsonl"))
        pq.write_table(made(given.rows), source, row_group_size=100_000)
        pq.write_table(hard_row(), hard)
        print("| way | seconds | CPU s | rows/s | MB/s of JSON | peak MB |\n|---|---|---|---|---|---|")
        shown = {}
        for name, command in ways.items():
            out = ["-o", str(target)] if name == "bookblend" else [str(target)]
            runs = [run([*command, str(source), *out]) for _ in range(_RUNS)]
            if not all(runs):
                print(f"| {name} | failed or not installed | | | | |")
                continue
            seconds, cpu, peak = min(filter(None, runs))
            speed, size = given.rows / seconds, target.stat().st_size / 1e6
            print(
                f"| {name} | {seconds:.2f} | {cpu:.2f} | {speed:,.0f} | {size / seconds:.0f} | {peak:.0f} |", flush=True
            )
            target.unlink()
            wrote = run([*command, str(hard), *out])
            shown[name] = f"`{target.read_text('utf-8').strip()}`" if wrote else "fails"
    print("\nOne row of values that are hard to write:\n")
    for name, line in shown.items():
        print(f"- {name}: {line}")
    return 0


def made(rows: int) -> Any:
    """Ids, numbers, times, texts and chats, the same on every run."""
    chance = random.Random(3)
    start = datetime(2026, 1, 1, tzinfo=UTC)

    def text(most: int) -> str:
        return " ".join(chance.choices(_WORDS, k=chance.randrange(3, most)))

    return pa.table(
        {
            "id": list(range(rows)),
            "score": [chance.random() for _ in range(rows)],
            "seen": [start + timedelta(seconds=chance.randrange(10**7)) for _ in range(rows)],
            "kept": [chance.random() < 0.5 for _ in range(rows)],
            "title": [text(8) for _ in range(rows)],
            "text": [text(120) for _ in range(rows)],
            "messages": [
                [{"role": "user", "content": text(12)}, {"role": "assistant", "content": text(30)}] for _ in range(rows)
            ],
        }
    )


def hard_row() -> Any:
    """One row that plain writers change."""
    return pa.table(
        {
            "nan": [float("nan")],
            "tenth": pa.array([0.1], pa.float32()),
            "big": pa.array([2**64 - 1], pa.uint64()),
            "nanoseconds": pa.array([1_700_000_000_123_456_789], pa.timestamp("ns", "UTC")),
            "price": pa.array([Decimal("12345678901234567890.10")], pa.decimal128(38, 2)),
            "bytes": pa.array([b"\xff\x00"]),
            "map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
        }
    )


def run(command: Sequence[str]) -> tuple[float, float, float] | None:
    """Wall and CPU seconds of a process and its peak memory in MB; None where it failed."""
    start = time.perf_counter()
    done = subprocess.run([sys.executable, "-c", _MEASURE, *command], capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode:
        return None
    cpu, peak = map(float, done.stdout.split())
    return seconds, cpu, peak


# Measured by a parent of its own: the peak of children is the largest of all there were.
_MEASURE = """
import resource, subprocess, sys
done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1000)
sys.exit(done.returncode)
"""


if __name__ == "__main__":
    sys.exit(main())
