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
from pathlib import Path

from bookblend.blend.gutenberg import strip, strip_recipe
from bookblend.blend.gutenberg_decode import decode
from bookblend.blend.normalise import line_ends, normalise
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


def table(folder: Path, peers_python: str) -> None:
    """Print, for every file, marker state, encoding, lines left, first and last line; and what others leave."""
    texts = _texts(folder)
    peers = _peers(peers_python, texts) if peers_python else [{} for _ in texts]
    totals: dict[str, list[int]] = {}
    for path, others in zip(texts, peers, strict=True):
        decoded = decode(path.read_bytes())
        full = strip(normalise(decoded.text))
        body = normalise(full.text)
        recipe = normalise(strip_recipe(line_ends(decoded.text)).text)
        results = {"bookblend": body, "recipe": recipe, **others}
        first, last = _ends(body)
        print(f"{path.relative_to(folder)}  {full.state}  {decoded.encoding} ({decoded.how})  left {_left(body)}")
        print(f"    {first}\n    {last}")
        for name, text in results.items():
            cells = [1, 0, 0] if text is None else [0, _left(text), int(len(text) < len(body) // 2)]
            totals[name] = [
                a + b for a, b in zip(totals.get(name, [0, 0, 0, 0]), [*cells, int(cells[1] > 0)], strict=True)
            ]
    print(f"\n{'':<20}{'errors':>8}{'lines left':>12}{'files with':>12}{'emptied':>9}   of {len(texts)} files")
    for name, (errors, left, emptied, files) in totals.items():
        print(f"{name:<20}{errors:>8}{left:>12}{files:>12}{emptied:>9}")


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
    arguments = parser.parse_args()
    if arguments.what == "table":
        table(arguments.folder, arguments.peers_python)
        return
    with tempfile.TemporaryDirectory(dir=arguments.work) as work:
        speed(arguments.folder, arguments.megabytes, arguments.runs, Path(work))


if __name__ == "__main__":
    main()
