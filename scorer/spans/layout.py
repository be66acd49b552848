"""Layouts: the choices that reports of spans and of MUC-7 offer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from conll.errors import did_you_mean
from scorer.evaluation.layout import AVERAGING
from scorer.options import compiled
from scorer.spans.settings import SpanSettings

SECTIONS = ("scores", "spans")
"""The sections of the report of spans: figures, and the list of spans."""
INTERVALS = ("posterior",)
"""The kinds of intervals that the report of spans can have."""


@dataclass(frozen=True, kw_only=True)
class SpanLayout:
    """The choices of a report.

    Attributes:
        per_document: Whether documents are shown above the totals.
        average: Totals ("micro"), means over documents ("macro"), or "both".
        group_by: A regular expression that puts documents into groups.
        show: Some of `SECTIONS`.
        interval: One of `INTERVALS`; None for no intervals.
        confidence: The confidence level of the intervals; 0.95 if not given.
        rounding: How percent are written, as in `scorer.options`.

    Raises:
        ValueError: A choice is impossible.
    """

    per_document: bool = False
    average: str = "micro"
    group_by: str | None = None
    show: Sequence[str] = ("scores",)
    interval: str | None = None
    confidence: float | None = None
    rounding: str = "round"

    def __post_init__(self) -> None:
        _check("average", self.average, AVERAGING)
        for section in self.show:
            _check("show", section, SECTIONS)
        if self.interval is not None:
            _check("interval", self.interval, INTERVALS)
        if self.confidence is not None and self.interval is None:
            raise ValueError("confidence: it is that of intervals; add --interval posterior")
        if not 0 < self.level < 1:
            raise ValueError(f"confidence: {self.confidence} is not between 0 and 1")
        if self.group_by is not None:
            compiled(self.group_by)
        own_choices = {
            "per_document": self.per_document,
            "average": self.average != "micro",
            "group_by": self.group_by is not None,
            "interval": self.interval is not None,
        }
        self._check_list(own_choices)

    def check_settings(self, settings: SpanSettings, *, is_compared: bool) -> None:
        """Check that settings and a second response have an effect on what is shown.

        Args:
            settings: How spans are scored.
            is_compared: Whether there is a second response.

        Raises:
            ValueError: Only spans are listed, and one changes figures alone.
        """
        chosen = {
            "against": is_compared,
            "thresholds": settings.thresholds is not None,
            "by": bool(settings.group_fields),
            "beta": settings.beta != SpanSettings.beta,
            # SemEval's schemes have pairs of their own, which are not listed.
            "min_overlap": settings.min_overlap != SpanSettings.min_overlap,
        }
        self._check_list(chosen)

    def _check_list(self, chosen: Mapping[str, bool]) -> None:
        """Raise ValueError for a choice about figures where only spans are listed."""
        if self.shows_scores:
            return
        for name, is_chosen in chosen.items():
            if is_chosen:
                raise ValueError(f"{name}: the list of spans has no figures; show scores as well")

    @property
    def level(self) -> float:
        """Return the confidence level of intervals."""
        if self.confidence is None:
            return 0.95
        return self.confidence

    @property
    def shows_scores(self) -> bool:
        """Return whether figures are shown."""
        return "scores" in self.show

    @property
    def shows_spans(self) -> bool:
        """Return whether spans are listed."""
        return "spans" in self.show

    def signed(self, output_format: str) -> dict[str, Any]:
        """Return the fields of a signature that say what a report shows."""
        fields: dict[str, Any] = {"format": output_format, "average": self.average}
        if self.per_document:
            fields["per"] = "document"
        if self.group_by is not None:
            fields["by"] = self.group_by
        if tuple(self.show) != ("scores",):
            fields["show"] = list(self.show)
        if self.interval is not None:
            fields |= {"interval": self.interval, "confidence": self.level}
        if self.rounding != "round":
            fields["rounding"] = self.rounding
        return fields


def _check(name: str, value: str, choices: Sequence[str]) -> None:
    """Check that a value is one of the choices.

    Raises:
        ValueError: It is not.
    """
    if value not in choices:
        hint = did_you_mean(value, choices)
        raise ValueError(f"{name}: {value!r} is not one of {', '.join(choices)}{hint}")
