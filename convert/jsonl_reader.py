"""What people call JSONL, read value by value: strict where it matters, lenient about how values are laid out.

Values may stand one a line, several a line, over several lines, or as the elements of an array of any size; lines end
at LF or CRLF and nowhere else. A value that is no JSON, repeats a key or is nested too deeply is a bad one, with the
number of its line; reading goes on at the next line. A value's own text is kept, so numbers and escapes stay as they
were written; what no strict reader takes is changed in it and counted: NaN, infinities, lone surrogates.
"""

import io
import json
import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any, BinaryIO, NamedTuple

from bookblend.convert.encodings import UTF8, WINDOWS, Peeked, detect, undecodable
from bookblend.convert.streams import PIECE
from bookblend.talk import counted

_SPACE = re.compile(r"[ \t\r\n]*")
_BETWEEN = re.compile(r"[ \t\r\n,]*")
_STRING = r'"(?:[^"\\]|\\.)*"'
_NUMBERS = re.compile(rf"({_STRING})|NaN|-?Infinity|-?\d[\d.eE+-]*")
_ESCAPE = re.compile(
    r"\\(?:(u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)"
)
# A value over several lines or pieces is tried again when it has grown by this factor, or a line seems to close it.
_GROWTH = 1.5


class Value(NamedTuple):
    """One value: the line it begins on (from 1), its text in one line, and what it is."""

    line: int
    text: str
    value: Any


@dataclass(slots=True)
class JsonlFile:
    """A file being read, and what was changed so far.

    bad        told of each value that cannot be read: (line, reason, the line's text)
    no_numbers NaN, infinities and numbers beyond any double, written as null
    lone       lone surrogates, written as U+FFFD
    scalars    values that are no objects
    """

    name: str
    bad: Callable[[int, str, str], None]
    no_numbers: int = 0
    lone: int = 0
    scalars: int = 0


class _RepeatedKeyError(ValueError):
    pass


def read_jsonl(file: JsonlFile, stream: BinaryIO) -> Iterator[Value]:
    """The values of a stream, in order; memory is bounded by the largest one."""
    scanner = _Scanner(file)
    for text, ends in _pieces(file, stream):
        yield from scanner.feed(text, ends)
    yield from scanner.finish()


def _pieces(file: JsonlFile, stream: BinaryIO) -> Iterator[tuple[str | None, bool]]:
    """The text line by line, long lines in pieces, and whether a piece ends its line; None for undecodable bytes."""
    peeked = Peeked(stream)
    encoding = detect(peeked.sample, peeked.whole)
    if encoding not in (UTF8, WINDOWS, "utf-8-sig"):
        yield from _transcoded(file, peeked, encoding)
        return
    buffered = io.BufferedReader(peeked, PIECE)
    if encoding == "utf-8-sig":
        buffered.read(3)
    held = b""
    for raw in iter(partial(buffered.readline, PIECE), b""):
        ends = raw.endswith(b"\n")
        try:
            text: str | None = (held + raw).decode(UTF8)
            held = b""
        except UnicodeDecodeError as error:
            cut = not ends and error.end == len(held + raw) and "unexpected end" in error.reason
            text = (held + raw)[: error.start].decode(UTF8) if cut else None
            held = (held + raw)[error.start :] if cut else b""
        yield text, ends
    if held:
        yield None, True


def _transcoded(file: JsonlFile, stream: Peeked, encoding: str) -> Iterator[tuple[str | None, bool]]:
    text = io.TextIOWrapper(io.BufferedReader(stream, PIECE), encoding=encoding, newline="\n")
    number = 1
    try:
        for line in iter(partial(text.readline, PIECE), ""):
            number += 1
            yield line, line.endswith("\n")
    except UnicodeError as error:
        raise undecodable(file.name, encoding, f"line {number} or soon after", error) from error


def jsonl_notes(file: JsonlFile, objects_only: bool = False) -> list[str]:
    """What was changed in a file's values; `objects_only`: others were refused, so nothing is said of them."""
    notes = []
    if file.no_numbers:
        notes.append(f"{counted(file.no_numbers, 'NaN or infinity', 'NaNs or infinities')} written as null")
    if file.lone:
        notes.append(f"{counted(file.lone, 'lone surrogate')} written as U+FFFD")
    if file.scalars and not objects_only:
        notes.append(f"{counted(file.scalars, 'record is', 'records are')} no object, which many readers refuse")
    return notes


class _Scanner:
    """Takes text piece by piece and gives the values that are whole."""

    def __init__(self, file: JsonlFile) -> None:
        self._file = file
        self._text = ""
        self._line = 1  # of the first character held
        # A value that was cut is tried again when so many characters are held, or when a line closes it where it began.
        self._wanted = 0
        self._closings = ("}", "]")
        self._array = 0  # the line that the open array begins on
        self._skipping = False  # up to the end of a bad line
        self._changed = False
        decoder: Any = json.JSONDecoder(
            object_pairs_hook=_no_duplicates, parse_constant=self._no_number, parse_float=self._float
        )
        self._scan = decoder.scan_once

    def feed(self, text: str | None, ends: bool) -> Iterator[Value]:
        """The values that `text` makes whole; it `ends` its line, or goes on in the next piece."""
        if text is None:
            self._undecodable(ends)
            return
        if self._skipping:
            self._skipping = not ends
            self._line += ends
            return
        self._text = self._text + text if self._text else text
        if len(self._text) >= self._wanted or text.startswith(self._closings):
            yield from self._values(last=False, ends=ends)

    def finish(self) -> Iterator[Value]:
        """The values that the end of the text makes whole."""
        yield from self._values(last=True, ends=True)
        if self._array:
            self._file.bad(self._array, "the array that opens here is never closed: the file is cut off", "[")
            self._array = 0

    def _values(self, last: bool, ends: bool) -> Iterator[Value]:
        text, place = self._text, 0
        while True:
            start = _BETWEEN.match(text, place).end()  # type: ignore[union-attr]
            self._line += text.count("\n", place, start)
            place = start
            if place == len(text):
                break
            if self._array and text[place] == "]":
                self._array, place = 0, place + 1
                continue
            if text[place] == "[" and not self._array:
                inner = _SPACE.match(text, place + 1).end()  # type: ignore[union-attr]
                if inner == len(text) and not last:
                    break
                if text[inner : inner + 1] in ("{", "]"):
                    self._array = self._line
                    place += 1
                    continue
            self._changed = False
            try:
                value, end = self._scan(text, place)
            except RecursionError:
                place = self._skip(text, place, "is nested too deeply for most readers")
                continue
            except _RepeatedKeyError as error:
                place = self._skip(text, place, str(error))
                continue
            except (json.JSONDecodeError, StopIteration) as error:
                if not last and _is_cut(text, error, ends):
                    break
                place = self._skip(text, place, _reason(error))
                continue
            except ValueError:  # Python's own limit for integers, 4,300 digits
                place = self._skip(text, place, "holds a number of thousands of digits")
                continue
            if end == len(text) and not ends and text[place] not in '{["':
                break
            yield self._made(text[place:end], value)
            self._line += text.count("\n", place, end)
            place = end
        indent = text[text.rfind("\n", 0, place) + 1 : place] if place < len(text) else ""
        self._closings = (f"{indent}}}", f"{indent}]")
        self._text = text[place:]
        self._wanted = int(len(self._text) * _GROWTH)

    def _made(self, text: str, value: Any) -> Value:
        line = self._line
        if self._changed:
            text = _NUMBERS.sub(_number, text)
        if "\\ud" in text or "\\uD" in text:
            text = _ESCAPE.sub(self._surrogate, text)
            value = json.loads(text)
        if "\n" in text or "\r" in text:
            # No string holds a line end, so blanks at the edges of lines are layout.
            text = "".join(map(str.strip, text.split("\n")))
        if type(value) is not dict:
            self._file.scalars += 1
        return Value(line, text, value)

    def _skip(self, text: str, place: int, reason: str) -> int:
        """Report the line at `place` as bad; returns where the next one begins."""
        end = text.find("\n", place)
        self._file.bad(self._line, reason, text[place : end if end >= 0 else len(text)].rstrip("\r"))
        if end < 0:
            self._skipping = True
            return len(text)
        self._line += 1
        return end + 1

    def _undecodable(self, ends: bool) -> None:
        self._line += self._text.count("\n")
        self._text, self._wanted = "", 0
        if not self._skipping:
            self._file.bad(self._line, "is no UTF-8 text", "")
        self._skipping = not ends
        self._line += ends

    def _no_number(self, _: str) -> None:
        self._changed = True
        self._file.no_numbers += 1

    def _float(self, text: str) -> float | None:
        number = float(text)
        if math.isinf(number):
            self._no_number(text)
            return None
        return number

    def _surrogate(self, match: re.Match[str]) -> str:
        if match[1]:
            return str(json.loads(f'"{match[0]}"'))
        if match[2]:
            self._file.lone += 1
            return "\\ufffd"
        return match[0]


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        seen: set[str] = set()
        for key, _ in pairs:
            if key in seen:
                raise _RepeatedKeyError(f"duplicate key {json.dumps(key)}")
            seen.add(key)
    return made


def _number(match: re.Match[str]) -> str:
    token = match[0]
    if token[0] == '"' or (token[-1] not in "Ny" and not math.isinf(float(token))):
        return token
    return "null"


def _is_cut(text: str, error: json.JSONDecodeError | StopIteration, ends: bool) -> bool:
    """Whether a value failed because the rest of it has not been read: then the error stands at the very end."""
    if isinstance(error, StopIteration):
        place = error.value
    elif error.msg.startswith(("Unterminated string", "Invalid \\")):
        return not ends
    else:
        place = error.pos
    held = text.rstrip(" \t\r\n")
    # Half a word ("tru") or number fails where it begins.
    return place >= len(held) or (not ends and len(held) - place < len("-Infinity"))


def _reason(error: json.JSONDecodeError | StopIteration) -> str:
    if isinstance(error, StopIteration):
        return "is no JSON"
    return f"is no JSON ({error.msg[0].lower()}{error.msg[1:]}, character {error.colno})"
