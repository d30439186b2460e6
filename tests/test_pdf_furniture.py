"""Running heads, folios, watermarks, marginalia: off the pages, on record, and the text that looks like them kept."""

from dataclasses import replace
from pathlib import Path

import pytest
from pdf_fixtures import BODY, FOOT, HEAD, HEIGHT, MARGIN, ROWS, WIDTH, At, Lines, Page, Para, heading, text_width
from pdf_reading import chapters, headings, leaves, ledger, paragraphs, prose, read, text, texts, titles, words

from bookblend.extract.labels import roman_value
from bookblend.extract.pdf_folios import page_number

ROMAN = ["i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x"]


def centred(text: str, y: float, size: float = BODY, **more: object) -> At:
    """A line in the middle of the page."""
    return At((WIDTH - text_width(text, size)) / 2, y, text, size, **more)


def flush_right(text: str, y: float, size: float = BODY) -> At:
    """A line that ends at the right margin."""
    return At(WIDTH - MARGIN - text_width(text, size), y, text, size)


# --- running heads ---------------------------------------------------------------------------------------------------


def test_alternating_heads_with_the_folio_inside_are_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(8)
    dressed = [
        replace(
            page,
            marks=[At(MARGIN, HEAD, f"{n} THE LEDGER OF FORDS", 8.5)]
            if n % 2 == 0
            else [flush_right(f"NIGHT CROSSING {n}", HEAD, 8.5)],
        )
        for n, page in enumerate(pages, 12)
    ]

    book = read(tmp_path, dressed)

    assert words(text(book)) == words(written)
    assert set(ledger(book)) == {"running head"}
    assert len(ledger(book)["running head"]) == 8
    assert ledger(book)["running head"][0] == "12 THE LEDGER OF FORDS"


def test_sentences_that_cross_pages_are_whole_once_the_heads_are_gone(tmp_path: Path) -> None:
    pages, _ = leaves(4)
    dressed = [replace(page, head="The Ledger of Fords", folio=str(n)) for n, page in enumerate(pages, 1)]

    book = read(tmp_path, dressed)

    assert [block for block in texts(book)[:-1] if not block.endswith(".")] == []


def test_a_head_that_repeats_the_chapters_title_leaves_the_title(tmp_path: Path) -> None:
    names = ["The Weir", "Low Water", "A Cold Spring"]
    dressed, name = [], ""
    for page in chapters(names, words=500):
        first = page.blocks[0]
        opens = isinstance(first, Lines) and first.size > BODY
        name = first.lines[0] if opens else name
        dressed.append(page if opens else replace(page, head=name))

    book = read(tmp_path, dressed)

    assert headings(book) == [(1, name) for name in names]
    assert text(book).count("Low Water") == 1
    assert "Low Water" in ledger(book)["running head"]


def test_a_title_set_where_the_head_stands_is_kept(tmp_path: Path) -> None:
    """The title and the heads of the next pages are the same words at the same height; only the size differs."""
    pages = []
    for seed, name in enumerate(["The Weir", "Low Water"]):
        body, _ = leaves(4, seed=seed)
        pages.append(replace(body[0], marks=[centred(name, HEAD, 18)]))
        pages += [replace(page, marks=[centred(name, HEAD, 8)]) for page in body[1:]]

    assert titles(read(tmp_path, pages)) == ["The Weir", "Low Water"]


def test_a_head_in_two_pieces_is_known_by_one_of_them(tmp_path: Path) -> None:
    """Chapter on the left, section on the right, and the section changes with every page."""
    pages, written = leaves(6)
    sections = ["Of boats", "Of chains and locks", "Of tolls", "Of the keepers", "Of wages", "Of ends"]
    dressed = [
        replace(page, marks=[At(MARGIN, HEAD, "THE WORKING RIVER", 8), flush_right(section, HEAD, 8)])
        for page, section in zip(pages, sections, strict=True)
    ]

    book = read(tmp_path, dressed)

    assert words(text(book)) == words(written)
    assert "Of tolls" in ledger(book)["running head"]


def test_a_head_that_ends_in_a_year_is_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(6)

    assert words(text(read(tmp_path, [replace(page, head="The Flood of 1842") for page in pages]))) == words(written)


def test_a_head_in_the_type_of_the_body_is_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(6)
    dressed = [replace(page, marks=[centred("The Ledger of Fords", HEAD)]) for page in pages]

    assert words(text(read(tmp_path, dressed))) == words(written)


def test_heads_that_change_with_every_page_go_where_heads_stand(tmp_path: Path) -> None:
    """Dictionary heads: no two alike, but the place is a furniture place by its other rows."""
    pages, written = leaves(10)
    heads = ["The Ledger of Fords"] * 7 + ["Kettle to Lantern", "Lantern to Miller", "Miller to Orchard"]

    book = read(tmp_path, [replace(page, head=head) for page, head in zip(pages, heads, strict=True)])

    assert words(text(book)) == words(written)


def test_display_labels_on_neighbouring_pages_are_no_heads(tmp_path: Path) -> None:
    """Two chapters of one page: the same words at the same height, and a number that counts with the pages."""
    pages = [Page([heading(f"Chapter {n}"), *paragraphs(3, seed=n)], folio=str(n)) for n in (1, 2)]
    pages += [replace(page, folio=str(n)) for n, page in enumerate(leaves(4)[0], 3)]

    book = read(tmp_path, pages)

    assert titles(book) == ["Chapter 1", "Chapter 2"]
    assert set(ledger(book)) == {"folio"}


@pytest.mark.parametrize("label", ["Chapter {}", "{}"])
def test_a_book_of_chapters_of_one_page_keeps_their_labels(tmp_path: Path, label: str) -> None:
    pages = [Page([heading(label.format(n)), *paragraphs(3, seed=n)]) for n in range(1, 7)]

    assert titles(read(tmp_path, pages)) == [label.format(n) for n in range(1, 7)]


def test_the_first_line_of_a_page_is_no_head_because_it_stands_high(tmp_path: Path) -> None:
    pages, written = leaves(6)

    book = read(tmp_path, pages)

    assert words(text(book)) == words(written)
    assert not ledger(book)


@pytest.mark.parametrize("apart", [1, 3])
def test_a_short_answer_that_opens_two_near_pages_is_text(tmp_path: Path, apart: int) -> None:
    pages, _ = leaves(6, rows=ROWS - 1)
    for n in (1, 1 + apart):
        pages[n] = replace(pages[n], blocks=[Lines(["“No,” she said."], inset=12), *pages[n].blocks])

    assert text(read(tmp_path, pages)).count("“No,” she said.") == 2


# --- folios ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["{}", "- {} -", "[{}]", "Page {}", "{} / 8", "{} of 8", "· {} ·"])
def test_folios_in_any_dress_are_taken_off(tmp_path: Path, form: str) -> None:
    pages, written = leaves(8)

    book = read(tmp_path, [replace(page, folio=form.format(n)) for n, page in enumerate(pages, 1)])

    assert words(text(book)) == words(written)
    assert ledger(book)["folio"] == [form.format(n) for n in range(1, 9)]


def test_a_total_beside_a_head_counts_with_the_pages(tmp_path: Path) -> None:
    pages, written = leaves(6)
    dressed = [replace(page, marks=[centred(f"fords.html [{n}/6]", HEAD, 8)]) for n, page in enumerate(pages, 1)]

    assert words(text(read(tmp_path, dressed))) == words(written)


def test_roman_folios_of_the_front_and_arabic_ones_of_the_text_are_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(8)
    folios = [*ROMAN[:4], "1", "2", "3", "4"]

    book = read(tmp_path, [replace(page, folio=folio) for page, folio in zip(pages, folios, strict=True)])

    assert words(text(book)) == words(written)
    assert ledger(book)["folio"] == folios


def test_folios_at_the_outer_edge_of_the_head_are_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(6)
    dressed = [replace(page, head="Fords", folio=str(n), at_head=True) for n, page in enumerate(pages, 1)]

    assert words(text(read(tmp_path, dressed))) == words(written)


def test_a_lone_number_in_the_text_is_text(tmp_path: Path) -> None:
    pages, _ = leaves(5)
    pages[2] = Page([*paragraphs(2), Lines(["42"], inset=12), *paragraphs(2, seed=3)])

    book = read(tmp_path, [replace(page, folio=str(n)) for n, page in enumerate(pages, 1)])

    assert "42" in texts(book)
    assert ledger(book)["folio"] == ["1", "2", "3", "4", "5"]


def test_a_number_that_ends_a_page_but_does_not_count_with_the_pages_is_text(tmp_path: Path) -> None:
    pages, _ = leaves(4)
    pages[1] = Page([*paragraphs(3), Lines(["1842"], inset=12)])

    book = read(tmp_path, [replace(page, folio=str(n)) for n, page in enumerate(pages, 1)])

    assert "1842" in text(book)


def test_chapter_numbers_in_display_type_are_no_folios(tmp_path: Path) -> None:
    """Two chapters of one page: their numbers count with the pages as folios do."""
    pages = [Page([heading(str(n), size=24), *paragraphs(3, seed=n)]) for n in (1, 2)]

    assert titles(read(tmp_path, [*pages, *leaves(4)[0]])) == ["1", "2"]


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("12", ("arabic", 12)),
        ("– 7 –", ("arabic", 7)),
        ("Page 3 of 90", ("arabic", 3)),
        ("S. 14", ("arabic", 14)),
        ("xiv", ("roman", 14)),
        ("XC", ("roman", 90)),
        ("iiii", None),
        ("civil", None),
        ("12345", None),
        ("12 boats", None),
        ("", None),
    ],
)
def test_page_number_reads_what_is_nothing_else(text: str, number: tuple[str, int] | None) -> None:
    assert page_number(text) == number


@pytest.mark.parametrize(("numeral", "value"), [("i", 1), ("iv", 4), ("XIX", 19), ("mcmxliv", 1944), ("dccc", 800)])
def test_roman_value(numeral: str, value: int) -> None:
    assert roman_value(numeral) == value


# --- watermarks, stamps, blank leaves --------------------------------------------------------------------------------


def test_a_watermark_across_the_text_is_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(6)
    dressed = [replace(page, marks=[At(70, 320, "REVIEW COPY", 36, turn=40, grey=0.8)]) for page in pages]

    book = read(tmp_path, dressed)

    assert words(text(book)) == words(written)
    assert ledger(book)["slanted text"] == ["REVIEW COPY"] * 6


def test_a_stamp_in_mid_page_whose_number_changes_is_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(6, rows=20)
    dressed = [
        replace(page, marks=[centred(f"Lent to a.reader@example.org, copy {40 + 7 * n}", 370, 6)])
        for n, page in enumerate(pages)
    ]

    book = read(tmp_path, dressed)

    assert words(text(book)) == words(written)
    assert len([line for lines in ledger(book).values() for line in lines if "example.org" in line]) == 6


def test_a_stamp_that_runs_up_the_margin_is_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(6)
    dressed = [replace(page, marks=[At(20, 380, "Lent to a reader until May", 6, turn=90)]) for page in pages]

    book = read(tmp_path, dressed)

    assert words(text(book)) == words(written)


def test_a_line_that_stands_at_one_place_on_few_pages_is_text(tmp_path: Path) -> None:
    pages, _ = leaves(10, rows=20)
    for n in (2, 8):
        pages[n] = replace(pages[n], marks=[centred("The end of the story.", 380)])

    assert text(read(tmp_path, pages)).count("The end of the story.") == 2


def test_a_line_in_mid_page_at_one_place_on_some_pages_is_text(tmp_path: Path) -> None:
    pages, _ = leaves(12, rows=12)
    for n in (2, 6, 10):
        pages[n] = replace(pages[n], marks=[centred("The sum of the tolls of that year", 240)])

    assert text(read(tmp_path, pages)).count("The sum of the tolls") == 3


@pytest.mark.parametrize(
    "notice", ["This page intentionally left blank", "(This page is intentionally left blank.)", "Page left blank"]
)
def test_the_notice_of_a_blank_leaf_is_taken_off(tmp_path: Path, notice: str) -> None:
    pages, written = leaves(4)
    pages.insert(2, Page(marks=[centred(notice, 200)]))

    book = read(tmp_path, pages)

    expected = [] if "intentionally" in notice else words(notice)
    assert len(words(text(book))) == len(words(written)) + len(expected)
    assert ledger(book).get("blank leaf notice") == ([notice] if not expected else None)


def test_a_sentence_about_blank_pages_is_text(tmp_path: Path) -> None:
    pages, _ = leaves(2)
    pages.append(Page([Para("This page intentionally left blank by the printer was then sold.")]))

    assert "sold" in text(read(tmp_path, pages))


# --- margins ---------------------------------------------------------------------------------------------------------


def test_line_numbers_in_the_margin_are_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(4)
    numbers = [At(MARGIN - 25, MARGIN + 13 * row, str(row), 7) for row in range(5, 26, 5)]

    book = read(tmp_path, [replace(page, marks=numbers) for page in pages])

    assert words(text(book)) == words(written)
    assert len([line for lines in ledger(book).values() for line in lines if line.isdigit()]) == 20


def test_line_numbers_beside_a_page_of_quotation_are_taken_off(tmp_path: Path) -> None:
    """Where no line of the body stands beside them they look like the marks that open notes."""
    pages, written = leaves(4)
    quoted = [Para(prose(40, seed), size=8, indent=0, inset=10) for seed in range(5)]
    sheets = [
        replace(page, marks=[At(MARGIN - 25, MARGIN + 13 * row + 4 * n, str(row), 6) for row in range(5, 21, 5)])
        for n, page in enumerate([*pages, Page(quoted)])
    ]

    book = read(tmp_path, sheets)

    assert words(text(book)) == words(written) + words(" ".join(quote.text for quote in quoted))
    assert "footnote" not in ledger(book)


def test_folios_over_a_stamp_that_changes_from_page_to_page_are_taken_off(tmp_path: Path) -> None:
    """The outermost row is judged first, and only its page number tells it."""
    pages, written = leaves(12)
    dressed = []
    for n, page in enumerate(pages, 1):
        stamp = At(MARGIN, HEIGHT - 10, f"Lent to reader {71 * n % 89} on day {13 * n % 29}, page {n} of 12", 6)
        folio = [centred(str(n + 30), HEIGHT - 30)] if n in (1, 7, 12) else []
        dressed.append(replace(page, marks=[stamp, *folio]))

    assert words(text(read(tmp_path, dressed))) == words(written)


@pytest.mark.parametrize(
    "size",
    [7, pytest.param(BODY, marks=pytest.mark.xfail(raises=AssertionError, reason="line numbers in body type stay"))],
)
def test_line_numbers_of_verse_inside_the_measure_are_taken_off(tmp_path: Path, size: float) -> None:
    """Poems are numbered by fives at the right margin, which is beyond all their lines."""
    pages, written = [], []
    for n in range(4):
        sentences = prose(200, n).split(". ")[:20]
        lines = [" ".join(sentence.split()[:5]) for sentence in sentences]
        written += words(" ".join(lines))
        numbers = [At(240, MARGIN + 13 * row, str(20 * n + row), size) for row in (5, 10, 15, 20)]
        pages.append(Page([Lines(lines, inset=10)], marks=numbers))

    assert words(text(read(tmp_path, pages))) == written


def test_a_head_with_a_number_at_either_end_goes_by_the_one_that_counts_with_the_pages(tmp_path: Path) -> None:
    """Left pages have folio and chapter ("6 Chapter 1"), right ones section and folio ("1.2 The weir 7")."""
    pages, written = leaves(12)
    heads = [f"{n} Chapter {n // 4 + 1}" if n % 2 == 0 else f"{n // 3}.{n % 4} The weir {n}" for n in range(1, 13)]
    dressed = [replace(page, marks=[At(MARGIN, 30, head, 8, "bold")]) for page, head in zip(pages, heads, strict=True)]

    book = read(tmp_path, dressed)

    assert words(text(book)) == words(written)
    assert ledger(book) == {"running head": heads}


def test_folios_in_the_outer_margin_at_body_size_are_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(8)
    dressed = [replace(page, marks=[At(12 if n % 2 else WIDTH - 20, 150, str(n))]) for n, page in enumerate(pages, 1)]

    book = read(tmp_path, dressed)

    assert words(text(book)) == words(written)
    assert ledger(book) == {"folio": [str(n) for n in range(1, 9)]}


def test_side_notes_in_the_outer_margin_are_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(6)
    notes = ["the ford", "of 1842", "tolls", "a quarrel", "the weir", "wages"]
    dressed = [
        replace(page, marks=[At(5 if n % 2 else WIDTH - MARGIN + 7, 150 + 9 * n, note, 7, "italic")])
        for n, (page, note) in enumerate(zip(pages, notes, strict=True))
    ]

    book = read(tmp_path, dressed)

    assert words(text(book)) == words(written)
    assert ledger(book) == {"side note": notes}


def test_numbers_inside_the_measure_are_text(tmp_path: Path) -> None:
    pages = [Page([*paragraphs(2, seed=n), Lines([f"{n}41", f"{n}73"], size=8, inset=20)]) for n in range(1, 5)]

    assert all(f"{n}73" in text(read(tmp_path, pages)) for n in range(1, 5))


def test_an_outdented_first_word_is_text(tmp_path: Path) -> None:
    """Hanging numbers of numbered paragraphs stand in the margin in body type, and are part of the text."""
    pages = [Page([Para(prose(60, n), indent=0)], marks=[At(MARGIN - 14, MARGIN + 13, f"{n}.")]) for n in range(1, 5)]

    assert all(f"{n}." in text(read(tmp_path, pages)) for n in range(1, 5))


# --- the foot --------------------------------------------------------------------------------------------------------


def test_a_footer_line_under_the_text_is_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(6)
    dressed = [
        replace(
            page, marks=[At(MARGIN, HEIGHT - FOOT, "Fords and Ferries", 7), flush_right(f"p. {n}", HEIGHT - FOOT, 7)]
        )
        for n, page in enumerate(pages, 1)
    ]

    book = read(tmp_path, dressed)

    assert words(text(book)) == words(written)
    assert len(ledger(book)) == 1


def test_last_lines_of_pages_stay(tmp_path: Path) -> None:
    """The end of a letter, signed alike on neighbouring pages at other heights."""
    pages = [Page([*paragraphs(2 + n % 2, seed=n), Lines(["Yours ever, Aunt Sal"], inset=100)]) for n in range(4)]

    assert text(read(tmp_path, pages)).count("Yours ever, Aunt Sal") == 4


def test_side_notes_that_reach_below_the_text_are_taken_off(tmp_path: Path) -> None:
    pages, written = leaves(6)
    notes = ["the ford", "of 1842", "tolls", "a quarrel", "the weir", "wages"]
    dressed = [
        replace(page, marks=[At(WIDTH - MARGIN + 7, HEIGHT - MARGIN - 12 + 9 * row, note, 7) for row in range(3)])
        for page, note in zip(pages, notes, strict=True)
    ]

    book = read(tmp_path, dressed)

    assert words(text(book)) == words(written)
    assert ledger(book) == {"side note": [note for note in notes for _ in range(3)]}


def test_the_feet_of_the_line_before_printed_again_on_the_next_page_are_taken_off(tmp_path: Path) -> None:
    """Engines that cut a long page into pieces show a page's last descenders above the next one's first line."""
    pages, written = leaves(3)
    last = pages[0].blocks[-1]
    assert isinstance(last, Lines)
    feet = [letter for letter in last.lines[0] if letter in "gjpqy"]
    marks = [At(MARGIN + 20 + 15 * place, MARGIN - 4, letter) for place, letter in enumerate(feet)]
    pages[1] = replace(pages[1], marks=marks)

    book = read(tmp_path, pages)

    assert len(feet) > 1
    assert words(text(book)) == words(written)
    assert ledger(book) == {"cut line": feet}


def test_a_letter_above_the_text_that_the_page_before_does_not_end_with_stays(tmp_path: Path) -> None:
    pages, _ = leaves(3)
    pages[1] = replace(pages[1], marks=[At(MARGIN + 20, MARGIN - 12, "q")])

    assert "q" in words(text(read(tmp_path, pages)))
