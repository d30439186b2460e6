"""How fast the extractors read a folder of books, and how much memory they take.

    python benchmarks/books.py FOLDER [--json OUT] [--runs N]

Every PDF and EPUB under FOLDER is read by our extractor and, beside it, by the plain call of the library underneath:
PyMuPDF's `get_text("text")` and `get_text("dict")` without images for a PDF, unzipping and parsing the spine's
documents with lxml for an EPUB. Each reading is a process of its own; of N runs the fastest counts. Times are CPU
seconds of the reading alone (imports are not in them), peaks are of the whole process. benchmarks/README.md tells
how to read the table. A file that cannot be read is a line of the table.
"""

import argparse
import json
import posixpath
import statistics
import subprocess
import sys
import time
import urllib.parse
import zipfile
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

# What is run for each kind of book: ours first, then the floors, the one that counts (see README) foremost.
READINGS = {".pdf": ("ours", "dict", "text"), ".epub": ("ours", "parse")}
# Seconds after which a run counts as hung: thirty times what the slowest of 600 books took.
PATIENCE = 600
NAME_WIDTH = 44
MEGABYTE = 1_000_000


@dataclass(frozen=True, slots=True)
class Reading:
    """One way of reading one file, the best of its runs: CPU seconds, peak bytes, pages (0: not counted)."""

    seconds: float
    peak: int
    pages: int


@dataclass(frozen=True, slots=True)
class Row:
    """One file: its readings by name; `error` says why there are none."""

    file: str
    kind: str
    size: int
    readings: dict[str, Reading]
    error: str = ""

    @property
    def pages(self) -> int:
        """Pages of a PDF, spine documents of an EPUB; 0 where no reading counted them."""
        return max((reading.pages for reading in self.readings.values()), default=0)

    def ratio(self, floor: str) -> float | None:
        """Our time as a multiple of a floor's."""
        if "ours" not in self.readings or floor not in self.readings:
            return None
        return self.readings["ours"].seconds / max(self.readings[floor].seconds, 1e-6)


def main(words: list[str] | None = None) -> int:
    """The command; returns its exit status."""
    parser = argparse.ArgumentParser(description="Time the extractors on a folder of books.")
    parser.add_argument("folder", type=Path, help="searched with all its folders for .pdf and .epub files")
    parser.add_argument("--json", type=Path, metavar="OUT", help="write the figures there as well")
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="runs of each reading (default: 3)")
    parser.add_argument("--worker", choices=sorted(WORKERS), help=argparse.SUPPRESS)
    arguments = parser.parse_args(words)
    if arguments.worker:
        print(json.dumps(run_worker(arguments.worker, arguments.folder)))
        return 0
    files = sorted(path for path in arguments.folder.rglob("*") if path.suffix.lower() in READINGS and path.is_file())
    if not files or arguments.runs < 1:
        print(f"{arguments.folder}: no PDF or EPUB in it" if not files else "--runs: at least 1", file=sys.stderr)
        return 2
    rows: list[Row] = []
    for kind in READINGS:
        chosen = [path for path in files if path.suffix.lower() == kind]
        rows += print_table(kind, (measure(path, arguments.folder, arguments.runs) for path in chosen), len(chosen))
    if arguments.json:
        arguments.json.write_text(json.dumps([asdict(row) for row in rows], indent=2) + "\n", encoding="utf-8")
    return 0


def measure(path: Path, folder: Path, runs: int) -> Row:
    """Run all readings of one file. What goes wrong with ours is the row's error; a floor that fails is left out."""
    kind = path.suffix.lower()
    readings: dict[str, Reading] = {}
    error = ""
    for name in READINGS[kind]:
        best: Reading | None = None
        for _ in range(runs):
            answer = _ask_worker(name, path)
            if "error" in answer:
                error = answer["error"] if name == "ours" else error
                break
            reading = Reading(**answer)
            best = reading if best is None or reading.seconds < best.seconds else best
        if best is None and name == "ours":
            break
        if best is not None:
            readings[name] = best
    return Row(path.relative_to(folder).as_posix(), kind.removeprefix("."), path.stat().st_size, readings, error)


def _ask_worker(name: str, path: Path) -> dict[str, Any]:
    command = [sys.executable, __file__, "--worker", name, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    except subprocess.TimeoutExpired:
        return {"error": f"not done after {PATIENCE} s"}
    try:
        answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    except (IndexError, json.JSONDecodeError):
        last = (done.stderr.strip().splitlines() or ["no word of why"])[-1]
        return {"error": f"ended with status {done.returncode}: {last}"}
    return answer


# The table.


def print_table(kind: str, rows: Iterable[Row], count: int) -> list[Row]:
    """Print rows as they come and a line that sums them up; return them."""
    if not count:
        return []
    floors = READINGS[kind][1:]
    pages = "pages" if kind == ".pdf" else "docs"
    heads = ["MB", pages, "seconds", f"{pages}/s", "MB/s", "peak MB", *(f"x {floor}" for floor in floors), "its peak"]
    print(f"{kind.removeprefix('.').upper():<{NAME_WIDTH}}" + "".join(f"{head:>9}" for head in heads), flush=True)
    done: list[Row] = []
    for row in rows:
        done.append(row)
        print(_line(row, floors), flush=True)
    good = [row for row in done if not row.error]
    for floor in floors:
        ratios = [ratio for row in good if (ratio := row.ratio(floor)) is not None]
        if ratios:
            whole = sum(r.readings["ours"].seconds for r in good if floor in r.readings)
            whole /= sum(r.readings[floor].seconds for r in good if floor in r.readings)
            print(f"x {floor}: {whole:.2f} in all, {statistics.median(ratios):.2f} median, {max(ratios):.2f} at most")
    print(f"{len(good)} of {count} read\n", flush=True)
    return done


def _line(row: Row, floors: tuple[str, ...]) -> str:
    name = row.file if len(row.file) < NAME_WIDTH else f"…{row.file[-(NAME_WIDTH - 2) :]}"
    if row.error:
        return f"{name:<{NAME_WIDTH}} {row.error}"
    ours = row.readings["ours"]
    size = row.size / MEGABYTE
    seconds = max(ours.seconds, 1e-6)
    floor = row.readings.get(floors[0])
    figures = [f"{size:.2f}", str(row.pages), f"{seconds:.2f}", f"{row.pages / seconds:.0f}", f"{size / seconds:.2f}"]
    figures += [f"{ours.peak / MEGABYTE:.0f}"]
    figures += ["-" if ratio is None else f"{ratio:.2f}" for ratio in map(row.ratio, floors)]
    figures += ["-" if floor is None else f"{floor.peak / MEGABYTE:.0f}"]
    return f"{name:<{NAME_WIDTH}}" + "".join(f"{figure:>9}" for figure in figures)


# The workers: one reading in a process of its own. Each takes a path, does its imports and returns the reading
# proper, which is timed and returns the number of pages.

Work = Callable[[], int]


def run_worker(name: str, path: Path) -> dict[str, Any]:
    """One timed reading: seconds, peak, pages; or an error in one line."""
    try:
        work = WORKERS[name](path)
        start = time.process_time()
        pages = work()
        return {"seconds": time.process_time() - start, "peak": _peak(), "pages": pages}
    except Exception as error:  # whatever a damaged book does to a library is that book's line in the table
        return {"error": " ".join(f"{type(error).__name__}: {error}".split())}


def _ours(path: Path) -> Work:
    from bookblend.extract.model import ExtractOptions

    if path.suffix.lower() == ".pdf":
        from bookblend.extract.pdf import extract_pdf

        def read_pdf() -> int:
            extract_pdf(path, ExtractOptions())
            return 0  # the floors count the pages

        return read_pdf
    from bookblend.extract.epub import extract_epub

    def read_epub() -> int:
        extract_epub(path, ExtractOptions())
        return 0

    return read_epub


def _pymupdf(call: str) -> Callable[[Path], Work]:
    def prepare(path: Path) -> Work:
        import pymupdf

        flags = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP | pymupdf.TEXT_USE_CID_FOR_UNKNOWN_UNICODE

        def work() -> int:
            with pymupdf.open(path) as document:
                for page in document:
                    page.get_text(call, flags=flags)
                return int(document.page_count)

        return work

    return prepare


def _parse(path: Path) -> Work:
    from lxml import etree

    parser = etree.XMLParser(recover=True, resolve_entities=False, huge_tree=True)

    def work() -> int:
        with zipfile.ZipFile(path) as archive:
            container = etree.fromstring(archive.read("META-INF/container.xml"))
            package = next(container.iter("{*}rootfile")).get("full-path", "")
            root = etree.fromstring(archive.read(package), parser)
            hrefs = {item.get("id"): item.get("href", "") for item in root.iter("{*}item")}
            spine = [hrefs[ref.get("idref")] for ref in root.iter("{*}itemref")]
            for href in spine:
                name = posixpath.normpath(posixpath.join(posixpath.dirname(package), urllib.parse.unquote(href)))
                etree.fromstring(archive.read(name), parser)
            return len(spine)

    return work


def _peak() -> int:
    """The most memory this process ever held, in bytes; 0 where the system does not tell."""
    status = Path("/proc/self/status")
    if status.exists():  # not getrusage: on Linux its peak begins with the parent's
        line = next((line for line in status.read_text().splitlines() if line.startswith("VmHWM:")), "VmHWM: 0")
        return int(line.split()[1]) * 1024
    try:
        import resource
    except ImportError:
        return 0
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


WORKERS: dict[str, Callable[[Path], Work]] = {
    "ours": _ours,
    "dict": _pymupdf("dict"),
    "text": _pymupdf("text"),
    "parse": _parse,
}


if __name__ == "__main__":
    try:
        sys.exit(main())
    except BrokenPipeError:  # the table's reader went away (`| head`)
        sys.stderr.close()
        sys.exit(1)
