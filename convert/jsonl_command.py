"""`bookblend convert jsonl`: what people call JSONL into strict JSONL."""

from argparse import ArgumentParser, Namespace

from bookblend.command import Command
from bookblend.convert.bad_lines import add_bad_lines, bad_lines, check_list
from bookblend.convert.jsonl_reader import JsonlFile, read_jsonl
from bookblend.convert.lines import LineWriter
from bookblend.convert.streams import check_names, label, open_input, open_output
from bookblend.talk import counted, say, warn


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="IN", help="- for standard input; gzip and zstd are read as well")
    parser.add_argument("output", metavar="OUT.jsonl", help="- for standard output; .gz and .zst are compressed")
    add_bad_lines(parser)


def _run(arguments: Namespace) -> int:
    name = arguments.input
    check_names([name], arguments.output)
    check_list(arguments.bad_lines, [name, arguments.output])
    with (
        open_input(name) as stream,
        bad_lines(arguments.bad_lines, name) as bad,
        open_output(arguments.output) as out,
    ):
        file = JsonlFile(name, bad)
        writer = LineWriter(out)
        for value in read_jsonl(file, stream):
            writer.write(value.text)
        writer.close()
    for note in jsonl_notes(file):
        warn(f"{label(name)}: {note}")
    say(f"{label(name)}: {counted(writer.count, 'record')}")
    return 0


def jsonl_notes(file: JsonlFile, objects_only: bool = False) -> list[str]:
    """What was changed in a file's values; `objects_only`: others were refused, so nothing is said of them."""
    notes = []
    if file.no_numbers:
        notes.append(f"{counted(file.no_numbers, 'NaN or infinity', 'NaNs or infinities')} written as null")
    if file.lone:
        notes.append(f"{counted(file.lone, 'lone surrogate')} written as U+FFFD")
    if file.scalars and not objects_only:
        notes.append(f"{counted(file.scalars, 'record is', 'records are')} no object, which many readers refuse")
    return notes


JSONL = Command(
    name="jsonl",
    summary="what people call JSONL (arrays, pretty-printed, NaN, several values a line) into strict JSONL",
    example="bookblend convert jsonl collected.json records.jsonl --bad-lines skipped.jsonl",
    configure=_configure,
    run=_run,
)
