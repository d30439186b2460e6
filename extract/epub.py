"""EPUB → `Book`: the reading order walked once, chapters named by the declared contents, nothing lost silently.

The steps: archive and package (`epub_archive`, `epub_package`), contents (`epub_contents`), each document parsed and
walked into pieces (`epub_documents`, `epub_markup`, `epub_walk`), then, over all documents: notes (`epub_notes`),
running titles and the like (`epub_strip`), chapter tiers (`epub_tiers`), front and back matter (`epub_matter`), blocks
(`epub_assemble`). Trees live one at a time; pieces are text.
Leaves out: scripts, pictures, sound, fixed layout (read in document order), fonts that show other letters.
"""

from collections.abc import Sequence
from pathlib import Path

from bookblend.errors import InputError
from bookblend.extract import epub_assemble, epub_matter, epub_notes, epub_strip, epub_tiers
from bookblend.extract.epub_archive import Archive
from bookblend.extract.epub_blocks import Document, Piece
from bookblend.extract.epub_contents import read_contents, walk
from bookblend.extract.epub_documents import read_documents
from bookblend.extract.epub_package import read_package
from bookblend.extract.epub_walk import Walker
from bookblend.extract.model import Book, ExtractOptions


def extract_epub(path: Path, options: ExtractOptions) -> Book:
    """Read an EPUB.

    Raises `InputError` with one line where the file is no EPUB, is locked, passes a size limit, or has no text.
    """
    with Archive(path) as archive:
        package = read_package(archive)
        contents = read_contents(archive, package)
        walker = Walker(keep_navigation=options.keep_furniture)
        documents = list(read_documents(archive, package, contents, walker))
        warnings = archive.warnings
    notes, placed = _settle_notes(documents, walker, options)
    epub_strip.strip(documents, package.title)
    tiers = epub_tiers.assign(contents, documents, package.title)
    ordered, moved = epub_matter.recognise(documents, package.title, keep_furniture=options.keep_furniture)
    blocks = tuple(epub_assemble.blocks(ordered, placed))
    if not blocks:
        raise InputError(f"{path.name}: {_why_no_text(documents)}")
    return Book(
        format="epub",
        blocks=blocks,
        dropped=tuple(epub_assemble.dropped(documents)),
        warnings=(*warnings, *moved),
        title=package.title,
        author=package.author,
        language=package.language,
        evidence={
            "chapters": tiers.source,
            "chapter_headings": tiers.chapters,
            "contents": contents.source or "none",
            "contents_entries": sum(1 for _ in walk(contents.entries)),
            "documents": len(documents),
            "note_references": notes.dropped,
            "page_breaks": sum(document.pagebreaks for document in documents),
            "pictures": sum(document.pictures for document in documents),
        },
    )


def _settle_notes(
    documents: Sequence[Document], walker: Walker, options: ExtractOptions
) -> tuple[epub_notes.Notes, dict[Piece, list[Piece]]]:
    """Decide on note references and put the notes where the options want them: nowhere, in place, or after chapters."""
    references = walker.references
    notes = epub_notes.settle(documents, references, walker.note_lists)
    bodies = [piece for document in documents for piece in document.pieces if piece.rule == "note"]
    epub_notes.write_out(bodies, references, {})
    epub_notes.clear_labels(bodies, walker.note_lists)
    inline: dict[int, str] = {}
    placed: dict[Piece, list[Piece]] = {}
    if options.notes != "drop":
        for number, body in notes.bodies.items():
            pieces = [piece for piece in body if piece.text]
            if options.notes == "inline":
                inline[number] = epub_assemble.without_mark(" ".join(p.text.replace("\n", " ") for p in pieces))
            else:
                place = references[number].place
                placed.setdefault(documents[place[0]].pieces[place[1]], []).extend(pieces)
            for piece in body:
                piece.rule = "moved"
        for piece in bodies:
            piece.rule = piece.rule if piece.rule == "moved" else ""
    others = [piece for document in documents for piece in document.pieces if piece.rule not in ("note", "moved")]
    epub_notes.write_out(others, references, inline)
    return notes, placed


def _why_no_text(documents: Sequence[Document]) -> str:
    if not any(document.pieces or document.asides for document in documents):
        pictures = sum(document.pictures for document in documents)
        if pictures:
            return f"no text in its {len(documents)} documents, only {pictures} pictures; there is nothing to read"
        return f"no text in its {len(documents)} documents; there is nothing to read"
    return "all of its text is navigation, hidden or furniture; --keep-furniture keeps what the book declares as such"
