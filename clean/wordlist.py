"""Word frequencies by language, for decisions that a book's own words leave open.

The lists are pyspellchecker's resources (MIT; counted from film subtitles and freed of most non-words), read as they
are in the package: building its `SpellChecker` takes ten times as long. Never the machine's own dictionary: the same
book must give the same text everywhere. A list is read once, when something first asks for it.
"""

import gzip
import json
from bisect import bisect_left
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path


def words(text: str) -> frozenset[str]:
    """The blank-separated words of a constant."""
    return frozenset(text.split())


# The function words that name a language: frequent, short, and as few as possible shared with a neighbour.
# One of each list in fifteen to twenty words is normal in running text of that language.
_FUNCTION_WORDS: Mapping[str, frozenset[str]] = {
    "en": words("the of and to was that with his her which is it for not but"),
    "de": words("der die und das ist nicht ein eine zu den mit sich auf dem von auch"),
    "fr": words("le les et des une du est que dans qui pas pour sur ce il elle au"),
    "es": words("el los las que una y del por con se su como pero más había"),
    "it": words("il che di non una per gli della con era come più nel sono ed"),
    "pt": words("os não uma um que do da em com para ao mais seu sua foi"),
    "nl": words("het een van en de niet zijn dat ik op te voor met hij maar"),
    "ru": words("и в не на что он с как это его но она было по к"),
}
# A language is named by its function words from this many on, and when it has twice as many as the next.
_FUNCTION_WORDS_NEEDED = 5
_MARGIN = 2

# What files declare beside ISO 639-1: the three-letter codes of the languages above.
_THREE_LETTERS: Mapping[str, str] = {
    "eng": "en", "deu": "de", "ger": "de", "fra": "fr", "fre": "fr", "spa": "es", "ita": "it", "por": "pt",
    "nld": "nl", "dut": "nl", "rus": "ru",
}  # fmt: skip


class WordList:
    """Frequencies of the words of one language; a word that is not in it has 0."""

    def __init__(self, packed: bytes) -> None:
        # One line a word (`"word": 123,`), so a sorted list of lines answers in 18 comparisons; parsing the JSON
        # would cost 0.2 to 0.6 s a language. Sorting sorted lines is linear. Any other layout is parsed.
        lines = packed.split(b"\n")
        self._lines = lines if len(lines) > 1 else []
        self._lines.sort()
        self._parsed: dict[str, int] = {} if self._lines else json.loads(packed)

    def frequency(self, word: str) -> int:
        """How often the list's corpus has `word` (lower case, "'" as apostrophe); 0 if it is not listed."""
        if self._parsed:
            return self._parsed.get(word, 0)
        key = b'"' + word.encode("utf-8", "replace") + b'": '
        at = bisect_left(self._lines, key)
        if at < len(self._lines) and self._lines[at].startswith(key):
            return int(self._lines[at][len(key) :].rstrip(b",\r "))
        return 0


@cache
def load(language: str) -> WordList | None:
    """The list of a language ("en", "en-GB", "eng" …), or None where there is none."""
    spec = find_spec("spellchecker")
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(spec.submodule_search_locations[0]) / "resources" / f"{primary(language)}.json.gz"
    if not primary(language) or not path.is_file():
        return None
    return WordList(gzip.decompress(path.read_bytes()))


def primary(language: str) -> str:
    """The primary subtag of a language tag, lower case, two letters where known: "en-GB" → "en", "ger" → "de"."""
    tag = language.strip().lower().replace("_", "-").partition("-")[0]
    tag = _THREE_LETTERS.get(tag, tag)
    return tag if tag.isascii() and tag.isalpha() else ""


def guess(counts: Mapping[str, int]) -> str:
    """The language that a text's word counts (lower case) speak, "" where its function words are too few or torn."""
    scores = sorted(
        ((sum(counts.get(word, 0) for word in words), name) for name, words in _FUNCTION_WORDS.items()), reverse=True
    )
    (best, name), (second, _) = scores[0], scores[1]
    return name if best >= _FUNCTION_WORDS_NEEDED and best >= _MARGIN * second else ""
