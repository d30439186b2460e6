"""`bookblend build`: markdown, ours or another tool's, into raw text and JSONL records."""

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path

from bookblend import ledger, sidecar
from bookblend.build import builder, report
from bookblend.build.records import parse_fields, raw_text
from bookblend.command import Command
from bookblend.errors import InputError
from bookblend.extract.commands import add_notes
from bookblend.extract.markdown_notes import Notes
from bookblend.files import Outputs, check_source, check_target, refuse_same_file, write_whole
from bookblend.manuscript import Manuscript
from bookblend.talk import counted, warn


def add_slice(parser: ArgumentParser) -> None:
    """`--start` and `--end`, as every command that builds has them."""
    parser.add_argument(
        "--start", metavar="HEADING", help="first heading of the body, inclusive; '' for the file's start"
    )
    parser.add_argument(
        "--end", metavar="HEADING", help="first heading after the body, exclusive; '' for the file's end"
    )


def add_split(parser: ArgumentParser) -> None:
    """`--pattern`, `--expect` and `--fields`."""
    parser.add_argument(
        "--pattern",
        metavar="REGEX",
        help="headings that open a record, where '# ' does not mark chapters; at a heading's start, whatever its case",
    )
    parser.add_argument("--expect", metavar="N", type=_count, help="fail unless there are exactly N records")
    parser.add_argument(
        "--fields", metavar="NAMES", default="", help="more fields in a record: id,number,title,label,words,…"
    )


def read_options(arguments: Namespace) -> builder.BuildOptions:
    """The options that `add_slice` and `add_split` parsed. Raises `UsageError` for an unknown field."""
    return builder.BuildOptions(
        start=arguments.start,
        end=arguments.end,
        pattern=arguments.pattern,
        expect=arguments.expect,
        fields=parse_fields(arguments.fields),
    )


def _count(word: str) -> int:
    if not word.isascii() or not word.isdigit():
        raise ArgumentTypeError(f"'{word}' is no whole number")
    return int(word)


def _configure_text(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="IN.md", type=Path)
    parser.add_argument("output", metavar="OUT.txt", type=Path)
    add_slice(parser)
    add_notes(parser)


def _configure_jsonl(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="IN.md", type=Path)
    parser.add_argument("output", metavar="OUT.jsonl", type=Path)
    add_slice(parser)
    add_split(parser)
    add_notes(parser)


def _run_text(arguments: Namespace) -> int:
    check_source(arguments.input)
    refuse_same_file(arguments.input, arguments.output)
    check_target(arguments.output)
    manuscript, _, _ = _open(arguments.input, arguments.notes)
    body, dropped, _ = builder.body_of(manuscript, arguments.start, arguments.end)
    text = raw_text(body)
    write_whole(arguments.output, text)
    left_out = f"; {counted(len(dropped), 'block')} of inferred front and back matter left out" if dropped else ""
    print(f"{arguments.output}: {counted(len(text.split()), 'word')}{left_out}")
    return 0


def _run_jsonl(arguments: Namespace) -> int:
    source, target = arguments.input, arguments.output
    check_source(source)
    side_path, log_path = sidecar.beside(target, ".book.json"), sidecar.beside(target, ".dropped.jsonl")
    for path in (target, side_path, log_path):
        refuse_same_file(source, path)
        check_target(path)
    options = read_options(arguments)
    manuscript, known, before = _open(source, arguments.notes)
    built = builder.build(manuscript, target.stem, options)
    entries = [*before, *built.dropped]
    log = ledger.render(entries)
    made = {target.name: built.lines, log_path.name: log, **_neighbours(source, known, target, built.text)}
    provenance = builder.provenance(known, options, built, entries, made)
    with Outputs() as outputs:
        outputs.write(target, built.lines)
        outputs.write(side_path, sidecar.render(provenance))
        outputs.write(log_path, log)
    for warning in built.warnings:
        warn(warning)
    print(report.table(built.records, entries, built.outside))
    return 0


def _open(source: Path, notes: Notes) -> tuple[Manuscript, sidecar.Provenance, list[ledger.Entry]]:
    from bookblend.extract.markdown import open_markdown

    manuscript, known, entries = open_markdown(source, notes)
    if not manuscript.blocks:
        raise InputError(f"{source}: no text in it")
    if not known.products:  # else the stage before has said them
        for warning in known.warnings:
            warn(warning)
    return manuscript, known, entries


def _neighbours(source: Path, known: sidecar.Provenance, target: Path, text: str) -> dict[str, str]:
    """The other products in the records' folder by name: the markdown, if it is ours, and the raw text where it is of
    this slice. Markdown of other tools is the input, and must not be taken for ours from then on."""
    beside = sidecar.is_own(known) and source.parent.resolve() == target.parent.resolve()
    found = {source.name: sidecar.read_text(source)} if beside else {}
    raw = sidecar.beside(target, ".txt")
    if raw.is_file():
        if raw.read_bytes() == text.encode("utf-8"):
            found[raw.name] = text
        else:
            warn(f"{raw}: not the text of these records; run `bookblend build text` with the same --start and --end")
    return found


COMMANDS = (
    Command(
        name="text",
        summary="the body of a markdown file as raw text",
        example="bookblend build text Book.md Book.txt --start Introduction --end Bibliography",
        configure=_configure_text,
        run=_run_text,
    ),
    Command(
        name="jsonl",
        summary="the body of a markdown file as one record a chapter",
        example=r"bookblend build jsonl Book.md Book.jsonl --end Notes --pattern 'chapter \d+' --expect 12",
        configure=_configure_jsonl,
        run=_run_jsonl,
    ),
)
