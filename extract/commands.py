"""`bookblend extract`: a PDF or EPUB into structured markdown, its sidecar and its ledger."""

from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path

from bookblend import ledger, sidecar
from bookblend.command import Command
from bookblend.errors import InputError
from bookblend.extract import render
from bookblend.extract.model import Book, ExtractOptions
from bookblend.files import Outputs, check_source, check_target, refuse_same_file
from bookblend.parallel import add_workers, read_workers
from bookblend.talk import counted, warn


def add_notes(parser: ArgumentParser) -> None:
    """`--notes`, as every command that reads a book or another tool's markdown has it."""
    parser.add_argument(
        "--notes",
        choices=("drop", "end", "inline"),
        default="drop",
        help="foot- and endnotes: drop them (default), gather them after their chapter, or keep them in place",
    )


def add_options(parser: ArgumentParser, *, pdf: bool = True) -> None:
    """What may be asked of an extractor; with `pdf`, what only PDFs know as well."""
    add_notes(parser)
    parser.add_argument(
        "--keep-furniture",
        action="store_true",
        help="keep what the file declares to be title pages, imprint, navigation",
    )
    if pdf:
        parser.add_argument("--accept-ocr", action="store_true", help="read a PDF that is an OCR layer over scans")
        parser.add_argument("--password", metavar="WORD", help="password of an encrypted PDF")


def read_options(arguments: Namespace) -> ExtractOptions:
    """The options that `add_options` parsed."""
    return ExtractOptions(
        notes=arguments.notes,
        keep_furniture=arguments.keep_furniture,
        accept_ocr=getattr(arguments, "accept_ocr", False),
        password=getattr(arguments, "password", None),
    )


def _configure(parser: ArgumentParser, kind: str) -> None:
    parser.add_argument("input", metavar=f"IN.{kind}", type=Path)
    parser.add_argument("output", metavar="OUT.md", type=Path, nargs="?", help="default: beside the input")
    add_options(parser, pdf=kind == "pdf")
    if kind == "pdf":
        add_workers(parser)


def _run_pdf(arguments: Namespace) -> int:
    from bookblend.extract.pdf import extract_pdf

    workers = read_workers(arguments.workers)
    return _extract(arguments, "pdf", lambda path, options: extract_pdf(path, options, workers))


def _run_epub(arguments: Namespace) -> int:
    from bookblend.extract.epub import extract_epub

    return _extract(arguments, "epub", extract_epub)


def _extract(arguments: Namespace, kind: str, extractor: Callable[[Path, ExtractOptions], Book]) -> int:
    source = arguments.input
    check_source(source)
    _refuse_other(source, kind)
    target = arguments.output or sidecar.beside(source, ".md")
    side_path, log_path = sidecar.beside(target, ".book.json"), sidecar.beside(target, ".dropped.jsonl")
    for path in (target, side_path, log_path):
        refuse_same_file(source, path)
        check_target(path)
    options = read_options(arguments)
    book = extractor(source, options)
    manuscript, dropped = render.manuscript(book), render.dropped(book)
    text, log = manuscript.markdown(), ledger.render(dropped)
    provenance = render.provenance(book, source, options, manuscript, {target.name: text, log_path.name: log})
    with Outputs() as outputs:
        outputs.write(target, text)
        outputs.write(side_path, sidecar.render(provenance))
        outputs.write(log_path, log)
    for warning in book.warnings:
        warn(warning)
    headings = sum(1 for block in manuscript.blocks if block.level)
    blocks = f"{counted(len(manuscript.blocks), 'block')}, {counted(headings, 'heading')} among them"
    print(f"{target}: {blocks}; {counted(len(dropped), 'piece')} dropped")
    return 0


def _refuse_other(source: Path, kind: str) -> None:
    """Say what a file is that the other extractor is for. Raises `InputError`."""
    with source.open("rb") as stream:
        head = stream.read(len(b"%PDF-"))
    found = "pdf" if head == b"%PDF-" else "epub" if head.startswith(b"PK\x03\x04") else kind
    if found != kind:
        what = {"pdf": "a PDF", "epub": "an EPUB (a zip archive)"}[found]
        raise InputError(f"{source}: is {what}; read it with `bookblend extract {found}`")


COMMANDS = (
    Command(
        name="pdf",
        summary="a born-digital PDF into markdown, by its geometry and declared structure",
        example="bookblend extract pdf Book.pdf Book.md",
        configure=lambda parser: _configure(parser, "pdf"),
        run=_run_pdf,
    ),
    Command(
        name="epub",
        summary="an EPUB into markdown, by its declared structure",
        example="bookblend extract epub Book.epub Book.md",
        configure=lambda parser: _configure(parser, "epub"),
        run=_run_epub,
    ),
)
