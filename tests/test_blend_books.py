"""Books as sources of a blend: their recipes, their records, and the licence and provenance that come along."""

import json

import pytest
from blend_fixtures import LICENCE, open_blend, write_recipe

from bookblend.blend.local_raw import with_book_licences
from bookblend.blend.prepare import prepare
from bookblend.blend.prepared import Prepared
from bookblend.cli import main
from bookblend.errors import InputError

BOOK = "# One\n\nThe first chapter of it.\n\n# Two\n\nThe second chapter.\n"
RECIPE = """title = "The Book"
author = "A. Hand"
licence = "CC-BY-SA-4.0"
group = "novels"
source = "book.md"
expect = 2
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "book.md").write_text(BOOK, "utf-8")
    (tmp_path / "book.toml").write_text(RECIPE, "utf-8")
    return tmp_path


def _prepared(path):
    registry, workspace = open_blend(path)
    registry = with_book_licences(registry)
    (outcome,) = prepare(registry, workspace)
    return registry, outcome, Prepared(workspace.prepared("a"), registry.eos, False)


def _mix(folder, lines, licence=False):
    path = write_recipe(folder, {"a": lines})
    if not licence:
        path.write_text(path.read_text("utf-8").replace(f"licence = {LICENCE}\n", ""), "utf-8")
    return path


@pytest.mark.parametrize(("unit", "count"), [("book", 1), ("chapter", 2)])
def test_a_book_recipe_is_run_and_its_chapters_are_documents_or_the_whole_book_is_one(folder, unit, count):
    path = _mix(folder, f'book = {{ recipe = "book.toml" }}\ndocument = "{unit}"')
    registry, outcome, prepared = _prepared(path)
    texts = list(prepared.texts(range(len(prepared))))
    assert len(texts) == count
    assert "\n\n".join(texts) == "One\n\nThe first chapter of it.\n\nTwo\n\nThe second chapter."
    assert len(set(prepared.index["group"])) == 1
    assert (registry.sources[0].licence.spdx, registry.sources[0].licence.share_alike) == ("CC-BY-SA-4.0", True)
    (book,) = outcome.report["books"]
    assert book["book"]["title"] == "The Book" and len(book["source"]["sha256"]) == 64


def test_a_recipe_or_a_book_that_changes_is_run_again(folder):
    path = _mix(folder, 'book = { recipe = "book.toml" }\ndocument = "chapter"')
    assert _prepared(path)[1].fresh
    assert not _prepared(path)[1].fresh
    (folder / "book.md").write_text(BOOK.replace("first", "very first"), "utf-8")
    _, outcome, prepared = _prepared(path)
    assert outcome.fresh
    assert next(prepared.texts([0])) == "One\n\nThe very first chapter of it."


def test_a_books_records_bring_their_licence_and_provenance_along(folder):
    assert main(["books", "run", str(folder / "book.toml"), "--out", str(folder / "out")]) == 0
    path = _mix(folder, 'files = "out/book.jsonl"\ndocument = "chapter"')
    registry, outcome, prepared = _prepared(path)
    assert len(prepared) == 2
    assert registry.sources[0].licence.spdx == "CC-BY-SA-4.0"
    assert outcome.report["books"][0]["book"]["author"] == "A. Hand"


def test_a_folder_of_books_gives_each_book_once(folder):
    assert main(["books", "run", str(folder / "book.toml"), "--out", str(folder / "out")]) == 0
    assert (folder / "out" / "book.txt").is_file() and (folder / "out" / "book.dropped.jsonl").is_file()
    _, outcome, prepared = _prepared(_mix(folder, 'files = "out"\ndocument = "chapter"'))
    assert len(prepared) == 2 and len(outcome.report["books"]) == 1


def test_a_licence_that_nothing_names_is_refused_with_the_keys_path(folder):
    (folder / "rows.jsonl").write_text(json.dumps({"text": "a"}) + "\n", "utf-8")
    path = _mix(folder, 'files = "rows.jsonl"')
    registry, _ = open_blend(path)
    with pytest.raises(InputError, match=r"sources\[0\]\.licence: is missing, and rows\.jsonl has no rows\.book\.json"):
        with_book_licences(registry)


def test_the_registrys_licence_stands_over_the_books(folder):
    registry = _prepared(_mix(folder, 'book = { recipe = "book.toml" }', licence=True))[0]
    assert registry.sources[0].licence.spdx == "CC0-1.0"
