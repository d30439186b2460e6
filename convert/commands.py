"""`bookblend convert`: tables, chat sets and JSONL into records; a shuffle for files of any size."""

from bookblend.convert.csv_command import CSV
from bookblend.convert.jsonl_command import JSONL
from bookblend.convert.messages_command import MESSAGES
from bookblend.convert.parquet_command import PARQUET
from bookblend.convert.render_command import RENDER
from bookblend.convert.shuffle_command import SHUFFLE

COMMANDS = (CSV, PARQUET, JSONL, MESSAGES, RENDER, SHUFFLE)
