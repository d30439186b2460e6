"""`convert parquet`: the text of each type, what is refused, what is warned of."""

import decimal
import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from bookblend.cli import main
from bookblend.convert import arrow_json
from bookblend.convert.arrow_json import Notes, encode_batch
from bookblend.convert.parquet import Table


def _json(array: Any) -> str:
    lines = bytes(encode_batch(pa.record_batch([array], names=["c"]), Notes())).decode().splitlines()
    return " ".join(line.removeprefix('{"c":').removesuffix("}") for line in lines)


def _ints(values: list[int | None], kind: Any, width: Any = None) -> Any:
    return pa.array(values, width or pa.int64()).view(kind)


GOLDEN = {
    "floats": (pa.array([1.0, -0.0, 1e20, 0.1, None]), "1.0 -0.0 1e+20 0.1 null"),
    "not finite": (pa.array([float("nan"), float("inf")]), "null null"),
    "half": (pa.array([1.5, None], pa.float16()), "1.5 null"),
    "uint64": (pa.array([2**64 - 1, None], pa.uint64()), "18446744073709551615 null"),
    "bool": (pa.array([True, False, None]), "true false null"),
    "text": (pa.array(['"\\\n\x00\u2028\u0085é', None, ""]), '"\\"\\\\\\n\\u0000\\u2028\\u0085é" null ""'),
    "large text": (pa.array(["a", None], pa.large_string()), '"a" null'),
    "text view": (pa.array(["a", None], pa.string_view()), '"a" null'),
    "decimal": (pa.array([decimal.Decimal("1E-9"), None], pa.decimal128(20, 9)), '"0.000000001" null'),
    "binary": (pa.array([b"\xff\x00", None]), '"/wA=" null'),
    "date": (_ints([0, 3_000_000, -800_000], pa.date32(), pa.int32()), '"1970-01-01" "+10183-09-21" "-0221-09-04"'),
    "time": (_ints([1, None], pa.time64("ns")), '"00:00:00.000000001" null'),
    "local": (_ints([-1, None], pa.timestamp("ns")), '"1969-12-31T23:59:59.999999999" null'),
    "instant": (_ints([1500], pa.timestamp("ms", "Europe/Paris")), '"1970-01-01T00:00:01.500Z"'),
    "far": (_ints([2**62], pa.timestamp("s")), '"+146138514283-06-19T07:45:04"'),
    "duration": (_ints([-1, 1500, None], pa.duration("ms")), '"-PT0.001S" "PT1.5S" null'),
    "null": (pa.nulls(2), "null null"),
    "dictionary": (pa.array(["a", None, "b"]).dictionary_encode(), '"a" null "b"'),
    "fixed list": (pa.array([[1, 2], None], pa.list_(pa.int8(), 2)), "[1,2] null"),
    "struct": (pa.array([{"a": 1, "b": None}, None]), '{"a":1,"b":null} null'),
    "chat": (pa.array([[{"r": "u"}, None], [], None]), '[{"r":"u"},null] [] null'),
    "map": (pa.array([[("k", 1)], None, []], pa.map_(pa.string(), pa.int8())), '{"k":1} null {}'),
    "map, key twice": (pa.array([[("k", 1), ("k", 2)]], pa.map_(pa.string(), pa.int8())), '[["k",1],["k",2]]'),
    "map of numbers": (pa.array([[(1, "a")]], pa.map_(pa.int8(), pa.string())), '[[1,"a"]]'),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_each_type_has_its_text_also_in_slices(name: str) -> None:
    array, expected = GOLDEN[name]
    assert _json(array) == expected
    for index in range(len(array)):
        assert json.loads(_json(array.slice(index, 1))) == json.loads(_json(pa.concat_arrays([array.slice(index, 1)])))


@pytest.mark.parametrize("make", [pa.list_, pa.large_list, pa.list_view, pa.large_list_view])
def test_every_list_type_also_sliced(make: Any) -> None:
    array = pa.array([[1, 2], None, [], [None]], make(pa.int64()))
    assert _json(array) == "[1,2] null [] [null]"
    assert _json(array.slice(1)) == "null [] [null]"


def _write(path: Path, **columns: Any) -> str:
    pq.write_table(pa.table(columns), path)
    return str(path)


def test_text_that_is_no_utf8_is_refused_with_its_row(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = pa.array([b"a", b"\xff"]).view(pa.string())
    assert main(["convert", "parquet", _write(tmp_path / "x.parquet", t=bad), "-o", str(tmp_path / "o")]) == 3
    assert 'row 2, column "t": the text is not UTF-8' in capsys.readouterr().err
    assert not (tmp_path / "o").exists()


def test_columns_are_projected_in_the_order_asked_for(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = _write(tmp_path / "x.parquet", **{"a": [1], "a.b": [{"c": 2}], "d": [[3]]})
    assert main(["convert", "parquet", source, "-o", str(tmp_path / "o"), "--columns", "d,a.b"]) == 0
    assert (tmp_path / "o").read_text() == '{"d":[3],"a.b":{"c":2}}\n'
    assert main(["convert", "parquet", source, "--columns", "nope"]) == 3
    assert "has no column 'nope'; there are a, a.b, d" in capsys.readouterr().err


def test_a_folder_is_read_in_natural_order_without_hidden_files(tmp_path: Path) -> None:
    for name in ("p10.parquet", "p2.parquet", "_metadata.parquet", ".x.parquet"):
        _write(tmp_path / name, n=[name])
    assert main(["convert", "parquet", str(tmp_path), "-o", str(tmp_path / "o")]) == 0
    assert (tmp_path / "o").read_text() == '{"n":"p2.parquet"}\n{"n":"p10.parquet"}\n'


def test_real_files_are_equal_to_what_arrow_reads(shared: Path, tmp_path: Path) -> None:
    files = sorted((shared / "real/tabular/parquet").glob("*.parquet"))
    if not files:
        pytest.skip("no real Parquet files there")
    for path in files:
        try:
            groups = pq.ParquetFile(path).metadata
            if any(groups.row_group(n).total_byte_size > 500_000_000 for n in range(groups.num_row_groups)):
                continue  # gigabytes in one row: refused, and slow to unpack
            rows = [row for batch in pq.ParquetFile(path).iter_batches() for row in batch.to_pylist()]
        except (pa.ArrowException, OSError):
            continue
        assert main(["convert", "parquet", str(path), "-o", str(tmp_path / "o")]) == 0
        ours = [json.loads(line) for line in (tmp_path / "o").read_text().splitlines()]
        assert [list(row) for row in ours] == [list(row) for row in rows], path.name
        for mine, theirs in zip(ours, rows, strict=True):
            for key, value in theirs.items():
                if isinstance(value, (int, str, list)) or value is None:
                    assert mine[key] == value, (path.name, key)


@pytest.mark.parametrize("year", [1500, 1969, 2026, 3000])
def test_times_of_the_old_int96_type_are_right_in_any_year(tmp_path: Path, year: int) -> None:
    """Arrow reads them as nanoseconds, which wrap outside 1677-2262."""
    moment = datetime(year, 3, 4, 5, 6, 7, 891_000)
    kind = pa.timestamp("us")
    table = pa.table({"t": pa.array([moment, None], kind), "l": pa.array([[moment], []], pa.list_(kind))})
    pq.write_table(table, tmp_path / "t.parquet", use_deprecated_int96_timestamps=True)

    assert main(["convert", "parquet", str(tmp_path / "t.parquet"), "-o", str(tmp_path / "o")]) == 0

    first, second = map(json.loads, (tmp_path / "o").read_text("utf-8").splitlines())
    assert first["t"].startswith(f"{year}-03-04T05:06:07.891000")
    assert first["l"] == [first["t"]]
    assert second == {"t": None, "l": []}


def test_a_row_group_with_fewer_rows_than_it_says_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq.write_table(pa.table({"a": [1, 2, 3]}), tmp_path / "t.parquet")
    whole = Table._from_group
    monkeypatch.setattr(Table, "_from_group", lambda *given: (batch.slice(1) for batch in whole(*given)))

    assert main(["convert", "parquet", str(tmp_path / "t.parquet"), "-o", str(tmp_path / "o")]) == 3
    assert not (tmp_path / "o").exists()


def test_values_that_come_out_longer_than_an_array_are_encoded_in_parts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = arrow_json.encode_batch

    def narrow(batch: Any, notes: Any) -> Any:
        if batch.num_rows > 2:
            raise pa.ArrowCapacityError("array cannot contain more than 2 rows")
        return whole(batch, notes)

    monkeypatch.setattr(arrow_json, "encode_batch", narrow)
    pq.write_table(pa.table({"a": list(range(7))}), tmp_path / "t.parquet")

    assert main(["convert", "parquet", str(tmp_path / "t.parquet"), "-o", str(tmp_path / "o")]) == 0
    assert [json.loads(line)["a"] for line in (tmp_path / "o").read_text("utf-8").splitlines()] == list(range(7))


def test_clashing_and_missing_columns_are_said_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pq.write_table(pa.table({"text": ["a"], "n": [1]}), tmp_path / "a.parquet")
    pq.write_table(pa.table({"text": ["b"], "n": ["x"]}), tmp_path / "b.parquet")
    pq.write_table(pa.table({"Text": ["c"]}), tmp_path / "c.parquet")

    assert main(["convert", "parquet", str(tmp_path)]) == 0

    out, err = capsys.readouterr()
    rows = [json.loads(line) for line in out.splitlines()]
    assert rows == [{"text": "a", "n": 1}, {"text": "b", "n": "x"}, {"Text": "c"}]
    assert "b.parquet: another schema: column 'n' is string, before int64" in err
    assert "c.parquet: another schema" in err
