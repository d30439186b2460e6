"""The markdown between the stages, read and written: blocks parted by blank lines, "# " and "## " headings.

Only what the stages need, not CommonMark: `# ` is the chapter tier, `##` and deeper any other heading, a heading is
a block of its own, every other run of lines between blank lines is one block. A text line that itself begins with
`#` is escaped with a backslash, so that no text can forge a heading, and so are the hashes that end a heading's own
text, which would be read as a closing mark. `parse(render(x)) == x` for blocks as `normal` makes them.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_NEEDS_ESCAPE = re.compile(r"(\s*)(\\*#)")
_ENDS_LIKE_CLOSING = re.compile(r"(^|[ \t])(\\*#+)$")
# Only "\n" ends a line: U+2028, U+0085 and the like are text here, and the repair stage deals with them.
_LINE_END = re.compile(r"\r\n?|\n")
# What UTF-8 cannot hold or JSON readers choke on, and the byte order mark that `parse` takes off a file's start.
_UNWRITABLE = re.compile("[\0\ufeff\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class MarkdownBlock:
    """One block: `level` 1 for "# ", 2 for "##" and deeper, 0 for text; `text` without markers and escapes."""

    level: int
    text: str


def render(blocks: Iterable[MarkdownBlock]) -> str:
    """Write blocks as markdown, one blank line between two, a newline at the end; "" for no blocks."""
    parts = [_render_block(block) for block in blocks]
    return "\n\n".join(parts) + "\n" if parts else ""


def parse(text: str) -> list[MarkdownBlock]:
    """Read markdown into blocks, in order. Headings need no blank lines around them."""
    return [block for _, block in parse_lines(text)]


def parse_lines(text: str) -> list[tuple[int, MarkdownBlock]]:
    """Read markdown into blocks, each with the line (from 1) that it begins on."""
    blocks: list[tuple[int, MarkdownBlock]] = []
    lines: list[str] = []

    def close(number: int) -> None:
        if lines:
            blocks.append((number - len(lines), MarkdownBlock(0, "\n".join(lines))))
            lines.clear()

    number = 0
    for number, line in enumerate(_LINE_END.split(text.removeprefix("\ufeff")), start=1):
        stripped = line.strip()
        if not stripped:
            close(number)
        elif heading := _HEADING.match(stripped):
            close(number)
            if heading[2]:
                blocks.append((number, MarkdownBlock(min(len(heading[1]), 2), _unescape_heading(heading[2]))))
        else:
            lines.append(_unescape(line.rstrip()))
    close(number + 1)
    return blocks


def normal(level: int, text: str) -> MarkdownBlock | None:
    """The block of any text that markdown gives back as it was: no NUL or lone surrogate, no blank line inside, no
    blanks at a line's end, headings on one line. None where nothing is left."""
    level = max(0, min(level, 2))
    text = _UNWRITABLE.sub(lambda found: "" if found[0] in "\0\ufeff" else "\ufffd", text)
    if level:
        line = " ".join(text.split())
        return MarkdownBlock(level, line) if line else None
    lines = [line.rstrip() for line in _LINE_END.split(text) if line.strip()]
    return MarkdownBlock(0, "\n".join(lines)) if lines else None


def _render_block(block: MarkdownBlock) -> str:
    if block.level:
        return f"{'#' * block.level} {_ENDS_LIKE_CLOSING.sub(_add_backslash, block.text)}"
    return "\n".join(_escape(line) for line in block.text.split("\n"))


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
