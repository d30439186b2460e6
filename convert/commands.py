"""`bookblend convert`: tables, chat sets and JSONL into records; a shuffle for files of any size."""

from bookblend.convert.csv_command import CSV
from bookblend.convert.jsonl_command import JSONL

COMMANDS = (CSV, JSONL)
