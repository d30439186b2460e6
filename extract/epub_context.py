"""Which context an element opens: kind of text, notes, verse, quotations, heading groups, declared furniture."""

from bookblend.extract.epub_blocks import Context
from bookblend.extract.epub_vocabulary import (
    FURNITURE,
    HEADING_LEVELS,
    NOTE_TYPES,
    VERSE_TYPES,
    Facts,
    Role,
)
from bookblend.extract.model import Kind

_ITEMS = frozenset({"li", "dt", "dd"})
_CAPTIONS = frozenset({"figcaption", "caption"})
# Text in these is what they are, whatever blocks stand inside.
_STICKY = frozenset({Kind.HEADING, Kind.ITEM, Kind.CAPTION})


# A book with more different contexts makes up class names; they are then no longer told apart.
_MOST_CONTEXTS = 50_000


class Contexts:
    """Makes contexts, and numbers the stanzas, heading groups and notes of one book. Like contexts are made once."""

    def __init__(self) -> None:
        self._counter = 0
        self._made = 0

    def derive(
        self, outer: Context, tag: str, role: Role, classes: str, types: frozenset[str], facts: Facts, level: int = 0
    ) -> Context:
        """The context inside an element; `level` makes a heading of one that is none by name."""
        is_note = facts.note or tag == "note" or not types.isdisjoint(NOTE_TYPES)
        is_verse = facts.verse or tag in ("poem", "linegroup") or not types.isdisjoint(VERSE_TYPES)
        unique = is_verse or facts.stanza or tag in ("hgroup", "header")
        if self._made > _MOST_CONTEXTS:
            classes = ""
        key = (tag, classes, types)
        if not unique and not level and (known := outer.derived.get(key)) is not None:
            return known
        self._made += 1
        kind, tier = _kind_of(outer, tag, role, level)
        inner = Context(
            tag=tag,
            classes=classes,
            types=types,
            within=outer.within | types if types else outer.within,
            kind=kind,
            level=tier,
            verse=outer.verse or is_verse,
            stanza=self.next_number() if facts.stanza or (facts.line and not outer.stanza) else outer.stanza,
            quote=outer.quote or tag == "blockquote" or facts.quote,
            note=outer.note or is_note,
            group=self.next_number() if tag in ("hgroup", "header") else outer.group,
            strict=tag == "hgroup" or (outer.strict and tag != "header"),
            furniture=outer.furniture or _furniture(types),
            shared=not unique and not is_note and not level,
        )
        if not inner.stanza:
            inner.leaf = Kind.QUOTE if inner.quote and kind is Kind.PARAGRAPH else kind
        if not unique and not level:
            outer.derived[key] = inner
        return inner

    def next_number(self) -> int:
        """A number that nothing else in the book has."""
        self._counter += 1
        return self._counter


def _furniture(types: frozenset[str]) -> str:
    return next((FURNITURE[name] for name in sorted(types) if name in FURNITURE), "") if types else ""


def _kind_of(outer: Context, tag: str, role: Role, level: int) -> tuple[Kind, int]:
    if level or role is Role.HEADING:
        return Kind.HEADING, level or HEADING_LEVELS.get(tag, 2)
    if outer.kind in _STICKY:
        return outer.kind, outer.level
    if tag in _ITEMS:
        return Kind.ITEM, 0
    return (Kind.CAPTION if tag in _CAPTIONS else Kind.PARAGRAPH), 0
