"""The markdown between the stages, read and written: blocks parted by blank lines, "# " and "## " headings.

Only what the stages need, not CommonMark: `# ` is the chapter tier, `##` and deeper any other heading, a heading is
a block of its own, every other run of lines between blank lines is one block. A text line that itself begins with
`#` is escaped with a backslash, so that no text can forge a heading. `parse(render(x)) == x`.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

_HEADING = re.compile(r"(#{1,6})(?:[ \t]+(.*?))?(?:[ \t]+#+)?[ \t]*$")
_NEEDS_ESCAPE = re.compile(r"\\*#")
# Only "\n" ends a line: U+2028, U+0085 and the like are text here, and the repair stage deals with them.
_LINE_END = re.compile(r"\r\n?|\n")


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
    blocks: list[MarkdownBlock] = []
    lines: list[str] = []

    def close() -> None:
        if lines:
            blocks.append(MarkdownBlock(0, "\n".join(lines)))
            lines.clear()

    for line in _LINE_END.split(text.removeprefix("\ufeff")):
        stripped = line.strip()
        if not stripped:
            close()
        elif heading := _HEADING.match(stripped):
            close()
            if heading[2]:
                blocks.append(MarkdownBlock(min(len(heading[1]), 2), heading[2]))
        else:
            lines.append(_unescape(line.rstrip()))
    close()
    return blocks


def _render_block(block: MarkdownBlock) -> str:
    if block.level:
        return f"{'#' * block.level} {block.text}"
    return "\n".join(_escape(line) for line in block.text.split("\n"))


def _escape(line: str) -> str:
    return "\\" + line if _NEEDS_ESCAPE.match(line) else line


def _unescape(line: str) -> str:
    return line[1:] if line.startswith("\\") and _NEEDS_ESCAPE.match(line) else line
