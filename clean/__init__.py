"""Repair of text and markdown: stateless `str → str` fixes, and a ledger of what was dropped."""
