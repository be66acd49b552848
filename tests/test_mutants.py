"""The tool behind `make mutants`: what it changes, what it runs, and the list of mutants that no test can notice."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import mutators

ROOT = Path(__file__).parents[1]


def changes(source):
    return [mutant.change for mutant in mutators.mutants(source)[1]]


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("x = a < b", ["a < b → a <= b", "a < b → a >= b"]),
        ("x = a == b != c", ["a == b != c → a != b != c", "a == b != c → a == b == c"]),
        ("x = a and b", ["a and b → a or b"]),
        ("x = not a", ["not a → a"]),
        ("x = a // -b", ["a // -b → a * -b", "-b → b"]),
        ("x = 1, 2.5, True, 'w', b'', None", ["1 → 2", "2.5 → 3.5", "True → False", "'w' → 'w?'", "b'' → b'?'"]),
        ("x += y", ["x += y → pass", "x += y → x -= y"]),
        ("x.y = z", ["x.y = z → pass"]),
        ("f(a, b, c)", ["f(a, b, c) → pass", "f(a, b, c) → f(b, a, c)", "f(a, b, c) → f(a, c, b)"]),
        ("x = f(a, a, *b, k=c)", ["f(a, a, *b, k=c) → f(a, a, *b)"]),
        ("x = max(a, b)", ["max → min"]),
        ("x = a.find(b)", ["a.find → a.rfind"]),
        ("def f():\n return a", ["return a → return"]),
        ("def f():\n return", []),
        ("while a:\n break", ["a → not a", "break → continue"]),
        ("for a in b:\n continue", ["continue → pass"]),
        ("x = [a for a in b if a]", ["a → not a"]),
        ("x = a if b and c else d", ["b and c → b or c", "b and c → not (b and c)"]),
        ("x = f'{a:>3} b'", ["' b' → ' b?'"]),
        ("raise a", ["raise a → pass"]),
    ],
)
def test_changes(source, expected):
    assert changes(source) == expected


@pytest.mark.parametrize(
    "source",
    [
        '"""Said."""',
        "import a\nfrom b import c",
        "TYPE_CHECKING = False\nif TYPE_CHECKING:\n x = 1",
        "__slots__ = ('a', 'b')",
        "def f(a: 'b | c') -> 'd':\n '''Said.'''",
        "x: 'int' = y",
        "@decorated('a')\ndef f(): ...",
    ],
)
def test_what_says_nothing_at_run_time_is_left_alone(source):
    assert changes(source) == []


def test_a_mutant_is_told_by_its_function_its_line_and_its_change():
    source = "class A:\n    def f(self):\n        return 1 + 1\n\nx = lambda: 1\n"
    _, found = mutators.mutants(source)
    assert [mutant.name for mutant in found] == [
        ("A.f", "return 1 + 1", "return 1 + 1 → return"),
        ("A.f", "return 1 + 1", "1 + 1 → 1 - 1"),
        ("A.f", "return 1 + 1", "1 → 2"),
        ("A.f", "return 1 + 1", "1 → 2 #2"),
        ("", "x = lambda: 1", "1 → 2"),
    ]
    _, moved = mutators.mutants("# One line more.\n" + source)
    assert [mutant.name for mutant in moved] == [mutant.name for mutant in found]
    assert [mutant.line for mutant in moved] == [mutant.line + 1 for mutant in found]


def test_a_mutant_belongs_to_its_statement_and_not_to_what_that_holds():
    _, found = mutators.mutants("if (a and\n    b):\n    x = f(\n        1,\n        2)\n")
    assert {(mutant.change, mutant.first, mutant.last) for mutant in found} == {
        ("a and b → a or b", 1, 2),
        ("a and b → not (a and b)", 1, 2),
        ("f(1, 2) → f(2, 1)", 3, 5),
        ("1 → 2", 3, 5),
        ("2 → 3", 3, 5),
    }


def test_each_mutant_is_another_program():
    source = (ROOT / "conll/columns/nesting.py").read_text("utf-8")
    original = ast.unparse(ast.parse(source))
    programs = set()
    for at in range(len(mutators.mutants(source)[1])):
        tree, found = mutators.mutants(source)
        found[at].apply()
        compile(tree, "mutant", "exec")
        programs.add(ast.unparse(tree))
    assert len(programs) == at + 1
    assert original not in programs


MODULE = """
LIMIT = 2

def grade(n):
    if n > LIMIT:
        return "many"
    while n < 0:
        n = n + 1
    return "few"
"""
TESTS = """
import pytest
from grading import grade

@pytest.mark.parametrize(("n", "word"), [(3, "many"), (-1, "few")])
def test_grade(n, word):
    assert grade(n) == word
"""
LISTED = """
[tests]
"grading.py" = "grading"

[[equivalent]]
module = "grading.py"
function = "grade"
line = "while n < 0:"
changes = ["n < 0 → n <= 0"]
reason = "One step more, with the same word."
"""


@pytest.fixture
def project(tmp_path):
    """A copy of the tool, with another module to judge."""
    (tmp_path / "tests").mkdir()
    shutil.copy(ROOT / "tests" / "mutators.py", tmp_path / "tests")
    # Nor does a loop that never ends take long to be told from a test that ends.
    tool = (ROOT / "tests" / "mutants.py").read_text("utf-8").replace("AT_LEAST = 2.0", "AT_LEAST = 0.3")
    (tmp_path / "tests" / "mutants.py").write_text(tool, "utf-8")
    (tmp_path / "grading.py").write_text(MODULE, "utf-8")
    (tmp_path / "tests" / "test_grading.py").write_text(TESTS, "utf-8")
    (tmp_path / "tests" / "mutants.toml").write_text(LISTED, "utf-8")

    def run(*arguments):
        command = [sys.executable, tmp_path / "tests" / "mutants.py", *arguments]
        done = subprocess.run(command, check=False, capture_output=True, text=True, encoding="utf-8", timeout=120)
        return done.returncode, done.stdout.splitlines()[1:], done.stderr

    return run


@pytest.mark.linux
def test_a_module_is_judged(project):
    status, lines, _ = project("grading.py")
    # A constant of the module is changed as well, and a loop that never ends is noticed.
    assert lines == [
        "grading.py                                    12           1     11        7   63.6",
        "  grading.py:5: grade: if n > LIMIT:",
        "      n > LIMIT → n >= LIMIT",
        "  grading.py:7: grade: while n < 0:",
        "      n < 0 → n >= 0",
        "  grading.py:7: grade: while n < 0:",
        "      0 → 1",
        "  grading.py:8: grade: n = n + 1",
        "      1 → 2",
    ]
    assert status == 1


@pytest.mark.linux
@pytest.mark.parametrize(("part", "tried"), [("5", 2), ("grade", 10), ("grad", None), ("4", None)])
def test_a_part_of_a_module_is_judged(part, tried, project):
    status, lines, err = project(f"grading.py:{part}")
    if tried is None:
        message = f"grading.py: there is nothing to mistake in {part!r}; name a line, or a function"
        assert (status, lines, err.splitlines()[-1]) == (2, [], f"mutants.py: error: {message}")
    else:
        assert lines[0].split()[3] == str(tried)


@pytest.mark.linux
def test_the_list_is_tried_too(project, tmp_path):
    assert project("--equivalent", "grading.py")[0] == 0
    entry = LISTED[LISTED.index("[[") :]
    listed = LISTED + entry.replace("while n < 0:", "if n > LIMIT:").replace("n < 0 → n <= 0", "n > LIMIT → n <= LIMIT")
    listed += entry.replace("n < 0 → n <= 0", "gone")
    (tmp_path / "tests" / "mutants.toml").write_text(listed, "utf-8")
    status, lines, _ = project("--equivalent", "grading.py")
    assert status == 1
    assert lines[1:] == [
        "  grading.py:5: grade: if n > LIMIT:",
        "      n > LIMIT → n <= LIMIT",
        "  mutants.toml lists what is no mutant any more: ('grading.py', 'grade', 'while n < 0:', 'gone')",
    ]


FORKED = """
import os
from grading import grade

def test_grade():
    process = os.fork()
    if not process:
        os._exit(grade(3) != "many")
    assert os.waitpid(process, 0)[1] == 0
"""


@pytest.mark.linux
def test_what_a_forked_process_notices_is_noticed(project, tmp_path):
    (tmp_path / "tests" / "test_grading.py").write_text(FORKED, "utf-8")
    _, lines, _ = project("grading.py")
    assert "      'many' → 'many?'" not in lines
    assert "      'few' → 'few?'" in lines


@pytest.mark.linux
def test_tests_that_fail_anyway_are_named(project, tmp_path):
    (tmp_path / "tests" / "test_grading.py").write_text(TESTS.replace("(3, ", "(2, "), "utf-8")
    status, _, said = project("grading.py")
    assert status == 1
    assert said == "grading.py: tests/test_grading.py::test_grade[2-many] fails without any change\n"


@pytest.mark.linux
def test_every_listed_mutant_is_one_of_its_module():
    import mutants

    _, reasons = mutants.listed()
    for module in {name[0] for name in reasons}:
        found = {(module, *mutant.name) for mutant in mutators.mutants((ROOT / module).read_text("utf-8"))[1]}
        assert {name for name in reasons if name[0] == module} <= found
    assert all(len(reason) > 20 for reason in reasons.values())


@pytest.mark.linux
def test_the_core_is_whole():
    import mutants

    rooms = ["scorer/count", "scorer/match", "scorer/metrics", "conll/columns", "conll/conllu", "conll/formats/conll2012"]
    files = {path for room in [*rooms, "conll/formats/corefud"] for path in (ROOT / room).glob("*.py")}
    judged = {path.relative_to(ROOT).as_posix() for path in files if mutators.mutants(path.read_text("utf-8"))[1]}
    core, _ = mutants.listed()
    assert judged == {module for module in core if (ROOT / module) in files}
    for module, tests in core.items():
        assert (ROOT / module).exists()
        assert [name for name in tests.split() if not (ROOT / f"tests/test_{name}.py").exists()] == []
