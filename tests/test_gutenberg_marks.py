"""Marks that typists set into a text: which go, and what looks like one and stays."""

import json

import pytest

from bookblend.blend.documents import clean
from bookblend.blend.gutenberg_marks import drop_pages, drop_pictures
from bookblend.cli import main


def test_a_mark_of_a_picture_without_a_caption_goes_with_its_line() -> None:
    text = b"One.\n\n[Illustration]\n\nTwo.\n\n  [Illustration]\nThree."
    assert drop_pictures(text) == (b"One.\n\nTwo.\n\nThree.", 2)


@pytest.mark.parametrize(
    "text", [b"[Illustration: The quay at night.]", b"He wrote [Illustration] on the page.", b"[Illustrations of it]"]
)
def test_captions_and_the_word_in_a_sentence_stay(text: bytes) -> None:
    assert drop_pictures(text) == (text, 0)


@pytest.mark.parametrize("form", ["{%d}", "[Pg %d]", "[Page %d]", "[p. %d]"])
def test_page_numbers_that_count_up_go(form: str) -> None:
    parts = [f"the{form % n} tide {form % (n + 1)}rose\n{form % (n + 2)}\nand fell." for n in range(7, 37, 3)]
    data, count = drop_pages("\n\n".join(parts).encode())
    assert (data.decode(), count) == ("\n\n".join(["the tide rose\nand fell."] * 10), 30)


def test_no_blanks_are_left_where_page_numbers_stood() -> None:
    text = "\n\n".join(f"It ends here. {{{n}}}\n\nHe came. {{{n + 1}}}  Then left." for n in range(1, 20, 2))
    assert drop_pages(text.encode())[0].decode() == "\n\n".join(["It ends here.\n\nHe came. Then left."] * 10)


@pytest.mark.parametrize(
    "text",
    [
        " ".join("the set {1}" for _ in range(20)),
        " ".join(f"note {{{n}}}" for n in (3, 1, 9, 2, 7, 5, 8, 4, 6, 12)),
        "a {1} b {2} c {3}",
        " ".join(f"{{{verse}}} And it came to pass." for _ in range(5) for verse in range(1, 30)),
        "in [Page 20] of the deed",
    ],
)
def test_braces_that_do_not_count_up_through_a_text_stay(text: str) -> None:
    assert drop_pages(text.encode()) == (text.encode(), 0)


def test_the_recipes_rules_leave_all_marks_and_each_may_be_kept(tmp_path, capsys) -> None:  # type: ignore[no-untyped-def]
    text = "\n\n".join(["One.", "[Illustration]", *(f"Page {{{n}}} of it." for n in range(1, 12))])
    assert clean(text, recipe=True).text == text
    assert clean(text).marks == 12
    folder = tmp_path / "g"
    folder.mkdir()
    (folder / "11.txt").write_text(text, "utf-8")
    out = tmp_path / "out.jsonl"
    assert main(["blend", "gutenberg", str(folder), "--out", str(out), "--keep", "pages"]) == 0
    assert "1 mark of pictures and pages" in capsys.readouterr().err
    assert "{11}" in json.loads(out.read_text("utf-8"))["text"]
