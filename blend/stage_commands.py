"""`bookblend blend plan`, `prepare` and `measure`: a recipe's shares, its documents, and what they hold."""

from argparse import ArgumentParser, Namespace
from collections.abc import Mapping
from typing import Any

from bookblend.blend.recipe_words import add_recipe
from bookblend.command import Command
from bookblend.errors import ExitCode
from bookblend.parallel import add_workers, read_workers
from bookblend.talk import say


def _configure_plan(parser: ArgumentParser) -> None:
    add_recipe(parser, sources=False)
    parser.add_argument("--json", action="store_true", help="as JSON instead of a table")


def _plan(arguments: Namespace) -> int:
    from bookblend.blend.desk import open_recipe
    from bookblend.blend.plan import plan, plan_lines
    from bookblend.jsonio import dump_pretty

    registry, workspace = open_recipe(arguments)
    planned = plan(registry, _report(workspace.report("measure")))
    print(dump_pretty(planned) if arguments.json else "\n".join(plan_lines(planned)) + "\n", end="")
    return int(ExitCode.DONE)


def _report(path: Any) -> dict[str, Any] | None:
    from bookblend.blend.workspace import read_sealed

    try:
        return read_sealed(path)
    except (OSError, ValueError):
        return None


def _configure_stage(parser: ArgumentParser) -> None:
    add_recipe(parser)
    parser.add_argument("--again", action="store_true", help="also what is up to date")
    add_workers(parser)


def _prepare(arguments: Namespace) -> int:
    from bookblend.blend.desk import locked, open_recipe
    from bookblend.blend.prepare import prepare

    registry, workspace = open_recipe(arguments)
    with locked(workspace):
        outcomes = prepare(registry, workspace, arguments.source, read_workers(arguments.workers), arguments.again)
    show_prepared({outcome.name: outcome.report for outcome in outcomes}, {o.name for o in outcomes if not o.fresh})
    return int(ExitCode.DONE)


def show_prepared(reports: Mapping[str, Any], current: set[str]) -> None:
    """The table of a prepare."""
    from bookblend.blend.table import lines

    rows = []
    for name, report in reports.items():
        counts, states = report["counts"], report["states"]
        lost = sum(report["skipped"].values())
        state = "up to date" if name in current else "made"
        rows.append(
            [
                name, f"{counts['rows']:,}", f"{counts['documents']:,}", f"{counts['bytes'] / 1e6:,.1f}", f"{lost:,}",
                f"{counts['empty']:,}", "/".join(f"{number}" for number in states.values()),
                f"{counts['credit_lines']:,}", f"{counts['holding_eos']:,}", state,
            ]
        )  # fmt: skip
    header = [
        "source", "rows", "documents", "MB", "skipped", "empty", "both/start/end/none", "credits", "hold eos", "",
    ]  # fmt: skip
    for line in lines(header, rows):
        say(line)


def _measure(arguments: Namespace) -> int:
    from bookblend.blend.desk import locked, open_recipe
    from bookblend.blend.stages import measured_report

    registry, workspace = open_recipe(arguments)
    with locked(workspace):
        report = measured_report(registry, workspace, read_workers(arguments.workers), by_words=arguments.words)
    show_measured(report)
    return int(ExitCode.SHORTFALL if report["shortfalls"] else ExitCode.DONE)


def _configure_measure(parser: ArgumentParser) -> None:
    add_recipe(parser, sources=False)
    parser.add_argument("--words", action="store_true", help="count words x 1.3 also where there is a tokenizer")
    add_workers(parser)


def show_measured(report: Mapping[str, Any]) -> None:
    """The table of a measure, and its shortfalls, the worst first."""
    from bookblend.blend.shares import percent
    from bookblend.blend.table import lines

    sources = report["sources"]
    rows = [
        [
            name, percent(entry["share"]), f"{entry['target_tokens']:,}", f"{entry['available_tokens']:,}",
            f"{entry['documents']:,}", f"{entry['held_out_documents']:,}",
            f"{entry['left_out_as_validation_text'] + entry['left_out_as_repeated']:,}", f"{entry['upsample']:g}",
            _times(entry["repetition"]), percent(entry["ceiling_share"]),
        ]
        for name, entry in sources.items()
    ]  # fmt: skip
    header = [
        "source",
        "share",
        "target",
        "available",
        "documents",
        "held out",
        "doubles",
        "upsample",
        "needs",
        "ceiling",
    ]
    say(f"tokens counted by: {report['method']}")
    for line in lines(header, rows):
        say(line)
    for name in report["shortfalls"]:
        entry = sources[name]
        most = int(entry["available_tokens"] * entry["upsample"])
        needs = f"would need {_times(entry['repetition'])}" if entry["repetition"] else "holds nothing for training"
        asked = f"{entry['target_tokens']:,} tokens asked, {most:,} there at {entry['upsample']:g} x"
        say(f"short: {name}: {asked}; {needs}")
    if report["shortfalls"]:
        say(f"the largest budget without a shortfall: {report['largest_budget']:,} tokens")
    if report["proposal"]:
        shares = ", ".join(f"{name} {percent(share)}" for name, share in report["proposal"].items())
        say(f"shares that would fit (never applied): {shares}")


def _times(repetition: float | None) -> str:
    return "-" if repetition is None else f"{repetition:.4g} x"


PLAN = Command(
    name="plan",
    summary="a dry run: the recipe's shares, tokens, ceilings and licences; nothing is fetched or written",
    example="bookblend blend plan blend/recipes/tt-tnt.toml",
    configure=_configure_plan,
    run=_plan,
)
PREPARE = Command(
    name="prepare",
    summary="every source's rows into clean documents, each closed by the eos text",
    example="bookblend blend prepare mix.toml --source folklore",
    configure=_configure_stage,
    run=_prepare,
)
MEASURE = Command(
    name="measure",
    summary="tokens that every source has against what its share asks; exit status 5 where one is short",
    example="bookblend blend measure mix.toml",
    configure=_configure_measure,
    run=_measure,
)
