"""Which context an element opens: kind of text, notes, verse, quotations, heading groups, declared furniture."""

from bookblend.extract.epub_blocks import Context
from bookblend.extract.epub_vocabulary import (
    FURNITURE,
    HEADING_LEVELS,
    NOTE_LISTS,
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


class Contexts:
    """Makes contexts, and numbers the notes, stanzas and heading groups of one book. Like contexts are made once.

    note_lists  the numbers of notes that are collections (a section of endnotes)
    """

    def __init__(self) -> None:
        self._counter = 0
        self.note_lists: set[int] = set()

    def derive(
        self, outer: Context, tag: str, role: Role, classes: str, types: frozenset[str], facts: Facts, level: int = 0
    ) -> Context:
        """The context inside an element; `level` makes a heading of one that is none by name."""
        is_note = facts.note or tag == "note" or not types.isdisjoint(NOTE_TYPES)
        is_verse = facts.verse or tag in ("poem", "linegroup") or not types.isdisjoint(VERSE_TYPES)
        unique = is_note or is_verse or facts.stanza or tag in ("hgroup", "header")
        key = (tag, classes, types)
        if not unique and not level and (known := outer.derived.get(key)) is not None:
            return known
        kind, tier = _kind_of(outer, tag, role, level)
        inner = Context(
            tag=tag,
            classes=classes,
            types=types,
            within=outer.within | types if types else outer.within,
            kind=kind,
            level=tier,
            verse=outer.verse or is_verse,
            stanza=self._next() if facts.stanza or (facts.line and not outer.stanza) else outer.stanza,
            quote=outer.quote or tag == "blockquote" or facts.quote,
            note=self._note(types, facts) if is_note else outer.note,
            group=self._next() if tag in ("hgroup", "header") else outer.group,
            strict=tag == "hgroup" or (outer.strict and tag != "header"),
            furniture=outer.furniture or _furniture(types),
            shared=not unique and not level,
        )
        if inner.shared:
            outer.derived[key] = inner
        return inner

    def _note(self, types: frozenset[str], facts: Facts) -> int:
        number = self._next()
        if facts.note_list or not types.isdisjoint(NOTE_LISTS):
            self.note_lists.add(number)
        return number

    def _next(self) -> int:
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
