"""The four stages joined: a book file in, all its products out, in memory; `write` puts them under their names."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from bookblend import ledger, sidecar
from bookblend.books.recipe import Recipe, Replacement
from bookblend.books.sniff import misnamed, sniff
from bookblend.build import builder
from bookblend.build.builder import BuildOptions, Built
from bookblend.errors import InputError, UsageError
from bookblend.extract import render
from bookblend.extract.model import Book, ExtractOptions
from bookblend.files import Outputs, check_target, refuse_same_file
from bookblend.ledger import Entry
from bookblend.manuscript import Manuscript
from bookblend.sidecar import Provenance

# The products beside `<Book>.jsonl`, by suffix.
SUFFIXES = (".md", ".txt", ".jsonl", ".book.json", ".dropped.jsonl")


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """Everything a user can say about one book.

    clean         run the repairs
    keep_junk     leave out the junk-line pass of them
    replacements  exact replacements on top of them
    book          title, author, licence, group: what the user says of the book, over what the file says
    """

    extract: ExtractOptions = field(default_factory=ExtractOptions)
    clean: bool = True
    keep_junk: bool = False
    replacements: tuple[Replacement, ...] = ()
    build: BuildOptions = field(default_factory=BuildOptions)
    book: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Products:
    """All that one book becomes: texts by suffix (see `SUFFIXES`), and what the table and the warnings need."""

    texts: Mapping[str, str]
    built: Built
    dropped: tuple[Entry, ...]
    warnings: tuple[str, ...]


def from_recipe(recipe: Recipe) -> Options:
    """The options that a recipe settled."""
    return Options(
        extract=ExtractOptions(notes=recipe.notes, keep_furniture=recipe.keep_furniture, accept_ocr=recipe.accept_ocr),
        clean=recipe.clean,
        keep_junk=recipe.keep_junk,
        replacements=recipe.replacements,
        build=BuildOptions(
            start=recipe.start, end=recipe.end, pattern=recipe.pattern, expect=recipe.expect, fields=recipe.fields
        ),
        book=recipe.book(),
    )


def onboard(source: Path, name: str, options: Options, workers: int = 1) -> Products:
    """Extract, clean and build the book file `source` as the book `name`. Writes nothing.

    Up to `workers` processes read its pages; the products do not depend on how many.

    Raises `InputError` (unreadable, wrong kind, without text), `ExpectationError` (anchors, pattern, records,
    replacements), `UsageError` (bad pattern) and `VerificationError` (an invariant of ours is broken).
    """
    manuscript, known, entries = read_book(source, options.extract, workers)
    if options.clean:
        manuscript, known, more = _clean(manuscript, known, options)
        entries = [*entries, *more]
    elif options.replacements:
        raise UsageError("replacements are part of cleaning; do not switch it off")
    if not manuscript.blocks:
        raise InputError(_nothing_left(source, entries, known.warnings))
    built = builder.build(manuscript, name, options.build)
    entries = [*entries, *built.dropped]
    texts = {
        ".md": manuscript.markdown(),
        ".txt": built.text,
        ".jsonl": built.lines,
        ".dropped.jsonl": ledger.render(entries),
    }
    known = replace(known, book={**known.book, **options.book})
    made = {name + suffix: text for suffix, text in texts.items()}
    provenance = builder.provenance(known, options.build, built, entries, made)
    texts[".book.json"] = sidecar.render(provenance)
    return Products(texts, built, tuple(entries), provenance.warnings)


def read_book(source: Path, options: ExtractOptions, workers: int = 1) -> tuple[Manuscript, Provenance, list[Entry]]:
    """The book file as blocks and marks, with the provenance and ledger so far. Its bytes say what it is.

    Raises `InputError` for a file that is none of PDF, EPUB and markdown, or has no text.
    """
    kind = sniff(source)
    if kind == "markdown":
        from bookblend.extract.markdown import open_markdown

        manuscript, known, entries = open_markdown(source, options.notes)
    else:
        book = _extract(source, kind, options, workers)
        manuscript, entries = render.manuscript(book), render.dropped(book)
        known = render.provenance(book, source, options, manuscript, {})
    if not manuscript.blocks:
        raise InputError(f"{source}: no text in it")
    warning = misnamed(source, kind)
    return manuscript, replace(known, warnings=(*known.warnings, warning) if warning else known.warnings), entries


def write(products: Products, target: Path) -> None:
    """Put all products under their names beside `target` (`<Book>.jsonl`), together or not at all."""
    with Outputs() as outputs:
        for suffix, text in products.texts.items():
            outputs.write(sidecar.beside(target, suffix), text)


def check_paths(source: Path, target: Path) -> None:
    """Refuse, before any work, an output that is no `.jsonl`, cannot be written or would replace the input."""
    if target.suffix != ".jsonl":
        raise UsageError(f"{target}: the output's name must end in .jsonl; the other products are named after it")
    for suffix in SUFFIXES:
        path = sidecar.beside(target, suffix)
        refuse_same_file(source, path)
        check_target(path)


def _nothing_left(source: Path, dropped: Sequence[Entry], warnings: Sequence[str]) -> str:
    """Why a file that has text gives none: what the repairs took it for, and what the extractor had to say."""
    rules = ", ".join(f"{rule} ({n})" for rule, n in ledger.tally(dropped).get("clean", {}).items())
    said = f"; {'; '.join(warnings)}" if warnings else ""
    return f"{source}: no text left in it; its lines were all dropped as {rules}{said}"


def _extract(source: Path, kind: str, options: ExtractOptions, workers: int) -> Book:
    """Run the extractor for `kind`. The imports stand here because the libraries under them take long to load."""
    if kind == "pdf":
        from bookblend.extract.pdf import extract_pdf

        return extract_pdf(source, options, workers)
    from bookblend.extract.epub import extract_epub

    return extract_epub(source, options)


def _clean(manuscript: Manuscript, known: Provenance, chosen: Options) -> tuple[Manuscript, Provenance, list[Entry]]:
    """The clean stage, as `bookblend clean ocr` runs it with its defaults. Imported here: it loads word lists."""
    from bookblend.clean.repair import RepairOptions
    from bookblend.clean.repair import Replacement as Wanted
    from bookblend.clean.stage import clean_manuscript, numbers_for

    options = RepairOptions(
        replacements=tuple(Wanted(text=r.text, by=r.by, count=r.count) for r in chosen.replacements),
        numbers=numbers_for(known),
        language=known.book.get("language", ""),
        junk=not chosen.keep_junk,
    )
    return clean_manuscript(manuscript, known, options)
