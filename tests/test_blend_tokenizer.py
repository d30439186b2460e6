"""Training a tokenizer: the same file on every run, every byte known, control tokens where they belong."""

import json
import os
import subprocess
import sys

import pytest
from blend_fixtures import write_rows

from bookblend.blend.encoder import Encoder
from bookblend.blend.tokenizer import train
from bookblend.cli import main
from bookblend.errors import InputError, UsageError
from bookblend.files import Outputs

TEXTS = [f"The ferry {n} crossed.\n\nIt rained; the bell rang {n % 7} times." for n in range(200)]


def _saved(tmp_path, trained):
    with Outputs() as outputs:
        trained.save(tmp_path, outputs)
    return tmp_path / "tokenizer.json"


def test_the_control_tokens_stand_in_the_llama_order_and_another_eos_alone():
    trained = train(TEXTS, vocabulary=300)
    words = json.loads(trained.text)["model"]["vocab"]
    assert (words["<unk>"], words["<s>"], words["</s>"], trained.eos_id) == (0, 1, 2, 2)
    other = train(TEXTS, vocabulary=300, eos="<|endoftext|>")
    words = json.loads(other.text)["model"]["vocab"]
    assert (words["<|endoftext|>"], other.eos_id) == (0, 0)
    assert "</s>" not in words and trained.vocabulary == other.vocabulary == 300


def test_every_text_comes_back_also_one_of_signs_never_seen(tmp_path):
    encoder = Encoder.load(_saved(tmp_path, train(["abc abc"], vocabulary=270)), "</s>")
    for text in (
        "\u00e9\u0301 \U0001f468\u200d\U0001f469 \u2028\x00\x1f\r\n\n ",
        "</s> <s><unk>",
        bytes(range(32, 127)).decode(),
    ):
        ids, _ = encoder.encode([text])
        assert encoder.decode(ids) == text
        assert not set(ids.tolist()) & {0, 1, 2}


def test_newlines_are_learnt(tmp_path):
    encoder = Encoder.load(_saved(tmp_path, train(TEXTS, vocabulary=400)), "</s>")
    assert len(encoder.encode([".\n\n"])[0]) == 1


def test_the_same_documents_give_the_same_file_whatever_the_threads_and_the_hash_seed(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": " ".join(f"w{n}x{k}" for k in range(40))} for n in range(60)])
    made = set()
    for threads, seed in (("1", "0"), ("2", "1"), ("4", "77")):
        out = tmp_path / f"t{threads}"
        words = ["blend", "tokenizer", str(tmp_path / "a.jsonl"), "--vocabulary", "600", "--out", str(out)]
        environment = os.environ | {"RAYON_NUM_THREADS": threads, "PYTHONHASHSEED": seed}
        subprocess.run([sys.executable, "-m", "bookblend", *words], check=True, capture_output=True, env=environment)
        made.add((out / "tokenizer.json").read_bytes())
    assert len(made) == 1


def test_a_long_document_is_learnt_from_whole():
    word = "harbour "
    trained = train([word * 200_000], vocabulary=280)
    assert "harbour" in "".join(json.loads(trained.text)["model"]["vocab"])


def test_a_vocabulary_without_room_and_no_text_are_refused():
    with pytest.raises(UsageError, match="a vocabulary of 258 is too small: 256 bytes and control tokens take 259"):
        train(TEXTS, vocabulary=258)
    with pytest.raises(InputError, match="no text to train a tokenizer on"):
        train(["", ""], vocabulary=300)


def test_the_saved_files_load_in_transformers_and_end_on_the_eos(tmp_path):
    transformers = pytest.importorskip("transformers", reason="transformers is not installed")
    path = _saved(tmp_path, train(TEXTS, vocabulary=400))
    tokenizer = transformers.AutoTokenizer.from_pretrained(str(tmp_path))
    ids = tokenizer("The ferry rained.\n\nIt </s").input_ids
    assert ids[-1] == tokenizer.eos_token_id == 2
    assert ids[:-1] == Encoder.load(path, "</s>").encode(["The ferry rained.\n\nIt </s"])[0].tolist()
    assert tokenizer.decode(ids[:-1]) == "The ferry rained.\n\nIt </s"


def test_the_command_never_overwrites_a_tokenizer_unless_told_to(tmp_path, capsys):
    write_rows(tmp_path / "a.jsonl", [{"text": text} for text in TEXTS])
    words = ["blend", "tokenizer", str(tmp_path / "a.jsonl"), "--vocabulary", "300", "--out", str(tmp_path / "t")]
    assert main(words) == 0
    assert "the eos </s> is 2" in capsys.readouterr().err
    before = (tmp_path / "t" / "tokenizer.json").read_bytes()
    assert main(words) == 2
    assert "is there already; --again" in capsys.readouterr().err
    assert main([*words, "--again"]) == 0
    assert (tmp_path / "t" / "tokenizer.json").read_bytes() == before
    assert main([*words[:-1], str(tmp_path / "u"), "--eos", "a b"]) == 2
