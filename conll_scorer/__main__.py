"""The command `scorer`, which finds its own packages in any directory.

`python -m conll_scorer` is the same.
"""

from __future__ import annotations

import sys
from importlib.machinery import PathFinder

from conll_scorer import NAMES, PLACE, is_ours
from scorer.cli import run as command


def run() -> int:
    """Run the command with the arguments of the process; returns the exit status."""
    # Processes that are spawned get the path of this one, and do not load this file where it is no
    # script.
    found = ((name, PathFinder.find_spec(name)) for name in NAMES)
    if not all(spec is not None and is_ours(spec.origin, name) for name, spec in found):
        sys.path.insert(0, PLACE)
    return command()


# Worker processes that are spawned import this file again.
if __name__ == "__main__":
    sys.exit(run())
