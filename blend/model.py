"""What a registry declares, as values: the blend, its sources, where they come from, their licences."""

from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Cut = Literal["document", "word"]
DocumentUnit = Literal["row", "book", "chapter"]

FORMATS = ("npy", "nanogpt", "megatron")


@dataclass(frozen=True, slots=True, kw_only=True)
class Hub:
    """A dataset of the Hugging Face Hub at a commit; `config` and `split` as its card names them."""

    repo: str
    revision: str
    config: str = ""
    split: str = "train"


@dataclass(frozen=True, slots=True, kw_only=True)
class Web:
    """One file behind a URL, with the SHA-256 it must have."""

    url: str
    sha256: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Files:
    """Local files: names, folders or patterns, relative to the registry's folder."""

    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GutenbergFolder:
    """A folder of Gutenberg texts, and its catalogue (metadata.csv or pg_catalog.csv) if it has one."""

    folder: str
    catalogue: str = ""
    once: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class BookRecipe:
    """A book recipe's file, and the book file if it is not the one that the recipe names."""

    recipe: str
    source: str = ""


Origin = Hub | Web | Files | GutenbergFolder | BookRecipe


@dataclass(frozen=True, slots=True, kw_only=True)
class Selectors:
    """Which rows of a catalogue are wanted: the union of all parts, compared without regard to case.

    languages are codes, a part of the union too; only_languages narrow it down: a row must also be in one of them.
    """

    authors: tuple[str, ...] = ()
    bookshelves: tuple[str, ...] = ()
    languages: tuple[str, ...] = ()
    only_languages: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.authors or self.bookshelves or self.languages or self.only_languages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Licence:
    """A source's licence: SPDX expression, where it is written, whom to name, and whether it asks for itself again."""

    spdx: str
    url: str = ""
    attribution: str = ""
    share_alike: bool = False
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One source of a blend.

    share              of the budget's tokens, above 0; all shares sum to 1
    text, template     the column that is the text, or a Jinja template that renders a row's columns into it
    id, group          columns of a row's label, and of what validation must not part; "" where there is none
    metadata           the column of a catalogue: a JSON object with authors, bookshelves, languages
    strip              take Gutenberg's packaging off
    rows_per_document  consecutive rows that make one document
    document           one a row; one a file (book); one a row, the file being their group (chapter)
    upsample           how often the source may be repeated at most
    validation         whether documents of it may be held out
    """

    name: str
    slice: str
    share: float
    origin: Origin
    licence: Licence
    text: str = "text"
    template: str = ""
    id: str = ""
    group: str = ""
    metadata: str = ""
    select: Selectors = Selectors()
    strip: bool = True
    rows_per_document: int = 1
    document: DocumentUnit = "row"
    upsample: float = 1
    validation: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokenizer:
    """A tokenizer.json of the user's, or the size of the vocabulary to be trained, on at most so many bytes of text."""

    file: str = ""
    vocabulary: int = 32_000
    sample: int = 200_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """What is held out of training: a share of every source, by groups or (as in the recipe of old) from its tail."""

    share: float = 0.01
    split: Literal["group", "tail"] = "group"


@dataclass(frozen=True, slots=True, kw_only=True)
class Registry:
    """A blend as declared.

    budget      tokens of training, each document's eos counted
    eos         the eos text, which is one token of the tokenizer
    seed        all order is drawn from it
    cut         whole documents, or the recipe's words
    order       documents of all sources interleaved in proportion, or source by source
    duplicates  a document that a source holds twice: train on it once, or as often as it is there
    rules       packaging by the full rules, or by the recipe's alone
    sources     in the file's order
    """

    name: str
    file: Path
    budget: int
    sources: tuple[Source, ...]
    eos: str = "</s>"
    seed: int = 0
    cut: Cut = "document"
    order: Literal["interleaved", "by-source"] = "interleaved"
    duplicates: Literal["once", "keep"] = "once"
    rules: Literal["full", "recipe"] = "full"
    tokenizer: Tokenizer = Tokenizer()
    validation: Validation = Validation()
    formats: tuple[str, ...] = FORMATS
    left_out: tuple[str, ...] = ()

    @property
    def home(self) -> Path:
        """The folder of the file itself, not of a link to it."""
        return self.file.resolve().parent if self.file.is_symlink() else self.file.parent

    def local(self, path: str) -> Path:
        """A path of the file's, which is relative to the file's folder."""
        return self.home / path
