"""Records that cannot be read: the end of the work with their place, or where the user asked for it a list."""

from argparse import ArgumentParser
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bookblend.convert.lines import LineWriter, dump
from bookblend.convert.streams import STANDARD, label, open_output
from bookblend.errors import InputError, UsageError
from bookblend.files import check_target, refuse_same_file
from bookblend.talk import counted, warn


def add_bad_lines(parser: ArgumentParser) -> None:
    """`--bad-lines`, as every command that reads records one by one has it."""
    parser.add_argument(
        "--bad-lines",
        metavar="FILE",
        help="skip records that cannot be used and list them there, with line and reason (default: an error)",
    )


class BadLines:
    """Called with (line, reason, text) for each bad record: raises `InputError`, or writes it to the list."""

    def __init__(self, name: str, writer: LineWriter | None) -> None:
        self.count = 0
        self._name = name
        self._writer = writer

    def __call__(self, line: int, reason: str, text: str) -> None:
        """Take one bad record: its line (or row) from 1, what is wrong with it, and its text."""
        if self._writer is None:
            raise InputError(
                f"{label(self._name)}: line {line}: {reason}; mend it, or list and skip such lines: --bad-lines FILE"
            )
        self.count += 1
        self._writer.write(dump({"line": line, "error": reason, "text": text}))


def check_list(target: str | None, others: Sequence[str]) -> None:
    """Say early that the list cannot be written, or would replace one of the command's other files."""
    if target is None:
        return
    if target == STANDARD:
        raise UsageError("--bad-lines -: name a file; standard output is the result's")
    check_target(Path(target))
    for other in others:
        if other != STANDARD:
            refuse_same_file(Path(other), Path(target))


@contextmanager
def bad_lines(target: str | None, name: str) -> Iterator[BadLines]:
    """Where the bad records of the input `name` go; with a `target` the list appears when the block ends well."""
    if target is None:
        yield BadLines(name, None)
        return
    with open_output(target) as stream:
        writer = LineWriter(stream)
        bad = BadLines(name, writer)
        yield bad
        writer.close()
    if bad.count:
        warn(f"{label(name)}: {counted(bad.count, 'record')} skipped and listed in {target}")
