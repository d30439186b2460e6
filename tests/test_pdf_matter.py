"""Front and back matter: recognised and marked, nothing else marked, nothing dropped."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pdf_fixtures import Lines, Page, Para, flow, heading, make_pdf
from pdf_reading import chapters, leaves, paragraphs, prose, read, read_bytes, text, titles, words

from bookblend.extract.model import Book

NAMES = ["The Weir", "Low Water", "A Cold Spring", "Harvest"]
TITLE = Page([heading("Fords and Ferries", 26), heading("ALDOUS BROOK", 12, before=30)], top=120)
HALF_TITLE = Page([heading("Fords and Ferries", 14)], top=120)
IMPRINT = Page(
    [
        Lines(
            [
                "Copyright © 1998 by Aldous Brook",
                "All rights reserved. No part of this book may be",
                "copied without permission in writing.",
                "First published by the Weir Press, Upton.",
                "ISBN 978-0-00-000000-2",
                "Printed in Upton by Marsh and Tolley.",
            ],
            size=8,
        )
    ],
    top=200,
)
DEDICATION = Page([Lines(["For Tolley, who kept the lamp"], face="italic", centred=True)], top=150)


def contents(names: Sequence[str] = NAMES, title: str = "Contents") -> Page:
    """A list of chapters with their pages."""
    rows = [Lines([f"{name} . . . . . . . . . . . {7 + 3 * n}"]) for n, name in enumerate(names)]
    return Page([heading(title), *rows])


def marks(book: Book) -> dict[str, str]:
    """What the pages' first words were marked as: {first word of the block: matter}."""
    return {" ".join(block.text.split()[:3]): block.matter for block in book.blocks if block.matter}


def body(book: Book) -> str:
    """The text that no mark is on."""
    return "\n".join(block.text for block in book.blocks if not block.matter)


def whole(folder: Path, front: Sequence[Page] = (), back: Sequence[Page] = (), names: Sequence[str] = NAMES) -> Book:
    """A book of four chapters with that before and behind them."""
    return read(folder, [*front, *chapters(names), *back])


# --- the front -------------------------------------------------------------------------------------------------------


def test_title_imprint_dedication_and_contents_are_marked(tmp_path: Path) -> None:
    book = whole(tmp_path, [HALF_TITLE, TITLE, IMPRINT, DEDICATION, contents()])

    assert body(book).startswith("The Weir\n")
    assert {block.matter for block in book.blocks[:3]} == {"title page"}
    assert marks(book)["For Tolley, who"] == "title page"
    assert next(block.matter for block in book.blocks if "ISBN" in block.text) == "copyright"
    assert next(block.matter for block in book.blocks if block.text == "Contents") == "contents"


def test_no_word_of_front_matter_is_lost(tmp_path: Path) -> None:
    book = whole(tmp_path, [TITLE, IMPRINT, DEDICATION, contents()])

    found = text(book)
    assert not book.dropped
    assert all(part in found for part in ("ALDOUS BROOK", "Weir Press", "who kept the lamp", "Low Water"))


def test_entries_of_a_contents_list_are_no_chapters(tmp_path: Path) -> None:
    book = whole(tmp_path, [TITLE, contents()])

    assert [block.text for block in book.blocks if block.level == 1 and not block.matter] == NAMES


@pytest.mark.parametrize("title", ["CONTENTS", "Table of Contents", "Inhalt", "Table des matières", "Índice general"])
def test_a_contents_list_is_known_in_any_of_its_names(tmp_path: Path, title: str) -> None:
    assert body(whole(tmp_path, [contents(title=title)])).startswith("The Weir\n")


def test_a_contents_list_that_goes_on_over_the_page_is_marked_whole(tmp_path: Path) -> None:
    rows = [f"Of {word} and other things . . . . {9 + 2 * n}" for n, word in enumerate(words(prose(60, 5))[:40])]
    front = [Page([heading("Contents"), Lines(rows[:20])]), Page([Lines(rows[20:])])]

    assert body(whole(tmp_path, front)).startswith("The Weir\n")


def test_a_contents_list_without_page_numbers_is_marked(tmp_path: Path) -> None:
    front = Page([heading("Contents"), *(Lines([name]) for name in NAMES)])

    book = whole(tmp_path, [TITLE, front])

    assert body(book).startswith("The Weir\n")
    assert {block.matter for block in book.blocks if block.place.page == 2} == {"contents"}


def test_a_contents_list_without_a_heading_is_known_by_numbers_that_go_up(tmp_path: Path) -> None:
    rows = [Lines([f"Of {word} and other things . . . . {9 + 2 * n}"]) for n, word in enumerate(NAMES * 3)]

    book = whole(tmp_path, [TITLE, Page(rows)])

    assert {block.matter for block in book.blocks if block.place.page == 2} == {"contents"}


@pytest.mark.parametrize(("name", "count"), [("Preface", 160), ("Vorwort", 400)])
def test_a_preface_before_the_contents_is_text(tmp_path: Path, name: str, count: int) -> None:
    preface = chapters([name], words=count, seed=30)

    book = whole(tmp_path, [TITLE, IMPRINT, *preface, contents()])

    assert name in titles(book)
    assert all(word in body(book) for word in (name, prose(40, 30_000)))
    assert not next(block.matter for block in book.blocks if block.text == name)


@pytest.mark.parametrize("name", ["Preface", "Introduction", "Author’s Note", "Vorwort"])
def test_a_preface_behind_the_contents_is_text(tmp_path: Path, name: str) -> None:
    book = whole(tmp_path, [TITLE, contents([name, *NAMES]), *chapters([name], words=160, seed=30)])

    assert body(book).startswith(f"{name}\n{prose(40, 30_000)}")
    assert titles(book)[-5:] == [name, *NAMES]


@pytest.mark.parametrize("name", ["Foreword", "Prologue"])
def test_a_preface_of_a_book_without_contents_is_text(tmp_path: Path, name: str) -> None:
    book = whole(tmp_path, [TITLE, IMPRINT, *chapters([name], words=160, seed=30)])

    assert body(book).startswith(f"{name}\n{prose(40, 30_000)}")


def test_a_book_without_front_matter_has_none(tmp_path: Path) -> None:
    assert not marks(whole(tmp_path))


def test_a_short_first_chapter_is_text(tmp_path: Path) -> None:
    short = Page([heading("An Opening", 18), Para(prose(30, 60), before=14)])

    assert not marks(read(tmp_path, [short, *chapters(NAMES)]))


def test_a_book_that_begins_with_prose_and_no_heading_is_text_from_its_first_word(tmp_path: Path) -> None:
    pages, _ = leaves(2)

    assert not marks(read(tmp_path, [*pages, *chapters(NAMES)]))


def test_a_part_page_behind_the_contents_is_text(tmp_path: Path) -> None:
    part = Page([heading("Part One", 26)], top=170)

    assert body(whole(tmp_path, [TITLE, contents(), part])).startswith("Part One\n")


def test_a_half_title_before_the_text_is_marked(tmp_path: Path) -> None:
    front = [TITLE, *chapters(["Preface"], words=160, seed=30), HALF_TITLE]

    book = whole(tmp_path, front)

    assert [block.matter for block in book.blocks if block.text == "Fords and Ferries"] == ["title page"] * 2
    assert body(book).startswith("Preface\n")


def test_a_chapter_about_copyright_is_text(tmp_path: Path) -> None:
    first = prose(60, 1).replace("The ", "A copyright notice says that all rights reserved were first published: ", 1)
    pages = [Page([heading("Rights", 18), Para(first, before=14), *paragraphs(2, seed=70)]), *chapters(NAMES)]

    assert not marks(read(tmp_path, pages))


# --- the back --------------------------------------------------------------------------------------------------------


def index_page(title: str = "Index") -> Page:
    entries = [f"{word}, {n * 37 % 50}, {n * 17 % 90}" for n, word in enumerate(sorted(set(words(prose(160, 5)))), 3)]
    return Page([heading(title), Lines(entries[:20])])


@pytest.mark.parametrize(
    ("name", "matter"),
    [
        ("Index", "index"),
        ("INDEX", "index"),
        ("Notes", "endnotes"),
        ("Bibliography", "bibliography"),
        ("Works Cited", "bibliography"),
        ("About the Author", "about"),
        ("Register", "index"),
        ("Anmerkungen", "endnotes"),
    ],
)
def test_back_matter_is_marked_by_its_name_and_place(tmp_path: Path, name: str, matter: str) -> None:
    back = index_page(name) if matter == "index" else Page([heading(name), *paragraphs(2, seed=80)])

    book = whole(tmp_path, back=[back])

    assert book.blocks[-1].matter == matter
    assert next(block.matter for block in book.blocks if block.text == name) == matter
    assert body(book).endswith(paragraphs(7, seed=4)[-1].text)


def test_an_index_is_no_part_of_the_last_chapter(tmp_path: Path) -> None:
    book = whole(tmp_path, back=[index_page()])

    assert titles(book) == [*NAMES, "Index"]
    assert not any(character.isdigit() for character in body(book))


def test_one_back_matter_ends_where_the_next_begins(tmp_path: Path) -> None:
    back = [
        Page([heading(name), *paragraphs(2, seed=80 + n)]) for n, name in enumerate(["Notes", "Afterword", "Index"])
    ]

    book = whole(tmp_path, back=back)

    found = {block.text: block.matter for block in book.blocks if block.level}
    assert found["Notes"] == "endnotes"
    assert found["Afterword"] == ""
    assert found["Index"] == "index"


def test_a_chapter_that_is_called_notes_in_mid_book_is_text(tmp_path: Path) -> None:
    book = whole(tmp_path, names=[NAMES[0], "Notes", *NAMES[1:]])

    assert not marks(book)


def test_sections_inside_back_matter_belong_to_it(tmp_path: Path) -> None:
    back = Page(
        [
            heading("Notes"),
            Lines(["The Weir"], size=12, before=12),
            Para(prose(30, 81)),
            Lines(["Low Water"], size=12, before=12),
            Para(prose(30, 82)),
        ]
    )

    book = whole(tmp_path, back=[back])

    assert {block.matter for block in book.blocks if block.place.page == book.blocks[-1].place.page} == {"endnotes"}


def test_a_chapters_own_notes_do_not_swallow_the_next_chapter(tmp_path: Path) -> None:
    pages: list[Page] = []
    for n, name in enumerate(NAMES):
        pages += chapters([name], seed=n + 1)
        pages.append(Page([Lines(["Notes"], size=12), Para(prose(20, 90 + n), before=6)]))

    book = read(tmp_path, pages)

    assert [block.text for block in book.blocks if block.level == 1 and not block.matter] == NAMES


@pytest.mark.parametrize("title", ["The Ferry Ledger", "The Ferry Ledger: A Record"])
def test_the_declared_title_above_the_first_chapter_in_its_type_is_a_title_page(tmp_path: Path, title: str) -> None:
    names = ["The Ferry Ledger", "The Weir", "Low Water", "Harvest"]
    pages = chapters(names[1:])
    pages.insert(0, Page([heading(names[0]), Para("Anna Marsh", before=14)]))

    book = read_bytes(tmp_path, make_pdf(pages, title=title))

    assert [(block.text, block.matter) for block in book.blocks if block.level == 1] == [
        (names[0], "title page"),
        *((name, "") for name in names[1:]),
    ]
    assert [block.text for block in book.blocks if block.matter] == ["The Ferry Ledger", "Anna Marsh"]


def test_a_first_chapter_of_the_books_name_with_text_is_no_title_page(tmp_path: Path) -> None:
    book = read_bytes(tmp_path, make_pdf(chapters(["The Weir", "Low Water", "Harvest"]), title="The Weir"))

    assert not any(block.matter for block in book.blocks)


def test_title_and_author_as_plain_text_above_the_first_chapter_are_a_title_page(tmp_path: Path) -> None:
    blocks: list[Para | Lines] = [Lines(["The Ferry Ledger", "Anna Marsh"], centred=True)]
    for number, name in enumerate(["The Weir", "Low Water", "Harvest"]):
        blocks += [Lines([name], face="bold", before=26), *paragraphs(6, seed=number)]

    book = read_bytes(tmp_path, make_pdf([Page(page) for page in flow(blocks)], title="The Ferry Ledger"))

    assert [block.text for block in book.blocks if block.matter] == ["The Ferry Ledger", "Anna Marsh"]
