"""Entities of the key: how well each is found, and those that have a name."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import NamedTuple

from scorer.analysis.document_errors import DocumentErrors
from scorer.analysis.pair import NAME, NOMINAL, NOWHERE, TYPES, Cluster, Pair, ends
from scorer.count.assignment import assign_clusters


class Entity(NamedTuple):
    """A key cluster next to a response cluster.

    That is the one with which it has the greatest F1 of mentions, the first of equals.

    Attributes:
        document: The name of the document.
        line: The line of its first mention.
        cluster: The id of the key cluster.
        name: Its most frequent name, the first of equals; else its first nominal, else its first
            mention.
        size: The number of its mentions.
        response_cluster: The id of the response cluster, empty if there is none.
        response_size: The number of mentions of the response cluster.
        common: The number of mentions that both have.
        recall: Of mentions.
        precision: Of mentions.
        f1: Of mentions.
        cost: size × (1 − F1).
    """

    document: str
    line: int
    cluster: str
    name: str
    size: int
    response_cluster: str
    response_size: int
    common: int
    recall: float
    precision: float
    f1: float
    cost: float


@dataclass(frozen=True)
class Nec:
    """Named-entity coreference: the mean F1 of key entities that have a name.

    Attributes:
        f1: Over all mentions of these entities; None where no key entity has a name.
        entities: The number of these entities.
        missed: The number of these that are aligned with no response cluster.
        by_type: Mean F1 and number of entities, over names, nominals and pronouns alone.
    """

    f1: float | None
    entities: int
    missed: int
    by_type: Mapping[str, tuple[float | None, int]]


def _f1(common: int, key: int, response: int) -> float:
    return 2 * common / (key + response)


def entities_of(document: DocumentErrors) -> Iterator[Entity]:
    """Yield the entities of one document, in the order of the key."""
    pair = document.pair
    for k, cluster in enumerate(pair.scored_key):
        if not cluster:
            continue
        common = Counter(pair.response_of[mention] for mention in cluster)
        del common[NOWHERE]
        best, size, f1, precision = NOWHERE, 0, 0.0, 0.0
        for r in sorted(common):
            response_size = len(pair.response[r])
            other_f1 = _f1(common[r], len(cluster), response_size)
            if other_f1 > f1:
                best, size, f1 = r, response_size, other_f1
                precision = common[r] / size
        yield Entity(
            document=document.name,
            line=document.line("key", cluster[0]),
            cluster=pair.key_labels[k],
            name=pair.text.words_of(pair.mentions[naming_mention(pair, cluster)]),
            size=len(cluster),
            response_cluster=pair.response_labels[best],
            response_size=size,
            common=common[best],
            recall=common[best] / len(cluster),
            precision=precision,
            f1=f1,
            cost=len(cluster) * (1 - f1),
        )


def naming_mention(pair: Pair, cluster: Cluster) -> int:
    """Return the mention whose words an entity is called by; see `Entity`."""
    names = [mention for mention in cluster if pair.kinds[mention] == NAME]
    if names:
        words = [pair.text.words_of(pair.mentions[mention]) for mention in names]
        [(most_frequent, _)] = Counter(words).most_common(1)
        return names[words.index(most_frequent)]
    nominals = (mention for mention in cluster if pair.kinds[mention] == NOMINAL)
    return next(nominals, cluster[0])


ALL_TYPES = "all"


def nec(documents: Iterable[DocumentErrors]) -> Nec:
    """Return the named-entity coreference of documents.

    Agarwal, Subramanian, Nenkova and Roth, CRAC 2019. Key entities with a name are aligned with the
    response clusters that hold a name of theirs, one to one, so that the sum of the F1 of their
    mentions is greatest; one without a partner has 0. A cluster holds a name of an entity if the
    words of one of the entity's mentions that are names stand in the words of one of its mentions,
    whatever the case.
    """
    totals = dict.fromkeys((ALL_TYPES, *TYPES), 0.0)
    entities: Counter[str] = Counter()
    missed = 0
    for document in documents:
        pair = document.pair
        names = _names(pair)
        weights = _weights(pair, names)
        aligned = dict(assign_clusters(weights)) if weights else {}
        entities[ALL_TYPES] += len(names)
        missed += len(names) - len(aligned)
        sums = dict.fromkeys(totals, 0.0)
        sums[ALL_TYPES] += sum(weights[pairing] for pairing in aligned.items())
        for k in names:
            response = pair.response[aligned[k]] if k in aligned else []
            common = set(pair.key[k]).intersection(response)
            sizes = Counter(pair.kinds[mention] for mention in chain(pair.key[k], response))
            common_sizes = Counter(pair.kinds[mention] for mention in common)
            for kind, size in sizes.items():
                sums[kind] += 2 * common_sizes[kind] / size
                entities[kind] += 1
        for kind, value in sums.items():
            totals[kind] += value
    means: dict[str, float | None] = dict.fromkeys(totals)
    for kind, number in entities.items():
        if number:
            means[kind] = totals[kind] / number
    by_type = {kind: (means[kind], entities[kind]) for kind in TYPES}
    return Nec(f1=means[ALL_TYPES], entities=entities[ALL_TYPES], missed=missed, by_type=by_type)


def _names(pair: Pair) -> dict[int, set[str]]:
    """Return the names of each key entity that has any."""
    names = {}
    for k, cluster in enumerate(pair.scored_key):
        own = {_folded(pair, mention) for mention in cluster if pair.kinds[mention] == NAME}
        # Parts of speech may tell a name whose words no file gives.
        own.discard("")
        if own:
            names[k] = own
    return names


def _weights(pair: Pair, names: Mapping[int, set[str]]) -> dict[tuple[int, int], float]:
    """Return the F1 of mentions of key entities and the response clusters with a name of theirs."""
    weights: dict[tuple[int, int], float] = {}
    texts: dict[int, str] = {}
    for k, own in names.items():
        common = Counter(pair.response_of[mention] for mention in pair.key[k])
        del common[NOWHERE]
        for r, number in common.items():
            if r not in texts:
                texts[r] = "\n".join({_folded(pair, mention) for mention in pair.response[r]})
            if any(name in texts[r] for name in own):
                weights[k, r] = _f1(number, len(pair.key[k]), len(pair.response[r]))
    return weights


def _folded(pair: Pair, mention: int) -> str:
    """Return the words of a mention in small letters, each between tabs; "" where none is known."""
    first, last = ends(pair.mentions[mention])
    words = pair.text.words[first : last + 1]
    if not words:
        return ""
    return "\t{}\t".format("\t".join(words)).casefold()
