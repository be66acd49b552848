"""F1 of summed counts in fewer steps: tests of all pairs of many systems make nothing else, millions of times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scorer import registry
from scorer.comparison.significance import rounded
from scorer.count.counts import divide
from scorer.count.metric import ratios_of_first

if TYPE_CHECKING:
    from collections.abc import Callable

    from scorer.comparison.figures import Figures
    from scorer.comparison.significance import Array, Statistic


class _Columns:
    """Counts in columns of shape (systems, units); one that all systems share is the constant that it adds up to."""

    def __init__(self) -> None:
        self.kept: list[Array] = []

    def put(self, column: Array) -> Callable[[Array], Array | float]:
        """What finds the sums of the column among the sums of all."""
        if (column == column[0]).all():
            constant = float(rounded(column[:1, :, None]).sum())
            return lambda _: constant
        place = len(self.kept)
        self.kept.append(column)
        return lambda sums: sums[place]


def quick(figures: Figures, counts: Array) -> tuple[Array, Statistic] | None:
    """Fewer columns than `counts`, and what makes of their sums the F1s that `figures` makes of those of `counts`.

    With r = a / b and p = c / d, F1 = 2 · r · p / (r + p) is 2 · a · c / (a · d + c · b), and 2 · a / (b + d) where a = c. It is
    the same but for its last bits. None where a figure is no such F1 or mean of these.
    """
    of_metric = {metric.name: metric for metric in figures.metrics}
    if any(ratio != "f1" for _, ratio in figures.measures) or counts.min(initial=0) < 0:
        return None
    if any(metric.combine is not ratios_of_first for metric in of_metric.values()):
        return None
    columns = _Columns()
    halves = {name: _half(columns, *np.moveaxis(counts[:, :, figures.columns[name]], -1, 0)) for name in of_metric}
    needed = [registry.needed([name]) for name, _ in figures.measures]

    def f1s(sums: Array) -> Array:
        found = {name: half(sums) for name, half in halves.items()}
        shown = np.empty((len(needed), *sums.shape[1:]))
        for at, names in enumerate(needed):
            total = found[names[0]]
            for name in names[1:]:
                total = total + found[name]
            np.multiply(total, 2 / len(names), out=shown[at])
        return shown

    kept = np.stack(columns.kept, axis=-1) if columns.kept else np.zeros((*counts.shape[:2], 1))
    return kept, f1s


def _half(columns: _Columns, a: Array, b: Array, c: Array, d: Array) -> Callable[[Array], Array]:
    """What makes half of the F1 of a / b and c / d, each of them of shape (systems, units)."""
    if np.array_equal(a, c):
        over, below = columns.put(a), columns.put(b + d)
        ratio = _ratio(never_zero=_least(b + d) > 0)
        return lambda sums: ratio(over(sums), below(sums))
    right, of_key, found, of_response = map(columns.put, (a, b, c, d))
    ratio = _ratio(never_zero=min(_least(a), _least(d)) > 0 or min(_least(c), _least(b)) > 0)
    return lambda sums: ratio(right(sums) * found(sums), right(sums) * of_response(sums) + found(sums) * of_key(sums))


def _least(column: Array) -> float:
    """What the column adds up to at the least, whichever units two systems exchange."""
    return float(column.min(axis=0).sum())


def _ratio(*, never_zero: bool) -> Callable[..., Array]:
    """Division; looking for zeros takes as long as dividing."""
    return np.divide if never_zero else divide
