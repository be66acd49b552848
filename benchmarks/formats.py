"""Times the reading of CorefUD and of JSON lines next to udapi's parsing of the same documents.

    python benchmarks/formats.py [--documents N] [--runs N] [--udapi PYTHON]

The documents are those of the measured runs in `fixtures/`, written again and again under other names; these are short and full of
mentions. JSON lines hold the same words, and the mentions without gaps. PYTHON is an interpreter for which udapi is installed;
without it only our own times are shown.
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

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, ROOT)

from conll import Document, open_documents, write_documents  # noqa: E402  only now is the package found from a clone
from conll.syntax import is_span  # noqa: E402

UDAPI = """
import sys, time
import udapi
start = time.perf_counter()
document = udapi.Document(sys.argv[1])
mentions = sum(len(entity.mentions) for entity in document.coref_entities)
print(time.perf_counter() - start, mentions)
"""


def make(folder: str, wanted: int) -> dict[str, str]:
    """Write the documents in each format; the paths by format."""
    with open(os.path.join(ROOT, "fixtures", "golden", "corefud.jsonl"), encoding="utf-8") as file:
        texts = [json.loads(line)["key"] for line in file]
    corefud, plain = [], []
    for number in range(wanted):
        text = texts[number % len(texts)]
        source = open_documents(BytesIO(text.encode()))
        for name in source.names():
            called = f"{name}-{number}"
            document = source.document(name)
            assert document is not None
            clusters = [[mention for mention in cluster if is_span(mention)] for cluster in document.clusters]
            plain.append(Document(called, clusters, words=source.words(name)))
            text = text.replace(f"# newdoc id = {name}\n", f"# newdoc id = {called}\n")
        # Entities of two documents must differ for udapi.
        corefud.append(text.replace("(e", f"(e{number}x").replace("=e", f"=e{number}x").replace(")e", f")e{number}x"))
    paths = {"corefud": os.path.join(folder, "key.conllu"), "jsonl": os.path.join(folder, "key.jsonl")}
    with open(paths["corefud"], "w", encoding="utf-8") as out:
        out.write("".join(corefud))
    write_documents(plain, paths["jsonl"], "jsonl")
    return paths


def read(path: str) -> tuple[float, int]:
    """Seconds to read all documents of a file, and the mentions in them."""
    start = time.perf_counter()
    source = open_documents(path)
    documents = map(source.document, source.names())
    mentions = sum(len(cluster) for document in documents if document is not None for cluster in document.clusters)
    return time.perf_counter() - start, mentions


def read_with_udapi(python: str, path: str) -> tuple[float, int]:
    """The same with udapi, without the time to start."""
    ran = subprocess.run([python, "-c", UDAPI, path], capture_output=True, text=True, check=True)
    seconds, mentions = ran.stdout.split()
    return float(seconds), int(mentions)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--documents", type=int, default=2000)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--udapi", metavar="PYTHON")
    arguments = parser.parse_args()
    with TemporaryDirectory() as folder:
        paths = make(folder, arguments.documents)
        seconds: dict[str, list[float]] = {}
        mentions: dict[str, int] = {}
        for _ in range(arguments.runs):
            for name, path in paths.items():
                taken, mentions[name] = read(path)
                seconds.setdefault(name, []).append(taken)
            if arguments.udapi:
                taken, mentions["udapi"] = read_with_udapi(arguments.udapi, paths["corefud"])
                seconds.setdefault("udapi", []).append(taken)
        sizes = {name: os.path.getsize(paths.get(name, paths["corefud"])) for name in seconds}
    for name, taken_each in seconds.items():
        middle = median(taken_each)
        faster = f"  {median(seconds['udapi']) / middle:.1f} x udapi" if arguments.udapi else ""
        print(f"{name:8}{middle:8.3f} s  {sizes[name] / middle / 1e6:6.1f} MB/s  {mentions[name]} mentions{faster}")


if __name__ == "__main__":
    main()
