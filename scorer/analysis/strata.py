"""How well mentions are found and linked, stratum by stratum: what is hard about a text.

Every mention of a side has exactly one value in each stratum, so sums over the values of a stratum
are those of all mentions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.analysis.kinds import DocumentErrors
from scorer.analysis.pair import NOWHERE, Cluster, Pair
from scorer.analysis.text import NAME, NOMINAL, NONE, TYPES, ends
from scorer.comparison.resampling import Resampling, units_of
from scorer.count.assignment import align_clusters

if TYPE_CHECKING:
    from conll.errors import Side
    from scorer.comparison.significance import Array


STRATA = (
    "type",
    "entity",
    "pos",
    "length",
    "nesting",
    "singleton",
    "size",
    "tokens",
    "sentences",
    "between",
)
"""Type of the mention; type of its entity; part of speech of its head; its length in tokens;
whether it lies in another mention of its side or holds one; whether it is alone in its cluster; the
size of that; and the distance to its closest antecedent, from the first word of one to the first
word of the other in tokens and in sentences, and in mentions of its side between them, `none` for a
first mention, and for sentences that no file tells."""

_RANGES = {
    "length": (1, 2, 5, 10),
    "size": (1, 2, 5, 20),
    "tokens": (5, 20, 100),
    "sentences": (0, 1, 3, 10),
    "between": (0, 3, 10, 50),
}
"""The last number of each range but the open one at the end."""


class Tally(NamedTuple):
    """Counts of the mentions of one side with one value.

    How many; how many the other side has too; the sum of their B³ recall (of the key) or precision
    (of the response); how many have an antecedent; and of how many the link to the closest is
    right.
    """

    mentions: int = 0
    found: int = 0
    bcub: float = 0.0
    links: int = 0
    right: int = 0


class Share(NamedTuple):
    """A share of the mentions or links of a row, with the ends of its interval.

    `value` is None where there is nothing to share, the ends unless two units of documents or more
    have something to share.
    """

    value: float | None
    low: float | None = None
    high: float | None = None


class Stratum(NamedTuple):
    """A row: the counts of one side's mentions with one value of a stratum in all documents.

    The share of mentions that the other side has, their B³ recall or precision, and the share of
    right links.
    """

    stratum: str
    value: str
    side: Side
    tally: Tally
    found: Share
    bcub: Share
    right: Share


AT_ONCE = 1 << 20
"""Replicates of rows that are held at once."""

Cell = tuple[str, str, "Side"]
"""Stratum, value, side."""


def in_range(stratum: str, number: int) -> str:
    """The range of a stratum in which a number lies.

    >>> in_range("size", 3), in_range("size", 21), in_range("sentences", 0)
    ('3–5', '21+', '0')
    """
    low = 0
    for high in _RANGES[stratum]:
        if number <= high:
            first = max(low, 0 if stratum in {"tokens", "sentences", "between"} else 1)
            return str(high) if first == high else f"{first}–{high}"
        low = high + 1
    return f"{low}+"


def tallies(
    document: DocumentErrors, by: Sequence[str] = (), group: str | None = None
) -> dict[Cell, Tally]:
    """The counts of one document, which is in `group`.

    `by` names columns and attributes of mentions as further strata.
    """
    pair = document.pair
    key_of = [NOWHERE if k in pair.left_out else k for k in pair.key_of]
    sides: tuple[tuple[Side, list[Cluster], list[int]], ...] = (
        ("key", pair.scored_key, pair.response_of),
        ("response", pair.response, key_of),
    )
    counts: dict[Cell, list[Any]] = {}
    for side, clusters, other_of in sides:
        values = _values(document, side, clusters, by, group)
        for cluster in clusters:
            common = Counter(map(other_of.__getitem__, cluster))
            for before, mention in zip([NOWHERE, *cluster], cluster):
                other = other_of[mention]
                found = other != NOWHERE
                share = common[other] / len(cluster) if found else 0.0
                linked = before != NOWHERE
                right = linked and found and other_of[before] == other
                for stratum, value in values(mention, len(cluster), before):
                    tally = counts.setdefault((stratum, value, side), [0, 0, 0.0, 0, 0])
                    for at, number in enumerate((1, found, share, linked, right)):
                        tally[at] += number
    return {cell: Tally(*numbers) for cell, numbers in counts.items()}


def values_of_key(
    document: DocumentErrors, by: Sequence[str] = (), group: str | None = None
) -> Iterator[tuple[Any, list[tuple[str, str]]]]:
    """Each mention of the key with its stratum and value in every stratum."""
    pair = document.pair
    values = _values(document, "key", pair.scored_key, by, group)
    for cluster in pair.scored_key:
        for before, mention in zip([NOWHERE, *cluster], cluster):
            yield pair.mentions[mention], list(values(mention, len(cluster), before))


def _values(
    document: DocumentErrors,
    side: Side,
    clusters: Sequence[Cluster],
    by: Sequence[str],
    group: str | None,
) -> Callable[[int, int, int], Iterator[tuple[str, str]]]:
    """A function of a mention, the size of its cluster and the mention before it there, for the values of that mention."""
    pair, text = document.pair, document.pair.text
    attributes = document.attributes(side)
    own = sorted(mention for cluster in clusters for mention in cluster)
    place = {mention: at for at, mention in enumerate(own)}
    nested = _nesting([ends(pair.mentions[mention]) for mention in own])
    from_file = {name for name in by if name not in text.columns}
    # What a file says beside a stratum of the same name is another one.
    taken = {*STRATA, "group"}
    further = {name: f"{name} in the file" if name in taken else name for name in by}

    def values(mention: int, size: int, before: int) -> Iterator[tuple[str, str]]:
        written = pair.mentions[mention]
        first, last = ends(written)
        said = attributes.get(written, {})
        yield "type", pair.kinds[mention]
        yield "entity", said.get("etype") or text.label(written)
        yield "pos", text.tag(written)
        yield "length", NONE if first < 0 else in_range("length", last - first + 1)
        yield "nesting", nested[place[mention]]
        yield "singleton", "yes" if size == 1 else "no"
        yield "size", in_range("size", size)
        tokens = sentences = between = NONE
        if before != NOWHERE:
            between = in_range("between", place[mention] - place[before] - 1)
            start = ends(pair.mentions[before])[0]
            if first >= 0 and start >= 0:
                tokens = in_range("tokens", first - start)
            if tokens != NONE and text.starts:
                sentences = in_range("sentences", text.sentence(first) - text.sentence(start))
        yield from (("tokens", tokens), ("sentences", sentences), ("between", between))
        if group is not None:
            yield "group", group
        for name, stratum in further.items():
            value = said.get(name) or NONE if name in from_file else text.cell(name, written)
            yield stratum, value

    return values


def _nesting(spans: Sequence[tuple[int, int]]) -> list[str]:
    """Of spans by first, then last word: whether each lies in another one, holds one, both, or neither."""
    inside, holds = [False] * len(spans), [False] * len(spans)
    order = sorted(
        (at for at in range(len(spans)) if spans[at][0] >= 0),
        key=lambda at: (spans[at][0], -spans[at][1]),
    )
    widest = NOWHERE
    for at in order:
        if widest != NOWHERE and spans[at][1] <= spans[widest][1]:
            inside[at] = True
        else:
            widest = at
    least: int | None = None
    for at in reversed(order):
        if least is not None and least <= spans[at][1]:
            holds[at] = True
        least = spans[at][1] if least is None else min(least, spans[at][1])
    names = (("neither", "outside"), ("inside", "both"))
    return [names[is_inside][is_outside] for is_inside, is_outside in zip(inside, holds)]


def rows_of(documents: Mapping[str, Mapping[Cell, Tally]], resampling: Resampling) -> list[Stratum]:
    """A row for each value of each stratum and side that occurs: strata in their order, ranges by number, others by frequency.

    `documents`: the counts of each, by name. Intervals come from bootstrap replicates, as
    `resampling` says: units of documents are drawn with replacement, the same for all rows. Of a
    row only the replicates and the units count in which there is something to share.
    """
    totals: dict[Cell, Tally] = {}
    for counts in documents.values():
        for cell, tally in counts.items():
            totals[cell] = Tally(*map(add, totals.get(cell, Tally()), tally))
    cells = sorted(totals, key=lambda cell: _place(cell, totals))
    rows = []
    for cell, intervals in zip(cells, _intervals(cells, documents, resampling)):
        mentions, found, bcub, links, right = tally = totals[cell]
        parts = (found, mentions), (bcub, mentions), (right, links)
        shares = [
            Share(part / whole, *interval) if whole else Share(None)
            for (part, whole), interval in zip(parts, intervals)
        ]
        rows.append(Stratum(*cell, tally, *shares))
    return rows


def _intervals(
    cells: Sequence[Cell], documents: Mapping[str, Mapping[Cell, Tally]], how: Resampling
) -> Iterator[list[tuple[float, ...]]]:
    """Yield the ends of the intervals of the three shares of each row, none where there are none."""
    units = units_of(list(documents), how.unit)
    size = 1 + max(units, default=0)
    if size < 2:
        yield from repeat([(), (), ()], len(cells))
        return
    # Only here: the page of a submission is also made where numpy is missing.
    import numpy as np

    from scorer.comparison import significance

    # A replicate of every share of every row at once would take much memory where a column has many
    # values.
    step = max(1, AT_ONCE // how.trials)
    for begin in range(0, len(cells), step):
        place = {cell: row for row, cell in enumerate(cells[begin : begin + step])}
        counts = np.zeros((len(place), size, len(Tally._fields)))
        for unit, document in zip(units, documents.values()):
            for cell in place.keys() & document.keys():
                counts[place[cell], unit] += document[cell]
        observed = significance.figures(counts, _shares)
        [left_out] = significance.jackknife(counts, _shares)
        replicates = significance.bootstrap(counts, _shares, trials=how.trials, seed=how.seed)
        # What each share is a share of: mentions, mentions, links.
        has = counts[:, :, [0, 0, 3]] > 0
        for row in range(len(place)):
            intervals: list[tuple[float, ...]] = [(), (), ()]
            for share in range(3):
                units_with = has[row, :, share]
                if units_with.sum() > 1:
                    values = replicates[row, share]
                    jackknife = left_out[row, share, units_with]
                    estimate = (values[~np.isnan(values)], observed[row, share], [jackknife])
                    interval = significance.Estimate(how, *estimate).interval()
                    intervals[share] = tuple(interval.tolist())
            yield intervals


def _shares(sums: Array) -> Array:
    import numpy as np

    mentions, found, bcub, links, right = sums
    parts, wholes = np.stack([found, bcub, right]), np.stack([mentions, mentions, links])
    return np.where(wholes > 0, parts / np.where(wholes > 0, wholes, 1), np.nan)


def _place(cell: Cell, totals: Mapping[Cell, Tally]) -> tuple[object, ...]:
    stratum, value, side = cell
    number = value.rstrip("+").partition("–")[0]
    known = STRATA.index(stratum) if stratum in STRATA else len(STRATA)
    sides: tuple[Side, ...] = ("key", "response")
    both = sum(totals.get((stratum, value, name), Tally()).mentions for name in sides)
    ranked = (0, int(number)) if stratum in _RANGES and number.isdecimal() else (1, -both)
    return known, "" if stratum in STRATA else stratum, ranked, value, side


class Entity(NamedTuple):
    """A key cluster beside a response cluster.

    It is the one with which it has the greatest F1 of mentions, the first of equals; without one
    its label is empty. `name`: its most frequent name, the first of equals; else its first nominal,
    else its first mention. `common` mentions of `size` of the key's and `response_size` of the
    response's. `line` of its first mention.
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

    @property
    def cost(self) -> float:
        """Weigh what is wrong with the entity by its size: size × (1 − F1)."""
        return self.size * (1 - self.f1)


class Nec(NamedTuple):
    """Named-entity coreference: the mean F1 of key entities that have a name.

    Attributes:
        f1: over all mentions of these entities; None where no key entity has a name.
        entities: the number of these entities.
        missed: the number of these that are aligned with no response cluster.
        by_type: mean F1 and number of entities, over names, nominals and pronouns alone.
    """

    f1: float | None
    entities: int
    missed: int
    by_type: Mapping[str, tuple[float | None, int]]


def _f1(common: int, key: int, response: int) -> float:
    return 2 * common / (key + response)


def entities_of(document: DocumentErrors) -> Iterator[Entity]:
    """The entities of one document, in the order of the key."""
    pair = document.pair
    sizes = list(map(len, pair.response))
    for k, cluster in enumerate(pair.scored_key):
        if not cluster:
            continue
        common = Counter(pair.response_of[mention] for mention in cluster)
        del common[NOWHERE]
        best = max(
            common, key=lambda r: (_f1(common[r], len(cluster), sizes[r]), -r), default=NOWHERE
        )
        n, size = (common[best], sizes[best]) if best != NOWHERE else (0, 0)
        yield Entity(
            document=document.name,
            line=document.line("key", cluster[0]),
            cluster=pair.key_labels(k),
            name=name_of(pair, cluster),
            size=len(cluster),
            response_cluster=pair.response_labels(best),
            response_size=size,
            common=n,
            recall=n / len(cluster),
            precision=n / size if size else 0.0,
            f1=_f1(n, len(cluster), size),
        )


def name_of(pair: Pair, cluster: Cluster) -> str:
    """What to call an entity; see `Entity`."""
    names = Counter(
        pair.text.said(pair.mentions[mention]) for mention in cluster if pair.kinds[mention] == NAME
    )
    if names:
        return names.most_common(1)[0][0]
    first = next((mention for mention in cluster if pair.kinds[mention] == NOMINAL), cluster[0])
    return pair.text.said(pair.mentions[first])


ALL = "all"


def nec(documents: Iterable[DocumentErrors]) -> Nec:
    """Return the named-entity coreference of documents (Agarwal, Subramanian, Nenkova and Roth, CRAC 2019).

    Key entities with a name are aligned with the response clusters that hold a name of theirs, one
    to one, so that the sum of the F1 of their mentions is greatest; one without a partner has 0. A
    cluster holds a name of an entity if the words of one of the entity's mentions that are names
    stand in the words of one of its mentions, whatever the case.
    """
    totals = dict.fromkeys((ALL, *TYPES), 0.0)
    entities: Counter[str] = Counter()
    missed = 0
    for document in documents:
        pair = document.pair
        names = _names(pair)
        weights = _weights(pair, names)
        aligned = dict(align_clusters(weights)) if weights else {}
        sums = dict.fromkeys(totals, 0.0)
        sums[ALL] += sum(weights[pairing] for pairing in aligned.items())
        entities[ALL] += len(names)
        missed += len(names) - len(aligned)
        for k in names:
            cluster = pair.response[aligned[k]] if k in aligned else []
            in_both = set(pair.key[k]).intersection(cluster)
            sizes, both = (
                Counter(pair.kinds[mention] for mention in mentions)
                for mentions in ([*pair.key[k], *cluster], in_both)
            )
            for kind in sizes:
                sums[kind] += 2 * both[kind] / sizes[kind]
                entities[kind] += 1
        for kind in sums:
            totals[kind] += sums[kind]
    means = {kind: totals[kind] / n if (n := entities[kind]) else None for kind in totals}
    by_type = {kind: (means[kind], entities[kind]) for kind in TYPES}
    return Nec(means[ALL], entities[ALL], missed, by_type)


def _names(pair: Pair) -> dict[int, set[tuple[str, ...]]]:
    """Return the names of each key entity that has any, as their words."""
    names: dict[int, set[tuple[str, ...]]] = {}
    for k, cluster in enumerate(pair.scored_key):
        of_entity = {_words(pair, mention) for mention in cluster if pair.kinds[mention] == NAME}
        # Parts of speech may tell a name whose words no file gives.
        of_entity.discard(())
        if of_entity:
            names[k] = of_entity
    return names


def _weights(pair: Pair, names: Mapping[int, set[tuple[str, ...]]]) -> dict[tuple[int, int], float]:
    """Return the F1 of mentions of each key entity and each response cluster that holds a name of it."""
    every = set().union(*names.values())
    lengths = sorted({len(name) for name in every})
    weights: dict[tuple[int, int], float] = {}
    held: dict[int, set[tuple[str, ...]]] = {}
    for k, of_entity in names.items():
        shared = Counter(pair.response_of[mention] for mention in pair.key[k])
        del shared[NOWHERE]
        for r, n in shared.items():
            if r not in held:
                held[r] = {run for run in _runs(pair, pair.response[r], lengths) if run in every}
            if not of_entity.isdisjoint(held[r]):
                weights[k, r] = _f1(n, len(pair.key[k]), len(pair.response[r]))
    return weights


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
