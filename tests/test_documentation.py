"""Run the examples of the documentation and of the README.

The blocks of a page run in their order, in a scratch directory that links to `fixtures`:

- `console`: commands after `$ `, each followed by what it prints; `…` stands for any text.
- `sh`: commands that have to succeed. `python`: code that has to run. `pycon`: a doctest.
- A block below a line `<!-- not run: REASON -->` is only shown; one below `<!-- needs: PROGRAM -->`
  is run where there is that program.
- A block with a title shows that file, with → for a TAB.
- `text` below `<!-- arithmetic: METRIC -->`: a calculation by hand of the figures of that metric
  for the key and the response that the page names.
"""

from __future__ import annotations

import doctest
import io
import os
import re
import shlex
import shutil
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from difflib import unified_diff
from fractions import Fraction
from functools import cache
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from textwrap import indent
from typing import NamedTuple

import pytest

import scorer
from conll import formats
from scorer import perl, registry
from scorer.analysis.document_errors import ERROR_KINDS
from scorer.analysis.errors_tables import SECTIONS
from scorer.cli import main
from scorer.cli.arguments import GROUPS
from scorer.metrics import METRICS
from scorer.options import TABLE
from scorer.registry import AVERAGES, names
from scorer.report.forms import OUTPUT_FORMATS
from scorer.statistics.resampling import METHODS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = {
    path.relative_to(ROOT).as_posix(): path.read_text(encoding="utf-8")
    for path in [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
}
BLOCK = re.compile(
    r"^(<!-- (?:not run: .+|needs: (\w+)) -->\n)?( *)```(\w+)(?: title=\"([^\"]+)\")?\n(.*?)^\3```$",
    re.MULTILINE | re.DOTALL,
)
ARITHMETIC = re.compile(
    r"^<!-- arithmetic: (\w+) -->\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL
)
CALCULATED = {
    metric: (page, text) for page in PAGES for metric, text in ARITHMETIC.findall(PAGES[page])
}
"""The calculation of each metric, and its page."""


class Block(NamedTuple):
    """A block of a page, without the indentation of its lines."""

    indent: str
    language: str
    title: str | None
    text: str
    line: int
    is_run: bool


def blocks(page):
    for match in BLOCK.finditer(PAGES[page]):
        marker, program, indent, language, title, text = match.groups()
        line = PAGES[page].count("\n", 0, match.start()) + 1
        text = re.sub(f"^{indent}", "", text, flags=re.MULTILINE)
        is_run = marker is None or bool(program and shutil.which(program))
        yield Block(indent, language, title, text, line, is_run)


def examples(page):
    """The blocks of a page that are run."""
    return [
        block
        for block in blocks(page)
        if block.language in RUNNERS and not block.title and block.is_run
    ]


def matches(expected, output):
    pattern = ".*?".join(map(re.escape, expected.split("…")))
    return re.fullmatch(pattern, output, re.DOTALL) is not None


COMMANDS = {"scorer": main.main, "scorer.pl": perl.main}


def shell(script, folder, given=None):
    """Both outputs of a script, in one, and its exit status; our commands are on its path."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["sh", "-c", script],
        cwd=folder,
        env={**os.environ, "PATH": path, "COLUMNS": "100"},
        input=given,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    return ran.stdout, ran.returncode


def run_command(command, folder, status):
    """The same of one command, after one with that status.

    One of ours is run in this process, which is quicker, unless there is something for the shell;
    what stands behind a pipe gets what ours has written.
    """
    command = command.replace("\\\n", " ").partition(" #")[0]
    first, _, piped = command.partition(" | ")
    name, *arguments = shlex.split(first)
    if name not in COMMANDS or set(first) & set("<>;&$`*?["):
        return shell(f"(exit {status}); {command}", folder)
    out, both = io.BytesIO(), io.BytesIO()
    stdout = io.TextIOWrapper(out if piped else io.BufferedWriter(both), "utf-8")
    stderr = io.TextIOWrapper(both, "utf-8", write_through=True)
    with redirect_stdout(stdout), redirect_stderr(stderr):
        try:
            status = COMMANDS[name](arguments)
        except SystemExit as leaving:
            status = leaving.code
    stdout.flush()
    written = both.getvalue().decode()
    if not piped:
        return written, status
    rest, status = shell(piped, folder, out.getvalue().decode())
    return written + rest, status


def commands_of(text):
    """The commands of a block, each with the output that is expected of it."""
    commands = []
    for line in text.splitlines(keepends=True):
        if line.startswith("$ "):
            commands.append((line[2:], ""))
            continue
        command, output = commands[-1]
        goes_on = command.endswith("\\\n")
        commands[-1] = (command + line, output) if goes_on else (command, output + line)
    return commands


class Printed(NamedTuple):
    """The output of a command that is not what its block has."""

    command: str
    expected: str
    output: str

    def __str__(self):
        return f"{self.command}{self.output}"

    @property
    def is_acceptable(self):
        """No line stands for any lines."""
        return "…" not in map(str.strip, self.expected.splitlines())

    def accepted(self, block, text):
        """The text of the page with the output of this command instead; lines with … stay."""
        general = [line for line in self.expected.splitlines(keepends=True) if "…" in line]
        output = ""
        for line in self.output.splitlines(keepends=True):
            output += next((each for each in general if matches(each, line)), line)
        wrong = indent(f"$ {self.command}{self.expected}", block.indent)
        assert wrong in text, wrong
        return text.replace(wrong, indent(f"$ {self.command}{output}", block.indent))


def run_console(block, folder, _namespace):
    failures, status = [], 0
    for command, expected in commands_of(block.text):
        output, status = run_command(command, folder, status)
        if not matches(expected, output):
            failures.append(Printed(command, expected, output))
    return failures


def run_sh(block, folder, _namespace):
    failures = []
    for command in block.text.replace("\\\n", " ").splitlines():
        output, status = run_command(command, folder, 0)
        if status:
            failures.append(f"{command}\nstatus {status}:\n{output}")
    return failures


def run_python(block, _folder, namespace):
    exec(block.text, namespace)
    return []


def run_pycon(block, _folder, namespace):
    test = doctest.DocTestParser().get_doctest(block.text, namespace, "page", None, block.line)
    assert test.examples
    failures = []
    doctest.DocTestRunner().run(test, out=failures.append, clear_globs=False)
    namespace |= test.globs
    return failures


RUNNERS = {"console": run_console, "sh": run_sh, "python": run_python, "pycon": run_pycon}


@pytest.mark.parametrize("page", [page for page in PAGES if "```" in PAGES[page]])
def test_examples_print_what_the_page_says(page, tmp_path, monkeypatch, pytestconfig, capsys):
    (tmp_path / "fixtures").symlink_to(ROOT / "fixtures")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    namespace = {"__name__": "page"}
    failures, text = [], PAGES[page]
    for block in examples(page):
        for failure in RUNNERS[block.language](block, tmp_path, namespace):
            is_printed = isinstance(failure, Printed) and failure.is_acceptable
            if is_printed and pytestconfig.getoption("--accept"):
                text = failure.accepted(block, text)
            else:
                failures.append(f"{page}:{block.line}: {failure}")
    if text != PAGES[page]:
        old, new = (whole.splitlines(keepends=True) for whole in (PAGES[page], text))
        with capsys.disabled():
            sys.stdout.writelines(unified_diff(old, new, page, page, n=1))
        (ROOT / page).write_text(text, encoding="utf-8")
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("page", PAGES)
def test_files_are_shown_as_they_are(page):
    for block in blocks(page):
        if block.title:
            assert block.text.replace("→", "\t") == (ROOT / block.title).read_text("utf-8")


def number(text):
    """The exact value of a calculation."""
    assert re.fullmatch(r"[\d.+−×/() ]+", text), text
    python = re.sub(r"\d+(?:\.\d+)?", r"Fraction('\g<0>')", text)
    return eval(python.replace("−", "-").replace("×", "*"), {"Fraction": Fraction})


def calculated(text):
    """The result of each line of a calculation by its name; all its steps must be equal."""
    results = {}
    for line in filter(str.strip, text.splitlines()):
        name, *steps = re.split(r"\s+= ", line)
        *last, rounded = steps[-1].split(" ≈ ") if "≈" in line else (steps[-1], None)
        values = {number(step) for step in steps[:-1] + last}
        assert len(values) == 1, line
        (value,) = values
        if rounded is not None:
            half = Fraction(1, 2 * 10 ** len(rounded.partition(".")[2]))
            assert abs(value - Fraction(rounded)) <= half, line
        results[name.strip()] = value
    return results


def in_braces(line):
    """The clusters of a line such as `{a} {b c}`."""
    return [cluster.split() for cluster in re.findall(r"\{([^}]*)\}", line)]


def clusters_in(page):
    """The clusters of the page's lines `Key: {a} {b c}` and `Response: …`."""
    return [
        in_braces(re.search(rf"^{side}: (.*)$", PAGES[page], re.MULTILINE)[1])
        for side in ("Key", "Response")
    ]


def figures(evaluation, name):
    """What the calculation of a metric names, with the value that the library gives."""
    ratios = evaluation.ratios(name)
    if name in AVERAGES:
        return {"F1": ratios.f1}
    labels = [f"{side} {part}" for side in ("recall", "precision") for part in PARTS]
    values = {"recall": ratios.recall, "precision": ratios.precision, "F1": ratios.f1}
    parts = registry.get(name).parts
    for part, counts in zip(parts, evaluation.totals[name]):
        prefix = "" if len(parts) == 1 else f"{part} "
        values |= {prefix + label: n for label, n in zip(labels, counts.as_tuple())}
    return values


PARTS = ("numerator", "denominator")


def test_every_metric_of_clusters_is_calculated_by_hand():
    expected = {name for name in names() if name in AVERAGES or registry.get(name).of == "clusters"}
    assert set(CALCULATED) == expected, "calculate the example on a page of docs/metrics"


@pytest.mark.parametrize("name", CALCULATED)
def test_calculations_by_hand_agree_with_the_library(name):
    page, text = CALCULATED[name]
    results = calculated(text)
    for label, value in figures(scorer.score(*clusters_in(page), metrics=name), name).items():
        assert float(results[label]) == pytest.approx(value, abs=1e-12), label


@pytest.mark.parametrize("page", sorted({page for page, _ in CALCULATED.values()}))
def test_all_metric_pages_use_the_example_that_ships(page):
    files = [ROOT / "fixtures" / "documentation" / f"{side}.conll" for side in ("key", "response")]
    assert scorer.score(*clusters_in(page)).totals == scorer.score(*files).totals


def test_policies_give_the_figures_of_the_table():
    page = PAGES["docs/duplicates.md"]
    key = in_braces(re.search(r"^Key (.*)$", page, re.MULTILINE)[1])
    heading, _, *rows = page.partition("<!-- policies -->\n\n")[2].partition("\n\n")[0].splitlines()
    columns = [cell.strip() for cell in heading.strip("|").split("|")][2:]
    policies = set()
    for row in rows:
        response, policy, *expected = (cell.strip(" `*") for cell in row.strip("|").split("|"))
        evaluation = scorer.score(key, in_braces(response), duplicates=policy)
        assert [f"{evaluation.ratios(name).f1:.4f}" for name in columns] == expected
        policies.add(policy)
    assert policies == {*TABLE["duplicates"].choices} - {"error"}


def test_every_page_is_in_the_navigation():
    configured = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    pages = [page.removeprefix("docs/") for page in PAGES if page.startswith("docs/")]
    assert [page for page in pages if f" {page}\n" not in configured] == []


@cache
def reference():
    spec = spec_from_file_location("reference", DOCS / "reference.py")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


LINK = re.compile(r"\]\((?!\w+:)([^)\s#]*)#?([^)\s]*)\)")
WITH_LINKS = ["README", "CONTRIBUTING", "SECURITY", "CHANGELOG", "benchmarks/README"]


def anchors(text):
    """The places of a page to which a link can lead, as the site and repositories name them."""
    prose = re.sub(r"```.*?```", "", text, flags=re.DOTALL)
    headings = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    plain = [re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}


def test_every_link_leads_to_a_page_of_the_clone_and_a_place_in_it():
    generated = {f"docs/{path}": text for path, text in reference().pages().items()}
    dead = []
    for page in [*PAGES, *(f"{name}.md" for name in WITH_LINKS)]:
        prose = re.sub(
            r"```.*?```|`[^`\n]+`", "", (ROOT / page).read_text("utf-8"), flags=re.DOTALL
        )
        for path, place in LINK.findall(prose):
            target = ((ROOT / page).parent / path).resolve() if path else ROOT / page
            if not target.exists():
                dead.append(f"{page}: {path}: no such file")
            elif place:
                name = target.relative_to(ROOT).as_posix()
                text = generated.get(name) or target.read_text("utf-8")
                if place not in anchors(text):
                    dead.append(f"{page}: {path}#{place}: no such heading")
    assert dead == []


def test_the_page_for_developers_names_every_folder():
    """And every other path that it names exists; each term of the glossary is there once."""
    page = PAGES["docs/how-it-is-built.md"]
    folders = {
        path.parent.relative_to(ROOT).as_posix()
        for package in ("conll", "conll_scorer", "scorer")
        for path in (ROOT / package).rglob("__init__.py")
    }
    rooms = re.findall(r"^\| ((?:`[^`]+`(?:, )?)+) \|", page, re.MULTILINE)
    assert len(rooms) <= 16
    assert {name for room in rooms for name in re.findall(r"`([^`]+)`", room)} == folders
    terms = re.findall(r"^\| ([^|`]+) \|", page.partition("## Glossary")[2], re.MULTILINE)[1:]
    assert len(terms) == len(set(terms)) <= 60
    paths = [path for path in re.findall(r"`(\w+/[\w/.]+)`", page) if "NAME" not in path]
    assert [path for path in paths if not (ROOT / path).exists()] == []


REGISTERED = {
    "argument": [
        each.name for group in GROUPS.values() for each in group if not each.is_positional
    ],
    "format": formats.names(),
    "kind of error": ERROR_KINDS,
    "method": METHODS,
    "metric": METRICS,
    "output format": OUTPUT_FORMATS,
    "section of errors": SECTIONS,
}


GUIDES = {
    "kind of error": "docs/guides/errors.md",
    "method": "docs/guides/comparing.md",
    "section of errors": "docs/guides/errors.md",
}
"""The pages that explain all of a kind; of the others, any page or the changelog does."""


@pytest.mark.parametrize("what", REGISTERED)
def test_users_are_told_of_all_that_is_registered(what):
    pages = [text for page, text in PAGES.items() if "reference/" not in page]
    told = "\n".join([*pages, (ROOT / "CHANGELOG.md").read_text("utf-8")])
    where = GUIDES.get(what, "CHANGELOG.md or in docs")
    text = PAGES.get(where, told).lower()
    missing = [name for name in REGISTERED[what] if not re.search(rf"(?<!\w){name}s?\b", text)]
    assert missing == [], f"write a line on each new {what} in {where}"


def test_the_reference_names_every_command_and_option():
    commands, options = reference().commands(), reference().options()
    assert commands.count("\n## scorer ") == len(re.findall(r"^## ", commands, re.MULTILINE)) > 10
    for name in TABLE:
        assert f"| `{name}` |" in options
        assert f"\n  --{name.replace('_', '-')} " in commands
