"""Tables and JSONL: CSV, Parquet and chat sets into records, strict JSONL, a shuffle for files of any size."""
