"""What the property tests draw: partitions, documents, files.

And the writer whose files the reader must read.
"""

import random

from hypothesis import settings
from hypothesis import strategies as st

import generator
from generator import cells_of


def examples(times):
    """Settings with so many times the examples of the profile, for properties that are quick, or of which more can be said."""
    return settings(max_examples=round(times * settings.default.max_examples))


# Partitions
# ----------------------------------------------------------------------------------------------------------


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
# ---------------------------------------------------------------------------------------------------------------


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
        lines += [
            b"w%d\t%s" % (token, b"".join(cell) or b"-")
            for token, cell in enumerate(cells_of(spans, tokens))
        ]
        lines.append(b"#end document")
    return b"".join(line + end for line in lines)


# CorefUD
# -------------------------------------------------------------------------------------------------------------


def corefud_pairs():
    """A key and a response as CorefUD text: the same documents and words, and all else drawn apart for each side.

    Empty nodes and their dependencies, spans, mentions with gaps, heads and repeats differ.
    Mentions of one entity never cross, as brackets cannot tell them; those of two entities may.
    """
    return drawn(_corefud_pair)


def _corefud_pair(draw):
    documents = [
        [draw.randint(1, 5) for _ in range(draw.randint(1, 3))] for _ in range(draw.randint(1, 2))
    ]
    return tuple(
        "".join(
            _corefud_document(draw, name, sentences) for name, sentences in enumerate(documents)
        )
        for _ in range(2)
    )


def _corefud_document(draw, name, sentences):
    places = [(s, place) for s, words in enumerate(sentences) for place in range(words + 1)]
    # Two sides drawn from few places, so that they often have the same empty nodes, and often not.
    empty = [draw.choice(places) for _ in range(draw.randint(0, 6))]
    nodes = []
    for s, place in places:
        nodes += [(s, str(place))] if place else []
        nodes += [(s, f"{place}.{number + 1}") for number in range(empty.count((s, place)))]
    cells = _entity_cells(
        nodes,
        _entities(draw, len(nodes), [at for at, (_, ident) in enumerate(nodes) if "." in ident]),
    )
    lines = [
        "# global.Entity = eid-etype-head-other\n" if not name else "",
        f"# newdoc id = doc{name}\n",
    ]
    for s in range(len(sentences)):
        lines.append(f"# sent_id = {name}-{s}\n")
        parents = [*(ident for sentence, ident in nodes if sentence == s), "0"]
        for (sentence, ident), cell in zip(nodes, cells):
            if sentence != s:
                continue
            head = "_" if "." in ident else "0" if ident == "1" else "1"
            dependencies = "_"
            if "." in ident:
                parts = [
                    (draw.choice(parents), draw.choice(["nsubj", "nsubj:pass", "obj"]))
                    for _ in range(draw.choice([0, *[1] * 9, *[2] * 9]))
                ]
                dependencies = (
                    "|".join(f"{parent}:{'root' if parent == '0' else of}" for parent, of in parts)
                    or "_"
                )
            entity = f"Entity={cell}" if cell else "_"
            lines.append(
                f"{ident}\tw{ident}\t_\t_\t_\t_\t{head}\t{'_' if head == '_' else 'dep'}\t{dependencies}\t{entity}\n"
            )
        lines.append("\n")
    return "".join(lines)


def _entities(draw, nodes, empty):
    """Mentions by entity, half of them of one empty node if there are any `empty`.

    A mention is (parts, head): parts are (first, last) nodes with gaps between, the head is a place
    among their nodes.
    """
    entities = [[] for _ in range(draw.randint(1, 3))]
    for _ in range(draw.randint(0, 9)):
        number = draw.randrange(len(entities))
        alone = empty and draw.random() < 0.5
        first, length = (
            (draw.choice(empty), 0)
            if alone
            else (draw.randrange(nodes), draw.choice([0, 0, 1, 2, 4]))
        )
        gap, head = draw.random() < 0.5, draw.randint(0, 9)
        last = min(first + length, nodes - 1)
        parts = [(first, first), (last, last)] if gap and last > first + 1 else [(first, last)]
        mentions = entities[number]
        others = [part for parts, _ in mentions for part in parts]
        # Of mentions with gaps one entity has one; what crosses itself cannot be written.
        if len(parts) > 1 and (
            any(len(other) > 1 for other, _ in mentions)
            or any(first <= b and a <= last for a, b in others)
        ):
            continue
        gaps = [(other[0][0], other[-1][1]) for other, _ in mentions if len(other) > 1]
        if any(a <= last and first <= b for a, b in gaps) or not all(
            _nested((first, last), other) for other in others
        ):
            continue
        size = sum(b - a + 1 for a, b in parts)
        mentions.append((parts, head % size))
    return entities


def _nested(one, other):
    (a, b), (c, d) = one, other
    return b < c or d < a or (a <= c and d <= b) or (c <= a and b <= d)


def _entity_cells(nodes, entities):
    """The brackets of each node: ends, then starts, the longest first.

    So equal mentions start in the order of their list.
    """
    starts, ends = [[] for _ in nodes], [[] for _ in nodes]
    for number, mentions in enumerate(entities):
        for parts, head in mentions:
            for part, (first, last) in enumerate(parts, 1):
                label = f"e{number}" + (f"[{part}/{len(parts)}]" if len(parts) > 1 else "")
                # The last part tells the head.
                number_of_head = head + 1 if part == len(parts) else 1
                starts[first].append((-last, f"({label}--{number_of_head}" + ")" * (first == last)))
                if first < last:
                    ends[last].append(f"{label})")
    return [
        "".join(closing) + "".join(text for _, text in sorted(opening, key=lambda one: one[0]))
        for opening, closing in zip(starts, ends)
    ]
