"""The structure of the code: which package imports which, and what a small run loads."""

import ast
import importlib
import subprocess
import sys
import sysconfig
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
PACKAGES = ("conll", "conll_scorer", "scorer")
FILES = {
    ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): path
    for package in PACKAGES
    for path in sorted((ROOT / package).rglob("*.py"))
}
PAIR = [str(ROOT / "fixtures" / f"example.{side}.conll") for side in ("key", "response")]

FEATURES = (
    *("scoring", "checking", "conversion", "comparison", "analysis", "spans", "annotators"),
    "batches",
    "codabench",
)
"""The packages of features. They import the core, and never each other."""

BETWEEN_FEATURES = {
    # Both write a page of errors for each submission.
    ("scorer.comparison", "scorer.analysis"),
    ("scorer.codabench", "scorer.analysis"),
    # The names of two annotators are scored as spans.
    ("scorer.annotators", "scorer.spans"),
}
"""The exceptions: features that use another one."""

ABOVE_CORE = " ".join(f"scorer.{name}" for name in (*FEATURES, "cli"))

FORBIDDEN = {
    "conll": "scorer",
    "scorer.count": "conll scorer.match scorer.metrics scorer.evaluation scorer.engine",
    "scorer.metrics": f"conll scorer.match scorer.evaluation scorer.engine scorer.report {ABOVE_CORE}",
    "scorer.match": f"conll.formats scorer.metrics scorer.evaluation scorer.engine {ABOVE_CORE}",
    "scorer.evaluation": f"conll.formats scorer.engine scorer.inputs scorer.jobs {ABOVE_CORE}",
    "scorer.engine": f"scorer.jobs {ABOVE_CORE}",
    "scorer.statistics": f"conll.formats scorer.evaluation scorer.engine scorer.systems {ABOVE_CORE}",
    "scorer.systems": f"conll.formats conll.io scorer.engine scorer.inputs {ABOVE_CORE}",
    "scorer.report": f"scorer.evaluation scorer.engine scorer.inputs scorer.jobs {ABOVE_CORE}",
    "scorer.inputs": f"scorer.evaluation scorer.engine scorer.jobs {ABOVE_CORE}",
    "scorer.jobs": ABOVE_CORE,
}
"""What the modules of a package may not import, even for type checkers."""


@cache
def statements():
    """The import statements of each module, and whether each is for type checkers alone."""
    found = {module: [] for module in FILES}
    for module, path in FILES.items():
        for outer in ast.parse(path.read_text("utf-8")).body:
            for_types = getattr(getattr(outer, "test", None), "id", "") == "TYPE_CHECKING"
            for node in ast.walk(outer):
                if isinstance(node, ast.ImportFrom | ast.Import):
                    found[module].append((node, for_types))
    return found


@cache
def imports(*, for_types=True):
    """The modules of the project that each module imports anywhere, also for type checkers."""
    found = {module: set() for module in FILES}
    for module, nodes in statements().items():
        for node, is_for_types in nodes:
            if is_for_types and not for_types:
                continue
            names = [alias.name for alias in node.names]
            if isinstance(node, ast.ImportFrom):
                names = [f"{node.module}.{name}" for name in names]
                names = [name if name in FILES else node.module for name in names]
            found[module] |= {*names}
    return {module: {name for name in names if name in FILES} for module, names in found.items()}


UNITS = {
    "scorer.batches.report": "scorer.batches.batch",
    "scorer.evaluation.page": "scorer.evaluation.report",
    "scorer.spans.spans_report": "scorer.spans.scores",
}
"""Reports and the results that they show, which know each other: each pair is one unit."""


def unit(module):
    return UNITS.get(module, module)


def test_no_modules_import_each_other():
    # A report knows the type of its result, which imports the report.
    used = imports(for_types=False)
    units = {unit(module): set() for module in used}
    for module, names in used.items():
        units[unit(module)] |= {unit(name) for name in names} - {unit(module)}
    # The format perl is that of the command scorer.pl, which scores as well.
    units["scorer.evaluation.report"] -= {"scorer.perl"}
    try:
        TopologicalSorter(units).prepare()
    except CycleError as error:
        circle = " -> ".join(error.args[1])
        pytest.fail(f"{circle}: move what both need below them, or pass it as an argument")


SHOWN_BY = {("scorer.systems.comparison", "scorer.comparison")}
"""The exception: a result whose report lies above it."""


@pytest.mark.parametrize("package", FORBIDDEN)
def test_packages_import_only_what_lies_below_them(package):
    above = tuple(f"{name}." for name in FORBIDDEN[package].split())
    wrong = {
        (module, name)
        for module, names in imports().items()
        if f"{module}.".startswith(f"{package}.")
        for name in names
        if f"{name}.".startswith(above) and (module, name.rpartition(".")[0]) not in SHOWN_BY
    }
    assert not wrong


def test_features_never_import_each_other():
    rooms = {f"scorer.{name}" for name in FEATURES}
    between = {
        (".".join(module.split(".")[:2]), ".".join(name.split(".")[:2]))
        for module, names in imports().items()
        for name in names
    }
    crossing = {(user, used) for user, used in between if {user, used} <= rooms and user != used}
    assert crossing == BETWEEN_FEATURES


@cache
def loaded(*command):
    """The modules that a Python process loads, from its own list."""
    process = subprocess.run(
        [sys.executable, "-X", "importtime", *command], capture_output=True, text=True, check=True
    )
    lines = [line for line in process.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


HEAVY = """argparse collections concurrent copy dataclasses enum functools inspect logging numpy
operator pandas pathlib re scipy tabulate tempfile typing"""


def roots(modules):
    """The packages of modules that an empty Python does not load."""
    return {name.partition(".")[0] for name in modules - loaded("-c", "pass")}


FAST_PATH = {
    *("conll", "conll.brackets", "conll.check", "conll.document", "conll.errors", "conll.formats"),
    *("conll.formats.conll2012", "conll.registry", "conll.source", "scorer"),
    *("scorer.count.assignment", "scorer.count.counts", "scorer.engine.corpus"),
    *("scorer.evaluation.evaluation", "scorer.match.align"),
    *("scorer.metrics", "scorer.options"),
    *("scorer.perl", "scorer.registry", "scorer.result", "scorer.engine.score", "scorer.scheme"),
    "scorer.version",
}
"""The modules that scorer.pl loads for a small pair, but those of packages that hold no code.

They import neither typing nor dataclasses, and import inside functions. All others import at the
top, and use both.
"""


@pytest.mark.parametrize("mode", [[], ["none"], ["(example/letter); part 000"]], ids=str)
def test_the_perl_command_loads_nothing_heavy_for_a_small_pair(mode):
    modules = loaded(str(Path(sysconfig.get_path("scripts"), "scorer.pl")), "all", *PAIR, *mode)
    assert "scorer.count.assignment" in modules
    assert not roots(modules) & {*HEAVY.split()}


def test_the_fast_path_is_what_the_perl_command_loads():
    script = """
import sys
from scorer import perl
for mode in ([], ["none"], ["(example/letter); part 000"]):
    perl.main(["all", *sys.argv[1:], *mode])
print(*sys.modules, file=sys.stderr)
"""
    process = subprocess.run(
        [sys.executable, "-c", script, *PAIR], capture_output=True, text=True, check=True
    )
    modules = FILES.keys() & set(process.stderr.split())
    with_code = {name for name in modules if code_of(name)}
    assert with_code == FAST_PATH


def code_of(module):
    """The statements of a module, without its docstring."""
    statements = ast.parse(FILES[module].read_text("utf-8")).body
    return [one for one in statements if not isinstance(getattr(one, "value", None), ast.Constant)]


def test_only_the_fast_path_does_without_typing():
    trick = {name for name, path in FILES.items() if "\nTYPE_CHECKING = False" in path.read_text()}
    # The script imports conll_scorer before scorer.perl.
    assert trick <= FAST_PATH | {"conll_scorer"}
    first = {name: FILES[name].read_text().partition("\n")[0] for name in FAST_PATH}
    assert {line for line in first.values() if "fast path of scorer.pl" not in line} == set()


@pytest.mark.parametrize("form", ["csv", "json", "perl"])
def test_a_small_score_loads_only_what_it_uses(form):
    modules = loaded("-m", "scorer", "score", *PAIR, "--format", form)
    unused = "array csv dataclasses inspect json numpy pandas scipy tabulate urllib zipfile"
    assert not roots(modules) & ({*unused.split()} - {form})
    # Of an annotation that is text, a named tuple compiles each field, and the first text that is
    # compiled takes as long as five modules.
    texts = {name: FILES[name].read_text("utf-8") for name in modules & FILES.keys()}
    future = "from __future__ import annotations"
    slow = [name for name, text in texts.items() if "(NamedTuple)" in text and future in text]
    assert not slow, f"{', '.join(slow)}: leave out `{future}`, as small runs load its named tuples"


@pytest.mark.parametrize("arguments", [["help", "score"], ["--help"]], ids=str)
def test_help_loads_only_what_it_shows(arguments):
    modules = loaded("-m", "scorer", *arguments)
    unused = "dataclasses inspect json numpy tabulate urllib zipfile"
    assert not roots(modules) & {*unused.split()}


def test_files_of_this_machine_need_no_extra():
    modules = loaded("-m", "scorer", "score", *PAIR)
    assert not roots(modules) & {"aiohttp", "dask", "distributed", "fsspec"}


def test_comparing_in_memory_loads_few_modules():
    script = "import sys, scorer; scorer.compare; print(*sys.modules)"
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    modules = FILES.keys() & set(process.stdout.split())
    assert "scorer.comparison.compare" in modules
    assert len([name for name in modules if code_of(name)]) <= 35


LOADED_BY_EVALUATE = "scorer.adapters.coreference.coreference"
ADAPTERS = [
    module
    for module in FILES
    if module.startswith("scorer.adapters") and module != LOADED_BY_EVALUATE
]


@pytest.mark.parametrize("module", ADAPTERS)
def test_adapters_need_no_other_package_to_be_imported(module):
    script = f"import sys, {module}\nprint(*sys.modules)"
    process = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    others = {"datasets", "evaluate", "fastcoref", "numpy", "pandas", "spacy", "torch"}
    assert not others & set(process.stdout.split())


@pytest.mark.parametrize(
    "path", sorted((ROOT / "benchmarks").glob("*.py")), ids=lambda path: path.stem
)
def test_benchmarks_import_what_there_is(path):
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if not isinstance(node, ast.ImportFrom) or node.module.partition(".")[0] not in PACKAGES:
            continue
        module = importlib.import_module(node.module)
        names = [alias.name for alias in node.names if not hasattr(module, alias.name)]
        missing = [name for name in names if f"{node.module}.{name}" not in FILES]
        assert not missing, f"{path.name}:{node.lineno}: {node.module} has no {', '.join(missing)}"
