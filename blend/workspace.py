"""The folder that a blend is made in: where each stage's files are, and the receipts that say what they were made from.

A stage's folder holds its products and `receipt.json`: settings, SHA-256 of every input, SHA-256 of every product, and
the stage's report. A product is up to date if all of these still hold; nothing else is ever trusted.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bookblend import __version__
from bookblend.blend.model import Registry
from bookblend.errors import BookblendError
from bookblend.files import Outputs, sha256_file, sha256_text
from bookblend.jsonio import dump_pretty

RECEIPT = "receipt.json"
# What made a receipt: the program, and the layout of receipts and reports, which is raised when they change.
MADE_BY = f"{__version__}, layout 1"
# Files that the manifest names one by one.
_MANY = 500
TEXT, INDEX, DOCUMENTS = "text.txt", "index.npy", "documents.jsonl"
RAW_ROWS = "text.jsonl"


class Hashes:
    """SHA-256 of files, each read once while its size and time stay the same."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, int, int, int], str] = {}

    def of(self, path: Path) -> str:
        """A file's SHA-256, in hexadecimal."""
        state = path.stat()
        key = (str(path), state.st_size, state.st_mtime_ns, state.st_ino)
        if key not in self._known:
            self._known[key] = sha256_file(path)
        return self._known[key]


class Workspace:
    """Paths and receipts of one blend's folder; the default stands beside the registry and has its name."""

    def __init__(self, registry: Registry, folder: Path | None = None) -> None:
        self.folder = folder or registry.home / f"{registry.name}.blend"
        self._hashes = Hashes()

    def raw(self, source: str) -> Path:
        """What was fetched for a source: `text.jsonl`, a row a line with id, text and group."""
        return self.folder / "raw" / source

    def prepared(self, source: str) -> Path:
        """A source's documents: `text.txt`, `index.npy`, `documents.jsonl`."""
        return self.folder / "prepared" / source

    def encoded(self, source: str) -> Path:
        """A source's token ids and the documents' lengths."""
        return self.folder / "encoded" / source

    @property
    def tokenizer(self) -> Path:
        """The tokenizer that the blend trained."""
        return self.folder / "tokenizer"

    @property
    def blended(self) -> Path:
        """The blend: texts, arrays, manifest, pages."""
        return self.folder / "blend"

    @property
    def is_ours(self) -> bool:
        """Whether a stage of a blend has been at work in the folder."""
        return (self.folder / "prepared").is_dir()

    def left_over(self, names: Sequence[str]) -> list[str]:
        """Folders of sources that are none of `names`, below this one."""
        stages = [self.folder / stage for stage in ("raw", "prepared", "encoded")]
        return [
            f"{stage.name}/{path.name}"
            for stage in stages
            if stage.is_dir()
            for path in sorted(stage.iterdir())
            if path.is_dir() and path.name not in names and not path.name.startswith(".")
        ]

    def report(self, stage: str) -> Path:
        """A stage's JSON report."""
        return self.folder / f"{stage}.json"

    def made_from(self, source: str) -> dict[str, str]:
        """The files that a source's documents were made from, with their SHA-256; of very many one for all."""
        inputs: dict[str, str] = read_receipt(self.prepared(source))["inputs"]
        if len(inputs) <= _MANY:
            return inputs
        return {f"{len(inputs):,} files": sha256_text(json.dumps(inputs))}

    def make(self, folder: Path) -> Path:
        """A folder, made with those above it. Raises `BookblendError` where that cannot be done."""
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise BookblendError(f"{folder}: cannot be made ({error.strerror}); choose another --folder") from error
        return folder

    def sha256(self, path: Path) -> str:
        """SHA-256 of a file; read once a run while its size and time stay the same."""
        return self._hashes.of(path)

    def current(self, folder: Path, settings: Mapping[str, Any], inputs: Mapping[str, str]) -> dict[str, Any] | None:
        """A stage's report, if this version made its folder from these settings and inputs and it is still intact."""
        try:
            receipt = read_receipt(folder)
            report: dict[str, Any] = receipt["report"]
            made_from = (receipt["version"], receipt["settings"], receipt["inputs"])
            if made_from != (MADE_BY, _plain(settings), dict(inputs)):
                return None
            for name, sha256 in receipt["outputs"].items():
                if self.sha256(folder / name) != sha256:
                    return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return None
        return report

    def sign(
        self,
        outputs: Outputs,
        folder: Path,
        *,
        settings: Mapping[str, Any],
        inputs: Mapping[str, str],
        made: Mapping[str, str],
        report: Mapping[str, Any],
    ) -> None:
        """Stage a folder's receipt beside its products: file name → SHA-256 of what was `made`."""
        receipt = {
            "version": MADE_BY,
            "settings": _plain(settings),
            "inputs": dict(inputs),
            "outputs": dict(made),
            "report": dict(report),
        }
        outputs.write(folder / RECEIPT, sealed(receipt))

    def hash_all(self, paths: Iterable[Path]) -> dict[str, str]:
        """File name → SHA-256."""
        return {path.name: self.sha256(path) for path in paths}


def read_receipt(folder: Path) -> dict[str, Any]:
    """A folder's receipt, as `read_sealed` reads it."""
    return read_sealed(folder / RECEIPT)


def sealed(content: Mapping[str, Any]) -> str:
    """A JSON file's text with a seal, the SHA-256 of its content, by which damage to it is seen."""
    return dump_pretty(dict(content) | {"seal": _seal(content)})


def read_sealed(path: Path) -> dict[str, Any]:
    """A sealed file's content. Raises `OSError` or `ValueError` where it is missing, damaged or edited."""
    try:
        content = json.loads(path.read_text("utf-8"))
    except RecursionError as error:
        raise ValueError(f"{path}: is nested too deep") from error
    if not isinstance(content, dict) or content.pop("seal", None) != _seal(content):
        raise ValueError(f"{path}: is not as it was written")
    return content


def _seal(content: Mapping[str, Any]) -> str:
    return sha256_text(json.dumps(content, ensure_ascii=True))


def _plain(settings: Mapping[str, Any]) -> Any:
    """Settings as JSON gives them back, so that tuples and lists compare as equal."""
    return json.loads(json.dumps(settings))
