"""`bookblend convert csv`: two columns into chat records, or with `--rows` any columns into an object a row."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from bookblend.command import Command
from bookblend.convert.csv_reader import CsvFile, csv_notes, keyed, read_csv
from bookblend.convert.encodings import check_encoding
from bookblend.convert.lines import LineWriter, half_quote, quote
from bookblend.convert.records import report
from bookblend.convert.streams import check_names, open_input, open_output
from bookblend.errors import InputError, UsageError
from bookblend.talk import counted

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
    report(arguments.input, csv_notes(file), writer.count)
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
    names, rows = keyed(file, rows)
    record = "{" + ", ".join([quote(name).replace("%", "%%") + ': "%s"' for name in names]) + "}"
    for row in rows:
        yield record % tuple(map(half_quote, row))


CSV = Command(
    name="csv",
    summary="a CSV file into chat records (two columns), or into an object a row (--rows)",
    example="bookblend convert csv questions.csv chats.jsonl --skip-header",
    configure=_configure,
    run=_run,
)
