"""Hyphens at line ends of a PDF: what the words say, and what the file's own signs say."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pdf_fixtures import Lines, Page, Para, make_pdf, remap
from pdf_reading import leaves, paragraphs, prose, read, read_bytes, text

from bookblend.extract.model import Book


def broken(folder: Path, left: str, right: str, elsewhere: str = "") -> str:
    """How a word comes out that breaks after `left`, in a book that also says `elsewhere`."""
    rows = [f"They had heard nothing at all of the {left}", f"{right} before the evening of that day."]
    book = read(folder, [Page([*paragraphs(1), Lines(rows), Para(f"{prose(9)} {elsewhere}")]), *leaves(2)[0]])
    (found,) = (block.text for block in book.blocks if "They had heard" in block.text)
    return found.partition("nothing at all of the ")[2].partition(" before the evening")[0]


@pytest.mark.parametrize(
    ("left", "right", "elsewhere", "joined"),
    [
        ("remem-", "brance", "", "remembrance"),
        ("har-", "bour", "", "harbour"),
        ("quay-", "master", "The quaymaster slept.", "quaymaster"),
        ("quay-", "master", "The quay-master slept.", "quay-master"),
        ("tide-", "table", "A tide-table hung there.", "tide-table"),
        ("self-", "made", "", "self-made"),
        ("re-", "painted", "It was repainted.", "repainted"),
        ("well-", "known", "It was well-known.", "well-known"),
        ("Anglo-", "Norse", "", "Anglo-Norse"),
        ("mother-in-", "law", "", "mother-in-law"),
        ("long-", "and short-handled", "", "long- and short-handled"),
        ("1914-", "1918", "", "1914-1918"),
    ],
)
def test_the_books_own_words_decide_then_a_word_list(
    tmp_path: Path, left: str, right: str, elsewhere: str, joined: str
) -> None:
    assert broken(tmp_path, left, right, elsewhere) == joined


# --- signs of the engine's own ---------------------------------------------------------------------------------------

SOFT, PRINTED = "\xad", "\u2010"
WORDS = [
    "har|bour",
    "lan|tern",
    "or|chard",
    "cous|in",
    "ket|tle",
    "shep|herd",
    "sta|tion",
    "win|dow",
    "bar|rel",
    "chap|el",
]


def signed(folder: Path, sign: str, rows: Sequence[str] = ()) -> Book:
    """A book whose line ends carry `sign` (drawn as ~), and those rows."""
    ends = [f"He saw the {word.replace('|', '~|')} again." for word in [*WORDS, *reversed(WORDS)]]
    lines = [part for end in ends for part in end.split("|")]
    pages = [Page([Lines(lines[:20])]), Page([Lines(lines[20:])]), Page([*paragraphs(1), Lines(rows, before=13)])]
    return read_bytes(folder, remap(make_pdf(pages), {"~": sign}))


@pytest.mark.parametrize("sign", [SOFT, PRINTED])
def test_a_break_with_a_sign_of_its_own_is_closed_up(tmp_path: Path, sign: str) -> None:
    found = text(signed(tmp_path, sign))

    assert all(found.count(f"He saw the {word.replace('|', '')} again.") == 2 for word in WORDS)
    assert sign not in found


@pytest.mark.parametrize("sign", [SOFT, PRINTED])
def test_a_plain_hyphen_is_the_words_own_where_breaks_have_a_sign(tmp_path: Path, sign: str) -> None:
    found = text(signed(tmp_path, sign, ["It was a remem-", "brance of the har~", "bour."]))

    assert "a remem-brance of the harbour." in found


def test_a_suspended_hyphen_keeps_its_blank_where_breaks_have_a_sign(tmp_path: Path) -> None:
    found = text(signed(tmp_path, SOFT, ["They had bought a hundred of the long-", "and short-handled oars."]))

    assert "long- and short-handled oars." in found


def test_soft_hyphens_inside_lines_are_never_written(tmp_path: Path) -> None:
    page = Page([Para("The har~bour and the lan~tern were old."), *paragraphs(2)])

    found = text(read_bytes(tmp_path, remap(make_pdf([page]), {"~": SOFT})))

    assert found.startswith("The harbour and the lantern were old.")


def test_a_soft_hyphen_at_a_line_end_joins_even_unknown_words(tmp_path: Path) -> None:
    page = Page([*paragraphs(1), Lines(["They saw the blor~", "gian keep."], before=13)])

    assert "the blorgian keep." in text(read_bytes(tmp_path, remap(make_pdf([page]), {"~": SOFT})))


def test_a_hard_hyphen_with_a_soft_one_behind_it_stays(tmp_path: Path) -> None:
    page = Page([*paragraphs(1), Lines(["They saw the blor-~", "gian keep."], before=13)])

    assert "the blor-gian keep." in text(read_bytes(tmp_path, remap(make_pdf([page]), {"~": SOFT})))


def test_a_few_signs_say_nothing_about_the_plain_hyphen(tmp_path: Path) -> None:
    rows = ["He saw the har~", "bour and its remem-", "brance."]

    found = text(read_bytes(tmp_path, remap(make_pdf([Page([*paragraphs(1), Lines(rows, before=13)])]), {"~": SOFT})))

    assert "the harbour and its remembrance." in found


# --- over columns and pages ------------------------------------------------------------------------------------------


def test_a_word_broken_at_the_foot_of_a_page_is_whole(tmp_path: Path) -> None:
    first = Page(
        [*paragraphs(3), Lines(["They had heard nothing at all of the remem-"], inset=12)], head="Fords", folio="1"
    )
    second = Page([Lines(["brance of it."]), *paragraphs(3, seed=4)], head="Fords", folio="2")

    assert "of the remembrance of it." in text(read(tmp_path, [first, second]))


def test_a_word_broken_at_the_foot_of_a_column_is_whole(tmp_path: Path) -> None:
    left = [f"Left row {n} fills it all" for n in "abcdefghijklmnopqrstuvwxy"]
    rows = [*left, "and of the remem-", "brance of it all.", *(f"Right row {n} fills it so" for n in "abcdefghij")]

    assert "of the remembrance of it all." in text(read(tmp_path, [Page([Lines(rows)], columns=2)]))


def test_a_word_broken_above_a_footnote_is_whole(tmp_path: Path) -> None:
    first = Page(
        [Para(f"It was so.^1 {prose(40)}"), Lines(["They had heard nothing at all of the remem-"], inset=12)],
        notes=["^1 See the other ledger."],
    )

    found = text(read(tmp_path, [first, Page([Lines(["brance of it."]), *paragraphs(3, seed=4)]), *leaves(2)[0]]))

    assert "of the remembrance of it." in found


def test_a_dash_at_a_line_end_takes_no_blank_and_loses_nothing(tmp_path: Path) -> None:
    assert broken(tmp_path, "harbour—", "the old one—") == "harbour—the old one—"


def test_hyphens_inside_lines_are_left_alone(tmp_path: Path) -> None:
    page = Page([Para("A well-known, half-painted sea-wall of 1914-1918."), *paragraphs(2)])

    assert text(read(tmp_path, [page])).startswith("A well-known, half-painted sea-wall of 1914-1918.")
