"""Headings: which lines are display type, and which of them open chapters.

Size and weight make a line a heading wherever it stands. Capitals, centring and bare numerals make one only where
the place agrees: alone, with space around it, at the head of a page or in a row that counts upwards. Whether a
heading is of the chapter tier is decided for a whole style at once: headings of a chapter's style open pages.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from bookblend.extract.labels import is_bare_number, is_caption, is_label, is_labelled, is_unit_word, leading_number
from bookblend.extract.pdf_lines import Line
from bookblend.extract.pdf_stats import Style, mode

# Points over the body size that make a heading (spec).
HEADING_EXCESS = 0.7
# Points over the body size that make a chapter, where a style's place does not tell (spec).
CHAPTER_EXCESS = 4.0
# Longer runs of display lines are prose set large (a dedication, an epigraph, a pull quotation), not a heading.
_MAX_WORDS = 25
# Likewise of more lines: label, title and subtitle have two each at most.
_MAX_LINES = 6
# Heading lines of one style closer than this many times their size are one title.
_TITLE_GAP = 2.2
# Space around a heading that only its place tells: this many leadings.
_SPACE = 1.45
# Headings of a chapter's style open a page at least so often: those of sections do by chance only.
_OPENER_SHARE = 0.75
# Run-on chapters: of a style's headings this share is numbered; "Preface" and "Conclusion" beside them are not.
_COUNTING_SHARE = 0.6
# Headings of a style that make a series: two may be the title, set twice.
_SERIES = 3
# A series is the book's only type of heading if it has this share of all: title pages have types of their own.
_ONLY_SHARE = 0.8
# Lines set apart in mid-page are chapters where nothing else is, and three of four so many words from the next one.
_SERIES_WORDS = 250
# Lines with more characters are set apart as text, not as a heading.
_LONGEST_APART = 70
# A first line this many leadings under the usual top of a page stands sunk, as chapter openings do.
_SINK = 1.8


@dataclass(slots=True)
class Run:
    """Consecutive display lines of one page: what may be a heading.

    strong   size or weight says so; weak runs have only capitals, centring or a label
    opens    nothing of the text stands above it on its page
    sink     points between the usual top of a page and its first line
    """

    page: int
    lines: list[Line]
    strong: bool
    opens: bool
    sink: float
    alone: bool = False
    level: int = 0
    evidence: str = ""

    @property
    def text(self) -> str:
        return " ".join(line.text.strip() for line in self.lines)

    def titles(self) -> list[list[Line]]:
        """The run's titles: lines of one style set close are one title, but a bare label stays one of its own."""
        titles: list[list[Line]] = []
        for line in self.lines:
            if titles:
                title, last = titles[-1], titles[-1][-1]
                alike = abs(line.top - last.top) < 0.6 and line.bold == last.bold
                near = line.base - last.base < _TITLE_GAP * max(line.top, last.top) or line.base < last.base
                label = len(title) == 1 and is_label(last.text)
                if len(title) == 1 and is_unit_word(last.text) and is_label(f"{last.text} {line.text}"):
                    title.append(line)  # "CHAPTER" over "ONE"
                    continue
                if alike and near and not label and not is_bare_number(line.text):
                    title.append(line)
                    continue
            titles.append([line])
        return titles

    @property
    def main(self) -> Line:
        return max(self.lines, key=lambda line: (round(line.top, 1), line.bold, len(line.text)))

    @property
    def style(self) -> tuple[float, bool, bool, bool]:
        main = self.main
        return (*_type(main), is_caps(main.text) and not self.strong)


def is_caps(text: str) -> bool:
    """Whether all cased letters of a text are capitals, and there are some."""
    return text.upper() == text and text.lower() != text


def find_runs(pages: Sequence[Sequence[Line]], style: Style) -> list[Run]:
    """Display runs of all pages (ordered lines a page, page numbers from 1); contents lists have none."""
    tops = mode((lines[0].base for lines in pages if len(lines) > 5), 2.0) or 0.0
    runs: list[Run] = []
    for number, lines in enumerate(pages, 1):
        runs += _page_runs(number, lines, style, tops)
    return _split_sections(runs)


def _split_sections(runs: Sequence[Run]) -> list[Run]:
    """Part a chapter's title from the section heading right under it: type that heads sections in mid-page."""
    sections = {_type(run.main) for run in runs if not run.opens}
    result: list[Run] = []
    for run in runs:
        main = _type(run.main)
        cut = next(
            (
                index
                for index, line in enumerate(run.lines)
                if index and _type(line) in sections and _type(line) != main and line.top < run.main.top
            ),
            None,
        )
        if cut is None or not run.opens or main in sections:
            result.append(run)
            continue
        result.append(replace(run, lines=run.lines[:cut], alone=False))
        result.append(Run(run.page, run.lines[cut:], run.strong, False, run.sink))
    return result


def _type(line: Line) -> tuple[float, bool, bool]:
    return round(line.top * 2) / 2, line.bold, line.italic


def _page_runs(number: int, lines: Sequence[Line], style: Style, top: float) -> list[Run]:
    runs: list[Run] = []
    index = 0
    seen_text = False
    while index < len(lines):
        if lines[index].part:
            index += 1
            continue
        strong = _is_strong(lines[index], style)
        weak = not strong and _is_weak(lines, index, style, number, not seen_text, top)
        if not strong and not weak:
            seen_text = seen_text or any(map(str.isalnum, lines[index].text))
            index += 1
            continue
        end = index + 1
        while end < len(lines) and _goes_on(lines, index, end, style, number, strong):
            end += 1
        part = list(lines[index:end])
        run = Run(number, part, any(_is_strong(line, style) for line in part), not seen_text, part[0].base - top)
        run.alone = not seen_text and end == len(lines)
        if _acceptable(run, lines, index, end, style):
            runs.append(run)
        else:
            seen_text = True
        index = end
    return runs


def _goes_on(lines: Sequence[Line], start: int, end: int, style: Style, number: int, strong: bool) -> bool:
    last, line = lines[end - 1], lines[end]
    if line.part:
        return False
    if line.column != last.column:
        return _is_strong(line, style) and last.x1 - last.x0 < 0 < line.base - last.base
    gap = line.base - last.base
    if gap > 6 * max(line.top, last.top, style.leading) or gap < 0:
        return False
    if _is_strong(line, style):
        return strong or end - start == 1 or _is_strong(last, style)
    return strong and is_label(lines[start].text) and _is_weak(lines, end, style, number, True, 0.0)


def _is_strong(line: Line, style: Style) -> bool:
    large = line.top >= style.body + HEADING_EXCESS and line.size >= style.body - 0.3
    if not large and (not line.bold or style.bold or line.size < 0.95 * style.body):
        return False
    return any(map(str.isalnum, line.text))


def _is_weak(lines: Sequence[Line], index: int, style: Style, number: int, first: bool, top: float) -> bool:
    """Capitals, a label or a short centred line at body size, with space around it and in the right place."""
    line = lines[index]
    above = first or line.base - lines[index - 1].base > _SPACE * style.leading
    if not above or line.top < 0.8 * style.body:
        return False
    text = line.text.strip()
    if not any(map(str.isalnum, text)) or len(text) > 90:
        return False
    left, right = style.margins.get(number % 2, (line.x0, line.x1))
    centred = abs((line.x0 + line.x1) - (left + right)) < 2.5 * style.body and line.x0 > left + 1.5 * style.body
    below = index + 1 == len(lines) or abs(lines[index + 1].base - line.base) > _SPACE * style.leading
    if below is False and first and index + 1 < len(lines):
        follower = lines[index + 1]
        below = _is_strong(follower, style) or ((is_label(text) or _heads_number(lines, index)) and centred)
    if not below:
        return False
    label = is_label(text) or is_labelled(text) or _heads_number(lines, index)
    if label and (centred or first):
        return True
    sunk = first and (not top or line.base - top > _SINK * style.leading)
    return sunk and (centred or is_caps(text))


def _heads_number(lines: Sequence[Line], index: int) -> bool:
    """Whether a line is a unit's name over its number: "CHAPTER" above "1"."""
    return (
        index + 1 < len(lines)
        and is_unit_word(lines[index].text)
        and is_label(f"{lines[index].text} {lines[index + 1].text}")
    )


def _acceptable(run: Run, lines: Sequence[Line], start: int, end: int, style: Style) -> bool:
    words = sum(len(line.text.split()) for line in run.lines)
    if words > _MAX_WORDS or len(run.lines) > _MAX_LINES or is_caption(run.lines[0].text):
        return False
    big = run.main.top >= style.body + HEADING_EXCESS
    if big:
        return True
    # Weight alone must stand alone: a bold line inside a paragraph is emphasis.
    above = lines[start - 1] if start else None
    ornament = above is not None and not any(map(str.isalnum, above.text))
    before = above is None or ornament or run.lines[0].base - above.base > 1.15 * style.leading
    after = end == len(lines) or lines[end].base - run.lines[-1].base > 1.05 * style.leading
    if _heads_item(run.lines[-1], lines[end : end + 2], style):
        return False
    ragged = run.lines[-1].x1 < style.margins.get(run.page % 2, (0, 1e9))[1] - 2 * style.body
    return before and (after or ragged or not run.strong)


def _heads_item(line: Line, below: Sequence[Line], style: Style) -> bool:
    """Whether a bold line is the term of a definition: what follows close below is set in, line after line."""
    return (
        len(below) == 2
        and below[0].base - line.base < 1.25 * style.leading
        and all(other.x0 > line.x0 + style.body for other in below)
    )


def find_series(pages: Sequence[Sequence[Line]], style: Style) -> list[Run]:
    """Run-on headings that only their setting tells (centred, capitals or italics at body size, space around them).

    Asked for where no chapters were found: lines set apart alike in the same way, in a series over the whole book,
    far enough from each other and none of them a sentence.
    """
    series: dict[tuple[bool, bool, bool], list[Run]] = defaultdict(list)
    words_at: dict[int, int] = {}
    words = 0
    for number, lines in enumerate(pages, 1):
        for index, line in enumerate(lines):
            if not line.part and _set_apart(lines, index, style, number):
                run = Run(number, [line], False, index == 0, 0.0)
                series[line.text.isupper(), line.italic, _numbered(line.text)].append(run)
                words_at[id(run)] = words
            words += line.text.count(" ") + 1
    for key in sorted(series, key=lambda key: (key[2], len(series[key])), reverse=True):
        members = series[key]
        gaps = sorted(words_at[id(b)] - words_at[id(a)] for a, b in pairwise(members))
        if len(members) >= _SERIES and gaps[len(gaps) // 4] >= _SERIES_WORDS:
            for run in members:
                run.level, run.evidence = 1, "set apart in a series"
            return members
    return []


def _numbered(text: str) -> bool:
    return bool(is_label(text) or is_labelled(text) or leading_number(text))


def _set_apart(lines: Sequence[Line], index: int, style: Style, number: int) -> bool:
    line = lines[index]
    text = line.text.strip()
    if not any(map(str.isalpha, text)) or len(text) > _LONGEST_APART or text[-1] in '.,;:!?—”’"':
        return False
    left, right = style.margins.get(number % 2, (line.x0, line.x1))
    centred = abs((line.x0 + line.x1) - (left + right)) < 2.5 * style.body and line.x0 > left + 1.5 * style.body
    if not (centred or text.isupper() or line.italic or line.bold):
        return False
    above = index == 0 or line.base - lines[index - 1].base > _SPACE * style.leading
    below = index + 1 < len(lines) and lines[index + 1].base - line.base > _SPACE * style.leading
    return above and below


def grade(runs: Sequence[Run], style: Style) -> str:
    """Set `level` and `evidence` of every run; returns in a word what named the chapters ("" if nothing did)."""
    groups: dict[tuple[float, bool, bool, bool], list[Run]] = defaultdict(list)
    for run in runs:
        run.level = 2
        run.evidence = _describe(run, style)
        groups[run.style].append(run)
    sinks = Counter(round(run.sink / 4) for run in runs if run.opens)
    named = ""
    for members in groups.values():
        if _opens_pages(members, style, sinks):
            named = "type and place"
            for run in members:
                if run.opens:
                    run.level = 1
                    run.evidence += ", opens its page"
    if not has_chapters(runs):
        named = _grade_counting(groups) or _grade_largest(groups, style) or named
    return named


def has_chapters(runs: Sequence[Run]) -> bool:
    """Whether chapters were found: two at least, not counting the first page, whose title may be of their size."""
    return sum(run.level == 1 and run.page > runs[0].page for run in runs) > 1


def _opens_pages(members: Sequence[Run], style: Style, sinks: Counter[int]) -> bool:
    openers = [run for run in members if run.opens]
    if len(openers) < _OPENER_SHARE * len(members) or not openers:
        return False
    if len(openers) >= 2:
        return True
    only = openers[0]
    return only.main.top >= style.body + CHAPTER_EXCESS or only.alone or sinks[round(only.sink / 4)] >= 3


def _grade_counting(groups: dict[tuple[float, bool, bool, bool], list[Run]]) -> str:
    """Run-on chapters: headings of one style that are labels and count upwards."""
    best: list[Run] = []
    for members in groups.values():
        labelled = [run for run in members if is_label(run.lines[0].text) or is_labelled(run.text)]
        numbered = [run for run in members if leading_number(run.text)]
        found = max(labelled, numbered, key=len)
        if len(found) < max(2, _COUNTING_SHARE * len(members)) or len(found) <= len(best):
            continue
        if found is labelled or _counts_up([leading_number(run.text) for run in numbered]):
            # What is set as the numbered ones are ("Preface", "Conclusion") is of their tier.
            best = members if len(found) < len(members) else found
    for run in best:
        run.level = 1
        run.evidence += ", counts on"
    return "labels that count" if best else ""


def _counts_up(numbers: Sequence[int]) -> bool:
    """Whether numbers go up by one nearly everywhere, as chapters do and numbered items of lists do not for long."""
    steps = [after - before for before, after in pairwise(numbers)]
    return len(numbers) >= 3 and sum(step == 1 for step in steps) >= 0.8 * len(steps)


def _grade_largest(groups: dict[tuple[float, bool, bool, bool], list[Run]], style: Style) -> str:
    """Run-on chapters without labels: the largest type of chapter size, or the only type there is, in a series."""
    series = {key: members for key, members in groups.items() if len(members) >= _SERIES}
    large = [key for key in series if key[0] >= style.body + CHAPTER_EXCESS]
    only = [key for key, members in series.items() if len(members) >= _ONLY_SHARE * sum(map(len, groups.values()))]
    chosen = max(large) if large else (only[0] if only else None)
    if chosen is None:
        return ""
    named = "largest type" if large else "only type of heading"
    for run in groups[chosen]:
        run.level = 1
        run.evidence += f", {named}"
    return named


def _describe(run: Run, style: Style) -> str:
    main = run.main
    if main.top >= style.body + HEADING_EXCESS:
        return f"size {main.top:.1f} on {style.body:.1f}"
    if main.bold and not style.bold:
        return "bold"
    return "label" if is_label(main.text) else "set apart"
