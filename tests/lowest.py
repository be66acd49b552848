"""The lowest versions that `pyproject.toml` allows, one requirement a line: `make lowest` installs these.

python tests/lowest.py > lowest.txt
"""

import re
import sys
import tomllib  # pytest brings it where Python has none
from pathlib import Path

TOOLS = {"conll-scorer", "ruff", "mypy", "playwright"}
"""What the tests of `make lowest` do without."""
REQUIREMENT = re.compile(r"([\w-]+)(?:\[[\w,]+\])?(?:>=([\w.]+))?")


def lowest(pyproject):
    """`name==version` for each dependency, of the extras that tests need as well."""
    project = tomllib.loads(pyproject)["project"]
    extras = project["optional-dependencies"]
    wanted = [
        *project["dependencies"],
        *(
            one
            for extra in ("completion", "remote", "yaml", "parquet", "dev")
            for one in extras[extra]
        ),
    ]
    found = [REQUIREMENT.fullmatch(one).groups() for one in wanted]
    return [f"{name}=={version}" for name, version in found if name not in TOOLS]


if __name__ == "__main__":
    sys.stdout.write(
        "".join(
            f"{one}\n"
            for one in lowest(
                Path(__file__).parents[1].joinpath("pyproject.toml").read_text("utf-8")
            )
        )
    )
