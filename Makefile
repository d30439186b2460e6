# `make demo` sets up and runs the main job on the sample book; `make test` sets up and passes all checks.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := out

.DEFAULT_GOAL := help
# Several targets are named like folders.
.PHONY: help demo test check lint typecheck sample benchmark benchmark-page benchmark-peers benchmark-tokens \
  benchmark-gutenberg thresholds clean-out install install-dev

help:
	@echo "make demo       set up, then the sample book (PDF and EPUB) into records and a blend of token arrays in $(OUT)/"
	@echo "make test       set up, then run ruff, mypy and the tests"
	@echo "make sample     rebuild the sample book's PDF and EPUB from their source"
	@echo "make benchmark  time the extractors on the sample book (BOOKS=folder for your own)"
	@echo "make benchmark-page  score and time them beside other tools, into docs/benchmarks.md (BOOKS=folder with truth)"
	@echo "make benchmark-tokens  token arrays beside other tools, into docs/tokens.md (CORPUS=JSONL file or folder of texts)"
	@echo "make thresholds  move each threshold of the PDF reader, into docs/thresholds.md (BOOKS=folder with truth)"

# The marker is written last, so an interrupted set-up is done again.
$(VENV)/.user: pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit("bookblend needs Python 3.11 or newer; try: make PYTHON=python3.11 …" if sys.version_info < (3, 11) else 0)'
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable .
	@touch $@

$(VENV)/.developer: pyproject.toml | $(VENV)/.user
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --editable '.[dev]'
	@touch $@

install: $(VENV)/.user
install-dev: $(VENV)/.developer

demo: install
	@mkdir -p $(OUT)
	$(BIN)/bookblend books run books/sample-pdf.toml --out $(OUT)
	$(BIN)/bookblend books run books/sample-epub.toml --out $(OUT)
	$(BIN)/bookblend blend run blend/recipes/sample.toml --folder $(OUT)/sample.blend
	$(BIN)/bookblend blend verify $(OUT)/sample.blend
	@echo
	@echo "The records are in $(OUT)/sample-pdf.jsonl and $(OUT)/sample-epub.jsonl, one chapter a line:"
	@head -c 300 $(OUT)/sample-pdf.jsonl && echo " …"
	@echo
	@echo "The token arrays are in $(OUT)/sample.blend/blend/ (train_ids.npy, nanogpt/, megatron/); overview.html shows the mix."

test: lint typecheck check

check: install-dev
	$(BIN)/python -m pytest -q

lint: install-dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

typecheck: install-dev
	$(BIN)/mypy

sample: install-dev
	$(BIN)/python -m bookblend.books.sample.make

BOOKS ?= books/sample
benchmark: install
	$(BIN)/python benchmarks/books.py $(BOOKS)

# The other tools have an environment of their own: some need another PyMuPDF than ours.
PAGE ?= docs/benchmarks.md
PEERS ?= $(OUT)/peers
benchmark-peers:
	test -x $(PEERS)/bin/python || $(PYTHON) -m venv $(PEERS)
	$(PEERS)/bin/python -m pip install --quiet --disable-pip-version-check \
	  pymupdf pymupdf4llm opendataloader-pdf pdfminer.six ebooklib beautifulsoup4

# ARGS: more of the command's options (benchmarks/README.md), as ARGS='--long book.pdf --real folder'.
benchmark-page: install-dev
	$(BIN)/python benchmarks/compare.py $(BOOKS) --out $(PAGE) --peers-python $(PEERS)/bin/python \
	  --cache $(OUT)/benchmarks $(ARGS)

# CORPUS: a JSONL file of records, or a folder of texts.
benchmark-tokens: install
	$(BIN)/python benchmarks/tokens.py $(CORPUS) --out docs/tokens.md $(ARGS)

TEXTS ?= mirror
benchmark-gutenberg: install-dev
	$(BIN)/python benchmarks/gutenberg.py table $(TEXTS) --peers-python $(PEERS)/bin/python --out docs/gutenberg.md

THRESHOLDS ?= docs/thresholds.md
thresholds: install-dev
	$(BIN)/python benchmarks/thresholds.py $(BOOKS) --out $(THRESHOLDS) $(ARGS)

clean-out:
	rm -rf $(OUT)
