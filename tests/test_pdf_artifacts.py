"""Artifacts that the file marks: taken off where nothing else tells them, not believed where they are the text."""

from pathlib import Path

import pytest
from pdf_fixtures import BODY, MARGIN, At, Page, edit_pdf, make_pdf
from pdf_reading import leaves, ledger, paragraphs, read_bytes, text, words, words_of

HEADER = b"/Artifact <</Type /Pagination /Subtype /Header>> BDC"


def marked(pages: list[Page], opening: bytes, which: slice) -> bytes:
    """The pages' PDF; on the first page the texts of that slice, in the order drawn, are marked with `opening`."""

    def change(document: object) -> None:
        page = document[0]  # type: ignore[index]
        xref = page.get_contents()[-1]
        lines = page.read_contents().split(b"\n")
        texts = [index for index, line in enumerate(lines) if b"Tj" in line][which]
        for index in texts:
            lines[index] = opening + b"\n" + lines[index] + b"\nEMC"
        document.update_stream(xref, b"\n".join(lines))  # type: ignore[attr-defined]

    return edit_pdf(make_pdf(pages), change)


@pytest.mark.parametrize("opening", [HEADER, b"/Artifact BMC"])
def test_a_head_that_only_its_mark_tells_is_taken_off(tmp_path: Path, opening: bytes) -> None:
    body = paragraphs(4)
    pages = [Page(body, marks=[At(MARGIN, 30, "Of ferries and their men", 8)]), *leaves(1, seed=3)[0]]

    book = read_bytes(tmp_path, marked(pages, opening, slice(-1, None)))

    assert ledger(book) == {"artifact": ["Of ferries and their men"]}
    assert words(text(book))[: len(words_of(body))] == words_of(body)


def test_without_its_mark_the_head_is_text(tmp_path: Path) -> None:
    pages = [Page(paragraphs(4), marks=[At(MARGIN, 30, "Of ferries and their men", 8)]), *leaves(1, seed=3)[0]]

    assert "Of ferries" in text(read_bytes(tmp_path, make_pdf(pages)))


def test_a_page_marked_as_artifact_as_a_whole_is_text(tmp_path: Path) -> None:
    body = paragraphs(4)

    book = read_bytes(tmp_path, marked([Page(body), *leaves(1, seed=3)[0]], HEADER, slice(None)))

    assert words(text(book))[: len(words_of(body))] == words_of(body)
    assert not ledger(book)


def test_a_title_in_display_type_in_a_mark_without_a_kind_is_text(tmp_path: Path) -> None:
    pages = [Page(paragraphs(3), top=110, marks=[At(MARGIN, 80, "The Weir", 2 * BODY)]), *leaves(1, seed=3)[0]]

    book = read_bytes(tmp_path, marked(pages, b"/Artifact BMC", slice(-1, None)))

    assert "The Weir" in text(book)
    assert not ledger(book)


def test_a_line_in_mid_page_in_a_mark_without_a_kind_is_text(tmp_path: Path) -> None:
    body = paragraphs(4)

    book = read_bytes(tmp_path, marked([Page(body), *leaves(1, seed=3)[0]], b"/Artifact BMC", slice(5, 6)))

    assert words(text(book))[: len(words_of(body))] == words_of(body)
