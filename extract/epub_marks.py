"""Inline elements that are more than their text: links, note marks, raised figures, pictures, formulas, quotations."""

from collections.abc import Callable
from typing import Any

from bookblend.extract import epub_inline
from bookblend.extract.epub_blocks import REF, Context, Document, Reference
from bookblend.extract.epub_elements import Element, read, tag_of
from bookblend.extract.epub_flow import Flow
from bookblend.extract.epub_math import math_text
from bookblend.extract.epub_style import Style
from bookblend.extract.epub_vocabulary import (
    BACKLINK_TYPES,
    NUMBER_MARK,
    REFERENCE_TYPES,
    SYMBOL_MARK,
    is_arrow,
    is_note_mark,
)
from bookblend.extract.model import HEADING

# Turns a link of the document into the member and fragment that it means; ("", "") for remote and broken ones.
Resolve = Callable[[str], tuple[str, str]]


class Marks(Flow):
    """What the walk does at such elements: each method returns the context inside, or None for a finished element."""

    def __init__(self, document: Document, style: Style, resolve: Resolve, references: list[Reference]) -> None:
        super().__init__(document)
        self.style = style
        # What is to be written at the end of the element just opened.
        self.after = ""
        self._resolve = resolve
        self._references = references

    def link(self, element: Element, context: Context) -> Context | None:
        """A link: back from a note (left out), perhaps to a note (a mark), or through to its text."""
        node, facts, types = element.node, element.facts, element.types
        href = node.get("href") or node.get("idref")
        if not href:
            return context
        text = epub_inline.text_of(node)
        if facts.backlink or (types and not types.isdisjoint(BACKLINK_TYPES)) or is_arrow(text):
            self.anchor_all(node)
            self.targets.append(self._resolve(href))
            self.back = True
            return None
        declared = facts.reference or element.tag == "noteref" or not types.isdisjoint(REFERENCE_TYPES)
        if (declared or "#" in href) and is_note_mark(text):
            raised = len(node) > 0 and any(tag_of(inner) == "sup" for inner in node)
            self._reference(text, href, declared=declared, raised=raised)
            self.anchor_all(node)
            return None
        if text:
            name, fragment = self._resolve(href)
            if name:
                self.linked += len(text)
                self.targets.append((name, fragment))
        return context

    def raised(self, element: Element, context: Context) -> Context | None:
        """Raised text: perhaps a reference to a note (a mark), figures (as superscripts), or text like any other."""
        node, text = element.node, epub_inline.text_of(element.node)
        link = epub_inline.single_link(node)
        declared = not element.types.isdisjoint(REFERENCE_TYPES) or element.facts.reference or element.facts.note
        if link is not None and is_note_mark(text):
            inner = read(link, link.items(), self.style)
            declared |= not inner.types.isdisjoint(REFERENCE_TYPES) or inner.facts.reference
            self._reference(text, link.get("href"), declared=declared, raised=True)
        elif link is None and (NUMBER_MARK.match(text) or SYMBOL_MARK.match(text)):
            self._reference(epub_inline.raised_figures(text), "", declared=declared, raised=True)
        elif epub_inline.is_figures(text):
            self.buffer.append(epub_inline.raised_figures(text))
        else:
            return context
        self.anchor_all(node)
        return None

    def lowered(self, element: Element, context: Context) -> Context | None:
        """Lowered text: figures as subscripts, or text like any other."""
        text = epub_inline.text_of(element.node)
        if not epub_inline.is_figures(text) or next(element.node.iter("{*}a"), None) is not None:
            return context
        self.buffer.append(epub_inline.lowered_figures(text))
        return None

    def _reference(self, text: str, href: str, *, declared: bool, raised: bool) -> None:
        """Write a mark in place of what may refer to a note."""
        name, fragment = self._resolve(href) if href else ("", "")
        self.buffer.append(f"{REF}{len(self._references)}{REF}")
        place = (self.document.number, self.at())
        self._references.append(Reference(text, name, fragment, declared, raised, place))

    def image(self, element: Element, context: Context) -> None:
        """A picture: in a heading its alternative text counts where there is no other; else it may be an initial."""
        self.document.pictures += 1
        if context.kind is HEADING:
            self.alts.append(" ".join((element.node.get("alt") or element.node.get("title") or "").split()))
            self.buffer.append("")
        else:
            self.buffer.append(epub_inline.initial(element.node))

    def quoted(self, element: Element, context: Context) -> Context:
        """A quotation in the text, with the marks that it is shown with."""
        before, self.after = epub_inline.quotation_marks(element.node)
        self.buffer.append(before)
        return context

    def case(self, element: Element, context: Context) -> Context | None:
        """One way of an `epub:switch`: MathML where there is some, else the default."""
        switch = element.node.getparent()
        with_math = [case for case in switch if "MathML" in (case.get("required-namespace") or "")]
        chosen = with_math[0] if with_math else next((case for case in switch if tag_of(case) == "default"), None)
        return context if element.node is chosen or tag_of(switch) != "switch" else None

    def math(self, element: Element, _context: Context) -> None:
        """A formula, as text."""
        self.buffer.append(math_text(element.node))

    def skip(self, _element: Element, _context: Context) -> None:
        """Scripts, fallbacks of media, ruby readings: no text of the book."""

    def drawing(self, _element: Element, _context: Context) -> None:
        """A drawing inside a page; only a page that is nothing else gives its text."""
        self.document.pictures += 1

    def anchor_all(self, node: Any) -> None:
        """Ids inside what is not walked still are places that links may mean."""
        if not len(node):
            return
        for inner in node.iter():
            identity = inner.get("id") if isinstance(inner.tag, str) else None
            if identity:
                self.document.anchors.setdefault(identity.strip(), self.at())
