"""`books verify`: whether a book's products still are what their provenance says, and hold what they promise."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bookblend import sidecar
from bookblend.build.records import verify_words
from bookblend.errors import InputError, VerificationError
from bookblend.files import check_source, sha256_file
from bookblend.talk import counted


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
    against = [path.name, *_check_raw(sidecar.beside(target, ".txt"), lines, known.products)]
    if source is not None:
        check_source(source)
        _check_file(source, known.source["sha256"])
        against.insert(0, "the input")
    records = counted(len(known.records), "record")
    words = counted(sum(record["words"] for record in known.records), "word")
    return f"{target}: {records}, {words}; checked against {', '.join(against)}"


def _check_raw(raw: Path, lines: str, products: Mapping[str, str]) -> list[str]:
    """The name of the raw text in a list, if there is one: it must be the records' words, made with them or not."""
    if not raw.is_file():
        return []
    try:
        verify_words(lines, sidecar.read_text(raw))
    except VerificationError as error:
        if raw.name in products:
            raise
        remedy = "make it with the same --start and --end, or remove it"
        raise VerificationError(f"{raw}: not the text of these records ({error}); {remedy}") from error
    return [raw.name]


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
