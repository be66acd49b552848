"""The former place of `Contingency`, which now lives in `scorer.count.contingency`."""

from scorer.count.contingency import Contingency

__all__ = ["Contingency"]
