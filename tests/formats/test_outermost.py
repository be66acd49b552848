"""Heads that follow from dependencies: those of the definition, in few steps."""

import io
from itertools import combinations, combinations_with_replacement
from random import Random

import pytest

from conll import open_documents
from conll.formats.corefud import Outermost


def opened(sentences):
    """The nodes of a document: of each sentence the ids and the heads of its words and empty nodes."""
    lines = []
    for sentence in sentences:
        for ident, head in sentence:
            columns = f"_\t_\t{head}:x|0:y" if "." in ident else f"{head}\t_\t_"
            lines.append(f"{ident}\tw\t_\t_\t_\t_\t{columns}\t_\n")
        lines.append("\n")
    text = f"# newdoc id = a\n# global.Entity = eid\n{''.join(lines)}"
    return open_documents(io.BytesIO(text.encode()), "corefud").document("a").syntax.nodes


def drawn(draw):
    """One sentence or two, whose nodes hang on nodes of theirs, on the root, or on what is not there."""
    sentences = []
    for _ in range(draw.randint(1, 2)):
        idents = [
            ident
            for word in range(1, draw.randint(2, 6))
            for ident in (str(word), f"{word}.1")[: draw.randint(1, 2)]
        ]
        sentences.append([(ident, draw.choice([*idents, *idents, "0", "9"])) for ident in idents])
    return sentences


@pytest.mark.parametrize("seed", range(20))
def test_the_head_is_the_first_node_that_hangs_on_none_of_the_mention(seed):
    sentences = drawn(Random(seed))
    places = [(number, ident) for number, sentence in enumerate(sentences) for ident, _ in sentence]
    heads = [(number, head) for number, sentence in enumerate(sentences) for _, head in sentence]
    outermost = Outermost(opened(sentences))
    whole = [[edges] for edges in combinations_with_replacement(range(len(places)), 2)]
    in_two = [[edges[:2], edges[2:]] for edges in combinations(range(len(places)), 4)]
    single = [
        [(first, first), (second, second)] for first, second in combinations(range(len(places)), 2)
    ]
    for parts in [*whole, *in_two, *single]:
        inside = [node for first, last in parts for node in range(first, last + 1)]
        expected = next(
            (node for node in inside if heads[node] not in [places[other] for other in inside]),
            inside[0],
        )
        assert outermost.of(parts) == expected


def test_steps_grow_with_the_logarithm():
    """Each word hangs on the next, and so only the last of a mention on one outside of it."""
    words = 1 << 10
    outermost = Outermost(opened([[(str(word), word + 1) for word in range(1, words + 1)]]))
    looked = []

    class Levels(list):
        def __getitem__(self, level):
            looked.append(level)
            return super().__getitem__(level)

    outermost._levels = Levels(outermost._levels)
    assert len(outermost._levels) == 11
    for first in (0, 1, 2, 3, 511, 512, 513, 700):
        for last in (800, 1022, 1023):
            looked.clear()
            assert outermost.of([(first, last)]) == last
            assert len(looked) <= 4 * 10
