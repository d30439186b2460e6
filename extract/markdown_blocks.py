"""Other tools' markdown into blocks: headings of both kinds, code, tables, text; what is no text goes to the ledger.

Less than CommonMark on purpose. Numbers and dashes of lists stay in the text (they may be the book's own), indented
text is code only where it looks like code (it may be verse), and a block ends where its blank line is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby

from bookblend.clean.program import is_program
from bookblend.extract import markdown_inline
from bookblend.extract.markdown_front import read_front
from bookblend.extract.markdown_notes import Note, Notes, arrange, take_notes
from bookblend.ledger import Entry
from bookblend.manuscript import Manuscript, Mark
from bookblend.markdown import MarkdownBlock, normal, read_fence, split_lines

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?(?:[ \t]*\{[#.][^{}]*\})?[ \t]*$")
_HTML_HEADING = re.compile(r"<h([1-6])(?:\s[^<>]*)?>(.*?)</h\1>$", re.IGNORECASE)
_ATTRIBUTES = re.compile(r"[ \t]*\{[#.][^{}]*\}$")
# CommonMark takes one sign; a shorter line than this under a line of text is as often a dash of the book's own.
_UNDERLINE = re.compile(r" {0,3}(={2,}|-{3,})[ \t]*$")
_LONGEST_TITLE = 200
_QUOTED = re.compile(r"(?: {0,3}> ?)+")
_DELIMITERS = re.compile(r"[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-+:?[ \t]*)*\|?[ \t]*$")
_BAR = re.compile(r"(?<!\\)\|")
_VERSE_LINE = re.compile(r" {0,3}\| ?(?!.*\|)")
# Pandoc's marks around a part of the text.
_DIVISION = re.compile(r" {0,3}:{3,}(?:[ \t]*(?:\{[^{}]*\}|[\w.-]+)[ \t]*:*)?[ \t]*$")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\(?(?:\d{1,9}|[A-Za-z])[.)])[ \t]")
_INDENTED = re.compile(r"(?: {4}| {0,3}\t)")
_TARGET = re.compile(
    r" {0,3}\[(?P<label>[^\[\]^][^\[\]]*)\]:[ \t]*<?(?:https?:|ftp:|mailto:|www\.|[./#]|\S+\.\w{2,5}\b)\S*>?"
    r"(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*$"
)
# Lines. A comment that is not closed within so many is none.
_LONGEST_COMMENT = 500


@dataclass(slots=True)
class Foreign:
    """A file as read: its blocks with the lines they began on, the ledger, and what its front matter says."""

    manuscript: Manuscript
    dropped: list[Entry]
    book: Mapping[str, str] = field(default_factory=dict)


def read_markdown(text: str, notes: Notes = "drop") -> Foreign:
    """Read markdown of any other tool; `notes` says what becomes of footnotes, as for other formats."""
    lines = split_lines(text.removeprefix("\ufeff"))
    front = read_front(lines)
    reader = _Reader(lines, notes)
    if front.lines:
        reader.drop("front matter", 0, "\n".join(lines[: front.lines]))
        lines[: front.lines] = [""] * front.lines
    reader.prepare()
    rows = arrange(list(reader.blocks()), reader.notes, notes)
    dropped = reader.dropped + [Entry("extract", "note", f"line {n.line}", n.text) for n in rows.dropped if n.text]
    dropped.sort(key=lambda entry: int(entry.place.removeprefix("line ")))
    manuscript = Manuscript(tuple(block for _, block in rows.blocks), tuple(Mark(line=n) for n, _ in rows.blocks))
    return Foreign(manuscript, dropped, front.book)


# The index of the line a block begins on, the block, the names of the notes it refers to.
_Row = tuple[int, MarkdownBlock, list[str]]


class _Reader:
    """Reads one file's lines. Lines that are `gone` were taken out whole, and part nothing."""

    def __init__(self, lines: list[str], notes: Notes) -> None:
        self.lines = lines
        self.gone: set[int] = set()
        self.dropped: list[Entry] = []
        self.notes: dict[str, Note] = {}
        self._targets: set[str] = set()
        self._inline = notes == "inline"

    def drop(self, rule: str, at: int, text: str) -> None:
        """Put a text of the line with index `at` into the ledger."""
        self.dropped.append(Entry("extract", rule, f"line {at + 1}", text.strip()))

    # --- before the blocks: what may stand anywhere outside of code

    def prepare(self) -> None:
        """Take out comments, definitions of links, marks of divisions and the texts of notes."""
        for at in self._outside_code():
            self._take_comments(at)
            if found := _TARGET.match(self.lines[at]):
                self._targets.add(found["label"].strip().lower())
                self.drop("link target", at, self.lines[at])
                self.gone.add(at)
            elif _DIVISION.match(self.lines[at]):
                self.lines[at] = ""
        self.notes = take_notes(self.lines, self._outside_code(), self.gone)
        for note in self.notes.values():
            note.text = self._plain(note.text, note.line - 1, [])

    def _outside_code(self) -> Iterator[int]:
        at = 0
        while at < len(self.lines):
            fenced = read_fence(self.lines, at) if _may_fence(self.lines[at]) else None
            if fenced:
                at = fenced.end
                continue
            if at not in self.gone:
                yield at
            at += 1

    def _take_comments(self, at: int) -> None:
        while (start := self.lines[at].find("<!--")) >= 0:
            before = self.lines[at][:start]
            end, stop = self._comment_end(at, start)
            if end < 0:
                return
            held = [*self.lines[at:end], self.lines[end][:stop]]
            self.drop("comment", at, "\n".join(held)[start:])
            after = self.lines[end][stop:]
            self.gone.update(range(at + 1, end + 1))
            self.lines[at] = before + (after.lstrip() if not before.strip() or before[-1].isspace() else after)
            if not self.lines[at].strip():
                self.gone.add(at)

    def _comment_end(self, at: int, start: int) -> tuple[int, int]:
        """The index of the line a comment ends on, and of the character behind it; (-1, 0) where it is none.

        Over several lines only from a line's start: a text may speak of the sign, and must not vanish up to the next.
        """
        found = self.lines[at].find("-->", start)
        if found >= 0 or self.lines[at][:start].strip():
            return (at, found + 3) if found >= 0 else (-1, 0)
        for i in range(at + 1, min(len(self.lines), at + _LONGEST_COMMENT)):
            found = self.lines[i].find("-->")
            if "<!--" in (self.lines[i][:found] if found >= 0 else self.lines[i]):
                break
            if found >= 0:
                return i, found + 3
        return -1, 0

    # --- the blocks

    def blocks(self) -> Iterator[_Row]:
        """Each block with its line and the names of the notes it refers to."""
        for at, block, names in self._raw():
            clean = normal(block.level, block.text, code=block.code)
            if clean:
                yield at + 1, clean, names

    def _raw(self) -> Iterator[_Row]:
        places = [i for i in range(len(self.lines)) if i not in self.gone]
        lines = [self.lines[i] for i in places]
        held: list[str] = []
        at, listed = 0, False
        while at <= len(lines):
            line = lines[at] if at < len(lines) else ""
            heading, fenced = _heading(line), read_fence(lines, at) if _may_fence(line) else None
            if held and (not line.strip() or heading or fenced):
                yield from self._paragraph(places[at - len(held)], held, listed)
                listed = bool(_ITEM.match(held[0])) or (listed and bool(_INDENTED.match(held[0])))
                held = []
            if fenced:
                yield places[at], MarkdownBlock(0, fenced.text, code=True), []
                at = fenced.end
                continue
            if heading:
                yield self._headed(places[at], *heading)
                listed = False
            elif len(held) == 1 and (level := _underlines(held[0], line)):
                yield self._headed(places[at - 1], level, held[0])
                held, listed = [], False
            elif line.strip():
                held.append(line)
            at += 1

    def _headed(self, at: int, level: int, text: str) -> _Row:
        names: list[str] = []
        return at, MarkdownBlock(level, self._plain(_ATTRIBUTES.sub("", text.strip()), at, names)), names

    def _paragraph(self, at: int, lines: list[str], listed: bool) -> Iterator[_Row]:
        """The blocks of lines between blank ones: text before a table is one of its own."""
        if all(_INDENTED.match(line) for line in lines) and not listed and _is_code(lines):
            yield at, MarkdownBlock(0, "\n".join(line.expandtabs(4)[4:] for line in lines), code=True), []
            return
        if all(_QUOTED.match(line) for line in lines):
            bare = [_QUOTED.sub("", line, count=1) for line in lines]
            for blank, run in groupby(enumerate(bare), key=lambda numbered: not numbered[1].strip()):
                if not blank:
                    inner = list(run)
                    yield from self._paragraph(at + inner[0][0], [line for _, line in inner], listed)
            return
        if all(_VERSE_LINE.match(line) for line in lines):
            lines = [_VERSE_LINE.sub("", line) for line in lines]
        first = _table_start(lines)
        names: list[str] = []
        if lines[:first]:
            yield at, MarkdownBlock(0, self._plain("\n".join(lines[:first]), at, names)), names
        if rows := lines[first:]:
            names = []
            cells = (self._row(row, at + first + i, names) for i, row in enumerate(rows) if i != 1)
            yield at + first, MarkdownBlock(0, "\n".join(cells)), names

    def _row(self, line: str, at: int, names: list[str]) -> str:
        bare = line.strip().removeprefix("|")
        bare = bare[:-1] if bare.endswith("|") and not bare.endswith("\\|") else bare
        cells = [self._plain(cell.strip(), at, names).replace("\n", " ") for cell in _BAR.split(bare)]
        return " | ".join(cells).strip(" ") if any(cells) else ""

    def _plain(self, text: str, at: int, names: list[str]) -> str:
        def mark(name: str) -> str | None:
            note = self.notes.get(name)
            if note is None:
                return None
            return f" [{note.text}]" if self._inline and note.text else ""

        done = markdown_inline.plain(text, note=mark, targets=self._targets, keep_notes=self._inline)
        names += done.notes
        for rule, piece in done.dropped:
            self.drop(rule, at, piece)
        return done.text


def _may_fence(line: str) -> bool:
    return line.lstrip().startswith(("```", "~~~"))


def _heading(line: str) -> tuple[int, str] | None:
    """The tier and text of a line that is a heading by itself; one of neither is a mark without a text."""
    bare = line.strip()
    if found := _HEADING.match(bare):
        return min(len(found[1]), 2), found[2] or ""
    if found := _HTML_HEADING.match(bare):
        return min(int(found[1]), 2), found[2]
    return None


def _underlines(title: str, line: str) -> int:
    """The level of the heading that a line under a line of text makes of it, 0 for none."""
    found = _UNDERLINE.match(line)
    if not found or len(title) > _LONGEST_TITLE or "|" in title or _ITEM.match(title) or _QUOTED.match(title):
        return 0
    # A rule over a rule is none, nor is the head of a table in columns ("Name   Price").
    if not any(map(str.isalnum, title)) or _INDENTED.match(title):
        return 0
    return 1 if found[1][0] == "=" else 2


def _table_start(lines: Sequence[str]) -> int:
    """The index of the header of the table that the lines end in; their number where there is none."""
    for i in range(1, len(lines)):
        if "|" in lines[i] and _DELIMITERS.match(lines[i]) and _BAR.search(lines[i - 1]):
            return i - 1
    return len(lines)


def _is_code(lines: Sequence[str]) -> bool:
    """Whether indented lines are code beyond doubt: half of them show a sign of it."""
    return 2 * sum(map(is_program, lines)) >= len(lines)
