"""Our reader beside EbookLib, which writes EPUBs well and says of some books what they are; and on real books."""

from pathlib import Path

import pytest
from ebooklib import epub
from epub_fixtures import headings, prose, read, text
from lxml import etree

from bookblend.errors import InputError
from bookblend.extract.epub_archive import Archive
from bookblend.extract.epub_package import read_package

# How EbookLib ends on books it cannot open; these are no yardstick.
UNOPENED = (
    epub.EpubException,
    InputError,
    LookupError,
    AttributeError,
    TypeError,
    ValueError,
    OSError,
    etree.LxmlError,
)
# Of the real books, those that hold no text at all, and what is said of them.
NO_TEXT = ("no text in its", "is empty", "is no EPUB", "is damaged", "nothing to read", "locked by DRM")


def write_with_ebooklib(path: Path) -> list[str]:
    """A book of three chapters written by EbookLib; returns their texts."""
    book = epub.EpubBook()
    book.set_identifier("x")
    book.set_title("The Slack Tide")
    book.set_language("en")
    book.add_author("A. Nonesuch")
    texts = [prose(f"Text{n}") for n in (1, 2, 3)]
    chapters = []
    for number, words in enumerate(texts, start=1):
        chapter = epub.EpubHtml(title=f"Oar {number}x", file_name=f"c{number}.xhtml", lang="en")
        chapter.content = f"<html><body><h1>Oar {number}x</h1><p>{words}</p></body></html>"
        book.add_item(chapter)
        chapters.append(chapter)
    book.toc = chapters
    book.spine = ["nav", *chapters]
    book.add_item(epub.EpubNcx())
    book.add_item(epub.EpubNav())
    epub.write_epub(str(path), book)
    return texts


def test_a_book_that_ebooklib_wrote(tmp_path: Path) -> None:
    texts = write_with_ebooklib(tmp_path / "b.epub")
    book = read(tmp_path / "b.epub")
    assert (book.title, book.author, book.language) == ("The Slack Tide", "A. Nonesuch", "en")
    assert headings(book) == ["Oar 1x", "Oar 2x", "Oar 3x"]
    assert text(book) == " ".join(f"Oar {n}x {words}" for n, words in enumerate(texts, start=1))
    assert not book.warnings


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
def test_metadata_as_ebooklib_reads_them(shared: Path) -> None:
    compared = 0
    books = (shared / "real" / "epub").glob("*.epub")
    for path in sorted(book for book in books if book.stat().st_size < 300_000):
        try:
            theirs = epub.read_epub(str(path))
            with Archive(path) as archive:
                ours = read_package(archive)
        except UNOPENED:
            continue
        titles = [" ".join((value or "").split()) for value, _ in theirs.get_metadata("DC", "title")]
        languages = [(value or "").strip() for value, _ in theirs.get_metadata("DC", "language")]
        assert ours.title in titles or not any(titles), path.name
        assert ours.language == next(filter(None, languages), ""), path.name
        compared += 1
    assert compared > 50


def test_every_real_book_gives_its_text_or_one_line(shared: Path) -> None:
    books = sorted((shared / "real").rglob("*.epub"))
    assert len(books) > 100
    silent = []
    for path in books:
        try:
            book = read(path)
        except InputError as error:
            line = str(error)
            assert "\n" not in line and any(reason in line for reason in NO_TEXT), line
            silent.append(path.name)
            continue
        assert any(block.text for block in book.blocks), path.name
        assert all("\n" not in warning for warning in book.warnings), path.name
    assert len(silent) <= 10, silent
