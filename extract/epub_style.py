"""The little of CSS that decides what is text: which classes hide their elements, and which make a line of a span.

Reads selectors of one element (`p`, `.x`, `p.x`, `#x`) and their `display` and `visibility`; the last rule wins.
Leaves out everything else: combinators, media blocks (Kindle's among them), imports. What is not understood hides
nothing, so a mistake here can only leave text in.
"""

import re
from collections.abc import Iterable
from typing import Any

_AT_PARTS = re.compile(r"[@{};]")
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_DISPLAY = re.compile(r"(?:^|;)\s*display\s*:\s*([a-z-]+)\s*(?:!\s*important\s*)?(?=;|$)", re.IGNORECASE)
_VISIBILITY = re.compile(r"(?:^|;)\s*visibility\s*:\s*([a-z-]+)\s*(?:!\s*important\s*)?(?=;|$)", re.IGNORECASE)
_SIMPLE = re.compile(r"([A-Za-z][A-Za-z0-9]*)?(?:([.#])([\w-]+))?$")

# Bytes of style sheets that are looked at; the largest of a real book measured had 130 kB.
STYLE_LIMIT = 2 << 20

HIDDEN = "hidden"
BLOCK = "block"
INLINE = "inline"
_MEANING = {"none": HIDDEN, "block": BLOCK, "list-item": BLOCK, "flex": BLOCK, "grid": BLOCK, "table": BLOCK}

Rules = dict[tuple[str, str, str], str]


class Style:
    """What the style sheets of one document say about `display`, looked up by element, class and id."""

    def __init__(self, sheets: Iterable[Rules]) -> None:
        self._rules: Rules = {}
        for sheet in sheets:
            self._rules.update(sheet)
        self._known: dict[tuple[str, str, str], str] = {}
        # Whether any rule is for an id; what elements by name and attributes turned out to be, for whoever reads them.
        self.by_id = any(mark == "#" for _, mark, _ in self._rules)
        self.elements: dict[tuple[Any, ...], Any] = {}

    def __bool__(self) -> bool:
        return bool(self._rules)

    def display(self, tag: str, classes: str, identity: str) -> str:
        """`HIDDEN`, `BLOCK`, `INLINE`, or "" where no rule speaks; the most particular rule decides."""
        key = (tag, classes, identity)
        if key not in self._known:
            self._known[key] = self._look_up(*key)
        return self._known[key]

    def _look_up(self, tag: str, classes: str, identity: str) -> str:
        keys = [(tag, "#", identity), ("", "#", identity)] if identity else []
        names = classes.split()
        keys += [(tag, ".", name) for name in names] + [("", ".", name) for name in names] + [(tag, "", "")]
        return next((self._rules[key] for key in keys if key in self._rules), "")


def inline_display(style: str) -> str:
    """`HIDDEN`, `BLOCK`, `INLINE` or "" for the value of a `style` attribute."""
    return _meaning(style)


def read_sheet(css: str) -> Rules:
    """The rules of a style sheet that set `display` or `visibility`, by (element, "." or "#" or "", name)."""
    rules: Rules = {}
    lowered = css.casefold()
    if "display" not in lowered and "visibility" not in lowered:
        return rules
    for selectors, body in _RULE.findall(_without_at_blocks(_without_comments(css))):
        meaning = _meaning(body)
        if not meaning:
            continue
        for selector in selectors.split(","):
            found = _SIMPLE.match(selector.strip())
            if found and selector.strip():
                rules[((found[1] or "").lower(), found[2] or "", found[3] or "")] = meaning
    return rules


def _meaning(declarations: str) -> str:
    seen = _VISIBILITY.findall(declarations)
    if seen and seen[-1].lower() in ("hidden", "collapse"):
        return HIDDEN
    shown = _DISPLAY.findall(declarations)
    return _MEANING.get(shown[-1].lower(), INLINE) if shown and _is_value(shown[-1]) else ""


def _is_value(word: str) -> bool:
    return word.lower() in _MEANING or word.lower().startswith(("inline", "run-in", "contents", "initial", "ruby"))


def _without_comments(css: str) -> str:
    parts: list[str] = []
    at = 0
    while (start := css.find("/*", at)) >= 0:
        parts.append(css[at:start])
        end = css.find("*/", start + 2)
        at = end + 2 if end >= 0 else len(css)
    return " ".join([*parts, css[at:]])


def _without_at_blocks(css: str) -> str:
    """The sheet without `@media {…}` and the like, however deep their braces nest, and without `@import …;`."""
    out: list[str] = []
    depth, at = 0, 0
    skipping = False
    for found in _AT_PARTS.finditer(css):
        sign = found[0]
        if not skipping and sign == "@":
            out.append(css[at : found.start()])
            skipping = True
        elif skipping:
            depth += (sign == "{") - (sign == "}")
            if depth <= 0 and sign in ("}", ";"):
                skipping, depth, at = False, 0, found.end()
    return "".join(out) if skipping else "".join([*out, css[at:]])
