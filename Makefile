# Everything runs in .venv, which is made from whatever Python 3 is there.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: setup browser test random spawn lowest fuzz oracle mutants lint type check score docs clean

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

# In any order (`pytest --randomly-seed=…` repeats the one whose seed is printed), in as many processes as there are cores; the tests
# of a file stay in one, as they share a scheduler or a browser.
test: setup
	$(BIN)/pytest --numprocesses auto --dist loadfile

# The properties once more, on examples that no run has tried before; `make random SEED=…` tries those of that seed again.
SEED ?= $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
SECONDS ?= 60

random: setup
	@seed=$(SEED) && echo "random examples of seed $$seed: make random SEED=$$seed" && \
		$(BIN)/pytest tests -m hypothesis --hypothesis-profile=random --hypothesis-seed=$$seed

# As on macOS and Windows: processes start afresh, and what those systems lack is hidden. The tests of what reads and of what runs.
ELSEWHERE := accumulator batch cache cli codabench isolation leaderboard library opening perl_command remote submissions system writers

spawn: setup
	PYTHONPATH=tests/elsewhere $(BIN)/pytest --numprocesses auto --dist loadfile $(ELSEWHERE:%=tests/test_%.py)

# With the lowest versions that pyproject.toml allows, which are for Python 3.10 and 3.11 only. The tests of what other packages do:
# numpy and scipy count, pandas and pyarrow hold tables, fsspec and aiohttp fetch, pyyaml reads, tabulate prints.
LOWEST := assignment batch comparison contingency engines evaluate golden like_corefud library manifest metrics registry remote \
	reports significance writers

lowest: .venv-lowest/ready
	.venv-lowest/bin/pytest --numprocesses auto --dist loadfile $(LOWEST:%=tests/test_%.py)

.venv-lowest/ready: pyproject.toml tests/lowest.py .venv/ready
	@for python in $(PYTHON) python3.10 python3.11; do \
		if $$python -c 'import sys; sys.exit(sys.version_info[:2] not in [(3, 10), (3, 11)])' 2>/dev/null; then \
			exec $$python -m venv .venv-lowest; \
		fi; \
	done; echo "no Python 3.10 or 3.11 here: name one, make lowest PYTHON=…" >&2; exit 1
	$(BIN)/python tests/lowest.py > .venv-lowest/requirements.txt
	.venv-lowest/bin/pip install --quiet --disable-pip-version-check --requirement .venv-lowest/requirements.txt
	.venv-lowest/bin/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

# Damaged files for every reader and command; what fails is saved among the fixtures, where the tests try it again. SEED as above.
fuzz: setup
	$(BIN)/python tests/fuzz.py --seconds $(SECONDS) --seed $(SEED)

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check

type: setup
	$(BIN)/mypy

check: lint type test

# Next to other programs, which variables name: COREFSCORER, COREFUD_SCORER, COVAL. Another run with SEED is the same.
oracle: setup
	$(BIN)/python tests/oracle.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# How many small mistakes in a module its tests notice; of the whole core without MODULE, which takes long. SAMPLE=50 tries that many
# of each module; ARGUMENTS=--equivalent tries those that are listed as beyond notice.
mutants: setup
	nice -n 10 $(BIN)/python tests/mutants.py $(if $(SAMPLE),--sample $(SAMPLE)) $(ARGUMENTS) $(MODULE)

# mkdocs-material prints a notice about mkdocs 2, which is none about these pages; the variable leaves it out.
docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict

.venv/docs: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --editable '.[docs]'
	touch $@

clean:
	rm -rf .venv .venv-lowest dist site
