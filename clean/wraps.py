"""Words broken over line ends in blocks that keep the lines of a page, and broken words that a tool left on one line.

Which hyphens were put there by a line break is decided by the `Lexicon` (see `hyphens`). Lines stay lines: only the
rest of a broken word moves up. Suspended hyphens ("pre-" / "and post-war") stay at their line's end.
"""

import re

from bookblend.clean.hyphens import Hyphen, Lexicon
from bookblend.clean.vocabulary import HYPHENS, UNMET

_SOFT_HYPHEN = "\u00ad"
_AT_LINE_END = re.compile(f"[{_SOFT_HYPHEN}{HYPHENS}][ \t]*\n")
# "remem- ber" on one line: what is left where lines were joined without a look at their hyphens.
_INSIDE = re.compile(f"(?<=[^\\W\\d_])[{HYPHENS}] (?=[^\\W\\d_])")
_WORD_BEFORE = re.compile(r"[^\W\d_]+$")
_WORD_AFTER = re.compile(r"[^\W\d_]+")
# No word part is longer; keeps the search linear in texts without blanks.
_REACH = 64


def wraps(text: str, lexicon: Lexicon) -> str:
    """`text` with the words made whole that a line break, or a former one, has broken."""
    if "\n" in text and _AT_LINE_END.search(text):
        text = _join_lines(text.split("\n"), lexicon)
    return _join_inside(text, lexicon) if any(f"{hyphen} " in text for hyphen in HYPHENS) else text


def _join_lines(lines: list[str], lexicon: Lexicon) -> str:
    done: list[str] = []
    parts = [lines[0]]  # of the line being made: joining piece by piece would copy it each time
    for line in lines[1:]:
        stripped = line.lstrip()
        first, _, rest = stripped.partition(" ")
        above = parts[-1].rstrip()
        between = _between(above, first, lexicon) if first and "|" not in above else None
        if between is None:
            done.append("".join(parts))
            parts = [line]
            continue
        parts[-1:] = [above[:-1], between + first]
        if rest:
            done.append("".join(parts))
            parts = [line[: len(line) - len(stripped)] + rest.lstrip()]
    return "\n".join([*done, "".join(parts)])


def _between(above: str, first: str, lexicon: Lexicon) -> str | None:
    """What takes the place of the sign that ends the line above, None where the next token does not belong to it."""
    before = above[:-1]
    if not before or not before[-1].isalnum() or not first[0].isalnum():
        return None
    if above[-1] == _SOFT_HYPHEN:
        return ""
    if above[-1] not in HYPHENS:
        return None
    last = before[-_REACH:].rpartition(" ")[2]
    verdict = lexicon.judge(last, first)
    # "you be my-" / "Mar. What?": a dash for an interruption, not a word of two parts.
    broken_off = verdict is Hyphen.COMPOUND and first[0].isupper() and last.islower()
    return None if broken_off or verdict is Hyphen.SUSPENDED else verdict.value


def _join_inside(text: str, lexicon: Lexicon) -> str:
    """Close up only what makes a word that is known: here the blank may be the author's."""
    parts, done = [], 0
    for found in _INSIDE.finditer(text):
        left = _WORD_BEFORE.search(text[max(done, found.start() - _REACH) : found.start()])
        right = _WORD_AFTER.match(text, found.end(), found.end() + _REACH)
        if not left or not right or not right[0].islower() or lexicon.suspends(right[0]):
            continue
        word = left[0] + right[0]
        if lexicon.judge(left[0], right[0]) is Hyphen.WRAP and (lexicon.seen(word) or lexicon.frequency(word) > UNMET):
            parts.append(text[done : found.start()])
            done = found.end()
    return "".join(parts) + text[done:]
