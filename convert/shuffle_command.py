"""`bookblend convert shuffle`: the records of files of any size in a random order, in bounded memory."""

import re
import secrets
from argparse import ArgumentParser, Namespace
from pathlib import Path

from bookblend.command import Command
from bookblend.convert.shuffle import Counts, Keys, Shuffle
from bookblend.convert.streams import STANDARD, check_names, open_input, open_output
from bookblend.errors import NoRoomError, UsageError
from bookblend.files import Scratch
from bookblend.talk import counted, say, warn

_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}
_MIB = _UNITS["M"]
# Beside the records: buffers of 128 files and of compression, pieces on their way, what the allocator keeps.
_RESERVE = 8 * _MIB
# Below this, buckets would be too small to be worth a file.
_LEAST_BUDGET = 4 * _MIB
# Python with our modules, where the system does not tell how much it is (Linux: 20).
_RESIDENT = 40 * _MIB


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("inputs", metavar="IN", nargs="+", help="files, joined in this order; - is standard input")
    parser.add_argument("output", metavar="OUT", help="output file (.gz, .zst: compressed); - is standard output")
    parser.add_argument("--seed", metavar="N", help="whole number that fixes the order (default: another every run)")
    parser.add_argument(
        "--memory", metavar="SIZE", default="256M", help="the most memory to use, with K, M or G (default: 256M)"
    )


def _run(arguments: Namespace) -> int:
    seed = _seed(arguments.seed)
    budget = _size(arguments.memory) - _resident() - _RESERVE
    if budget < _LEAST_BUDGET:
        least = -(-(_resident() + _RESERVE + _LEAST_BUDGET) // _MIB)
        raise UsageError(f"--memory {arguments.memory}: is too little; give at least {least}M")
    check_names(arguments.inputs, arguments.output)
    target = None if arguments.output == STANDARD else Path(arguments.output)
    expected = sum(Path(name).stat().st_size for name in arguments.inputs if name != STANDARD)
    with Scratch(target) as scratch:
        shuffle = Shuffle(Keys(seed), budget, scratch.folder, expected)
        try:
            with open_output(arguments.output) as out:
                counts = shuffle.run(map(open_input, arguments.inputs), out)
        except NoRoomError as error:
            raise _disk_full(arguments.output, shuffle.counts) from error
    _report(counts, seed)
    return 0


def _seed(word: str | None) -> int:
    if word is None:
        return secrets.randbits(64)
    if not re.fullmatch(r"[0-9]{1,100}", word):
        raise UsageError(f"--seed {word}: is no whole number, such as 7")
    return int(word)


def _size(word: str) -> int:
    found = re.fullmatch(r"([0-9]{1,15})([KMG]?)", word.upper())
    if not found:
        raise UsageError(f"--memory {word}: is no size, such as 256M or 2G")
    return int(found[1]) * _UNITS[found[2]]


def _resident() -> int:
    """The memory that this process holds before it has read anything."""
    try:
        kib = re.search(r"VmRSS:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii", "replace"))
    except OSError:
        kib = None
    return int(kib[1]) * _UNITS["K"] if kib else _RESIDENT


def _disk_full(output: str, counts: Counts) -> NoRoomError:
    place = "standard output or the folder for temporary files" if output == STANDARD else str(Path(output).parent)
    return NoRoomError(
        f"{place}: no room left; output and temporary files together need about as much as the decompressed input, "
        f"{counts.size / 1e6:,.1f} MB so far"
    )


def _report(counts: Counts, seed: int) -> None:
    if counts.blank:
        warn(f"{counted(counts.blank, 'record')} of no bytes (blank lines) kept; convert jsonl leaves such out")
    if counts.marked:
        warn(
            f"{counted(counts.marked, 'input begins', 'inputs begin')} with a byte-order mark, which stays with the "
            "first record; only UTF-8 without one can be shuffled line by line (convert jsonl writes it)"
        )
    say(f"{counted(counts.records, 'record')}, {counts.size / 1e6:,.1f} MB, seed {seed}")


SHUFFLE = Command(
    name="shuffle",
    summary="the records of files of any size in random order, byte for byte, in bounded memory",
    example="bookblend convert shuffle part-1.jsonl part-2.jsonl.gz out.jsonl --seed 7 --memory 1G",
    configure=_configure,
    run=_run,
)
