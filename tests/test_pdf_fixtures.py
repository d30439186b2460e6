"""The helper that makes PDFs for tests does what its description says."""

import pymupdf
import pytest
from pdf_fixtures import BODY, MARGIN, MEASURE, At, Lines, Page, Para, flow, heading, make_pdf, remap

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


def test_a_justified_paragraph_ends_its_lines_at_the_right_edge() -> None:
    page = read(make_pdf([Page([Para(WORDS * 3, justify=True)])]))[0]
    ends: dict[int, float] = {}
    for word in page.get_text("words"):
        ends[round(word[3])] = max(word[2], ends.get(round(word[3]), 0.0))

    full = [end for _, end in sorted(ends.items())][:-1]

    assert len(full) > 3
    assert all(abs(end - MARGIN - MEASURE) < 0.5 for end in full)


def test_flow_spreads_blocks_over_pages_and_loses_no_word() -> None:
    blocks = [heading("One"), Para(WORDS * 20, justify=True), None, heading("Two"), Para(WORDS)]

    pages = flow(blocks)
    shown = " ".join(page.get_text() for page in read(make_pdf([Page(page) for page in pages])))

    assert len(pages) == 3
    assert shown.split() == ("One " + WORDS * 20 + "Two " + WORDS).split()


def test_a_turned_line_runs_against_the_clock() -> None:
    page = read(make_pdf([Page(marks=[At(100, 300, "Up the page", turn=90)])]))[0]

    (line,) = page.get_text("dict")["blocks"][0]["lines"]

    assert line["dir"] == (0.0, -1.0)
    assert line["bbox"][3] == pytest.approx(300, abs=1)


def test_a_hidden_line_is_neither_filled_nor_stroked() -> None:
    page = read(make_pdf([Page(marks=[At(100, 300, "Ghost", hidden=True), At(100, 330, "Pale", grey=1)])]))[0]

    ghost, pale = (line["spans"][0] for block in page.get_text("dict")["blocks"] for line in block["lines"])

    assert not ghost["char_flags"] & (16 | 32)
    assert pale["color"] == 0xFFFFFF


def test_remap_changes_what_a_glyph_is_declared_to_be() -> None:
    made = make_pdf([Page([Para("A tide~table")])])

    assert read(remap(made, {"~": "\xad"}))[0].get_text().strip() == "A tide\xadtable"


def test_a_character_that_no_face_has_is_refused() -> None:
    with pytest.raises(ValueError, match="roman face"):
        make_pdf([Page([Para("\u05d0")])])
