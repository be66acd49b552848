"""Times commands, one after the other in turns, so that a noisy moment of the machine meets all of them."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SCORER = [sys.executable, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scorer.pl")]
"""The command under test, run by the Python that runs the benchmark."""


class Timing:
    """Seconds of the runs of one command, by the clock and by the processor, and the most memory that a run had (bytes)."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.processors: list[float] = []
        self.memory = 0

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def processor(self) -> float:
        """The median of the processor's seconds, its own and the system's: steadier than the clock where others work, too."""
        return median(self.processors)

    @property
    def spread(self) -> str:
        """Fastest and slowest run."""
        return f"{show_seconds(min(self.seconds))} … {show_seconds(max(self.seconds))}"


def time_commands(commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, Timing]:
    """Run every command `runs` times, in turns, after one run that is not counted; a command that cannot run stops it all."""
    timings = {name: Timing() for name in commands}
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    for turn in range(runs + 1):
        for name, command in commands.items():
            begin = time.perf_counter()
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
            _, status, usage = os.wait4(process.pid, 0)
            seconds = time.perf_counter() - begin
            process.returncode = os.waitstatus_to_exitcode(status)
            # 1: the scorer read everything and refused, which takes as long.
            if process.returncode not in (0, 1):
                sys.exit(f"{' '.join(command)}: exit status {process.returncode}")
            if turn:
                timings[name].seconds.append(seconds)
                timings[name].processors.append(usage.ru_utime + usage.ru_stime)
                timings[name].memory = max(timings[name].memory, usage.ru_maxrss * 1024)
    return timings


def print_table(timings: Mapping[str, Timing], bases: Sequence[str]) -> None:
    """Medians, spread, memory, and each command's ratio to each of `bases`."""
    ratios = "".join(f" | × {base}" for base in bases)
    print(f"| command | median | spread | memory{ratios} |")
    print("|---|---|---|---" + "|---" * len(bases) + "|")
    for name, timing in timings.items():
        row = [name, show_seconds(timing.median), timing.spread, f"{timing.memory / 1e6:.0f} MB"]
        row += [f"{timing.median / timings[base].median:.2f}" for base in bases]
        print(f"| {' | '.join(row)} |")


def print_targets(rows: Sequence[tuple[str, float, float]], *, at_least: bool) -> None:
    """What was measured, the ratio, its target, and whether that is met."""
    print("| what | ratio | target | |\n|---|---|---|---|")
    for what, ratio, target in rows:
        met = ratio >= target if at_least else ratio <= target
        print(f"| {what} | {ratio:.2f} | {'≥' if at_least else '≤'} {target} | {'met' if met else 'missed'} |")


def show_seconds(seconds: float) -> str:
    """Seconds with three significant digits, in a unit that suits."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def peak_memory() -> int:
    """The most memory that this process has had resident, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
