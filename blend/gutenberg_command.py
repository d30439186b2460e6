"""`bookblend blend gutenberg`: a folder of Gutenberg files into documents or text shards."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from bookblend.command import Command
from bookblend.errors import InputError, UsageError
from bookblend.files import check_source, check_target
from bookblend.parallel import add_workers, read_workers
from bookblend.talk import counted, say, warn

NAMES = "a name must hold the book's number, as 11.txt, 11-0.txt, pg11.txt or PG11_raw.txt"


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument(
        "folder", metavar="FOLDER", help="holds PG11_raw.txt, 11-0.txt, 11.txt or pg11.txt, at any depth"
    )
    parser.add_argument("--out", metavar="OUT", required=True, help="documents as JSONL; with --shards a folder")
    parser.add_argument("--catalogue", metavar="FILE", help="metadata.csv (pgcorpus) or pg_catalog.csv (Gutenberg)")
    for name, what in (
        ("language", "a language code, as en"),
        ("author", "part of an author's name"),
        ("shelf", "part of a shelf's or subject's name"),
    ):
        parser.add_argument(f"--{name}", metavar="X", action="append", default=[], help=f"{what}; may be repeated")
    parser.add_argument("--type", default="Text", metavar="TYPE", help="the catalogue's type (default: Text)")
    parser.add_argument(
        "--shards", action="store_true", help="text files of at most 500 MB, books joined by the eos text"
    )
    parser.add_argument("--eos", default="</s>", metavar="TEXT", help="the eos text (default: </s>)")
    parser.add_argument(
        "--duplicates",
        choices=("report", "once"),
        default="report",
        help="books that are there twice, by title and author or by text: only report them, or keep the first",
    )
    parser.add_argument(
        "--recipe-rules", action="store_true", help="markers and credit lines by the recipe's rules alone"
    )
    parser.add_argument(
        "--keep",
        choices=("credits", "notes", "pictures", "pages"),
        action="append",
        default=[],
        help="leave producers' credits, transcribers' notes, marks of pictures or page numbers in; may be repeated",
    )
    parser.add_argument("--again", action="store_true", help="also where everything is up to date")
    add_workers(parser)


def _run(arguments: Namespace) -> int:
    from bookblend.blend.gutenberg_run import is_current, run

    job = _job(arguments)
    report = None if arguments.again else is_current(job)
    if report is not None:
        say(f"{job.out}: up to date (--again makes it anew)")
    else:
        report = run(job)
        tell_of_others(report)
        for skipped in report["skipped"]:
            warn(f"{skipped['file']}: skipped: {skipped['why']}")
    _print_table(report)
    return 0


def tell_of_others(report: dict[str, Any], where: str = "") -> None:
    """Warn of text files that are no books of the folder."""
    count = report["counts"].get("passed_over", 0)
    if count:
        first = report["passed_over_first"][0]
        files = counted(count, "text file")
        warn(f"{where}{files} passed over (first: {first}): {NAMES}")


def _job(arguments: Namespace) -> Any:
    from bookblend.blend.catalogue import Entry, Selection, find_texts, passed_over, read_catalogue, select
    from bookblend.blend.gutenberg import Step
    from bookblend.blend.gutenberg_books import Options
    from bookblend.blend.gutenberg_run import Job

    folder, out = Path(arguments.folder), Path(arguments.out)
    workers = read_workers(arguments.workers)
    if not folder.is_dir():
        raise InputError(f"{folder}: no such folder")
    if not arguments.eos.strip() or "\n" in arguments.eos:
        raise UsageError("--eos: give a text of one line that is not blank")
    selection = Selection(tuple(arguments.language), tuple(arguments.author), tuple(arguments.shelf), arguments.type)
    if not arguments.catalogue and (selection.languages or selection.authors or selection.shelves):
        raise UsageError("--language, --author and --shelf select from a catalogue; give --catalogue FILE as well")
    _check_out(out, arguments.shards)
    texts = find_texts(folder)
    if arguments.catalogue:
        check_source(Path(arguments.catalogue))
        entries = read_catalogue(Path(arguments.catalogue))
    else:
        entries = [Entry(number) for number in texts]
    books, missing = select(entries, texts, selection)
    if not books:
        where = f" that {arguments.catalogue} lists and the options select" if arguments.catalogue else ""
        raise InputError(
            f"{folder}: holds no Gutenberg text{where}; names are as 11.txt, 11-0.txt, pg11.txt, PG11_raw.txt"
        )
    steps = frozenset(Step) - {Step(name) for name in arguments.keep}
    options = Options(arguments.shards, arguments.eos, arguments.recipe_rules, steps)
    once = arguments.duplicates == "once"
    return Job(folder, tuple(books), out, options, once, missing, workers, passed_over(folder))


def _check_out(out: Path, shards: bool) -> None:
    if not shards:
        check_target(out)
    elif out.exists() and not out.is_dir():
        raise UsageError(f"{out}: is a file; with --shards name a folder")
    else:
        out.mkdir(exist_ok=True)


def _print_table(report: dict[str, Any]) -> None:
    counts, states = report["counts"], report["states"]
    doubles = report["duplicates"]
    rows = [
        ("files", f"{counts['files']:,} ({counts['bytes_read'] / 1e6:,.1f} MB)"),
        ("documents", f"{counts['documents']:,} ({counts['bytes_written'] / 1e6:,.1f} MB)"),
        ("markers", ", ".join(f"{state} {number:,}" for state, number in states.items())),
        ("encodings", ", ".join(f"{name} {number:,}" for name, number in report["encodings"].items())),
        (
            "dropped",
            f"{counted(counts['credit_lines'], 'credit line')}, {counted(counts['note_lines'], 'note line')}, "
            f"{counted(counts['marks'], 'mark')} of pictures and pages",
        ),
        ("skipped", f"{counts['skipped']:,}; in the catalogue without a file {counts['without_file']:,}"),
        ("flagged", f"{len(report['flagged']):,}; copyrighted {len(report['copyrighted']):,}"),
        ("hold the eos", f"{len(report['holding_eos']):,}"),
        (
            "duplicates",
            f"by title and author {len(doubles['title_author']):,}, by text {len(doubles['near']):,}, "
            f"left out {counts['left_out_as_duplicates']:,}",
        ),
        ("outputs", ", ".join(made["file"] for made in report["outputs"][:3]) + (" …" * (len(report["outputs"]) > 3))),
    ]
    for name, text in rows:
        say(f"{name:<14}{text}")


GUTENBERG = Command(
    name="gutenberg",
    summary="a folder of Gutenberg files, selected by catalogue, into documents or text shards without packaging",
    example="bookblend blend gutenberg mirror --catalogue pg_catalog.csv --language en --out english --shards",
    configure=_configure,
    run=_run,
)
