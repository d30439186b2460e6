"""The texts of a JSONL file of documents, read strictly: what another reader may take otherwise is refused."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bookblend.convert.streams import open_input
from bookblend.errors import InputError
from bookblend.files import check_source

_KEY = "text"
_MARK = b"\xef\xbb\xbf"


class _RepeatedKeyError(ValueError):
    pass


def read_texts(path: Path) -> Iterator[tuple[int, str]]:
    """Line number and text of each record of `path` (plain, gzip or zstd); blank lines are passed over.

    Raises `InputError` with file and line for what is no record with a text: no JSON, no UTF-8, a repeated key, no
    `text` or one that is no string, a lone surrogate in it.
    """
    check_source(path, may_be_empty=True)
    scan = json.JSONDecoder(object_pairs_hook=_no_duplicates).decode
    number = 0
    with open_input(str(path)) as stream:
        for raw in stream:
            number += 1
            if number == 1 and raw.startswith(_MARK):
                raw = raw[len(_MARK) :]
            if raw.isspace() or not raw:
                continue
            try:
                record = scan(raw.decode("utf-8"))
            except (ValueError, RecursionError) as error:
                raise InputError(f"{path}: line {number:,}: {_reason(error)}") from error
            text = record.get(_KEY) if isinstance(record, dict) else None
            if not isinstance(text, str):
                raise InputError(f'{path}: line {number:,}: has no "{_KEY}" that is a string')
            # Only an escape can make a lone surrogate: the bytes themselves are sound UTF-8.
            if b"\\ud" in raw or b"\\uD" in raw:
                _refuse_lone(path, number, text)
            yield number, text


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _RepeatedKeyError(f"the key {json.dumps(twice)} stands twice")
    return made


def _refuse_lone(path: Path, number: int, text: str) -> None:
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise InputError(f"{path}: line {number:,}: the text holds a lone surrogate, which is no character") from error


def _reason(error: Exception) -> str:
    if isinstance(error, _RepeatedKeyError):
        return str(error)
    if isinstance(error, UnicodeDecodeError):
        return f"is no UTF-8 (byte {error.start + 1:,} of the line)"
    if isinstance(error, json.JSONDecodeError):
        return f"is no JSON ({error.msg[0].lower()}{error.msg[1:]}, character {error.colno:,})"
    return f"cannot be read ({error})"
