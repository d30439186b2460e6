"""Scripts that do not run from left to right in rows: Hebrew by place, columns of Japanese.

The glyphs are Latin ones that the font declares to be others; where a glyph stands is all that matters here.
"""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pdf_fixtures import MARGIN, At, Page, make_pdf, remap, text_width
from pdf_reading import paragraphs, read_bytes, text

from bookblend.extract.model import Book

LATIN = "abcdefghijklmnopqrstuv"
HEBREW = "אבגדהוזחטיכלמנסעפצקרשת"
KANA = "あいうえおかきくけこさしすせそたちつてとなに"


def hebrew(written: str) -> str:
    """What Latin letters stand for."""
    return written.translate(str.maketrans(LATIN, HEBREW))


def of(folder: Path, marks: Sequence[At], letters: str) -> Book:
    page = Page(marks=marks)
    return read_bytes(folder, remap(make_pdf([page]), dict(zip(LATIN, letters, strict=True))))


def mirrored(logical: str) -> str:
    """A right-to-left line as it stands on the page, from the left: letters turned, numbers not, brackets mirrored."""
    pieces, number = [], ""
    for sign in logical:
        if sign.isdigit() or sign.isupper():
            number += sign
            continue
        pieces += [number, sign.translate(str.maketrans("()", ")("))]
        number = ""
    return "".join(reversed([*pieces, number]))


LINES = ["abg dhvu bar", "hne (cd) rst 1842 ab", "lmnop ABC qrst uv", "cde fgh ijk."]


def test_lines_stored_as_they_stand_on_the_page_are_read_from_the_right(tmp_path: Path) -> None:
    rows = [At(MARGIN, 80 + 16 * n, mirrored(line)) for n, line in enumerate(LINES)]

    assert text(of(tmp_path, rows, HEBREW)).split() == hebrew(" ".join(LINES)).split()


def test_lines_stored_in_reading_order_are_read_alike(tmp_path: Path) -> None:
    """Every letter is placed by itself, the first one at the right."""
    marks = []
    for n, line in enumerate(["abg dhvu bar", "cde fgh ijk."]):
        x = 250.0
        for letter in line:
            x -= text_width(letter)
            if letter != " ":
                marks.append(At(x, 80 + 16 * n, letter))

    assert text(of(tmp_path, marks, HEBREW)).split() == hebrew("abg dhvu bar cde fgh ijk.").split()


def test_a_year_keeps_its_digits_and_brackets_open_before_they_close(tmp_path: Path) -> None:
    found = text(of(tmp_path, [At(MARGIN, 80, mirrored("abc (1842) def"))], HEBREW))

    assert found == hebrew("abc (1842) def")


def test_latin_words_inside_a_line_stand_as_they_are_read(tmp_path: Path) -> None:
    found = text(of(tmp_path, [At(MARGIN, 80, mirrored("abc ABC def"))], HEBREW))

    assert found == hebrew("abc ABC def")


def columns(lines: Sequence[str], size: float = 10.0) -> list[At]:
    """Characters one by one, columns from right to left."""
    return [
        At(250 - 18 * n, 60 + 12 * place, letter, size)
        for n, line in enumerate(lines)
        for place, letter in enumerate(line)
    ]


VERTICAL = ["abcdefghijklm", "nopqrstuvabcd", "efghijklmnopq"]


def test_columns_of_single_characters_are_read_from_the_right_and_downwards(tmp_path: Path) -> None:
    found = text(of(tmp_path, columns(VERTICAL), KANA))

    assert found.replace("\n", "") == "".join(VERTICAL).translate(str.maketrans(LATIN, KANA))


def test_readings_beside_a_column_are_not_between_its_characters(tmp_path: Path) -> None:
    ruby = [At(260, 62, "u", 5), At(260, 68, "v", 5)]

    book = of(tmp_path, [*columns(["abcdefghijklm", "nopqrstabcdef"]), *ruby], KANA)

    assert "うえお" in text(book)
    assert "な" not in text(book) and "に" not in text(book)
    assert [entry.text for entry in book.dropped] == ["な", "に"]


def test_a_row_of_wide_characters_is_a_row(tmp_path: Path) -> None:
    found = text(of(tmp_path, [At(MARGIN, 80, "abcdefghij"), At(MARGIN, 96, "klmnop")], KANA))

    assert found.replace("\n", "") == "abcdefghijklmnop".translate(str.maketrans(LATIN, KANA))


@pytest.mark.parametrize("count", [1, 2])
def test_latin_pages_are_left_alone(tmp_path: Path, count: int) -> None:
    made = make_pdf([Page(paragraphs(4, seed=n)) for n in range(count)])

    found = text(read_bytes(tmp_path, made))

    assert found.split("\n") == [para.text for n in range(count) for para in paragraphs(4, seed=n)]
