"""What the property tests draw: partitions, documents, files. And the writer whose files the reader must read."""

from hypothesis import strategies as st

import generator
from generator import cells_of

# Partitions ----------------------------------------------------------------------------------------------------------


def grouped(labelled):
    """Clusters of mentions from pairs (mention, label), in the order in which labels come."""
    clusters = {}
    for mention, label in labelled:
        clusters.setdefault(label, []).append(mention)
    return list(clusters.values())


def partitions(mentions=12, clusters=5):
    """Mentions are integers, each in one cluster. Half of the draws are skewed: one cluster takes most mentions."""
    mention = st.integers(0, mentions - 1)
    even = st.integers(1, clusters)
    skewed = st.sampled_from([1] * 3 * clusters + list(range(2, clusters + 1)))

    def partition(label):
        return st.lists(st.tuples(mention, label), unique_by=lambda pair: pair[0], max_size=mentions).map(grouped)

    return partition(even) | partition(skewed)


def repeating(mentions=7, clusters=5):
    """Clusters in which a mention may come again, in the same cluster or in another; clusters may be empty."""
    return st.lists(st.lists(st.integers(0, mentions - 1), max_size=5), max_size=clusters)


def pairs(partition):
    """A key and a response."""
    return st.tuples(partition, partition)


# Files ---------------------------------------------------------------------------------------------------------------


def drawn(function, *arguments):
    """What a function of `generator.py` draws; hypothesis shrinks it, as it hands in the `random.Random`."""
    return st.randoms(use_true_random=False).map(lambda draw: function(draw, *arguments))


def files():
    """Any number of documents, well formed or not, between lines that look like their borders."""
    return drawn(generator.file)


def written():
    """A document's name, clusters and number of tokens, and the bytes of a file that holds it, in any way files are written."""
    return drawn(generator.written)


def corpora():
    """The bytes of a key and of a response of mostly the same documents, small enough to shrink well."""
    return drawn(generator.conll_pair, [1, 2, 4, 7])


def write(documents, *, end=b"\n"):
    """A TAB file of documents: by name, their clusters, whose mentions are token numbers."""
    lines = []
    for name, clusters in documents.items():
        spans = [[(mention, mention) for mention in cluster] for cluster in clusters]
        tokens = 1 + max((mention for cluster in clusters for mention in cluster), default=0)
        lines.append(b"#begin document %s" % name.encode("utf-8", "surrogateescape"))
        lines += [b"w%d\t%s" % (token, b"".join(cell) or b"-") for token, cell in enumerate(cells_of(spans, tokens))]
        lines.append(b"#end document")
    return b"".join(line + end for line in lines)
