"""Footnotes: off the foot of the page and on record, and small type that is no note kept."""

from pathlib import Path

import pytest
from pdf_fixtures import BODY, HEIGHT, MARGIN, STEP, At, Page, Para, heading
from pdf_reading import leaves, ledger, paragraphs, prose, read, text, texts, titles, words

from bookblend.extract.model import Book, Kind

SMALL = BODY * 0.8


def book_with(folder: Path, written: list[str], marked: str, **options: object) -> Book:
    """A page of prose whose first paragraph ends in `marked`, those notes at its foot, and two plain pages."""
    first = Page([Para(f"{prose(30, 5)} {marked}"), *paragraphs(2)], notes=written)
    return read(folder, [first, *leaves(2, seed=2)[0]], **options)


# --- dropped, and on record ------------------------------------------------------------------------------------------


def test_a_footnote_is_dropped_and_put_on_record(tmp_path: Path) -> None:
    book = book_with(tmp_path, ["^1 The ledger of 1842 gives another number."], "So it was said.^1")

    assert "ledger of 1842" not in text(book)
    assert "So it was said." in text(book)
    assert ledger(book) == {"footnote": ["The ledger of 1842 gives another number."]}
    assert book.evidence["notes"] == 1
    assert book.dropped[0].place == "page 1"


@pytest.mark.parametrize(
    ("opening", "mark"),
    [("^1 ", "^1"), ("1 ", "^1"), ("1. ", "^1"), ("[1] ", "^{[1]}"), ("* ", "^{*}"), ("† ", "^{†}")],
)
def test_a_note_opens_with_its_mark_raised_or_not(tmp_path: Path, opening: str, mark: str) -> None:
    book = book_with(tmp_path, [f"{opening}See the other ledger."], f"So it was said.{mark}")

    assert ledger(book) == {"footnote": ["See the other ledger."]}
    assert "So it was said." in text(book)


def test_each_note_of_a_page_is_on_record_by_itself(tmp_path: Path) -> None:
    notes = ["^1 " + prose(20, 8), "^2 See there.", "^3 " + prose(12, 9)]

    book = book_with(tmp_path, notes, "One.^1 Two.^2 Three.^3")

    assert ledger(book)["footnote"] == [note.partition(" ")[2] for note in notes]
    assert text(book).count("One. Two. Three.") == 1


def test_a_note_over_two_pages_is_one_note_and_the_sentence_above_it_runs_on(tmp_path: Path) -> None:
    body = prose(110, 5).split()
    note = prose(24, 8).removesuffix(".").split()
    first = Page([Para(" ".join(["First.^7", *body[:60]]), justify=True)], notes=["^7 " + " ".join(note[:15])])
    second = Page([Para(" ".join(body[60:]), indent=0)], notes=[" ".join(note[15:]) + "."])

    book = read(tmp_path, [first, second, *leaves(3, seed=2)[0]])

    assert ledger(book) == {"footnote": [" ".join(note) + "."]}
    assert texts(book)[0] == " ".join(["First.", *body])


@pytest.mark.parametrize(("indent", "hang"), [(10.0, False), (8.0, True)])
def test_a_note_of_one_line_that_runs_over_is_known_by_the_edge_of_others(
    tmp_path: Path, indent: float, hang: bool
) -> None:
    """First lines of notes are set in, or stand out: the next page's line is elsewhere."""

    def note(text: str, y: float) -> list[At]:
        first, *more = text.split("|")
        rest = MARGIN + (indent if hang else 0)
        return [At(MARGIN + (0 if hang else indent), y, first, SMALL)] + [
            At(rest, y + 10, line, SMALL) for line in more
        ]

    y = HEIGHT - MARGIN - 12
    notes = [
        note("^1 See the long ledger of the mill at the ford|and the other one.", y),
        note("^2 See the ledger of the weir, which is in", y + 10),
        [At(MARGIN + (indent if hang else 0), y + 10, "the long shed by the gate.", SMALL)],
    ]
    pages = [
        Page([Para(f"{prose(40, 60 + n)}{mark} {prose(30, 70 + n)}")], marks=marks)
        for n, (mark, marks) in enumerate(zip(["^1", "^2", ""], notes, strict=True))
    ]

    assert ledger(read(tmp_path, [*pages, *leaves(3, seed=2)[0]])) == {
        "footnote": [
            "See the long ledger of the mill at the ford and the other one.",
            "See the ledger of the weir, which is in the long shed by the gate.",
        ]
    }


def test_a_note_a_page_behind_its_mark_is_taken_off(tmp_path: Path) -> None:
    """Its page may have no other small type, and the mark may be a letter."""
    first = Page([Para(f"{prose(60, 5)}^{{b}} {prose(20, 6)}")])
    second = Page([Para(prose(60, 7))], notes=["b See the other ledger."])

    book = read(tmp_path, [first, second, *leaves(3, seed=2)[0]], notes="inline")

    assert f"{prose(60, 5)} [See the other ledger.] {prose(20, 6)}" in text(book)


def test_marks_of_two_letters_are_marks(tmp_path: Path) -> None:
    book = book_with(
        tmp_path, ["^{ab} See the other ledger."], "So it was said.^{ab} He was the 2^{nd} and M^{me} his."
    )

    assert "So it was said. He was the 2nd and Mme his." in text(book)
    assert ledger(book) == {"footnote": ["See the other ledger."]}


def test_a_note_that_runs_over_is_followed_by_the_next_pages_own(tmp_path: Path) -> None:
    note = prose(24, 8).removesuffix(".").split()
    first = Page([Para("First.^7 " + prose(60, 5))], notes=["^7 " + " ".join(note[:15])])
    second = Page([Para("Then.^8 " + prose(50, 6))], notes=[" ".join(note[15:]) + ".", "^8 See there."])

    book = read(tmp_path, [first, second, *leaves(3, seed=2)[0]])

    assert ledger(book) == {"footnote": [" ".join(note) + ".", "See there."]}


@pytest.mark.parametrize("written", ["In 1842^1 they", "Plan B^1 they"])
def test_a_mark_behind_a_year_or_a_letter_is_a_mark_where_its_note_stands_below(tmp_path: Path, written: str) -> None:
    book = book_with(tmp_path, ["^1 See the other ledger."], f"{written} had sold it.")

    assert f"{written.replace('^1', '')} had sold it." in text(book)


def test_an_exponent_is_no_mark_though_a_note_has_its_number(tmp_path: Path) -> None:
    book = book_with(tmp_path, ["^2 See the other ledger."], "A field of 10^6 feet, side r^3, was sold.^2")

    assert "A field of 10⁶ feet, side r³, was sold." in text(book)


def test_a_note_across_two_columns_is_taken_off(tmp_path: Path) -> None:
    step = BODY * STEP
    left = [At(MARGIN, 70 + n * step, f"Left row {n} fills it all") for n in range(11)]
    last = [At(MARGIN, 70 + 11 * step, "Left row ends it.^1")]
    right = [At(158, 70 + n * step, f"Right row {n} fills it so") for n in range(12)]
    note = ["^1 See the left ledger, which is in the long shed by the gate,", "and the right one, which is not."]
    notes = [At(MARGIN, 250 + 10 * n, line, SMALL) for n, line in enumerate(note)]

    book = read(tmp_path, [Page(marks=[*left, *last, *right, *notes]), *leaves(3)[0]])

    assert ledger(book) == {"footnote": [" ".join(note)[3:]]}
    assert "Left row ends it. Right row 0" in " ".join(texts(book))


def test_notes_under_two_columns_are_taken_off_each(tmp_path: Path) -> None:
    step, other = BODY * STEP, 158.0
    left = [
        At(MARGIN, 70 + n * step, f"Left row {n} fills it^{n}" if n == 3 else f"Left row {n} fills it all")
        for n in range(12)
    ]
    right = [At(other, 70 + n * step, f"Right row {n} fills it so") for n in range(12)]
    notes = [At(MARGIN, 250, "^3 See the left ledger.", SMALL), At(MARGIN, 260, "It is in the shed.", SMALL)]

    book = read(tmp_path, [Page(marks=[*left, *right, *notes]), *leaves(3)[0]])

    assert ledger(book) == {"footnote": ["See the left ledger. It is in the shed."]}
    assert "Left row 11 fills it all Right row 0" in " ".join(texts(book))


def test_a_note_whose_mark_the_text_shows_at_full_size_is_taken_off_with_its_mark(tmp_path: Path) -> None:
    book = book_with(tmp_path, ["12 See the other ledger."], "So it was said.12 Then they left.")

    assert ledger(book) == {"footnote": ["See the other ledger."]}
    assert "So it was said. Then they left." in text(book)


def test_a_number_glued_to_a_word_stays_where_no_note_has_it(tmp_path: Path) -> None:
    book = book_with(tmp_path, ["^1 See the other ledger."], "The engine B52 and flight.12 were old.^1")

    assert "B52 and flight.12 were old." in text(book)


# --- not notes -------------------------------------------------------------------------------------------------------


def test_a_quotation_in_smaller_type_is_text(tmp_path: Path) -> None:
    quoted = prose(30, 4)
    pages = [Page([*paragraphs(2), Para(quoted, size=9, inset=14, before=8), Para(prose(20, 6), before=8)])]

    book = read(tmp_path, [*pages, *leaves(2, seed=2)[0]])

    assert quoted in texts(book)
    assert not ledger(book)


def test_a_quotation_in_smaller_type_at_the_foot_of_a_page_is_text(tmp_path: Path) -> None:
    quoted = prose(30, 4)

    book = read(tmp_path, [Page([*paragraphs(3), Para(quoted, size=9, inset=14, before=8)]), *leaves(2, seed=2)[0]])

    assert quoted in " ".join(texts(book))
    assert not ledger(book)


def test_a_quotation_that_opens_with_a_year_is_text(tmp_path: Path) -> None:
    quoted = "1842 was the year of the great flood, and " + prose(20, 4)

    book = read(tmp_path, [Page([*paragraphs(3), Para(quoted, size=9, inset=14, before=8)]), *leaves(2, seed=2)[0]])

    assert "1842 was the year of the great flood" in text(book)


def test_a_quotation_above_a_note_stays_when_the_note_goes(tmp_path: Path) -> None:
    quoted = prose(24, 4)
    blocks = [Para("So it was said.^1 " + prose(40, 3)), Para(quoted, size=9, inset=14, before=8)]

    book = read(tmp_path, [Page(blocks, notes=["^1 See the other ledger."]), *leaves(2, seed=2)[0]])

    assert quoted in " ".join(texts(book))
    assert ledger(book) == {"footnote": ["See the other ledger."]}


def test_a_numbered_list_in_smaller_type_is_text(tmp_path: Path) -> None:
    items = [Para(f"{n}. {prose(9, n)}", size=9, before=4) for n in (1, 2, 3)]

    book = read(tmp_path, [Page([*paragraphs(2), *items]), *leaves(2, seed=2)[0]])

    assert all(prose(9, n) in text(book) for n in (1, 2, 3))


def test_endnotes_in_body_type_are_text(tmp_path: Path) -> None:
    notes = [Para(f"{n}. {prose(12, n)}", indent=0) for n in (1, 2, 3)]

    book = read(tmp_path, [*leaves(4)[0], Page([heading("Notes"), *notes])])

    assert all(prose(12, n) in text(book) for n in (1, 2, 3))


def test_a_book_set_in_two_sizes_by_halves_loses_neither(tmp_path: Path) -> None:
    large, first = leaves(4)
    small = [Page([Para(prose(60, n), size=8) for n in range(10 * page, 10 * page + 3)]) for page in range(2)]

    book = read(tmp_path, [*large, *small])

    assert len(words(text(book))) == len(words(first)) + sum(
        len(words(block.text)) for page in small for block in page.blocks if isinstance(block, Para)
    )


OPEN_NOTE = Page([Para("First.^1 " + prose(60, 5))], notes=["^1 Ledger of the mill, page 12"])


def test_a_quotation_at_the_foot_of_the_page_after_a_note_without_a_stop_is_text(tmp_path: Path) -> None:
    quoted = prose(24, 4)
    pages = [OPEN_NOTE, Page([*paragraphs(3), Para(quoted, size=SMALL, inset=14, before=8)])]

    assert quoted in " ".join(texts(read(tmp_path, [*pages, *leaves(2, seed=2)[0]])))


def test_a_page_of_small_type_after_a_note_without_a_stop_is_text(tmp_path: Path) -> None:
    small = Page([Para(prose(60, n), size=SMALL) for n in (21, 22, 23)])

    book = read(tmp_path, [OPEN_NOTE, small, *leaves(4, seed=2)[0]])

    assert all(prose(60, n) in text(book) for n in (21, 22, 23))


def test_a_passage_in_the_type_and_at_the_edge_of_notes_is_text_in_mid_page(tmp_path: Path) -> None:
    passage = prose(40, 77)
    noted = [
        Page([Para(f"So it was said.^{n} {prose(60, n)}")], notes=[f"^{n} {prose(40, 30 + n)}"]) for n in range(1, 13)
    ]
    letter = Page([Para(prose(30, 9)), Para(passage, size=SMALL, indent=0, before=8), Para(prose(50, 10), before=8)])

    assert passage in text(read(tmp_path, [*noted, letter, *leaves(2, seed=2)[0]]))


# --- kept where asked ------------------------------------------------------------------------------------------------


def test_notes_are_gathered_behind_the_chapter_they_belong_to(tmp_path: Path) -> None:
    pages = [
        Page([heading(name), Para(f"So it was said.^{n} {prose(60, n)}")], notes=[f"^{n} See ledger {name}."])
        for n, name in enumerate(["Weir", "Ford", "Quay"], 1)
    ]

    book = read(tmp_path, pages, notes="end")

    kinds = [block.kind if block.kind is Kind.NOTE else block.text.split()[0] for block in book.blocks]
    assert kinds == ["Weir", "So", Kind.NOTE, "Ford", "So", Kind.NOTE, "Quay", "So", Kind.NOTE]
    assert [block.text for block in book.blocks if block.kind is Kind.NOTE][1] == "See ledger Ford."
    assert not ledger(book)


def test_notes_are_written_into_the_text_where_their_marks_stood(tmp_path: Path) -> None:
    notes = ["^1 See the other ledger.", "^2 He was not."]

    book = book_with(tmp_path, notes, "So it was^1 said. He was there.^2", notes="inline")

    assert "So it was [See the other ledger.] said. He was there. [He was not.]" in text(book)
    assert not ledger(book)


def test_a_note_whose_mark_is_not_found_stays_on_record_when_notes_are_written_inline(tmp_path: Path) -> None:
    book = book_with(tmp_path, ["^1 See the other ledger.", "^2 Nobody asks."], "So it was said.^1", notes="inline")

    assert "[See the other ledger.]" in text(book)
    assert ledger(book) == {"footnote": ["Nobody asks."]}


def test_marks_in_headings_are_taken_out(tmp_path: Path) -> None:
    pages = [
        Page([heading(f"The {name}^{{*}}"), *paragraphs(2, seed=n)], notes=["^{*} Written in the winter."])
        for n, name in enumerate(["Weir", "Ford"])
    ]

    assert titles(read(tmp_path, pages)) == ["The Weir", "The Ford"]
