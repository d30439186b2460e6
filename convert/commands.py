"""`bookblend convert`: tables, chat sets and JSONL files into one another."""

from bookblend.convert.parquet_command import PARQUET

COMMANDS = (PARQUET,)
