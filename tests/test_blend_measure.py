"""What sources have against what is asked: roles, counts, ceilings, shortfalls, the exit status."""

import json
import math

import pytest
from blend_fixtures import open_blend, write_recipe, write_rows
from hypothesis import given
from hypothesis import strategies as st

from bookblend.blend import measure
from bookblend.blend.prepare import prepare
from bookblend.blend.shares import Supply, largest_budget, percent, proposal, shortfalls
from bookblend.blend.split import assign
from bookblend.cli import main


def _supply(name="a", share=0.5, target=50, available=100, upsample=1.0):
    return Supply(name, share, target, available, upsample)


def _roles(tmp_path, sources, head="budget = 1000\n"):
    registry, workspace = open_blend(write_recipe(tmp_path, sources, head))
    prepare(registry, workspace)
    prepared = measure.open_prepared(registry, workspace)
    return assign(registry, prepared), prepared


def _texts(prepared, numbers):
    return list(prepared.texts(numbers))


def test_about_the_declared_share_is_held_out_and_no_document_is_on_both_sides(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": f"document {n}"} for n in range(2000)])
    roles, _ = _roles(tmp_path, {"a": 'files = "a.jsonl"'}, "budget = 9\n[validation]\nshare = 0.1\n")
    held, train = roles["a"].validation, roles["a"].train
    assert 150 < len(held) < 250
    assert sorted([*held, *train]) == list(range(2000))


def test_documents_that_are_added_move_none_of_those_before(tmp_path):
    rows = [{"text": f"document {n}"} for n in range(500)]
    head = "budget = 9\n[validation]\nshare = 0.1\n"
    write_rows(tmp_path / "a.jsonl", rows[100:])
    before, prepared = _roles(tmp_path, {"a": 'files = "a.jsonl"'}, head)
    held = set(_texts(prepared["a"], before["a"].validation))
    write_rows(tmp_path / "a.jsonl", rows)
    after, prepared = _roles(tmp_path, {"a": 'files = "a.jsonl"'}, head)
    assert {text for text in _texts(prepared["a"], after["a"].validation) if int(text.split()[1]) >= 100} == held


def test_a_group_is_never_parted(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": f"chapter {n}", "book": f"b{n % 40}"} for n in range(400)])
    lines = 'files = "a.jsonl"\ngroup = "book"'
    roles, prepared = _roles(tmp_path, {"a": lines}, "budget = 9\n[validation]\nshare = 0.2\n")
    groups = prepared["a"].index["group"]
    assert len(roles["a"].validation) >= 10
    assert not set(groups[roles["a"].validation]) & set(groups[roles["a"].train])


def test_no_validation_text_is_in_training_whichever_source_and_group_it_is_of(tmp_path):
    rows = [{"text": f"document {n}", "g": f"a{n}"} for n in range(300)]
    write_rows(tmp_path / "a.jsonl", rows + rows[:50])
    write_rows(tmp_path / "b.jsonl", [{"text": f"document {n}", "g": f"b{n}"} for n in range(300)])
    sources = {name: f'files = "{name}.jsonl"\ngroup = "g"\nupsample = 4' for name in "ab"}
    head = 'budget = 9\nduplicates = "keep"\n[validation]\nshare = 0.2\n'
    roles, prepared = _roles(tmp_path, sources, head)
    held = {text for name in "ab" for text in _texts(prepared[name], roles[name].validation)}
    trained = {text for name in "ab" for text in _texts(prepared[name], roles[name].train)}
    assert len(held) > 80 and not held & trained
    assert roles["a"].twins > 0 and roles["b"].twins > 0


def test_a_group_held_out_in_one_source_is_trained_on_in_no_other(tmp_path):
    for name in "ab":
        write_rows(tmp_path / f"{name}.jsonl", [{"text": f"{name} {n}", "g": f"book {n % 50}"} for n in range(200)])
    sources = {
        "a": 'files = "a.jsonl"\ngroup = "g"',
        "b": 'files = "b.jsonl"\ngroup = "g"\nvalidation = false',
    }
    roles, prepared = _roles(tmp_path, sources, "budget = 9\n[validation]\nshare = 0.2\n")
    held = set(prepared["a"].index["group"][roles["a"].validation])
    assert len(held) >= 4 and len(roles["b"].validation) == 0
    assert not held & set(prepared["b"].index["group"][roles["b"].train])
    assert roles["b"].twins == 4 * len(held)


def test_a_text_that_a_source_holds_twice_is_trained_on_once_unless_it_is_to_be_kept(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": text} for text in ("x", "y", "x", "x")])
    head = "budget = 9\n[validation]\nshare = 0\n"
    roles, _ = _roles(tmp_path, {"a": 'files = "a.jsonl"'}, head)
    assert (list(roles["a"].train), roles["a"].repeated) == ([0, 1], 2)
    roles, _ = _roles(tmp_path, {"a": 'files = "a.jsonl"'}, 'duplicates = "keep"\n' + head)
    assert (list(roles["a"].train), roles["a"].repeated) == ([0, 1, 2, 3], 0)


def test_a_source_may_be_kept_out_of_validation(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": f"{n}"} for n in range(50)])
    lines = 'files = "a.jsonl"\nvalidation = false'
    roles, _ = _roles(tmp_path, {"a": lines}, "budget = 9\n[validation]\nshare = 0.5\n")
    assert len(roles["a"].validation) == 0


def test_the_source_that_lacks_most_comes_first():
    supplies = [_supply("a", target=90, available=80), _supply("b"), _supply("c", target=90, available=10, upsample=4)]
    assert [supply.name for supply in shortfalls(supplies)] == ["c", "a"]
    assert _supply(target=4, available=1, upsample=4).is_short is False
    assert _supply(available=0).repetition is None


def test_the_largest_budget_is_what_the_scarcest_source_allows():
    assert largest_budget([_supply(share=0.5, available=100), _supply(share=0.25, available=30, upsample=2)]) == 200


def test_a_proposal_keeps_short_sources_at_their_ceilings_and_the_others_in_proportion():
    supplies = [
        _supply("a", share=0.5, target=50, available=10),
        _supply("b", share=0.3, target=30, available=100),
        _supply("c", share=0.2, target=20, available=100),
    ]
    assert proposal(supplies, 100) == pytest.approx({"a": 0.1, "b": 0.54, "c": 0.36})
    assert proposal(supplies, 1000) is None


@given(st.lists(st.tuples(st.integers(1, 50), st.integers(0, 500)), min_size=1, max_size=6), st.integers(1, 600))
def test_what_is_proposed_fits_and_sums_to_one(sources, budget):
    total = sum(weight for weight, _ in sources)
    supplies = [
        _supply(str(n), share=weight / total, target=round(weight / total * budget), available=available)
        for n, (weight, available) in enumerate(sources)
    ]
    proposed = proposal(supplies, budget)
    if proposed is None:
        assert sum(available for _, available in sources) < budget
    else:
        assert math.isclose(sum(proposed.values()), 1)
        assert all(proposed[s.name] * budget <= s.most + 1e-6 for s in supplies)


def test_half_a_per_cent_never_prints_as_none():
    assert [percent(share) for share in (0.005, 0.135, 1 / 3, 1e-6)] == ["0.5 %", "13.5 %", "33.33333333 %", "0.0001 %"]


def test_words_count_where_no_tokenizer_does_and_the_report_says_so(tmp_path, capsys):
    write_rows(tmp_path / "a.jsonl", [{"text": "one two three four"}] + [{"text": f"w {n}"} for n in range(2)])
    recipe = write_recipe(tmp_path, {"a": 'files = "a.jsonl"'}, "budget = 14\n[validation]\nshare = 0\n")
    assert main(["blend", "measure", str(recipe)]) == 0
    report = json.loads((tmp_path / "mix.blend" / "measure.json").read_text("utf-8"))
    assert report["method"] == "words x 1.3"
    source = report["sources"]["a"]
    assert (source["words"], source["available_tokens"]) == (11, 14)  # 5 + 3 + 3 words with each eos, times 1.3
    assert "tokens counted by: words x 1.3" in capsys.readouterr().err


def test_a_shortfall_is_listed_with_the_repetition_it_would_need_and_the_exit_status_is_5(tmp_path, capsys):
    write_rows(tmp_path / "a.jsonl", [{"text": "one two three"}])
    write_rows(tmp_path / "b.jsonl", [{"text": "word " * 2000}])
    (tmp_path / "c.jsonl").write_text("", "utf-8")
    sources = {
        "a": 'files = "a.jsonl"\nshare = 0.1\nupsample = 2',
        "b": 'files = "b.jsonl"\nshare = 0.85',
        "c": 'files = "c.jsonl"\nshare = 0.05',
    }
    recipe = write_recipe(tmp_path, sources, "budget = 1000\n[validation]\nshare = 0\n")
    assert main(["blend", "measure", str(recipe)]) == 5
    said = capsys.readouterr().err
    assert said.index("short: c: 50 tokens asked, 0 there at 1 x; holds nothing") < said.index(
        "short: a: 100 tokens asked"
    )
    assert "would need 20 x" in said
    assert "shares that would fit (never applied): a 1 %, b 99 %, c 0 %" in said
    text = (tmp_path / "mix.blend" / "measure.json").read_text("utf-8")
    assert "Infinity" not in text and "NaN" not in text
    report = json.loads(text)
    assert report["shortfalls"] == ["c", "a"]
    assert report["sources"]["c"]["repetition"] is None
