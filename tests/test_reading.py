"""How the code reads: rates of what must be read twice, in every folder of some size.

The limits are for each 1,000 lines of code. They are about twice what sacrebleu, httpx, click and
jinja2 have, and were measured the same way.
"""

import ast
import io
import tokenize
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SMALLEST = 300
"""Lines of code below which a folder says little."""
HOT = {"scorer/count", "scorer/engine"}
"""Folders of inner loops, which stay as fast as they are."""
LIMITS = {
    "nested comprehensions": 2,
    "comprehensions": 40,
    "conditional expressions": 22,
    "starred arguments": 15,
}
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
NOT_CODE = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
RIDDLES = ("What", "Whether", "How", "Where")
"""Words that no docstring begins with."""

FILES = sorted(path for package in ("conll", "scorer") for path in (ROOT / package).rglob("*.py"))
TREES = {path: ast.parse(path.read_text("utf-8")) for path in FILES}


def is_documented(node):
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    return isinstance(node, kinds) and ast.get_docstring(node) is not None


def lines_of_code(path):
    """The number of lines that hold code: no blank ones, comments and docstrings."""
    lines = set()
    for token in tokenize.generate_tokens(io.StringIO(path.read_text("utf-8")).readline):
        if token.type not in NOT_CODE:
            lines.update(range(token.start[0], token.end[0] + 1))
    for node in ast.walk(TREES[path]):
        if is_documented(node):
            lines -= set(range(node.body[0].lineno, node.body[0].end_lineno + 1))
    return len(lines)


def is_nested(comprehension):
    """Return whether a comprehension has two loops, or another comprehension in it."""
    inner = [node for node in ast.walk(comprehension) if isinstance(node, COMPREHENSIONS)]
    return len(inner) > 1 or len(comprehension.generators) > 1


def count_starred(node):
    """Count the arguments and elements that a call or a display unpacks."""
    if isinstance(node, ast.Call):
        starred = [argument for argument in node.args if isinstance(argument, ast.Starred)]
        return len(starred) + sum(keyword.arg is None for keyword in node.keywords)
    if isinstance(node, (ast.List, ast.Tuple, ast.Set)):
        return sum(isinstance(element, ast.Starred) for element in node.elts)
    return 0


def counts_in(tree):
    """Count what is hard to read in parsed code."""
    counts = Counter()
    for node in ast.walk(tree):
        if isinstance(node, COMPREHENSIONS):
            counts["comprehensions"] += 1
            counts["nested comprehensions"] += is_nested(node)
        counts["conditional expressions"] += isinstance(node, ast.IfExp)
        counts["starred arguments"] += count_starred(node)
    return counts


def folders():
    """The counts of each folder, for its own files."""
    totals = {}
    for path in FILES:
        folder = path.parent.relative_to(ROOT).as_posix()
        counts = totals.setdefault(folder, Counter())
        counts.update(counts_in(TREES[path]))
        counts["lines"] += lines_of_code(path)
    return totals


FOLDERS = folders()
LARGE = [
    name for name, counts in FOLDERS.items() if counts["lines"] >= SMALLEST and name not in HOT
]


@pytest.mark.parametrize("folder", LARGE)
@pytest.mark.parametrize("kind", LIMITS)
def test_a_folder_is_as_plain_as_good_libraries(folder, kind):
    counts = FOLDERS[folder]
    assert 1000 * counts[kind] / counts["lines"] <= LIMITS[kind]


def test_docstrings_say_what_is_done_and_not_what_it_is():
    riddles = [
        f"{path.relative_to(ROOT)}:{node.body[0].lineno}"
        for path, tree in TREES.items()
        for node in ast.walk(tree)
        if is_documented(node) and ast.get_docstring(node).split()[0] in RIDDLES
    ]
    assert riddles == []


def test_the_counts_are_those_of_a_known_text():
    """So that the gates cannot pass by counting nothing."""
    text = "rows = [[*row] for row in [c for c in cells] if row]\ncell = 1 if rows else f(*rows)\n"
    assert counts_in(ast.parse(text)) == {
        "comprehensions": 2,
        "nested comprehensions": 1,
        "conditional expressions": 1,
        "starred arguments": 2,
    }
