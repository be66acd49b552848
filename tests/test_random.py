"""Examples of properties: fixed ones where CI tests what it tested yesterday, new ones of a printed seed beside them."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]

PROPERTY = """
from hypothesis import given, strategies as st

@given(st.integers(0, 10**9))
def test_property(number):
    print("drawn", number)
"""


@pytest.fixture
def drawn(tmp_path):
    """What a property is tried on, with the settings of this suite in CI."""
    shutil.copy(ROOT / "tests" / "conftest.py", tmp_path)
    (tmp_path / "test_it.py").write_text(PROPERTY)

    def run(*options):
        command = [
            sys.executable,
            "-m",
            "pytest",
            "-s",
            "-m",
            "hypothesis",
            "-c",
            os.devnull,
            "--rootdir",
            tmp_path,
            tmp_path,
        ]
        # Other plugins take longer to load than the tests take.
        environment = {
            **os.environ,
            "CI": "1",
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
            "PYTEST_PLUGINS": "_hypothesis_pytestplugin",
        }
        done = subprocess.run(
            [*command, *options],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        numbers = re.findall(r"drawn (\d+)", done.stdout)
        assert len(numbers) >= 50
        return numbers

    return run


def test_ci_draws_the_same_examples_each_time(drawn):
    assert drawn() == drawn()


def test_a_seed_decides_on_new_examples(drawn):
    random = "--hypothesis-profile=random"
    first, again, other = (drawn(random, f"--hypothesis-seed={seed}") for seed in (1, 1, 2))
    assert first == again
    assert len({*first, *other}) > max(len({*first}), len({*other})) + 50


def test_make_random_draws_a_new_seed_and_says_it():
    if shutil.which("make") is None and "CI" not in os.environ:
        pytest.skip("there is no make")
    recipes = [
        subprocess.run(
            ["make", "-n", "random"], cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        for _ in "ab"
    ]
    seeds = [
        re.search(r"seed=(\d+) && echo \"random examples of seed \$seed", recipe)[1]
        for recipe in recipes
    ]
    assert seeds[0] != seeds[1]
    assert all(
        "-m hypothesis --hypothesis-profile=random --hypothesis-seed=$seed" in recipe
        for recipe in recipes
    )
