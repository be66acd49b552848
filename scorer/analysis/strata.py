"""How well mentions are found and linked, stratum by stratum: what is hard about a text.

Every mention of a side has exactly one value in each stratum, so sums over the values of a stratum
are those of all mentions.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.analysis.kinds import DocumentErrors
from scorer.analysis.pair import NOWHERE, Cluster, Pair
from scorer.analysis.text import NAME, NOMINAL, NONE, TYPES, ends
from scorer.comparison.resampling import Resampling, units_of
from scorer.count.assignment import align_clusters

if TYPE_CHECKING:
    from conll.errors import Side
    from scorer.comparison.resampling import Array


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
    for cell, ends_of in zip(cells, _intervals(cells, documents, resampling)):
        mentions, found, bcub, links, right = tally = totals[cell]
        parts = (found, mentions), (bcub, mentions), (right, links)
        shares = [
            Share(part / whole, *interval) if whole else Share(None)
            for (part, whole), interval in zip(parts, ends_of)
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
        for _ in cells:
            yield [(), (), ()]
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
            for cell, tally in document.items():
                if cell in place:
                    counts[place[cell], unit] += tally
        observed = significance.figures(counts, _shares)
        left_out = significance.jackknife(counts, _shares)
        replicates = significance.bootstrap(counts, _shares, trials=how.trials, seed=how.seed)
        for row in range(len(place)):
            ends_of: list[tuple[float, ...]] = []
            # What each share is a share of: mentions, mentions, links.
            for share, whole in enumerate((0, 0, 3)):
                has = counts[row, :, whole] > 0
                if has.sum() < 2:
                    ends_of.append(())
                    continue
                own = replicates[row, share]
                without = observed[row, share], left_out[row, share, has], [int(has.sum())]
                interval = significance.interval_of(
                    own[~np.isnan(own)], how.interval, how.confidence, partial(tuple, without)
                )
                ends_of.append(tuple(interval.tolist()))
            yield ends_of


def _shares(sums: Array) -> Array:
    import numpy as np

    mentions, found, bcub, links, right = sums
    parts, wholes = np.stack([found, bcub, right]), np.stack([mentions, mentions, links])
    return np.where(wholes > 0, parts / np.where(wholes > 0, wholes, 1), np.nan)


def _place(cell: Cell, totals: Mapping[Cell, Tally]) -> tuple[object, ...]:
    stratum, value, side = cell
    number = value.rstrip("+").partition("–")[0]
    known = STRATA.index(stratum) if stratum in STRATA else len(STRATA)
    both = sum(
        totals[stratum, value, one].mentions
        for one in ("key", "response")
        if (stratum, value, one) in totals
    )
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


class Mean(NamedTuple):
    """A sum of F1 over so many entities."""

    total: float = 0.0
    entities: int = 0

    @property
    def f1(self) -> float | None:
        """Return the mean F1; None of no entity."""
        return self.total / self.entities if self.entities else None

    def plus(self, other: Mean) -> Mean:
        """Add the entities of another document."""
        return Mean(self.total + other.total, self.entities + other.entities)


class Named(NamedTuple):
    """NEC of one document or of several.

    Attributes:
        all: F1 over all mentions of the key entities that have a name.
        by_type: the same over names, nominals and pronouns alone, of entities that have any.
        missed: the number of these entities that are aligned with no response cluster.
    """

    all: Mean
    by_type: Mapping[str, Mean]
    missed: int = 0

    @property
    def f1(self) -> float | None:
        """Return the mean F1 over these entities; None where no key entity has a name."""
        return self.all.f1

    @property
    def entities(self) -> int:
        """Count these entities."""
        return self.all.entities

    def plus(self, other: Named) -> Named:
        """Add the entities of another document."""
        by_type = {kind: mean.plus(other.by_type[kind]) for kind, mean in self.by_type.items()}
        return Named(self.all.plus(other.all), by_type, self.missed + other.missed)


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
    names = Counter(
        pair.text.said(pair.mentions[mention]) for mention in cluster if pair.kinds[mention] == NAME
    )
    if names:
        return names.most_common(1)[0][0]
    first = next((mention for mention in cluster if pair.kinds[mention] == NOMINAL), cluster[0])
    return pair.text.said(pair.mentions[first])


def nec(document: DocumentErrors) -> Named:
    """Named-entity coreference of one document (Agarwal, Subramanian, Nenkova and Roth, CRAC 2019).

    Key entities with a name are aligned with the response clusters that hold a name of theirs, one
    to one, so that the sum of the F1 of their mentions is greatest; one without a partner has 0. A
    cluster holds a name of an entity if the words of one of the entity's mentions that are names
    stand in the words of one of its mentions, whatever the case.
    """
    pair = document.pair
    names: dict[int, set[tuple[str, ...]]] = {}
    for k, cluster in enumerate(pair.scored_key):
        own = {_words(pair, mention) for mention in cluster if pair.kinds[mention] == NAME}
        # Parts of speech may tell a name whose words no file gives.
        own.discard(())
        if own:
            names[k] = own
    every = set().union(*names.values())
    lengths = sorted({len(name) for name in every})
    weights: dict[tuple[int, int], float] = {}
    held: dict[int, set[tuple[str, ...]]] = {}
    for k, own in names.items():
        shared = Counter(pair.response_of[mention] for mention in pair.key[k])
        for r, n in shared.items():
            if r == NOWHERE:
                continue
            if r not in held:
                held[r] = {run for run in _runs(pair, pair.response[r], lengths) if run in every}
            if not own.isdisjoint(held[r]):
                weights[k, r] = _f1(n, len(pair.key[k]), len(pair.response[r]))
    aligned = dict(align_clusters(weights)) if weights else {}
    by_type = dict.fromkeys(TYPES, Mean())
    for k in names:
        cluster = pair.response[aligned[k]] if k in aligned else []
        in_both = set(pair.key[k]).intersection(cluster)
        sizes, both = (
            Counter(pair.kinds[mention] for mention in mentions)
            for mentions in ([*pair.key[k], *cluster], in_both)
        )
        for kind in sizes:
            by_type[kind] = by_type[kind].plus(Mean(2 * both[kind] / sizes[kind], 1))
    total = sum(weights[pairing] for pairing in aligned.items())
    return Named(Mean(total, len(names)), by_type, len(names) - len(aligned))


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
