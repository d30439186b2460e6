"""`bookblend blend check-disk`: whether the volume has room for what a fetch would bring."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from bookblend.command import Command
from bookblend.talk import counted


def _configure(parser: ArgumentParser) -> None:
    parser.add_argument("recipe", metavar="RECIPE.toml", help="the blend's recipe")
    parser.add_argument("--folder", metavar="DIR", help="the blend's folder (default: NAME.blend beside the recipe)")
    parser.add_argument("--report", metavar="FILE", help="the result as JSON (default: check-disk.json in the folder)")


def _run(arguments: Namespace) -> int:
    from bookblend.blend import disk
    from bookblend.blend.fetch import needs_of
    from bookblend.blend.registry import read_registry
    from bookblend.blend.workspace import Workspace
    from bookblend.files import check_target, write_whole
    from bookblend.jsonio import dump_pretty

    registry = read_registry(Path(arguments.recipe))
    workspace = Workspace(registry, Path(arguments.folder) if arguments.folder else None)
    target = Path(arguments.report) if arguments.report else workspace.report("check-disk")
    if arguments.report:
        check_target(target)
    needs = needs_of(registry, workspace)
    free = disk.free_bytes(workspace.folder)
    print(f"{'to fetch':>12}{'to write':>12}  dataset: sources")
    for need in needs:
        unknown = f"; {counted(need.unknown, 'file')} of unknown size" if need.unknown else ""
        print(
            f"{disk.size(need.fetch):>12}{disk.size(need.write):>12}  {need.title}: {', '.join(need.sources)}{unknown}"
        )
    wanted = sum(need.total for need in needs)
    print(f"needed {disk.size(wanted)}, free {disk.size(free)}: {'fits' if wanted <= free else 'does not fit'}")
    report = {
        "recipe": registry.name,
        "datasets": [need.as_json() for need in needs],
        "bytes_needed": wanted,
        "bytes_free": free,
        "fits": wanted <= free,
    }
    workspace.make(workspace.folder)
    write_whole(target, dump_pretty(report))
    disk.check_room(needs, workspace.folder)
    return 0


CHECK_DISK = Command(
    name="check-disk",
    summary="whether the volume has room for what a fetch would bring; makes none",
    example="bookblend blend check-disk blend.toml --folder work",
    configure=_configure,
    run=_run,
)
