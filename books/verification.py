"""`books verify`: whether a book's products still are what their provenance says, and hold what they promise."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bookblend import sidecar
from bookblend.build.records import verify_words
from bookblend.errors import InputError, VerificationError
from bookblend.files import check_source, sha256_file


def verify(target: Path, source: Path | None = None) -> str:
    """Check `<Book>.jsonl` at `target` with the files beside it, and the input if it is given; say what was checked.

    Every product's SHA-256, every record's words and SHA-256, and that the records are the raw text word for word.
    Raises `InputError` where there is nothing to check against and `VerificationError` for the first thing amiss.
    """
    check_source(target)
    path = sidecar.beside(target, ".book.json")
    known = sidecar.read(path)
    if known is None or target.name not in known.products:
        raise InputError(f"{path}: no provenance of {target.name} there to check it against")
    for name, digest in known.products.items():
        _check_file(target.with_name(name), digest)
    lines = sidecar.read_text(target)
    _check_records(lines, known.records, target)
    raw = sidecar.beside(target, ".txt")
    if raw.name in known.products:
        verify_words(lines, sidecar.read_text(raw))
    if source is not None:
        check_source(source)
        _check_file(source, known.source["sha256"])
    words = sum(record["words"] for record in known.records)
    against = "the input, " if source else ""
    return f"{target}: {len(known.records)} records, {words:,} words: as {against}{path.name} and {raw.name} have them"


def _check_file(path: Path, digest: str) -> None:
    if not path.is_file():
        raise VerificationError(f"{path}: is named in the provenance but not there")
    found = sha256_file(path)
    if found != digest:
        raise VerificationError(f"{path}: changed since it was made: SHA-256 {found}, not {digest}")


def _check_records(lines: str, described: tuple[Mapping[str, Any], ...], target: Path) -> None:
    texts = [json.loads(line)["text"] for line in lines.split("\n") if line]
    if len(texts) != len(described):
        raise VerificationError(f"{target}: {len(texts)} records, but the provenance has {len(described)}")
    for text, record in zip(texts, described, strict=True):
        if (len(text.split()), sidecar.sha256_text(text)) != (record["words"], record["sha256"]):
            raise VerificationError(f"{target}: record {record['number']} is not the text its provenance names")
