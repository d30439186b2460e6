"""Where records begin: at the chapter tier, or at the headings a pattern names.

Whatever the rule, every block of the slice is in exactly one record:
- text before the first opening is a record of its own; heading lines alone before it belong to the first record
- a record is never empty: it holds at least the block that opened it
"""

import re
from collections.abc import Callable, Sequence

from bookblend.build.headings import is_label, is_number, plain, typed
from bookblend.errors import ExpectationError, UsageError
from bookblend.markdown import MarkdownBlock


def compile_pattern(pattern: str) -> re.Pattern[str]:
    """The pattern, case-insensitive. Raises `UsageError` with the position of what is wrong with it."""
    try:
        return re.compile(pattern, re.IGNORECASE)
    except re.error as error:
        at = f" at character {error.pos + 1}" if error.pos is not None else ""
        raise UsageError(f"--pattern '{pattern}': no regular expression: {error.msg}{at}") from error


def split(blocks: Sequence[MarkdownBlock], pattern: re.Pattern[str] | None) -> list[range]:
    """The records of a body as ranges of its blocks, in order and without gaps; none for an empty body.

    Without a pattern records open at `#` headings, consecutive ones together, but a line that is only a number
    always opens a new one. With one, every heading of any tier opens a record where the pattern matches at its start.
    Raises `ExpectationError` where a pattern matches no heading.
    """
    if not blocks:
        return []
    opens = _opens_by_pattern(blocks, pattern) if pattern else _opens_by_tier(blocks)
    openings = [i for i in range(len(blocks)) if opens(i)]
    if pattern and not openings:
        raise ExpectationError(f"--pattern '{pattern.pattern}' matches no heading; {_some_headings(blocks)}")
    if not openings or any(not block.level for block in blocks[: openings[0]]):
        openings.insert(0, 0)
    else:
        openings[0] = 0
    return [range(a, b) for a, b in zip(openings, [*openings[1:], len(blocks)], strict=True)]


def opening_lines(blocks: Sequence[MarkdownBlock], pattern: re.Pattern[str] | None) -> range:
    """Which of a record's blocks are its heading: the lines that opened it and those that flow on from them.

    By tier these are the consecutive `#` lines; by pattern the one line that matches. Where they only count
    ("Chapter 4"), the next heading line, of whatever tier, is the title and belongs to them. A record that nothing
    opened (text before the first opening) has its first line for a heading, if that is one.
    """
    run = next((i for i, block in enumerate(blocks) if not block.level), len(blocks))
    opens = _opens_by_pattern(blocks, pattern) if pattern else _opens_by_tier(blocks)
    first = next((i for i in range(run) if opens(i)), 0)
    last = min(first + 1, run)
    while not pattern and last < run and blocks[first].level == blocks[last].level == 1:
        last += 1
    if last < run and all(is_label(block.text) for block in blocks[first:last]):
        last += 1
    return range(first, last)


def _opens_by_tier(blocks: Sequence[MarkdownBlock]) -> Callable[[int], bool]:
    def opens(i: int) -> bool:
        if blocks[i].level != 1:
            return False
        return i == 0 or blocks[i - 1].level != 1 or is_number(blocks[i].text)

    return opens


def _opens_by_pattern(blocks: Sequence[MarkdownBlock], pattern: re.Pattern[str]) -> Callable[[int], bool]:
    def opens(i: int) -> bool:
        block = blocks[i]
        # As the book spells it, or with the quotes and dashes that a keyboard has.
        return bool(block.level and (pattern.match(plain(block.text)) or pattern.match(typed(block.text))))

    return opens


def _some_headings(blocks: Sequence[MarkdownBlock]) -> str:
    names = [f"'{plain(block.text)}'" for block in blocks if block.level]
    return f"its headings begin with {', '.join(names[:5])}" if names else "the text has no headings"
