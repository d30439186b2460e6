"""`bookblend blend run` and `verify`: a recipe all the way to arrays, and the proof of it."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bookblend.blend.recipe_words import add_recipe
from bookblend.command import Command
from bookblend.errors import ExitCode
from bookblend.parallel import add_workers, read_workers
from bookblend.talk import counted, say


def _configure_run(parser: ArgumentParser) -> None:
    add_recipe(parser, sources=False)
    parser.add_argument("--again", action="store_true", help="every stage, also what is up to date")
    add_workers(parser)


def _run(arguments: Namespace) -> int:
    from bookblend.blend.desk import locked, open_recipe
    from bookblend.blend.stages import run

    registry, workspace = open_recipe(arguments)
    for name in registry.left_out:
        say(f"{name}: its weight is 0; left out")
    with locked(workspace):
        manifest = run(registry, workspace, read_workers(arguments.workers), arguments.again)
    show_blend(manifest)
    print(workspace.blended)
    return int(ExitCode.DONE)


def show_blend(manifest: Mapping[str, Any]) -> None:
    """The table of a blend: shares asked and got, tokens, repetition."""
    from bookblend.blend.shares import percent
    from bookblend.blend.table import lines

    rows = [
        [
            name, percent(source["share"]["target"]), percent(source["share"]["achieved"] or 0),
            f"{source['tokens']['planned']:,}", f"{source['tokens']['emitted']:,}",
            f"{source['documents']['emitted']:,}",
            "-" if source["repetition"] is None else f"{source['repetition']:.4g} x",
            f"{source['validation']['tokens']:,}",
        ]
        for name, source in manifest["sources"].items()
    ]  # fmt: skip
    header = ["source", "asked", "got", "planned", "emitted", "documents", "repetition", "validation"]
    for line in lines(header, rows):
        say(line)
    train, validation = manifest["train"], manifest["validation"]
    say(
        f"training: {counted(train['tokens'], 'token')} in {counted(train['documents'], 'document')} "
        f"({train['difference']:+,} against the budget); validation: {counted(validation['tokens'], 'token')} in "
        f"{counted(validation['documents'], 'document')}"
    )
    if manifest["share_alike_conflict"]:
        say(manifest["share_alike_conflict"])


def _configure_verify(parser: ArgumentParser) -> None:
    parser.add_argument("folder", metavar="FOLDER", help="the folder that 'bookblend blend run' made: NAME.blend")


def _verify(arguments: Namespace) -> int:
    from bookblend.blend.verify import describe, verify

    faults = verify(Path(arguments.folder))
    for fault in faults:
        print(fault)
    if not faults:
        say(f"{describe(Path(arguments.folder))}: every hash and count holds")
    return int(ExitCode.VERIFICATION if faults else ExitCode.DONE)


RUN = Command(
    name="run",
    summary="a recipe from raw files to texts, token arrays, manifest and pages; goes on where it was cut",
    example="bookblend blend run mix.toml",
    configure=_configure_run,
    run=_run,
)
VERIFY = Command(
    name="verify",
    summary="recompute every hash and count of a blend from its files; exit status 6 where one differs",
    example="bookblend blend verify mix.blend",
    configure=_configure_verify,
    run=_verify,
)
