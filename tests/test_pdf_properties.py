"""What holds for any book: no word is lost between the pages, the text and the ledger, and reading is repeatable."""

import os
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from pdf_fixtures import ROWS, At, Lines, Page, Para, flow, make_pdf
from pdf_reading import paragraphs, prose, read_bytes, text

from bookblend.extract.model import Book
from bookblend.extract.pdf_blocks import close_up
from bookblend.extract.pdf_paragraphs import append_text

# Words that look like something else now and then: numerals, initials, signs.
PLAIN = sorted({word.strip(".") for word in prose(400).split()})
ODD = """I|A|1842|12,|3.5|X|IV|–|&|“So,”|(and|then)|Dr.|café|half-past|O’er|%|1.|2)|a)|*|†|7|[1]|CHAPTER|PART|Contents
|-|xii|page|©|1914-1918|S.M.L.""".replace("\n", "").split("|")
WORD = st.sampled_from(PLAIN) | st.sampled_from(ODD)
SYLLABLES = [consonant + vowel for consonant in "bdfglmnprst" for vowel in "aeiou"]
# A PDF an example: few examples, always the same, and no minutes of shrinking where one fails.
LIMITS = settings(
    max_examples=12,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@st.composite
def sentences(draw: st.DrawFn, least: int = 12, most: int = 90, words: st.SearchStrategy[str] = WORD) -> str:
    """Words in any order, a plain one first and a stop behind the last."""
    first, last = draw(st.sampled_from(PLAIN)), draw(st.sampled_from(PLAIN))
    return " ".join([first, *draw(st.lists(words, min_size=least, max_size=most)), f"{last}."])


Block = Para | Lines
GAPS = st.sampled_from([0.0, 0.0, 8.0])
PROSE = st.builds(Para, sentences(), justify=st.booleans(), before=GAPS)
TITLES = st.builds(
    lambda words, size, before, face: Lines([" ".join(words)], size=size, face=face, centred=True, before=before),
    st.lists(st.sampled_from(PLAIN), min_size=1, max_size=3),
    st.sampled_from([10.0, 12.0, 14.0, 20.0]),
    st.sampled_from([14.0, 30.0]),
    st.sampled_from(["roman", "bold", "italic"]),
)
SMALL = st.builds(Para, sentences(), size=st.just(8.0), inset=st.sampled_from([0.0, 15.0]), before=st.just(8.0))
LISTS = st.builds(Para, sentences(4, 30), indent=st.just(14.0), hang=st.just(True), before=GAPS)
VERSE = st.builds(
    lambda lines, face, size: Lines([" ".join(line) for line in lines], inset=30, before=10, face=face, size=size),
    st.lists(st.lists(WORD, min_size=1, max_size=4), min_size=1, max_size=6),
    st.sampled_from(["roman", "italic", "mono"]),
    st.sampled_from([7.0, 8.0]),
)
ANY = st.lists(PROSE | TITLES | SMALL | LISTS | VERSE, min_size=3, max_size=12)


def distinct(blocks: list[Block], count: int = 0) -> list[Block]:
    """The blocks with every fifth word followed by a word that stands nowhere else: pages that repeat a line as they
    open are rare in books and common here."""

    def serial() -> str:
        nonlocal count
        count += 1
        base = len(SYLLABLES)
        return SYLLABLES[count // base**2 % base] + SYLLABLES[count // base % base] + SYLLABLES[count % base]

    def mixed(text: str) -> str:
        words = text.split()
        return " ".join(f"{serial()} {word}" if n % 5 == 0 else word for n, word in enumerate(words))

    return [
        replace(block, text=mixed(block.text))
        if isinstance(block, Para)
        else replace(block, lines=[mixed(line) for line in block.lines])
        for block in blocks
    ]


def read(data: bytes, **options: object) -> Book:
    with TemporaryDirectory() as folder:
        return read_bytes(Path(folder), data, **options)


def put(blocks: list[Block]) -> list[str]:
    """The words that were put on pages, in order."""
    return [
        word for block in blocks for word in (block.text if isinstance(block, Para) else " ".join(block.lines)).split()
    ]


def found(book: Book) -> Counter[str]:
    """All words that came out, in the text or in the ledger."""
    parts = [block.text for block in book.blocks] + [entry.text for entry in book.dropped]
    return Counter(word for part in parts for word in part.split())


@LIMITS
@given(st.lists(PROSE, min_size=2, max_size=9).map(distinct))
def test_prose_in_one_column_comes_out_word_for_word(blocks: list[Block]) -> None:
    book = read(make_pdf([Page(page) for page in flow(blocks)]))

    assert text(book).split() == put(blocks)


@LIMITS
@given(ANY.map(distinct))
def test_whatever_stands_on_the_pages_is_in_the_text_or_in_the_ledger(blocks: list[Block]) -> None:
    book = read(make_pdf([Page(page) for page in flow(blocks)]))

    assert found(book) == Counter(put(blocks))


@LIMITS
@given(ANY.map(distinct), st.sampled_from(["The Weir", "Low Water 1842", "IV"]), st.integers(1, 300))
def test_heads_and_folios_take_no_word_of_the_text_with_them(blocks: list[Block], head: str, first: int) -> None:
    pages = [Page(page, head=head, folio=str(n)) for n, page in enumerate(flow(blocks), first)]

    book = read(make_pdf(pages))

    expected = Counter(put(blocks))
    expected.update(word for page in pages for word in [*head.split(), page.folio])
    assert found(book) == expected


@LIMITS
@given(st.lists(sentences(4, 30), min_size=4, max_size=8))
def test_two_columns_come_out_word_for_word(parts: list[str]) -> None:
    rows = ROWS * 2
    blocks: list[Para] = []
    for part in parts:
        taken = sum(len(block.text.split()) // 4 + 2 for block in blocks)
        if taken + len(part.split()) // 3 + 2 < rows:
            blocks.append(Para(part, size=7.5, indent=8))

    book = read(make_pdf([Page(distinct(blocks), columns=2)]))

    assert text(book).split() == put(distinct(blocks))


@LIMITS
@given(
    st.lists(st.tuples(sentences(8, 30), sentences(3, 14, st.sampled_from(PLAIN))), min_size=2, max_size=6),
    st.sampled_from(["drop", "end", "inline"]),
)
def test_notes_are_whole_wherever_they_are_put(noted: list[tuple[str, str]], where: str) -> None:
    pages, written = [], []
    for n, (passage, note) in enumerate(noted, 1):
        (body,), (below,) = distinct([Para(passage)], 40 * n), distinct([Para(note)], 40 * n + 20)
        assert isinstance(body, Para) and isinstance(below, Para)
        written += [*body.text.split(), *below.text.split()]
        pages.append(Page([Para(f"{body.text}^{n}"), *paragraphs(2, seed=n)], notes=[f"^{n} {below.text}"]))
        written += [word for para in paragraphs(2, seed=n) for word in para.text.split()]

    book = read(make_pdf(pages), notes=where)

    assert Counter(word.strip("[]") for word in found(book).elements()) == Counter(word.strip("[]") for word in written)


CELLS = st.tuples(st.integers(0, 11), st.integers(0, 3), st.sampled_from(PLAIN), st.sampled_from([7.0, 10.0, 12.0]))


@LIMITS
@given(st.lists(CELLS, min_size=1, max_size=40, unique_by=lambda cell: cell[:2]))
def test_words_scattered_over_a_page_are_all_there(cells: list[tuple[int, int, str, float]]) -> None:
    marks = [At(30 + 62 * column, 60 + 30 * row, word, size) for row, column, word, size in cells]

    assert found(read(make_pdf([Page(marks=marks)]))) == Counter(word for _, _, word, _ in cells)


@LIMITS
@given(ANY.map(distinct))
def test_reading_twice_gives_the_same_book(blocks: list[Block]) -> None:
    data = make_pdf([Page(page) for page in flow(blocks)])

    assert read(data) == read(data)


_READ = """
import sys
from pathlib import Path
from bookblend.extract.model import ExtractOptions
from bookblend.extract.pdf import extract_pdf
sys.stdout.buffer.write(repr(extract_pdf(Path(sys.argv[1]), ExtractOptions())).encode())
"""


def test_the_order_of_hashes_changes_nothing(tmp_path: Path) -> None:
    pages = [
        Page(page, notes=[f"^1 {prose(12, n)}"] if n == 2 else [], head="Fords", folio=str(n))
        for n, page in enumerate(flow([*paragraphs(4), Para(f"So it was.^1 {prose(30)}"), *paragraphs(14, seed=2)], 20))
    ]
    path = tmp_path / "book.pdf"
    path.write_bytes(make_pdf(pages))

    first, second = (
        subprocess.run(
            [sys.executable, "-c", _READ, str(path)],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    )

    assert first == second
    assert b"Fords" in first


TEXT = st.text(" \n-—–/\u2010\u00adaÉ7川。", max_size=30)


@settings(max_examples=200, deadline=None)
@given(TEXT, TEXT)
def test_joining_lines_loses_no_letter(text: str, piece: str) -> None:
    joined = append_text(text, piece, lambda left, sign, right: left + sign + right)

    assert [c for c in joined if c.isalnum()] == [c for c in text + piece if c.isalnum()]


@settings(max_examples=200, deadline=None)
@given(TEXT)
def test_closing_up_a_title_only_moves_blanks(title: str) -> None:
    assert "".join(close_up(title).split()) == "".join(title.split())
