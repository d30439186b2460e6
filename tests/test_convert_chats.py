"""Chat and instruction sets of any common layout into the same records, and records into text by templates."""

import json
from pathlib import Path
from typing import Any

import pytest

from bookblend import cli
from bookblend.convert.chats import ROLES, ChatError, recognise, turns
from bookblend.convert.render import NAMED, RenderError, compile_template
from bookblend.errors import UsageError

CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Who?"},
    {"role": "assistant", "content": "The miller."},
]


# --- layouts ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("layout", "record"),
    [
        ("messages", {"messages": CHAT}),
        ("messages", {"messages": CHAT[1:], "system": "Be brief."}),
        (
            "messages",
            {"conversation": [{**turn, "content": [{"type": "text", "text": turn["content"]}]} for turn in CHAT]},
        ),
        (
            "sharegpt",
            {
                "conversations": [
                    {"from": "system", "value": "Be brief."},
                    {"from": "human", "value": "Who?"},
                    {"from": "gpt", "value": "The miller."},
                ]
            },
        ),
        ("instruction", {"instruction": "Who?", "input": "", "output": "The miller.", "system": "Be brief."}),
        ("completion", {"prompt": "Who?", "completion": "The miller.", "system": "Be brief."}),
        ("completion", {"question": "Who?", "answer": "The miller.", "system": "Be brief."}),
        ("completion", {"prompt": CHAT[:2], "completion": CHAT[2:]}),
    ],
)
def test_every_layout_gives_the_same_turns(layout: str, record: dict[str, Any]) -> None:
    assert recognise(record) == layout
    assert turns(layout, record) == CHAT


def test_the_input_of_an_instruction_stands_under_it() -> None:
    record = {"instruction": "Add.", "input": "1 and 1", "output": "2", "history": [["Hello.", "Good day."]]}

    assert [turn["content"] for turn in turns("instruction", record)] == ["Hello.", "Good day.", "Add.\n\n1 and 1", "2"]


def test_pairs_are_the_first_two_columns_whatever_their_names() -> None:
    assert recognise({"q": "Who?", "a": "The miller."}) == ""
    assert turns("pairs", {"q": "Who?", "a": "The miller.", "id": 7}) == CHAT[1:]


def test_what_else_a_turn_says_is_kept() -> None:
    call = {"role": "assistant", "content": None, "tool_calls": [{"name": "weir"}], "name": None}

    assert turns("messages", {"messages": [call]}) == [
        {"role": "assistant", "content": "", "tool_calls": [{"name": "weir"}]}
    ]


@pytest.mark.parametrize("name", sorted(ROLES))
def test_speakers_are_known_by_their_usual_names_in_any_case(name: str) -> None:
    assert turns("sharegpt", {"conversations": [{"from": name.upper(), "value": "x"}]})[0]["role"] == ROLES[name]


@pytest.mark.parametrize(
    ("layout", "record", "reason"),
    [
        ("messages", {"messages": []}, "has no turns"),
        ("messages", {"messages": "x"}, "no list of turns"),
        ("messages", {"messages": ["x"]}, "a turn is no object"),
        ("messages", {"text": "x"}, "has none of the columns"),
        ("messages", {"messages": [{"role": "user", "content": None}]}, "turn of user is no text (null)"),
        ("messages", {"messages": [{"role": "user", "content": [{"type": "image"}]}]}, "is no text (list)"),
        ("sharegpt", {"conversations": [{"from": "weir", "value": "x"}]}, "unknown speaker, 'weir'"),
        ("instruction", {"instruction": "x", "output": None}, "output is no text (null)"),
        ("instruction", {"instruction": "x", "input": 3, "output": "y"}, "input is no text (int)"),
        ("instruction", {"instruction": "x", "output": "y", "history": ["z"]}, "no list of pairs"),
        ("completion", {"prompt": "x"}, "has no two columns"),
        ("pairs", {"a": "x"}, "fewer than two columns"),
        ("pairs", {"a": "x", "b": 1.5}, "b is no text (float)"),
    ],
)
def test_records_that_are_no_chat_say_why(layout: str, record: dict[str, Any], reason: str) -> None:
    with pytest.raises(ChatError) as caught:
        turns(layout, record)

    assert reason in str(caught.value)


# --- templates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("plain", "System: Be brief.\n\nUser: Who?\n\nAssistant: The miller."),
        (
            "chatml",
            "<|im_start|>system\nBe brief.<|im_end|>\n<|im_start|>user\nWho?<|im_end|>\n"
            "<|im_start|>assistant\nThe miller.<|im_end|>\n",
        ),
        ("alpaca", "Be brief.\n\n### Instruction:\nWho?\n\n### Response:\nThe miller."),
    ],
)
def test_named_templates(name: str, text: str) -> None:
    assert compile_template(NAMED[name])({"messages": CHAT}) == text


def test_braces_in_a_record_are_text() -> None:
    assert compile_template("{{ a }}")({"a": "{{ b }} <&>"}) == "{{ b }} <&>"


@pytest.mark.parametrize(
    "source",
    ["{{ nothing }}", "{{ a.b.c }}", "{{ a / 0 }}", "{{ a.__class__.__mro__ }}", "{{ raise_exception('no') }}"],
)
def test_a_record_that_a_template_cannot_be_filled_with_is_told(source: str) -> None:
    with pytest.raises(RenderError):
        compile_template(source)({"a": 1})


def test_no_template_is_a_usage_error_with_its_line() -> None:
    with pytest.raises(UsageError, match="line 2"):
        compile_template("one\n{{ two")


# --- commands --------------------------------------------------------------------------------------------------------


def lines(path: Path, *records: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(record) + "\n" for record in records), "utf-8")
    return path


def test_messages_writes_one_array_or_with_lines_a_record_a_line(tmp_path: Path) -> None:
    source = lines(
        tmp_path / "in.jsonl", {"prompt": "Who?", "completion": "The miller."}, {"prompt": "a", "completion": "b"}
    )
    array, rows = tmp_path / "out.json", tmp_path / "out.jsonl"

    assert cli.main(["convert", "messages", str(source), "-o", str(array)]) == 0
    assert cli.main(["convert", "messages", str(source), "-o", str(rows), "--lines"]) == 0

    found = json.loads(array.read_text("utf-8"))
    assert found[0] == {"messages": CHAT[1:]}
    assert [json.loads(row) for row in rows.read_text("utf-8").splitlines()] == found


def test_no_records_are_an_empty_array(tmp_path: Path) -> None:
    source = lines(tmp_path / "in.jsonl")

    assert cli.main(["convert", "messages", str(source), "-o", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text("utf-8")) == []


def test_messages_of_csv_are_its_columns_by_name_or_the_first_two(tmp_path: Path) -> None:
    source = tmp_path / "in.csv"
    source.write_text("frage,antwort,id\nWho?,The miller.,7\n", "utf-8")

    assert cli.main(["convert", "messages", str(source), "-o", str(tmp_path / "out.json")]) == 0
    assert json.loads((tmp_path / "out.json").read_text("utf-8")) == [{"messages": CHAT[1:]}]


def test_a_record_that_does_not_fit_ends_the_work_or_is_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source = lines(tmp_path / "in.jsonl", {"messages": CHAT}, {"messages": []})
    command = ["convert", "messages", str(source), "-o", str(tmp_path / "out.json")]

    assert cli.main(command) == 3
    assert "line 2: has no turns" in capsys.readouterr().err
    assert not (tmp_path / "out.json").exists()
    assert cli.main([*command, "--bad-lines", str(tmp_path / "bad.jsonl")]) == 0
    assert len(json.loads((tmp_path / "out.json").read_text("utf-8"))) == 1
    assert json.loads((tmp_path / "bad.jsonl").read_text("utf-8"))["line"] == 2


def test_an_unknown_layout_of_objects_asks_for_its_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = lines(tmp_path / "in.jsonl", {"a": "x", "b": "y"})

    assert cli.main(["convert", "messages", str(source), "-o", str(tmp_path / "out.json")]) == 3
    assert "--from" in capsys.readouterr().err


def test_what_was_left_out_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = lines(tmp_path / "in.jsonl", {"messages": CHAT, "id": 1, "licence": "none"})

    assert cli.main(["convert", "messages", str(source), "-o", str(tmp_path / "out.json")]) == 0
    assert "1 record; read as messages; columns left out: id, licence" in capsys.readouterr().err


def test_render_fills_a_template_given_in_words_in_a_file_or_by_name(tmp_path: Path) -> None:
    source = lines(tmp_path / "in.jsonl", {"prompt": "Who?", "completion": "The miller.", "id": 7})
    template = tmp_path / "template.jinja"
    template.write_text("{{ messages[0].content }} {{ completion }}", "utf-8")
    texts = []
    for given in ("{{ prompt }} {{ completion }}", str(template), "plain"):
        target = tmp_path / "out.jsonl"
        assert cli.main(["convert", "render", str(source), str(target), "--template", given, "--keep", "id"]) == 0
        texts.append(json.loads(target.read_text("utf-8")))

    assert texts == [
        {"text": "Who? The miller.", "id": 7},
        {"text": "Who? The miller.", "id": 7},
        {"text": "User: Who?\n\nAssistant: The miller.", "id": 7},
    ]


@pytest.mark.parametrize("options", [["--template", "nowhere.jinja"], ["--keep", "text"], ["--template", "{{ a"]])
def test_render_refuses_what_is_no_template(tmp_path: Path, options: list[str]) -> None:
    source = lines(tmp_path / "in.jsonl", {"prompt": "a", "completion": "b"})

    assert cli.main(["convert", "render", str(source), str(tmp_path / "out.jsonl"), *options]) == 2


def test_an_empty_file_that_is_called_parquet_is_refused(tmp_path: Path) -> None:
    (tmp_path / "in.parquet").write_bytes(b"")

    assert cli.main(["convert", "messages", str(tmp_path / "in.parquet"), "-o", str(tmp_path / "out.json")]) == 3
    assert not (tmp_path / "out.json").exists()
