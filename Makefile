# Everything runs in .venv, which is made from whatever Python 3 is there.
PYTHON ?= python3
# Where Windows keeps the commands of an environment.
BIN := .venv/$(if $(filter Windows_NT,$(OS)),Scripts,bin)
PIP := pip install --quiet --disable-pip-version-check --no-compile

.PHONY: setup browser npm quick figures test accept coverage distributed random fuzz oracle spawn lowest adapters lint type check docs page screenshots release-check publish clean

setup: .venv/ready

.venv/ready: pyproject.toml
	$(PYTHON) -m venv .venv
	$(BIN)/$(PIP) --editable '.[dev]'
	touch $@

# With one more extra: .venv/docs, .venv/distributed, .venv/release.
.venv/%: .venv/ready
	$(BIN)/$(PIP) --editable '.[$*]'
	touch $@

# Chromium's headless shell, for the tests of pages. Without it they are skipped, but not where CI is set.
browser:
	@command -v chromium-headless-shell >/dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		export DEBIAN_FRONTEND=noninteractive && apt-get update -qq && \
			apt-get install --yes -qq --no-install-recommends chromium-headless-shell; \
	else \
		echo "no chromium-headless-shell on the path: install it, as tests need it" >&2; exit 1; \
	fi

# In any order (`pytest --randomly-seed=…` repeats the one whose seed is printed), in as many processes as there are cores. Bytecode
# is kept wherever it usually is not, as every process would compile the tests anew.
TEST := pytest --numprocesses auto --dist worksteal
# The files of tests by their names, whichever folder they are in.
tests = $(foreach name,$(1),$(or $(shell find tests -name test_$(name).py),$(error no test_$(name).py in tests)))

# All but what needs a cluster, which is `make distributed`, and what `make lint` runs.
ALL := --ignore-glob '*/test_dask.py' --ignore tests/test_reading.py

figures test coverage random fuzz oracle spawn lowest: export PYTHONDONTWRITEBYTECODE :=
test: setup
	$(BIN)/$(TEST) $(ALL)

# While you work: lint, types and the tests of figures and commands, but for absurd values, side by side: about half a minute on two cores.
QUICK := tests/count tests/metrics tests/perl tests/scoring tests/evaluation tests/cli tests/test_structure.py \
	tests/test_registry.py --ignore tests/cli/test_absurd.py

quick: setup
	@$(MAKE) --no-print-directory --jobs lint type figures

figures: setup
	$(BIN)/$(TEST) $(QUICK) -m 'not hypothesis and not processes'

# The share of lines and branches that the tests run. Below it are the lines that run in other processes only, or never: what
# a test starts, such as a worker, is not traced. Tracing makes a test take three times as long, so left out are random examples,
# which add 0.1 % (29 lines in November 2026), tests of every value and of measured runs, which add 12 lines, and the tests that only
# start another Python.
TRACED := $(ALL) $(addprefix --ignore ,$(call tests,contributing golden honoured missing names structure))

coverage: setup
	$(BIN)/$(TEST) $(TRACED) -m 'not clock and not hypothesis' --cov --cov-report=term-missing:skip-covered

# What commands of the documentation print now is shown as a difference, and written to their pages.
accept: setup
	$(BIN)/pytest --quiet -k test_examples $(call tests,documentation) --accept

# On a Dask cluster, which `make setup` leaves out: a real scheduler, with workers as processes.
distributed: .venv/distributed
	$(BIN)/pytest $(call tests,dask)

# Properties on new random examples: all of them, those of damaged files, or those next to the other programs that COREFSCORER,
# COREFUD_SCORER and COVAL name. The same SEED draws the same ones.
SEED := $(or $(SEED),$(shell od -An -N4 -tu4 /dev/urandom | tr -d ' '))
export EXAMPLES ?= 100

random: PROPERTIES := tests -m hypothesis
fuzz: PROPERTIES := $(call tests,fuzz layouts places round_trips several)
oracle: PROPERTIES := tests/test_oracle.py -rs
random fuzz oracle: setup
	@echo "to repeat: make $@ SEED=$(SEED) EXAMPLES=$(EXAMPLES)"
	@$(BIN)/$(TEST) $(PROPERTIES) --hypothesis-profile=random --hypothesis-seed=$(SEED)

# As on macOS and Windows: processes start afresh, and what those systems lack is hidden. The tests of what reads and of what runs; a
# property needs few examples here, and below, as all of them were tried before.
ELSEWHERE := accumulator batch kept cli codabench isolation leaderboard library opening perl_command remote submissions system writers

spawn: setup
	PYTHONPATH=tests/elsewhere $(BIN)/pytest --collect-only -qq
	PYTHONPATH=tests/elsewhere $(BIN)/$(TEST) --hypothesis-profile=few $(call tests,$(ELSEWHERE))

# With the lowest versions that pyproject.toml allows, which are for Python 3.11 only. The tests of what other packages do:
# numpy and scipy count, pandas and pyarrow hold tables, fsspec and aiohttp fetch, pyyaml reads, tabulate prints, shtab completes.
LOWEST := assignment batch comparison completion counts engines evaluation golden like_corefud library manifest metrics notebook \
	registry remote reports significance writers

lowest: .venv-lowest/ready
	.venv-lowest/bin/$(TEST) --hypothesis-profile=few $(call tests,$(LOWEST))

.venv-lowest/ready: pyproject.toml tests/lowest.py .venv/ready
	@for python in $(PYTHON) python3.11; do \
		if $$python -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' 2>/dev/null; then \
			exec $$python -m venv .venv-lowest; \
		fi; \
	done; echo "no Python 3.11 here: name one, make lowest PYTHON=…" >&2; exit 1
	$(BIN)/python tests/lowest.py > .venv-lowest/requirements.txt
	.venv-lowest/bin/$(PIP) --requirement .venv-lowest/requirements.txt
	.venv-lowest/bin/$(PIP) --no-deps --editable .
	touch $@

# Next to the packages whose results the adapters take; fastcoref is not among them, as it needs torch.
adapters: .venv-adapters/ready
	.venv-adapters/bin/pytest tests/adapters --confcutdir tests/adapters

.venv-adapters/ready: pyproject.toml
	$(PYTHON) -m venv .venv-adapters
	.venv-adapters/bin/$(PIP) --editable '.[evaluate,pandas,spacy]' 'pytest>=8'
	touch $@

lint: setup
	$(BIN)/ruff check
	$(BIN)/ruff check --preview --select PLR0914
	$(BIN)/ruff format --check
	$(BIN)/pytest --numprocesses 0 tests/test_reading.py

type: setup
	$(BIN)/mypy

check: lint type test distributed

# mkdocs-material prints a notice about mkdocs 2, which is none about these pages; the variable leaves it out.
docs: .venv/docs
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --quiet --strict
	$(BIN)/pytest tests/site --confcutdir tests

# The page that scores in the browser, in one file, and its tests. npm fetches Pyodide; page/pyodide.json has its version and hash.
PYODIDE := $(shell sed -n '1,3s/.*"version": "\(.*\)",/\1/p' page/pyodide.json)

page: setup npm browser
	rm -rf build
	mkdir build
	cd build && npm pack --silent pyodide@$(PYODIDE)
	$(BIN)/pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir build .
	$(BIN)/python page/build.py build/pyodide-$(PYODIDE).tgz build/*.whl site/score.html
	$(BIN)/pytest tests/page

npm:
	@command -v npm >/dev/null || if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		export DEBIAN_FRONTEND=noninteractive && apt-get update -qq && \
			apt-get install --yes -qq --no-install-recommends npm; \
	else \
		echo "no npm on the path: install it, as the page needs it" >&2; exit 1; \
	fi

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

# Upload what `make release-check` has built and checked.
publish: .venv/release
	$(BIN)/twine upload --non-interactive dist/*

clean:
	rm -rf .venv .venv-adapters .venv-lowest build dist site
