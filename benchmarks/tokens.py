"""Token arrays: `bookblend blend encode` and `blend run` beside tokenizers, datatrove and Megatron's preprocessing.

usage: python benchmarks/tokens.py CORPUS.jsonl|FOLDER [--megabytes 220] [--runs 3] [--work DIR] [--out PAGE]
           [--only TEXT] [--datatrove-python VENV/bin/python] [--megatron-python VENV/bin/python]

A folder's .txt and .jsonl files are made into a corpus: paragraphs in an order of a fixed seed, put together into
documents of mixed sizes. The contestants take turns, each a process of its own; of all runs the fastest counts; with
--work they are kept and later ones added. All must give the same ids. benchmarks/README.md tells what the columns are.
Linux only: memory is read from /proc.
"""

import argparse
import contextlib
import hashlib
import json
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import log
from pathlib import Path

import numpy

from bookblend.blend.gutenberg_decode import decode

VOCABULARY = 32_000
# Part of the corpus that the tokenizer is trained on.
TRAINED = 30_000_000
# Characters of a document in the mean, and the spread of the sizes (of their logarithms).
MEAN, SPREAD = 2_500, 1.0
# Seconds between two looks at a contestant's memory.
LOOK = 0.05
# Bytes before the ids in a .npy of ours.
NPY_HEADER = 128
PAGE = os.sysconf("SC_PAGE_SIZE")

# Texts in memory, then the calls alone are timed; the ids are made into what the others write afterwards.
REFERENCE = r"""
import array, hashlib, json, sys, time
from tokenizers import Tokenizer
corpus, tokenizer = sys.argv[1:]
tokenizer = Tokenizer.from_file(tokenizer)
tokenizer.encode_special_tokens = True
tokenizer.no_padding(), tokenizer.no_truncation()
with open(corpus, encoding="utf-8") as stream:
    texts = [json.loads(line)["text"] for line in stream]
wall = cpu = tokens = 0
digest = hashlib.sha256()
for start in range(0, len(texts), 1000):
    batch = texts[start : start + 1000]
    begin, spent = time.perf_counter(), time.process_time()
    made = tokenizer.encode_batch(batch, add_special_tokens=False)
    wall += time.perf_counter() - begin
    cpu += time.process_time() - spent
    for one in made:
        ids = one.ids + [int(tokenizer.token_to_id("</s>"))]
        tokens += len(ids)
        digest.update(array.array("H", ids))
print(json.dumps({"wall": wall, "cpu": cpu, "tokens": tokens, "sha256": digest.hexdigest()}))
"""
DATATROVE = r"""
import sys
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.readers import JsonlReader
from datatrove.pipeline.tokens import DocumentTokenizer
if __name__ == "__main__":
    corpus, tokenizer, out = sys.argv[1:]
    LocalPipelineExecutor(
        [
            JsonlReader(corpus),
            DocumentTokenizer(
                out + "/ids", tokenizer_name_or_path=tokenizer, eos_token="</s>", shuffle_documents=False
            ),
        ],
        tasks=2, workers=2, logging_dir=out + "/logs",
    ).run()
"""
# The steps of tools/preprocess_data.py: each worker parses a line and encodes it, one call a document; the parent adds
# the documents, each with its eod, to megatron-core's own builder.
MEGATRON = r"""
import json, multiprocessing, sys
from tokenizers import Tokenizer
def start():
    global tokenizer, eod
    tokenizer = Tokenizer.from_file(sys.argv[2])
    tokenizer.encode_special_tokens = True
    eod = tokenizer.token_to_id("</s>")
def encode(line):
    ids = tokenizer.encode(json.loads(line)["text"], add_special_tokens=False).ids
    ids.append(eod)
    return ids
if __name__ == "__main__":
    import numpy, torch
    from megatron.core.datasets.indexed_dataset import IndexedDatasetBuilder
    corpus, _, out = sys.argv[1:]
    builder = IndexedDatasetBuilder(out + "/made.bin", dtype=numpy.uint16)
    with open(corpus, encoding="utf-8") as stream, multiprocessing.Pool(2, start) as pool:
        for ids in pool.imap(encode, stream, 32):
            builder.add_document(torch.tensor(ids, dtype=torch.int64), [len(ids)])
    builder.finalize(out + "/made.idx")
"""
MEGATRON_READS = r"""
import sys
import numpy
from megatron.core.datasets.indexed_dataset import IndexedDataset
prefix, ids, offsets = sys.argv[1:]
made, ids, offsets = IndexedDataset(prefix), numpy.load(ids, mmap_mode="r"), numpy.load(offsets)
equal = len(made) == len(offsets) - 1 and all(
    numpy.array_equal(made[number], ids[offsets[number] : offsets[number + 1]]) for number in range(len(made))
)
print(f"{len(made):,} documents, {int(made.sequence_lengths.sum()):,} ids: {'equal' if equal else 'DIFFERENT'}")
"""


@dataclass
class Contestant:
    """A way to make token arrays: its command, the files of 16-bit ids that it writes, and what was measured.

    heads  bytes before the ids in each of the files
    """

    name: str
    command: list[str]
    ids: str = ""
    heads: int = 0
    missing: str = ""
    runs: list[dict[str, float]] = field(default_factory=list)
    sha256: str = ""
    tokens: int = 0


def make(folder: Path, target: Path, size: int) -> str:
    """Write a corpus of about `size` bytes of the folder's texts; returns what it is, in words."""
    paragraphs = [part for text in _texts(folder) for part in text.split("\n\n") if part.strip()]
    if not paragraphs:
        raise SystemExit(f"{folder}: no .txt or .jsonl with a text in it")
    chance = random.Random(7)
    middle = log(MEAN) - SPREAD**2 / 2
    rounds = documents = 0
    with target.open("w", encoding="utf-8", newline="\n") as stream:
        while stream.tell() < size:
            chance.shuffle(paragraphs)
            rounds += 1
            rest = iter(paragraphs)
            while stream.tell() < size and (text := _document(rest, chance.lognormvariate(middle, SPREAD))):
                stream.write(json.dumps({"id": f"d{documents}", "text": text}, ensure_ascii=False) + "\n")
                documents += 1
    return f"{len(paragraphs):,} paragraphs of the folder's texts in {rounds} shuffled rounds"


def _texts(folder: Path) -> Iterator[str]:
    for path in sorted(folder.rglob("*.txt")):
        yield decode(path.read_bytes()).text.replace("\r\n", "\n")
    for path in sorted(folder.rglob("*.jsonl")):
        with path.open(encoding="utf-8") as stream:
            yield from (json.loads(line)["text"] for line in stream)


def _document(paragraphs: Iterator[str], length: float) -> str:
    parts: list[str] = []
    held = 0
    while held < length and (part := next(paragraphs, None)):
        parts.append(part)
        held += len(part)
    return "\n\n".join(parts)


def measured(command: list[str]) -> tuple[dict[str, float], str]:
    """Wall and CPU seconds of a command, the peak of its processes' resident memory in MB, and what it printed."""
    with tempfile.TemporaryFile() as printed, tempfile.TemporaryFile() as errors:
        begin = time.perf_counter()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=printed, stderr=errors)
        peak = 0
        while True:
            pid, status, usage = os.wait4(process.pid, os.WNOHANG)
            if pid:
                break
            peak = max(peak, _resident(process.pid))
            time.sleep(LOOK)
        wall = time.perf_counter() - begin
        process.returncode = os.waitstatus_to_exitcode(status)
        if status:
            errors.seek(0)
            raise SystemExit(f"failed: {' '.join(command)[:200]}\n{errors.read().decode('utf-8', 'replace')[-2000:]}")
        printed.seek(0)
        figures = {"wall": wall, "cpu": usage.ru_utime + usage.ru_stime, "peak": peak / 1e6}
        return figures, printed.read().decode("utf-8", "replace")


def _resident(pid: int) -> int:
    """Resident bytes of a process and all below it: what several of them share counts for each."""
    held = 0
    with contextlib.suppress(OSError, ValueError, IndexError):
        held = int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * PAGE
        for task in Path(f"/proc/{pid}/task").iterdir():
            held += sum(_resident(int(child)) for child in (task / "children").read_text().split())
    return held


def contestants(corpus: Path, tokenizer: Path, work: Path, datatrove: str, megatron: str) -> list[Contestant]:
    """Everyone's command; a venv that is not there makes a row that says so."""
    ours = [sys.executable, "-m", "bookblend", "blend"]
    encode = [*ours, "encode", str(corpus), "--tokenizer", str(tokenizer), "--again"]
    recipe, halves = _recipe(corpus, tokenizer, work), _halves(corpus, work)
    for name, text in {"reference": REFERENCE, "datatrove": DATATROVE, "megatron": MEGATRON}.items():
        (work / f"run_{name}.py").write_text(text, "utf-8")
    out = {name: str(work / f"out-{name}") for name in ("encode", "formats", "slow", "run", "datatrove", "megatron")}
    formats, slow = ["--formats", "npy,nanogpt,megatron"], ["--engine", "tokenizers"]
    theirs, npy = [str(corpus), str(tokenizer)], "/train_ids.npy"
    trove = [datatrove, str(work / "run_datatrove.py"), str(halves), str(tokenizer), out["datatrove"]]
    preprocess = [megatron, str(work / "run_megatron.py"), *theirs, out["megatron"]]
    all_of = [
        Contestant("tokenizers `encode_batch` alone", [sys.executable, str(work / "run_reference.py"), *theirs]),
        Contestant("`blend encode`", [*encode, "--out", out["encode"]], out["encode"] + npy, NPY_HEADER),
        Contestant("`blend encode`, all formats", [*encode, *formats, "--out", out["formats"]]),
        Contestant("`blend encode --engine tokenizers`", [*encode, *slow, "--out", out["slow"]]),
        Contestant("`blend run`", [*ours, "run", str(recipe), "--folder", out["run"]]),
        Contestant("datatrove", trove, out["datatrove"] + "/ids/*.ds"),
        Contestant("Megatron's preprocessing", preprocess, out["megatron"] + "/made.bin"),
    ]
    all_of[2].ids = out["formats"] + "/megatron/train.bin"
    all_of[3].ids, all_of[3].heads = out["slow"] + npy, NPY_HEADER
    for one in all_of:
        one.missing = "" if shutil.which(one.command[0]) else "not installed"
    return all_of


def _recipe(corpus: Path, tokenizer: Path, work: Path) -> Path:
    """A blend of the corpus as its one source: nine tenths of its tokens, and what is held out."""
    ids = int(json.loads((work / "count.json").read_text())["tokens"] * 0.9)
    recipe = work / "blend.toml"
    recipe.write_text(
        f'budget = {ids}\n[tokenizer]\nfile = "{tokenizer}"\n[[sources]]\nname = "corpus"\nshare = 1\n'
        f'upsample = 1\nfiles = "{corpus}"\nid = "id"\nlicence = {{ spdx = "CC0-1.0" }}\n',
        "utf-8",
    )
    return recipe


def _halves(corpus: Path, work: Path) -> Path:
    """The corpus in two files: datatrove gives whole files to its tasks."""
    folder = work / "halves"
    folder.mkdir(exist_ok=True)
    raw = corpus.read_bytes()
    middle = raw.find(b"\n", len(raw) // 2) + 1
    (folder / "0.jsonl").write_bytes(raw[:middle])
    (folder / "1.jsonl").write_bytes(raw[middle:])
    return folder


def run(one: Contestant) -> None:
    """One more run, from an empty output folder; the ids' hash of the first."""
    out = Path(one.command[-1])
    if out.name.startswith("out-"):
        shutil.rmtree(out, ignore_errors=True)
        out.mkdir()
    os.sync()  # so that nobody waits for the output of the one before
    figures, printed = measured(one.command)
    if one.ids:
        digest = hashlib.sha256()
        for path in sorted(Path("/").glob(one.ids.lstrip("/"))):
            ids = numpy.memmap(path, numpy.uint16, "r", one.heads)
            one.tokens += len(ids)
            digest.update(ids.data)
        one.sha256 = digest.hexdigest()
    if printed.startswith('{"wall"'):
        told = json.loads(printed)
        one.sha256, one.tokens = told.pop("sha256"), told.pop("tokens")
        figures |= told
    one.runs.append(figures)


def table(all_of: list[Contestant], size: int) -> list[str]:
    """The rows, beside the first contestant's."""
    first = all_of[0]
    fastest = min(one["wall"] for one in first.runs)
    heads = ["", "wall s", "CPU s", "MB/s", "million tokens/s", "times", "peak MB", "runs", "ids"]
    lines = ["| " + " | ".join(heads) + " |", "|---|" + "---:|" * 7 + "---|"]
    for one in all_of:
        if not one.runs:
            lines.append(f"| {one.name} | {one.missing or 'not run'} | | | | | | | |")
            continue
        best = min(one.runs, key=lambda figures: figures["wall"])
        same = "other documents" if not one.sha256 else "the same" if one.sha256 == first.sha256 else "DIFFERENT"
        speed, rate = size / 1e6 / best["wall"], first.tokens / 1e6 / best["wall"]
        # Less CPU than a tenth of the time is a parent alone: the workers are no children of its own.
        cpu = f"{best['cpu']:.2f}" if best["cpu"] > best["wall"] / 10 else "?"
        cells = [one.name, f"{best['wall']:.2f}", cpu, f"{speed:.1f}", f"{rate:.2f}"]
        cells += [f"{fastest / best['wall']:.1f}", f"{best['peak']:.0f}", str(len(one.runs)), same]
        lines.append("| " + " | ".join(cells) + " |")
    return lines


def kept(all_of: list[Contestant], file: Path, write: bool) -> None:
    """Take the runs in `file`, where there is one, or write them there."""
    if write:
        file.write_text(json.dumps({one.name: [one.runs, one.sha256, one.tokens] for one in all_of}), "utf-8")
    elif file.exists():
        runs = json.loads(file.read_text("utf-8"))
        for one in all_of:
            one.runs, one.sha256, one.tokens = runs.get(one.name, [[], "", 0])


def megatron_reads(python: str, work: Path) -> str:
    """What megatron-core's own reader finds in our Megatron files, beside our .npy."""
    if not shutil.which(python):
        return "megatron-core is not installed"
    made = work / "out-formats"
    files = [str(made / "megatron" / "train"), str(made / "train_ids.npy"), str(made / "train_offsets.npy")]
    done = subprocess.run([python, "-W", "ignore", "-c", MEGATRON_READS, *files], capture_output=True, text=True)
    return done.stdout.strip().splitlines()[-1] if done.returncode == 0 else done.stderr.strip()[-200:]


def page(rows: list[str], corpus: str, reads: str) -> str:
    """The page: the table and what stands behind it."""
    table_rows = "\n".join(rows)
    machine = f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"
    return f"""# Token arrays beside other tools

`make benchmark-tokens CORPUS=…` writes this page (benchmarks/tokens.py; benchmarks/README.md says what the columns
are).

- Corpus: {corpus}.
- Tokenizer: byte-level BPE of {VOCABULARY:,} ids, trained by `blend tokenizer` on the first {TRAINED // 1_000_000} MB.
- Machine: {machine}; the fastest of all runs, which were taken in turns.

{table_rows}

megatron-core's `IndexedDataset` reads the Megatron files of `blend encode`; beside the .npy: {reads}.
"""


def main() -> int:
    """Make the corpus, let everyone run in turns, print the table or write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpus", type=Path, help="a JSONL file of records with id and text, or a folder of texts")
    parser.add_argument("--megabytes", type=int, default=220, help="size of the corpus made (default: 220)")
    parser.add_argument("--runs", type=int, default=3, help="of each, of which the fastest counts (default: 3)")
    parser.add_argument("--only", default="", help="let only those run that have this in their name")
    parser.add_argument(
        "--work", type=Path, help="where corpus, outputs and runs go and stay (default: a temporary folder)"
    )
    parser.add_argument("--out", type=Path, help="the page to write (default: print)")
    parser.add_argument("--datatrove-python", default="", help="Python of a venv with datatrove")
    parser.add_argument("--megatron-python", default="", help="Python of a venv with megatron-core and tokenizers")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        work = (arguments.work or Path(temporary)).resolve()
        work.mkdir(parents=True, exist_ok=True)
        corpus, made = arguments.corpus.resolve(), "given"
        if corpus.is_dir():
            folder, corpus, words = corpus, work / "corpus.jsonl", work / "corpus.txt"
            if not words.exists():
                words.write_text(make(folder, corpus, arguments.megabytes * 1_000_000), "utf-8")
            made = words.read_text("utf-8")
        tokenizer = _tokenizer(corpus, work)
        size, documents = _size(corpus, tokenizer, work)
        all_of = contestants(corpus, tokenizer, work, arguments.datatrove_python, arguments.megatron_python)
        kept(all_of, work / "runs.json", write=False)
        for _ in range(arguments.runs):
            for one in all_of:
                if arguments.only in one.name and not one.missing:
                    run(one)
                    print(f"{one.name}: {one.runs[-1]}", file=sys.stderr, flush=True)
                    kept(all_of, work / "runs.json", write=True)
        said = f"{size / 1e6:.0f} MB of text in {documents:,} documents, {made}"
        reads = megatron_reads(arguments.megatron_python, work)
        text = page(table(all_of, size), said, reads)
        arguments.out.write_text(text, "utf-8") if arguments.out else print(text)
    return 0


def _tokenizer(corpus: Path, work: Path) -> Path:
    """A tokenizer trained on the first part of the corpus."""
    part = work / "part.jsonl"
    with corpus.open("rb") as stream:
        part.write_bytes(b"".join(stream.readlines(TRAINED)))
    words = ["tokenizer", str(part), "--vocabulary", str(VOCABULARY), "--out", str(work / "tokenizer"), "--again"]
    subprocess.run([sys.executable, "-m", "bookblend", "blend", *words], check=True, capture_output=True)
    return work / "tokenizer" / "tokenizer.json"


def _size(corpus: Path, tokenizer: Path, work: Path) -> tuple[int, int]:
    """Bytes of text and number of documents; the number of tokens goes into a file for the recipe."""
    out = work / "out-count"
    words = ["encode", str(corpus), "--tokenizer", str(tokenizer), "--out", str(out), "--again"]
    subprocess.run([sys.executable, "-m", "bookblend", "blend", *words], check=True, capture_output=True)
    entry = json.loads((out / "manifest.json").read_text("utf-8"))["roles"]["train"]
    (work / "count.json").write_text(json.dumps({"tokens": entry["tokens"]}), "utf-8")
    with corpus.open(encoding="utf-8") as stream:
        return sum(len(json.loads(line)["text"].encode()) for line in stream), entry["documents"]


if __name__ == "__main__":
    sys.exit(main())
