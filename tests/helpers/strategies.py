"""What the property tests draw: partitions, documents, files."""

import random

from hypothesis import settings
from hypothesis import strategies as st

import generator
from generator import cells_of


def examples(times):
    """Settings with so many times the examples of the profile, for properties that are quick, or of
    which more can be said."""
    return settings(max_examples=round(times * settings.default.max_examples))


# Partitions
# --------------------------------------------------------------------------------------------------


def grouped(labelled):
    """Clusters of mentions from pairs (mention, label), in the order in which labels come."""
    clusters = {}
    for mention, label in labelled:
        clusters.setdefault(label, []).append(mention)
    return list(clusters.values())


def partitions(mentions=12, clusters=5):
    """Mentions are integers, each in one cluster.

    Half of the draws are skewed: one cluster takes most mentions.
    """
    return drawn(_partition, mentions, clusters)


def _partition(draw, mentions, clusters):
    labels = list(range(1, clusters + 1))
    if draw.random() < 0.5:
        labels = [1] * 3 * clusters + labels[1:]
    some = draw.sample(range(mentions), draw.randint(0, mentions))
    return grouped([(mention, draw.choice(labels)) for mention in some])


def repeating(mentions=7, clusters=5):
    """Clusters in which a mention may come again, in the same cluster or in another.

    Clusters may be empty.
    """
    return drawn(_repeating, mentions, clusters)


def _repeating(draw, mentions, clusters):
    return [
        [draw.randrange(mentions) for _ in range(draw.randint(0, 5))]
        for _ in range(draw.randint(0, clusters))
    ]


def pairs(partition):
    """A key and a response."""
    return st.tuples(partition, partition)


# Files
# --------------------------------------------------------------------------------------------------


def drawn(function, *arguments):
    """What a function of `generator.py` draws.

    Mostly from a seed, as that takes a tenth of the time; else hypothesis makes each choice: it
    finds what is extreme, and shrinks.
    """
    of_seed = st.integers(0, 2**64 - 1).map(lambda seed: function(random.Random(seed), *arguments))
    of_choices = st.randoms(use_true_random=False).map(lambda draw: function(draw, *arguments))
    return st.integers(0, 4).flatmap(lambda which: of_seed if which else of_choices)


def files():
    """Any number of documents, well formed or not, between lines that look like their borders."""
    return drawn(generator.file)


def corpora():
    """The bytes of a key and of a response of mostly the same documents, small enough to shrink
    well."""
    return drawn(generator.conll_pair, [1, 2, 4, 7])


def write(documents, *, end=b"\n"):
    """A TAB file of documents: by name, their clusters, whose mentions are token numbers."""
    lines = []
    for name, clusters in documents.items():
        spans = [[(mention, mention) for mention in cluster] for cluster in clusters]
        tokens = 1 + max((mention for cluster in clusters for mention in cluster), default=0)
        lines.append(b"#begin document %s" % name.encode("utf-8", "surrogateescape"))
        lines += [
            b"w%d\t%s" % (token, b"".join(cell) or b"-")
            for token, cell in enumerate(cells_of(spans, tokens))
        ]
        lines.append(b"#end document")
    return b"".join(line + end for line in lines)
