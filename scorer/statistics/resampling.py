"""The settings of resampling, the units of documents, the runs of systems, and the figures."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import import_module
from math import floor, log10
from numbers import Real
from typing import Any, NamedTuple

from conll.errors import check_choice, shown
from scorer import registry
from scorer.keywords import ResamplingKeywords
from scorer.options import BESIDE, TABLE, compiled, unknown_option

ALTERNATIVES = {"two-sided": 2, "greater": 1, "less": 1}
"""The alternatives of the p-value and how many sides each has: the systems differ, the first is
better, the first is worse."""
INTERVALS = ("expanded", "percentile")
"""The ways to read an interval off the bootstrap replicates."""
AVERAGES = {"micro": (), "macro": ("figures are means over documents (macro-average)",)}
"""A figure is of the totals of all documents, or the mean over them; notes on what few expect."""

MOST_TRIALS = 10**7
"""The most trials: their figures lie in memory, 8 bytes for each trial, system and measure."""


def smallest_p(documents: int, alternative: str = "two-sided") -> float:
    """Return the smallest p-value that randomisation can give two systems.

    Of the 2^documents outcomes, the observed one reaches the observed difference, and two-sided its
    mirror image does, however many the trials.

    Args:
        documents: The number of documents in which the systems differ.
        alternative: As in `Resampling`.

    Examples:
        >>> smallest_p(4)
        0.125
    """
    return min(1.0, ALTERNATIVES[alternative] * 0.5**documents)


def is_exact(documents: int, trials: int) -> bool:
    """Return whether `randomisation` enumerates all swaps: 2^documents, no more than the trials."""
    return documents < 63 and 2**documents <= trials


class Method(NamedTuple):
    """A source of p-values, which `scorer.systems.resampled.P_VALUES` computes.

    Attributes:
        takes_runs: Whether it can resample the runs of a system.
        smallest_p: Returns the smallest p-value, before correction, that so many units of documents
            can give by an alternative.
        is_exact: Returns whether p-values over so many units, with so many trials, are exact.
    """

    takes_runs: bool
    smallest_p: Callable[[int, str], float]
    is_exact: Callable[[int, int], bool]


METHODS = {
    "randomisation": Method(takes_runs=False, smallest_p=smallest_p, is_exact=is_exact),
    "bootstrap": Method(takes_runs=True, smallest_p=lambda *_: 0.0, is_exact=lambda *_: False),
}
"""The sources of p-values by name."""

CHOICES = {
    "method": tuple(METHODS),
    "alternative": tuple(ALTERNATIVES),
    "interval": INTERVALS,
    "average": tuple(AVERAGES),
}
"""The values to choose from of settings of resampling."""


def method_of(runs: str | None) -> str:
    """Return the method unless another is chosen: several runs are for the bootstrap alone."""
    return Resampling.method if runs is None else "bootstrap"


def missing_package() -> str | None:
    """Return the package that intervals need and that cannot be imported; None if all are there."""
    for module in ("numpy", "scipy.special"):
        try:
            import_module(module)
        except ImportError:
            return module.partition(".")[0]
    return None


@dataclass(frozen=True)
class Resampling:
    """The settings by which systems are compared.

    Attributes:
        method: The source of p-values: randomisation or bootstrap.
        trials: The number of trials of both.
        seed: The seed of random numbers; the same seed gives the same figures.
        alternative: two-sided, or that the first of two systems is greater or less.
        confidence: The level of intervals and tests.
        interval: expanded or percentile: of bootstrap replicates whatever the method,
            two-sided whatever the alternative.
        unit: The documents that are resampled together: those that are a `part` of one, none
            (`document`), or those in whose names a regular expression captures the same.
        average: Figures are of the totals (micro), or means over documents (macro).

    Raises:
        ValueError: A value makes no sense.
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
        for name, choices in CHOICES.items():
            check_choice(name, getattr(self, name), choices)
        _check_whole("trials", self.trials, least=1)
        _check_whole("seed", self.seed, least=0)
        if self.trials > MOST_TRIALS:
            raise ValueError(f"trials: {self.trials} is more than {MOST_TRIALS:,}; take fewer")
        if not isinstance(self.confidence, Real) or not 0 < self.confidence < 1:
            raise ValueError(f"confidence: {shown(self.confidence)} is not between 0 and 1")
        try:
            compiled(self.unit)
        except ValueError as error:
            raise ValueError(f"unit: {error}") from None

    @property
    def sides(self) -> int:
        """The number of sides of the alternative."""
        return ALTERNATIVES[self.alternative]

    @property
    def interval_heading(self) -> str:
        """The heading of a column of intervals, such as `95% interval`."""
        return f"{100 * self.confidence:.15g}% interval"

    @property
    def notes(self) -> list[str]:
        """A note where figures are not what everybody expects."""
        return list(AVERAGES[self.average])

    def is_exact(self, documents: int) -> bool:
        """Return whether p-values over so many units of documents are exact."""
        return METHODS[self.method].is_exact(documents, self.trials)

    def smallest_p(self, documents: int) -> float:
        """Return the smallest p-value, before correction, that so many units can give."""
        return METHODS[self.method].smallest_p(documents, self.alternative)

    def written(self, p: float, documents: int, corrected: float | None = None) -> str:
        """Write a p-value as tables show it, or the corrected value made from it.

        Where no trial reached the observed difference, p is only known to be below one in the
        number of trials, and its corrected value below a multiple of that: this limit is then shown
        after a <, rounded up.

        Args:
            p: The p-value, before correction.
            documents: The number of units of documents that it is over.
            corrected: The corrected value.
        """
        value = p if corrected is None else corrected
        is_small = value < 0.0001
        number_format = ".1e" if is_small else ".4f"
        if self.is_exact(documents) or round(p * (self.trials + 1)) > 1 or value == 1:
            return format(value, number_format)
        times = round(value * (self.trials + 1))
        digits = 1 - floor(log10(times / self.trials)) if is_small else 4
        limit = -(-times * 10**digits // self.trials) / 10**digits
        return f"< {limit:{number_format}}"

    def signed(self, documents: int) -> dict[str, Any]:
        """Return the fields of a signature, for so many units of documents."""
        p = "exact" if self.is_exact(documents) else "approximate"
        return asdict(self) | {"units": documents, "p": p}


def _check_whole(name: str, value: Any, *, least: int) -> None:
    """Raise ValueError for a value of a setting that is no whole number, or below the least."""
    if not hasattr(value, "__index__"):
        raise ValueError(f"{name}: {shown(value)} is not a whole number")
    if value < least:
        raise ValueError(f"{name}: {value} is not {least} or more")


UNITS = ("part", "document")
"""The units that have a name; any other one is a regular expression."""

_PART = re.compile(r"(?<![^\W_])part[\W_]{0,2}\d+")
"""The part of a document in its name: `(bc/cctv/00/cctv_0000); part 001` in CoNLL's files."""


def units_of(names: Sequence[str], unit: str = "part") -> list[int]:
    """Return the number of the unit of each document.

    Args:
        names: The names of the documents.
        unit: `part`: documents whose names differ only in the number behind `part` are one unit.
            `document`: each document is a unit. Else a regular expression: documents in whose names
            its first group (or all of it, where it has none) captures the same are one unit, and a
            document in whose name it is not found is a unit.

    Returns:
        Numbers from 0, in the order in which units first appear.

    Raises:
        ValueError: The unit is not a regular expression.

    Examples:
        >>> units_of(["(a); part 000", "(a); part 001", "(b); part 000"])
        [0, 0, 1]
        >>> units_of(["nw/1", "nw/2", "bc/1", "other"], "^(.*)/")
        [0, 0, 1, 2]
    """
    if unit == "document":
        return list(range(len(names)))
    units: list[tuple[str, str]] = []
    if unit == "part":
        units = [("part", _PART.sub("part", name)) for name in names]
    else:
        search = compiled(unit).search
        for name in names:
            match = search(name)
            if match is None:
                units.append(("name", name))
            else:
                groups = *match.groups(), match[0]
                units.append(("group", groups[0] or ""))
    numbers: dict[tuple[str, str], int] = {}
    return [numbers.setdefault(key, len(numbers)) for key in units]


def check_unit(names: Sequence[str], unit: str) -> None:
    """Raise ValueError for a regular expression that is found in no name, which is a slip."""
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

    Examples:
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
        ValueError: There are several runs, and the method takes one.
    """
    if runs > 1 and not METHODS[method].takes_runs:
        raise ValueError(
            f"method: {system!r} has several runs, which only the bootstrap can "
            "resample; use method bootstrap"
        )


RATIOS = ("recall", "precision", "f1")


def measures_of(metrics: Iterable[str]) -> list[tuple[str, str]]:
    """Pair each metric with its ratios; an average has an F1 only."""
    measures: list[tuple[str, str]] = []
    for metric in metrics:
        if metric not in registry.AVERAGES:
            measures += [(metric, "recall"), (metric, "precision")]
        measures.append((metric, "f1"))
    return measures


def resampling_from(
    keywords: Mapping[str, Any], runs: str | None
) -> tuple[Resampling, dict[str, Any]]:
    """Split keywords into the settings of resampling and the others.

    Args:
        keywords: The keywords.
        runs: A pattern of runs, with which the method is the bootstrap unless it is given.

    Raises:
        TypeError: A keyword is unknown.
    """
    names = ResamplingKeywords.__annotations__
    known = [*BESIDE, *TABLE, *names]
    given: dict[str, Any] = {"method": method_of(runs)}
    others: dict[str, Any] = {}
    for name, value in keywords.items():
        if name not in known:
            raise unknown_option(name, known)
        settings = given if name in names else others
        settings[name] = value
    return Resampling(**given), others
