"""Sources into documents, blends and token arrays."""
