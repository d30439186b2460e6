"""`bookblend convert render`: chat rows, or any columns, into {"text"} records by a template."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from bookblend.command import Command
from bookblend.convert.bad_lines import BadLines, add_bad_lines, bad_lines, check_list
from bookblend.convert.chats import ChatError, recognise, turns
from bookblend.convert.lines import LineWriter, dump
from bookblend.convert.records import Records, open_records, report
from bookblend.convert.streams import check_names, open_output
from bookblend.errors import InputError, UsageError


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="IN", help="Parquet file or folder, CSV with a header, JSONL; - for JSONL")
    parser.add_argument("output", metavar="OUT.jsonl", help="- for standard output; .gz and .zst are compressed")
    parser.add_argument(
        "--template",
        metavar="T",
        default="plain",
        help="plain (default), chatml or alpaca for chats; or a Jinja template: its text ('{{ title }}: {{ body }}') "
        "or a file of it",
    )
    parser.add_argument("--keep", metavar="A,B", default="", help="columns to keep beside the text, as an id")
    add_bad_lines(parser)


def _run(arguments: Namespace) -> int:
    from bookblend.convert.render import compile_template

    name, target = arguments.input, arguments.output
    check_names([name], target, folders=True)
    check_list(arguments.bad_lines, [name, target])
    render = compile_template(_source(arguments.template), arguments.template)
    keep = [column for column in arguments.keep.split(",") if column]
    if "text" in keep:
        raise UsageError("--keep text: the text is what the template makes")
    with (
        bad_lines(arguments.bad_lines, name) as bad,
        open_records(name, bad) as records,
        open_output(target) as out,
    ):
        writer = LineWriter(out)
        for made in text_records(records, bad, render, keep):
            writer.write(dump(made))
        writer.close()
    report(name, records.notes, writer.count, records.manner)
    return 0


def text_records(
    records: Records, bad: BadLines, render: Callable[[Mapping[str, Any]], str], keep: list[str]
) -> Iterator[Mapping[str, Any]]:
    """Each record as {"text": …} and the columns of it that are kept; those that do not fit go to `bad`.

    Records of a common chat layout have their turns as `messages`, whatever the layout.
    """
    from bookblend.convert.render import RenderError

    for number, record in records.rows:
        try:
            layout = recognise(record)
            view = {**record, "messages": turns(layout, record)} if layout else record
            missing = [column for column in keep if column not in record]
            if missing:
                raise RenderError(f"has no column {missing[0]!r} to keep")
            yield {"text": render(view), **{column: record[column] for column in keep}}
        except (ChatError, RenderError) as error:
            bad(number, str(error), dump(record))


def _source(given: str) -> str:
    from bookblend.convert.render import NAMED

    if given in NAMED:
        return NAMED[given]
    if "{{" in given or "{%" in given:
        return given
    path = Path(given)
    if not path.is_file():
        raise UsageError(
            f"--template {given}: no such file, and no template either; name one of {', '.join(NAMED)}, a file, "
            "or write it as '{{ column }}'"
        )
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(f"{given}: is no UTF-8 text ({error.reason})") from error


RENDER = Command(
    name="render",
    summary="chat rows, or any columns, into records of text by a template",
    example="bookblend convert render chats.jsonl texts.jsonl --template chatml",
    configure=_configure,
    run=_run,
)
