"""Chat and instruction sets in their common layouts, each record into turns of role and content.

Layouts: "messages" (OpenAI: a list of role and content), "sharegpt" (a list of from and value), "instruction" (Alpaca:
instruction, input, output, with LLaMA-Factory's system and history), "completion" (prompt and completion or another
pair of names, as texts or, as in TRL, as lists of turns), "pairs" (the first two columns: user, assistant).
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Turn = dict[str, Any]
Record = Mapping[str, Any]

# Who speaks, by the names that sets use (ShareGPT, Vicuna, LLaMA-Factory, OpenAI).
ROLES = {
    **dict.fromkeys(("user", "human", "prompter"), "user"),
    **dict.fromkeys(("assistant", "gpt", "chatgpt", "bing", "bard", "model", "bot", "function_call"), "assistant"),
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("tool", "function", "observation", "ipython"), "tool"),
}
_LISTS = ("messages", "conversations", "conversation", "chat", "dialogue")
# What is asked and what is answered, by the columns' names.
_PAIRS = (
    ("prompt", "completion"),
    ("prompt", "response"),
    ("prompt", "answer"),
    ("question", "answer"),
    ("query", "response"),
    ("query", "answer"),
    ("instruction", "response"),
    ("instruction", "completion"),
    ("input", "output"),
    ("user", "assistant"),
)


class ChatError(ValueError):
    """A record that is no chat of its layout; the text says why."""


def recognise(record: Record) -> str:
    """The layout of a set by its first record; "" where its columns are none of the common ones."""
    for column in _LISTS:
        turns = record.get(column)
        if isinstance(turns, list):
            keys = {key for turn in turns[:4] if isinstance(turn, Mapping) for key in turn}
            if "from" in keys or "value" in keys:
                return "sharegpt"
            if "role" in keys or column == "messages":
                return "messages"
    if "instruction" in record and "output" in record:
        return "instruction"
    if any(one in record and two in record for one, two in _PAIRS):
        return "completion"
    return ""


def used_columns(layout: str, record: Record) -> frozenset[str]:
    """The columns that a layout reads from records like this one."""
    if layout in ("messages", "sharegpt"):
        return frozenset({_list_column(record), "system"})
    if layout == "instruction":
        return frozenset({"instruction", "input", "output", "system", "history"})
    if layout == "completion":
        return frozenset({*_pair(record), "system"})
    return frozenset(list(record)[:2])


def turns(layout: str, record: Record) -> list[Turn]:
    """The turns of a record: dicts of "role" and "content", and what else a turn of "messages" has.

    Raises `ChatError` with the reason where the record does not fit the layout.
    """
    made = _READERS[layout](record)
    if not made:
        raise ChatError("has no turns")
    return made


def _messages(record: Record) -> list[Turn]:
    return _system(record) + [_turn(turn, "role", "content") for turn in _list(record)]


def _sharegpt(record: Record) -> list[Turn]:
    return _system(record) + [_turn(turn, "from", "value") for turn in _list(record)]


def _instruction(record: Record) -> list[Turn]:
    asked = _text(record, "instruction")
    more = record.get("input")
    if more:
        more = _text(record, "input")
        asked = f"{asked}\n\n{more}" if asked else more
    made = _system(record)
    for pair in record.get("history") or ():
        if not isinstance(pair, Sequence) or isinstance(pair, str) or len(pair) != 2:
            raise ChatError("'history' is no list of pairs")
        made += [_made("user", pair[0], "history"), _made("assistant", pair[1], "history")]
    return [*made, _made("user", asked, "instruction"), _made("assistant", record.get("output"), "output")]


def _completion(record: Record) -> list[Turn]:
    made = _system(record)
    for role, column in zip(("user", "assistant"), _pair(record), strict=True):
        value = record[column]
        if isinstance(value, list):
            made += [_turn(turn, "role", "content") for turn in value]
        else:
            made.append(_made(role, value, column))
    return made


def _pairs(record: Record) -> list[Turn]:
    if len(record) < 2:
        raise ChatError("has fewer than two columns")
    (one, asked), (two, answered), *_ = record.items()
    return [_made("user", asked, one), _made("assistant", answered, two)]


_READERS: dict[str, Callable[[Record], list[Turn]]] = {
    "messages": _messages,
    "sharegpt": _sharegpt,
    "instruction": _instruction,
    "completion": _completion,
    "pairs": _pairs,
}
LAYOUTS = tuple(_READERS)


def _list_column(record: Record) -> str:
    for column in _LISTS:
        if column in record:
            return column
    raise ChatError(f"has none of the columns {', '.join(_LISTS)}")


def _list(record: Record) -> Sequence[Any]:
    column = _list_column(record)
    value = record[column]
    if not isinstance(value, list):
        raise ChatError(f"{column!r} is no list of turns")
    return value


def _pair(record: Record) -> tuple[str, str]:
    for one, two in _PAIRS:
        if one in record and two in record:
            return one, two
    raise ChatError("has no two columns that are asked and answered (prompt and completion, question and answer …)")


def _system(record: Record) -> list[Turn]:
    value = record.get("system")
    return [_made("system", value, "system")] if value else []


def _turn(turn: Any, speaker: str, said: str) -> Turn:
    if not isinstance(turn, Mapping):
        raise ChatError("a turn is no object")
    # Sets mix the two spellings.
    role = turn.get(speaker) or turn.get("role") or turn.get("from")
    key = said if said in turn else "content" if "content" in turn else "value"
    if not isinstance(role, str) or role.casefold() not in ROLES:
        raise ChatError(f"has a turn of an unknown speaker, {role!r} (known: {', '.join(ROLES)})")
    kept = {name: value for name, value in turn.items() if name not in (speaker, key, "role", "from")}
    content = turn.get(key)
    # A turn that only calls tools says nothing.
    if content is None and kept.get("tool_calls"):
        return {"role": ROLES[role.casefold()], "content": "", **_present(kept)}
    return {**_made(ROLES[role.casefold()], content, f"turn of {role}"), **_present(kept)}


def _present(kept: Mapping[str, Any]) -> Mapping[str, Any]:
    """Without nulls: columns of tables have every key in every turn."""
    return {name: value for name, value in kept.items() if value is not None}


def _made(role: str, content: Any, place: str) -> Turn:
    if isinstance(content, list) and all(isinstance(part, Mapping) and part.get("type") == "text" for part in content):
        content = "".join(str(part.get("text", "")) for part in content)
    if not isinstance(content, str):
        raise ChatError(f"{place} is no text ({'null' if content is None else type(content).__name__})")
    return {"role": role, "content": content}


def _text(record: Record, column: str) -> str:
    value = record.get(column)
    if not isinstance(value, str):
        raise ChatError(f"{column} is no text ({'null' if value is None else type(value).__name__})")
    return value
