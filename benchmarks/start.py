"""Times `scorer score` from the shell: a small pair next to an empty Python, a large one next to `scorer.pl`.

    python benchmarks/start.py [KEY RESPONSE] [--runs N]

KEY and RESPONSE are the large pair, by default LitBank's where that lies beside the repository; without one only the small pair is
measured. What is compared is the processor time of whole processes, which is steadier than that of the clock.
"""

from __future__ import annotations

import argparse
import sys

from measure import SCORER, print_targets, show_seconds, time_commands
from side_by_side import EXAMPLE, default_pair

SCORE = [sys.executable, "-m", "scorer", "score"]

TARGETS = {"table": 7.0, "csv": 3.5, "json": 3.5, "perl": 3.5}
"""How many times as long as an empty Python each form may take."""


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", metavar="KEY RESPONSE")
    parser.add_argument("--runs", type=int, default=15)
    arguments = parser.parse_args()
    if len(arguments.files) not in (0, 2):
        parser.error("give a key and a response")
    commands = {form: [*SCORE, *EXAMPLE, "--format", form] for form in TARGETS}
    small = time_commands({"pass": [sys.executable, "-c", "pass"], **commands}, arguments.runs)
    base = small["pass"].processor
    rows = [
        (f"`scorer score --format {form}`, small pair: {show_seconds(small[form].processor)}", small[form].processor / base, target)
        for form, target in TARGETS.items()
    ]
    large = arguments.files or default_pair()
    if large != EXAMPLE:
        pair = {"scorer.pl": [*SCORER, "all", *large, "none"], "score": [*SCORE, *large]}
        timings = time_commands(pair, arguments.runs)
        ours, perl = timings["score"].processor, timings["scorer.pl"].processor
        rows.append((f"`scorer score`, large pair: {show_seconds(ours)}; `scorer.pl`: {show_seconds(perl)}", ours / perl, 2.1))
    print(f"python -c pass: {show_seconds(base)}\n")
    print_targets(rows, at_least=False)


if __name__ == "__main__":
    main()
