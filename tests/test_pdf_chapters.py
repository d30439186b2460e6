"""Which headings open chapters: by type and place, by labels that count, and by an outline that agrees."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from pdf_fixtures import Lines, Page, Para, flow, heading
from pdf_reading import chapters, headings, leaves, paragraphs, prose, read, text, titles, words

NAMES = ["The Weir", "Low Water", "A Cold Spring", "Harvest"]


def manual(chapter_names: Sequence[str], section_names: Sequence[str]) -> list[Page]:
    """Chapters that open pages, sections in smaller bold type in them, some of which happen to open a page."""
    blocks: list[Para | Lines | None] = []
    for n, name in enumerate(chapter_names):
        if n:
            blocks.append(None)
        blocks.append(heading(name, size=20))
        for m, section in enumerate(section_names):
            if m == 1:
                blocks.append(None)  # this one opens a page
            body = paragraphs(3, seed=10 * n + m)
            blocks += [
                Lines([f"{n + 1}.{m + 1} {section} {name.split()[-1].lower()}"], size=13, face="bold", before=16),
                Para(body[0].text, before=6),
                *body[1:],
            ]
    return [Page(page) for page in flow(blocks)]


# --- by type and place -----------------------------------------------------------------------------------------------


def test_sections_that_happen_to_open_pages_are_no_chapters(tmp_path: Path) -> None:
    book = read(tmp_path, manual(NAMES, ["Filling the", "Holding the", "Draining the", "Mending the"]))

    assert titles(book) == NAMES
    assert len(headings(book)) == 4 + 16


def test_a_part_page_and_its_chapters_are_all_of_the_chapter_tier(tmp_path: Path) -> None:
    pages: list[Page] = []
    for n, part in enumerate(["PART ONE", "PART TWO"]):
        pages += [Page([heading(part, 26)], top=170), Page()]
        pages += chapters([f"{name} {n + 1}" for name in NAMES[:2]])

    assert titles(read(tmp_path, pages)) == [
        "PART ONE",
        "The Weir 1",
        "Low Water 1",
        "PART TWO",
        "The Weir 2",
        "Low Water 2",
    ]


def test_a_lone_chapter_style_that_opens_its_page_as_the_others_do_is_a_chapter(tmp_path: Path) -> None:
    """An epilogue set unlike the numbered chapters, but as far down its page as they are."""
    last = Page([heading("Epilogue", 15, face="italic"), Para(prose(60, 70), before=14)])

    assert titles(read(tmp_path, [*chapters(NAMES), last])) == [*NAMES, "Epilogue"]


def test_run_on_chapters_without_labels_are_those_in_the_largest_type(tmp_path: Path) -> None:
    blocks: list[Para | Lines | None] = paragraphs(1, seed=40)
    for n, name in enumerate(NAMES):
        body = paragraphs(5, seed=n)
        blocks += [Lines([name], size=16, centred=True, before=20), Para(body[0].text, before=12), *body[1:]]

    book = read(tmp_path, [Page(page) for page in flow(blocks)])

    assert titles(book) == NAMES
    assert book.evidence["chapters named by"] == "largest type"


def test_nothing_is_a_chapter_where_nothing_says_so(tmp_path: Path) -> None:
    book = read(tmp_path, leaves(3)[0])

    assert not headings(book)
    assert book.evidence["chapters named by"] == "nothing"


def test_the_only_kind_of_heading_of_a_reflowed_book_heads_chapters(tmp_path: Path) -> None:
    """Everything in one size and run on: bold lines are all the headings there are."""
    blocks: list[Para | Lines | None] = paragraphs(1, seed=40)
    for n, name in enumerate(NAMES):
        body = paragraphs(5, seed=n)
        blocks += [Lines([name], face="bold", before=13), Para(body[0].text, before=13), *body[1:]]

    assert headings(read(tmp_path, [Page(page) for page in flow(blocks)])) == [(1, name) for name in NAMES]


def test_a_chapter_of_one_page_is_a_chapter(tmp_path: Path) -> None:
    short = Page([heading("An Interval", 18), Para("Nothing happened for a year.", before=14)])
    pages = [*chapters(NAMES[:2]), short, *chapters(NAMES[2:])]

    assert titles(read(tmp_path, pages)) == [*NAMES[:2], "An Interval", *NAMES[2:]]


# --- by an outline ---------------------------------------------------------------------------------------------------


def run_on(size: float, section: str = "{} and after") -> list[Page]:
    """Chapters in mid-page, in type that sections share."""
    blocks: list[Para | Lines | None] = paragraphs(1, seed=40)
    for n, name in enumerate(NAMES):
        body = paragraphs(5, seed=n)
        blocks += [Lines([name], size=size, before=20), body[0], body[1]]
        blocks += [Lines([section.format(name)], size=size, before=20), *body[2:]]
    return [Page(page) for page in flow(blocks)]


def page_of(pages: Sequence[Page], title: str) -> int:
    """Number of the page that shows a title."""
    return next(
        number
        for number, page in enumerate(pages, 1)
        if any(isinstance(block, Lines) and title in block.lines for block in page.blocks)
    )


def outline_of(pages: Sequence[Page], names: Sequence[str], shift: int = 0) -> list[tuple[int, str, int]]:
    return [(1, name, min(page_of(pages, name) + shift, len(pages))) for name in names]


def test_an_outline_that_agrees_names_the_chapters_that_type_does_not(tmp_path: Path) -> None:
    pages = run_on(13)

    book = read(tmp_path, pages, toc=outline_of(pages, NAMES))

    assert titles(book) == NAMES
    assert len(headings(book)) == 8
    assert book.evidence["chapters named by"] == "outline"
    assert "in the outline" in next(block.evidence for block in book.blocks if block.level == 1)


def test_destinations_a_page_off_are_followed(tmp_path: Path) -> None:
    pages = run_on(13)

    assert titles(read(tmp_path, pages, toc=outline_of(pages, NAMES, shift=1))) == NAMES


def test_a_title_a_page_off_is_preferred_to_a_longer_heading_that_ends_in_it(tmp_path: Path) -> None:
    pages = run_on(13, section="Of {}")

    assert titles(read(tmp_path, pages, toc=outline_of(pages, NAMES, shift=1))) == NAMES


@pytest.mark.parametrize("spelling", [str.upper, str.lower, lambda name: f" {name.replace(' ', '  ')}."])
def test_an_outline_may_spell_titles_otherwise(tmp_path: Path, spelling) -> None:  # type: ignore[no-untyped-def]
    pages = run_on(13)
    toc = [(level, spelling(name), page) for level, name, page in outline_of(pages, NAMES)]

    assert titles(read(tmp_path, pages, toc=toc)) == NAMES


def test_an_outline_that_lies_is_ignored(tmp_path: Path) -> None:
    """Entries for the cover, for sections, for titles that stand nowhere: the pages say which the chapters are."""
    pages = chapters(NAMES)
    toc = [(1, "Cover", 1), (1, "Contents", 1), (1, NAMES[0], 1), (1, "A Lost Chapter", 4), (1, NAMES[3], 7)]

    book = read(tmp_path, pages, toc=toc)

    assert titles(book) == NAMES
    assert book.evidence["chapters named by"] == "type and place"


def test_an_outline_that_misses_a_chapter_takes_none_away(tmp_path: Path) -> None:
    pages = chapters(NAMES)

    assert titles(read(tmp_path, pages, toc=outline_of(pages, [*NAMES[:2], NAMES[3]]))) == NAMES


def test_sections_of_an_outline_are_no_chapters(tmp_path: Path) -> None:
    pages = manual(NAMES, ["Filling the", "Holding the", "Draining the"])
    toc: list[tuple[int, str, int]] = []
    for n, name in enumerate(NAMES):
        toc.append((1, name, page_of(pages, name)))
        for m, section in enumerate(["Filling the", "Holding the", "Draining the"]):
            written = f"{n + 1}.{m + 1} {section} {name.split()[-1].lower()}"
            toc.append((2, written, page_of(pages, written)))

    assert titles(read(tmp_path, pages, toc=toc)) == NAMES


def test_chapters_under_parts_of_an_outline_are_chapters(tmp_path: Path) -> None:
    pages: list[Page] = []
    toc: list[tuple[int, str, int]] = []
    for n, part in enumerate(["The First Part", "The Second Part"]):
        toc.append((1, part, len(pages) + 1))
        pages.append(Page([heading(part, 26)], top=170))
        for name in NAMES[2 * n : 2 * n + 2]:
            toc.append((2, name, len(pages) + 1))
            pages += chapters([name])

    assert titles(read(tmp_path, pages, toc=toc)) == ["The First Part", *NAMES[:2], "The Second Part", *NAMES[2:]]


def test_an_outline_loses_and_doubles_no_text(tmp_path: Path) -> None:
    pages = run_on(13)

    with_outline, without = read(tmp_path, pages, toc=outline_of(pages, NAMES)), read(tmp_path, pages)

    assert words(text(with_outline)) == words(text(without))
