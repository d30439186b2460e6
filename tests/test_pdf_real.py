"""Whole books typeset by real engines: what comes out, scored against their sources. Skipped where they are absent."""

import importlib.util
import json
from collections.abc import Mapping
from pathlib import Path
from types import ModuleType

import pytest

from bookblend import cli

# Words of 10,000 that may be lost, and that may be too many.
LOST, JUNK = 3.0, 3.0


@pytest.fixture(scope="module")
def scorer(shared: Path) -> ModuleType:
    """The module that scores records against a book's truth."""
    pytest.importorskip("rapidfuzz", reason="scoring needs rapidfuzz")
    path = shared / "bench" / "score.py"
    if not path.is_file():
        pytest.skip(f"no scorer at {path}")
    spec = importlib.util.spec_from_file_location("shared_score", path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# The scorer leaves its files to be closed by the collector.
@pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("name", ["wells-latex-trade", "wodehouse-weasy"])
def test_a_typeset_book_comes_out_word_for_word_and_chapter_for_chapter(
    shared: Path, scorer: ModuleType, tmp_path: Path, name: str
) -> None:
    book, truth = (shared / "bench" / "books" / f"{name}{suffix}" for suffix in (".pdf", ".truth.json"))
    if not book.is_file() or not truth.is_file():
        pytest.skip(f"no book at {book}")
    start = " ".join(json.loads(truth.read_text(encoding="utf-8"))["chapters"][0]["heading"])
    records = tmp_path / "book.jsonl"

    assert cli.main(["books", "onboard", str(book), str(records), "--start", start]) == 0

    found: Mapping[str, float] = scorer.score(str(truth), str(records))
    assert (found["chapters"], found["records"]) == (1.0, found["truth"])
    assert found["lost"] <= LOST
    assert found["junk"] <= JUNK
