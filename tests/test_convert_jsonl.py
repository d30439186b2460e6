"""What people call JSONL into strict JSONL: every value kept as it was written, every fault with its line."""

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookblend import cli
from bookblend.convert import jsonl_reader
from bookblend.convert.jsonl_reader import JsonlFile, read_jsonl


def read(data: bytes) -> tuple[list[str], list[tuple[int, str]], JsonlFile]:
    """The texts of the values, the bad lines with their reasons, and what was counted."""
    bad: list[tuple[int, str]] = []
    file = JsonlFile("in.jsonl", lambda line, reason, text: bad.append((line, reason)))  # noqa: ARG005
    return [value.text for value in read_jsonl(file, io.BytesIO(data))], bad, file


A, B = '{"text": "one"}', '{"text": "two"}'


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(f"{A}\n{B}\n", id="a value a line"),
        pytest.param(f"{A}\n{B}", id="no last line end"),
        pytest.param(f"\ufeff{A}\r\n{B}\r\n", id="byte order mark and CRLF"),
        pytest.param(f"\n{A}\n\n  \n{B}\n\n", id="blank lines"),
        pytest.param(f"{A} {B}\n", id="two a line"),
        pytest.param(f"{A}{B}", id="two without a blank"),
        pytest.param(f"[{A}, {B}]", id="an array in one line"),
        pytest.param(f"[\n{A},\n{B}\n]\n", id="an array, a value a line"),
        pytest.param(f"[{A}]\n[{B}]\n", id="two arrays"),
        pytest.param(f"{A},\n{B},\n", id="commas behind lines"),
        pytest.param('{\n  "text":\n    "one"\n}\n{\n"text": "two"}\n', id="over several lines"),
        pytest.param('[\n  {\n    "text": "one"\n  },\n  {\n    "text": "two"\n  }\n]', id="a pretty-printed array"),
    ],
)
def test_values_are_read_however_they_are_laid_out(data: str) -> None:
    texts, bad, _ = read(data.encode())

    assert [json.loads(text) for text in texts] == [json.loads(A), json.loads(B)]
    assert not bad
    assert not any("\n" in text for text in texts)


def test_utf_16_is_told_by_its_mark() -> None:
    assert read(f"{A}\n{B}\n".encode("utf-16"))[0] == [A, B]


@pytest.mark.parametrize(
    "text",
    [
        '{"a": 1.00000000000000000001, "b": 1E5, "c": 123456789012345678901234567890}',
        '{"a":"\\u0041\\/\\n", "b" : [ ]  , "c":{"d":-0.0}}',
        '{"a": "x\u2028y\u2029z\u0085w\x7f"}',
        '{"nul": "a\\u0000b", "pair": "😀"}',
    ],
)
def test_a_value_that_is_strict_keeps_its_very_text(text: str) -> None:
    assert read(text.encode() + b"\n")[0] == [text]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('{"s": NaN, "t": "NaN", "u": -Infinity, "v": [Infinity]}', '{"s": null, "t": "NaN", "u": null, "v": [null]}'),
        ('{"s": 1e999, "t": -1e999, "u": 1e-999}', '{"s": null, "t": null, "u": 1e-999}'),
    ],
)
def test_what_is_no_number_is_null_and_counted(text: str, written: str) -> None:
    texts, bad, file = read(text.encode())

    assert texts == [written]
    assert file.no_numbers == text.count("Inf") + text.count(" NaN") + text.count("e999")
    assert not bad


@pytest.mark.parametrize(
    ("text", "written", "lone"),
    [
        (r'{"t": "lone \ud83d high"}', r'{"t": "lone \ufffd high"}', 1),
        (r'{"t": "lone \uDE00 low"}', r'{"t": "lone \ufffd low"}', 1),
        (r'{"t": "\ud83d\ud83d\ude00"}', r'{"t": "\ufffd😀"}', 1),
        (r'{"t": "a pair \ud83d\ude00"}', '{"t": "a pair 😀"}', 0),
        (r'{"t": "no escape: \\ud83d"}', r'{"t": "no escape: \\ud83d"}', 0),
    ],
)
def test_lone_surrogates_are_replaced_and_pairs_are_characters(text: str, written: str, lone: int) -> None:
    texts, _, file = read(text.encode())

    assert texts == [written]
    assert file.lone == lone


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a": 1, "a": 2}', 'duplicate key "a"'),
        (b'{"b": {"a": 1, "a": 1}}', 'duplicate key "a"'),
        (b"{'a': 1}", "is no JSON"),
        (b'{"a": 1,}', "is no JSON"),
        (b'{"a": 1', "is no JSON"),
        (b'{"a": "cut', "is no JSON"),
        (b'{"a": "tab\there"}', "is no JSON"),
        (b"tru", "is no JSON"),
        (b"None", "is no JSON"),
        (b'{"a": ' + b"9" * 10_000 + b"}", "thousands of digits"),
        (b'{"a": "\xff"}', "is no UTF-8 text"),
        (b"[" * 100_000 + b"]" * 100_000, "nested too deeply"),
        (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, "nested too deeply"),
    ],
)
def test_a_bad_line_is_told_by_its_number_and_the_next_one_is_read(line: bytes, reason: str) -> None:
    texts, bad, _ = read(A.encode() + b"\n" + line + b"\n" + B.encode() + b"\n")

    assert texts == [A, B]
    assert len(bad) == 1
    assert bad[0][0] == 2
    assert reason in bad[0][1]


def test_an_array_that_is_cut_off_is_told_by_the_line_it_opens_in() -> None:
    texts, bad, _ = read(f"\n[{A},\n{B},\n".encode())

    assert texts == [A, B]
    assert bad == [(2, "the array that opens here is never closed: the file is cut off")]


def test_values_that_are_no_objects_are_kept_and_counted() -> None:
    texts, bad, file = read(b'[1, 2]\n"text"\n3\nnull\n')

    assert texts == ["[1, 2]", '"text"', "3", "null"]
    assert file.scalars == 4
    assert not bad


_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
_records = st.lists(st.dictionaries(st.text(max_size=5), _values, max_size=4), max_size=6)


@given(
    _records, st.sampled_from(["lines", "array", "pretty", "pretty array", "glued"]), st.integers(1, 40), st.booleans()
)
def test_any_records_in_any_layout_are_read_back_from_pieces_of_any_size(
    records: list[Any], layout: str, piece: int, ascii_only: bool
) -> None:
    dump = json.JSONEncoder(ensure_ascii=ascii_only).encode
    pretty = json.JSONEncoder(ensure_ascii=ascii_only, indent=2).encode
    text = {
        "lines": lambda: "".join(dump(record) + "\n" for record in records),
        "array": lambda: dump(records),
        "pretty": lambda: "\n".join(map(pretty, records)),
        "pretty array": lambda: pretty(records),
        "glued": lambda: "".join(map(dump, records)),
    }[layout]()
    data = text.encode("utf-8", "surrogatepass")
    kept, jsonl_reader.PIECE = jsonl_reader.PIECE, piece
    try:
        texts, bad, _ = read(data)
    finally:
        jsonl_reader.PIECE = kept

    assert not bad
    assert [json.loads(text) for text in texts] == records


# --- the command -----------------------------------------------------------------------------------------------------


def convert(folder: Path, data: bytes, *options: str) -> tuple[int, bytes]:
    source, target = folder / "in.jsonl", folder / "out.jsonl"
    source.write_bytes(data)
    code = cli.main(["convert", "jsonl", str(source), str(target), *options])
    return code, target.read_bytes() if target.exists() else b""


def test_a_bad_line_ends_the_work_and_nothing_is_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, written = convert(tmp_path, f"{A}\n{{bad\n{B}\n".encode())

    assert (code, written) == (3, b"")
    assert "in.jsonl: line 2: is no JSON" in capsys.readouterr().err


def test_bad_lines_are_skipped_and_listed_where_the_user_asks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    skipped = tmp_path / "skipped.jsonl"

    code, written = convert(tmp_path, f"{A}\n{{bad\n{B}\n".encode(), "--bad-lines", str(skipped))

    assert (code, written) == (0, f"{A}\n{B}\n".encode())
    entry = json.loads(skipped.read_text("utf-8"))
    assert (entry["line"], entry["text"]) == (2, "{bad")
    assert "1 record skipped" in capsys.readouterr().err


def test_lines_are_lines_for_every_reader(tmp_path: Path) -> None:
    _, written = convert(tmp_path, '{"t": "a\u2028b\u2029c\u0085d"}\n'.encode())

    assert written == b'{"t": "a\\u2028b\\u2029c\\u0085d"}\n'


def test_an_empty_file_has_no_records(tmp_path: Path) -> None:
    assert convert(tmp_path, b"") == (0, b"")


def test_the_list_of_bad_lines_is_no_other_file_of_the_command(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"

    assert convert(tmp_path, b"{}\n", "--bad-lines", str(source))[0] == 2
    assert source.read_bytes() == b"{}\n"
