"""How the code reads: each place that must be read twice, with its remedy."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HOT = ("scorer/count/", "scorer/engine/", "scorer/match/align.py")
"""Inner loops, where a name for each step would cost time."""
RIDDLES = ("What", "Whether", "How", "Where")
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def parts_of(node, kinds):
    """The nodes of some kinds inside a node."""
    return [part for part in ast.walk(node) if part is not node and isinstance(part, kinds)]


def is_map_of_rows(comprehension):
    """Return whether only the element is one, as in `[[f(x) for x in row] for row in rows]`."""
    return isinstance(comprehension, ast.ListComp) and isinstance(comprehension.elt, ast.ListComp)


def fault_of_comprehension(node):
    inner = len(parts_of(node, COMPREHENSIONS))
    if inner > is_map_of_rows(node):
        return "a comprehension in a comprehension: name the inner one, or write a loop"
    if len(node.generators) > 2:
        return "a comprehension with three loops: write a loop"
    if len(node.generators) > 1 and any(loop.ifs for loop in node.generators):
        return "a comprehension with two loops and a condition: write a loop"
    return None


def fault_of_docstring(node):
    words = (ast.get_docstring(node) or "").split()
    if words and words[0] in RIDDLES:
        return f"a docstring that begins with {words[0]}: begin with what is done or returned"
    return None


def fault_of(node, is_hot):
    """The fault of a node that must be read twice, with its remedy."""
    if isinstance(node, COMPREHENSIONS) and not is_hot:
        return fault_of_comprehension(node)
    if isinstance(node, ast.IfExp) and parts_of(node, ast.IfExp):
        return "a conditional expression in another: write `if` and `return`"
    if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
        return fault_of_docstring(node)
    return None


def faults(name, text):
    """The places of a file that must be read twice, as `file:line: fault: remedy`."""
    found = []
    for node in ast.walk(ast.parse(text)):
        fault = fault_of(node, is_hot=name.startswith(HOT))
        if fault:
            found.append(f"{name}:{getattr(node, 'lineno', 1)}: {fault}")
    return found


@pytest.mark.parametrize("package", ["conll", "scorer"])
def test_no_line_must_be_read_twice(package):
    found = []
    for path in sorted((ROOT / package).rglob("*.py")):
        found += faults(path.relative_to(ROOT).as_posix(), path.read_text("utf-8"))
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        (
            "rows = [f(*[cell for cell in row]) for row in rows]",
            "a comprehension in a comprehension",
        ),
        ("rows = {x for row in rows for x in row if x}", "with two loops and a condition"),
        ("rows = [z for x in a for y in x for z in y]", "with three loops"),
        ("cell = 1 if rows else 2 if cells else 3", "a conditional expression in another"),
        ('def f():\n    """Whether it is."""', "a docstring that begins with Whether"),
    ],
)
def test_a_fault_is_named_with_its_place(line, fault):
    [found] = faults("a.py", f"\n{line}\n")
    assert found.startswith("a.py:2: ")
    assert fault in found


@pytest.mark.parametrize(
    "line",
    [
        "rows = [[f(x) for x in row] for row in rows]",
        "cells = [cell for row in rows for cell in row]",
        "cell = 1 if rows else 2",
    ],
)
def test_what_reads_at_once_is_no_fault(line):
    assert faults("a.py", line) == []
