"""The usual measures of a book, and pages that differ in their margins and sizes."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pdf_fixtures import HEIGHT, MARGIN, MEASURE, At, Lines, Page, Para, flow, heading, text_width
from pdf_reading import headings, leaves, ledger, paragraphs, prose, read, text, texts, titles, words

from bookblend.extract.model import Kind
from bookblend.extract.pdf_lines import Line
from bookblend.extract.pdf_lines import Page as LinePage
from bookblend.extract.pdf_stats import Style, is_body, measure, mode


def page(number: int, rows: Sequence[tuple[float, float, float, str]], **more: bool) -> LinePage:
    """A page of lines: (x, baseline, size, text)."""
    lines = []
    for x, y, size, written in rows:
        line = Line(number, written, (x, y - size, x + text_width(written, size), y + 2), y, size)
        for name, value in more.items():
            setattr(line, name, value)
        lines.append(line)
    return LinePage(number, 300, 440, lines)


@pytest.mark.parametrize(
    ("values", "commonest"),
    [([], None), ([3.0], 3.0), ([45.0, 45.2, 44.9, 57.0], 45.0), ([1.0, 2.0, 9.0, 9.0, 9.0], 9.0), ([5.0, 9.0], 5.0)],
)
def test_mode_is_the_commonest_value(values: list[float], commonest: float | None) -> None:
    assert mode(values) == commonest


def test_the_body_size_is_that_of_most_characters_not_of_most_lines() -> None:
    many_short = [(45.0, 50.0 + 12 * n, 8.0, "ab") for n in range(12)]
    few_long = [(45.0, 250.0 + 13 * n, 10.0, "The miller counted every sack again") for n in range(4)]

    assert measure([page(1, [*many_short, *few_long])]).body == 10.0


def test_a_book_without_text_has_no_body_size() -> None:
    assert measure([LinePage(1, 300, 440, [])]).body == 0.0


def test_a_typescript_has_typewriter_type_for_its_body() -> None:
    rows = [(45.0, 50.0 + 13 * n, 10.0, "The miller counted every sack") for n in range(20)]

    assert measure([page(1, rows, mono=True)]).mono
    assert measure([page(1, rows, bold=True)]).bold
    assert not measure([page(1, rows)]).mono


def test_a_line_counts_as_body_within_a_third_of_a_point() -> None:
    style = Style(body=10.0)
    (line,) = page(1, [(45, 50, 10.25, "ab")]).lines

    assert is_body(line, style)
    line.size = 10.4
    assert not is_body(line, style)


def test_a_book_of_more_code_than_prose_keeps_its_prose_as_the_body(tmp_path: Path) -> None:
    pages = [
        Page(
            [
                *paragraphs(1, seed=n),
                Lines([f"let gate{n}{m} be open and shut" for m in range(9)], size=8, face="mono", before=8),
            ]
        )
        for n in range(4)
    ]

    assert read(tmp_path, pages).evidence["body size"] == 10.0


# --- margins ---------------------------------------------------------------------------------------------------------


def mirrored(pages: Sequence[Page], shift: float = 18.0) -> list[Page]:
    """The pages with their text further right on odd pages, as bound books have it."""
    return [replace(page, shift=shift if n % 2 else -shift) for n, page in enumerate(pages, 1)]


def test_inner_margins_that_alternate_change_nothing(tmp_path: Path) -> None:
    pages, written = leaves(6)
    dressed = [replace(page, head="Fords", folio=str(n)) for n, page in enumerate(pages, 1)]

    book, plain = read(tmp_path, mirrored(dressed)), read(tmp_path, dressed)

    assert texts(book) == texts(plain)
    assert words(text(book)) == words(written)


def test_indents_and_verse_are_told_on_either_side(tmp_path: Path) -> None:
    stanza = ["The river took the lower field", "and left a rim of foam,", "it took the barn, it took the gate,"]
    pages = [Page([*paragraphs(2, seed=n), Lines(stanza[n % 2 :], inset=30, before=13)]) for n in range(4)]

    book = read(tmp_path, mirrored(pages))

    assert [block.kind for block in book.blocks].count(Kind.VERSE) == 4


def test_centred_titles_are_told_on_either_side(tmp_path: Path) -> None:
    names = ["THE WEIR", "LOW WATER", "HARVEST", "THE FERRY"]
    pages: list[Page] = []
    for n, name in enumerate(names):
        pages.append(Page([Lines([name], centred=True), Para(prose(60, n), before=26)], top=70))
        pages += leaves(2 + n % 2, seed=n)[0]

    assert titles(read(tmp_path, mirrored(pages))) == names


def test_folios_are_found_on_pages_of_other_heights(tmp_path: Path) -> None:
    pages, written = leaves(8)
    dressed = [
        replace(page, folio=str(n), head="Fords", tall=HEIGHT + (40 if n > 4 else 0)) for n, page in enumerate(pages, 1)
    ]

    book = read(tmp_path, dressed)

    assert words(text(book)) == words(written)
    assert len(ledger(book)["folio"]) == 8


def test_a_page_set_narrower_than_the_others_is_prose(tmp_path: Path) -> None:
    """An appendix, a preface: whole pages set in from the usual margins."""
    narrow = [Page(page) for page in flow([Para(prose(45, n), inset=20, justify=True) for n in range(6)])]

    book = read(tmp_path, [*leaves(4)[0], *narrow])

    assert {block.kind for block in book.blocks} == {Kind.PARAGRAPH}
    assert [block for block in texts(book) if block in {prose(45, n) for n in range(6)}] == [
        prose(45, n) for n in range(6)
    ]


def test_a_book_of_double_spaced_lines_has_whole_paragraphs(tmp_path: Path) -> None:
    rows = [line for para in paragraphs(6) for page in flow([para]) for line in page]
    spaced = [replace(line, before=13.0) for line in rows]
    pages = [Page(spaced[:13]), Page(spaced[13:26]), Page(spaced[26:])]

    book = read(tmp_path, pages)

    assert texts(book) == [para.text for para in paragraphs(6)]
    assert book.evidence["leading"] == 26.0
    assert not headings(book)


def test_text_in_the_margin_of_one_page_is_not_lost(tmp_path: Path) -> None:
    pages, written = leaves(3)
    pages[1] = replace(pages[1], marks=[At(MARGIN + MEASURE + 6, 200, "see over", 7)])

    book = read(tmp_path, pages)

    assert "see over" in text(book) or any("see over" in line for lines in ledger(book).values() for line in lines)
    assert set(words(written)) <= set(words(text(book)))


def test_a_lone_heading_does_not_shift_the_measures(tmp_path: Path) -> None:
    pages, _ = leaves(3)

    book = read(tmp_path, [Page([heading("Fords and Ferries of the Upper Weir", 12)]), *pages])

    assert book.evidence["body size"] == 10.0
    assert book.evidence["indent"] == 12.0
