# Everything runs in .venv, which is made from whatever Python 3 is there.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup browser test random oracle lint type check score docs clean

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

# The properties once more, on examples that no run has tried before; `make random SEED=…` tries those of that seed again.
SEED ?= $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')

random: setup
	@seed=$(SEED) && echo "random examples of seed $$seed: make random SEED=$$seed" && \
		$(BIN)/pytest tests -m hypothesis --hypothesis-profile=random --hypothesis-seed=$$seed

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
