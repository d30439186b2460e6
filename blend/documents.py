"""Texts into documents of a corpus: without packaging, normalised, closed by a line of the eos text."""

import re
from dataclasses import replace

from bookblend.blend.gutenberg import ALL_STEPS, Step, Stripped, strip_recipe_utf8, strip_utf8
from bookblend.blend.gutenberg_marks import drop_pages, drop_pictures
from bookblend.blend.normalise import DOS_END, from_utf8, line_ends_utf8, normalise_utf8, to_utf8

DEFAULT_EOS = "</s>"


def clean(text: str, recipe: bool = False) -> Stripped:
    """A text without packaging, normalised: by the full rules, or by the recipe's alone."""
    return clean_utf8(to_utf8(text), recipe)


def clean_utf8(data: bytes, recipe: bool = False, steps: frozenset[Step] = ALL_STEPS) -> Stripped:
    """The same of a text in UTF-8; `steps` are those that the full rules take."""
    if recipe:
        stripped = strip_recipe_utf8(line_ends_utf8(data))
        return replace(stripped, data=normalise_utf8(stripped.data))
    stripped = strip_utf8(normalise_utf8(data), steps)
    # What is left is normalised but for its ends: works are joined, and paragraphs dropped, whole.
    left = stripped.data.strip(b"\n")
    left = normalise_utf8(left) if left.endswith(DOS_END) else left
    left, pictures = drop_pictures(left) if Step.PICTURES in steps else (left, 0)
    left, pages = drop_pages(left) if Step.PAGES in steps else (left, 0)
    return stripped if len(left) == len(stripped.data) else replace(stripped, data=left, marks=pictures + pages)


def closed_utf8(data: bytes, eos: bytes, recipe: bool = False) -> bytes:
    """A document in UTF-8: its text, a line that holds exactly the eos text, a blank line.

    A line of the text that is the eos text itself is set in by a blank, so that it forges no boundary; the recipe
    leaves it.
    """
    if not recipe and holds(data, eos):
        data = to_utf8(stuffed(from_utf8(data), from_utf8(eos)))
    return b"%b\n%b\n\n" % (data, eos)


def holds(data: bytes, eos: bytes) -> bool:
    """Whether the eos text stands in a text."""
    # (One byte is looked for ten times as fast as several.)
    return eos[:1] in data and eos in data


def stuffed(text: str, eos: str) -> str:
    """A text in which no line is the eos text: lines of it, or of blanks and it, are set in by one blank more."""
    return re.sub(rf"(?m)^(?= *{re.escape(eos)}$)", " ", text) if eos in text else text


def unstuffed(text: str, eos: str) -> str:
    """The text that `stuffed` was given."""
    return re.sub(rf"(?m)^ (?= *{re.escape(eos)}$)", "", text) if eos in text else text
