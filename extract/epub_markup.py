"""Bytes of XML, XHTML or HTML into lxml trees: decoded, without DOCTYPE, with entities known, and never giving up.

Fast path: well-formed UTF-8 goes to libxml2 as it is. What fails there is decoded by hand (byte order mark,
declaration, meta, UTF-8, Windows-1252), mended, and read as XML once more, then as HTML, then by whatever XML parts
recover. The DOCTYPE is always cut off, so no external entity is ever looked at and none can nest.
"""

import codecs
import re
from collections.abc import Callable
from html.entities import html5
from itertools import islice
from typing import Any

from lxml import etree

from bookblend.errors import InputError
from bookblend.extract.epub_archive import one_line


def _xml_parser(*, huge_tree: bool = False, recover: bool = False) -> Any:
    return etree.XMLParser(
        resolve_entities=False,
        no_network=True,
        load_dtd=False,
        remove_comments=True,
        remove_pis=True,
        huge_tree=huge_tree,
        recover=recover,
    )


# "huge" parsers read text nodes over 10 MB and elements 2,048 deep (256 without). Sizes are bounded before parsing.
_XML = _xml_parser(huge_tree=True)
_RECOVERING = _xml_parser(huge_tree=True, recover=True)
_SHALLOW = _xml_parser()
_SHALLOW_RECOVERING = _xml_parser(recover=True)
_HTML: Any = etree.HTMLParser(
    encoding="utf-8", no_network=True, remove_comments=True, remove_pis=True, recover=True, huge_tree=True
)

# `<b/>` costs 4 bytes and 150 in the tree: these keep a tree, and all pieces of a book, well under a gigabyte. The
# richest book of the set has 120,000 tags in all; a dictionary or an annotated Bible has some 300,000.
TAG_LIMIT = 1_000_000
BOOK_TAG_LIMIT = 3_000_000
# Internal entities that are put in place; no book of the set has ten.
_MOST_ENTITIES = 100

_XHTML = b' xmlns="http://www.w3.org/1999/xhtml"'
_HEAD = 1024
_AT_ONCE = 1 << 20
_LONGEST_REFERENCE = 64
_DECLARED = re.compile(rb"""^\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._:-]+)["']""")
_META = re.compile(rb"""<meta[^>]+charset\s*=\s*["']?\s*([A-Za-z0-9._:-]+)""", re.IGNORECASE)
_BOMS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# "<" in UTF-16 and UTF-32 without a mark.
_UNMARKED = (
    (b"<\0\0\0", "utf-32-le"),
    (b"\0\0\0<", "utf-32-be"),
    (b"<\0", "utf-16-le"),
    (b"\0<", "utf-16-be"),
)
_WIDE_STARTS = tuple(mark for mark, _ in (*_BOMS[1:], *_UNMARKED))
_UTF8_NAMES = frozenset({"utf-8", "utf8", "us-ascii", "ascii"})
_ENTITY = re.compile(rb"&(?!(?:amp|lt|gt|quot|apos);|#)([A-Za-z][A-Za-z0-9]*);")
_BARE_AMPERSAND = re.compile(rb"&(?!(?:[A-Za-z][A-Za-z0-9]*|#[0-9]+|#[xX][0-9A-Fa-f]+);)")
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\x80-\x84\x86-\x9f\ufffe\uffff]")
_REFERENCE = re.compile(rb"&#(?:[xX]0*([0-9A-Fa-f]{1,6})|0*([0-9]{1,7}));")
_INTERNAL_ENTITY = rb"""<!ENTITY\s+([A-Za-z][\w.-]*)\s+(?:"([^"<&%]{0,200})"|'([^'<&%]{0,200})')\s*>"""
_SELF_CLOSED = re.compile(rb"<([A-Za-z][A-Za-z0-9:]*)((?:\s[^<>]*)?)/>")
# Tags that say how text looks; never closed in bad markup, they nest past all bounds.
_LOOKS = re.compile(rb"</?(?:b|i|u|em|strong|font|span|big|small|tt|center|sup|sub)(?:\s[^<>]*)?>", re.IGNORECASE)
_BOXES = re.compile(rb"</?(?:div|section|article|blockquote|ul|ol|li|dl|dd|table|tr|td)(?:\s[^<>]*)?>", re.IGNORECASE)
# The recovering XML parser must keep a tenth more text to be preferred: it is wrong about unclosed tags.
# (And a line more, lest stray attribute text decides in short documents.)
_MUCH_MORE = 1.1
_A_LINE = 80
_VOID = frozenset(b"area base br col embed hr img input link meta param source track wbr".split())
# Windows-1252 in numeric references (&#150;), as browsers read them.
_CP1252 = {n: bytes([n]).decode("cp1252", "ignore") for n in range(0x80, 0xA0)}


class NoMarkupError(ValueError):
    """The bytes hold no element at all; the text says what they look like."""


def check_tags(data: bytes, what: str, before: int = 0) -> int:
    """How many tags the documents of a book have with this one, `before` without it.

    Raises `InputError` with `what` as its beginning where that is more than memory should be given to.
    """
    tags = data.count(b"<")
    for count, limit, of in ((tags, TAG_LIMIT, "one document"), (before + tags, BOOK_TAG_LIMIT, "one book")):
        if count > limit:
            raise InputError(
                one_line(f"{what} brings it over {limit:,} tags, the size limit of {of}; nothing was read")
            )
    return before + tags


def parse(data: bytes, *, shallow: bool = False) -> tuple[Any, str]:
    """The root element of a document and what had to be done to read it ("" for well-formed markup).

    `shallow` is for small trees that are walked recursively: nothing in them nests deeper than 256.
    Raises `NoMarkupError` where there is no element to be had.
    """
    if b"<" not in data[:65536]:
        raise NoMarkupError("no markup in it")
    markup = plain(data)
    if markup is not None:
        try:
            # Names without a namespace take lxml half the time; what needs one (MathML, SVG) declares its own.
            ready = markup.replace(_XHTML, b"", 1)
            return etree.fromstring(ready, _SHALLOW if shallow else _XML), ""
        except (etree.XMLSyntaxError, ValueError):
            pass
    return _parse_hard(data, shallow)


def plain(data: bytes) -> bytes | None:
    """The markup of a document that says it is UTF-8, ready for any XML parser; None where it says otherwise."""
    head = data[:_HEAD]
    if head.startswith(_WIDE_STARTS) or _declared(head) not in _UTF8_NAMES:
        return None
    return _mend(cut_doctype(data))


def parse_part(markup: bytes) -> Any:
    """The root of a part of well-formed markup. Raises `ValueError` or lxml's `XMLSyntaxError`."""
    return etree.fromstring(markup, _XML)


def _parse_hard(data: bytes, shallow: bool) -> tuple[Any, str]:
    text, encoding, sure = decode(data)
    ready = _mend(cut_doctype(_CONTROL.sub("", text).encode("utf-8", "replace")))
    try:
        root = etree.fromstring(ready, _SHALLOW if shallow else _XML)
        return root, "" if sure else f"its bytes are {encoding}, whatever it declares; read as that"
    except (etree.XMLSyntaxError, ValueError) as error:
        fault = _first_fault(error)
    ready = _substitute(_BARE_AMPERSAND, lambda _: b"&amp;", ready)
    root = _best_tree(ready, _SHALLOW_RECOVERING if shallow else _RECOVERING, html=not shallow)
    if root is None:
        raise NoMarkupError("no element in it can be read")
    return root, f"not well-formed ({fault}); read as far as it goes"


def _best_tree(ready: bytes, recovering: Any, *, html: bool) -> Any:
    """The tree of damaged markup, by whichever parser keeps the most text.

    That is the HTML parser, unless it loses much that the recovering XML parser keeps (it does so where markup is
    cut off in mid-tag). Neither reads what nests too deep; then the tags that do so are taken out, and it is read
    once more.
    """
    best, most = None, -1
    markup = _SELF_CLOSED.sub(_open_up, ready)
    attempts = [(_HTML, markup)] if html else []
    for parser, text in (*attempts, (recovering, ready)):
        tree, whole = _try(text, parser)
        size = len(etree.tostring(tree, method="text", encoding="unicode")) if tree is not None else -1
        if whole and (best is None or size > most * _MUCH_MORE + _A_LINE):
            best, most = tree, size
    if best is None and html:
        for bare in (_LOOKS.sub(b"", markup), _BOXES.sub(b"<p>", _LOOKS.sub(b"", markup))):
            best, whole = _try(bare, _HTML)
            if best is not None and whole:
                break
    return best


def _try(markup: bytes, parser: Any) -> tuple[Any, bool]:
    """A tree, or None, and whether nothing was cut off for its depth."""
    try:
        tree = etree.fromstring(markup, parser)
    except (etree.XMLSyntaxError, ValueError, AssertionError):
        return None, False
    return tree, not any("xcessive depth" in entry.message for entry in parser.error_log)


def decode(data: bytes) -> tuple[str, str, bool]:
    """The text of a document, the encoding it turned out to have, and whether that is what it says of itself."""
    for mark, encoding in _BOMS:
        if data.startswith(mark):
            return data.removeprefix(mark).decode(encoding, "replace"), encoding, True
    for start, encoding in _UNMARKED:
        if data.startswith(start):
            return data.decode(encoding, "replace"), encoding, True
    declared = _declared(data[:_HEAD])
    for encoding in dict.fromkeys((declared, "utf-8", "cp1252")):
        # Latin-1 declared is Windows-1252 meant, as in browsers: the bytes between are controls in Latin-1.
        codec = "cp1252" if encoding in ("iso-8859-1", "latin-1", "latin1", "us-ascii") else encoding
        try:
            return data.decode(codec), codec, encoding == declared
        except (UnicodeError, LookupError):
            continue
    return data.decode("latin-1"), "latin-1", False


def _declared(head: bytes) -> str:
    found = _DECLARED.search(head) or _META.search(head)
    return found[1].decode("ascii").lower() if found else "utf-8"


def cut_doctype(data: bytes) -> bytes:
    """The document without XML declaration and DOCTYPE; plain internal entities of the DOCTYPE are put in place."""
    start = data.find(b"<!DOCTYPE", 0, _HEAD * 16)
    if start < 0:
        start = data.find(b"<!doctype", 0, _HEAD * 16)
    if start >= 0 and not _in_comment(data, start):
        end = _doctype_end(data, start)
        doctype = data[start:end]
        data = data[:start] + data[end:]
        # (Few books declare any, so the pattern is compiled where it is needed.)
        for found in islice(re.finditer(_INTERNAL_ENTITY, doctype), _MOST_ENTITIES) if b"<!ENTITY" in doctype else ():
            data = data.replace(b"&" + found[1] + b";", found[2] or found[3] or b"")
    if data.lstrip().startswith(b"<?xml "):
        data = data[data.find(b"?>") + 2 :].lstrip()
    return data


def _in_comment(data: bytes, at: int) -> bool:
    return data.rfind(b"<!--", 0, at) > data.rfind(b"-->", 0, at)


def _doctype_end(data: bytes, start: int) -> int:
    close = data.find(b">", start)
    bracket = data.find(b"[", start)
    if 0 <= bracket < close:
        inner = re.compile(rb"\]\s*>").search(data, bracket)
        return inner.end() if inner else len(data)
    return close + 1 if close >= 0 else len(data)


def _mend(data: bytes) -> bytes:
    """HTML's named entities as characters, unknown ones as text, XML's own five as they are; no forbidden reference."""
    if b"&" in data:
        data = _substitute(_ENTITY, _mend_entity, data)
        data = _substitute(_REFERENCE, _mend_reference, data) if b"&#" in data else data
    return data


def _substitute(pattern: re.Pattern[bytes], by: Callable[[re.Match[bytes]], bytes], data: bytes) -> bytes:
    """`pattern.sub` for things that begin with "&", a piece of the data at a time: each find costs memory meanwhile."""
    if len(data) <= _AT_ONCE:
        return pattern.sub(by, data)
    parts, at = [], 0
    while at < len(data):
        end = min(at + _AT_ONCE, len(data))
        cut = data.rfind(b"&", max(at + 1, end - _LONGEST_REFERENCE), end) if end < len(data) else -1
        end = cut if cut > 0 else end
        parts.append(pattern.sub(by, data[at:end]))
        at = end
    return b"".join(parts)


def _mend_entity(found: re.Match[bytes]) -> bytes:
    name = found[1].decode("ascii") + ";"
    text = html5.get(name)
    if text is None:
        return b"&amp;" + found[1] + b";"
    return text.replace("&", "&amp;").replace("<", "&lt;").encode("utf-8")


def _mend_reference(found: re.Match[bytes]) -> bytes:
    number = int(found[1], 16) if found[1] else int(found[2])
    if number in _CP1252:
        return _CP1252[number].encode("utf-8")
    legal = number in (9, 10, 13) or 32 <= number < 0xD800 or 0xE000 <= number < 0xFFFE or 0x10000 <= number < 0x110000
    return found[0] if legal else b""


def _open_up(found: re.Match[bytes]) -> bytes:
    """`<a/>` as `<a></a>`: to an HTML parser a self-closed `<title/>` or `<a/>` would never end."""
    name = found[1].lower()
    return found[0] if name in _VOID or b":" in name else b"<" + found[1] + found[2] + b"></" + found[1] + b">"


def _first_fault(error: Exception) -> str:
    """libxml2's complaint, short and on one line."""
    text = " ".join(str(error).split())
    return re.sub(r", line \d+, column \d+ \(.*", "", text)[:100]
