"""The lower half of `pdf_fixtures`: typefaces, and the content stream of one page.

Written by hand because PyMuPDF's own writer takes a second for what a test wants in a tenth, and hides what some tests
are about: letter-spacing, invisible text, one show operator a glyph.
"""

from functools import cache
from typing import Any, Literal

import pymupdf

Face = Literal["roman", "italic", "bold", "bold italic", "mono", "mono bold"]

# Typefaces that come with PyMuPDF. Other scripts are made by `pdf_fixtures.remap`.
_FONTS: dict[Face, str] = {
    "roman": "tiro",
    "italic": "tiit",
    "bold": "tibo",
    "bold italic": "tibi",
    "mono": "cour",
    "mono bold": "cobo",
}


@cache
def font_of(face: Face) -> pymupdf.Font:
    """The PyMuPDF font of a face."""
    return pymupdf.Font(_FONTS[face])


@cache
def advance(face: Face, character: str) -> float:
    """A character's width in ems."""
    return float(font_of(face).glyph_advance(ord(character)))


@cache
def _glyph(face: Face, character: str) -> str:
    number = font_of(face).has_glyph(ord(character))
    if not number:
        raise ValueError(f"the {face} face has no {character!r}")
    return f"{number:04X}"


class Canvas:
    """One page of a document, drawn by operators. y counts from the page's upper edge downwards."""

    def __init__(self, document: Any, width: float, height: float, fonts: dict[Face, int], shift: float = 0.0) -> None:
        self.page = document.new_page(width=width, height=height)
        self._document = document
        self._height = height
        self._shift = shift  # points that all text is moved to the right
        self._fonts = fonts  # the document's font objects, shared by its pages
        self._used: set[Face] = set()
        self._operators: list[str] = []

    def text(
        self,
        text: str,
        x: float,
        y: float,
        size: float,
        face: Face,
        *,
        turn: tuple[float, float] = (1.0, 0.0),
        mode: int = 0,
        grey: float = 0.0,
        tracking: float = 0.0,
    ) -> None:
        """Show a text: `turn` is (cosine, sine) of its direction, `mode` the render mode, `tracking` in points."""
        self._used.add(face)
        cosine, sine = turn
        glyphs = "".join(_glyph(face, character) for character in text)
        self._operators.append(
            f"BT /{face.replace(' ', '')} {size:g} Tf {mode} Tr {tracking:g} Tc {grey:g} g {cosine:g} {sine:g} "
            f"{-sine:g} {cosine:g} {x + self._shift:.3f} {self._height - y:.3f} Tm <{glyphs}> Tj ET"
        )

    def rectangle(self, box: tuple[float, float, float, float]) -> None:
        """Fill a box (x0, y0, x1, y1) with black."""
        x0, y0, x1, y1 = box
        self._operators.append(f"0 g {x0:g} {self._height - y1:g} {x1 - x0:g} {y1 - y0:g} re f")

    def operators(self, operators: str) -> None:
        """Put raw operators into the stream."""
        self._operators.append(operators)

    def finish(self) -> None:
        """Write the stream behind what the page holds already (pictures)."""
        for face in sorted(self._used - self._fonts.keys()):
            self._fonts[face] = self.page.insert_font(face.replace(" ", ""), fontbuffer=font_of(face).buffer)
        names = " ".join(f"/{face.replace(' ', '')} {self._fonts[face]} 0 R" for face in sorted(self._used))
        document, xref = self._document, self.page.xref
        kind, value = document.xref_get_key(xref, "Resources")
        if kind == "xref":
            document.xref_set_key(int(value.split()[0]), "Font", f"<<{names}>>")
        else:
            document.xref_set_key(xref, "Resources", f"<</Font<<{names}>>>>")
        stream = document.get_new_xref()
        document.update_object(stream, "<<>>")
        document.update_stream(stream, "\n".join(self._operators).encode("ascii"))
        before = [f"{number} 0 R" for number in self.page.get_contents()]
        document.xref_set_key(xref, "Contents", f"[{' '.join([*before, f'{stream} 0 R'])}]")
