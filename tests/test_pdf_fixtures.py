"""The helper that makes PDFs for tests does what its description says."""

import pymupdf
import pytest
from pdf_fixtures import BODY, Lines, Page, Para, heading, make_pdf

WORDS = "The lamp was lit before the boats came home and nobody had asked who carried it up. "


def read(made: bytes) -> pymupdf.Document:
    return pymupdf.open(stream=made, filetype="pdf")


def test_two_runs_give_the_same_bytes() -> None:
    pages = [Page([heading("One"), Para(WORDS * 3)], notes=["1 A note."], head="Lamps", folio="1")]

    assert make_pdf(pages, toc=[(1, "One", 1)]) == make_pdf(pages, toc=[(1, "One", 1)])


def test_blocks_head_folio_and_notes_stand_in_reading_order_on_the_page() -> None:
    page = read(
        make_pdf(
            [Page([heading("One"), Para("It was lit.^1"), Lines(["half-", "light"])], ["1 By her."], "Lamps", "7")]
        )
    )[0]

    by_height = [word[4] for word in sorted(page.get_text("words"), key=lambda w: (round(w[3] / 6), w[0]))]

    assert by_height == ["Lamps", "One", "It", "was", "lit.1", "half-", "light", "1", "By", "her.", "7"]


def test_a_note_mark_is_small_and_flagged_as_superscript() -> None:
    page = read(make_pdf([Page([Para("It was lit.^1 Then not.")])]))[0]

    spans = [span for block in page.get_text("dict")["blocks"] for line in block["lines"] for span in line["spans"]]
    mark = next(span for span in spans if span["text"] == "1")

    assert mark["size"] < 0.8 * BODY
    assert mark["flags"] & pymupdf.TEXT_FONT_SUPERSCRIPT


def test_text_fills_one_column_before_the_next() -> None:
    page = read(make_pdf([Page([Para(WORDS * 12)], columns=2)]))[0]

    words = page.get_text("words")

    assert " ".join(word[4] for word in sorted(words, key=lambda w: (w[0] > 150, w[3]))).startswith(WORDS.strip())
    assert any(word[0] > 150 for word in words)


def test_a_page_that_runs_over_is_refused() -> None:
    with pytest.raises(ValueError, match="full before"):
        make_pdf([Page([Para(WORDS * 60)])])
