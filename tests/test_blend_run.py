"""`blend run`: a recipe from raw files to arrays; what it promises about shares, order, resumption, leaks and pages."""

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from blend_fixtures import documents_of, texts_of, tree, write_recipe, write_rows, write_word_tokenizer
from test_blend_cuts import by_the_letter

from bookblend.cli import main

CASES = Path(__file__).parents[2] / "shared" / "cases"
WORDS = "the|a|river|stone|boat|lantern|seed|bell|quiet|old|winter|keeper|counts|hours|walks|slow|bright".split("|")  # noqa: SIM905
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="needs the shared cases")


def _sentence(number, words=8):
    return " ".join(WORDS[(number * 7 + place * (1 + number % 5)) % len(WORDS)] for place in range(words)).capitalize()


def _document(name, number, paragraphs=3):
    return "\n\n".join(f"{name} {number}. {_sentence(number * 3 + p)}." for p in range(paragraphs))


@pytest.fixture
def folder(tmp_path):
    for name, count in (("alpha", 120), ("beta", 60), ("tiny", 8)):
        write_rows(tmp_path / f"{name}.jsonl", [{"id": f"{name}{n}", "text": _document(name, n)} for n in range(count)])
    return tmp_path


HEAD = "budget = 6000\nseed = 3\n[validation]\nshare = 0.05\n[tokenizer]\nvocabulary = 400\n"
SOURCES = {
    "alpha": 'share = 0.6\nfiles = "alpha.jsonl"\nid = "id"',
    "beta": 'share = 0.3\nfiles = "beta.jsonl"\nid = "id"\nupsample = 2',
    "tiny": 'share = 0.1\nfiles = "tiny.jsonl"\nid = "id"\nupsample = 4\nvalidation = false',
}


def _run(folder, sources=SOURCES, head=HEAD, *options):
    recipe = write_recipe(folder, sources, head)
    return main(["blend", "run", str(recipe), *options])


def _manifest(folder):
    return json.loads((folder / "mix.blend" / "blend" / "manifest.json").read_text("utf-8"))


def test_the_budget_is_met_the_shares_are_measured_and_every_text_comes_back(folder, capsys):
    assert _run(folder) == 0
    said = capsys.readouterr()
    assert said.out.strip().endswith("blend")
    manifest = _manifest(folder)
    blend = folder / "mix.blend" / "blend"
    assert -60 < manifest["train"]["difference"] <= 0
    emitted = {name: source["tokens"]["emitted"] for name, source in manifest["sources"].items()}
    assert manifest["train"]["tokens"] == sum(emitted.values()) == len(np.load(blend / "train_ids.npy"))
    for name, source in manifest["sources"].items():
        assert source["share"]["achieved"] == emitted[name] / manifest["train"]["tokens"]
        assert source["share"]["achieved"] == pytest.approx(source["share"]["target"], abs=0.005)
        assert source["upsample"]["kept"]
    tokenizer = folder / "mix.blend" / "tokenizer" / "tokenizer.json"
    texts = texts_of(blend, "train", tokenizer)
    whole = {_document(name, n) for name, count in (("alpha", 120), ("beta", 60), ("tiny", 8)) for n in range(count)}
    cut = [text for text in texts if text not in whole]
    assert len(cut) <= 3 and all(any(document.startswith(text) for document in whole) for text in cut)
    assert (blend / "train.txt").read_text("utf-8") == "".join(text + "\n</s>\n\n" for text in texts)
    for text, source, number in zip(
        texts, np.load(blend / "train_sources.npy"), np.load(blend / "train_numbers.npy"), strict=True
    ):
        assert text in (document := _document(list(SOURCES)[source], number)) and document.startswith(text)
    assert Counter(text for text in texts if text.startswith("tiny")).most_common(1)[0][1] in (2, 3)


def test_validation_is_held_out_of_training_also_where_sources_share_texts_and_are_repeated(folder):
    shared = [{"id": f"s{n}", "text": _document("shared", n)} for n in range(60)]
    for name in ("alpha", "beta"):
        with (folder / f"{name}.jsonl").open("a", encoding="utf-8") as stream:
            stream.writelines(json.dumps(row | {"id": f"{name}-{row['id']}"}) + "\n" for row in shared)
    sources = {
        "alpha": 'share = 0.5\nfiles = "alpha.jsonl"\ngroup = "id"\nupsample = 4',
        "beta": 'share = 0.5\nfiles = "beta.jsonl"\ngroup = "id"\nupsample = 4',
    }
    head = HEAD.replace("6000", "24000").replace("0.05", "0.2")
    assert _run(folder, sources, head) == 0
    blend, tokenizer = folder / "mix.blend" / "blend", folder / "mix.blend" / "tokenizer" / "tokenizer.json"
    validation = texts_of(blend, "val", tokenizer)
    train = texts_of(blend, "train", tokenizer)
    assert len(validation) > 20 and any(text.startswith("shared") for text in validation)
    assert not set(validation) & set(train)
    assert not any(text.startswith(held) or held.startswith(text) for text in set(train) for held in validation)


def test_a_document_cut_short_is_never_a_document_of_validation(folder):
    words = [f"w{n}" for n in range(400)]
    write_word_tokenizer(folder / "tokenizer.json", words)
    rows = [
        {"text": "\n\n".join([" ".join(words[n : n + 9]), " ".join(words[n + 9 : n + 30])])} for n in range(0, 300, 30)
    ]
    rows += [{"text": row["text"].split("\n\n")[0]} for row in rows]
    write_rows(folder / "a.jsonl", rows)
    sources = {"a": 'share = 1\nfiles = "a.jsonl"'}
    cuts = 0
    for seed in range(30):
        head = f'budget = 105\nseed = {seed}\n[validation]\nshare = 0.5\n[tokenizer]\nfile = "tokenizer.json"\n'
        assert _run(folder, sources, head) == 0
        blend = folder / "mix.blend" / "blend"
        train, held = (set(map(tuple, documents_of(blend, role))) for role in ("train", "val"))
        assert not train & held
        cuts += _manifest(folder)["sources"]["a"]["documents"]["cut"]
    assert cuts > 3


def test_two_runs_one_worker_and_another_folder_give_the_same_bytes(folder, tmp_path_factory):
    assert _run(folder) == 0
    first = tree(folder / "mix.blend")
    assert _run(folder, SOURCES, HEAD, "--again", "--workers", "1") == 0
    assert tree(folder / "mix.blend") == first
    other = tmp_path_factory.mktemp("other") / "place"
    assert _run(folder, SOURCES, HEAD, "--folder", str(other)) == 0
    assert tree(other) == first


def test_what_is_up_to_date_is_not_made_again_and_what_is_stale_is(folder, capsys):
    assert _run(folder) == 0
    blend = folder / "mix.blend" / "blend"
    state = (blend / "train_ids.npy").stat().st_mtime_ns
    first = tree(folder / "mix.blend")
    assert _run(folder) == 0
    assert "up to date" in capsys.readouterr().err
    assert (blend / "train_ids.npy").stat().st_mtime_ns == state
    (blend / "train_ids.npy").write_bytes(b"tampered")
    assert _run(folder) == 0
    assert tree(folder / "mix.blend") == first
    write_rows(folder / "beta.jsonl", [{"id": f"new{n}", "text": _document("new", n)} for n in range(60)])
    assert _run(folder) == 0
    assert b"new 1." in (blend / "train.txt").read_bytes()
    assert b"beta 1." not in (blend / "train.txt").read_bytes()


def test_another_source_moves_none_of_the_others_documents(folder):
    def rows(name):
        listed = (folder / "mix.blend" / "blend" / "train.txt").read_text("utf-8").split("\n</s>\n\n")
        return [text for text in listed if text.startswith(name)]

    words = " ".join(_document(name, n) for name in ("alpha", "beta", "tiny") for n in range(120)).split()
    write_word_tokenizer(folder / "tokenizer.json", words)
    head = HEAD.replace("vocabulary = 400", 'file = "tokenizer.json"')
    two = {
        "alpha": SOURCES["alpha"].replace("0.6", "0.7").replace("\nid", "\nvalidation = false\nid"),
        "beta": SOURCES["beta"],
    }
    assert _run(folder, two, head.replace("6000", "2000")) == 0
    before = rows("alpha")
    three = {"aaa": SOURCES["tiny"], "alpha": two["alpha"].replace("0.7", "0.6"), "beta": two["beta"]}
    assert _run(folder, three, head.replace("6000", "2000")) == 0
    after = rows("alpha")
    assert len(after) > 20
    assert before[: len(after) - 1] == after[:-1]


def test_a_short_source_is_an_error_by_name_and_nothing_is_blended(folder, capsys):
    assert _run(folder, SOURCES, HEAD.replace("6000", "60000")) == 5
    said = capsys.readouterr().err
    assert "sources are short: 'tiny'" in said or "'tiny'" in said
    assert "Traceback" not in said
    assert not (folder / "mix.blend" / "blend" / "train_ids.npy").exists()


def test_a_run_killed_at_any_moment_goes_on_to_the_same_bytes(folder):
    assert _run(folder) == 0
    expected = tree(folder / "mix.blend")
    for delay in (0.25, 0.45, 0.7):
        other = folder / f"killed-{delay}"
        command = [sys.executable, "-m", "bookblend", "blend", "run", str(folder / "mix.toml"), "--folder", str(other)]
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        )
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        assert main(["blend", "run", str(folder / "mix.toml"), "--folder", str(other)]) == 0
        assert tree(other) == expected


def test_a_second_run_in_the_same_folder_is_kept_out(folder, capsys):
    from bookblend.blend.desk import locked
    from bookblend.blend.registry import read_registry
    from bookblend.blend.workspace import Workspace

    workspace = Workspace(read_registry(write_recipe(folder, SOURCES, HEAD)))
    with locked(workspace):
        assert _run(folder) == 1
    assert "another bookblend is at work there" in capsys.readouterr().err


def test_a_budget_that_holds_nothing_is_an_error_and_a_word_cut_above_its_upsample_is_told(folder, capsys):
    assert _run(folder, SOURCES, HEAD.replace("6000", "3")) == 3
    assert "budget: 3 tokens hold no source's first paragraph" in capsys.readouterr().err
    head = 'cut = "word"\n' + HEAD.replace("0.05", "0")
    assert (
        _run(folder, {name: lines.replace("upsample = 4", "upsample = 1") for name, lines in SOURCES.items()}, head)
        == 0
    )
    assert "source 'tiny': was repeated" in capsys.readouterr().err


def test_damage_to_receipts_manifest_and_reports_is_named_and_nothing_of_it_is_trusted(folder, capsys):
    assert _run(folder) == 0
    place = folder / "mix.blend"
    expected = tree(place)
    for name in (
        "prepared/beta/receipt.json",
        "blend/receipt.json",
        "blend/manifest.json",
        "prepare.json",
        "measure.json",
    ):
        for damage in (lambda data: data[:-20], lambda data: data.replace(b"1", b"7", 1), lambda _: b"{}", None):
            if damage is None:
                (place / name).unlink()
            else:
                (place / name).write_bytes(damage((place / name).read_bytes()))
            status = main(["blend", "verify", str(place)])
            said = capsys.readouterr()
            assert (status, "Traceback" in said.err) == (3 if damage is None and "manifest" in name else 6, False), name
            assert name.rpartition("/")[2] in said.out + said.err
            assert _run(folder) == 0
            assert tree(place) == expected
            capsys.readouterr()


def test_arrays_that_no_run_has_made_are_never_replaced_unless_told_to(folder, capsys):
    blend = folder / "mix.blend" / "blend"
    blend.mkdir(parents=True)
    (blend / "train_ids.npy").write_bytes(b"mine")
    assert _run(folder) == 2
    assert "is there already; --again" in capsys.readouterr().err
    assert [path.name for path in (folder / "mix.blend").iterdir() if path.name != ".lock"] == ["blend"]
    assert (blend / "train_ids.npy").read_bytes() == b"mine"
    assert _run(folder, SOURCES, HEAD, "--again") == 0
    assert len(np.load(blend / "train_ids.npy")) > 5000


def test_verify_names_every_file_and_count_that_does_not_hold(folder, capsys):
    assert _run(folder) == 0
    place = folder / "mix.blend"
    assert main(["blend", "verify", str(place)]) == 0
    assert "every hash and count holds" in capsys.readouterr().err
    ids = np.load(place / "blend" / "train_ids.npy")
    ids[-1] = 3
    np.save(place / "blend" / "train_ids.npy", ids)
    (place / "prepared" / "beta" / "text.txt").write_text("other", "utf-8")
    (place / "blend" / "val.txt").unlink()
    assert main(["blend", "verify", str(place)]) == 6
    said = capsys.readouterr().out.split("\n")
    assert "blend/train_ids.npy: is not the file that was made (its SHA-256 differs)" in said
    assert any("does not end on the eos id" in line for line in said)
    assert not any("manifest says" in line for line in said)
    assert "prepared/beta/text.txt: is not the file that was made (its SHA-256 differs)" in said
    assert "blend/val.txt: is missing" in said


def test_the_word_cut_is_the_letter_of_the_rules_on_the_prepared_texts_and_the_arrays_hold_its_documents(folder):
    head = 'cut = "word"\nrules = "recipe"\n' + HEAD.replace("0.05", "0")
    assert _run(folder, SOURCES, head) == 0
    place = folder / "mix.blend"
    measured = json.loads((place / "measure.json").read_text("utf-8"))["sources"]
    sources = {
        name: (
            measured[name]["share"],
            measured[name]["available_tokens"],
            (place / "prepared" / name / "text.txt").read_text("utf-8"),
        )
        for name in SOURCES
    }
    blend = (place / "blend" / "blend.txt").read_bytes()
    assert blend == by_the_letter(sources, 6000, "</s>").encode()
    texts = texts_of(place / "blend", "train", place / "tokenizer" / "tokenizer.json")
    assert texts == [text.strip("\n") for text in blend.decode().split("\n</s>\n")[:-1]]
    manifest = _manifest(folder)
    assert manifest["outputs"]["blend.txt"]["sha256"] == hashlib.sha256(blend).hexdigest()
    assert manifest["sources"]["tiny"]["repetition"] > 1


def test_the_word_cut_may_hold_out_the_tail_of_every_source_as_the_recipe_does(folder):
    head = 'cut = "word"\n' + HEAD.replace("share = 0.05", 'share = 0.1\nsplit = "tail"')
    assert _run(folder, SOURCES, head) == 0
    manifest = _manifest(folder)
    total = manifest["train"]["tokens"] + manifest["validation"]["tokens"]
    assert manifest["validation"]["tokens"] / total == pytest.approx(0.1, abs=0.02)
    assert all(source["validation"]["documents"] for source in manifest["sources"].values())


def test_another_cut_leaves_nothing_of_the_one_before(folder):
    assert _run(folder) == 0
    assert _run(folder, SOURCES, 'cut = "word"\nformats = ["npy"]\n' + HEAD.replace("0.05", "0")) == 0
    blend = folder / "mix.blend" / "blend"
    files = {path.relative_to(blend).as_posix() for path in blend.rglob("*") if path.is_file()}
    assert files == {
        "blend.txt", "train_ids.npy", "train_offsets.npy", "train_sources.npy", "train_numbers.npy", "manifest.json",
        "receipt.json", "provenance.md", "licensing.md", "overview.html",
    }  # fmt: skip


def test_source_by_source_is_an_order_too(folder):
    assert _run(folder, SOURCES, 'order = "by-source"\n' + HEAD) == 0
    texts = (folder / "mix.blend" / "blend" / "train.txt").read_text("utf-8").split("\n</s>\n\n")[:-1]
    names = [text.split()[0] for text in texts]
    assert names == sorted(names)


def test_the_pages_are_made_from_the_manifest_and_name_the_share_alike_conflict(folder):
    recipe = write_recipe(folder, SOURCES, HEAD)
    text = recipe.read_text("utf-8").replace("CC0-1.0", "CC-BY-SA-4.0", 1).replace("CC0-1.0", "CDLA-Sharing-1.0", 1)
    recipe.write_text(text, "utf-8")
    assert main(["blend", "run", str(recipe)]) == 0
    blend = folder / "mix.blend" / "blend"
    licensing = (blend / "licensing.md").read_text("utf-8")
    conflict = "CC-BY-SA-4.0 (alpha) and CDLA-Sharing-1.0 (beta) each ask"
    assert conflict in licensing and "cannot be redistributed as one file" in licensing
    provenance = (blend / "provenance.md").read_text("utf-8")
    for made in _manifest(folder)["outputs"].values():
        assert made["sha256"] in provenance
    page = (blend / "overview.html").read_text("utf-8")
    assert conflict in page and "src=" not in page and "<link" not in page and "<script" not in page
    assert " 10 %" in provenance and "30 %" in page


def test_weights_of_nothing_leave_their_source_out_with_a_notice(folder, capsys):
    sources = {name: lines.replace("share = 0.", "weight = ") for name, lines in SOURCES.items()}
    sources["tiny"] = sources["tiny"].replace("weight = 1", "weight = 0")
    assert _run(folder, sources) == 0
    assert "tiny: its weight is 0; left out" in capsys.readouterr().err
    assert set(_manifest(folder)["sources"]) == {"alpha", "beta"}


def _case(tmp_path, case, sources, budget):
    """A case's files as sources, counted in words; the run's exit status."""
    words = [
        word for path in (CASES / case).glob("*.jsonl") for word in path.read_text("utf-8").replace('"', " ").split()
    ]
    write_word_tokenizer(tmp_path / "tokenizer.json", words)
    head = f'budget = {budget}\n[validation]\nshare = 0\n[tokenizer]\nfile = "tokenizer.json"\n'
    lines = {name: f'files = "{CASES / case / name}.jsonl"\nid = "id"\n{more}' for name, more in sources.items()}
    return _run(tmp_path, lines, 'duplicates = "keep"\n' + head)


@needs_cases
def test_shares_count_tokens_and_not_documents(tmp_path):
    assert _case(tmp_path, "M01", {"short": "share = 0.5", "long": "share = 0.5"}, 40000) in (0, 5)
    # (Each holds 40,000 words; with an eos a document the shorter texts' source has the more tokens.)
    sources = _manifest(tmp_path)["sources"]
    assert abs(sources["short"]["tokens"]["emitted"] - 20000) <= 21
    assert abs(sources["long"]["tokens"]["emitted"] - 20000) <= 2001


@needs_cases
def test_an_empty_source_is_an_error_by_name_and_no_row_is_taken_twice_in_its_place(tmp_path, capsys):
    for names in (("empty", "left", "right"), ("left", "right", "empty")):
        shares = dict(zip(names, ("share = 0.3", "share = 0.3", "share = 0.4"), strict=True))
        assert _case(tmp_path, "M02", shares, 60) == 5
        assert "source 'empty': no document for training" in capsys.readouterr().err


@needs_cases
def test_extreme_weights_are_kept_and_negative_ones_refused(tmp_path, capsys):
    def run(a, b, budget=100):
        return _case(tmp_path, "M04", {"a": f"weight = {a}", "b": f"weight = {b}"}, budget)

    assert run(0.001, 0.999) == 0
    assert run(3, 1) == 0
    emitted = {name: source["tokens"]["emitted"] for name, source in _manifest(tmp_path)["sources"].items()}
    assert abs(emitted["a"] - 75) <= 11 and abs(emitted["b"] - 25) <= 11
    assert run(0, 1) == 0
    assert set(_manifest(tmp_path)["sources"]) == {"b"}
    capsys.readouterr()
    assert run(-1, 2) == 3
    assert "sources[0].weight: must be 0 or more" in capsys.readouterr().err


@needs_cases
def test_a_document_larger_than_the_budget_neither_blocks_nor_blows_it(tmp_path, capsys):
    assert _case(tmp_path, "M05", {"in": "share = 1"}, 1000) == 0
    assert "source 'in': 510 tokens of 1,000" in capsys.readouterr().err
    manifest = _manifest(tmp_path)
    assert manifest["train"]["tokens"] == 510
    assert len(documents_of(tmp_path / "mix.blend" / "blend", "train")) == 10
    assert manifest["sources"]["in"]["passed_over_as_too_large"] in (0, 1)


def test_a_hub_dataset_goes_all_the_way_to_arrays_and_a_second_run_asks_for_nothing(folder, monkeypatch):
    from hub_server import REVISION, serve_hub

    with serve_hub() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        rows = "".join(json.dumps({"text": _document("hub", n)}) + "\n" for n in range(120))
        hub.files["o/rows"] = {"README.md": b"", "data/train.jsonl": rows.encode()}
        sources = {"remote": f'share = 1\nhub = {{ repo = "o/rows", revision = "{REVISION}" }}'}
        assert _run(folder, sources, HEAD.replace("6000", "2000")) == 0
        asked = len(hub.log)
        first = tree(folder / "mix.blend")
        assert _run(folder, sources, HEAD.replace("6000", "2000")) == 0
        assert len(hub.log) == asked
        assert tree(folder / "mix.blend") == first
        rows_file = folder / "mix.blend" / "raw" / "remote" / "text.jsonl"
        rows_file.write_bytes(rows_file.read_bytes()[:500])
        assert main(["blend", "prepare", str(folder / "mix.toml")]) == 3
    assert REVISION in _manifest(folder)["sources"]["remote"]["origin"]
    assert "\n\nhub " in (folder / "mix.blend" / "blend" / "train.txt").read_text("utf-8")
