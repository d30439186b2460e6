"""Markdown into raw text and JSONL records: anchors, slicing, splitting, the word-for-word invariant."""
