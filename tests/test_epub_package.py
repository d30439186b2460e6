"""Finding and reading the parts of an EPUB, however it is put together; refusing what cannot be read, in one line."""

import struct
import zipfile
import zlib
from pathlib import Path

import pytest
from epub_fixtures import CONTAINER, chapter, headings, make, nav, package, page, prose, read, text, zip_files
from hypothesis import given
from hypothesis import strategies as st

from bookblend.errors import InputError
from bookblend.extract import epub_archive, epub_markup
from bookblend.extract.epub_archive import Archive

A, B = prose("Atide"), prose("Btide")
TWO = {"a.xhtml": chapter("Ebb", "A"), "b.xhtml": chapter("Neap", "B")}


def fails(path: Path, *words: str) -> None:
    """Reading `path` ends in one line with these words."""
    with pytest.raises(InputError) as caught:
        read(path)
    line = str(caught.value)
    assert "\n" not in line and line.startswith(path.name)
    for word in words:
        assert word in line


# The archive.


@pytest.mark.parametrize(
    ("data", "word"),
    [
        (b"", "is empty"),
        (b"%PDF-1.7 ...", "a PDF"),
        (b"<!DOCTYPE html><html>", "an HTML page"),
        (b"\xff\xd8\xff\xe0 picture", "a JPEG picture"),
        (b"PK\x03\x04 cut off", "is damaged"),
        (b"words", "not a zip archive"),
    ],
)
def test_files_that_are_no_archive(tmp_path: Path, data: bytes, word: str) -> None:
    path = tmp_path / "b.epub"
    path.write_bytes(data)
    fails(path, word)


def test_a_folder_and_a_missing_file(tmp_path: Path) -> None:
    fails(tmp_path, "is a folder")
    fails(tmp_path / "none.epub", "no such file")


def test_an_archive_without_pages(tmp_path: Path) -> None:
    fails(zip_files(tmp_path / "b.epub", {"x.txt": "words"}), "no package document")
    opf = package({}, [])
    files = {"META-INF/container.xml": CONTAINER.format(package="c.opf"), "c.opf": opf}
    fails(zip_files(tmp_path / "c.epub", files), "c.opf lists no document")


def test_a_document_past_the_size_limit_is_refused_by_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make(tmp_path / "b.epub", {"a.xhtml": " " * (33 * epub_archive.MIB)})
    fails(path, "OEBPS/a.xhtml", "32 MiB", "size limit", "zip bomb")
    monkeypatch.setattr(epub_archive, "BOOK_LIMIT", 1500)
    fails(make(tmp_path / "c.epub", TWO), "size limit of one book")
    monkeypatch.setattr(epub_archive, "MEMBER_LIMIT", 3)
    fails(tmp_path / "c.epub", "members, more than the limit")


def test_a_member_that_lies_about_its_size_is_refused(tmp_path: Path) -> None:
    path = make(tmp_path / "b.epub", {"a.xhtml": page("x" * (34 * epub_archive.MIB))})
    data = bytearray(path.read_bytes())
    at = data.rfind(b"OEBPS/a.xhtml") - 46
    assert data[at : at + 4] == b"PK\x01\x02"
    data[at + 24 : at + 28] = struct.pack("<I", 1000)
    path.write_bytes(data)
    fails(path, "inflates past 32 MiB")


def test_too_many_tags_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(epub_markup, "TAG_LIMIT", 50)
    fails(make(tmp_path / "b.epub", {"a.xhtml": "<b/>" * 60}), "over 50 tags")


def test_zip_passwords_and_drm_are_refused_and_font_scrambling_is_not(tmp_path: Path) -> None:
    def encryption(uri: str, algorithm: str) -> str:
        return (
            "<encryption xmlns='urn:oasis:names:tc:opendocument:xmlns:container' "
            "xmlns:enc='http://www.w3.org/2001/04/xmlenc#'><enc:EncryptedData>"
            f"<enc:EncryptionMethod Algorithm='{algorithm}'/><enc:CipherData><enc:CipherReference URI='{uri}'/>"
            "</enc:CipherData></enc:EncryptedData></encryption>"
        )

    aes, fonts = "http://www.w3.org/2001/04/xmlenc#aes128-cbc", "http://www.idpf.org/2008/embedding"
    locked: dict[str, str | bytes] = {
        "META-INF/encryption.xml": encryption("OEBPS/a.xhtml", aes),
        "META-INF/rights.xml": "<r/>",
    }
    fails(
        make(tmp_path / "a.epub", TWO, more=locked), "locked by DRM (Adobe", "OEBPS/a.xhtml is encrypted", "aes128-cbc"
    )
    scrambled: dict[str, str | bytes] = {
        "META-INF/encryption.xml": encryption("OEBPS/f.otf", fonts),
        "OEBPS/f.otf": b"x",
    }
    assert headings(read(make(tmp_path / "b.epub", TWO, more=scrambled))) == ["Ebb", "Neap"]
    picture: dict[str, str | bytes] = {"META-INF/encryption.xml": encryption("OEBPS/p.jpg", aes), "OEBPS/p.jpg": b"x"}
    assert headings(read(make(tmp_path / "c.epub", TWO, more=picture))) == ["Ebb", "Neap"]
    path = make(tmp_path / "d.epub", TWO)
    data = path.read_bytes().replace(b"PK\x01\x02\x14\x03\x14\x00\x00\x00", b"PK\x01\x02\x14\x03\x14\x00\x01\x00")
    path.write_bytes(data)
    fails(path, "locked with a zip password")


def test_damage_in_one_member_leaves_the_others(tmp_path: Path) -> None:
    path = make(tmp_path / "b.epub", TWO)
    with zipfile.ZipFile(path) as archive:
        info = archive.getinfo("OEBPS/b.xhtml")
    data = bytearray(path.read_bytes())
    start = info.header_offset + 30 + len(info.filename)
    data[start : start + info.compress_size] = b"\xff" * info.compress_size
    path.write_bytes(data)
    book = read(path)
    assert headings(book) == ["Ebb"]
    assert any(warning.startswith("OEBPS/b.xhtml: its compressed data are damaged") for warning in book.warnings)


def test_a_wrong_checksum_costs_a_warning_and_no_chapter(tmp_path: Path) -> None:
    path = make(tmp_path / "b.epub", TWO)
    crc = struct.pack("<I", zlib.crc32(page(TWO["b.xhtml"]).encode()))
    path.write_bytes(path.read_bytes().replace(crc, b"\0\0\0\0"))
    book = read(path)
    assert headings(book) == ["Ebb", "Neap"]
    assert any("checksum" in warning for warning in book.warnings)


@pytest.mark.parametrize(
    ("member", "href"),
    [
        ("OEBPS/Chapter 1.xhtml", "Chapter%201.xhtml"),
        ("OEBPS/Café & bar.xhtml", "Caf%C3%A9%20&%20bar.xhtml"),
        ("OEBPS/Café.xhtml", "Caf%E9.xhtml"),
        ("OEBPS/100%.xhtml", "100%25.xhtml"),
        ("OEBPS/100%.xhtml", "100%.xhtml"),
        ("OEBPS/Text/One.XHTML", "text/one.xhtml"),
        ("OEBPS/Cafe\u0301.xhtml", "Caf\u00e9.xhtml"),
        ("OEBPS/text/one.xhtml", "text\\one.xhtml"),
        ("text/one.xhtml", "../text/one.xhtml"),
        ("one.xhtml", "../../../one.xhtml"),
        ("OEBPS/one.xhtml", "/OEBPS/one.xhtml"),
        ("OEBPS/deep/one.xhtml", "other/one.xhtml"),
        ("OEBPS/one.xhtml", "./x/../one.xhtml?v=2#top"),
    ],
)
def test_members_are_found_however_a_link_spells_them(tmp_path: Path, member: str, href: str) -> None:
    with Archive(zip_files(tmp_path / "b.epub", {"OEBPS/c.opf": "x", member: "y"})) as archive:
        assert archive.find("OEBPS/c.opf", href) == member


@pytest.mark.parametrize(
    "href", ["http://x.invalid/one.xhtml", "file:///one.xhtml", "//x/one.xhtml", "#a", "", "two.xhtml"]
)
def test_remote_and_missing_targets_are_nothing(tmp_path: Path, href: str) -> None:
    with Archive(zip_files(tmp_path / "b.epub", {"one.xhtml": "y"})) as archive:
        assert archive.find("c.opf", href) is None


@given(st.text(alphabet="./\\ab%2", max_size=20))
def test_no_link_leads_out_of_the_archive(href: str) -> None:
    joined = epub_archive._join("OEBPS/text", href)
    assert ".." not in joined.split("/") and not joined.startswith("/")


def test_bytes_before_the_archive_do_no_harm(tmp_path: Path) -> None:
    path = make(tmp_path / "b.epub", TWO)
    path.write_bytes(b"HTTP/1.1 200 OK\r\n\r\n" + path.read_bytes())
    assert headings(read(path)) == ["Ebb", "Neap"]


def test_a_name_in_utf8_without_the_flag_is_found(tmp_path: Path) -> None:
    path = zip_files(tmp_path / "b.epub", {"Caf\u00e9.xhtml": "y"})
    raw = path.read_bytes()
    # The flag that says UTF-8, cleared in the local header and in the directory.
    path.write_bytes(raw.replace(b"\x00\x08", b"\x00\x00"))
    with Archive(path) as archive:
        assert archive.find("", "Caf\u00e9.xhtml") is not None


# The package.


def test_no_container_any_package_will_do(tmp_path: Path) -> None:
    files = {"x/c.opf": package({"a.xhtml": "application/xhtml+xml"}, ["a.xhtml"]), "x/a.xhtml": page(TWO["a.xhtml"])}
    book = read(zip_files(tmp_path / "b.epub", files))
    assert headings(book) == ["Ebb"]
    assert book.title == "The Slack Tide"
    assert any("container.xml" in warning for warning in book.warnings)


def test_no_package_all_pages_by_name(tmp_path: Path) -> None:
    files = {f"c{n}.html": page(f"<h1>Oar {n}x</h1><p>{A}</p>") for n in (10, 9, 1)}
    book = read(zip_files(tmp_path / "b.epub", files))
    assert headings(book) == ["Oar 1x", "Oar 9x", "Oar 10x"]
    assert any("read the 3 pages of the archive by name" in warning for warning in book.warnings)


def test_no_spine_the_order_of_the_manifest(tmp_path: Path) -> None:
    book = read(make(tmp_path / "b.epub", TWO, spine=[]))
    assert headings(book) == ["Ebb", "Neap"]
    assert any("no reading order" in warning for warning in book.warnings)


def test_the_spine_is_the_order_and_each_document_is_read_once(tmp_path: Path) -> None:
    book = read(make(tmp_path / "b.epub", TWO, spine=["b.xhtml", "a.xhtml", "b.xhtml"]))
    assert headings(book) == ["Neap", "Ebb"]
    assert any("1 references repeat" in warning for warning in book.warnings)


def test_missing_documents_are_named_and_the_rest_is_read(tmp_path: Path) -> None:
    opf = package(
        {"a.xhtml": "application/xhtml+xml", "gone.xhtml": "application/xhtml+xml"},
        ["a.xhtml", "gone.xhtml", '<itemref idref="nobody"/>'],
    )
    book = read(make(tmp_path / "b.epub", TWO, more={"OEBPS/content.opf": opf}))
    assert headings(book) == ["Ebb"]
    assert any("gone.xhtml is not in the archive" in warning for warning in book.warnings)
    assert any("'nobody' is not in the manifest" in warning for warning in book.warnings)


def test_wrong_media_types_and_fallbacks(tmp_path: Path) -> None:
    opf = package(
        {
            "a.xhtml": "text/plain",
            "x.json": 'media-type="application/json" fallback="i2"',
            "b.xhtml": "application/xhtml+xml",
            "loop.jpg": 'media-type="image/jpeg" fallback="i3"',
        },
        ["a.xhtml", "x.json", "loop.jpg"],
    )
    book = read(
        make(tmp_path / "b.epub", TWO, more={"OEBPS/content.opf": opf, "OEBPS/x.json": "{}", "OEBPS/loop.jpg": "x"})
    )
    assert headings(book) == ["Ebb", "Neap"]
    assert any("loop.jpg is no page of text (image/jpeg)" in warning for warning in book.warnings)


def test_of_several_renditions_the_first_is_read(tmp_path: Path) -> None:
    container = CONTAINER.format(package="OEBPS/content.opf").replace(
        "</rootfiles>", '<rootfile full-path="other.opf" media-type="application/oebps-package+xml"/></rootfiles>'
    )
    other = package({"o.xhtml": "application/xhtml+xml"}, ["o.xhtml"], title="Other")
    more = {"META-INF/container.xml": container, "other.opf": other, "o.xhtml": page("<p>other words</p>")}
    book = read(make(tmp_path / "b.epub", TWO, more=more))
    assert (book.title, headings(book)) == ("The Slack Tide", ["Ebb", "Neap"])


def test_a_package_without_namespaces_and_with_a_doctype(tmp_path: Path) -> None:
    opf = (
        "<!DOCTYPE package [<!ENTITY z SYSTEM 'file:///etc/hostname'>]>"
        "<package><metadata><title> The\n Slack Tide &z;</title><creator>A</creator><creator>B</creator>"
        "<language>de</language></metadata><manifest><item id='a' href='a.xhtml' media-type='application/xhtml+xml'/>"
        "<item id='a' href='b.xhtml' media-type='application/xhtml+xml'/></manifest><spine><itemref idref='a'/></spine>"
        "</package>"
    )
    book = read(make(tmp_path / "b.epub", TWO, more={"OEBPS/content.opf": opf}))
    assert (book.title, book.author, book.language) == ("The Slack Tide &z;", "A, B", "de")
    assert headings(book) == ["Ebb"]


def test_the_main_title_is_the_title(tmp_path: Path) -> None:
    metadata = (
        '<dc:title id="m">The Real Title</dc:title><meta refines="#m" property="title-type">main</meta>'
        "<dc:creator>A</dc:creator>"
    )
    assert read(make(tmp_path / "b.epub", TWO, title="Series", metadata=metadata)).title == "The Real Title"


def test_nav_lists_of_odd_makes(tmp_path: Path) -> None:
    documents = {name: f"<p>{prose(name)}</p>" for name in ("a.xhtml", "b.xhtml", "c.xhtml")}
    odd = {
        "no list": "<nav epub:type='toc'><a href='a.xhtml'>Ebb</a><a href='b.xhtml'>Neap</a>"
        "<a href='c.xhtml'>Flood</a></nav>",
        "untyped": nav([("Ebb", "a.xhtml"), ("Neap", "b.xhtml"), ("Flood", "c.xhtml")]).replace(' epub:type="toc"', ""),
        "picture": "<nav epub:type='toc'><ol><li><a href='a.xhtml'><img src='x' alt='Ebb'/></a></li>"
        "<li><a href='b.xhtml' title='Neap'/></li><li><a href='c.xhtml'>Fl<ruby>oo<rt>u</rt></ruby>d</a></li></ol>"
        "</nav>",
    }
    for number, (name, markup) in enumerate(odd.items()):
        whole = markup if markup.startswith("<?xml") else page(markup)
        path = make(
            tmp_path / f"{number}.epub", documents, contents=[("x", "a.xhtml")], more={"OEBPS/nav.xhtml": whole}
        )
        assert headings(read(path)) == ["Ebb", "Neap", "Flood"], name


# Markup and encodings.


@pytest.mark.parametrize(
    "data",
    [
        b"\xef\xbb\xbf" + page(f"<p>Caf\u00e9 {A}</p>").encode(),
        page(f"<p>Caf\u00e9 {A}</p>").replace("utf-8", "utf-16").encode("utf-16"),
        page(f"<p>Caf\u00e9 {A}</p>").replace("utf-8", "utf-16").encode("utf-16-be"),
        f"<!DOCTYPE html><html><body><p>Caf\u00e9 {A}</p></body></html>".encode("utf-16-le"),
        f"<!DOCTYPE html><html><body><p>Caf\u00e9 {A}</p></body></html>".encode("utf-16-be"),
        page(f"<p>Caf\u00e9 {A}</p>").replace("utf-8", "ISO-8859-1").encode("latin-1"),
        f"<html><head><meta charset='windows-1252'></head><body><p>Caf\u00e9 {A}</body></html>".encode("cp1252"),
        f"<html><body><p>Caf\u00e9 {A}</p></body></html>".encode(),
        page(f"<p>Caf\u00e9 {A}</p>").encode("cp1252"),
        page(f"<p>Caf&eacute; {A}</p>").encode(),
        page(f"<p>Caf&#233; {A}</p>").replace('version="1.0"', 'version="1.1"').encode(),
        page(f"<p>Caf\u00e9 {A}</p>").replace("utf-8", "no-such-encoding").encode(),
    ],
)
def test_encodings(tmp_path: Path, data: bytes) -> None:
    assert text(read(make(tmp_path / "b.epub", {"a.xhtml": data}))) == f"Caf\u00e9 {A}"


def test_bytes_that_are_not_what_they_say_are_reported(tmp_path: Path) -> None:
    book = read(
        make(tmp_path / "b.epub", {"a.xhtml": page("<p>\u201cSo\u201d \u2014 na\u00efve</p>").encode("cp1252")})
    )
    assert text(book) == "\u201cSo\u201d \u2014 na\u00efve"
    assert any("cp1252" in warning for warning in book.warnings)


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        (
            "<p>AT&T & sons<br>Line two<p>Unclosed <b>bold <i>both</b></i> end.",
            "AT&T & sons Line two Unclosed bold both end.",
        ),
        ("<p>One.</p></div><p>Two.</p>", "One. Two."),
        ("<p>bad \x01 control&#1; x</p>", "bad control x"),
        ("<p title=oops>One <img src='a.png'> two.</p>", "One two."),
        ("<p>One.</p><p>cut off in mid", "One. cut off in mid"),
        ("<p><a id='x'/>One <b/>two</p><p/><p>three</p>", "One two three"),
        ("<p>&#150; dash &#x92;</p>", "\u2013 dash \u2019"),
    ],
)
def test_damaged_markup_is_read_as_far_as_it_goes(tmp_path: Path, markup: str, expected: str) -> None:
    document = f"<html><head><title/><script/></head><body>{markup}"
    book = read(make(tmp_path / "b.epub", {"a.xhtml": document, "b.xhtml": f"<p>{B}</p>"}))
    assert text(book) == f"{expected} {B}"
    assert "\x01" not in text(book)


def test_damage_is_named(tmp_path: Path) -> None:
    book = read(make(tmp_path / "b.epub", {"a.xhtml": page("<p>One</div>")}))
    assert any(w.startswith("OEBPS/a.xhtml: not well-formed (") and "\n" not in w for w in book.warnings)


def test_entities_are_neither_fetched_nor_blown_up(tmp_path: Path) -> None:
    secret = tmp_path / "secret.txt"
    secret.write_text("XSECRETX")
    nested = "".join(f'<!ENTITY {b} "{f"&{a};" * 10}">' for a, b in zip("abcdefgh", "bcdefghi", strict=True))
    documents = {
        "a.xhtml": f"<?xml version='1.0'?><!DOCTYPE html [<!ENTITY x SYSTEM '{secret.as_uri()}'>"
        "<!ENTITY ok 'fine words'>]>"
        "<html><body><p>One &x; &ok; two.</p></body></html>",
        "b.xhtml": f"<?xml version='1.0'?><!DOCTYPE html [<!ENTITY a 'aaaaaaaaaa'>{nested}]>"
        "<html><body><p>Three &i; four.</p></body></html>",
    }
    book = read(make(tmp_path / "b.epub", documents))
    assert text(book) == "One &x; fine words two. Three &i; four."


def test_same_bytes_give_the_same_book(tmp_path: Path) -> None:
    path = make(tmp_path / "b.epub", TWO, contents=[("Ebb", "a.xhtml"), ("Neap", "b.xhtml")])
    assert read(path) == read(path)
