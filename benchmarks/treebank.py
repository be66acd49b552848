"""Writes a CorefUD file of any size whose lines are like those of published ones, for measuring.

    python benchmarks/treebank.py FILE [--documents D] [--words W] [--seed S]

FILE holds D documents of about W words each, a declaration in each, in sentences of about 20: ten
columns, most of them filled, a multi-word token in every third sentence, an empty node in every
sixth. About every fourth word starts or ends a mention, one in thirty of which has a gap.
"""

from __future__ import annotations

import argparse
import os
import random
import re

FEATURES = [
    "_", "_", "Definite=Def|PronType=Art", "Number=Sing", "Number=Plur",
    "Mood=Ind|Number=Sing|Person=3|Tense=Past|VerbForm=Fin",
    "Case=Nom|Gender=Fem|Number=Sing|Person=3|PronType=Prs", "Degree=Pos",
    "Animacy=Inan|Case=Gen|Gender=Masc|Number=Plur",
]  # fmt: skip
TAGS = ["NOUN", "VERB", "DET", "ADP", "ADJ", "PRON", "ADV", "PROPN", "PUNCT", "AUX"]
RELATIONS = ["nsubj", "obj", "obl", "nmod", "case", "det", "amod", "advmod", "conj", "punct"]
TYPES = ["person", "place", "organization", "event", "abstract", "time"]
MENTIONS = 170
"""About how many there are in 1000 words."""
KEPT = ["_", "_", "_", "SpaceAfter=No"]
"""What stands beside a word that no mention starts or ends at."""


class Treebank:
    """A writer of documents; the same `seed`, the same documents."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def document(self, name: str, words: int, prefix: str) -> str:
        """The lines of one document; `prefix` begins the ids of its entities."""
        lines = [f"# newdoc id = {name}", "# global.Entity = eid-etype-head-infstat"]
        entities = 1
        for sentence in range(-(-words // 20)):
            size = self._random.randrange(12, 29)
            lines += [
                f"# sent_id = {name}-{sentence + 1}",
                f"# text = {' '.join(f'word{at}' for at in range(size))}",
            ]
            brackets, entities = self._brackets(size, prefix, entities)
            lines += self._sentence(size, brackets)
            lines.append("")
        return "\n".join(lines) + "\n"

    def _brackets(self, size: int, prefix: str, entities: int) -> tuple[dict[float, str], int]:
        """What stands in `Entity=` by word, and how many entities there are by now."""
        starts: dict[float, list[tuple[int, str]]] = {}
        ends: dict[float, list[tuple[int, str]]] = {}
        taken: set[int] = set()
        for _ in range(round(size * 0.17)):
            first = self._random.randrange(size)
            last = min(size - 1, first + max(0, self._random.choice([0, 0, 0, 1, 1, 2, 3, 7])))
            number = self._random.randrange(entities)
            if self._random.random() < 0.3 or not number:
                number = entities
                entities += 1
            entity = f"{prefix}{number}"
            attributes = (
                f"{TYPES[number % len(TYPES)]}-{self._random.randrange(1, last - first + 2)}-new"
            )
            # An entity stands once in a sentence, so that none of its mentions cross.
            if number in taken:
                continue
            taken.add(number)
            if last - first > 2 and self._random.random() < 0.12:
                attributes = f"{TYPES[number % len(TYPES)]}-1-new"
                starts.setdefault(first, []).append((-first, f"({entity}[1/2]-{attributes})"))
                starts.setdefault(first + 2, []).append((-last, f"({entity}[2/2]-{attributes}"))
                ends.setdefault(last, []).append((-first, f"{entity}[2/2])"))
            elif first == last:
                starts.setdefault(first, []).append((-first, f"({entity}-{attributes})"))
            else:
                starts.setdefault(first, []).append((-last, f"({entity}-{attributes}"))
                ends.setdefault(last, []).append((-first, f"{entity})"))
        found: dict[float, str] = {}
        for at in {**starts, **ends}:
            found[at] = "".join(
                text for _, text in [*sorted(ends.get(at, [])), *sorted(starts.get(at, []))]
            )
        if self._random.random() < 0.17:
            number = self._random.randrange(1, max(entities, 2))
            found[self._random.randrange(1, size) + 0.5] = (
                f"({prefix}{number}-{TYPES[number % len(TYPES)]}-1-new)"
            )
        return found, entities

    def _sentence(self, size: int, brackets: dict[float, str]) -> list[str]:
        lines: list[str] = []
        joined = self._random.randrange(1, size) if self._random.random() < 0.33 else 0
        # A tree: each word depends on one that comes before it in a random order.
        order = self._random.sample(range(size), size)
        heads = {
            at: order[self._random.randrange(max(0, place - 4), place)] + 1 if place else 0
            for place, at in enumerate(order)
        }
        for at in range(size):
            if at + 1 == joined:
                lines.append(f"{joined}-{joined + 1}\tword{at}\t" + "\t".join("_" * 8))
            head = heads[at]
            relation = self._random.choice(RELATIONS) if head else "root"
            tag = self._random.choice(TAGS)
            misc = self._random.choice(KEPT)
            if at in brackets:
                misc = f"Entity={brackets[at]}" + ("|SpaceAfter=No" if misc != "_" else "")
            form = f"word{self._random.randrange(5000)}"
            columns = (
                form,
                form,
                tag,
                tag[:2],
                self._random.choice(FEATURES),
                str(head),
                relation,
                f"{head}:{relation}",
                misc,
            )
            lines.append(f"{at + 1}\t" + "\t".join(columns))
            if at + 0.5 in brackets:
                lines.append(
                    f"{at + 1}.1\t_\t_\tPRON\t_\t_\t_\t_\t{head}:{relation}\t"
                    f"Entity={brackets[at + 0.5]}"
                )
        return lines


def write(path: str, *, documents: int, words: int, seed: int = 1) -> None:
    """Write the file."""
    treebank = Treebank(seed)
    with open(path, "w", encoding="utf-8") as file:
        # Entities of two documents have different ids, as udapi wants it.
        file.writelines(
            treebank.document(f"made-{number}", words, f"d{number}e") for number in range(documents)
        )


def respond(key: str, target: str, *, share: float, seed: int) -> None:
    """Write a response: without a share of the mentions of one word, the others numbered."""
    random_ = random.Random(seed)
    with open(key, encoding="utf-8") as file, open(target, "w", encoding="utf-8") as response:
        for line in file:
            before, tab, misc = line.rstrip("\n").rpartition("\t")
            left = re.sub(
                r"\([^][()|-]+-\w+-1-new\)",
                lambda found: "" if random_.random() < share else found[0],
                misc,
            )
            scored = re.sub(r"-new\b", lambda _: f"-{random_.random():.3f}", left)
            misc = "|".join(attribute for attribute in scored.split("|") if attribute != "Entity=")
            response.write(f"{before}{tab}{misc or '_' * len(tab)}\n")


def main() -> None:
    """Write the file that the arguments ask for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("file")
    parser.add_argument("--documents", type=int, default=100)
    parser.add_argument("--words", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    write(arguments.file, documents=arguments.documents, words=arguments.words, seed=arguments.seed)
    print(arguments.file, os.path.getsize(arguments.file))


if __name__ == "__main__":
    main()
