"""Whether a row of a catalogue is wanted: its metadata against a source's selectors."""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from bookblend.blend.model import Selectors

# The keys that catalogues use: those of Gutenberg's own list in lower case, and those of its web interface.
_AUTHORS = ("authors", "author", "creators")
_BOOKSHELVES = ("bookshelves", "bookshelf")
_LANGUAGES = ("languages", "language")
# Catalogues write a language's code in two letters or three: ISO 639-1 → 639-2/3, of which the bibliographic form too.
_CODES = {
    "en": ("eng",),
    "de": ("deu", "ger"),
    "fr": ("fra", "fre"),
    "es": ("spa",),
    "it": ("ita",),
    "pt": ("por",),
    "nl": ("nld", "dut"),
    "la": ("lat",),
    "fi": ("fin",),
    "sv": ("swe",),
    "da": ("dan",),
    "no": ("nor",),
    "pl": ("pol",),
    "ru": ("rus",),
    "hu": ("hun",),
    "el": ("ell", "gre"),
    "eo": ("epo",),
    "zh": ("zho", "chi"),
    "ja": ("jpn",),
}
_SAME_CODE = {longer: code for code, others in _CODES.items() for longer in others}


def takes(metadata: object, select: Selectors) -> bool:
    """Whether a row with this metadata (a JSON text or an object) is selected.

    Authors and bookshelves are substrings without regard to case; any of them, or a language, suffices. Where only some
    languages are wanted, the row must be in one of them as well.
    """
    return select_row(metadata, select)[0]


def select_row(metadata: object, select: Selectors) -> tuple[bool, list[tuple[str, str]]]:
    """As `takes`, with each selector (its key and text) that the row met."""
    row = _object(metadata)
    met = [("authors", part) for part in _met(row, _AUTHORS, select.authors)]
    met += [("bookshelves", part) for part in _met(row, _BOOKSHELVES, select.bookshelves)]
    spoken: set[str] = set()
    if select.languages or select.only_languages:
        spoken = {_code(code) for text in _texts(row, _LANGUAGES) for code in text.replace(";", ",").split(",")}
    met += [("languages", language) for language in select.languages if _code(language) in spoken]
    wanted = bool(met) or not (select.authors or select.bookshelves or select.languages)
    if select.only_languages:
        among = [language for language in select.only_languages if _code(language) in spoken]
        met += [("only_languages", language) for language in among]
        wanted = wanted and bool(among)
    return wanted, met


def unmet(select: Selectors, hits: Counter[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """The selectors (key and text) that no row met."""
    for key, parts in (
        ("authors", select.authors),
        ("bookshelves", select.bookshelves),
        ("languages", select.languages),
        ("only_languages", select.only_languages),
    ):
        for part in parts:
            if not hits[key, part]:
                yield key, part


def _met(row: Mapping[str, Any], keys: tuple[str, ...], parts: tuple[str, ...]) -> list[str]:
    if not parts:
        return []
    texts = [text.casefold() for text in _texts(row, keys)]
    return [part for part in parts if any(part.casefold() in text for text in texts)]


def _object(metadata: object) -> Mapping[str, Any]:
    if isinstance(metadata, (str, bytes)):
        try:
            metadata = json.loads(metadata)
        except ValueError:
            return {}
    if not isinstance(metadata, Mapping):
        return {}
    return {str(key).casefold(): value for key, value in metadata.items()}


def _texts(row: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[str]:
    """The texts under the first of the keys that is there: one text, several, or objects with a name."""
    value = next((row[key] for key in keys if row.get(key)), None)
    for item in value if isinstance(value, (list, tuple)) else [value]:
        if isinstance(item, Mapping):
            item = item.get("name")
        if isinstance(item, str):
            yield item


def _code(code: str) -> str:
    code = code.strip().casefold()
    return _SAME_CODE.get(code, code)
