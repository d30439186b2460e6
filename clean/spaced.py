"""Letters set apart for emphasis or display ("C H A P T E R  O N E"), closed up to words.

Evidence is asked for: wider gaps that show where the words end, or letters that make known words. Initials and
alphabets ("J. R. R.", "A B C") have neither and stay.
"""

import re
from math import log

from bookblend.clean.units import UNITS
from bookblend.clean.vocabulary import Vocabulary

_BLANK = " \u00a0\u2002-\u200a"
_LETTER = r"[^\W_](?![\w'’])"
# Four single letters or more; each may stand up to six blanks from the next.
_RUN = re.compile(rf"(?<![\w.'’]){_LETTER}(?:[{_BLANK}]{{1,6}}{_LETTER}){{3,}}")
# Two of its inner letters: the quick look that nearly all texts do not pass.
_INNER = re.compile(r" [^\W_] {1,6}[^\W_] ")
_OTHER_BLANK = re.compile("[\u00a0\u2002-\u200a]")
_WIDE = re.compile(f"[{_BLANK}]{{2,}}")
_DIGITS = re.compile(r"(\d+)$")
_ROMAN = re.compile(r"[ivxlc]+$", re.IGNORECASE)
# With gaps as evidence: letters in all, and in the longest word.
_GAPPED_LETTERS, _GAPPED_WORD = 5, 3
# Without gaps: words that the list's corpus has this often (per some 10^9), by length of the word. Short letter
# groups are words by chance, so the shorter, the more common a word must be.
_COMMON = {1: 10_000_000, 2: 1_000_000, 3: 100_000}
_COMMON_LONG = 1_000
_LONGEST = 16
# Segmenting is quadratic in the letters; no heading has more.
_MAX_LETTERS = 80


def spaced(text: str, lexicon: Vocabulary) -> str:
    """`text` with letter-spaced words closed up."""
    if not _INNER.search(text) and (text.isascii() or not _OTHER_BLANK.search(text)):
        return text
    return _RUN.sub(lambda found: _close(found[0], lexicon), text)


def _close(run: str, lexicon: Vocabulary) -> str:
    words = ["".join(group.split()) for group in _WIDE.split(run)]
    if "".join(words).isdigit():
        return run
    longest, letters = max(map(len, words)), sum(map(len, words))
    if len(words) > 1:
        return " ".join(words) if longest >= _GAPPED_WORD and letters >= _GAPPED_LETTERS else run
    return " ".join(_segment(words[0], lexicon)) or run


def _segment(letters: str, lexicon: Vocabulary) -> list[str]:
    """The known words that `letters` fall into, the fewest possible; [] if they do not."""
    digits = _DIGITS.search(letters)
    if digits:
        words = _segment(letters[: digits.start()], lexicon) if digits.start() else []
        return [*words, digits[0]] if words else []
    if len(letters) > _MAX_LETTERS:
        return []
    if _is_word(letters, lexicon) and len(letters) > max(_COMMON):
        return [letters]
    for unit in UNITS:  # "CHAPTERIV"
        rest = letters[len(unit) :]
        if letters.lower().startswith(unit) and rest and _ROMAN.match(rest):
            return [letters[: len(unit)], rest]
    return _fewest(letters, lexicon)


def _fewest(letters: str, lexicon: Vocabulary) -> list[str]:
    # best[n]: number of words, minus their commonness as the tie-breaker, and the words, for the first n letters
    best: list[tuple[int, float, list[str]] | None] = [(0, 0.0, [])]
    for end in range(1, len(letters) + 1):
        found: tuple[int, float, list[str]] | None = None
        for start in range(max(0, end - _LONGEST), end):
            before, word = best[start], letters[start:end]
            if before is None or not _is_word(word, lexicon):
                continue
            rank = (before[0] + 1, before[1] - log(1 + lexicon.frequency(word)), [*before[2], word])
            found = rank if found is None else min(found, rank)
        best.append(found)
    last = best[-1]
    return last[2] if last and any(len(word) >= max(_COMMON) for word in last[2]) else []


def _is_word(word: str, lexicon: Vocabulary) -> bool:
    if len(word) <= max(_COMMON):
        return lexicon.frequency(word) >= _COMMON[len(word)]
    return lexicon.frequency(word) >= _COMMON_LONG or lexicon.seen(word) > 0
