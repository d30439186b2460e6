"""Home of the table converters (CSV, Parquet, JSONL). No commands yet."""
