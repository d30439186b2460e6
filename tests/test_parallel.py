"""The one map over pieces of work: order, crashes, hangs, and results that do not depend on the number of workers."""

import os
import signal
import time
from pathlib import Path

import pytest
from pdf_fixtures import MARGIN, At, Page, make_pdf, text_width
from pdf_reading import leaves, paragraphs

from bookblend.errors import BookblendError, InputError, UsageError
from bookblend.extract.model import ExtractOptions
from bookblend.extract.pdf import extract_pdf
from bookblend.parallel import map_pieces, read_workers


def slow_square(number: int) -> int:
    """The first pieces take longest, so that they are finished last."""
    time.sleep(0.02 * max(0, 5 - number))
    return number * number


def fragile(number: int) -> int:
    if number == 2:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def stuck(number: int) -> int:
    if number == 1:
        time.sleep(60)
    return number


def refusing(number: int) -> int:
    if number == 1:
        raise InputError("piece 1 is damaged; get another copy")
    return number


def broken(number: int) -> int:
    return number // 0


def name(number: int) -> str:
    return f"piece {number}"


@pytest.mark.parametrize("workers", [1, 2, 3, 16])
def test_results_come_in_the_order_of_the_pieces(workers: int) -> None:
    assert [outcome.result() for outcome in map_pieces(slow_square, range(12), workers)] == [n * n for n in range(12)]


def test_no_pieces_give_no_results() -> None:
    assert list(map_pieces(slow_square, [], 4)) == []


def test_a_worker_that_dies_takes_only_its_own_piece_with_it() -> None:
    outcomes = list(map_pieces(fragile, range(6), 2, name=name))

    assert [outcome.value for outcome in outcomes] == [0, 1, None, 3, 4, 5]
    with pytest.raises(BookblendError, match=r"^piece 2: its process was ended by SIGKILL \(out of memory\?\)$"):
        outcomes[2].result()


def test_a_worker_that_hangs_is_given_up() -> None:
    outcomes = list(map_pieces(stuck, range(4), 2, name=name, patience=0.5))

    assert [outcome.value for outcome in outcomes] == [0, None, 2, 3]
    with pytest.raises(BookblendError, match=r"^piece 1: no result after"):
        outcomes[1].result()


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_of_the_users_is_the_outcome_of_its_piece(workers: int) -> None:
    outcomes = list(map_pieces(refusing, range(3), workers))

    assert [type(outcome.error) for outcome in outcomes] == [type(None), InputError, type(None)]


@pytest.mark.parametrize("workers", [1, 2])
def test_a_bug_is_raised(workers: int) -> None:
    with pytest.raises(ZeroDivisionError):
        list(map_pieces(broken, range(3), workers))


def test_no_worker_outlives_the_map() -> None:
    outcomes = map_pieces(stuck, range(4), 2)
    next(outcomes)
    outcomes.close()  # type: ignore[attr-defined]  # it is a generator

    with pytest.raises(ChildProcessError):
        os.waitpid(-1, os.WNOHANG)


def test_workers_below_one_are_refused() -> None:
    assert read_workers(3) == 3
    assert read_workers(0) >= 1
    with pytest.raises(UsageError, match="--workers -1"):
        read_workers(-1)


def squeezed(number: int) -> Page:
    """A page with a line that lost its blanks, and one that lost a few."""
    marks = []
    for y, wide in ((330, 1.3), (350, 3.5)):
        x = MARGIN
        for place, word in enumerate(f"The miller counted all {number} sacks in the shed again.".split()):
            marks.append(At(x, y, word))
            x += text_width(word) + (1.3 if place < 3 else wide)
    return Page(paragraphs(3, seed=number), marks=marks, folio=str(number))


@pytest.mark.parametrize("workers", [2, 3])
def test_a_book_is_the_same_however_many_processes_read_it(tmp_path: Path, workers: int) -> None:
    plain, _ = leaves(70)
    path = tmp_path / "book.pdf"
    path.write_bytes(make_pdf([*plain, *(squeezed(number) for number in range(71, 131))]))
    alone = extract_pdf(path, ExtractOptions())

    assert "The miller counted all 100 sacks in the shed again." in "\n".join(block.text for block in alone.blocks)
    assert extract_pdf(path, ExtractOptions(), workers) == alone
