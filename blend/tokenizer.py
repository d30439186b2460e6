"""A byte-level BPE trained on documents, and its files as `transformers` reads them.

Whole documents are learnt from, so newlines are part of tokens. Text that spells a control token is text: the trainer
never sees control tokens in it, and an encoder that is told so never finds them.
"""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bookblend.errors import InputError, UsageError, VerificationError
from bookblend.files import Outputs, sha256_text
from bookblend.jsonio import dump_pretty

TOKENIZER, CONFIG, SPECIALS = "tokenizer.json", "tokenizer_config.json", "special_tokens_map.json"
# The LLaMA order: what closes a document is the third. An eos in the manner of GPT-2 stands alone, as there.
LLAMA_EOS = "</s>"
_LLAMA = ("<unk>", "<s>", LLAMA_EOS)
_BYTES = 256
# Where text is parted before merges are learnt: the expression that LLaMA 3 and GPT-4 publish. Beside GPT-2's it keeps
# blank lines whole and figures in threes; on 18 MB of books 2 % fewer tokens for the same vocabulary.
_PIECES = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
# Characters of a piece that the trainer is given: its memory grows with its longest text.
_LONGEST = 1 << 20


@dataclass(frozen=True, slots=True)
class Trained:
    """A trained tokenizer: the text of its tokenizer.json, its eos and that one's id, and how many ids it has."""

    text: str
    eos: str
    eos_id: int
    vocabulary: int

    def save(self, folder: Path, outputs: Outputs) -> dict[str, str]:
        """Stage the files that `transformers.AutoTokenizer` loads; returns each one's SHA-256."""
        texts = {TOKENIZER: self.text, CONFIG: dump_pretty(self._config()), SPECIALS: dump_pretty(self._specials())}
        for name, text in texts.items():
            outputs.write(folder / name, text)
        return {name: sha256_text(text) for name, text in texts.items()}

    def _specials(self) -> dict[str, str]:
        if self.eos == LLAMA_EOS:
            return {"bos_token": "<s>", "eos_token": self.eos, "unk_token": "<unk>"}
        return {"bos_token": self.eos, "eos_token": self.eos, "unk_token": self.eos}

    def _config(self) -> dict[str, Any]:
        return {
            "tokenizer_class": "PreTrainedTokenizerFast",
            **self._specials(),
            "add_prefix_space": False,
            "clean_up_tokenization_spaces": False,
            "model_max_length": 1_000_000_000,
        }


def control_tokens(eos: str) -> tuple[str, ...]:
    """The control tokens of a vocabulary, by id: `<unk>`, `<s>`, `</s>`, or another eos alone."""
    return _LLAMA if eos == LLAMA_EOS else (eos,)


def train(texts: Iterable[str], *, vocabulary: int, eos: str = LLAMA_EOS) -> Trained:
    """Train on documents; the same documents give the same file, whatever the number of threads.

    All 256 bytes are in the vocabulary, so no text is unknown. Raises `UsageError` for a vocabulary without room for
    them, `InputError` where there is nothing to learn from.
    """
    from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, processors, trainers

    controls = control_tokens(eos)
    if vocabulary < len(controls) + _BYTES:
        least = len(controls) + _BYTES
        raise UsageError(f"a vocabulary of {vocabulary:,} is too small: {_BYTES} bytes and control tokens take {least}")
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(_PIECES), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=2,
        special_tokens=list(controls),
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        show_progress=False,
    )
    seen = _Seen(texts)
    tokenizer.train_from_iterator(seen, trainer)
    if not seen.any:
        raise InputError("there is no text to train a tokenizer on")
    eos_id = controls.index(eos)
    # As a model reads it: every sequence ends on the eos.
    tokenizer.post_processor = processors.TemplateProcessing(
        single=f"$A {eos}", pair=f"$A {eos} $B {eos}", special_tokens=[(eos, eos_id)]
    )
    text = _stable(tokenizer.to_str())
    _check(text, controls)
    return Trained(text, eos, eos_id, tokenizer.get_vocab_size())


class _Seen:
    """The texts in pieces that the trainer takes, and whether there was any."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = texts
        self.any = False

    def __iter__(self) -> Any:
        for text in self._texts:
            for start in range(0, len(text), _LONGEST):
                self.any = True
                yield text[start : start + _LONGEST]


def _stable(text: str) -> str:
    """The file with its vocabulary by id, whatever order the library wrote it in."""
    definition = json.loads(text)
    words = definition["model"]["vocab"]
    definition["model"]["vocab"] = dict(sorted(words.items(), key=lambda item: item[1]))
    return json.dumps(definition, ensure_ascii=False, indent=1) + "\n"


def _check(text: str, controls: tuple[str, ...]) -> None:
    """The ids as they are after training: controls first, every byte there, no gap. A breach is a bug of ours."""
    from bookblend.blend.encoder_file import byte_symbols

    words = json.loads(text)["model"]["vocab"]
    if [words.get(token) for token in controls] != list(range(len(controls))):
        raise VerificationError(f"the trained tokenizer has {controls} at {[words.get(token) for token in controls]}")
    if not set(byte_symbols()) <= set(words) or sorted(words.values()) != list(range(len(words))):
        raise VerificationError("the trained tokenizer lacks bytes, or has gaps in its ids")
