"""`verify`: every hash and count of a blend recomputed from its files, and every difference named."""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from bookblend.blend.workspace import RECEIPT, Hashes, read_receipt, read_sealed
from bookblend.errors import InputError

MANIFEST = "manifest.json"
# Ids that are looked at together.
_BLOCK = 1 << 22


def verify(folder: Path) -> list[str]:
    """What does not hold in a blend's folder (the one that `blend run` made), a line each; [] where all does.

    Raises `InputError` where there is no blend.
    """
    blended = folder / "blend"
    if not (blended / MANIFEST).is_file():
        raise InputError(f"{blended / MANIFEST}: is not there; name the folder that 'bookblend blend run' made")
    hashes = Hashes()
    faults = [fault for place in _stages(folder) for fault in _receipt(folder, place, hashes)]
    try:
        manifest = json.loads((blended / MANIFEST).read_text("utf-8"))
        faults += _against(folder, blended, manifest, hashes)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError):
        faults.append(f"blend/{MANIFEST}: is damaged")
    return list(dict.fromkeys(faults))


def describe(folder: Path) -> str:
    """The blend that a folder holds, in one line."""
    manifest = json.loads((folder / "blend" / MANIFEST).read_text("utf-8"))
    return (
        f"{manifest['name']} ({manifest['train']['tokens']:,} tokens of a budget of {manifest['budget']:,}, "
        f"seed {manifest['seed']}, {len(manifest['sources'])} sources)"
    )


def _against(folder: Path, blended: Path, manifest: Mapping[str, Any], hashes: Hashes) -> list[str]:
    """What does not hold of all that the manifest says."""
    places = [f"{stage}/{name}" for name in manifest["sources"] for stage in ("prepared", "encoded")]
    faults = [
        f"{place}/{RECEIPT}: is missing" for place in (*places, "blend") if not (folder / place / RECEIPT).is_file()
    ]
    faults += _outputs(blended, manifest, hashes)
    faults += _chain(folder, manifest, hashes)
    for role, key in (("train", "train"), ("val", "validation")):
        faults += _role(blended, manifest, role, manifest[key])
    faults += _sums(manifest)
    faults += _origins(blended, manifest)
    faults += _reports(folder, manifest)
    return faults


def _reports(folder: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """The reports of `prepare` and `measure` against receipts and manifest, as far as they speak of the same."""
    for stage in ("prepare", "measure"):
        path = folder / f"{stage}.json"
        try:
            said = read_sealed(path)
            if stage == "prepare":
                same = all(
                    report == read_receipt(folder / "prepared" / name)["report"]
                    for name, report in said["sources"].items()
                )
            else:
                same = said["tokenizer_sha256"] not in ("", manifest["tokenizer"]["sha256"]) or all(
                    said["sources"][name]["available_tokens"] == source["tokens"]["available"]
                    for name, source in manifest["sources"].items()
                )
        except FileNotFoundError:
            yield f"{path.name}: is missing"
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            yield f"{path.name}: is damaged"
        else:
            if not same:
                yield f"{path.name}: does not say what the {stage}d sources are"


def _stages(folder: Path) -> list[Path]:
    return sorted(path.parent for path in folder.rglob(RECEIPT))


def _receipt(folder: Path, place: Path, hashes: Hashes) -> Iterator[str]:
    """A stage's products against its receipt."""
    name = place.relative_to(folder).as_posix()
    try:
        outputs = read_receipt(place)["outputs"]
    except (OSError, ValueError, KeyError):
        yield f"{name}/{RECEIPT}: is damaged"
        return
    for file, sha256 in outputs.items():
        yield from _compare(place / file, sha256, f"{name}/{file}", hashes)


def _compare(path: Path, sha256: str, name: str, hashes: Hashes) -> Iterator[str]:
    if not path.is_file():
        yield f"{name}: is missing"
    elif hashes.of(path) != sha256:
        yield f"{name}: is not the file that was made (its SHA-256 differs)"


def _outputs(blended: Path, manifest: Mapping[str, Any], hashes: Hashes) -> Iterator[str]:
    for file, made in manifest["outputs"].items():
        path = blended / file
        if path.is_file() and path.stat().st_size != made["bytes"]:
            yield f"blend/{file}: has {path.stat().st_size:,} bytes, the manifest says {made['bytes']:,}"
        yield from _compare(path, made["sha256"], f"blend/{file}", hashes)


def _chain(folder: Path, manifest: Mapping[str, Any], hashes: Hashes) -> Iterator[str]:
    """What the blend says it was made from, against what is there."""
    for source, files in manifest["sources"].items():
        for file, sha256 in files["inputs"].items():
            path = folder / "prepared" / source / file
            if path.is_file() and hashes.of(path) != sha256:
                yield f"prepared/{source}/{file}: is not what the blend was made from; run 'bookblend blend run' again"


def _role(blended: Path, manifest: Mapping[str, Any], role: str, said: Mapping[str, Any]) -> Iterator[str]:
    """A role's arrays, and its text, against the manifest's counts."""
    ids_path, offsets_path = blended / f"{role}_ids.npy", blended / f"{role}_offsets.npy"
    if ids_path.is_file() and offsets_path.is_file():
        try:
            offsets = np.load(offsets_path)
            count = sum(len(ids) for ids in _blocks(ids_path))
        except (ValueError, EOFError) as error:
            yield f"blend/{role}_ids.npy: cannot be read as an array ({error})"
            return
        if count != said["tokens"]:
            yield f"blend/{role}_ids.npy: holds {count:,} tokens, the manifest says {said['tokens']:,}"
        if len(offsets) - 1 != said["documents"]:
            yield f"blend/{role}_offsets.npy: tells of {len(offsets) - 1:,} documents, not {said['documents']:,}"
        yield from _boundaries(role, ids_path, count, offsets, manifest["tokenizer"]["eos_id"])
    text = blended / f"{role}.txt"
    if text.is_file() and (count := _eos_lines(text, manifest["eos"])) != said["documents"] and not _forged(manifest):
        yield f"blend/{role}.txt: holds {count:,} documents, the manifest says {said['documents']:,}"


def _origins(blended: Path, manifest: Mapping[str, Any]) -> Iterator[str]:
    """Every source's documents and tokens counted from the arrays, against the manifest."""
    for role, key in (("train", None), ("val", "validation")):
        paths = [blended / f"{role}_{what}.npy" for what in ("sources", "offsets")]
        if not all(path.is_file() for path in paths):
            continue
        try:
            sources, sizes = np.load(paths[0]), np.diff(np.load(paths[1]))
            documents = np.bincount(sources, minlength=len(manifest["sources"]))
            tokens = np.bincount(sources, sizes, len(manifest["sources"])).astype(np.int64)
        except ValueError as error:
            yield f"blend/{paths[0].name}: does not go with {paths[1].name} ({error})"
            continue
        for place, (name, source) in enumerate(manifest["sources"].items()):
            said = (
                source["validation"]
                if key
                else {"documents": source["documents"]["emitted"], "tokens": source["tokens"]["emitted"]}
            )
            found = {"documents": int(documents[place]), "tokens": int(tokens[place])}
            for what, number in found.items():
                if number != said[what]:
                    yield f"blend/{role}: holds {number:,} {what} of '{name}', the manifest says {said[what]:,}"


def _blocks(path: Path) -> Iterator[Any]:
    """An array's values in pieces: mapped whole, it would stay in memory."""
    with path.open("rb") as stream:
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError("is no array of ours")
        (count,), _, dtype = np.lib.format.read_array_header_1_0(stream)
        while count > 0:
            ids = np.fromfile(stream, dtype, min(count, _BLOCK))
            if not len(ids):
                raise ValueError("is cut off")
            count -= len(ids)
            yield ids


def _boundaries(role: str, path: Path, count: int, offsets: Any, eos: int) -> Iterator[str]:
    """Whether the eos id closes every document, and stands nowhere else."""
    if offsets[0] != 0 or offsets[-1] != count or (np.diff(offsets) < 2).any():
        yield f"blend/{role}_offsets.npy: does not part the ids into documents with text"
        return
    ends, start, found, closed = offsets[1:] - 1, 0, 0, True
    for ids in _blocks(path):
        first, last = np.searchsorted(ends, (start, start + len(ids)))
        closed = closed and bool((ids[ends[first:last] - start] == eos).all())
        found += int(np.count_nonzero(ids == eos))
        start += len(ids)
    if not closed:
        yield f"blend/{role}_ids.npy: holds a document that does not end on the eos id {eos}"
    if found != len(offsets) - 1:
        yield f"blend/{role}_ids.npy: holds the eos id {eos} {found:,} times in {len(offsets) - 1:,} documents"


def _eos_lines(path: Path, eos: str) -> int:
    wanted = eos.encode() + b"\n"
    with path.open("rb") as stream:
        return sum(line == wanted for line in stream)


def _forged(manifest: Mapping[str, Any]) -> bool:
    """Whether texts may hold lines that are the eos: by the recipe's rules they stay as they are."""
    return str(manifest["rules"]) == "recipe"


def _sums(manifest: Mapping[str, Any]) -> Iterator[str]:
    """The manifest's own sums and shares."""
    sources, train = manifest["sources"], manifest["train"]
    for key, total, parts in (
        ("train.tokens", train["tokens"], [s["tokens"]["emitted"] for s in sources.values()]),
        ("train.documents", train["documents"], [s["documents"]["emitted"] for s in sources.values()]),
        ("validation.tokens", manifest["validation"]["tokens"], [s["validation"]["tokens"] for s in sources.values()]),
    ):
        if total != sum(parts):
            yield f"blend/{MANIFEST}: {key} is {total:,}, its sources' sum {sum(parts):,}"
    for name, source in sources.items():
        achieved = source["tokens"]["emitted"] / train["tokens"] if train["tokens"] else None
        if achieved != source["share"]["achieved"]:
            yield f"blend/{MANIFEST}: sources.{name}.share.achieved is {source['share']['achieved']}, not {achieved}"
