"""The power of a t-test, and the smallest difference that it finds, before there is one to test.

The statistic of a figure with a standard error has the noncentral t distribution.
"""

from __future__ import annotations

import numpy as np
import scipy


def power_of(difference: float, error: float, freedom: float, level: float = 0.05) -> float:
    """Compute how often a two-sided t-test finds a true difference.

    Args:
        difference: The true difference.
        error: The standard error of its estimate, above 0.
        freedom: The degrees of freedom from which the error is known.
        level: The level of the test.

    Examples:
        >>> round(power_of(1, (2 / 20) ** 0.5, 38), 4)
        0.869
    """
    end = -float(scipy.special.stdtrit(freedom, level / 2))
    shift = abs(difference) / error
    # What is too small to compute is not a number.
    missed, reverse = np.nan_to_num(scipy.special.nctdtr(freedom, shift, [end, -end])).tolist()
    power: float = 1 - missed + reverse
    return power


def check_power(power: float, level: float) -> None:
    """Raise ValueError unless a power is between the level and 1."""
    if not level < power < 1:
        raise ValueError(f"power: {power} is not between {level:.3g} and 1")


def detectable(power: float, error: float, freedom: float, level: float = 0.05) -> float:
    """Find the smallest difference that a two-sided t-test finds often enough.

    Args:
        power: How often it is to be found.
        error: As in `power_of`.
        freedom: As in `power_of`.
        level: As in `power_of`.

    Raises:
        ValueError: The power is not between the level and 1.

    Examples:
        >>> round(detectable(0.869, (2 / 20) ** 0.5, 38), 2)
        1.0
    """
    check_power(power, level)

    def excess(shift: float) -> float:
        return power_of(shift, 1, freedom, level) - power

    return float(error * scipy.optimize.brentq(excess, 0, 1000))
