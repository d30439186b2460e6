# `make demo` sets up and runs the main job on the sample book; `make test` sets up and passes all checks.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
OUT := out

.DEFAULT_GOAL := help
# Several targets are named like folders.
.PHONY: help demo test check lint typecheck sample benchmark clean-out install install-dev

help:
	@echo "make demo       set up, then turn the sample book (PDF and EPUB) into records in $(OUT)/"
	@echo "make test       set up, then run ruff, mypy and the tests"
	@echo "make sample     rebuild the sample book's PDF and EPUB from their source"
	@echo "make benchmark  time the extractors on the sample book (BOOKS=folder for your own)"

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
	@echo
	@echo "The records are in $(OUT)/sample-pdf.jsonl and $(OUT)/sample-epub.jsonl, one chapter a line:"
	@head -c 300 $(OUT)/sample-pdf.jsonl && echo " …"

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

clean-out:
	rm -rf $(OUT)
