"""`bookblend books`: the desk where a book is onboarded."""

import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from shutil import get_terminal_size

from bookblend.books import pipeline
from bookblend.books.inspection import overview
from bookblend.books.recipe import find_source, read_recipe
from bookblend.books.verification import verify
from bookblend.build import report
from bookblend.build.commands import add_slice, add_split
from bookblend.build.commands import read_options as read_build_options
from bookblend.command import Command
from bookblend.errors import ExitCode, InputError, UsageError, one_line
from bookblend.extract.commands import add_options, read_options
from bookblend.files import check_source, sha256_file
from bookblend.parallel import add_workers, map_pieces, read_workers
from bookblend.talk import warn


@dataclass(frozen=True, slots=True)
class _Job:
    """One book to be onboarded: its file, its `.jsonl`, what was asked, and processes for its pages."""

    source: Path
    target: Path
    options: pipeline.Options
    workers: int

    def __str__(self) -> str:
        return str(self.source)


def _configure_onboard(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", type=Path, help="a PDF, an EPUB or a markdown file")
    parser.add_argument(
        "output", metavar="OUT.jsonl", type=Path, help="OUT.md, .txt, .book.json, .dropped.jsonl go beside it"
    )
    add_slice(parser)
    add_split(parser)
    add_options(parser)
    add_workers(parser)
    parser.add_argument("--no-clean", action="store_true", help="leave out the repairs")
    parser.add_argument("--keep-junk", action="store_true", help="leave out the junk-line pass of the repairs")


def _run_onboard(arguments: Namespace) -> int:
    check_source(arguments.input)
    pipeline.check_paths(arguments.input, arguments.output)
    options = pipeline.Options(
        extract=read_options(arguments),
        clean=not arguments.no_clean,
        keep_junk=arguments.keep_junk,
        build=read_build_options(arguments),
    )
    finished = _finish(_Job(arguments.input, arguments.output, options, read_workers(arguments.workers)))
    _tell(finished)
    return 0


def _configure_run(parser: ArgumentParser) -> None:
    parser.add_argument("recipes", metavar="RECIPE.toml", type=Path, nargs="+")
    parser.add_argument(
        "--source", metavar="FILE", type=Path, help="of one recipe; default: its source file, beside the recipe"
    )
    add_workers(parser)
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path(),
        help="folder for the products, made if need be; default: here",
    )


def _run_recipes(arguments: Namespace) -> int:
    """Onboard each recipe's book; a book that fails is told of, and the others are done. Its status is the result."""
    workers = read_workers(arguments.workers)
    if arguments.source and len(arguments.recipes) > 1:
        raise UsageError("--source goes with one recipe; several find theirs beside them")
    if arguments.out.exists() and not arguments.out.is_dir():
        raise UsageError(f"{arguments.out}: is a file; --out names a folder")
    jobs = _jobs(arguments.recipes, arguments.source, arguments.out, workers)
    arguments.out.mkdir(parents=True, exist_ok=True)
    for job in jobs:
        pipeline.check_paths(job.source, job.target)
    if len(jobs) == 1:
        _tell(_finish(jobs[0]))
        return 0
    status = 0
    for job, outcome in zip(jobs, map_pieces(_finish, jobs, workers, name=str), strict=True):
        if outcome.error is None:
            print(job.target.stem)
            _tell(outcome.result())
            print()
        else:
            print(f"bookblend: {job.target.stem}: {one_line(outcome.error)}", file=sys.stderr)
            status = status or int(getattr(outcome.error, "code", ExitCode.FAILED))
    return status


def _jobs(recipes: Sequence[Path], source: Path | None, out: Path, workers: int) -> list[_Job]:
    """One job a recipe. Raises `InputError` for a recipe or source that cannot be used, `UsageError` for one name
    that two books want."""
    jobs: dict[Path, _Job] = {}
    for path in recipes:
        recipe = read_recipe(path)
        book = find_source(recipe, path.parent, source)
        check_source(book)
        if recipe.sha256 and (found := sha256_file(book)) != recipe.sha256:
            raise InputError(f"{book}: not the file that {path} was settled on: its SHA-256 is {found}")
        target = out / f"{recipe.name}.jsonl"
        if target in jobs:
            raise UsageError(f"{path}: another recipe given writes {target.name} as well; give each its own name")
        # Of several books each is one process's; the pages of a single one are shared.
        jobs[target] = _Job(book, target, pipeline.from_recipe(recipe), workers if len(recipes) == 1 else 1)
    return list(jobs.values())


def _finish(job: _Job) -> tuple[str, tuple[str, ...]]:
    """Onboard and write one book; returns the table for the user, and the warnings."""
    products = pipeline.onboard(job.source, job.target.stem, job.options, job.workers)
    pipeline.write(products, job.target)
    table = report.table(products.built.records, products.dropped, products.built.outside)
    return table, products.warnings


def _tell(finished: tuple[str, tuple[str, ...]]) -> None:
    table, warnings = finished
    for warning in warnings:
        warn(warning)
    print(table)


def _configure_inspect(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="FILE", type=Path, help="a PDF, an EPUB or a markdown file")
    parser.add_argument(
        "--all", action="store_true", help="every heading; default: the chapter tier, where there is one"
    )
    add_options(parser)


def _run_inspect(arguments: Namespace) -> int:
    manuscript, known, dropped = pipeline.read_book(arguments.input, read_options(arguments))
    for warning in known.warnings:
        warn(warning)
    width = get_terminal_size().columns if sys.stdout.isatty() else 0
    print(overview(manuscript, known, dropped, every=arguments.all, width=width))
    return 0


def _configure_verify(parser: ArgumentParser) -> None:
    parser.add_argument("output", metavar="OUT.jsonl", type=Path)
    parser.add_argument("--source", metavar="FILE", type=Path, help="check the input's hash too")


def _run_verify(arguments: Namespace) -> int:
    print(verify(arguments.output, arguments.source))
    return 0


COMMANDS = (
    Command(
        name="onboard",
        summary="a book file into records: extract, clean, build text, build JSONL",
        example="bookblend books onboard Book.epub Book.jsonl --start 'Chapter 1' --end Index --expect 12",
        configure=_configure_onboard,
        run=_run_onboard,
    ),
    Command(
        name="run",
        summary="onboard books as their recipes say",
        example="bookblend books run books/sample-pdf.toml --out out",
        configure=_configure_run,
        run=_run_recipes,
    ),
    Command(
        name="inspect",
        summary="list a book's headings: how to find --start, --end, --pattern and --expect",
        example="bookblend books inspect Book.pdf",
        configure=_configure_inspect,
        run=_run_inspect,
    ),
    Command(
        name="verify",
        summary="check a book's products against its provenance, and records against the raw text",
        example="bookblend books verify Book.jsonl --source Book.pdf",
        configure=_configure_verify,
        run=_run_verify,
    ),
)
