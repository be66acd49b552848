"""Where `Contingency` stood before the rooms; it lives in `scorer.count.contingency`."""

from scorer.count.contingency import Contingency

__all__ = ["Contingency"]
