"""Page numbers: what a text says that is nothing but one, and the numbers at the ends of running heads."""

import re

from bookblend.extract.labels import roman_value

# Heights this many points apart are one height: less than any distance of two lines.
SAME_HEIGHT = 3.0
# Sizes this many points apart are one size: designs part theirs by half a point at least.
SAME_SIZE = 0.4
# A number set larger than the body by more points than this is a chapter's number, not a folio.
FOLIO_EXCESS = 2.0
# Rows at one height whose number keeps its distance to the page count: so many are no chance.
COUNTED_ROWS = 5

_ROMAN = re.compile(r"m{0,3}(?:cm|cd|d?c{0,3})(?:xc|xl|l?x{0,3})(?:ix|iv|v?i{0,3})$", re.IGNORECASE)
_FOLIO = re.compile(
    r"[\W_]*(?:(?:page|p|seite|s|página|pagina|pág|pag|стр)[.\s]*)?(\d{1,4}|[ivxlcdm]{1,9})(?:\s*(?:of|/|von|de|из)\s*\d+)?[\W_]*$",
    re.IGNORECASE,
)
# A folio and the head's first or last word without a blank between them.
_GLUED_FOLIO = re.compile(r"(?<=^\d)(?=[^\W\d_]{2})|(?<=^\d\d)(?=[^\W\d_]{2})|(?<=^\d\d\d)(?=[^\W\d_]{2})")
_OF_TOTAL = re.compile(r"\b(\d{1,4})\s*(?:of|/|von|de|из)\s*\d+\W*$", re.IGNORECASE)
_DIGIT = re.compile(r"\d")
# A row's words, and the number at one of its ends: ("arabic" | "roman", value).
Reading = tuple[str, tuple[str, int] | None]


def page_number(text: str) -> tuple[str, int] | None:
    """The number of a text that is nothing but a page number: ("arabic", 12), ("roman", 4), or None."""
    match = _FOLIO.match(text.strip())
    if not match:
        return None
    token = match[1]
    if token.isdigit():
        return "arabic", int(token)
    return ("roman", roman_value(token)) if _ROMAN.match(token) else None


def split_counter(text: str) -> tuple[Reading, Reading | None]:
    """A row's words and the page number that closes or opens it: "12 THE LEDGER" is ("theledger", 12).

    Where numbers stand at both ends, the second reading is the one by the first number.
    """
    counter = page_number(text)
    if not _DIGIT.search(text):  # most rows: lines of the text
        return (("", counter) if counter else (fold(text), None)), None
    of = _OF_TOTAL.search(text)
    if counter is None and of and (counter := page_number(of[1])):
        return (fold(text[: of.start()]), counter), None
    if counter is not None:
        return ("", counter), None
    tokens = _GLUED_FOLIO.sub(" ", text).split()
    readings: list[Reading] = []
    for end, rest in ((tokens[-1:], tokens[:-1]), (tokens[:1], tokens[1:])):
        if rest and any(map(str.isdigit, end[0])) and (counter := page_number(end[0])):
            readings.append((fold("".join(rest)), counter))
    readings = readings or [(fold("".join(tokens)), None)]
    return readings[0], readings[1] if len(readings) > 1 else None


def fold(text: str) -> str:
    """Letters and digits alone, in one case."""
    return "".join(filter(str.isalnum, text)).casefold()
