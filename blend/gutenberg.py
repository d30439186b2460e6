"""Project Gutenberg's packaging taken off a book: headers, footers, licence blocks, and the credits at its front.

Two sets of rules. The *recipe's* are those that published corpora were made with, kept to the byte: the first start
marker, the end marker after it, credit lines one by one. The *full* ones, which are the default, also know the forms of
the 1990s, wrapped markers, closing lines above the end marker, several works in a file, and credits of more than one
line. What would take a book's own text is left and flagged instead.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from bookblend.blend.gutenberg_credits import drop_credit_lines, drop_front, find_tail_notes, tail_begin
from bookblend.blend.gutenberg_markers import Kind, Marker, find_markers
from bookblend.blend.normalise import from_utf8, to_utf8

# Counted in lines that are not blank. A header longer than this without a licence's words is the book's own text, …
_MUCH = 200
# … and so is what stands behind a footer, if so many lines together have next to none of them.
_BLOCK = 60
# Licence text has at least one such word in so many lines; the book's own text less than one in so many.
_LICENCE_EVERY, _PROSE_EVERY = 12, 30
# An end told by a closing line alone may have so many lines behind it that have none of those words.
_FEW = 3
# What is left between two markers is a work if it has so many lines.
_WORK = 20
# Small print at the front stands in the file's first lines or first quarter; a short book is no longer than its header.
_FRONT_LINES, _FRONT_SHARE = 450, 4
_LICENCE_WORDS = (
    "gutenberg", "etext", "ebook", "copyright", "license", "licence", "trademark", "foundation", "donat",
    "public domain", "small print", "electronic", "royalt", "warrant", "refund", "disclaim",
)  # fmt: skip
_COPYRIGHTED = re.compile(r"COPYRIGHTED PROJECT GUTENBERG|This is a COPYRIGHTED Project Gutenberg", re.IGNORECASE)
# (Of text in UTF-8; a letter beyond ASCII that is one of ASCII in another case, such as the Kelvin sign, is none here.)
_RECIPE_MARKERS = {
    side: tuple(
        re.compile(rb"\*\*\*[ \t]*%b OF (?:THE|THIS) PROJECT GUTENBERG %b[^\n]*" % (side, word), re.IGNORECASE)
        for word in (b"EBOOK", b"ETEXT")
    )
    for side in (b"START", b"END")
}


class State(StrEnum):
    """Which of the two markers a text had."""

    BOTH = "both"
    START_ONLY = "start-only"
    END_ONLY = "end-only"
    NONE = "none"


class Step(StrEnum):
    """What the full rules drop beside the markers; each can be left out."""

    CREDITS = "credits"
    NOTES = "notes"
    PICTURES = "pictures"
    PAGES = "pages"


ALL_STEPS = frozenset(Step)


@dataclass(frozen=True, slots=True)
class Stripped:
    """A text without its packaging, in UTF-8.

    `credits` and `notes` are the lines that went from the front (notes from the end as well); `works` counts the
    pieces between markers; `kept` says why packaging was left where taking it off would have taken the book; `marks`
    counts marks of pictures and printed pages.
    """

    data: bytes
    state: State
    credits: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    header: str = ""
    works: int = 1
    copyrighted: bool = False
    kept: str = ""
    marks: int = 0

    @property
    def text(self) -> str:
        """The text itself."""
        return from_utf8(self.data)


def strip(text: str, steps: Iterable[Step] = ALL_STEPS) -> Stripped:
    """A text with "\\n" ends without its packaging, by the full rules."""
    return _strip(text, to_utf8(text), frozenset(steps))


def strip_utf8(data: bytes, steps: Iterable[Step] = ALL_STEPS) -> Stripped:
    """The same of a text in UTF-8."""
    return _strip(from_utf8(data), data, frozenset(steps))


def _strip(text: str, data: bytes, steps: frozenset[Step]) -> Stripped:
    """`data` is `text` as UTF-8. The rules read text; what they leave is cut out of the bytes, as writing long texts
    beyond ASCII as UTF-8 anew takes as long as all the rules.
    """
    markers = find_markers(text, data)
    opening = _opening(text, markers)
    start = opening.end if opening else 0
    ignored = opening is None and any(marker.kind is Kind.START for marker in markers)
    doubt = "what stands before its start marker is no licence text" if ignored else ""
    spans, closed = _pieces(text, start, [marker for marker in markers if marker.start >= start])
    state = _state(opening is not None, closed)
    header = text[: opening.start] if opening else ""
    copyrighted = bool(_COPYRIGHTED.search(text[: start + 1])) if opening else False
    works = [span for span in (_trim(text, *span) for span in spans) if span[0] < span[1]]
    if len(works) == 1:
        body = _Body(text, data, *works[0])
    else:
        joined = "\n\n".join(text[begin:end] for begin, end in works)
        body = _Body(joined, to_utf8(joined), 0, len(joined))
    credits, notes = body.drop(steps)
    if body.is_blank() and text.strip():
        return Stripped(data, state, header=header, copyrighted=copyrighted, kept="nothing would be left of it")
    return Stripped(body.utf8(), state, tuple(credits), tuple(notes), header, len(works), copyrighted, doubt)


def _trim(text: str, start: int, end: int) -> tuple[int, int]:
    """A span of text without the line ends around it; an empty one where it holds white space alone."""
    while start < end and text[start] == "\n":
        start += 1
    while start < end and text[end - 1] == "\n":
        end -= 1
    return (start, end) if _SOMETHING.search(text, start, end) else (start, start)


_SOMETHING = re.compile(r"\S")


@dataclass(slots=True)
class _Body:
    """What is left of a text (`data` is its UTF-8): a span of it, behind what was kept of its front."""

    text: str
    data: bytes
    start: int
    end: int
    front: str = ""

    def drop(self, steps: frozenset[Step]) -> tuple[list[str], list[str]]:
        """Take off the steps' credits and notes; returns their lines."""
        if self.start == self.end or not steps:
            return [], []
        place = self.start
        dropping = {"credits": Step.CREDITS in steps, "notes": Step.NOTES in steps}
        self.front, self.start, credits, notes = drop_front(self.text, place, self.end, **dropping)
        if Step.NOTES in steps:
            notes += self._drop_tail()
        return credits, notes

    def _drop_tail(self) -> list[str]:
        begin = tail_begin(len(self.front) + self.end - self.start) - len(self.front)
        if begin < 0:  # so short a book that its front is part of its tail
            self.text = self.front + self.text[self.start : self.end]
            self.data = to_utf8(self.text)
            begin, self.start, self.end, self.front = begin + len(self.front), 0, len(self.text), ""
        begin += self.start
        place, lines = find_tail_notes(self.text[begin : self.end])
        if lines:
            self.start, self.end = _trim(self.text, self.start, begin + place)
        return lines

    def is_blank(self) -> bool:
        """Whether white space alone is left."""
        return not self.front.strip() and not _SOMETHING.search(self.text, self.start, self.end)

    def utf8(self) -> bytes:
        """It as UTF-8, cut out of the whole's."""
        before, behind = len(to_utf8(self.text[: self.start])), len(to_utf8(self.text[self.end :]))
        return to_utf8(self.front) + self.data[before : len(self.data) - behind]


def strip_recipe(text: str) -> Stripped:
    """A text with "\\n" ends without its packaging, by the recipe's rules and nothing else."""
    return strip_recipe_utf8(to_utf8(text))


def strip_recipe_utf8(data: bytes) -> Stripped:
    """The same of a text in UTF-8."""
    starred = list(_starred(data))
    start = _first(data, starred, b"START")
    begin = start.end() if start else 0
    end = _first(data, [place for place in starred if place >= begin], b"END")
    body = data[begin : end.start() if end else len(data)].strip(b"\n")
    kept, place, credits = drop_credit_lines(body)
    header = from_utf8(data[: start.start()]) if start else ""
    body = kept + body[place:] if place else body
    return Stripped(body, _state(start is not None, end is not None), tuple(credits), header=header)


def _starred(data: bytes) -> Iterator[int]:
    """The lines that the recipe's markers can be. (A star alone is looked for ten times as fast as a pattern.)"""
    place = data.find(b"*")
    while place >= 0:
        if data.startswith(b"***", place) and (place == 0 or data.startswith(b"\n", place - 1)):
            yield place
        end = data.find(b"\n", place)
        place = data.find(b"*", end) if end >= 0 else -1


def _first(data: bytes, places: list[int], side: bytes) -> re.Match[bytes] | None:
    """The first marker of a side in the newer word, else in the older one."""
    for rule in _RECIPE_MARKERS[side]:
        for place in places:
            found = rule.match(data, place)
            if found:
                return found
    return None


def _state(start: bool, end: bool) -> State:
    if start:
        return State.BOTH if end else State.START_ONLY
    return State.END_ONLY if end else State.NONE


def _opening(text: str, markers: list[Marker]) -> Marker | None:
    """The line that the book begins after: the first start marker, else the end of small print at the front."""
    for number, marker in enumerate(markers):
        if marker.kind is Kind.START:
            return None if _is_prose_header(text[: marker.start]) else _repeated(text, marker, markers[number + 1 :])
    for marker in reversed(markers):
        if marker.kind is Kind.SMALL_END and _is_front(text, marker) and not _is_prose_header(text[: marker.start]):
            return marker
    return None


def _repeated(text: str, opening: Marker, following: list[Marker]) -> Marker:
    """The last of several start markers that have nothing but packaging between them."""
    for marker in following:
        if marker.kind in _FOOTERS:
            break
        if marker.kind is Kind.START:
            if not _is_licence(text[opening.end : marker.start]):
                break
            opening = marker
    return opening


def _is_front(text: str, marker: Marker) -> bool:
    if marker.start * _FRONT_SHARE < len(text):
        return True
    return text.count("\n", 0, marker.start) < _FRONT_LINES and bool(text[marker.end :].strip())


def _pieces(text: str, place: int, markers: list[Marker]) -> tuple[list[tuple[int, int]], bool]:
    """The spans of the works of a text from `place` on, and whether a footer ended the last of them."""
    pieces = []
    footers = [marker for marker in markers if marker.kind in _FOOTERS]
    for footer in footers:
        if footer.start < place:
            continue
        following = _next_work(text, footer, markers)
        if following is not None:
            pieces.append((place, _trimmed(text, place, footer)))
            place = following
        elif _is_final(text, footer):
            pieces.append((place, _trimmed(text, place, footer)))
            return pieces, True
        elif footer.kind in (Kind.END, Kind.CLOSING):
            # The book goes on behind it: a collection. The line alone goes.
            pieces.append((place, footer.start))
            place = footer.end
    pieces.append((place, len(text)))
    return pieces, False


_FOOTERS = (Kind.END, Kind.CLOSING, Kind.SMALL_START, Kind.FILE)


def _next_work(text: str, footer: Marker, markers: list[Marker]) -> int | None:
    """Where the next work of a file begins, if licence text from this footer on leads to another one."""
    for marker in markers:
        if marker.start <= footer.start or marker.kind not in (Kind.START, Kind.SMALL_END):
            continue
        if not _is_licence(text[footer.end : marker.start]):
            return None
        end = next((m.start for m in markers if m.start > marker.end and m.kind in _FOOTERS), len(text))
        work = text[marker.end : end]
        if _count_lines(work) >= _WORK and not _is_licence(work):
            return marker.end
    return None


def _is_final(text: str, footer: Marker) -> bool:
    """Whether what stands behind a footer is packaging, not more of the book."""
    lines: list[str] = []
    for line in text[footer.end :].split("\n"):
        if line.strip():
            lines.append(line)
            if len(lines) == _BLOCK:
                if _count_words(lines) * _PROSE_EVERY < _BLOCK:
                    return False
                lines = []
    if footer.kind is not Kind.CLOSING:
        return True
    return len(lines) <= _FEW or _count_words(lines) * _PROSE_EVERY >= len(lines)


def _trimmed(text: str, place: int, footer: Marker) -> int:
    """The end of the work before a footer: also without the lines of packaging right above it."""
    end = footer.start
    lines = text[max(place, end - 1000) : end].rstrip().split("\n")[-4:]
    for marker in find_markers("\n".join(lines)):
        if marker.kind in (Kind.TITLE, Kind.CLOSING, Kind.FILE):
            return text.rindex("\n".join(lines), place, end) + marker.start
    return end


def _count_lines(text: str) -> int:
    return sum(1 for line in text.split("\n") if line.strip())


def _count_words(lines: list[str]) -> int:
    joined = "\n".join(lines).lower()
    return sum(joined.count(word) for word in _LICENCE_WORDS)


def _is_licence(text: str) -> bool:
    """Whether a licence's words stand all through a text."""
    lines = [line for line in text.split("\n") if line.strip()]
    return _count_words(lines) * _LICENCE_EVERY >= len(lines)


def _is_prose_header(text: str) -> bool:
    """Whether what stands before a start marker is so long, and so empty of a licence's words, that it is a book's."""
    return _count_lines(text) > _MUCH and not _is_licence(text)
