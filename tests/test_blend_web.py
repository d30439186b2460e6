"""Downloads: resumed where they were cut, checked against their hash, whole or not at all."""

import hashlib
import random
import resource
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from hub_server import HubServer, git_id, serve_hub

from bookblend.blend.web import PART, Client, NoRangesError, Ranges, Remote, StoppedError
from bookblend.errors import BookblendError, InputError, NoRoomError

DATA = random.Random(5).randbytes(3_000_000)


@pytest.fixture
def hub() -> Iterator[HubServer]:
    with serve_hub() as running:
        running.web["f.bin"] = DATA
        yield running


def remote(hub: HubServer, name: str = "f.bin", data: bytes = DATA) -> Remote:
    digest = f"sha256:{hashlib.sha256(data).hexdigest()}"
    return Remote(name=name, url=f"{hub.url}/web/{name}", digest=digest, size=len(data))


@pytest.fixture
def pauses() -> list[float]:
    return []


@pytest.fixture
def client(pauses: list[float]) -> Client:
    return Client(sleep=pauses.append)


def test_a_cut_answer_is_gone_on_with_and_no_byte_is_fetched_twice(
    hub: HubServer, client: Client, tmp_path: Path
) -> None:
    hub.cuts["f.bin"] = [1_000_000, 700_001]
    client.download(remote(hub), tmp_path / "f.bin")
    assert (tmp_path / "f.bin").read_bytes() == DATA
    assert hub.gets("f.bin") == ["", "bytes=1000000-", "bytes=1700001-"]
    assert hub.sent["f.bin"] == len(DATA)
    assert list(tmp_path.iterdir()) == [tmp_path / "f.bin"]


def test_what_an_earlier_run_left_is_gone_on_with(hub: HubServer, client: Client, tmp_path: Path) -> None:
    (tmp_path / f"f.bin{PART}").write_bytes(DATA[:1_234_567])
    client.download(remote(hub), tmp_path / "f.bin")
    assert (tmp_path / "f.bin").read_bytes() == DATA
    assert hub.gets("f.bin") == ["bytes=1234567-"]


def test_a_whole_part_costs_no_request(hub: HubServer, client: Client, tmp_path: Path) -> None:
    (tmp_path / f"f.bin{PART}").write_bytes(DATA)
    client.download(remote(hub), tmp_path / "f.bin")
    assert hub.log == []


def test_a_whole_part_of_unknown_size_is_noticed(hub: HubServer, client: Client, tmp_path: Path) -> None:
    (tmp_path / f"f.bin{PART}").write_bytes(DATA)
    client.download(replace(remote(hub), size=-1), tmp_path / "f.bin")
    assert (tmp_path / "f.bin").read_bytes() == DATA


@pytest.mark.parametrize("left", [b"of another file", bytes(4_000_000)])
def test_a_part_of_something_else_is_fetched_anew(left: bytes, hub: HubServer, client: Client, tmp_path: Path) -> None:
    (tmp_path / f"f.bin{PART}").write_bytes(left)
    client.download(remote(hub), tmp_path / "f.bin")
    assert (tmp_path / "f.bin").read_bytes() == DATA


def test_a_server_without_ranges_sends_it_all_again(hub: HubServer, client: Client, tmp_path: Path) -> None:
    hub.ranges = False
    hub.cuts["f.bin"] = [1_000_000]
    client.download(remote(hub), tmp_path / "f.bin")
    assert (tmp_path / "f.bin").read_bytes() == DATA
    with pytest.raises(NoRangesError):
        client.read(remote(hub), 5, 10)


def test_a_wrong_hash_is_refused_with_both_and_nothing_is_kept(hub: HubServer, client: Client, tmp_path: Path) -> None:
    hub.instead["f.bin"] = b"x" + DATA[1:]
    found = hashlib.sha256(hub.instead["f.bin"]).hexdigest()
    with pytest.raises(InputError, match=f"{found}, not sha256:{hashlib.sha256(DATA).hexdigest()}"):
        client.download(remote(hub), tmp_path / "f.bin")
    assert list(tmp_path.iterdir()) == []
    assert len(hub.gets("f.bin")) == 1


def test_files_that_git_holds_itself_are_checked_by_its_own_name_for_them(
    hub: HubServer, client: Client, tmp_path: Path
) -> None:
    client.download(replace(remote(hub), digest=f"git:{git_id(DATA)}"), tmp_path / "f.bin")
    hub.instead["f.bin"] = b"x" + DATA[1:]
    with pytest.raises(InputError, match="git:"):
        client.download(replace(remote(hub), digest=f"git:{git_id(DATA)}"), tmp_path / "g.bin")


def test_the_pause_that_a_server_asks_for_is_kept_within_reason(
    hub: HubServer, client: Client, pauses: list[float], tmp_path: Path
) -> None:
    hub.statuses["f.bin"] = [
        (429, {"Retry-After": "7"}),
        (503, {}),
        (429, {"Retry-After": "99999"}),
        (429, {"RateLimit": '"resolvers";r=0;t=42'}),
        (503, {"Retry-After": "Thu, 01 Jan 1970 00:00:00 GMT"}),
    ]
    client.download(remote(hub), tmp_path / "f.bin")
    assert pauses == [7, 2, 300, 42, 0]


def test_a_limit_that_does_not_end_is_one_line(
    hub: HubServer, client: Client, pauses: list[float], tmp_path: Path
) -> None:
    hub.statuses["f.bin"] = [(429, {})] * 20
    with pytest.raises(BookblendError, match=r"given up after 6 tries: the server answers 429 .*wait some minutes"):
        client.download(remote(hub), tmp_path / "f.bin")
    assert pauses == [1, 2, 4, 8, 16]


def test_tries_count_anew_whenever_bytes_came(hub: HubServer, client: Client, tmp_path: Path) -> None:
    hub.cuts["f.bin"] = [100_000] * 20
    client.download(remote(hub), tmp_path / "f.bin")
    assert hub.sent["f.bin"] == len(DATA)


@pytest.mark.parametrize(
    ("status", "headers", "line"),
    [
        (404, {}, "is not there"),
        (401, {}, "access is restricted"),
        (403, {"X-Error-Code": "GatedRepo"}, "accept its conditions"),
        (418, {}, "cannot be fetched .*418"),
    ],
)
def test_what_no_second_try_mends_is_said_at_once(
    status: int, headers: dict[str, str], line: str, hub: HubServer, client: Client, tmp_path: Path
) -> None:
    hub.statuses["f.bin"] = [(status, headers)]
    with pytest.raises(InputError, match=line):
        client.download(remote(hub), tmp_path / "f.bin")
    assert len(hub.log) == 1
    assert not list(tmp_path.iterdir())  # nothing came, so nothing is left


def test_no_connection_is_one_line(client: Client, tmp_path: Path) -> None:
    nowhere = Remote(name="f", url="http://127.0.0.1:9/f", digest="sha256:0")
    with pytest.raises(BookblendError, match="given up after 6 tries: no connection") as raised:
        client.download(nowhere, tmp_path / "f")
    assert "\n" not in str(raised.value)


def test_a_second_run_does_not_mix_its_bytes_in(hub: HubServer, client: Client, tmp_path: Path) -> None:
    def meanwhile(_: int) -> None:
        with pytest.raises(BookblendError, match="another run"):
            client.download(remote(hub), tmp_path / "f.bin")

    client.download(remote(hub), tmp_path / "f.bin", meanwhile)
    assert (tmp_path / "f.bin").read_bytes() == DATA


def test_a_stopped_download_keeps_what_it_has(hub: HubServer, tmp_path: Path) -> None:
    client = Client()
    with pytest.raises(StoppedError):
        client.download(remote(hub), tmp_path / "f.bin", lambda _: client.stop())
    assert 0 < (tmp_path / f"f.bin{PART}").stat().st_size < len(DATA)


def test_a_full_disk_is_one_line_and_keeps_what_fits(hub: HubServer, client: Client, tmp_path: Path) -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_234_567, hard))
    try:
        with pytest.raises(NoRoomError, match=r"no room for f\.bin"):
            client.download(remote(hub), tmp_path / "f.bin")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert (tmp_path / f"f.bin{PART}").read_bytes() == DATA[:1_234_567]
    client.download(remote(hub), tmp_path / "f.bin")
    assert hub.gets("f.bin") == ["", "bytes=1234567-"]


def test_a_remote_file_is_read_in_parts(hub: HubServer, client: Client) -> None:
    stream = Ranges(client, remote(hub))
    stream.seek(-10, 2)
    assert stream.read(20) == DATA[-10:]
    stream.seek(100)
    assert stream.read(5) == DATA[100:105]
    assert hub.gets("f.bin") == ["bytes=2999990-2999999", "bytes=100-104"]


def test_the_users_token_is_not_sent_where_a_file_leads_to(hub: HubServer, client: Client, tmp_path: Path) -> None:
    elsewhere = hub.url.replace("127.0.0.1", "localhost") + "/web/f.bin"
    hub.statuses["/web/here"] = [(302, {"Location": "/web/there"})]
    hub.statuses["/web/there"] = [(302, {"Location": elsewhere})]
    start = replace(remote(hub), url=f"{hub.url}/web/here", headers={"Authorization": "Bearer t"})
    client.download(start, tmp_path / "f.bin")
    assert hub.tokens == [("/web/here", "Bearer t"), ("/web/there", "Bearer t"), ("/web/f.bin", "")]


def test_the_size_is_asked_for_without_the_file(hub: HubServer, client: Client) -> None:
    assert client.size(remote(hub)) == len(DATA)
    hub.statuses["f.bin"] = [(405, {})]
    assert client.size(remote(hub)) == -1
    assert {method for method, _, _ in hub.log} == {"HEAD"}
