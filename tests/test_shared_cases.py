"""Gutenberg texts and folders from public reports of faults, where the folder of cases is present."""

import json
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest
from blend_fixtures import LICENCE, open_blend

from bookblend.blend.prepare import prepare
from bookblend.blend.prepared import Prepared
from bookblend.cli import main

GUTENBERG = ["G01", "G02", "G04", "G05", "G06", "G09", "G10", "G11", "G12", "G13"]


def _expected(folder: Path) -> dict[str, Any]:
    expected: dict[str, Any] = json.loads((folder / "expected.json").read_text("utf-8"))
    return expected


@pytest.mark.parametrize("case", GUTENBERG)
def test_a_gutenberg_case_comes_out_right(
    cases: Path, checker: ModuleType, case: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = _expected(cases / case)
    for number, name in enumerate(expected["inputs"], 1):
        mirror, out = tmp_path / f"mirror{number}", tmp_path / f"{number}.jsonl"
        mirror.mkdir()
        (mirror / f"{number}.txt").write_bytes((cases / case / name).read_bytes())
        status = main(["blend", "gutenberg", str(mirror), "--out", str(out), "--workers", "1"])
        (record,) = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
        log = capsys.readouterr().err
        faults, unknown = checker.check(expected, record["text"], log=log, rc=status, inp=name)
        assert (faults, unknown) == ([], [])


def _prepare_folder(folder: Path, work: Path) -> tuple[list[str], list[str], dict[str, Any]]:
    """Texts and ids of a source whose files are a folder, and the report."""
    work.mkdir()
    recipe = work / "mix.toml"
    source = f'name = "a"\nlicence = {LICENCE}\nshare = 1.0\nfiles = {json.dumps(str(folder))}\n'
    recipe.write_text(f"budget = 1000\n\n[[sources]]\n{source}", "utf-8")
    registry, workspace = open_blend(recipe)
    (outcome,) = prepare(registry, workspace, workers=1)
    prepared = Prepared(workspace.prepared("a"), registry.eos, registry.rules == "recipe")
    listed = (workspace.prepared("a") / "documents.jsonl").read_text("utf-8")
    ids = [json.loads(line)["id"] for line in listed.split("\n")[:-1]]
    return list(prepared.texts(np.arange(len(prepared)))), ids, outcome.report


def test_files_of_a_folder_are_read_in_natural_order_each_with_its_own_id(cases: Path, tmp_path: Path) -> None:
    expected = _expected(cases / "B01")
    texts, ids, _ = _prepare_folder(cases / "B01", tmp_path / "one")
    again = _prepare_folder(cases / "B01", tmp_path / "two")
    assert len(texts) == expected["records"]
    assert len(set(ids)) == len(ids)
    numbered = [word for text in texts for word in ("Ch1body", "Ch2body", "Ch3body", "Ch10body") if word in text]
    assert numbered == ["Ch1body", "Ch2body", "Ch3body", "Ch10body"]
    for word in expected["each_once"]:
        assert sum(text.count(word) for text in texts) == 1
    assert [again[0], again[1]] == [texts, ids]


def test_empty_and_blank_files_of_a_folder_make_no_document(cases: Path, tmp_path: Path) -> None:
    expected = _expected(cases / "B02")
    texts, _, report = _prepare_folder(cases / "B02", tmp_path / "work")
    assert len(texts) == expected["records"]
    assert expected["contains"][0] in texts[0]
    assert report["counts"]["empty"] == 3


def test_in_a_folder_of_books_the_sound_one_is_read_and_the_broken_ones_named(
    cases: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    expected = _expected(cases / "B03")
    out = tmp_path / "out.jsonl"
    assert main(["books", "onboard", str(cases / "B03" / "Good.EPUB"), str(out), "--workers", "1"]) == 0
    (record,) = [json.loads(line) for line in out.read_text("utf-8").splitlines()]
    assert expected["contains"][0] in record["text"]
    for name in ("broken.epub", "._Good.EPUB"):
        capsys.readouterr()
        assert main(["books", "onboard", str(cases / "B03" / name), str(tmp_path / "none.jsonl")]) == 3
        (line,) = capsys.readouterr().err.splitlines()
        assert name in line


def test_a_record_is_one_line_for_every_reader_of_lines(cases: Path, checker: ModuleType, tmp_path: Path) -> None:
    expected = _expected(cases / "B04")
    book, out = tmp_path / "in.md", tmp_path / "out.jsonl"
    book.write_bytes((cases / "B04" / "in.txt").read_bytes())
    assert main(["build", "jsonl", str(book), str(out)]) == 0
    lines = out.read_text("utf-8").splitlines()
    assert len(lines) == expected["records"]
    assert checker.check(expected, json.loads(lines[0])["text"], records=len(lines))[0] == []
