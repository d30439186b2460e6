"""Work ahead of who asks for it: an iterable taken by a thread of its own, a few items in advance."""

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

# Seconds after which a thread that nobody takes from looks whether it is still wanted.
_TICK = 0.1


def ahead(items: Iterable[T], depth: int) -> Iterator[T]:
    """`items`, up to `depth` of them ready in advance; an error in them is raised where they are taken."""
    line: queue.Queue[Any] = queue.Queue(depth)
    unwanted = threading.Event()
    end = object()

    def put(item: object) -> bool:
        while not unwanted.is_set():
            try:
                line.put(item, timeout=_TICK)
                return True
            except queue.Full:
                continue
        return False

    def work() -> None:
        try:
            for item in items:
                if not put((item, None)):
                    return
            put((end, None))
        except BaseException as error:  # raised in the thread that takes
            put((end, error))

    thread = threading.Thread(target=work, name="ahead", daemon=True)
    thread.start()
    try:
        while True:
            item, error = line.get()
            if error is not None:
                raise error
            if item is end:
                return
            yield item
    finally:
        unwanted.set()
        thread.join()
