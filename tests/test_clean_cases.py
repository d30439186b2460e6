"""Plain texts from public reports of faults, each with what must come of it, where the folder of cases is present."""

import json
import time
from pathlib import Path
from types import ModuleType

import pytest

from bookblend.clean.text import repair_text

CASES = ["C01", "C02", "C03", "C04", "C05", "C06", "C07", "C08"]


@pytest.mark.parametrize("case", CASES)
def test_a_plain_text_case_comes_out_right(cases: Path, checker: ModuleType, case: str) -> None:
    expected = json.loads((cases / case / "expected.json").read_text("utf-8"))
    for name in expected["inputs"]:
        start = time.monotonic()
        done = repair_text((cases / case / name).read_bytes().decode("utf-8"))
        seconds = time.monotonic() - start
        faults, _ = checker.check(expected, done.text, log="\n".join(done.repaired.warnings))
        assert not faults
        assert seconds < expected.get("limits", {}).get("seconds", 10)


def test_bodies_of_sound_books_are_left_alone(shared: Path) -> None:
    """No repair changes a word of a sound text, and no line of it is junk but separators."""
    from bookblend.clean.repair import RepairOptions, repair
    from bookblend.markdown import MarkdownBlock

    truths = sorted((shared / "bench" / "books").glob("*-epub-*.truth.json"))
    if not truths:
        pytest.skip("no books with their truth")
    for path in truths[-3:]:
        book = json.loads(path.read_text("utf-8"))
        blocks = [MarkdownBlock(0, block["text"]) for chapter in book["chapters"] for block in chapter["blocks"]]
        done = repair(blocks, RepairOptions(numbers="keep"))
        assert [text for rule, _, text in done.dropped if rule != "separator"] == []
        assert [b.text for b in done.blocks] == [b.text for b in blocks]
