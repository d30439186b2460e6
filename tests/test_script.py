"""`pdf_to_jsonl.sh`: found through links, at home in any folder, set up on first use and after an interrupted one."""

import os
import shutil
import subprocess

import pytest

BASH = shutil.which("bash")
pytestmark = pytest.mark.skipif(BASH is None, reason="no bash here")

# A Python that only writes down what it is asked, and makes the environment look as venv and pip would.
FAKE_PYTHON = """#!/bin/sh
echo "$@" >>"$CALLS"
case "$*" in
  *"-m venv"*) for last; do :; done; mkdir -p "$last/bin"; cp "$0" "$last/bin/python" ;;
  *"pip install"*) [ -z "$PIP_FAILS" ] || exit 1; cp "$0" "${0%/*}/bookblend" ;;
esac
"""


@pytest.fixture
def clone(tmp_path, repository):
    """A folder with the script in it and no environment yet; and a path on which Python only pretends."""
    home = tmp_path / "clone"
    tools = tmp_path / "tools"
    home.mkdir()
    tools.mkdir()
    shutil.copy(repository / "pdf_to_jsonl.sh", home)
    fake = tools / "python3.13"
    fake.write_text(FAKE_PYTHON)
    fake.chmod(0o755)
    return home


def _run(script, *words, cwd=None, **environment):
    calls = cwd / "calls" if cwd else None
    env = os.environ | {"CALLS": str(calls), "PIP_FAILS": ""} | environment
    return subprocess.run([BASH, str(script), *words], cwd=cwd, env=env, capture_output=True, text=True, check=False)


def _on_first_use(clone, cwd, *words, **environment):
    path = f"{clone.parent / 'tools'}:{os.environ['PATH']}"
    return _run(clone / "pdf_to_jsonl.sh", *words, cwd=cwd, PATH=path, **environment)


def test_without_arguments_it_prints_what_it_takes_and_sets_nothing_up(clone, tmp_path):
    done = _on_first_use(clone, tmp_path)
    assert done.returncode == 2
    assert "usage: pdf_to_jsonl.sh" in done.stdout
    assert not (clone / ".venv").exists()


def test_first_use_sets_the_environment_up_once_and_says_so_on_stderr(clone, tmp_path):
    done = _on_first_use(clone, tmp_path, "book.pdf", "out.jsonl")
    assert done.returncode == 0
    assert "setting up" in done.stderr
    calls = (tmp_path / "calls").read_text().splitlines()
    assert calls[-1] == "-P -X utf8 -m bookblend books onboard book.pdf out.jsonl"
    again = _on_first_use(clone, tmp_path, "book.pdf", "out.jsonl")
    assert "setting up" not in again.stderr
    assert len((tmp_path / "calls").read_text().splitlines()) == len(calls) + 1


def test_a_set_up_that_failed_is_tried_again_from_the_start(clone, tmp_path):
    failed = _on_first_use(clone, tmp_path, "book.pdf", "out.jsonl", PIP_FAILS="yes")
    assert failed.returncode != 0
    assert "could not install" in failed.stderr
    assert _on_first_use(clone, tmp_path, "book.pdf", "out.jsonl").returncode == 0
    assert any("venv --clear" in call for call in (tmp_path / "calls").read_text().splitlines())


def test_an_environment_that_somebody_made_is_added_to_and_not_cleared(clone, tmp_path):
    (clone / ".venv" / "bin").mkdir(parents=True)
    (clone / ".venv" / "theirs").touch()
    assert _on_first_use(clone, tmp_path, "book.pdf", "out.jsonl").returncode == 0
    assert "--clear" not in (tmp_path / "calls").read_text()
    assert (clone / ".venv" / "theirs").exists()


def test_without_a_python_it_says_which_it_needs(clone, tmp_path):
    tools = tmp_path / "few"
    tools.mkdir()
    for name in ("dirname", "cat", "mkdir", "sleep", "readlink"):
        (tools / name).symlink_to(shutil.which(name))
    done = _run(clone / "pdf_to_jsonl.sh", "book.pdf", "out.jsonl", cwd=tmp_path, PATH=str(tools))
    assert done.returncode != 0
    assert "Python 3.11" in done.stderr


def test_it_is_found_through_links_and_reads_paths_from_the_callers_folder(repository, tmp_path):
    if not (repository / ".venv" / "bin" / "bookblend").exists():
        pytest.skip("this checkout has no .venv of its own")
    (tmp_path / "link").symlink_to(repository / "pdf_to_jsonl.sh")
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "links").symlink_to("../link")
    # A folder that would be imported instead of ours, if the caller's folder were looked in.
    (tmp_path / "bookblend").mkdir()
    (tmp_path / "my book.md").write_text("# One\n\nWords.\n")
    done = _run("bin/links", "my book.md", "my out.jsonl", "--no-clean", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "my out.jsonl").read_text() == '{"text": "One\\n\\nWords."}\n'
    assert (tmp_path / "my out.book.json").exists()
