"""Repair of a whole plain text: what `repair` does for blocks, for paragraphs that blank lines part."""

import re
from dataclasses import dataclass, replace

from bookblend.clean.characters import controls
from bookblend.clean.mojibake import mojibake
from bookblend.clean.repair import Repaired, RepairOptions, repair
from bookblend.markdown import MarkdownBlock

_BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")


@dataclass(frozen=True, slots=True)
class CleanText:
    """A repaired text, ending in "\\n" where it is not empty, and what was done (ordinals count its paragraphs)."""

    text: str
    repaired: Repaired


def clean_text(text: str, options: RepairOptions | None = None) -> str:
    """The repaired text: paragraphs parted by one blank line, their lines kept. See `repair_text` for the record."""
    return repair_text(text, options).text


def repair_text(text: str, options: RepairOptions | None = None) -> CleanText:
    """Repair a plain text of any origin (see `repair`); "#" has no meaning in it.

    Raises `ExpectationError` for a replacement whose text is not found as often as it says.
    """
    options = options or RepairOptions()
    settled, counts = text, {}
    # Line ends of every kind must be settled before paragraphs can be told apart, and mojibake before controls.
    for name, function in (("mojibake", mojibake), ("controls", controls)):
        if name not in options.skip and (changed := function(settled)) != settled:
            settled, counts[name] = changed, 1
    paragraphs = [part.strip("\n") for part in _BLANK_LINES.split(settled)]
    blocks = [MarkdownBlock(0, part) for part in paragraphs if part.strip()]
    repaired = repair(blocks, options)
    repaired = replace(repaired, counts={**counts, **repaired.counts})
    body = "\n\n".join(block.text for block in repaired.blocks)
    return CleanText(body + "\n" if body else "", repaired)
