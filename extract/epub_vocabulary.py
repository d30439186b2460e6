"""The words of EPUB markup: element names by what they do, semantic types, class names that publishers' tools share.

Class names are evidence only where they are a convention of tools (Gutenberg's `pagenum`, pandoc's `footnote-ref`,
Sphinx's `footnote-reference`, Word's `MsoFootnoteText`), never because one book has them.
"""

import re
from dataclasses import dataclass
from enum import IntEnum


class Role(IntEnum):
    """What an element does to the text inside it."""

    INLINE = 0
    PARAGRAPH = 1
    BLOCK = 2
    HEADING = 3
    SKIP = 4
    BREAK = 5
    IMAGE = 6
    LINK = 7
    RAISED = 8
    LOWERED = 9
    MATH = 10
    DRAWING = 11
    TABLE = 12
    PREFORMATTED = 13
    QUOTED = 14
    CASE = 15
    RULE = 16
    PAGE = 17


_NAMES = {
    Role.PARAGRAPH: "p dt dd li figcaption caption legend summary line",
    Role.BLOCK: "html body div section article main center address figure details form fieldset header footer aside dl "
    "ul ol menu dir hgroup nav blockquote tr td th tbody thead tfoot "
    # DTBook, the other text format of EPUB 2
    "dtbook book frontmatter bodymatter rearmatter level level1 level2 level3 level4 level5 level6 list linegroup poem "
    "sidebar note annotation imggroup epigraph byline dateline author docauthor",
    Role.HEADING: "h1 h2 h3 h4 h5 h6 hd levelhd bridgehead doctitle",
    Role.SKIP: "head script style template noscript object audio video iframe canvas embed applet map textarea select "
    "option button datalist rt rp rtc colgroup col param source track prodnote link meta title",
    Role.BREAK: "br",
    Role.IMAGE: "img image",
    Role.LINK: "a noteref",
    Role.RAISED: "sup",
    Role.LOWERED: "sub",
    Role.MATH: "math",
    Role.DRAWING: "svg",
    Role.TABLE: "table",
    Role.PREFORMATTED: "pre listing xmp plaintext",
    Role.QUOTED: "q",
    Role.CASE: "case default",
    Role.RULE: "hr",
    Role.PAGE: "pagenum",
}
ROLES = {name: role for role, names in _NAMES.items() for name in names.split()}
HEADING_LEVELS = {"hd": 2, "levelhd": 2, "bridgehead": 3, "doctitle": 1, **{f"h{n}": n for n in range(1, 7)}}

# What a book declares of its parts, and the rule under which each is dropped. The Standard Ebooks imprint and
# uncopyright pages are typed `imprint` and `copyright-page`.
FURNITURE = {
    "cover": "cover",
    "titlepage": "title-page",
    "title-page": "title-page",
    "halftitlepage": "half-title",
    "halftitle": "half-title",
    "imprint": "imprint",
    "copyright-page": "copyright",
    "copyright": "copyright",
    "colophon": "colophon",
    "toc": "contents",
    "toc-brief": "contents",
    "page-list": "page-list",
    "pagelist": "page-list",
    "landmarks": "landmarks",
    "loi": "list-of-illustrations",
    "lot": "list-of-tables",
    "loa": "list-of-audio",
    "lov": "list-of-video",
}
# Lists of links are navigation wherever they stand; the others are pages.
NAVIGATION = frozenset({"contents", "page-list", "landmarks", "navigation"})
NOTE_TYPES = frozenset({"footnote", "endnote", "rearnote", "footnotes", "endnotes", "rearnotes"})
NOTE_LISTS = frozenset({"footnotes", "endnotes", "rearnotes"})
REFERENCE_TYPES = frozenset({"noteref"})
BACKLINK_TYPES = frozenset({"backlink"})
VERSE_TYPES = frozenset({"z3998:verse", "z3998:poem", "z3998:song", "z3998:hymn", "verse", "poem", "z3998:lyrics"})
PART_TYPES = frozenset({"part", "volume", "division", "z3998:part", "z3998:volume", "halftitlepage", "titlepage"})
CHAPTER_TYPES = frozenset(
    {"chapter", "z3998:chapter", "prologue", "epilogue", "preface", "foreword", "introduction", "afterword"}
    | {"conclusion", "appendix", "preamble", "acknowledgments", "acknowledgements"}
)
SECTION_TYPES = frozenset({"z3998:subchapter", "subchapter", "z3998:section"})
# Types that name what a text is and that it belongs to the body, whatever its heading says.
BODY_TYPES = CHAPTER_TYPES | {"bibliography", "glossary", "errata", "part", "epigraph"}

_PAGE = r"page-?num(?:ber)?s?|page-?no|page-?break|pb|folio|pgnum|newpage|pagenumber\w*|x-ebookmaker-pageno"
_REFERENCE = (
    r"_?(?:id)?-?(?:foot|end)-?note-?link|note-?ref(?:erence)?|(?:foot|end)-?note-?(?:ref(?:erence)?|anchor|call|link|"
    r"mark|number)|fn-?(?:anchor|ref|call|mark|link)|mso\w*notereference|super-?note|note-?anchor|note-?call"
)
_BACKLINK = (
    r"back-?link|foot-?note-?back(?:ref|link)?|re(?:verse|turn)-?(?:foot|end)?-?note|fn-?back\w*|note-?back\w*|"
    r"data-?back"
)
_NOTE = (
    r"(?:_id-?)?(?:foot|end)-?notes?|rear-?notes?|fnote|(?:foot|end)-?note-?(?:text|body|item)|fn-?text|fn-?body|"
    r"mso(?:foot|end)notetext"
)
_NOTE_LIST = r"(?:_id-?)?(?:foot|end|rear)-?notes"
_VERSE = (
    r"verse|verse-?block|poem|poetry|poetry-container|poem-container|stanza|line-?group|line-?block|lg|lyrics?|song"
)
_STANZA = r"stanza|line-?group|line-?block|lg|linegroup"
_LINE = r"line|verse-?line|poem-?line|v-?line"
_QUOTE = r"block-?quote|extract|epigraph|quotation|quote"
_BOILERPLATE = r"pg-?boilerplate|pg-?header|pg-?footer|pgheader|pgfooter"
_CONTENTS = (
    r"toc|list-of-(?:figures|tables|examples|equations|procedures)|mini-?toc|local-?toc|toctree-wrapper|nav-?header|"
    r"nav-?footer|sphinxsidebar|chapter-?toc|contents"
)
# Pygments, Rouge, CodeRay, Chroma, highlight.js.
_LINE_NUMBERS = (
    r"line-?nos?|line-?number|line[-_]numbers|linenodiv|rouge-gutter|lnt?|hljs-ln-n(?:umbers)?|(?:code-)?gutter"
)
# What KaTeX and MathJax set for the eye beside the MathML that says the same.
_DOUBLE = r"katex-html|mathjax_preview|mathjax_display_source"
_FACTS = re.compile(
    rf"(?P<page>{_PAGE})|(?P<reference>{_REFERENCE})|(?P<backlink>{_BACKLINK})|(?P<note>{_NOTE})|(?P<line>{_LINE})|"
    rf"(?P<verse>{_VERSE})|(?P<quote>{_QUOTE})|(?P<boilerplate>{_BOILERPLATE})|(?P<contents>{_CONTENTS})|"
    rf"(?P<line_numbers>{_LINE_NUMBERS})|(?P<double>{_DOUBLE})",
    re.IGNORECASE,
)
_IS_STANZA = re.compile(_STANZA, re.IGNORECASE)
_IS_NOTE_LIST = re.compile(_NOTE_LIST, re.IGNORECASE)
BOILERPLATE_ID = re.compile(r"pg-(?:header|footer|machine-header|boilerplate|start-separator|end-separator)\w*$")

PAGE_TEXT = re.compile(
    r"[\[({]?(?:p(?:g|age|\.)?\.?\s*)?(?:\d{1,4}|[ivxlcdm]{1,8})?(?:[–-]\d{1,4})?[\])}]?$", re.IGNORECASE
)
_NOTE_MARK = re.compile(r"[\[({]?(?:\d{1,4}|[*†‡§¶‖#]{1,4}|[A-Za-z]{1,2}|[ivxlc]{1,6})[\])}]?[.:]?$")
NUMBER_MARK = re.compile(r"[\[({]?(\d{1,3})[\])}]?$")
SYMBOL_MARK = re.compile(r"[*†‡§¶‖]{1,4}$")
_ARROWS = re.compile(r"[\s\[(]*[↩↑⤴⏎↲↵⇑⇧▲△^«←⬆\ufe0e\ufe0f]+[\s\])]*$")


# Characters of the longest note mark: "[xxxvii]:".
_LONGEST_MARK = 9


def is_arrow(text: str) -> bool:
    """Whether a text, blanks as one, is an arrow that leads back ("↩", "[^]")."""
    return not text[:1].isalnum() and bool(_ARROWS.match(text))


def is_note_mark(text: str) -> bool:
    """Whether a text, blanks as one, is a note's mark ("1", "[iv]", "*")."""
    return len(text) <= _LONGEST_MARK and bool(_NOTE_MARK.match(text))


@dataclass(frozen=True, slots=True)
class Facts:
    """What the class names of an element say of it."""

    page: bool = False
    reference: bool = False
    backlink: bool = False
    note: bool = False
    note_list: bool = False
    verse: bool = False
    stanza: bool = False
    line: bool = False
    quote: bool = False
    boilerplate: bool = False
    contents: bool = False
    line_numbers: bool = False
    double: bool = False


NO_FACTS = Facts()
_known: dict[str, Facts] = {"": NO_FACTS}
# Class attributes are few in honest books; a book that makes up a new one for each element must not fill the memory.
_REMEMBERED = 50_000


def class_facts(classes: str) -> Facts:
    """What a `class` attribute says; remembered, since a book has few different ones."""
    facts = _known.get(classes)
    if facts is None:
        seen = {found.lastgroup for name in classes.split() if (found := _FACTS.fullmatch(name)) and found.lastgroup}
        facts = NO_FACTS
        if seen:
            facts = Facts(
                **dict.fromkeys(seen, True),
                stanza=any(_IS_STANZA.fullmatch(name) for name in classes.split()),
                note_list=any(_IS_NOTE_LIST.fullmatch(name) for name in classes.split()),
            )
        if len(_known) < _REMEMBERED:
            _known[classes] = facts
    return facts
