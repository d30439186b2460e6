"""JSON as every stage writes it: UTF-8, "\\n" ends, keys in the order given, no NaN, one line safe for any reader."""

import json
from typing import Any

# Line separators that are legal inside JSON strings but split a record in readers that use Unicode line ends
# (`str.splitlines`). Written as escapes: the same text, one line for everybody.
_SPLITTERS = {0x85: "\\u0085", 0x2028: "\\u2028", 0x2029: "\\u2029"}


def escape_splitters(text: str) -> str:
    """JSON text with the line separators inside its strings as escapes."""
    return text.translate(_SPLITTERS)


def dump_line(value: Any) -> str:
    """One record as one line of strict JSON, with its "\\n"."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False).translate(_SPLITTERS) + "\n"


def dump_pretty(value: Any) -> str:
    """A JSON document for people: indented by two, ending in a newline."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2).translate(_SPLITTERS) + "\n"
