"""What stands before the text of other tools' markdown: a block of YAML or TOML with title, author and language.

Read for these three alone, in the plain forms that pandoc, static sites and converters write; no YAML in full.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

# Lines. No front matter is longer; an opening rule without an end is a rule.
_LONGEST = 200
_CLOSING = {"---": ("---", "..."), "+++": ("+++",)}
_ENTRY = re.compile(r"([A-Za-z][\w.-]*)\s*[:=](?:\s+(.*))?$")
_ITEM = re.compile(r"\s*-\s+(?:name\s*:\s*)?(.+)$")
_NAME = re.compile(r"\s+name\s*:\s*(.+)$")
_BOOK = {"title": "title", "author": "author", "authors": "author", "creator": "author"}
_BOOK |= {"lang": "language", "language": "language"}


@dataclass(frozen=True, slots=True)
class Front:
    """How many lines the block takes, 0 for none, and what it says of the book."""

    lines: int
    book: Mapping[str, str]


def read_front(lines: Sequence[str]) -> Front:
    """The block at the head of a file's lines."""
    closing = _CLOSING.get(lines[0].rstrip()) if lines else None
    if not closing:
        return Front(0, {})
    end = next((i for i, line in enumerate(lines[1:_LONGEST], start=1) if line.rstrip() in closing), 0)
    inner = [line for line in lines[1:end] if line.strip() and not line.lstrip().startswith("#")]
    if not inner or not _ENTRY.match(inner[0]):
        return Front(0, {})
    return Front(end + 1, _book(inner))


def _book(lines: Sequence[str]) -> Mapping[str, str]:
    book: dict[str, str] = {}
    for at, line in enumerate(lines):
        entry = _ENTRY.match(line)
        key = _BOOK.get(entry[1].lower()) if entry else None
        if entry and key and key not in book:
            below = [text for text in _below(lines[at + 1 :]) if text.strip()]
            if value := _value((entry[2] or "").strip(), below):
                book[key] = value
    return book


def _below(lines: Sequence[str]) -> list[str]:
    """The lines that belong to the entry above them: indented ones and items of a list."""
    end = next((i for i, line in enumerate(lines) if not line.startswith((" ", "\t", "- "))), len(lines))
    return list(lines[:end])


def _value(text: str, below: Sequence[str]) -> str:
    if text.startswith("[") and text.endswith("]"):
        return ", ".join(filter(None, (_unquote(part) for part in text[1:-1].split(","))))
    if text in ("", "|", ">", "|-", ">-"):
        found = [match for line in below if (match := _ITEM.match(line) or _NAME.match(line))]
        if found:
            return ", ".join(filter(None, (_unquote(match[1]) for match in found)))
        return " ".join(line.strip() for line in below) if text else ""
    return _unquote(text)


def _unquote(text: str) -> str:
    text = text.strip()
    if len(text) > 1 and text[0] == text[-1] == '"':
        return text[1:-1].replace('\\"', '"').strip()
    if len(text) > 1 and text[0] == text[-1] == "'":
        return text[1:-1].replace("''", "'").strip()
    return text.split(" #")[0].strip()
