"""`bookblend blend run`, `verify` and `cut`: a recipe all the way to arrays, the proof of it, the word cut alone."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bookblend.blend.recipe_words import add_recipe
from bookblend.command import Command
from bookblend.errors import ExitCode, InputError, UsageError
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
    from bookblend.blend.verify import verify

    faults = verify(Path(arguments.folder))
    for fault in faults:
        print(fault)
    if not faults:
        say(f"{arguments.folder}: every hash and count holds")
    return int(ExitCode.VERIFICATION if faults else ExitCode.DONE)


def _configure_cut(parser: ArgumentParser) -> None:
    parser.add_argument("prepared", metavar="PREPARED", help="a folder with NAME.txt or NAME/text.txt for every source")
    parser.add_argument("out", metavar="OUT.txt", help="the blend; its account goes to OUT.json")
    parser.add_argument(
        "--availability", metavar="FILE", required=True, help="measure.json, or JSON of names and available tokens"
    )
    parser.add_argument("--recipe", metavar="RECIPE.toml", help="takes budget, eos and shares from a recipe")
    parser.add_argument("--budget", metavar="N", type=int, help="tokens of the blend")
    parser.add_argument("--eos", metavar="TEXT", help="the eos text (default: </s>)")
    parser.add_argument("--share", metavar="NAME=X", action="append", default=[], help="a source's share; repeated")


def _cut(arguments: Namespace) -> int:
    from bookblend.blend.cut_words import Part, blend_words
    from bookblend.convert.streams import open_output
    from bookblend.files import HashedStream, check_target, write_whole
    from bookblend.jsonio import dump_pretty

    shares, budget, eos = _asked(arguments)
    available = _available(Path(arguments.availability))
    folder, out = Path(arguments.prepared), Path(arguments.out)
    check_target(out)
    missing = [name for name in shares if name not in available]
    if missing:
        raise InputError(f"{arguments.availability}: says nothing of source '{missing[0]}'")
    parts = [Part(name, share, available[name], _reader(folder, name)) for name, share in shares.items()]
    accounts = {}
    with open_output(str(out)) as raw:
        stream = HashedStream(raw)
        for text, account in blend_words(parts, budget, eos):
            stream.write(text.encode("utf-8"))
            accounts[account.name] = account
    tokens = sum(account.tokens for account in accounts.values())
    report = {
        "budget": budget,
        "eos": eos,
        "sha256": stream.hexdigest,
        "bytes": stream.size,
        "tokens": tokens,
        "sources": {
            name: {
                "share": shares[name],
                "achieved_share": account.tokens / tokens if tokens else None,
                "available_tokens": available[name],
                "words_available": account.words_available,
                "target_words": account.target_words,
                "words": account.words,
                "tokens": account.tokens,
                "repetition": account.repetition,
            }
            for name, account in accounts.items()
        },
    }
    write_whole(out.with_suffix(".json"), dump_pretty(report))
    print(f"{stream.hexdigest}  {out.name}")
    return int(ExitCode.DONE)


def _asked(arguments: Namespace) -> tuple[dict[str, float], int, str]:
    """Shares by source, budget and eos: the recipe's, with the command's own words over them."""
    shares: dict[str, float] = {}
    budget, eos = arguments.budget, arguments.eos
    if arguments.recipe:
        from bookblend.blend.registry import read_registry

        registry = read_registry(Path(arguments.recipe))
        shares = {source.name: source.share for source in registry.sources}
        budget, eos = budget or registry.budget, eos or registry.eos
    for word in arguments.share:
        name, _, value = word.partition("=")
        try:
            shares[name] = float(value)
        except ValueError as error:
            raise UsageError(f"--share {word}: give NAME=NUMBER, as in poetry=0.01") from error
        if not 0 < shares[name] <= 1:
            raise UsageError(f"--share {word}: must be more than 0 and at most 1")
    if not shares or not budget:
        raise UsageError("give --recipe RECIPE.toml, or --budget and a --share for every source")
    if budget < 1:
        raise UsageError(f"--budget {budget}: must be 1 or more")
    return shares, budget, eos or "</s>"


def _available(path: Path) -> dict[str, int]:
    """Available tokens by source, of a report of `measure` or of a plain object of names and numbers."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except ValueError as error:
        raise InputError(f"{path}: is no JSON ({error})") from error
    entries = value.get("sources", value) if isinstance(value, dict) else {}
    available = {}
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        tokens = entry.get("available_tokens") if isinstance(entry, dict) else entry
        if isinstance(tokens, bool) or not isinstance(tokens, int) or tokens < 0:
            raise InputError(f"{path}: {name}: must be a number of tokens, or an object with available_tokens")
        available[name] = tokens
    if not available:
        raise InputError(f"{path}: names no source; it must hold the available tokens of each")
    return available


def _reader(folder: Path, name: str) -> Any:
    path = next((p for p in (folder / f"{name}.txt", folder / name / "text.txt") if p.is_file()), None)
    if path is None:
        raise InputError(f"{folder}: has neither {name}.txt nor {name}/text.txt")

    def lines() -> Iterator[str]:
        try:
            with path.open(encoding="utf-8", newline="\n") as stream:
                yield from stream
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not UTF-8 ({error.reason} in it); prepare it first") from error

    return lines


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
CUT = Command(
    name="cut",
    summary="the recipe's cut alone, byte for byte, on prepared texts and a report of their tokens",
    example="bookblend blend cut prepared blend.txt --availability measure.json --recipe mix.toml",
    configure=_configure_cut,
    run=_cut,
)
