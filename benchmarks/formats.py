"""Times the reading of CorefUD and of JSON lines next to udapi's parsing of the same documents.

    python benchmarks/formats.py [--documents N] [--treebank N] [--runs N] [--udapi PYTHON]

Two files: `treebank`, N documents of 1000 words whose lines are like those of published corpora
(`treebank.py`), and `dense`, N times the documents of the measured runs in `fixtures/` under other
names, which are short and have a mention in nearly every line. JSON lines hold the same words, and
the mentions without gaps. PYTHON is an interpreter for which udapi is installed; without it only
our own times are shown. The time to import either library is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from io import BytesIO
from statistics import median
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path[:0] = [ROOT, os.path.join(ROOT, "benchmarks")]

from treebank import write  # noqa: E402  only now are these found from a clone

from conll import Document, open_documents, write_documents  # noqa: E402
from conll.syntax import is_span  # noqa: E402

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDS = {"corefud": ".conllu", "jsonl": ".jsonl"}
"""How the names of files end, by which udapi knows the format."""

UDAPI = """
import sys, time
import udapi
start = time.perf_counter()
document = udapi.Document(sys.argv[1])
mentions = sum(len(entity.mentions) for entity in document.coref_entities)
print(time.perf_counter() - start, mentions)
"""


def make(folder: str, wanted: int, treebank: int) -> dict[str, dict[str, str]]:
    """Write the documents in each format; the paths by file and format."""
    with open(os.path.join(ROOT, "fixtures", "golden", "corefud.jsonl"), encoding="utf-8") as file:
        texts = [json.loads(line)["key"] for line in file]
    corefud = []
    for number in range(wanted):
        text = texts[number % len(texts)]
        for name in open_documents(BytesIO(text.encode())).names():
            text = text.replace(f"# newdoc id = {name}\n", f"# newdoc id = {name}-{number}\n")
        # Entities of two documents must differ for udapi.
        corefud.append(
            text.replace("(e", f"(e{number}x")
            .replace("=e", f"=e{number}x")
            .replace(")e", f")e{number}x")
        )
    paths = {
        name: {form: os.path.join(folder, name + end) for form, end in ENDS.items()}
        for name in ("treebank", "dense")
    }
    with open(paths["dense"]["corefud"], "w", encoding="utf-8") as out:
        out.write("".join(corefud))
    write(paths["treebank"]["corefud"], documents=treebank, words=1000)
    for by_form in paths.values():
        write_documents(plain(by_form["corefud"]), by_form["jsonl"], "jsonl")
    return paths


def plain(path: str) -> Iterator[Document]:
    """The documents of a file, without the mentions that JSON lines cannot hold."""
    source = open_documents(path)
    for name in source.names():
        document = source.document(name)
        assert document is not None
        clusters = [
            [mention for mention in cluster if is_span(mention)] for cluster in document.clusters
        ]
        yield Document(name, clusters, words=source.words(name))


def read(path: str) -> tuple[float, int]:
    """Seconds to read all documents of a file, and the mentions in them."""
    start = time.perf_counter()
    source = open_documents(path)
    documents = map(source.document, source.names())
    mentions = sum(
        len(cluster)
        for document in documents
        if document is not None
        for cluster in document.clusters
    )
    return time.perf_counter() - start, mentions


def read_with_udapi(python: str, path: str) -> tuple[float, int]:
    """The same with udapi, without the time to start."""
    ran = subprocess.run([python, "-c", UDAPI, path], capture_output=True, text=True, check=True)
    seconds, mentions = ran.stdout.split()
    return float(seconds), int(mentions)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--treebank", type=int, default=300)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--udapi", metavar="PYTHON")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        for name, paths in make(folder, arguments.documents, arguments.treebank).items():
            measure(name, paths, arguments.runs, arguments.udapi)


def measure(name: str, paths: dict[str, str], runs: int, udapi: str | None) -> None:
    """Read one file in each format, in turns, and print the medians."""
    seconds: dict[str, list[float]] = {}
    mentions: dict[str, int] = {}
    for path in paths.values():
        read(path)  # what is imported on the way is not measured
    for _ in range(runs):
        for form, path in paths.items():
            taken, mentions[form] = read(path)
            seconds.setdefault(form, []).append(taken)
        if udapi:
            taken, mentions["udapi"] = read_with_udapi(udapi, paths["corefud"])
            seconds.setdefault("udapi", []).append(taken)
    print(name)
    for form, taken_each in seconds.items():
        middle = median(taken_each)
        size = os.path.getsize(paths.get(form, paths["corefud"]))
        faster = f"  {median(seconds['udapi']) / middle:.1f} x udapi" if udapi else ""
        print(
            f"  {form:8}{middle:8.3f} s  {size / middle / 1e6:6.1f} MB/s  "
            f"{mentions[form]} mentions{faster}"
        )


if __name__ == "__main__":
    main()
