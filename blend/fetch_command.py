"""`bookblend blend fetch`: pinned datasets and files into the blend's folder."""

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import Any

from bookblend.blend.recipe_words import add_recipe
from bookblend.command import Command
from bookblend.errors import UsageError
from bookblend.talk import counted, say


def _configure(parser: ArgumentParser) -> None:
    add_recipe(parser)
    parser.add_argument("--again", action="store_true", help="also what is up to date")
    parser.add_argument(
        "--workers", metavar="N", type=int, default=0, help="downloads at a time; the result is the same (default: 4)"
    )


def _run(arguments: Namespace) -> int:
    from bookblend.blend.fetch import DOWNLOADS, Fetch, fetch_all
    from bookblend.blend.registry import read_registry
    from bookblend.blend.workspace import Workspace

    if arguments.workers < 0:
        raise UsageError(f"--workers {arguments.workers}: give 1 or more (or leave it out: {DOWNLOADS})")
    registry = read_registry(Path(arguments.recipe))
    workspace = Workspace(registry, Path(arguments.folder) if arguments.folder else None)
    how = Fetch(names=tuple(arguments.source), again=arguments.again, downloads=arguments.workers or DOWNLOADS)
    _print_table(fetch_all(registry, workspace, how))
    return 0


def _print_table(report: dict[str, Any]) -> None:
    from bookblend.blend.disk import size

    width = max((len(source["source"]) for source in report["sources"]), default=0) + 2
    for source in report["sources"]:
        files = source["files"]
        parts = [
            f"{counted(len(files), 'file')} ({size(sum(file['bytes'] for file in files))})",
            f"{counted(source['rows_taken'], 'row')} of {source['rows_read']:,} ({size(source['bytes_written'])})",
            *(f"skipped {count:,}: {why}" for why, count in source["rows_skipped"].items()),
            *source["warnings"],
        ]
        say(f"{source['source']:<{width}}{'; '.join(parts)}")
    for name in report["not_fetched"]:
        say(f"{name:<{width}}not fetched yet")


FETCH = Command(
    name="fetch",
    summary="pinned Hub datasets and files of the web into rows of text, a folder a source",
    example="bookblend blend fetch blend.toml --folder work",
    configure=_configure,
    run=_run,
)
