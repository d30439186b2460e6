"""The sidecar gives back what it was told, and counts only for the file it was written for."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bookblend import sidecar
from bookblend.errors import InputError
from bookblend.extract.markdown import open_markdown
from bookblend.ledger import Entry, read, render, tally
from bookblend.manuscript import Manuscript, Mark, from_markdown
from bookblend.markdown import MarkdownBlock

_NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_MARKS = st.lists(
    st.builds(
        lambda page, more, item, matter, evidence: Mark(page, page + more if page else 0, item, 0, matter, evidence),
        st.integers(0, 3),
        st.integers(0, 1),
        st.sampled_from(["", "text/chapter 1.xhtml"]) | _NAMES,
        st.sampled_from(["", "table of contents", "index"]),
        st.sampled_from(["", "outline"]) | _NAMES,
    ),
    max_size=12,
)


@given(_MARKS)
def test_marks_come_back_from_the_sidecar(tmp_path_factory, marks):
    path = tmp_path_factory.mktemp("sidecar") / "Book.book.json"
    path.write_text(sidecar.render(sidecar.Provenance(marks=tuple(marks))), "utf-8")
    assert sidecar.read(path).marks == tuple(marks)


def _write(folder, text, marks):
    (folder / "Book.md").write_text(text, "utf-8")
    known = sidecar.Provenance(products={"Book.md": sidecar.sha256_text(text)}, marks=marks)
    (folder / "Book.book.json").write_text(sidecar.render(known), "utf-8")
    return folder / "Book.md"


def test_marks_count_while_the_markdown_is_the_file_they_were_written_for(tmp_path):
    path = _write(tmp_path, "# A\n\nx\n", (Mark(4, 4), Mark(4, 5)))
    manuscript, known, _ = open_markdown(path)
    assert manuscript == Manuscript((MarkdownBlock(1, "A"), MarkdownBlock(0, "x")), (Mark(4, 4), Mark(4, 5)))
    assert known.products


def test_markdown_that_was_edited_since_is_still_ours_but_has_no_marks(tmp_path):
    path = _write(tmp_path, "# A\n\nx\n", (Mark(4, 4), Mark(4, 5)))
    path.write_text("# B\n\n*x*\n", "utf-8")
    manuscript, known, _ = open_markdown(path)
    assert manuscript == from_markdown("# B\n\n*x*\n")
    assert [manuscript.place(i) for i in range(2)] == ["line 1", "line 3"]
    assert (known.source["name"], known.source["format"], known.products) == ("Book.md", "markdown", {})
    assert len(known.warnings) == 1
    assert "changed since" in known.warnings[0]


def test_a_damaged_sidecar_is_an_input_error_that_names_it(tmp_path):
    path = _write(tmp_path, "x\n", (Mark(),))
    for damage in ("{", "[]", "{}", '{"layout": 1}'):
        (tmp_path / "Book.book.json").write_text(damage)
        with pytest.raises(InputError, match=r"Book\.book\.json"):
            open_markdown(path)


def test_a_sidecar_of_another_layout_says_so(tmp_path):
    path = _write(tmp_path, "x\n", (Mark(),))
    raw = json.loads((tmp_path / "Book.book.json").read_text())
    (tmp_path / "Book.book.json").write_text(json.dumps(raw | {"layout": 99}))
    with pytest.raises(InputError, match="layout 99"):
        open_markdown(path)


def test_text_that_is_not_utf8_is_refused_with_the_place(tmp_path):
    (tmp_path / "Book.md").write_bytes(b"abc\xff")
    with pytest.raises(InputError, match="byte 3"):
        open_markdown(tmp_path / "Book.md")


def test_a_block_without_a_mark_is_no_manuscript():
    with pytest.raises(ValueError, match="1 blocks, but 0 marks"):
        Manuscript((MarkdownBlock(0, "x"),), ())


def test_a_ledger_comes_back_as_it_was_and_counts_by_stage_and_rule(tmp_path):
    entries = [Entry("build", "index", "page 9", "a\nb\u2028c"), *[Entry("extract", "folio", "page 2", "2")] * 2]
    (tmp_path / "x.dropped.jsonl").write_text(render(entries), "utf-8")
    assert read(tmp_path / "x.dropped.jsonl") == entries
    assert json.dumps(tally(entries)) == '{"extract": {"folio": 2}, "build": {"index": 1}}'


def test_a_damaged_ledger_is_an_input_error_with_the_line(tmp_path):
    (tmp_path / "x.dropped.jsonl").write_text(render([Entry("build", "a", "b", "c")]) + '{"stage": 1}\n', "utf-8")
    with pytest.raises(InputError, match="line 2"):
        read(tmp_path / "x.dropped.jsonl")
