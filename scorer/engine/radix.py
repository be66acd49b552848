"""Sorts integers by radix: several times faster than by comparing them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Ints = NDArray[np.signedinteger[Any]]


def argsort(keys: Ints, bound: int) -> Ints:
    """A stable argsort of integers in 0 … bound - 1; below 2**32 a radix sort, which numpy has for 16 bits only."""
    if bound <= 1 << 16:
        return np.argsort(keys.astype(np.uint16), kind="stable").astype(np.int32)
    if bound <= 1 << 32:
        order = np.argsort(keys.astype(np.uint16), kind="stable").astype(np.int32)
        return order[np.argsort((keys >> 16).astype(np.uint16)[order], kind="stable").astype(np.int32)]
    return np.argsort(keys, kind="stable").astype(np.int32)
