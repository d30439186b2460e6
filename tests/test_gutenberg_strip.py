"""Gutenberg's packaging: markers of every form, closing lines, small print, collections, and what must be left."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookblend.blend.documents import clean
from bookblend.blend.gutenberg import State, Step, strip, strip_recipe
from bookblend.blend.normalise import normalise

BODY = "CHAPTER I\n\nThe ferry left at dusk.\n\nNobody waved."
HEADER = "The Project Gutenberg EBook of The Tally\n\nTitle: The Tally\n\n"
LICENCE = "Updated editions will replace the previous one.\nThis eBook is under the licence of Project Gutenberg."
SMALL = (
    "***START**THE SMALL PRINT!**FOR PUBLIC DOMAIN ETEXTS**START***\nWhy is this statement here?\n"
    "*END*THE SMALL PRINT! FOR PUBLIC DOMAIN ETEXTS*Ver.04.29.93*END*"
)


@pytest.mark.parametrize(
    "marker",
    [
        "*** {} OF THE PROJECT GUTENBERG EBOOK THE TALLY ***",
        "*** {} OF THIS PROJECT GUTENBERG EBOOK THE TALLY ***",
        "***{} OF THE PROJECT GUTENBERG EBOOK THE TALLY***",
        "*** {} OF THE PROJECT GUTENBERG ETEXT OF THE TALLY",
        "*** {} OF THE PROJECT GUTENBERG EBOOK, THE TALLY ***",
        "*** {} OF THE COPYRIGHTED PROJECT GUTENBERG EBOOK THE TALLY ***",
        "** {} OF THIS PROJECT GUTENBERG E-TEXT THE TALLY **",
        "  *** {} of this Project Gutenberg eBook The Tally ***  ",
        "*** {} OF THE PROJECT GUTENBERG EBOOK THE LONG TALLY OF\nSMALL HARBOURS, VOLUME 2 ***",
    ],
)
def test_markers_of_every_form_end_header_and_footer(marker: str) -> None:
    text = HEADER + marker.format("START") + f"\n\n\n{BODY}\n\n\n" + marker.format("END") + f"\n{LICENCE}\n"
    stripped = clean(text)
    assert stripped.text == BODY
    assert stripped.state is State.BOTH


START = "*** START OF THE PROJECT GUTENBERG EBOOK THE TALLY ***"
END = "*** END OF THE PROJECT GUTENBERG EBOOK THE TALLY ***"


@pytest.mark.parametrize(
    ("text", "state"),
    [
        (f"{HEADER}{START}\n\n{BODY}\n\n{END}\n{LICENCE}", State.BOTH),
        (f"{HEADER}{START}\n\n{BODY}", State.START_ONLY),
        (f"{BODY}\n\n{END}\n{LICENCE}", State.END_ONLY),
        (BODY, State.NONE),
    ],
)
def test_the_four_states(text: str, state: State) -> None:
    for rules in (strip, strip_recipe):
        stripped = rules(text)
        assert (normalise(stripped.text), stripped.state) == (BODY, state)


@pytest.mark.parametrize(
    "closing",
    [
        "End of the Project Gutenberg EBook of The Tally, by A. Invented",
        "End of Project Gutenberg's The Tally",
        "End of Project Gutenberg’s The Tally",
        "End of The Project Gutenberg Etext of The Tally",
        'Ende dieses Projekt Gutenberg Etextes "Die Zählung" von\nA. Erfunden.',
        "Fin de Project Gutenberg Etext Le compte",
        "Fim do Projecto Gutenberg A conta",
    ],
)
def test_closing_lines_go_with_the_end_marker_and_without(closing: str) -> None:
    assert clean(f"{START}\n\n{BODY}\n\n{closing}\n\n{END}\n{LICENCE}").text == BODY
    alone = clean(f"{HEADER}{SMALL}\n\n{BODY}\n\n{closing}\n")
    assert (alone.text, alone.state) == (BODY, State.BOTH)


def test_small_print_after_the_book_goes() -> None:
    file = "***** This file should be named tally10.txt *****"
    title = "The Project Gutenberg Etext of The Tally\nby A. Invented"
    text = f"{START}\n\n{BODY}\n{title}\n{file}\n\n{SMALL}\n\nEnd of The Project Gutenberg Etext of The Tally\n"
    assert clean(text).text == BODY


def test_a_work_of_forty_lines_is_not_emptied() -> None:
    body = "\n".join(f"The {n}th wave came in." for n in range(40))
    assert clean(f"{HEADER}{START}\n{body}\n{END}\n{LICENCE}").text == body


def test_a_start_marker_that_would_take_hundreds_of_lines_is_left_and_flagged() -> None:
    book = "\n".join(f"Wave {n} came in from the west." for n in range(300))
    stripped = clean(f"{book}\n\n{START}\n\nand they ran.")
    assert stripped.text.startswith("Wave 0 came")
    assert stripped.kept


def test_nothing_left_is_kept_whole_and_flagged() -> None:
    text = f"{HEADER}{START}\n\n{END}"
    stripped = strip(text)
    assert (stripped.text, bool(stripped.kept)) == (text, True)


def test_a_book_that_speaks_of_the_project_keeps_its_sentences() -> None:
    body = (
        "It was typed by the volunteers of\nProject Gutenberg by night.\n\n*** START of the race ***\n\n"
        "The end of Project Gutenberg's day came late.\n\nstart of the Project Gutenberg ebook programme\n\nThey ran."
    )
    assert clean(f"{HEADER}{START}\n\n{body}\n\n{END}\n{LICENCE}").text == body


def test_a_collection_is_not_cut_at_the_first_licence_blurb() -> None:
    second = "\n".join(f"Line {n} of the second work." for n in range(120))
    joined = clean(f"{HEADER}{START}\n\n{BODY}\n\n{END}\n{LICENCE}\n\n{HEADER}{START}\n\n{second}\n\n{END}\n{LICENCE}")
    assert (joined.text, joined.works) == (f"{BODY}\n\n{second}", 2)
    closing = "End of Project Gutenberg Etext of The Tally\nMore below. . ."
    below = clean(f"{HEADER}{SMALL}\n\n{BODY}\n\n{closing}\n\n{second}\n\nEnd of The Project Gutenberg Etext of Waves")
    assert below.text == f"{BODY}\n\n{second}"


def test_copyrighted_texts_are_flagged() -> None:
    marker = START.replace("THE PROJECT", "THE COPYRIGHTED PROJECT")
    assert strip(f"{HEADER}{marker}\n\n{BODY}").copyrighted
    assert not strip(f"{HEADER}{START}\n\n{BODY}").copyrighted


@pytest.mark.parametrize(
    "credit",
    [
        "Produced by Somebody Kind and the Distributed\nCheckers at https://example.org",
        "E-text prepared by Ann Other",
        "This etext was prepared by Ann Other, email ann@example.org\nfrom the 1900 edition.",
        "Scanned and proofed by Ann Other\nann@example.org",
        "Credit for e-text: Ann Other",
        "Note: Project Gutenberg also has an HTML version of this\n      file which includes the pictures.",
        "Transcribed from the 1903 Smith & Co. edition by Ann Other,\nemail ann@example.org",
    ],
)
def test_credits_of_several_lines_go_from_the_front(credit: str) -> None:
    text = f"{START}\n\n{credit}\n\n{BODY}\n\n{END}"
    stripped = clean(text)
    assert stripped.text == BODY
    assert list(stripped.credits) == credit.split("\n")
    assert credit.split("\n")[0] in strip(text, [Step.NOTES]).text


@pytest.mark.parametrize(
    "prose",
    [
        "produced by charity, or by chance, such\nthings are rare.",
        "produced by Nature herself, they need\nno keeper.",
        "Produced by Nature herself, and by no\nother hand, the bay lay open to the west.",
        "Prepared by long years at sea, he\nsaid nothing.",
    ],
)
def test_prose_that_begins_like_a_credit_stays(prose: str) -> None:
    body = f"{prose}\n\n{BODY}"
    assert clean(f"{START}\n\n{body}\n\n{END}").text == body


@pytest.mark.parametrize(
    "note",
    [
        "[Transcriber's Note: Spelling is as in the print.\n\nItalics are lost.]",
        "Transcriber’s notes:\n\nThe spelling of this e-book is that of the print.",
        "+-----------------+\n| Transcriber's Note |\n| Spelling kept.     |\n+-----------------+",
        "TRANSCRIBER'S NOTE\n\nSome typographical errors were corrected.",
    ],
)
def test_transcribers_notes_go_from_front_and_end(note: str) -> None:
    assert clean(f"{START}\n\n{note}\n\n{BODY}\n\n{END}").text == BODY
    long = "\n\n".join(f"Paragraph {n} of the book." for n in range(300))
    assert clean(f"{START}\n\n{long}\n\n{note}\n\n{END}").text == long


def test_a_note_without_anything_on_the_text_stays() -> None:
    body = f"Transcriber's Note\n\nA tale by A. Invented\n\nof the sea.\n\n{BODY}"
    assert clean(f"{START}\n\n{body}\n\n{END}").text == body


_PACKAGING_WORDS = ("gutenberg", "small print", "@", "produced", "note", "this file", "transcribed")
_plain = st.text(st.characters(exclude_categories=("Cs",)), max_size=300).filter(
    lambda text: (
        not any(
            word in text.casefold()
            for word in ("gutenberg", "small print", "@", "produced", "note", "this file", "transcribed")
        )
    )
)


@given(_plain)
def test_a_text_without_packaging_is_only_normalised(text: str) -> None:
    assert clean(text).text == normalise(text)
    assert clean(text, recipe=True).text == normalise(text)


_parts = st.tuples(
    *(st.booleans(),) * 2, st.sampled_from([START, f"{START}\n\n{START}", SMALL, ""]), st.booleans(), st.booleans()
)


@given(_parts)
def test_cleaning_is_idempotent(parts: tuple[bool, bool, str, bool, bool]) -> None:
    header, credit, start, closing, end = parts
    text = "\n\n".join(
        [
            HEADER * (header and bool(start)),
            start,
            "Produced by Ann Other" * credit,
            BODY,
            "End of Project Gutenberg's The Tally" * closing,
            f"{END}\n{LICENCE}" * end,
        ]
    )
    once = clean(text)
    assert once.text == clean(once.text).text == BODY
    recipe = clean(text.replace(SMALL, "").replace(f"{START}\n\n{START}", START), recipe=True)
    assert clean(recipe.text, recipe=True).text == recipe.text


@given(st.text(st.sampled_from("a \t\r\n\x1a\ufeff\u00a0\u3000"), max_size=60))
def test_normalise_is_idempotent_and_leaves_no_blanks(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert "\r" not in once and "\ufeff" not in once and "\n\n\n" not in once and " \n" not in once
