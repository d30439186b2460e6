"""Set the sample book as a PDF: its blocks become calls of the functions in `style.typ`, and Typst does the rest."""

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path

from bookblend.books.sample.source import Inline, Mark, Note, Run, SampleBook, Section, SourceBlock
from bookblend.errors import BookblendError

STYLE = Path(__file__).parent / "style.typ"

# Words in small capitals at a section's opening, and words a drop cap's three lines may need.
LEAD_WORDS = 3
OPENING_WORDS = 40


def set_pdf(book: SampleBook) -> bytes:
    """The PDF's bytes: the same on every run of one version of Typst. Raises `BookblendError` without Typst."""
    try:
        import typst
    except ImportError as error:
        raise BookblendError("setting the sample PDF needs Typst; install bookblend[sample]") from error
    text = STYLE.read_text(encoding="utf-8") + "\n" + typst_source(book)
    made: bytes = typst.compile(
        text.encode("utf-8"),
        ignore_system_fonts=True,
        timestamp=datetime.fromisoformat(book.date).replace(tzinfo=UTC),
        # Untagged, as most trade PDFs are: the drop caps' two paragraphs would be tagged as two.
        pdf_tags=False,
    )
    return made


def typst_source(book: SampleBook) -> str:
    """The text of the book as Typst source, to stand after the design."""
    year, month, day = (int(part) for part in book.date.split("-"))
    title, author = _string(book.title), _string(book.author)
    parts = [
        f"#set document(title: {title}, author: {author}, date: datetime(year: {year}, month: {month}, day: {day}))",
        f'#set page(numbering: "i", header: running-head({title}), footer: drop-folio())',
        f"#title-page({title}, {_string(book.subtitle)}, {author}, {_string(book.publisher)})",
    ]
    in_body = False
    for section in book.sections:
        if section.kind == "preface":
            parts += ["#to-right()", '#contents-page("Contents")', "#to-right()"]
        if section.kind == "part" and not in_body:
            parts += ["#to-right()", '#set page(numbering: "1")', "#counter(page).update(1)"]
            in_body = True
        parts.extend(_section(section, book))
    return "\n\n".join(parts) + "\n"


def _section(section: Section, book: SampleBook) -> Iterator[str]:
    if section.kind == "part":
        yield f"#part-page({_string(section.number)}, {_string(section.title)})"
    elif section.kind in ("imprint", "dedication"):
        if section.kind == "dedication":
            yield "#to-right()"
        yield _call(f"{section.kind}-page", (block.inlines for block in section.blocks))
    else:
        yield _opening(section)
        if section.kind == "index":
            entries = ", ".join(_string(entry) for entry, _ in book.index)
            yield f"#index-list({entries})"
        else:
            yield from _flow(section)


def _opening(section: Section) -> str:
    level = 2 if section.kind == "chapter" else 1
    named = {"number": section.number, "short": section.short}
    extras = [f"{key}: {_string(value)}" for key, value in named.items() if value]
    return f"#opening({', '.join([_string(section.title), *extras, f'level: {level}'])})"


def _flow(section: Section) -> Iterator[str]:
    blocks = section.blocks
    if section.kind in ("preface", "chapter", "afterword"):
        yield from _first_paragraph(blocks[0], drop_cap=section.kind == "chapter")
        yield f"#indented{_content(blocks[1].inlines)}"
        blocks = blocks[2:]
    elif section.kind == "notes":
        yield _call("plain-paragraphs", (block.inlines for block in blocks))
        return
    for kind, run in groupby(blocks, key=lambda block: block.kind):
        group = list(run)
        if kind == "item":
            yield _call("hanging" if section.kind == "bibliography" else "items", (block.inlines for block in group))
        elif kind == "quote":
            yield _call("quotation", (block.inlines for block in group))
        else:
            yield from map(_SINGLE[kind], group)


def _paragraph(block: SourceBlock) -> str:
    return f"#par{_content(block.inlines)}"


def _inner_heading(block: SourceBlock) -> str:
    return f"#inner-heading({_string(block.text)})"


def _scene_break(_: SourceBlock) -> str:
    return "#scene-break()"


def _verse(block: SourceBlock) -> str:
    stanzas = block.text.split("\n\n")
    return f"#verse({', '.join(_content([Run(stanza)]) for stanza in stanzas)})"


_SINGLE: dict[str, Callable[[SourceBlock], str]] = {
    "p": _paragraph,
    "heading": _inner_heading,
    "break": _scene_break,
    "verse": _verse,
}


def _first_paragraph(block: SourceBlock, drop_cap: bool) -> Iterator[str]:
    """The opening: its first words one by one, for the design to break into lines, and the rest as it is."""
    marks = [piece for piece in block.inlines if isinstance(piece, Mark)]
    run, *rest = (piece for piece in block.inlines if not isinstance(piece, Mark))
    words = run.text.split(" ") if isinstance(run, Run) else []
    if len(words) < OPENING_WORDS:
        raise BookblendError(f"an opening needs {OPENING_WORDS} words without note or emphasis: '{block.text[:40]}…'")
    after = _content(rest)
    yield "".join(_inline(mark) for mark in marks) or "// no marks"
    if drop_cap:
        letter, words[0] = words[0][0], words[0][1:]
        yield f"#drop-cap({_string(letter)}, {LEAD_WORDS - 1}, {_array(words)}, {after})"
    else:
        yield f"#plain-opening({LEAD_WORDS}, {_array(words)}, {after})"


def _call(function: str, bodies: Iterable[tuple[Inline, ...]]) -> str:
    return f"#{function}({', '.join(_content(body) for body in bodies)})"


def _content(pieces: Iterable[Inline]) -> str:
    return f"[{''.join(map(_inline, pieces))}]"


def _inline(piece: Inline) -> str:
    if isinstance(piece, Mark):
        return f"#at-index({_string(piece.entry)})"
    if isinstance(piece, Note):
        return f"#footnote{_content(piece.runs)}"
    lines = "#linebreak()".join(f"#{_string(line)}" for line in piece.text.split("\n"))
    return f"#emph[{lines}]" if piece.emphasis else lines


def _string(text: str) -> str:
    """A Typst string literal; its escapes are JSON's as far as this book needs any."""
    return json.dumps(text, ensure_ascii=False)


def _array(words: list[str]) -> str:
    return f"({''.join(_string(word) + ', ' for word in words)})"
