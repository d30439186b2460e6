"""The stage `tokenizer`: the user's tokenizer file, or one trained on documents of the training role alone."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bookblend.blend.cut_documents import order
from bookblend.blend.measure import Measured
from bookblend.blend.model import Registry
from bookblend.blend.tokenizer import CONFIG, SPECIALS, train
from bookblend.blend.workspace import INDEX, TEXT, Workspace
from bookblend.errors import InputError
from bookblend.files import Outputs
from bookblend.talk import say

TOKENIZER = "tokenizer.json"


def tokenizer_file(registry: Registry, workspace: Workspace) -> Path | None:
    """The blend's tokenizer file: the user's, or the trained one if there is one already."""
    if registry.tokenizer.file:
        return registry.local(registry.tokenizer.file)
    trained = workspace.tokenizer / TOKENIZER
    return trained if trained.is_file() else None


def make_tokenizer(registry: Registry, workspace: Workspace, measured: Measured, again: bool = False) -> Path:
    """The tokenizer file, trained where it is not up to date. Raises `InputError` where the user's is not there."""
    if registry.tokenizer.file:
        path = registry.local(registry.tokenizer.file)
        if not path.is_file():
            raise InputError(f"{registry.file}: tokenizer.file: {path}: no such file")
        return _copied(workspace, path)
    folder = workspace.tokenizer
    inputs = {
        f"{source.name}/{name}": workspace.sha256(workspace.prepared(source.name) / name)
        for source in registry.sources
        for name in (TEXT, INDEX)
    }
    settings = _settings(registry)
    if again or workspace.current(folder, settings, inputs) is None:
        workspace.make(folder)
        chosen = _sample(registry, measured)
        trained = train(_texts(measured, chosen), vocabulary=registry.tokenizer.vocabulary, eos=registry.eos)
        if trained.vocabulary < registry.tokenizer.vocabulary:
            asked = registry.tokenizer.vocabulary
            say(f"tokenizer: {trained.vocabulary:,} ids of {asked:,} asked: no more pairs occur twice in the texts")
        report = {
            "documents": {name: len(numbers) for name, numbers in chosen.items()},
            "vocabulary": trained.vocabulary,
        }
        with Outputs() as outputs:
            made = trained.save(folder, outputs)
            workspace.sign(outputs, folder, settings=settings, inputs=inputs, made=made, report=report)
    return folder / TOKENIZER


def _copied(workspace: Workspace, path: Path) -> Path:
    """The user's tokenizer beside the blend, which is then whole without its origin."""
    folder, inputs = workspace.make(workspace.tokenizer), {path.name: workspace.sha256(path)}
    if workspace.current(folder, {}, inputs) is None:
        with Outputs() as outputs:
            outputs.open(folder / TOKENIZER).write(path.read_bytes())
            made = {TOKENIZER: inputs[path.name]}
            workspace.sign(outputs, folder, settings={}, inputs=inputs, made=made, report={})
        for name in (CONFIG, SPECIALS):  # of one that was trained before
            (folder / name).unlink(missing_ok=True)
    return folder / TOKENIZER


def _settings(registry: Registry) -> dict[str, Any]:
    validation = registry.validation
    return {
        "vocabulary": registry.tokenizer.vocabulary,
        "sample": registry.tokenizer.sample,
        "eos": registry.eos,
        "seed": registry.seed,
        "shares": {source.name: source.share for source in registry.sources},
        "validation": [validation.share, validation.split, [s.name for s in registry.sources if s.validation]],
        "duplicates": registry.duplicates,
    }


def _sample(registry: Registry, measured: Measured) -> dict[str, Any]:
    """Training documents by source, in file order: of each its share of the sample's bytes, as far as it has them.

    Each document once, whatever its source's repetition: counting pairs twice would teach nothing new.
    """
    chosen = {}
    for source in registry.sources:
        prepared, train_numbers = measured.sources[source.name], measured.roles[source.name].train
        row = order(registry.seed, source.name, 0, train_numbers, prepared.index["text"])
        ends = np.cumsum(prepared.index["bytes"][row])
        count = int(np.searchsorted(ends, source.share * registry.tokenizer.sample, side="left")) + 1
        chosen[source.name] = np.sort(row[:count])
    return chosen


def _texts(measured: Measured, chosen: Mapping[str, Any]) -> Iterator[str]:
    for name, numbers in chosen.items():
        yield from measured.sources[name].texts(numbers)
