"""What a perfect reading of the sample book finds, taken from the source and not from any reading of the files.

    {"title", "author",
     "chapters": [{"kind": "preface" | "part" | "chapter" | "afterword",
                   "heading": ["1", "The Crossing"],        one string a line of display
                   "blocks": [{"t": "p" | "heading" | "quote" | "verse" | "item", "text": "…"}]}],
     "notes": ["…"],            footnotes, left out of the chapters because notes are dropped by default
     "back": ["Notes", …]}      headings that stand after the last chapter

A stanza is one block, its lines parted by "\\n". Breaks have no words and no block.
"""

from bookblend.books.sample.source import RECORDED, Note, Run, SampleBook, SourceBlock


def truth(book: SampleBook) -> dict[str, object]:
    """The truth as JSON values."""
    recorded = [section for section in book.sections if section.kind in RECORDED]
    last = book.sections.index(recorded[-1])
    return {
        "title": book.title,
        "author": book.author,
        "chapters": [
            {
                "kind": section.kind,
                "heading": section.heading,
                "blocks": [entry for block in section.blocks for entry in _entries(block)],
            }
            for section in recorded
        ],
        "notes": [
            "".join(run.text for run in piece.runs if isinstance(run, Run))
            for section in recorded
            for block in section.blocks
            for piece in block.inlines
            if isinstance(piece, Note)
        ],
        "back": [section.title for section in book.sections[last + 1 :]],
    }


def _entries(block: SourceBlock) -> list[dict[str, str]]:
    texts = block.text.split("\n\n") if block.kind == "verse" else [block.text]
    return [{"t": block.kind, "text": text} for text in texts if text]
