"""Files over HTTP: downloads that go on where they were cut, are checked against a hash, appear whole or not at all.

One client for the Hub's shards and for plain addresses. Waits and tries again where the server or the line fails;
what it gives up on is one line that says what, where and what to do.
"""

import contextlib
import email.utils
import errno
import fcntl
import hashlib
import http.client
import io
import os
import re
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path
from threading import Event
from typing import Any, BinaryIO

from bookblend import __version__
from bookblend.errors import BookblendError, InputError, NoRoomError
from bookblend.talk import say

PART = ".part"
# The header in which the Hub says what is wrong.
SAID = "X-Error-Code"
# Seconds without a byte after which a connection counts as lost.
_TIMEOUT = 30
# Failures in a row, none of which brought a byte, after which it is given up.
_TRIES = 6
# Seconds to wait at most between two tries when the server names none (doubled from 1), and when it does: the Hub's
# limits are counted over windows of five minutes.
_LONGEST_PAUSE, _LONGEST_ASKED = 16, 300
_PIECE = 1 << 20
# Bytes of a file that is read into memory (a dataset's card), at most.
_SMALL = 8 << 20
_TRY_AGAIN = {408, 425, 429, 500, 502, 503, 504}
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
_LOST = (OSError, http.client.HTTPException)


class NoRangesError(Exception):
    """The server gives whole files only."""


class StoppedError(Exception):
    """A download was told to stop; what it has is kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Remote:
    """A file behind a URL: what messages call it, its size (-1: not known), and what its bytes must be.

    digest   "sha256:…", or "git:…" for the SHA-1 that git gives a file (which covers its size too)
    headers  sent to the URL's own host only, not to where it leads
    """

    name: str
    url: str
    digest: str
    size: int = -1
    headers: Mapping[str, str] = field(default_factory=dict)


class Client:
    """Opens URLs, again and again where that helps. `sleep` waits between two tries."""

    def __init__(self, sleep: Callable[[float], object] | None = None) -> None:
        self._stop = Event()
        self._sleep = sleep or self._stop.wait
        self._opener = urllib.request.build_opener(_Redirects)

    def stop(self) -> None:
        """End all that goes on in other threads, with `StoppedError` there; for good."""
        self._stop.set()

    def size(self, remote: Remote) -> int:
        """A file's size as the server says it without sending the file; -1 where it does not say."""
        try:
            with self._open(remote, "HEAD", {}, _Tries(remote, self._sleep, self._stop)) as response:
                return int(response.headers.get("Content-Length") or -1)
        except InputError:
            return -1  # some servers answer GET alone; what is really wrong shows there

    def read(self, remote: Remote, start: int, length: int) -> bytes:
        """A part of a file. Raises `NoRangesError` where the server gives whole files only."""
        tries = _Tries(remote, self._sleep, self._stop)
        while True:
            try:
                with self._open(remote, "GET", {"Range": f"bytes={start}-{start + length - 1}"}, tries) as response:
                    if response.status != http.client.PARTIAL_CONTENT:
                        raise NoRangesError
                    data: bytes = response.read()
                if len(data) == length:
                    return data
                tries.failed("the connection was cut")
            except _LOST as error:
                tries.failed(_why(error))

    def text(self, remote: Remote) -> str:
        """A small file as text. Raises `InputError` for one that is not what it must be, or is not small."""
        tries = _Tries(remote, self._sleep, self._stop)
        while True:
            try:
                with self._open(remote, "GET", {}, tries) as response:
                    data: bytes = response.read(_SMALL)
                if len(data) < remote.size < _SMALL:
                    raise http.client.IncompleteRead(data)
                break
            except _LOST as error:
                tries.failed(_why(error))
        _check(remote, _digest(io.BytesIO(data), remote.digest))
        return data.decode("utf-8", errors="replace")

    def download(self, remote: Remote, target: Path, advance: Callable[[int], None] = lambda _: None) -> None:
        """Fetch a file to `target`, which appears when its hash is right.

        A cut leaves `target` with ".part", which the next call goes on with. Raises `InputError` for a file that is not
        what it must be, `NoRoomError` for a full disk, `BookblendError` where the line or the server fails.
        """
        part = target.with_name(target.name + PART)
        with _only_writer(part) as stream:
            for _ in range(2):
                resumed = stream.seek(0, io.SEEK_END) > 0
                try:
                    found = self._receive(remote, stream, advance)
                except BookblendError:
                    if not stream.seek(0, io.SEEK_END):  # nothing came: there is nothing to go on with
                        part.unlink()
                    raise
                if found == remote.digest:
                    os.fsync(stream.fileno())
                    part.replace(target)
                    return
                stream.truncate(0)
                if not resumed:  # what was there before may have been of something else: once more from the start
                    break
            part.unlink()
        _check(remote, found)

    def _receive(self, remote: Remote, stream: BinaryIO, advance: Callable[[int], None]) -> str:
        """Append to `stream` what it lacks of a file; returns the digest of all."""
        tries = _Tries(remote, self._sleep, self._stop)
        while True:
            have = stream.seek(0, io.SEEK_END)
            if have > remote.size >= 0:
                have = stream.truncate(0)
            if have != remote.size:
                try:
                    whole = self._pour(remote, stream, have, advance, tries)
                except _LOST as error:
                    if isinstance(error, OSError) and error.errno in _NO_ROOM:
                        raise NoRoomError(f"no room for {remote.name} ({error.strerror}); free some space") from error
                    tries.failed(_why(error))
                    continue
                if not whole:
                    tries.failed("the connection was cut")
                    continue
            return _digest(stream, remote.digest)

    def _pour(
        self, remote: Remote, stream: BinaryIO, have: int, advance: Callable[[int], None], tries: "_Tries"
    ) -> bool:
        """One answer's bytes, from `have` on, into the stream; whether the file is whole then."""
        with self._open(remote, "GET", {"Range": f"bytes={have}-"} if have else {}, tries) as response:
            if response.status == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                # All of it is there already, or it is a longer file than the server's: the hash tells.
                return True
            if have and (response.status != http.client.PARTIAL_CONTENT or _first_byte(response) != have):
                stream.truncate(0)
                have = 0
            length = response.headers.get("Content-Length")
            end = have + int(length) if length else remote.size
            stream.seek(have)
            # What has come, not a whole piece: a killed run keeps all that it was sent.
            while have != end and (piece := response.read1(_PIECE)):
                _write(stream, piece)
                have += len(piece)
                tries.went_on()
                advance(len(piece))
                if self._stop.is_set():
                    raise StoppedError
            return end < 0 or have >= end

    def _open(self, remote: Remote, method: str, headers: Mapping[str, str], tries: "_Tries") -> Any:
        """The answer to a request; tries again for as long as that makes sense."""
        while True:
            request = urllib.request.Request(remote.url, method=method)
            request.add_header("User-Agent", f"bookblend/{__version__}")
            request.add_header("Accept-Encoding", "identity")
            for name, value in headers.items():
                request.add_header(name, value)
            for name, value in remote.headers.items():
                request.add_unredirected_header(name, value)
            try:
                return self._opener.open(request, timeout=_TIMEOUT)
            except urllib.error.HTTPError as error:
                if error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
                    return error
                error.close()
                if error.code not in _TRY_AGAIN:
                    raise InputError(
                        refusal(remote.name, remote.url, error.code, error.headers.get(SAID) or "")
                    ) from error
                tries.failed(f"the server answers {error.code}", _asked_pause(error.headers))
            except _LOST as error:
                tries.failed(_why(error))


class Ranges(io.RawIOBase):
    """A remote file as a seekable stream that fetches what is read and no more."""

    def __init__(self, client: Client, remote: Remote) -> None:
        self._client = client
        self._remote = remote
        self._place = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._place

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        base = {io.SEEK_SET: 0, io.SEEK_CUR: self._place, io.SEEK_END: self._remote.size}[whence]
        self._place = max(0, base + offset)
        return self._place

    def readinto(self, buffer: Any) -> int:
        length = min(len(buffer), self._remote.size - self._place)
        if length <= 0:
            return 0
        buffer[:length] = self._client.read(self._remote, self._place, length)
        self._place += length
        return length


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows redirects; headers that are a host's own go on to that same host only."""

    def redirect_request(
        self, req: urllib.request.Request, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        new = super().redirect_request(req, fp, code, msg, headers, newurl)
        if new is not None:
            new.method = req.get_method()
            if _host(req.full_url) == _host(newurl):
                for name, value in req.unredirected_hdrs.items():
                    if name != "Host":
                        new.add_unredirected_header(name, value)
        return new


class _Tries:
    """How often a file's fetching has failed in a row, and how long to wait before the next try."""

    def __init__(self, remote: Remote, sleep: Callable[[float], object], stop: Event) -> None:
        self._remote = remote
        self._sleep = sleep
        self._stop = stop
        self._failures = 0

    def went_on(self) -> None:
        """Bytes came: failures so far do not count any more."""
        self._failures = 0

    def failed(self, why: str, asked: float | None = None) -> None:
        """Wait before another try. Raises `BookblendError` if there have been enough of them."""
        self._failures += 1
        if self._failures >= _TRIES:
            limit = "; it limits how much may be asked for: wait some minutes" if "429" in why else ""
            raise BookblendError(
                f"{self._remote.name}: given up after {_TRIES} tries: {why} ({self._remote.url}){limit}; run it again "
                "to go on, what has been fetched is kept"
            )
        pause = min(2.0 ** (self._failures - 1), _LONGEST_PAUSE) if asked is None else min(asked, _LONGEST_ASKED)
        say(f"{self._remote.name}: {why}; trying again in {pause:.0f} s")
        self._sleep(pause)
        if self._stop.is_set():
            raise StoppedError


def refusal(name: str, url: str, code: int, said: str) -> str:
    """What to tell of an answer that will not change by asking again; `said` is the Hub's own word for it."""
    if said == "GatedRepo" or (code in (401, 403) and said != "RepoNotFound"):
        why = "access is restricted; accept its conditions on its page and log in (hf auth login, or set HF_TOKEN)"
    elif said == "RevisionNotFound":
        why = "has no such revision; check revision in the recipe"
    elif said == "RepoNotFound":
        why = "no such dataset, or a private one; check repo in the recipe, or log in (hf auth login, or set HF_TOKEN)"
    elif code in (404, 410):
        why = "is not there; check the address in the recipe"
    else:
        why = "cannot be fetched"
    return f"{name}: {why} ({url} answers {code}{f' {said}' * bool(said)})"


@contextlib.contextmanager
def _only_writer(part: Path) -> Iterator[BinaryIO]:
    """The file that a download grows in, locked: two runs would mix their bytes in it."""
    try:
        part.parent.mkdir(parents=True, exist_ok=True)
        part.touch()
        stream = part.open("r+b", buffering=0)
    except OSError as error:
        raise BookblendError(f"{part.parent}: cannot be written ({error.strerror}); choose another --folder") from error
    with stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if part.stat().st_ino != os.fstat(stream.fileno()).st_ino:
                raise FileNotFoundError(part)  # the other run was done with it just now
        except OSError as error:
            raise BookblendError(f"{part}: another run is fetching it; wait for that one") from error
        yield stream


def _check(remote: Remote, found: str) -> None:
    if found != remote.digest:
        raise InputError(
            f"{remote.name}: its hash is {found}, not {remote.digest} ({remote.url}); nothing of it is kept: check the "
            "recipe, or fetch again if the line is to blame"
        )


def _write(stream: BinaryIO, piece: bytes) -> None:
    """Write all of a piece to a stream without a buffer, which may take less at once where room runs out."""
    left = memoryview(piece)
    while left:
        left = left[stream.write(left) :]


def _digest(stream: BinaryIO, wanted: str) -> str:
    """The digest of a whole file in the form of the one that is wanted."""
    size = stream.seek(0, io.SEEK_END)
    stream.seek(0)
    kind = wanted.partition(":")[0]
    made = hashlib.sha256() if kind == "sha256" else hashlib.sha1(b"blob %d\0" % size, usedforsecurity=False)
    while piece := stream.read(_PIECE):
        made.update(piece)
    return f"{kind}:{made.hexdigest()}"


def _first_byte(response: Any) -> int:
    found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range") or "")
    return int(found[1]) if found else -1


def _asked_pause(headers: Message) -> float | None:
    """Seconds that a server asks to wait: `Retry-After` in seconds or as a date, or the `t` of its rate limit."""
    asked = headers.get("Retry-After") or ""
    if asked.strip().isdigit():
        return float(asked)
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, email.utils.parsedate_to_datetime(asked).timestamp() - time.time())
    found = re.search(r"\bt=(\d+)", headers.get("RateLimit") or "")
    return float(found[1]) if found else None


def _host(url: str) -> tuple[str, str]:
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, parts.netloc


def _why(error: Exception) -> str:
    reason = getattr(error, "reason", None) or error
    if isinstance(reason, TimeoutError):
        return f"no answer within {_TIMEOUT} s"
    if isinstance(reason, OSError) and reason.strerror:
        return f"no connection ({reason.strerror})"
    return f"the connection was cut ({type(reason).__name__})"
