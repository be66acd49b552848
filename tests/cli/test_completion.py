"""What shells complete, asked of bash itself."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from conll import formats
from scorer import registry
from scorer.cli import commands
from scorer.cli.commands.completion import completions
from scorer.cli.values import SHELLS
from scorer.options import PRESETS
from scorer.report.forms import names

ROOT = Path(__file__).parents[2]
FILES = ["fixtures/example.key.conll", "fixtures/example.response.conll"]
COMPLETED = {
    "scorer co": {name for name in commands.names() if name.startswith("co")},
    "scorer score --per-": {"--per-document"},
    "scorer score --format j": {"json", "jsonl"},
    "scorer score --preset crac2": {name for name in PRESETS if name.startswith("crac2")},
    "scorer score --metrics ceaf": {name for name in registry.words() if name.startswith("ceaf")},
    "scorer score --key-format conll": {"conll", "conll2012", "conlleval"},
    "scorer score fixtures/exam": set(FILES),
    f"scorer score {' '.join(FILES)} -o READ": {"README.md"},
    "scorer help f": {"formats"},
}
"""Lines, and what may stand for the last word of each."""

BASH = """
source <("$0" -m scorer completion bash)
for line; do
    COMP_WORDS=($line) COMPREPLY=()
    COMP_CWORD=$(( ${#COMP_WORDS[@]} - 1 ))
    $(complete -p scorer | sed 's/.* -F \\([^ ]*\\) .*/\\1/')
    echo "${COMPREPLY[@]}"
done
"""


@pytest.mark.posix
def test_bash_completes():
    command = ["bash", "--norc", "-c", BASH, sys.executable, *COMPLETED]
    answers = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    offered = [set(line.split()) for line in answers.splitlines()]
    assert dict(zip(COMPLETED, offered, strict=True)) == COMPLETED


@pytest.mark.parametrize("shell", SHELLS)
def test_all_words_are_in_the_script(shell):
    script = completions(shell)
    known = {*commands.names(), *names("parquet"), *registry.words(), *formats.names()}
    for word in (*known, "all-warnings", "no-pager"):
        assert re.search(rf"(?<!\w){re.escape(word)}(?!\w)", script), word


def test_without_shtab(main, monkeypatch):
    monkeypatch.setitem(sys.modules, "shtab", None)
    advice = "completion needs shtab; pip install 'conll-scorer[completion]'"
    assert main("completion", "bash") == (2, "", f"scorer completion: {advice}\n")
