"""How well mentions are found and linked, stratum by stratum: what is hard about a text.

Every mention of a side has exactly one value in each stratum, so sums over the values of a stratum
are those of all mentions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain, repeat
from math import inf
from operator import add
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.analysis.kinds import DocumentErrors
from scorer.analysis.pair import NOWHERE, Cluster, Pair
from scorer.analysis.text import NAME, NOMINAL, NONE, TYPES, ends
from scorer.count.assignment import align_clusters
from scorer.statistics.resampling import Resampling, units_of

if TYPE_CHECKING:
    from scorer.statistics.significance import Array


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
    "length": (1, 2, 3, 6, 11),
    "size": (1, 2, 3, 6, 21),
    "tokens": (0, 6, 21, 101),
    "sentences": (0, 1, 2, 4, 11),
    "between": (0, 1, 4, 11, 51),
}
"""The first number of each range; the last range is open."""


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


class Stratum(NamedTuple):
    """A row: one side's mentions with one value of a stratum in all documents.

    How many `mentions` and `links` to an antecedent there are; the shares of mentions that the
    other side has (`found`), their B³ recall or precision (`bcub`), and the share of `right` links,
    None where there is nothing to share. Each share with the ends of its interval, None unless two
    units of documents or more have something to share.
    """

    stratum: str
    value: str
    side: str
    mentions: int
    found: float | None
    found_low: float | None
    found_high: float | None
    bcub: float | None
    bcub_low: float | None
    bcub_high: float | None
    links: int
    right: float | None
    right_low: float | None
    right_high: float | None


AT_ONCE = 1 << 20
"""Replicates of rows that are held at once."""

Cell = tuple[str, str, str]
"""Stratum, value, side."""


def in_range(stratum: str, number: int) -> str:
    """Return the range of a stratum in which a number lies.

    >>> in_range("size", 3), in_range("size", 21), in_range("sentences", 0)
    ('3–5', '21+', '0')
    """
    firsts = _RANGES[stratum]
    at = bisect_right(firsts, number)
    if at == len(firsts):
        return f"{firsts[-1]}+"
    first, last = firsts[at - 1], firsts[at] - 1
    return str(first) if first == last else f"{first}–{last}"


def tallies(
    document: DocumentErrors, by: Sequence[str] = (), group: str | None = None
) -> dict[Cell, Tally]:
    """Count the mentions of a document by stratum, value and side.

    Args:
        document: the document.
        by: columns and attributes of mentions that are further strata.
        group: the group in which the document is, None without groups.
    """
    pair = document.pair
    counts: dict[Cell, list[Any]] = {}
    for side, own_of, other_of in (
        ("key", pair.scored_key_of, pair.response_of),
        ("response", pair.response_of, pair.scored_key_of),
    ):
        common = Counter(zip(own_of, other_of))
        for mention, before, size, values in described(document, side, by, group):
            other = other_of[mention]
            found = other != NOWHERE
            linked = before != NOWHERE
            share = common[own_of[mention], other] / size if found else 0.0
            right = linked and found and other_of[before] == other
            for stratum, value in values.items():
                tally = counts.setdefault((stratum, value, side), [0, 0, 0.0, 0, 0])
                for at, number in enumerate((1, found, share, linked, right)):
                    tally[at] += number
    return {cell: Tally(*numbers) for cell, numbers in counts.items()}


def described(
    document: DocumentErrors, side: str, by: Sequence[str] = (), group: str | None = None
) -> Iterator[tuple[int, int, int, dict[str, str]]]:
    """Yield the mentions of a side as it is scored, with their values in each stratum.

    With each come the mention before it in its cluster (`NOWHERE` of the first one) and the size of
    that. `by` and `group` are as in `tallies`.
    """
    pair, text = document.pair, document.pair.text
    clusters = pair.scored_key if side == "key" else pair.response
    attributes = document.attributes(side)
    own = sorted(chain.from_iterable(clusters))
    place = {mention: at for at, mention in enumerate(own)}
    nested = _nesting([ends(pair.mentions[mention]) for mention in own])
    for cluster in clusters:
        for before, mention in zip([NOWHERE, *cluster], cluster):
            written = pair.mentions[mention]
            first, last = ends(written)
            said = attributes.get(written, {})
            tokens = sentences = between = NONE
            if before != NOWHERE:
                between = in_range("between", place[mention] - place[before] - 1)
                start = ends(pair.mentions[before])[0]
                if first >= 0 and start >= 0:
                    tokens = in_range("tokens", first - start)
                    if text.starts:
                        distance = text.sentence(first) - text.sentence(start)
                        sentences = in_range("sentences", distance)
            values = {
                "type": pair.kinds[mention],
                "entity": said.get("etype") or text.label(written),
                "pos": text.tag(written),
                "length": NONE if first < 0 else in_range("length", last - first + 1),
                "nesting": nested[place[mention]],
                "singleton": "yes" if len(cluster) == 1 else "no",
                "size": in_range("size", len(cluster)),
                "tokens": tokens,
                "sentences": sentences,
                "between": between,
            }
            if group is not None:
                values["group"] = group
            for name in by:
                # What a file says beside a stratum of the same name is another one.
                stratum = f"{name} in the file" if name in {*STRATA, "group"} else name
                if name in text.columns:
                    values[stratum] = text.cell(name, written)
                else:
                    values[stratum] = said.get(name) or NONE
            yield mention, before, len(cluster), values


def _nesting(spans: Sequence[tuple[int, int]]) -> list[str]:
    """Say of each span whether it lies inside another one, holds one (outside), both, or neither."""
    names = ["neither"] * len(spans)
    order = sorted(
        (at for at, span in enumerate(spans) if span[0] >= 0),
        key=lambda at: (spans[at][0], -spans[at][1]),
    )
    lasts = [spans[at][1] for at in order]
    # Of the spans before each the greatest end, and of those after each the least.
    before = accumulate(lasts, max, initial=-1)
    after = [*accumulate(reversed(lasts), min)][::-1][1:]
    for at, last, greatest, least in zip(order, lasts, before, [*after, inf]):
        inside, outside = greatest >= last, least <= last
        if inside or outside:
            names[at] = "both" if inside and outside else "inside" if inside else "outside"
    return names


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
        mentions, found, bcub, links, right = totals[cell]
        shares = (
            (part / whole if whole else None, *ends)
            for part, whole, ends in zip(
                (found, bcub, right), (mentions, mentions, links), intervals
            )
        )
        of_found, of_bcub, of_right = shares
        rows.append(Stratum(*cell, mentions, *of_found, *of_bcub, links, *of_right))
    return rows


def _intervals(
    cells: Sequence[Cell], documents: Mapping[str, Mapping[Cell, Tally]], how: Resampling
) -> Iterator[list[tuple[float | None, float | None]]]:
    """Yield the ends of the intervals of the three shares of each row, None where there are none."""
    units = units_of(list(documents), how.unit)
    size = 1 + max(units, default=0)
    if size < 2:
        yield from repeat([(None, None)] * 3, len(cells))
        return
    # Only here: the page of a submission is also made where numpy is missing.
    import numpy as np

    from scorer.statistics import significance

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
        replicates = significance.bootstrap(counts, _shares, how)
        for row in range(len(place)):
            intervals: list[tuple[float | None, float | None]] = [(None, None)] * 3
            # What each share is a share of: mentions, mentions, links.
            for share, whole in enumerate((0, 0, 3)):
                has = counts[row, :, whole] > 0
                if has.sum() > 1:
                    values = replicates[row, share]
                    values, value = values[~np.isnan(values)], observed[row, share]
                    estimate = significance.Estimate(
                        how, values, value, [left_out[row, share, has]]
                    )
                    low, high = estimate.interval().tolist()
                    intervals[share] = low, high
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
    both = sum(totals.get((stratum, value, name), Tally()).mentions for name in ("key", "response"))
    ranked = (0, int(number)) if stratum in _RANGES and number.isdecimal() else (1, -both)
    return known, "" if stratum in STRATA else stratum, ranked, value, side


class Entity(NamedTuple):
    """A key cluster beside a response cluster.

    It is the one with which it has the greatest F1 of mentions, the first of equals; without one
    its label is empty. `name`: its most frequent name, the first of equals; else its first nominal,
    else its first mention. `common` mentions of `size` of the key's and `response_size` of the
    response's. `line` of its first mention. `cost` is size × (1 − F1).
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
    """Yield the entities of one document, in the order of the key."""
    pair = document.pair
    for k, cluster in enumerate(pair.scored_key):
        if not cluster:
            continue
        common = Counter(pair.response_of[mention] for mention in cluster)
        del common[NOWHERE]
        f1s = {r: _f1(n, len(cluster), len(pair.response[r])) for r, n in common.items()}
        best = max(f1s, key=lambda r: (f1s[r], -r), default=NOWHERE)
        size = len(pair.response[best]) if best != NOWHERE else 0
        f1 = f1s.get(best, 0.0)
        yield Entity(
            document=document.name,
            line=document.line("key", cluster[0]),
            cluster=pair.key_labels[k],
            name=pair.text.said(pair.mentions[naming_mention(pair, cluster)]),
            size=len(cluster),
            response_cluster=pair.response_labels[best],
            response_size=size,
            common=common[best],
            recall=common[best] / len(cluster),
            precision=common[best] / size if size else 0.0,
            f1=f1,
            cost=len(cluster) * (1 - f1),
        )


def naming_mention(pair: Pair, cluster: Cluster) -> int:
    """Return the mention whose words an entity is called by; see `Entity`."""
    names = {
        mention: pair.text.said(pair.mentions[mention])
        for mention in cluster
        if pair.kinds[mention] == NAME
    }
    if names:
        [(best, _)] = Counter(names.values()).most_common(1)
        return next(mention for mention, words in names.items() if words == best)
    return next((mention for mention in cluster if pair.kinds[mention] == NOMINAL), cluster[0])


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
            sizes = Counter(pair.kinds[mention] for mention in chain(pair.key[k], cluster))
            both = Counter(pair.kinds[mention] for mention in in_both)
            for kind, size in sizes.items():
                sums[kind] += 2 * both[kind] / size
                entities[kind] += 1
        for kind, value in sums.items():
            totals[kind] += value
    means = {kind: totals[kind] / n if (n := entities[kind]) else None for kind in totals}
    by_type = {kind: (means[kind], entities[kind]) for kind in TYPES}
    return Nec(means[ALL], entities[ALL], missed, by_type)


def _names(pair: Pair) -> dict[int, set[str]]:
    """Return the names of each key entity that has any."""
    names = {
        k: {_folded(pair, mention) for mention in cluster if pair.kinds[mention] == NAME}
        for k, cluster in enumerate(pair.scored_key)
    }
    # Parts of speech may tell a name whose words no file gives.
    known = {k: of_entity - {""} for k, of_entity in names.items()}
    return {k: of_entity for k, of_entity in known.items() if of_entity}


def _weights(pair: Pair, names: Mapping[int, set[str]]) -> dict[tuple[int, int], float]:
    """Return the F1 of mentions of each key entity and each response cluster that holds a name of it."""
    weights: dict[tuple[int, int], float] = {}
    texts: dict[int, str] = {}
    for k, of_entity in names.items():
        shared = Counter(pair.response_of[mention] for mention in pair.key[k])
        del shared[NOWHERE]
        for r, n in shared.items():
            if r not in texts:
                texts[r] = "\n".join({_folded(pair, mention) for mention in pair.response[r]})
            if any(name in texts[r] for name in of_entity):
                weights[k, r] = _f1(n, len(pair.key[k]), len(pair.response[r]))
    return weights


def _folded(pair: Pair, mention: int) -> str:
    """Return the words of a mention in small letters, each between tabs; "" where none is known."""
    first, last = ends(pair.mentions[mention])
    words = pair.text.words[first : last + 1]
    return "\t{}\t".format("\t".join(words)).casefold() if words else ""
