"""The stages joined: each makes sure that what it needs is up to date, then does its own part."""

from typing import Any

from bookblend.blend import measure
from bookblend.blend.model import Registry
from bookblend.blend.prepare import prepare
from bookblend.blend.workspace import Workspace
from bookblend.files import write_whole
from bookblend.jsonio import dump_pretty


def measured_report(registry: Registry, workspace: Workspace, workers: int, by_words: bool = False) -> dict[str, Any]:
    """Prepare what is out of date, measure, and write the stage's report."""
    prepare(registry, workspace, workers=workers)
    sources = measure.open_prepared(registry, workspace)
    report = measure.report(registry, measure.by_words(registry, sources))
    write_whole(workspace.report("measure"), dump_pretty(report))
    return report
