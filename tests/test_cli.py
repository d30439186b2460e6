"""The command line: help everywhere, a fast start, and one clear line for everything a user can get wrong."""

import shlex
import subprocess
import sys
import time
import zipfile

import pytest
from pdf_fixtures import Page, Para, heading, make_pdf

from bookblend import cli

COMMANDS = [(group, command) for group in cli.GROUPS for command in cli.load_group(group)]
NAMES = [f"{group} {command.name}" for group, command in COMMANDS]
# What must not load before a command needs it: each takes from a tenth of a second to several.
HEAVY = ("pymupdf", "fitz", "lxml", "ebooklib", "spellchecker")
# The bound that users were promised, in seconds.
START = 0.25


def test_the_overview_names_every_group(capsys):
    assert cli.main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(group in said for group in cli.GROUPS)
    assert "example:" in said


@pytest.mark.parametrize("group", cli.GROUPS)
def test_a_group_lists_its_commands_with_an_example(group, capsys):
    assert cli.main([group, "--help"]) == 0
    said = capsys.readouterr().out
    assert all(command.name in said and command.summary in said for g, command in COMMANDS if g == group)
    assert "example:" in said


@pytest.mark.parametrize(("group", "command"), COMMANDS, ids=NAMES)
def test_every_command_explains_itself_with_an_example_that_parses(group, command, capsys):
    assert cli.main([group, command.name, "--help"]) == 0
    said = capsys.readouterr().out
    assert command.summary in " ".join(said.split())
    assert f"example:\n  {command.example}" in said
    assert command.example.startswith(f"bookblend {group} {command.name} ")
    parser = cli.command_parser(group, command)
    parser.parse_args(shlex.split(command.example)[3:])
    undocumented = [action.dest for action in parser._actions if not (action.help or not action.option_strings)]
    assert not undocumented


@pytest.mark.parametrize(("group", "command"), COMMANDS, ids=NAMES)
def test_every_command_without_arguments_prints_what_it_takes(group, command, capsys):
    assert cli.main([group, command.name]) == 2
    assert "usage:" in capsys.readouterr().out


def test_no_arguments_and_unknown_names_are_usage_errors(capsys):
    assert cli.main([]) == 2
    assert cli.main(["bake"]) == 2
    assert cli.main(["build", "bread"]) == 2
    assert cli.main(["build", "text", "a.md", "b.txt", "--colour"]) == 2
    assert "no group 'bake'" in capsys.readouterr().err


def test_help_loads_no_heavy_library():
    lines = [["--help"], *([group, command.name, "--help"] for group, command in COMMANDS)]
    code = (
        "import sys\nfrom bookblend.cli import main\n"
        f"for words in {lines!r}: main(words)\n"
        f"print([name for name in {HEAVY!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stderr.strip() == "[]"


def test_help_starts_in_time():
    def once():
        begun = time.perf_counter()
        subprocess.run([sys.executable, "-m", "bookblend", "--help"], capture_output=True, check=True)
        return time.perf_counter() - begun

    # The best of five: the bound is on our work, not on what else the machine does.
    assert min(once() for _ in range(5)) < START


@pytest.fixture
def bad(tmp_path):
    """A folder of inputs that are not what their names say."""
    good = make_pdf([Page([heading("One"), Para("Words are here to be read. " * 8)])])
    files = {
        "good.pdf": good,
        "html.pdf": b"<!DOCTYPE html><html><body>Not found</body></html>",
        "empty.pdf": b"",
        "cut.pdf": good[: len(good) // 8],
        "nozip.epub": b"no zip archive",
        "cut.epub": b"PK\x03\x04\x14\0\0\0 and no more",
        "good.md": b"# One\n\nWords.\n\n# Two\n\nMore.\n",
        "binary.md": b"\xff\xfe\0\0",
    }
    for name, data in files.items():
        (tmp_path / name).write_bytes(data)
    (tmp_path / "folder.pdf").mkdir()
    _encrypt(good, tmp_path / "locked.pdf")
    _epub(tmp_path / "nocontainer.epub", {"mimetype": "application/epub+zip"})
    _epub(tmp_path / "nospine.epub", {"mimetype": "application/epub+zip", **_PACKAGE})
    out = tmp_path / "out"
    out.mkdir()
    (out / "is-a-folder.jsonl").mkdir()
    for suffix in ("md", "txt", "jsonl", "book.json", "dropped.jsonl"):
        (out / f"book.{suffix}").write_text(f"the previous {suffix}")
    return tmp_path


_PACKAGE = {
    "META-INF/container.xml": "<container xmlns='urn:oasis:names:tc:opendocument:xmlns:container' version='1.0'>"
    "<rootfiles><rootfile full-path='p.opf' media-type='application/oebps-package+xml'/></rootfiles></container>",
    "p.opf": "<package xmlns='http://www.idpf.org/2007/opf' version='3.0'><metadata/><manifest/><spine/></package>",
}


def _epub(path, files):
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)


def _encrypt(data, path):
    import pymupdf

    with pymupdf.open(stream=data) as document:
        document.save(path, encryption=pymupdf.PDF_ENCRYPT_AES_256, user_pw="open", owner_pw="own")


@pytest.mark.parametrize(
    ("source", "options", "code"),
    [
        ("missing.pdf", [], 3),
        ("folder.pdf", [], 3),
        ("html.pdf", [], 3),
        ("empty.pdf", [], 3),
        ("cut.pdf", [], 3),
        ("locked.pdf", [], 3),
        ("locked.pdf", ["--password", "wrong"], 3),
        ("nozip.epub", [], 3),
        ("cut.epub", [], 3),
        ("nocontainer.epub", [], 3),
        ("nospine.epub", [], 3),
        ("binary.md", [], 3),
        ("good.md", ["--start", "Two", "--end", "One"], 4),
        ("good.md", ["--start", "Three"], 4),
        ("good.md", ["--expect", "1"], 4),
        ("good.md", ["--expect", "3"], 4),
        ("good.md", ["--pattern", "(one"], 2),
        ("good.md", ["--pattern", "chapter"], 4),
        ("good.md", ["--fields", "colour"], 2),
    ],
)
def test_bad_input_ends_in_one_line_and_leaves_the_previous_outputs(bad, source, options, code, capfd):
    before = {path.name: path.read_text() for path in (bad / "out").iterdir() if path.is_file()}
    target = bad / "out" / "book.jsonl"
    assert cli.main(["books", "onboard", str(bad / source), str(target), *options]) == code
    said = capfd.readouterr()
    errors = [line for line in said.err.splitlines() if not line.startswith("bookblend: warning:")]
    assert len(errors) == 1
    assert errors[0].startswith("bookblend: ")
    assert not said.out
    assert {path.name: path.read_text() for path in (bad / "out").iterdir() if path.is_file()} == before


@pytest.mark.parametrize(
    "words", [["build", "text", "OUT.txt"], ["build", "jsonl", "OUT.jsonl"], ["books", "onboard", "OUT.jsonl"]]
)
def test_markdown_without_text_is_an_input_error_that_names_it(words, tmp_path, capsys):
    (tmp_path / "blank.md").write_text("\n \n")
    group, command, target = words
    assert cli.main([group, command, str(tmp_path / "blank.md"), str(tmp_path / target)]) == 3
    assert "blank.md: no text in it" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("target", "code", "why"),
    [
        ("nowhere/book.jsonl", 1, "no such folder"),
        ("good.md/book.jsonl", 1, "no such folder"),
        ("out/is-a-folder.jsonl", 2, "is a folder"),
        ("out/book.txt", 2, r"must end in .jsonl"),
        ("good.jsonl", 2, "same file"),
    ],
)
def test_an_output_that_cannot_be_written_is_refused_before_any_work(bad, target, code, why, capsys):
    assert cli.main(["books", "onboard", str(bad / "good.md"), str(bad / target)]) == code
    said = capsys.readouterr().err
    assert why in said
    assert len(said.splitlines()) == 1


@pytest.mark.parametrize(
    "words",
    [
        ["extract", "pdf", "good.pdf", "good.pdf"],
        ["build", "text", "good.md", "good.md"],
        ["build", "jsonl", "good.md", "good.md"],
    ],
)
def test_output_equal_to_input_is_refused(bad, words, monkeypatch, capsys):
    monkeypatch.chdir(bad)
    assert cli.main(words) == 2
    assert "same file" in capsys.readouterr().err


def test_titles_of_any_script_pass_through_a_narrow_pipe(bad):
    (bad / "greek.md").write_text("# Ὀδύσσεια\n\nWords.\n", "utf-8")
    words = ["build", "jsonl", str(bad / "greek.md"), str(bad / "greek.jsonl")]
    done = subprocess.run(
        [sys.executable, "-m", "bookblend", *words],
        capture_output=True,
        env={"PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
        check=False,
    )
    assert done.returncode == 0
    assert b"\\u1f48" in done.stdout


def test_a_reader_that_goes_away_is_no_traceback(bad):
    words = ["build", "jsonl", str(bad / "good.md"), str(bad / "good.jsonl")]
    done = subprocess.run(
        f"{sys.executable} -m bookblend {' '.join(words)} | true", shell=True, capture_output=True, check=False
    )
    assert b"Traceback" not in done.stderr


@pytest.mark.parametrize("closed", ["2>&-", ">&-", ">&- 2>&-"])
def test_closed_standard_streams_change_no_result(bad, closed):
    words = ["build", "jsonl", str(bad / "good.md"), str(bad / "quiet.jsonl")]
    done = subprocess.run(f"{sys.executable} -m bookblend {' '.join(words)} {closed}", shell=True, check=False)
    assert done.returncode == 0
    assert cli.main(["build", "jsonl", str(bad / "good.md"), str(bad / "good.jsonl")]) == 0
    assert (bad / "quiet.jsonl").read_bytes() == (bad / "good.jsonl").read_bytes()
