"""Time `scorer.pl all KEY RESPONSE none` next to an empty Python, `wc` and other programs.

    python benchmarks/side_by_side.py [KEY RESPONSE] [--against COMMAND …] [--runs N]

A COMMAND is one argument, such as "perl /path/to/scorer.pl": it gets `all KEY RESPONSE none` behind
it. Without files it takes the example of `fixtures/`. Times are the processor's.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sys

from measure import SCORER, print_table, time_commands

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


EXAMPLE = [os.path.join(ROOT, "fixtures", f"example.{side}.conll") for side in ("key", "response")]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", metavar="KEY RESPONSE")
    parser.add_argument("--against", nargs="+", default=[], metavar="COMMAND")
    parser.add_argument("--runs", type=int, default=7)
    arguments = parser.parse_args()
    if len(arguments.files) not in (0, 2):
        parser.error("give a key and a response")
    files = arguments.files or EXAMPLE
    scoring = ["all", *files, "none"]
    commands = {
        "python -c pass": [sys.executable, "-c", "pass"],
        "wc": ["wc", *files],
        "wc -l": ["wc", "-l", *files],
        "scorer.pl": [*SCORER, *scoring],
    }
    commands |= {command: [*shlex.split(command), *scoring] for command in arguments.against}
    print(
        f"{' '.join(files)}: {sum(map(os.path.getsize, files)) / 1e6:.1f} MB, "
        f"{arguments.runs} runs each\n"
    )
    print_table(time_commands(commands, arguments.runs), ["python -c pass", "wc", "wc -l"])


if __name__ == "__main__":
    main()
