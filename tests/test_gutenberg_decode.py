"""Bytes of Gutenberg files: what they are counts more than what the header declares."""

import pytest

from bookblend.blend.gutenberg_decode import UnreadableError, decode

LATIN = "« Café naïve », dit-elle à l’été ; où était-il ? Le garçon rêvait déjà près de la fenêtre.\n" * 20
RUSSIAN = "Поздно вечером сторож погасил лампу и вышел на берег, где его ждала старая лодка.\n" * 20
GREEK = "Ο φύλακας έσβησε το λυχνάρι και βγήκε στην ακτή, όπου τον περίμενε η βάρκα.\n" * 20
CHINESE = "他把灯吹灭了，走到海边，那里有一只小船在等着他。天上没有月亮，水面上也没有风。\n" * 20
TAIWANESE = "他把燈吹滅了，走到海邊，那裡有一隻小船在等著他。天上沒有月亮，水面上也沒有風。\n" * 20
JAPANESE = "彼はあかりを消して、はまべへ歩いていった。そこには小さなふねがかれをまっていた。\n" * 20
KOREAN = "그는 등불을 끄고 바닷가로 나갔다. 그곳에는 작은 배가 그를 기다리고 있었다.\n" * 20


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (LATIN, "utf-8"), (LATIN, "cp1252"), (LATIN.replace("’", "'"), "latin-1"), (LATIN, "mac_roman"),
        (LATIN.replace("’", "'"), "cp850"), (LATIN, "utf-16-le"), (LATIN, "utf-16"), (LATIN, "utf-8-sig"),
        (RUSSIAN, "cp1251"), (RUSSIAN, "koi8-r"), (RUSSIAN, "cp866"), (RUSSIAN, "iso8859-5"), (GREEK, "iso8859-7"),
        (CHINESE, "gb2312"), (TAIWANESE, "big5"), (JAPANESE, "shift_jis"), (JAPANESE, "euc_jp"),
        (JAPANESE, "iso2022_jp"), (KOREAN, "euc_kr"),
    ],
)  # fmt: skip
def test_bytes_without_a_header_are_read(text: str, encoding: str) -> None:
    assert decode(text.encode(encoding)).text == text


@pytest.mark.parametrize(
    ("declared", "actual"),
    [
        ("ISO-8859-1", "utf-8"),
        ("UTF-8", "cp1252"),
        ("ASCII", "cp1252"),
        ("ISO Latin-1", "cp1252"),
        ("nonsense", "cp1252"),
    ],
)
def test_a_header_that_lies_is_not_believed(declared: str, actual: str) -> None:
    text = f"Character set encoding: {declared}\n\n{LATIN}"
    decoded = decode(text.encode(actual))
    assert (decoded.text, decoded.declared) == (text, declared)


@pytest.mark.parametrize(
    ("declared", "codec"), [("ISO-8859-2", "iso8859-2"), ("Windows-1250", "cp1250"), ("Big5", "big5")]
)
def test_a_header_names_what_bytes_cannot_tell(declared: str, codec: str) -> None:
    text = f"Character set encoding: {declared}\r\n\r\n" + (
        "他走了。" * 9 if codec == "big5" else "Zażółć gęślą jaźń. " * 9
    )
    decoded = decode(text.encode(codec))
    assert (decoded.text, decoded.how) == (text, "header")


def test_text_encoded_twice_is_read_once_more() -> None:
    twice = LATIN.encode("utf-8").decode("latin-1").encode("utf-8")
    decoded = decode(twice)
    assert (decoded.text, decoded.how) == (LATIN, "encoded twice")


def test_other_lines_in_a_file_of_utf8_are_read_as_windows() -> None:
    decoded = decode(LATIN.encode("utf-8") + "déjà".encode("cp1252"))
    assert decoded.text == LATIN + "déjà"
    assert "in places" in decoded.how


def test_what_is_no_text_is_refused_with_a_reason() -> None:
    for data in (b"PK\x03\x04\xff\xfe", b"%PDF-1.4\xff", b"\x00\x01\x02\x00\xff" * 99):
        with pytest.raises(UnreadableError):
            decode(data)
