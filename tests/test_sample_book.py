"""The sample book: rebuilt from its source to the same bytes, and read alike from its PDF and its EPUB."""

import json
import re
import zipfile
from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import pymupdf
import pytest
from lxml import etree

from bookblend.books.recipe import read_recipe
from bookblend.books.sample.bind import bind_epub
from bookblend.books.sample.make import truth_json
from bookblend.books.sample.source import Mark, Note, SampleBook, read_source
from bookblend.books.sample.typeset import set_pdf
from bookblend.cli import main
from bookblend.files import sha256_file

KINDS = ("pdf", "epub")
_WORD = re.compile(r"[^\W_]+(?:[’'-][^\W_]+)*")


def words(text: str) -> list[str]:
    """The words alone: how blocks are parted and what sets a scene break differs between the twins."""
    return _WORD.findall(text)


@pytest.fixture(scope="module")
def folder(repository: Path) -> Path:
    return repository / "books" / "sample"


@pytest.fixture(scope="module")
def source() -> SampleBook:
    return read_source()


@pytest.fixture(scope="module")
def truth(folder: Path) -> dict[str, Any]:
    read: dict[str, Any] = json.loads((folder / "sample.truth.json").read_text("utf-8"))
    return read


@pytest.fixture(scope="module")
def records(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], list[str]]:
    """A function from a kind of file to its records' texts, made by the recipe as a user runs it."""
    out = tmp_path_factory.mktemp("out")

    @cache
    def run(kind: str) -> list[str]:
        assert main(["books", "run", str(repository / "books" / f"sample-{kind}.toml"), "--out", str(out)]) == 0
        lines = (out / f"sample-{kind}.jsonl").read_text("utf-8").splitlines()
        return [json.loads(line)["text"] for line in lines]

    return run


# The files are what the source says.


def test_rebuilding_the_epub_gives_the_committed_bytes(folder: Path, source: SampleBook) -> None:
    assert bind_epub(source) == (folder / "sample.epub").read_bytes()


def test_rebuilding_the_truth_gives_the_committed_bytes(folder: Path, source: SampleBook) -> None:
    assert truth_json(source) == (folder / "sample.truth.json").read_bytes()


def test_rebuilding_the_pdf_gives_the_committed_bytes(folder: Path, source: SampleBook) -> None:
    try:
        installed = version("typst")
    except PackageNotFoundError:
        pytest.skip("typst is not installed: pip install bookblend[sample]")
    if installed != source.typst:
        pytest.skip(f"the PDF was set by typst {source.typst}, {installed} is installed")

    assert set_pdf(source) == (folder / "sample.pdf").read_bytes()


@pytest.mark.parametrize("kind", KINDS)
def test_the_recipe_names_the_committed_file(repository: Path, folder: Path, kind: str) -> None:
    recipe = read_recipe(repository / "books" / f"sample-{kind}.toml")

    assert recipe.sha256 == sha256_file(folder / f"sample.{kind}")


# The files hold what a book of the trade holds: without it, reading them alike would show nothing.


def test_the_epub_is_well_formed_and_its_links_lead_somewhere(folder: Path) -> None:
    with zipfile.ZipFile(folder / "sample.epub") as archive:
        assert archive.namelist()[0] == "mimetype"
        documents = {
            name: etree.fromstring(archive.read(name)) for name in archive.namelist() if name.endswith(".xhtml")
        }
    places = {(name, element.get("id")) for name, root in documents.items() for element in root.iter("{*}*")}
    links = [link.get("href", "").partition("#") for root in documents.values() for link in root.iter("{*}a")]

    assert len(links) > 80
    assert all((f"EPUB/{file}", place or None) in places for file, _, place in links)


def test_ebooklib_reads_its_own_book_back(folder: Path, truth: dict[str, Any]) -> None:
    from ebooklib import epub

    book = epub.read_epub(folder / "sample.epub")

    assert book.title == truth["title"]
    assert len(book.spine) == 20


def test_a_note_runs_over_two_pages_of_the_pdf(folder: Path, truth: dict[str, Any]) -> None:
    with pymupdf.open(folder / "sample.pdf") as document:
        pages = [words(page.get_text()) for page in document]
    note = max(map(words, truth["notes"]), key=len)

    # The first word is left out: the note's figure sticks to it.
    starts = [number for number, page in enumerate(pages) if _holds(page, note[1:9])]
    ends = [number for number, page in enumerate(pages) if _holds(page, note[-8:])]

    assert [start + 1 for start in starts] == ends
    assert len(ends) == 1


def test_compounds_break_at_their_own_hyphen_in_the_pdf_and_other_words_elsewhere(folder: Path) -> None:
    with pymupdf.open(folder / "sample.pdf") as document:
        lines = [line.rstrip() for page in document for line in page.get_text().splitlines()]

    assert {line.split()[-1] for line in lines if line.endswith("-")} >= {"half-", "forty-", "twenty-"}
    assert sum(line.endswith("\u00ad") for line in lines) > 20  # how Typst writes the hyphens it adds


def test_folios_are_roman_before_the_text_and_arabic_in_it(folder: Path) -> None:
    with pymupdf.open(folder / "sample.pdf") as document:
        outline = {title: page for _, title, page in document.get_toc()}
        folios = {title: document[page - 1].get_text().split()[-1] for title, page in outline.items()}

    assert (folios["Contents"], folios["Preface"]) == ("v", "vii")
    assert (folios["The Crossing"], folios["Afterword"]) == ("3", "29")
    assert len(outline) == 20


def test_the_source_uses_every_form_it_has(source: SampleBook) -> None:
    kinds = {block.kind for section in source.sections for block in section.blocks}
    marked = {piece.entry for piece in _pieces(source) if isinstance(piece, Mark)}

    assert kinds == {"p", "heading", "quote", "verse", "item", "break"}
    assert marked == {entry for entry, _ in source.index}
    assert sum(isinstance(piece, Note) for piece in _pieces(source)) == 4


# Both files are read as the truth has them.


@pytest.mark.parametrize("kind", KINDS)
def test_records_hold_the_words_of_the_truth(
    kind: str, truth: dict[str, Any], records: Callable[[str], list[str]]
) -> None:
    expected = [
        words(" ".join([*chapter["heading"], *(block["text"] for block in chapter["blocks"])]))
        for chapter in truth["chapters"]
    ]

    assert [words(text) for text in records(kind)] == expected


def test_pdf_and_epub_give_records_with_the_same_words(records: Callable[[str], list[str]]) -> None:
    assert [words(text) for text in records("pdf")] == [words(text) for text in records("epub")]


@pytest.mark.parametrize("kind", KINDS)
def test_blocks_begin_and_end_where_the_truth_has_them(
    kind: str, truth: dict[str, Any], records: Callable[[str], list[str]]
) -> None:
    expected = [list(_lines([*c["heading"], *(block["text"] for block in c["blocks"])])) for c in truth["chapters"]]

    assert [list(_lines([text])) for text in records(kind)] == expected


@pytest.mark.parametrize("kind", KINDS)
def test_notes_and_back_matter_stay_out_of_the_records(
    kind: str, truth: dict[str, Any], records: Callable[[str], list[str]]
) -> None:
    found = [words(text) for text in records(kind)]

    for note in truth["notes"]:
        assert not any(_holds(text, words(note)[:6]) for text in found)
    assert truth["back"][0] not in {line for text in records(kind) for line in text.splitlines()}


def _lines(texts: list[str]) -> Iterator[str]:
    """Lines that have words, as their words: a wrapped title counts as the line it is when whole."""
    for text in texts:
        yield from (" ".join(words(line)) for line in text.split("\n") if words(line))


def _pieces(source: SampleBook) -> Iterator[object]:
    return (piece for section in source.sections for block in section.blocks for piece in block.inlines)


def _holds(text: list[str], run: list[str]) -> bool:
    return any(text[at : at + len(run)] == run for at in range(len(text) - len(run) + 1))
