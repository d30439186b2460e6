"""Which lines are headings, and what a heading's text is."""

from pathlib import Path

import pytest
from pdf_fixtures import BODY, MARGIN, At, Lines, Page, Para, flow, heading, text_width
from pdf_reading import chapters, headings, leaves, ledger, paragraphs, prose, read, text, texts, titles, words

from bookblend.extract.pdf_headings import is_caps


def opening(title: Lines | At | None, *more: Lines, seed: int = 0, count: int = 3) -> Page:
    """A page that opens with that title, prose under it."""
    body = paragraphs(count, seed=seed)
    blocks = [block for block in (title, *more) if isinstance(block, Lines)]
    marks = [title] if isinstance(title, At) else []
    return Page([*blocks, Para(body[0].text, before=14, justify=True), *body[1:]], marks=marks, top=MARGIN)


def sections(names: list[str], **type_: object) -> list[Page]:
    """Pages of prose with a section heading of that type in the middle of each."""
    return [
        Page([*paragraphs(2, seed=n), Lines([name], before=14, **type_), *paragraphs(1, seed=n + 50)])
        for n, name in enumerate(names)
    ]


# --- size and weight -------------------------------------------------------------------------------------------------


def test_a_title_larger_than_the_body_that_opens_its_page_heads_a_chapter(tmp_path: Path) -> None:
    book = read(tmp_path, chapters(["The Weir", "Low Water"], size=15))

    assert headings(book) == [(1, "The Weir"), (1, "Low Water")]
    assert book.blocks[0].evidence == "size 15.0 on 10.0, opens its page"
    assert book.evidence["chapters named by"] == "type and place"


@pytest.mark.parametrize("size", [10.8, 12, 13.9])
def test_a_chapters_title_needs_no_great_size(tmp_path: Path, size: float) -> None:
    """Trade books set titles hardly larger than the text; that they open pages says what they are."""
    assert titles(read(tmp_path, chapters(["The Weir", "Low Water", "Harvest"], size=size))) == [
        "The Weir",
        "Low Water",
        "Harvest",
    ]


@pytest.mark.parametrize("size", [10.8, 13, 20])
def test_larger_type_in_mid_page_heads_a_section(tmp_path: Path, size: float) -> None:
    pages = [*chapters(["The Weir", "Low Water"], size=24), *sections(["Of boats", "Of locks"], size=size)]

    assert headings(read(tmp_path, pages)) == [(1, "The Weir"), (1, "Low Water"), (2, "Of boats"), (2, "Of locks")]


def test_bold_lines_by_themselves_are_headings_where_all_is_one_size(tmp_path: Path) -> None:
    book = read(tmp_path, sections(["Of boats", "Of locks", "Of tolls"], face="bold"))

    assert [text for _, text in headings(book)] == ["Of boats", "Of locks", "Of tolls"]
    assert book.blocks[2].evidence.startswith("bold")


def test_bold_words_inside_a_paragraph_are_no_heading(tmp_path: Path) -> None:
    bold = " ".join(
        f"{{b:{word}}}" for word in ["Nobody", "may", "take", "water", "from", "the", "lock", "by", "order"]
    )

    book = read(tmp_path, [Page([*paragraphs(1), Para(f"{prose(20, 3)} {bold} and {prose(20, 5)}")]), *leaves(2)[0]])

    assert not headings(book)


def test_a_bold_line_inside_a_paragraph_is_no_heading(tmp_path: Path) -> None:
    rows = ["They had painted it on the wall in letters as tall", "as a man, and it said to all that came by,"]
    more = ["and nobody who came by could say what it meant", "or who had asked for it to be painted there."]
    bold = Lines(["NO WATER TO BE TAKEN FROM THE LOCK AT"], face="bold")

    book = read(
        tmp_path, [Page([*paragraphs(1), Lines(rows), bold, Lines(more), *paragraphs(1, seed=2)]), *leaves(2)[0]]
    )

    assert not headings(book)


def test_italic_and_typewriter_lines_are_no_headings(tmp_path: Path) -> None:
    pages = [
        Page([*paragraphs(1, seed=n), Lines(["It was said."], face=face, before=13), *paragraphs(1, seed=n + 9)])
        for n, face in enumerate(("italic", "mono"))
    ]

    assert not headings(read(tmp_path, [*pages, *leaves(2, seed=4)[0]]))


def test_a_larger_word_inside_a_line_makes_no_heading_of_a_long_paragraph(tmp_path: Path) -> None:
    """A long passage set large (a letter, an epigraph) is prose."""
    passage = prose(50, 6)

    book = read(tmp_path, [Page([Para(passage, size=12), *paragraphs(1)]), *leaves(3)[0]])

    assert not headings(book)
    assert passage in text(book)


def test_four_lines_of_larger_type_are_prose_too(tmp_path: Path) -> None:
    passage = (
        "To him who kept the lamp when no one else would, and to her who carried it up, to all who came by that way, "
        "and to all who never did, this is given."
    )

    book = read(tmp_path, [Page([Para(passage, size=12, indent=0), *paragraphs(1)]), *leaves(3)[0]])

    assert not headings(book)
    assert passage in text(book)


# --- capitals, labels, centring --------------------------------------------------------------------------------------


def capital_openings(names: list[str]) -> list[Page]:
    """Chapters on new pages under centred capitals in body type, a sign in capitals in their middle."""
    pages = []
    for n, name in enumerate(names):
        body = paragraphs(4, seed=n)
        sign = Lines(["NO EELS TODAY"], centred=True, before=13)
        pages.append(
            Page([heading(name, size=BODY), Para(body[0].text, before=26), sign, Para(body[1].text, before=13)], top=70)
        )
        pages += [Page(body) for body in flow(paragraphs(5, seed=n + 20))]
    return pages


def test_centred_capitals_at_the_head_of_a_page_head_chapters_and_a_sign_does_not(tmp_path: Path) -> None:
    book = read(tmp_path, capital_openings(["THE WEIR", "LOW WATER", "HARVEST"]))

    assert titles(book) == ["THE WEIR", "LOW WATER", "HARVEST"]
    assert texts(book).count("NO EELS TODAY") == 3


def test_a_paragraph_that_opens_a_page_in_capitals_is_no_heading(tmp_path: Path) -> None:
    rows = ["THE ORDER OF THE WARDENS WAS READ", "to all of them at the gate of the upper lock."]
    page = Page([Lines(rows[:1], inset=12), Lines(rows[1:]), *paragraphs(2, seed=7)], top=80)

    book = read(tmp_path, [*leaves(4)[0], page])

    assert " ".join(rows) in texts(book)


def test_a_sign_in_capitals_that_happens_to_open_a_page_is_text(tmp_path: Path) -> None:
    pages = [Page([Lines(["NO EELS TODAY"], centred=True), Para(prose(40, 8), before=13), *paragraphs(1, seed=7)])]

    book = read(tmp_path, [*capital_openings(["THE WEIR", "LOW WATER", "HARVEST"]), *pages])

    assert titles(book) == ["THE WEIR", "LOW WATER", "HARVEST"]
    assert texts(book).count("NO EELS TODAY") == 4


def small_capitals(text: str) -> str:
    """Capitals and small capitals, each word by itself."""
    return " ".join(f"{word[0]}{{s:{word[1:].upper()}}}" if len(word) > 1 else word for word in text.split())


def test_titles_in_small_capitals_at_body_size_head_chapters_and_an_opening_phrase_does_not(tmp_path: Path) -> None:
    names = ["The Weir", "Low Water", "Harvest"]
    pages = []
    for n, name in enumerate(names):
        first = f"{small_capitals('The Miller Never')} {prose(40, n)}"
        pages.append(Page([Lines([small_capitals(name)], centred=True), Para(first, before=26)], top=70))
        pages += [Page(body) for body in flow(paragraphs(5, seed=n + 20))]

    book = read(tmp_path, pages)

    assert titles(book) == [name.upper() for name in names]
    assert sum(block.startswith("THE MILLER NEVER The") for block in texts(book)) == 3


def test_a_title_whose_initials_are_larger_is_one_heading(tmp_path: Path) -> None:
    pages = chapters(["The Weir", "Low Water"])
    size = 18.0
    x, marks = 60.0, []
    for word in ("PAPER", "BOATS"):
        for place, letter in enumerate(word):
            used = size if place == 0 else 0.75 * size
            marks.append(At(x, 68, letter, used))
            x += text_width(letter, used)
        x += 5

    assert titles(read(tmp_path, [*pages, Page(paragraphs(3, seed=9), top=95, marks=marks)]))[-1] == "PAPER BOATS"


@pytest.mark.parametrize("label", ["{}", "Chapter {}", "— {} —"])
def test_centred_numerals_that_run_on_in_mid_page_head_chapters(tmp_path: Path, label: str) -> None:
    blocks: list[Para | Lines | None] = paragraphs(1, seed=9)
    for n, numeral in enumerate(["I", "II", "III", "IV", "V"]):
        body = paragraphs(5, seed=n)
        blocks += [Lines([label.format(numeral)], centred=True, before=20), Para(body[0].text, before=16), *body[1:]]

    book = read(tmp_path, [Page(page) for page in flow(blocks)])

    assert titles(book) == [label.format(numeral) for numeral in ("I", "II", "III", "IV", "V")]
    assert book.evidence["chapters named by"] == "labels that count"


def test_numbered_poems_one_a_page_keep_their_numbers(tmp_path: Path) -> None:
    pages = [
        Page([Lines([numeral], centred=True), Para(prose(60, n), before=26)], folio=str(n))
        for n, numeral in enumerate(["I", "II", "III", "IV"], 7)
    ]

    found = text(read(tmp_path, [*pages, *leaves(2)[0]])).split("\n")

    assert [line for line in found if len(line) < 4] == ["I", "II", "III", "IV"]


def test_the_pronoun_at_a_lines_start_is_no_numeral(tmp_path: Path) -> None:
    pages = [
        Page([*paragraphs(2, seed=n), Para("I never saw it.", before=13), *paragraphs(1, seed=n + 9)]) for n in range(3)
    ]

    assert not headings(read(tmp_path, pages))


def test_a_typescript_all_in_bold_has_headings_by_label_alone(tmp_path: Path) -> None:
    pages = []
    for n, name in enumerate(["CHAPTER I. THE WEIR", "CHAPTER II. LOW WATER", "CHAPTER III. HARVEST"]):
        body = [
            Para(prose(30, 10 * n), face="mono bold"),
            Para("Chapter and verse were quoted to us.", face="mono bold"),
            Lines(["NO ENTRY."], face="mono bold", inset=12),
            Para(prose(15, 10 * n + 1), face="mono bold"),
        ]
        top = Lines([name], face="mono bold", centred=True)
        pages += [Page([top, Para(body[0].text, face="mono bold", before=26), *body[1:]], top=70)]
        pages += [Page([Para(prose(40, 10 * n + 5 + m), face="mono bold") for m in range(2)])]

    book = read(tmp_path, pages)

    assert titles(book) == ["CHAPTER I. THE WEIR", "CHAPTER II. LOW WATER", "CHAPTER III. HARVEST"]
    assert text(book).count("NO ENTRY.") == 3
    assert len(headings(book)) == 3


@pytest.mark.parametrize(
    ("text", "capitals"), [("THE WEIR, 1842", True), ("The Weir", False), ("1842", False), ("ÜBER ALLES", True)]
)
def test_is_caps(text: str, capitals: bool) -> None:
    assert is_caps(text) is capitals


# --- what one heading is ---------------------------------------------------------------------------------------------


def test_a_title_over_three_lines_is_one_heading_under_its_label(tmp_path: Path) -> None:
    title = heading("In which the lamp is lost\nand looked for, and found\nby a child", before=12)

    book = read(
        tmp_path, [*chapters(["Chapter One", "Chapter Two"]), opening(heading("Chapter Three"), title, count=2)]
    )

    assert titles(book)[2:] == ["Chapter Three", "In which the lamp is lost and looked for, and found by a child"]


def test_a_title_broken_inside_a_word_is_closed_up(tmp_path: Path) -> None:
    pages = [
        *chapters(["The Weir", "Low Water"]),
        opening(heading("A history of the water-\nmen and their remem-\nbrance")),
    ]

    assert titles(read(tmp_path, pages))[2].endswith("remembrance")


def test_a_number_above_its_title_is_a_heading_of_its_own(tmp_path: Path) -> None:
    pages = [
        opening(heading(str(n), 24), heading(name, 14, before=20), seed=n)
        for n, name in enumerate(["The Weir", "Low Water", "Harvest"], 1)
    ]
    pages = [page for n, first in enumerate(pages) for page in (first, *leaves(2, seed=30 + n)[0])]

    assert titles(read(tmp_path, pages)) == ["1", "The Weir", "2", "Low Water", "3", "Harvest"]


def test_number_and_title_on_one_line_are_one_heading(tmp_path: Path) -> None:
    """The title hangs beside its number, a wide gap between them."""
    pages = []
    for n, name in enumerate(["The Weir", "Low Water", "Harvest"], 1):
        marks = [At(MARGIN, 75, str(n), 18), At(MARGIN + 40, 75, name, 18)]
        pages += [Page(paragraphs(3, seed=n), top=95, marks=marks), *leaves(2, seed=30 + n)[0]]

    found = titles(read(tmp_path, pages))

    assert " ".join(found) == "1 The Weir 2 Low Water 3 Harvest"


def test_a_section_heading_right_under_the_title_is_parted_from_it(tmp_path: Path) -> None:
    pages = [
        Page(
            [
                heading(name, 20),
                Lines([f"A {name.lower()} begins"], size=12, face="bold", before=8),
                Para(prose(40, n), before=8),
                Lines([f"Of the {name.lower()}"], size=12, face="bold", before=14),
                Para(prose(40, n + 9), before=8),
            ]
        )
        for n, name in enumerate(["Weir", "Ford", "Quay"])
    ]

    book = read(tmp_path, pages)

    assert titles(book) == ["Weir", "Ford", "Quay"]
    assert headings(book)[:3] == [(1, "Weir"), (2, "A weir begins"), (2, "Of the weir")]


def test_headings_are_not_joined_to_the_paragraphs_around_them(tmp_path: Path) -> None:
    before, after = paragraphs(2)
    pages = [Page([before, Lines(["Of boats"], face="bold", before=14), Para(after.text, before=2)])]

    assert [block.text for block in read(tmp_path, [*pages, *leaves(1)[0]]).blocks[:3]] == [
        before.text,
        "Of boats",
        after.text,
    ]


def test_a_sentence_cut_by_a_chapters_page_is_not_joined_over_its_title(tmp_path: Path) -> None:
    pages = [Page([*paragraphs(3), Lines(["And then there was the"], inset=12)]), *chapters(["The Weir", "Low Water"])]

    assert "And then there was the" in texts(read(tmp_path, pages))


def test_words_of_headings_are_never_lost(tmp_path: Path) -> None:
    names = ["The Weir", "Low Water", "Harvest"]

    book = read(tmp_path, [*chapters(names), *sections(["Of boats", "Of locks"], size=12)])

    found = words(text(book))
    assert all(word in found for name in [*names, "Of boats", "Of locks"] for word in words(name))
    assert not ledger(book)
