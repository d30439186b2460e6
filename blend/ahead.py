"""Work ahead of who asks for it: an iterable taken by a thread of its own, a few items in advance."""

import queue
import threading
from collections.abc import Iterable, Iterator
from typing import Any, Generic, Self, TypeVar

T = TypeVar("T")

# Seconds after which a thread that nobody takes from looks whether it is still wanted.
_TICK = 0.1


class Ahead(Generic[T]):
    """`items`, up to `depth` of them ready in advance; an error in them is raised where they are taken.

    The thread begins at once. It ends with the items, or when the iteration or `close` does.
    """

    def __init__(self, items: Iterable[T], depth: int) -> None:
        self._items = items
        self._line: queue.Queue[Any] = queue.Queue(depth)
        self._unwanted = threading.Event()
        self._end = object()
        self._thread = threading.Thread(target=self._work, name="ahead", daemon=True)
        self._thread.start()

    def __iter__(self) -> Iterator[T]:
        try:
            while True:
                item, error = self._line.get()
                if error is not None:
                    raise error
                if item is self._end:
                    return
                yield item
        finally:
            self.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the items that nobody took, and wait until the thread has ended."""
        self._unwanted.set()
        self._thread.join()

    def _work(self) -> None:
        try:
            for item in self._items:
                if not self._put((item, None)):
                    return
            self._put((self._end, None))
        except BaseException as error:  # raised in the thread that takes
            self._put((self._end, error))
        finally:
            # Threads that work for this one are let go with it. Neither lists nor what else may come has a `close`.
            getattr(self._items, "close", lambda: None)()

    def _put(self, item: object) -> bool:
        while not self._unwanted.is_set():
            try:
                self._line.put(item, timeout=_TICK)
                return True
            except queue.Full:
                continue
        return False
