"""Sources into documents: which rows, which texts, closed how; up to date when; counted how."""

import gzip
import json
import os

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from blend_fixtures import open_blend, tree, write_recipe, write_rows
from hypothesis import given, settings
from hypothesis import strategies as st

from bookblend.blend import inputs
from bookblend.blend.documents import stuffed, unstuffed
from bookblend.blend.normalise import normalise
from bookblend.blend.prepare import prepare
from bookblend.blend.prepared import Prepared
from bookblend.cli import main
from bookblend.errors import InputError

MARKED = (
    "*** START OF THE PROJECT GUTENBERG EBOOK A TALE ***\n\nProduced by A Kind Hand\n\nThe tale begins.\n\n"
    "It ends.\n\n*** END OF THE PROJECT GUTENBERG EBOOK A TALE ***\nlicence\n"
)


def _prepare(tmp_path, lines, head="budget = 1000\n", workers=1):
    registry, workspace = open_blend(write_recipe(tmp_path, {"a": lines}, head))
    (outcome,) = prepare(registry, workspace, workers=workers)
    prepared = Prepared(workspace.prepared("a"), registry.eos, registry.rules == "recipe")
    listed = (workspace.prepared("a") / "documents.jsonl").read_text("utf-8")
    documents = [json.loads(line) for line in listed.split("\n")[:-1]]
    return outcome, prepared, documents


def _texts(prepared):
    return list(prepared.texts(range(len(prepared))))


def test_a_row_is_a_document_closed_by_a_line_of_the_eos_and_a_blank_line(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": "One.\r\nTwo.  "}, {"text": "Three."}])
    _, prepared, documents = _prepare(tmp_path, 'files = "a.jsonl"')
    assert prepared.path.read_text("utf-8") == "One.\nTwo.\n</s>\n\nThree.\n</s>\n\n"
    assert _texts(prepared) == ["One.\nTwo.", "Three."]
    assert [document["id"] for document in documents] == ["a.jsonl:1", "a.jsonl:2"]
    assert list(prepared.index["words"]) == [2, 1]


def test_rows_that_give_no_text_are_counted_by_reason_and_the_first_of_them_named(tmp_path):
    rows = [
        {"text": "Good."},
        '{"text": "cut',
        {"other": 1},
        {"text": 5},
        "[1]",
        {"text": " \n "},
        "",
        {"text": "End."},
    ]
    write_rows(tmp_path / "a.jsonl", rows)
    outcome, prepared, _ = _prepare(tmp_path, 'files = "a.jsonl"')
    assert outcome.report["skipped"] == {"malformed": 1, "no object": 1, "no text": 1, "text is no string": 1}
    assert outcome.report["skipped_first"] == [
        "a.jsonl:2: malformed", "a.jsonl:3: no text", "a.jsonl:4: text is no string", "a.jsonl:5: no object",
    ]  # fmt: skip
    counts = outcome.report["counts"]
    assert (counts["read"], counts["rows"], counts["empty"]) == (7, 2, 1)
    assert _texts(prepared) == ["Good.", "End."]


def test_consecutive_rows_make_one_document_and_the_last_one_may_have_fewer(tmp_path):
    for number, part in enumerate(([1, 2, 3], [4, 5])):
        write_rows(tmp_path / f"p{number}.jsonl", [{"line": f"verse {n}"} for n in part])
    _, prepared, documents = _prepare(tmp_path, 'files = "p*.jsonl"\ntext = "line"\nrows_per_document = 2')
    assert _texts(prepared) == ["verse 1\n\nverse 2", "verse 3\n\nverse 4", "verse 5"]
    assert documents[1] == {"id": "p0.jsonl:3", "rows": 2}


def test_packaging_goes_unless_the_source_says_to_keep_it(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": MARKED}])
    outcome, prepared, _ = _prepare(tmp_path, 'files = "a.jsonl"')
    assert _texts(prepared) == ["The tale begins.\n\nIt ends."]
    assert outcome.report["states"] == {"both": 1, "start-only": 0, "end-only": 0, "none": 0}
    assert outcome.report["counts"]["credit_lines"] == 1
    _, kept, _ = _prepare(tmp_path, 'files = "a.jsonl"\nstrip = false')
    assert _texts(kept) == [normalise(MARKED)]


def test_a_template_renders_a_rows_columns_and_one_that_does_not_fit_is_a_skipped_row(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"q": "Why?", "a": "So."}, {"q": "Who?"}])
    outcome, prepared, documents = _prepare(tmp_path, 'files = "a.jsonl"\nid = "q"\ntemplate = "{{ q }}\\n{{ a }}"')
    assert _texts(prepared) == ["Why?\nSo."]
    assert documents == [{"id": "Why?"}]
    assert sum(outcome.report["skipped"].values()) == 1


def test_the_rows_of_one_file_are_one_book_or_its_chapters(tmp_path):
    for name in ("one", "two"):
        write_rows(tmp_path / f"{name}.jsonl", [{"text": f"{name} {n}"} for n in (1, 2)])
    _, books, documents = _prepare(tmp_path, 'files = "*.jsonl"\ndocument = "book"')
    assert _texts(books) == ["one 1\n\none 2", "two 1\n\ntwo 2"]
    assert [document["id"] for document in documents] == ["one.jsonl", "two.jsonl"]
    _, chapters, documents = _prepare(tmp_path, 'files = "*.jsonl"\ndocument = "chapter"')
    assert _texts(chapters) == ["one 1", "one 2", "two 1", "two 2"]
    groups = chapters.index["group"]
    assert groups[0] == groups[1] != groups[2] == groups[3]
    assert [document["group"] for document in documents] == ["one.jsonl"] * 2 + ["two.jsonl"] * 2


def test_text_parquet_csv_and_compressed_files_are_sources_in_natural_order(tmp_path):
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "t10.txt").write_bytes("Caf\u00e9.".encode("cp1252"))
    (folder / "t2.txt").write_text("Two.", "utf-8")
    (folder / "x.book.dropped.jsonl").write_text('{"text": "dropped"}\n', "utf-8")
    pq.write_table(pa.table({"text": ["P1", "P2"], "n": [1, 2]}), folder / "a.parquet")
    (folder / "b.csv").write_text("n,text\n1,C1\n2,C2\n", "utf-8")
    (folder / "c.jsonl.gz").write_bytes(gzip.compress(b'{"text": "G1"}\n'))
    _, prepared, documents = _prepare(tmp_path, 'files = "in"')
    assert _texts(prepared) == ["P1", "P2", "C1", "C2", "G1", "Two.", "Caf\u00e9."]
    assert documents[-1] == {"id": "in/t10.txt"}


def test_a_catalogues_metadata_selects_rows(tmp_path):
    rows = [
        {"TEXT": "A", "META": json.dumps({"authors": "Lang, Andrew", "bookshelves": "Folklore"})},
        {"TEXT": "B", "META": json.dumps({"authors": "Doe, Jane", "bookshelves": "Cooking"})},
    ]
    write_rows(tmp_path / "a.jsonl", rows)
    lines = 'files = "a.jsonl"\ntext = "TEXT"\nmetadata = "META"\nselect = { bookshelves = ["folklore"] }'
    outcome, prepared, _ = _prepare(tmp_path, lines)
    assert _texts(prepared) == ["A"]
    assert outcome.report["counts"]["not_selected"] == 1


def test_no_result_depends_on_workers_or_on_how_a_file_is_parted(tmp_path, monkeypatch):
    rows = [{"text": f"Document {n}. " + "word " * (n % 40)} for n in range(800)]
    write_rows(tmp_path / "a.jsonl", rows)
    (tmp_path / "a.jsonl").write_bytes((tmp_path / "a.jsonl").read_bytes().rstrip(b"\n"))
    _, prepared, _ = _prepare(tmp_path, 'files = "a.jsonl"')
    whole = tree(tmp_path / "mix.blend")
    assert len(prepared) == 800
    monkeypatch.setattr(inputs, "_PIECE", 3000)
    monkeypatch.setattr(inputs, "_BLOCK", 700)
    registry, workspace = open_blend(tmp_path / "mix.toml")
    prepare(registry, workspace, workers=2, again=True)
    assert tree(tmp_path / "mix.blend") == whole


def test_what_is_up_to_date_is_left_and_what_is_not_is_made_anew(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": "One."}])
    assert _prepare(tmp_path, 'files = "a.jsonl"')[0].fresh
    assert not _prepare(tmp_path, 'files = "a.jsonl"')[0].fresh
    assert _prepare(tmp_path, 'files = "a.jsonl"', head='budget = 1\neos = "<e>"\n')[0].fresh
    text = tmp_path / "mix.blend" / "prepared" / "a" / "text.txt"
    text.write_text("tampered", "utf-8")
    assert _prepare(tmp_path, 'files = "a.jsonl"', head='budget = 1\neos = "<e>"\n')[0].fresh
    assert text.read_text("utf-8") == "One.\n<e>\n\n"
    write_rows(tmp_path / "a.jsonl", [{"text": "Two."}])
    assert _texts(_prepare(tmp_path, 'files = "a.jsonl"')[1]) == ["Two."]


def test_a_line_that_is_the_eos_forges_no_boundary_and_comes_back_as_it_was(tmp_path):
    text = "Say\n</s>\n  </s>\nor </s> so."
    write_rows(tmp_path / "a.jsonl", [{"id": "x", "text": text}])
    outcome, prepared, _ = _prepare(tmp_path, 'files = "a.jsonl"\nid = "id"')
    assert prepared.path.read_text("utf-8").split("\n").count("</s>") == 1
    assert _texts(prepared) == [text]
    assert (outcome.report["counts"]["holding_eos"], outcome.report["holding_eos_first"]) == (1, ["x"])


def test_the_recipes_rules_leave_the_eos_in_a_text_as_it_is(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": "Say\n</s>\nso."}])
    _, prepared, _ = _prepare(tmp_path, 'files = "a.jsonl"', head='budget = 1\nrules = "recipe"\n')
    assert prepared.path.read_text("utf-8") == "Say\n</s>\nso.\n</s>\n\n"
    assert _texts(prepared) == ["Say\n</s>\nso."]


@given(st.lists(st.sampled_from(["</s>", " </s>", "  </s>", "</s> ", "x</s>", "", " ", "a"])))
def test_stuffing_is_undone_exactly_and_leaves_no_line_that_is_the_eos(parts):
    text = "\n".join(parts)
    assert unstuffed(stuffed(text, "</s>"), "</s>") == text
    assert "</s>" not in stuffed(text, "</s>").split("\n")


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=60), min_size=1, max_size=5))
def test_texts_without_packaging_are_only_normalised(tmp_path_factory, texts):
    tmp_path = tmp_path_factory.mktemp("p")
    write_rows(tmp_path / "a.jsonl", [{"text": text} for text in texts])
    _, prepared, _ = _prepare(tmp_path, 'files = "a.jsonl"\nstrip = false')
    expected = [normalise(text.replace("\0", "")) for text in texts]
    assert _texts(prepared) == [text for text in expected if text]


def test_lone_surrogates_and_nuls_are_never_written(tmp_path):
    write_rows(tmp_path / "a.jsonl", ['{"text": "a\\ud800b\\u0000c"}'])
    outcome, prepared, _ = _prepare(tmp_path, 'files = "a.jsonl"')
    assert _texts(prepared) == ["a\ufffdbc"]
    assert outcome.report["counts"]["altered"] == 1


def test_gutenberg_folders_become_documents_with_editions_of_a_work_in_one_group(tmp_path):
    folder = tmp_path / "g"
    folder.mkdir()
    for number, body in ((11, "One wording of it."), (12, "Another wording.")):
        head = f"Title: The Tale\nAuthor: A. Hand\n\n{MARKED.replace('It ends.', body)}"
        (folder / f"{number}.txt").write_text(head, "utf-8")
    _, prepared, documents = _prepare(tmp_path, 'gutenberg = { folder = "g" }')
    assert _texts(prepared) == ["The tale begins.\n\nOne wording of it.", "The tale begins.\n\nAnother wording."]
    assert [document["id"] for document in documents] == ["PG11", "PG12"]
    assert len(set(prepared.index["group"])) == 1


def test_editions_told_by_their_text_alone_are_one_group_and_the_user_is_told(tmp_path, capsys):
    folder = tmp_path / "g"
    folder.mkdir()
    body = "\n\n".join(
        f"Paragraph {n} tells of the ferry, the bell, the quay and of all who wait there for the tide."
        for n in range(30)
    )
    (folder / "11.txt").write_text(f"Title: The Tale\nAuthor: A. Hand\n\n{MARKED.replace('It ends.', body)}", "utf-8")
    (folder / "928.txt").write_text(body + "\n\nAnother end.", "utf-8")
    _, prepared, documents = _prepare(tmp_path, 'gutenberg = { folder = "g" }')
    assert [document["group"] for document in documents] == ["PG11", "PG11"]
    assert len(set(prepared.index["group"])) == 1
    assert "source 'a': 1 book twice (PG928 is PG11" in capsys.readouterr().err


def test_rows_that_only_quote_packaging_are_told(tmp_path, capsys):
    write_rows(tmp_path / "a.jsonl", [{"text": f"Row {n}."} for n in range(5)] + [{"text": MARKED}])
    _prepare(tmp_path, 'files = "a.jsonl"')
    assert "Gutenberg's packaging was taken off 1 row (first: a.jsonl:6); strip = false" in capsys.readouterr().err
    _prepare(tmp_path, 'files = "a.jsonl"\nstrip = false')
    assert "packaging" not in capsys.readouterr().err


def test_a_pattern_that_finds_nothing_and_an_origin_not_fetched_are_one_line(tmp_path):
    registry, workspace = open_blend(write_recipe(tmp_path, {"a": 'files = "*.jsonl"'}))
    with pytest.raises(InputError, match=r"source 'a': .*\*\.jsonl: no such file"):
        prepare(registry, workspace)
    commit = "0" * 40
    registry, workspace = open_blend(write_recipe(tmp_path, {"a": f'hub = {{ repo = "a/b", revision = "{commit}" }}'}))
    with pytest.raises(InputError, match=r"raw/a/text\.jsonl: is not there yet; run 'bookblend blend fetch"):
        prepare(registry, workspace)


def test_the_command_prints_a_table_on_stderr_and_writes_a_report(tmp_path, capsys):
    write_rows(tmp_path / "a.jsonl", [{"text": "One."}, "broken"])
    recipe = write_recipe(tmp_path, {"a": 'files = "a.jsonl"'})
    assert main(["blend", "prepare", str(recipe), "--workers", "1"]) == 0
    said = capsys.readouterr()
    assert said.out == ""
    assert "source 'a': 1 row skipped: malformed (first: a.jsonl:2)" in said.err
    report = json.loads((tmp_path / "mix.blend" / "prepare.json").read_text("utf-8"))
    assert report["sources"]["a"]["counts"]["documents"] == 1
    assert main(["blend", "prepare", str(recipe), "--source", "b"]) == 2
    assert "there are a" in capsys.readouterr().err


def test_the_index_says_where_each_document_stands(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": "\u00e9t\u00e9"}, {"text": "b c"}])
    _, prepared, _ = _prepare(tmp_path, 'files = "a.jsonl"')
    data = prepared.path.read_bytes()
    spans = [
        data[start : start + size] for start, size in zip(prepared.index["start"], prepared.index["bytes"], strict=True)
    ]
    assert spans == ["\u00e9t\u00e9".encode(), b"b c"]
    assert prepared.index.dtype.itemsize == 40 and isinstance(prepared.index, np.ndarray)


_START, _END = (
    "*** START OF THE PROJECT GUTENBERG EBOOK A TALE ***",
    "*** END OF THIS PROJECT GUTENBERG ETEXT A TALE ***",
)
# What the recipe's rules make of a row, to the byte: (text, what stands in the document).
BY_THE_RECIPE = [
    (f"head\n{_START}\nOne.\n{_END}\nlicence", "One."),
    (f"head\n{_START.lower()}\nOne.", "One."),
    (f"One.\n{_END}\nlicence", "One."),
    ("One.\nTwo.", "One.\nTwo."),
    (f"> {_START}\nOne.", f"> {_START}\nOne."),
    (f"{_START}\n\nProduced by Ann Other\n\nOne.", "One."),
    ("produced by charity, or by chance, it came.\nOne.", "produced by charity, or by chance, it came.\nOne."),
    ("produced by Nature herself, it needs no keeper.", "produced by Nature herself, it needs no keeper."),
    ("A TALE\n\nProduced by Ann Other\nOne.", "A TALE\n\nProduced by Ann Other\nOne."),
    ("Produced by Ann Other\n" * 41 + "One.", "Produced by Ann Other\nOne."),
    ("ann.other@example.org\nOne.", "One."),
    ("One.  \r\n\r\n\r\n\r\nTwo.\rThree.\ufeff", "One.\n\nTwo.\nThree."),
    ("Say\n</s>\nso.", "Say\n</s>\nso."),
    ("One\u00a0two\u2028three.\t\n", "One\u00a0two\u2028three."),
]


def test_the_recipes_rules_are_kept_to_the_byte_from_row_to_file(tmp_path):
    rows = [{"text": text} for text, _ in BY_THE_RECIPE]
    write_rows(tmp_path / "a.jsonl", [*rows, "{", {"text": 3}, {"text": None}, {"body": "x"}, {"text": " \n"}])
    outcome, prepared, _ = _prepare(tmp_path, 'files = "a.jsonl"', head='budget = 1\nrules = "recipe"\n')
    assert prepared.path.read_bytes() == "".join(f"{text}\n</s>\n\n" for _, text in BY_THE_RECIPE).encode()
    assert outcome.report["states"] == {"both": 1, "start-only": 2, "end-only": 1, "none": 11}
    assert sum(outcome.report["skipped"].values()) == 4
    assert (outcome.report["counts"]["credit_lines"], outcome.report["counts"]["holding_eos"]) == (42, 1)


def test_groups_of_rows_by_the_recipe_end_like_any_document(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": f"Line {n}."} for n in range(65)])
    lines = 'files = "a.jsonl"\nrows_per_document = 64'
    _, prepared, _ = _prepare(tmp_path, lines, head='budget = 1\nrules = "recipe"\n')
    whole = "\n\n".join(f"Line {n}." for n in range(64))
    assert prepared.path.read_text("utf-8") == f"{whole}\n</s>\n\nLine 64.\n</s>\n\n"


def test_files_from_elsewhere_that_end_alike_are_told_apart(tmp_path):
    (tmp_path / "here").mkdir()
    for side in "xy":
        (tmp_path / side / "d").mkdir(parents=True)
        write_rows(tmp_path / side / "d" / "t.jsonl", [{"text": side}])
    lines = f'files = ["{tmp_path}/x/d/t.jsonl", "{tmp_path}/y/d/t.jsonl"]'
    _, prepared, documents = _prepare(tmp_path / "here", lines)
    assert [document["id"] for document in documents] == ["x/d/t.jsonl:1", "y/d/t.jsonl:1"]
    write_rows(tmp_path / "x" / "d" / "t.jsonl", [{"text": "changed"}])
    _, prepared, _ = _prepare(tmp_path / "here", lines)
    assert _texts(prepared) == ["changed", "y"]


def test_a_pattern_works_in_a_folder_whose_name_is_one_itself_and_through_a_link_to_the_recipe(tmp_path):
    folder = tmp_path / "a[x]*"
    folder.mkdir()
    write_rows(folder / "a.jsonl", [{"text": "One."}])
    _, prepared, _ = _prepare(folder, 'files = "*.jsonl"')
    assert _texts(prepared) == ["One."]
    (tmp_path / "link.toml").symlink_to(folder / "mix.toml")
    registry, workspace = open_blend(tmp_path / "link.toml")
    (outcome,) = prepare(registry, workspace)
    assert not outcome.fresh and workspace.folder == folder / "mix.blend"


def test_a_text_file_that_ends_on_the_eos_is_a_file_of_documents(tmp_path):
    (tmp_path / "shard.txt").write_text("One.\n\nMore.\n</s>\n\nTwo\n </s>\nso.\n</s>\n\n", "utf-8")
    (tmp_path / "single.txt").write_text("Not\n</s>\nclosed.", "utf-8")
    _, prepared, documents = _prepare(tmp_path, 'files = "*.txt"')
    assert _texts(prepared) == ["One.\n\nMore.", "Two\n</s>\nso.", "Not\n</s>\nclosed."]
    assert [document["id"] for document in documents] == ["shard.txt:1", "shard.txt:2", "single.txt"]
    again = tmp_path / "again"
    again.mkdir()
    (again / "a.txt").write_bytes(prepared.path.read_bytes())
    _, second, _ = _prepare(again, 'files = "a.txt"')
    assert _texts(second) == _texts(prepared)


def test_names_in_capitals_and_compressed_texts_are_read_as_what_they_are_and_other_kinds_refused(tmp_path):
    (tmp_path / "A.TXT").write_text("One.", "utf-8")
    (tmp_path / "b.txt.gz").write_bytes(gzip.compress(b"Two."))
    (tmp_path / "C.JSONL").write_text('{"text": "Three."}\n', "utf-8")
    (tmp_path / "d.md").write_text("Four.", "utf-8")
    _, prepared, _ = _prepare(tmp_path, 'files = ["A.TXT", "b.txt.gz", "C.JSONL", "d.md"]')
    assert _texts(prepared) == ["One.", "Three.", "Two.", "Four."]
    (tmp_path / "e.docx").write_bytes(b"PK")
    with pytest.raises(InputError, match=r"e\.docx: is of no kind that is read \(\.jsonl, "):
        _prepare(tmp_path, 'files = "e.docx"')


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_folder_that_cannot_be_looked_into_is_refused_and_not_passed_over(tmp_path):
    (tmp_path / "in" / "closed").mkdir(parents=True)
    write_rows(tmp_path / "in" / "a.jsonl", [{"text": "One."}])
    (tmp_path / "in" / "closed").chmod(0)
    with pytest.raises(InputError, match=r"closed: cannot be read"):
        _prepare(tmp_path, 'files = "in"')


def test_a_folder_source_takes_neither_what_blends_made_nor_hidden_folders(tmp_path):
    write_rows(tmp_path / "a.jsonl", [{"text": "One."}])
    for name in ("other.blend/prepared/x", ".hidden"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "text.txt").write_text("not this", "utf-8")
    for _ in range(2):
        registry, workspace = open_blend(write_recipe(tmp_path, {"a": 'files = ["**/*.txt", "*.jsonl", "."]'}))
        workspace.folder = tmp_path / "out"
        with pytest.raises(InputError, match="no such file"):  # the pattern finds what blends made alone
            prepare(registry, workspace)
        registry, workspace = open_blend(write_recipe(tmp_path, {"a": 'files = ["*.jsonl", "."]'}))
        workspace.folder = tmp_path / "out"
        prepare(registry, workspace)
        prepared = Prepared(workspace.prepared("a"), registry.eos, False)
        assert _texts(prepared) == ["One."]
