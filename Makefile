# Everything runs in .venv, which is made from whatever Python 3 is there.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup test lint type check score docs clean

setup: .venv/ready

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

score: setup
	$(BIN)/scorer.pl all fixtures/example.key.conll fixtures/example.response.conll none

test: setup
	$(BIN)/pytest

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check

type: setup
	$(BIN)/mypy

check: lint type test

# mkdocs-material prints a notice about mkdocs 2, which is none about these pages; the variable leaves it out.
docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

.venv/docs: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

clean:
	rm -rf .venv dist site
