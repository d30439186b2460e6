"""Texts in one form: "\\n" ends, no blanks at line ends, one blank line where there were more, no byte order marks."""

import re

# What counts as blank at a line's end: the space, tabs, the no-break and the ideographic space.
_BLANKS = " \t\x0b\x0c\xa0\u3000"
# So many blanks at line ends are taken off one by one by replacing, which is fastest; more, line by line.
_PASSES = 4
# (Six times as fast as replacing, which copies the text once a pass.)
_BLANK_LINES = re.compile("\n\n\n+")
_MARK = "\ufeff"
_DOS_END = "\x1a"


def normalise(text: str) -> str:
    """The text in the form that all documents have; blank lines at its ends go."""
    text = line_ends(text)
    if _DOS_END in text[-1024:]:
        text = text.rstrip(_DOS_END + "\n" + _BLANKS)
    text = _without_blanks(text)
    return one_blank_line(text)


def one_blank_line(text: str) -> str:
    """The text with one blank line where there were more, and none at its ends; blanks alone are no text."""
    text = _BLANK_LINES.sub("\n\n", text)
    return "" if text.isspace() else text.strip("\n")


def line_ends(text: str) -> str:
    """The text with "\\n" ends and without byte order marks."""
    if _MARK in text:
        text = text.replace(_MARK, "")
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def _without_blanks(text: str) -> str:
    # (One sign is looked for ten times as fast as two.)
    found = [blank for blank in _BLANKS if blank in text and blank + "\n" in text]
    passes = 0
    while found:
        if passes == _PASSES:
            return "\n".join([line.rstrip(_BLANKS) for line in text.split("\n")])
        for blank in found:
            text = text.replace(blank + "\n", "\n")
        passes += 1
        found = [blank for blank in _BLANKS if blank in text and blank + "\n" in text]
    return text.rstrip(_BLANKS)
