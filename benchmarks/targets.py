"""Print every target of `README.md` in one table, with what was measured.

    python benchmarks/targets.py [--litbank KEY RESPONSE] [--udapi PYTHON]

Rows that need LitBank's files or a Python with udapi are left out where these are not given. What
is compared runs in turns, so that a noisy moment of the machine meets all of it; where others work,
too, go by the processor.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys

FOLDER = os.path.dirname(os.path.abspath(__file__))


def main() -> None:
    """Run one script after the other, and print the rows of each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--litbank", nargs=2, metavar=("KEY", "RESPONSE"), default=[])
    parser.add_argument("--udapi", metavar="PYTHON")
    arguments = parser.parse_args()
    scripts = [["training_loop.py"], ["start.py", *arguments.litbank]]
    scripts += [["corefud.py", "--udapi", arguments.udapi]] if arguments.udapi else []
    scripts += [["leaderboard.py", *arguments.litbank]] if arguments.litbank else []
    scripts += [["ranking.py"], ["engines.py"], ["assignment.py"]]
    for number, (script, *words) in enumerate(scripts):
        command = [sys.executable, os.path.join(FOLDER, script), *words]
        table = subprocess.run(
            command, stdout=subprocess.PIPE, text=True, check=True
        ).stdout.splitlines()
        # The first brings the heading.
        print("\n".join(table[2 if number else 0 :]), flush=True)


if __name__ == "__main__":
    main()
