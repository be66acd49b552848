"""How long `scorer leaderboard --corpora` takes: systems × corpora × documents × mentions, as JSON lines.

python benchmarks/corpora.py [--systems 100] [--corpora 10] [--documents 100] [--mentions 100]
[--trials 10000] [--jobs 2]
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from pathlib import Path

from measure import show_seconds, time_commands

TARGET = 120.0
"""Seconds for the sizes that are the defaults, with two jobs on two cores."""

Clusters = list[list[int]]


def key_of(chance: random.Random, mentions: int) -> Clusters:
    """Clusters of so many mentions, each a token, most of them small."""
    tokens = list(range(0, 2 * mentions, 2))
    chance.shuffle(tokens)
    clusters: Clusters = []
    while tokens:
        size = min(len(tokens), 1 + int(chance.expovariate(0.4)))
        clusters.append(sorted(tokens[:size]))
        tokens = tokens[size:]
    return clusters


def response_of(chance: random.Random, key: Clusters, quality: float) -> Clusters:
    """Clusters that miss some mentions, invent others, and part and join some of the key's."""
    found: Clusters = []
    for cluster in key:
        kept = [token if chance.random() < quality else token + 1 for token in cluster]
        if len(kept) > 1 and chance.random() > quality:
            found += [kept[:1], kept[1:]]
        elif found and chance.random() > quality:
            found[-1] += kept
        else:
            found.append(kept)
    return found


def write(path: Path, documents: dict[str, Clusters], mentions: int) -> None:
    """A file of JSON lines."""
    with path.open("w", encoding="utf-8") as file:
        for name, clusters in documents.items():
            spans = [[[token, token] for token in cluster] for cluster in clusters]
            file.write(
                json.dumps(
                    {"doc_key": name, "sentences": [["w"] * (2 * mentions + 2)], "clusters": spans}
                )
                + "\n"
            )


def make(folder: Path, systems: int, corpora: int, documents: int, mentions: int) -> Path:
    """The keys and responses, and their manifest."""
    rows = ["corpus,system,key,response"]
    for corpus in range(corpora):
        chance = random.Random(corpus)
        key = {f"document {number}": key_of(chance, mentions) for number in range(documents)}
        write(folder / f"key.{corpus}.jsonl", key, mentions)
        for system in range(systems):
            own = random.Random(1000 * corpus + system)
            response = {
                name: response_of(own, clusters, 0.95 - 0.3 * system / systems)
                for name, clusters in key.items()
            }
            write(folder / f"{system}.{corpus}.jsonl", response, mentions)
            rows.append(
                f"corpus {corpus},system {system},key.{corpus}.jsonl,{system}.{corpus}.jsonl"
            )
    manifest = folder / "manifest.csv"
    manifest.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return manifest


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sizes = {"systems": 100, "corpora": 10, "documents": 100, "mentions": 100}
    for name, default in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    parser.add_argument("--trials", type=int, default=10_000)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--runs", type=int, default=3)
    arguments = parser.parse_args()
    is_the_one = all(
        getattr(arguments, name) == parser.get_default(name) for name in (*sizes, "trials", "jobs")
    )
    with tempfile.TemporaryDirectory() as folder:
        manifest = make(Path(folder), *(getattr(arguments, name) for name in sizes))
        options = [
            "--trials",
            str(arguments.trials),
            "--jobs",
            str(arguments.jobs),
            "--quiet",
            "--output",
            f"{folder}/table",
        ]
        command = [
            sys.executable,
            "-m",
            "scorer",
            "leaderboard",
            "--corpora",
            str(manifest),
            *options,
        ]
        for name, timing in time_commands(
            {"leaderboard --corpora": command}, arguments.runs
        ).items():
            print(
                f"{name}: {show_seconds(timing.median)}, {show_seconds(timing.processor)} "
                f"of processors, for {vars(arguments)}"
            )
            if is_the_one:
                met = "met" if timing.median <= TARGET else "missed"
                print(
                    f"target: at most {TARGET:.0f} s on two cores, "
                    f"{timing.median / TARGET:.2f} of it: {met}"
                )


if __name__ == "__main__":
    main()
