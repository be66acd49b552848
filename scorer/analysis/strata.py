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
from typing import TYPE_CHECKING, Any, NamedTuple

from scorer.analysis.document_errors import DocumentErrors
from scorer.analysis.pair import NONE, NOWHERE, Text, ends
from scorer.statistics.resampling import Resampling, missing_package, units_of

if TYPE_CHECKING:
    from scorer.statistics.significance import Array


STRATA: dict[str, tuple[int, ...]] = {
    "type": (),
    "entity": (),
    "class": (),
    "pos": (),
    "length": (1, 2, 3, 6, 11),
    "nesting": (),
    "singleton": (),
    "size": (1, 2, 3, 6, 21, 101, 1001),
    "spread": (0, 1, 100, 1000, 10000),
    "tokens": (0, 6, 21, 101),
    "sentences": (0, 1, 2, 4, 11),
    "between": (0, 1, 4, 11, 51),
}
"""The strata, and where values are numbers the first of each range; the last range is open.

Type of the mention; type of its entity; class of its cluster; part of speech of its head; its
length in tokens; whether it lies in another mention of its side or holds one; whether it is alone
in its cluster; the size of that; its spread; and the distance to its closest antecedent, from the
first word of one to the first word of the other in tokens and in sentences, and in mentions of its
side between them, `none` for a first mention, and for sentences where the files tell none."""

ENTITY = "entity"
CLASS = "class"
SIDES = ("key", "response")


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
    firsts = STRATA[stratum]
    return _range_name(firsts, bisect_right(firsts, number) - 1)


def _range_name(firsts: Sequence[int], at: int) -> str:
    """Return the name of one of the ranges that begin with these numbers."""
    first = firsts[at]
    if at + 1 == len(firsts):
        return f"{first:,}+"
    last = firsts[at + 1] - 1
    return f"{first:,}" if first == last else f"{first:,}–{last:,}"


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
        is_column = name in text.columns
        value = text.cell(name, mention) if is_column else attributes.get(name)
        values[stratum] = value or NONE
    return values


_NESTING = {
    (False, False): "neither",
    (False, True): "outside",
    (True, False): "inside",
    (True, True): "both",
}
"""The values of nesting by whether a mention lies in another one, and whether it holds one."""


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
        names[at] = _NESTING[greatest >= last, least <= last]
    return names


AT_ONCE = 1 << 20
"""Replicates of rows that are held at once."""

F1 = "F1"
"""The side of a row with the F1 of both sides."""

Ends = tuple[float | None, float | None]
"""The ends of an interval, None where there is none."""

NO_INTERVAL: Ends = (None, None)


class Stratum(NamedTuple):
    """A row: one side's mentions with one value of a stratum in all documents.

    A row of side `F1` follows where both sides have the value: the F1 of their shares.

    A share is None where there is nothing to share. Each share has the ends of its interval, None
    unless two units of documents or more have something to share.

    Attributes:
        stratum: The stratum.
        value: The value.
        side: The side: key, response, or F1 of both.
        mentions: How many mentions there are.
        found: The share of mentions that the other side has.
        found_low: The lower end of its interval.
        found_high: The upper end.
        bcub: The B³ recall (of the key) or precision (of the response) of the mentions.
        bcub_low: The lower end of its interval.
        bcub_high: The upper end.
        links: How many mentions have an antecedent; of a class, how many pairs there are.
        right: The share of links that are right.
        right_low: The lower end of its interval.
        right_high: The upper end.
    """

    stratum: str
    value: str
    side: str
    mentions: int | None = None
    found: float | None = None
    found_low: float | None = None
    found_high: float | None = None
    bcub: float | None = None
    bcub_low: float | None = None
    bcub_high: float | None = None
    links: int | None = None
    right: float | None = None
    right_low: float | None = None
    right_high: float | None = None


def rows_of(documents: Mapping[str, Mapping[Cell, Tally]], resampling: Resampling) -> list[Stratum]:
    """Make a row for each value of each stratum and side that occurs.

    Strata are in their order, ranges by number, other values by frequency. Of a row only the
    replicates and the units count in which there is something to share.

    Args:
        documents: The counts of each document, by name.
        resampling: How intervals are made: units of documents are drawn with replacement, the same
            for all rows.
    """
    totals: dict[Cell, Tally] = {}
    for counts in documents.values():
        for cell, tally in counts.items():
            totals[cell] = totals.get(cell, Tally()).plus(tally)
    cells = sorted(totals, key=lambda cell: _rank(cell, totals))
    rows: list[Stratum] = []
    intervals = _intervals(cells, documents, resampling)
    for cell, (found_ends, bcub_ends, right_ends) in zip(cells, intervals):
        stratum, value, side = cell
        tally = totals[cell]
        row = Stratum(
            stratum=stratum,
            value=value,
            side=side,
            mentions=tally.mentions,
            found=_share(tally.found, tally.mentions),
            found_low=found_ends[0],
            found_high=found_ends[1],
            bcub=_share(tally.bcub, tally.mentions),
            bcub_low=bcub_ends[0],
            bcub_high=bcub_ends[1],
            links=tally.links,
            right=_share(tally.right, tally.links),
            right_low=right_ends[0],
            right_high=right_ends[1],
        )
        key = rows[-1] if rows else row
        rows.append(row)
        # The row of the response follows that of the key.
        if side == "response" and key[:3] == (stratum, value, "key"):
            f1 = Stratum(
                stratum,
                value,
                F1,
                found=_f1(key.found, row.found),
                bcub=_f1(key.bcub, row.bcub),
                right=_f1(key.right, row.right),
            )
            rows.append(f1)
    return rows


def _f1(recall: float | None, precision: float | None) -> float | None:
    if recall is None or precision is None:
        return None
    total = recall + precision
    return 2 * recall * precision / total if total else 0.0


def _share(part: float, whole: int) -> float | None:
    return part / whole if whole else None


def _rank(cell: Cell, totals: Mapping[Cell, Tally]) -> tuple[object, ...]:
    stratum, value, side = cell
    key = totals.get((stratum, value, "key"), Tally())
    response = totals.get((stratum, value, "response"), Tally())
    return *rank_of_value(stratum, value, key.mentions + response.mentions), side


def rank_of_value(stratum: str, value: str, mentions: int) -> tuple[object, ...]:
    """Return what the values of strata are sorted by: stratum, then number or frequency."""
    # A column of a file is another stratum.
    firsts = STRATA.get(stratum, ())
    ranges = [_range_name(firsts, at) for at in range(len(firsts))]
    value_rank = (0, ranges.index(value)) if value in ranges else (1, -mentions)
    if stratum in STRATA:
        return list(STRATA).index(stratum), "", value_rank, value
    return len(STRATA), stratum, value_rank, value


def _intervals(
    cells: Sequence[Cell], documents: Mapping[str, Mapping[Cell, Tally]], how: Resampling
) -> Iterator[list[Ends]]:
    """Yield the ends of the intervals of the three shares of each row."""
    units = units_of(list(documents), how.unit)
    size = 1 + max(units, default=0)
    if size < 2 or missing_package() is not None:
        for _ in cells:
            yield [NO_INTERVAL] * 3
        return
    # Imported only here: errors are also analysed where numpy is missing.
    import numpy as np

    # A replicate of every share of every row at once would take much memory where a column has many
    # values.
    step = max(1, AT_ONCE // how.trials)
    for begin in range(0, len(cells), step):
        row_of = {cell: row for row, cell in enumerate(cells[begin : begin + step])}
        counts = np.zeros((len(row_of), size, len(Tally._fields)))
        for unit, document in zip(units, documents.values()):
            for cell in row_of.keys() & document.keys():
                counts[row_of[cell], unit] += document[cell]
        yield from _intervals_of(counts, how)


def _intervals_of(counts: Array, how: Resampling) -> Iterator[list[Ends]]:
    """Yield the intervals of the three shares of each row of counts: rows, units, tallies."""
    import numpy as np

    from scorer.statistics import significance
    from scorer.statistics.estimates import Estimate

    observed = significance.figures(counts, _shares)
    [leave_one_out] = significance.jackknife(counts, _shares)
    replicates = significance.bootstrap(counts, _shares, how)
    mentions, links = Tally._fields.index("mentions"), Tally._fields.index("links")
    for row in range(len(counts)):
        intervals: list[Ends] = [NO_INTERVAL] * 3
        for share, whole in enumerate((mentions, mentions, links)):
            has = counts[row, :, whole] > 0
            if has.sum() < 2:
                continue
            values = replicates[row, share]
            estimate = Estimate(
                how,
                values[~np.isnan(values)],
                observed[row, share],
                [leave_one_out[row, share, has]],
            )
            low, high = estimate.interval().tolist()
            intervals[share] = low, high
        yield intervals


def _shares(sums: Array) -> Array:
    """Return the three shares of sums of tallies, nan where there is nothing to share."""
    import numpy as np

    mentions, matched, bcub, links, right = sums
    parts = np.stack([matched, bcub, right])
    wholes = np.stack([mentions, mentions, links])
    return np.where(wholes > 0, parts / np.where(wholes > 0, wholes, 1), np.nan)
