"""A tokenizer.json as an encoder for training arrays takes it: what would cut, pad or add to documents is switched off.

What is switched off, and what in the tokenizer changes text, is said in notices: one line each, for the user.
"""

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookblend.errors import InputError
from bookblend.files import check_source
from bookblend.talk import counted, shortened

# What the normaliser of a SentencePiece model does: the decoder undoes it.
_BLANK_MARK = "▁"
# Characters of a token shown in messages, and tokens named.
_SHOWN, _NAMED = 40, 8


@dataclass(frozen=True, slots=True)
class TokenizerFile:
    """What is in a tokenizer file.

    text        tokenizer.json to load, with what was switched off; if asked for special tokens, it puts eos behind each
                document and nothing else
    vocabulary  largest id + 1, added tokens included
    unknown_id  the id of what the vocabulary does not hold; None where there is none
    added       texts of the added tokens, in the file's order
    kept        of those, the ones that are found in text (they are not special)
    """

    sha256: str
    text: str
    eos_id: int
    vocabulary: int
    unknown_id: int | None
    added: tuple[str, ...]
    kept: tuple[str, ...]
    lossy: bool
    notices: tuple[str, ...]


def read_tokenizer(path: Path, eos: str) -> TokenizerFile:
    """Read `path`. Raises `InputError` for what is no tokenizer.json, or has no single token for `eos`."""
    check_source(path)
    raw = path.read_bytes()
    definition = _definition(path, raw)
    model, added = definition["model"], definition.get("added_tokens") or []
    words = _words(path, model)
    ids = words | {token["content"]: token["id"] for token in added}
    if eos not in ids:
        raise InputError(_no_eos(path, eos, added))
    notices = _switch_off(definition)
    notices += _make_eos_special(added, eos)
    definition["normalizer"], changes = _neutral(definition.get("normalizer"))
    if changes:
        notices.append(
            f"normalizer {', '.join(changes)} is switched off, as it changes the text; a vocabulary made for its "
            "results may not know the text as it is"
        )
    lossy = _lossy_tokens(added)
    notices += lossy
    notices += _missing_bytes(definition, words)
    definition["post_processor"] = _closing(eos, ids[eos])
    unknown = model.get("unk_token")
    unknown_id = model.get("unk_id") if model["type"] == "Unigram" else ids.get(unknown) if unknown else None
    return TokenizerFile(
        sha256=hashlib.sha256(raw).hexdigest(),
        text=json.dumps(definition, ensure_ascii=False),
        eos_id=ids[eos],
        vocabulary=max(ids.values()) + 1,
        unknown_id=unknown_id,
        added=tuple(token["content"] for token in added),
        kept=tuple(token["content"] for token in added if not token.get("special")),
        lossy=bool(lossy),
        notices=tuple(f"{path.name}: {notice}" for notice in notices),
    )


def _definition(path: Path, raw: bytes) -> dict[str, Any]:
    try:
        definition = json.loads(raw)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path}: is no JSON ({error}); give a Hugging Face tokenizer.json") from error
    model = definition.get("model") if isinstance(definition, dict) else None
    if not isinstance(model, dict) or not model.get("vocab"):
        raise InputError(f"{path}: has no model with a vocabulary; give a Hugging Face tokenizer.json")
    # Files of before 2020 leave the type out; BPE alone has merges.
    model.setdefault("type", "BPE" if "merges" in model else "WordPiece")
    return dict(definition)


def _words(path: Path, model: dict[str, Any]) -> dict[str, int]:
    vocabulary = model["vocab"]
    try:
        if isinstance(vocabulary, dict):
            return dict(vocabulary)
        return {piece: number for number, (piece, _) in enumerate(vocabulary)}
    except (TypeError, ValueError) as error:
        raise InputError(f"{path}: its vocabulary is damaged; get another copy") from error


def _no_eos(path: Path, eos: str, added: list[dict[str, Any]]) -> str:
    names = [token["content"] for token in added if token.get("special")] or [token["content"] for token in added]
    has = ", ".join(names[:_NAMED]) + (" …" if len(names) > _NAMED else "")
    return (
        f"{path}: the eos {eos!r} is not a single token of this tokenizer; name one that is (--eos, or eos in a recipe)"
        + (f" (its special tokens: {has})" if names else " (it has no special tokens)")
        + ", or add it to the tokenizer"
    )


def _switch_off(definition: dict[str, Any]) -> list[str]:
    notices = []
    for name in ("truncation", "padding"):
        if definition.get(name):
            definition[name] = None
            notices.append(f"{name} is switched off: documents are encoded whole")
    processor = definition.get("post_processor")
    # A byte-level processor moves offsets only.
    if processor and not all(kind == "ByteLevel" for kind in _kinds(processor, "processors")):
        notices.append("the post-processor is switched off: each document gets one eos at its end and nothing else")
    part = definition.get("pre_tokenizer") or {}
    for one in [part, *(part.get("pretokenizers") or [])]:
        if one.get("type") == "ByteLevel" and one.get("add_prefix_space"):
            one["add_prefix_space"] = False
            notices.append("add_prefix_space is switched off: it would put a blank before each document")
    if definition["model"].get("dropout"):
        definition["model"]["dropout"] = None
        notices.append("BPE dropout is switched off: ids must not depend on chance")
    return notices


def _closing(eos: str, eos_id: int) -> dict[str, Any]:
    first, second = ({"Sequence": {"id": name, "type_id": 0}} for name in "AB")
    last = {"SpecialToken": {"id": eos, "type_id": 0}}
    return {
        "type": "TemplateProcessing",
        "single": [first, last],
        "pair": [first, last, second, last],
        "special_tokens": {eos: {"id": eos, "ids": [eos_id], "tokens": [eos]}},
    }


def _make_eos_special(added: list[dict[str, Any]], eos: str) -> list[str]:
    for token in added:
        if token["content"] == eos and not token.get("special"):
            token["special"] = True
            return [f"the eos {eos!r} is not marked special; it is treated as if it were, so no text becomes its id"]
    return []


def _kinds(part: dict[str, Any] | None, plural: str) -> list[str]:
    if not part:
        return []
    if part.get("type") == "Sequence":
        return [kind for inner in part.get(plural, []) for kind in _kinds(inner, plural)]
    return [str(part.get("type"))]


def _neutral(part: dict[str, Any] | None) -> tuple[dict[str, Any] | None, list[str]]:
    """A normaliser without what changes text for good, and the kinds of that."""
    if not part:
        return None, []
    if part.get("type") == "Sequence":
        inner = [_neutral(one) for one in part.get("normalizers", [])]
        kept = [one for one, _ in inner if one]
        return (part | {"normalizers": kept}) if kept else None, [kind for _, kinds in inner for kind in kinds]
    if part.get("type") == "Prepend" and part.get("prepend") == _BLANK_MARK:
        return part, []
    if part.get("type") == "Replace" and part.get("content") == _BLANK_MARK and part.get("pattern") == {"String": " "}:
        return part, []
    return None, [str(part.get("type"))]


def _lossy_tokens(added: list[dict[str, Any]]) -> list[str]:
    """What added tokens do to text beside them. Special ones do nothing: they are never found in text."""
    notices = []
    for token in added:
        if token.get("special"):
            continue
        ways = [way for way in ("lstrip", "rstrip") if token.get(way)]
        if ways:
            name = shortened(token["content"], _SHOWN)
            notices.append(f"added token {name!r} eats blanks beside it ({', '.join(ways)}); the round trip is lossy")
    if len(notices) > _NAMED:
        notices[_NAMED:] = [f"{counted(len(notices) - _NAMED, 'more added token')} like these"]
    return notices


def byte_symbols() -> list[str]:
    """The 256 characters that stand for bytes in byte-level vocabularies."""
    plain = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    rest = [byte for byte in range(256) if byte not in set(plain)]
    return [chr(byte) for byte in plain] + [chr(256 + number) for number in range(len(rest))]


def _missing_bytes(definition: dict[str, Any], words: dict[str, int]) -> list[str]:
    """A byte-level model without an unknown token drops bytes that it does not know, and says nothing."""
    kinds = _kinds(definition.get("pre_tokenizer"), "pretokenizers")
    if "ByteLevel" not in kinds or definition["model"].get("unk_token") in words:
        return []
    missing = sum(symbol not in words for symbol in byte_symbols())
    if not missing:
        return []
    return [f"the vocabulary lacks {counted(missing, 'byte')} of 256: text that holds them loses them"]
