"""The lowest versions that `pyproject.toml` allows, one requirement a line: `make lowest` installs
these.

python tests/lowest.py > lowest.txt
"""

import re
import sys
import tomllib  # pytest brings it where Python has none
from pathlib import Path

PROJECT = tomllib.loads(Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8"))
EXTRAS = ("completion", "remote", "yaml", "parquet", "dev")
"""What the tests of `make lowest` need."""
TOOLS = {"conll-scorer", "ruff", "mypy", "playwright"}
"""What they do without."""

requirements = [*PROJECT["project"]["dependencies"]]
for extra in EXTRAS:
    requirements += PROJECT["project"]["optional-dependencies"][extra]
for requirement in requirements:
    name, _, version = re.match(r"([\w-]+)(\[.*\])?(?:>=([\w.]+))?", requirement).groups()
    if name not in TOOLS:
        sys.stdout.write(f"{name}=={version}\n")
