"""Records into token arrays: ids as `tokenizers` gives them, one eos at every end, exact round trips."""

import json
import shutil
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from blend_fixtures import write_rows, write_word_tokenizer
from hypothesis import given, settings
from hypothesis import strategies as st

from bookblend.blend import encoder as encoder_module
from bookblend.blend.arrays import write_arrays
from bookblend.blend.encode import encode_documents
from bookblend.blend.encoder import Encoder, EngineMismatchError, with_engine
from bookblend.blend.tokenizer import train
from bookblend.cli import main
from bookblend.errors import InputError
from bookblend.files import Outputs

CASES = Path(__file__).parents[2] / "shared" / "cases"
needs_cases = pytest.mark.skipif(not CASES.is_dir(), reason="needs the shared cases")
TEXTS = [f"The ferry {n} crossed.\n\nIt rained; the bell rang {n % 7} times.\n" for n in range(300)]


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tokenizer")
    with Outputs() as outputs:
        train(TEXTS, vocabulary=400).save(folder, outputs)
    return folder / "tokenizer.json"


def _encode(tmp_path, texts, tokenizer, *options):
    write_rows(tmp_path / "in.jsonl", [text if isinstance(text, dict) else {"text": text} for text in texts])
    words = [
        "blend",
        "encode",
        str(tmp_path / "in.jsonl"),
        "--tokenizer",
        str(tokenizer),
        "--out",
        str(tmp_path / "out"),
    ]
    return main([*words, *options])


def _documents(folder, role="train"):
    ids, offsets = np.load(folder / f"{role}_ids.npy"), np.load(folder / f"{role}_offsets.npy")
    return [ids[start:end].tolist() for start, end in pairwise(offsets)]


def test_every_text_comes_back_from_the_arrays_of_all_three_formats(tmp_path, trained):
    texts = [*TEXTS[:50], " blanks \n\n\nand\ttabs ", "\u00e9\u2028\U0001f469\u200d\U0001f680", "</s> inside <s>"]
    assert _encode(tmp_path, texts, trained, "--formats", "npy,nanogpt,megatron") == 0
    out = tmp_path / "out"
    encoder = Encoder.load(trained, "</s>")
    documents = _documents(out)
    assert [encoder.decode(ids[:-1]) for ids in documents] == texts
    assert all(ids[-1] == 2 and ids.count(2) == 1 for ids in documents)
    flat = np.concatenate(documents)
    assert np.array_equal(np.memmap(out / "nanogpt" / "train.bin", np.uint16, "r"), flat)  # as nanoGPT reads it
    assert [ids.tolist() for ids in _megatron(out / "megatron" / "train")] == documents
    assert np.load(out / "train_ids.npy", mmap_mode="r").dtype == np.uint16


def _megatron(prefix):
    """Megatron's IndexedDataset, read by its documented form."""
    index = prefix.with_suffix(".idx").read_bytes()
    assert index[:9] == b"MMIDIDX\x00\x00" and int.from_bytes(index[9:17], "little") == 1
    dtype = {8: np.dtype("<u2"), 4: np.dtype("<i4")}[index[17]]
    sequences, documents = (int.from_bytes(index[at : at + 8], "little") for at in (18, 26))
    lengths = np.frombuffer(index, "<i4", sequences, 34)
    pointers = np.frombuffer(index, "<i8", sequences, 34 + lengths.nbytes)
    ends = np.frombuffer(index, "<i8", documents, 34 + lengths.nbytes + pointers.nbytes)
    assert 34 + lengths.nbytes + pointers.nbytes + ends.nbytes == len(index)
    assert ends.tolist() == list(range(sequences + 1))
    data = prefix.with_suffix(".bin").read_bytes()
    return [np.frombuffer(data, dtype, count, at) for count, at in zip(lengths, pointers, strict=True)]


@pytest.mark.parametrize(("largest", "dtype", "code"), [(65_535, np.uint16, 8), (65_536, np.uint32, 4)])
def test_the_type_is_the_smallest_that_holds_the_largest_id_really_there(tmp_path, largest, dtype, code):
    pieces = [(np.array([5, 2], np.uint32), np.array([2])), (np.array([largest, 7, 2], np.uint32), np.array([3]))]
    with Outputs() as outputs:
        made = write_arrays(
            tmp_path,
            "train",
            pieces,
            largest=200_000,
            formats=("npy", "nanogpt", "megatron"),
            outputs=outputs,
            eos_id=2,
        )
    ids = np.load(tmp_path / "train_ids.npy")
    assert ids.dtype == dtype and ids.tolist() == [5, 2, largest, 7, 2]
    assert np.load(tmp_path / "train_offsets.npy").tolist() == [0, 2, 5]
    assert (tmp_path / "megatron" / "train.idx").read_bytes()[17] == code
    assert [ids.tolist() for ids in _megatron(tmp_path / "megatron" / "train")] == [[5, 2], [largest, 7, 2]]
    assert {one.file for one in made} >= {"train_ids.npy", "megatron/train.idx", "nanogpt/train.bin"}


@pytest.mark.parametrize(
    ("ids", "lengths", "message"), [([2], [0, 1], "empty"), ([5, 6], [2], "eos|end"), ([1, 2, 2], [3, 0], "empty")]
)
def test_documents_that_are_empty_or_do_not_end_are_refused(tmp_path, ids, lengths, message):
    pieces = [(np.array(ids, np.uint32), np.array(lengths))]
    with pytest.raises(InputError, match=message), Outputs() as outputs:
        write_arrays(tmp_path, "train", pieces, largest=9, formats=("npy",), outputs=outputs, eos_id=2)
    assert not (tmp_path / "train_ids.npy").exists()


def test_arrays_that_are_there_are_never_overwritten_unless_told_to(tmp_path, trained, capsys):
    assert _encode(tmp_path, TEXTS[:3], trained) == 0
    before = (tmp_path / "out" / "train_ids.npy").read_bytes()
    assert _encode(tmp_path, TEXTS[3:5], trained) == 2
    assert "is there already; --again" in capsys.readouterr().err
    assert (tmp_path / "out" / "train_ids.npy").read_bytes() == before
    assert _encode(tmp_path, TEXTS[3:5], trained, "--role", "val") == 0
    assert _encode(tmp_path, TEXTS[3:5], trained, "--again") == 0
    assert (tmp_path / "out" / "train_ids.npy").read_bytes() != before


def test_the_manifest_has_hashes_counts_and_the_documents_that_hold_the_eos(tmp_path, trained):
    assert _encode(tmp_path, ["a", "", "b </s>"], trained) == 0
    entry = json.loads((tmp_path / "out" / "manifest.json").read_text("utf-8"))["roles"]["train"]
    assert (entry["documents"], entry["empty_documents_skipped"], entry["documents_holding_eos_text"]) == (2, 1, 1)
    assert entry["first_holding_eos_text"] == [{"file": "in.jsonl", "line": 3}]
    assert entry["tokens"] == sum(len(ids) for ids in _documents(tmp_path / "out"))


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"text": "a', "line 2"),
        ('{"body": "a"}', 'line 2: has no "text"'),
        ('{"text": 5}', 'line 2: has no "text"'),
        ('{"text": "a", "text": "b"}', "line 2"),
        ('{"text": "\\ud800"}', "line 2"),
    ],
)
def test_a_line_that_cannot_be_used_is_named_and_nothing_is_written(tmp_path, trained, capsys, line, message):
    (tmp_path / "in.jsonl").write_text(f'{{"text": "good"}}\n{line}\n', "utf-8")
    words = ["blend", "encode", str(tmp_path / "in.jsonl"), "--tokenizer", str(trained), "--out", str(tmp_path / "out")]
    assert main(words) == 3
    said = capsys.readouterr().err
    assert "in.jsonl" in said and message in said
    assert not list((tmp_path / "out").glob("*"))


_HOSTILE = st.text(
    st.one_of(
        st.sampled_from("a \n\t\r's12</s>e\u0301\u200d\u2028\ufeff\x00\u00a0\u3000"),
        st.characters(exclude_categories=["Cs"]),
    ),
    max_size=80,
)


@settings(max_examples=200, deadline=None)
@given(st.lists(_HOSTILE, min_size=1, max_size=8))
def test_the_fast_encoder_gives_the_ids_of_the_reference_and_texts_come_back(trained, texts):
    fast, reference = _both(trained)
    ids, lengths = fast.encode(texts)
    wanted, wanted_lengths = reference.encode(texts)
    assert np.array_equal(ids, wanted) and np.array_equal(lengths, wanted_lengths)
    ends = np.cumsum(lengths)
    assert [fast.decode(ids[end - n : end]) for end, n in zip(ends, lengths, strict=True)] == texts


_ENCODERS: dict[str, tuple[Encoder, Encoder]] = {}


def _both(path):
    if str(path) not in _ENCODERS:
        _ENCODERS[str(path)] = Encoder.load(path, "</s>"), Encoder.load(path, "</s>", "tokenizers")
    return _ENCODERS[str(path)]


def test_batches_are_cut_anywhere_and_the_ids_stay_the_same(trained, monkeypatch):
    from bookblend.blend import encode

    _, reference = _both(trained)
    whole = np.concatenate([ids for ids, _ in encode_documents(iter(TEXTS), reference)])
    monkeypatch.setattr(encode, "BATCH", 100)
    parts = list(encode_documents(iter(TEXTS), reference))
    assert len(parts) > 50 and np.array_equal(np.concatenate([ids for ids, _ in parts]), whole)
    assert sum(len(lengths) for _, lengths in parts) == len(TEXTS)


def test_where_the_fast_encoder_errs_on_the_way_the_work_is_done_again_with_the_reference(trained, monkeypatch):
    class Wrong:
        name = "fastokens"

        def __init__(self, right):
            self._right, self._batches = right, 0

        def encode(self, texts):
            ids, lengths = self._right.encode(texts)
            self._batches += 1
            return (ids + 1 if self._batches > 3 else ids), lengths

    def checked(_, reference, *__):
        return Wrong(reference), ""

    monkeypatch.setattr(encoder_module, "_checked_fast", checked)
    encoder = Encoder.load(trained, "</s>")
    with pytest.raises(EngineMismatchError):
        for _ in range(5):
            encoder.encode(TEXTS[:20])
    made = with_engine(trained, "</s>", lambda one: [one.encode(TEXTS[:20])[0] for _ in range(5)] + [one.engine])
    assert made[-1] == "tokenizers"
    wanted = Encoder.load(trained, "</s>", "tokenizers").encode(TEXTS[:20])[0]
    assert all(np.array_equal(ids, wanted) for ids in made[:-1])


def test_a_tokenizer_that_the_fast_encoder_does_not_take_is_encoded_by_the_reference_with_a_notice(tmp_path):
    write_word_tokenizer(tmp_path / "t.json", ["one", "two"])
    encoder = Encoder.load(tmp_path / "t.json", "</s>")
    assert encoder.engine == "tokenizers"
    assert any("slower" in notice for notice in encoder.notices)
    assert encoder.encode(["one two"])[0].tolist() == [2, 3]


# What public reports say of other tools; ids are counted over all documents, each with its eos.


def _case(tmp_path, capsys, case, tokenizer="tokenizer.json", *options):
    shutil.copy(CASES / case / "in.jsonl", tmp_path / "in.jsonl")
    path = CASES / case / tokenizer
    definition = json.loads(path.read_text("utf-8"))
    names = [token["content"] for token in definition.get("added_tokens", [])] + list(definition["model"]["vocab"])
    eos = next((name for name in ("<|endoftext|>", "</s>", "<eos>") if name in names), "<|endoftext|>")
    out = tmp_path / "out"
    words = ["--tokenizer", str(path), "--eos", eos, "--out", str(out), "--again", *options]
    status = main(["blend", "encode", str(tmp_path / "in.jsonl"), *words])
    expected = json.loads((CASES / case / "expected.json").read_text("utf-8"))
    return status, capsys.readouterr().err, expected, out, Encoder.load(path, eos).eos_id if status == 0 else -1


@needs_cases
@pytest.mark.parametrize("case", ["T01", "T08", "T09"])
def test_each_document_ends_on_one_eos_whatever_it_quotes_and_the_tokenizer_would_add(tmp_path, capsys, case):
    status, _, expected, out, eos = _case(tmp_path, capsys, case)
    documents = _documents(out)
    assert status == 0 and len(documents) == expected["documents"]
    assert sum(ids.count(eos) for ids in documents) == expected["eos_count"]
    assert all(ids[-1] == eos for ids in documents)
    assert len(documents[0]) >= expected.get("min_tokens_first_doc", 1)


@needs_cases
@pytest.mark.parametrize("tokenizer", ["noeos.json", "partial.json"])
def test_an_eos_that_is_no_single_token_is_refused_by_name(tmp_path, capsys, tokenizer):
    status, said, _, _, _ = _case(tmp_path, capsys, "T02", tokenizer)
    assert status == 3 and "'<|endoftext|>' is not a single token" in said


@needs_cases
@pytest.mark.parametrize("tokenizer", ["v70000.json", "v65536.json", "v65537.json"])
def test_ids_beyond_sixteen_bits_are_never_wrapped(tmp_path, capsys, tokenizer):
    status, said, expected, out, _ = _case(tmp_path, capsys, "T03", tokenizer, "--unknown-limit", "1")
    assert status == 0, said
    wanted = expected["per_tokenizer"][tokenizer].get("ids")
    documents = _documents(out)
    assert wanted is None or documents == wanted
    assert (np.load(out / "train_ids.npy").dtype == np.uint32) == (max(map(max, documents)) > 65_535)
    if tokenizer == "v70000.json":
        status, said, *_ = _case(tmp_path, capsys, "T03", tokenizer, "--dtype", "uint16", "--unknown-limit", "1")
        assert status == 3 and "does not fit uint16" in said


@needs_cases
def test_added_tokens_beyond_the_vocabulary_decide_the_type_too(tmp_path, capsys):
    status, _, expected, out, _ = _case(tmp_path, capsys, "T04")
    assert status == 0 and _documents(out) == expected["ids"]
    assert np.load(out / "train_ids.npy").dtype == expected["dtype"]


@needs_cases
@pytest.mark.parametrize("case", ["T07", "T18"])
def test_a_tokenizer_that_changes_text_is_told(tmp_path, capsys, case):
    status, said, expected, _, _ = _case(tmp_path, capsys, case)
    assert status == 0 and any(word in said for word in expected["warn_contains"])


@needs_cases
def test_truncation_and_padding_are_switched_off_and_said(tmp_path, capsys):
    status, said, _, _, _ = _case(tmp_path, capsys, "T09")
    assert status == 0 and "truncation is switched off" in said and "padding is switched off" in said


@needs_cases
def test_unknown_words_are_an_error_above_a_limit_and_reported_below(tmp_path, capsys):
    status, said, _, _, _ = _case(tmp_path, capsys, "T14")
    assert status == 4 and "unknown to this tokenizer" in said
    status, said, _, _, _ = _case(tmp_path, capsys, "T14", "tokenizer.json", "--unknown-limit", "1")
    assert status == 0 and "are unknown to this tokenizer" in said


@needs_cases
def test_the_length_of_a_document_has_no_limit_of_sixteen_bits(tmp_path, capsys):
    status, _, expected, out, _ = _case(tmp_path, capsys, "T17")
    assert status == 0 and np.diff(np.load(out / "train_offsets.npy")).tolist() == expected["doc_lengths"]


@needs_cases
def test_training_on_equal_pair_counts_gives_one_file():
    text = (CASES / "T10" / "train.txt").read_text("utf-8")
    assert len({train([text], vocabulary=600).text for _ in range(3)}) == 1


def test_a_normaliser_that_changes_text_is_switched_off_and_said(tmp_path, trained):
    definition = json.loads(trained.read_text("utf-8"))
    definition["normalizer"] = {"type": "Sequence", "normalizers": [{"type": "NFKC"}, {"type": "Lowercase"}]}
    (tmp_path / "t.json").write_text(json.dumps(definition), "utf-8")
    encoder = Encoder.load(tmp_path / "t.json", "</s>")
    assert any("normalizer NFKC, Lowercase is switched off" in notice for notice in encoder.notices)
    ids, _ = encoder.encode(["The \ufb01rst FERRY"])
    assert encoder.decode(ids) == "The \ufb01rst FERRY"


def test_a_blank_that_a_tokenizer_would_put_before_documents_is_switched_off_and_said(tmp_path, trained):
    definition = json.loads(trained.read_text("utf-8"))
    definition["pre_tokenizer"] = {"type": "ByteLevel", "add_prefix_space": True, "trim_offsets": True}
    (tmp_path / "t.json").write_text(json.dumps(definition), "utf-8")
    encoder = Encoder.load(tmp_path / "t.json", "</s>")
    assert any("add_prefix_space is switched off" in notice for notice in encoder.notices)
    assert encoder.decode(encoder.encode(["The ferry"])[0]) == "The ferry"


# Two readers of JSONL: the quick one may be used only where the strict one would give the same.


def _read(tmp_path, raw):
    from bookblend.blend.text_lines import read_blocks

    (tmp_path / "a.jsonl").write_bytes(raw)
    blocks = list(read_blocks(tmp_path / "a.jsonl"))
    return [pair for block in blocks for pair in zip(block.numbers, block.texts, strict=True)], blocks


@pytest.mark.parametrize(
    "record",
    [
        b'{"id": 1, "id": 2, "text": "a"}',
        b'{"text": "a", "te\\u0078t": "a"}',
        b'{"text": "a", "meta": {"k": 1, "k": 1}}',
        b'{"text": "a", "list": [{"k": "\\\\", "k": "\\\\\\""}]}',
        b'{"text": "\\\\", "text": "\\\\\\\\"}',
    ],
)
def test_a_repeated_key_is_refused_at_any_depth_and_in_any_spelling(tmp_path, record):
    good = b'{"id": 1, "text": "a \\"quoted\\" word and a \\\\ sign", "meta": {"k": ["x", null, 1.5, true]}}\n'
    assert [text for _, text in _read(tmp_path, good * 3)[0]] == ['a "quoted" word and a \\ sign'] * 3
    with pytest.raises(InputError, match=r"line 3: the key .* stands twice"):
        _read(tmp_path, good * 2 + record + b"\n" + good)


def test_lines_are_numbered_the_same_with_blank_lines_windows_ends_a_mark_and_over_blocks(tmp_path, monkeypatch):
    from bookblend.blend import text_lines

    monkeypatch.setattr(text_lines, "_BLOCK", 40)
    raw = (
        b'\xef\xbb\xbf{"text": "one"}\r\n\n   \n{"text": "four", "n": NaN}\n{"text": "'
        + b"x" * 200
        + b'"}\n{"text": "six"}'
    )
    assert _read(tmp_path, raw)[0] == [(1, "one"), (4, "four"), (5, "x" * 200), (6, "six")]


@pytest.mark.parametrize("part", ["</s>", "\0", "é", 'a"b', "\n\n"])
def test_a_part_of_a_text_is_found_however_json_spells_it(tmp_path, part):
    texts = [f"x{part}y", "nothing <s> here"]
    for ascii_only in (True, False):
        raw = "".join(json.dumps({"text": text}, ensure_ascii=ascii_only) + "\n" for text in texts).encode()
        for spelled in (raw, raw.replace(b"/", b"\\/"), raw.replace(b"<", b"\\u003c")):
            assert [number for block in _read(tmp_path, spelled)[1] for number in block.holding(part)] == [1]


@pytest.mark.parametrize("engine", ["tokenizers", "fastokens"])
def test_ids_with_the_eos_are_those_without_it_and_one_eos_behind_each_text(trained, engine):
    encoder = Encoder.load(trained, "</s>", engine)
    texts = ["a", "", "</s>", "The ferry crossed. " * 40]
    ids, lengths = encoder.encode(texts)
    closed, longer = encoder.encode_closed(texts)
    assert longer.tolist() == (lengths + 1).tolist()
    places = np.cumsum(longer) - 1
    assert closed[places].tolist() == [2] * 4 and np.array_equal(np.delete(closed, places), ids)
