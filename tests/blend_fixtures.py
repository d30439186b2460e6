"""Registries and sources for the blend's tests, made small."""

import json
from itertools import pairwise

from bookblend.blend.registry import read_registry
from bookblend.blend.workspace import Workspace

LICENCE = '{ spdx = "CC0-1.0" }'


def write_rows(path, rows):
    """Rows as JSONL; a string row stands as it is, as a broken line."""
    lines = [row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows]
    path.write_text("".join(line + "\n" for line in lines), "utf-8")


def write_recipe(folder, sources, head="budget = 1000\n", name="mix.toml"):
    """A registry of local sources: name → lines of TOML beside name and licence; shares are equal unless given."""
    text = head
    for source, lines in sources.items():
        text += f'\n[[sources]]\nname = "{source}"\nlicence = {LICENCE}\n'
        if "share" not in lines and "weight" not in lines:
            text += f"share = {1 / len(sources)!r}\n"
        text += lines + "\n"
    path = folder / name
    path.write_text(text, "utf-8")
    return path


def open_blend(path):
    """A registry and its folder."""
    registry = read_registry(path)
    return registry, Workspace(registry)


def tree(folder):
    """Every file's bytes by its path, the lock left out."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.name != ".lock"
    }


def write_word_tokenizer(path, words, eos="</s>"):
    """A tokenizer.json in which every word is one token, so that tokens can be counted by eye."""
    from tokenizers import Tokenizer
    from tokenizers.models import WordLevel
    from tokenizers.pre_tokenizers import WhitespaceSplit

    vocabulary = {token: number for number, token in enumerate(["<unk>", eos, *dict.fromkeys(words)])}
    tokenizer = Tokenizer(WordLevel(vocabulary, unk_token="<unk>"))
    tokenizer.pre_tokenizer = WhitespaceSplit()
    tokenizer.add_special_tokens([eos])
    tokenizer.save(str(path))


def documents_of(blend, role):
    """The documents of a role's arrays as lists of ids, each without its eos."""
    import numpy as np

    ids, offsets = np.load(blend / f"{role}_ids.npy"), np.load(blend / f"{role}_offsets.npy")
    return [ids[start : end - 1].tolist() for start, end in pairwise(offsets)]


def texts_of(blend, role, tokenizer, eos="</s>"):
    """The documents of a role's arrays as texts."""
    from bookblend.blend.encoder import Encoder

    encoder = Encoder.load(tokenizer, eos, "tokenizers")
    return [encoder.decode(ids) for ids in documents_of(blend, role)]
