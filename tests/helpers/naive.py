"""What the scorer computes, written once more: slowly, and straight from the papers and from what
reference 8.01 was seen to do.

Clusters are lists of lists of hashable mentions. Nothing here is shared with the code under test.
"""

import re
from fractions import Fraction
from functools import partial
from itertools import combinations, product
from types import SimpleNamespace

import numpy as np
from scipy.optimize import linear_sum_assignment

# Aligning
# --------------------------------------------------------------------------------------------------


def owners(key):
    """The key entity of each mention: the last that holds it."""
    return {mention: k for k, cluster in enumerate(key) for mention in cluster}


def without_repeats(key, response):
    """The response after the reference has removed what was already matched to the key and came
    again."""
    known = set(owners(key))
    matched = set()
    kept = []
    for cluster in response:
        kept.append([])
        for mention in cluster:
            if mention in matched:
                continue
            if mention in known:
                matched.add(mention)
            kept[-1].append(mention)
    return [cluster for cluster in kept if cluster]


def invented(key, response):
    """The ids given out, less the distinct key mentions: every key mention gets one, and every
    response mention not yet known."""
    known = set(owners(key))
    new = {mention for cluster in response for mention in cluster} - known
    return sum(map(len, key)) + len(new) - len(known)


def repeats(key, response):
    """(side, mention, removed) for every occurrence after the first, in the order in which a reader
    meets them."""
    known = set(owners(key))
    found = []
    for side, clusters in (("key", key), ("response", response)):
        seen = set()
        for cluster in clusters:
            for mention in cluster:
                if mention in seen:
                    found.append((side, mention, side == "response" and mention in known))
                seen.add(mention)
    return found


# Metrics: recall numerator, recall denominator, precision numerator, precision denominator, for
# each part --------------


def mentions(key, response):
    in_key = {mention for cluster in key for mention in cluster}
    in_response = {mention for cluster in response for mention in cluster}
    both = len(in_key & in_response)
    return [(both, len(in_key), both, len(in_response))]


def muc(key, response):
    """As the reference counts: over response entities, over key entities, mentions of the one that
    lie in the other, less one."""
    owner = owners(key)
    common = 0
    for r, k in product(response, range(len(key))):
        held = sum(owner.get(mention) == k for mention in r)
        common += max(held - 1, 0)
    return [
        (common, sum(len(k) - 1 for k in key if k), common, sum(len(r) - 1 for r in response if r))
    ]


def bcub(key, response):
    """Bagga and Baldwin 1998, mention by mention in response order."""
    owner = owners(key)
    recall = precision = 0.0
    for r in response:
        for mention in r:
            if mention not in owner:
                continue
            k = key[owner[mention]]
            correct = sum(other in k for other in r)
            recall += correct / len(k)
            precision += correct / len(r)
    return [(recall, sum(map(len, key)), precision, sum(map(len, response)))]


def best_alignment(similarities):
    """The greatest sum over all one-to-one alignments of rows and columns, which scipy finds."""
    if not similarities:
        return 0
    chosen = zip(*linear_sum_assignment(np.array(similarities, float), maximize=True))
    return sum(similarities[row][column] for row, column in chosen)


def ceaf(key, response, phi):
    return best_alignment(
        [
            [phi(sum(mention in r for mention in k), len(k), len(r)) for r in response if r]
            for k in key
            if k
        ]
    )


def ceafm(key, response):
    """Luo 2005, phi 3."""
    aligned = ceaf(key, response, lambda n, *_: n)
    return [(aligned, sum(map(len, key)), aligned, sum(map(len, response)))]


def ceafe(key, response):
    """Luo 2005, phi 4, in exact fractions."""
    aligned = float(ceaf(key, response, lambda n, k, r: Fraction(2 * n, k + r)))
    return [(aligned, sum(map(bool, key)), aligned, sum(map(bool, response)))]


def blanc(key, response):
    """Luo et al. 2014, every link in a set. A link of a mention with itself is a set of one."""

    def links(clusters):
        together = {frozenset(pair) for cluster in clusters for pair in combinations(cluster, 2)}
        apart = {
            frozenset(pair)
            for one, other in combinations(clusters, 2)
            for pair in product(one, other)
        }
        return together, apart

    parts = []
    for of_key, of_response in zip(links(key), links(response)):
        common = len(of_key & of_response)
        parts.append((common, len(of_key), common, len(of_response)))
    return parts


def lea(key, response):
    """Moosavi and Strube 2016: every entity weighs as much as its share of links that one entity of
    the other side holds."""

    def links(n):
        return n * (n - 1) / 2

    def side(these, others):
        owner = owners(others)
        resolved = 0.0
        for cluster in these:
            held = [owner.get(mention) for mention in cluster]
            if len(cluster) == 1:
                resolved += held[0] is not None and len(others[held[0]]) == 1
            elif cluster:
                resolved += (
                    len(cluster)
                    * sum(links(held.count(other)) for other in range(len(others)))
                    / links(len(cluster))
                )
        return resolved, sum(map(len, these))

    return [(*side(key, response), *side(response, key))]


# Variants, which make the two sides alike, and then count as above
# ----------------------------------------------------


def lonely(side, other):
    """The side with a name of its own for each occurrence of a mention that the other side lacks,
    and these names."""
    known = {mention for cluster in other for mention in cluster}
    fresh = []
    renamed = []
    for cluster in side:
        renamed.append([])
        for mention in cluster:
            if mention not in known:
                fresh.append(object())
            renamed[-1].append(mention if mention in known else fresh[-1])
    return renamed, fresh


def without(side, mentions):
    return [[mention for mention in cluster if mention not in mentions] for cluster in side]


def singletons(mentions):
    return [[mention] for mention in mentions]


def b3_all(key, response, bcub=bcub):
    """Stoyanov et al. 2009: a mention that the other side lacks is alone there."""
    key, missing = lonely(key, response)
    response, spurious = lonely(response, key)
    recall = bcub(key, response + singletons(missing))[0][:2]
    return [recall + bcub(key + singletons(spurious), response)[0][2:]]


def b3_0(key, response, bcub=bcub):
    """Stoyanov et al. 2009: what the key lacks is discarded.

    What the response lacks has a recall of 0.
    """
    response, spurious = lonely(response, key)
    return [bcub(key, response)[0][:2] + bcub(key, without(response, spurious))[0][2:]]


def b3_rahman_ng(key, response, bcub=bcub):
    """Rahman and Ng 2009: singletons that the key lacks are removed, then as B³all."""
    response, spurious = lonely(response, key)
    left = [cluster for cluster in response if len(cluster) != 1 or cluster[0] not in spurious]
    return b3_all(key, left, bcub)


def made_alike(key, response):
    """Cai and Strube 2010, for precision."""
    key, missing = lonely(key, response)
    response, spurious = lonely(response, key)
    response = [cluster for cluster in response if len(cluster) != 1 or cluster[0] not in spurious]
    left = [mention for cluster in response for mention in cluster if mention in spurious]
    return key + singletons(left), response + singletons(missing)


def made_alike_for_recall(key, response):
    key, missing = lonely(key, response)
    response, spurious = lonely(response, key)
    return key, without(response, spurious) + singletons(missing)


def cai_strube(measure, key, response):
    recall = measure(*made_alike_for_recall(key, response))[0][:2]
    return [recall + measure(*made_alike(key, response))[0][2:]]


def conll_v4(measure, key, response):
    return measure(*made_alike(key, response))


METRICS = {
    "b3_0": b3_0,
    "b3_all": b3_all,
    "b3_rahman_ng": b3_rahman_ng,
    "bcub": bcub,
    "blanc": blanc,
    "ceafe": ceafe,
    "ceafm": ceafm,
    "lea": lea,
    "mentions": mentions,
    "muc": muc,
    "pairwise": lambda key, response: blanc(key, response)[:1],
    "pairwise_negative": lambda key, response: blanc(key, response)[1:],
}
for name in ("bcub", "ceafe", "ceafm"):
    METRICS[f"{name}_sys"] = partial(cai_strube, METRICS[name])
    METRICS[f"{name}_conll_v4"] = partial(conll_v4, METRICS[name])
"""The naive version of every registered metric."""


# Metrics where every occurrence of a repeated mention is kept
# ----------------------------------------------------------------------------------------------


def linked(one, other, others):
    """Whether a cluster of the other side holds both mentions, which may be the same."""
    return any(one in cluster and other in cluster for cluster in others)


def linked_groups(cluster, others):
    """The places in a cluster, those that are linked in one set."""
    groups = []
    for at, mention in enumerate(cluster):
        near = [g for g in groups if any(linked(mention, cluster[place], others) for place in g)]
        groups = [group for group in groups if group not in near]
        groups.append({at}.union(*near))
    return groups


def on_both_sides(count, key, response):
    return [(*count(key, response), *count(response, key))]


def muc_kept(these, others):
    clusters = [cluster for cluster in these if cluster]
    found = sum(len(cluster) - len(linked_groups(cluster, others)) for cluster in clusters)
    return found, sum(len(cluster) - 1 for cluster in clusters)


def bcub_kept(these, others):
    shares = [
        Fraction(sum(linked(mention, other, others) for other in cluster), len(cluster))
        for cluster in these
        for mention in cluster
    ]
    return float(sum(shares)), len(shares)


def lea_kept(these, others):
    resolved = Fraction(0)
    for cluster in these:
        if len(cluster) == 1:
            resolved += cluster in [other for other in others if len(other) == 1]
        elif cluster:
            pairs = list(combinations(cluster, 2))
            found = sum(linked(*pair, others) for pair in pairs)
            resolved += len(cluster) * Fraction(found, len(pairs))
    return float(resolved), sum(map(len, these))


def ceaf_kept(key, response, phi):
    similarities = [
        [
            phi(sum(min(k.count(m), r.count(m)) for m in set(k)), len(k), len(r))
            for r in response
            if r
        ]
        for k in key
        if k
    ]
    return float(best_alignment(similarities))


def ceafm_kept(key, response):
    aligned = round(ceaf_kept(key, response, lambda n, *_: n))
    return [(aligned, sum(map(len, key)), aligned, sum(map(len, response)))]


def ceafe_kept(key, response):
    aligned = ceaf_kept(key, response, lambda n, k, r: Fraction(2 * n, k + r))
    return [(aligned, sum(map(bool, key)), aligned, sum(map(bool, response)))]


def blanc_kept(key, response):
    """Each pair of different mentions once: together where a cluster holds both, else apart."""

    def links(clusters):
        mentions = {mention for cluster in clusters for mention in cluster}
        pairs = {frozenset(pair) for pair in combinations(mentions, 2)}
        together = {pair for pair in pairs if linked(*pair, clusters)}
        return together, pairs - together

    return [
        (len(of_key & of_response), len(of_key), len(of_key & of_response), len(of_response))
        for of_key, of_response in zip(links(key), links(response))
    ]


BCUB_KEPT = partial(on_both_sides, bcub_kept)
KEPT = {
    "b3_0": partial(b3_0, bcub=BCUB_KEPT),
    "b3_all": partial(b3_all, bcub=BCUB_KEPT),
    "b3_rahman_ng": partial(b3_rahman_ng, bcub=BCUB_KEPT),
    "bcub": BCUB_KEPT,
    "blanc": blanc_kept,
    "ceafe": ceafe_kept,
    "ceafm": ceafm_kept,
    "lea": partial(on_both_sides, lea_kept),
    "mentions": mentions,
    "muc": partial(on_both_sides, muc_kept),
    "pairwise": lambda key, response: blanc_kept(key, response)[:1],
    "pairwise_negative": lambda key, response: blanc_kept(key, response)[1:],
}
for name in ("bcub", "ceafe", "ceafm"):
    KEPT[f"{name}_sys"] = partial(cai_strube, KEPT[name])
    KEPT[f"{name}_conll_v4"] = partial(conll_v4, KEPT[name])
"""The same where repeated mentions are kept."""

# Reading
# --------------------------------------------------------------------------------------------------


def cut(pattern, cell):
    """Search for `pattern` from the left, again and again, and cut each match out: what was found,
    what is left."""
    found = []
    while match := re.search(pattern, cell):
        found.append(match[1])
        cell = cell[: match.start()] + cell[match.end() :]
    return found, cell


def pieces(cell):
    """Double antecedents, mentions of one token, starts, ends."""
    discarded, cell = cut(rb"\((\d+\+\d)\)", cell)
    singles, cell = cut(rb"\((\d+)\)", cell)
    starts, cell = cut(rb"\((\d+)", cell)
    ends, cell = cut(rb"(\d+)\)", cell)
    return discarded, singles, starts, ends


class MalformedError(Exception):
    """Where the reference dies; its argument is the line."""


def lines_of(data):
    lines = data.split(b"\n")
    if not lines[-1]:
        lines.pop()
    return lines


def begins(line):
    """The name of the document that this line begins, or None."""
    match = re.fullmatch(rb"#\s*begin document (.*)", line.removesuffix(b"\r"), re.DOTALL)
    return match and match[1]


def documents(data, *, first=False):
    """By name, every document of a file: the last of that name (or the first), or the error that
    reading it is."""
    lines = lines_of(data)
    found = {}
    for at, line in enumerate(lines):
        name = begins(line)
        if name is None or (first and name in found):
            continue
        try:
            found[name] = document(name, lines, at)
        except MalformedError as error:
            found[name] = error
    return found


def document(name, lines, at):
    # The fields of conll.Document that a file can fill.
    read = SimpleNamespace(name=name, line=at + 1, tokens=0, ended=False, unclosed=[])
    read.labels, read.clusters, read.lines, read.discarded, read.unterminated = [], [], [], [], []
    stacks = {}

    def malformed(line):
        """What is wrong in another document is that this one has not ended before it."""
        return MalformedError(min([line, *read.unterminated]))

    def number(label):
        if label not in read.labels:
            read.labels.append(label)
            read.clusters.append([])
            read.lines.append([])
            stacks[label] = []
        return read.labels.index(label)

    for here, line in enumerate(lines[at + 1 :], at + 2):
        if begins(line) is not None and not read.unterminated:
            read.unterminated.append(here)
        if re.search(rb"#\s*end document", line):
            read.ended = True
            break
        if not line.strip():
            continue
        token = read.tokens
        read.tokens += 1
        columns = line.split(b"\t")
        while not columns[-1]:
            columns.pop()
        discarded, singles, starts, ends = pieces(columns[-1])
        read.discarded += discarded
        for label in singles:
            at = number(label)
            read.clusters[at].append((token, token))
            read.lines[at].append(here)
        for label in starts:
            number(label)
            stacks[label].append((token, here))
        for label in ends:
            if not stacks.get(label):
                raise malformed(here)
            start, begun = stacks[label].pop()
            at = number(label)
            read.clusters[at].append((start, token))
            read.lines[at].append(begun)
    read.unclosed = sorted((begun, label) for label, stack in stacks.items() for _, begun in stack)
    if read.unclosed and read.ended:
        raise malformed(read.unclosed[0][0])
    # An entity has its place in the list from its first completed mention on.
    while read.clusters and not read.clusters[-1]:
        for column in (read.labels, read.clusters, read.lines):
            column.pop()
    return read


# Matching of mentions, as CorefUD does it
# --------------------------------------------------------------------------------  A side is a
# dict: `order` (all tokens as they stand; a word is a number, an empty node a text
# SENTENCE:WORD.NUMBER), `zeros` (of each empty node its list of (head, relation)), `clusters`, and
# the head of each mention, `heads`. A mention is (first, last) word or a tuple of such pairs and of
# empty nodes.


def pieces_of(mention):
    return [mention] if all(type(part) is int for part in mention) else list(mention)


def tokens_of(side, mention):
    found = []
    for piece in pieces_of(mention):
        first, last = (piece, piece) if isinstance(piece, str) else piece
        order = side["order"]
        found += order[order.index(first) : order.index(last) + 1]
    return found


def in_order(side, mentions):
    """Mentions by first, then last token."""
    ends = lambda mention: [side["order"].index(tokens_of(side, mention)[at]) for at in (0, -1)]  # noqa: E731
    return sorted(mentions, key=ends)


def best_pairs(keys, responses, weight):
    """Of all one-to-one assignments that of the greatest sum.

    Of several, each key in its order takes the earliest response.
    """

    def assignments(left, free):
        if not left:
            yield []
            return
        for at in free:
            if weight(left[0], responses[at]):
                yield from ([at, *rest] for rest in assignments(left[1:], free - {at}))
        yield from ([len(responses), *rest] for rest in assignments(left[1:], free))

    def worth(chosen):
        return sum(
            weight(key, responses[at]) for key, at in zip(keys, chosen) if at < len(responses)
        )

    found = min(
        assignments(keys, frozenset(range(len(responses)))),
        key=lambda chosen: (-worth(chosen), chosen),
    )
    return {responses[at]: key for key, at in zip(keys, found) if at < len(responses)}


def f1_of_sets(one, other):
    return Fraction(2 * len(one & other), len(one) + len(other)) if one | other else Fraction(0)


def zeros_by_dependencies(key, response):
    """The key's empty node for each of the response, sentence by sentence."""

    def weight(one, other):
        pairs = set(key["zeros"][one]), set(response["zeros"][other])
        heads = [{head for head, _ in side} for side in pairs]
        return 10 * f1_of_sets(*pairs) + f1_of_sets(*heads)

    found = {}
    for sentence in {zero.split(":")[0] for zero in response["zeros"]}:
        sides = [
            [token for token in side["order"] if token in side["zeros"]] for side in (key, response)
        ]
        found |= best_pairs(
            *([zero for zero in side if zero.split(":")[0] == sentence] for side in sides), weight
        )
    return found


def renamed_zeros(key, response, zeros):
    """What each empty node of the response is called in the key.

    Nothing for one without counterpart.
    """
    if zeros == "linear":
        return {zero: zero for zero in response["zeros"] if zero in key["zeros"]}
    return zeros_by_dependencies(key, response)


def matched(key, response, match, zeros):
    """The key mention for which each response mention stands, and the tokens of each response
    mention by the key's names."""
    names = renamed_zeros(key, response, zeros)
    called = lambda token: names.get(token, ("alone", token)) if isinstance(token, str) else token  # noqa: E731
    # In their order in the file, which decides between mentions of the same ends.
    keys, responses = (
        dict.fromkeys(mention for cluster in side["clusters"] for mention in cluster)
        for side in (key, response)
    )
    tokens = {mention: set(map(called, tokens_of(response, mention))) for mention in responses}
    partners = {}
    for mention in responses:
        same = (
            tuple(map(called, pieces_of(mention))) if pieces_of(mention) != [mention] else mention
        )
        if same in keys:
            partners[mention] = same

    def weight(one, other):
        key_tokens = set(tokens_of(key, one))
        if match == "head" and key["heads"][one] == called(response["heads"][other]):
            return Fraction(len(key_tokens & tokens[other]), len(key_tokens))
        if match == "partial" and key["heads"][one] in tokens[other] <= key_tokens:
            return Fraction(len(tokens[other]), len(key_tokens))
        return Fraction(0)

    if match != "exact":
        left = [mention for mention in keys if mention not in partners.values()]
        response_left = [mention for mention in responses if mention not in partners]
        partners |= best_pairs(in_order(key, left), in_order(response, response_left), weight)
    return partners, tokens


def mor(key, response, match, zeros):
    _, tokens = matched(key, response, match, zeros)
    keys = {
        mention: set(tokens_of(key, mention)) for cluster in key["clusters"] for mention in cluster
    }
    pairs = best_pairs(list(keys), list(tokens), lambda one, other: len(keys[one] & tokens[other]))
    common = sum(len(keys[one] & tokens[other]) for other, one in pairs.items())
    return common, sum(map(len, keys.values())), common, sum(map(len, tokens.values()))


def zero_links(key, response, match, zeros):
    """The anaphor-decomposable score of zeros."""
    partners, _ = matched(key, response, match, zeros)
    standing = {mention: other for other, mention in partners.items()}
    ranked = [[in_order(side, cluster) for cluster in side["clusters"]] for side in (key, response)]
    cluster_of = {
        mention: number for number, cluster in enumerate(ranked[1]) for mention in cluster
    }
    is_zero = lambda mention: all(isinstance(piece, str) for piece in mention)  # noqa: E731
    outcomes = []
    covered = set()
    for cluster in ranked[0]:
        for place, mention in enumerate(cluster):
            if place == 0 or not is_zero(mention):
                continue
            other = standing.get(mention)
            covered.add(other)
            before = {cluster_of[standing[one]] for one in cluster[:place] if one in standing}
            if other is None or other == ranked[1][cluster_of[other]][0]:
                outcomes.append("missed")
            else:
                outcomes.append("true" if cluster_of[other] in before else "wrong")
    outcomes += [
        "false"
        for cluster in ranked[1]
        for mention in cluster[1:]
        if is_zero(mention) and mention not in covered
    ]
    true, missed, wrong, false = map(outcomes.count, ("true", "missed", "wrong", "false"))
    return true, true + missed + wrong, true, true + false + wrong
