"""How systems are compared. Without numpy, so that the commands can name the choices on any machine."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from math import floor, log10
from numbers import Real
from typing import TYPE_CHECKING

from conll.prose import meant
from scorer.patterns import compiled

if TYPE_CHECKING:
    from typing import Any

ALTERNATIVES = ("two-sided", "greater", "less")
"""What the p-value is for: the two systems differ, the first is better, the first is worse."""
METHODS = ("randomisation", "bootstrap")
"""What the p-value comes from."""
INTERVALS = ("expanded", "percentile", "bca")
"""How an interval is read off the bootstrap replicates."""
AVERAGES = ("micro", "macro")
"""What a figure is of: the totals of all documents, or the mean over them."""

SHOW = ("tier", "best", "letters", "ranks", "chances", "order")
"""What a table may say of how systems compare."""
SHOWN = ("tier", "letters")
"""What it says unless asked for more."""


def method_of(runs: str | None) -> str:
    """The method unless another is chosen: several runs of one system are for the bootstrap alone."""
    return Resampling.method if runs is None else "bootstrap"


def is_exact(documents: int, trials: int) -> bool:
    """Whether all 2^documents swaps are no more than the trials, so that `randomisation` enumerates them."""
    return documents < 63 and 2**documents <= trials


@dataclass(frozen=True)
class Resampling:
    """How systems are compared; ValueError for values that make no sense.

    `method`: what p-values come from, randomisation or bootstrap. `trials` of both. `seed`: same seed, same figures.
    `alternative`: two-sided, or that the first of two systems is greater or less. `interval`: expanded, percentile or bca, of
    bootstrap replicates whatever the method, two-sided whatever the alternative, with `confidence` in it. `unit`: which documents
    are resampled together: those that are a `part` of one, none (`document`), or those in whose names a regular expression captures
    the same. `average`: figures of the totals (micro), or means over documents (macro).
    """

    method: str = "randomisation"
    trials: int = 10_000
    seed: int = 0
    alternative: str = "two-sided"
    confidence: float = 0.95
    interval: str = "expanded"
    unit: str = "part"
    average: str = "micro"

    def __post_init__(self) -> None:
        words = (("method", METHODS), ("alternative", ALTERNATIVES), ("interval", INTERVALS), ("average", AVERAGES))
        for name, allowed in words:
            word = getattr(self, name)
            if word not in allowed:
                raise ValueError(f"{name}: {word!r} is not one of {', '.join(allowed)}{meant(word, allowed)}")
        for name in ("trials", "seed"):
            if not hasattr(getattr(self, name), "__index__"):
                raise ValueError(f"{name}: {getattr(self, name)!r} is no whole number")
        if self.trials < 1:
            raise ValueError(f"trials: {self.trials} is not 1 or more")
        if self.seed < 0:
            raise ValueError(f"seed: {self.seed} is not 0 or more")
        if not isinstance(self.confidence, Real) or not 0 < self.confidence < 1:
            raise ValueError(f"confidence: {self.confidence} is not between 0 and 1")
        try:
            compiled(self.unit)
        except ValueError as error:
            raise ValueError(f"unit: {error}") from None

    @property
    def interval_heading(self) -> str:
        """What stands above a column of intervals, such as `95% interval`."""
        return f"{100 * self.confidence:.15g}% interval"

    @property
    def notes(self) -> list[str]:
        """What figures are, where they are not what everybody expects."""
        return ["figures are means over documents (macro-average)"] if self.average == "macro" else []

    def is_exact(self, documents: int) -> bool:
        """Whether p-values over so many units of documents are exact."""
        return self.method == "randomisation" and is_exact(documents, self.trials)

    def written(self, p: float, documents: int, corrected: float | None = None) -> str:
        """A p-value over so many documents as tables show it, or the `corrected` value made from it.

        Where no trial reached the observed difference, p is only known to be below one in the number of trials, and its corrected
        value below a multiple of that: this limit is then shown after a <, rounded up.
        """
        value = p if corrected is None else corrected
        form = ".4f" if value >= 0.0001 else ".1e"
        if self.is_exact(documents) or round(p * (self.trials + 1)) > 1 or value == 1:
            return format(value, form)
        times = round(value * (self.trials + 1))
        digits = 4 if form == ".4f" else 1 - floor(log10(times / self.trials))
        return f"< {-(-times * 10**digits // self.trials) / 10**digits:{form}}"

    def signed(self, documents: int) -> dict[str, Any]:
        """What a signature says of it."""
        return asdict(self) | {"units": documents, "p": "exact" if self.is_exact(documents) else "approximate"}
