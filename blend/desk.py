"""What the blend's commands share: the recipe and its folder from the command's words, and the lock on the folder."""

import fcntl
from argparse import Namespace
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from bookblend.blend.local_raw import with_book_licences
from bookblend.blend.model import Registry
from bookblend.blend.registry import check_readable, read_registry
from bookblend.blend.workspace import Workspace
from bookblend.errors import BookblendError, UsageError


def open_recipe(arguments: Namespace) -> tuple[Registry, Workspace]:
    """The recipe and its folder. Raises `InputError` and `UsageError`."""
    registry = with_book_licences(_read(Path(arguments.recipe)))
    known = [source.name for source in registry.sources]
    for name in getattr(arguments, "source", ()):
        if name not in known:
            raise UsageError(f"--source {name}: the recipe has no such source; there are {', '.join(known)}")
    folder = Path(arguments.folder) if arguments.folder else None
    if folder is not None and folder.exists() and not folder.is_dir():
        raise UsageError(f"--folder {folder}: is a file; name a folder")
    return registry, Workspace(registry, folder)


def _read(path: Path) -> Registry:
    registry = read_registry(path)
    check_readable(registry)
    return registry


@contextmanager
def locked(workspace: Workspace) -> Iterator[None]:
    """Keep a second run out of the folder until the block ends. Raises `BookblendError` where one is under way."""
    workspace.make(workspace.folder)
    path = workspace.folder / ".lock"
    try:
        stream = path.open("a")
    except OSError as error:
        raise BookblendError(
            f"{workspace.folder}: cannot write there ({error.strerror}); choose another --folder"
        ) from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            raise BookblendError(
                f"{workspace.folder}: another bookblend is at work there; wait for it, or choose another --folder"
            ) from error
        yield
