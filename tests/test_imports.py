"""Who imports whom, who prints, and what a small run leaves alone."""

import ast
import subprocess
import sys
import sysconfig
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import scorer
from conll.errors import KINDS

ROOT = Path(__file__).parent.parent
PACKAGES = ("conll", "conll_scorer", "scorer")
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}
MAINS = {"conll_scorer.__main__", "scorer.__main__", "scorer.perl"}
COMMANDS = {module for module in FILES if module in MAINS or module.startswith("scorer.cli")}
"""The modules that print and that end the process."""
OF_OTHERS = {"scorer.workers.lifeline"}
"""Those that end a process which they have started themselves, and in which no command runs."""


@cache
def tree_of(module):
    return ast.parse(FILES[module].read_text("utf-8"))


@cache
def nodes_of(module):
    return list(ast.walk(tree_of(module)))


@pytest.fixture(scope="module", autouse=True)
def _forget_trees():
    """They are large, and processes that other tests fork would start with them."""
    yield
    tree_of.cache_clear()
    nodes_of.cache_clear()


def imports(module, *, at_once=False):
    """What a module imports anywhere in it, also where only a type checker looks; or what it imports when it is imported itself."""
    for node in tree_of(module).body if at_once else nodes_of(module):
        if isinstance(node, ast.ImportFrom):
            assert not node.level, f"{module} imports relatively"
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in FILES else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


@cache
def of_project(module, *, at_once=False):
    return frozenset(name for name in imports(module, at_once=at_once) if name.partition(".")[0] in PACKAGES)


def test_modules_are_found():
    assert {"conll", "conll.formats.conll2012.read", "scorer", "scorer.metrics.muc", "scorer.perl"} <= set(FILES)
    assert of_project("scorer.metrics.muc") == {"scorer.count.contingency", "scorer.count.counts", "scorer.count.metric"}
    assert "scorer.count.assignment" in of_project("scorer.count.contingency")


@pytest.mark.parametrize("module", [module for module in FILES if module.partition(".")[0] == "conll"])
def test_conll_knows_nothing_of_scorer(module):
    assert not {name for name in of_project(module) if name.partition(".")[0] == "scorer"}


FRONTS = {"conll", "scorer", "scorer.evaluation.evaluation", "scorer.comparison.comparison", "scorer.comparison.leaderboard"}
FRONTS |= {"scorer.spans.scores", "scorer.spans.muc7"}
FRONTS |= {"scorer.analysis.errors"}
"""What lies above them is reached from them, by their names or their methods, but not imported before it is asked for."""


def test_no_modules_import_each_other():
    TopologicalSorter({module: of_project(module, at_once=module in FRONTS) for module in FILES}).prepare()


@pytest.mark.parametrize("module", [module for module in FILES if module.partition(".")[0] == "scorer"])
def test_scorer_names_no_format(module):
    assert not {name for name in of_project(module) if name.startswith("conll.formats.")}


@pytest.mark.parametrize("module", [module for module in FILES if module.startswith("scorer.metrics.")])
def test_metrics_import_counting_alone(module):
    allowed = {f"scorer.count.{name}" for name in ("assignment", "contingency", "counts", "metric", "twins")}
    # A variant counts as the metric does after which it is called.
    variants_of = {f"scorer.metrics.{name}" for name in ("bcub", "blanc", "ceafe", "ceafm")}
    assert of_project(module) <= allowed | (variants_of if module not in variants_of else set())


@pytest.mark.parametrize("module", [module for module in FILES if module not in COMMANDS])
def test_nothing_below_the_commands_imports_them(module):
    assert not of_project(module) & COMMANDS


@pytest.mark.parametrize("module", [module for module in FILES if module.partition(".")[2].startswith("report")])
def test_reports_know_nothing_of_results(module):
    above = ("scorer.evaluation", "scorer.comparison", "scorer.run", "scorer.platforms")
    known = {name for name in of_project(module) if name.startswith(above)}
    # The text of the reference is about evaluations, and never imports them: names of types are all that it takes.
    types = {"scorer.evaluation.evaluation", "scorer.evaluation.layout"} if module == "scorer.report.perl" else set()
    assert known <= types


@pytest.mark.parametrize("module", [module for module in FILES if module.startswith("scorer.comparison")])
def test_comparing_knows_nothing_of_reading(module):
    assert not {name for name in of_project(module) if name.startswith(("scorer.run", "scorer.engine.corpus", "scorer.platforms"))}


LOADED_BY_OTHERS = "scorer.adapters.coreference.coreference"
"""What Hugging Face `evaluate` reads and runs; it needs that package, and nothing imports it."""


def test_no_room_hides_what_is_public():
    for module in FILES:
        if module.startswith("scorer.") and module not in {"scorer.__main__", LOADED_BY_OTHERS}:
            import_module(module)
    public = {name: getattr(scorer, name) for name in scorer.__all__}
    assert {name for name, one in public.items() if isinstance(one, ModuleType)} == set()
    assert public["compare"] is import_module("scorer.run.compare").compare


def test_no_two_classes_share_a_name():
    classes = [(node.name, module) for module in FILES for node in nodes_of(module) if isinstance(node, ast.ClassDef)]
    ours = [name for name, module in classes if module.startswith("scorer.")]
    assert {name for name in ours if ours.count(name) > 1} == set()


def stops_or_prints(node):
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
        return node.func.id in {"print", "exit", "quit", "input"}
    if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
        return (node.value.id, node.attr) in {("sys", "stdout"), ("sys", "stderr"), ("sys", "exit"), ("os", "_exit")}
    return isinstance(node, ast.Name) and node.id == "SystemExit"


@pytest.mark.parametrize("module", FILES)
def test_only_commands_print_and_exit(module):
    found = [node.lineno for node in nodes_of(module) if stops_or_prints(node)]
    assert not found or module in COMMANDS | OF_OTHERS, f"lines {found}"


def compares_prose(node):
    """Whether a comparison is about the sentence of a problem, which is for its reader: code asks for the kind."""
    sides = [node.left, *node.comparators] if isinstance(node, ast.Compare) else []
    return any(isinstance(side, ast.Attribute) and side.attr in {"problem", "text", "advice"} for side in sides)


@pytest.mark.parametrize("module", [module for module in FILES if module.startswith("scorer.")])
def test_nothing_compares_the_sentence_of_a_problem(module):
    assert not [node.lineno for node in nodes_of(module) if compares_prose(node)]


def test_kinds_of_problems_are_listed():
    [declared] = [
        node.value.slice
        for node in nodes_of("conll.errors")
        if isinstance(node, ast.Assign) and getattr(node.targets[0], "id", "") == "Kind"
    ]
    assert ast.literal_eval(declared) == KINDS


@pytest.mark.parametrize("module", sorted(COMMANDS - {"scorer.cli.console", "scorer.perl"}))
def test_commands_print_by_the_console_alone(module):
    streams = {"stdout", "stderr"}
    found = [node.lineno for node in nodes_of(module) if isinstance(node, ast.Attribute) and node.attr in streams]
    found += [node.lineno for node in nodes_of(module) if isinstance(node, ast.Name) and node.id == "print"]
    assert not found, f"lines {found}"


def modules(*command):
    """What a Python process imports, from its own list."""
    done = subprocess.run([sys.executable, "-X", "importtime", *command], capture_output=True, text=True, check=True)
    return {line.rpartition("|")[2].strip() for line in done.stderr.splitlines() if line.startswith("import time:")}


HEAVY = {
    "argparse",
    "collections",
    "concurrent",
    "copy",
    "dataclasses",
    "enum",
    "functools",
    "inspect",
    "logging",
    "numpy",
    "pandas",
    "pathlib",
    "re",
}
HEAVY |= {"scipy", "tabulate", "tempfile", "typing"}


def test_files_of_this_machine_need_no_extra():
    files = [str(ROOT / "fixtures" / f"example.{side}.conll") for side in ("key", "response")]
    imported = modules("-m", "scorer", "score", *files)
    assert "conll.io.opening" in imported
    assert not {name.partition(".")[0] for name in imported} & {"aiohttp", "dask", "distributed", "fsspec"}


@pytest.mark.parametrize("command", ["muc7", "spans"])
def test_a_small_pair_of_spans_needs_no_arrays(command):
    files = [str(ROOT / "fixtures" / f"example.{side}.conll") for side in ("key", "response")]
    assert "numpy" not in modules("-m", "scorer", command, *files, "--format", "csv")


@pytest.mark.parametrize("mode", [[], ["none"], ["(example/letter); part 000"]], ids=str)
def test_a_small_run_imports_nothing_heavy(mode):
    script = str(Path(sysconfig.get_path("scripts"), "scorer.pl"))
    files = [str(ROOT / "fixtures" / f"example.{side}.conll") for side in ("key", "response")]
    imported = modules(script, "all", *files, *mode)
    assert "scorer.count.assignment" in imported
    assert not {name.partition(".")[0] for name in imported - modules("-c", "pass")} & HEAVY


@pytest.mark.parametrize("form", ["csv", "json", "perl"])
def test_a_small_score_imports_only_what_it_uses(form):
    files = [str(ROOT / "fixtures" / f"example.{side}.conll") for side in ("key", "response")]
    imported = modules("-m", "scorer", "score", *files, "--format", form)
    assert "scorer.count.assignment" in imported
    unused = {"array", "copy", "csv", "dataclasses", "inspect", "json", "numpy", "scipy", "tabulate", "typing"} - {form}
    assert not {name.partition(".")[0] for name in imported - modules("-c", "pass")} & unused


@pytest.mark.parametrize(
    "module", [module for module in FILES if module.startswith("scorer.adapters") and module != LOADED_BY_OTHERS]
)
def test_adapters_need_no_package_to_be_imported(module):
    script = f"import sys, {module}\nprint(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert module in done.stdout.split()
    assert not {"datasets", "evaluate", "fastcoref", "numpy", "pandas", "spacy", "torch"} & set(done.stdout.split())
