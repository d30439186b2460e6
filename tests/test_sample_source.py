"""The plain markup that the sample book is written in."""

from pathlib import Path

import pytest

from bookblend.books.sample.source import Mark, Note, Run, SampleBook, read_source
from bookblend.books.sample.typeset import typst_source
from bookblend.errors import BookblendError, InputError

META = """title = "T"
subtitle = "S"
author = "A"
publisher = "P"
language = "en"
identifier = "urn:x"
licence = "CC0-1.0"
date = "2026-01-05"
typst = "0"
"""
INDEX = "kind: index\ntitle: Index\n\nlamps = lamp; lantern\n"


def read(folder: Path, chapter: str) -> SampleBook:
    (folder / "book.toml").write_text(META, "utf-8")
    (folder / "1-one.txt").write_text(f"kind: chapter\nnumber: 1\ntitle: One\n\n{chapter}", "utf-8")
    (folder / "2-index.txt").write_text(INDEX, "utf-8")
    return read_source(folder)


def test_each_block_is_read_as_its_sign_says(tmp_path: Path) -> None:
    book = read(tmp_path, "One\nline.\n\n## Inner\n\n> Said.\n\n| a\n| b\n|\n| c\n\n- item\n  goes on\n\n***\n")

    assert [(block.kind, block.text) for block in book.sections[0].blocks] == [
        ("p", "One line."),
        ("heading", "Inner"),
        ("quote", "Said."),
        ("verse", "a\nb\n\nc"),
        ("item", "item goes on"),
        ("break", ""),
    ]


def test_emphasis_and_notes_are_told_from_the_words(tmp_path: Path) -> None:
    block = read(tmp_path, "It _was_ so.^[See _there_.] Now.").sections[0].blocks[0]

    assert block.inlines == (
        Run("It "),
        Run("was", emphasis=True),
        Run(" so."),
        Note((Run("See "), Run("there", emphasis=True), Run("."))),
        Run(" Now."),
    )
    assert block.text == "It was so. Now."


def test_the_index_marks_whole_terms_once_a_block(tmp_path: Path) -> None:
    blocks = read(tmp_path, "Start.\n\nTwo lamps and a lamp.\n\nA lamp-room, clamps.").sections[0].blocks

    assert blocks[1].inlines == (Run("Two "), Mark("lamps"), Run("lamps and a lamp."))
    assert not any(isinstance(piece, Mark) for piece in blocks[2].inlines)


def test_a_section_with_an_unknown_field_is_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="1-one: 'colour: red'"):
        read(tmp_path, "Start.")
        (tmp_path / "1-one.txt").write_text("kind: chapter\ncolour: red\n\nStart.", "utf-8")
        read_source(tmp_path)


def test_an_opening_too_short_for_a_drop_cap_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BookblendError, match="an opening needs 40 words"):
        typst_source(read(tmp_path, "Too short.\n\nNext."))


def test_text_cannot_become_typst_markup(tmp_path: Path) -> None:
    opening = "word " * 40
    source = typst_source(read(tmp_path, f'{opening}\n\nNext.\n\nA "quoted" # sign \\ and [brackets] $5.'))

    assert '#"A \\"quoted\\" # sign \\\\ and [brackets] $5."' in source
