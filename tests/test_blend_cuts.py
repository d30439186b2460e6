"""The two cuts: the recipe's words to the byte, and whole documents in an order drawn from the seed."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bookblend.blend.cut_documents import Taken, cut_at_paragraph, interleave, order, take
from bookblend.blend.cut_words import Part, blend_words
from bookblend.errors import InputError

EOS = "</s>"
# Of eight documents; held so that no library and no machine may change an order that a manifest has recorded.
ORDER_OF_SEED_7 = [1, 4, 3, 0, 2, 5, 6, 7]


def by_the_letter(sources, budget, eos):
    """The recipe's algorithm written once more, on whole texts: name -> (share, available tokens, text)."""
    out = []
    for name in sorted(sources):
        share, available, text = sources[name]
        lines = text.split("\n")
        lines = [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])
        target = round(share * budget) / (available / len(text.split()))
        done, last, stop = 0, None, False
        while not stop:
            for line in lines:
                words = line.split()
                if done + len(words) < target:
                    out.append(line)
                    done += len(words)
                    last = words[-1] if words else last
                    continue
                words = words[: math.floor(target - done)]
                out.append(" ".join(words) + "\n")
                last = words[-1] if words else last
                if last != eos:
                    out.append(eos + "\n")
                stop = True
                break
            else:
                out.append("\n\n")
    return "".join(out)


def _blend(sources, budget, eos=EOS):
    def lines_of(text):
        return lambda: iter(_lines(text))

    parts = [Part(name, share, available, lines_of(text)) for name, (share, available, text) in sources.items()]
    accounts, texts = {}, []
    for text, account in blend_words(parts, budget, eos):
        texts.append(text)
        accounts[account.name] = account
    return "".join(texts), accounts


def _lines(text):
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def test_a_source_larger_than_its_target_is_cut_in_the_line_that_reaches_it():
    blend, accounts = _blend({"a": (1.0, 10, "one two three\nfour  five\tsix\n</s>\n\nseven eight nine\n")}, 5)
    assert blend == "one two three\nfour five\n</s>\n"
    assert (accounts["a"].words, accounts["a"].passes, accounts["a"].cut_line, accounts["a"].cut_words) == (5, 0, 1, 2)


def test_a_source_smaller_than_its_target_is_repeated_with_two_newlines_after_each_whole_pass():
    blend, accounts = _blend({"a": (1.0, 3, "one two\n</s>\n")}, 8)
    assert blend == "one two\n</s>\n\n\none two\n</s>\n\n\none two\n</s>\n"
    assert (accounts["a"].passes, accounts["a"].words) == (2, 8)


def test_a_cut_that_lands_on_the_eos_line_writes_no_second_one():
    assert _blend({"a": (1.0, 6, "one two\n</s>\n\nthree four\n</s>\n")}, 3)[0] == "one two\n</s>\n"


def test_a_whole_number_of_words_short_of_the_target_is_the_floor_and_may_be_none():
    blend, _ = _blend({"a": (1.0, 9, "one two\n</s>\n\nthree\nfour\n</s>\n")}, 5)  # target 5 / (9 / 6) = 3.33 words
    assert blend == "one two\n</s>\n\n\n"


def test_a_source_without_a_final_newline_is_copied_as_it_is():
    assert _blend({"a": (1.0, 2, "one two")}, 5)[0] == "one two\n\none two\n\none\n</s>\n"


def test_a_no_break_space_parts_words():
    assert _blend({"a": (1.0, 4, "one\u00a0two three\u3000four\n")}, 3)[0] == "one two three\n</s>\n"


def test_sources_go_in_the_order_of_their_names():
    blend, _ = _blend({"b": (0.5, 2, "b b\n"), "B": (0.25, 2, "B B\n"), "a": (0.25, 2, "a a\n")}, 4)
    assert blend == "B\n</s>\na\n</s>\nb b\n</s>\n"


@pytest.mark.parametrize(("available", "text", "what"), [(5, " \n\n", "no words"), (0, "one\n", "0 available tokens")])
def test_a_source_with_nothing_is_an_error_by_name(available, text, what):
    with pytest.raises(InputError, match=f"source 'a': has {what}"):
        _blend({"a": (1.0, available, text)}, 5)


_WORD = st.sampled_from(["a", "bb", "</s>", "c\u00a0d", "\u00e9", "", " ", "\t", "e  f", "x\u2028y", "\x0c", "z\r"])
_TEXT = st.lists(st.lists(_WORD, max_size=5).map(" ".join), min_size=1, max_size=8).map("\n".join)


@settings(max_examples=300, deadline=None)
@given(
    st.dictionaries(st.sampled_from("abcX"), st.tuples(st.floats(0.01, 1), st.integers(1, 60), _TEXT), min_size=1),
    st.integers(1, 200),
    st.booleans(),
)
def test_the_recipes_blend_is_the_letter_of_the_rules_on_any_texts(sources, budget, ends):
    sources = {name: (share, available, text + "\n" * ends + "w") for name, (share, available, text) in sources.items()}
    assert _blend(sources, budget)[0] == by_the_letter(sources, budget, EOS)


def _source(sizes):
    numbers = np.arange(len(sizes))
    return numbers, (numbers * 7919 + 13).astype(np.uint64), np.array(sizes, np.int64)


def test_documents_are_taken_whole_pass_after_pass():
    numbers, texts, lengths = _source([3, 4, 5])
    taken = take(1, "a", numbers, texts, lengths, 24 + 7, None)
    assert (taken.passes, taken.tokens) == (2, 24 + int(lengths[taken.documents[6:]].sum()))
    assert sorted(taken.documents[:3]) == sorted(taken.documents[3:6]) == [0, 1, 2]
    assert list(taken.documents[:3]) != list(taken.documents[3:6]) or list(taken.documents[:3]) != [0, 1, 2]


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=40), st.integers(0, 3000), st.integers(0, 9))
def test_whole_documents_alone_miss_the_target_by_less_than_one_and_never_pass_it(sizes, target, seed):
    numbers, texts, lengths = _source(sizes)
    taken = take(seed, "a", numbers, texts, lengths, target, None)
    assert taken.tokens == int(lengths[taken.documents].sum()) <= target
    assert target - taken.tokens < max(sizes)
    counts = np.bincount(taken.documents, minlength=len(sizes))
    assert counts.max() - counts.min() <= 1


def test_the_order_depends_on_seed_name_pass_and_texts_alone():
    numbers, texts, _ = _source([1] * 50)
    first = order(1, "a", 0, numbers, texts)
    assert sorted(first) == list(numbers)
    assert list(first) != list(numbers)
    assert list(order(1, "a", 0, numbers, texts)) == list(first)
    for other in (order(2, "a", 0, numbers, texts), order(1, "b", 0, numbers, texts), order(1, "a", 1, numbers, texts)):
        assert list(other) != list(first)


def test_the_order_is_the_same_on_every_machine_and_version():
    numbers, texts, _ = _source([1] * 8)
    assert list(order(7, "a", 0, numbers, texts)) == ORDER_OF_SEED_7


def test_a_document_more_leaves_the_others_in_their_order():
    numbers, texts, _ = _source([1] * 50)
    first = [n for n in order(1, "a", 0, numbers, texts) if n != 20]
    assert list(order(1, "a", 0, np.delete(numbers, 20), texts)) == first


def test_copies_of_one_text_do_not_stand_side_by_side():
    texts = np.array([5] * 10 + list(range(100, 190)), np.uint64)
    row = list(order(1, "a", 0, np.arange(100), texts))
    places = sorted(row.index(n) for n in range(10))
    assert sum(b - a == 1 for a, b in pairwise(places)) < 5


def _count(texts):
    return [len(text.split()) for text in texts]


def test_the_last_document_is_cut_at_a_paragraphs_end():
    text = "one two three\n\nfour five\n\nsix seven eight nine"
    assert cut_at_paragraph(text, 3, _count) is None
    for most, end, tokens in ((4, "three", 4), (5, "three", 4), (6, "five", 6), (9, "five", 6)):
        cut = cut_at_paragraph(text, most, _count)
        assert (cut.text, cut.tokens) == (text[: text.index(end) + len(end)], tokens)


def test_a_text_without_blank_lines_is_cut_at_a_lines_end():
    assert cut_at_paragraph("one two\nthree four\nfive", 4, _count).text == "one two"


@settings(max_examples=200, deadline=None)
@given(st.lists(st.integers(1, 9), min_size=2, max_size=12), st.integers(1, 60), st.integers(-2, 2))
def test_a_cut_takes_as_many_paragraphs_as_fit_however_wrong_the_estimate(sizes, most, error):
    def count(texts):  # a text's paragraphs alone count otherwise than in the text
        return [max(0, len(text.split()) + (error if "\n\n" not in text and len(texts) > 1 else 0)) for text in texts]

    text = "\n\n".join(" ".join(["w"] * size) for size in sizes)
    best = max((k for k in range(len(sizes)) if sum(sizes[:k]) + 1 <= most), default=0)
    cut = cut_at_paragraph(text, most, count)
    assert (cut.tokens if cut else 0) == (sum(sizes[:best]) + 1 if best else 0)


def test_a_long_documents_beginning_is_cut_without_looking_at_the_rest():
    seen = []

    def count(texts):
        seen.append(sum(map(len, texts)))
        return _count(texts)

    text = "\n\n".join(["one two three four"] * 500_000)
    cut = cut_at_paragraph(text, 403, count)
    assert (cut.tokens, cut.text.count("\n\n")) == (401, 99)
    assert sum(seen) < 200_000


def test_the_budget_is_met_to_within_a_paragraph():
    text = "\n\n".join(["w " * 4] * 10).replace(" \n", "\n").strip()
    numbers, texts, lengths = _source([41] * 5)

    def cutter(_, most):
        return cut_at_paragraph(text, most, _count)

    for target in range(6, 300):
        taken = take(3, "a", numbers, texts, lengths, target, cutter)
        assert 0 <= target - taken.tokens < 5
        assert taken.cut is None or taken.cut.tokens <= 37


def test_a_document_larger_than_all_that_is_asked_does_not_keep_the_others_out():
    numbers, texts, lengths = _source([5000] + [50] * 10)
    for seed in range(12):
        taken = take(seed, "a", numbers, texts, lengths, 1000, lambda *_: None)
        assert taken.tokens == 500
        assert set(taken.too_large) <= {0}


def test_sources_are_interleaved_so_that_each_is_as_far_as_its_share():
    a, b = Taken(np.arange(60), 600), Taken(np.arange(20), 200)
    lengths = [np.full(60, 10), np.full(20, 10)]
    sources, places = interleave([600, 200], [a, b], lengths)
    assert list(sources[:8]) == [0, 1, 0, 0, 0, 1, 0, 0] or list(np.bincount(sources[:8])) == [6, 2]
    for done in range(1, 81):
        counts = np.bincount(sources[:done], minlength=2)
        assert abs(counts[0] - 3 * counts[1]) <= 3
    assert list(places[sources == 0]) == list(range(60))


def test_interleaving_leaves_every_sources_own_order_whatever_other_sources_there_are():
    lengths = [np.full(30, 7), np.full(9, 30), np.full(50, 2)]
    taken = [Taken(np.arange(len(sizes))[::-1], int(sizes.sum())) for sizes in lengths]
    targets = [source.tokens for source in taken]
    sources, places = interleave(targets, taken, lengths)
    for number in range(3):
        assert list(places[sources == number]) == list(range(len(lengths[number])))
