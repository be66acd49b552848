"""The rooms of the house: which imports which, and what a small run loads.

`docs/how-it-is-built.md` says what each room is for.
"""

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("conll", "conll_scorer", "scorer")
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}

MAY = {
    "conll": "",
    "conll.columns": "conll",
    "conll.conllu": "conll",
    "conll.formats": "conll conll.columns conll.conllu",
    "conll.io": "conll conll.columns conll.formats",
    "scorer.version": "",
    "scorer.options": "conll",
    "scorer.presets": "conll",
    "scorer.patterns": "",
    "scorer.missing": "",
    "scorer.count": "",
    "scorer.contingency": "scorer.count",
    "scorer.registry": "conll scorer.count",
    "scorer.metrics": "scorer.count scorer.registry",
    "scorer.match": "conll scorer.count",
    "scorer.report": "conll conll.io",
    "scorer.evaluation": "conll scorer.count scorer.match scorer.options scorer.patterns scorer.registry scorer.report"
    " scorer.version",
    "scorer.engine": "conll scorer.count scorer.evaluation scorer.match scorer.patterns",
    "scorer.spans": "conll scorer.evaluation scorer.match scorer.patterns scorer.registry scorer.report scorer.version",
    "scorer.perl": "conll scorer.engine scorer.metrics scorer.missing scorer.report",
    "scorer.workers": "conll.io",
    "scorer.comparison": "conll scorer.count scorer.evaluation scorer.patterns scorer.registry scorer.report scorer.version"
    " scorer.workers",
    "scorer.analysis": "conll scorer.comparison scorer.count scorer.engine scorer.evaluation scorer.match scorer.patterns"
    " scorer.report",
    "scorer.viewer": "conll scorer.analysis scorer.evaluation scorer.report",
    "scorer.run": "conll conll.formats conll.io scorer.analysis scorer.comparison scorer.count scorer.engine scorer.evaluation"
    " scorer.match scorer.missing scorer.options scorer.patterns scorer.presets scorer.registry scorer.report scorer.spans"
    " scorer.version scorer.viewer scorer.workers",
    "scorer.compat": "conll scorer.options scorer.run",
    "scorer.platforms": "conll conll.io scorer.evaluation scorer.registry scorer.report scorer.run scorer.version",
    "scorer.cli": "conll conll.formats conll.io scorer.analysis scorer.comparison scorer.evaluation scorer.missing scorer.options"
    " scorer.patterns scorer.perl scorer.platforms scorer.presets scorer.registry scorer.report scorer.run scorer.spans"
    " scorer.version scorer.viewer",
    "scorer.__main__": "scorer.cli",
    "scorer": "scorer.version",
    "scorer.adapters": "conll scorer",
    "conll_scorer": "scorer",
    "conll_scorer.__main__": "conll_scorer scorer.cli",
}
"""The rooms that each room may import as it runs: only some of those above it in this list, so that there is no circle of rooms."""

TYPES = {
    # What the packages offer is imported on first use, and named here for type checkers.
    "conll": "conll.formats conll.io",
    "scorer": "scorer.analysis scorer.comparison scorer.count scorer.evaluation scorer.options scorer.run scorer.spans",
    "scorer.registry": "scorer.options",
    "scorer.match": "scorer.options",
    "scorer.analysis": "scorer.options",
    "scorer.cli": "scorer.engine",
    "scorer.engine": "scorer.options",
    "scorer.platforms": "scorer.count scorer.options",
    "scorer.compat": "scorer.count scorer.evaluation",
    # The reference's text is the one report that is made of the counts themselves.
    "scorer.report": "scorer.count scorer.evaluation",
}
"""The rooms that it names, beside these, for type checkers alone."""


@cache
def room_of(module):
    return max((room for room in MAY if f"{module}.".startswith(f"{room}.")), key=len)


@cache
def arrows():
    """The modules that each module imports, and whether for type checkers alone."""
    found = []
    for module, path in FILES.items():
        tree = ast.parse(path.read_text("utf-8"))
        of_types = {
            inner
            for node in ast.walk(tree)
            if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
            for inner in map(id, (one for statement in node.body for one in ast.walk(statement)))
        }
        for node in ast.walk(tree):
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{alias.name}" for alias in node.names]
                names = [name if name in FILES else node.module for name in names]
            elif isinstance(node, ast.Import):
                names = [alias.name for alias in node.names]
            else:
                continue
            found += [(module, name, id(node) in of_types) for name in names if name.partition(".")[0] in PACKAGES]
    return found


def test_arrows_are_found():
    assert ("scorer.metrics.muc", "scorer.count.contingency", False) in arrows()
    assert ("scorer.report.perl", "scorer.evaluation.evaluation", True) in arrows()


@pytest.mark.parametrize("room", MAY)
def test_a_room_imports_only_rooms_below_it(room):
    below = set(list(MAY)[: list(MAY).index(room)])
    assert set(MAY[room].split()) <= below
    used = {(room_of(name), of_types) for module, name, of_types in arrows() if room_of(module) == room} - {
        (room, False),
        (room, True),
    }
    assert {name for name, of_types in used if not of_types} == set(MAY[room].split())
    assert {name for name, of_types in used if of_types} <= {*MAY[room].split(), *TYPES.get(room, "").split()}


SMALL = """
conll_scorer conll conll.arrays conll.check conll.columns conll.columns.brackets conll.columns.mentions conll.document conll.errors
conll.format conll.formats conll.formats.conll2012 conll.formats.conll2012.lines conll.formats.conll2012.read conll.registry
conll.source
scorer scorer.count scorer.count.assignment scorer.count.contingency scorer.count.counts scorer.count.metric scorer.count.ties
scorer.engine scorer.engine.choice scorer.engine.corpus scorer.engine.plain scorer.evaluation scorer.evaluation.evaluation
scorer.match scorer.match.align scorer.match.filters scorer.match.repeats scorer.metrics scorer.metrics.bcub scorer.metrics.blanc
scorer.metrics.ceafe scorer.metrics.ceafm scorer.metrics.mentions scorer.metrics.muc scorer.options scorer.patterns scorer.perl
scorer.registry scorer.report scorer.report.figures scorer.report.perl scorer.version
"""
"""Our modules that scorer.pl may load for a small pair."""

SCORE = """
conll.columns.kinds conll.content conll.io conll.io.files conll.io.opening conll.io.placed conll.io.system conll.prose conll.syntax
scorer.cli scorer.cli.arguments scorer.cli.commands scorer.cli.commands.score scorer.cli.console scorer.cli.main scorer.cli.parser
scorer.evaluation.layout scorer.evaluation.report scorer.evaluation.rows scorer.evaluation.signature scorer.evaluation.sums
scorer.metrics.lea scorer.presets scorer.report.forms scorer.report.report scorer.run scorer.run.score scorer.run.words
"""
"""What `scorer score` may load beside these for a small pair of CoNLL-2012 files, and the file of the form that it prints."""

FORMS = {form: f"{SCORE} scorer.report.forms.{form}" for form in ("table", "csv", "json")} | {"perl": SCORE}

VERSION = """
conll.io conll.io.system scorer.cli scorer.cli.arguments scorer.cli.commands scorer.cli.console scorer.cli.main scorer.cli.parser
scorer.presets
"""
"""What `scorer --version` may load beside those of scorer.pl."""

COREFUD = """
conll conll.columns conll.columns.kinds conll.conllu conll.conllu.lines conll.conllu.nodes conll.content conll.document conll.errors
conll.format conll.formats conll.formats.corefud conll.formats.corefud.attributes conll.formats.corefud.read conll.indexed conll.io
conll.io.files conll.io.opening conll.io.placed conll.io.system conll.prose conll.registry conll.source conll.syntax
"""
"""Our modules that reading a CorefUD file may load."""

TABULATE = {"importlib.metadata", "shutil", "tempfile", "threading", "typing"}
"""What tabulate loads, and what argparse would load to see how wide the terminal is."""

PAIR = [str(ROOT / "fixtures" / f"example.{side}.conll") for side in ("key", "response")]


@pytest.mark.parametrize(
    ("command", "arguments", "allowed"),
    [
        ("scorer.perl", ["all", *PAIR, "none"], ""),
        *(("scorer.cli.main", ["score", *PAIR, "--format", form], FORMS[form]) for form in FORMS),
        ("scorer.cli.main", ["--version"], VERSION),
    ],
    ids=["scorer.pl", *(f"scorer score --format {form}" for form in FORMS), "scorer --version"],
)
def test_a_small_run_loads_what_it_uses_and_no_more(command, arguments, allowed):
    script = f"""
import sys
from contextlib import suppress
from importlib import import_module
with suppress(SystemExit):
    import_module({command!r}).main({arguments!r})
sys.stderr.write(" ".join(sys.modules))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = done.stderr.split()
    assert {module for module in loaded if module.partition(".")[0] in PACKAGES} <= {*SMALL.split(), *allowed.split()}
    assert not {"dask", "distributed", "numpy", "pandas", "scipy", "yaml"}.intersection(loaded)
    # What a table needs is tabulate's, and the rest is more than counting a small pair.
    needed = {"table": TABULATE | {"json"}, "json": {"json"}}.get(arguments[-1], set())
    assert not (TABULATE | {"json"}).difference(needed).intersection(loaded)


def test_reading_corefud_loads_what_it_uses_and_no_more():
    script = f"""
import sys
import conll
source = conll.open_documents({str(ROOT / "fixtures" / "formats" / "story.corefud.conllu")!r})
print(*(source.document(name).clusters for name in source.names()), file=sys.stderr)
print(*sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "(0, 0)" in done.stderr
    assert {module for module in loaded if module.partition(".")[0] in PACKAGES} == set(COREFUD.split())
    assert not {"numpy", "threading", "typing"} & loaded


def test_only_what_a_small_run_loads_does_without_typing():
    quick = set(" ".join([SMALL, VERSION, COREFUD, *FORMS.values()]).split())
    assert {module for module, path in FILES.items() if "TYPE_CHECKING = False" in path.read_text("utf-8")} <= quick
