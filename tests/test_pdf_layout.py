"""Reading order: columns, pictures, tables, drop caps, and lines that come in pieces."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from pdf_fixtures import BODY, COLUMN_GAP, MARGIN, MEASURE, STEP, At, Lines, Page, Para, heading, text_width
from pdf_reading import chapters, headings, leaves, paragraphs, prose, read, text, texts, titles, words

from bookblend.extract.model import Kind
from bookblend.extract.pdf_layout import order_page
from bookblend.extract.pdf_lines import Line
from bookblend.extract.pdf_lines import Page as LinePage

COLUMN = (MEASURE - COLUMN_GAP) / 2


def columns(count: int, seed: int = 0) -> tuple[list[Para], list[str]]:
    """Paragraphs for narrow columns, and their words."""
    body = [Para(prose(30, 500 + 50 * seed + n), indent=10) for n in range(count)]
    return body, words(" ".join(para.text for para in body))


# --- columns ---------------------------------------------------------------------------------------------------------


def test_the_left_column_is_read_before_the_right_one(tmp_path: Path) -> None:
    body, written = columns(5)

    assert words(text(read(tmp_path, [Page(body, columns=2)]))) == written


def test_three_columns_are_read_from_left_to_right(tmp_path: Path) -> None:
    body, written = columns(7)
    narrow = [Para(para.text, size=7, indent=6) for para in body]

    assert words(text(read(tmp_path, [Page(narrow, columns=3)]))) == written


def test_paragraphs_run_on_from_column_to_column_and_page_to_page(tmp_path: Path) -> None:
    first, _ = columns(5)
    second, _ = columns(5, seed=1)
    lines = Page([*first, Para("The last of them was carried over the", indent=10)], columns=2)
    rest = Page([Lines(["bar on a calm day."]), *second], columns=2)

    assert "The last of them was carried over the bar on a calm day." in texts(read(tmp_path, [lines, rest]))


def two_columns(left: Sequence[str], right: Sequence[str], top: float, lift: float = 0.0) -> list[At]:
    """Lines of two columns; the right one stands higher by `lift` points."""
    step = BODY * STEP
    other = MARGIN + COLUMN + COLUMN_GAP
    return [
        *(At(other, top - lift + n * step, line) for n, line in enumerate(right)),
        *(At(MARGIN, top + n * step, line) for n, line in enumerate(left)),
    ]


LEFT = [f"Left row {n} fills it all" for n in "abcdefghij"]
RIGHT = [f"Right row {n} fills it so" for n in "abcdefghij"]


def test_a_picture_over_the_left_column_does_not_put_the_right_one_first(tmp_path: Path) -> None:
    page = Page(marks=two_columns(LEFT, RIGHT, 200, lift=110), picture=(MARGIN, 60, MARGIN + COLUMN, 180))

    assert words(text(read(tmp_path, [page]))) == words(" ".join([*LEFT, *RIGHT]))


def test_a_title_across_the_columns_comes_first(tmp_path: Path) -> None:
    title = At(MARGIN + 55, 70, "Two Rivers Meet", 16)
    page = Page(marks=[*two_columns(LEFT, RIGHT, 110), title])

    assert text(read(tmp_path, [page])).startswith("Two Rivers Meet\nLeft row a")


def test_text_across_the_page_parts_columns_above_from_columns_below(tmp_path: Path) -> None:
    across = ["This line goes over the whole width of the page", "and so does this one that stands right under it."]
    middle = [At(MARGIN, 215 + n * 13, line) for n, line in enumerate(across)]
    more = [line.replace("row", "bank") for line in LEFT], [line.replace("row", "bank") for line in RIGHT]
    page = Page(marks=[*two_columns(LEFT, RIGHT, 75), *middle, *two_columns(*more, 255)])

    assert words(text(read(tmp_path, [page]))) == words(" ".join([*LEFT, *RIGHT, *across, *more[0], *more[1]]))


def test_one_column_over_two_is_read_first(tmp_path: Path) -> None:
    before = paragraphs(1)
    page = Page(before, marks=two_columns(LEFT, RIGHT, 200))

    assert words(text(read(tmp_path, [page]))) == [*words(before[0].text), *words(" ".join([*LEFT, *RIGHT]))]


def test_a_book_may_turn_from_one_column_to_two(tmp_path: Path) -> None:
    pages, written = leaves(3)
    body, more = columns(5)

    assert words(text(read(tmp_path, [*pages, Page(body, columns=2)]))) == words(written) + more


# --- tables ----------------------------------------------------------------------------------------------------------


def table(rows: Sequence[Sequence[str]], top: float, stops: Sequence[float]) -> list[At]:
    """Cells in rows, each starting at its column's stop."""
    return [
        At(MARGIN + stop, top + n * 14, cell)
        for n, row in enumerate(rows)
        for stop, cell in zip(stops, row, strict=True)
    ]


ROWS = [
    ["Year", "Tons", "Keeper"],
    ["1840", "12", "Marsh"],
    ["1841", "9", "Marsh"],
    ["1842", "31", "Tolley"],
    ["1843", "28", "Tolley"],
    ["1844", "30", "Oakes"],
]


def test_a_tables_cells_come_row_by_row(tmp_path: Path) -> None:
    page = Page(paragraphs(2), marks=table(ROWS, 250, (0, 70, 140)))

    assert words(text(read(tmp_path, [page])))[-18:] == [cell for row in ROWS for cell in row]


def test_a_cell_of_one_row_is_not_glued_to_the_next(tmp_path: Path) -> None:
    found = text(read(tmp_path, [Page(paragraphs(2), marks=table(ROWS, 250, (0, 70, 140)))]))

    assert "1842 31 Tolley" in found


@pytest.mark.parametrize("stops", [(0, 60, 110), (0, 100, 180)])
def test_a_tables_rows_are_no_columns_of_text(tmp_path: Path, stops: Sequence[float]) -> None:
    rows = [[f"lock {name}", f"{n} ft", "kept"] for n, name in enumerate("abcdefgh", 3)]

    found = words(text(read(tmp_path, [Page(paragraphs(2), marks=table(rows, 220, stops))])))

    assert found[-5:] == ["lock", "h", "10", "ft", "kept"]


def test_a_page_that_is_all_table_is_read_row_by_row(tmp_path: Path) -> None:
    rows = [[f"lock {name}", f"kept by nobody since flood {n}"] for n, name in enumerate("abcdefgh", 3)]
    rows[3][0] = "upper lock by the mill"

    found = words(text(read(tmp_path, [Page(marks=table(rows, 80, (0, 115))), *leaves(2)[0]])))

    assert found[: len(words(" ".join(map(" ".join, rows))))] == words(" ".join(map(" ".join, rows)))


# --- drop caps -------------------------------------------------------------------------------------------------------


def dropped_cap(initial: str, rest: str, rows: int = 3) -> Page:
    """A paragraph whose initial is that many lines high, its baseline on the last of them."""
    size = rows * BODY * STEP * 1.1
    indent = text_width(initial, size) + 3
    marks = [At(MARGIN, MARGIN + 20 + rows * BODY * STEP, initial, size)]
    line, lines = "", []
    for word in rest.split():
        room = MEASURE - (indent if len(lines) < rows else 0)
        wider = f"{line} {word}" if line else word
        if text_width(wider) > room:
            lines.append(line)
            line = word
        else:
            line = wider
    lines.append(line)
    for n, part in enumerate(lines):
        marks.append(At(MARGIN + (indent if n < rows else 0), MARGIN + 20 + (n + 1) * BODY * STEP, part))
    return Page([*paragraphs(2, seed=7)], top=MARGIN + 25 + len(lines) * BODY * STEP, marks=marks)


@pytest.mark.parametrize("rows", [2, 3, 4])
@pytest.mark.parametrize(
    ("initial", "rest", "opening"),
    [
        ("T", "he miller was the first to see it.", "The miller was"),
        ("A", "few of them had seen it.", "A few of them"),
        ("A", "t night nobody saw it.", "At night nobody"),
        ("I", "saw the light go out.", "I saw the light"),
        ("I", "n the winter it was seen.", "In the winter"),
        ("O", "ver the water they saw it.", "Over the water"),
        ("“W", "e never saw it,” he said.", "“We never saw"),
        ("W", "HEN IT came they had all seen it.", "WHEN IT came"),
    ],
)
def test_an_initial_is_given_back_to_its_word(tmp_path: Path, initial: str, rest: str, opening: str, rows: int) -> None:
    page = dropped_cap(initial, f"{rest} {prose(40, 3)}", rows)

    book = read(tmp_path, [page, *leaves(2)[0]])

    assert texts(book)[0].startswith(opening)
    assert not headings(book)


def test_an_initial_stands_in_the_paragraph_it_opens_whole(tmp_path: Path) -> None:
    rest = "he miller was the first to see it. " + prose(60, 3)

    book = read(tmp_path, [dropped_cap("T", rest), *leaves(2)[0]])

    assert texts(book)[0] == f"T{rest}"


def test_an_initial_under_a_title_is_no_part_of_the_title(tmp_path: Path) -> None:
    page = dropped_cap("T", "he miller was the first to see it. " + prose(40, 3))
    opening = replace(page, marks=[*page.marks, At(110, MARGIN + 5, "The Weir", 18)])

    book = read(tmp_path, [*chapters(["Low Water", "Harvest"]), opening])

    assert titles(book) == ["Low Water", "Harvest", "The Weir"]
    assert any(block.startswith("The miller was the first") for block in texts(book))


def test_a_single_large_letter_alone_is_a_heading(tmp_path: Path) -> None:
    """The letters of a glossary stand over their entries, not beside them."""
    pages = [
        Page([heading(letter, 22), Para(prose(40, n)), heading(chr(ord(letter) + 1), 22), Para(prose(40, n + 9))])
        for n, letter in enumerate("ACE")
    ]

    assert [text for _, text in headings(read(tmp_path, pages))] == list("ABCDEF")


# --- fragments -------------------------------------------------------------------------------------------------------


def line(x: float, y: float, text: str, width: float | None = None, size: float = BODY) -> Line:
    """A `Line` as the reader of pages makes it."""
    wide = text_width(text, size) if width is None else width
    return Line(1, text, (x, y - size, x + wide, y + 2), y, size)


def ordered(*lines: Line) -> list[str]:
    page = LinePage(1, 300, 440, list(lines))
    return [found.text for found in order_page(page, BODY, lambda _: False)]


def test_pieces_on_one_baseline_are_one_line() -> None:
    assert ordered(line(100, 50, "was empty", 40), line(45, 50, "The shed", 50)) == ["The shed was empty"]


def test_pieces_that_touch_are_one_word() -> None:
    assert ordered(line(45, 50, "The plat", 35), line(80.4, 50, "form", 20)) == ["The platform"]


def test_marks_keep_their_place_when_pieces_are_joined() -> None:
    second = line(100, 50, "was shut", 40)
    second.marks = [(3, "4")]
    second.lead = "2"
    page = LinePage(1, 300, 440, [line(45, 50, "The shed", 50), second])

    (joined,) = order_page(page, BODY, lambda _: False)

    assert joined.text == "The shed was shut"
    assert joined.marks == [(12, "4"), (9, "2")]


def test_lines_are_sorted_by_their_baselines_whatever_the_files_order() -> None:
    rows = [line(45, 50 + 13 * n, f"Row {n} of the shed", 200) for n in range(6)]

    assert ordered(*rows[::-1]) == [row.text for row in rows]


def test_kind_of_prose_is_paragraph(tmp_path: Path) -> None:
    body, _ = columns(5)

    assert {block.kind for block in read(tmp_path, [Page(body, columns=2)]).blocks} == {Kind.PARAGRAPH}


# --- what stands side by side and is no column -----------------------------------------------------------------------


def beside(labels: Sequence[str], texts: Sequence[Sequence[str]], gap: float) -> tuple[list[At], list[str]]:
    """Labels at the margin, each beside the first line of its text, and the words in the order of reading."""
    marks, found, y = [], [], 240.0
    for label, rows in zip(labels, texts, strict=False):
        marks.append(At(MARGIN, y, label))
        found += words(label)
        for row in rows:
            marks.append(At(MARGIN + gap, y, row))
            found += words(row)
            y += BODY * STEP
    return marks, found


SPEECHES = [
    ["The boat is late again and nobody knows"],
    ["who kept the lamp last night.", "It was not I, and not my brother either."],
    ["Then who lit it?"],
    ["Ask them at the weir, they keep the book", "and they would not tell me."],
    ["I have asked them twice."],
    ["And what did they say to it?", "Nothing at all, I take it."],
]


NAMES = ["ANNE", "MARSH", "ANNE", "MARSH", "ANNE", "TOLLEY"]
NUMBERS = ["1.", "2.", "3.", "4.", "5.", "6."]


@pytest.mark.parametrize("above", [0, 2])
@pytest.mark.parametrize(("labels", "gap"), [(NUMBERS, 22.0), (NUMBERS, 40.0), (NAMES, 48.0)])
def test_labels_beside_their_texts_are_read_with_them(
    tmp_path: Path, labels: list[str], gap: float, above: int
) -> None:
    marks, expected = beside(labels, SPEECHES, gap)

    assert words(text(read(tmp_path, [Page(paragraphs(above), marks=marks)])))[-len(expected) :] == expected


@pytest.mark.parametrize(("labels", "gap"), [(NUMBERS, 22.0), (NAMES, 48.0)])
def test_each_label_with_its_text_is_a_block(tmp_path: Path, labels: list[str], gap: float) -> None:
    marks, _ = beside(labels, SPEECHES, gap)
    expected = [f"{label} {' '.join(rows)}" for label, rows in zip(labels, SPEECHES, strict=False)]

    assert texts(read(tmp_path, [Page(paragraphs(2), marks=marks)]))[2:] == expected


@pytest.mark.parametrize("above", [0, 2])
def test_terms_and_their_meanings_are_read_row_by_row(tmp_path: Path, above: int) -> None:
    terms = ["anchorage", "breakwater", "caulking", "deadman", "estuary", "fairlead"]
    meanings = [
        ["where ships may lie"],
        ["a wall against waves"],
        ["tar in the seams"],
        ["a block that holds a stay"],
        ["where a river ends"],
        ["a ring for a rope"],
    ]
    marks, expected = beside(terms, meanings, 90)

    assert words(text(read(tmp_path, [Page(paragraphs(above), marks=marks)])))[-len(expected) :] == expected


def test_columns_whose_lines_stand_at_different_heights_are_read_one_by_one(tmp_path: Path) -> None:
    page = Page(marks=two_columns(LEFT, RIGHT, 100, lift=5))

    assert words(text(read(tmp_path, [page]))) == words(" ".join([*LEFT, *RIGHT]))


def test_a_heading_inside_the_right_column_stays_there(tmp_path: Path) -> None:
    marks = two_columns(LEFT, RIGHT[:4], 100)
    other = MARGIN + COLUMN + COLUMN_GAP
    marks += [
        At(other, 165, "Of ebb", face="bold"),
        *(At(other, 185 + 13 * n, row) for n, row in enumerate(RIGHT[4:8])),
    ]

    expected = [*LEFT, *RIGHT[:4], "Of ebb", *RIGHT[4:8]]
    assert words(text(read(tmp_path, [Page(marks=marks)]))) == words(" ".join(expected))


def test_short_columns_side_by_side_are_read_one_by_one(tmp_path: Path) -> None:
    """The last page of a two-column chapter, its columns balanced."""
    body, written = columns(5)
    marks = two_columns(LEFT[:5], RIGHT[:4], MARGIN + 13)

    found = words(text(read(tmp_path, [Page(body, columns=2), Page(marks=marks)])))

    assert found == written + words(" ".join([*LEFT[:5], *RIGHT[:4]]))
