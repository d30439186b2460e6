"""Inline elements that are more than their text: raised and lowered figures, picture initials, quotations."""

import re
from typing import Any

from bookblend.extract.epub_lines import squeeze

_RAISED = str.maketrans("0123456789+-−=()n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁿ")
_LOWERED = str.maketrans("0123456789+-−=()", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎")
_FIGURES = re.compile(r"[+\-−]?[0-9][0-9+\-−=()]*$")
_INITIAL = re.compile(r"[“\"‘'«„]?[^\W\d_]$")
_QUOTES = '“”„«»"‘’'


def raised_figures(text: str) -> str:
    """Figures as superscripts ("10⁶"), so that an exponent is not lost; anything else as it is ("1st", "ye")."""
    return text.translate(_RAISED) if _FIGURES.match(text) else text


def lowered_figures(text: str) -> str:
    """Figures as subscripts ("H₂O"); anything else as it is."""
    return text.translate(_LOWERED) if _FIGURES.match(text) else text


def is_figures(text: str) -> bool:
    """Whether a raised or lowered text is a number."""
    return bool(_FIGURES.match(text))


def text_of(element: Any) -> str:
    """All text below an element, blanks as one."""
    if not len(element):
        return squeeze(element.text or "")
    return squeeze("".join(element.itertext()))


def initial(image: Any) -> str:
    """The letter that a picture at a paragraph's head stands for, by its alternative text; "" for other pictures.

    Only where a word goes on right behind the picture ("[T]he") is one letter of alternative text an initial.
    """
    if not may_be_initial(image):
        return ""
    text: str = image.get("alt").strip()
    following = image.tail or ""
    parent = image.getparent()
    if not following and image.getnext() is None and parent is not None:
        following = parent.tail or ""
    return text if following[:1].isalpha() or (following[:1] in "’'" and following) else ""


def may_be_initial(image: Any) -> bool:
    """Whether the alternative text of a picture is a single letter."""
    return bool(_INITIAL.match((image.get("alt") or "").strip()))


def quotation_marks(element: Any) -> tuple[str, str]:
    """The marks that a `q` element is shown with; none where its text brings its own."""
    text = text_of(element)
    if not text or text[0] in _QUOTES:
        return "", ""
    outer = element.getparent()
    while outer is not None:
        if isinstance(outer.tag, str) and outer.tag.rpartition("}")[2] == "q":
            return "‘", "’"
        outer = outer.getparent()
    return "“", "”"


def single_link(element: Any) -> Any:
    """The link that holds all the text of an element but brackets ("[1]"); None where there is none, or more."""
    links = [e for e in element.iter() if isinstance(e.tag, str) and e.tag.rpartition("}")[2] == "a" and e.get("href")]
    if len(links) != 1:
        return None
    inner, outer = text_of(links[0]), text_of(element)
    return links[0] if inner and inner.strip("[]()") == outer.strip("[]()") else None


def link_characters(element: Any) -> tuple[int, int]:
    """How many characters an element has, blanks aside, and how many of them are the text of links into the book."""
    whole = len("".join("".join(element.itertext()).split()))
    linked = sum(
        len("".join("".join(link.itertext()).split()))
        for link in element.iter("{*}a")
        if "://" not in (link.get("href") or "://") and not any(True for _ in link.iterancestors("{*}a"))
    )
    return whole, linked
