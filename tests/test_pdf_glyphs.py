"""Glyphs whose Unicode values are wrong or missing: mended from the fonts, or told, or the book refused."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from pdf_fixtures import MARGIN, Lines, Page, Para, edit_pdf, make_pdf, remap
from pdf_reading import leaves, paragraphs, prose, read, read_bytes, text, texts, words

from bookblend.errors import InputError
from bookblend.extract import pdf_glyphs
from bookblend.extract.model import Book
from bookblend.extract.pdf_codes import swapped_letters

LIGATURES = "The of\ufb01cer of the con\ufb02ict was con\ufb01dent in his of\ufb01ce, and brie\ufb02y \ufb01ne."
LETTERS = "The officer of the conflict was confident in his office, and briefly fine."
LOWER = "abcdefghijklmnopqrstuvwxyz"


def shifted(text: str, by: int = 3) -> str:
    """A text with every small letter moved on in the alphabet, as a scrambled table gives it."""
    return text.translate(str.maketrans(LOWER, LOWER[by:] + LOWER[:by]))


def of(folder: Path, mapping: Mapping[str, str], *blocks: Para) -> Book:
    """A book whose font declares glyphs to be what `mapping` says."""
    pages = [Page([*blocks, *paragraphs(2)]), *leaves(2)[0]]
    return read_bytes(folder, remap(make_pdf(pages), mapping))


def told(book: Book, words: str) -> bool:
    return any(words in warning for warning in book.warnings)


# --- ligatures -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("first", "second"),
    [
        pytest.param("\ue001", "\ue002", id="private use"),
        pytest.param("\x00", "\x00", id="NUL"),
        pytest.param("\ufffd", "\ufffd", id="replacement"),
        pytest.param("O", "Q", id="capitals"),
    ],
)
def test_ligatures_declared_wrongly_are_read_by_their_glyphs_names(tmp_path: Path, first: str, second: str) -> None:
    book = of(tmp_path, {"\ufb01": first, "\ufb02": second}, Para(LIGATURES))

    assert texts(book)[0] == LETTERS
    assert told(book, "glyphs were mapped wrongly")


def test_ligatures_declared_rightly_need_no_mending(tmp_path: Path) -> None:
    book = of(tmp_path, {"\ufb01": "fi", "\ufb02": "\ufb02"}, Para(LIGATURES))

    assert texts(book)[0] == LETTERS
    assert not book.warnings


def test_a_whole_scrambled_table_is_read_by_the_font(tmp_path: Path) -> None:
    mapping = dict(zip(LOWER, shifted(LOWER), strict=True))

    book = of(tmp_path, mapping, Para(LETTERS))

    assert texts(book)[0] == LETTERS
    assert told(book, "glyphs were mapped wrongly")


def test_names_with_capitals_inside_are_left_alone(tmp_path: Path) -> None:
    written = "McAdam and MacLeish took the iPad to DeWitt, and typed getValue and setValue into it."

    book = read(tmp_path, [Page([Para(written), *paragraphs(2)]), *leaves(2)[0]])

    assert texts(book)[0] == written
    assert not book.warnings


# --- what no font tells ----------------------------------------------------------------------------------------------


def with_plain_font(data: bytes, table: Mapping[str, str]) -> bytes:
    """The PDF with a font /plain for raw operators: not embedded, its codes declared to be what `table` says."""
    rows = "\n".join(f"<{ord(code):02X}> <{text.encode('utf-16-be').hex()}>" for code, text in table.items())
    stream = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /Plain def /CMapType 2 def\n"
        f"1 begincodespacerange <00> <FF> endcodespacerange\n{len(table)} beginbfchar\n{rows}\nendbfchar\n"
        "endcmap end end"
    )

    def change(document: Any) -> None:
        names, font = document.get_new_xref(), document.get_new_xref()
        document.update_object(names, "<<>>")
        document.update_stream(names, stream.encode())
        document.update_object(font, f"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/ToUnicode {names} 0 R>>")
        for page in document:
            kind, value = document.xref_get_key(page.xref, "Resources")
            xref = int(value.split()[0]) if kind == "xref" else page.xref
            key = "Font/plain" if kind == "xref" else "Resources/Font/plain"
            document.xref_set_key(xref, key, f"{font} 0 R")

    return edit_pdf(data, change)


def raw_line(text: str, y: float, x: float = MARGIN) -> str:
    """Operators that show a line in the font /plain, `y` points above the page's foot."""
    return f"BT /plain 10 Tf {x:g} {y:g} Td ({text}) Tj ET"


@pytest.mark.parametrize("sign", ["\uf0b7", "\uf0a7"])
def test_a_bullet_in_private_use_opens_an_item_and_is_not_written(tmp_path: Path, sign: str) -> None:
    """Word processors take their bullets from symbol fonts, whose signs stand in private use."""
    items = ["One thing they had forgotten", "Another thing they had not"]
    raw = "\n".join(
        f"{raw_line('~', 100 - 16 * n)} {raw_line(item, 100 - 16 * n, MARGIN + 12)}" for n, item in enumerate(items)
    )
    table = {chr(code): chr(code) for code in range(32, 126)} | {"~": sign}

    book = read_bytes(tmp_path, with_plain_font(make_pdf([Page(paragraphs(3), raw=raw), *leaves(2)[0]]), table))

    assert [block for block in texts(book) if "thing" in block] == items
    assert sign not in text(book)


def test_signs_in_private_use_that_nothing_tells_are_counted(tmp_path: Path) -> None:
    raw = "\n".join(
        raw_line(f"They saw the ~{word} again.", 100 - 16 * n) for n, word in enumerate(["gate", "lock", "quay"])
    )
    table = {chr(code): chr(code) for code in range(32, 126)} | {"~": "\ue0aa"}

    book = read_bytes(tmp_path, with_plain_font(make_pdf([Page(paragraphs(3), raw=raw), *leaves(2)[0]]), table))

    assert "\ue0aa" not in text(book)
    assert told(book, "have no Unicode mapping")


# --- garbled as a whole ----------------------------------------------------------------------------------------------


def garbled(count: int) -> list[Page]:
    """Pages of nonsense that is what their fonts say."""
    return [Page([Para(shifted(prose(60, 10 * n + m))) for m in range(2)]) for n in range(count)]


def test_a_garbled_book_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"book\.pdf: its text is garbled .* pages 1-3"):
        read(tmp_path, garbled(3))


def test_a_garbled_book_is_read_where_the_user_insists(tmp_path: Path) -> None:
    book = read(tmp_path, garbled(3), accept_ocr=True)

    assert shifted(prose(60, 0)) in texts(book)
    assert told(book, "pages 1-3 is garbled")


def test_garbled_pages_of_a_sound_book_are_told_by_number(tmp_path: Path) -> None:
    sound = leaves(5)[0]

    book = read(tmp_path, [*sound[:3], *garbled(1), *sound[3:]])

    assert told(book, "the text of pages 4 is garbled")


def test_words_without_vowels_are_no_garbling_where_they_are_few(tmp_path: Path) -> None:
    few = " ".join(["HTML CSS XML pst brr hmm DVD PDF LXX Dr Mr Mrs TCP"] * 2) + " " + prose(120)

    book = read(tmp_path, [Page([Para(few)]), *leaves(2)[0]])

    assert not book.warnings


def test_a_language_with_few_vowels_is_not_refused(tmp_path: Path) -> None:
    slavic = "Starosta pravil, že vlk skrz krk a prst vrh drn; smrt hrd tvrd trh brzy plný vod, a nikdo netušil proč."

    book = read(tmp_path, [Page([Para(slavic) for _ in range(3)]), *leaves(2)[0]])

    assert words(text(book))[:4] == ["Starosta", "pravil", "že", "vlk"]


# --- what rewriting programs do to the codes -------------------------------------------------------------------------


def test_ligatures_with_exchanged_bytes_are_letters(tmp_path: Path) -> None:
    book = of(tmp_path, {"\ufb01": "\u6600\u6900", "\ufb02": "\u6600\u6c00"}, Para(LIGATURES))

    assert text(book).startswith(LETTERS)


@pytest.mark.parametrize(
    ("found", "right"),
    [
        ("su\u6600\ucf00cient", "sufficient"),
        ("ba\u6600\ud200ed", "baffled"),
        ("\u5400\u6800e \u5100\u7500een", "The Queen"),
        ("日本の昀椀語", "日本の昀椀語"),
        ("昀", "昀"),
        ("officer", "officer"),
    ],
)
def test_exchanged_bytes_are_told_from_chinese(found: str, right: str) -> None:
    assert swapped_letters(found) == right


@pytest.fixture
def nameless(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fonts that do not say what their glyphs are: no names, no character map."""
    monkeypatch.setattr(pdf_glyphs, "_glyph_texts", lambda _program: {})


APOSTROPHES = "They won’t say whose the miller’s boat was, and the warden’s son didn’t ask for it."


def test_an_apostrophe_mapped_to_a_figure_is_read_by_the_glyphs_name(tmp_path: Path) -> None:
    assert APOSTROPHES in text(of(tmp_path, {"’": "9"}, Para(APOSTROPHES)))


@pytest.mark.usefixtures("nameless")
def test_an_apostrophe_mapped_to_a_figure_is_told_by_the_order_of_the_glyphs(tmp_path: Path) -> None:
    assert APOSTROPHES in text(of(tmp_path, {"’": "9"}, Para(APOSTROPHES)))


def test_figures_inside_words_stay_where_the_fonts_say_so(tmp_path: Path) -> None:
    sentence = "The files a9b, c4d, e7f and mp3s were in the h2o folder of the p2p node."

    assert sentence in text(read(tmp_path, [Page([Para(sentence), *paragraphs(2)]), *leaves(2)[0]]))


def test_drawn_soft_hyphens_are_hyphens_where_the_words_have_them(tmp_path: Path) -> None:
    sentence = "The wel~warden saw the silt~ferry and the tar~barge of the old mud~miller."

    found = text(read_bytes(tmp_path, remap(make_pdf([Page([Para(sentence), *paragraphs(2)])]), {"~": "\xad"})))

    assert sentence.replace("~", "-") in found


@pytest.mark.usefixtures("nameless")
def test_a_book_of_unmapped_glyphs_is_refused_and_read_where_the_user_insists(tmp_path: Path) -> None:
    data = remap(make_pdf(leaves(2)[0]), dict.fromkeys(LOWER[:6], "\ufffd"))

    with pytest.raises(InputError, match=r"\d+ of its \d+ glyphs have no Unicode mapping"):
        read_bytes(tmp_path, data)
    assert "\ufffd" in text(read_bytes(tmp_path, data, accept_ocr=True))


def test_soft_hyphens_inside_lines_of_another_glyph_than_at_line_ends_are_not_written(tmp_path: Path) -> None:
    sentence = "The wel~warden saw the silt~ferry and the tar~barge of the old mud~miller."
    page = Page([Para(sentence), Lines(["They rowed to the har-", "bour at noon."], before=13)])

    found = text(read_bytes(tmp_path, remap(make_pdf([page]), {"~": "\xad", "-": "\xad"})))

    assert sentence.replace("~", "") in found
    assert "the harbour at noon" in found
