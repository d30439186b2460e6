"""Recipes are read strictly, and the ones that come with the project hold what was settled."""

import tomllib
from dataclasses import fields

import pytest

from bookblend.books.recipe import Recipe, Replacement, find_source, parse_recipe, read_recipe
from bookblend.build.split import compile_pattern
from bookblend.errors import InputError

LEAST = {"title": "T", "author": "A", "licence": "CC0-1.0", "group": "g", "source": "t.pdf"}


def test_a_recipe_may_say_only_what_the_book_is():
    assert parse_recipe(LEAST, "t", "t.toml") == Recipe(
        name="t", title="T", author="A", licence="CC0-1.0", group="g", source="t.pdf"
    )


def test_a_recipe_holds_anchors_options_and_replacements():
    settled = {
        "start": "",
        "end": "Notes",
        "pattern": "chapter",
        "expect": 3,
        "notes": "end",
        "sha256": "0" * 64,
        "accept_ocr": True,
        "keep_junk": True,
        "fields": ["id", "title"],
        "replacements": [{"text": "teh", "with": "the", "count": 2}],
    }
    recipe = parse_recipe(LEAST | settled, "t", "t.toml")
    assert (recipe.start, recipe.end, recipe.pattern, recipe.expect, recipe.notes) == ("", "Notes", "chapter", 3, "end")
    assert recipe.accept_ocr
    assert recipe.keep_junk
    assert recipe.fields == ("id", "title")
    assert recipe.replacements == (Replacement(text="teh", by="the", count=2),)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"expect": "12"}, "x.toml: expect: must be a whole number"),
        ({"expect": True}, "x.toml: expect: must be a whole number"),
        ({"expect": 0}, "x.toml: expect: must be 1 or more"),
        ({"start": 3}, "x.toml: start: must be a string"),
        ({"strat": "Preface"}, "x.toml: strat: unknown key"),
        ({"title": None}, "x.toml: title: is missing"),
        ({"title": ""}, "x.toml: title: must not be empty"),
        ({"pattern": "(a"}, "x.toml: pattern: no regular expression"),
        ({"notes": "keep"}, "x.toml: notes: must be drop, end or inline"),
        ({"sha256": "abc"}, "x.toml: sha256: must be 64"),
        ({"licence": "all mine"}, "x.toml: licence: must be an SPDX"),
        ({"source": "../t.pdf"}, "x.toml: source: must be a file name"),
        ({"source": "/t.pdf"}, "x.toml: source: must be a file name"),
        ({"clean": "yes"}, "x.toml: clean: must be true or false"),
        ({"title": None, "group": None, "source": None}, "x.toml: title, group, source: are missing$"),
        ({"fields": "id"}, "x.toml: fields: must be a list of strings"),
        ({"fields": ["id", "pages"]}, "x.toml: fields: no field 'pages'; there are id, "),
        ({"keep_junk": 1}, "x.toml: keep_junk: must be true or false"),
        ({"replacements": [{"text": "a"}]}, r"x.toml: replacements\[0\].with, count: are missing"),
        ({"replacements": ["a"]}, "x.toml: replacements: must be a list of tables"),
        ({"replacements": [{"text": "a", "with": "b"}]}, r"x.toml: replacements\[0\].count: is missing"),
        ({"replacements": [{"text": "a", "count": 1}]}, r"x.toml: replacements\[0\].with: is missing"),
        ({"replacements": [{"text": "a", "with": "", "count": 1, "x": 1}]}, r"replacements\[0\].x: unknown key"),
    ],
)
def test_an_error_carries_the_path_of_the_key(change, message):
    raw = {key: value for key, value in (LEAST | change).items() if value is not None}
    with pytest.raises(InputError, match=message):
        parse_recipe(raw, "x", "x.toml")


@pytest.mark.parametrize(
    "licence", ["MIT", "CC-BY-SA-4.0", "GPL-3.0-or-later WITH GCC-exception-3.1", "LicenseRef-Own"]
)
def test_licences_are_spdx_expressions(licence):
    assert parse_recipe(LEAST | {"licence": licence}, "t", "t.toml").licence == licence


def test_a_file_that_is_no_toml_is_refused_with_its_name(tmp_path):
    (tmp_path / "x.toml").write_text("title = ")
    with pytest.raises(InputError, match=r"x\.toml: not a TOML file"):
        read_recipe(tmp_path / "x.toml")
    with pytest.raises(InputError, match="no such recipe"):
        read_recipe(tmp_path / "y.toml")


def test_the_source_stands_beside_the_recipe_or_where_the_user_says(tmp_path):
    recipe = parse_recipe(LEAST, "t", "t.toml")
    with pytest.raises(InputError, match=r"t\.pdf' there or name your copy with --source"):
        find_source(recipe, tmp_path, None)
    (tmp_path / "t.pdf").touch()
    (tmp_path / "mine.pdf").touch()
    assert find_source(recipe, tmp_path, None) == tmp_path / "t.pdf"
    assert find_source(recipe, tmp_path, tmp_path / "mine.pdf") == tmp_path / "mine.pdf"


SETTLED = {
    "beginning-of-infinity": ("Introduction", "Bibliography", 19),
    "consciousness-explained": ("PREFACE", "BIBLIOGRAPHY", 20),
    "conscious-mind": ("INTRODUCTION TAKING CONSCIOUSNESS SERIOUSLY", "NOTES", 15),
    "i-am-a-strange-loop": ("PREFACE", "NOTES", 27),
    "river-of-consciousness": ("Foreword", "Bibliography", 12),
    "minds-i": ("Preface", "Note From the Author", 29),
}


@pytest.mark.parametrize("name", SETTLED)
def test_the_settled_books_have_their_anchors_and_counts(repository, name):
    recipe = read_recipe(repository / "books" / f"{name}.toml")
    assert (recipe.start, recipe.end, recipe.expect) == SETTLED[name]
    if recipe.pattern:
        compile_pattern(recipe.pattern)


@pytest.mark.parametrize(
    ("name", "heading"),
    [
        ("conscious-mind", "Introduction"),
        ("conscious-mind", "PART IV— APPLICATIONS"),
        ("conscious-mind", "1— Two Concepts of Mind"),
        ("i-am-a-strange-loop", "CHAPTER 24"),
        ("i-am-a-strange-loop", "Epilogue: The Quandary"),
        ("river-of-consciousness", "Sentience: The Mental Lives of Plants and Worms"),
        ("minds-i", "D. E. HARDING"),
        ("minds-i", "Stanislaw Lem"),
    ],
)
def test_the_settled_patterns_match_the_headings_they_are_for(repository, name, heading):
    recipe = read_recipe(repository / "books" / f"{name}.toml")
    assert compile_pattern(recipe.pattern).match(heading)


@pytest.mark.parametrize(("name", "openings"), [("conscious-mind", 12), ("river-of-consciousness", 12)])
def test_a_pattern_of_titles_names_as_many_as_are_expected(repository, name, openings):
    # Chalmers: one alternative for the introduction, one for the four parts, ten for chapters.
    recipe = read_recipe(repository / "books" / f"{name}.toml")
    assert recipe.pattern.count("|") + 1 == openings
    assert recipe.pattern.endswith(")$")


def test_every_recipe_in_the_folder_can_be_read(repository):
    recipes = sorted((repository / "books").glob("*.toml"))
    assert len(recipes) >= len(SETTLED) + 2
    for path in recipes:
        assert read_recipe(path).name == path.stem


def test_every_key_of_a_recipe_is_in_its_documentation(repository):
    documented = (repository / "docs" / "recipes.md").read_text("utf-8")
    keys = [field.name for field in fields(Recipe) if field.name != "name"]
    assert [key for key in keys if f"`{key}`" not in documented] == []


def test_the_example_in_the_documentation_is_a_recipe(repository):
    example = (repository / "docs" / "recipes.md").read_text("utf-8").split("```toml\n")[1].split("```")[0]
    recipe = parse_recipe(tomllib.loads(example), "ferry", "docs/recipes.md")
    assert recipe.replacements
    assert recipe.expect
