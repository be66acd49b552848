"""What functions make of clusters, or of pairs of them, kept from one document to the next."""

from __future__ import annotations

from types import FunctionType
from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.engine.jumps import Jumps

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from scorer.count.contingency import Number
    from scorer.engine.jumps import Places

    Ints = NDArray[np.int64]


class Kept:
    """What `f` makes of clusters or pairs, by their numbers, 0 at first.

    Of whole numbers there are the `values` and their `sum`. Fractions, whose sum depends on their order, are in `jumps` where they
    have `places`.
    """

    def __init__(self, f: Callable[..., Number], count: int, made: NDArray[Any], places: Places | None = None) -> None:
        self.f = f
        self.values = np.zeros(count, made.dtype)
        self.jumps = Jumps(places) if made.dtype.kind == "f" and places is not None else None
        self._sum = 0

    @property
    def whole(self) -> int | None:
        """The sum where the values are whole numbers."""
        return None if self.values.dtype.kind == "f" else int(self._sum)

    def set(self, numbers: Ints, values: NDArray[Any]) -> None:
        """Give these numbers, of which each is there once, these values."""
        if self.jumps is None:
            self._sum += values.sum() - self.values[numbers].sum()
            self.values[numbers] = values
        else:
            self.jumps.set(numbers, values)


class Memory:
    """What is kept of each function, as it is when it is first asked for; `kept` is to be renewed for each document."""

    def __init__(self, begin: Callable[[Callable[..., Number]], Kept]) -> None:
        self._begin = begin
        self._kept: dict[tuple[object, ...], Kept] = {}

    @property
    def kept(self) -> list[Kept]:
        return list(self._kept.values())

    def of(self, f: Callable[..., Number]) -> Kept:
        """What is kept of that function."""
        # A metric makes its function anew for each document. What one gives that holds no values depends on its code alone.
        if not isinstance(f, FunctionType) or f.__closure__ or f.__defaults__ or f.__kwdefaults__:
            return self._begin(f)
        name = f.__module__, f.__code__
        if name not in self._kept:
            self._kept[name] = self._begin(f)
        return self._kept[name]


def each(f: Callable[..., Number], *columns: Ints) -> NDArray[Any]:
    """What `f` makes of each row of these columns, be it the same of all."""
    made = f(*columns)
    return made if isinstance(made, np.ndarray) else np.full(len(columns[0]), made)
