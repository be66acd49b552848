r"""The documentation says what is true: its examples are read out of the pages and run.

A page holds blocks of these kinds. `console`: commands after `$ `, each followed by all that it
prints; `…` stands for any text. `pycon`: a doctest. The blocks of a page build on each other and
run as one test, in a folder of their own; those of another page never count on them. `text` or
`python` with a title: the contents of that file, with → for a TAB. `text` below a line `<!--
arithmetic: METRIC -->`: a calculation by hand of what that metric gives for the key and response
that the page names.
"""

from __future__ import annotations

import doctest
import os
import re
import shutil
import sys
from fractions import Fraction
from pathlib import Path
from typing import NamedTuple

import pytest

import forked
import scorer
from scorer import metrics
from scorer.cli.main import _parser
from scorer.options import TABLE
from scorer.registry import AVERAGES, names

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {
    str(path.relative_to(DOCS)): path.read_text(encoding="utf-8")
    for path in sorted(DOCS.rglob("*.md"))
}
EXPLAINED = [name for name in names() if name in AVERAGES or metrics.get(name).of == "clusters"]
"""The metrics that have a page of their own; those of mentions stand with CorefUD."""
METRIC_PAGES = [f"metrics/{name}.md" for name in EXPLAINED]

README = (ROOT / "README.md").read_text(encoding="utf-8")
RUN = PAGES | {"README.md": README}
"""The pages whose blocks are run."""

BLOCK = re.compile(r"^( *)```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^\1```$", re.MULTILINE | re.DOTALL)
ARITHMETIC = re.compile(
    r"^<!-- arithmetic: (\w+) -->\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL
)


class Block(NamedTuple):
    """One block, its text without the indentation that the block has."""

    page: str
    line: int
    title: str | None
    text: str


def blocks(language):
    for page, content in RUN.items():
        for found in BLOCK.finditer(content):
            indent, name, title, text = found.groups()
            if name == language:
                line = content.count("\n", 0, found.start()) + 1
                yield Block(page, line, title, re.sub(f"^{indent}", "", text, flags=re.MULTILINE))


def pages_with(language):
    found = sorted({block.page for block in blocks(language)})
    assert found
    return found


def titled():
    every = (block for language in ("text", "python") for block in blocks(language) if block.title)
    found = [pytest.param(block, id=f"{block.page}:{block.line}") for block in every]
    assert found
    return found


def matches(expected, output):
    return (
        re.fullmatch(".*?".join(map(re.escape, expected.split("…"))), output, re.DOTALL) is not None
    )


@pytest.fixture
def folder(tmp_path):
    """An empty folder in which `fixtures` leads to ours, so that the commands of a page can write files."""
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    return tmp_path


def shell(script, folder):
    """Both outputs of a script, in one, with our commands on the path, and its exit status."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    output, status = forked.shell(script, folder, {**os.environ, "PATH": path, "COLUMNS": "100"})
    return output.decode(), status


def commands_of(text):
    """The commands of a block, each with the output that is expected of it."""
    commands = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append((line[2:], ""))
        else:
            command, output = commands[-1]
            commands[-1] = (
                (command + line, output) if command.endswith("\\\n") else (command, output + line)
            )
    return commands


@pytest.mark.parametrize("page", pages_with("console"))
def test_commands_print_what_the_pages_say(page, folder):
    wrong = []
    for block in blocks("console"):
        if block.page != page:
            continue
        commands = commands_of(block.text)
        # One shell a block, so that `echo $?` sees the status of the command above it; a NUL ends
        # the output of each.
        script = "".join(
            f"{command}status=$?; printf '\\0'; (exit $status)\n" for command, _ in commands
        )
        outputs = shell(script, folder)[0].split("\0")[:-1]
        assert len(outputs) == len(commands)
        for (command, expected), output in zip(commands, outputs):
            if not matches(expected, output):
                wrong.append(f"{page}:{block.line}: {command}{output}")
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("page", pages_with("pycon"))
def test_doctests_print_what_the_pages_say(page, folder, monkeypatch):
    monkeypatch.chdir(folder)
    known = {}
    for block in blocks("pycon"):
        if block.page == page:
            test = doctest.DocTestParser().get_doctest(
                block.text, known, page, str(DOCS / page), block.line
            )
            assert test.examples
            complaints = []
            doctest.DocTestRunner().run(test, out=complaints.append, clear_globs=False)
            known |= test.globs
            assert not complaints, "".join(complaints)


@pytest.fixture
def named_files(folder):
    """A folder with the files that the README's examples name."""
    key, response = (
        (ROOT / "fixtures" / f"example.{side}.conll").read_bytes() for side in ("key", "response")
    )
    contents = {
        "KEY": key,
        "key.conll": key,
        "RESPONSE": response,
        "OTHER": key,
        "a.conll": response,
        "b.conll": key,
    }
    for name in ("RESPONSES", "responses"):
        (folder / name).mkdir()
        contents |= {f"{name}/ours.conll": response, f"{name}/theirs.conll": key}
    contents |= {"response.conll": response, "MANIFEST": b"key,response\nKEY,RESPONSE\nKEY,OTHER\n"}
    for name, content in contents.items():
        (folder / name).write_bytes(content)
    return folder


def of_readme(language):
    found = [block.text for block in blocks(language) if block.page == "README.md"]
    assert found
    return found


def commands_of_readme():
    """Each command of the lists of commands, below those that set up.

    `tests/test_dask.py` runs the one on a cluster.
    """
    lines = [
        line.partition(" #")[0].strip()
        for text in of_readme("sh")[2:]
        for line in text.splitlines()
    ]
    assert len(lines) > 10
    return [line for line in lines if "--scheduler" not in line]


@pytest.mark.parametrize("command", commands_of_readme())
def test_the_commands_of_the_readme_run(command, named_files):
    before = {path: path.stat().st_mtime_ns for path in named_files.iterdir()}
    output, status = shell(command, named_files)
    assert (status, "Traceback" in output) == (0, False), output
    written = {
        path for path in named_files.iterdir() if before.get(path) != path.stat().st_mtime_ns
    }
    # Nothing is wrong with these files, and `check` is silent where that is so.
    assert bool(output.strip() or written) == (not command.startswith("scorer check "))


def test_the_python_of_the_readme_runs(named_files, monkeypatch, capsys):
    """Its figures are those of the README's first example: 5 of 7 links."""
    monkeypatch.chdir(named_files)
    known = {"batches": [([["a", "b", "c"]], [["a", "b"]]), ([["a", "b"]], [["a", "b"]])]}
    for text in of_readme("python"):
        exec(text, known)
    assert known["evaluation"].totals["muc"][0].as_tuple() == (5, 7, 5, 7)
    assert known["accumulator"].compute().totals["muc"][0].as_tuple() == (2, 3, 2, 2)
    assert "66.66" in capsys.readouterr().out


def test_the_other_commands_of_the_readme_that_set_up():
    """The first one is tried in `tests/release.py`, as it installs everything anew."""
    _, (second, without) = (block.splitlines() for block in of_readme("sh")[:2])
    if "CI" in os.environ or shutil.which("make"):
        recipe = shell(f"{second} --dry-run --no-print-directory", ROOT)[0].splitlines()[-1]
        assert recipe == (
            ".venv/bin/pytest --numprocesses auto --dist worksteal --ignore-glob '*/test_dask.py'"
        )
    assert without == (
        "python3 -m venv .venv && .venv/bin/pip install --quiet --editable '.[dev]' && "
        ".venv/bin/pytest"
    )


@pytest.mark.parametrize("block", titled())
def test_files_are_shown_as_they_are(block):
    assert block.text.replace("→", "\t") == (ROOT / block.title).read_text(encoding="utf-8")


def number(text):
    """A calculation, exactly."""
    assert re.fullmatch(r"[\d.+−×/() ]+", text), text
    python = (
        re.sub(r"\d+(?:\.\d+)?", r"Fraction('\g<0>')", text).replace("−", "-").replace("×", "*")
    )
    return eval(python, {"Fraction": Fraction})


def calculated(text):
    """What each line of a calculation gives, by its name.

    All that stands between its signs of equality must be equal.
    """
    results = {}
    for line in text.splitlines():
        if not line.strip():
            continue
        name, *steps = re.split(r"\s+= ", line)
        *exact, last = steps[:-1] + re.split(r" ≈ ", steps[-1])
        if "≈" not in line:
            exact, last = [*exact, last], None
        values = {number(step) for step in exact}
        assert len(values) == 1, line
        (results[name.strip()],) = values
        if last is not None:
            decimals = len(last.partition(".")[2])
            assert abs(results[name.strip()] - Fraction(last)) <= Fraction(1, 2 * 10**decimals), (
                line
            )
    return results


def clusters_in(page, side):
    """The clusters on the page's line such as `Key: {a} {b c}`."""
    (line,) = re.findall(rf"^{side}: ((?:\{{[^}}]*\}} ?)+)", PAGES[page], re.MULTILINE)
    return in_braces(line)


def in_braces(line):
    """The clusters of a line such as `{a} {b c}`."""
    return [cluster.split() for cluster in re.findall(r"\{([^}]*)\}", line)]


def expected_names(name):
    """What the calculation of a metric has to name, each with where the library says it."""
    if name in AVERAGES:
        return {"F1": lambda evaluation: evaluation.ratios(name).f1}
    ratios = {
        "recall": lambda evaluation: evaluation.ratios(name).recall,
        "precision": lambda evaluation: evaluation.ratios(name).precision,
        "F1": lambda evaluation: evaluation.ratios(name).f1,
    }
    sides = (
        "recall numerator",
        "recall denominator",
        "precision numerator",
        "precision denominator",
    )
    parts = metrics.get(name).parts
    for at, part in enumerate(parts):
        for place, side in enumerate(sides):
            label = side if len(parts) == 1 else f"{part} {side}"
            ratios[label] = lambda evaluation, at=at, place=place: evaluation.totals[name][
                at
            ].as_tuple()[place]
    return ratios


@pytest.mark.parametrize("name", EXPLAINED)
def test_calculations_by_hand_agree_with_the_library(name):
    page = f"metrics/{name}.md"
    key, response = clusters_in(page, "Key"), clusters_in(page, "Response")
    evaluation = scorer.score(key, response, metrics=name)
    ((metric, text),) = ARITHMETIC.findall(PAGES[page])
    assert metric == name
    results = calculated(text)
    for label, of in expected_names(name).items():
        assert float(results[label]) == pytest.approx(of(evaluation), abs=1e-12), label


@pytest.mark.parametrize("page", [*METRIC_PAGES, "metrics/index.md"])
def test_all_pages_use_the_example_that_ships(page):
    files = [ROOT / "fixtures" / "documentation" / f"{side}.conll" for side in ("key", "response")]
    shipped = scorer.score(*files)
    written = scorer.score(clusters_in(page, "Key"), clusters_in(page, "Response"))
    assert written.totals == shipped.totals


def test_policies_give_the_figures_of_the_table():
    page = PAGES["duplicates.md"]
    (key,) = re.findall(r"^Key ((?:\{[^}]*\} ?)+)", page, re.MULTILINE)
    heading, _, *rows = page.partition("<!-- policies -->\n\n")[2].partition("\n\n")[0].splitlines()
    names = [cell.strip() for cell in heading.strip("|").split("|")][2:]
    policies = set()
    for row in rows:
        response, policy, *figures = (cell.strip(" `*") for cell in row.strip("|").split("|"))
        evaluation = scorer.score(in_braces(key), in_braces(response), duplicates=policy)
        assert [f"{evaluation.ratios(name).f1:.4f}" for name in names] == figures
        policies.add(policy)
    assert policies == {*TABLE["duplicates"].choices} - {"error"}


def test_every_page_is_in_the_navigation():
    configured = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    assert {page for page in PAGES if f" {page}\n" not in configured} == set()


def test_the_page_for_developers_names_every_room():
    """And every other path that it names is there."""
    page = PAGES["how-it-is-built.md"]
    rooms = {
        str(path.parent.relative_to(ROOT))
        for package in ("conll", "conll_scorer", "scorer")
        for path in (ROOT / package).rglob("__init__.py")
    }
    alone = {
        "conll/formats/conll2012",
        "conll/formats/corefud",
    }  # formats, which their room speaks for
    assert set(re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)) == rooms - alone
    named = [path for path in re.findall(r"`(\w+/[\w/.]+)`", page) if "NAME" not in path]
    assert len(named) > 10
    assert [path for path in named if not (ROOT / path).exists()] == []


def arguments_of(parser):
    """What a command takes, as `--help` writes it, each with its default."""
    found = {}
    for action in parser._actions:
        if action.dest in {"help", "version", "command"}:
            continue
        value = "" if action.nargs == 0 else action.metavar or f"{{{','.join(action.choices)}}}"
        written = f"{', '.join(action.option_strings)} {value}".strip()
        found[written] = action.default
    return found


def documented(command):
    """The arguments that the reference of the commands lists for one of them, each with its text."""
    (section,) = re.findall(
        rf"^## scorer {command}\n(.*?)(?=^## |\Z)", PAGES["command.md"], re.MULTILINE | re.DOTALL
    )
    return dict(re.findall(r"^- `([^`]+)`: (.*?)(?=^- |^\n|\Z)", section, re.MULTILINE | re.DOTALL))


COMMANDS = _parser()._subparsers._group_actions[0].choices


SCORING = ("score", "batch", "codabench", "compare", "leaderboard")
SHARED = {
    written: default
    for written, default in arguments_of(COMMANDS["score"]).items()
    if all(written in arguments_of(COMMANDS[command]) for command in SCORING)
}
"""What all commands that score take, each with its default."""


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_every_option_is_documented_and_every_documented_one_exists(command):
    arguments, listed = arguments_of(COMMANDS[command]), documented(command)
    assert list(listed) == [
        written for written in arguments if command not in SCORING or written not in SHARED
    ]
    for written in listed:
        default = arguments[written]
        if isinstance(default, (str, int)) and not isinstance(default, bool):
            assert f"Default: `{default}`." in " ".join(listed[written].split()), written


def test_one_table_has_what_all_commands_that_score_take():
    assert {"--preset", "--metrics METRIC", "--key-format FORMAT"} <= {
        written.partition(" {")[0] for written in SHARED
    }
    assert PAGES["command.md"].count(
        "[the arguments that five commands share](options.md#in-the-commands)"
    ) == len(SCORING)
    heading, _, *rows = (
        PAGES["options.md"].partition("<!-- arguments -->\n\n")[2].partition("\n\n")[0].splitlines()
    )
    assert heading == "| argument | what it says | default |"
    cells = [[cell.strip() for cell in row.strip("|").split(" | ")] for row in rows]
    assert [argument.strip("`") for argument, _, _ in cells] == list(SHARED)
    defaults = {f"--{name.replace('_', '-')}": option.default for name, option in TABLE.items()} | {
        "--metrics": "all"
    }
    for argument, _, default in cells:
        expected = defaults.get(argument.strip("`").partition(" ")[0])
        assert default.startswith("`") == (expected is not None)
        assert expected is None or default == f"`{expected}`", argument


def test_every_command_is_documented_and_every_documented_one_exists():
    assert re.findall(r"^## scorer (\w+)$", PAGES["command.md"], re.MULTILINE) == [
        "score",
        *sorted({*COMMANDS} - {"score"}),
    ]
