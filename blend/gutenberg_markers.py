"""Lines of Project Gutenberg's packaging that say where a book begins and ends, found without reading every line.

Every such line holds one of a few words (`_NEEDLES`), so the text is searched for those first, at the speed of
`bytes.find`; only the lines that hold one are looked at by pattern.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum

from bookblend.blend.normalise import from_utf8, to_utf8

# A wrapped marker's title runs over so many further lines at most.
_WRAPPED = 3
_NEEDLES = (b"gutenberg", b"small print")
# These stand behind a book only: in so many of the last bytes.
_NEEDLES_BEHIND = (b"more information about this book", b"file should be named")
_BEHIND = 60_000

_EBOOK = r"E-?(?:BOOK|TEXT)"
_OF_PROJECT = r"OF (?:THE|THIS) (?:COPYRIGHTED )?PROJECT GUTENBERG(?:['’]S|\(TM\)|™)?,? "
_STARS = r"[ \t]*\*[ \t*]*"
_START = re.compile(
    rf"{_STARS}START {_OF_PROJECT}{_EBOOK}\b|{_STARS}BEGINNING OF (?:THE|THIS) PROJECT GUTENBERG\b", re.IGNORECASE
)
# Without stars the capital tells a marker from prose ("start of the Project Gutenberg eBook programme").
_BARE_START = re.compile(
    r"(?:START|Start|BEGINNING|Beginning) (?:OF|of) (?:THE|the|The|THIS|this|This) "
    r"(?:PROJECT GUTENBERG|Project Gutenberg)(?:['’][Ss])? [Ee]-?(?:BOOK|Book|book|TEXT|Text|text)\b"
)
_END = re.compile(rf"{_STARS}END {_OF_PROJECT}{_EBOOK}\b", re.IGNORECASE)
# "End of the Project Gutenberg EBook of …", and the same in the languages of the collection.
_CLOSING = re.compile(
    r"[ \t*]*(?:End|END|Ende|ENDE|Fin|FIN|Fine|FINE|Fim|FIM|Einde|EINDE|Slut|SLUT|Konec|Koniec|Vége)"
    r"(?: (?i:of|the|this|dieses|des|de|du|ce|cette|del|della|di|questo|do|da|deste|este|van|het|dit|på|av)){0,2}"
    r" (?:Pro[a-z]{2,6}|PRO[A-Z]{2,6})[ -](?:Gutenberg|GUTENBERG)\b"
)
_SMALL_START = re.compile(r"[ \t*]*START[ *]*THE SMALL PRINT", re.IGNORECASE)
_SMALL_END = re.compile(r"[ \t*]*END[ *]*THE SMALL PRINT", re.IGNORECASE)
_FILE = re.compile(
    r"[ \t*]*(?:This file should be named \S+|More information about this book is at the top of this file"
    r"|THE FULL PROJECT GUTENBERG(?:-TM|\(TM\)|™)? LICEN[CS]E)",
    re.IGNORECASE,
)
_TITLE = re.compile(r"[ \t*]*(?:(?:The|This) )?Project Gutenberg(?:['’]s)? E-?(?:text|book)\b", re.IGNORECASE)


class Kind(Enum):
    """What a packaging line says."""

    START = "start"
    END = "end"
    CLOSING = "closing"  # "End of Project Gutenberg's …", without being the marker
    SMALL_START = "small print begins"
    SMALL_END = "small print ends"
    FILE = "file"  # the file's name, or where more is said about it: stands behind a book only
    TITLE = "title"  # "The Project Gutenberg Etext of …"


_PATTERNS = (
    (Kind.START, _START),
    (Kind.START, _BARE_START),
    (Kind.END, _END),
    (Kind.SMALL_START, _SMALL_START),
    (Kind.SMALL_END, _SMALL_END),
    (Kind.CLOSING, _CLOSING),
    (Kind.FILE, _FILE),
    (Kind.TITLE, _TITLE),
)


@dataclass(frozen=True, slots=True)
class Marker:
    """A packaging line: its kind and the span of text that it takes, wrapped lines included, without the last "\\n"."""

    kind: Kind
    start: int
    end: int


def find_markers(text: str, data: bytes | None = None) -> list[Marker]:
    """All packaging lines of a text with "\\n" ends, in order; `data` is the text as UTF-8, if that is at hand."""
    markers = []
    for start, end in _lines(text, _hits(text, to_utf8(text) if data is None else data)):
        line = text[start:end]
        kind = next((kind for kind, pattern in _PATTERNS if pattern.match(line)), None)
        if kind is not None:
            if kind in (Kind.START, Kind.END):
                end = _unwrapped(text, end, line)
            elif kind is Kind.CLOSING:
                end = _paragraph_end(text, end)
            markers.append(Marker(kind, start, end))
    return markers


def _hits(text: str, data: bytes) -> list[int]:
    """Places of all needles in any case, in order."""
    # Bytes are lowered ten times as fast as text beyond ASCII, and their length stays.
    lowered = data.lower()
    places = {place for needle in _NEEDLES for place in _places(lowered, needle, 0)}
    behind = max(0, len(lowered) - _BEHIND)
    places |= {place for needle in _NEEDLES_BEHIND for place in _places(lowered, needle, behind)}
    hits = sorted(places)
    return hits if len(data) == len(text) else _characters(data, hits, len(text))


def _characters(data: bytes, places: list[int], length: int) -> list[int]:
    """Places in UTF-8 as places in its text, counted from the end that is nearer: there most of them are."""
    half = len(data) // 2
    hits, done, characters = [], 0, 0
    for place in (place for place in places if place < half):
        characters += len(from_utf8(data[done:place]))
        done = place
        hits.append(characters)
    behind, done, characters = [], len(data), length
    for place in (place for place in reversed(places) if place >= half):
        characters -= len(from_utf8(data[place:done]))
        done = place
        behind.append(characters)
    return hits + behind[::-1]


def _places(data: bytes, word: bytes, begin: int) -> Iterator[int]:
    place = data.find(word, begin)
    while place >= 0:
        yield place
        place = data.find(word, place + len(word))


def _lines(text: str, hits: list[int]) -> Iterator[tuple[int, int]]:
    """The spans of the lines that hold the places, each once."""
    end = -1
    for place in hits:
        if place >= end:
            start = text.rfind("\n", 0, place) + 1
            end = text.find("\n", place)
            end = len(text) if end < 0 else end
            yield start, end


def _unwrapped(text: str, end: int, line: str) -> int:
    """The end of a marker whose title may run on: up to the closing stars, if they come before a blank line."""
    if line.rstrip().endswith("*"):
        return end
    place = end
    for _ in range(_WRAPPED):
        following = text.find("\n", place + 1)
        following = len(text) if following < 0 else following
        more = text[place + 1 : following].strip()
        if not more:
            return end
        if more.endswith("**"):
            return following
        place = following
    return end


def _paragraph_end(text: str, end: int) -> int:
    """The end of the paragraph that a line belongs to, if it is as short as a title that runs on."""
    place = end
    for _ in range(_WRAPPED):
        following = text.find("\n", place + 1)
        following = len(text) if following < 0 else following
        more = text[place + 1 : following].strip()
        if not more or more.startswith("*"):
            return place
        place = following
    return end
