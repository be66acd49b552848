# Everything runs in .venv, which is made from whatever Python 3 is there.
PYTHON ?= python3
# Where Windows keeps the commands of an environment.
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)

.PHONY: setup browser shells test distributed random spawn lowest adapters fuzz oracle lint type check score docs man
.PHONY: screenshots release-check clean

setup: .venv/ready

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --editable '.[dev]'
	touch $@

score: setup
	$(BIN)/python $(BIN)/scorer.pl all fixtures/example.key.conll fixtures/example.response.conll none

# What tests run that is no Python package: the tests of pages Chromium (its headless shell, or else the whole of it), that of the
# manual page mandoc. Without one of them its tests are skipped, but not where CI is set.
browser: NEEDED := chromium-headless-shell
shells: NEEDED := mandoc
browser shells:
	@for program in $(NEEDED); do \
		command -v $$program >/dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
			export DEBIAN_FRONTEND=noninteractive && apt-get update -qq && apt-get install --yes -qq --no-install-recommends $$program; \
		else \
			echo "no $$program on the path: install it (Debian: apt-get install $$program), as tests need it" >&2; exit 1; \
		fi || exit 1; \
	done

# In any order (`pytest --randomly-seed=…` repeats the one whose seed is printed), in as many processes as there are cores, each with
# its share; who is done first takes half of what another has left. Bytecode is kept wherever it usually is not, as every process
# would compile the tests anew. Dask, which `make setup` leaves out, has its tests in one file and in one job, below.
# The files of tests by their names, whichever folder they are in.
tests = $(foreach name,$(1),$(shell find tests -name test_$(name).py))

test random spawn lowest: export PYTHONDONTWRITEBYTECODE :=
test: setup
	$(BIN)/pytest --numprocesses auto --dist worksteal --ignore-glob '*/test_dask.py'

# On a Dask cluster: a real scheduler, with workers as processes.
distributed: .venv/distributed
	$(BIN)/pytest $(call tests,dask)

.venv/distributed: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --editable '.[distributed]'
	touch $@

# The properties once more, on examples that no run has tried before; `make random SEED=…` tries those of that seed again.
SEED ?= $(shell od -An -N4 -tu4 /dev/urandom | tr -d ' ')
SECONDS ?= 60

random: setup
	@seed=$(SEED) && echo "random examples of seed $$seed: make random SEED=$$seed" && \
		$(BIN)/pytest --numprocesses auto --dist worksteal tests -m hypothesis --hypothesis-profile=random --hypothesis-seed=$$seed

# As on macOS and Windows: processes start afresh, and what those systems lack is hidden. The tests of what reads and of what runs; a
# property needs few examples here, and below, as all of them were tried before.
ELSEWHERE := accumulator batch cache cli codabench isolation leaderboard library opening perl_command remote submissions system writers

spawn: setup
	PYTHONPATH=tests/elsewhere $(BIN)/pytest --collect-only -qq
	PYTHONPATH=tests/elsewhere $(BIN)/pytest --hypothesis-profile=few --numprocesses auto --dist worksteal $(call tests,$(ELSEWHERE))

# With the lowest versions that pyproject.toml allows, which are for Python 3.11 only. The tests of what other packages do:
# numpy and scipy count, pandas and pyarrow hold tables, fsspec and aiohttp fetch, pyyaml reads, tabulate prints, shtab completes.
LOWEST := assignment batch comparison completion contingency engines evaluate golden like_corefud library manifest metrics notebook \
	registry remote reports significance writers

lowest: .venv-lowest/ready
	.venv-lowest/bin/pytest --hypothesis-profile=few --numprocesses auto --dist worksteal $(call tests,$(LOWEST))

.venv-lowest/ready: pyproject.toml tests/lowest.py .venv/ready
	@for python in $(PYTHON) python3.11; do \
		if $$python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then \
			exec $$python -m venv .venv-lowest; \
		fi; \
	done; echo "no Python 3.11 here: name one, make lowest PYTHON=…" >&2; exit 1
	$(BIN)/python tests/lowest.py > .venv-lowest/requirements.txt
	.venv-lowest/bin/pip install --quiet --disable-pip-version-check --no-compile --requirement .venv-lowest/requirements.txt
	.venv-lowest/bin/pip install --quiet --disable-pip-version-check --no-deps --editable .
	touch $@

# Next to the packages whose results the adapters take; fastcoref is not among them, as it needs torch.
adapters: .venv-adapters/ready
	.venv-adapters/bin/pytest tests/adapters --confcutdir tests/adapters

.venv-adapters/ready: pyproject.toml
	$(PYTHON) -m venv .venv-adapters
	.venv-adapters/bin/pip install --quiet --disable-pip-version-check --editable '.[evaluate,pandas,spacy]' 'pytest>=8'
	touch $@

# Damaged files for every reader and command; what fails is saved among the fixtures, where the tests try it again. SEED as above.
fuzz: setup
	$(BIN)/python tests/fuzz.py --seconds $(SECONDS) --seed $(SEED)

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff format --check

type: setup
	$(BIN)/mypy

check: lint type test distributed

# Next to other programs, which variables name: COREFSCORER, COREFUD_SCORER, COVAL. Another run with SEED is the same.
oracle: setup
	$(BIN)/python tests/oracle.py --seconds $(SECONDS) $(if $(SEED),--seed $(SEED))

# mkdocs-material prints a notice about mkdocs 2, which is none about these pages; the variable leaves it out.
docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	$(MAKE) --no-print-directory man

# The manual page, beside the pages; `man -l site/scorer.1` shows it.
man: setup
	mkdir -p site
	$(BIN)/python -m scorer.cli.main > site/scorer.1

.venv/docs: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --editable '.[docs]'
	touch $@

# The pictures of the documentation, from files that ship; they are committed, as fonts differ from one machine to the next.
screenshots: setup browser
	$(BIN)/python tests/screenshots.py

# What can be known of a release before it is one: both packages are built (the wheel from the source package), their metadata are
# checked, and the wheel is tried in a clean environment, away from here.
release-check: .venv/release
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/twine check --strict dist/*
	$(BIN)/python tests/release.py dist

.venv/release: .venv/ready
	$(BIN)/pip install --quiet --disable-pip-version-check --no-compile --editable '.[release]'
	touch $@

clean:
	rm -rf .venv .venv-adapters .venv-lowest dist site
