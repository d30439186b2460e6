"""The registry: what a blend's TOML file may say, and the path of the key in every refusal."""

import json
from pathlib import Path

import pytest

from bookblend.blend.licensing import conflict
from bookblend.blend.model import FORMATS, Hub, Selectors
from bookblend.blend.plan import plan, plan_lines
from bookblend.blend.registry import check_readable, read_registry
from bookblend.cli import main
from bookblend.errors import InputError

RECIPE = Path(__file__).parents[1] / "blend" / "recipes" / "tt-tnt.toml"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
LICENCE = 'licence = { spdx = "CC0-1.0" }\n'
HUB = f'hub = {{ repo = "a/b", revision = "{COMMIT}" }}\n'
SOURCE = '[[sources]]\nname = "a"\nshare = 1\n' + HUB + LICENCE


def _read(tmp_path, text):
    path = tmp_path / "mix.toml"
    path.write_text(text, "utf-8")
    return read_registry(path)


def test_the_least_that_a_registry_must_say(tmp_path):
    registry = _read(tmp_path, "budget = 10\n" + SOURCE)
    assert (registry.name, registry.budget, registry.eos, registry.cut) == ("mix", 10, "</s>", "document")
    assert (registry.duplicates, registry.order, registry.formats) == ("once", "interleaved", FORMATS)
    (source,) = registry.sources
    assert source.origin == Hub(repo="a/b", revision=COMMIT)
    assert (source.slice, source.upsample, source.rows_per_document, source.text) == ("a", 1, 1, "text")


def test_a_byte_order_mark_is_no_part_of_the_file(tmp_path):
    (tmp_path / "mix.toml").write_text("\ufeffbudget = 10\n" + SOURCE, "utf-8")
    assert read_registry(tmp_path / "mix.toml").budget == 10


def test_the_recipes_own_cut_keeps_what_a_source_holds_twice(tmp_path):
    assert _read(tmp_path, 'budget = 10\ncut = "word"\n' + SOURCE).duplicates == "keep"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (SOURCE, "mix.toml: budget: is missing"),
        ("budget = 10\n", "mix.toml: sources: is missing"),
        ("budget = 0\n" + SOURCE, "budget: must be 1 or more, is 0"),
        ("budget = 1.5\n" + SOURCE, "budget: must be a whole number"),
        ('budget = 1\ncolour = "red"\n' + SOURCE, "mix.toml: colour: unknown key"),
        ("budget = 1\n" + SOURCE + "shares = 1\n", r"sources\[0\]\.shares: unknown key"),
        ('budget = 1\neos = "<a b>"\n' + SOURCE, "eos: must be a text without blanks"),
        ('budget = 1\ncut = "line"\n' + SOURCE, "cut: must be document or word"),
        ('budget = 1\nformats = ["npz"]\n' + SOURCE, r"formats\[0\]: must be one of npy, nanogpt, megatron"),
        ("budget = 1\n[validation]\nshare = 1.0\n" + SOURCE, r"validation\.share: must be 0 or more and less than 1"),
        ('budget = 1\n[validation]\nsplit = "tail"\n' + SOURCE, r"validation\.split: tail goes with cut"),
        ('budget = 1\n[tokenizer]\nfile = "t"\nvocabulary = 9\n' + SOURCE, r"tokenizer\.vocabulary: is of a tokenizer"),
        ("budget = 1\n" + SOURCE.replace("share = 1", "share = 0.5"), "sources: their shares sum to 0.5, not to 1"),
        ("budget = 1\n" + SOURCE.replace("share = 1\n", ""), r"sources\[0\]\.share: is missing"),
        ("budget = 1\n" + SOURCE.replace("share = 1", "share = 0"), r"sources\[0\]\.share: must be more than 0"),
        ("budget = 1\n" + SOURCE.replace("share = 1", "share = -1"), r"sources\[0\]\.share: must be more than 0"),
        ("budget = 1\n" + SOURCE.replace("share = 1", "share = nan"), r"sources\[0\]\.share: must be a number"),
        ("budget = 1\n" + SOURCE.replace("share = 1", "weight = -1"), r"sources\[0\]\.weight: must be 0 or more"),
        ("budget = 1\n" + SOURCE.replace("share = 1", "weight = 0"), r"sources\[0\]\.weight: is 0, as all others"),
        ("budget = 1\n" + SOURCE + "upsample = 0\n", r"sources\[0\]\.upsample: must be from"),
        ("budget = 1\n" + SOURCE.replace('"a"', '"a/b"', 1), r"sources\[0\]\.name: must be letters"),
        ("budget = 1\n" + SOURCE.replace(COMMIT, "main"), r"sources\[0\]\.hub\.revision: must be a commit"),
        ("budget = 1\n" + SOURCE.replace("a/b", "ab"), r"sources\[0\]\.hub\.repo: must be OWNER/NAME"),
        ("budget = 1\n" + SOURCE.replace(HUB, ""), r"sources\[0\]\.hub: a source has one origin of hub, http, files"),
        ("budget = 1\n" + SOURCE + 'files = "x"\n', r"sources\[0\]\.files: a source has one origin .* here are 2"),
        (
            "budget = 1\n" + SOURCE.replace(HUB, 'http = { url = "https://x.org/a.jsonl", sha256 = "ab" }\n'),
            r"sources\[0\]\.http\.sha256: must be 64 hexadecimal digits",
        ),
        (
            "budget = 1\n" + SOURCE.replace(HUB, 'http = { url = "https://x.org/a.jsonl" }\n'),
            r"sources\[0\]\.http\.sha256: is missing",
        ),
        ("budget = 1\n" + SOURCE + 'metadata = "META"\n', r"sources\[0\]\.select: is missing: a source on a catalogue"),
        ("budget = 1\n" + SOURCE + 'select = { authors = ["x"] }\n', r"sources\[0\]\.select: needs metadata"),
        (
            "budget = 1\n" + SOURCE + 'metadata = "M"\nselect = { authors = [" "] }\n',
            r"sources\[0\]\.select\.authors: holds an empty text",
        ),
        ("budget = 1\n" + SOURCE + 'metadata = "M"\nselect = {}\n', r"sources\[0\]\.select: names nothing"),
        ("budget = 1\n" + SOURCE + 'text = "a"\ntemplate = "b"\n', r"sources\[0\]\.template: stands beside text"),
        ("budget = 1\n" + SOURCE.replace("CC0-1.0", "public domain"), r"sources\[0\]\.licence\.spdx: must be an SPDX"),
        ("budget = 1\n" + SOURCE.replace(LICENCE, ""), r"sources\[0\]\.licence: is missing"),
        (
            "budget = 1\n" + SOURCE + 'rows_per_document = 2\ndocument = "book"\n',
            r"sources\[0\]\.rows_per_document: does not go with document",
        ),
        (
            "budget = 1\n" + (SOURCE + SOURCE).replace("share = 1", "share = 0.5"),
            "sources: two are called 'a'",
        ),
        ("budget = ", "mix.toml: not a TOML file"),
        ("budget = 1\nx = " + "[" * 5000, "mix.toml: not a TOML file"),
        ("budget = 1\nseed = " + "9" * 5000 + "\n" + SOURCE, "mix.toml: not a TOML file|seed: must be between"),
        ("budget = 1\nseed = 99999999999999999\n" + SOURCE, "seed: must be between"),
        ("budget = 1\n[tokenizer]\nvocabulary = 2000000\n" + SOURCE, r"tokenizer\.vocabulary: must be from 300 to"),
        ("budget = 1\n" + SOURCE + "upsample = 1e-320\n", r"sources\[0\]\.upsample: must be from"),
        ("budget = 1\n" + SOURCE + 'template = "{% for %}"\n', r"sources\[0\]\.template: line 1"),
        (
            "budget = 1\n"
            + SOURCE.replace(HUB, f'http = {{ url = "http://[::bad/x.jsonl", sha256 = "{"0" * 64}" }}\n'),
            r"sources\[0\]\.http\.url: must be an http",
        ),
        (
            "budget = 1\n" + SOURCE.replace(HUB, f'http = {{ url = "http://h:99999/x", sha256 = "{"0" * 64}" }}\n'),
            r"sources\[0\]\.http\.url: must be an http",
        ),
    ],
)
def test_what_is_wrong_is_refused_with_the_keys_path(tmp_path, text, message):
    with pytest.raises(InputError, match=message):
        _read(tmp_path, text)


def test_weights_are_shares_of_their_sum_and_a_weight_of_nothing_leaves_the_source_out(tmp_path):
    text = "budget = 1\n" + "".join(
        SOURCE.replace('"a"', f'"{name}"', 1).replace("share = 1", f"weight = {weight}")
        for name, weight in (("a", 3), ("b", 1), ("c", 0))
    )
    registry = _read(tmp_path, text)
    assert [(source.name, source.share) for source in registry.sources] == [("a", 0.75), ("b", 0.25)]
    assert registry.left_out == ("c",)


def test_shares_written_in_decimals_may_miss_one_by_what_floating_point_does(tmp_path):
    names = "abcdefghij"
    text = "budget = 1\n" + "".join(
        SOURCE.replace('"a"', f'"{name}"', 1).replace("share = 1", "share = 0.1") for name in names
    )
    assert len(_read(tmp_path, text).sources) == 10


def test_a_local_path_that_is_not_there_is_refused_with_the_keys_path(tmp_path):
    registry = _read(tmp_path, "budget = 1\n" + SOURCE.replace(HUB, 'files = ["x.jsonl"]\n'))
    with pytest.raises(InputError, match=r"sources\[0\]\.files: .*x\.jsonl: no such file or folder"):
        check_readable(registry)


def test_families_of_licences_that_ask_for_themselves_are_share_alike_unless_the_registry_says_otherwise(tmp_path):
    def alike(licence):
        text = "budget = 1\n" + SOURCE.replace('{ spdx = "CC0-1.0" }', licence)
        return _read(tmp_path, text).sources[0].licence.share_alike

    assert alike('{ spdx = "CC-BY-SA-3.0" }')
    assert alike('{ spdx = "CDLA-Sharing-1.0" }')
    assert not alike('{ spdx = "CC-BY-4.0" }')
    assert not alike('{ spdx = "CC-BY-SA-3.0", share_alike = false }')


def test_the_nine_source_recipe_is_what_its_makers_declared():
    registry = read_registry(RECIPE)
    assert [(s.name, s.share, s.upsample) for s in registry.sources] == [
        ("tinystories", 0.31, 1),
        ("gutenberg_children", 0.15, 2),
        ("wikipedia_simple", 0.15, 1),
        ("spine", 0.135, 3),
        ("procedural", 0.12, 4),
        ("folklore", 0.08, 2),
        ("weird", 0.04, 3),
        ("poetry", 0.01, 1),
        ("flavour", 0.005, 4),
    ]
    by_name = {source.name: source for source in registry.sources}
    assert by_name["poetry"].rows_per_document == 64
    assert by_name["folklore"].select == Selectors(
        authors=("Frazer, James George", "Lang, Andrew"), bookshelves=("Mythology", "Folklore")
    )
    assert len(by_name["spine"].select.authors) == 17
    assert len({s.origin for s in registry.sources if s.metadata}) == 1


def test_the_dry_run_names_the_licences_that_keep_the_blend_from_being_passed_on_as_one():
    registry = read_registry(RECIPE)
    said = conflict(registry.sources)
    assert "CDLA-Sharing-1.0 (tinystories) and CC-BY-SA-3.0 (wikipedia_simple)" in said
    assert conflict(registry.sources[:2]) == ""
    planned = plan(registry)
    assert planned["sources"]["weird"]["least_tokens"] == 5_333_334
    text = "\n".join(plan_lines(planned))
    assert " 0.5 % " in text and " 13.5 % " in text and said in text


def test_plan_prints_a_table_or_json_and_writes_nothing(tmp_path, capsys):
    (tmp_path / "mix.toml").write_text("budget = 1000\n" + SOURCE, "utf-8")
    assert main(["blend", "plan", str(tmp_path / "mix.toml")]) == 0
    assert "CC0-1.0" in capsys.readouterr().out
    assert main(["blend", "plan", str(tmp_path / "mix.toml"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["sources"]["a"]["target_tokens"] == 1000
    assert [path.name for path in tmp_path.iterdir()] == ["mix.toml"]
