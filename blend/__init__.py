"""Home of the blend (sources, shares, tokenizer, token arrays). No commands yet."""
