"""`bookblend convert csv`: two columns into chat records, or with `--rows` any columns into an object a row."""

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Iterator, Sequence

from bookblend.command import Command
from bookblend.convert.csv_reader import CsvFile, read_csv
from bookblend.convert.encodings import check_encoding
from bookblend.convert.lines import LineWriter, half_quote, quote
from bookblend.convert.streams import check_names, label, open_input, open_output
from bookblend.errors import InputError, UsageError
from bookblend.talk import counted, say, warn

_CHAT = '{"messages": [{"role": "user", "content": "%s"}, {"role": "assistant", "content": "%s"}]}'
_SIGNS = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="IN.csv", help="- for standard input; gzip and zstd are read as well")
    parser.add_argument("output", metavar="OUT.jsonl", help="- for standard output; .gz and .zst are compressed")
    parser.add_argument("--rows", action="store_true", help="an object a row, keyed by the header; any columns")
    parser.add_argument("--skip-header", action="store_true", help="leave the first row out (without --rows)")
    parser.add_argument("--delimiter", metavar="SIGN", help="what parts the columns (default: told by the file)")
    parser.add_argument("--encoding", metavar="NAME", default="", help="of the text (default: told by the file)")


def _run(arguments: Namespace) -> int:
    if arguments.rows and arguments.skip_header:
        raise UsageError("--skip-header: with --rows the first row is the header, which gives the keys")
    if arguments.encoding:
        check_encoding(arguments.encoding)
    delimiter = _delimiter(arguments.delimiter)
    check_names([arguments.input], arguments.output)
    with open_input(arguments.input) as stream, open_output(arguments.output) as out:
        file, rows = read_csv(stream, arguments.input, arguments.encoding, delimiter)
        records = objects(file, rows) if arguments.rows else chats(file, rows, arguments.skip_header)
        writer = LineWriter(out, controls=True)
        for record in records:
            writer.write(record)
        writer.close()
    for note in csv_notes(file):
        warn(f"{label(arguments.input)}: {note}")
    say(f"{label(arguments.input)}: {counted(writer.count, 'record')}")
    return 0


def _delimiter(given: str | None) -> str:
    if given is None:
        return ""
    sign = _SIGNS.get(given, given)
    if len(sign) != 1 or sign in '"\r\n':
        raise UsageError(f"--delimiter {given!r}: is not one sign; as in --delimiter ';' or --delimiter tab")
    return sign


def chats(file: CsvFile, rows: Iterator[list[str]], skip_header: bool = False) -> Iterator[str]:
    """Rows of two columns as chat records: the first what the user says, the second the answer.

    JSON but for control characters, which the `LineWriter` escapes. Raises `InputError` with the row's number for any
    other number of columns.
    """
    if skip_header:
        next(rows, None)
    for row in rows:
        if len(row) != 2:
            raise InputError(
                f"{file.where()}: has {counted(len(row), 'column')}; chats need two, what the user says and the answer"
                " (--rows takes any columns)"
            )
        yield _CHAT % (half_quote(row[0]), half_quote(row[1]))


def objects(file: CsvFile, rows: Iterator[list[str]]) -> Iterator[str]:
    """Rows as objects, keyed by the first one; all values are strings, as they stand.

    JSON but for control characters, which the `LineWriter` escapes. Raises `InputError` with the row's number where it
    has not as many columns as the header.
    """
    header = next(rows, None)
    if header is None:
        return
    names, renamed = column_names(header)
    file.notes += renamed
    width = len(names)
    record = "{" + ", ".join([quote(name).replace("%", "%%") + ': "%s"' for name in names]) + "}"
    for row in rows:
        if len(row) != width:
            raise InputError(
                f"{file.where()}: has {counted(len(row), 'column')} where the header has {width}; mend the row, or "
                "quote fields that hold the delimiter"
            )
        yield record % tuple(map(half_quote, row))


def column_names(header: Sequence[str]) -> tuple[list[str], list[str]]:
    """Keys for the columns of a header, no two alike and none empty, and a note for each that is not as it stood.

    Blanks around names go; an empty one becomes "column_3"; a repeated one gets a number: "text", "text_2".
    """
    names: list[str] = []
    notes: list[str] = []
    bare = [name.strip() for name in header]
    counts = Counter(bare)
    for place, (name, stood) in enumerate(zip(bare, header, strict=True), 1):
        key = name or f"column_{place}"
        number = 2
        while key in names or (key != name and key in counts):
            key = f"{name or f'column_{place}'}_{number}"
            number += 1
        names.append(key)
        if not name:
            notes.append(f"column {place} of the header has no name: {key!r}")
        elif key != name:
            notes.append(f"duplicate name {name!r} in the header: column {place} is {key!r}")
        elif stood != name:
            notes.append(f"blanks around the name of column {place} in the header are gone: {name!r}")
    return names, notes


def csv_notes(file: CsvFile) -> list[str]:
    """How a file was read where that is not the usual way, and what was left out of it."""
    notes = list(file.notes)
    if file.padding:
        notes.append(f"{counted(file.padding, 'line')} of NUL characters alone left out")
    if file.blank:
        notes.append(f"{counted(file.blank, 'blank line')} left out")
    return notes


CSV = Command(
    name="csv",
    summary="a CSV file into chat records (two columns), or into an object a row (--rows)",
    example="bookblend convert csv questions.csv chats.jsonl --skip-header",
    configure=_configure,
    run=_run,
)
