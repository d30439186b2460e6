"""`bookblend blend dedup`: JSONL records without those that are there twice, and a report of what went."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bookblend.blend.dedup import Dedup
from bookblend.command import Command
from bookblend.errors import ExitCode, InputError, UsageError
from bookblend.jsonio import dump_line
from bookblend.progress import Meter
from bookblend.talk import counted, say


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("source", metavar="IN.jsonl", help="records with a text")
    parser.add_argument(
        "out", metavar="OUT.jsonl", help="the records that stay, as they are; OUT.removed.jsonl lists others"
    )
    parser.add_argument("--text", metavar="NAME", default="text", help="the field that is the text (default: text)")
    parser.add_argument(
        "--near", metavar="X", type=float, default=0.0,
        help="also texts that share this part of their word 5-grams, such as 0.7 (default: equal texts only)",
    )  # fmt: skip


def _run(arguments: Namespace) -> int:
    from bookblend.files import Outputs, check_source, check_target, refuse_same_file

    source, out = Path(arguments.source), Path(arguments.out)
    if not 0 <= arguments.near <= 1:
        raise UsageError(f"--near {arguments.near:g}: must be between 0 and 1")
    check_source(source, may_be_empty=True)
    listed = out.with_name(out.name.removesuffix(".jsonl") + ".removed.jsonl")
    for path in (out, listed):
        check_target(path)
        refuse_same_file(source, path)
    with source.open("rb") as again, Outputs() as outputs:

        def text_of(place: int) -> str:
            again.seek(place)
            return str(json.loads(again.readline())[arguments.text])

        dedup = Dedup(text_of, arguments.near)
        target, removed = outputs.open(out), outputs.open(listed)
        for place, number, line in _lines(source):
            label, text = _read(line, f"{source}: line {number}", number, arguments.text)
            gone = dedup.see(place, label, text)
            if gone is None:
                target.write(line if line.endswith(b"\n") else line + b"\n")
            else:
                entry = {"id": gone.id, "line": number, "kept": gone.kept, "similarity": round(gone.similarity, 6)}
                removed.write(dump_line(entry).encode("utf-8"))
    say(f"{source}: {counted(dedup.kept, 'record')} kept, {counted(dedup.removed, 'record')} removed ({listed.name})")
    return int(ExitCode.DONE)


def _lines(source: Path) -> Iterator[tuple[int, int, bytes]]:
    """The lines that are not blank, each with its place in bytes and its number."""
    place = 0
    with source.open("rb") as stream, Meter(source.stat().st_size, source.name) as meter:
        for number, line in enumerate(stream, 1):
            if line.strip():
                yield place, number, line
            place += len(line)
            meter.advance(len(line))


def _read(line: bytes, where: str, number: int, field: str) -> tuple[str, str]:
    """A record's label and text."""
    try:
        record: Any = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{where}: is no JSON ({error}); 'bookblend convert jsonl' lists such lines") from error
    text = record.get(field) if isinstance(record, dict) else None
    if not isinstance(text, str):
        raise InputError(f"{where}: has no string '{field}'; name it with --text")
    label = record.get("id", f"line {number}")
    return label if isinstance(label, str) else json.dumps(label), text


DEDUP = Command(
    name="dedup",
    summary="JSONL records without those whose text is there twice, or nearly; what went is listed with what stayed",
    example="bookblend blend dedup all.jsonl once.jsonl --near 0.7",
    configure=_configure,
    run=_run,
)
