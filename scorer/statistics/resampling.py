"""How to resample: the settings, the units of documents, and which figures there are."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from math import floor, log10
from numbers import Real
from typing import Any

from conll.errors import did_you_mean
from scorer import registry
from scorer.keywords import ResamplingKeywords
from scorer.options import BESIDE, TABLE, compiled, unknown_option

ALTERNATIVES = ("two-sided", "greater", "less")
"""What the p-value is for: the two systems differ, the first is better, the first is worse."""
METHODS = ("randomisation", "bootstrap")
"""What the p-value comes from."""
INTERVALS = ("expanded", "percentile", "bca")
"""How an interval is read off the bootstrap replicates."""
AVERAGES = ("micro", "macro")
"""What a figure is of: the totals of all documents, or the mean over them."""

MOST_TRIALS = 10**7
"""The most trials: their figures lie in memory, 8 bytes for each trial, system and measure."""

SHOW = ("tier", "best", "letters", "ranks", "chances")
"""What a table may say of how systems compare."""
SHOWN = ("tier", "letters")
"""What it says unless asked for more."""


def method_of(runs: str | None) -> str:
    """The method unless another is chosen: several runs of one system are for the bootstrap alone."""
    return Resampling.method if runs is None else "bootstrap"


def missing_package() -> str | None:
    """Return the package that intervals need and that cannot be imported; None if all are there."""
    for package in ("numpy", "scipy"):
        try:
            import_module(package)
        except ImportError:
            return package
    return None


def is_exact(documents: int, trials: int) -> bool:
    """Whether all 2^documents swaps are no more than the trials, so that `randomisation` enumerates them."""
    return documents < 63 and 2**documents <= trials


@dataclass(frozen=True)
class Resampling:
    """How systems are compared; ValueError for values that make no sense.

    `method`: what p-values come from, randomisation or bootstrap. `trials` of both. `seed`: same
    seed, same figures. `alternative`: two-sided, or that the first of two systems is greater or
    less. `interval`: expanded, percentile or bca, of bootstrap replicates whatever the method,
    two-sided whatever the alternative, with `confidence` in it. `unit`: which documents are
    resampled together: those that are a `part` of one, none (`document`), or those in whose names a
    regular expression captures the same. `average`: figures of the totals (micro), or means over
    documents (macro).
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
        words = {
            "method": METHODS,
            "alternative": ALTERNATIVES,
            "interval": INTERVALS,
            "average": AVERAGES,
        }
        for name, allowed in words.items():
            word = getattr(self, name)
            if word not in allowed:
                hint = did_you_mean(word, allowed)
                raise ValueError(f"{name}: {word!r} is not one of {', '.join(allowed)}{hint}")
        for name, least in (("trials", 1), ("seed", 0)):
            number = getattr(self, name)
            if not hasattr(number, "__index__"):
                raise ValueError(f"{name}: {number!r} is not a whole number")
            if number < least:
                raise ValueError(f"{name}: {number} is not {least} or more")
        if self.trials > MOST_TRIALS:
            raise ValueError(f"trials: {self.trials} is more than {MOST_TRIALS:,}; take fewer")
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
        macro = "figures are means over documents (macro-average)"
        return [macro] if self.average == "macro" else []

    def is_exact(self, documents: int) -> bool:
        """Whether p-values over so many units of documents are exact."""
        return self.method == "randomisation" and is_exact(documents, self.trials)

    def written(self, p: float, documents: int, corrected: float | None = None) -> str:
        """A p-value over so many documents as tables show it, or the `corrected` value made from it.

        Where no trial reached the observed difference, p is only known to be below one in the
        number of trials, and its corrected value below a multiple of that: this limit is then shown
        after a <, rounded up.
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
        return asdict(self) | {
            "units": documents,
            "p": "exact" if self.is_exact(documents) else "approximate",
        }


UNITS = ("part", "document")
"""Units that have a word; anything else is a regular expression."""

_PART = re.compile(r"(?<![^\W_])part[\W_]{0,2}\d+")
"""The part of a document in its name: `(bc/cctv/00/cctv_0000); part 001` in CoNLL's files."""


def units_of(names: Sequence[str], unit: str = "part") -> list[int]:
    """For each document, by name, the number of its unit, counted from 0 in the order in which they first appear.

    `unit`: `part`, documents whose names differ only in the number behind `part` are one;
    `document`, each is one by itself; else a regular expression, documents in whose names its first
    group (or all of it, where it has none) captures the same are one, and a document in whose name
    it is not found is one by itself. ValueError when it is not a regular expression.

    >>> units_of(["(a); part 000", "(a); part 001", "(b); part 000"])
    [0, 0, 1]
    >>> units_of(["nw/1", "nw/2", "bc/1", "other"], "^(.*)/")
    [0, 0, 1, 2]
    """
    if unit == "document":
        return list(range(len(names)))
    if unit == "part":
        units = [("part", _PART.sub("part", name)) for name in names]
    else:
        search = compiled(unit).search
        units = []
        for name in names:
            match = search(name)
            groups = () if match is None else (*match.groups(), match[0])
            units.append(("name", name) if match is None else ("group", groups[0] or ""))
    numbers: dict[tuple[str, str], int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in units]


def check_unit(names: Sequence[str], unit: str) -> None:
    """ValueError for a regular expression that is found in no name, which is a slip."""
    if unit not in UNITS and names and not any(map(compiled(unit).search, names)):
        raise ValueError(f"unit: {unit!r} matches no document name, such as {names[0]!r}")


def group_runs(names: Iterable[str], pattern: str) -> dict[str, list[str]]:
    r"""Group the names of runs by system.

    Args:
        names: The names of runs.
        pattern: A regular expression for the part of a name that differs between runs; the rest of
            the name is that of the system. A name that it does not match is a system of one run.

    Raises:
        ValueError: The pattern is not a regular expression, it matches a whole name, or each system
            has one run.

    >>> group_runs(["base-s1", "base-s2", "large"], "-s\\d+$")
    {'base': ['base-s1', 'base-s2'], 'large': ['large']}
    """
    search = compiled(pattern).search
    groups: dict[str, list[str]] = {}
    for name in names:
        match = search(name)
        system = name if match is None else name[: match.start()] + name[match.end() :]
        if not system:
            raise ValueError(
                f"runs: {pattern!r} matches the whole name {name!r}; match only the part that "
                "differs between runs"
            )
        groups.setdefault(system, []).append(name)
    if all(len(runs) == 1 for runs in groups.values()):
        raise ValueError(
            f"runs: {pattern!r} groups no responses; match the part of a name that differs "
            "between runs of one system"
        )
    return groups


def check_groups(names: Iterable[str], pattern: str | None, method: str) -> None:
    """Refuse runs before any is scored, where there is a pattern.

    Args:
        names: The names of runs.
        pattern: As for `group_runs`.
        method: That of the resampling.

    Raises:
        ValueError: As in `group_runs` and `check_runs`.
    """
    if pattern is None:
        return
    for system, runs in group_runs(dict.fromkeys(names), pattern).items():
        check_runs(system, len(runs), method)


def check_runs(system: str, runs: int, method: str) -> None:
    """Refuse to swap several runs at random, as swaps say nothing of how runs vary.

    Args:
        system: The name of the system.
        runs: The number of its runs.
        method: That of the resampling.

    Raises:
        ValueError: The method is randomisation, and there are several runs.
    """
    if runs > 1 and method == "randomisation":
        raise ValueError(
            f"method: {system!r} has several runs, which only the bootstrap can "
            "resample; use method bootstrap"
        )


RATIOS = ("recall", "precision", "f1")


def measures_of(metrics: Iterable[str]) -> list[tuple[str, str]]:
    """Pair each metric with its ratios; an average has an F1 only."""
    return [
        (metric, ratio)
        for metric in metrics
        for ratio in (RATIOS[2:] if metric in registry.AVERAGES else RATIOS)
    ]


def resampling_from(
    keywords: Mapping[str, Any], runs: str | None
) -> tuple[Resampling, dict[str, Any]]:
    """Split keywords into how to resample, by bootstrap for several runs, and the others.

    Raises:
        TypeError: A keyword is unknown.
    """
    names = ResamplingKeywords.__annotations__
    given = {name: value for name, value in keywords.items() if name in names}
    others = {name: value for name, value in keywords.items() if name not in names}
    known = [*BESIDE, *TABLE, *names]
    for name in others:
        if name not in known:
            raise unknown_option(name, known)
    return Resampling(**({"method": method_of(runs)} | given)), others
