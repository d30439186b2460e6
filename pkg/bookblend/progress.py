"""Progress on a terminal: one line on stderr that rewrites itself, only for work that takes over two seconds."""

import sys
import time
from collections.abc import Iterable, Iterator
from typing import TypeVar

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
