"""`bookblend convert messages`: any common chat or instruction set into records of turns."""

from argparse import ArgumentParser, Namespace
from collections.abc import Iterator

from bookblend.command import Command
from bookblend.convert.bad_lines import BadLines, add_bad_lines, bad_lines, check_list
from bookblend.convert.chats import LAYOUTS, ChatError, Record, recognise, turns, used_columns
from bookblend.convert.lines import LineWriter, dump
from bookblend.convert.records import Records, open_records, place, report
from bookblend.convert.streams import STANDARD, check_names, open_output
from bookblend.errors import InputError


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="IN", help="Parquet file or folder, CSV with a header, JSONL; - for JSONL")
    parser.add_argument("-o", "--output", metavar="OUT", default=STANDARD, help="default: standard output")
    parser.add_argument("--lines", action="store_true", help="one record a line (JSONL), not one JSON array")
    parser.add_argument(
        "--from",
        dest="layout",
        choices=LAYOUTS,
        help="the set's layout (default: told by its columns; a table with none of the common ones is pairs)",
    )
    add_bad_lines(parser)


def _run(arguments: Namespace) -> int:
    name, target = arguments.input, arguments.output
    check_names([name], target, folders=True)
    check_list(arguments.bad_lines, [name, target])
    with (
        bad_lines(arguments.bad_lines, name) as bad,
        open_records(name, bad) as records,
        open_output(target) as out,
    ):
        writer = LineWriter(out) if arguments.lines else LineWriter(out, "[\n", ",\n", "\n]\n")
        for made in chat_records(records, bad, arguments.layout):
            writer.write(dump(made))
        writer.close()
    report(name, records.notes, writer.count, records.manner)
    return 0


def chat_records(records: Records, bad: BadLines, layout: str | None = None) -> Iterator[Record]:
    """Each record as {"messages": turns}; the layout, where none is given, is told by the first record.

    Records that do not fit go to `bad`. Raises `InputError` for a set in no common layout.
    """
    left: dict[str, None] = {}
    for number, record in records.rows:
        if layout is None:
            layout = _layout(records, number, record)
            records.manner.append(f"read as {layout}")
        try:
            made = turns(layout, record)
            left.update(dict.fromkeys(record.keys() - used_columns(layout, record)))
        except ChatError as error:
            bad(number, str(error), dump(record))
            continue
        yield {"messages": made}
    if left:
        records.manner.append(f"columns left out: {', '.join(sorted(left))}")


def _layout(records: Records, number: int, record: Record) -> str:
    layout = recognise(record)
    if layout:
        return layout
    # A table has an order of columns that a person has chosen; an object's keys have not.
    if records.unit == "row":
        return "pairs"
    raise InputError(
        f"{place(records, number)}: its columns ({', '.join(map(repr, record))}) are no common chat layout; "
        f"say which with --from ({', '.join(LAYOUTS)})"
    )


MESSAGES = Command(
    name="messages",
    summary="chat and instruction sets of any common layout into records of user and assistant turns",
    example="bookblend convert messages questions.parquet -o chats.json",
    configure=_configure,
    run=_run,
)
