"""One PDF page into lines: text, box, size and weight, with what is not to be read already set apart.

A `Line` is what the page shows as one line of one column; everything later (columns, furniture, notes, headings,
paragraphs) works on lines alone, so that spans, the costly part of a page, live only while their page is read.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import pymupdf

from bookblend.extract.pdf_codes import control_letters, has_swapped, swapped_letters
from bookblend.extract.pdf_outlines import is_outlined

# Images off and styles not collected: the cheapest call that still gives size, weight and box of every span.
# Ligatures are expanded by MuPDF (no PRESERVE_LIGATURES); unmapped glyphs come as U+FFFD, so that they can be counted.
TEXT_FLAGS: int = pymupdf.TEXT_PRESERVE_WHITESPACE | pymupdf.TEXT_MEDIABOX_CLIP

# Span flag bits of PyMuPDF.
_SUPERSCRIPT, _ITALIC, _MONO, _BOLD = 1, 2, 8, 16
# Character flag bits of MuPDF: a glyph neither filled nor stroked is invisible (render mode 3).
_PAINTED = 16 | 32
_FAKE_BOLD_FLAG = 8
# MuPDF calls a glyph raised whose origin is this share of its size above the line's first one (detect_super_script).
_RAISED = 0.1

_MONO_NAME = re.compile(
    r"mono(?!type)|nimbusmon|courier|typewriter|consol|menlo|inconsolata|fixed|cmtt|lmtt|andale", re.IGNORECASE
)
# A superscript is a note mark only under this share of its line's size (spec: 0.8 x body).
MARK_RATIO = 0.8
# A raised number is one up to this share (8 on 10 points and 9 on 10.5 are designs seen).
RAISED_RATIO = 0.92
_MARK = re.compile(r"[\[(]?(?:[-−+]?\d{1,3}|[*∗†‡§¶‖∥]{1,7}|[a-z])(?:[,–-]\d{1,3})*[\])]?$")
_PAIR = re.compile("[a-d][a-z]$")
# What raised numbers that are no marks are written as.
SUPERSCRIPT_DIGITS = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
# Flag of the blanks that MuPDF puts in at wide gaps.
_WIDE_BLANK = 512
_WORD_BLANK = 1.5  # in a letter-spaced line, blanks this many times wider than the usual one part words
# Two copies of a text this share of its size apart are one text struck twice (fake bold, shadow).
_DOUBLE_STRIKE = 0.12


class Line:
    """One line of a page. Coordinates in points, y downwards, already turned so that the text runs rightwards.

    size     of most of its characters;  top: the largest size that holds letters
    base     the baseline's y;  x0, x1: the ink's left and right edge
    bold, italic, mono   true only if all its letters are
    marks    note marks taken out of the text: (offset in `text`, mark)
    turned   0 as it stands, 1 turned by a quarter, 2 by half
    part     "contents" for a line of a contents list, else ""
    stop     where the second piece of a row of cells begins (a label's text, a column of a table), else 0
    lead     the raised or small number or sign that opened the line, as a footnote's first line has it
    """

    __slots__ = (
        "base",
        "block",
        "bold",
        "column",
        "font",
        "italic",
        "lead",
        "left",
        "marks",
        "mono",
        "page",
        "part",
        "right",
        "size",
        "stop",
        "text",
        "top",
        "turned",
        "x0",
        "x1",
        "y0",
        "y1",
    )

    def __init__(self, page: int, text: str, box: tuple[float, float, float, float], base: float, size: float) -> None:
        self.page = page
        self.text = text
        self.x0, self.y0, self.x1, self.y1 = box
        self.base = base
        self.size = size
        self.top = size
        self.font = ""
        self.bold = self.italic = self.mono = False
        self.marks: list[tuple[int, str]] = []
        self.lead = ""
        self.turned = 0
        self.part = ""
        self.block = 0
        self.column = 0
        self.stop = 0.0
        self.left = self.x0
        self.right = self.x1

    def __repr__(self) -> str:
        return f"Line(p{self.page} {self.x0:.0f},{self.base:.0f} {self.size:.1f} {self.text[:40]!r})"


@dataclass(slots=True)
class Page:
    """The lines of one page in the file's order, and what was noticed while reading it.

    lines    run in the direction of most of the page's text, turned to read rightwards (width and height with them)
    aside    lines that run in another direction, each turned likewise
    slanted  lines at an angle: watermarks, stamps
    hidden   text that the page does not show (invisible, or white on white)
    """

    number: int
    width: float
    height: float
    lines: list[Line]
    hidden: list[str] = field(default_factory=list)
    aside: list[Line] = field(default_factory=list)
    slanted: list[Line] = field(default_factory=list)
    respaced: int = 0  # lines whose lost blanks were put back
    flat: str | None = None  # the page's text with blanks at narrower gaps, where that was read (`pdf_blanks`)
    unmapped: int = 0
    characters: int = 0
    garbled: bool = False
    keep_hidden: bool = False  # an OCR layer that the user accepts is all the text there is
    images: bool = False


def read_blocks(page: Any) -> list[dict[str, Any]]:
    """The blocks of a PyMuPDF page, as `page.get_text("dict")` gives them, without what that looks up besides."""
    blocks: list[dict[str, Any]] = page.get_textpage(flags=TEXT_FLAGS).extractDICT()["blocks"]
    return blocks


def read_page(page: Any, number: int, hidden: bool = False, blocks: Sequence[dict[str, Any]] | None = None) -> Page:
    """Read one PyMuPDF page (number counts from 1) into lines; with `hidden`, text that it does not show as well.

    `blocks` is what `get_text("dict")` gives, where that has been read already.
    """
    # Text is placed on the page as it is stored; a page shown turned has its sides the other way round.
    _, _, width, height = page.rect
    if page.rotation % 180:
        width, height = height, width
    result = Page(number, width, height, [], keep_hidden=hidden)
    if blocks is None:
        blocks = read_blocks(page)
    for index, block in enumerate(blocks):
        for raw in block["lines"]:
            _read_line(page, raw, index, result)
    if result.aside and _length(result.aside) > _length(result.lines):
        result.lines, result.aside = result.aside, result.lines
        if result.lines[0].turned == 1:
            result.width, result.height = result.height, result.width
    _drop_double_strikes(result)
    if has_swapped("\n".join([line.text for line in result.lines])):
        for line in result.lines:
            line.marks = [(len(swapped_letters(line.text[:offset])), mark) for offset, mark in line.marks]
            line.text = swapped_letters(line.text)
    return result


def _length(lines: list[Line]) -> int:
    return sum(len(line.text) for line in lines)


def _read_line(page: Any, raw: dict[str, Any], block: int, result: Page) -> None:
    spans = raw["spans"]
    cosine, sine = raw["dir"]
    if len(spans) == 1:
        span = spans[0]
        if not span["text"].strip():
            return
        visible = spans
        if not span["char_flags"] & _PAINTED or not span["alpha"] or span["color"] == 0xFFFFFF:
            visible = [s for s in spans if _is_visible(page, s, result)]
    else:
        visible = [s for s in spans if _is_visible(page, s, result)]
    if not visible:
        return
    if cosine < 0.999:
        _mark_raised(visible, cosine, sine)
    line = _line_of(visible, result.number) if len(visible) > 1 else _line_of_one(visible[0], result.number)
    if line is None:
        return
    line.block = block
    if not line.text.isprintable():
        line.text = control_letters(line.text)
    result.characters += len(line.text)
    if "\ufffd" in line.text:
        result.unmapped += line.text.count("\ufffd")
    if cosine < 0.999:
        _turn(line, cosine, sine, result)
        slanted = abs(cosine) > 0.001 and abs(sine) > 0.001
        (result.slanted if slanted else result.aside).append(line)
        return
    if line.x0 >= result.width or line.x1 <= 0 or line.base <= 0 or line.y0 >= result.height:
        return  # outside the crop box: printers' slug lines
    result.lines.append(line)


def _mark_raised(spans: list[dict[str, Any]], cosine: float, sine: float) -> None:
    """Flag the raised spans of a turned line; MuPDF does so for upright ones alone, by the same measure."""
    x, y = max(spans, key=lambda span: float(span["size"]))["origin"]
    for span in spans:
        up = (span["origin"][0] - x) * sine - (span["origin"][1] - y) * cosine
        if up > _RAISED * span["size"]:
            span["flags"] |= _SUPERSCRIPT


def _is_visible(page: Any, span: dict[str, Any], result: Page) -> bool:
    if result.keep_hidden:
        return True
    if span["char_flags"] & _PAINTED and span["alpha"]:
        if span["color"] != 0xFFFFFF or not span["text"].strip() or _has_contrast(page, span):
            return True
    elif not span["text"].strip() or (not span["alpha"] and is_outlined(page, span)):
        return True
    result.hidden.append(span["text"])
    return False


def _has_contrast(page: Any, span: dict[str, Any]) -> bool:
    """White text is hidden where the page shows one colour in its box; on a dark ground it is text. Rare: rendered."""
    pixmap = page.get_pixmap(clip=span["bbox"], dpi=72, colorspace=pymupdf.csGRAY)
    return not pixmap.is_unicolor


def _line_of_one(span: dict[str, Any], number: int) -> Line:
    flags = span["flags"]
    line = Line(number, span["text"], span["bbox"], span["origin"][1], span["size"])
    line.font = span["font"]
    if flags & 26 or span["char_flags"] & _FAKE_BOLD_FLAG:
        line.bold = bool(flags & _BOLD or span["char_flags"] & _FAKE_BOLD_FLAG)
        line.italic = bool(flags & _ITALIC)
    line.mono = _is_mono(span["font"], flags)
    return line


@cache
def _is_mono(font: str, flags: int) -> bool:
    """Whether a face is of one width: the file's flag, or a name that says so (many fonts lack the flag)."""
    return bool(flags & _MONO) or bool(_MONO_NAME.search(font))


def _line_of(spans: list[dict[str, Any]], number: int) -> Line | None:
    """Merge a line's spans: the commonest size and font by characters, note marks taken out."""
    first = spans[0]
    size, font = first["size"], first["font"]
    if all(span["size"] == size and span["font"] == font for span in spans):
        # Since 1.27 MuPDF parts spans at wide blanks, so most lines of a LaTeX book come in a dozen like pieces.
        line = _line_of_one(first, number)
        line.text = "".join([span["text"] for span in spans])
        if len(spans) > 4 and line.text[1:2] == " ":
            line.text = _untracked(spans) or line.text
        line.x1 = line.right = spans[-1]["bbox"][2]
        return line if line.text.strip() else None
    weights: dict[tuple[float, str], int] = {}
    for span in spans:
        key = (span["size"], span["font"])
        weights[key] = weights.get(key, 0) + len(span["text"].strip())
    size, font = max(weights, key=lambda key: (weights[key], key))
    text, marks, lead = _merge_text(spans, size)
    if not text.strip() and not lead:
        return None
    top, bold, italic, mono = 0.0, True, True, True
    x0, y0, x1, y1 = spans[0]["bbox"]
    base = spans[0]["origin"][1]
    for span in spans:
        left, upper, right, lower = span["bbox"]
        x0, y0, x1, y1 = min(x0, left), min(y0, upper), max(x1, right), max(y1, lower)
        if span["size"] == size:
            base = span["origin"][1]
        if any(map(str.isalnum, span["text"])) and not (span["flags"] & _SUPERSCRIPT and span["size"] < size):
            top = max(top, span["size"])
            flags = span["flags"]
            bold = bold and bool(flags & _BOLD or span["char_flags"] & _FAKE_BOLD_FLAG)
            italic = italic and bool(flags & _ITALIC)
            mono = mono and _is_mono(span["font"], flags)
    line = Line(number, text, (x0, y0, x1, y1), base, size)
    line.font, line.marks, line.lead = font, marks, lead
    line.top = top or size
    line.bold, line.italic, line.mono = (bold, italic, mono) if top else (False, False, False)
    return line


def _untracked(spans: list[dict[str, Any]]) -> str:
    """A letter-spaced title's text where MuPDF took the space between the letters for blanks; "" if it is none.

    Its own blanks are wider than, or of another kind than (flag 512), those between the letters.
    """
    letters = [span for span in spans if span["text"].strip()]
    blanks = [span for span in spans if span["char_flags"] & _WIDE_BLANK and not span["text"].strip()]
    if len(blanks) < 3 or sum(len(span["text"].strip()) == 1 for span in letters) < 0.7 * len(letters):
        return ""
    widths = sorted(span["bbox"][2] - span["bbox"][0] for span in blanks)
    usual = widths[len(widths) // 2]
    text = ""
    for span in spans:
        made = span["char_flags"] & _WIDE_BLANK and not span["text"].strip()
        if not made or span["bbox"][2] - span["bbox"][0] > _WORD_BLANK * usual:
            text += span["text"]
    return text


def _merge_text(spans: list[dict[str, Any]], size: float) -> tuple[str, list[tuple[int, str]], str]:
    text = ""
    marks: list[tuple[int, str]] = []
    lead = ""
    for index, span in enumerate(spans):
        piece: str = span["text"]
        sign = piece.strip()
        raised = bool(span["flags"] & _SUPERSCRIPT)
        if sign and span["size"] < (RAISED_RATIO if raised and sign.isdigit() else MARK_RATIO) * size:
            if not text.strip():
                # MuPDF calls no first span raised: its baseline against the next one's tells.
                raised = raised or _stands_higher(spans, index, size)
                if _is_mark(sign, "") and (raised or not any(map(str.isalpha, sign))):
                    lead = sign
                    continue
            elif raised and _is_mark(sign, text):
                if _is_exponent(text, sign):
                    piece = piece.translate(SUPERSCRIPT_DIGITS)
                else:
                    marks.append((len(text), sign))
                    # The blank that parts two words may belong to the mark's own span.
                    piece = " " if piece[-1].isspace() else ""
        elif piece[0] == " " and _is_false_blank(piece, span, text):
            piece = piece[1:]
        text += piece
    return text, marks, lead


def _is_mark(sign: str, before: str) -> bool:
    """Whether a raised sign can be a note's mark: behind z letters come in pairs, unlike those of "1st" and "Mme"."""
    if len(sign) != 2 or not _PAIR.match(sign):
        return bool(_MARK.match(sign))
    return not before or not before[-1].isalnum() or (before[-3:].isalpha() and before[-3:].islower())


def _stands_higher(spans: list[dict[str, Any]], index: int, size: float) -> bool:
    behind = next((span for span in spans[index + 1 :] if span["text"].strip()), None)
    return behind is not None and bool(spans[index]["origin"][1] < behind["origin"][1] - 0.15 * size)


def _is_false_blank(piece: str, span: dict[str, Any], before: str) -> bool:
    """A blank before closing punctuation at a change of type is italic correction, not a blank.

    French sets a real one before : ; ! ? (a fifth of an em at least), so those are measured: the two glyphs together.
    """
    sign, behind = piece[1:2], piece[2:3]
    if not sign or not before or before[-1:].isspace() or (behind and not behind.isspace()):
        return False  # ".deb" and "-I" behind a word are words of their own
    if sign in ",.)]’”":
        return True
    if sign == "-":
        return len(piece.rstrip()) == 2 and not behind
    return sign in ":;!?" and len(piece.rstrip()) == 2 and span["bbox"][2] - span["bbox"][0] < 0.5 * span["size"]


def _is_exponent(before: str, sign: str) -> bool:
    """A raised number behind a single letter or a digit is an exponent; behind a word or a stop it is a note mark."""
    if sign[0] in "-−+":
        return True
    if not sign[0].isdigit():
        return sign.isalpha() and before[-1].isdigit()
    word = re.search(r"[^\W_]*$", before)
    last = word[0] if word else ""
    return bool(last) and (last[-1].isdigit() or len(last) == 1)


def _turn(line: Line, cosine: float, sine: float, result: Page) -> None:
    """Turn a line that runs up, down or backwards so that its text runs to the right."""
    x0, y0, x1, y1 = line.x0, line.y0, line.x1, line.y1
    width, height = result.width, result.height
    if sine < -0.999:  # bottom to top
        line.x0, line.x1, line.y0, line.y1 = height - y1, height - y0, x0, x1
    elif sine > 0.999:  # top to bottom
        line.x0, line.x1, line.y0, line.y1 = y0, y1, width - x1, width - x0
    elif cosine < -0.999:
        line.x0, line.x1, line.y0, line.y1 = width - x1, width - x0, height - y1, height - y0
    line.turned = 2 if cosine < -0.999 else 1
    line.base = line.y1 - 0.22 * line.size
    line.left, line.right = line.x0, line.x1


def _drop_double_strikes(page: Page) -> None:
    """Read a text once that is drawn again a hair beside itself."""
    if len({line.text for line in page.lines}) == len(page.lines):
        return
    seen: dict[str, list[Line]] = {}
    kept = []
    for line in page.lines:
        twins = seen.setdefault(line.text.strip(), [])
        reach = max(0.6, _DOUBLE_STRIKE * line.size)
        if any(abs(t.x0 - line.x0) < reach and abs(t.base - line.base) < reach for t in twins):
            continue
        twins.append(line)
        kept.append(line)
    page.lines = kept
