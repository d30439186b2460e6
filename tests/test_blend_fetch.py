"""`blend fetch` and `blend check-disk` against a Hub on this machine."""

import gzip
import hashlib
import io
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hub_server import REVISION, HubServer, serve_hub

from bookblend.blend import disk, web
from bookblend.cli import main
from bookblend.errors import ExitCode

SHARDS = ["data/train-00000-of-00002-5d1a.parquet", "data/train-00001-of-00002-c0de.parquet"]
BOOKS = "o/books"
AUTHORS = ["Fabre, Jean-Henri, 1823-1915", "Lang, Andrew, 1844-1912; Frazer, James George"]


def parquet(rows: Sequence[dict[str, Any]]) -> bytes:
    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist(list(rows)), out, compression="none")
    return out.getvalue()


def book(number: int) -> dict[str, Any]:
    """A row of the catalogue's dataset; the texts do not repeat, so that the files are not small."""
    words = hashlib.sha256(b"%d" % number).hexdigest() * 40
    shelf = "Folklore; Mythology" if number % 3 == 0 else ""
    return {
        "TEXT": f'Book {number}\nsaid "{words}"\u2028',
        "METADATA": json.dumps({"text_id": number, "authors": AUTHORS[number % 2], "bookshelves": shelf}),
    }


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[HubServer]:
    with serve_hub() as running:
        monkeypatch.setenv("HF_ENDPOINT", running.url)
        monkeypatch.delenv("HF_TOKEN", raising=False)
        monkeypatch.setattr(time, "sleep", lambda _: None)  # the waits of the Hub's own client
        monkeypatch.setattr(web, "_LONGEST_PAUSE", 0)
        running.files[BOOKS] = {
            "README.md": b"---\nlicense: mit\n---\n",
            SHARDS[0]: parquet([book(number) for number in range(200)]),
            SHARDS[1]: parquet([book(number) for number in range(200, 300)]),
            "Books.tar.gz": b"of no use",
            "Books-train.txt": b"of no use",
        }
        yield running


def source(name: str, share: float, origin: str = "", select: str = "", more: str = "") -> str:
    origin = origin or f'hub = {{repo = "{BOOKS}", revision = "{REVISION}"}}'
    catalogue = f'text = "TEXT"\nmetadata = "METADATA"\nselect = {select}\n' if select else ""
    return f'[[sources]]\nname = "{name}"\nshare = {share}\n{origin}\n{catalogue}{more}\nlicence = {{spdx = "MIT"}}\n'


TWO = source("insects", 0.5, select='{authors = ["fabre"]}') + source(
    "tales", 0.5, select='{bookshelves = ["folklore"]}'
)

SHELF = 'select = {bookshelves = ["folklore"]}'
Run = Callable[..., int]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `blend fetch` over a recipe of these sources, or another command of the group."""

    def call(sources: str, *words: str, command: str = "fetch") -> int:
        (tmp_path / "mix.toml").write_text(f"budget = 1000\n{sources}", "utf-8")
        return main(["blend", command, str(tmp_path / "mix.toml"), *words])

    return call


def rows(tmp_path: Path, name: str) -> list[dict[str, Any]]:
    text = (tmp_path / "mix.blend" / "raw" / name / "text.jsonl").read_text("utf-8")
    return [json.loads(line) for line in text.splitlines()]


def report(tmp_path: Path) -> dict[str, dict[str, Any]]:
    made = json.loads((tmp_path / "mix.blend" / "fetch.json").read_text("utf-8"))
    return {entry["source"]: entry for entry in made["sources"]}


def whole_files(hub: HubServer) -> list[str]:
    """The names of files asked for whole, the card aside."""
    asked = [path for method, path, span in hub.log if method == "GET" and not span and "/cdn/" in path]
    return sorted(path.rpartition("::")[2] for path in asked)


def test_sources_of_one_dataset_are_filled_in_one_pass(hub: HubServer, run: Run, tmp_path: Path) -> None:
    assert run(TWO) == 0
    assert whole_files(hub) == SHARDS
    assert rows(tmp_path, "insects") == [
        {"id": f"{Path(SHARDS[number >= 200]).stem}:{number % 200 + 1}", "text": book(number)["TEXT"]}
        for number in range(0, 300, 2)
    ]
    assert [row["text"] for row in rows(tmp_path, "tales")] == [book(number)["TEXT"] for number in range(0, 300, 3)]
    assert not list((tmp_path / "mix.blend" / "raw").glob(".*"))


def test_the_report_counts_and_names_and_is_the_same_on_every_run(hub: HubServer, run: Run, tmp_path: Path) -> None:
    run(TWO)
    first = (tmp_path / "mix.blend" / "fetch.json").read_bytes()
    told = report(tmp_path)["tales"]
    assert (told["rows_read"], told["rows_selected"], told["rows_taken"], told["warnings"]) == (300, 100, 100, [])
    assert told["selectors"] == [{"selector": "bookshelves", "text": "folklore", "rows": 100}]
    shard = hub.files[BOOKS][SHARDS[0]]
    assert told["files"][0] == {
        "file": SHARDS[0],
        "bytes": len(shard),
        "hash": f"sha256:{hashlib.sha256(shard).hexdigest()}",
    }
    run(TWO, "--again", "--workers", "1")
    assert (tmp_path / "mix.blend" / "fetch.json").read_bytes() == first


def test_a_run_that_is_up_to_date_makes_no_request(hub: HubServer, run: Run, tmp_path: Path) -> None:
    run(TWO)
    hub.log.clear()
    assert run(TWO) == 0
    assert hub.log == []
    (tmp_path / "mix.blend" / "raw" / "tales" / "text.jsonl").write_text("harmed", "utf-8")
    assert run(TWO) == 0
    assert whole_files(hub) == SHARDS
    assert len(rows(tmp_path, "tales")) == 100


def test_another_selection_is_another_source(hub: HubServer, run: Run, tmp_path: Path) -> None:
    run(TWO)
    hub.log.clear()
    assert run(TWO.replace("folklore", "mythology")) == 0
    assert hub.log
    assert report(tmp_path)["tales"]["selectors"][0]["text"] == "mythology"


def test_the_catalogue_is_read_before_any_text(hub: HubServer, run: Run) -> None:
    run(TWO)
    asked = [(path, span) for _, path, span in hub.log if "/cdn/" in path]
    last_part = max(index for index, (_, span) in enumerate(asked) if span)
    first_whole = min(index for index, (_, span) in enumerate(asked) if not span)
    assert last_part < first_whole
    read = sum(int(span.split("-")[1]) - int(span.split("=")[1].split("-")[0]) + 1 for _, span in asked if span)
    assert read < sum(len(hub.files[BOOKS][name]) for name in SHARDS) // 2


def test_an_author_who_is_in_no_row_is_named_before_files_are_fetched(
    hub: HubServer, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.instead[SHARDS[1].rpartition("/")[2]] = hub.files[BOOKS][SHARDS[1]] + b"more"  # so the download fails
    assert run(TWO.replace('"fabre"', '"fabre", "Nobody, A."')) == ExitCode.BAD_INPUT
    assert 'warning: insects: no row has authors "Nobody, A."' in capsys.readouterr().err
    hub.instead.clear()
    assert run(TWO.replace('"fabre"', '"fabre", "Nobody, A."')) == 0
    assert report(tmp_path)["insects"]["warnings"] == ['no row has authors "Nobody, A."']
    assert capsys.readouterr().err.count('warning: insects: no row has authors "Nobody, A."') == 1


def test_a_source_that_yields_nothing_is_a_warning_and_fetches_nothing(
    hub: HubServer, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(source("none", 1, select='{authors = ["Nobody"]}')) == 0
    assert "warning: none: yields nothing" in capsys.readouterr().err
    assert whole_files(hub) == []
    assert rows(tmp_path, "none") == []
    assert report(tmp_path)["none"]["rows_read"] == 300


def test_only_files_with_selected_rows_are_fetched(hub: HubServer, run: Run, tmp_path: Path) -> None:
    rare = book(1) | {"METADATA": json.dumps({"authors": "Rare, A."})}
    hub.files[BOOKS][SHARDS[1]] = parquet([book(0), rare])
    assert run(source("rare", 1, select='{authors = ["rare"]}')) == 0
    assert whole_files(hub) == SHARDS[1:]
    assert rows(tmp_path, "rare") == [{"id": f"{Path(SHARDS[1]).stem}:2", "text": rare["TEXT"]}]
    assert report(tmp_path)["rare"]["rows_read"] == 202


def test_a_server_without_ranges_leaves_the_catalogue_to_the_texts(
    hub: HubServer, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.ranges = False
    assert run(TWO.replace('"fabre"', '"fabre", "Nobody"')) == 0
    assert 'warning: insects: no row has authors "Nobody"' in capsys.readouterr().err
    assert len(rows(tmp_path, "insects")) == 150
    assert report(tmp_path)["insects"]["rows_read"] == 300


def test_a_cut_connection_is_gone_on_with(hub: HubServer, run: Run, tmp_path: Path) -> None:
    run(TWO)
    expected = (tmp_path / "mix.blend" / "raw" / "insects" / "text.jsonl").read_bytes()
    name = SHARDS[0].rpartition("/")[2]
    hub.sent.clear()
    hub.log.clear()
    hub.cuts[name] = [10**9, 10**9, 50_000, 20_000]  # the footer and the catalogue come whole
    assert run(TWO, "--again") == 0
    assert (tmp_path / "mix.blend" / "raw" / "insects" / "text.jsonl").read_bytes() == expected
    assert hub.gets(f"/cdn/{BOOKS}::{SHARDS[0]}")[2:] == ["", "bytes=50000-", "bytes=70000-"]


def test_a_killed_run_is_gone_on_with_and_gives_the_same(hub: HubServer, run: Run, tmp_path: Path) -> None:
    run(TWO)
    folder = tmp_path / "mix.blend" / "raw"
    expected = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    name, parts = SHARDS[0].rpartition("/")[2], hub.gets(f"::{SHARDS[0]}")[:2]
    hub.cuts[name] = [10**9, 10**9, 60_000]
    hub.stalls.add(name)
    words = [sys.executable, "-m", "bookblend", "blend", "fetch", str(tmp_path / "mix.toml"), "--again"]
    with subprocess.Popen(words, env=os.environ | {"HF_ENDPOINT": hub.url}, stderr=subprocess.DEVNULL) as process:
        part = folder / ".hub" / BOOKS.replace("/", "--") / REVISION / f"{SHARDS[0]}.part"
        other = part.with_name(SHARDS[1].rpartition("/")[2])
        until = time.monotonic() + 20
        while not (part.is_file() and part.stat().st_size == 60_000 and other.is_file()):
            assert time.monotonic() < until
        process.send_signal(signal.SIGKILL)
    assert {path: path.read_bytes() for path in expected} == expected
    hub.over.set()
    hub.log.clear()
    assert run(TWO, "--again") == 0
    assert {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()} == expected
    whole = [(path.rpartition("/")[2], span) for _, path, span in hub.log if "/cdn/" in path]
    assert whole == [(f"{BOOKS}::{SHARDS[0]}".rpartition("/")[2], span) for span in (*parts, "bytes=60000-")]


def test_a_shard_with_another_hash_is_refused(
    hub: HubServer, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    right = hub.files[BOOKS][SHARDS[0]]
    wrong = right.replace(b"Book 4\n", b"Book 5\n")
    hub.instead[SHARDS[0].rpartition("/")[2]] = wrong
    assert run(TWO) == ExitCode.BAD_INPUT
    error = capsys.readouterr().err.splitlines()[-1]
    assert hashlib.sha256(wrong).hexdigest() in error
    assert hashlib.sha256(right).hexdigest() in error
    assert not list(tmp_path.rglob("text.jsonl"))
    assert not list(tmp_path.rglob(SHARDS[0].rpartition("/")[2] + "*"))


@pytest.mark.parametrize(
    ("change", "line"),
    [
        (lambda text: text.replace(REVISION, "f" * 40), "has no such revision"),
        (lambda text: text.replace(BOOKS, "o/none"), "no such dataset, or a private one"),
        (lambda text: text.replace('"TEXT"', '"BODY"'), "has no column 'BODY'; there are TEXT, METADATA"),
        (lambda text: text.replace(SHELF, f'{SHELF}\ngroup = "AUTHOR"'), "has no column 'AUTHOR'"),
        (lambda text: text.replace(f'"{REVISION}"', f'"{REVISION}", split = "dev"'), "no file is of split 'dev'"),
    ],
)
def test_what_is_not_there_is_one_line_before_files_are_fetched(
    change: Callable[[str], str], line: str, hub: HubServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(change(TWO)) == ExitCode.BAD_INPUT
    errors = capsys.readouterr().err.splitlines()
    assert len(errors) == 1
    assert line in errors[0]
    assert whole_files(hub) == []


def test_a_gated_dataset_says_what_to_do(hub: HubServer, run: Run, capsys: pytest.CaptureFixture[str]) -> None:
    hub.gated.add(BOOKS)
    assert run(TWO) == ExitCode.BAD_INPUT
    assert "accept its conditions on its page and log in" in capsys.readouterr().err


def test_the_users_token_goes_to_the_hub_and_not_to_where_files_lie(
    hub: HubServer, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_secret")
    run(TWO)
    assert {token for path, token in hub.tokens if not path.startswith("/cdn/")} == {"Bearer hf_secret"}
    assert {token for path, token in hub.tokens if path.startswith("/cdn/")} == {""}


def test_a_rate_limit_is_waited_for(hub: HubServer, run: Run, tmp_path: Path) -> None:
    hub.statuses[f"/tree/{REVISION}"] = [(429, {"Retry-After": "0"})]
    hub.statuses[f"::{SHARDS[0]}"] = [(429, {"Retry-After": "0"})] * 2
    assert run(TWO) == 0
    assert len(rows(tmp_path, "insects")) == 150


def test_a_rate_limit_that_does_not_end_is_one_line(
    hub: HubServer, run: Run, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.statuses[f"/tree/{REVISION}"] = [(429, {"Retry-After": "0"})] * 50
    assert run(TWO) == ExitCode.FAILED
    assert "the Hub answers 429" in capsys.readouterr().err.splitlines()[-1]


@pytest.mark.usefixtures("hub")
def test_a_hub_that_is_not_there_is_one_line(
    run: Run, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    assert run(TWO) == ExitCode.FAILED
    assert "http://127.0.0.1:9 cannot be reached" in capsys.readouterr().err.splitlines()[-1]


def test_ids_and_groups_are_the_columns_own(hub: HubServer, run: Run, tmp_path: Path) -> None:
    poem = [{"line": f"Line {n}", "gutenberg_id": n // 2, "n": None if n == 1 else n} for n in range(4)]
    hub.files["o/poems"] = {"data/train-00000-of-00001.parquet": parquet(poem)}
    origin = f'hub = {{repo = "o/poems", revision = "{REVISION}"}}'
    assert run(source("poems", 1, origin, more='text = "line"\nid = "n"\ngroup = "gutenberg_id"')) == 0
    assert rows(tmp_path, "poems") == [
        {"id": "0", "text": "Line 0", "group": "0"},
        {"id": "train-00000-of-00001:2", "text": "Line 1", "group": "0"},
        {"id": "2", "text": "Line 2", "group": "1"},
        {"id": "3", "text": "Line 3", "group": "1"},
    ]


def test_rows_that_cannot_be_used_are_counted_by_reason(hub: HubServer, run: Run, tmp_path: Path) -> None:
    lines = b'{"text": "a"}\n{"text": null}\n7\nno json\n{"text": 5}\n{"text": "b"}\n'
    hub.files["o/lines"] = {"train.jsonl.gz": gzip.compress(lines)}
    assert run(source("lines", 1, f'hub = {{repo = "o/lines", revision = "{REVISION}"}}')) == 0
    assert rows(tmp_path, "lines") == [{"id": "train:1", "text": "a"}, {"id": "train:6", "text": "b"}]
    told = report(tmp_path)["lines"]
    assert (told["rows_read"], told["rows_taken"]) == (6, 2)
    assert sum(told["rows_skipped"].values()) == 4
    assert {"no text", "text is no string", "is no object"} < told["rows_skipped"].keys()


@pytest.mark.parametrize(
    ("name", "data", "more", "expected"),
    [
        ("a.csv", b"text,n\nOne,1\nTwo,2\n", "", [("a:2", "One"), ("a:3", "Two")]),
        ("a.jsonl", b'{"text": "One"}\n', "", [("a:1", "One")]),
        ("a.txt", "\ufeffOne\r\nTwo é\n".encode(), "", [("a:1", "One\r\nTwo é\n")]),
        ("a.csv", b"q,a\nOne?,Two\n", 'template = "{{ q }} {{ a }}"', [("a:2", "One? Two")]),
        ("a b.parquet", parquet([{"text": "One"}]), "", [("a_b:1", "One")]),
        ("download", parquet([{"text": "One"}]), "", [("download:1", "One")]),
    ],
)
def test_files_of_the_web(
    name: str, data: bytes, more: str, expected: list[tuple[str, str]], hub: HubServer, run: Run, tmp_path: Path
) -> None:
    hub.web[name] = data
    address = f"{hub.url}/web/{name.replace(' ', '%20')}?x=1"
    origin = f'http = {{url = "{address}", sha256 = "{hashlib.sha256(data).hexdigest()}"}}'
    assert run(source("w", 1, origin, more=more)) == 0
    assert [(row["id"], row["text"]) for row in rows(tmp_path, "w")] == expected
    assert report(tmp_path)["w"]["files"][0]["bytes"] == len(data)
    hub.log.clear()
    assert run(source("w", 1, origin, more=more)) == 0
    assert hub.log == []
    assert not list((tmp_path / "mix.blend" / "raw").glob(".*"))


def test_a_file_of_the_web_with_another_hash_is_refused(
    hub: HubServer, run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hub.web["a.csv"] = b"text\nOne\n"
    assert run(source("w", 1, f'http = {{url = "{hub.url}/web/a.csv", sha256 = "{"0" * 64}"}}')) == ExitCode.BAD_INPUT
    error = capsys.readouterr().err.splitlines()[-1]
    assert "0" * 64 in error
    assert hashlib.sha256(b"text\nOne\n").hexdigest() in error
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.name != "mix.toml"]


def test_types_of_columns_that_writers_choose(hub: HubServer, run: Run, tmp_path: Path) -> None:
    """Dictionaries, large strings, structs and lists in the catalogue, and shards without any row."""
    text = ["One", "Two", None]
    people = [{"authors": [{"name": "Fabre, J."}], "n": 1}, {"authors": [], "n": 2}, {"authors": None, "n": 3}]
    plain = pa.table({"TEXT": pa.array(text, pa.large_string()), "METADATA": pa.array(people)})
    hub.files[BOOKS] = {}
    for name, table in zip(SHARDS, (plain.slice(0, 0), plain), strict=True):
        out = io.BytesIO()
        pq.write_table(table, out)
        hub.files[BOOKS][name] = out.getvalue()
    assert run(source("a", 1, select='{authors = ["fabre"]}')) == 0
    assert [row["text"] for row in rows(tmp_path, "a")] == ["One"]
    words = pa.array(text).dictionary_encode()
    out = io.BytesIO()
    pq.write_table(pa.table({"text": words, "id": pa.array([5, 6, 7], pa.int8())}), out)
    hub.files["o/d"] = {"train.parquet": out.getvalue()}
    assert run(source("d", 1, f'hub = {{repo = "o/d", revision = "{REVISION}"}}', more='id = "id"')) == 0
    assert rows(tmp_path, "d") == [{"id": "5", "text": "One"}, {"id": "6", "text": "Two"}]
    assert report(tmp_path)["d"]["rows_skipped"] == {"no text": 1}


def test_files_of_two_splits_and_what_an_older_recipe_left_are_cleared(
    hub: HubServer, run: Run, tmp_path: Path
) -> None:
    hub.files["o/s"] = {"train.csv": b"text\nOne\n", "test.csv": b"text\nTwo\n"}
    origin = f'hub = {{repo = "o/s", revision = "{REVISION}", split = "SPLIT"}}'
    both = source("a", 0.5, origin.replace("SPLIT", "train")) + source("b", 0.5, origin.replace("SPLIT", "test"))
    left = tmp_path / "mix.blend/raw/.hub/o--s" / ("f" * 40) / "train.csv.part"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"te")
    assert run(both, "--source", "b") == 0
    assert [row["text"] for row in rows(tmp_path, "b")] == ["Two"]
    assert [path for path in (tmp_path / "mix.blend/raw/.hub").rglob("*") if path.is_file()] == [left]
    assert run(both) == 0
    assert [row["text"] for row in rows(tmp_path, "a")] == ["One"]
    assert not (tmp_path / "mix.blend/raw/.hub").exists()


@pytest.mark.usefixtures("hub")
def test_one_source_by_name(run: Run, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(TWO, "--source", "tales") == 0
    assert not (tmp_path / "mix.blend" / "raw" / "insects").exists()
    assert "not fetched yet" in capsys.readouterr().err
    assert run(TWO, "--source", "other") == ExitCode.USAGE


def test_a_full_volume_is_told_before_anything_is_fetched(
    hub: HubServer, run: Run, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(disk, "free_bytes", lambda _: 100_000)
    assert run(TWO) == ExitCode.FAILED
    assert "the fetch needs about" in capsys.readouterr().err
    assert whole_files(hub) == []
    assert run(TWO, command="check-disk") == ExitCode.FAILED
    assert "does not fit" in capsys.readouterr().out
    assert not json.loads((tmp_path / "mix.blend" / "check-disk.json").read_text("utf-8"))["fits"]


def test_check_disk_counts_what_is_missing_and_estimates_the_texts(hub: HubServer, run: Run, tmp_path: Path) -> None:
    assert run(TWO, "--report", str(tmp_path / "r.json"), command="check-disk") == 0
    (told,) = json.loads((tmp_path / "r.json").read_text("utf-8"))["datasets"]
    assert told["bytes_to_fetch"] == sum(len(hub.files[BOOKS][name]) for name in SHARDS)
    assert whole_files(hub) == []
    run(TWO)
    written = sum(len((tmp_path / f"mix.blend/raw/{name}/text.jsonl").read_bytes()) for name in ("insects", "tales"))
    assert written <= told["bytes_to_write"] <= 1.5 * written
    assert run(TWO, "--report", str(tmp_path / "r.json"), command="check-disk") == 0
    assert json.loads((tmp_path / "r.json").read_text("utf-8"))["bytes_needed"] == 0
