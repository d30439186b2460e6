"""The command that moves each threshold of the PDF reader: what it finds, what moving does, and the page."""

import sys
from importlib import import_module
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

MODULES = ("books", "score", "runs", "peers", "measures", "page", "compare", "constants", "effects", "thresholds")


@pytest.fixture
def tools(repository: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The modules of benchmarks/ by name."""
    monkeypatch.syspath_prepend(str(repository / "benchmarks"))
    for name in MODULES:
        monkeypatch.delitem(sys.modules, name, raising=False)
    return SimpleNamespace(**{name: import_module(name) for name in MODULES})


def find(tools: Any, module: str, label: str) -> Any:
    found = [one for one in tools.constants.find_constants() if (one.module, one.label) == (module, label)]
    assert len(found) == 1
    return found[0]


def value_of(module: str, name: str) -> Any:
    return getattr(import_module(module), name)


# The constants.


def test_every_threshold_of_the_reader_is_named_with_a_reason_of_its_own(tools: Any) -> None:
    found = tools.constants.find_constants()
    reasons = {(one.module, one.reason): one.name for one in found}

    assert len(found) > 100
    assert [one.label for one in found if not one.reason] == []
    assert [one.label for one in found if reasons[one.module, one.reason] != one.name] == []


def test_a_reason_stands_above_a_constant_or_beside_it(tools: Any) -> None:
    above = find(tools, "bookblend.extract.pdf_headings", "HEADING_EXCESS")
    beside = find(tools, "bookblend.extract.pdf_lines", "_WORD_BLANK")

    assert (above.value, above.reason) == (0.7, "Points over the body size that make a heading (spec).")
    assert (beside.value, beside.reason.split(",")[0]) == (1.5, "in a letter-spaced line")


def test_numbers_of_a_tuple_are_moved_one_by_one(tools: Any) -> None:
    name = "_INDENT_EMS"
    least, most = (find(tools, "bookblend.extract.pdf_stats", f"{name}[{item}]") for item in (0, 1))

    with tools.constants.moved(most, 5.2):
        assert value_of(most.module, name) == (least.value, 5.2)
    assert value_of(most.module, name) == (least.value, most.value)


def test_bits_of_a_library_and_what_is_made_of_thresholds_are_none(tools: Any) -> None:
    names = {one.name for one in tools.constants.find_constants()}

    assert names.isdisjoint({"_PAINTED", "_WIDE_BLANK", "_FAKE_BOLD_FLAG", "_SUPERSCRIPT", "TEXT_FLAGS", "_FLATTEN"})


@pytest.mark.parametrize(
    ("value", "far", "near"),
    [
        (10, (5, 20), (7, 13)),
        (2, (1, 4), (1, 3)),
        (1, (0, 2), (0, 2)),
        (4.0, (2.0, 8.0), (2.8, 5.2)),
        (0.4, (0.2, 0.8), (0.28, 0.52)),
        (0.8, (0.4, 0.9), (0.56, 0.846)),
        (0.95, (0.475, 0.975), (0.665, 0.962)),
    ],
)
def test_values_are_multiplied_integers_go_by_one_at_least_and_shares_stay_shares(
    tools: Any, value: float, far: tuple[float, float], near: tuple[float, float]
) -> None:
    constant = tools.constants.Constant("module", "NAME", value, "reason")

    assert tuple(map(constant.moved, tools.constants.FAR)) == far
    assert tuple(map(constant.moved, tools.constants.NEAR)) == near


# Moving one.


def test_a_moved_constant_is_moved_wherever_it_is_imported_and_back_afterwards(tools: Any) -> None:
    constant = find(tools, "bookblend.extract.pdf_folios", "FOLIO_EXCESS")
    users = [f"bookblend.extract.pdf_{name}" for name in ("folios", "furniture", "artifacts", "stamps")]

    with tools.constants.moved(constant, 9.0):
        assert [value_of(user, "FOLIO_EXCESS") for user in users] == [9.0] * 4
    assert [value_of(user, "FOLIO_EXCESS") for user in users] == [constant.value] * 4


def test_what_is_made_of_a_constant_on_import_moves_with_it(tools: Any) -> None:
    gap = find(tools, "bookblend.extract.pdf_blanks", "_WORD_GAP")
    least = find(tools, "bookblend.extract.pdf_contents", "_LEAST_LINES")
    flat, share = value_of(gap.module, "_FLATTEN"), value_of(least.module, "_share")

    with tools.constants.moved(gap, 0.15), tools.constants.moved(least, 7):
        assert value_of(gap.module, "_FLATTEN") == 1.0
        assert share.__defaults__ == (7,)
    assert value_of(gap.module, "_FLATTEN") == flat
    assert share.__defaults__ == (least.value,)


def test_what_a_module_remembers_is_forgotten_when_its_constant_moves_and_when_it_is_back(tools: Any) -> None:
    constant = find(tools, "bookblend.extract.pdf_lines", "MARK_RATIO")
    remembering = value_of(constant.module, "_is_mono")
    remembering("Times-Roman", 0)

    with tools.constants.moved(constant, 0.5):
        assert remembering.cache_info().currsize == 0
        remembering("Times-Roman", 0)
    assert remembering.cache_info().currsize == 0


def test_an_error_leaves_no_constant_moved(tools: Any) -> None:
    constant = find(tools, "bookblend.extract.pdf_headings", "HEADING_EXCESS")

    with pytest.raises(ZeroDivisionError), tools.constants.moved(constant, 9.0):
        _ = 1 / 0
    assert value_of(constant.module, constant.name) == constant.value


# The command.


def test_a_threshold_that_the_sample_book_reaches_changes_its_figures_and_others_nothing(
    tools: Any, repository: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    before = value_of("bookblend.extract.pdf_paragraphs", "_GAP")

    status = tools.thresholds.main(
        [str(repository / "books" / "sample"), "--only", "pdf_paragraphs", "--out", str(page), "--workers", "1"]
    )
    rows = {line.split("`")[1]: line for line in page.read_text("utf-8").splitlines() if line.startswith("| `")}

    assert status == 0
    assert "paragraphs 1.0000 → " in rows["_GAP"] and "sample alone" in rows["_GAP"]
    assert "| 0.896: " in rows["_GAP"] and "; 0.64: " in rows["_GAP"]  # a good step too where the far one shows
    assert "| 0.15: no change | 0.6: no change |" in rows["_CODE_SHARE"]
    assert value_of("bookblend.extract.pdf_paragraphs", "_GAP") == before
    assert capsys.readouterr().err.splitlines()[1].startswith("1/")


def test_the_page_is_the_same_for_any_number_of_workers(tools: Any, repository: Path, tmp_path: Path) -> None:
    pages = [tmp_path / f"{count}.md" for count in (1, 2)]
    for count, page in enumerate(pages, 1):
        words = [str(repository / "books" / "sample"), "--only", "pdf_notes", "--out", str(page)]
        assert tools.thresholds.main([*words, "--workers", str(count)]) == 0

    assert pages[0].read_bytes() == pages[1].read_bytes()
    assert str(repository) not in pages[0].read_text("utf-8")


@pytest.mark.parametrize(
    ("folder", "only", "message"),
    [
        ("docs", "", "thresholds: no NAME.pdf with NAME.truth.json beside it"),
        ("books/sample", "nothing", "thresholds: no constant with 'nothing'"),
    ],
)
def test_nothing_to_read_or_to_move_is_one_line(
    tools: Any,
    repository: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    folder: str,
    only: str,
    message: str,
) -> None:
    status = tools.thresholds.main([str(repository / folder), "--only", only, "--out", str(tmp_path / "page.md")])

    assert status == 2
    assert capsys.readouterr().err == message + "\n"
    assert list(tmp_path.iterdir()) == []


# What is said of a move.


def reading(tools: Any, digest: str, *figures: float, error: str = "") -> Any:
    lost, junk, chapters, paragraphs = figures or (0, 0, 1, 1)
    score = None if error else tools.score.Score(1000, lost, junk, chapters, chapters, 9, 9, paragraphs)
    return tools.effects.Reading(digest, score, error)


@pytest.mark.parametrize(
    ("now", "said"),
    [
        (("a", 4, 4, 1, 1), "no change"),
        (("b", 4, 4, 1, 1), "same figures, one alone"),
        (("b", 5, 4, 0.9, 1), "lost +0.50, chapters 1.0000 → 0.9500, one alone"),
        (("b", 3, 4, 1, 1), "better: lost -0.50, one alone"),
        (("b", 3, 6, 1, 1), "lost -0.50, junk +1.00, one alone"),
    ],
)
def test_a_move_is_told_by_what_it_changes(tools: Any, now: tuple[Any, ...], said: str) -> None:
    books = [tools.peers.Book(Path(f"{name}.pdf"), ".pdf", Path(f"{name}.truth.json"), 9) for name in ("one", "two")]
    base = [reading(tools, "a", 4, 4, 1, 1), reading(tools, "a")]

    assert tools.effects.effect(books, base, [reading(tools, *now), tools.effects.Reading("a")]) == said


def test_the_book_that_changes_most_is_named_and_one_that_is_not_read_any_more_as_well(tools: Any) -> None:
    books = [tools.peers.Book(Path(f"{name}.pdf"), ".pdf", Path(f"{name}.truth.json"), 9) for name in ("a", "b", "c")]
    base = [reading(tools, "0") for _ in books]
    now = [
        reading(tools, "1", 2, 0, 1, 1),
        reading(tools, "1", 4, 0, 1, 1),
        reading(tools, "1", error="c.pdf: no text"),
    ]

    assert tools.effects.effect(books, base, now) == "1 book not read (c: no text), lost +3.00, 2 books, most b"
