"""`bookblend convert`: tables, chat sets and JSONL; a shuffle for files of any size."""

from bookblend.convert.shuffle_command import SHUFFLE

COMMANDS = (SHUFFLE,)
