"""One page into lines: which spans are text, which are note marks, and what the page does not show."""

import re
from pathlib import Path
from typing import Any

import pytest
from pdf_fixtures import (
    BODY,
    HEIGHT,
    MARGIN,
    MEASURE,
    WIDTH,
    At,
    Lines,
    Page,
    Para,
    edit_pdf,
    heading,
    make_pdf,
    remap,
    text_width,
)
from pdf_reading import (
    chapters,
    headings,
    leaves,
    ledger,
    paragraphs,
    prose,
    read,
    read_bytes,
    text,
    texts,
    titles,
    words,
)

from bookblend.extract.model import Book
from bookblend.extract.pdf_blocks import close_up


def line(text: str) -> Lines:
    """One line of body text that does not fill the measure."""
    return Lines([text])


def read_line(folder: Path, written: str) -> str:
    """What comes out of a line that stands between two paragraphs of prose."""
    before, after = paragraphs(2)
    book = read(folder, [Page([before, Lines([written], before=20), Para(after.text, before=20)])])
    (between,) = texts(book)[1:-1]
    return between


# --- spans -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("The {i:tide} had {b:turned} and we {m:ran} home.", "The tide had turned and we ran home."),
        ("He said {i:half}way up the {b:h}ill.", "He said halfway up the hill."),
        ("It was ({i:so} {i:they} {i:said}) a {i:boat}; no more.", "It was (so they said) a boat; no more."),
    ],
)
def test_words_set_in_several_faces_are_one_line_of_text(tmp_path: Path, written: str, expected: str) -> None:
    assert read_line(tmp_path, written) == expected


def test_a_line_whose_words_stand_each_by_themselves_keeps_its_blanks(tmp_path: Path) -> None:
    written = "The miller had sold the whole shed."
    marks, x = [], MARGIN
    for word in written.split():
        marks.append(At(x, 350, word))
        x += text_width(word) + 4

    assert text(read(tmp_path, [Page(paragraphs(3), marks=marks)])).endswith(written)


# --- note marks, exponents, ordinals ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("They reached the harbour^1 by the winter of 1842.^2", "They reached the harbour by the winter of 1842."),
        ("The lock,^12 the weir^{*} and “the mill”^{3,4} were sold.", "The lock, the weir and “the mill” were sold."),
        ("A square field of side r^2 and 10^6 stones.", "A square field of side r² and 10⁶ stones."),
        ("A drop of 10^{-6} in a year.", "A drop of 10⁻⁶ in a year."),
        ("On the 21^{st} of May the 4^{th} boat came.", "On the 21st of May the 4th boat came."),
        ("M^{me} Aubin and her 3^{e} cousin came.", "Mme Aubin and her 3e cousin came."),
    ],
)
def test_raised_signs_are_marks_behind_words_and_text_behind_numbers(
    tmp_path: Path, written: str, expected: str
) -> None:
    assert read_line(tmp_path, written) == expected


def test_a_lowered_figure_is_text(tmp_path: Path) -> None:
    marks, x = [], MARGIN
    for piece, size, drop in (("The H", BODY, 0), ("2", 6, 2), ("O and CO", BODY, 0), ("2", 6, 2), (" rose.", BODY, 0)):
        marks.append(At(x, 350 + drop, piece, size))
        x += text_width(piece, size)

    found = text(with_marks(tmp_path, *marks))

    assert found.endswith(("The H2O and CO2 rose.", "The H₂O and CO₂ rose."))


def test_marks_taken_out_of_the_text_are_counted(tmp_path: Path) -> None:
    book = read(tmp_path, [Page([Para(prose(30) + "^1 " + prose(30) + "^2")], notes=["1 " + prose(9)])])

    assert book.evidence["note marks"] == 2


def test_small_capitals_are_no_marks(tmp_path: Path) -> None:
    written = "T{s:HE} R{s:OYAL} D{s:OCK} was shut."

    assert read_line(tmp_path, written) == "THE ROYAL DOCK was shut."


# --- false blanks ----------------------------------------------------------------------------------------------------


def italic_then(sign: str, gap: float) -> list[At]:
    """An italic word and, a gap further, a sign with a blank before it in roman, as italic correction comes out."""
    return [At(MARGIN, 300, "She read the Ledger", face="italic"), At(MARGIN + 79.2 + gap, 300, f" {sign}")]


@pytest.mark.parametrize("sign", [",", ".", ")", "”", "’"])
def test_a_blank_before_closing_punctuation_at_a_change_of_type_is_no_blank(tmp_path: Path, sign: str) -> None:
    book = read(tmp_path, [Page(paragraphs(2), marks=italic_then(sign, -2))])

    assert f"Ledger{sign}" in text(book)


def test_a_dash_behind_italics_keeps_its_blank(tmp_path: Path) -> None:
    assert read_line(tmp_path, "She read the {i:Ledger} - and slept.") == "She read the Ledger - and slept."


def test_french_blanks_before_high_punctuation_stay(tmp_path: Path) -> None:
    assert read_line(tmp_path, "Elle lisait {i:Le} {i:Phare} ; il dormait !") == "Elle lisait Le Phare ; il dormait !"


# --- what the page does not show -------------------------------------------------------------------------------------


def with_marks(folder: Path, *marks: At, **page: object) -> Book:
    """A page of prose with lines put on it below the text."""
    return read(folder, [Page(paragraphs(3), marks=marks, **page)])


def test_invisible_text_is_left_out_put_on_record_and_told(tmp_path: Path) -> None:
    book = with_marks(tmp_path, At(MARGIN, 350, "Ghost words nobody sees", hidden=True))

    assert "Ghost" not in text(book)
    assert ledger(book) == {"hidden text": ["Ghost words nobody sees"]}
    assert book.evidence["hidden pieces"] == 1
    assert any("23 hidden characters" in warning for warning in book.warnings)


def test_white_text_on_white_paper_is_hidden(tmp_path: Path) -> None:
    book = with_marks(tmp_path, At(MARGIN, 350, "Pale words nobody sees", grey=1))

    assert "Pale" not in text(book)
    assert ledger(book) == {"hidden text": ["Pale words nobody sees"]}


def test_white_text_on_a_dark_ground_is_text(tmp_path: Path) -> None:
    book = with_marks(tmp_path, At(MARGIN, 350, "Bright words on a black board.", grey=1), ground=(40, 335, 260, 360))

    assert "Bright words on a black board." in text(book)
    assert not ledger(book)


def test_grey_text_is_text(tmp_path: Path) -> None:
    book = with_marks(tmp_path, At(MARGIN, 350, "Faded words that can be read.", grey=0.6))

    assert "Faded words that can be read." in text(book)


def test_an_invisible_copy_of_the_visible_text_is_read_once(tmp_path: Path) -> None:
    lines = ["The keeper counted the lamps", "and wrote the number down."]
    copies = [At(MARGIN, MARGIN + 13 * (n + 1), words, hidden=True) for n, words in enumerate(lines)]

    book = read(tmp_path, [Page([Lines(lines), *paragraphs(3)], marks=copies)])

    assert text(book).count("counted the lamps") == 1
    assert text(book).count("wrote the number") == 1


def test_a_text_struck_twice_is_read_once(tmp_path: Path) -> None:
    shadow = [At(MARGIN + shift, 350 + shift, "A sign that is painted thickly.") for shift in (0, 0.35, 0.7)]

    book = with_marks(tmp_path, *shadow)

    assert text(book).count("A sign that is painted thickly.") == 1


def test_letters_struck_twice_one_by_one_are_read_once(tmp_path: Path) -> None:
    twice = [At(MARGIN + shift, 350, "Thickly painted.", spread=0.01) for shift in (0, 0.3)]

    assert "Thickly painted." in text(with_marks(tmp_path, *twice))


def test_a_title_struck_three_times_is_one_heading(tmp_path: Path) -> None:
    body = chapters(["The Weir", "Low Water"])
    strikes = [At(100 + shift, 68, "Paper Boats", size=18) for shift in (0, 0.4, 0.8)]
    opening = [Page(paragraphs(3, seed=9), top=95, marks=strikes)]

    assert titles(read(tmp_path, [*body, *opening])) == ["The Weir", "Low Water", "Paper Boats"]


def test_the_same_line_twice_on_a_page_is_text_both_times(tmp_path: Path) -> None:
    refrain = ["and the river ran on,", "by the mill it turned,", "and the river ran on,", "by the wall it burned,"]

    book = read(tmp_path, [Page([*paragraphs(2), Lines(refrain, inset=30, before=20)])])

    assert text(book).count("and the river ran on,") == 2


def test_text_outside_the_crop_box_is_left_out(tmp_path: Path) -> None:
    slug = [At(10, 14, "JOB 1138 PLATE 7", size=6), At(MARGIN, HEIGHT - 4, "CYAN MAGENTA", size=6)]
    pages = [Page(paragraphs(4, seed=n), marks=slug, crop=(20, 20, WIDTH - 20, HEIGHT - 20)) for n in range(2)]

    book = read(tmp_path, pages)

    assert "JOB" not in text(book) and "CYAN" not in text(book)
    assert words(text(book)) == [word for n in range(2) for para in paragraphs(4, seed=n) for word in words(para.text)]


# --- turned text -----------------------------------------------------------------------------------------------------


BEFORE, AFTER = (words(" ".join(para.text for para in paragraphs(4, seed=seed))) for seed in (0, 1))
ROWS = [f"Row {name} holds the {name} barrels of the year" for name in ("amber", "birch", "cedar", "dusky", "elm")]


def around_a_sideways_page(folder: Path, turn: float, declared: int) -> Book:
    """A page of lines that run up (90) or down (-90), between two upright ones."""
    x, y, step = (80, 380, 14) if turn > 0 else (220, 60, -14)
    sideways = Page(marks=[At(x + n * step, y, row, turn=turn) for n, row in enumerate(ROWS)])
    data = make_pdf([Page(paragraphs(4)), sideways, Page(paragraphs(4, seed=1))])
    return read_bytes(folder, edit_pdf(data, lambda document: document[1].set_rotation(declared)))


@pytest.mark.parametrize(("turn", "declared"), [(90, 0), (-90, 0), (90, 90), (-90, 270)])
def test_a_page_set_sideways_is_read_line_by_line(tmp_path: Path, turn: float, declared: int) -> None:
    book = around_a_sideways_page(tmp_path, turn, declared)

    assert words(" ".join(ROWS)) == words(" ".join(block.text for block in book.blocks))[len(BEFORE) : -len(AFTER)]


def test_a_page_set_sideways_does_not_run_on_from_the_upright_one(tmp_path: Path) -> None:
    book = around_a_sideways_page(tmp_path, 90, 0)

    assert texts(book)[:4] == [para.text for para in paragraphs(4)]


@pytest.mark.parametrize("declared", [90, 180, 270])
def test_upright_text_on_a_page_that_is_shown_turned_is_read_whole(tmp_path: Path, declared: int) -> None:
    data = edit_pdf(make_pdf([Page(paragraphs(4))]), lambda document: document[0].set_rotation(declared))

    assert texts(read_bytes(tmp_path, data)) == [para.text for para in paragraphs(4)]


def test_text_at_an_angle_is_no_text(tmp_path: Path) -> None:
    book = with_marks(tmp_path, At(80, 300, "DRAFT COPY", size=40, turn=45))

    assert "DRAFT" not in text(book)
    assert ledger(book) == {"slanted text": ["DRAFT COPY"]}


# --- letter-spaced words ---------------------------------------------------------------------------------------------


def title_over_prose(folder: Path, title: At | Lines) -> list[tuple[int, str]]:
    """The headings of a book whose last chapter has that title."""
    blocks = paragraphs(3, seed=9)
    if isinstance(title, Lines):
        last = Page([title, Para(blocks[0].text, before=14), *blocks[1:]])
    else:
        last = Page(blocks, top=95, marks=[title])
    return headings(read(folder, [*chapters(["The Weir", "Low Water"]), last]))


def test_a_title_with_blanks_between_its_letters_is_closed_up(tmp_path: Path) -> None:
    found = title_over_prose(tmp_path, heading("T H E   P A P E R   B O A T S"))

    assert found[-1] == (1, "THE PAPER BOATS")


@pytest.mark.parametrize(
    ("title", "ems"),
    [
        ("PAPER BOATS", 0.04),
        ("PAPER BOATS", 0.2),
        ("PAPER BOATS", 0.35),
        pytest.param(
            "THE LONG WAY",
            0.35,
            marks=pytest.mark.xfail(raises=AssertionError, reason="gaps over 0.3 em between letters glue short words"),
        ),
    ],
)
def test_a_tracked_title_keeps_the_blanks_between_its_words(tmp_path: Path, title: str, ems: float) -> None:
    found = title_over_prose(tmp_path, At(50, 68, title, size=14, spread=14 * ems))

    assert found[-1] == (1, title)


@pytest.mark.parametrize("title", ["PAPER BOATS", "THE LONG WAY"])
@pytest.mark.parametrize("ems", [0.14, 0.2, 0.28, 0.4])
def test_a_title_tracked_by_the_engine_is_closed_up(tmp_path: Path, title: str, ems: float) -> None:
    found = title_over_prose(tmp_path, At(50, 68, title, size=14, tracking=14 * ems))

    assert found[-1] == (1, title)


@pytest.mark.parametrize(
    "ems", [0.1, pytest.param(0.2, marks=pytest.mark.xfail(raises=AssertionError, reason="closed up in titles only"))]
)
def test_a_word_letter_spaced_for_emphasis_is_one_word(tmp_path: Path, ems: float) -> None:
    word = At(MARGIN + 58, 350, "unerhört", tracking=10 * ems)
    book = with_marks(tmp_path, At(MARGIN, 350, "Das war ganz"), word, At(MARGIN + 120, 350, "und neu."))

    assert text(book).endswith("Das war ganz unerhört und neu.")


@pytest.mark.parametrize(
    ("spaced", "closed"),
    [
        ("C H A P T E R   O N E", "CHAPTER ONE"),
        ("C H A P T E R", "CHAPTER"),
        ("A B C", "A B C"),
        ("Plan A and plan B", "Plan A and plan B"),
        ("I  am  here", "I am here"),
    ],
)
def test_close_up_joins_single_letters_only(spaced: str, closed: str) -> None:
    assert close_up(spaced) == closed


def test_a_word_in_two_runs_that_touch_has_no_blank_inside(tmp_path: Path) -> None:
    runs = [At(MARGIN, 350, "The plat"), At(MARGIN + 31.7, 350, "form was empty.")]

    assert "The platform was empty." in text(with_marks(tmp_path, *runs))


# --- lost blanks -----------------------------------------------------------------------------------------------------


def test_a_line_squeezed_until_its_blanks_are_lost_gets_them_back(tmp_path: Path) -> None:
    squeezed = "The miller counted every sack in the long shed again."
    marks = []
    x = MARGIN
    for word in squeezed.split():
        marks.append(At(x, 350, word))
        x += text_width(word) + 1.3  # 0.13 em, under what MuPDF takes for a blank
    assert x < MARGIN + MEASURE + 20

    assert squeezed in text(with_marks(tmp_path, *marks))


def test_a_line_that_lost_only_its_first_blanks_gets_them_back(tmp_path: Path) -> None:
    written, marks, x = "The miller counted every sack in there again.", [], MARGIN
    for n, word in enumerate(written.split(" ")):
        marks.append(At(x, 350, word))
        x += text_width(word) + (1.3 if n < 4 else 3.5)

    assert written in text(with_marks(tmp_path, *marks))


def squeeze(y: float, written: str, *wide: int) -> list[At]:
    """The words of a line 0.13 em apart, under what MuPDF takes for a blank; behind those numbered `wide`, 0.7 em."""
    marks, x = [], MARGIN
    for n, word in enumerate(written.split(" ")):
        marks.append(At(x, y, word))
        x += text_width(re.sub(r"\^(\d+)", "", word)) + (3.2 if "^" in word else 0) + (7.0 if n in wide else 1.3)
    return marks


def test_a_squeezed_line_with_a_note_mark_gets_its_blanks_back(tmp_path: Path) -> None:
    marks = squeeze(350, "The miller counted^1 every sack in the long shed again.")

    found = text(with_marks(tmp_path, *marks))

    assert "The miller counted every sack in the long shed again." in found


def test_a_squeezed_line_with_one_wide_gap_gets_its_blanks_back(tmp_path: Path) -> None:
    marks = squeeze(350, "The miller counted every. Sacks in the long shed again.", 3)

    assert "The miller counted every. Sacks in the long shed again." in text(with_marks(tmp_path, *marks))


def test_a_long_word_is_not_cut(tmp_path: Path) -> None:
    written = "Die Donaudampfschifffahrtsgesellschaft fuhr weiter."

    assert read_line(tmp_path, written) == written


# --- scanned characters ----------------------------------------------------------------------------------------------


def test_ligature_code_points_are_read_as_their_letters(tmp_path: Path) -> None:
    data = remap(
        make_pdf([Page([Para("The o~ce sta^^ ".replace("^^", "<") + prose(20)), *paragraphs(2)])]),
        {"~": "\ufb03", "<": "\ufb00"},
    )

    assert text(read_bytes(tmp_path, data)).startswith("The office staff ")


def test_size_is_that_of_most_letters_of_a_line(tmp_path: Path) -> None:
    book = read(tmp_path, [Page([Para(f"{{b:{'Now'}}} " + prose(60)), *paragraphs(2)])])

    assert book.evidence["body size"] == BODY
    assert not headings(book)


def see_through(page: Any, letters: bool) -> None:
    """A title that cannot be seen, and under it a frame or its letters drawn as paths."""
    page.insert_text((60, 75), "Low Water", fontsize=18, fill_opacity=0)
    page.draw_rect((58, 60, 150, 78))
    for place in range(8 if letters else 0):
        x = 61 + 9 * place
        page.draw_polyline([(x, 62), (x + 6, 64), (x + 5, 70), (x + 6, 75), (x, 74), (x, 62)], fill=(0, 0, 0))


@pytest.mark.parametrize("drawn", [True, False])
def test_see_through_text_whose_letters_are_drawn_as_paths_is_read(tmp_path: Path, drawn: bool) -> None:
    pages = [Page(paragraphs(2), top=100), *leaves(2)[0]]

    book = read_bytes(tmp_path, edit_pdf(make_pdf(pages), lambda document: see_through(document[0], drawn)))

    assert ("Low Water" in text(book)) is drawn


def test_blanks_inside_words_that_take_no_room_are_closed_up(tmp_path: Path) -> None:
    """Distillers write a kern as a blank and a step back; blanks between words have their room."""
    rows: list[At] = []
    for row, (one, two) in enumerate([("giv", "en"), ("hav", "e"), ("ev", "ery"), ("beg", "an")] * 4):
        y, x = 80 + 14 * row, MARGIN
        for piece, width in ((f"So it was {one} ", f"So it was {one}"), (f"{two} to him", "")):
            rows.append(At(x, y, piece))
            x += text_width(width)
    pages = [Page(marks=rows), *leaves(6)[0]]

    found = text(read(tmp_path, pages))

    assert found.count("So it was given to him") == 4
    assert found.count("So it was began to him") == 4
    assert found.count("So it was have to him") == found.count("So it was every to him") == 4


def test_words_that_others_make_whole_stay_apart_where_a_blank_has_its_room(tmp_path: Path) -> None:
    rows = [At(MARGIN, 80 + 14 * row, "So it was giv en to hav e him") for row in range(12)]

    assert text(read(tmp_path, [Page(marks=rows), *leaves(6)[0]])).count("giv en to hav e him") == 12
