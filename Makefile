# Everything runs in .venv, which is made from whatever Python 3 is there.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup browser test lint type check oracle score docs clean

setup: .venv/ready

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[dev]'
	touch $@

score: setup
	$(BIN)/scorer.pl all fixtures/example.key.conll fixtures/example.response.conll none

# The tests of pages run in Chromium, which is no Python package; without it they are skipped, but not where CI is set.
browser:
	@command -v chromium >/dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		export DEBIAN_FRONTEND=noninteractive && apt-get update -qq && apt-get install --yes -qq --no-install-recommends chromium; \
	else \
		echo "no chromium on the path: install it (Debian: apt-get install chromium), as the tests of pages need it" >&2; exit 1; \
	fi

test: setup
	$(BIN)/pytest

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check

type: setup
	$(BIN)/mypy

check: lint type test

# Next to other programs, which variables name: COREFSCORER, COREFUD_SCORER, COVAL. Another run with SEED is the same.
SECONDS ?= 60
oracle: setup
	$(BIN)/python tests/oracle.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# mkdocs-material prints a notice about mkdocs 2, which is none about these pages; the variable leaves it out.
docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

.venv/docs: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

clean:
	rm -rf .venv dist site
