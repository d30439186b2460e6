"""Speed of `blend gutenberg` beside a plain script of the same steps; what it and other cleaners leave in real files.

python benchmarks/gutenberg.py speed FOLDER [--megabytes 200] [--runs 3] [--work DIR]
python benchmarks/gutenberg.py table FOLDER [--peers-python PEERS/bin/python]
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from bookblend.blend.gutenberg import State, Stripped, strip, strip_recipe
from bookblend.blend.gutenberg_decode import decode
from bookblend.blend.normalise import line_ends, normalise
from bookblend.blend.table import lines, markdown
from bookblend.files import sha256_file

# The plain script: what one would write in an afternoon from the same rules, file by file, with regular expressions.
PLAIN = r"""
import re, sys
from pathlib import Path
def markers(side):
    return [re.compile(r"^\*\*\*[ \t]*%s OF (?:THE|THIS) PROJECT GUTENBERG %s[^\n]*$" % (side, word), re.I | re.M)
            for word in ("EBOOK", "ETEXT")]
START, END = markers("START"), markers("END")
CREDIT = re.compile(r"\s*(?:(?:this )?e-?(?:book|text) was produced by|there are several editions of this e-?book"
    r"|various characteristics of each e-?book|\[?transcriber['’]s note|updated editions will replace"
    r"|this file was produced from|transcribed from the)\b", re.I)
PRODUCED = re.compile(r"\s*Produced by [A-Z]")
EMAIL = re.compile(r"\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+\b")
BLANKS = re.compile("[ \t\x0b\x0c\xa0\u3000]+$", re.M)
def find(rules, text, begin=0):
    for rule in rules:
        found = rule.search(text, begin)
        if found:
            return found
def clean(text):
    text = text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n")
    start = find(START, text)
    begin = start.end() if start else 0
    end = find(END, text, begin)
    lines = text[begin:end.start() if end else len(text)].strip("\n").split("\n")
    kept = []
    for number, line in enumerate(lines):
        if number < 40 and (PRODUCED.match(line) or CREDIT.match(line) or EMAIL.search(line)):
            continue
        if number < 40 and not line.strip():
            kept.append(line)
            continue
        kept.extend(lines[number:])
        break
    text = BLANKS.sub("", "\n".join(kept))
    return re.sub(r"\n{3,}", "\n\n", text).strip("\n")
with open(sys.argv[2], "w", encoding="utf-8", newline="\n") as out:
    for path in sorted(Path(sys.argv[1]).glob("*.txt"), key=lambda path: int(path.stem)):
        data = path.read_bytes()
        try:
            text = data.decode("utf-8")
        except UnicodeDecodeError:
            text = data.decode("cp1252", "replace")
        out.write(clean(text) + "\n</s>\n\n")
"""
PEERS = r"""
import json, sys
def peers():
    try:
        from gutenbergpy.textget import strip_headers
        yield "gutenbergpy", lambda data, text: strip_headers(data).decode("utf-8", "replace")
    except Exception as error: print(f"gutenbergpy: {error!r}", file=sys.stderr)
    try:
        from gutenberg_cleaner import simple_cleaner
        yield "gutenberg-cleaner", lambda data, text: simple_cleaner(text)
    except Exception as error: print(f"gutenberg-cleaner: {error!r}", file=sys.stderr)
    try:
        from gutenberg.cleanup import strip_headers as stripped
        yield "gutenberg", lambda data, text: stripped(text)
    except Exception as error: print(f"gutenberg: {error!r}", file=sys.stderr)
found = list(peers())
for name in sys.argv[1:]:
    data = open(name, "rb").read()
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        text = data.decode("cp1252", "replace")
    results = {}
    for peer, clean in found:
        try:
            results[peer] = clean(data, text)
        except Exception as error:
            results[peer] = None
    print(json.dumps(results))
"""
# A line that only a credit or a licence can be. A book's own mention of the project is looked at by hand.
LEFT = re.compile(
    r"\*\*\* ?(?:START|END) OF TH|SMALL PRINT!|gutenberg\.(?:org|net)|Project Gutenberg(?:['’]s)? e-?(?:text|book)"
    r"|^End of (?:the |this )?Project Gutenberg|^Ende dieses Proje[ck]t"
    r"|^(?-i:Produced|Scanned|E-?text prepared) by (?-i:[A-Z])"
    r"|^(?:this )?e-?(?:text|book) was (?:produced|prepared)|pgdp\.net|^\W*Transcriber['’]s notes?\b",
    re.IGNORECASE,
)


def make_folder(sources: list[Path], target: Path, size: int) -> int:
    """Copies of texts, each with other words, until the folder holds `size` bytes; returns how many it holds."""
    target.mkdir(parents=True)
    made = copy = number = 0
    while made < size:
        for source in sources:
            data = source.read_bytes().replace(b"; ", b"; %d " % copy)
            number += 1
            (target / f"{number}.txt").write_bytes(data)
            made += len(data)
            if made >= size:
                break
        copy += 1
    return made


def timed(command: list[str], runs: int) -> tuple[float, float]:
    """The fastest wall time of a command's runs in seconds, and its peak memory in megabytes, children included."""
    best, peak = float("inf"), 0.0
    for _ in range(runs):
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        best = min(best, time.perf_counter() - begin)
        peak = max(peak, usage.ru_maxrss / 1024)
        if status:
            raise SystemExit(f"failed: {' '.join(command)}")
    return best, peak


def speed(folder: Path, megabytes: int, runs: int, work: Path) -> None:
    """Print MB a second on one and two cores beside the plain script's."""
    size = make_folder(_texts(folder), work / "mirror", megabytes * 1_000_000)
    plain, script = work / "plain.txt", work / "plain.py"
    script.write_text(PLAIN, "utf-8")
    base, base_peak = timed([sys.executable, str(script), str(work / "mirror"), str(plain)], runs)
    print(f"{'':<34}{'MB/s':>8}{'times':>8}{'peak MB':>9}")
    print(f"{'plain script':<34}{size / base / 1e6:>8.0f}{1:>8.2f}{base_peak:>9.0f}")
    for rules in (["--recipe-rules"], []):
        for workers in (1, 2):
            out = work / "shards"
            command = [sys.executable, "-m", "bookblend", "blend", "gutenberg", str(work / "mirror"), "--out", str(out)]
            command += ["--shards", "--again", "--workers", str(workers), *rules]
            seconds, peak = timed(command, runs)
            name = f"{'recipe' if rules else 'full'} rules, {workers} worker{'s' * (workers > 1)}"
            print(f"{name:<34}{size / seconds / 1e6:>8.0f}{base / seconds:>8.2f}{peak:>9.0f}")
        if rules:
            # In pieces: a process that is started inherits the peak of this one.
            digest = hashlib.sha256()
            for path in sorted(out.glob("gutenberg-*.txt")):
                with path.open("rb") as stream:
                    while piece := stream.read(1 << 20):
                        digest.update(piece)
            same = digest.hexdigest() == sha256_file(plain)
            print("equal to the plain script's output" if same else "OUTPUT DIFFERS")


def table(folder: Path, peers_python: str, out: Path | None) -> None:
    """What every file is and what is left in it, and what other cleaners leave; as a page, or printed with text."""
    texts = _texts(folder)
    peers = _peers(peers_python, texts) if peers_python else [{} for _ in texts]
    totals: dict[str, list[int]] = {}
    rows = []
    for path, others in zip(texts, peers, strict=True):
        decoded = decode(path.read_bytes())
        normal = normalise(decoded.text)
        full = strip(normal)
        body = normalise(full.text)
        recipe = normalise(strip_recipe(line_ends(decoded.text)).text)
        lost = _lost(normal, full, body)
        how = f"{decoded.encoding} ({decoded.how})"
        taken = len(full.credits) + len(full.notes)
        rows.append([path.stem, full.state.value, how, str(taken), str(_left(body)), str(lost)])
        if out is None:
            print("  ".join(rows[-1]), *_ends(body), sep="\n    ")
        for name, text in {"bookblend": body, "the recipe's rules": recipe, **others}.items():
            cells = [1, 0, 0, 0] if text is None else _cells(text, body)
            totals[name] = [a + b for a, b in zip(totals.get(name, [0] * 4), cells, strict=True)]
    header = ["cleaner", "lines left", "files with such", "bodies halved or emptied", "errors"]
    summary = [
        [name, f"{left:,}", f"{files:,}", f"{emptied:,}", f"{errors:,}"]
        for name, (errors, left, files, emptied) in totals.items()
    ]
    if out is None:
        print("\n".join(lines(header, summary)))
        return
    page = [
        PAGE.format(count=len(texts)),
        *markdown(header, summary),
        "",
        "## Ours, file by file",
        "",
        *markdown(["file", "markers", "encoding", "credits and notes", "left", "body lines missing"], rows, 3),
    ]
    out.write_text("\n".join(page) + "\n", "utf-8")


PAGE = """# Gutenberg texts beside other cleaners

`make benchmark-gutenberg TEXTS=folder` writes this page (benchmarks/gutenberg.py), here of {count} real files in seven
languages. *Lines left* are those that only a licence, a marker or a maker's credit can be; *halved* means less than
half of what ours keeps. *Credits and notes* are lines that were taken off and are counted in the report. *Body lines
missing* are lines between the two markers (of a file without markers: all its lines; without
small print) that are in none of output, header, credits and notes. pgcorpus uses the function of the package
`gutenberg`. The one line that ours leaves is the title of a preface that the text's maker wrote.
"""
# The markers by the plainest rule, for counting what should be there.
_FROM = re.compile(r"(?im)^\*\*\* ?START OF TH(?:E|IS) PROJECT GUTENBERG(?:[^*]*\*\*\*|[^\n]*)$")
_TO = re.compile(r"(?im)^\*\*\* ?END OF TH(?:E|IS) PROJECT GUTENBERG[^\n]*$|^End of (?:the )?Project Gutenberg[^\n]*$")
_SMALL = re.compile(r"(?s)\*+ ?START[ *]*THE SMALL PRINT.*?\*END[ *]*THE SMALL PRINT[^\n]*")


def _lost(normal: str, full: Stripped, body: str) -> int:
    """Lines of a book that are in no place: neither in its body nor among what was counted as credits and notes."""
    begin, end = _FROM.search(normal), _TO.search(normal)
    if full.state is State.NONE:
        book = normal
    elif begin is None or end is None:
        return 0  # the older forms have no plain rule
    else:
        book = _SMALL.sub("", normal[begin.end() : end.start()])
    wanted = Counter(line.strip() for line in book.split("\n") if line.strip())
    there = Counter(line.strip() for text in (body, full.header) for line in text.split("\n"))
    there.update(line.strip() for line in (*full.credits, *full.notes))
    return (wanted - there).total()


def _cells(text: str, body: str) -> list[int]:
    left = _left(text)
    return [0, left, int(left > 0), int(len(text) < len(body) // 2)]


def _texts(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*.txt") if path.parent.name != "catalog")


def _peers(python: str, texts: list[Path]) -> list[dict[str, str | None]]:
    done = subprocess.run([python, "-c", PEERS, *map(str, texts)], stdout=subprocess.PIPE, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


def _left(text: str) -> int:
    return sum(1 for line in text.split("\n") if LEFT.search(line))


def _ends(text: str) -> tuple[str, str]:
    lines = [line.strip() for line in text.split("\n") if line.strip()]
    return (lines[0][:100], lines[-1][:100]) if lines else ("", "")


def main() -> None:
    """Run one of the two."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "table"))
    parser.add_argument("folder", type=Path)
    parser.add_argument("--megabytes", type=int, default=200)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--work", type=Path)
    parser.add_argument("--peers-python", default="")
    parser.add_argument("--out", type=Path, help="write the table as a page")
    arguments = parser.parse_args()
    if arguments.what == "table":
        table(arguments.folder, arguments.peers_python, arguments.out)
        return
    with tempfile.TemporaryDirectory(dir=arguments.work) as work:
        speed(arguments.folder, arguments.megabytes, arguments.runs, Path(work))


if __name__ == "__main__":
    main()
