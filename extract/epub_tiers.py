"""The chapter tier: which entries of the declared contents are chapters and parts, and which headings those are.

A book nests its contents as it likes: title > chapters, part > chapter > section, chapter > section. An entry with
entries below is a *container* (its children are chapters) or a chapter (its children are sections); what the places
declare decides, then labels, then whether the children are documents of their own. Without usable contents the level
that most documents open with is the tier; a book without headings has none, unless its documents open with paragraphs
styled as titles.
"""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from bookblend.extract import labels
from bookblend.extract.epub_blocks import Context, Document, Piece
from bookblend.extract.epub_contents import Contents
from bookblend.extract.epub_places import Node, alive, extend, fold, place
from bookblend.extract.epub_vocabulary import CHAPTER_TYPES, PART_TYPES, SECTION_TYPES
from bookblend.extract.model import HEADING, PARAGRAPH

# A page of its own before the chapters has little text beside theirs …
_CONTAINER_SHARE = 0.25
# … and chapters are longer than sections: words, on average, of children that are documents of their own, and of
# children that stand in the container's document.
_CHAPTER_WORDS = 300
_INNER_CHAPTER_WORDS = 1000
# Contents with at most this many usable entries say nothing about chapters where the headings tell of more.
_POOR_CONTENTS = 1
_RICH_HEADINGS = 3
# … and so do a few entries in a book of many more documents with headings of their own.
_FEW_ENTRIES = 3
_FAR_MORE = 5
# Words of a heading that is only a styled paragraph.
_STYLED_WORDS = 12
_STYLED = re.compile(r"chap|title|head|\bh[1-3]\b", re.IGNORECASE)
_NUMBERED_SECTION = re.compile(r"\W*(?:[A-Z]|\d+)(?:\.\d+)+\b|\W*§")
# Names of chapters that stand among parts; what is nested in them are their sections.
_CHAPTER_NAME = re.compile(
    r"\W*(?:prologue|epilogue|preface|foreword|introduction|conclusion|afterword|postscript|interlude|appendix|coda|"
    r"prolog|epilog|vorwort|einleitung|nachwort|schluss|anhang|prélude|préface|avant-propos|conclusion|annexe|"
    r"prólogo|epílogo|prefacio|introducción|conclusión|apéndice|prologo|epilogo|prefazione|introduzione|conclusione|"
    r"voorwoord|inleiding|nawoord|пролог|эпилог|предисловие|введение|заключение|послесловие)\b",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"\W*\d+[.:)\s]")
# Labels that tools give where a book has none.
_MADE_UP = re.compile(
    r"(?:start|begin(?:ning)?|begin reading|text|main text|body|unknown|untitled|no title|section ?\d+|part\d+|"
    r"(?:.*\.x?html?)|index split \d+|.*_split_\d+|page \d+|\d+)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Tiers:
    """What named the chapters ("contents (nav)", "h2, first heading of 12 documents", …) and how many there are."""

    source: str
    chapters: int


def assign(contents: Contents, documents: Sequence[Document], title: str) -> Tiers:
    """Give tiers to all headings; headings that only the contents know are put into the documents."""
    for document in documents:
        for piece in document.pieces:
            if piece.kind is HEADING:
                piece.tier, piece.evidence = 2, piece.evidence or f"<{piece.context.tag}>"
    roots = place(contents.entries, documents)
    _grade(roots, fold(title), alone=True)
    usable = [node for node in _all(roots) if node.tier == 1 and _is_usable(node)]
    headed = _count_headings(documents)
    poor = len(usable) <= _POOR_CONTENTS or (len(usable) <= _FEW_ENTRIES and headed >= _FAR_MORE * len(usable))
    if usable and (not poor or headed < _RICH_HEADINGS):
        return _by_contents(roots, documents, f"contents ({contents.source})")
    return _by_headings(documents, fold(title))


def _all(roots: Sequence[Node]) -> list[Node]:
    return [node for root in roots for node in (root, *root.below())]


def _is_usable(node: Node) -> bool:
    """Whether an entry leads to text, and is no piece of front or back matter nor a link to or from a note."""
    label = node.entry.label
    if node.document is None or not node.total or labels.matter_name(label) or not any(map(str.isalnum, label)):
        return False
    pieces = node.document.pieces
    return node.start >= len(pieces) or pieces[node.start].rule != "note"


def _count_headings(documents: Sequence[Document]) -> int:
    firsts = (next((piece for _, piece in alive(d, 0) if piece.kind is HEADING), None) for d in documents)
    return sum(piece is not None for piece in firsts)


# Contents: containers, chapters, sections.


def _grade(nodes: Sequence[Node], title: str, *, alone: bool) -> None:
    """Set the tiers of sibling nodes and all below; `alone` where nothing stands above them."""
    for node in nodes:
        node.tier = 1
        if not node.children:
            continue
        if _is_container(node, title, alone=alone and len(nodes) == 1):
            _grade(node.children, title, alone=False)
        else:
            for below in node.below():
                below.tier = 2
    _lower_sections(nodes)


def _lower_sections(nodes: Sequence[Node]) -> None:
    """In a flat list, what stands in mid-document under a heading deeper than most is a section."""
    if any(node.children for node in nodes):
        return
    levels = Counter(_level(node) for node in nodes if node.heading)
    if len(levels) < 2:
        return
    main = min(levels, key=lambda level: (-levels[level], level))
    if levels[main] < 2:
        return
    for node in nodes:
        if node.heading and _level(node) > main and not _opens_document(node):
            node.tier = 2


def _level(node: Node) -> int:
    return min((node.document.pieces[i].level or 9 for i in node.heading), default=9) if node.document else 9


def _opens_document(node: Node) -> bool:
    """Whether nothing but its own heading stands before it in its document."""
    if node.document is None:
        return False
    first = next((index for index, _ in alive(node.document, 0)), None)
    return node.start == 0 or first is None or node.start <= first or first in node.heading


def _is_container(node: Node, title: str, *, alone: bool) -> bool:
    kids = node.children
    below = frozenset().union(*(kid.types for kid in kids))
    label = node.entry.label
    if node.types & (CHAPTER_TYPES | SECTION_TYPES) and not node.types & PART_TYPES:
        return False
    if all(kid.types & SECTION_TYPES for kid in kids) or all(_NUMBERED_SECTION.match(k.entry.label) for k in kids):
        return False
    inside = sum(kid.document is node.document and not _opens_document(kid) for kid in kids) * 2 > len(kids)
    if node.types & PART_TYPES or (below & CHAPTER_TYPES and not node.types & CHAPTER_TYPES):
        return True
    if _CHAPTER_NAME.match(label):
        return False
    if alone or (title and fold(label) == title):
        return True
    if any(labels.is_labelled(kid.entry.label) and not labels.is_part_label(kid.entry.label) for kid in kids):
        return not labels.is_labelled(label) or labels.is_part_label(label)
    words = sum(kid.total for kid in kids) / len(kids)
    if labels.is_part_label(label):
        return not inside or words >= _INNER_CHAPTER_WORDS or all(labels.is_label(kid.entry.label) for kid in kids)
    if labels.is_labelled(label) or _NUMBERED.match(label):
        return False
    if all(_NUMBERED.match(kid.entry.label) for kid in kids):
        return not inside or words >= _INNER_CHAPTER_WORDS
    least = _INNER_CHAPTER_WORDS if inside else _CHAPTER_WORDS
    return words >= least and node.own <= _CONTAINER_SHARE * words and not (inside and len(kids) < 2)


def _by_contents(roots: Sequence[Node], documents: Sequence[Document], source: str) -> Tiers:
    inserts: list[tuple[Document, int, Piece]] = []
    chapters = 0
    for node in _all(roots):
        document = node.document
        if document is None:
            continue
        if node.heading:
            _mark_heading(node, document, source)
            _set_before_lead(node, document)
            chapters += node.tier == 1
        elif node.tier == 1 and _needs_label(node, document):
            context = next((p.context for _, p in alive(document, node.start)), Context())
            piece = Piece(node.entry.label, HEADING, 0, context, tier=1, evidence=f"{source}, label only")
            inserts.append((document, node.start, piece))
            chapters += 1
    _insert(inserts)
    chapters += _like_chapters(documents, source)
    return Tiers(source, chapters)


def _insert(inserts: Sequence[tuple[Document, int, Piece]]) -> None:
    """Put pieces before the ones that now have the numbers given, those of one place in order."""
    by_document: dict[int, tuple[Document, dict[int, list[Piece]]]] = {}
    for document, start, piece in inserts:
        by_document.setdefault(document.number, (document, {}))[1].setdefault(start, []).append(piece)
    for document, new in by_document.values():
        document.pieces[:] = [
            piece
            for index, old in enumerate([*document.pieces, None])
            for piece in (*new.get(index, ()), old)
            if piece is not None
        ]


def _mark_heading(node: Node, document: Document, source: str) -> None:
    """Set tier and evidence on an entry's heading; a picture's alternative text gives way to the label."""
    pieces = [document.pieces[index] for index in node.heading]
    if len(pieces) == 1 and pieces[0].pictured and node.entry.label:
        pieces[0].text, pieces[0].pictured = node.entry.label, False
    _mark_run(pieces, node.tier, source)


def _mark_run(pieces: Sequence[Piece], tier: int, evidence: str) -> None:
    """Set tier and evidence on the pieces of one heading."""
    for piece in pieces:
        piece.kind, piece.evidence = HEADING, evidence
        piece.tier = min(piece.tier or 9, tier)
    # A number behind other words ("Chapter" / "1") must not open a record of its own.
    for before, piece in pairwise(pieces):
        if labels.is_bare_number(piece.text) and not labels.is_label(before.text):
            piece.text, before.rule = f"{before.text} {piece.text}", "joined"


def _set_before_lead(node: Node, document: Document) -> None:
    """Set a chapter's heading before the motto or picture that stands above it, so that both are in one record.

    What stands between a chapter's beginning and its heading is the chapter's if the contents point right before it,
    or if it is no plain paragraph; else it may be the end of the chapter before, in the same file.
    """
    pieces, first = document.pieces, node.heading[0]
    lead = [piece for piece in pieces[node.start : first] if not piece.rule]
    if node.tier != 1 or not lead or any(piece.kind is HEADING for piece in lead):
        return
    together = node.exact and bool(node.entry.fragment)
    if together or all(p.kind is not PARAGRAPH or p.context.group == pieces[first].context.group != 0 for p in lead):
        run = [pieces[index] for index in node.heading]
        behind = [piece for piece in pieces[node.start : node.heading[-1] + 1] if piece not in run]
        pieces[node.start : node.heading[-1] + 1] = [*run, *behind]


def _needs_label(node: Node, document: Document) -> bool:
    """Whether a chapter without a heading gets its label as one: it has text, and the label is words of the book."""
    label = node.entry.label
    return (
        any(map(str.isalnum, label))
        and node.own > 0
        and not _MADE_UP.match(label.strip())
        and any(True for _ in alive(document, node.start))
        and not (node.parent is not None and node.parent.document is document and node.parent.start == node.start)
    )


def _like_chapters(documents: Sequence[Document], source: str) -> int:
    """Raise headings that the contents forgot: first in their document and made just like most chapters' headings."""
    forms: Counter[tuple[str, str]] = Counter()
    firsts = [(d, next(alive(d, 0), None)) for d in documents]
    for _, first in firsts:
        if first and first[1].tier == 1 and first[1].level:
            forms[(first[1].context.tag, first[1].context.classes)] += 1
    raised = 0
    for _, first in firsts:
        if first is None:
            continue
        piece = first[1]
        form = (piece.context.tag, piece.context.classes)
        if piece.tier == 2 and piece.evidence != source and forms[form] * 2 > sum(forms.values()):
            piece.tier, piece.evidence = 1, f"like the chapters of the {source}"
            raised += 1
    return raised


# No usable contents: headings.


def _by_headings(documents: Sequence[Document], title: str) -> Tiers:
    firsts = [piece for d in documents if (piece := _first_heading(d, title)) is not None]
    every = [p for d in documents for _, p in alive(d, 0) if p.kind is HEADING and fold(p.text) != title]
    if not every:
        return _by_style(documents)
    levels = Counter(piece.level for piece in firsts)
    counts = Counter(piece.level for piece in every)
    level = min(levels, key=lambda n: (-levels[n], n)) if levels else 0
    evidence = f"<h{level}>, first heading of {levels[level]} documents"
    if levels[level] < 2 or counts[level] < 2:
        level = min((n for n in counts if counts[n] > 1), default=min(counts))
        evidence = f"<h{level}>, the highest of several headings"
    chapters = 0
    for document in documents:
        highest = [i for i, p in alive(document, 0) if p.kind is HEADING and p.level <= level]
        chosen = [i for i in highest if fold(document.pieces[i].text) != title]
        taken = {(document.number, index) for index in chosen}
        for index in chosen:
            _mark_run([document.pieces[i] for i in extend(document, [index], taken)], 1, evidence)
        chapters += len(chosen)
    return Tiers(evidence, chapters)


def _first_heading(document: Document, title: str) -> Piece | None:
    """The heading a document opens with; not the book's own title where another heading follows it."""
    headings = [piece for _, piece in alive(document, 0) if piece.kind is HEADING]
    others = [piece for piece in headings if fold(piece.text) != title]
    return next(iter(others or headings), None)


def _by_style(documents: Sequence[Document]) -> Tiers:
    """Paragraphs that open a document and whose class calls them a title."""
    opening = [piece for d in documents if (first := next(alive(d, 0), None)) and _is_title(piece := first[1])]
    if len(opening) < 2:
        return Tiers("none: no contents and no headings", 0)
    evidence = "paragraphs styled as titles"
    for piece in opening:
        piece.kind, piece.tier, piece.evidence = HEADING, 1, evidence
    return Tiers(evidence, len(opening))


def _is_title(piece: Piece) -> bool:
    return (
        piece.kind is PARAGRAPH
        and bool(_STYLED.search(piece.context.classes))
        and piece.words <= _STYLED_WORDS
        and not piece.text.endswith((".", ",", ";"))
    )
