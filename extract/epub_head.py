"""What the head of a document says: its title and where its style comes from."""

from dataclasses import dataclass
from typing import Any

from bookblend.extract import epub_inline
from bookblend.extract.epub_elements import tag_of


@dataclass(frozen=True, slots=True)
class Head:
    """The head of a document: its title, the style sheets it links, and the texts of its own `style` elements."""

    title: str = ""
    sheets: tuple[str, ...] = ()
    styles: tuple[str, ...] = ()


def head_of(root: Any) -> Head:
    """The head of a document's tree; an empty one where it has none."""
    title = root.find("{*}head/{*}title")
    sheets: list[str] = []
    styles: list[str] = []
    for node in next((node for node in root if tag_of(node) == "head"), ()):
        tag = tag_of(node)
        if tag == "link" and is_sheet(node):
            sheets.append(node.get("href") or "")
        elif tag == "style":
            styles.append("".join(node.itertext()))
    return Head(epub_inline.text_of(title) if title is not None else "", tuple(sheets), tuple(styles))


def is_sheet(link: Any) -> bool:
    """Whether a `link` element, or its attributes, name a style sheet."""
    return "stylesheet" in (link.get("rel") or "").lower().split()
