"""`bookblend blend cut`: the recipe's word cut alone, on prepared texts and a report of their tokens."""

import json
from argparse import ArgumentParser, Namespace
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from bookblend.blend.cut_words import Emitted, Part, blend_words
from bookblend.command import Command
from bookblend.convert.streams import told_of_room
from bookblend.errors import ExitCode, InputError, UsageError
from bookblend.files import HashedStream, Outputs, check_target, refuse_same_file
from bookblend.jsonio import dump_pretty


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
    shares, budget, eos = _asked(arguments)
    available = _available(Path(arguments.availability))
    folder, out = Path(arguments.prepared), Path(arguments.out)
    missing = [name for name in shares if name not in available]
    if missing:
        raise InputError(f"{arguments.availability}: says nothing of source '{missing[0]}'")
    files = {name: _text_file(folder, name) for name in shares}
    _check_out(out, [Path(arguments.availability), *files.values()])
    parts = [Part(name, share, available[name], _reader(files[name])) for name, share in shares.items()]
    accounts = {}
    with told_of_room(str(out.parent), out.name), Outputs() as outputs:
        stream = HashedStream(outputs.open(out))
        for text, account in blend_words(parts, budget, eos):
            stream.write(text.encode("utf-8"))
            accounts[account.name] = account
        report = _report(accounts, shares, available, budget, eos, stream)
        outputs.write(out.with_suffix(".json"), dump_pretty(report))
    print(f"{stream.hexdigest}  {out.name}")
    return int(ExitCode.DONE)


def _check_out(out: Path, inputs: list[Path]) -> None:
    if str(out) == "-" or out.suffix == ".json":
        raise UsageError(f"{out}: name a text file; its account goes beside it as .json")
    for target in (out, out.with_suffix(".json")):
        check_target(target)
        for path in inputs:
            refuse_same_file(path, target)


def _report(
    accounts: Mapping[str, Emitted],
    shares: Mapping[str, float],
    available: Mapping[str, float],
    budget: int,
    eos: str,
    stream: HashedStream,
) -> dict[str, Any]:
    tokens = sum(account.tokens for account in accounts.values())
    return {
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


def _asked(arguments: Namespace) -> tuple[dict[str, float], int, str]:
    """Shares by source, budget and eos: the recipe's, with the command's own words over them."""
    shares: dict[str, float] = {}
    budget, eos = arguments.budget, arguments.eos
    if arguments.recipe:
        from bookblend.blend.registry import read_registry

        registry = read_registry(Path(arguments.recipe))
        shares = {source.name: source.share for source in registry.sources}
        budget, eos = registry.budget if budget is None else budget, eos or registry.eos
    for word in arguments.share:
        name, _, value = word.partition("=")
        try:
            shares[name] = float(value)
        except ValueError as error:
            raise UsageError(f"--share {word}: give NAME=NUMBER, as in poetry=0.01") from error
        if not 0 < shares[name] <= 1:
            raise UsageError(f"--share {word}: must be more than 0 and at most 1")
    if not shares or budget is None:
        raise UsageError("give --recipe RECIPE.toml, or --budget and a --share for every source")
    if budget < 1:
        raise UsageError(f"--budget {budget}: must be 1 or more")
    return shares, budget, eos or "</s>"


# How reports of other tools name a source's tokens, and the source in a list.
_TOKENS = ("available_tokens", "tokens_available", "available", "tokens")
_NAMES = ("name", "source")


def _available(path: Path) -> dict[str, float]:
    """Available tokens by source: of a report of `measure`, of names and numbers, or of a list of sources."""
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is no JSON ({error})") from error
    entries = value.get("sources", value) if isinstance(value, dict) else value
    if isinstance(entries, list):
        entries = {str(_first(entry, _NAMES)): entry for entry in entries if isinstance(entry, dict)}
    available = {}
    for name, entry in entries.items() if isinstance(entries, dict) else ():
        tokens = _first(entry, _TOKENS) if isinstance(entry, dict) else entry
        if isinstance(tokens, bool) or not isinstance(tokens, int | float) or not 0 <= tokens < 1e300:
            raise InputError(f"{path}: {name}: must be a number of tokens, or an object with available_tokens")
        available[str(name)] = tokens
    if not available:
        raise InputError(f"{path}: names no source; it must hold the available tokens of each")
    return available


def _first(entry: Mapping[str, Any], keys: tuple[str, ...]) -> Any:
    return next((entry[key] for key in keys if key in entry), None)


def _text_file(folder: Path, name: str) -> Path:
    path = next((p for p in (folder / f"{name}.txt", folder / name / "text.txt") if p.is_file()), None)
    if path is None:
        raise InputError(f"{folder}: has neither {name}.txt nor {name}/text.txt")
    return path


def _reader(path: Path) -> Any:
    def lines() -> Iterator[str]:
        try:
            with path.open(encoding="utf-8", newline="\n") as stream:
                yield from stream
        except UnicodeDecodeError as error:
            raise InputError(f"{path}: not UTF-8 ({error.reason} in it); prepare it first") from error

    return lines


CUT = Command(
    name="cut",
    summary="the recipe's cut alone, byte for byte, on prepared texts and a report of their tokens",
    example="bookblend blend cut prepared blend.txt --availability measure.json --recipe mix.toml",
    configure=_configure_cut,
    run=_cut,
)
