"""`bookblend convert shuffle`: uniform, fixed by its seed whatever the memory, byte for byte, whole or not at all."""

import errno
import gzip
import io
import os
import random
import signal
import subprocess
import sys
import time
from array import array
from collections import Counter
from contextlib import nullcontext
from itertools import permutations
from math import factorial
from pathlib import Path

import pytest
import zstandard
from hypothesis import given, settings
from hypothesis import strategies as st

from bookblend import cli
from bookblend.convert.shuffle import Counts, Keys, Shuffle

ROOMY = 1 << 30


@pytest.fixture(autouse=True)
def small_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tests' own process may hold more than a command's whole `--memory`."""
    monkeypatch.setattr("bookblend.convert.shuffle_command._resident", lambda: 30 << 20)


def shuffled(data: bytes, keys: Keys, folder: Path, budget: int = ROOMY, expected: int = 0) -> tuple[bytes, Counts]:
    out = io.BytesIO()

    def scratch() -> Path:
        folder.mkdir(exist_ok=True)
        return folder

    counts = Shuffle(keys, budget, scratch, expected).run([nullcontext(io.BytesIO(data))], out)
    return out.getvalue(), counts


def order(data: bytes, seed: int) -> bytes:
    """In memory: a folder is not called for."""
    return shuffled(data, Keys(seed), Path("/nowhere"))[0]


def numbered(count: int) -> bytes:
    return b"".join(b'{"id": %d}\n' % number for number in range(count))


def mixed_sizes(count: int) -> bytes:
    sizes = random.Random(1)
    return b"".join(b"%d %s\n" % (number, b"x" * int(sizes.lognormvariate(3, 1.5))) for number in range(count))


def run(*words: str, data: bytes | None = None) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "bookblend", "convert", "shuffle", *words]
    return subprocess.run(command, input=data, capture_output=True, timeout=60, check=False)


def test_the_order_of_a_seed_never_changes() -> None:
    letters = b"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n"

    assert order(letters, 0).replace(b"\n", b"") == b"haebcdgjif"
    assert order(letters, 7).replace(b"\n", b"") == b"hacbjifged"
    assert order(letters, 2**64 - 1).replace(b"\n", b"") == b"edigchfbja"


def test_every_order_is_equally_likely() -> None:
    seeds = 4800
    seen = Counter(order(b"a\nb\nc\nd\n", seed) for seed in range(seeds))
    expected = seeds / factorial(4)
    chi_square = sum((seen["\n".join((*p, "")).encode()] - expected) ** 2 / expected for p in permutations("abcd"))

    assert len(seen) == factorial(4)
    assert chi_square < 49.7  # 23 degrees of freedom, 0.1 %; the seeds are fixed


def test_every_record_is_equally_likely_in_every_place_where_buckets_are_used(tmp_path: Path) -> None:
    count, seeds = 8, 400
    seen: Counter[tuple[int, bytes]] = Counter()
    for seed in range(seeds):
        out, _ = shuffled(b"".join(b"%d%s\n" % (n, b"x" * 50) for n in range(count)), Keys(seed), tmp_path / "s", 1000)
        seen.update(enumerate(line[:1] for line in out.split()))
    expected = seeds / count

    assert sum((n - expected) ** 2 / expected for n in seen.values()) < 85.4  # 49 degrees of freedom, 0.1 %
    assert len(seen) == count**2


@pytest.mark.parametrize("budget", [10_000, 40_000, 400_000, 4_000_000])
@pytest.mark.parametrize("expected", [0, ROOMY])
def test_memory_has_no_part_in_the_order(tmp_path: Path, budget: int, expected: int) -> None:
    data = mixed_sizes(3000)
    out, counts = shuffled(data, Keys(5), tmp_path / "scratch", budget, expected)

    assert out == order(data, 5)
    assert sorted(out.split(b"\n")) == sorted(data.split(b"\n"))
    assert (counts.records, counts.size) == (3000, len(data))
    assert budget > len(data) or (tmp_path / "scratch").exists()
    assert not list(tmp_path.glob("scratch/*"))


def test_records_larger_than_the_memory_are_moved_like_others(tmp_path: Path) -> None:
    data = b"".join(b"%d%s\n" % (n, b"y" * (100_000 if n % 100 == 50 else 3)) for n in range(400))

    assert shuffled(data, Keys(1), tmp_path / "scratch", 8_000)[0] == order(data, 1)


class Tied(Keys):
    """Keys of two bits: nearly all of them equal to others."""

    def take(self, count: int) -> "array[int]":
        return array("Q", [key & 3 for key in super().take(count)])


def test_records_of_the_same_key_are_told_apart_by_more_bits_whatever_the_memory(tmp_path: Path) -> None:
    data = numbered(200)
    at_once, _ = shuffled(data, Tied(3), tmp_path / "a")
    in_pieces, _ = shuffled(data, Tied(3), tmp_path / "b", 2_000)
    seen = Counter(shuffled(b"a\nb\nc\n", Tied(seed), tmp_path / "c")[0] for seed in range(1200))

    assert at_once == in_pieces
    assert sorted(at_once.split()) == sorted(data.split())
    assert sum((count - 200) ** 2 / 200 for count in seen.values()) < 20.5  # 5 degrees of freedom, 0.1 %
    assert len(seen) == 6


LINE_LIKE = b"\n\r\x0b\x0c\x00a\xe2\x80\xa8\xff"


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([LINE_LIKE[n : n + 1] for n in range(len(LINE_LIKE))])), st.integers(0, 2**64))
def test_records_are_kept_byte_for_byte_and_split_at_newlines_only(pieces: list[bytes], seed: int) -> None:
    data = b"".join(pieces)
    whole = data if data.endswith(b"\n") or not data else data + b"\n"
    out = order(data, seed)

    assert len(out) == len(whole)
    assert Counter(out.split(b"\n")) == Counter(whole.split(b"\n"))


def test_every_input_ends_with_a_newline_and_inputs_follow_each_other_in_the_order_given(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"1\r\n2\xe2\x80\xa8x")
    (tmp_path / "b").write_bytes(b"\x003\n\n4")
    done = run(*(str(tmp_path / name) for name in ("a", "b", "out")), "--seed", "9")

    assert done.returncode == 0
    assert done.stdout == b""
    assert b"warning: 1 record of no bytes (blank lines) kept" in done.stderr
    assert done.stderr.endswith(b"5 records, 0.0 MB, seed 9\n")
    assert (tmp_path / "out").read_bytes() == order(b"1\r\n2\xe2\x80\xa8x\n\x003\n\n4\n", 9)


def test_compressed_files_of_several_members_are_read_whole_and_written_by_suffix(tmp_path: Path) -> None:
    data = numbered(90)
    cut = data.index(b"\n", 490) + 1
    plain, packed = data[:cut], data[cut:]
    (tmp_path / "in.gz").write_bytes(gzip.compress(plain[:200]) + gzip.compress(plain[200:]))
    pack = zstandard.ZstdCompressor().compress
    (tmp_path / "in.zst").write_bytes(pack(packed[:99]) + pack(packed[99:]))
    for suffix in ("", ".gz", ".zst"):
        names = [str(tmp_path / name) for name in ("in.gz", "in.zst", "out" + suffix)]
        assert cli.main(["convert", "shuffle", *names, "--seed", "4"]) == 0

    assert (tmp_path / "out").read_bytes() == order(data, 4)
    assert gzip.decompress((tmp_path / "out.gz").read_bytes()) == order(data, 4)
    with zstandard.open(tmp_path / "out.zst", "rb") as stream:
        assert stream.read() == order(data, 4)


def test_standard_streams(tmp_path: Path) -> None:
    (tmp_path / "more").write_bytes(b"z\n")
    done = run("-", str(tmp_path / "more"), "-", "--seed", "2", data=numbered(30))

    assert done.returncode == 0
    assert done.stdout == order(numbered(30) + b"z\n", 2)


def test_without_a_seed_the_order_differs_and_the_seed_said_gives_it_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, first, second, again = (str(tmp_path / name) for name in ("in", "first", "second", "again"))
    Path(source).write_bytes(numbered(50))
    assert cli.main(["convert", "shuffle", source, first]) == 0
    seed = capsys.readouterr().err.rstrip().rpartition("seed ")[2]
    assert cli.main(["convert", "shuffle", source, second]) == 0
    assert cli.main(["convert", "shuffle", source, again, "--seed", seed]) == 0

    assert Path(first).read_bytes() == Path(again).read_bytes() != Path(second).read_bytes()


@pytest.mark.parametrize("data", [b"", b"one", b"one\n"])
def test_empty_files_and_single_records(data: bytes) -> None:
    assert order(data, 1) == data.rstrip(b"\n") + (b"\n" if data else b"")


@pytest.mark.parametrize(
    ("words", "status", "said"),
    [
        (["in", "in"], 2, "same file"),
        (["other", "in", "./in"], 2, "same file"),
        (["in", "link"], 2, "same file"),
        (["-", "-", "out"], 2, "once only"),
        (["in", "out", "--seed", "x"], 2, "--seed x: is no whole number"),
        (["in", "out", "--memory", "12Q"], 2, "--memory 12Q: is no size"),
        (["in", "out", "--memory", "1M"], 2, "--memory 1M: is too little"),
        (["gone", "out"], 3, "gone: no such file"),
        (["cut.gz", "out"], 3, "cut off"),
        (["in", "no/out"], 1, "no such folder"),
    ],
)
def test_what_cannot_be_is_one_line_and_leaves_everything_as_it_was(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    status: int,
    said: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("in", "other", "out"):
        Path(name).write_bytes(name.encode() + b"\n")
    Path("link").symlink_to("in")
    Path("cut.gz").write_bytes(gzip.compress(os.urandom(5000))[:3000])
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

    assert cli.main(["convert", "shuffle", *words]) == status
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
def test_a_full_disk_is_one_line_that_says_how_much_room_is_needed(tmp_path: Path) -> None:
    (tmp_path / "in").write_bytes(numbered(200_000))
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "bookblend", "convert", "shuffle", str(tmp_path / "in"), "-"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, timeout=60, check=False)

    assert done.returncode == 1
    assert b"no room left" in done.stderr
    assert done.stderr.count(b"\n") == 1


@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_an_interrupted_run_leaves_no_output_and_its_temporary_files_go_with_the_next(
    tmp_path: Path, sign: signal.Signals
) -> None:
    source, target = tmp_path / "in", tmp_path / "out [1].jsonl"
    target.write_bytes(b"before\n")
    command = [sys.executable, "-m", "bookblend", "convert", "shuffle", "-", str(target), "--memory", "40M"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdin
        assert process.stderr
        process.stdin.write(b"%s\n" % (b"x" * 999) * 40_000)
        process.stdin.flush()
        for _ in range(500):
            if list(tmp_path.glob(".out*scratch*/*")):
                break
            time.sleep(0.02)
        assert len(list(tmp_path.glob(".out*scratch*/*"))) > 1
        process.send_signal(sign)
        process.wait(30)
        said = process.stderr.read()

    assert target.read_bytes() == b"before\n"
    if sign == signal.SIGINT:
        assert process.returncode == 130
        assert said == b"bookblend: interrupted; nothing was replaced\n"
        assert [path.name for path in tmp_path.iterdir()] == [target.name]
    source.write_bytes(numbered(5))
    assert cli.main(["convert", "shuffle", str(source), str(target), "--seed", "1"]) == 0
    assert target.read_bytes() == order(numbered(5), 1)
    assert {path.name for path in tmp_path.iterdir()} == {source.name, target.name}


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the system does not tell memory in use")
def test_memory_and_open_files_stay_within_their_limits(tmp_path: Path) -> None:
    block = os.urandom(1 << 20).replace(b"\n", b"") + b"\n"
    small = b"".join(b"%d\n" % n for n in range(150_000))
    (tmp_path / "in").write_bytes(block * 20 + small * 6)
    script = (
        "import resource, sys; resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))\n"
        "from bookblend import cli; status = cli.main(sys.argv[1:])\n"
        "import re; print(re.search(r'VmHWM:\\s+(\\d+)', open('/proc/self/status').read())[1]); sys.exit(status)"
    )
    words = ["convert", "shuffle", str(tmp_path / "in"), str(tmp_path / "out"), "--memory", "48M"]
    done = subprocess.run([sys.executable, "-c", script, *words], capture_output=True, timeout=60, check=False)

    assert done.returncode == 0
    assert int(done.stdout) < 48 * 1024
    assert (tmp_path / "out").stat().st_size == (tmp_path / "in").stat().st_size


def test_a_full_disk_is_told_with_what_the_shuffle_needs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(Shuffle, "run", full)
    (tmp_path / "in").write_bytes(b"a\n")

    assert cli.main(["convert", "shuffle", str(tmp_path / "in"), str(tmp_path / "out")]) == 1
    assert "output and temporary files together need about as much" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()
