"""A PDF into a `Book`, by the geometry of its text and by what it declares about itself.

The steps, each a module of its own: open and refuse what cannot be read (`pdf_open`), pages into lines (`pdf_lines`),
the book's usual measures (`pdf_stats`), furniture off the pages (`pdf_furniture`), reading order (`pdf_layout`), notes
(`pdf_notes`), headings (`pdf_headings`, `pdf_outline`), paragraphs (`pdf_paragraphs`), blocks (`pdf_blocks`).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

from bookblend.clean.hyphens import Lexicon
from bookblend.extract.model import Block, Book, Dropped, ExtractOptions, Place
from bookblend.extract.pdf_artifacts import strip_artifacts
from bookblend.extract.pdf_blanks import (
    close_tracked,
    is_tracked,
    lacking_blanks,
    loses_blanks,
    read_flat,
    read_twice,
    restore_blanks,
    restore_by_words,
)
from bookblend.extract.pdf_blocks import build_blocks, gather_notes
from bookblend.extract.pdf_contents import mark_contents
from bookblend.extract.pdf_furniture import Stray, strip_furniture
from bookblend.extract.pdf_glyphs import is_suspicious, mend_fonts, settle_private, settle_soft_hyphens
from bookblend.extract.pdf_headings import Run, find_runs, find_series, grade, has_chapters
from bookblend.extract.pdf_hyphens import hyphen_joiner
from bookblend.extract.pdf_kerns import close_kerned
from bookblend.extract.pdf_layout import common_gutter, order_page
from bookblend.extract.pdf_lines import Line, Page, read_page
from bookblend.extract.pdf_notes import NoteReader, write_inline
from bookblend.extract.pdf_open import Source, open_pdf
from bookblend.extract.pdf_outline import follow_outline
from bookblend.extract.pdf_paragraphs import join_lines
from bookblend.extract.pdf_scripts import mend_scripts
from bookblend.extract.pdf_sheets import cut_sheets, find_sheets
from bookblend.extract.pdf_signals import check_text, is_ocr_layer
from bookblend.extract.pdf_stats import Style, measure
from bookblend.parallel import map_pieces
from bookblend.progress import track

# Pages that are worth a process of their own: starting one and fetching its lines costs as much as reading ten.
_PAGES_A_WORKER = 40


def extract_pdf(path: Path, options: ExtractOptions, workers: int = 1) -> Book:
    """Read the PDF at `path`, its pages by up to `workers` processes; how many makes no difference to the result.

    Raises `InputError` for a file that is no PDF, is empty, cut off or locked, has no text, or is an OCR layer over
    scans (unless `options.accept_ocr`).
    """
    with open_pdf(path, options) as source:
        pages = _read_pages(path, source, options, workers)
        if options.accept_ocr and is_ocr_layer(pages):
            pages = _read_pages(path, source, options, workers, hidden=True)
        sheets = find_sheets(pages)
        if sheets:
            cut_sheets(source, sheets)
            pages = list(_read(source, range(source.count), path.name, pages[0].keep_hidden))
        if is_suspicious(pages) and mend_fonts(source.document, any(page.garbled for page in pages)):
            source.reopen()
            pages = list(_read(source, range(source.count), path.name))
            is_suspicious(pages)
            source.warnings.append(f"{path.name}: glyphs were mapped wrongly; read by the names in the embedded fonts")
        return assemble(pages, source, options)


@dataclass(frozen=True, slots=True)
class _Range:
    """Pages of a PDF (counting from 0) to be read by one process."""

    path: Path
    options: ExtractOptions
    pages: range
    hidden: bool

    def __str__(self) -> str:
        return f"{self.path.name}, pages {self.pages.start + 1}-{self.pages.stop}"


def _read_pages(path: Path, source: Source, options: ExtractOptions, workers: int, hidden: bool = False) -> list[Page]:
    count = source.count
    workers = min(workers, count // _PAGES_A_WORKER)
    if workers <= 1:
        return list(_read(source, range(count), path.name, hidden))
    cuts = [count * n // workers for n in range(workers + 1)]
    ranges = [_Range(path, options, range(first, last), hidden) for first, last in pairwise(cuts)]
    return [page for outcome in map_pieces(_read_range, ranges, workers) for page in outcome.result()]


def _read_range(task: _Range) -> list[Page]:
    with open_pdf(task.path, task.options) as source:
        return list(_read(source, task.pages, task.path.name, task.hidden))


def _read(source: Source, numbers: range, name: str, hidden: bool = False) -> Iterator[Page]:
    respaced = 0
    for number, page in track(source.pages(numbers), len(numbers), name):
        blocks, flat = read_twice(page) if loses_blanks(respaced) else (None, None)
        result = read_page(page, number, hidden, blocks)
        mend_scripts(page, result)
        poor = lacking_blanks(result.lines)
        if poor and flat is None:
            flat = read_flat(page)
        result.flat = flat
        result.respaced = restore_blanks(poor, flat or "")
        respaced += result.respaced
        close_tracked(page, [line for line in result.lines if is_tracked(line.text)])
        yield result


def assemble(pages: list[Page], source: Source, options: ExtractOptions) -> Book:
    """Turn pages of lines into a book; the pages are used up."""
    style = measure(pages)
    settle_private(pages)
    warnings = [*source.warnings, *check_text(pages, source, options)]
    strays = strip_furniture(pages, style)
    strays += strip_artifacts(pages, source, strays, style)
    hidden = [Stray("hidden text", page.number, text) for page in pages for text in page.hidden if text.strip()]
    restore_by_words(pages, source)
    lexicon = _words(pages, source)
    if settle_soft_hyphens(pages, source.document, lexicon) | close_kerned(pages, source, lexicon):
        lexicon = _words(pages, source)
    joiner = hyphen_joiner(pages, lexicon)
    reader = NoteReader(style)
    gutter = common_gutter(pages, style.body)
    ordered = [reader.take(order_page(page, style.body, lexicon.knows, gutter)) for page in pages]
    ordered = reader.finish(ordered)
    notes = [Stray("footnote", note.page, join_lines(note.lines, joiner)) for note in reader.notes]
    marks = sum(len(line.marks) for lines in ordered for line in lines)
    if options.notes == "inline":
        notes = write_inline(reader.notes, notes, ordered)
    mark_contents(ordered, style)
    runs, named = _headings(ordered, style, source)
    blocks = build_blocks(ordered, runs, style, joiner, source.title)
    if options.notes == "end":
        blocks, notes = gather_notes(blocks, reader.notes, notes), []
    return Book(
        format="pdf",
        blocks=tuple(_placed(blocks, source)),
        dropped=_ledger([*strays, *hidden, *notes], source),
        warnings=tuple(warnings),
        title=source.title,
        author=source.author,
        language=source.language,
        evidence={
            "pages": len(set(source.papers)) or source.count,
            "sheets of two pages": source.count - len(set(source.papers)) if source.papers else 0,
            "body size": style.body,
            "leading": style.leading,
            "indent": style.indent,
            "justified": style.justified,
            "chapters named by": named or "nothing",
            "note marks": marks,
            "notes": len(reader.notes),
            "hidden pieces": len(hidden),
        },
    )


def _words(pages: list[Page], source: Source) -> Lexicon:
    lexicon = Lexicon(source.language)
    for page in pages:
        lexicon.add("\n".join(line.text for line in page.lines))
    return lexicon


def _headings(pages: list[list[Line]], style: Style, source: Source) -> tuple[list[Run], str]:
    """The headings of the ordered pages, graded, and what named the chapters: the outline where it agrees, else type
    and place, else what the book has in a series."""
    runs = find_runs(pages, style)
    named = grade(runs, style)
    runs, outlined = follow_outline(runs, source.outline)
    if outlined or has_chapters(runs):
        return runs, outlined or named
    series = find_series(pages, style)
    if not series:
        return runs, named
    taken = {id(line) for run in series for line in run.lines}
    runs = [run for run in runs if not any(id(line) in taken for line in run.lines)] + series
    runs.sort(key=lambda run: run.page)
    return runs, "lines set apart in a series"


def _placed(blocks: list[Block], source: Source) -> list[Block]:
    """The blocks with the places they have in the file."""
    if not source.papers:
        return blocks
    return [
        replace(block, place=Place(source.paper(block.place.page), source.paper(block.place.end_page)))
        for block in blocks
    ]


def _ledger(strays: list[Stray], source: Source) -> tuple[Dropped, ...]:
    strays.sort(key=lambda stray: stray.page)
    return tuple(Dropped(stray.rule, f"page {source.paper(stray.page)}", stray.text) for stray in strays)
