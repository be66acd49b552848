"""How large a difference must be to be found, before there is one to test.

Of a figure with a standard error, known from so many degrees of freedom, the t-test's statistic has the noncentral t distribution.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import isnan


@dataclass(frozen=True)
class Detectable:
    """The smallest difference of a figure that a two-sided test would find with some power.

    `second` is empty where only one system is known: the difference is then from another one that is as good and varies as much.
    `error`: the standard error of the difference.
    """

    first: str
    second: str
    metric: str
    ratio: str
    error: float
    difference: float


def power_of(difference: float, error: float, freedom: float, level: float = 0.05) -> float:
    """How often a two-sided t-test of that level finds a true difference, given its standard error and degrees of freedom.

    >>> round(power_of(1, (2 / 20) ** 0.5, 38), 4)
    0.869
    """
    from scipy.special import nctdtr, stdtrit

    end = -float(stdtrit(freedom, level / 2))
    shift = abs(difference) / error
    missed, reverse = float(nctdtr(freedom, shift, end)), float(nctdtr(freedom, shift, -end))
    # What is too small to compute is no number.
    return 1 - (0.0 if isnan(missed) else missed) + (0.0 if isnan(reverse) else reverse)


def check_power(power: float, correlation: float, level: float) -> None:
    """ValueError for a power that is not between the level and 1, or a correlation that is not from -1 to below 1."""
    if not -1 <= correlation < 1:
        raise ValueError(f"correlation: {correlation} is not from -1 to below 1")
    if not level < power < 1:
        raise ValueError(f"power: {power} is not between {level:.3g} and 1")


def detectable(power: float, error: float, freedom: float, level: float = 0.05) -> float:
    """The smallest difference that `power_of` finds that often; ValueError for a power that is not between the level and 1.

    >>> round(detectable(0.869, (2 / 20) ** 0.5, 38), 2)
    1.0
    """
    from scipy.optimize import brentq

    check_power(power, 0.0, level)
    if error <= 0:
        return 0.0
    return float(error * brentq(lambda shift: power_of(shift, 1, freedom, level) - power, 0, 1000))
