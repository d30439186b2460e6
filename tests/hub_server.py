"""A small Hub on this machine for tests: datasets at a commit, listed and served as huggingface.co does, with faults.

`log` holds every request as (method, path, range); faults are set by the tests: cut an answer off after so many bytes,
answer with another status first, other bytes than announced.
"""

import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

REVISION = "0123456789abcdef0123456789abcdef01234567"
# Files on a page of a listing.
PAGE = 3
# Seconds after which a stalled answer ends even if the test hangs.
_LONGEST_STALL = 20


@dataclass
class HubServer:
    """What the server holds and does.

    files      repository → name → bytes, at `REVISION`; web   the same of plain addresses under /web/
    cuts       by file name: bytes after which one answer each is cut off; stalls   files whose cut answers hang instead
    statuses   by the end of a path: answers given first; instead   by file name: other bytes than the listing tells of
    log, sent, tokens   requests; bytes of files given out; (path, Authorization)
    """

    url: str = ""
    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    web: dict[str, bytes] = field(default_factory=dict)
    log: list[tuple[str, str, str]] = field(default_factory=list)
    cuts: dict[str, list[int]] = field(default_factory=dict)
    statuses: dict[str, list[tuple[int, dict[str, str]]]] = field(default_factory=dict)
    instead: dict[str, bytes] = field(default_factory=dict)
    gated: set[str] = field(default_factory=set)
    ranges: bool = True
    sent: dict[str, int] = field(default_factory=dict)
    tokens: list[tuple[str, str]] = field(default_factory=list)
    stalls: set[str] = field(default_factory=set)
    over: threading.Event = field(default_factory=threading.Event)

    def gets(self, end: str) -> list[str]:
        """The ranges of all GET requests for files whose path ends so; "" for a whole file."""
        return [span for method, path, span in self.log if method == "GET" and path.endswith(end)]


@contextmanager
def serve_hub() -> Iterator[HubServer]:
    """A Hub while the block runs."""
    hub = HubServer()
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = _Server(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
    thread.start()
    hub.url = f"http://127.0.0.1:{server.server_address[1]}"
    try:
        yield hub
    finally:
        hub.over.set()
        server.shutdown()
        server.server_close()
        thread.join()


def git_id(data: bytes) -> str:
    """What git calls these bytes."""
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


class _Server(ThreadingHTTPServer):
    def handle_error(self, *_: object) -> None:
        """Clients that hang up are part of the tests."""


class _Handler(BaseHTTPRequestHandler):
    hub: HubServer
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None:
        """Nothing on stderr."""

    def do_HEAD(self) -> None:
        self._answer(body=False)

    def do_GET(self) -> None:
        self._answer(body=True)

    def _answer(self, body: bool) -> None:
        parts = urlsplit(self.path)
        path = unquote(parts.path)
        self.hub.log.append((self.command, path, self.headers.get("Range", "")))
        self.hub.tokens.append((path, self.headers.get("Authorization", "")))
        for end, waiting in self.hub.statuses.items():
            if path.endswith(end) and waiting:
                status, headers = waiting.pop(0)
                self._end(status, b"", headers, body)
                return
        if path.startswith("/web/"):
            self._file(path, self.hub.web.get(path.removeprefix("/web/")), "", body)
        elif path.startswith("/cdn/"):
            repo, _, name = path.removeprefix("/cdn/").partition("::")
            self._file(path, self.hub.files[repo][name], "", body)
        elif found := re.fullmatch(r"/api/datasets/([^/]+/[^/]+)/tree/([^/]+)/?", path):
            self._tree(found[1], found[2], parse_qs(parts.query), body)
        elif found := re.fullmatch(r"/datasets/([^/]+/[^/]+)/resolve/([^/]+)/(.+)", path):
            self._resolve(found[1], found[2], found[3], body)
        else:
            self._end(404, b"", {"X-Error-Code": "EntryNotFound"}, body)

    def _refused(self, repo: str, revision: str, body: bool) -> bool:
        if repo not in self.hub.files:
            self._end(401, b"", {"X-Error-Code": "RepoNotFound"}, body)
        elif revision != REVISION:
            self._end(404, b"", {"X-Error-Code": "RevisionNotFound"}, body)
        elif repo in self.hub.gated:
            self._end(403, b"", {"X-Error-Code": "GatedRepo"}, body)
        else:
            return False
        return True

    def _tree(self, repo: str, revision: str, query: dict[str, list[str]], body: bool) -> None:
        if self._refused(repo, revision, body):
            return
        names = sorted(self.hub.files[repo])
        start = int(query.get("cursor", ["0"])[0])
        items = []
        for name in names[start : start + PAGE]:
            data = self.hub.files[repo][name]
            item = {"type": "file", "path": name, "size": len(data), "oid": git_id(data)}
            if not name.endswith((".md", ".txt")):
                item["lfs"] = {"oid": hashlib.sha256(data).hexdigest(), "size": len(data), "pointerSize": 130}
            items.append(item)
        headers = {}
        if start + PAGE < len(names):
            page = f"{self.hub.url}/api/datasets/{repo}/tree/{revision}?recursive=true&cursor={start + PAGE}"
            headers["Link"] = f'<{page}>; rel="next"'
        self._end(200, json.dumps(items).encode(), headers | {"Content-Type": "application/json"}, body)

    def _resolve(self, repo: str, revision: str, name: str, body: bool) -> None:
        if self._refused(repo, revision, body):
            return
        data = self.hub.files[repo].get(name)
        if data is not None and name.endswith(".parquet"):  # large files lie elsewhere, under another host's name
            where = f"{self.hub.url.replace('127.0.0.1', 'localhost')}/cdn/{repo}::{name}"
            self._end(302, b"", {"Location": where, "X-Linked-Size": str(len(data))}, body)
            return
        self._file(self.path, data, REVISION, body)

    def _file(self, path: str, data: bytes | None, commit: str, body: bool) -> None:
        if data is None:
            self._end(404, b"", {"X-Error-Code": "EntryNotFound"}, body)
            return
        name = path.rpartition("/")[2].rpartition("::")[2]
        data = self.hub.instead.get(name, data)
        headers = {"ETag": f'"{git_id(data)}"', "Accept-Ranges": "bytes"} | (
            {"X-Repo-Commit": commit} if commit else {}
        )
        span = re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", ""))
        if span and self.hub.ranges:
            first, last = int(span[1]), int(span[2] or len(data) - 1)
            if first >= len(data):
                self._end(416, b"", {"Content-Range": f"bytes */{len(data)}"}, body)
                return
            headers["Content-Range"] = f"bytes {first}-{min(last, len(data) - 1)}/{len(data)}"
            self._end(206, data[first : last + 1], headers, body, name)
        else:
            self._end(200, data, headers, body, name)

    def _end(self, status: int, data: bytes, headers: dict[str, str], body: bool, name: str = "") -> None:
        self.send_response(status)
        for key, value in headers.items():
            self.send_header(key, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if not body:
            return
        cuts = self.hub.cuts.get(name)
        piece = data[: cuts.pop(0)] if cuts else data
        self.wfile.write(piece)
        self.wfile.flush()
        self.hub.sent[name] = self.hub.sent.get(name, 0) + len(piece)
        if len(piece) < len(data):
            if name in self.hub.stalls:
                self.hub.over.wait(_LONGEST_STALL)
            self.close_connection = True
