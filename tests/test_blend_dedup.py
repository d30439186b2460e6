"""Records that are there twice: which go, which stays, what is said of them."""

import json
from pathlib import Path

import pytest

from bookblend.blend.dedup import jaccard, ngrams
from bookblend.cli import main

CASES = Path(__file__).parents[2] / "shared" / "cases"


def _dedup(tmp_path, rows, *options):
    source, out = tmp_path / "in.jsonl", tmp_path / "out.jsonl"
    source.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    assert main(["blend", "dedup", str(source), str(out), *options]) == 0
    return [
        [json.loads(line) for line in path.read_text("utf-8").split("\n")[:-1]]
        for path in (out, tmp_path / "out.removed.jsonl")
    ]


def test_the_first_of_equal_texts_stays_with_its_own_fields_in_its_place(tmp_path):
    rows = [{"id": "a", "n": 1, "text": "x"}, {"id": "b", "text": "y"}, {"id": "c", "n": 2, "text": "x"}, {"text": "x"}]
    kept, removed = _dedup(tmp_path, rows)
    assert kept == rows[:2]
    assert removed == [
        {"id": "c", "line": 3, "kept": "a", "similarity": 1.0},
        {"id": "line 4", "line": 4, "kept": "a", "similarity": 1.0},
    ]


def test_a_chain_of_small_changes_does_not_carry_off_its_end(tmp_path):
    words = [f"w{n}" for n in range(140)]
    rows = [{"id": n, "text": " ".join(words[10 * n : 10 * n + 100])} for n in range(4)]
    kept, removed = _dedup(tmp_path, rows, "--near", "0.7")
    assert [row["id"] for row in kept] == [0, 2]
    assert [(row["id"], row["kept"]) for row in removed] == [("1", "0"), ("3", "2")]


def test_texts_in_any_script_are_told_apart(tmp_path):
    rows = [
        {"text": text}
        for text in ("港の鐘は古い", "渡し守は川を渡った", "冬に鐘は凍る", "Το λιμάνι", "Η καμπάνα", "!?", "?!")
    ]
    kept, _ = _dedup(tmp_path, rows, "--near", "0.7")
    assert kept == rows


def test_two_long_texts_that_share_a_notice_are_no_duplicates(tmp_path):
    notice = " ".join(f"notice{n}" for n in range(60))
    rows = [{"text": notice + " " + " ".join(f"{book}{n}" for n in range(600))} for book in "ab"]
    assert len(_dedup(tmp_path, rows, "--near", "0.7")[0]) == 2


def test_similarity_is_the_shared_part_of_the_n_grams():
    one, other = "a b c d e f g h", "a b c d e f g x"
    assert jaccard(ngrams(one), ngrams(other)) == 3 / 5
    assert jaccard(ngrams("A  b, c"), ngrams("a b c")) == 1.0


def test_a_list_of_the_removed_that_would_replace_the_input_is_refused(tmp_path, capsys):
    source = tmp_path / "z.removed.jsonl"
    source.write_text('{"text": "a"}\n', "utf-8")
    assert main(["blend", "dedup", str(source), str(tmp_path / "z.jsonl")]) == 2
    assert "output and input are the same file" in capsys.readouterr().err
    assert source.read_text("utf-8") == '{"text": "a"}\n'


def test_a_record_without_text_is_one_line_and_nothing_is_written(tmp_path, capsys):
    source = tmp_path / "in.jsonl"
    source.write_text('{"text": "a"}\n{"body": "b"}\n', "utf-8")
    assert main(["blend", "dedup", str(source), str(tmp_path / "out.jsonl")]) == 3
    assert "in.jsonl: line 2: has no string 'text'; name it with --text" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["in.jsonl"]
    source.write_text('{"text": "a"}\n{"text"\n', "utf-8")
    assert main(["blend", "dedup", str(source), str(tmp_path / "out.jsonl")]) == 3
    assert "line 2: is no JSON" in capsys.readouterr().err


@pytest.mark.skipif(not CASES.is_dir(), reason="needs the shared cases")
@pytest.mark.parametrize(
    ("case", "options", "ids"),
    [
        ("D01", (), [0, 1, 2, 4]),
        ("D04", ("--near", "0.7"), None),
        ("D06", ("--near", "0.7"), None),
        ("D08", (), ["first"]),
    ],
)
def test_public_reports_of_lost_and_wrongly_kept_records(tmp_path, case, options, ids):
    rows = [json.loads(line) for line in (CASES / case / "in.jsonl").read_text("utf-8").split("\n") if line]
    kept, removed = _dedup(tmp_path, rows, *options)
    expected = json.loads((CASES / case / "expected.json").read_text("utf-8"))
    assert len(kept) == expected.get("records", len(kept))
    assert set(expected.get("must_keep_ids", ())) <= {row.get("id") for row in kept}
    if ids is not None:
        assert [row["id"] for row in kept] == ids
    assert len(kept) + len(removed) == len(rows)
