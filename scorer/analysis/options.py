"""Options of the analysis of errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from scorer.analysis.links import ANTECEDENTS, PRECISION
from scorer.evaluation.evaluation import group_of
from scorer.options import compiled
from scorer.statistics.resampling import Resampling


@dataclass(frozen=True)
class ErrorOptions:
    """Which errors and strata to look for.

    Attributes:
        antecedents: Where links point, of `scorer.analysis.links.ANTECEDENTS`.
        links: Which links of the response count, of `scorer.analysis.links.PRECISION`.
        columns: Columns and attributes of mentions that are strata too.
        groups: A regular expression that puts documents into groups, as in `Evaluation.by`, which
            are a stratum then.
        resampling: How the intervals of strata are made; its `method` and `alternative` are for
            comparisons.

    Raises:
        ValueError: A value is not allowed.
    """

    antecedents: str = "closest"
    links: str = "auto"
    columns: tuple[str, ...] = ()
    groups: str | None = None
    resampling: Resampling = field(default_factory=lambda: Resampling("bootstrap"))

    def __post_init__(self) -> None:
        _check_choice("antecedents", self.antecedents, ANTECEDENTS)
        _check_choice("links", self.links, PRECISION)
        if self.groups is not None:
            compiled(self.groups)

    def signed(self, *, strata: bool) -> dict[str, Any]:
        """Return the fields of a signature; those of strata only where these are shown."""
        fields: dict[str, Any] = {"antecedents": self.antecedents, "links": self.links}
        if not strata:
            return fields
        if self.columns:
            fields["by"] = "+".join(self.columns)
        if self.groups is not None:
            fields["groups"] = self.groups
        for name in ("trials", "seed", "confidence", "interval", "unit"):
            fields[name] = getattr(self.resampling, name)
        return fields

    def group_of(self, name: str) -> str | None:
        """Return the group of the document of that name.

        Empty where the expression is not found in it, None without an expression.
        """
        if self.groups is None:
            return None
        return group_of(compiled(self.groups).search(name))


def _check_choice(name: str, value: str, allowed: Sequence[str]) -> None:
    if value not in allowed:
        raise ValueError(f"{name}: {value!r} is not one of {', '.join(allowed)}")
