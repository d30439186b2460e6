"""Rebuild the sample book's files from its source: `python -m bookblend.books.sample.make [FOLDER]`.

Writes sample.epub, sample.pdf and sample.truth.json (default: beside this file) and prints the SHA-256 of each,
which is what the recipes beside the folder state. The PDF needs the extra `sample` (Typst).
"""

import sys
from collections.abc import Callable
from pathlib import Path

from bookblend.books.sample.bind import bind_epub
from bookblend.books.sample.source import SampleBook, read_source
from bookblend.books.sample.truth import truth
from bookblend.books.sample.typeset import set_pdf
from bookblend.errors import BookblendError
from bookblend.files import Outputs, sha256_file
from bookblend.jsonio import dump_pretty

HERE = Path(__file__).parent


def truth_json(book: SampleBook) -> bytes:
    """The truth as the bytes of its file."""
    return dump_pretty(truth(book)).encode("utf-8")


FILES: dict[str, Callable[[SampleBook], bytes]] = {
    "sample.truth.json": truth_json,
    "sample.epub": bind_epub,
    "sample.pdf": set_pdf,
}


def make(folder: Path = HERE) -> list[Path]:
    """Write all files into `folder`, whole or not at all, and return their paths."""
    book = read_source()
    made = {folder / name: build(book) for name, build in FILES.items()}
    with Outputs() as outputs:
        for target, content in made.items():
            outputs.open(target).write(content)
    return list(made)


def main() -> int:
    """The command; returns its exit status."""
    if len(sys.argv) > 2 or sys.argv[1:2] in (["-h"], ["--help"]):
        print(__doc__)
        return 2
    try:
        for path in make(Path(sys.argv[1]) if len(sys.argv) == 2 else HERE):
            print(f"{sha256_file(path)}  {path.name}")
    except BookblendError as error:
        print(f"make: {error}", file=sys.stderr)
        return int(error.code)
    return 0


if __name__ == "__main__":
    sys.exit(main())
