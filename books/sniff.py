"""What an input file is, by its bytes: a name is only asked where bytes cannot tell (markdown)."""

import zipfile
from pathlib import Path
from typing import Literal

from bookblend.errors import InputError
from bookblend.files import check_source

Format = Literal["pdf", "epub", "markdown"]

# PDF readers look for the header in the first kilobyte; files saved with HTTP headers or mail around them have it
# later, and four cover those met.
_HEAD = 4096
_ZIP = b"PK\x03\x04"
_EMPTY_ZIP = b"PK\x05\x06"
_TEXT_NAMES = frozenset({".md", ".markdown", ".txt"})
_BY_NAME: dict[str, Format] = {".pdf": "pdf", ".epub": "epub"}


def sniff(path: Path) -> Format:
    """The format of the file at `path`.

    Raises `InputError` in one line: no such file, a folder, empty, or none of PDF, EPUB and markdown.
    """
    head = _head(path)
    if head.startswith((_ZIP, _EMPTY_ZIP)):
        return "epub"
    named_text = path.suffix.lower() in _TEXT_NAMES
    if head.startswith(b"%PDF") or (b"%PDF" in head and not named_text):
        return "pdf"
    if named_text:
        return "markdown"
    if zipfile.is_zipfile(path):
        return "epub"
    raise InputError(f"{path}: {_what_instead(path, head)}")


def misnamed(path: Path, kind: Format) -> str:
    """A warning where the name says another format than the bytes, else ""."""
    said = _BY_NAME.get(path.suffix.lower())
    return f"{path.name}: named {path.suffix}, but read as what it is: {kind}" if said and said != kind else ""


def _head(path: Path) -> bytes:
    check_source(path)
    with path.open("rb") as stream:
        return stream.read(_HEAD)


def _what_instead(path: Path, head: bytes) -> str:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "is an HTML page, not a PDF or EPUB (an error page saved under that name?)"
    if path.suffix.lower() == ".epub":
        return "is not an EPUB: no zip archive"
    if path.suffix.lower() == ".pdf":
        return "is not a PDF: no %PDF header, invalid or cut off"
    return "is neither PDF nor EPUB; markdown must be named .md, .markdown or .txt"
