"""The CorefUD scorer 1.2 once more: literally, slowly, and straight from what its measured runs
show.

Nothing here is shared with the code under test: this module reads files by itself, and a token is a
tuple (sentence, id). What docs/guides/corefud.md says in words stands here step by step.
"""

import re
from itertools import combinations

import numpy as np
from scipy.optimize import linear_sum_assignment


class Mention:
    """A mention: its tokens, its head; `heads` says whether equality looks at the head."""

    def __init__(self, tokens, head, heads):
        self.tokens = tokens
        self.head = head
        self.equal = (tuple(tokens), head) if heads else tuple(tokens)

    def __eq__(self, other):
        return self.equal == other.equal

    def __hash__(self):
        return hash(self.equal)

    @property
    def order(self):
        return self.tokens[0], self.tokens[-1], len(self.tokens)

    @property
    def is_zero(self):
        return self.head[2] > 0


def place_of(sentence, ident):
    word, _, number = ident.partition(".")
    return sentence, int(word), int(number or 0)


def documents_of(text, heads):
    """By document: the clusters, and for each empty node the pairs of its parents' places and
    relations.

    Where a mention is in several clusters, these come in udapi's order of the whole file.
    """
    found = {}
    attributes = []
    sentence = 0
    name = None
    for block in text.split("\n\n"):
        nodes = []
        for line in block.splitlines():
            if line.startswith("# global.Entity"):
                attributes = line.partition("=")[2].strip().split("-")
            elif line.startswith("# newdoc"):
                name = line.partition("=")[2].strip() or len(found) + 1
                found[name] = {"clusters": {}, "parents": {}, "open": {}, "parts": {}, "nodes": []}
                sentence = 0
            elif line and line[0] != "#":
                nodes.append(line.split("\t"))
        document = found.get(name)
        for columns in nodes:
            if "-" in columns[0]:
                continue
            token = place_of(sentence, columns[0])
            document["nodes"].append(token)
            if token[2]:
                pairs = [one.partition(":") for one in columns[8].split("|") if one != "_"]
                document["parents"][token] = {
                    (place_of(sentence, parent), relation) for parent, _, relation in pairs
                }
            for misc in columns[9].split("|"):
                if misc.startswith("Entity="):
                    brackets_of(misc.removeprefix("Entity="), document, attributes, heads)
        sentence += bool(nodes)
    first = {}
    for number, document in enumerate(found.values()):
        for entity, cluster in document["clusters"].items():
            tokens = min(
                (mention.tokens for mention in cluster),
                key=lambda tokens: (tokens[0], -len(tokens), tokens[-1]),
            )
            first.setdefault(entity, (number, tokens[0], -len(tokens), tokens[-1], entity))
    for document in found.values():
        clusters = document["clusters"]
        if len({mention for cluster in clusters.values() for mention in cluster}) < sum(
            len({*c}) for c in clusters.values()
        ):
            document["clusters"] = {
                entity: clusters[entity] for entity in sorted(clusters, key=first.get)
            }
    return {
        name: ([*document["clusters"].values()], document["parents"])
        for name, document in found.items()
    }


def brackets_of(text, document, attributes, heads):
    """Mentions stand in their cluster in the order in which they start."""
    nodes = document["nodes"]
    for start, closed, end in re.findall(r"\(([^()]*)(\)?)|([^()]+)\)", text):
        values = dict(zip(attributes, start.split("-", len(attributes) - 1)))
        label = values["eid"] if start else end
        entity, _, part = label.partition("[")
        number, count = map(int, part.rstrip("]").split("/")) if part else (1, 1)
        cluster = document["clusters"].setdefault(entity, [])
        if start:
            if number == 1:
                cluster.append(None)
                begun = {"slot": len(cluster) - 1, "head": values.get("head"), "tokens": []}
            else:
                begun = document["parts"].pop((entity, count, number - 1))
                begun["head"] = values.get("head") or begun["head"]
            document["open"].setdefault(label, []).append((len(nodes) - 1, begun))
        if closed or end:
            first, begun = document["open"][label].pop()
            begun["tokens"] += nodes[first:]
            if number < count:
                document["parts"][entity, count, number] = begun
            else:
                tokens = begun["tokens"]
                cluster[begun["slot"]] = Mention(
                    tokens, tokens[int(begun["head"] or 1) - 1 if len(tokens) > 1 else 0], heads
                )


def prepared(clusters, keep_singletons):
    """The clusters without mentions that repeat an equal one, and perhaps without singletons."""
    once = [list(dict.fromkeys(cluster)) for cluster in clusters]
    return [cluster for cluster in once if len(cluster) > (0 if keep_singletons else 1)]


def f1_of(one, other):
    """ZeroDivisionError where either is empty, as in the program."""
    precision, recall = len(one & other) / len(other), len(one & other) / len(one)
    return 2 * precision * recall / (precision + recall) if precision else 0.0


def assigned(keys, responses, worth):
    """The pairs that scipy's assignment takes on the matrix of worths, without those worth 0."""
    if not keys or not responses:
        return []
    matrix = np.array([[worth(key, response) for response in responses] for key in keys])
    rows, columns = linear_sum_assignment(-matrix)
    return [(keys[i], responses[j]) for i, j in zip(rows, columns) if matrix[i, j] > 0]


def in_order(mentions):
    return sorted(mentions, key=lambda mention: mention.order)


def matched(key, response, match, zeros, parents):
    """The pairs of mentions, equal ones and others."""
    keys = in_order(dict.fromkeys(mention for cluster in key for mention in cluster))
    responses = in_order(dict.fromkeys(mention for cluster in response for mention in cluster))
    pairs = []

    def take(more):
        pairs.extend(more)
        for one, other in more:
            keys.remove(one)
            responses.remove(other)

    if zeros == "dependent":

        def worth(one, other):
            if one.head[0] != other.head[0]:
                return 0.0
            relations = parents[0].get(one.head, set()), parents[1].get(other.head, set())
            places = [{place for place, _ in side} for side in relations]
            return 10 * f1_of(*relations) + f1_of(*places)

        take(assigned([m for m in keys if m.is_zero], [m for m in responses if m.is_zero], worth))
    take([(one, other) for one in keys for other in responses if one == other])
    if match == "head":

        def worth(one, other):
            return (
                len(set(one.tokens) & set(other.tokens)) / len(one.tokens)
                if one.head == other.head
                else 0.0
            )
    elif match == "partial":

        def worth(one, other):
            inside = set(other.tokens) <= set(one.tokens) and one.head in other.tokens
            return len(other.tokens) / len(one.tokens) if inside else 0.0

    if match != "exact":
        take(assigned(keys, responses, worth))
    return pairs


def table_of(pairs):
    """The one table of partners: key mentions first, then response mentions.

    Equal pairs need none.
    """
    unlike = [(one, other) for one, other in pairs if one != other]
    return dict([*unlike, *((other, one) for one, other in unlike)])


def looked_up(key, response, table):
    """For either side: for each cluster where its mentions, or their partners, stand on the other
    side; and the sizes there."""
    owners = [
        {mention: n for n, cluster in enumerate(side) for mention in cluster}
        for side in (key, response)
    ]
    return [
        (
            [[owner.get(table.get(mention, mention)) for mention in c] for c in side],
            list(map(len, other)),
        )
        for side, other, owner in ((key, response, owners[1]), (response, key, owners[0]))
    ]


def muc(found, _):
    parts = [len({*places} - {None}) + places.count(None) for places in found]
    sizes = list(map(len, found))
    return sum(sizes) - sum(parts), sum(sizes) - len(sizes)


def bcub(found, _):
    squares = [
        sum(places.count(place) ** 2 for place in {*places} - {None}) / len(places)
        for places in found
    ]
    return sum(squares), sum(map(len, found))


def lea(found, sizes):
    numerator = 0.0
    for places in found:
        if len(places) == 1:
            numerator += places[0] is not None and sizes[places[0]] == 1
        else:
            links = [one is not None and one == other for one, other in combinations(places, 2)]
            numerator += len(places) * sum(links) / len(links)
    return numerator, sum(map(len, found))


def ceaf(key, response, table, phi, sizes):
    """A mention counts in every response cluster that holds it."""
    common = 0
    if key and response:
        partners = [[table.get(mention, mention) for mention in cluster] for cluster in key]
        matrix = np.array(
            [
                [phi(sum(m in two for m in one), len(one), len(two)) for two in response]
                for one in partners
            ]
        )
        common = matrix[linear_sum_assignment(-matrix)].sum()
    return [(common, sizes(key), common, sizes(response))]


def blanc(found, sizes):
    """Links of occurrences; those in common are links of the key, looked up in the response."""
    places = [(n, place) for n, cluster in enumerate(found) for place in cluster]
    pairs = [(k[0] == r[0], k[1], r[1]) for k, r in combinations(places, 2)]
    within = sum(size * (size - 1) // 2 for size in sizes)
    parts = []
    for together, links in ((True, within), (False, sum(sizes) * (sum(sizes) - 1) // 2 - within)):
        own = [pair[1:] for pair in pairs if pair[0] == together]
        common = sum(None not in pair and (pair[0] == pair[1]) == together for pair in own)
        parts.append((common, len(own), common, links))
    return parts


def mor(key, response):
    keys, responses = (
        [set(m.tokens) for cluster in side for m in cluster] for side in (key, response)
    )
    common = 0
    if keys and responses:
        matrix = np.array([[len(one & other) for other in responses] for one in keys])
        common = int(matrix[linear_sum_assignment(-matrix)].sum())
    return [(common, sum(map(len, keys)), common, sum(map(len, responses)))]


def zero(key, response, table):
    ranked = [[in_order(cluster) for cluster in side] for side in (key, response)]
    owner = {mention: n for n, cluster in enumerate(ranked[1]) for mention in cluster}

    def counterpart(mention):
        if mention in owner:
            return mention
        partner = table.get(mention)
        return partner if partner in owner else None

    true = missed = wrong = 0
    firsts = {cluster[0] for cluster in ranked[1]}
    asked = set()
    for cluster in ranked[0]:
        for place, mention in enumerate(cluster):
            if not place or not mention.is_zero:
                continue
            other = counterpart(mention)
            asked.add(other)
            if other is None or other in firsts:
                missed += 1
                continue
            before = [counterpart(one) for one in cluster[:place]]
            if any(one is not None and owner[one] == owner[other] for one in before):
                true += 1
            else:
                wrong += 1
    false = sum(
        m.is_zero and m not in firsts and m not in asked for cluster in ranked[1] for m in cluster
    )
    return [(true, true + missed + wrong, true, true + false + wrong)]


def count_all(key, response, table):
    """The counts of every metric: a row for each part."""
    sides = looked_up(key, response, table)
    recall_and_precision = {
        name: [tuple(value for side in sides for value in metric(*side))]
        for name, metric in (("muc", muc), ("bcub", bcub), ("lea", lea))
    }
    return recall_and_precision | {
        "ceafm": ceaf(key, response, table, lambda n, *_: n, lambda side: sum(map(len, side))),
        "ceafe": ceaf(key, response, table, lambda n, k, r: 2 * n / (k + r), len),
        "blanc": blanc(*sides[0]),
        "mor": mor(key, response),
        "zero": zero(key, response, table),
    }


def counts(key, response, match, keep_singletons, zeros):
    """The counts of every metric of two files, summed over the documents of the key."""
    sides = documents_of(key, match == "head"), documents_of(response, match == "head")
    totals = {}
    for name, (clusters, parents) in sides[0].items():
        other_clusters, other_parents = sides[1].get(name, ([], {}))
        one, other = prepared(clusters, keep_singletons), prepared(other_clusters, keep_singletons)
        table = table_of(matched(one, other, match, zeros, (parents, other_parents)))
        for metric, parts in count_all(one, other, table).items():
            totals[metric] = totals.get(metric, 0) + np.array(parts, float)
    return totals
