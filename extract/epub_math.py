"""MathML as text: its TeX annotation where there is one, else the formula written along a line (x^{2}, a/b, √(x)).

One form only, never both. What the formula's own markup does not say (an empty element with `alttext`) is taken from
`alttext`. Leaves out layout: spacing, alignment, stretchy signs.
"""

from collections.abc import Callable
from typing import Any

# Nesting beyond which a formula is read as the bare text it holds; real ones stay under 20.
_DEEPEST = 60
_INVISIBLE = dict.fromkeys(range(0x2061, 0x2065))


def math_text(element: Any) -> str:
    """The text of a `math` element, on one line; "" where it has none."""
    for note in element.iter("{*}annotation"):
        if "tex" in (note.get("encoding") or "").lower() and (tex := " ".join((note.text or "").split())):
            return tex
    written = " ".join(_write(element, 0).translate(_INVISIBLE).split())
    return written or " ".join((element.get("alttext") or "").split())


def _write(element: Any, depth: int) -> str:
    if not isinstance(element.tag, str):
        return ""
    if depth > _DEEPEST:
        return "".join(element.itertext())
    tag = element.tag.rpartition("}")[2].lower()
    if tag in _LEAVES:
        inner = "".join(_write(child, depth + 1) + (child.tail or "") for child in element)
        return " ".join(((element.text or "") + inner).split())
    if tag in _SILENT:
        return " " if tag == "mspace" else ""
    parts = [_write(child, depth + 1) for child in element]
    if tag == "semantics":
        return parts[0] if parts else ""
    form = _FORMS.get(tag)
    return form(parts) if form and parts else "".join(parts)


def _group(text: str) -> str:
    """A script: bare when it is one sign, else in braces."""
    return text if len(text) == 1 else "{" + text + "}"


def _term(text: str) -> str:
    """An operand: bare when it is one word, else in brackets."""
    return text if text.isalnum() or len(text) < 2 else f"({text})"


def _script(mark: str) -> Callable[[list[str]], str]:
    def write(parts: list[str]) -> str:
        base, scripts = parts[0], [part for part in parts[1:] if part]
        return _term(base) + "".join(mark + _group(script) for script in scripts)

    return write


def _two_scripts(parts: list[str]) -> str:
    below, above = (*parts[1:], "", "")[:2]
    return _term(parts[0]) + ("_" + _group(below) if below else "") + ("^" + _group(above) if above else "")


def _fraction(parts: list[str]) -> str:
    return "/".join(_term(part) for part in parts)


def _root(parts: list[str]) -> str:
    return f"√({''.join(parts)})" if len(parts) < 2 else f"{parts[1]}√({parts[0]})"


def _fenced(parts: list[str]) -> str:
    return "(" + ", ".join(parts) + ")"


_LEAVES = frozenset({"mi", "mn", "mo", "mtext", "ms"})
_SILENT = frozenset({"mspace", "mphantom", "annotation", "annotation-xml", "maligngroup", "malignmark", "none"})
_FORMS: dict[str, Callable[[list[str]], str]] = {
    "msup": _script("^"),
    "mover": _script("^"),
    "msub": _script("_"),
    "munder": _script("_"),
    "msubsup": _two_scripts,
    "munderover": _two_scripts,
    "mfrac": _fraction,
    "msqrt": lambda parts: _root(["".join(parts)]),
    "mroot": _root,
    "mfenced": _fenced,
    "mtable": lambda parts: "; ".join(parts),
    "mtr": lambda parts: ", ".join(parts),
}
