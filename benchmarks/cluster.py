"""Documents per second: one process, the engine on a cluster, a shell loop.

    python benchmarks/cluster.py [--documents D] [--mentions M] [--runs N] [--loop PAIRS]
        [--rows-only]

Measures `scorer score KEY RESPONSE` in one process, and on a scheduler with one and two workers
that are there already, on two corpora: of CoNLL-2012 files, which one process counts with numpy,
and of JSON lines, which it counts without. Then what a row of `scorer batch` costs in each way, and
nothing else with `--rows-only`, and a shell loop that starts `scorer.pl` for each of PAIRS pairs of
files. The outputs of all ways must be the same to the byte.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

import corpus
from measure import SCORER, shares, show_seconds, spread, time_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

    from measure import Timing

SCORE = [sys.executable, "-m", "scorer", "score", "--quiet"]


@contextmanager
def scheduler(folder: str, workers: int) -> Iterator[tuple[str, list[int]]]:
    """A scheduler with so many workers of one thread; its file, and all its processes."""
    folder = tempfile.mkdtemp(dir=folder)
    file = f"{folder}/scheduler.json"
    here = [sys.executable, "-m"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": folder}
    address = ["--scheduler-file", file, "--no-dashboard"]
    alone = ["--nthreads", "1", "--no-nanny", "--memory-limit", "0"]
    started = [
        subprocess.Popen(
            [
                *here,
                "distributed.cli.dask_scheduler",
                "--host",
                "127.0.0.1",
                "--port",
                "0",
                *address,
            ],
            **quiet,
        )
    ]
    started += [
        subprocess.Popen([*here, "distributed.cli.dask_worker", *alone, *address], **quiet)
        for _ in range(workers)
    ]
    from distributed import Client

    while not os.path.exists(file):
        time.sleep(0.05)
    with Client(scheduler_file=file) as client:
        client.wait_for_workers(workers)
    yield file, [process.pid for process in started]
    for process in started:
        process.kill()
        process.wait()


def row(name: str, timing: Timing, documents: int, base: Timing) -> None:
    """Print one row."""
    rate = documents / timing.median
    print(
        (
            f"| {name} | {show_seconds(timing.median)} | {spread(timing.seconds)} | {rate:,.0f} | "
            f"{timing.median / base.median:.2f} |"
        ),
        flush=True,
    )


def measure(paths: tuple[str, str], documents: int, folder: str, runs: int) -> None:
    """Every way to score one corpus."""
    with scheduler(folder, 1) as (one, _), scheduler(folder, 2) as (two, _):
        ways = {
            "one process": [],
            "one worker": [f"--scheduler={one}"],
            "two workers": [f"--scheduler={two}"],
        }
        outputs = [f"{folder}/{number}.txt" for number in range(len(ways))]
        commands = {
            name: [*SCORE, *paths, "--output", output, *options]
            for (name, options), output in zip(ways.items(), outputs)
        }
        timings = time_commands(commands, runs)
    print(
        "\n| way | median | spread | documents per second | × one process |\n|---|---|---|---|---|"
    )
    for name, timing in timings.items():
        row(name, timing, documents, timings["one process"])
    same = len({open(output, "rb").read() for output in outputs}) == 1  # noqa: SIM115  closed with the set
    print("\nthe same bytes" if same else "\nNOT the same bytes")


def split(path: str, folder: str) -> None:
    """Write each document of a file into a file of its own."""
    os.mkdir(folder)
    with open(path) as file:
        for number, text in enumerate(file.read().split("#end document\n")[:-1]):
            with open(f"{folder}/{number:05d}.conll", "w") as part:
                part.write(text + "#end document\n")
    os.remove(path)


BATCH = [sys.executable, "-m", "scorer", "batch", "--quiet", "--format", "csv"]


def costs_of_rows(folder: str, mentions: int, rows: int, runs: int) -> None:
    """Print what a row of a batch costs, beside what the command costs that has one row only."""
    os.mkdir(folder)
    key, response = corpus.write_apart(f"{folder}/row", documents=1, mentions=mentions)
    manifests: list[str] = []
    for number in (1, rows):
        manifests.append(f"{folder}/{number}.csv")
        with open(manifests[-1], "w") as file:
            print("system,key,response", file=file)
            print(*(f"{each},{key},{response}" for each in range(number)), sep="\n", file=file)
    with scheduler(folder, 1) as (one, alone), scheduler(folder, 2) as (two, both):
        ways = {
            "one process": ([], []),
            "two processes": (["--jobs", "2"], []),
            "one worker": ([f"--scheduler={one}"], alone),
            "two workers": ([f"--scheduler={two}"], both),
        }
        for way, (options, cluster) in ways.items():
            runs_of = [_timed([*BATCH, path, *options], cluster, runs) for path in manifests]
            of_row = [(many - few) / (rows - 1) for few, many in zip(*runs_of)]
            cells = [f"{mentions:,}", way, *map(show_seconds, of_row), show_seconds(runs_of[0][0])]
            print(f"| {' | '.join(cells)} |", flush=True)


def rows(folder: str, runs: int) -> None:
    """Print what rows cost whose files are small, and larger."""
    print("\n| mentions | way | a row | its processor, here | on the cluster | a run of one row |")
    print("|---|---|---|---|---|---|")
    costs_of_rows(f"{folder}/small", 10, 400, runs)
    costs_of_rows(f"{folder}/large", 100_000, 20, runs)


def _timed(command: list[str], cluster: list[int], runs: int) -> tuple[float, float, float]:
    """Seconds by the clock, and of the processor for the command and for the cluster."""
    before = sum(sum(shares(pid)) for pid in cluster)
    timing = time_commands({"": command}, runs)[""]
    after = sum(sum(shares(pid)) for pid in cluster)
    # One run is not counted by the command.
    return timing.median, timing.processor, (after - before) / (runs + 1)


def loop(paths: tuple[str, str], pairs: int, folder: str) -> None:
    """A shell that starts a process for each pair of files."""
    folders = [f"{folder}/{side}" for side in ("key", "response")]
    for path, part in zip(paths, folders):
        split(path, part)
    script = (
        f"for file in {folders[0]}/*; do {' '.join(SCORER)} all $file "
        f"{folders[1]}/${{file##*/}} none; done"
    )
    timings = time_commands({"loop": ["sh", "-c", script]}, 1)
    seconds = timings["loop"].median
    print(
        f"\na loop over {pairs} pairs: {show_seconds(seconds)}, {pairs / seconds:,.0f} "
        "documents per second"
    )


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=5000)
    parser.add_argument("--mentions", type=int, default=100)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--loop", type=int, default=200, metavar="PAIRS")
    parser.add_argument("--rows-only", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.rows_only:
            rows(folder, arguments.runs)
            return
        paths = corpus.write_apart(
            f"{folder}/all", documents=arguments.documents, mentions=arguments.mentions
        )
        size = sum(map(os.path.getsize, paths))
        print(
            f"{arguments.documents} documents of {arguments.mentions} mentions, "
            f"{size / 1e6:.0f} MB of CoNLL-2012"
        )
        measure(paths, arguments.documents, folder, arguments.runs)
        lines = f"{folder}/key.jsonl", f"{folder}/response.jsonl"
        for path, line in zip(paths, lines):
            subprocess.run(
                [sys.executable, "-m", "scorer", "convert", "--quiet", path, line], check=True
            )
        print(f"\nthe same as JSON lines, {sum(map(os.path.getsize, lines)) / 1e6:.0f} MB")
        measure(lines, arguments.documents, folder, arguments.runs)
        rows(folder, arguments.runs)
        loop(
            corpus.write_apart(
                f"{folder}/loop", documents=arguments.loop, mentions=arguments.mentions
            ),
            arguments.loop,
            folder,
        )


if __name__ == "__main__":
    main()
