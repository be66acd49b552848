"""Put the mentions of a document into strata, and count how many are found and linked.

Every mention of a side has exactly one value in each stratum, so sums over the values of a stratum
are those of all mentions.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, chain
from math import comb, inf
from operator import add
from typing import Any, NamedTuple

from scorer.analysis.document_errors import DocumentErrors
from scorer.analysis.pair import NOWHERE
from scorer.analysis.text import NONE, Text, ends

STRATA = (
    "type",
    "entity",
    "class",
    "pos",
    "length",
    "nesting",
    "singleton",
    "size",
    "spread",
    "tokens",
    "sentences",
    "between",
)
"""Type of the mention; type of its entity; class of its cluster; part of speech of its head; its
length in tokens; whether it lies in another mention of its side or holds one; whether it is alone
in its cluster; the size of that; its spread; and the distance to its closest antecedent, from the
first word of one to the first word of the other in tokens and in sentences, and in mentions of its
side between them, `none` for a first mention, and for sentences where the files tell none."""

ENTITY = "entity"
CLASS = "class"
SIDES = ("key", "response")

_RANGES = {
    "length": (1, 2, 3, 6, 11),
    "size": (1, 2, 3, 6, 21, 101, 1001),
    "spread": (0, 1, 100, 1000, 10000),
    "tokens": (0, 6, 21, 101),
    "sentences": (0, 1, 2, 4, 11),
    "between": (0, 1, 4, 11, 51),
}
"""The first number of each range; the last range is open."""


class Tally(NamedTuple):
    """Counts of the mentions of one side with one value.

    Attributes:
        mentions: How many there are.
        found: How many the other side has too.
        bcub: The sum of their B³ recall (of the key) or precision (of the response).
        links: How many have an antecedent; of a class, how many pairs are in one cluster.
        right: How many links to the closest antecedent are right; of a class, how many pairs.
    """

    mentions: int = 0
    found: int = 0
    bcub: float = 0.0
    links: int = 0
    right: int = 0

    def plus(self, other: Tally) -> Tally:
        """Return the sum of two tallies."""
        return Tally(*map(add, self, other))


Cell = tuple[str, str, str]
"""Stratum, value, side."""


def in_range(stratum: str, number: int) -> str:
    """Return the range of a stratum in which a number lies.

    Examples:
        >>> in_range("size", 3), in_range("size", 1001), in_range("sentences", 0)
        ('3–5', '1,001+', '0')
    """
    firsts = _RANGES[stratum]
    return _range_name(firsts, bisect_right(firsts, number) - 1)


def _range_name(firsts: Sequence[int], at: int) -> str:
    """Return the name of one of the ranges that begin with these numbers."""
    first = firsts[at]
    if at + 1 == len(firsts):
        return f"{first:,}+"
    last = firsts[at + 1] - 1
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"


def ranges_of(stratum: str) -> list[str]:
    """List the ranges of a stratum in their order; none if its values are no numbers."""
    firsts = _RANGES.get(stratum, ())
    return [_range_name(firsts, at) for at in range(len(firsts))]


def tallies(
    document: DocumentErrors,
    columns: Sequence[str] = (),
    group: str | None = None,
    typed: Collection[str] = SIDES,
) -> dict[Cell, Tally]:
    """Count the mentions of a document by stratum, value and side.

    Args:
        document: The document.
        columns: Columns and attributes of mentions that are further strata.
        group: The group in which the document is, None without groups.
        typed: The sides whose files tell types of entities; the others have no types and classes.
    """
    pair = document.pair
    counts: dict[Cell, list[Any]] = {}
    for side, own_of, other_of in (
        ("key", pair.scored_key_of, pair.response_of),
        ("response", pair.response_of, pair.scored_key_of),
    ):
        common = Counter(zip(own_of, other_of))
        for mention, before, size, values in described(document, side, columns, group):
            other = other_of[mention]
            is_found = other != NOWHERE
            is_linked = before != NOWHERE
            share = common[own_of[mention], other] / size if is_found else 0.0
            is_right = is_linked and is_found and other_of[before] == other
            numbers = 1, is_found, share, is_linked, is_right
            for stratum, value in values.items():
                if stratum == CLASS or (stratum == ENTITY and side not in typed):
                    continue
                tally = counts.setdefault((stratum, value, side), [0, 0, 0.0, 0, 0])
                for at, number in enumerate(numbers):
                    tally[at] += number
    by_cell = {cell: Tally(*numbers) for cell, numbers in counts.items()}
    for side in typed:
        by_cell |= _class_tallies(document, side, typed)
    return by_cell


def _class_tallies(
    document: DocumentErrors, side: str, typed: Collection[str]
) -> dict[Cell, Tally]:
    """Count the mentions of a side by the class of their clusters.

    A mention is found if the other side has it in a cluster of the same class, or in any cluster if
    the other side has no classes. Links are all pairs of mentions of a cluster, and right if both
    are found in one cluster.
    """
    pair = document.pair
    clusters, other_of, other_side = pair.scored_key, pair.response_of, "response"
    if side == "response":
        clusters, other_of, other_side = pair.response, pair.scored_key_of, "key"
    other_classes = classes_of(document, other_side)
    tallies: dict[Cell, Tally] = {}
    for own_class, cluster in zip(classes_of(document, side), clusters):
        if not cluster:
            continue
        common = Counter(other_of[mention] for mention in cluster)
        del common[NOWHERE]
        mentions = pairs = squares = 0
        for other, number in common.items():
            squares += number * number
            if other_side not in typed or other_classes[other] == own_class:
                mentions += number
                pairs += comb(number, 2)
        tally = Tally(
            mentions=len(cluster),
            found=mentions,
            bcub=squares / len(cluster),
            links=comb(len(cluster), 2),
            right=pairs,
        )
        cell = CLASS, own_class, side
        tallies[cell] = tallies.get(cell, Tally()).plus(tally)
    return tallies


def classes_of(document: DocumentErrors, side: str) -> list[str]:
    """Return the class of each cluster of a side: the most frequent label of its mentions.

    Of labels that are equally frequent the first in the text counts; without any, the class is
    `NONE`.
    """
    pair = document.pair
    entity_labels = document.entity_labels(side)
    classes = []
    for cluster in pair.scored_key if side == "key" else pair.response:
        labels = Counter(entity_labels.get(pair.mentions[mention], NONE) for mention in cluster)
        del labels[NONE]
        # Of equals the first that was counted comes first.
        classes.append(labels.most_common(1)[0][0] if labels else NONE)
    return classes


def _spread(text: Text, first: Any, last: Any) -> str:
    """Return the range of words from the head of one mention to that of another one."""
    begin, end = _anchor(text, first), _anchor(text, last)
    return NONE if begin < 0 or end < 0 else in_range("spread", abs(end - begin))


def _anchor(text: Text, mention: Any) -> int:
    """Return the head of a mention, its first word if no head is known, -1 without words."""
    head = text.head(mention)
    return head if isinstance(head, int) else ends(mention)[0]


class Described(NamedTuple):
    """A mention of one side with its value in each stratum.

    Attributes:
        number: Its number.
        before: The mention before it in its cluster, `NOWHERE` of the first one.
        size: The size of its cluster.
        values: Its values by stratum.
    """

    number: int
    before: int
    size: int
    values: dict[str, str]


def described(
    document: DocumentErrors, side: str, columns: Sequence[str] = (), group: str | None = None
) -> Iterator[Described]:
    """Yield the mentions of a side as it is scored, with their values in each stratum.

    Args:
        document: The document.
        side: The side: key or response.
        columns: As in `tallies`.
        group: As in `tallies`.
    """
    pair, text = document.pair, document.pair.text
    clusters = pair.scored_key if side == "key" else pair.response
    attributes, entity_labels = document.attributes(side), document.entity_labels(side)
    own = sorted(chain.from_iterable(clusters))
    order = {mention: at for at, mention in enumerate(own)}
    nesting = _nesting([ends(pair.mentions[mention]) for mention in own])
    for own_class, cluster in zip(classes_of(document, side), clusters):
        if not cluster:
            continue
        by_cluster = {
            CLASS: own_class,
            "singleton": "yes" if len(cluster) == 1 else "no",
            "size": in_range("size", len(cluster)),
            "spread": _spread(text, pair.mentions[cluster[0]], pair.mentions[cluster[-1]]),
        }
        for before, mention in zip([NOWHERE, *cluster], cluster):
            mention_as_read = pair.mentions[mention]
            own_attributes = attributes.get(mention_as_read, {})
            first, last = ends(mention_as_read)
            values = {
                "type": pair.kinds[mention],
                ENTITY: entity_labels.get(mention_as_read, NONE),
                "pos": text.tag(mention_as_read),
                "length": NONE if first < 0 else in_range("length", last - first + 1),
                "nesting": nesting[order[mention]],
            }
            values |= by_cluster
            if before == NOWHERE:
                values |= dict.fromkeys(("tokens", "sentences", "between"), NONE)
            else:
                values |= _distances(text, ends(pair.mentions[before])[0], first)
                between = order[mention] - order[before] - 1
                values["between"] = in_range("between", between)
            if group is not None:
                values["group"] = group
            values |= _further_values(text, mention_as_read, own_attributes, columns)
            yield Described(mention, before, len(cluster), values)


def _distances(text: Text, start: int, first: int) -> dict[str, str]:
    """Return the distances between the first words of two mentions, which are -1 where unknown."""
    values = {"tokens": NONE, "sentences": NONE}
    if start >= 0 and first >= 0:
        values["tokens"] = in_range("tokens", first - start)
        if text.starts:
            distance = text.sentence(first) - text.sentence(start)
            values["sentences"] = in_range("sentences", distance)
    return values


def _further_values(
    text: Text, mention: Any, attributes: Mapping[str, str], columns: Iterable[str]
) -> dict[str, str]:
    """Return the values of a mention in the strata of columns and attributes."""
    values = {}
    for name in columns:
        # A column with the name of a stratum is another one.
        stratum = f"{name} in the file" if name in {*STRATA, "group"} else name
        if name in text.columns:
            values[stratum] = text.cell(name, mention)
        else:
            values[stratum] = attributes.get(name) or NONE
    return values


def _nesting(spans: Sequence[tuple[int, int]]) -> list[str]:
    """Return whether each span lies inside another one, holds one (outside), both, or neither."""
    names = ["neither"] * len(spans)
    # Of spans that begin together the longer one comes first.
    order = sorted(range(len(spans)), key=lambda at: (spans[at][0], -spans[at][1]))
    order = [at for at in order if spans[at][0] >= 0]
    lasts = [spans[at][1] for at in order]
    # Of the spans before each the greatest end, and of those after each the least.
    before = accumulate(lasts, max, initial=-1)
    after = [inf, *accumulate(reversed(lasts), min)][len(lasts) - 1 :: -1]
    for at, last, greatest, least in zip(order, lasts, before, after):
        is_inside, is_outside = greatest >= last, least <= last
        if is_inside and is_outside:
            names[at] = "both"
        elif is_inside:
            names[at] = "inside"
        elif is_outside:
            names[at] = "outside"
    return names
