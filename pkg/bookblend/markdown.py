"""The markdown between the stages, read and written: blocks parted by blank lines, "# " and "## " headings, fences.

Only what the stages need, not CommonMark: `# ` is the chapter tier, `##` and deeper any other heading, a heading is
a block of its own, lines between fences (``` or ~~~) are one block of code as it stands, every other run of lines
between blank lines is one block. A text line that itself begins like a heading or a fence is escaped with a backslash,
so that no text can forge one, and so are the hashes that end a heading's own text, which would be read as a closing
mark. `parse(render(x)) == x` for blocks as `normal` makes them.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_NEEDS_ESCAPE = re.compile(r"(\s*)(\\*(?:#|`{3}|~{3}))")
_ENDS_LIKE_CLOSING = re.compile(r"(^|[ \t])(\\*#+)$")
# Only "\n" ends a line: U+2028, U+0085 and the like are text here, and the repair stage deals with them.
_LINE_END = re.compile(r"\r\n?|\n")
# A fence's signs and what is said about the code; with backticks in that, they are code within a line (CommonMark 4.5).
_FENCE = re.compile(r"(`{3,})([^`]*)$|(~{3,})(.*)$")
_BACKTICKS = re.compile("`+")
# A fence closes where it is indented at most this much deeper than it opened (CommonMark 4.5).
_DEEPER = 3
# What UTF-8 cannot hold or JSON readers choke on, and the byte order mark that `parse` takes off a file's start.
_UNWRITABLE = re.compile("[\0\ufeff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """One block: `level` 1 for "# ", 2 for "##" and deeper, 0 for text; `text` without markers and escapes.

    Code (`code`, level 0) keeps its lines as they are, blank ones between them included; no other text has such.
    """

    level: int
    text: str
    code: bool = False


def render(blocks: Iterable[MarkdownBlock]) -> str:
    """Write blocks as markdown, one blank line between two, a newline at the end; "" for no blocks."""
    parts = [_render_block(block) for block in blocks]
    return "\n\n".join(parts) + "\n" if parts else ""


def parse(text: str) -> list[MarkdownBlock]:
    """Read markdown into blocks, in order. Headings and fences need no blank lines around them."""
    return [block for _, block in parse_lines(text)]


def parse_lines(text: str) -> list[tuple[int, MarkdownBlock]]:
    """Read markdown into blocks, each with the line (from 1) that it begins on."""
    blocks: list[tuple[int, MarkdownBlock]] = []
    lines: list[str] = []
    source = split_lines(text.removeprefix("\ufeff"))
    at = 0
    # One blank line more closes the last block.
    while at <= len(source):
        line = source[at] if at < len(source) else ""
        stripped = line.strip()
        heading = _HEADING.match(stripped)
        fenced = read_fence(source, at) if stripped.startswith(("```", "~~~")) else None
        if lines and (not stripped or heading or fenced):
            blocks.append((at + 1 - len(lines), MarkdownBlock(0, "\n".join(lines))))
            lines = []
        if fenced:
            if block := normal(0, fenced.text, code=True):
                blocks.append((at + 1, block))
            at = fenced.end
            continue
        if heading:
            if heading[2]:
                blocks.append((at + 1, MarkdownBlock(min(len(heading[1]), 2), _unescape_heading(heading[2]))))
        elif stripped:
            lines.append(_unescape(line.rstrip()))
        at += 1
    return blocks


@dataclass(frozen=True, slots=True)
class Fenced:
    """The text between two fences, and the index of the first line behind them."""

    text: str
    end: int


def read_fence(lines: Sequence[str], at: int) -> Fenced | None:
    """What a fence that opens on line `at` holds, None where none opens there.

    Without a closing one it holds all lines to the end; but tildes alone may be an ornament or a scanner's noise, and
    a book's other half is no code, so these must be closed.
    """
    opening = _FENCE.match(lines[at].lstrip()) if at < len(lines) else None
    if not opening:
        return None
    signs, info = (opening[1], opening[2]) if opening[1] else (opening[3], opening[4])
    indent = len(lines[at]) - len(lines[at].lstrip())
    end = next((i for i in range(at + 1, len(lines)) if _closes(lines[i], signs, indent)), len(lines))
    if end == len(lines) and signs[0] == "~" and not info.strip():
        return None
    return Fenced("\n".join(_undent(line, indent) for line in lines[at + 1 : end]), end + 1)


def split_lines(text: str) -> list[str]:
    """The lines of a text, as everything here counts them."""
    return _LINE_END.split(text)


def normal(level: int, text: str, *, code: bool = False) -> MarkdownBlock | None:
    """The block of any text that markdown gives back as it was: no NUL or lone surrogate, no blanks at a line's end,
    headings on one line, no blank line but between the lines of code. None where nothing is left."""
    if not level and text.isprintable():
        # No line end, no control, nothing that cannot be written: most blocks of most books.
        text = text.rstrip()
        return MarkdownBlock(0, text, code) if text else None
    level = max(0, min(level, 2))
    text = _UNWRITABLE.sub(lambda found: "" if found[0] in "\0\ufeff" else "\ufffd", text)
    if level:
        line = " ".join(text.split())
        return MarkdownBlock(level, line) if line else None
    lines = [line.rstrip() for line in _LINE_END.split(text)]
    body = "\n".join(lines).strip("\n") if code else "\n".join(filter(None, lines))
    return MarkdownBlock(0, body, code) if body else None


def _render_block(block: MarkdownBlock) -> str:
    if block.level:
        return f"{'#' * block.level} {_ENDS_LIKE_CLOSING.sub(_add_backslash, block.text)}"
    if block.code:
        longest = max(map(len, _BACKTICKS.findall(block.text)), default=0)
        fence = "`" * max(3, longest + 1)
        return f"{fence}\n{block.text}\n{fence}"
    return "\n".join([_escape(line) for line in block.text.split("\n")])


def _closes(line: str, signs: str, indent: int) -> bool:
    bare = line.strip()
    return len(bare) >= len(signs) and not bare.strip(signs[0]) and len(line) - len(line.lstrip()) <= indent + _DEEPER


def _undent(line: str, indent: int) -> str:
    """The line without as many blanks at its start as its fence has."""
    return line[min(indent, len(line) - len(line.lstrip())) :] if indent else line


def _escape(line: str) -> str:
    return _NEEDS_ESCAPE.sub(_add_backslash, line, count=1) if _NEEDS_ESCAPE.match(line) else line


def _unescape(line: str) -> str:
    found = _NEEDS_ESCAPE.match(line)
    return found[1] + line[found.end(1) + 1 :] if found and found[2].startswith("\\") else line


def _unescape_heading(text: str) -> str:
    found = _ENDS_LIKE_CLOSING.search(text)
    return text[: found.start(2)] + text[found.start(2) + 1 :] if found and found[2].startswith("\\") else text


def _add_backslash(found: re.Match[str]) -> str:
    return f"{found[1]}\\{found[2]}"
