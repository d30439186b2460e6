"""Signals of a wrong book, told before its text: an OCR layer, missing text, unmapped glyphs."""

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePath

from bookblend.errors import InputError
from bookblend.extract.model import ExtractOptions
from bookblend.extract.pdf_lines import Page
from bookblend.extract.pdf_open import Source

# Hidden text beyond this share of all text is the layer of an OCR engine: beside it there are stamps at most.
_HIDDEN_SHARE = 0.8
# Fewer hidden characters in a whole book are no layer.
_LEAST_HIDDEN = 200
# Type sizes are counted until they cover this share of the characters: headings and captions have more of them.
_COVERED = 0.95
# More sizes (in tenths of a point) than this smear, as an OCR layer's do: clean books have 1-4, layers dozens.
_MANY_SIZES = 12
# No book is set in type of under this many points.
_LEAST_SIZE = 1.0
# A book is refused as garbled if more than this share of its pages is; fewer are told.
_GARBLED_SHARE = 0.5
# Blank pages beyond this share are told: versos of part pages are a few, drawings in place of text are many.
_BLANK_SHARE = 0.25
# Unmapped glyphs beyond this share of the characters are told: fewer are ornaments.
_UNMAPPED_SHARE = 0.0005
# Beyond this share the rest is no text to train on, and the book is refused.
_REFUSED_SHARE = 0.1


def check_text(pages: Sequence[Page], source: Source, options: ExtractOptions) -> list[str]:
    """Warnings about the text as a whole; raises `InputError` where it is no text or an OCR layer."""
    name = PurePath(source.document.name).name
    warnings: list[str] = []
    visible = sum(page.characters for page in pages)
    hidden = sum(len(text) for page in pages for text in page.hidden)
    if is_ocr_layer(pages) and not options.accept_ocr:
        raise InputError(
            f"{name}: its text is an invisible OCR layer over page pictures ({hidden} hidden characters, {visible} "
            "shown); use a born-digital file, or --accept-ocr"
        )
    if not visible:
        raise InputError(f"{name}: no text on any of its {source.count} pages (a scan?); it would need OCR first")
    empty = [page.number for page in pages if not page.lines and _has_picture(source, page.number)]
    if empty:
        warnings.append(f"{name}: no text on {len(empty)} page(s) that show a picture: {_ranges(empty, source)}")
    blank = [page.number for page in pages if not page.lines and page.number not in set(empty)]
    if len(blank) > _BLANK_SHARE * len(pages):
        warnings.append(f"{name}: no text on {len(blank)} of {len(pages)} pages: {_ranges(blank, source)}")
    exact: dict[float, int] = {}
    for page in pages:
        for line in page.lines:
            exact[line.size] = exact.get(line.size, 0) + len(line.text)
    sizes = Counter[float]()
    for size, count in exact.items():
        sizes[round(size, 1)] += count
    tiny = sum(count for size, count in sizes.items() if size < _LEAST_SIZE)
    if tiny > sizes.total() / 2 and not options.accept_ocr:
        raise InputError(
            f"{name}: its fonts give type sizes under {_LEAST_SIZE:g} point (a broken conversion), so that its layout "
            "cannot be read; use another copy, or --accept-ocr to read it as it is"
        )
    needed = _sizes_covering(sizes)
    if needed > _MANY_SIZES and not options.accept_ocr:
        raise InputError(
            f"{name}: its text is an OCR layer: type sizes smear ({needed} sizes for 95 % of the text, where typeset "
            "books have 1 to 4); use a born-digital file, or --accept-ocr"
        )
    garbled = [page.number for page in pages if page.garbled]
    if len(garbled) > _GARBLED_SHARE * sum(bool(page.lines) for page in pages) and not options.accept_ocr:
        raise InputError(
            f"{name}: its text is garbled (scrambled font encoding on pages {_ranges(garbled, source)}): the words "
            "have no vowels where any language has; use another copy, or --accept-ocr to read it as it is"
        )
    if garbled:
        warnings.append(f"{name}: the text of pages {_ranges(garbled, source)} is garbled (scrambled font encoding)")
    unmapped = sum(page.unmapped for page in pages)
    if unmapped > _REFUSED_SHARE * visible and not options.accept_ocr:
        raise InputError(
            f"{name}: {unmapped} of its {visible} glyphs have no Unicode mapping (its fonts do not say what they stand "
            "for); use another copy, or --accept-ocr to read it as it is"
        )
    if unmapped > _UNMAPPED_SHARE * visible:
        warnings.append(f"{name}: {unmapped} glyphs have no Unicode mapping and stand as U+FFFD in the text")
    if hidden:
        warnings.append(f"{name}: {hidden} hidden characters (invisible or white) were left out")
    return warnings


def is_ocr_layer(pages: Sequence[Page]) -> bool:
    """Whether nearly all text is invisible, as the layer is that an OCR engine puts over page pictures."""
    hidden = sum(len(text) for page in pages for text in page.hidden)
    return hidden > _LEAST_HIDDEN and hidden > _HIDDEN_SHARE * (hidden + sum(page.characters for page in pages))


def _sizes_covering(sizes: Counter[float]) -> int:
    total, covered = sizes.total(), 0
    for needed, (_, count) in enumerate(sizes.most_common(), 1):
        covered += count
        if covered >= _COVERED * total:
            return needed
    return 0


def _has_picture(source: Source, number: int) -> bool:
    return bool(source.document[number - 1].get_images())


def _ranges(numbers: Sequence[int], source: Source) -> str:
    """The file's page numbers as a person writes them: 3-5, 9; at most a dozen pieces."""
    pieces: list[list[int]] = []
    for number in sorted({source.paper(number) for number in numbers}):
        if pieces and number == pieces[-1][-1] + 1:
            pieces[-1].append(number)
        else:
            pieces.append([number])
    words = [f"{piece[0]}-{piece[-1]}" if len(piece) > 1 else str(piece[0]) for piece in pieces]
    return ", ".join(words[:12]) + (" …" if len(words) > 12 else "")
