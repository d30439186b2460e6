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

# Soft hyphen, zero-width space, word joiner, byte order mark: layout, no text, and in real books by the thousand.
# (Zero-width joiners stay: Persian and Indic words need them.)
_INVISIBLE = ("\u00ad", "\u200b", "\u2060", "\ufeff")
# A hair's breadth between two quotation marks parts them for the eye only.
_QUOTES_APART = re.compile("(?<=[“”‘’«»‹›\"'])[\u2009\u200a\u202f\u00a0](?=[“”‘’«»‹›\"'])")


def squeeze(text: str) -> str:
    """The text on one line: no blanks around it, one for every run of them (of any kind) inside, nothing invisible."""
    if text.isascii():
        if "  " not in text and "\n" not in text and "\t" not in text and "\r" not in text:
            return text.strip()
        return " ".join(text.split())
    text = visible(text)
    if "\u200a" in text or "\u2009" in text or "\u202f" in text or "\u00a0" in text:
        text = _QUOTES_APART.sub("", text)
    return " ".join(text.split())


def visible(text: str) -> str:
    """The text without characters that nobody sees."""
    for invisible in _INVISIBLE:
        if invisible in text:
            text = text.replace(invisible, "")
    return text


def one_line(text: str) -> str:
    """The text on one line: breaks and all runs of blanks as one blank."""
    return squeeze(text.replace(BREAK, " ").replace(LINE, " "))


def split_paragraphs(text: str) -> list[list[str]]:
    """The paragraphs of a block, each as its lines; runs of blanks as one, no empty line, no empty paragraph.

    A break ends a line, and one on an empty line the paragraph; the edge of a block ends a line that has text.
    """
    paragraphs: list[list[str]] = [[]]
    parts = text.split(BREAK)
    for number, part in enumerate(parts):
        lines = [line for raw in part.split(LINE) if (line := squeeze(raw))]
        if not lines and 0 < number < len(parts) - 1:
            paragraphs.append([])
        paragraphs[-1] += lines
    return [lines for lines in paragraphs if lines]


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
