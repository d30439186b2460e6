"""Front and back matter of a PDF, recognised by headings, by pages that only a front has, and by place.

Only marked here, never dropped: the marks are acted on where the user set no anchor. What is prose under a heading of
its own (a preface, a foreword, an introduction) is text wherever it stands.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace

from bookblend.extract.labels import is_labelled, matter_name
from bookblend.extract.model import Block

# A page before the text with fewer words than this has no prose: title, half-title, dedication, epigraph, series list.
_PROSE_WORDS = 60
# Titles with fewer letters are also names and first words of chapters.
_TITLE_LETTERS = 4
# A section of its own before the contents list is text from this many words on.
_SECTION_WORDS = 120
# Phrases of an imprint page.
_IMPRINT = re.compile(
    r"©|\(c\)|copyright|all rights reserved|isbn|library of congress|printed (?:in|by|on)|first (?:published|edition)|"
    r"published by|publisher|alle rechte|impressum|tous droits|dépôt légal|imprimé|reservados todos|edition|"
    r"creative commons|permission",
    re.IGNORECASE,
)
# So many different ones make a page an imprint: text may speak of an edition and its publisher.
_IMPRINT_HITS = 3
# An imprint is this near the front.
_IMPRINT_PAGES = 14
# Contents lists that end the front stand on so many pages, or in the first fifth: a later one is a part's own.
_FRONT_PAGES = 30
# Back matter lies behind this share of the book's blocks; an "Index" or "Notes" in mid-book belongs to its chapter.
_BACK = 0.5


def mark_matter(blocks: Sequence[Block], lonely: set[int], title: str = "") -> list[Block]:
    """The blocks with `matter` set; those of contents lists have it already.

    lonely    pages that open with a heading in a style that no other heading has
    title     the book's title as the file declares it
    """
    marks = [block.matter for block in blocks]
    _mark_title(blocks, marks, _fold(title))
    _mark_imprint(blocks, marks)
    _mark_front(blocks, marks, lonely)
    _mark_half_titles(blocks, marks)
    _mark_named(blocks, marks)
    return [replace(block, matter=mark) if mark else block for block, mark in zip(blocks, marks, strict=True)]


def _mark_title(blocks: Sequence[Block], marks: list[str], title: str) -> None:
    """The declared title before the first chapter, in the chapters' type or as plain text, and the author's name
    under it; ornaments there alone as well."""
    tops = [index for index, block in enumerate(blocks) if block.level == 1 and not marks[index]][:2]
    if not tops:
        return
    lead = blocks[: tops[0]]
    letters = [_fold(block.text) for block in lead]
    if not any(letters) or (_total(lead) < _PROSE_WORDS and any(_is_title(text, title) for text in letters)):
        marks[: tops[0]] = [mark or "title page" for mark in marks[: tops[0]]]
    if len(tops) < 2 or _total(lead) >= _PROSE_WORDS or not _is_title(_fold(blocks[tops[0]].text), title):
        return
    if _total(blocks[tops[0] + 1 : tops[1]]) < _PROSE_WORDS:
        marks[tops[0] : tops[1]] = [mark or "title page" for mark in marks[tops[0] : tops[1]]]


def _is_title(text: str, title: str) -> bool:
    """Whether folded words are the title, its beginning (the subtitle left out), or it and the author's name."""
    return min(len(text), len(title)) >= _TITLE_LETTERS and (text.startswith(title) or title.startswith(text))


def _total(blocks: Iterable[Block]) -> int:
    return sum(len(block.text.split()) for block in blocks)


def _words(blocks: Iterable[Block]) -> int:
    return sum(len(block.text.split()) for block in blocks if not block.level)


def _mark_imprint(blocks: Sequence[Block], marks: list[str]) -> None:
    for page, first, last in _pages(blocks):
        if page > _IMPRINT_PAGES:
            return
        text = " ".join(block.text for block in blocks[first:last])
        hits = {match.casefold() for match in _IMPRINT.findall(text)}
        if len(hits) >= _IMPRINT_HITS and not any(block.level == 1 for block in blocks[first:last]):
            marks[first:last] = [mark or "copyright" for mark in marks[first:last]]


def _pages(blocks: Sequence[Block]) -> Iterable[tuple[int, int, int]]:
    """(page, first block, block behind the last) of every page on which a block starts."""
    first = 0
    for index in range(1, len(blocks) + 1):
        if index == len(blocks) or blocks[index].place.page != blocks[first].place.page:
            yield blocks[first].place.page, first, index
            first = index


def _mark_front(blocks: Sequence[Block], marks: list[str], lonely: set[int]) -> None:
    """What stands before the text: up to the last contents list near the front, or while pages hold no prose."""
    near = max(_FRONT_PAGES, blocks[-1].place.page // 5) if blocks else 0
    listed = [i for i, mark in enumerate(marks) if mark == "contents" and blocks[i].place.page <= near]
    behind = listed[-1] + 1 if listed else 0
    for page, first, last in _pages(blocks):
        if first < behind:
            last = min(last, behind)
            if _section_words(blocks, marks, first) >= _SECTION_WORDS:
                continue
        else:
            part = blocks[first:last]
            named = any(block.level and (is_labelled(block.text) or _is_own_section(block)) for block in part)
            titled = page in lonely or not any(block.level == 1 for block in part)
            if named or not (all(marks[first:last]) or (titled and _words(part) < _PROSE_WORDS)):
                return
        for index in range(first, last):
            marks[index] = marks[index] or "title page"
        if last < behind or first >= behind:
            continue
        if last < len(blocks) and blocks[last].place.page == page:
            return  # the text begins on the page on which the list ends


def _is_own_section(block: Block) -> bool:
    """A heading that names a section of the text, not of its front ("Preface", not "Contents")."""
    return (
        block.level == 1 and not matter_name(block.text) and len(block.text.split()) <= 3 and _is_prose_name(block.text)
    )


def _mark_half_titles(blocks: Sequence[Block], marks: list[str]) -> None:
    """The book's title once more on a page of its own, behind the preface or before the text."""
    titles = {
        _fold(block.text) for block, mark in zip(blocks, marks, strict=True) if block.level and mark == "title page"
    }
    for _, first, last in _pages(blocks):
        if last - first == 1 and blocks[first].level and _fold(blocks[first].text) in titles:
            marks[first] = "title page"


def _fold(text: str) -> str:
    return "".join(filter(str.isalnum, text)).casefold()


_PROSE_NAMES = re.compile(
    r"(?:[\w’' ]+ )?(?:preface|foreword|introduction|prologue|proem|prelude|vorwort|einleitung|geleitwort|prolog|"
    r"préface|avant-propos|introducción|prólogo|prefacio|prefazione|introduzione|prologo|voorwoord|inleiding|"
    r"предисловие|введение|przedmowa|wstęp|acknowledgments|acknowledgements|author’s note|author's note)\b",
    re.IGNORECASE,
)


def _is_prose_name(text: str) -> bool:
    return bool(_PROSE_NAMES.match(text.strip()))


def _section_words(blocks: Sequence[Block], marks: Sequence[str], index: int) -> int:
    """Words of prose in the section that a block belongs to, if a chapter-tier heading opened it."""
    start = index
    while start >= 0 and blocks[start].level != 1:
        start -= 1
    if start < 0 or matter_name(blocks[start].text):
        return 0
    end = start + 1
    while end < len(blocks) and blocks[end].level != 1:
        end += 1
    page = blocks[start].place.page
    if not any(not block.level and block.place.page == page for block in blocks[start:end]):
        return 0  # a title page's words head no prose, whatever the next page holds
    return _words(block for block, mark in zip(blocks[start:end], marks[start:end], strict=True) if not mark)


def _mark_named(blocks: Sequence[Block], marks: list[str]) -> None:
    """Sections that their heading names: from the heading to the next one of its tier."""
    matter, tier = "", 0
    for index, block in enumerate(blocks):
        if block.level:
            name = matter_name(block.text)
            opens = block.level == 1 or block.place.page != blocks[index - 1].place.page
            if name and opens and (index > _BACK * len(blocks) or name not in ("endnotes", "index")):
                matter, tier = name, block.level
            elif matter and block.level <= tier:
                matter = ""
        if matter and not marks[index]:
            marks[index] = matter
