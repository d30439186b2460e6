"""The outline a PDF declares, held against its pages: used where it agrees with them, ignored where it does not."""

import re
from collections.abc import Sequence

from bookblend.extract.pdf_headings import Run

# Of an outline's entries at a level, at least this share must name a heading on the page they point at.
_AGREEMENT = 0.8
# Pages around the target on which the heading may stand: destinations are often one off.
_REACH = 1
_LEAST_ENTRIES = 2


def follow_outline(runs: Sequence[Run], outline: Sequence[tuple[int, str, int]]) -> str:
    """Let an outline that agrees with the pages say which headings are chapters; returns "outline" if it did."""
    matched: dict[int, Run] = {}
    for index, (_, title, page) in enumerate(outline):
        run = _find(runs, title, page)
        if run is not None and not any(matched[other] is run for other in matched):
            matched[index] = run
    tops = [index for index, (level, _, _) in enumerate(outline) if level == 1]
    named = [index for index in tops if index in matched]
    if len(named) < _LEAST_ENTRIES or len(named) < _AGREEMENT * len(tops):
        return ""
    chapters = set(named)
    for index in matched:
        if outline[index][0] == 2 and _is_chapter_under_part(index, outline, matched):
            chapters.add(index)
    raised = {id(matched[index]) for index in chapters}
    listed = {id(run) for run in matched.values()}
    for run in runs:
        if id(run) in raised:
            run.level = 1
            run.evidence += ", in the outline"
        elif id(run) in listed:
            run.level = 2
    return "outline"


def _is_chapter_under_part(index: int, outline: Sequence[tuple[int, str, int]], matched: dict[int, Run]) -> bool:
    """A second-level entry is a chapter if the entries of its level open pages, as sections do not."""
    siblings = [matched[i] for i in matched if outline[i][0] == 2]
    openers = sum(run.opens for run in siblings)
    return matched[index].opens and openers >= 0.75 * len(siblings)


def _find(runs: Sequence[Run], title: str, page: int) -> Run | None:
    wanted = _fold(title)
    if not wanted:
        return None
    for run in runs:
        if abs(run.page - page) <= _REACH and _same(_fold(run.text), wanted):
            return run
    return None


def _same(found: str, wanted: str) -> bool:
    return found == wanted or (
        len(wanted) > 3 and (found.endswith(wanted) or (wanted.endswith(found) and len(found) > 3))
    )


def _fold(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
