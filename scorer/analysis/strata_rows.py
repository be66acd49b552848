"""Rows of strata: how well mentions are found and linked in all documents, with intervals."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from scorer.analysis.strata import STRATA, Cell, Tally, ranges_of
from scorer.statistics.resampling import Resampling, missing_package, units_of

if TYPE_CHECKING:
    from scorer.statistics.significance import Array

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
    for cell, intervals in zip(cells, _intervals(cells, documents, resampling)):
        stratum, value, side = cell
        tally = totals[cell]
        found_ends, bcub_ends, right_ends = intervals
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
            rows.append(_f1_row(key, row))
    return rows


def _f1_row(key: Stratum, response: Stratum) -> Stratum:
    """Return the row of F1 of the shares of two sides."""
    return Stratum(
        stratum=key.stratum,
        value=key.value,
        side=F1,
        found=_f1(key.found, response.found),
        bcub=_f1(key.bcub, response.bcub),
        right=_f1(key.right, response.right),
    )


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
    ranges = ranges_of(stratum)
    value_rank = (1, -mentions)
    if value in ranges:
        value_rank = (0, ranges.index(value))
    if stratum in STRATA:
        return STRATA.index(stratum), "", value_rank, value
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
