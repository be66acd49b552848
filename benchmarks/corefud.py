"""Reading CorefUD as it is published: a new process of ours next to a new process of udapi.

    python benchmarks/corefud.py --udapi PYTHON [--runs N]

Writes two files with `treebank.py`, a declaration in each document and entities in parts too, and
counts their mentions with either library, imports included. PYTHON is an interpreter for which
udapi is installed.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from typing import TYPE_CHECKING

import treebank
from measure import Row, compared, print_targets, show_seconds, time_commands

if TYPE_CHECKING:
    from collections.abc import Iterator

OURS = """
import sys
from conll import open_documents
source = open_documents(sys.argv[1])
print(sum(len(cluster) for name in source.names() for cluster in source.document(name).clusters))
"""
UDAPI = """
import sys
import udapi
document = udapi.Document(sys.argv[1])
print(sum(len(entity.mentions) for entity in document.coref_entities))
"""
TARGETS = {330: 12.5, 90: 10}
"""How many times as fast, by documents of 1,000 words; the files have 29 MB and 8 MB."""


def rows(python: str, runs: int = 5) -> Iterator[Row]:
    """A row for each size; `python` has udapi."""
    for documents, target in TARGETS.items():
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "made.conllu")
            treebank.write(path, documents=documents, words=1000)
            size = os.path.getsize(path) / 1e6
            timings = time_commands(
                {"ours": [sys.executable, "-c", OURS, path], "udapi": [python, "-c", UDAPI, path]},
                runs,
            )
        ours, udapi = (show_seconds(timings[name].processor) for name in ("ours", "udapi"))
        what = f"CorefUD as published, {size:.0f} MB: {ours}; udapi: {udapi}"
        yield compared(what, timings["udapi"], timings["ours"], target, at_least=True)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--udapi", metavar="PYTHON", required=True)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    print_targets(rows(arguments.udapi, arguments.runs))


if __name__ == "__main__":
    main()
