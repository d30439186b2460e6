"""What commands tell people: inspection, tables, counts, errors that can be read, verification."""

import json
import sys
from pathlib import Path

import pytest

from bookblend import cli
from bookblend.books import commands
from bookblend.books.inspection import overview
from bookblend.build import report
from bookblend.build.builder import BuildOptions, build
from bookblend.errors import ExpectationError
from bookblend.manuscript import Manuscript, Mark, from_markdown
from bookblend.markdown import MarkdownBlock
from bookblend.sidecar import Provenance
from bookblend.talk import counted, shortened

BOOK = "# One\n\na b\n\n## Under one\n\nc d e\n\n# Two\n\nf\n\n## Under two\n\ng\n\n## And more\n\nh i\n"
KNOWN = Provenance(source={"name": "b.md", "format": "markdown"})


@pytest.fixture
def book(tmp_path):
    path = tmp_path / "b.md"
    path.write_text(BOOK, "utf-8")
    return path


def _rows(text):
    return [line.split() for line in text.splitlines()]


def test_inspect_lists_chapters_with_all_words_under_them(book, capsys):
    assert cli.main(["books", "inspect", str(book)]) == 0
    out = capsys.readouterr().out
    assert [row for row in _rows(out) if row[:1] == ["#"]] == [
        ["#", "line", "1", "7", "One"],
        ["#", "line", "9", "8", "Two"],
    ]
    assert "Under one" not in out
    assert "and 3 headings of the second tier; --all lists them" in out


def test_inspect_all_lists_every_heading_with_the_words_up_to_the_next_of_its_tier(book, capsys):
    assert cli.main(["books", "inspect", str(book), "--all"]) == 0
    rows = [row for row in _rows(capsys.readouterr().out) if row[:1] in (["#"], ["##"])]
    assert [(row[0], row[3], " ".join(row[4:])) for row in rows] == [
        ("#", "7", "One"),
        ("##", "3", "Under one"),
        ("#", "8", "Two"),
        ("##", "1", "Under two"),
        ("##", "2", "And more"),
    ]


def test_inspect_lists_all_headings_of_a_text_without_chapter_tier():
    shown = overview(from_markdown("## A\n\nx\n\n## B\n\ny\n"), KNOWN, (), every=False)
    assert [row[0] for row in _rows(shown) if row].count("##") == 2
    assert "--all" not in shown
    assert "one record" in overview(from_markdown("x"), KNOWN, (), every=False)


def test_inspect_keeps_to_the_width_of_a_terminal_and_to_none_in_a_pipe(book, capsys, monkeypatch):
    book.write_text(BOOK + f"\n# {'Long ' * 40}\n\nx\n", "utf-8")
    cli.main(["books", "inspect", str(book)])
    assert "Long " * 39 + "Long" in capsys.readouterr().out
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setattr(commands, "get_terminal_size", lambda: type("Size", (), {"columns": 60}))
    cli.main(["books", "inspect", str(book)])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 60
    assert any(line.endswith("…") for line in lines)


def test_only_a_book_with_pages_has_a_column_of_pages():
    blocks = (MarkdownBlock(1, "One"), MarkdownBlock(0, "a b"))
    plain, paged = (
        report.table(build(Manuscript(blocks, marks), "b", BuildOptions()).records, (), {})
        for marks in ((Mark(), Mark()), (Mark(page=3, end_page=3), Mark(page=3, end_page=4)))
    )
    assert plain.splitlines() == ["no  title     words", " 1  One           3", "    1 record      3"]
    assert paged.splitlines()[1] == " 1  One           3  3–4"


def test_what_stands_outside_is_counted_in_words_that_fit():
    outside = {"before": {"blocks": 1, "words": 1}, "after": {"blocks": 2, "words": 3_000}}
    assert report.table((), (), outside).splitlines()[-2:] == [
        "before the body: 1 word in 1 block",
        "after the body: 3,000 words in 2 blocks",
    ]


def test_counts_and_cuts():
    assert [counted(n, "record") for n in (0, 1, 2_000)] == ["0 records", "1 record", "2,000 records"]
    assert counted(2, "box", "boxes") == "2 boxes"
    assert [shortened(text, 4) for text in ("oars", "a oar", "paddle")] == ["oars", "a o…", "pad…"]


def test_an_unmet_count_is_one_line_that_can_be_read():
    markdown = "".join(f"# Chapter {n} {'on ' * 40}\n\nwords\n\n" for n in range(1, 36))
    with pytest.raises(ExpectationError) as caught:
        build(from_markdown(markdown), "b", BuildOptions(expect=7))
    said = str(caught.value)
    assert "\n" not in said
    assert said.startswith("--expect 7: found 35 records: 1 'Chapter 1 on on")
    assert said.endswith("; … and 5 more")
    assert said.count("; ") == 30
    assert max(len(part.split("'")[1]) for part in said.split("; ")[:-1]) <= 40
    with pytest.raises(ExpectationError, match=r"found 1 record: 1 'A' 2 words$"):
        build(from_markdown("# A\n\nb"), "b", BuildOptions(expect=2))


def _recipe(folder):
    path = folder / "r.toml"
    path.write_text('title = "T"\nauthor = "A"\nlicence = "CC0-1.0"\ngroup = "g"\nsource = "b.md"\n', "utf-8")
    return path


@pytest.mark.usefixtures("book")
def test_a_recipe_runs_into_a_folder_that_is_made_for_it(tmp_path):
    out = tmp_path / "new" / "out"
    assert cli.main(["books", "run", str(_recipe(tmp_path)), "--out", str(out)]) == 0
    assert (out / "r.jsonl").is_file()


def _recipes(folder: Path, names: str) -> list[str]:
    """A recipe and a one-chapter book for each letter."""
    paths = []
    for name in names:
        (folder / f"{name}.md").write_text(f"# Chapter {name}\n\nThe whole text of {name}.\n", "utf-8")
        path = folder / f"{name}.toml"
        path.write_text(f'title = "T"\nauthor = "A"\nlicence = "CC0-1.0"\ngroup = "g"\nsource = "{name}.md"\n', "utf-8")
        paths.append(str(path))
    return paths


@pytest.mark.parametrize("workers", ["1", "2"])
def test_several_recipes_run_in_their_order_and_one_that_fails_stops_no_other(tmp_path, capsys, workers):
    recipes = _recipes(tmp_path, "abcd")
    with Path(recipes[1]).open("a", encoding="utf-8") as recipe:
        recipe.write("expect = 7\n")
    assert cli.main(["books", "run", *recipes, "--out", str(tmp_path / "out"), "--workers", workers]) == 4
    said = capsys.readouterr()
    assert [line for line in said.out.splitlines() if line in ("a", "b", "c", "d")] == ["a", "c", "d"]
    assert said.err.startswith("bookblend: b: ")
    assert "7" in said.err
    assert sorted(path.name for path in (tmp_path / "out").glob("*.jsonl") if "dropped" not in path.name) == [
        "a.jsonl",
        "c.jsonl",
        "d.jsonl",
    ]


def test_two_recipes_that_write_one_file_are_refused(tmp_path, capsys):
    (recipe,) = _recipes(tmp_path, "a")
    assert cli.main(["books", "run", recipe, recipe, "--out", str(tmp_path / "out")]) == 2
    assert "another recipe given writes a.jsonl" in capsys.readouterr().err


def test_a_source_goes_with_one_recipe_only(tmp_path, capsys):
    assert cli.main(["books", "run", *_recipes(tmp_path, "ab"), "--source", "x.md"]) == 2
    assert "--source goes with one recipe" in capsys.readouterr().err


def test_a_file_is_no_folder_to_run_into(tmp_path, book, capsys):
    assert cli.main(["books", "run", str(_recipe(tmp_path)), "--out", str(book)]) == 2
    assert "--out names a folder" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("command", "data", "message"),
    [
        ("pdf", b"PK\x03\x04 and so on", "is an EPUB (a zip archive); read it with `bookblend extract epub`"),
        ("epub", b"%PDF-1.7 and so on", "is a PDF; read it with `bookblend extract pdf`"),
    ],
)
def test_an_extractor_says_what_a_file_of_the_other_kind_is(tmp_path, capsys, command, data, message):
    (tmp_path / "b.bin").write_bytes(data)
    assert cli.main(["extract", command, str(tmp_path / "b.bin"), str(tmp_path / "b.md")]) == 3
    assert message in capsys.readouterr().err
    assert not (tmp_path / "b.md").exists()


def test_verify_fails_where_the_raw_text_is_of_another_slice_and_names_only_what_it_checked(book, tmp_path, capsys):
    out = tmp_path / "out"
    out.mkdir()
    records, raw = out / "b.jsonl", out / "b.txt"
    assert cli.main(["build", "jsonl", str(book), str(records), "--start", "Two"]) == 0
    capsys.readouterr()
    assert cli.main(["books", "verify", str(records)]) == 0
    assert capsys.readouterr().out == f"{records}: 1 record, 9 words; checked against b.book.json\n"
    assert cli.main(["build", "text", str(book), str(raw)]) == 0
    capsys.readouterr()
    assert cli.main(["books", "verify", str(records)]) == 6
    said = capsys.readouterr()
    assert "b.txt: not the text of these records" in said.err
    assert not said.out
    assert cli.main(["build", "text", str(book), str(raw), "--start", "Two"]) == 0
    capsys.readouterr()
    assert cli.main(["books", "verify", str(records), "--source", str(book)]) == 0
    assert "checked against the input, b.book.json, b.txt\n" in capsys.readouterr().out


def test_fields_of_a_recipe_stand_in_its_records(book, tmp_path):
    recipe = _recipe(tmp_path)
    recipe.write_text(recipe.read_text("utf-8") + 'fields = ["number", "title"]\n', "utf-8")
    assert cli.main(["books", "run", str(recipe), "--out", str(tmp_path / "out")]) == 0
    first = json.loads((tmp_path / "out" / "r.jsonl").read_text("utf-8").splitlines()[0])
    assert (first["number"], first["title"]) == (1, "One")
    assert book.read_text("utf-8") == BOOK
