"""Hyphens at line ends in a PDF: what the file itself tells before the words are asked."""

from collections import Counter
from collections.abc import Callable, Sequence

from bookblend.clean.hyphens import Hyphen, Lexicon, may_suspend
from bookblend.extract.pdf_lines import Page

# Engines that write their own breaks with a sign of its own (U+2010, U+00AD) leave "-" to the words' own hyphens.
# Believed once so many line ends carry the sign, and hardly any line does in its middle.
_LEAST_SIGNS = 10
_SIGNS = "‐\xad"


def hyphen_joiner(pages: Sequence[Page], lexicon: Lexicon) -> Callable[[str, str, str], str]:
    """(left, sign, right) → text for a line that ends in `left` + `sign` before one that opens in `right`."""
    ends: Counter[str] = Counter()
    middles = 0
    for page in pages:
        for line in page.lines:
            text = line.text.rstrip()
            ends[text[-1:]] += 1
            middles += text[:-1].count("‐")
    signs = sum(ends[sign] for sign in _SIGNS)
    told = signs >= _LEAST_SIGNS and middles < 0.1 * signs

    def join(left: str, sign: str, right: str) -> str:
        if told and sign == "-":
            suspended = may_suspend(right) and lexicon.judge(left, right) is Hyphen.SUSPENDED
            return left + ("- " if suspended else "-") + right
        if sign == "\xad" or (told and sign == "‐"):
            return left + right
        return lexicon.join(left, right)

    return join
