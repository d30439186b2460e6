"""The outline a PDF declares, held against its pages: used where it agrees with them, ignored where it does not."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from bookblend.extract.pdf_headings import Run

# Of an outline's top entries at least this share must name a heading on the page they point at.
_AGREEMENT = 0.8
# Pages around the target on which the heading may stand: destinations are often one off.
_REACH = 1
# An outline with fewer entries found names the book, not its chapters.
_LEAST_ENTRIES = 2
# Second-level entries are chapters under parts if at least this share of them open a page: sections do by chance only.
_OPENER_SHARE = 0.75

Outline = Sequence[tuple[int, str, int]]


@dataclass(slots=True)
class _Match:
    """An outline entry found on its page: the run, and the first of the run's titles that it names."""

    level: int
    run: Run
    title: int


def follow_outline(runs: Sequence[Run], outline: Outline) -> tuple[list[Run], str]:
    """Let an outline that agrees with the pages say which headings are chapters.

    Returns the runs (some parted where the outline names two headings in one) and "outline" if it was followed, or "".
    """
    matches = _match(runs, outline)
    tops = sum(level == 1 for level, _, _ in outline)
    named = sum(match.level == 1 for match in matches)
    if named < _LEAST_ENTRIES or named < _AGREEMENT * tops:
        return list(runs), ""
    seconds = [match for match in matches if match.level == 2]
    firsts = {id(match.run): match for match in sorted(matches, key=lambda match: -match.title)}
    openers = sum(match.run.opens and firsts[id(match.run)] is match for match in seconds)
    deep = bool(seconds) and openers >= _OPENER_SHARE * len(seconds)
    by_run: dict[int, list[_Match]] = {}
    for match in matches:
        by_run.setdefault(id(match.run), []).append(match)
    result: list[Run] = []
    for run in runs:
        result += _graded(run, by_run.get(id(run), []), deep)
    return result, "outline"


def _graded(run: Run, matches: Sequence[_Match], deep: bool) -> list[Run]:
    """The run with the outline's tier, parted at titles that the outline puts below the first."""
    if not matches:
        # Where the outline speaks, only a chapter's own place on a page of its own speaks beside it.
        if run.level == 1 and not run.opens:
            run.level = 2
        return [run]
    first = min(matches, key=lambda match: (match.level, match.title))
    below = [match for match in matches if match.level > first.level and match.title > first.title]
    parts = [run]
    if below:
        cut = sum(len(title) for title in run.titles()[: min(match.title for match in below)])
        parts = [replace(run, lines=run.lines[:cut], alone=False), replace(run, lines=run.lines[cut:], opens=False)]
        parts[1].level = 2
    chapter = first.level == 1 or (first.level == 2 and deep and run.opens)
    parts[0].level = 1 if chapter else 2
    if chapter:
        parts[0].evidence += ", in the outline"
    return parts


def _match(runs: Sequence[Run], outline: Outline) -> list[_Match]:
    by_page: dict[int, list[tuple[Run, list[str]]]] = {}
    for run in runs:
        titles = [_fold(" ".join(line.text for line in title)) for title in run.titles()]
        by_page.setdefault(run.page, []).append((run, titles))
    matches: list[_Match] = []
    taken: set[tuple[int, int]] = set()
    for level, title, page in outline:
        wanted = _fold(title)
        near = [entry for step in (0, -_REACH, _REACH) for entry in by_page.get(page + step, [])]
        # The very words first, also on a page beside; then a longer heading that ends in them.
        near.sort(key=lambda entry: wanted not in entry[1])
        for run, titles in near if wanted else []:
            index = _find(titles, wanted)
            if index is not None and (id(run), index) not in taken:
                taken.add((id(run), index))
                matches.append(_Match(level, run, index))
                break
    return matches


def _find(titles: Sequence[str], wanted: str) -> int | None:
    """The first of the consecutive titles that are the entry: alone, or a label and its title together."""
    for index, title in enumerate(titles):
        if _same(title, wanted):
            return index
    for index in range(len(titles)):
        for end in range(index + 2, len(titles) + 1):
            if _same("".join(titles[index:end]), wanted):
                return index
    return None


def _same(found: str, wanted: str) -> bool:
    if found == wanted:
        return True
    return min(len(found), len(wanted)) > 3 and (found.endswith(wanted) or wanted.endswith(found))


def _fold(text: str) -> str:
    return re.sub(r"[\W_]+", "", text).casefold()
