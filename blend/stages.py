"""The stages joined: each makes sure that what it needs is up to date, then does its own part."""

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import count
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from bookblend.blend import measure, pages
from bookblend.blend.arrays import Made, array_files, refuse_existing
from bookblend.blend.encoded import Encoded, encode_source
from bookblend.blend.encoder import Encoder, with_engine
from bookblend.blend.local_raw import is_local_raw
from bookblend.blend.manifest import manifest
from bookblend.blend.model import FORMATS, Files, Registry
from bookblend.blend.prepare import prepare
from bookblend.blend.selection import Selection, by_documents, by_words, check_something
from bookblend.blend.vocabulary import make_tokenizer, tokenizer_file
from bookblend.blend.workspace import DOCUMENTS, INDEX, TEXT, Workspace, sealed
from bookblend.blend.write_blend import ORIGINS, Role, in_order, write_origins, write_role, write_text, write_words
from bookblend.errors import InputError
from bookblend.files import Outputs, sha256_text, write_whole
from bookblend.jsonio import dump_pretty
from bookblend.talk import counted as with_noun
from bookblend.talk import say, warn

MANIFEST, WORDS = "manifest.json", "blend.txt"
# A source that misses its target by more than this part is told by name.
_TOLD = 0.01
ROLES: tuple[Role, ...] = ("train", "val")

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Counted:
    """Sources measured by a tokenizer, with their ids."""

    measured: measure.Measured
    encoder: Encoder
    encoded: Mapping[str, Encoded]


def measured_report(registry: Registry, workspace: Workspace, workers: int, by_words: bool = False) -> dict[str, Any]:
    """Prepare what is out of date, measure, and write the stage's report.

    The tokenizer counts if there is one (the user's, or one that a run has trained), else words do, or if asked.
    """
    prepare(registry, workspace, workers=workers)
    measured = measure.by_words(registry, measure.open_prepared(registry, workspace))
    path = None if by_words else tokenizer_file(registry, workspace)
    if path is None:
        report = measure.report(registry, measured)
    else:
        report = _with_ids(
            registry,
            workspace,
            measured,
            path,
            lambda counted: measure.report(registry, counted.measured, counted.encoder.sha256),
        )
    write_whole(workspace.report("measure"), sealed(report))
    return report


def _with_ids(
    registry: Registry,
    workspace: Workspace,
    measured: measure.Measured,
    path: Path,
    work: Callable[[Counted], T],
    again: bool = False,
) -> T:
    """`work` on all sources' ids; where the fast encoder is found to err on the way, all again with the other."""
    attempts = count()

    def encode(encoder: Encoder) -> T:
        for notice in encoder.notices if registry.tokenizer.file else ():  # (our own needs none)
            warn(notice)
        anew = again or next(attempts) > 0
        encoded = {
            source.name: encode_source(workspace, source, measured.sources[source.name], encoder, anew)
            for source in registry.sources
        }
        lengths = {name: ids.lengths for name, ids in encoded.items()}
        try:
            return work(Counted(measure.by_tokens(measured, lengths), encoder, encoded))
        finally:
            for ids in encoded.values():
                ids.close()

    return with_engine(path, registry.eos, encode)


def run(registry: Registry, workspace: Workspace, workers: int, again: bool = False) -> dict[str, Any]:
    """Everything from raw files to arrays and pages, each stage where it is not up to date; returns the manifest."""
    if not again and not workspace.is_ours:  # arrays that no run of ours has made are not ours to replace
        refuse_existing(workspace.blended, ROLES, FORMATS)
    remote = [s.name for s in registry.sources if not is_local_raw(s) and not isinstance(s.origin, Files)]
    if remote:
        from bookblend.blend.fetch import Fetch, fetch_all

        fetch_all(registry, workspace, Fetch())  # (what is pinned is fetched again by `fetch --again` alone)
    prepared = prepare(registry, workspace, workers=workers, again=again)
    for name in workspace.left_over([source.name for source in registry.sources]):
        say(f"{name}: of a source that the recipe no longer has; delete it if it is not needed")
    reports = {outcome.name: outcome.report for outcome in prepared}
    measured = measure.by_words(registry, measure.open_prepared(registry, workspace))
    check_something(measured.supplies(registry))
    path = make_tokenizer(registry, workspace, measured, again)

    def blend(counted: Counted) -> dict[str, Any]:
        report = measure.report(registry, counted.measured, counted.encoder.sha256)
        write_whole(workspace.report("measure"), sealed(report))
        return _blend(registry, workspace, counted, reports, again)

    return _with_ids(registry, workspace, measured, path, blend, again)


def _blend(
    registry: Registry, workspace: Workspace, counted: Counted, reports: Mapping[str, Any], again: bool
) -> dict[str, Any]:
    folder = workspace.blended
    by_source = {
        source.name: workspace.hash_all(workspace.prepared(source.name) / name for name in (TEXT, INDEX, DOCUMENTS))
        for source in registry.sources
    }
    inputs = {f"{name}/{file}": sha for name, files in by_source.items() for file, sha in files.items()}
    inputs["tokenizer"] = counted.encoder.sha256
    settings = settings_of(registry)
    current = None if again else workspace.current(folder, settings, inputs)
    if current is not None:
        _clear(folder, current["outputs"])
        say(f"{folder}: up to date (--again makes it anew)")
        return current
    encoder = counted.encoder

    def tokens(texts: Sequence[str]) -> list[int]:
        lengths: list[int] = encoder.encode(texts)[1].tolist()
        return lengths

    workspace.make(folder)
    with Outputs() as outputs:
        made: list[Made] = []
        if registry.cut == "document":
            selection = by_documents(registry, counted.measured, tokens)
        else:
            words, accounts = write_words(folder / WORDS, registry, counted.measured, outputs)
            made.append(words)
            selection = by_words(registry, counted.measured, accounts, tokens)
        if not sum(taken.tokens for taken in selection.train.values()):
            held = with_noun(registry.budget, "token")
            raise InputError(f"{registry.file}: budget: {held} hold no source's first paragraph; raise it")
        made += _write_roles(registry, workspace, counted, selection, outputs)
        tokenizer = {
            "file": _tokenizer_name(registry),
            "sha256": encoder.sha256,
            "vocabulary": encoder.vocabulary,
            "eos_id": encoder.eos_id,
        }
        hashes = {name: {"read": workspace.made_from(name), "inputs": files} for name, files in by_source.items()}
        whole = manifest(registry, counted.measured, selection, made, hashes, tokenizer, reports)
        texts = {
            MANIFEST: dump_pretty(whole),
            pages.PROVENANCE: pages.provenance(whole),
            pages.LICENSING: pages.licensing(whole),
            pages.OVERVIEW: pages.overview(whole),
        }
        for name, text in texts.items():
            outputs.write(folder / name, text)
        products = {one.file: one.sha256 for one in made} | {name: sha256_text(text) for name, text in texts.items()}
        workspace.sign(outputs, folder, settings=settings, inputs=inputs, made=products, report=whole)
    _clear(folder, whole["outputs"])
    _tell(whole)
    return whole


def _tell(whole: Mapping[str, Any]) -> None:
    """Warn of sources that are not what was asked of them, by name, and of validation that is not."""
    _tell_of_validation(whole)
    for name, source in whole["sources"].items():
        tokens, passed = source["tokens"], source["passed_over_as_too_large"]
        if not source["upsample"]["kept"]:
            declared = f"{source['upsample']['declared']:g}"
            warn(f"source '{name}': was repeated {source['repetition']:.4g} x, its upsample is {declared}")
        if passed:
            noun = with_noun(passed, "document")
            warn(f"source '{name}': {noun} passed over: larger than all that is asked, and so is its first paragraph")
        if source["documents"]["available"] > 1 and source["largest_document"] > tokens["emitted"] / 2:
            part = source["largest_document"] / tokens["emitted"]
            warn(f"source '{name}': one document is {part:.0%} of what it gives")
        if tokens["emitted"] < tokens["planned"] * (1 - _TOLD):
            warn(
                f"source '{name}': {tokens['emitted']:,} tokens of {tokens['planned']:,}: its next paragraph is larger"
            )


def _tell_of_validation(whole: Mapping[str, Any]) -> None:
    role, sources = whole["validation"], whole["sources"]
    asked = round(whole["budget"] * role["share"])
    without = [name for name, source in sources.items() if not source["validation"]["documents"]]
    if not asked:
        return
    if not role["documents"]:
        warn("validation: no document is held out: no source has a group that falls to it; raise validation.share")
    elif without:
        say(f"validation: holds nothing of {', '.join(without)}")
    if role["tokens"] > 2 * asked:
        warn(
            f"validation: {role['tokens']:,} tokens where {asked:,} are asked: documents are held out whole, at "
            "least one of each source that has any"
        )


def _clear(folder: Path, made: Container[str]) -> None:
    """Remove what an earlier state of the recipe had made under names of ours, and this one has not."""
    names = [name for role in ROLES for name in (*array_files(role, FORMATS), *ORIGINS[role], f"{role}.txt")]
    for name in (WORDS, *names):
        if name not in made:
            (folder / name).unlink(missing_ok=True)


def _write_roles(
    registry: Registry, workspace: Workspace, counted: Counted, selection: Selection, outputs: Outputs
) -> list[Made]:
    folder, encoder = workspace.blended, counted.encoder
    made: list[Made] = []
    for role in ROLES:
        row = in_order(registry, selection, role, counted.measured.tokens)
        if not len(row.places):
            continue
        if registry.cut == "document":
            made.append(write_text(folder / f"{role}.txt", row, counted.measured.sources, registry.eos, outputs))
        cuts = {
            name: np.append(encoder.encode([taken.cut.text])[0], np.uint32(encoder.eos_id))
            for name, taken in zip(row.names, row.taken, strict=True)
            if taken.cut is not None
        }
        made += write_role(folder, role, row, counted.encoded, cuts, encoder.vocabulary, registry.formats, outputs)
        made += write_origins(folder, role, row, [source.name for source in registry.sources], outputs)
    return made


def _tokenizer_name(registry: Registry) -> str:
    return registry.tokenizer.file or "tokenizer/tokenizer.json"


def settings_of(registry: Registry) -> dict[str, Any]:
    """All that a registry declares, as JSON, without where it stands."""
    declared = asdict(registry)
    del declared["file"]
    return declared
