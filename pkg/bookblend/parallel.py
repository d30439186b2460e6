"""One `map` over independent pieces of work (a book, a page range, a file), on several cores.

Results come in the order of the pieces, whatever finished first. A worker process that dies or hangs takes only its own
piece with it: that one's outcome is an error that names it, and the others go on.
"""

import contextlib
import os
import signal
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from bookblend.errors import BookblendError, UsageError

# (Loaded where processes are started: it takes longer than reading a small book in this one.)
if TYPE_CHECKING:
    from multiprocessing.connection import Connection

T = TypeVar("T")
R = TypeVar("R")

# Seconds after which a piece counts as hung: the slowest book of six hundred takes twenty.
PATIENCE = 900.0
# A finished result waits for those before it; a worker gets no piece this far ahead of the first unfinished one.
_AHEAD = 8
# How often the parent looks at the clock while nothing is reported, in seconds.
_TICK = 1.0


@dataclass(frozen=True, slots=True)
class Outcome(Generic[R]):
    """What became of one piece: its result, or the error that it ended with."""

    value: R | None = None
    error: Exception | None = None

    def result(self) -> R:
        """The result; raises the piece's error if it has none."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]  # no error: the function's own value, None included


def cores() -> int:
    """Cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def add_workers(parser: ArgumentParser) -> None:
    """`--workers`, as every command that shares its work among processes has it."""
    parser.add_argument(
        "--workers",
        metavar="N",
        type=int,
        default=0,
        help="processes to share the work among; the result is the same (default: one a core)",
    )


def read_workers(asked: int) -> int:
    """The number of processes that `--workers` asked for; 0 is one a core. Raises `UsageError` below that."""
    if asked < 0:
        raise UsageError(f"--workers {asked}: give 1 or more (or leave it out: one a core)")
    return asked or cores()


def map_pieces(
    function: Callable[[T], R],
    pieces: Sequence[T],
    workers: int,
    *,
    name: Callable[[T], str] = str,
    patience: float = PATIENCE,
) -> Iterator[Outcome[R]]:
    """`function` of each of `pieces`, in their order, by up to `workers` processes (1: in this one).

    A `BookblendError` or `OSError` of the function is the piece's outcome; any other exception is a bug and is raised.
    A worker that dies, or takes more than `patience` seconds, gives an outcome with a `BookblendError` that calls the
    piece by `name`.
    `function` and what it takes and gives must be picklable.
    """
    workers = min(workers, len(pieces))
    if workers <= 1:
        for piece in pieces:
            yield _attempt(function, piece)
        return
    pool = _Pool(function, patience)
    try:
        yield from pool.run(pieces, workers, name)
    finally:
        pool.close()


def _attempt(function: Callable[[T], R], piece: T) -> Outcome[R]:
    try:
        return Outcome(function(piece))
    except (BookblendError, OSError) as error:
        return Outcome(error=error)


@dataclass(slots=True)
class _Worker:
    process: Any
    line: "Connection"
    index: int = -1  # the piece it works on; -1: none
    started: float = 0.0


class _Pool:
    """Processes that are each given one piece at a time, and replaced when they die."""

    def __init__(self, function: Callable[[Any], Any], patience: float) -> None:
        import multiprocessing

        # A forked worker has everything imported already; where there is no fork, a new interpreter is started.
        method = "fork" if "fork" in multiprocessing.get_all_start_methods() else "spawn"
        self._context: Any = multiprocessing.get_context(method)
        self._function = function
        self._patience = patience
        self._workers: list[_Worker] = []

    def run(self, pieces: Sequence[Any], workers: int, name: Callable[[Any], str]) -> Iterator[Outcome[Any]]:
        done: dict[int, Outcome[Any]] = {}
        following = given = 0
        while following < len(pieces):
            while len(self._workers) < min(workers, len(pieces) - following):
                self._workers.append(self._start())
            for worker in self._workers:
                if worker.index < 0 and given < min(len(pieces), following + workers + _AHEAD):
                    worker.index, worker.started = given, time.monotonic()
                    with contextlib.suppress(OSError):  # it died: seen below, where its line is at an end
                        worker.line.send(pieces[given])
                    given += 1
            for worker, outcome in self._reports(pieces, name):
                done[worker.index] = outcome
                worker.index = -1
            while following in done:
                yield done.pop(following)
                following += 1

    def _start(self) -> _Worker:
        ours, theirs = self._context.Pipe()
        # A forked child holds copies of its elder siblings' lines; they must be closed there for a worker to see its
        # line end when this process is killed.
        copies = [worker.line for worker in self._workers] if self._context.get_start_method() == "fork" else []
        process = self._context.Process(target=_work, args=(self._function, theirs, [ours, *copies]), daemon=True)
        process.start()
        theirs.close()
        return _Worker(process, ours)

    def _reports(self, pieces: Sequence[Any], name: Callable[[Any], str]) -> list[tuple[_Worker, Outcome[Any]]]:
        from multiprocessing.connection import wait

        busy = {worker.line: worker for worker in self._workers if worker.index >= 0}
        reports = []
        for line in wait(list(busy), _TICK):
            worker = busy[line]  # type: ignore[index]  # these are the connections that were passed in
            try:
                outcome = worker.line.recv()
            except (EOFError, OSError):
                outcome = Outcome(error=BookblendError(f"{name(pieces[worker.index])}: {self._end(worker)}"))
            if isinstance(outcome, Outcome):
                reports.append((worker, outcome))
            else:
                raise outcome
        late = time.monotonic() - self._patience
        for worker in busy.values():
            if worker.started < late and worker.line not in (reported.line for reported, _ in reports):
                self._end(worker)
                error = BookblendError(
                    f"{name(pieces[worker.index])}: no result after {self._patience:.0f} s; given up"
                )
                reports.append((worker, Outcome(error=error)))
        return reports

    def _end(self, worker: _Worker) -> str:
        """Do away with a worker; returns how it ended, in words."""
        worker.process.join(0.1)
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
        worker.line.close()
        self._workers.remove(worker)
        code = worker.process.exitcode or 0
        if code >= 0:
            return f"its process ended early (exit status {code})"
        killed = " (out of memory?)" if -code == signal.SIGKILL else ""
        return f"its process was ended by {signal.Signals(-code).name}{killed}"

    def close(self) -> None:
        for worker in list(self._workers):
            if worker.index >= 0:
                worker.process.kill()
            worker.line.close()
            worker.process.join()
        self._workers.clear()


def _work(function: Callable[[Any], Any], line: "Connection", others: "Sequence[Connection]") -> None:
    """A worker's life: pieces in, outcomes out, until the line ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent is interrupted, and ends the workers
    for other in others:
        other.close()
    with contextlib.suppress(EOFError, OSError):
        while True:
            piece = line.recv()
            try:
                report: object = _attempt(function, piece)
            except Exception as bug:  # raised in the parent, with its traceback as a note
                bug.add_note(f"(in a worker process: {type(bug).__name__} at {_place(bug)})")
                report = bug
            line.send(report)


def _place(bug: BaseException) -> str:
    trace = bug.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    return f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}" if trace else "?"
