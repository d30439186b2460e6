"""Which files of a dataset's repository are a split: by the card, else by names, as the `datasets` library looks."""

import pytest

from bookblend.blend.hub_files import choose_files, kind_of
from bookblend.errors import InputError

# Layouts of datasets as they stand on the Hub.
STORIES = [
    ".gitattributes",
    "Evaluation prompts.yaml",
    "README.md",
    "TinyStories-train.txt",
    "TinyStories-valid.txt",
    "TinyStoriesV2-GPT4-train.txt",
    "TinyStories_all_data.tar.gz",
    "data/train-00000-of-00004-2d5a1467fff1081b.parquet",
    "data/train-00001-of-00004-5852b56a2bd28fd9.parquet",
    "data/train-00002-of-00004-a26307300439e943.parquet",
    "data/train-00003-of-00004-d243063613e5a057.parquet",
    "data/validation-00000-of-00001-869c898b519ad725.parquet",
]
ENCYCLOPEDIA = [
    "README.md",
    *(f"20231101.{code}/train-0000{n}-of-00002.parquet" for code in ("en", "simple") for n in (0, 1)),
]
ENCYCLOPEDIA_CARD = """---
license:
- cc-by-sa-3.0
configs:
- config_name: 20231101.en
  data_files:
  - split: train
    path: 20231101.en/train-*
- config_name: 20231101.simple
  data_files:
  - split: train
    path: 20231101.simple/train-*
---
# Dataset
"""


def choose(files: list[str], card: str = "", config: str = "", split: str = "train") -> list[str]:
    return list(choose_files(files, card, "o/d", config, split))


def test_numbered_shards_of_the_split_are_taken_and_what_lies_beside_them_is_not() -> None:
    assert choose(STORIES) == STORIES[7:11]
    assert choose(STORIES, split="validation") == STORIES[11:]


def test_the_card_names_the_files_of_a_config() -> None:
    assert choose(ENCYCLOPEDIA, ENCYCLOPEDIA_CARD, "20231101.simple") == ENCYCLOPEDIA[3:]


def test_several_configs_without_a_default_are_named() -> None:
    with pytest.raises(InputError, match=r"several configs and no default.*20231101\.en, 20231101\.simple"):
        choose(ENCYCLOPEDIA, ENCYCLOPEDIA_CARD)


def test_a_config_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(InputError, match=r"no config '20231101\.de'; there are 20231101\.en, 20231101\.simple"):
        choose(ENCYCLOPEDIA, ENCYCLOPEDIA_CARD, "20231101.de")


def test_a_split_that_is_not_there_names_those_that_are() -> None:
    with pytest.raises(InputError, match="no split 'test'; there are train"):
        choose(ENCYCLOPEDIA, ENCYCLOPEDIA_CARD, "20231101.en", "test")


def test_without_a_card_a_config_is_a_folder() -> None:
    assert choose(ENCYCLOPEDIA, config="20231101.simple") == ENCYCLOPEDIA[3:]
    with pytest.raises(InputError, match="no config 'other'"):
        choose(ENCYCLOPEDIA, config="other")


@pytest.mark.parametrize(
    ("data_files", "chosen"),
    [
        ("data_files: data/*.parquet", ["data/a.parquet", "data/b.parquet"]),
        ('data_files: ["data/a.parquet", "deep/x/c.parquet"]', ["data/a.parquet", "deep/x/c.parquet"]),
        ('data_files: "**/c.parquet"', ["deep/x/c.parquet"]),
        ('data_files: {train: "data/[!a].parquet", test: x}', ["data/b.parquet"]),
        ("data_files: [{split: train, path: [data/a.parquet, deep/**]}]", ["data/a.parquet", "deep/x/c.parquet"]),
        ('data_dir: deep\n  data_files: "x/?.parquet"', ["deep/x/c.parquet"]),
        ("data_dir: deep", ["deep/x/c.parquet"]),
    ],
)
def test_each_form_of_a_cards_data_files(data_files: str, chosen: list[str]) -> None:
    files = ["README.md", "data/a.parquet", "data/b.parquet", "deep/x/c.parquet"]
    assert choose(files, f"---\nconfigs:\n- config_name: default\n  {data_files}\n---\n") == chosen


def test_a_config_called_no_is_no_boolean() -> None:
    card = "---\nconfigs:\n- config_name: no\n  data_files: no.csv\n- config_name: yes\n  data_files: yes.csv\n---\n"
    assert choose(["no.csv", "yes.csv"], card, "no") == ["no.csv"]


def test_the_config_that_a_card_marks_is_the_default() -> None:
    card = (
        "---\nconfigs:\n- config_name: a\n  data_files: a.csv\n"
        "- config_name: b\n  data_files: b.csv\n  default: true\n---\n"
    )
    assert choose(["a.csv", "b.csv"], card) == ["b.csv"]


@pytest.mark.parametrize(
    "card", ["", "---\nlicense: mit\n---\n", "---\n: : [\n---\n", "no front matter", "---\nconfigs: x\n---\n"]
)
def test_without_declared_configs_names_decide(card: str) -> None:
    assert choose(["README.md", "my_train_file.csv", "my_test_file.csv"], card) == ["my_train_file.csv"]
    assert choose(["train/a.csv", "train/b.csv", "dev/c.csv"], card) == ["train/a.csv", "train/b.csv"]
    assert choose(["train/a.csv", "dev/c.csv"], card, split="validation") == ["dev/c.csv"]


def test_files_that_name_no_split_are_the_training_split() -> None:
    assert choose(["b10.jsonl", "b9.jsonl", "picture.png"]) == ["b9.jsonl", "b10.jsonl"]
    with pytest.raises(InputError, match="no file is of split 'test'"):
        choose(["b10.jsonl"], split="test")


def test_a_word_that_only_begins_like_a_split_is_none() -> None:
    assert choose(["trains.csv", "trained.csv"]) == ["trained.csv", "trains.csv"]


def test_one_split_in_two_formats_is_not_guessed() -> None:
    with pytest.raises(InputError, match=r"as csv and as jsonl: train\.csv, train\.jsonl"):
        choose(["train.csv", "train.jsonl"])


def test_a_repository_without_readable_files_says_so() -> None:
    with pytest.raises(InputError, match="no file that could be read"):
        choose(["README.md", "model.bin"])


def test_a_path_that_leaves_its_folder_is_no_data() -> None:
    with pytest.raises(InputError):
        choose(["../train.csv", "/train.csv", "a/../train.csv"])


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.parquet", "parquet"), ("a.jsonl.zst", "jsonl"), ("a.CSV.gz", "csv"), ("a.txt", "text"), ("a.tar.gz", "")],
)
def test_kinds_are_told_by_suffix(name: str, kind: str) -> None:
    assert kind_of(name) == kind
