"""What is no readable PDF is refused in one line that says why; what can be read is read, and doubts are told."""

import random
from pathlib import Path

import pymupdf
import pytest
from pdf_fixtures import MARGIN, At, Page, edit_pdf, make_pdf
from pdf_reading import leaves, paragraphs, prose, read, read_bytes, text, words

from bookblend.errors import ExitCode, InputError
from bookblend.extract.model import ExtractOptions
from bookblend.extract.pdf import extract_pdf

PICTURE = (40.0, 40.0, 260.0, 400.0)


@pytest.fixture(scope="module")
def sound() -> bytes:
    """A sound PDF of three pages."""
    return make_pdf(leaves(3)[0])


WRITTEN = words(leaves(3)[1])


def refusal(folder: Path, data: bytes, **options: object) -> str:
    """The line that a file is refused with."""
    with pytest.raises(InputError) as caught:
        read_bytes(folder, data, **options)
    assert caught.value.code is ExitCode.BAD_INPUT
    line = str(caught.value)
    assert line.startswith("book.pdf: ") and "\n" not in line
    return line


# --- no PDF ----------------------------------------------------------------------------------------------------------


def test_an_empty_file_is_refused(tmp_path: Path) -> None:
    assert "empty" in refusal(tmp_path, b"")


@pytest.mark.parametrize("page", [b"<!DOCTYPE html><html><body>404</body></html>", b"\n <HTML><head></head></HTML>"])
def test_a_web_page_under_a_pdfs_name_is_named(tmp_path: Path, page: bytes) -> None:
    assert "not a PDF (it is an HTML page)" in refusal(tmp_path, page)


@pytest.mark.parametrize("data", [b"PK\x03\x04" + b"x" * 99, b"\x00" * 5000, b"Once upon a time."])
def test_any_other_file_is_no_pdf(tmp_path: Path, data: bytes) -> None:
    line = refusal(tmp_path, data)

    assert "not a PDF" in line and "HTML" not in line


def test_a_header_with_garbage_behind_it_is_refused(tmp_path: Path) -> None:
    refusal(tmp_path, b"%PDF-1.7\n" + b"\x93garbage" * 500)


def test_a_pdf_without_pages_is_refused(tmp_path: Path) -> None:
    objects = b"1 0 obj <</Type/Catalog/Pages 2 0 R>> endobj\n2 0 obj <</Type/Pages/Kids[]/Count 0>> endobj\n"
    data = b"%PDF-1.4\n" + objects + b"trailer <</Root 1 0 R/Size 3>>\nstartxref\n0\n%%EOF\n"

    assert "has no pages" in refusal(tmp_path, data)


# --- damage ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("share", [0.2, 0.5, 0.9, 0.99])
def test_a_file_that_is_cut_off_is_refused(tmp_path: Path, sound: bytes, share: float) -> None:
    assert "cut off" in refusal(tmp_path, sound[: int(share * len(sound))])


def broken_start(data: bytes) -> bytes:
    return data[: data.rindex(b"startxref")] + b"startxref\n7\n%%EOF\n"


def no_table(data: bytes) -> bytes:
    start = data.rfind(b"\nxref")
    trailer = data.find(b"trailer", start)
    return data[:start] + b"\n" + data[trailer:]


@pytest.mark.parametrize("damage", [broken_start, no_table])
def test_a_broken_cross_reference_table_is_told_and_the_text_is_read(tmp_path: Path, sound: bytes, damage) -> None:  # type: ignore[no-untyped-def]
    data = damage(sound)
    assert data != sound

    book = read_bytes(tmp_path, data)

    assert words(text(book)) == WRITTEN
    assert any("cross-reference" in warning for warning in book.warnings)


@pytest.mark.parametrize(
    ("before", "behind"),
    [(b"HTTP/1.1 200 OK\r\nServer: x\r\n\r\n", b""), (b"", b"\x00" * 3000), (b"\xef\xbb\xbf", b"\n\n")],
)
def test_bytes_before_and_behind_the_file_do_no_harm(
    tmp_path: Path, sound: bytes, before: bytes, behind: bytes
) -> None:
    assert words(text(read_bytes(tmp_path, before + sound + behind))) == WRITTEN


def test_an_outline_that_is_damaged_is_no_reason_to_refuse(tmp_path: Path) -> None:
    pages, written = leaves(2)

    def damage(document: pymupdf.Document) -> None:
        document.xref_set_key(document.pdf_catalog(), "Outlines", "<</First 9999 0 R/Count 3>>")

    book = read_bytes(tmp_path, edit_pdf(make_pdf(pages), damage))

    assert words(text(book)) == words(written)


# --- locks -----------------------------------------------------------------------------------------------------------


def locked(data: bytes, user: str, owner: str = "owner") -> bytes:
    rights = pymupdf.PDF_PERM_PRINT
    return edit_pdf(
        data, lambda _: None, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw=user, owner_pw=owner, permissions=rights
    )


def test_a_password_is_asked_for(tmp_path: Path, sound: bytes) -> None:
    assert "needs a password" in refusal(tmp_path, locked(sound, "reed"))


def test_a_wrong_password_is_said_to_be_wrong(tmp_path: Path, sound: bytes) -> None:
    line = refusal(tmp_path, locked(sound, "reed"), password="rush")

    assert "wrong" in line
    assert "rush" not in line


@pytest.mark.parametrize("password", ["reed", "owner"])
def test_the_right_password_opens(tmp_path: Path, sound: bytes, password: str) -> None:
    assert words(text(read_bytes(tmp_path, locked(sound, "reed"), password=password))) == WRITTEN


def test_a_lock_against_copying_alone_needs_no_password(tmp_path: Path, sound: bytes) -> None:
    assert words(text(read_bytes(tmp_path, locked(sound, "")))) == WRITTEN


# --- no text, or not the book's --------------------------------------------------------------------------------------


def test_a_scan_without_text_is_refused(tmp_path: Path) -> None:
    assert "no text on any of its 3 pages" in refusal(tmp_path, make_pdf([Page(picture=PICTURE)] * 3))


def scanned(seed: int) -> Page:
    """A page picture with invisible text over it."""
    sentences = prose(60, seed).split(". ")
    marks = [At(MARGIN, 60 + 14 * n, sentence, 8, hidden=True) for n, sentence in enumerate(sentences)]
    return Page(picture=PICTURE, marks=marks)


def test_an_ocr_layer_is_refused(tmp_path: Path) -> None:
    line = refusal(tmp_path, make_pdf([scanned(n) for n in range(3)]))

    assert "OCR layer" in line
    assert "--accept-ocr" in line


def test_an_ocr_layer_is_read_where_the_user_insists(tmp_path: Path) -> None:
    book = read(tmp_path, [scanned(n) for n in range(3)], accept_ocr=True)

    assert set(words(text(book))) >= set(words(prose(60, 1)))


def test_type_sizes_that_smear_are_refused_unless_the_user_insists(tmp_path: Path) -> None:
    """Visible text whose sizes were measured from a scan: dozens of sizes, none of them usual."""
    sentences = [sentence for seed in range(4) for sentence in prose(50, seed).split(". ")]
    marks = [At(MARGIN, 60 + 14 * n, sentence, 8 + 0.13 * ((7 * n) % 23)) for n, sentence in enumerate(sentences[:22])]

    with pytest.raises(InputError, match=r"smear .* --accept-ocr"):
        read(tmp_path, [Page(marks=marks)])
    assert text(read(tmp_path, [Page(marks=marks)], accept_ocr=True))


def test_pages_without_text_in_a_book_with_text_are_told_by_number(tmp_path: Path) -> None:
    pages, written = leaves(4)
    mixed = [pages[0], Page(picture=PICTURE), Page(picture=PICTURE), *pages[1:], Page(picture=PICTURE)]

    book = read(tmp_path, mixed)

    assert words(text(book)) == words(written)
    assert any("3 page(s)" in warning and "2-3, 7" in warning for warning in book.warnings)


def test_blank_pages_are_no_reason_for_a_warning(tmp_path: Path) -> None:
    pages, written = leaves(3)

    book = read(tmp_path, [pages[0], Page(), *pages[1:]])

    assert words(text(book)) == words(written)
    assert not book.warnings


def test_a_page_picture_with_a_caption_is_no_scan(tmp_path: Path) -> None:
    pages, _ = leaves(3)

    book = read(
        tmp_path, [*pages, Page(picture=PICTURE, marks=[At(MARGIN, 415, "The lock in the year of the flood.", 8)])]
    )

    assert "The lock in the year of the flood." in text(book)
    assert not book.warnings


# --- what the file says of itself ------------------------------------------------------------------------------------


def test_title_author_and_language_are_the_files_own(tmp_path: Path) -> None:
    def describe(document: pymupdf.Document) -> None:
        document.set_metadata({"title": "Fords and Ferries", "author": "Aldous Brook"})
        document.set_language("en-GB")

    book = read_bytes(tmp_path, edit_pdf(make_pdf(leaves(2)[0]), describe))

    assert (book.title, book.author) == ("Fords and Ferries", "Aldous Brook")
    assert book.language.startswith("en")


@pytest.mark.parametrize("title", ["untitled", "Microsoft Word - final.doc", "book.indd", "(anonymous)", "thesis.dvi"])
def test_titles_that_producers_make_up_are_none(tmp_path: Path, title: str) -> None:
    assert read_bytes(tmp_path, make_pdf(leaves(1)[0], title=title)).title == ""


def test_measures_are_on_record(tmp_path: Path) -> None:
    book = read(tmp_path, leaves(3)[0])

    assert book.format == "pdf"
    assert {name: book.evidence[name] for name in ("pages", "body size", "leading", "indent", "justified")} == {
        "pages": 3,
        "body size": 10.0,
        "leading": 13.0,
        "indent": 12.0,
        "justified": True,
    }


def test_the_file_itself_is_not_changed(tmp_path: Path, sound: bytes) -> None:
    path = tmp_path / "book.pdf"
    path.write_bytes(sound)

    extract_pdf(path, ExtractOptions())

    assert path.read_bytes() == sound
    assert [entry.name for entry in tmp_path.iterdir()] == ["book.pdf"]


def test_reading_twice_gives_the_same_book(tmp_path: Path, sound: bytes) -> None:
    assert read_bytes(tmp_path, sound) == read_bytes(tmp_path, sound)


def test_paragraphs_of_prose_need_no_warning(tmp_path: Path) -> None:
    assert read(tmp_path, [Page(paragraphs(3))]).warnings == ()


def test_damage_inside_a_page_is_one_line_with_its_number(tmp_path: Path) -> None:
    """Bytes overwritten all over a book: read, or refused in one line, never a traceback."""
    raw = make_pdf(leaves(3)[0])
    generator = random.Random(4)
    for _ in range(40):
        damaged = bytearray(raw)
        for _ in range(30):
            damaged[generator.randrange(len(damaged))] = generator.randrange(256)
        path = tmp_path / "book.pdf"
        path.write_bytes(damaged)
        try:
            extract_pdf(path, ExtractOptions())
        except InputError as error:
            assert "\n" not in str(error)


def test_remarks_of_the_library_stay_off_stdout(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    read_bytes(tmp_path, make_pdf(leaves(1)[0]))

    pymupdf.message("unhandled font type")  # type: ignore[no-untyped-call]

    assert capfd.readouterr().out == ""
