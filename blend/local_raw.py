"""Local origins that are no tables yet: a folder of Gutenberg texts and a book recipe, made into raw rows."""

from dataclasses import replace
from typing import Any

from bookblend import licences, sidecar
from bookblend.blend.catalogue import Entry, Selection, find_texts, passed_over, read_catalogue, select
from bookblend.blend.gutenberg_books import Options
from bookblend.blend.gutenberg_command import NAMES, tell_of_others
from bookblend.blend.gutenberg_run import Job, is_current, run
from bookblend.blend.inputs import book_sidecars
from bookblend.blend.model import BookRecipe, GutenbergFolder, Licence, Registry, Source
from bookblend.blend.workspace import RAW_ROWS, Workspace
from bookblend.errors import InputError
from bookblend.files import Outputs, sha256_text
from bookblend.jsonio import dump_line


def is_local_raw(source: Source) -> bool:
    """Whether a source's raw rows are made from local files."""
    return isinstance(source.origin, GutenbergFolder | BookRecipe)


def make_raw(registry: Registry, workspace: Workspace, source: Source, workers: int, again: bool) -> dict[str, Any]:
    """Make a local source's raw rows where they are not up to date; returns the report. Raises `InputError`."""
    workspace.make(workspace.raw(source.name))
    if isinstance(source.origin, GutenbergFolder):
        return _gutenberg(registry, workspace, source, source.origin, workers, again)
    if isinstance(source.origin, BookRecipe):
        return _book(registry, workspace, source, source.origin, workers, again)
    raise AssertionError(source.origin)


def _gutenberg(
    registry: Registry, workspace: Workspace, source: Source, origin: GutenbergFolder, workers: int, again: bool
) -> dict[str, Any]:
    folder = registry.local(origin.folder)
    if not folder.is_dir():
        raise InputError(f"{registry.file}: source '{source.name}': {folder}: no such folder")
    texts = find_texts(folder)
    wanted = source.select
    if origin.catalogue:
        entries = read_catalogue(registry.local(origin.catalogue))
    else:
        entries = [Entry(number) for number in texts]
    selection = Selection(wanted.only_languages, wanted.authors, wanted.bookshelves, any_languages=wanted.languages)
    books, missing = select(entries, texts, selection)
    if not books:
        where = f"{registry.file}: source '{source.name}'"
        raise InputError(f"{where}: {folder} holds no Gutenberg text that is selected; {NAMES}")
    options = Options(eos=registry.eos, recipe=registry.rules == "recipe")
    out = workspace.raw(source.name) / RAW_ROWS
    job = Job(folder, tuple(books), out, options, origin.once, missing, workers, passed_over(folder))
    report = None if again else is_current(job)
    report = report if report is not None else run(job)
    tell_of_others(report, f"source '{source.name}': ")
    return report


def _book(
    registry: Registry, workspace: Workspace, source: Source, origin: BookRecipe, workers: int, again: bool
) -> dict[str, Any]:
    """The records of a book's recipe as rows; the book's own provenance and ledger stand beside them."""
    from bookblend.books.pipeline import from_recipe, onboard
    from bookblend.books.recipe import find_source, read_recipe

    path = registry.local(origin.recipe)
    recipe = read_recipe(path)
    file = find_source(recipe, path.parent, registry.local(origin.source) if origin.source else None)
    folder = workspace.raw(source.name)
    inputs = {path.name: workspace.sha256(path), file.name: workspace.sha256(file)}
    report = None if again else workspace.current(folder, {}, inputs)
    if report is not None:
        return report
    products = onboard(file, recipe.name, from_recipe(recipe), workers)
    records = products.built.records
    rows = [{"id": record.id, "text": record.text, "group": recipe.group} for record in records]
    written = {
        RAW_ROWS: "".join(dump_line(row) for row in rows),
        f"{recipe.name}.book.json": products.texts[".book.json"],
        f"{recipe.name}.dropped.jsonl": products.texts[".dropped.jsonl"],
    }
    report = {"rows": len(rows), "warnings": list(products.warnings)}
    with Outputs() as outputs:
        for name, text in written.items():
            outputs.write(folder / name, text)
        made = {name: sha256_text(text) for name, text in written.items()}
        workspace.sign(outputs, folder, settings={}, inputs=inputs, made=made, report=report)
    return report


def with_book_licences(registry: Registry) -> Registry:
    """The registry with the licences that book recipes and books' sidecars declare, where it declares none itself.

    Raises `InputError` with the key's path where a source still has none.
    """
    sources = [
        source if source.licence.spdx else replace(source, licence=_declared(registry, number, source))
        for number, source in enumerate(registry.sources)
    ]
    return replace(registry, sources=tuple(sources))


def _declared(registry: Registry, number: int, source: Source) -> Licence:
    from bookblend.books.recipe import read_recipe

    names: dict[str, None] = {}
    if isinstance(source.origin, BookRecipe):
        names[read_recipe(registry.local(source.origin.recipe)).licence] = None
    else:
        for file, beside in book_sidecars(registry, source):
            known = sidecar.read(beside)
            licence = str(known.book.get("licence") or "") if known else ""
            if not licence:
                where = f"{registry.file}: sources[{number}].licence"
                raise InputError(f"{where}: is missing, and {file} has no {beside.name} that names one")
            names[licence] = None
    spdx = " AND ".join(name if len(names) == 1 or " " not in name else f"({name})" for name in sorted(names))
    return Licence(spdx=spdx, share_alike=licences.asks_share_alike(spdx), note="as the books' own provenance says")


def book_provenance(registry: Registry, workspace: Workspace, source: Source) -> list[dict[str, Any]]:
    """What is known of the books that a source's files are the records of: one entry a book."""
    if isinstance(source.origin, BookRecipe):
        paths = sorted(workspace.raw(source.name).glob("*.book.json"))
    else:
        paths = [beside for _, beside in book_sidecars(registry, source)]
    books = [known for known in map(sidecar.read, paths) if known]
    return [{"book": dict(known.book), "source": dict(known.source)} for known in books]
