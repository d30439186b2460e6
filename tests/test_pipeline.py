"""The four stages joined: all products of a book together, the same stage by stage, and verifiable afterwards."""

import json

import pytest

from bookblend import cli
from bookblend.books import pipeline
from bookblend.books.sniff import sniff
from bookblend.build.builder import BuildOptions
from bookblend.errors import ExpectationError, InputError, UsageError
from bookblend.extract import pdf as pdf_module
from bookblend.extract.model import Block, Book, Dropped, ExtractOptions, Kind, Place

SUFFIXES = sorted(pipeline.SUFFIXES)


def _block(kind, text, page, level=0, **more):
    return Block(kind, text, Place(page, page), level, **more)


CODE = "boat:\n\trow -n 2\n\n# 12\n}"
BOOK = Book(
    format="pdf",
    blocks=(
        _block(Kind.HEADING, "Contents", 2, 1, matter="contents"),
        _block(Kind.PARAGRAPH, "The Long Oar 3", 2, matter="contents"),
        _block(Kind.HEADING, "Chapter 1", 3, 1, evidence="outline"),
        _block(Kind.HEADING, "The Long Oar", 3, 1, evidence="outline"),
        _block(Kind.PARAGRAPH, "The ferryman counted\nhis copper and slept.", 3),
        _block(Kind.VERSE, "Row the boat,\nrow the boat.", 4),
        _block(Kind.HEADING, "Low Water", 5, 1, evidence="outline"),
        _block(Kind.PARAGRAPH, "# is a sign that he drew on the door.", 5),
        _block(Kind.CODE, CODE, 5),
        _block(Kind.PARAGRAPH, "1842", 6),
        _block(Kind.HEADING, "Index", 9, 1, matter="index"),
        _block(Kind.PARAGRAPH, "oar, 3", 9, matter="index"),
    ),
    dropped=(Dropped("folio", "page 3", "3"), Dropped("folio", "page 4", "4")),
    warnings=("page 7 has no text",),
    title="The Ferry",
    evidence={"body size": 11.0},
)


@pytest.fixture
def source(tmp_path, monkeypatch):
    """A file that is read as `BOOK`."""
    monkeypatch.setattr(pdf_module, "extract_pdf", lambda *_: BOOK)
    path = tmp_path / "in" / "ferry.pdf"
    path.parent.mkdir()
    path.write_bytes(b"%PDF-1.7 stand-in")
    return path


@pytest.fixture
def out(tmp_path):
    folder = tmp_path / "out"
    folder.mkdir()
    return folder / "ferry.jsonl"


def _files(folder):
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def _onboard(source, out, *options):
    return cli.main(["books", "onboard", str(source), str(out), *options])


def test_a_book_gives_all_products_beside_the_output(source, out):
    assert _onboard(source, out) == 0
    assert sorted(name.removeprefix("ferry") for name in _files(out.parent)) == SUFFIXES
    texts = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert texts == [
        {
            "text": "Chapter 1\n\nThe Long Oar\n\nThe ferryman counted his copper and slept.\n\n"
            "Row the boat,\nrow the boat."
        },
        {"text": f"Low Water\n\n# is a sign that he drew on the door.\n\n{CODE}\n\n1842"},
    ]
    assert out.with_suffix(".txt").read_text("utf-8") == "\n\n".join(record["text"] for record in texts) + "\n"
    assert "\\# is a sign" in out.with_suffix(".md").read_text("utf-8")


def test_the_provenance_says_what_was_read_with_what_and_what_came_of_it(source, out):
    _onboard(source, out, "--expect", "2", "--password", "secret")
    side = json.loads(out.with_suffix(".book.json").read_text("utf-8"))
    assert side["input"]["name"] == "ferry.pdf"
    assert side["input"]["bytes"] == source.stat().st_size
    assert len(side["input"]["sha256"]) == 64
    assert set(side["tools"]) > {"bookblend", "pymupdf"}
    assert side["book"]["title"] == "The Ferry"
    assert side["evidence"] == {"body size": 11.0}
    assert side["warnings"] == ["page 7 has no text"]
    assert side["dropped"] == {"extract": {"folio": 2}, "build": {"back matter: index": 2, "front matter: contents": 2}}
    assert side["options"]["build"]["expect"] == 2
    assert side["options"]["extract"]["password"] is True
    assert [(r["title"], r["label"], r["first_page"], r["last_page"]) for r in side["records"]] == [
        ("The Long Oar", "Chapter 1", 3, 4),
        ("Low Water", "", 5, 6),
    ]
    everything = b"".join(_files(out.parent).values()).decode()
    assert "secret" not in everything
    assert str(source.parent) not in everything


def test_the_ledger_lists_every_dropped_piece_with_stage_rule_and_place(source, out):
    _onboard(source, out)
    entries = [json.loads(line) for line in out.with_suffix(".dropped.jsonl").read_text("utf-8").splitlines()]
    assert entries[0] == {"stage": "extract", "rule": "folio", "place": "page 3", "text": "3"}
    assert entries[-1] == {"stage": "build", "rule": "back matter: index", "place": "page 9", "text": "oar, 3"}
    assert len(entries) == 6


def test_the_run_ends_with_a_table_of_records_and_rules_and_warns_on_stderr(source, out, capsys):
    _onboard(source, out)
    said = capsys.readouterr()
    rows = [line.split() for line in said.out.splitlines()]
    assert ["1", "The", "Long", "Oar", "18", "3–4"] in rows
    assert ["extract", "folio", "2"] in rows
    assert ["build", "back", "matter:", "index", "2"] in rows
    assert said.err == "bookblend: warning: page 7 has no text\n"


def test_two_runs_give_the_same_bytes(source, out):
    _onboard(source, out)
    first = _files(out.parent)
    _onboard(source, out)
    assert _files(out.parent) == first


def test_four_stages_one_by_one_give_the_same_bytes_as_one_run(source, out, tmp_path):
    _onboard(source, out, "--end", "Index")
    steps = tmp_path / "steps"
    steps.mkdir()
    book = str(steps / "ferry")
    assert cli.main(["extract", "pdf", str(source), f"{book}.md"]) == 0
    assert cli.main(["clean", "ocr", f"{book}.md"]) == 0
    assert cli.main(["build", "text", f"{book}.md", f"{book}.txt", "--end", "Index"]) == 0
    assert cli.main(["build", "jsonl", f"{book}.md", f"{book}.jsonl", "--end", "Index"]) == 0
    assert _files(steps) == _files(out.parent)


def test_an_unmet_expectation_leaves_the_previous_outputs_as_they_were(source, out, capsys):
    _onboard(source, out)
    before = _files(out.parent)
    capsys.readouterr()
    for wrong in (
        ["--expect", "3"],
        ["--start", "Nowhere"],
        ["--pattern", "nowhere"],
        ["--start", "Index", "--end", "Contents"],
    ):
        assert _onboard(source, out, *wrong) == 4
        assert _files(out.parent) == before
        assert len(capsys.readouterr().err.splitlines()) == 1


def test_matter_stays_where_the_user_asks_for_it(source, out):
    _onboard(source, out, "--start", "", "--end", "")
    assert [json.loads(line)["text"].split("\n")[0] for line in out.read_text("utf-8").splitlines()] == [
        "Contents",
        "Chapter 1",
        "Low Water",
        "Index",
    ]


def test_markdown_from_elsewhere_is_an_input_too(tmp_path, out):
    path = tmp_path / "foreign.md"
    path.write_text("## Cover\n\nBy nobody.\n\n## Preface\n\nWhy it is.\n\n## Chapter 1\n\nWhat it is.\n", "utf-8")
    assert _onboard(path, out, "--start", "preface", "--pattern", r"preface|chapter \d+", "--expect", "2") == 0
    side = json.loads(out.with_suffix(".book.json").read_text("utf-8"))
    assert [record["title"] for record in side["records"]] == ["Preface", "Chapter 1"]
    assert "first_page" not in side["records"][0]
    assert side["input"]["format"] == "markdown"


def test_markdown_named_like_the_output_is_not_overwritten(tmp_path):
    path = tmp_path / "book.md"
    path.write_text("# A\n\nx\n")
    with pytest.raises(UsageError, match="same file"):
        pipeline.check_paths(path, tmp_path / "book.jsonl")


def test_no_clean_leaves_the_repairs_out(source, out):
    _onboard(source, out, "--no-clean")
    side = json.loads(out.with_suffix(".book.json").read_text("utf-8"))
    assert "clean" not in side["options"]
    assert set(side["tools"]) == {"bookblend", "pymupdf"}


def test_replacements_without_cleaning_are_refused(source):
    from bookblend.books.recipe import Replacement

    wanted = (Replacement(text="a", by="b", count=1),)
    with pytest.raises(UsageError, match="replacements"):
        pipeline.onboard(source, "ferry", pipeline.Options(clean=False, replacements=wanted))


def _recipe(folder, **more):
    raw = {"title": "The Ferry", "author": "N.", "licence": "CC0-1.0", "group": "g", "source": "in/ferry.pdf"} | more
    path = folder / "ferry.toml"
    lines = [f"{key} = {json.dumps(value)}" for key, value in raw.items() if key != "replacements"]
    for entry in raw.get("replacements", ()):
        lines += ["[[replacements]]", *(f"{key} = {json.dumps(value)}" for key, value in entry.items())]
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_a_recipe_gives_the_records_that_the_same_options_give(source, out, tmp_path):
    path = _recipe(tmp_path, start="Chapter 1 The Long Oar", end="Index", expect=2)
    assert cli.main(["books", "run", str(path), "--out", str(out.parent)]) == 0
    by_recipe = _files(out.parent)
    _onboard(source, out, "--start", "Chapter 1 The Long Oar", "--end", "Index", "--expect", "2")
    by_hand = _files(out.parent)
    assert by_recipe["ferry.jsonl"] == by_hand["ferry.jsonl"]
    assert json.loads(by_recipe["ferry.book.json"])["book"]["licence"] == "CC0-1.0"


@pytest.mark.usefixtures("source")
def test_a_recipe_replaces_exact_text_as_often_as_it_says(out, tmp_path):
    once = {"text": "copper", "with": "silver", "count": 1}
    path = _recipe(tmp_path, replacements=[once])
    assert cli.main(["books", "run", str(path), "--out", str(out.parent)]) == 0
    assert "counted his silver and" in out.read_text("utf-8")
    path = _recipe(tmp_path, replacements=[once | {"count": 2}])
    assert cli.main(["books", "run", str(path), "--out", str(out.parent)]) != 0


@pytest.mark.usefixtures("source")
def test_a_recipe_refuses_another_file_than_it_was_settled_on(out, tmp_path, capsys):
    path = _recipe(tmp_path, sha256="0" * 64)
    assert cli.main(["books", "run", str(path), "--out", str(out.parent)]) == 3
    assert "SHA-256" in capsys.readouterr().err
    assert not _files(out.parent)


def test_inspect_lists_headings_with_what_helps_to_choose_anchors(source, capsys):
    assert cli.main(["books", "inspect", str(source)]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert ["#", "page", "3", "13", "The", "Long", "Oar", "outline"] in rows
    assert ["#", "page", "9", "2", "Index", "index"] in rows
    assert any(row[:3] == ["without", "--start,", "--end"] and "2" in row for row in rows)


def test_verify_finds_nothing_amiss_after_a_run_and_every_later_change(source, out, capsys):
    _onboard(source, out)
    verify = ["books", "verify", str(out), "--source", str(source)]
    assert cli.main(verify) == 0
    assert "2 records" in capsys.readouterr().out
    whole = _files(out.parent)
    for name in whole:
        if name.endswith(".book.json"):
            continue
        (out.parent / name).write_bytes(whole[name].replace(b"e", b"i", 1))
        assert cli.main(verify) == 6
        assert name in capsys.readouterr().err
        (out.parent / name).write_bytes(whole[name])
    source.write_bytes(b"%PDF-1.7 another")
    assert cli.main(verify) == 6


def test_verify_without_provenance_is_an_input_error(out, capsys):
    out.write_text('{"text": "a"}\n')
    assert cli.main(["books", "verify", str(out)]) == 3
    assert "no provenance" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("name", "data", "kind"),
    [
        ("a.pdf", b"%PDF-1.4", "pdf"),
        ("a.epub", b"HTTP/1.1 200 OK\r\n\r\n%PDF-1.4", "pdf"),
        ("a.pdf", b"PK\x03\x04rest", "epub"),
        ("a.md", b"# On the %PDF header\n", "markdown"),
        ("A.TXT", b"words", "markdown"),
    ],
)
def test_a_file_is_what_its_bytes_say(tmp_path, name, data, kind):
    (tmp_path / name).write_bytes(data)
    assert sniff(tmp_path / name) == kind


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.pdf", b"<!DOCTYPE html><title>404</title>", "HTML page, not a PDF"),
        ("a.pdf", b"", "is empty"),
        ("a.pdf", b"words", "not a PDF"),
        ("a.epub", b"words", "not an EPUB: no zip"),
        ("a.bin", b"words", "neither PDF nor EPUB"),
    ],
)
def test_a_file_that_is_no_book_is_refused_in_one_line(tmp_path, name, data, message):
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=message) as caught:
        sniff(tmp_path / name)
    assert "\n" not in str(caught.value)


def test_a_misnamed_book_is_read_with_a_warning(source):
    path = source.rename(source.with_suffix(".epub"))
    products = pipeline.onboard(path, "ferry", pipeline.Options(clean=False))
    assert "read as what it is: pdf" in products.warnings[-1]


def test_a_book_without_text_is_an_input_error(source, monkeypatch):
    monkeypatch.setattr(pdf_module, "extract_pdf", lambda *_: Book("pdf", ()))
    with pytest.raises(InputError, match="no text"):
        pipeline.onboard(source, "ferry", pipeline.Options())


def test_a_book_of_garbage_is_an_input_error_that_says_why(source, monkeypatch):
    garbage = Book("pdf", (_block(Kind.PARAGRAPH, "� �� ��� � ��", 1),), warnings=("9 glyphs have no mapping",))
    monkeypatch.setattr(pdf_module, "extract_pdf", lambda *_: garbage)
    with pytest.raises(InputError, match=r"all dropped as .*\(1\); 9 glyphs"):
        pipeline.onboard(source, "ferry", pipeline.Options())


def test_the_extractor_gets_the_options_it_was_given(source, monkeypatch):
    seen = []
    monkeypatch.setattr(pdf_module, "extract_pdf", lambda _, options, __: seen.append(options) or BOOK)
    wanted = ExtractOptions(notes="end", keep_furniture=True, accept_ocr=True, password="x")
    pipeline.onboard(source, "ferry", pipeline.Options(extract=wanted, clean=False))
    assert seen == [wanted]


def test_expectations_are_checked_in_memory(source):
    with pytest.raises(ExpectationError):
        pipeline.onboard(source, "ferry", pipeline.Options(clean=False, build=BuildOptions(expect=9)))


def test_code_is_fenced_in_the_markdown_and_bare_in_text_and_records(source, out):
    _onboard(source, out)
    assert f"door.\n\n```\n{CODE}\n```\n\n1842" in out.with_suffix(".md").read_text("utf-8")
    assert f"door.\n\n{CODE}\n\n1842" in out.with_suffix(".txt").read_text("utf-8")
    assert len(out.read_text("utf-8").splitlines()) == 2


def _cleaned(known):
    return json.loads(known.with_suffix(".book.json").read_text("utf-8"))["options"]["clean"]


def test_only_what_an_ocr_engine_may_have_made_is_judged_as_its_noise(source, out):
    _onboard(source, out)
    assert _cleaned(out)["numbers"] == "keep"
    _onboard(source, out, "--accept-ocr")
    assert _cleaned(out)["numbers"] == "drop"


def test_the_junk_pass_can_be_left_out_by_option_and_by_recipe(tmp_path):
    book = tmp_path / "noise.md"
    book.write_text("# One\n\nWords to be read.\n\n~ .,;: 1|l ' ^\n", "utf-8")
    for words, kept in ([], False), (["--keep-junk"], True):
        assert _onboard(book, tmp_path / "a.jsonl", *words) == 0
        assert ("1|l" in (tmp_path / "a.txt").read_text("utf-8")) is kept
    recipe = tmp_path / "b.toml"
    recipe.write_text(
        'title = "T"\nauthor = "A"\nlicence = "CC0-1.0"\ngroup = "g"\nsource = "noise.md"\n'
        'keep_junk = true\nfields = ["id"]\n'
    )
    assert cli.main(["books", "run", str(recipe), "--out", str(tmp_path)]) == 0
    record = json.loads((tmp_path / "b.jsonl").read_text("utf-8"))
    assert record == {"text": "One\n\nWords to be read.\n\n~ .,;: 1|l ' ^", "id": "b-001"}


def test_markdown_of_another_tool_gives_its_words_without_marks(tmp_path):
    book = tmp_path / "in.md"
    book.write_text("---\ntitle: F\nlang: en\n---\n\n# *One*\n\nA `word`[^1].\n\n[^1]: Noted.\n", "utf-8")
    assert _onboard(book, tmp_path / "a.jsonl") == 0
    assert json.loads((tmp_path / "a.jsonl").read_text("utf-8")) == {"text": "One\n\nA word."}
    side = json.loads((tmp_path / "a.book.json").read_text("utf-8"))
    assert side["book"] == {"title": "F", "language": "en"}
    assert side["dropped"]["extract"] == {"front matter": 1, "note": 1}
    assert _onboard(book, tmp_path / "b.jsonl", "--notes", "end") == 0
    assert json.loads((tmp_path / "b.jsonl").read_text("utf-8")) == {"text": "One\n\nA word.\n\nNoted."}


def test_built_where_it_lies_another_tools_markdown_stays_another_tools(tmp_path):
    book = tmp_path / "in.md"
    book.write_text("# One\n\nA *word*.\n", "utf-8")
    for _ in range(2):
        assert cli.main(["build", "jsonl", str(book), str(tmp_path / "in.jsonl")]) == 0
        assert json.loads((tmp_path / "in.jsonl").read_text("utf-8")) == {"text": "One\n\nA word."}
    assert "in.md" not in json.loads((tmp_path / "in.book.json").read_text("utf-8"))["products"]


def test_our_own_markdown_stays_ours_when_it_was_edited_and_built(source, out):
    _onboard(source, out)
    ours = out.with_suffix(".md")
    ours.write_text(ours.read_text("utf-8") + "\n*12*\n\n12\n", "utf-8")
    for _ in range(2):
        assert cli.main(["build", "jsonl", str(ours), str(out)]) == 0
        assert out.read_text("utf-8").endswith('*12*\\n\\n12"}\n')
    assert cli.main(["clean", "ocr", str(ours)]) == 0
    assert _cleaned(out)["numbers"] == "keep"
    assert ours.read_text("utf-8").endswith("\n\n*12*\n\n12\n")
