"""`bookblend convert jsonl`: what people call JSONL into strict JSONL."""

from argparse import ArgumentParser, Namespace

from bookblend.command import Command
from bookblend.convert.bad_lines import add_bad_lines, bad_lines, check_list
from bookblend.convert.jsonl_reader import JsonlFile, jsonl_notes, read_jsonl
from bookblend.convert.lines import LineWriter
from bookblend.convert.records import report
from bookblend.convert.streams import check_names, open_input, open_output


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
    report(name, jsonl_notes(file), writer.count)
    return 0


JSONL = Command(
    name="jsonl",
    summary="what people call JSONL (arrays, pretty-printed, NaN, several values a line) into strict JSONL",
    example="bookblend convert jsonl collected.json records.jsonl --bad-lines skipped.jsonl",
    configure=_configure,
    run=_run,
)
