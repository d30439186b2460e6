"""CSV as people write it, into chat records and objects: nothing lost, every departure said or refused with its row."""

import csv
import errno
import gzip
import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookblend import cli
from bookblend.convert.csv_command import objects
from bookblend.convert.csv_reader import CsvFile, column_names, read_csv, sniff
from bookblend.convert.lines import LineWriter
from bookblend.errors import InputError


def rows_of(data: bytes, **options: str) -> list[list[str]]:
    return list(read_csv(io.BytesIO(data), "in.csv", **options)[1])


def convert(folder: Path, data: bytes, *options: str, name: str = "in.csv") -> tuple[int, list[dict]]:
    """The exit status of `convert csv` and the records it wrote."""
    source, target = folder / name, folder / "out.jsonl"
    source.write_bytes(data)
    code = cli.main(["convert", "csv", str(source), str(target), *options])
    text = target.read_text("utf-8") if target.exists() else ""
    return code, [json.loads(line) for line in text.split("\n") if line]


# --- rows ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "rows"),
    [
        pytest.param(b'a,"one\ntwo"\r\nb,c\r\n', [["a", "one\ntwo"], ["b", "c"]], id="a line end inside quotes"),
        pytest.param(b'a,"x\r\ny"\n', [["a", "x\r\ny"]], id="CRLF inside quotes stays"),
        pytest.param(b"a,b\rc,d\r", [["a", "b"], ["c", "d"]], id="CR alone"),
        pytest.param(b"a,b\r\nc,d\ne,f\rg,h", [["a", "b"], ["c", "d"], ["e", "f"], ["g", "h"]], id="mixed ends"),
        pytest.param("\ufeffa,b\n".encode(), [["a", "b"]], id="byte order mark"),
        pytest.param(b'a,"say ""no"""\n', [["a", 'say "no"']], id="doubled quotation marks"),
        pytest.param(b"1,it's\n2,6\" pipe\n", [["1", "it's"], ["2", '6" pipe']], id="marks in unquoted fields"),
        pytest.param(b"a,\n,b\n", [["a", ""], ["", "b"]], id="empty fields"),
        pytest.param(b"NA,null\nnan,None\n", [["NA", "null"], ["nan", "None"]], id="words stay words"),
        pytest.param(b"x,a\x00b\ny,z\n\x00\x00\x00", [["x", "a\x00b"], ["y", "z"]], id="NUL kept, padding not"),
        pytest.param("a,b\u2028c\u0085d\n".encode(), [["a", "b\u2028c\u0085d"]], id="other line separators"),
        pytest.param("a,é\n".encode("utf-16"), [["a", "é"]], id="UTF-16 with a mark"),
        pytest.param("a,bcd\n".encode("utf-16-le"), [["a", "bcd"]], id="UTF-16, little, without"),
        pytest.param("a,bcd\n".encode("utf-16-be"), [["a", "bcd"]], id="UTF-16, big, without"),
        pytest.param("a,“é” – b\n".encode("cp1252"), [["a", "“é” – b"]], id="Windows-1252"),
        pytest.param(b"a;1,5\nb;2,5\n", [["a", "1,5"], ["b", "2,5"]], id="semicolons"),
        pytest.param(b"a\tx, y\nb\tz, w\n", [["a", "x, y"], ["b", "z, w"]], id="tabs"),
        pytest.param(b"a|b\nc|d\n", [["a", "b"], ["c", "d"]], id="bars"),
        pytest.param(b"one\ntwo\n", [["one"], ["two"]], id="one column"),
        pytest.param(b"", [], id="nothing"),
    ],
)
def test_rows_are_read_as_they_were_meant(data: bytes, rows: list[list[str]]) -> None:
    assert rows_of(data) == rows


def test_what_was_told_by_the_bytes_is_noted() -> None:
    file, rows = read_csv(io.BytesIO("a;“é”\n".encode("cp1252")), "in.csv")

    assert list(rows) == [["a", "“é”"]]
    assert file.notes == ["encoding windows-1252", "delimiter semicolon"]


def test_a_field_of_megabytes_is_whole() -> None:
    assert rows_of(b'"' + b"x" * 3_000_000 + b'",b\n') == [["x" * 3_000_000, "b"]]


@pytest.mark.parametrize(
    ("data", "place", "reason"),
    [
        (b'a,b\nc,"d\ne,f\n', "row 2 (line 2)", "nothing closes it"),
        (b'a,"b\nb"\nc,"d"e\n', "row 2 (line 3)", "behind a closing quotation mark"),
    ],
)
def test_open_and_broken_quotes_are_refused_with_the_row_they_begin_in(data: bytes, place: str, reason: str) -> None:
    with pytest.raises(InputError) as caught:
        rows_of(data)

    assert place in str(caught.value)
    assert reason in str(caught.value)


def test_bytes_that_are_no_text_late_in_a_file_are_refused_with_their_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bookblend.convert.encodings.PIECE", 64)
    data = b"a,b\n" * 40_000 + b"a,\xe9\n"

    with pytest.raises(
        InputError, match=r"line \d+ or soon after: cannot be decoded as utf-8 .*--encoding windows-1252"
    ):
        list(read_csv(io.BytesIO(data[:0] + data), "in.csv", encoding="utf-8")[1])


def test_a_tab_file_is_not_parted_at_its_commas() -> None:
    assert sniff("a,b\tc,d\n", "in.tsv") == "\t"
    assert sniff("a,b\tc,d\n", "in.csv") == ","


@given(st.lists(st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\0")), min_size=2, max_size=4)))
def test_what_the_csv_module_writes_is_read_back(table: list[list[str]]) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, quoting=csv.QUOTE_ALL).writerows(table)

    assert rows_of(written.getvalue().encode(), encoding="utf-8", delimiter=",") == table


# --- chats -----------------------------------------------------------------------------------------------------------


def test_two_columns_are_what_the_user_says_and_the_answer(tmp_path: Path) -> None:
    code, records = convert(tmp_path, b'q,a\n"Who, then?",The miller.\n', "--skip-header")

    assert code == 0
    assert records == [
        {"messages": [{"role": "user", "content": "Who, then?"}, {"role": "assistant", "content": "The miller."}]}
    ]


@pytest.mark.parametrize("row", ["c", "c,d,e"])
def test_another_number_of_columns_is_refused_and_nothing_written(
    tmp_path: Path, row: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, records = convert(tmp_path, f"a,b\n{row}\n".encode(), "--delimiter", ",")

    assert code == 3
    assert "row 2 (line 2): has" in capsys.readouterr().err
    assert not records


# --- objects ---------------------------------------------------------------------------------------------------------


def test_rows_are_keyed_by_the_header(tmp_path: Path) -> None:
    code, records = convert(tmp_path, b"id,text\n007,NA\n\n8,\n", "--rows")

    assert code == 0
    assert records == [{"id": "007", "text": "NA"}, {"id": "8", "text": ""}]


def test_a_ragged_row_is_refused_with_its_number(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, records = convert(tmp_path, b"a,b\n1,2\n\n1,2,3\n", "--rows")

    assert code == 3
    assert "row 3 (line 4): has 3 columns where the header has 2" in capsys.readouterr().err
    assert not records


def test_names_of_columns_are_no_two_alike_and_every_change_is_said() -> None:
    names, notes = column_names([" Prompt ", "text", "text", "", "text_2"])

    assert names == ["Prompt", "text", "text_3", "column_4", "text_2"]
    assert len(notes) == 3
    assert "duplicate name 'text'" in notes[1]


@given(st.lists(st.sampled_from(["", "a", " a", "a_2", "column_1", "column_2", "b"]), max_size=8))
def test_keys_are_unique_whatever_the_header(header: list[str]) -> None:
    names, _ = column_names(header)

    assert len(set(names)) == len(header)
    assert all(names)


@given(st.lists(st.tuples(st.text(), st.text()), max_size=5))
def test_any_text_comes_out_as_it_went_in(table: list[tuple[str, str]]) -> None:
    file = CsvFile("in.csv", "utf-8", ",")
    out = io.BytesIO()
    writer = LineWriter(out, controls=True)
    for record in objects(file, iter([["%s", 'b"'], *map(list, table)])):
        writer.write(record)
    writer.close()

    found = [json.loads(line) for line in out.getvalue().decode("utf-8").splitlines()]
    assert found == [{"%s": one, 'b"': two} for one, two in table]


# --- files -----------------------------------------------------------------------------------------------------------


def test_compressed_files_are_read_and_written(tmp_path: Path) -> None:
    source, target = tmp_path / "in.csv.gz", tmp_path / "out.jsonl.gz"
    source.write_bytes(gzip.compress(b"a,b\n") + gzip.compress(b"c,d\n"))

    assert cli.main(["convert", "csv", str(source), str(target)]) == 0
    assert len(gzip.decompress(target.read_bytes()).splitlines()) == 2


def test_the_same_bytes_whatever_way_they_are_compressed(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(b"a,b\n" * 100)
    for name in ("one.jsonl.gz", "two.jsonl.gz", "one.jsonl.zst", "two.jsonl.zst"):
        assert cli.main(["convert", "csv", str(source), str(tmp_path / name)]) == 0

    for suffix in ("gz", "zst"):
        assert (tmp_path / f"one.jsonl.{suffix}").read_bytes() == (tmp_path / f"two.jsonl.{suffix}").read_bytes()


@pytest.mark.parametrize(
    "options", [["--delimiter", "ab"], ["--encoding", "klingon"], ["--encoding", "hex"], ["--rows", "--skip-header"]]
)
def test_words_that_do_not_fit_are_usage_errors(tmp_path: Path, options: list[str]) -> None:
    assert convert(tmp_path, b"a,b\n", *options)[0] == 2


def test_the_file_itself_is_no_output(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_bytes(b"a,b\n")

    assert cli.main(["convert", "csv", str(source), str(source)]) == 2
    assert source.read_bytes() == b"a,b\n"


def test_a_full_disk_is_one_line_that_says_where(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(LineWriter, "write", full)

    code, records = convert(tmp_path, b"a,b\n")

    assert (code, records) == (1, [])
    assert f"{tmp_path}: no room for out.jsonl" in capsys.readouterr().err


def test_a_file_of_two_encodings_is_refused_and_not_guessed_at(tmp_path: Path) -> None:
    assert convert(tmp_path, "a,é\n".encode() + "b,é\n".encode("latin-1")) == (3, [])
