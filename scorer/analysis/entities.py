"""The entities of the key, each beside the response cluster that comes closest; and those with a name as a view of their own."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from scorer.analysis.pair import NOWHERE
from scorer.analysis.text import NAME, NOMINAL, ends

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from scorer.analysis.document import DocumentErrors
    from scorer.analysis.pair import Cluster, Pair


class Entity(NamedTuple):
    """A key cluster beside a response cluster.

    It is the one with which it has the greatest F1 of mentions, the first of equals; without one its label is empty. `name`: its
    most frequent name, the first of equals; else its first nominal, else its first mention. `common` mentions of `size` of the
    key's and `response_size` of the response's. `line` of its first mention.
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


class Named(NamedTuple):
    """What NEC says of one document or of several: the sum of F1 over the key entities that have a name, and how many these are."""

    total: float
    entities: int

    @property
    def f1(self) -> float | None:
        """The mean; None where no key entity has a name."""
        return self.total / self.entities if self.entities else None


def _f1(common: int, key: int, response: int) -> float:
    return 2 * common / (key + response)


def entities_of(document: DocumentErrors) -> Iterator[Entity]:
    """The entities of one document, in the order of the key."""
    pair = document.pair
    sizes = list(map(len, pair.response))
    for k, cluster in enumerate(pair.key):
        if not cluster or k in pair.left_out:
            continue
        common = Counter(pair.response_of[mention] for mention in cluster)
        del common[NOWHERE]
        best = max(common, key=lambda r: (_f1(common[r], len(cluster), sizes[r]), -r), default=NOWHERE)
        n, size = (common[best], sizes[best]) if best != NOWHERE else (0, 0)
        ratios = (n / len(cluster), n / size if size else 0.0, _f1(n, len(cluster), size))
        line = document.line("key", cluster[0])
        yield Entity(
            document.name,
            line,
            pair.key_labels(k),
            name_of(pair, cluster),
            len(cluster),
            pair.response_labels(best),
            size,
            n,
            *ratios,
        )


def name_of(pair: Pair, cluster: Cluster) -> str:
    """What to call an entity; see `Entity`."""
    names = Counter(pair.text.said(pair.mentions[mention]) for mention in cluster if pair.kinds[mention] == NAME)
    if names:
        return names.most_common(1)[0][0]
    first = next((mention for mention in cluster if pair.kinds[mention] == NOMINAL), cluster[0])
    return pair.text.said(pair.mentions[first])


def nec(document: DocumentErrors) -> Named:
    """Named-entity coreference of one document (Agarwal, Subramanian, Nenkova and Roth, CRAC 2019).

    Key entities with a name are aligned with the response clusters that hold a name of theirs, one to one, so that the sum of
    the F1 of their mentions is greatest; one without a partner has 0. A cluster holds a name of an entity if the words of one of
    the entity's mentions that are names stand in the words of one of its mentions, whatever the case.
    """
    from scorer.count.assignment import align_clusters

    pair = document.pair
    names: dict[int, set[tuple[str, ...]]] = {}
    for k, cluster in enumerate(pair.key):
        own = {_words(pair, mention) for mention in cluster if pair.kinds[mention] == NAME} if k not in pair.left_out else set()
        # Parts of speech may tell a name whose words no file gives.
        own.discard(())
        if own:
            names[k] = own
    every = set().union(*names.values())
    lengths = sorted({len(name) for name in every})
    weights: dict[tuple[int, int], float] = {}
    held: dict[int, set[tuple[str, ...]]] = {}
    for k, own in names.items():
        common = Counter(pair.response_of[mention] for mention in pair.key[k])
        for r, n in common.items():
            if r == NOWHERE:
                continue
            if r not in held:
                held[r] = {run for run in _runs(pair, pair.response[r], lengths) if run in every}
            if not own.isdisjoint(held[r]):
                weights[k, r] = _f1(n, len(pair.key[k]), len(pair.response[r]))
    return Named(sum(weights[one] for one in align_clusters(weights)) if weights else 0.0, len(names))


def _words(pair: Pair, mention: int) -> tuple[str, ...]:
    first, last = ends(pair.mentions[mention])
    return tuple(word.casefold() for word in pair.text.words[first : last + 1])


def _runs(pair: Pair, cluster: Cluster, lengths: Iterable[int]) -> Iterator[tuple[str, ...]]:
    """All runs of so many words in the mentions of a cluster."""
    for mention in cluster:
        words = _words(pair, mention)
        for length in lengths:
            for at in range(len(words) - length + 1):
                yield words[at : at + length]
