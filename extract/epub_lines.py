"""From the raw text of a block, with its line breaks, to the pieces it makes: one line, lines of verse, paragraphs.

The rules for `<br/>` were settled on real books: verse keeps its lines; two breaks part paragraphs; long lines parted
by single breaks are paragraphs too (books of `div` and `br` only); a short break inside prose is a blank.
"""

import re
from collections.abc import Callable

from bookblend.extract.epub_blocks import BREAK, LINE

# Characters. A line of verse is rarely longer; a line over it that a break ends is a paragraph of prose.
LONG_LINE = 120
# This many short lines in a row are set by line on purpose (an address, a list, verse nobody marked as verse).
FEW_LINES = 3

# Soft hyphen, zero-width space, word joiner, byte order mark: layout, no text, and in real books by the thousand.
# (Zero-width joiners stay: Persian and Indic words need them.)
_INVISIBLE = ("\u00ad", "\u200b", "\u2060", "\ufeff")
# A hair's breadth between two quotation marks parts them for the eye only.
_QUOTES = "“”‘’«»‹›\"'"
# (The blank stands first in each pattern: that is what the engine looks for fast.)
_QUOTES_APART = {
    blank: re.compile(f"{blank}(?<=[{_QUOTES}]{blank})(?=[{_QUOTES}])") for blank in "\u2009\u200a\u202f\u00a0"
}
# All that `str.split` takes for blanks beyond ASCII, the commonest first.
_BLANKS = tuple(
    "\u00a0\u200a\u2009\u202f\u3000\u2003\u2002\u2000\u2001\u2004\u2005\u2006\u2007\u2008\u2028\u2029\u205f\u1680\u0085"
)


def squeeze(text: str) -> str:
    """The text on one line: no blanks around it, one for every run of them (of any kind) inside, nothing invisible.

    This is half the time of reading a book, so words are only taken apart where the blanks between them need it:
    looking for a character is twenty times as fast.
    """
    if not text.isascii():
        text = _plain_blanks(visible(text))
    if "  " in text or "\n" in text or "\t" in text or "\r" in text:
        return " ".join(text.split())
    return text.strip()


_ASCII = bytes(range(128))


def squeezer(markup: bytes) -> Callable[[str], str]:
    """`squeeze` for texts out of this markup (UTF-8): it looks only for what is in there.

    Few books have more than three of the two dozen characters that are looked for, and what a whole document has is
    cheaply told from its bytes beyond ASCII alone.
    """
    if b"&" in markup and b"&#" in markup:
        return squeeze
    present = set(markup.translate(None, _ASCII).decode("utf-8", "replace"))
    blanks = tuple(blank for blank in _BLANKS if blank in present)
    invisible = tuple(character for character in _INVISIBLE if character in present)

    def squeeze_these(text: str) -> str:
        for character in invisible:
            if character in text:
                text = text.replace(character, "")
        for blank in blanks:
            if blank in text:
                text = _without_blank(text, blank)
        if "  " in text or "\n" in text or "\t" in text or "\r" in text:
            return " ".join(text.split())
        return text.strip()

    return squeeze_these


def _plain_blanks(text: str) -> str:
    """The text with blanks of all kinds as plain ones; none where they only part quotation marks."""
    for blank in _BLANKS:
        if blank in text:
            text = _without_blank(text, blank)
    return text


def _without_blank(text: str, blank: str) -> str:
    """The text with plain blanks for these; nothing for those that only part quotation marks."""
    if (apart := _QUOTES_APART.get(blank)) is not None:
        text = apart.sub("", text)
    return text.replace(blank, " ")


def visible(text: str) -> str:
    """The text without characters that nobody sees."""
    for invisible in _INVISIBLE:
        if invisible in text:
            text = text.replace(invisible, "")
    return text


def one_line(text: str) -> str:
    """The text on one line: breaks and all runs of blanks as one blank."""
    return squeeze(text.replace(BREAK, " ").replace(LINE, " "))


def split_paragraphs(text: str, squeeze: Callable[[str], str] = squeeze) -> list[list[str]]:
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
