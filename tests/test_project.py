"""What stands around the code: citation, hosted CI, hook, container, and the pages for those who
contribute say what is so."""

import re
import subprocess
import sys
import tomllib  # pytest brings it where Python has none
from pathlib import Path

import pytest
import yaml

from scorer.version import __version__

ROOT = Path(__file__).parents[1]
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TARGETS = set(" ".join(re.findall(r"^\.PHONY: (.*)$", MAKEFILE, re.MULTILINE)).split())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "check.yml").read_text("utf-8"))


def text(name):
    return (ROOT / name).read_text("utf-8")


PAGES = [".ci/run", "README.md", "CONTRIBUTING.md", "docs/index.md", "docs/verification.md"]


@pytest.mark.parametrize("page", [page for page in PAGES if (ROOT / page).exists()])
def test_every_target_that_is_named_is_there(page):
    named = re.findall(r"(?:^|`|=\S+ )make ([a-z-]+)", text(page), re.MULTILINE)
    assert named
    assert set(named) <= TARGETS


def test_the_package_has_a_command_of_its_name():
    assert PROJECT["scripts"][PROJECT["name"]] == PROJECT["scripts"]["scorer"]


def test_the_citation_is_of_this_version():
    citation = yaml.safe_load(text("CITATION.cff"))
    release = __version__.partition(".dev")[0]
    assert (citation["version"], citation["title"]) == (release, PROJECT["name"])
    assert {"message", "authors", "license", "cff-version"} <= set(citation)


def test_the_hosted_checks_are_those_of_the_makefile():
    jobs = WORKFLOW["jobs"].values()
    for step in (step["run"] for job in jobs for step in job["steps"] if "run" in step):
        assert step == "bash .ci/run" or re.search(r"(?:^| )make ([a-z-]+)", step)[1] in TARGETS


def test_actions_are_pinned_by_hash():
    jobs = WORKFLOW["jobs"].values()
    used = [step["uses"] for job in jobs for step in job["steps"] if "uses" in step]
    assert used
    assert all(re.fullmatch(r"actions/[a-z-]+@[0-9a-f]{40}", name) for name in used)


def test_nothing_is_published_until_the_owner_says_so():
    jobs = WORKFLOW["jobs"]
    for name in ("publish", "site"):
        assert "vars.PUBLISH == 'true'" in jobs[name]["if"]
        assert jobs[name]["needs"] == "release"
    assert [name for name, job in jobs.items() if "permissions" in job] == ["publish", "site"]


def test_the_versions_of_python_are_the_same_everywhere():
    versions = WORKFLOW["jobs"]["test"]["strategy"]["matrix"]["python"]
    declared = re.findall(r"Python :: (3\.\d+)", " ".join(PROJECT["classifiers"]))
    assert declared == versions
    assert PROJECT["requires-python"] == f">={versions[0]}"


def test_the_package_needs_little():
    """What scorer.pl, score and compare take; the rest are extras, and Dask is in one of them."""
    light = {"jinja2", "numpy", "pandas", "scipy", "tabulate", "tqdm", "wcwidth"}
    assert {re.match(r"[\w-]+", need)[0] for need in PROJECT["dependencies"]} <= light
    extras = PROJECT["optional-dependencies"]
    assert [name for name in extras if re.search("dask|distributed", " ".join(extras[name]))] == [
        "distributed"
    ]


HOOK = yaml.safe_load(text(".pre-commit-hooks.yaml"))[0]


@pytest.mark.parametrize(
    ("files", "status"),
    [("example.key.conll example.response.conll", 0), ("documentation/broken.conll", 1)],
)
def test_the_hook_checks_each_file_by_itself(files, status):
    paths = [str(ROOT / "fixtures" / name) for name in files.split()]
    command = [sys.executable, "-m", *HOOK["entry"].split(), *paths]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (ran.returncode, "broken.conll:9: " in ran.stdout) == (status, status == 1)


def test_the_hook_looks_at_files_of_coreference():
    names = "a.conll wsj_0001.v4_gold_conll x/dev.conllu ua.conllup notes.md a.jsonl conll.py"
    matching = [name for name in names.split() if re.search(HOOK["files"], name)]
    assert matching == ["a.conll", "wsj_0001.v4_gold_conll", "x/dev.conllu", "ua.conllup"]
