"""Which files of a dataset's repository are a config's split: by its card, else by the names of folders and files.

The rules are those of the `datasets` library, less its guesses: where names leave more than one answer, it is an error
that names the candidates.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import yaml

from bookblend.errors import InputError
from bookblend.names import natural

# Kinds of files whose rows can be read, by suffix.
KINDS = {
    ".parquet": "parquet",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "jsonl",
    ".csv": "csv",
    ".tsv": "csv",
    ".txt": "text",
}
PACKED = (".gz", ".zst")
# Other names that files and folders of the three usual splits have.
_SPLIT_WORDS = {
    "train": ("train", "training"),
    "validation": ("validation", "valid", "val", "dev"),
    "test": ("test", "testing", "eval", "evaluation"),
}
# Files that are about the data: `datasets` leaves them out as well.
_ABOUT = {"readme.txt", "license.txt", "dataset_infos.json", "dataset_info.json", "config.json", "state.json"}
_MOST_NAMES = 8


def kind_of(name: str) -> str:
    """The kind of a file by its name, whether compressed or not; "" for what holds no rows."""
    plain = name.lower()
    for suffix in PACKED:
        plain = plain.removesuffix(suffix)
    return next((kind for suffix, kind in KINDS.items() if plain.endswith(suffix)), "")


def choose_files(files: Iterable[str], card: str, repo: str, config: str, split: str) -> tuple[str, ...]:
    """The files of a config's split in natural order, of those in the repository whose card (README.md) is `card`.

    Raises `InputError` that names what there is, where the config or split is not there or not clear.
    """
    names = sorted((name for name in files if _is_data(name)), key=natural)
    declared = _declared(card)
    if declared:
        chosen = _by_card(names, _config(declared, repo, config), repo, split)
    else:
        chosen = _by_names(_inside(names, config, repo), repo, config, split)
    kinds = sorted({kind_of(name) for name in chosen})
    if len(kinds) > 1:
        raise InputError(
            f"{repo}: split '{split}' is there as {' and as '.join(kinds)}: {_some(chosen)}; which is meant is not "
            "clear: name one file's address and SHA-256 under http instead"
        )
    return tuple(chosen)


def _is_data(name: str) -> bool:
    parts = name.split("/")
    hidden = any(not part or part.startswith((".", "__")) for part in parts)
    return bool(kind_of(name)) and not hidden and parts[-1].lower() not in _ABOUT


def _declared(card: str) -> list[Mapping[str, Any]]:
    """The configs that a card's front matter declares; scalars are kept as text, since YAML takes `no` for false."""
    found = re.match(r"\ufeff?---[ \t]*\r?\n(.*?)\r?\n---[ \t]*(?:\r?\n|$)", card, re.DOTALL)
    if not found:
        return []
    try:
        matter = yaml.load(found[1], Loader=yaml.BaseLoader)
    except yaml.YAMLError:
        return []
    configs = matter.get("configs") if isinstance(matter, dict) else None
    if not isinstance(configs, list):
        return []
    return [config for config in configs if isinstance(config, dict) and ({"data_files", "data_dir"} & config.keys())]


def _config(declared: Sequence[Mapping[str, Any]], repo: str, wanted: str) -> Mapping[str, Any]:
    names = [str(config.get("config_name", "default")) for config in declared]
    if wanted:
        if wanted in names:
            return declared[names.index(wanted)]
        raise InputError(f"{repo}: has no config '{wanted}'; there are {_some(names)}")
    if len(declared) == 1:
        return declared[0]
    marked = [config for config in declared if config.get("default") == "true"]
    if marked:
        return marked[0]
    if "default" in names:
        return declared[names.index("default")]
    raise InputError(f"{repo}: has several configs and no default; name one as config: {_some(names)}")


def _by_card(names: Sequence[str], config: Mapping[str, Any], repo: str, split: str) -> list[str]:
    folder = str(config.get("data_dir", "")).strip("/")
    inside = [name for name in names if name.startswith(f"{folder}/")] if folder else list(names)
    if "data_files" not in config:
        return _by_names(inside, repo, "", split, folder)
    splits = _patterns(config["data_files"])
    if split not in splits:
        raise InputError(f"{repo}: has no split '{split}'; there are {_some(splits)}")
    patterns = [f"{folder}/{pattern}" if folder else pattern for pattern in splits[split]]
    chosen = [name for name in names if any(_glob(pattern).fullmatch(name) for pattern in patterns)]
    if not chosen:
        raise InputError(f"{repo}: its card names {', '.join(patterns)} for split '{split}', which no readable file is")
    return chosen


def _patterns(value: Any) -> dict[str, list[str]]:
    """`data_files` in each of its forms as split → patterns; files without a split are `train`."""
    if isinstance(value, dict):
        return {str(split): _texts(paths) for split, paths in value.items()}
    splits: dict[str, list[str]] = {}
    for item in value if isinstance(value, list) else [value]:
        if isinstance(item, dict):
            splits.setdefault(str(item.get("split", "train")), []).extend(_texts(item.get("path", [])))
        else:
            splits.setdefault("train", []).append(str(item))
    return splits


def _texts(value: Any) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else [str(value)]


def _inside(names: Sequence[str], config: str, repo: str) -> list[str]:
    """The files of a config that no card declares: those in the folder so called, or in data/ under it."""
    if not config or config == "default":
        return list(names)
    for folder in (config, f"data/{config}"):
        inside = [name for name in names if name.startswith(f"{folder}/")]
        if inside:
            return inside
    folders = sorted({name.split("/")[0] for name in names if "/" in name})
    raise InputError(f"{repo}: has no config '{config}': neither its card nor a folder is so called; {_seen(folders)}")


def _by_names(names: Sequence[str], repo: str, config: str, split: str, folder: str = "") -> list[str]:
    """As `datasets` looks: numbered shards, then folders, then file names; files without any split's name are train."""
    words = "|".join(_SPLIT_WORDS.get(split, (re.escape(split),)))
    base = re.escape(folder or config)
    ways = (
        rf"(?:{base}/)?(?:data/)?(?:{base}/)?{re.escape(split)}-\d{{5}}-of-\d{{5}}[^/]*",
        rf"(?:.*/)?(?:[^/]*[-._ 0-9])?(?:{words})(?:[-._ 0-9][^/]*)?/.*",
        rf"(?:.*/)?(?:[^/]*[-._ 0-9])?(?:{words})(?:[-._ 0-9][^/]*)?",
    )
    for way in ways:
        chosen = [name for name in names if re.fullmatch(way, name)]
        if chosen:
            return chosen
    named = [name for name in names if _any_split().search(name)]
    if split == "train" and names and not named:
        return list(names)
    raise InputError(f"{repo}: no file is of split '{split}'{f' of {config}' * bool(config)}; {_seen(names)}")


def _any_split() -> re.Pattern[str]:
    words = "|".join(word for words in _SPLIT_WORDS.values() for word in words)
    return re.compile(rf"(?:^|[-._ 0-9/])(?:{words})(?:[-._ 0-9/]|$)")


def _glob(pattern: str) -> re.Pattern[str]:
    """A pattern of a card: `*` and `?` within a name, `**` over folders, `[…]` a class."""
    out = []
    for piece in re.findall(r"\*\*/|\*\*|\*|\?|\[[^\]]*\]|[^*?\[]+|\[", pattern.removeprefix("./")):
        if piece == "**/":
            out.append("(?:.*/)?")
        elif piece in {"**", "*", "?"}:
            out.append({"**": ".*", "*": "[^/]*", "?": "[^/]"}[piece])
        elif piece.startswith("[") and len(piece) > 2:
            out.append(piece.replace("[!", "[^", 1))
        else:
            out.append(re.escape(piece))
    return re.compile("".join(out))


def _seen(names: Sequence[str]) -> str:
    return f"there are {_some(names)}" if names else "there is no file that could be read"


def _some(names: Iterable[str]) -> str:
    listed = list(names)
    return ", ".join(listed[:_MOST_NAMES]) + (f" and {len(listed) - _MOST_NAMES} more" * (len(listed) > _MOST_NAMES))
