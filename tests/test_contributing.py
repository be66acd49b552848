"""The first change of CONTRIBUTING.md, made in a copy of the files: its own tests must pass."""

import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CHANGE = (ROOT / "CONTRIBUTING.md").read_text("utf-8").split("\n## ")[2]
BLOCK = re.compile(r"^( *)```\w+\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
COPIED = ["conll", "conll_scorer", "scorer", "tests", "docs"]


def blocks():
    """The function, its row, its naive version and the calculation, without their indentation."""
    return [
        re.sub(rf"^{indent}", "", text, flags=re.MULTILINE)
        for indent, text in BLOCK.findall(CHANGE)
    ]


@pytest.fixture
def copy(tmp_path):
    """A copy of the files, without pictures; what no step changes is only linked."""
    for name in COPIED:
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("*.png"))
    for path in ROOT.iterdir():
        if not path.name.startswith(".") and path.name not in COPIED:
            (tmp_path / path.name).symlink_to(path)
    return tmp_path


def insert(path, before, text):
    """Add text to a file, in front of what stands there once."""
    content = path.read_text("utf-8")
    assert content.count(before) == 1, (path, before)
    path.write_text(content.replace(before, text + before), "utf-8")


def run(folder, command):
    """Run one of our commands, or pytest, with the packages of a folder."""
    program, *words = shlex.split(command.removeprefix(".venv/bin/"))
    ran = subprocess.run(
        [sys.executable, "-m", program, *words],
        cwd=folder,
        # What hypothesis has found out about the files here holds for their copies.
        env={
            **os.environ,
            "PYTHONPATH": str(folder),
            "HYPOTHESIS_STORAGE_DIRECTORY": str(ROOT / ".hypothesis"),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return ran.stdout


def test_the_first_change_passes_its_tests(copy):
    function, row, naive, calculation = blocks()
    metrics, naively = copy / "scorer/metrics.py", copy / "tests/helpers/naive.py"
    insert(metrics, "def muc(", f"{function}\n\n")
    insert(metrics, '    Metric("mentions", mentions,', f"    {row}")
    entry = '    "mention_jaccard": mention_jaccard,\n'
    insert(naively, "METRICS = {\n", f"{naive}\n\n")
    for place in ("METRICS = {\n", "KEPT = {\n"):
        content = naively.read_text("utf-8")
        naively.write_text(content.replace(f"\n{place}", f"\n{place}{entry}"), "utf-8")
    with (copy / "docs/metrics/mentions.md").open("a", encoding="utf-8") as page:
        page.write(f"\n<!-- arithmetic: mention_jaccard -->\n```text\n{calculation}```\n")
    score, check = re.findall(r"`(\.venv/bin/[^`]* [^`]*)`", CHANGE)
    assert re.search(r"^mention_jaccard +100\.00", run(copy, score), re.MULTILINE)
    # Of these tests those that are about the new metric.
    chosen = "mention_jaccard or every_metric or naive"
    run(copy, f"{check} --ignore tests/cli -n0 -k '{chosen}' --hypothesis-profile=few")
