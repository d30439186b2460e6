"""Footnotes: told from the text by size, place and mark, and taken off the foot of the page.

A note opens with a raised or small number or sign and is set smaller than the body, below all body lines of its
column. Smaller type alone is no note: quotations are set small as well, but carry no mark.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from bookblend.extract.pdf_furniture import Stray
from bookblend.extract.pdf_lines import SUPERSCRIPT_DIGITS, Line
from bookblend.extract.pdf_stats import Style

# Note type is at most this share of the body size (10 on 11 points is 0.91; quotations at 10.25 on 10.5 are 0.98).
_NOTE_RATIO = 0.94
# A number or sign and a blank at the start of a small line: a note's opening where the mark is not raised.
_OPENING = re.compile(r"[\[(]?(\d{1,3}|[a-z](?=[.)\s])|[*∗†‡§¶‖∥]{1,7})[\])]?[.:]?(?:\s+(?=\S)|(?=[^\W\d_]|[“‘\"'«(]))")
# Pages on which a type that only notes use is seen without a note's mark, as a share of those with one.
_STRAY_SHARE = 0.2
# A note's lines on the next page stand at the same edge, within so many points.
_NOTE_EDGE = 2.0
_GLUED = re.compile(r"(?<!\d[.,:])(?<=[^\W\d_]|[.,;:!?”’\"')\]»])(\d{1,3})(?=[\s.,;:!?)\]”’—–]|$)")
_RAISED = re.compile("([¹²³⁰⁴-⁹]+)(?![⁺⁻¹²³⁰⁴-⁹])")
_SENTENCE_END = re.compile(r"[.!?…][\"'”’»)\]]*\s*$")


@dataclass(slots=True)
class Note:
    """One footnote: its mark, the page it starts on, its lines."""

    mark: str
    page: int
    lines: list[Line] = field(default_factory=list)


class NoteReader:
    """Takes the notes off one page after the other; a note that runs on is continued from the page before."""

    def __init__(self, style: Style) -> None:
        self._style = style
        self.notes: list[Note] = []
        self._open = False
        self._size = 0.0
        self._waiting: set[str] = set()
        self._edges: set[int] = set()  # where second lines of notes stand, in steps of `_NOTE_EDGE`

    def take(self, lines: list[Line]) -> list[Line]:
        """The page's lines (one page, in reading order) without its notes, which go to `self.notes`."""
        if not self._open and not any(map(self._is_small, lines)):
            # A note may stand a page behind its mark, where it found no room.
            self._waiting = {mark.strip("[]()") for line in lines if line.marks for _, mark in line.marks}
            return lines
        own = {mark.strip("[]()") for line in lines for _, mark in line.marks}
        marks = own | self._waiting
        plain = {mark for line in lines if not self._is_small(line) for mark in _GLUED.findall(line.text)} - marks
        kept: list[Line] = []
        found, first = False, len(self.notes)
        for region in _regions(lines):
            body, notes = self._split(region, marks | plain, found)
            kept += body
            if notes:
                found = True
                self._read(notes, marks | plain)
        if found:
            for note in self.notes[first:]:
                if note.mark in plain:
                    _take_mark(kept, note.mark, _GLUED)
                elif note.mark.isdigit() and note.mark not in marks:
                    # Behind a year or a letter it was read as an exponent.
                    _take_mark(kept, note.mark.translate(SUPERSCRIPT_DIGITS), _RAISED)
        answered = {note.mark for note in self.notes[first:]}
        self._waiting = own - answered if own & answered or not self._waiting else own
        self._open = found and not _SENTENCE_END.search(self.notes[-1].lines[-1].text)
        return kept

    def finish(self, pages: list[list[Line]]) -> list[list[Line]]:
        """Take what else stands in a type that, by size and left edge, only notes use: notes whose mark is not seen.

        `pages` are all pages after `take`; returns them without those lines.
        """
        style = self._style

        def place(line: Line) -> tuple[int, int]:
            left = style.margins.get(line.page % 2, (0.0, 0.0))[0]
            return round(4 * line.size), round((line.x0 - left) / 2)

        noted = Counter(key for note in self.notes for key in {place(line) for line in note.lines[1:]})
        others = Counter(key for lines in pages for key in {place(line) for line in lines if self._is_small(line)})
        only = {key for key, count in noted.items() if count >= 4 and others[key] <= _STRAY_SHARE * count}
        result = []
        for lines in pages:
            stray = [line for line in lines if self._is_small(line) and place(line) in only]
            if len(stray) > 1 and stray[-1] is lines[-1]:
                self.notes.append(Note("", stray[0].page, stray))
                taken = {id(line) for line in stray}
                lines = [line for line in lines if id(line) not in taken]
            result.append(lines)
        self.notes.sort(key=lambda note: note.page)
        return result

    def _split(self, region: list[Line], marks: set[str], found: bool) -> tuple[list[Line], list[Line]]:
        start = len(region)
        while start and self._is_small(region[start - 1]):
            start -= 1
        tail = region[start:]
        if not tail:
            return region, []
        for index, line in enumerate(tail):
            if self._opens(line, marks):
                if index and not self._continues(region, start, found):
                    return region[: start + index], tail[index:]
                return region[:start], tail
        if self._continues(region, start, found):
            return region[:start], tail
        return region, []

    def _is_small(self, line: Line) -> bool:
        return line.size <= _NOTE_RATIO * self._style.body

    def _opens(self, line: Line, marks: set[str]) -> bool:
        if line.lead:
            return not line.lead.isalpha() or line.lead.strip("[]()") in marks
        match = _OPENING.match(line.text)
        if not match:
            return False
        last = self.notes[-1].mark if self.notes else ""
        return match[1] in marks or (last.isdigit() and match[1].isdigit() and int(match[1]) == int(last) + 1)

    def _continues(self, region: list[Line], start: int, found: bool) -> bool:
        """Whether the small tail of a region goes on with the last note of the page or column before."""
        if not (self._open or found) or abs(region[start].size - self._size) > 0.3:
            return False
        last = self.notes[-1].lines[-1]
        if not found and not self._is_edge(region[start], last):
            return False  # set in further than the note: a quotation
        if start == 0:
            return True
        return region[start].base - region[start - 1].base > 1.1 * self._style.leading

    def _is_edge(self, line: Line, last: Line) -> bool:
        """Whether a line stands where the note's last one does; a first line tells nothing, so others are asked."""
        inset = self._inset(line)
        if abs(inset - self._inset(last)) <= _NOTE_EDGE:
            return True
        return len(self.notes[-1].lines) == 1 and not self._edges.isdisjoint(_steps(inset))

    def _inset(self, line: Line) -> float:
        return line.x0 - self._style.margins.get(line.page % 2, (0.0, 0.0))[0]

    def _read(self, lines: Sequence[Line], marks: set[str]) -> None:
        for line in lines:
            if self._opens(line, marks):
                match = None if line.lead else _OPENING.match(line.text)
                mark = line.lead or (match[1] if match else "")
                if match:
                    line.text = line.text[match.end() :]
                self.notes.append(Note(mark.strip("[]()."), line.page, [line]))
            elif self.notes:
                self.notes[-1].lines.append(line)
                self._edges.add(round(self._inset(line) / _NOTE_EDGE))
        self._size = lines[-1].size


def _steps(inset: float) -> tuple[int, int]:
    """The steps of `_NOTE_EDGE` that an inset is near to."""
    return int(inset // _NOTE_EDGE), int(inset // _NOTE_EDGE) + 1


def write_inline(notes: Sequence[Note], texts: Sequence[Stray], pages: Sequence[Sequence[Line]]) -> list[Stray]:
    """Write each note in brackets where its mark stood; returns the texts whose mark was not found.

    `texts` are the notes' texts in the notes' order, `pages` the ordered lines of all pages.
    """
    waiting: dict[tuple[int, str], list[Stray]] = {}
    for note, text in zip(notes, texts, strict=True):
        waiting.setdefault((note.page, note.mark), []).append(text)
    marked = {(line.page, mark.strip("[]()")) for lines in pages for line in lines for _, mark in line.marks}
    for lines in pages:
        for line in lines:
            for offset, mark in sorted(line.marks, reverse=True):
                bare = mark.strip("[]()")
                found = waiting.get((line.page, bare))
                if not found and (line.page + 1, bare) not in marked:
                    found = waiting.get((line.page + 1, bare))
                if found:
                    line.text = f"{line.text[:offset].rstrip()} [{found.pop(0).text}]{line.text[offset:]}"
    return [text for found in waiting.values() for text in found]


def _take_mark(lines: Sequence[Line], mark: str, pattern: re.Pattern[str]) -> None:
    """Take a note's number out of the text where it stands as `pattern` has it, at full size ("itself,”2 he") or
    raised ("in 1842¹ they"), if it stands so once."""
    found = [(line, match) for line in lines for match in pattern.finditer(line.text) if match[1] == mark]
    if len(found) == 1:
        line, match = found[0]
        line.marks.append((match.start(), mark))
        line.text = line.text[: match.start()] + line.text[match.end() :]


def _regions(lines: Sequence[Line]) -> list[list[Line]]:
    regions: list[list[Line]] = []
    for line in lines:
        if regions and regions[-1][0].column == line.column:
            regions[-1].append(line)
        else:
            regions.append([line])
    return regions
