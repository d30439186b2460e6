"""`bookblend clean`: repair markdown in place, with a ledger of what was dropped."""

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from bookblend import ledger, sidecar
from bookblend.command import Command
from bookblend.errors import UsageError
from bookblend.extract.commands import add_notes
from bookblend.files import Outputs, check_target, refuse_same_file
from bookblend.talk import warn


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="FILE.md", type=Path)
    parser.add_argument("-o", "--output", metavar="OUT.md", type=Path, help="write there instead of in place")
    parser.add_argument(
        "--numbers",
        choices=("auto", "drop", "keep"),
        default="auto",
        help="drop: lines of digits or initials and what looks like a scanner's noise go; keep: only lines without any "
        "letter or figure; auto (default): keep in our own extracts, drop in markdown from elsewhere and OCR layers",
    )
    parser.add_argument("--language", metavar="TAG", default="", help="of the book; its words say it where they can")
    parser.add_argument("--skip", metavar="NAMES", default="", help="repairs to leave out: mojibake,splits,…")
    parser.add_argument("--keep-notices", action="store_true", help="keep digitisers' notices")
    add_notes(parser)
    parser.add_argument("--keep-junk", action="store_true", help="leave out the junk-line pass")


def _run(arguments: Namespace) -> int:
    source, target = arguments.input, arguments.output or arguments.input
    side_path, log_path = sidecar.beside(target, ".book.json"), sidecar.beside(target, ".dropped.jsonl")
    if arguments.output:
        refuse_same_file(source, target)
    for path in (side_path, log_path):
        refuse_same_file(source, path)
    for path in (target, side_path, log_path):
        check_target(path)

    from bookblend.clean.repair import REPAIRS, RepairOptions
    from bookblend.clean.stage import clean_manuscript, numbers_for
    from bookblend.extract.markdown import open_markdown

    skip = frozenset(name.strip() for name in arguments.skip.split(",") if name.strip())
    if unknown := sorted(skip - set(REPAIRS)):
        raise UsageError(f"--skip: no repair '{unknown[0]}'; there are {', '.join(REPAIRS)}")
    manuscript, before, entries = open_markdown(source, arguments.notes)
    options = RepairOptions(
        numbers=numbers_for(before) if arguments.numbers == "auto" else arguments.numbers,
        language=arguments.language or before.book.get("language", ""),
        skip=skip,
        notices=not arguments.keep_notices,
        junk=not arguments.keep_junk,
    )
    repaired, known, dropped = clean_manuscript(manuscript, before, options)
    # What another tool's file lost in reading belongs to this run; of our own, the ledger says it already.
    found = dropped if before.products else [*entries, *dropped]
    entries = [*entries, *dropped]
    text, log = repaired.markdown(), ledger.render(entries)
    # Records and the slice were made from the file as it was.
    known = replace(
        known,
        marks=repaired.marks,
        dropped=ledger.tally(entries),
        outside={},
        records=(),
        products={target.name: sidecar.sha256_text(text), log_path.name: sidecar.sha256_text(log)},
    )
    with Outputs() as outputs:
        outputs.write(target, text)
        outputs.write(side_path, sidecar.render(known))
        outputs.write(log_path, log)
    for warning in known.warnings:
        if warning not in before.warnings or not before.products:
            warn(warning)
    print(_report(target, Counter(known.repairs) - Counter(before.repairs), found))
    return 0


def _report(target: Path, done: Mapping[str, int], dropped: list[ledger.Entry]) -> str:
    """What this run did, not what runs before it have done."""
    repairs = ", ".join(f"{name} {count:,}" for name, count in done.items()) or "none"
    rules = [(rule, count) for rules in ledger.tally(dropped).values() for rule, count in rules.items()]
    lines = ", ".join(f"{rule} {count:,}" for rule, count in rules) or "none"
    return f"{target}: blocks repaired: {repairs}; pieces dropped: {lines}"


COMMANDS = (
    Command(
        name="ocr",
        summary="repair OCR and extraction damage in markdown, in place",
        example="bookblend clean ocr Book.md",
        configure=_configure,
        run=_run,
    ),
)
