"""Settings: which spans are scored, and how; their signature."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Sized
from dataclasses import dataclass
from math import isfinite
from typing import Any, TypeVar

from conll.columns import SCHEMES
from conll.errors import check_choice
from scorer.evaluation.averages import Input
from scorer.evaluation.evaluation import group_of
from scorer.evaluation.report import combined
from scorer.options import compiled
from scorer.spans.counts import KINDS_OF_SPANS
from scorer.version import __version__

THRESHOLDS = {
    "0.1": tuple(step / 10 for step in range(11)),
    "0.05": tuple(step / 20 for step in range(21)),
    "all": None,
}
"""The sets of thresholds by their names; `all` is every score that occurs."""


@dataclass(frozen=True)
class SpanSettings:
    """Settings of `scorer.score_spans`.

    Attributes:
        kind: Mentions or names, the option `of`.
        beta: The weight of recall in F.
        within_label: Whether pairs of different labels are forbidden.
        min_overlap: The least share of a key span, from 0 to 1, that a pair has in common for
            SemEval's schemes.
        label_fields: The fields whose values have to be equal, the option `label`: label, columns
            or attributes of mentions; the label of names alone if there are none.
        group_fields: The fields by whose values spans are grouped, the option `by`: label, or
            columns or attributes of the files.
        thresholds: One of the sets of `THRESHOLDS`; None for none.
        score: The attribute or column that holds the scores of the response.
        documents: As in `scorer.Options`.
        scheme: One of `conll.columns.SCHEMES` by which columns of tags are read strictly; None to
            read them leniently.
        list_spans: Whether each span is listed with its text.

    Raises:
        ValueError: A setting is impossible.
    """

    kind: str = "mentions"
    beta: float = 1.0
    within_label: bool = False
    min_overlap: float = 0.0
    label_fields: tuple[str, ...] = ()
    group_fields: tuple[str, ...] = ()
    thresholds: str | None = None
    score: str = "confidence"
    documents: str | None = None
    scheme: str | None = None
    list_spans: bool = False

    def __post_init__(self) -> None:
        check_choice("of", self.kind, KINDS_OF_SPANS)
        if self.scheme is not None:
            check_choice("scheme", self.scheme, SCHEMES)
            if self.kind != "names":
                raise ValueError("scheme: tags are of names; score these (--of names)")
        if not self.beta > 0:
            raise ValueError(f"beta: {self.beta} is not greater than 0")
        if not isfinite(self.beta * self.beta):
            raise ValueError(f"beta: the square of {self.beta} is too large for a number")
        if not 0 <= self.min_overlap <= 1:
            raise ValueError(f"min_overlap: {self.min_overlap} is not from 0 to 1")
        self._check_fields()
        if self.thresholds is not None:
            self._check_thresholds()

    def _check_fields(self) -> None:
        """Raise ValueError for a field without a name."""
        for name, fields in (("label", self.label_fields), ("by", self.group_fields)):
            if "" in fields:
                raise ValueError(
                    f"{name}: '' is not the name of a field; write one or leave it out"
                )

    def _check_thresholds(self) -> None:
        """Raise ValueError for a set of thresholds or a field of scores that there cannot be."""
        check_choice("thresholds", self.thresholds, THRESHOLDS)
        if not isinstance(self.score, str):
            raise ValueError(f"score: {self.score!r} is not the name of an attribute or a column")

    @property
    def score_field(self) -> str | None:
        """Return the field with the scores of the response; None where no thresholds need one."""
        if self.thresholds is None:
            return None
        return self.score

    @property
    def fields(self) -> tuple[str, ...]:
        """Return the fields that labels consist of and that spans are grouped by."""
        return self.label_fields + self.group_fields

    def signed(self) -> dict[str, Any]:
        """Return the fields of a signature that say how spans were scored."""
        fields: dict[str, Any] = {"spans": self.kind, "beta": _exactly(self.beta)}
        if self.label_fields:
            fields["label"] = ",".join(self.label_fields)
        if self.within_label:
            fields["labels"] = "within"
        if self.min_overlap:
            fields["overlap"] = _exactly(self.min_overlap)
        if self.group_fields:
            fields["values"] = ",".join(self.group_fields)
        if self.thresholds is not None:
            fields |= {"thresholds": self.thresholds, "score": self.score}
        if self.scheme is not None:
            fields["scheme"] = self.scheme
        return fields | {"filter": self.documents}


def _exactly(number: float) -> str:
    """Write a number with as many digits as distinguish it from all others."""
    return repr(float(number)).removesuffix(".0")


PartT = TypeVar("PartT")


def grouped(documents: Mapping[str, PartT], pattern: str) -> dict[str, list[PartT]]:
    """Sort documents into groups by what a regular expression captures in their names."""
    search = compiled(pattern).search
    groups: dict[str, list[PartT]] = {}
    for name, document in documents.items():
        groups.setdefault(group_of(search(name)), []).append(document)
    return dict(sorted(groups.items()))


def signature(
    settings: dict[str, Any],
    documents: Sized,
    inputs: Sequence[Input],
    sides: Sequence[str],
    layout: dict[str, Any] | None,
) -> dict[str, Any]:
    """Return the signature of a result with such settings, documents, inputs and layout."""
    fields: dict[str, Any] = {"scorer": f"conll-scorer {__version__}"}
    fields |= settings
    fields["documents"] = len(documents)
    for side in sides:
        fields[side] = combined([source for source in inputs if source.side == side])
    if layout:
        fields["report"] = layout
    return fields
