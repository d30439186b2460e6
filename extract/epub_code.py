"""Preformatted text: its lines as they are, without the line numbers that tools print beside code."""

import re
from typing import Any

from lxml import etree

from bookblend.extract.epub_elements import kind_of
from bookblend.extract.epub_lines import visible
from bookblend.extract.epub_vocabulary import Role, class_facts

# What stands in a column of line numbers.
_ONLY_NUMBERS = re.compile(r"[\d\s.:|]*")
_LINE_ROLES = frozenset({Role.PARAGRAPH, Role.BLOCK, Role.TABLE, Role.PREFORMATTED})
# The edge of a block ends the line before it, with whatever blanks lie between that edge and the next line or edge.
_EDGE = "\x04"
_EDGES = re.compile(f"(?:\n[ \t]*)?{_EDGE}(?:[ \t\n]*{_EDGE})*\n?")
# Cells of one line of code.
_BESIDE = frozenset({"td", "th"})


def is_line_numbers(node: Any) -> bool:
    """Whether an element is called line numbers and holds nothing else."""
    return class_facts(node.get("class") or "").line_numbers and bool(_ONLY_NUMBERS.fullmatch("".join(node.itertext())))


def code_of(element: Any) -> tuple[str, str]:
    """The text of a preformatted element and the line numbers taken out of it, blanks as one.

    Lines end at line ends, at `<br/>` and at the edges of blocks inside; blank ones stay between others, blanks stay
    at a line's start. A hard blank is one that somebody indented with.
    """
    parts: list[str] = []
    numbers: list[str] = []
    _read(element, parts, numbers)
    text = _EDGES.sub("\n", "".join(parts).replace("\r\n", "\n").replace("\u00a0", " "))
    lines = [visible(line).rstrip() for line in text.split("\n")]
    return "\n".join(lines).strip("\n"), " ".join(" ".join(numbers).split())


def has_lines(element: Any) -> bool:
    """Whether a preformatted element has several lines."""
    return "\n" in code_of(element)[0]


def _read(element: Any, parts: list[str], numbers: list[str]) -> None:
    def write(text: str | None) -> None:
        if text:
            parts.append(text)

    walk = etree.iterwalk(element, events=("start", "end"))
    for event, node in walk:
        role, tag = kind_of(node)
        edge = _EDGE if node is not element and role in _LINE_ROLES and tag not in _BESIDE else ""
        if event == "end":
            write(edge + (node.tail or "") if node is not element else "")
        elif role is Role.SKIP:
            walk.skip_subtree()
        elif node is not element and is_line_numbers(node):
            numbers.append("".join(node.itertext()))
            walk.skip_subtree()
        else:
            write("\n" if role is Role.BREAK else edge + (node.text or ""))
