"""Books that are there twice: under the same title and author, or with nearly the same text."""

import heapq
import re
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from hashlib import blake2b

# A text's fingerprints: of its longest paragraphs, which editions share whatever their title pages and wrapping are.
_FINGERPRINTS = 12
# Two texts are nearly the same if they share this part of the fingerprints of the one that has fewer.
_SHARED = 0.5
_LONG = 1500  # bytes; twelve such paragraphs are all that counts
# A paragraph of fewer signs may stand in any book.
_LEAST = 60
# Of a long paragraph its first signs tell enough: so many are read, so many letters and figures of them compared.
_READ, _COMPARED = 800, 400
_WIDEST = 4  # bytes of one sign
_NO_WORD = re.compile(r"[\W_]+")
_NO_WORD_ASCII = bytes(code for code in range(0x80) if not chr(code).isalnum())


def fingerprints(data: bytes) -> tuple[int, ...]:
    """What a normalised text, as UTF-8, is known by again, after other wrapping, quotes and dashes too."""
    paragraphs = data.split(b"\n\n")
    # (The heap asks each paragraph twice as long; it has few to look at in a book of prose.)
    long = [paragraph for paragraph in paragraphs if len(paragraph) >= _LONG]
    longest = heapq.nlargest(_FINGERPRINTS, long if len(long) >= _FINGERPRINTS else paragraphs, key=len)
    words = map(_words, longest)
    return tuple(
        int.from_bytes(blake2b(word.encode("utf-8", "replace"), digest_size=8).digest())
        for word in dict.fromkeys(words)
        if len(word) >= _LEAST
    )


def _words(paragraph: bytes) -> str:
    """The first letters and figures of a paragraph, small."""
    read = paragraph[: _READ * _WIDEST].decode("utf-8", "replace")[:_READ]
    # (Bytes are left out ten times as fast as a pattern does it; it has only those beyond ASCII left to do.)
    bare = read.encode().translate(None, _NO_WORD_ASCII).decode()
    return (bare if bare.isascii() else _NO_WORD.sub("", bare))[:_COMPARED].lower()


def work_key(title: str, author: str) -> str:
    """Title and author as duplicates are known by; "" where there is no title."""
    key = _NO_WORD.sub("", title.casefold())
    return f"{key}|{_NO_WORD.sub('', author.casefold())}" if key else ""


@dataclass(slots=True)
class Duplicates:
    """The books seen so far; `title_author` and `near` list (book, the earlier one) as they are found."""

    title_author: list[tuple[str, str]] = field(default_factory=list)
    near: list[tuple[str, str]] = field(default_factory=list)
    _keys: dict[str, str] = field(default_factory=dict)
    _books: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))
    _names: list[str] = field(default_factory=list)
    _sizes: list[int] = field(default_factory=list)

    def add(self, name: str, key: str, prints: tuple[int, ...]) -> bool:
        """Take note of a book; whether it was there before. A duplicate is compared with the first one only."""
        same = self._keys.get(key) if key else None
        near = self._near(prints)
        if same is not None:
            self.title_author.append((name, same))
        if near is not None:
            self.near.append((name, near))
        if key and same is None:
            self._keys[key] = name
        if near is None and prints:
            for value in prints:
                self._books[value].append(len(self._names))
            self._names.append(name)
            self._sizes.append(len(prints))
        return same is not None or near is not None

    def _near(self, prints: tuple[int, ...]) -> str | None:
        shared = Counter(book for value in prints for book in self._books.get(value, ()))
        for book, count in sorted(shared.items()):
            if count >= _SHARED * min(len(prints), self._sizes[book]):
                return self._names[book]
        return None
