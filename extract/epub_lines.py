"""From the raw text of a block, with its line breaks, to the pieces it makes: one line, lines of verse, paragraphs.

The rules for `<br/>` were settled on real books: verse keeps its lines; two breaks part paragraphs; long lines parted
by single breaks are paragraphs too (books of `div` and `br` only); a short break inside prose is a blank.
"""

import re

from bookblend.extract.epub_blocks import BREAK, LINE

# Characters. A line of verse is rarely longer; a line over it that a break ends is a paragraph of prose.
LONG_LINE = 120
# This many short lines in a row are set by line on purpose (an address, a list, verse nobody marked as verse).
FEW_LINES = 3

_EDGES = re.compile(f"\\s*{LINE}[\\s{LINE}]*")
_BESIDE_BREAK = re.compile(f"{LINE}*{BREAK}{LINE}*")
_PARAGRAPH_BREAK = re.compile(f"{BREAK}\\s*{BREAK}[\\s{BREAK}]*")


def one_line(text: str) -> str:
    """The text on one line: breaks and all runs of blanks as one blank."""
    return " ".join(text.replace(BREAK, " ").replace(LINE, " ").split())


def split_paragraphs(text: str) -> list[list[str]]:
    """The paragraphs of a block, each as its lines; runs of blanks as one, no empty line, no empty paragraph."""
    text = _BESIDE_BREAK.sub(BREAK, _EDGES.sub(LINE, text)).strip(LINE).replace(LINE, BREAK)
    paragraphs = []
    for part in _PARAGRAPH_BREAK.split(text):
        lines = [line for raw in part.split(BREAK) if (line := " ".join(raw.split()))]
        if lines:
            paragraphs.append(lines)
    return paragraphs


def arrange(lines: list[str], *, verse: bool, quote: bool) -> list[str]:
    """The pieces that the lines of one paragraph make: texts, lines of verse parted by "\\n"."""
    if len(lines) < 2:
        return lines
    if verse:
        return ["\n".join(lines)]
    if max(map(len, lines)) > LONG_LINE:
        return lines
    if len(lines) >= FEW_LINES or quote:
        return ["\n".join(lines)]
    return [" ".join(lines)]
