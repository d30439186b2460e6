"""Where the entries of the declared contents stand in the text, and which pieces there are their headings.

An entry's heading is the run of pieces that its label names; else the first heading where it points, if no more than a
few words stand before it; else none. A number and a title in two elements are one heading, also where the label has
only one of them.
"""

import re
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, field

from bookblend.extract import labels
from bookblend.extract.epub_blocks import Document, Piece, count_words
from bookblend.extract.epub_contents import Entry
from bookblend.extract.model import HEADING

# Words that may stand between the place an entry points at and its heading: an epigraph, a running title.
_LEAD_WORDS = 60
# Pieces of one heading at most, and pieces looked at for its first.
_LONGEST_RUN = 5
_LOOKED_AT = 8
# A label's share that a styled paragraph must hold to be its heading.
_MOST_OF_LABEL = 0.6
# Class names of paragraphs that are set as titles.
_TITLE_CLASS = re.compile(r"title|head|chap|\bct\b|\bh[1-4]\b", re.IGNORECASE)
_WORD = re.compile(r"\w+")


@dataclass(slots=True, eq=False)
class Node:
    """An entry of the contents and what was found for it.

    document, start  where it stands (None: nowhere); `exact` where its fragment was found or it needs none
    heading          the piece numbers of its heading, in order; empty where it has none
    own              words from its place to the next entry's
    types            what its place declares to be
    tier             1 chapter tier, 2 below
    """

    entry: Entry
    parent: "Node | None"
    document: Document | None = None
    start: int = 0
    exact: bool = False
    heading: list[int] = field(default_factory=list)
    own: int = 0
    types: frozenset[str] = frozenset()
    tier: int = 0
    children: list["Node"] = field(default_factory=list)

    def below(self) -> Iterator["Node"]:
        """All nodes under this one."""
        for child in self.children:
            yield child
            yield from child.below()

    @property
    def total(self) -> int:
        """Words of it and of all below."""
        return self.own + sum(node.own for node in self.below())


def fold(text: str) -> str:
    """The words of a text for comparing: no case, no signs, one blank between."""
    return " ".join(_WORD.findall(text.casefold()))


def place(entries: Sequence[Entry], documents: Sequence[Document]) -> list[Node]:
    """The tree of nodes for a tree of entries, each with its place, its heading and its share of the words."""
    names = _Names(documents)
    roots = [_node(entry, None, names) for entry in entries]
    nodes = [node for root in roots for node in (root, *root.below())]
    placed = sorted(
        (node for node in nodes if node.document is not None),
        key=lambda node: (node.document.number if node.document else 0, node.start),
    )
    _count_words(placed, documents)
    starts: dict[int, set[int]] = {}
    for node in placed:
        if node.document and node.exact:
            starts.setdefault(node.document.number, set()).add(node.start)
    taken: set[tuple[int, int]] = set()
    for node in nodes:
        if node.document is not None:
            node.heading = _find_heading(node, node.document, starts.get(node.document.number, set()), taken)
            taken.update((node.document.number, index) for index in node.heading)
    for node in nodes:
        if node.document is not None and node.heading:
            stops = starts.get(node.document.number, set())
            label = fold(node.entry.label)
            node.heading = extend(node.document, node.heading, taken, first=node.start, stops=stops, label=label)
            taken.update((node.document.number, index) for index in node.heading)
    return roots


class _Names:
    """Documents by their member's name, and the first heading of each that says something."""

    def __init__(self, documents: Sequence[Document]) -> None:
        self._documents = {document.name: document for document in documents}
        self._headings: dict[int, dict[str, int]] = {}

    def document(self, name: str) -> Document | None:
        """The document that is that member."""
        return self._documents.get(name)

    def heading(self, document: Document, label: str) -> int | None:
        """The piece number of the first heading with these (folded) words."""
        if document.number not in self._headings:
            found: dict[str, int] = {}
            for index, piece in alive(document, 0):
                if piece.kind is HEADING:
                    found.setdefault(fold(piece.text), index)
            self._headings[document.number] = found
        return self._headings[document.number].get(label)


def _node(entry: Entry, parent: Node | None, names: "_Names") -> Node:
    node = Node(entry, parent, types=entry.types)
    document = names.document(entry.name)
    if document is not None:
        index = document.anchors.get(entry.fragment) if entry.fragment else 0
        if index is None:
            # The document lacks the fragment: a heading of that name is meant, else the document (if no entry has it).
            index = names.heading(document, fold(entry.label))
            if index is None and parent is not None and parent.document is document:
                document = None
        node.document, node.start, node.exact = document, index or 0, index is not None
    if document is not None:
        node.types |= document.anchor_types.get(entry.fragment, frozenset())
        if not entry.fragment or not node.start:
            node.types |= document.types
            if document.pieces:
                node.types |= document.pieces[0].context.within
    node.children = [_node(child, node, names) for child in entry.children]
    return node


def _count_words(placed: Sequence[Node], documents: Sequence[Document]) -> None:
    """Give each node the words between its place and the next one's; the last of several at one place gets them."""
    numbers = {document.number: number for number, document in enumerate(documents)}
    positions = [(numbers[node.document.number], node.start) for node in placed if node.document]
    for node, here, following in zip(placed, positions, [*positions[1:], (len(documents), 0)], strict=bool(placed)):
        node.own = _words_between(documents, here, following)


def _words_between(documents: Sequence[Document], start: tuple[int, int], end: tuple[int, int]) -> int:
    """The words of what no rule drops from one place (document, piece number) to another."""
    words, first = 0, start[1]
    for number in range(start[0], min(end[0] + 1, len(documents))):
        last = end[1] if number == end[0] else None
        words += count_words([piece for piece in documents[number].pieces[first:last] if not piece.rule])
        first = 0
    return words


def alive(document: Document, start: int) -> Iterator[tuple[int, Piece]]:
    """The pieces from a place on that no rule drops."""
    for index in range(start, len(document.pieces)):
        if not document.pieces[index].rule:
            yield index, document.pieces[index]


def _find_heading(node: Node, document: Document, starts: set[int], taken: set[tuple[int, int]]) -> list[int]:
    label = fold(node.entry.label)
    lead = 0
    first: list[int] = []
    for looked, (index, piece) in enumerate(alive(document, node.start)):
        if looked >= _LOOKED_AT or (index in starts and index > node.start) or lead > _LEAD_WORDS:
            break
        if (document.number, index) in taken:
            continue
        run = _label_run(label, document, index) if label else []
        if run and not any((document.number, i) in taken for i in run):
            return run
        if piece.kind is HEADING:
            first = first or [index]
        lead += piece.words if piece.kind is not HEADING else 0
    return first


def _label_run(label: str, document: Document, start: int) -> list[int]:
    """The pieces from `start` on that a label names, together or one of them; empty where they are something else."""
    run: list[int] = []
    words = ""
    for index, piece in alive(document, start):
        words = f"{words} {fold(piece.text)}".strip()
        run.append(index)
        if words == label:
            return run
        if len(run) >= _LONGEST_RUN or not label.startswith(words + " "):
            break
    piece = document.pieces[start]
    text = fold(piece.text)
    if not text:
        return []
    if piece.kind is HEADING:
        named = label.endswith(" " + text) or label.startswith(text + " ") or f" {text} ".endswith(f" {label} ")
        return [start] if named else []
    return [start] if label.endswith(" " + text) and len(text) >= _MOST_OF_LABEL * len(label) else []


def extend(
    document: Document,
    heading: Sequence[int],
    taken: Container[tuple[int, int]],
    *,
    first: int = 0,
    stops: Container[int] = (),
    label: str = "",
) -> list[int]:
    """The whole heading of which some pieces are known: the group around, the number before, the title behind.

    Never takes pieces before `first`, pieces that are `taken`, or from one of `stops` on. `label` is folded.
    """
    pieces = document.pieces
    run = list(heading)

    def free(index: int) -> bool:
        return (document.number, index) not in taken and not pieces[index].rule

    while run[0] > first and free(run[0] - 1) and _belongs_before(pieces[run[0] - 1], pieces[run[0]]):
        run.insert(0, run[0] - 1)
    while len(run) < _LONGEST_RUN and run[-1] + 1 < len(pieces):
        following = run[-1] + 1
        if not free(following) or following in stops or not _belongs_behind(pieces[run[-1]], pieces[following], label):
            break
        run.append(following)
    return run


def _belongs_before(piece: Piece, heading: Piece) -> bool:
    return labels.is_label(piece.text) or _same_group(heading, piece, "")


def _belongs_behind(heading: Piece, piece: Piece, label: str) -> bool:
    if _same_group(heading, piece, label):
        return True
    if piece.kind is not HEADING:
        return labels.is_label(heading.text) and heading.level == 0 and _is_styled_title(piece)
    return labels.is_label(heading.text) or f" {fold(piece.text)} " in f" {label} "


def _is_styled_title(piece: Piece) -> bool:
    """Whether a paragraph looks like a title: so called by its class, short, and no sentence."""
    if not _TITLE_CLASS.search(piece.context.classes) or piece.words > _TITLE_WORDS:
        return False
    return not piece.text.rstrip("”’\"'").endswith((".", ",", ";", ":"))


# Words of a `header`'s paragraph that is a title; longer ones are arguments, mottoes, datelines.
_TITLE_WORDS = 15
_TITLE_TYPES = frozenset({"title", "subtitle", "fulltitle", "z3998:ordinal", "ordinal", "label", "se:label"})


def _same_group(heading: Piece, piece: Piece, label: str) -> bool:
    """Whether a piece is in the heading's `hgroup`, or is a title in its `header`."""
    context = piece.context
    if not context.group or context.group != heading.context.group or context.note:
        return False
    if context.strict or context.types & _TITLE_TYPES:
        return True
    if context.quote or context.verse or context.types or piece.words > _TITLE_WORDS:
        return False
    text = fold(piece.text)
    return labels.is_label(piece.text) or labels.is_label(heading.text) or f" {text} " in f" {label} "
