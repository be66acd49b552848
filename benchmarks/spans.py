"""`scorer spans` and `scorer muc7`, in all their ways, next to `scorer score` on the same files: a million mentions and names.

    python benchmarks/spans.py [--mentions N] [--runs N] [--format conll2012 | jsonl | corefud]

CoNLL-2012 and JSON lines: one document with coreference alone; and one document, and documents of 300 mentions, with all columns.
CorefUD: the documents of `treebank.py`. Whole processes, in turns. `--against` reads a key and two responses, so it stands next to
`scorer score` of both.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from typing import TYPE_CHECKING, NamedTuple

import corpus
import treebank
from measure import Row, Timing, compared, print_targets, show_seconds, time_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

SCORER = [sys.executable, "-m", "scorer"]
TARGET = 1.5
"""How many times as long as `scorer score` each may take."""
AGAINST = "spans --against"
BARE: dict[str, tuple[str, ...]] = {
    "spans": ("spans",),
    "muc7": ("muc7",),
}


class Fields(NamedTuple):
    """Two fields to group spans by, and those that hold the scores of mentions and of names."""

    one: str
    other: str
    score: str
    score_of_names: str


FIELDS = {
    "conll2012": Fields("pos", "speaker", "sense", "sense"),
    "jsonl": Fields("pos", "speaker", "confidence", "sense"),
    "corefud": Fields("upos", "etype", "infstat", "infstat"),
}


def ways_of(fields: Fields) -> dict[str, tuple[str, ...]]:
    """The commands and their options, by what to call them."""
    scores, of_names = (("--score-column", field, "--thresholds") for field in (fields.score, fields.score_of_names))
    return {
        **BARE,
        "spans --per-document --average both": ("spans", "--per-document", "--average", "both"),
        "spans --min-overlap 0.5": ("spans", "--min-overlap", "0.5"),
        "spans --documents PATTERN": ("spans", "--documents", "made"),
        f"spans --by {fields.one}": ("spans", "--by", fields.one),
        f"spans --by {fields.other}": ("spans", "--by", fields.other),
        "spans --thresholds 0.1": ("spans", *scores, "0.1"),
        "spans --thresholds all": ("spans", *scores, "all"),
        "spans --of names": ("spans", "--of", "names"),
        "spans --of names --within-label --min-overlap 0.5": ("spans", "--of", "names", "--within-label", "--min-overlap", "0.5"),
        "spans --of names --by label": ("spans", "--of", "names", "--by", "label"),
        "spans --of names --thresholds 0.05": ("spans", "--of", "names", *of_names, "0.05"),
        "muc7 --partial --per-document": ("muc7", "--partial", "--per-document", "--format", "muc7"),
        f"muc7 --section {fields.other}": ("muc7", "--section", fields.other),
    }


def measured(what: str, paths: list[str], ways: dict[str, tuple[str, ...]], runs: int) -> Iterator[Row]:
    """A row for each way; the paths are those of a key, a response and another one."""
    *files, other = paths
    score, again = ([*SCORER, "score", files[0], file, "--quiet"] for file in (files[1], other))
    commands = {name: [way[0], *files, *way[1:]] for name, way in ways.items()} | {AGAINST: ["spans", *files, "--against", other]}
    size = sum(map(os.path.getsize, files)) / 1e6
    for name, way in commands.items():
        bases = {"score": score} | ({"again": again} if name == AGAINST else {})
        timings = time_commands({**bases, name: [*SCORER, *way, "--quiet"]}, runs)
        base = both(timings["score"], timings["again"]) if name == AGAINST else timings["score"]
        yield compared(f"{what}, {size:.0f} MB: `{name}`; `score`: {show_seconds(base.median)}", timings[name], base, TARGET)


def both(one: Timing, other: Timing) -> Timing:
    """What two commands take that run one after the other."""
    found = Timing()
    found.seconds = [a + b for a, b in zip(one.seconds, other.seconds)]
    found.processors = [a + b for a, b in zip(one.processors, other.processors)]
    return found


def made(prefix: str, form: str, *, documents: int, mentions: int, layers: bool) -> list[str]:
    """Write a key and two responses in one of the formats but CorefUD; their paths."""
    paths = [*corpus.write_apart(prefix, documents=documents, mentions=mentions, layers=layers), f"{prefix}.other.conll"]
    corpus.damage(paths[1], paths[2], 77)
    if form == "conll2012":
        return paths
    for seed, path in enumerate(paths):
        corpus.as_json_lines(path, f"{path}.jsonl", layers=layers, seed=seed)
    return [f"{path}.jsonl" for path in paths]


def treebanks(prefix: str, documents: int) -> list[str]:
    """The same in CorefUD."""
    paths = [f"{prefix}.{side}.conllu" for side in ("key", "response", "other")]
    treebank.write(paths[0], documents=documents, words=1000)
    for seed, path in enumerate(paths[1:], 1):
        treebank.respond(paths[0], path, share=seed / 10, seed=seed)
    return paths


def rows(form: str, total: int, runs: int) -> Iterator[Row]:
    """Those of all files of a format."""
    with tempfile.TemporaryDirectory() as folder:
        if form == "corefud":
            documents = total // treebank.MENTIONS
            paths = treebanks(f"{folder}/made", documents)
            yield from measured(f"CorefUD, {documents:,} documents", paths, ways_of(FIELDS[form]), runs)
            return
        for documents, mentions, layers in ((1, total, False), (1, total, True), (total // 300, 300, True)):
            paths = made(f"{folder}/made", form, documents=documents, mentions=mentions, layers=layers)
            what = f"{form}, {documents:,} × {mentions:,} mentions{', names' if layers else ''}"
            yield from measured(what, paths, ways_of(FIELDS[form]) if layers else BARE, runs)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mentions", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--format", choices=FIELDS)
    arguments = parser.parse_args()
    forms = list(FIELDS) if arguments.format is None else [arguments.format]
    print_targets(row for form in forms for row in rows(form, arguments.mentions, arguments.runs))


if __name__ == "__main__":
    main()
