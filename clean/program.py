"""Signs that a line is program text, a command or a table's row: what no scanner makes of specks and edges.

Asked only of lines that look like noise by their tokens, in markdown where code is not marked as such.
"""

import re
from collections.abc import Sequence

# A name in the line: letters with a vowel among them. Signs alone are what noise is made of.
_NAME = re.compile(r"(?=[^\W\d_]*[aeiouy])[^\W\d_]{3,}", re.IGNORECASE)
_SIGNS = re.compile(
    "|".join(
        (
            r"(?:^|\s)--[a-z][\w-]+",  # an option by its name
            r"(?:^|\s)-[a-z] [\"'$./]",  # an option with its value
            r"^\s*(?:\d+ +)?[$#%>] +[a-z./~]\S",  # a prompt and a command
            r"\w ?\(\)",  # a call
            r"\w[\w.~-]*/[\w.~*-]+/[\w.~*-]|(?:^|[\s\"'])[.~]{0,2}/\w{2,}|[A-Za-z]{3}/[A-Za-z]{3}",  # a path
            r"\b[A-Za-z_]\w*=[\w\"'$./({\[<-]",  # name=value
            r"\b[A-Za-z_][\w.]{2,} *(?:[-+*/|:?]=|==|!=|->|=>) *\S",
            r"\((?:[<>]?=|<<|>>) ?\d",  # a version asked for
            r"[A-Za-z]_[A-Za-z]",  # an_identifier
            r"[A-Za-z]{3}[\w)\]\"']*(?:[{};]| \{)$| \\$",  # a block, a statement, a line that goes on
            r"^\s*(?:#[,:!]?|//|/\*|;;) ?[\w-]{3,}",  # a comment
            r"\w\\[nt]\b|\\[nt][\"']",  # an escape
            r"\w\[\w+\]|\]\[",  # an index
            r"[`|+├└][-─]{2,} ?\w|\w +-{2,}\+|\+-{2,}",  # a tree, a diagram
        )
    )
)
# These need no name beside them: $(prefix), ${HOME}, $@.
_VARIABLE = re.compile(r"\$\(\w+\)|\$\{\w+\}|(?:^|\s)\$@")
# Between the cells of a row.
_BAR = re.compile(r"(?:^|\s)\|(?:\s|$)")
_WORD = re.compile(r"[^\W\d_]{3,}|\d")
_CELLS = 2
_BLANK = " \t-–—.…"
# Characters of a line that are looked at: a line of code is shorter, a damaged text may have one of megabytes.
_REACH = 300


def is_program(line: str) -> bool:
    """Whether a line shows a sign of program text and a name beside it, in as much of it as is looked at."""
    head = line[:_REACH]
    return bool(_VARIABLE.search(head) or (_NAME.search(head) and _SIGNS.search(head)))


def is_row(line: str) -> bool:
    """Whether a line has cells between bars, at least two with a word or figure and the others empty or dashes."""
    cells = [cell for cell in _BAR.split(line) if cell.strip(_BLANK)] if "|" in line else []
    return len(cells) >= _CELLS and all(map(_WORD.search, cells))


def is_table(lines: Sequence[str]) -> bool:
    """Whether the lines of one block are rows of a table: each has a bar between cells, and one is surely a row."""
    return len(lines) > 1 and all(_BAR.search(line) for line in lines) and any(map(is_row, lines))
