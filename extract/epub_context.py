"""Which context an element opens: kind of text, notes, verse, quotations, heading groups, declared furniture."""

from bookblend.extract.epub_blocks import Context
from bookblend.extract.epub_style import Style
from bookblend.extract.epub_vocabulary import (
    FURNITURE,
    HEADING_LEVELS,
    NO_FACTS,
    NOTE_TYPES,
    VERSE_TYPES,
    Facts,
    Role,
)
from bookblend.extract.model import CAPTION, HEADING, ITEM, PARAGRAPH, QUOTE, Kind

_HEADING_ROLE = Role.HEADING
_ITEMS = frozenset({"li", "dt", "dd"})
_CAPTIONS = frozenset({"figcaption", "caption"})
# Text in these is what they are, whatever blocks stand inside.
_STICKY = frozenset({HEADING, ITEM, CAPTION})


# A book with more different contexts makes up class names; they are then no longer told apart.
_MOST_CONTEXTS = 50_000


class Contexts:
    """Makes contexts, and numbers the stanzas, heading groups and notes of one book. Like contexts are made once."""

    def __init__(self) -> None:
        self._counter = 0
        self._made = 0
        self._roots: dict[tuple[frozenset[str], Style], Context] = {}

    def root(self, types: frozenset[str], style: Style) -> Context:
        """The context of the root element of documents that declare to be of these types and have this style.

        What elements turn out to be is remembered below it, and in that the style has a say.
        """
        root = self._roots.get((types, style))
        if root is None:
            root = self.derive(Context(), "html", Role.BLOCK, "", types, NO_FACTS)
            if len(self._roots) < _MOST_CONTEXTS:
                self._roots[types, style] = root
        return root

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
            inner.leaf = QUOTE if inner.quote and kind is PARAGRAPH else kind
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
    if level or role is _HEADING_ROLE:
        return HEADING, level or HEADING_LEVELS.get(tag, 2)
    if outer.kind in _STICKY:
        return outer.kind, outer.level
    if tag in _ITEMS:
        return ITEM, 0
    return (CAPTION if tag in _CAPTIONS else PARAGRAPH), 0
