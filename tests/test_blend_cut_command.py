"""`blend cut`: the recipe's cut on prepared files and a report of their tokens, as anyone may have them."""

import hashlib
import json

import pytest
from blend_fixtures import LICENCE
from test_blend_cuts import by_the_letter

from bookblend.cli import main

SOURCES = {
    "prose": (
        0.5,
        40,
        "one\u00a0two  three\n</s>\n\n\n\tfour five six seven\nx\u2028y \x0c z\n</s>\n\nlast words here",
    ),
    "verse": (0.3, 7, "a b\nc\n</s>\n\n"),
    "Zen": (0.2, 500, "".join(f"w{n} {'v ' * (n % 5)}\n" + "</s>\n\n" * (n % 3 == 0) for n in range(60))),
}


@pytest.fixture
def prepared(tmp_path):
    folder = tmp_path / "prepared"
    folder.mkdir()
    for name, (_, _, text) in SOURCES.items():
        place = folder / f"{name}.txt"
        if name == "verse":
            (folder / name).mkdir()
            place = folder / name / "text.txt"
        place.write_bytes(text.encode())
    available = {name: tokens for name, (_, tokens, _) in SOURCES.items()}
    (tmp_path / "tokens.json").write_text(json.dumps(available), "utf-8")
    return tmp_path


def _cut(folder, *words):
    available = ["--availability", str(folder / "tokens.json")]
    return main(["blend", "cut", str(folder / "prepared"), str(folder / "out.txt"), *available, *words])


SHARES = [word for name, (share, _, _) in SOURCES.items() for word in ("--share", f"{name}={share}")]


@pytest.mark.parametrize("budget", [1, 2, 9, 57, 400, 5003])
def test_the_file_is_the_letter_of_the_rules_and_its_hash_is_printed(prepared, capsys, budget):
    assert _cut(prepared, "--budget", str(budget), *SHARES) == 0
    expected = by_the_letter(SOURCES, budget, "</s>").encode()
    assert (prepared / "out.txt").read_bytes() == expected
    digest = hashlib.sha256(expected).hexdigest()
    assert capsys.readouterr().out == f"{digest}  out.txt\n"
    account = json.loads((prepared / "out.json").read_text("utf-8"))
    assert account["sha256"] == digest
    achieved = sum(source["achieved_share"] or 0 for source in account["sources"].values())
    assert achieved == pytest.approx(1 if account["tokens"] else 0)


def test_reports_of_several_forms_and_a_recipe_say_the_same_in_their_own_way(prepared):
    assert _cut(prepared, "--budget", "57", *SHARES) == 0
    expected = (prepared / "out.txt").read_bytes()
    report = {"sources": {name: {"available_tokens": tokens} for name, (_, tokens, _) in SOURCES.items()}}
    (prepared / "tokens.json").write_text(json.dumps(report), "utf-8")
    assert _cut(prepared, "--budget", "57", *SHARES) == 0
    assert (prepared / "out.txt").read_bytes() == expected
    listed = [{"source": name, "tokens": float(tokens)} for name, (_, tokens, _) in SOURCES.items()]
    (prepared / "tokens.json").write_text(json.dumps(listed), "utf-8")
    recipe = prepared / "mix.toml"
    recipe.write_text(
        'budget = 57\ncut = "word"\n'
        + "".join(
            f'[[sources]]\nname = "{name}"\nshare = {share}\nfiles = "x"\nlicence = {LICENCE}\n'
            for name, (share, _, _) in SOURCES.items()
        ),
        "utf-8",
    )
    assert _cut(prepared, "--recipe", str(recipe)) == 0
    assert (prepared / "out.txt").read_bytes() == expected


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        ((), 2, "give --recipe RECIPE.toml, or --budget and a --share"),
        (("--budget", "5", "--share", "prose"), 2, "--share prose: give NAME=NUMBER"),
        (("--budget", "5", "--share", "prose=0"), 2, "--share prose=0: must be more than 0"),
        (("--budget", "5", "--share", "other=1"), 3, "tokens.json: says nothing of source 'other'"),
        (("--budget", "-5", "--share", "prose=1"), 2, "--budget -5: must be 1 or more"),
    ],
)
def test_what_is_missing_or_wrong_is_one_line_and_nothing_is_written(prepared, capsys, words, status, message):
    assert _cut(prepared, *words) == status
    assert message in capsys.readouterr().err
    assert not (prepared / "out.txt").exists()


@pytest.mark.parametrize("text", ["{", "[1]", "{}", '{"prose": -1}', '{"prose": "7"}', '{"prose": true}'])
def test_a_report_that_is_none_is_one_line(prepared, capsys, text):
    (prepared / "tokens.json").write_text(text, "utf-8")
    assert _cut(prepared, "--budget", "5", "--share", "prose=1") == 3
    assert "tokens.json" in capsys.readouterr().err


def test_an_output_that_is_an_input_or_no_text_file_is_refused(prepared, capsys):
    def cut(out, availability="tokens.json"):
        words = ["--availability", str(prepared / availability), "--budget", "5", "--share", "prose=1"]
        return main(["blend", "cut", str(prepared / "prepared"), str(out), *words])

    before = (prepared / "prepared" / "prose.txt").read_bytes()
    assert cut(prepared / "prepared" / "prose.txt") == 2
    assert "output and input are the same file" in capsys.readouterr().err
    assert (prepared / "prepared" / "prose.txt").read_bytes() == before
    assert cut(prepared / "tokens.txt") == 2
    assert cut(prepared / "x.json") == 2
    assert cut("-") == 2
    assert "name a text file" in capsys.readouterr().err
    assert _cut(prepared, "--budget", "0", "--share", "prose=1") == 2
    (prepared / "tokens.json").write_text('{"prose": 1e-300}', "utf-8")
    assert _cut(prepared, "--budget", "5", "--share", "prose=1") == 3
    assert "would be repeated" in capsys.readouterr().err
    (prepared / "tokens.json").write_text("[" * 100_000, "utf-8")
    assert _cut(prepared, "--budget", "5", "--share", "prose=1") == 3
    assert not (prepared / "out.txt").exists()


def test_a_source_without_a_file_or_in_another_encoding_is_one_line(prepared, capsys):
    (prepared / "prepared" / "prose.txt").write_bytes(b"caf\xe9\n")
    assert _cut(prepared, "--budget", "5", "--share", "prose=1") == 3
    assert "prose.txt: not UTF-8" in capsys.readouterr().err
    (prepared / "prepared" / "prose.txt").unlink()
    assert _cut(prepared, "--budget", "5", "--share", "prose=1") == 3
    assert "has neither prose.txt nor prose/text.txt" in capsys.readouterr().err
    assert not (prepared / "out.txt").exists()
