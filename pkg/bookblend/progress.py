"""Progress on a terminal: one line on stderr that rewrites itself, only for work that takes over two seconds."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Self, TypeVar

if TYPE_CHECKING:
    from types import TracebackType

T = TypeVar("T")

# Seconds before anything is shown, and between two updates.
_PATIENCE = 2.0
_INTERVAL = 0.2


def track(items: Iterable[T], total: int, label: str) -> Iterator[T]:
    """Yield `items`, showing `label` and the share of `total` done; silent when stderr is no terminal."""
    if not sys.stderr.isatty():
        yield from items
        return
    start = time.monotonic()
    shown = 0.0
    for done, item in enumerate(items):
        now = time.monotonic()
        if now - start > _PATIENCE and now - shown > _INTERVAL:
            shown = now
            print(f"\r{label} {done}/{total}", end="\x1b[K", file=sys.stderr, flush=True)
        yield item
    if shown:
        print("\r\x1b[K", end="", file=sys.stderr, flush=True)


class Meter:
    """Progress of a stream by its bytes: `label` and the share of `total` read, or the bytes where no total is known.

    Silent when stderr is no terminal; the line is wiped when the block ends.
    """

    def __init__(self, total: int, label: str) -> None:
        self._total = total
        self._label = label
        self._done = 0
        self._live = sys.stderr.isatty()
        self._start = time.monotonic()
        self._shown = 0.0

    def __enter__(self) -> Self:
        return self

    def advance(self, count: int) -> None:
        """Say that `count` more bytes have been read."""
        self._done += count
        if not self._live:
            return
        now = time.monotonic()
        if now - self._start > _PATIENCE and now - self._shown > _INTERVAL:
            self._shown = now
            part = f"{self._done / self._total:.0%}" if self._total else f"{self._done / 1e6:,.0f} MB"
            print(f"\r{self._label} {part}", end="\x1b[K", file=sys.stderr, flush=True)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: "TracebackType | None"
    ) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
