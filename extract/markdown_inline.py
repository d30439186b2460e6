"""Inline markup of other tools' markdown: what stands on the page, without the marks.

CommonMark's marks and the common extensions (footnotes, pandoc's attributes, the HTML that converters leave), read more
carefully than CommonMark does where books would lose text: "2*3*4" and "__init__" are no emphasis, formulas are not
looked into, and a tag that is no HTML element is text.
"""

import html
import re
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

# Texts that are settled stand aside as numbers between two of these, which no text has (they are taken out before).
_ASIDE = "\0"
_ASIDES = re.compile("\0(\\d+)\0")
# Marked spans are looked for within this many characters, so that unclosed marks cost no time.
_SPAN = 1000
_PUNCTUATION = re.escape("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_SETTLED = re.compile(
    "|".join(
        (
            r"(?P<ticks>(?<!`)`+(?!`))(?P<code>.{1,1000}?)(?<!`)(?P=ticks)(?!`)",
            rf"\$\$.{{1,{_SPAN}}}?\$\$",
            # As pandoc has it; and some sign of a formula in it, so that two prices make none.
            rf"\$(?=[^\s$])(?=[^$\n]*[\\^_={{}}]|[^\W\d_]\$)(?:[^$\\\n]|\\.){{0,{_SPAN}}}?(?<=\S)\$(?!\d)",
            rf"\\\[(?=[^\]]{{0,{_SPAN}}}\\[A-Za-z]{{2}}).{{1,{_SPAN}}}?\\\]",
            rf"\\\((?=[^)]{{0,{_SPAN}}}\\[A-Za-z]{{2}}).{{1,{_SPAN}}}?\\\)",
            rf"\\(?P<escaped>[{_PUNCTUATION}])",
            r"<(?P<link>(?:https?|ftp|mailto):[^<>\s]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+)>",
            r"&(?P<entity>#\d{1,7}|#[xX][\da-fA-F]{1,6}|[A-Za-z][A-Za-z\d]{1,31});",
        )
    ),
    re.DOTALL,
)
# What converters leave; "<name>" in a text about programs is none of these.
_ELEMENTS = (
    "a|abbr|b|big|blockquote|br|caption|center|cite|code|col|colgroup|dd|del|details|dfn|div|dl|dt|em|figcaption|figure|"
    "font|h[1-6]|hr|i|ins|kbd|li|mark|ol|p|q|s|samp|section|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|"
    "th|thead|tr|tt|u|ul|var"
)
_ATTRIBUTES = r"(?:\s+[\w:-]+(?:\s*=\s*(?:\"[^\"]*\"|'[^']*'|[^\s\"'>]+))?)*"
_TAG = re.compile(rf"</?(?:{_ELEMENTS}){_ATTRIBUTES}\s*/?>", re.IGNORECASE)
_CELLS = re.compile(rf"</t[dh]>\s*<t[dh]{_ATTRIBUTES}\s*>", re.IGNORECASE)
_BREAK = re.compile(r"<br\s*/?>[ \t]*\n?", re.IGNORECASE)
_RAISED = re.compile(r"<sup>([\d+()-]{1,8})</sup>", re.IGNORECASE)
_LOWERED = re.compile(r"<sub>([\d+()-]{1,8})</sub>", re.IGNORECASE)
_UP = str.maketrans("0123456789+-()", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾")
_DOWN = str.maketrans("0123456789+-()", "₀₁₂₃₄₅₆₇₈₉₊₋₍₎")

_LABEL = r"\[(?P<label>(?:[^\[\]]|\[[^\[\]]{0,200}\]){0,1000})\]"
# Some tools wrap lines in the middle of an address too.
_ADDRESS = r"<[^<>\n]{0,2000}>|https?://(?:[^()\s]|\([^()\s]*\)|\n[ \t]*){0,2000}|(?:[^()\s]|\([^()\s]*\)){0,2000}"
_TARGET = rf"\(\s*(?:{_ADDRESS})(?:\s+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?\s*\)"
_BRACES = r"(?:\{[^{}\n]{1,200}\})?"
_IMAGE = re.compile(rf"[ \t]*(?P<image>!{_LABEL}(?:{_TARGET}|\[[^\[\]]{{0,200}}\]){_BRACES}|<img{_ATTRIBUTES}\s*/?>)")
_LINK = re.compile(rf"(?<!!){_LABEL}{_TARGET}{_BRACES}")
_SPAN_WITH_CLASS = re.compile(rf"(?<!!){_LABEL}\{{[.#][^{{}}\n]{{1,200}}\}}")
_REFERENCE = re.compile(rf"(?<!!){_LABEL}(?:\[(?P<name>[^\[\]]{{0,200}})\])?(?![(\[:])")
_NOTE = re.compile(r"[ \t]*\[\^(?P<id>[^\]\s]{1,100})\](?!:)")
_NOTE_HERE = re.compile(r"[ \t]*(?<!\\)\^\[(?P<text>(?:[^\[\]]|\[[^\[\]]{0,1000}\]){1,1000})\]")

# Chinese, Japanese and Korean write no blanks, so emphasis may begin and end anywhere there.
_WORD = r"[^\W\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff]"
# What emphasis begins and ends with: no blank, no mark, and no sign that closes or opens something else, as in "(*)".
_FIRST, _LAST = r"(?=[^\s*_)\].,;:!?])", r"(?<=[^\s*_(\[])"
_EMPHASIS = (
    re.compile(rf"(?<!{_WORD})(?<!\*)(\*{{1,3}}){_FIRST}(.{{1,{_SPAN}}}?){_LAST}\1(?!{_WORD})(?!\*)", re.DOTALL),
    re.compile(rf"(?<!{_WORD})(?<!_)(_{{1,3}}){_FIRST}(.{{1,{_SPAN}}}?){_LAST}\1(?!{_WORD})(?!_)", re.DOTALL),
    # Within a word, of letters only: "**W**hen", "un*believ*able" is left alone.
    re.compile(r"(?<!\*)(\*\*)([^\W\d_](?:[^\W\d_]| )*(?<! ))\1(?!\*)"),
    re.compile(rf"(?<![\w*])(\*)([^\W\d_]+)\1(?={_WORD})"),
    re.compile(rf"(?<!~)(~~)(?=[^\s~])(.{{1,{_SPAN}}}?)(?<=[^\s~])\1(?!~)", re.DOTALL),
)
_DUNDER = re.compile(r"(?<!\w)__[a-z]+(?:_[a-z]+)*__(?!\w)")
_MARKED = re.compile(r"[\\`*_\[<&~$!^]")
_HARD_BREAK = re.compile(r"(?:\\|[ \t]{2,})$", re.MULTILINE)


@dataclass(slots=True)
class Plain:
    """A text without its marks: what was taken out as (rule, text), and the notes it refers to, in order."""

    text: str
    dropped: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def plain(
    text: str,
    *,
    note: Callable[[str], str | None] = lambda _: None,
    targets: Collection[str] = (),
    keep_notes: bool = False,
) -> Plain:
    """The text without inline marks.

    `note` gives what stands in the place of a note's mark by the note's name ("" for nothing, None where there is no
    such note and the mark is text); `targets` are the defined link labels, in lower case. A note that stands in the
    text ("^[so]") goes to `dropped`, or with `keep_notes` stays in brackets. Pictures go, with what they say.
    """
    done = Plain(text.replace(_ASIDE, ""))
    if not _MARKED.search(done.text):
        return done
    aside: list[str] = []
    text = _SETTLED.sub(lambda found: _put_aside(found, aside), _HARD_BREAK.sub("", done.text))
    text = _without_links(text, done, aside, note, targets, keep_notes)
    text = _without_tags(text)
    text = _without_emphasis(text, aside)
    if any(rule == "image" for rule, _ in done.dropped):
        text = "\n".join(" ".join(line.split()) for line in text.split("\n"))
    done.text = _restore(text, aside)
    done.dropped = [(rule, _restore(piece, aside).strip()) for rule, piece in done.dropped]
    return done


def _put_aside(found: re.Match[str], aside: list[str]) -> str:
    if found["code"] is not None:
        text = found["code"].replace("\n", " ")
        # One blank on either side is the mark's own (CommonMark 6.1).
        text = text[1:-1] if text[0] == text[-1] == " " and text.strip() else text
    elif found["entity"] is not None:
        text = html.unescape(found[0]).replace("\u00a0", " ").replace(_ASIDE, "")
    else:
        text = found["escaped"] or found["link"] or found[0]
    aside.append(text)
    return f"{_ASIDE}{len(aside) - 1}{_ASIDE}"


def _restore(text: str, aside: list[str]) -> str:
    return _ASIDES.sub(lambda found: aside[int(found[1])], text)


def _without_links(
    text: str,
    done: Plain,
    aside: list[str],
    note: Callable[[str], str | None],
    targets: Collection[str],
    keep_notes: bool,
) -> str:
    def drop(found: re.Match[str]) -> str:
        done.dropped.append(("image", found["image"]))
        return ""

    def mark(found: re.Match[str]) -> str:
        name = _restore(found["id"], aside)
        instead = note(name)
        if instead is None:
            return found[0]
        done.notes.append(name)
        return instead

    def note_here(found: re.Match[str]) -> str:
        if keep_notes:
            return f" [{found['text']}]"
        done.dropped.append(("note", found["text"]))
        return ""

    def reference(found: re.Match[str]) -> str:
        return found["label"] if (found["name"] or found["label"]).lower() in targets else found[0]

    if "![" in text or "<img" in text.lower():
        text = _IMAGE.sub(drop, text)
    if "[" in text:
        text = _NOTE_HERE.sub(note_here, _NOTE.sub(mark, text))
        text = _SPAN_WITH_CLASS.sub(r"\g<label>", _LINK.sub(r"\g<label>", text))
        text = _REFERENCE.sub(reference, text) if targets else text
    return text


def _without_tags(text: str) -> str:
    if "<" not in text:
        return text
    text = _RAISED.sub(lambda found: found[1].translate(_UP), text)
    text = _LOWERED.sub(lambda found: found[1].translate(_DOWN), text)
    return _TAG.sub("", _CELLS.sub(" | ", _BREAK.sub("\n", text)))


def _without_emphasis(text: str, aside: list[str]) -> str:
    if "*" not in text and "_" not in text and "~~" not in text:
        return text
    text = _DUNDER.sub(lambda found: _keep(found[0], aside), text)
    for pattern in _EMPHASIS:
        while (bare := pattern.sub(r"\2", text)) != text:
            text = bare
    return text


def _keep(text: str, aside: list[str]) -> str:
    aside.append(text)
    return f"{_ASIDE}{len(aside) - 1}{_ASIDE}"
