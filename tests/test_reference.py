"""The generated reference pages: what `make docs` would refuse fails here already."""

import ast
import re
import sys
from importlib import import_module
from pathlib import Path

import pytest

import scorer
from scorer.cli import commands
from scorer.options import PRESETS, TABLE

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def reference():
    """The module that writes the pages."""
    sys.path.insert(0, str(ROOT / "docs"))
    try:
        import reference
    finally:
        sys.path.remove(str(ROOT / "docs"))
    return reference


def test_every_column_of_every_result_has_a_meaning(reference):
    page = reference.results()
    assert "| `f1` | fraction from 0 to 1 |" in page
    lacking = re.findall(r"^\| `(\w+)` \|  \|$", page, re.MULTILINE)
    assert lacking == [], "say in FIELDS of docs/reference.py what these fields mean"


def test_every_layout_of_json_is_in_the_table_of_its_page(reference):
    page = (Path(reference.__file__).parent / "formats" / "jsonl.md").read_text("utf-8")
    is_there = reference.layouts() in page
    assert is_there, f"docs/formats/jsonl.md: let its table be\n{reference.layouts()}"


def test_every_command_is_on_its_page(reference):
    headings = re.findall(r"^## scorer (.*)$", reference.commands(), re.MULTILINE)
    assert headings == commands.names()


def test_every_option_and_preset_is_on_its_page(reference):
    first = re.findall(r"^\| `([\w-]+)` \|", reference.options(), re.MULTILINE)
    assert {*TABLE, *PRESETS} <= {*first}


def test_every_public_name_is_on_its_page(reference):
    listed = [name for page in reference.API_PAGES for name in reference.names_on(page)]
    assert len({*listed}) == len(listed)
    public = {name for name in scorer.__all__ if callable(getattr(scorer, name))}
    assert public <= {name.rpartition(".")[2] for name in listed}


def test_type_checkers_and_the_site_see_every_public_name():
    """They read the imports for type checking, which must be those that happen on first use."""
    imported = {}
    for node in ast.walk(ast.parse((ROOT / "scorer" / "__init__.py").read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module.startswith(("scorer.", "conll.")):
            imported |= {alias.name: node.module for alias in node.names}
    assert set(scorer.__all__) <= set(imported)
    for name in set(scorer.__all__) - {"__version__", "Clusters", "Documents", "Mention"}:
        assert getattr(scorer, name) is getattr(import_module(imported[name]), name)
