"""Time `scorer score` from the shell, next to an empty Python and to `scorer.pl`.

    python benchmarks/start.py [KEY RESPONSE] [--runs N]

KEY and RESPONSE are the large pair, the target is for LitBank's; without one only the small pair is
measured.
"""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from measure import SCORER, Row, compared, print_targets, show_seconds, time_commands
from side_by_side import EXAMPLE

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

SCORE = [sys.executable, "-m", "scorer", "score"]

TARGETS = {"table": 7.0, "csv": 3.5, "json": 3.5, "perl": 3.5}
"""How many times as long as an empty Python each form may take."""


LARGE = 2.1
"""How many times as long as `scorer.pl`."""


def rows(large: Sequence[str] = (), runs: int = 15) -> Iterator[Row]:
    """A row for each form, and one for the large pair."""
    commands = {form: [*SCORE, *EXAMPLE, "--format", form] for form in TARGETS}
    small = time_commands({"pass": [sys.executable, "-c", "pass"], **commands}, runs)
    for form, target in TARGETS.items():
        seconds, base = show_seconds(small[form].processor), show_seconds(small["pass"].processor)
        what = f"`scorer score --format {form}`, a small pair: {seconds}; `python -c pass`: {base}"
        yield compared(what, small[form], small["pass"], target)
    if large:
        timings = time_commands(
            {"perl": [*SCORER, "all", *large, "none"], "score": [*SCORE, *large]}, runs
        )
        score, perl = (show_seconds(timings[name].processor) for name in ("score", "perl"))
        yield compared(
            f"`scorer score`, LitBank: {score}; `scorer.pl`: {perl}",
            timings["score"],
            timings["perl"],
            LARGE,
        )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("files", nargs="*", metavar="KEY RESPONSE")
    parser.add_argument("--runs", type=int, default=15)
    arguments = parser.parse_args()
    if len(arguments.files) not in (0, 2):
        parser.error("give a key and a response")
    print_targets(rows(arguments.files, arguments.runs))


if __name__ == "__main__":
    main()
