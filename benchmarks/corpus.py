"""Writes a key and a response of any size, for measuring.

    python benchmarks/corpus.py PREFIX --documents D --mentions M [--spaces] [--layers] [--seed S]

PREFIX.key.conll and PREFIX.response.conll hold D documents of M key mentions each, in chains of
skewed length; the response moves, drops and invents about one mention in twelve each, and cuts and
joins clusters. --spaces writes twelve columns separated by spaces. --layers fills the columns
beside: parts of speech, speakers, a number from 0 to 1 for each word (as its sense), and about M
names.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import subprocess
import sys

Span = tuple[int, int]


def partition(random_: random.Random, spans: list[Span]) -> list[list[Span]]:
    """Deal spans to clusters: one in four starts a new one, others prefer recent ones."""
    clusters: list[list[Span]] = []
    for span in spans:
        if not clusters or random_.random() < 0.25:
            clusters.append([span])
        else:
            clusters[-1 - int(min(len(clusters), 300) * random_.random() ** 3)].append(span)
    return clusters


def distort(random_: random.Random, clusters: list[list[Span]], tokens: int) -> list[list[Span]]:
    """A response to these clusters, in which no mention occurs twice."""
    # Mentions of one cluster that cross are read as others, which could be there already if two
    # mentions began on the same token.
    starts: set[int] = set()
    response: list[list[Span]] = []
    for cluster in clusters:
        kept: list[Span] = []
        for start, end in cluster:
            roll = random_.random()
            span = (start, min(end + 1, tokens - 1)) if roll < 0.08 else (start, end)
            if 0.08 <= roll < 0.16:
                span = (random_.randrange(tokens),) * 2
            if roll < 0.92 and span[0] not in starts:
                starts.add(span[0])
                kept.append(span)
        if not kept:
            continue
        roll = random_.random()
        if roll < 0.1 and len(kept) > 1:
            cut = random_.randrange(1, len(kept))
            response += [kept[:cut], kept[cut:]]
        elif roll < 0.15 and response:
            response[-1] += kept
        else:
            response.append(kept)
    return response


def cells_of(clusters: list[list[Span]], tokens: int) -> list[str]:
    """The coreference column."""
    pieces: list[list[tuple[int, int, str]]] = [[] for _ in range(tokens)]
    for number, cluster in enumerate(clusters):
        for start, end in cluster:
            if start == end:
                pieces[start].append((1, 0, f"({number})"))
            else:
                pieces[start].append((2, -end, f"({number}"))
                pieces[end].append((0, -start, f"{number})"))
    return ["|".join(text for _, _, text in sorted(here)) or "-" for here in pieces]


TAGS = ("NN", "NNP", "PRP", "VBD", "DT", "IN", ",", ".")
LABELS = ("PERSON", "ORG", "GPE", "DATE", "WORK_OF_ART")
Layers = list[tuple[str, str, str, str]]
"""Of each token its part of speech, its number, its speaker and its names."""


def layers_of(random_: random.Random, tokens: int, names: int) -> tuple[Layers, Layers]:
    """Those of the key and of the response, which changes one name in six."""
    tags = [random_.choice(TAGS) for _ in range(tokens)]
    numbers = [f"{random_.random():.3f}" for _ in range(tokens)]
    speakers = [f"Speaker#{at // 40 % 7}" for at in range(tokens)]
    columns = ["*"] * tokens, ["*"] * tokens
    token = 0
    for _ in range(names):
        token += random_.randrange(1, 4)
        end = token + random_.randrange(2)
        if end + 1 >= tokens:
            break
        label, roll = random_.choice(LABELS), random_.random()
        other = random_.choice(LABELS) if roll < 0.08 else label
        for column, last, named in (
            (columns[0], end, label),
            (columns[1], token if roll > 0.92 else end, other),
        ):
            column[token] = f"({named})" if last == token else f"({named}*"
            column[last] = column[last] if last == token else "*)"
        token = end
    key, response = (list(zip(tags, numbers, speakers, column)) for column in columns)
    return key, response


def write(
    prefix: str,
    *,
    documents: int,
    mentions: int,
    spaces: bool = False,
    layers: bool = False,
    seed: int = 1,
) -> tuple[str, str]:
    """Write both files; their paths."""
    random_ = random.Random(seed)
    beside = random.Random(seed + 1)
    paths = f"{prefix}.key.conll", f"{prefix}.response.conll"
    separator = "   " if spaces else "\t"
    with open(paths[0], "w") as key, open(paths[1], "w") as response:
        for number in range(documents):
            name = f"bc/made/{number // 100:04d}/made_{number:06d}"
            spans: list[Span] = []
            token = 0
            for _ in range(mentions):
                token += random_.randrange(1, 6)
                spans.append((token, token + max(0, random_.randrange(-2, 3))))
            tokens = token + 10
            clusters = partition(random_, spans)
            plain = [("NN", "-", "Speaker#1", "*")] * tokens
            said = layers_of(beside, tokens, mentions) if layers else (plain, plain)
            for file, side, own in (
                (key, clusters, said[0]),
                (response, distort(random_, clusters, tokens), said[1]),
            ):
                file.write(f"#begin document ({name}); part 000\n")
                for at, (cell, (tag, number_, speaker, names)) in enumerate(
                    zip(cells_of(side, tokens), own)
                ):
                    word = f"word{at % 991}"
                    columns = (
                        name,
                        "0",
                        str(at % 20),
                        word,
                        tag,
                        "(NP*)",
                        "-",
                        "-",
                        number_,
                        speaker,
                        names,
                        cell,
                    )
                    file.write(separator.join(columns) + ("\n\n" if at % 20 == 19 else "\n"))
                file.write("#end document\n")
    return paths


def write_apart(
    prefix: str, *, documents: int, mentions: int, spaces: bool = False, layers: bool = False
) -> tuple[str, str]:
    """Do the same in another process.

    What a process once held counts as the memory of those that it starts.
    """
    options = [
        "--documents",
        str(documents),
        "--mentions",
        str(mentions),
        *["--spaces"] * spaces,
        *["--layers"] * layers,
    ]
    subprocess.run(
        [sys.executable, __file__, prefix, *options], check=True, stdout=subprocess.DEVNULL
    )
    return f"{prefix}.key.conll", f"{prefix}.response.conll"


def damage(response: str, target: str, seed: int) -> None:
    """Write a worse response: without a share of the mentions of one token.

    The share is up to a fifth, and grows with the seed.
    """
    random_ = random.Random(seed)
    share = 0.2 * (seed % 100) / 100
    with open(response, "rb") as file, open(target, "wb") as worse:
        worse.write(
            re.sub(
                rb"\t\(\d+\)\n",
                lambda found: b"\t-\n" if random_.random() < share else found[0],
                file.read(),
            )
        )


def main() -> None:
    """Write the files that the arguments ask for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("prefix")
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--mentions", type=int, default=300)
    parser.add_argument("--spaces", action="store_true")
    parser.add_argument("--layers", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    for path in write(
        arguments.prefix,
        documents=arguments.documents,
        mentions=arguments.mentions,
        spaces=arguments.spaces,
        layers=arguments.layers,
        seed=arguments.seed,
    ):
        print(path, os.path.getsize(path))


if __name__ == "__main__":
    main()
