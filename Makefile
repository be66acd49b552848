# Everything runs in .venv, which is made from whatever Python 3 is there.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup test lint type check score clean

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

clean:
	rm -rf .venv dist
