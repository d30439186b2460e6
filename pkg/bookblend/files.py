"""Outputs that appear whole or not at all.

`Outputs` stages any number of files beside their targets and puts them under their names together, at the end;
until then, and after any failure, what stood under those names stays as it was.
"""

import contextlib
import glob
import hashlib
import os
import shutil
import tempfile
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from bookblend.errors import BookblendError, InputError, UsageError

_SUFFIX = ".part"


class Outputs:
    """A set of output files that replace their targets together when the `with` block ends without an error.

    Raises `BookblendError` where a target's folder is missing or cannot be written, naming the folder.
    """

    def __init__(self) -> None:
        self._staged: dict[Path, tuple[Path, BinaryIO]] = {}

    def __enter__(self) -> Self:
        return self

    def open(self, target: Path) -> BinaryIO:
        """A binary stream whose bytes will be `target`."""
        if target.is_symlink():
            target = target.resolve()  # what the link names is replaced, not the link
        part = target.with_name(f".{target.name}.{os.getpid()}{_SUFFIX}")
        try:
            _clear_stale(target)
            stream = part.open("wb")
        except OSError as error:
            folder = target.parent
            raise BookblendError(
                f"{folder}: cannot write {target.name} there ({error.strerror}); choose another output folder"
            ) from error
        self._staged[target] = (part, stream)
        return stream

    def write(self, target: Path, text: str) -> None:
        """Stage `text` as UTF-8 for `target`."""
        self.open(target).write(text.encode("utf-8"))

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                for _, stream in self._staged.values():
                    stream.flush()
                    os.fsync(stream.fileno())
                    stream.close()
                for target, (part, _) in self._staged.items():
                    part.replace(target)
        finally:
            for part, stream in self._staged.values():
                with contextlib.suppress(OSError):
                    stream.close()
                with contextlib.suppress(OSError):
                    part.unlink(missing_ok=True)


class Scratch:
    """A hidden folder beside `target` for temporary files: made when first asked for, removed when the block ends.

    A killed run's folder is removed by the next run that writes `target`. Without a target (standard output) it stands
    in the system's folder for temporary files.
    """

    def __init__(self, target: Path | None) -> None:
        # What a link names is where the output goes, so that is where room is needed.
        self._target = target.resolve() if target else Path(tempfile.gettempdir()) / "bookblend"
        self._folder: Path | None = None

    def __enter__(self) -> Self:
        return self

    def folder(self) -> Path:
        """The folder itself. Raises `BookblendError` where it cannot be made."""
        if self._folder is None:
            folder = self._target.with_name(f".{self._target.name}.scratch.{os.getpid()}{_SUFFIX}")
            try:
                _clear_stale(self._target)
                folder.mkdir(mode=0o700)
            except OSError as error:
                raise BookblendError(
                    f"{folder.parent}: cannot put temporary files there ({error.strerror}); choose another folder"
                ) from error
            self._folder = folder
        return self._folder

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._folder:
            shutil.rmtree(self._folder, ignore_errors=True)


class HashedStream:
    """A binary stream that is hashed and counted while it is written, so that nothing is read again for its SHA-256."""

    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()
        self.size = 0

    def write(self, data: "bytes | memoryview") -> int:
        """Write all of `data`."""
        self._hash.update(data)
        self._stream.write(data)
        size = memoryview(data).nbytes
        self.size += size
        return size

    def append(self, path: Path) -> None:
        """Write a whole file's bytes."""
        with path.open("rb") as stream:
            while data := stream.read(1 << 20):
                self.write(data)

    @property
    def hexdigest(self) -> str:
        """SHA-256 of what has been written."""
        return self._hash.hexdigest()


def write_whole(target: Path, text: str) -> None:
    """Write one text file whole: temporary file beside it, flush, fsync, rename."""
    with Outputs() as outputs:
        outputs.write(target, text)


def refuse_same_file(source: Path, target: Path) -> None:
    """Raise `UsageError` if `target` is the input itself, also through links or another spelling."""
    with contextlib.suppress(OSError):
        if source.resolve() == target.resolve() or (target.exists() and source.samefile(target)):
            raise UsageError(f"{target}: output and input are the same file; name another output")


def check_source(source: Path, may_be_empty: bool = False) -> None:
    """Say in one line what is wrong with an input file, if anything can be told without reading it.

    Raises `InputError` for a missing file, a folder, a device or pipe, an empty file (unless it `may_be_empty`).
    """
    if source.is_dir():
        raise InputError(f"{source}: is a folder; name one file in it")
    if not source.exists():
        raise InputError(f"{source}: no such file")
    if not source.is_file():
        raise InputError(f"{source}: is no regular file")
    if not may_be_empty and not source.stat().st_size:
        raise InputError(f"{source}: is empty (0 bytes); fetch it again")


def check_target(target: Path) -> None:
    """Say early, before any work, that `target` cannot be written: its folder is missing or closed, it is a folder.

    Raises `UsageError` for a folder in its place and `BookblendError` for the rest.
    """
    if target.is_dir():
        raise UsageError(f"{target}: is a folder; name a file in it")
    if target.exists() and not target.is_file():
        raise UsageError(f"{target}: is a device or a pipe, which a whole file cannot replace; name a file")
    folder = target.parent
    why = "no such folder" if not folder.is_dir() else "" if os.access(folder, os.W_OK | os.X_OK) else "no permission"
    if why:
        raise BookblendError(f"{folder}: cannot write {target.name} there ({why}); choose another output folder")


def sha256_file(path: Path) -> str:
    """SHA-256 of a file's bytes, in hexadecimal, read in pieces."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def sha256_text(text: str) -> str:
    """SHA-256 of a text's UTF-8 bytes, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _clear_stale(target: Path) -> None:
    """Remove parts of `target` that a killed run left: those whose process id is no longer running."""
    for part in target.parent.glob(f".{glob.escape(target.name)}.*{_SUFFIX}"):
        pid = part.name.removesuffix(_SUFFIX).rpartition(".")[2]
        if not pid.isdigit() or _running(int(pid)):
            continue
        if part.is_dir():
            shutil.rmtree(part, ignore_errors=True)
        else:
            part.unlink(missing_ok=True)


def _running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
