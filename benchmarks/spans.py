"""How often `scorer spans --against` calls two equal systems different at the level of 5 %.

    python benchmarks/spans.py [--corpora N] [--seed N]

In each simulated corpus, documents differ in size, and both systems find more or fewer of the spans
of a document: how many is drawn anew for each system and document, from the same distribution. So
the systems are equal, and the spans of a document are not independent of each other.
"""

from __future__ import annotations

import argparse

import numpy as np

from scorer import score_spans

DOCUMENTS = (5, 10, 30, 100)
LEVEL = 0.05

Documents = dict[str, list[list[tuple[int, int]]]]


def corpus(generator: np.random.Generator, documents: int) -> list[Documents]:
    """Draw a key and the responses of two equal systems."""
    sides: list[Documents] = [{}, {}, {}]
    for number, size in enumerate(generator.integers(3, 30, documents)):
        key = [(3 * place, 3 * place + 1) for place in range(size)]
        sides[0][f"d{number}"] = [key]
        for side in sides[1:]:
            found, shortened = generator.dirichlet([3, 1, 1])[:2]
            draws = generator.random(size)
            spans = [
                span if draw < found else (span[0], span[0])
                for span, draw in zip(key, draws)
                if draw < found + shortened
            ]
            side[f"d{number}"] = [spans]
    return sides


def main() -> None:
    """Print a row for each number of documents."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpora", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    print("documents  strict  lenient   (rejections in percent)")
    for documents in DOCUMENTS:
        generator = np.random.default_rng([arguments.seed, documents])
        rejected = np.zeros(2)
        for _ in range(arguments.corpora):
            key, first, second = corpus(generator, documents)
            changes = score_spans(key, first, against=second).changes
            assert changes is not None
            rejected += [difference.p <= LEVEL for difference in changes.differences]
        strict, lenient = 100 * rejected / arguments.corpora
        print(f"{documents:9}  {strict:6.1f}  {lenient:7.1f}", flush=True)


if __name__ == "__main__":
    main()
