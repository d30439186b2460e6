"""`bookblend books`: the desk where a book is onboarded."""

import sys
from argparse import ArgumentParser, Namespace
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
from bookblend.errors import InputError, UsageError
from bookblend.extract.commands import add_options, read_options
from bookblend.files import check_source, sha256_file
from bookblend.talk import warn


def _configure_onboard(parser: ArgumentParser) -> None:
    parser.add_argument("input", metavar="INPUT", type=Path, help="a PDF, an EPUB or a markdown file")
    parser.add_argument(
        "output", metavar="OUT.jsonl", type=Path, help="OUT.md, .txt, .book.json, .dropped.jsonl go beside it"
    )
    add_slice(parser)
    add_split(parser)
    add_options(parser)
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
    return _finish(arguments.input, arguments.output, options)


def _configure_run(parser: ArgumentParser) -> None:
    parser.add_argument("recipe", metavar="RECIPE.toml", type=Path)
    parser.add_argument(
        "--source", metavar="FILE", type=Path, help="default: the recipe's source file, beside the recipe"
    )
    parser.add_argument(
        "--out",
        metavar="DIR",
        type=Path,
        default=Path(),
        help="folder for the products, made if need be; default: here",
    )


def _run_recipe(arguments: Namespace) -> int:
    recipe = read_recipe(arguments.recipe)
    source = find_source(recipe, arguments.recipe.parent, arguments.source)
    target = arguments.out / f"{recipe.name}.jsonl"
    check_source(source)
    if arguments.out.exists() and not arguments.out.is_dir():
        raise UsageError(f"{arguments.out}: is a file; --out names a folder")
    if recipe.sha256 and (found := sha256_file(source)) != recipe.sha256:
        raise InputError(f"{source}: not the file that {arguments.recipe} was settled on: its SHA-256 is {found}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    pipeline.check_paths(source, target)
    return _finish(source, target, pipeline.from_recipe(recipe))


def _finish(source: Path, target: Path, options: pipeline.Options) -> int:
    """Onboard, write, warn, and print the table."""
    products = pipeline.onboard(source, target.stem, options)
    pipeline.write(products, target)
    for warning in products.warnings:
        warn(warning)
    print(report.table(products.built.records, products.dropped, products.built.outside))
    return 0


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
        summary="onboard a book as its recipe says",
        example="bookblend books run books/sample-pdf.toml --out out",
        configure=_configure_run,
        run=_run_recipe,
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
