"""Our packages are found where other files of their names come first, and where they are not, one
error says what to do."""

import os
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SCRIPTS = Path(sysconfig.get_path("scripts"))
PAIR = [str(ROOT / "fixtures" / f"example.{side}.conll") for side in ("key", "response")]
IN_PYTHON = "print(scorer.score([['a', 'b']], [['a', 'b']], metrics='muc').ratios('muc').f1)"
FOREIGN = "raise SystemExit('a foreign file was run')\n"

HIDING = {
    "conll.py": ["conll.py"],
    "conll folder": ["conll/__init__.py"],
    "all four": ["conll.py", "conll/__init__.py", "scorer.py", "scorer/__init__.py"],
}
"""Files such as lie in checkouts of e2e-coref, coref-hoi, coval and corefud-scorer."""


@pytest.fixture(params=HIDING)
def checkout(request, tmp_path):
    """A working directory with files that bear our names."""
    return with_files(tmp_path, HIDING[request.param])


def with_files(folder, names):
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(FOREIGN)
    return folder


def run(folder, *command, path=()):
    """Exit status, stdout and stderr of Python in that folder, with these folders on its path."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path))}
    ran = subprocess.run(
        [sys.executable, *command],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout, ran.stderr


COMMANDS = {"scorer": ["score", *PAIR, "--format", "csv"], "scorer.pl": ["muc", *PAIR, "none"]}


@pytest.fixture(scope="module")
def expected():
    """What our commands print where nothing hides our packages."""
    printed = {
        name: run(ROOT / "tests", str(SCRIPTS / name), *arguments)
        for name, arguments in COMMANDS.items()
    }
    assert all((status, error) == (0, "") for status, _, error in printed.values())
    assert ",muc,0.7142857142857143," in printed["scorer"][1]
    assert "71.42%" in printed["scorer.pl"][1]
    return printed


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_find_their_own_packages(command, checkout, expected):
    ran = run(checkout, str(SCRIPTS / command), *COMMANDS[command], path=["."])
    assert ran == expected[command]


@pytest.mark.parametrize("name", ["conll.py", "conll folder"])
def test_the_module_scorer_finds_its_own_conll(name, tmp_path, expected):
    with_files(tmp_path, HIDING[name])
    assert run(tmp_path, "-X", "utf8", "-m", "scorer", *COMMANDS["scorer"]) == expected["scorer"]


@pytest.mark.parametrize(
    "command", [[str(SCRIPTS / "scorer")], ["-m", "conll_scorer"]], ids=["script", "module"]
)
def test_processes_that_are_spawned_find_their_own_packages(command, tmp_path):
    """As on macOS and Windows: the path of the parent is all that they have."""
    checkout = with_files(tmp_path, HIDING["all four"])
    (checkout / "rows.csv").write_text(f"key,response\n{','.join(PAIR)}\n")
    arguments = ["batch", "rows.csv", "--metrics", "muc", "--format", "csv", "--quiet"]
    path = [".", ROOT / "tests" / "elsewhere"]
    status, out, error = run(checkout, *command, *arguments, path=path)
    assert (status, error) == (0, "")
    assert ",muc,0.7142857142857143," in out


def test_the_third_package_loads_the_two_and_leaves_no_trace(checkout):
    before = "import sys; before = [*sys.meta_path, *sys.path]\n"
    imports = "import conll_scorer, scorer, conll.document\nimport conll_scorer as scorer\n"
    after = "\nassert before == [*sys.meta_path, *sys.path]"
    ran = run(checkout, "-c", before + imports + IN_PYTHON + after, path=[".", ROOT])
    assert ran == (0, "1.0\n", "")


BESIDE = f"""
import scorer
from scorer.compat import CorefEvaluator
key, response = [[(0, 1), (5, 5)], [(3, 4), (8, 8)]], [[(0, 1), (5, 5)], [(3, 4), (8, 8), (8, 8)]]
evaluator = CorefEvaluator()
evaluator.update(response, key, {{}}, {{}})
accumulator = scorer.Accumulator(["muc"])
accumulator.update(key, response)
print(evaluator.get_f1(), accumulator.compute().ratios("muc").f1)
print(scorer.score(key, response, metrics="muc").ratios("muc").f1)
print(round(scorer.score(*{PAIR}, metrics="muc").ratios("muc").f1, 4))
try:
    scorer.score(__file__, __file__)
except scorer.ConllError:
    import conll
    print(conll.mine())
"""


@pytest.mark.parametrize("first", ["", "import conll\n"], ids=["", "imported"])
def test_a_foreign_module_conll_stands_beside_the_library(first, tmp_path):
    (tmp_path / "conll.py").write_text("def mine():\n    return 'mine'\n")
    (tmp_path / "train.py").write_text(f"{first}{BESIDE}")
    expected = "1.0 1.0\n1.0\n0.7143\nmine\n"
    assert run(tmp_path, "-W", "ignore", "train.py", path=[ROOT]) == (0, expected, "")


def test_a_foreign_package_conll_is_one_error(tmp_path):
    with_files(tmp_path, HIDING["conll folder"])
    script = "try:\n    import scorer\nexcept ImportError as error:\n    print(error.path, error)"
    file = tmp_path / "conll" / "__init__.py"
    way = "start in another directory, or with `python -P`, or write `import conll_scorer` before both"
    problem = f"scorer needs its own package conll, and {file} has taken that name; {way}"
    assert run(tmp_path, "-c", script, path=[ROOT]) == (0, f"{file} {problem}\n", "")


def test_the_ways_out_that_the_error_names(tmp_path, tmp_path_factory):
    checkout = with_files(tmp_path, HIDING["all four"])
    script = f"import scorer\n{IN_PYTHON}"
    assert run(checkout, "-P", "-c", script) == (0, "1.0\n", "")
    assert run(tmp_path_factory.mktemp("another"), "-c", script) == (0, "1.0\n", "")


@pytest.mark.parametrize("change", ["overwritten", "removed"])
def test_a_package_that_overwrites_or_removes_our_file_is_one_error(change, tmp_path):
    """As pip does with one that brings conll/__init__.py, and when that one is uninstalled."""
    for name in ("conll", "scorer", "conll_scorer"):
        ignored = shutil.ignore_patterns("__pycache__")
        shutil.copytree(ROOT / name, tmp_path / name, ignore=ignored)
    file = tmp_path / "conll" / "__init__.py"
    if change == "removed":
        file.unlink()
    else:
        file.write_text(FOREIGN)
    problem = f"another package has overwritten or removed {file}; "
    problem += "pip uninstall that package, then pip install --force-reinstall conll-scorer\n"
    script = shutil.copy(ROOT / "scorer.pl", tmp_path)
    assert run(tmp_path, script, *COMMANDS["scorer.pl"]) == (2, "", f"scorer.pl: {problem}")
    command = tmp_path / "bin" / "scorer"
    command.parent.mkdir()
    command.write_text("from conll_scorer.__main__ import run\nraise SystemExit(run())\n")
    ran = run(tmp_path, str(command), *COMMANDS["scorer"], path=[tmp_path])
    assert ran == (2, "", f"scorer: {problem}")
    script = "try:\n    import scorer\nexcept ImportError as error:\n    print(error)"
    assert run(tmp_path, "-c", script) == (0, problem, "")


@pytest.mark.parametrize("hiding", ["conll.py", "scorer/__init__.py"])
def test_a_name_that_is_taken_is_told_with_its_file(hiding, tmp_path):
    name = hiding.partition(".")[0].partition("/")[0]
    hiding = tmp_path / hiding
    hiding.parent.mkdir(exist_ok=True)
    hiding.write_text("")
    load = (
        "try:\n    import conll_scorer\nexcept ImportError as error:\n    print(error.path, error)"
    )
    problem = f"the name {name} is taken by {hiding}, which was imported before conll_scorer"
    way = "import conll_scorer first, or give that file another name"
    ran = run(tmp_path, "-c", f"import {name}\n{load}")
    assert ran == (0, f"{hiding} {problem}; {way}\n", "")
