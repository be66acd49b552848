"""Time commands in turns, so that a noisy moment of the machine meets all of them."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from statistics import median
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

SCORER = [
    sys.executable,
    os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "scorer.pl"),
]
"""The command under test, run by the Python that runs the benchmark."""


TICKS = os.sysconf("SC_CLK_TCK")
"""Of the processor's time in a second, as the system counts it for each process."""


class Timing:
    """The runs of a command: seconds by clock and processor, and the most memory in bytes."""

    def __init__(self) -> None:
        self.seconds: list[float] = []
        self.processors: list[float] = []
        self.shares: list[tuple[float, float]] = []
        """The processor's seconds of the first process, and of all others."""
        self.memory = 0

    @property
    def median(self) -> float:
        return median(self.seconds)

    @property
    def processor(self) -> float:
        """The median of processor seconds, steadier than the clock where others work too."""
        return median(self.processors)

    def on(self, cores: int) -> float:
        """Estimate the clock time on free cores, if the processes share their work evenly."""
        return (
            median(first + others / cores for first, others in self.shares)
            if cores > 1
            else self.processor
        )

    def busiest(self, processes: int) -> float:
        """The same where the first of so many processes takes its share of the work."""
        return median(max(first, others / (processes - 1)) for first, others in self.shares)


class Row(NamedTuple):
    """A measured ratio: `by_clock` and, where known, `by_processor`, which its target is for."""

    what: str
    by_clock: float
    by_processor: float | None
    target: float | None
    at_least: bool = False

    @property
    def verdict(self) -> str:
        """Whether the target is met; nothing where there is none."""
        if self.target is None:
            return ""
        measured = self.by_clock if self.by_processor is None else self.by_processor
        met = measured >= self.target if self.at_least else measured <= self.target
        return "met" if met else "**missed**"


def compared(
    what: str,
    one: Timing,
    other: Timing,
    target: float | None,
    *,
    cores: tuple[int, int] = (1, 1),
    at_least: bool = False,
) -> Row:
    """One timing divided by another; `cores` as in `Timing.on`."""
    return Row(
        what, one.median / other.median, one.on(cores[0]) / other.on(cores[1]), target, at_least
    )


def time_commands(commands: Mapping[str, Sequence[str]], runs: int) -> dict[str, Timing]:
    """Run every command `runs` times, in turns, after one run that is not counted.

    A command that cannot run stops it all.
    """
    timings = {name: Timing() for name in commands}
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("PYTHON")
    }
    for turn in range(runs + 1):
        for name, command in commands.items():
            begin = time.perf_counter()
            process = subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
            )
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            seconds = time.perf_counter() - begin
            of_each = shares(process.pid)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            # 1: the scorer read everything and refused, which takes as long.
            if process.returncode not in (0, 1):
                sys.exit(f"{' '.join(command)}: exit status {process.returncode}")
            if turn:
                timings[name].seconds.append(seconds)
                timings[name].processors.append(usage.ru_utime + usage.ru_stime)
                timings[name].shares.append(of_each)
                timings[name].memory = max(timings[name].memory, usage.ru_maxrss * 1024)
    return timings


def print_table(timings: Mapping[str, Timing], bases: Sequence[str]) -> None:
    """Print processor time, its spread, memory, and the ratio of each command to `bases`."""
    ratios = "".join(f" | × {base}" for base in bases)
    print(f"| command | processor | spread | memory{ratios} |")
    print("|---|---|---|---" + "|---" * len(bases) + "|")
    for name, timing in timings.items():
        row = [name, show_seconds(timing.processor), spread(timing.processors)]
        row.append(f"{timing.memory / 1e6:.0f} MB")
        row += [f"{timing.processor / timings[base].processor:.2f}" for base in bases]
        print(f"| {' | '.join(row)} |")


def shares(pid: int) -> tuple[float, float]:
    """Return the processor seconds of a process, and of those it started that have ended."""
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    own, system, others, others_system = (int(field) / TICKS for field in fields[11:15])
    return own + system, others + others_system


def print_targets(rows: Iterable[Row]) -> None:
    """What was measured, both ratios, the target, and whether that is met.

    Each row as soon as it is known.
    """
    print("| what | by the clock | by the processor | target | |\n|---|---|---|---|---|")
    for row in rows:
        by_processor = "" if row.by_processor is None else f"{row.by_processor:.3g}"
        target = "" if row.target is None else f"{'≥' if row.at_least else '≤'} {row.target}"
        print(
            f"| {row.what} | {row.by_clock:.3g} | {by_processor} | {target} | {row.verdict} |",
            flush=True,
        )


def spread(seconds: Iterable[float]) -> str:
    """Fastest and slowest run."""
    ordered = sorted(seconds)
    return f"{show_seconds(ordered[0])} … {show_seconds(ordered[-1])}"


def show_seconds(seconds: float) -> str:
    """Seconds with three significant digits, in a unit that suits."""
    return f"{seconds:.3g} s" if seconds >= 1 else f"{seconds * 1000:.3g} ms"


def peak_memory() -> int:
    """The most memory that this process has had resident, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
