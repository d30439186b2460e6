"""CSV as people write it: rows of strings, with every departure from the standard said or refused with its place.

Quotes are RFC 4180's (doubled inside); a quotation mark inside an unquoted field is a character. Rows end at LF, CR or
CRLF, mixed as they may be; inside quotes line ends are kept as they are. One pass, a row in memory at a time.
"""

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import BinaryIO

from bookblend.convert.encodings import Peeked, detect, undecodable
from bookblend.convert.streams import PIECE, label
from bookblend.errors import InputError
from bookblend.talk import counted

# A field or a line may have this many characters; longer ones are an open quotation mark, or no CSV.
MOST_CHARACTERS = 64 << 20
DELIMITERS = (",", ";", "\t", "|")
# Bytes decoded at once.
_CHUNK = 1 << 18
# Rows of the beginning by which delimiters are compared.
_SAMPLE_ROWS = 50
# Of two signs that part the rows alike the one is taken that is less often punctuation.
_PROSE_WEIGHT = 0.5
_DECIMAL = re.compile(r"(?<=\d),(?=\d)")
_NAMES = {",": "comma", ";": "semicolon", "\t": "tab", "|": "vertical bar"}


@dataclass(slots=True)
class CsvFile:
    """A CSV file being read: how it is read, and what was noticed on the way.

    row     the number of the row last read, from 1, blank ones not counted;  line: the line it begins on
    blank   rows without any character, which are no rows
    padding lines of NUL characters alone, as cut-off writes leave behind
    """

    name: str
    encoding: str
    delimiter: str
    notes: list[str] = field(default_factory=list)
    row: int = 0
    line: int = 0
    blank: int = 0
    padding: int = 0

    def where(self) -> str:
        """The place of the row last read, as errors name it."""
        return f"{label(self.name)}: row {self.row} (line {self.line})"


def read_csv(
    stream: BinaryIO, name: str, encoding: str = "", delimiter: str = ""
) -> tuple[CsvFile, Iterator[list[str]]]:
    """What a CSV file is, and its rows; "" for encoding or delimiter: told by the first megabyte.

    The rows raise `InputError` with row and line for what cannot be read.
    """
    peeked = Peeked(stream)
    encoding = encoding or detect(peeked.sample, peeked.whole)
    sample = peeked.sample.decode(encoding, errors="ignore")
    notes = []
    if encoding not in ("utf-8", "utf-8-sig"):
        notes.append(f"encoding {encoding}")
    if not delimiter:
        delimiter = sniff(sample, name)
        if delimiter != ",":
            notes.append(f"delimiter {_NAMES[delimiter]}")
    file = CsvFile(name, encoding, delimiter, notes)
    return file, _rows(file, peeked)


def sniff(sample: str, name: str = "") -> str:
    """The delimiter of a text that begins with `sample`: the one that parts most rows into equally many fields and is
    least often punctuation.

    A comma where nothing parts them (one column); a tab in a `.tsv` file where others do as well.
    """
    order = sorted(DELIMITERS, key=lambda sign: sign != "\t") if ".tsv" in name else DELIMITERS
    best, most = ",", 0.0
    for sign in order:
        rows = _sample_rows(sample, sign)
        widths = [len(row) for row in rows]
        if not widths or widths[0] < 2:
            continue
        score = widths.count(widths[0]) / len(widths) * (1 - _PROSE_WEIGHT * _prose_share(sample, sign))
        if score > most:
            best, most = sign, score
    return best


def _prose_share(sample: str, sign: str) -> float:
    """How many of a sign's occurrences look like punctuation: a blank behind it, or a comma between two figures."""
    count = sample.count(sign)
    prose = sample.count(sign + " ") + (len(_DECIMAL.findall(sample)) if sign == "," else 0)
    return min(prose / count, 1.0) if count else 0.0


def _sample_rows(sample: str, sign: str) -> list[list[str]]:
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(sample, newline=""), delimiter=sign):
            if row:
                rows.append(row)
            if len(rows) > _SAMPLE_ROWS:
                break
    except csv.Error:
        pass
    return rows[:-1] if len(rows) > 1 else rows  # the last one may be cut


def _rows(file: CsvFile, peeked: Peeked) -> Iterator[list[str]]:
    csv.field_size_limit(MOST_CHARACTERS)
    text = io.TextIOWrapper(io.BufferedReader(peeked, PIECE), encoding=file.encoding, newline="")
    text._CHUNK_SIZE = _CHUNK  # type: ignore[attr-defined]  # (its 8 KB cost a tenth of the time)
    # Strict: an open quotation mark at the end, and text behind a closing one, are errors and not guessed at.
    reader = csv.reader(_lines(file, text), delimiter=file.delimiter, strict=True)
    opened = 1  # the line that the row being read begins on
    try:
        for row in reader:
            if row:
                file.row += 1
                file.line = opened
                yield row
            else:
                file.blank += 1
            opened = reader.line_num + 1
    except csv.Error as error:
        raise InputError(f"{label(file.name)}: row {file.row + 1} (line {opened}): {_reason(error)}") from error
    except UnicodeError as error:
        raise undecodable(file.name, file.encoding, f"line {reader.line_num + 1} or soon after", error) from error


def _lines(file: CsvFile, text: io.TextIOWrapper) -> Iterator[str]:
    for number, line in enumerate(iter(partial(text.readline, MOST_CHARACTERS), ""), 1):
        if len(line) == MOST_CHARACTERS:
            raise InputError(
                f"{label(file.name)}: line {number} is longer than {MOST_CHARACTERS >> 20} MB; is it a CSV?"
            )
        if line[0] == "\0" and not line.strip("\0\r\n"):
            file.padding += 1
        else:
            yield line


def _reason(error: csv.Error) -> str:
    text = str(error)
    if "end of data" in text:
        return "a quotation mark opens a field here and nothing closes it; double the quotation marks inside fields"
    if "field limit" in text:
        return f"a field is longer than {MOST_CHARACTERS >> 20} MB, most likely by a quotation mark that nothing closes"
    if "expected after" in text:
        return "text stands behind a closing quotation mark; double the quotation marks inside fields"
    return text


def keyed(file: CsvFile, rows: Iterator[list[str]]) -> tuple[list[str], Iterator[list[str]]]:
    """The keys that the first of the rows gives, and the others, each as long; what was renamed is noted.

    The rows raise `InputError` with the row's number where one has not as many columns as the header.
    """
    names, renamed = column_names(next(rows, []))
    file.notes += renamed
    return names, _even(file, rows, len(names))


def _even(file: CsvFile, rows: Iterator[list[str]], width: int) -> Iterator[list[str]]:
    for row in rows:
        if len(row) != width:
            raise InputError(
                f"{file.where()}: has {counted(len(row), 'column')} where the header has {width}; mend the row, or "
                "quote fields that hold the delimiter"
            )
        yield row


def column_names(header: Sequence[str]) -> tuple[list[str], list[str]]:
    """Keys for the columns of a header, no two alike and none empty, and a note for each that is not as it stood.

    Blanks around names go; an empty one becomes "column_3"; a repeated one gets a number: "text", "text_2".
    """
    names: list[str] = []
    notes: list[str] = []
    bare = [name.strip() for name in header]
    counts = Counter(bare)
    for place, (name, stood) in enumerate(zip(bare, header, strict=True), 1):
        key = name or f"column_{place}"
        number = 2
        while key in names or (key != name and key in counts):
            key = f"{name or f'column_{place}'}_{number}"
            number += 1
        names.append(key)
        if not name:
            notes.append(f"column {place} of the header has no name: {key!r}")
        elif key != name:
            notes.append(f"duplicate name {name!r} in the header: column {place} is {key!r}")
        elif stood != name:
            notes.append(f"blanks around the name of column {place} in the header are gone: {name!r}")
    return names, notes


def csv_notes(file: CsvFile) -> list[str]:
    """How a file was read where that is not the usual way, and what was left out of it."""
    notes = list(file.notes)
    if file.padding:
        notes.append(f"{counted(file.padding, 'line')} of NUL characters alone left out")
    if file.blank:
        notes.append(f"{counted(file.blank, 'blank line')} left out")
    return notes
