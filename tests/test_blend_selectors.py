"""Rows of a catalogue against selectors: a union, which `only_languages` narrows down."""

import json
from collections import Counter

import pytest

from bookblend.blend.model import Selectors
from bookblend.blend.selectors import select_row, takes, unmet

# A row's metadata as catalogues write it: one text a key, several parted by semicolons.
ROW = {
    "language": "en",
    "authors": "Fabre, Jean-Henri, 1823-1915; Teixeira de Mattos, Alexander, 1865-1921",
    "bookshelves": "Animal; Children's Literature",
}


@pytest.mark.parametrize(
    ("select", "taken"),
    [
        (Selectors(authors=("fabre, jean",)), True),
        (Selectors(authors=("TEIXEIRA",)), True),
        (Selectors(authors=("Lang, Andrew",)), False),
        (Selectors(bookshelves=("children's literature",)), True),
        (Selectors(authors=("Lang, Andrew",), bookshelves=("animal",)), True),
        (Selectors(authors=("fabre",), only_languages=("en",)), True),
        (Selectors(authors=("fabre",), only_languages=("fr",)), False),
        (Selectors(authors=("nobody",), languages=("en",)), True),
        (Selectors(authors=("nobody",), languages=("fr",)), False),
        (Selectors(only_languages=("en",)), True),
        (Selectors(languages=("fr", "en")), True),
        (Selectors(languages=("eng",)), True),
        (Selectors(languages=("e",)), False),
    ],
)
def test_authors_shelves_and_languages_are_a_union_that_only_languages_narrows(select: Selectors, taken: bool) -> None:
    assert takes(json.dumps(ROW), select) is taken
    assert takes(ROW, select) is taken


@pytest.mark.parametrize(
    "metadata",
    [
        {"authors": ["Lang, Andrew", "Fabre, Jean-Henri"]},
        {"authors": [{"name": "Fabre, Jean-Henri", "birth_year": 1823}]},
        {"Authors": "Fabre, Jean-Henri"},
        {"author": "Fabre, Jean-Henri"},
    ],
)
def test_other_forms_of_the_same_metadata(metadata: object) -> None:
    assert takes(metadata, Selectors(authors=("fabre",)))


@pytest.mark.parametrize("metadata", [None, "", "{", "[1]", "null", 7, {"authors": None}, {"authors": [None, 3]}])
def test_a_row_without_metadata_is_not_selected(metadata: object) -> None:
    assert not takes(metadata, Selectors(authors=("fabre",)))


def test_each_selector_that_a_row_met_is_named() -> None:
    select = Selectors(authors=("fabre", "mattos", "lang"), bookshelves=("animal",), languages=("en",))
    taken, met = select_row(ROW, select)
    assert taken
    assert met == [("authors", "fabre"), ("authors", "mattos"), ("bookshelves", "animal"), ("languages", "en")]
    assert list(unmet(select, Counter(met))) == [("authors", "lang")]
