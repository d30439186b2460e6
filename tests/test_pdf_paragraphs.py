"""Lines into paragraphs: where one ends, what runs on over columns and pages, what keeps its lines."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pdf_fixtures import BODY, MEASURE, Lines, Page, Para, flow, heading, text_width
from pdf_reading import leaves, ledger, paragraphs, prose, read, text, texts, words

from bookblend.extract.model import Book, Kind
from bookblend.extract.pdf_lines import Line
from bookblend.extract.pdf_paragraphs import append_text, join_lines


def around(folder: Path, *blocks: Para | Lines) -> list[str]:
    """The blocks that come of what stands between two paragraphs of a book that indents its paragraphs."""
    book = read(folder, [Page([*paragraphs(1), *blocks, *paragraphs(1, seed=8)]), *leaves(2)[0]])
    found = texts(book)
    assert found[0] == paragraphs(1)[0].text
    return found[1 : found.index(paragraphs(1, seed=8)[0].text)]


def kinds(book: Book) -> list[Kind]:
    return [block.kind for block in book.blocks]


# --- where a paragraph ends ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("justify", [True, False])
def test_an_indent_opens_a_paragraph(tmp_path: Path, justify: bool) -> None:
    written = [Para(prose(30 + n, n), justify=justify) for n in range(12)]

    book = read(tmp_path, [Page(page) for page in flow(written)])

    assert texts(book) == [para.text for para in written]
    assert book.evidence["indent"] == 12.0


@pytest.mark.parametrize("justify", [True, False])
def test_a_gap_opens_a_paragraph_where_none_is_indented(tmp_path: Path, justify: bool) -> None:
    written = [Para(prose(24 + n, n), indent=0, before=7, justify=justify) for n in range(12)]

    book = read(tmp_path, [Page(page) for page in flow(written)])

    assert texts(book) == [para.text for para in written]


def flush(count: int, words: int = 30) -> list[Para]:
    """Paragraphs without indent whose last lines leave a third of the measure."""
    written = [Para(prose(words, seed), indent=0, justify=True) for seed in range(4 * count)]
    last = [flow([para])[-1][-1].lines[0] for para in written]
    return [para for para, line in zip(written, last, strict=True) if text_width(line) < 0.66 * MEASURE][:count]


def test_a_short_last_line_ends_a_paragraph_where_neither_gap_nor_indent_does(tmp_path: Path) -> None:
    written = flush(12)

    assert texts(read(tmp_path, [Page(page) for page in flow(written)])) == [para.text for para in written]


def test_a_short_line_inside_a_sentence_ends_nothing(tmp_path: Path) -> None:
    """A line may end early because what follows could not be broken (an address, a long word)."""
    rows = [
        "The whole of it was written down by the",
        "warden-and-miller’s-association-of-the-river and was",
        "then put away for good and all in the long shed.",
    ]

    assert around(tmp_path, Lines(rows[:1], inset=12), Lines(rows[1:])) == [" ".join(rows)]


def test_the_paragraph_after_a_heading_may_stand_flush(tmp_path: Path) -> None:
    first, *others = paragraphs(4)
    flush = Para(first.text, indent=0, before=12, justify=True)

    book = read(tmp_path, [Page([heading("The Weir"), flush, *others]), *leaves(2)[0]])

    assert texts(book)[:3] == [first.text, others[0].text, others[1].text]


def test_each_speech_of_a_dialogue_is_a_paragraph(tmp_path: Path) -> None:
    speeches = ["“Is it late?”", "“It is.”", "“Then go on without me, and take the lamp.”", "“I will not.”", "He went."]

    assert around(tmp_path, *(Para(speech) for speech in speeches)) == speeches


def test_dialogue_without_indents_is_parted_by_room_for_the_next_word(tmp_path: Path) -> None:
    blocks = [part for para in flush(6) for part in (para, Para("“Is it late?”", indent=0), Para("“It is.”", indent=0))]

    assert texts(read(tmp_path, [Page(page) for page in flow(blocks)])) == [block.text for block in blocks]


def test_a_wider_line_distance_inside_a_stretched_page_ends_nothing(tmp_path: Path) -> None:
    """Justified pages are stretched to their foot by a tenth of the leading."""
    rows = [line for page in flow([paragraphs(1, words=90)[0]]) for line in page]
    stretched = [Lines(line.lines, inset=line.inset, width=line.width, before=1.2) for line in rows]

    book = read(tmp_path, [Page(stretched), *leaves(3)[0]])

    assert texts(book)[0] == paragraphs(1, words=90)[0].text


# --- over pages ------------------------------------------------------------------------------------------------------


def two_pages(folder: Path, last: str, first: str, indent: float = 0.0, width: float = MEASURE) -> list[str]:
    """Blocks of a book in which one page ends with the line `last` and the next begins with the line `first`."""
    before = [
        Page(
            [
                *paragraphs(3),
                Lines(["It was late, and this is a line of text that is full"]),
                Lines([last], width=width),
            ]
        )
    ]
    after = [Page([Lines([first], inset=indent), *paragraphs(3, seed=6)])]
    found = texts(read(folder, [*before, *after, *leaves(3)[0]]))
    return [block for block in found if last.split()[0] in block or first.split()[-1] in block]


def test_a_sentence_that_crosses_a_page_is_one_paragraph(tmp_path: Path) -> None:
    found = two_pages(tmp_path, "Xylon never said to anybody in the house what he", "had seen there by the zenith.")

    assert len(found) == 1
    assert found[0].endswith("what he had seen there by the zenith.")


def test_a_full_last_line_and_a_flush_first_one_are_one_paragraph_even_at_a_full_stop(tmp_path: Path) -> None:
    found = two_pages(tmp_path, "Xylon never said to anybody in the house at night.", "Then he left for the zenith.")

    assert len(found) == 1


def test_an_indented_first_line_opens_a_paragraph_on_a_new_page(tmp_path: Path) -> None:
    found = two_pages(
        tmp_path, "Xylon never said to anybody in the house at night.", "Then he left for the zenith.", indent=12
    )

    assert len(found) == 2


def test_a_short_last_line_ends_a_paragraph_at_the_foot_of_a_page(tmp_path: Path) -> None:
    found = two_pages(tmp_path, "Xylon never said.", "Then he left for the zenith.", width=0)

    assert len(found) == 2


def test_a_paragraph_over_three_pages_is_one(tmp_path: Path) -> None:
    long = prose(700, 3)

    book = read(
        tmp_path, [Page(page) for page in flow([*paragraphs(2), Para(long, justify=True), *paragraphs(2, seed=4)])]
    )

    assert long in texts(book)
    (block,) = (block for block in book.blocks if block.text == long)
    assert (block.place.page, block.place.end_page) == (1, 4)


def test_a_page_of_one_picture_does_not_part_a_sentence(tmp_path: Path) -> None:
    pages, written = leaves(2)
    pages.insert(1, Page(picture=(60, 60, 240, 300)))

    book = read(tmp_path, pages)

    assert words(text(book)) == words(written)
    assert all(block.endswith(".") for block in texts(book)[:-1])


# --- verse, quotations, lists ----------------------------------------------------------------------------------------

STANZA = [
    "The river took the lower field",
    "and left a rim of foam,",
    "it took the barn, it took the gate,",
    "it would not take us home.",
]


def test_verse_keeps_its_lines(tmp_path: Path) -> None:
    book = read(
        tmp_path,
        [Page([*paragraphs(2), Lines(STANZA, inset=30, before=13), Para(prose(20, 9), before=13)]), *leaves(2)[0]],
    )

    assert book.blocks[2].text == "\n".join(STANZA)
    assert book.blocks[2].kind is Kind.VERSE


def test_stanzas_are_blocks_of_their_own(tmp_path: Path) -> None:
    other = [line.replace("river", "winter") for line in STANZA]

    found = around(
        tmp_path, Lines(STANZA, inset=30, before=13), Lines(other, inset=30, before=13), Para("So it went.", before=13)
    )

    assert found == ["\n".join(STANZA), "\n".join(other), "So it went."]


def test_long_verse_of_uneven_lines_keeps_its_lines(tmp_path: Path) -> None:
    lines = [
        "The river took the lower field and left a rim",
        "of foam, it took the barn,",
        "it took the gate, it would not take us",
        "home again,",
        "and all that winter long we sat and heard it",
        "go by.",
    ]

    found = around(tmp_path, Lines(lines, inset=14, before=13), Para("So it went.", before=13))

    assert found == ["\n".join(lines), "So it went."]


def test_verse_with_every_other_line_set_in_keeps_its_lines(tmp_path: Path) -> None:
    lines = [Lines([line], inset=30 + 12 * (n % 2), before=13 if n == 0 else 0) for n, line in enumerate(STANZA)]

    assert around(tmp_path, *lines, Para("So it went.", before=13))[0] == "\n".join(STANZA)


def test_a_quotation_set_in_on_both_sides_is_prose(tmp_path: Path) -> None:
    quoted = prose(40, 7)

    assert around(
        tmp_path, Para(quoted, inset=18, indent=0, before=8, justify=True), Para("So it said.", before=8)
    ) == [
        quoted,
        "So it said.",
    ]


def test_a_ragged_quotation_is_prose(tmp_path: Path) -> None:
    quoted = prose(50, 7)

    assert quoted in around(tmp_path, Para(quoted, size=9, inset=14, indent=0, before=8), Para("So it said.", before=8))


RAGGED = pytest.param(
    False, marks=pytest.mark.xfail(raises=AssertionError, reason="lines that hang are known by full lines above them")
)


@pytest.mark.parametrize("justify", [True, RAGGED])
def test_bullets_open_items_and_are_not_written(tmp_path: Path, justify: bool) -> None:
    items = [prose(19 + n, n) for n in range(3)]
    listed = [Para(f"• {item}", indent=10, hang=True, before=3, justify=justify) for item in items]

    book = read(tmp_path, [Page([*paragraphs(1), *listed, Para("That was all.", before=8)]), *leaves(2)[0]])

    assert texts(book)[1:4] == items
    assert kinds(book)[1:4] == [Kind.ITEM] * 3


@pytest.mark.parametrize("justify", [True, RAGGED])
@pytest.mark.parametrize(
    "gap",
    [
        8,
        pytest.param(0, marks=pytest.mark.xfail(raises=AssertionError, reason="hanging lines of one group with prose")),
    ],
)
def test_numbered_items_that_hang_are_items_with_their_numbers(tmp_path: Path, justify: bool, gap: float) -> None:
    items = [f"{n}. {prose(20, n)}" for n in range(1, 5)]
    listed = [Para(item, indent=14, hang=True, justify=justify, before=0 if n else gap) for n, item in enumerate(items)]

    assert texts(read(tmp_path, [Page([*paragraphs(1), *listed]), *leaves(2)[0]]))[1:5] == items


@pytest.mark.parametrize("justify", [True, RAGGED])
def test_a_bibliography_that_hangs_is_parted_at_its_outer_lines(tmp_path: Path, justify: bool) -> None:
    names = ["Arden", "Brook", "Cope", "Dale"]
    entries = [f"{name}, Aldous. {prose(24, n)} Weir Press, 1842." for n, name in enumerate(names)]
    listed = [Para(entry, indent=16, hang=True, justify=justify) for entry in entries]

    assert texts(read(tmp_path, [*leaves(3)[0], Page([heading("Sources"), *listed])]))[-4:] == entries


def test_an_index_in_two_columns_is_parted_at_its_entries(tmp_path: Path) -> None:
    entries = [f"{word}, {n}, {n + 31}" for n, word in enumerate(words(prose(30, 5))[::2], 3)]

    book = read(tmp_path, [*leaves(3)[0], Page([Lines(entries)], columns=2)])

    assert words(text(book))[-len(words(" ".join(entries))) :] == words(" ".join(entries))


def test_an_address_keeps_its_lines(tmp_path: Path) -> None:
    address = ["Aldous Brook", "The Lock House", "Upper Weir"]

    found = around(tmp_path, Lines(address, inset=100, before=13), Para("Dear Sir,", before=13))

    assert found == ["\n".join(address), "Dear Sir,"]


def test_a_signature_at_the_right_is_a_block_of_its_own(tmp_path: Path) -> None:
    signed = Lines(["Aldous Brook"], inset=140, before=13)

    assert around(tmp_path, Para("So it ended."), signed, Para("They read it twice.", before=13)) == [
        "So it ended.",
        "Aldous Brook",
        "They read it twice.",
    ]


@pytest.mark.xfail(raises=AssertionError, reason="an indented line under one that is set in further opens nothing")
def test_a_date_at_the_right_is_no_part_of_the_paragraph_right_under_it(tmp_path: Path) -> None:
    dated = Lines(["Upper Weir, the 3rd of May"], inset=90, before=13)

    assert around(tmp_path, dated, Para(prose(30, 6), justify=True))[:2] == [dated.lines[0], prose(30, 6)]


def test_lines_of_code_keep_their_lines(tmp_path: Path) -> None:
    code = ["open gate", "wait 40", "close gate"]

    found = around(tmp_path, Lines(code, face="mono", before=8), Para("And that is all.", before=8))

    assert found[0].split("\n") == code


def test_a_listing_keeps_the_blanks_before_its_lines(tmp_path: Path) -> None:
    rows = [("if open(gate) {", 0), ("wait(40);", 12), ("}", 0)]
    listing = [Lines([row], face="mono", inset=inset, before=0 if n else 8) for n, (row, inset) in enumerate(rows)]

    book = read(tmp_path, [Page([*paragraphs(1), *listing, Para("And that is all.", before=8)]), *leaves(2)[0]])

    assert book.blocks[1].kind is Kind.CODE
    assert book.blocks[1].text == "if open(gate) {\n  wait(40);\n}"


def test_a_sentence_in_typewriter_type_is_a_paragraph(tmp_path: Path) -> None:
    written = "The telegram said that the gate was shut and that nobody had the key to it any more."

    assert around(tmp_path, Para(written, size=9, face="mono", before=8), Para("So it went.", before=8)) == [
        written,
        "So it went.",
    ]


# --- joining ---------------------------------------------------------------------------------------------------------


def joiner(left: str, sign: str, right: str) -> str:
    """A joiner that shows what it was asked."""
    return f"{left}<{sign}>{right}"


@pytest.mark.parametrize(
    ("text", "piece", "joined"),
    [
        ("It was", "late.", "It was late."),
        ("It re-", "membered it", "It re<->membered it"),
        ("It re‐", "membered it", "It re<‐>membered it"),
        ("It re\xad", "membered it", "It re<\xad>membered it"),
        ("It was well-\xad", "known there", "It was well-known there"),
        ("It was late—", "and cold", "It was late—and cold"),
        ("It was late —", "and cold", "It was late — and cold"),
        ("It was late", "—and cold", "It was late—and cold"),
        pytest.param(
            "It was late",
            "— and cold",
            "It was late — and cold",
            marks=pytest.mark.xfail(raises=AssertionError, reason="a dash that opens a line takes the blank before it"),
        ),
        ("It was late --", "and cold", "It was late -- and cold"),
        ("It was late -", "and cold", "It was late - and cold"),
        ("in 1914–", "1918 they", "in 1914–1918 they"),
        ("either/", "or was", "either/or was"),
        ("川の水が", "流れた", "川の水が流れた"),
    ],
)
def test_append_text_joins_as_reading_does(text: str, piece: str, joined: str) -> None:
    assert append_text(text, piece, joiner) == joined


def test_join_lines_squeezes_blanks_and_asks_at_hyphens_only() -> None:
    lines = [Line(1, text, (0, 0, 1, 1), 1, BODY) for text in ("It  was ", "the re-", "membered ", "day.")]

    assert join_lines(lines, joiner) == "It was the re<->membered day."


def test_no_paragraph_is_lost_between_others(tmp_path: Path) -> None:
    mixed: Sequence[Para | Lines] = [
        *paragraphs(2),
        Lines(STANZA, inset=30, before=13),
        Para("• One thing.", indent=10, hang=True, before=8),
        Para("• Another thing.", indent=10, hang=True),
        Para(prose(30, 5), inset=18, indent=0, size=9, before=8),
        Para("So it went.", before=8),
    ]

    book = read(tmp_path, [Page(page) for page in flow([*mixed, *paragraphs(5, seed=3)])])

    parts = [" ".join(block.lines) if isinstance(block, Lines) else block.text for block in mixed]
    assert words(text(book))[: len(words(" ".join(parts)))] == words(" ".join(parts))
    assert not ledger(book)
