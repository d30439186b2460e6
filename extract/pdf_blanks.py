"""Blanks that a tightly set line lost, put back from the gaps between its glyphs.

Engines that write no blanks (TeX) leave them to the reader, and MuPDF sees one from 0.15 em on; a line squeezed by the
justification has less between all its words and comes as one long "word". MuPDF's measure cannot be set, but it is
taken in ems of the glyph's area: on a page drawn flatter the em is less, and so is the gap that counts as a blank. So
the page is read a second time, flattened, as plain text. (Going through the glyphs in Python costs six times as much.)
"""

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate, pairwise
from typing import Any

from bookblend.extract.pdf_codes import control_letters, swapped_letters
from bookblend.extract.pdf_lines import TEXT_FLAGS, Line, Page, read_blocks
from bookblend.extract.pdf_open import Source, library

# Shorter lines are not judged by their blanks: a long word may be all that stands there.
_LEAST_LENGTH = 25
# A line with a long run of letters and a smaller share of blanks has lost some (English prose has 0.17, German 0.14).
_BLANK_SHARE = 0.09
# A run of so many letters is glued words, however many blanks there are beside it: hardly a word is as long.
_LONG_WORD = 20
# A run of so many may be: nearly all words are shorter, and pages without any such run are not looked at further.
_LONG_RUN = 14
# So many words are looked for in one where only some blanks of a line are lost.
_GLUED_WORDS = 4
# In a book known to lose blanks a line is looked at from this share of blanks down (German prose has 0.14).
_TIGHT_SHARE = 0.12
# A book loses blanks if at least so many of its lines had lost them all.
_LEAST_LINES = 5
# Gaps between glyphs that are blanks, in ems: kerning and italics stay under 0.05, the tightest blanks seen are 0.13.
_WORD_GAP = 0.1
# MuPDF's own measure of one, a fact of the library: SPACE_DIST in its stext-device.c.
_MUPDF_GAP = 0.15
# Its em is the root of the glyph matrix's area, so heights are scaled by the square.
_FLATTEN = (_WORD_GAP / _MUPDF_GAP) ** 2
# Where more pairs of glyphs than this share stand apart, the line is letter-spaced: its gaps part no words.
_TRACKED_SHARE = 0.45
# A line is letter-spaced from this usual gap on, in ems: in plain setting most letters stand without any.
_TRACKED_GAP = 0.04
# The words of such a line are parted by so many ems more than its letters: MuPDF's measure of a blank.
_TRACKED_EXCESS = 0.15
# Capitals with single letters among them in a shorter line are a label or initials ("PART I"), no spaced letters.
_SHORTEST_TITLE = 7
# Longer lines are no titles.
_LONGEST_TITLE = 80
_WORD = re.compile(r"[^\W\d_]+")


def lacking_blanks(lines: Sequence[Line]) -> list[Line]:
    """Those of the lines of a page whose text looks as if blanks were lost."""
    tokens = "\n".join([line.text for line in lines]).split()
    if max(map(len, tokens), default=0) < _LONG_RUN:
        return []
    long = [token for token in tokens if len(token) >= _LONG_RUN]
    return [line for line in lines if any(token in line.text for token in long) and _lacks_blanks(line.text)]


def _lacks_blanks(text: str) -> bool:
    if len(text) < _LEAST_LENGTH:
        return False
    run = max(map(len, _WORD.findall(text)), default=0)
    return run >= _LONG_WORD or (run >= _LONG_RUN and text.count(" ") < _BLANK_SHARE * len(text))


def loses_blanks(respaced: int) -> bool:
    """Whether a book loses blanks, by the number of its lines that got theirs back so far."""
    return respaced >= _LEAST_LINES


def restore_by_words(pages: Sequence[Page], source: Source) -> None:
    """Look at the glyphs of every line that holds an unknown word which is two known ones ("youlast").

    Only for a book in which lines were found that had lost all their blanks: there, others have lost a few.
    """
    if not loses_blanks(sum(page.respaced for page in pages)):
        return
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update(_WORD.findall("\n".join([line.text for line in page.lines]).casefold()))

    def is_glued(word: str) -> bool:
        return counts[word] == 1 and len(word) < _LONG_WORD and _splits(word, _GLUED_WORDS, counts)

    for page in pages:
        poor = [
            line
            for line in _differing(page)
            if _is_tight(line.text) or any(map(is_glued, _WORD.findall(line.text.casefold())))
        ]
        if poor and page.flat is None:
            page.flat = read_flat(source.document[page.number - 1])
        page.respaced += restore_blanks(poor, page.flat or "")


def _splits(word: str, pieces: int, counts: Mapping[str, int]) -> bool:
    """Whether a word is two to `pieces` words in a row that the book has several times."""
    for end in range(1, len(word)):
        if counts[word[:end]] > 1:
            rest = word[end:]
            if counts[rest] > 1 or (pieces > 2 and _splits(rest, pieces - 1, counts)):
                return True
    return False


def _differing(page: Page) -> list[Line]:
    """The lines of a page with words that the flat reading has not, all where there is none yet."""
    if page.flat is None:
        return page.lines
    there = set(page.flat.split())
    return [line for line in page.lines if not there.issuperset(line.text.split())]


def _is_tight(text: str) -> bool:
    return len(text) >= _LEAST_LENGTH and text.count(" ") < _TIGHT_SHARE * len(text)


def is_tracked(text: str) -> bool:
    """Whether a line of capitals holds single letters, as letter-spaced titles come ("C HAPTER ONE", "WHA T")."""
    if not text.isupper() or not _SHORTEST_TITLE <= len(text) <= _LONGEST_TITLE:
        return False
    return any(len(word) == 1 and word.isalpha() for word in text.split())


def read_twice(page: Any) -> tuple[list[dict[str, Any]], str]:
    """A PyMuPDF page's blocks, as `get_text("dict")` has them, and what `read_flat` gives.

    For books known to lose blanks: the page is interpreted, the costlier half of a reading, once for both.
    """
    if page.rotation:
        return read_blocks(page), read_flat(page)
    mupdf = library.mupdf
    shown = mupdf.fz_new_display_list_from_page(page.this)
    area = mupdf.fz_bound_page(page.this)
    texts = []
    for height in (1.0, _FLATTEN):
        text = mupdf.FzStextPage(area)
        device = mupdf.fz_new_stext_device(text, mupdf.FzStextOptions(TEXT_FLAGS))
        everywhere = mupdf.FzRect(mupdf.FzRect.Fixed_INFINITE)
        mupdf.fz_run_display_list(shown, device, mupdf.FzMatrix(1, 0, 0, height, 0, 0), everywhere, mupdf.FzCookie())
        mupdf.fz_close_device(device)
        texts.append(library.TextPage(text))
    plain, flat = texts
    return plain.extractDICT()["blocks"], _flat_text(flat)


def _flat_text(read: Any) -> str:
    lines = control_letters(read.extractText()).split("\n")
    return "\n".join(map(swapped_letters, lines))


def read_flat(page: Any) -> str:
    """The text of a PyMuPDF page in the file's order, with a blank wherever glyphs stand `_WORD_GAP` ems apart."""
    flat = page.get_textpage(flags=TEXT_FLAGS, matrix=library.Matrix(1, _FLATTEN))
    return _flat_text(flat)


def restore_blanks(lines: Sequence[Line], flat: str) -> int:
    """Give lines of one page their blanks back, in place; returns how many lines changed.

    `flat` is what `read_flat` found on the page. (A line is looked for anywhere in it, as MuPDF breaks flat lines at
    gaps that it takes for a blank elsewhere.)
    """
    if not lines or not flat:
        return 0
    words = flat.split()
    page = "".join(words)
    starts = [0, *accumulate(map(len, words))]
    changed = 0
    for line in lines:
        letters, marks = _with_marks(line)
        place = page.find(letters)
        if place < 0 or line.turned:
            continue
        inside = starts[bisect_right(starts, place) : bisect_left(starts, place + len(letters))]
        if len(inside) > _TRACKED_SHARE * len(letters):
            continue
        cuts = [0, *(start - place for start in inside), len(letters)]
        text, places = _without_marks(" ".join(letters[a:b] for a, b in pairwise(cuts)), marks)
        if text.count(" ") > line.text.strip().count(" "):
            line.text, line.marks = text, places
            changed += 1
    return changed


def _with_marks(line: Line) -> tuple[str, dict[int, str]]:
    """A line's letters as the page has them, note marks among them, and the marks by the letters before each."""
    if not line.marks and not line.lead:
        return _letters(line.text), {}
    letters, done = line.lead, 0
    marks = {0: line.lead} if line.lead else {}
    for offset, mark in line.marks:
        letters += _letters(line.text[done:offset])
        marks[len(letters)] = mark
        letters, done = letters + _letters(mark), offset
    return letters + _letters(line.text[done:]), marks


def _without_marks(text: str, marks: Mapping[int, str]) -> tuple[str, list[tuple[int, str]]]:
    """A line's text less its note marks, and where they stood in it; the mark that opens it (at 0) is not listed."""
    if not marks:
        return text, []
    kept, places = "", []
    count = until = 0
    for character in text:
        if character.isspace():
            kept += character
            continue
        if count in marks:
            until = count + len(_letters(marks[count]))
            if count:
                places.append((len(kept), marks[count]))
        if count >= until:
            kept += character
        count += 1
    return kept, places


def close_tracked(page: Any, lines: Sequence[Line]) -> None:
    """Close up letter-spaced lines of one page, in place: a blank is where the gap is wider than the usual one."""
    for line, glyphs in _glyphs(page, lines):
        gaps = sorted((after[1][0] - before[1][2]) / after[2] for before, after in pairwise(glyphs))
        usual = gaps[len(gaps) // 2]
        if usual > _TRACKED_GAP:
            line.text = _spaced(glyphs, usual + _TRACKED_EXCESS)


# A character, its box and its size.
_Glyph = tuple[str, tuple[float, float, float, float], float]


def _glyphs(page: Any, lines: Sequence[Line]) -> Iterator[tuple[Line, list[_Glyph]]]:
    """Each line with its glyphs, blanks left out; lines whose glyphs cannot be told apart are left out."""
    wanted = {(round(line.x0), round(line.base)): line for line in lines if not line.turned}
    if not wanted:
        return
    # Glyph by glyph is the costliest way to read a page, so only the region of these lines is.
    margin = max(line.size for line in wanted.values())
    region = (
        min(line.x0 for line in wanted.values()) - margin,
        min(line.y0 for line in wanted.values()) - margin,
        max(line.x1 for line in wanted.values()) + margin,
        max(line.y1 for line in wanted.values()) + margin,
    )
    for block in page.get_text("rawdict", clip=region, flags=TEXT_FLAGS)["blocks"]:
        for raw in block["lines"]:
            spans = raw["spans"]
            line = wanted.get((round(raw["bbox"][0]), round(spans[0]["origin"][1])))
            if line is None or line.marks or line.lead:
                continue
            glyphs = [
                (char["c"], char["bbox"], span["size"])
                for span in spans
                for char in span["chars"]
                if not char["c"].isspace()
            ]
            if len(glyphs) > 1 and "".join(glyph[0] for glyph in glyphs) == _letters(line.text):
                yield line, glyphs


def _spaced(glyphs: Sequence[_Glyph], gap: float) -> str:
    """The glyphs' text with a blank wherever they stand further apart than `gap` ems."""
    text = glyphs[0][0]
    for (_, before, _), (character, box, size) in pairwise(glyphs):
        if box[0] - before[2] > gap * size:
            text += " "
        text += character
    return text


def _letters(text: str) -> str:
    return "".join(text.split())
