"""Two book pages on one sheet are read as the pages of a book."""

from dataclasses import replace
from pathlib import Path

import pymupdf
import pytest
from pdf_fixtures import HEIGHT, WIDTH, Page, make_pdf
from pdf_reading import chapters, headings, ledger, paragraphs, read_bytes, text

TITLES = ("The Ferry", "The Weir", "The Orchard")


def book_pages(numbered: bool = True) -> list[Page]:
    pages = chapters(TITLES)
    if not numbered:
        return pages
    return [replace(page, head="THE LONG WATER", folio=str(number)) for number, page in enumerate(pages, 1)]


def imposed(data: bytes, turn: int = 0, leftward: bool = False) -> bytes:
    """The pages of a PDF two on a sheet; with `turn` the sheets are stored upright and shown turned by as much."""
    pages, sheets = pymupdf.open("pdf", data), pymupdf.open()
    for first in range(0, len(pages), 2):
        sheet = (
            sheets.new_page(width=HEIGHT, height=2 * WIDTH) if turn else sheets.new_page(width=2 * WIDTH, height=HEIGHT)
        )
        halves = (
            [pymupdf.Rect(0, 0, HEIGHT, WIDTH), pymupdf.Rect(0, WIDTH, HEIGHT, 2 * WIDTH)]
            if turn
            else [pymupdf.Rect(0, 0, WIDTH, HEIGHT), pymupdf.Rect(WIDTH, 0, 2 * WIDTH, HEIGHT)]
        )
        if leftward or turn == 90:
            halves.reverse()
        for half, number in zip(halves, range(first, min(first + 2, len(pages))), strict=False):
            sheet.show_pdf_page(half, pages, number, rotate=turn)
        sheet.set_rotation(turn)
    made: bytes = sheets.tobytes(garbage=3, deflate=True, no_new_id=True)
    return made


@pytest.mark.parametrize("numbered", [True, False], ids=["numbered", "without numbers"])
@pytest.mark.parametrize("turn", [0, 90, 270])
def test_sheets_of_two_pages_give_the_book_that_the_pages_give(tmp_path: Path, turn: int, numbered: bool) -> None:
    data = make_pdf(book_pages(numbered))
    plain = read_bytes(tmp_path, data)
    assert [title for _, title in headings(plain)] == list(TITLES)

    book = read_bytes(tmp_path, imposed(data, turn))

    assert text(book) == text(plain)
    assert headings(book) == headings(plain)
    assert ledger(book) == ledger(plain)


def test_a_book_that_runs_leftwards_is_read_from_the_right_half(tmp_path: Path) -> None:
    data = make_pdf(book_pages())

    assert text(read_bytes(tmp_path, imposed(data, leftward=True))) == text(read_bytes(tmp_path, data))


def test_places_are_the_sheets(tmp_path: Path) -> None:
    data = make_pdf(book_pages())
    plain = read_bytes(tmp_path, data)

    book = read_bytes(tmp_path, imposed(data))

    assert [block.place.page for block in book.blocks] == [(block.place.page + 1) // 2 for block in plain.blocks]
    assert book.evidence["pages"] == book.evidence["sheets of two pages"] == (len(book_pages()) + 1) // 2
    assert {entry.place for entry in book.dropped} == {f"page {n + 1}" for n in range(book.evidence["pages"])}


def test_an_outline_of_sheets_names_the_chapters(tmp_path: Path) -> None:
    pages = book_pages()
    starts = [number for number, page in enumerate(pages) if len(page.blocks) and page.blocks[0].size > 12]
    document = pymupdf.open("pdf", imposed(make_pdf(pages)))
    document.set_toc([[1, title, start // 2 + 1] for title, start in zip(TITLES, starts, strict=True)])

    book = read_bytes(tmp_path, document.tobytes(no_new_id=True))

    assert book.evidence["chapters named by"] == "outline"
    assert headings(book) == [(1, title) for title in TITLES]


def test_two_columns_on_a_wide_page_stay_one_page(tmp_path: Path) -> None:
    wide = [
        Page(paragraphs(3, words=20, seed=seed), columns=2, tall=WIDTH / 1.2, folio=str(seed)) for seed in range(1, 5)
    ]

    book = read_bytes(tmp_path, make_pdf(wide))

    assert book.evidence["sheets of two pages"] == 0
    assert len(ledger(book)["folio"]) == 4
