"""Options of the analysis of errors, and the costs of each kind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from conll.errors import check_choice
from scorer.analysis.document_errors import ANTECEDENTS, ERROR_KINDS, KINDS, PRECISION, SPAN, Repair
from scorer.analysis.pair import NOWHERE, Pair
from scorer.count.counts import Counts, DocumentContingency
from scorer.evaluation.evaluation import DocumentScore, Evaluation, group_of
from scorer.options import compiled
from scorer.scheme import Scheme
from scorer.statistics.resampling import Resampling


@dataclass(frozen=True)
class ErrorOptions:
    """Which errors and strata to look for.

    Attributes:
        antecedents: Where links point, of `scorer.analysis.document_errors.ANTECEDENTS`.
        links: Which links of the response count, of `scorer.analysis.document_errors.PRECISION`.
        columns: Columns and attributes of mentions that are strata too.
        group_by: A regular expression that puts documents into groups, as in `Evaluation.group_by`,
            which are a stratum then.
        resampling: How the intervals of strata are made; its `method` and `alternative` are for
            comparisons.

    Raises:
        ValueError: A value is not allowed.
    """

    antecedents: str = "closest"
    links: str = "auto"
    columns: tuple[str, ...] = ()
    group_by: str | None = None
    resampling: Resampling = field(default_factory=lambda: Resampling("bootstrap"))

    def __post_init__(self) -> None:
        check_choice("antecedents", self.antecedents, ANTECEDENTS)
        check_choice("links", self.links, PRECISION)
        if self.group_by is not None:
            compiled(self.group_by)

    def signed(self, *, strata: bool) -> dict[str, Any]:
        """Return the fields of a signature; those of strata only where these are shown."""
        fields: dict[str, Any] = {"antecedents": self.antecedents, "links": self.links}
        if not strata:
            return fields
        if self.columns:
            fields["by"] = "+".join(self.columns)
        if self.group_by is not None:
            fields["groups"] = self.group_by
        for name in ("trials", "seed", "confidence", "interval", "unit"):
            fields[name] = getattr(self.resampling, name)
        return fields

    def group_of(self, name: str) -> str | None:
        """Return the group of the document of that name.

        Empty where the expression is not found in it, None without an expression.
        """
        if self.group_by is None:
            return None
        return group_of(compiled(self.group_by).search(name))


Counted = dict[str, tuple[Counts, ...]]
"""The counts of a document by metric."""

KEY_CLUSTERING, KEY_MENTIONS, SPANS_REPAIRED = BOUNDS = (
    "clustered as in the key",
    "mentions of the key",
    "spans repaired",
)
"""Upper bounds: the response's mentions clustered as in the key, the key's mentions clustered as in
the response, or the response with the key's boundaries where two mentions correspond."""


class Costs:
    """The totals of a response as it is and as it would be, each an evaluation.

    Args:
        scheme: How to score.

    Attributes:
        response: As it is.
        alone: With one kind of error fixed, by kind (all but spans after the spans).
        after: With all kinds up to that one fixed, in their order; the last is the key itself.
        bounds: The upper bounds, by `BOUNDS`.
    """

    def __init__(self, scheme: Scheme) -> None:
        self.response = Evaluation(scheme)
        self.alone = {kind: Evaluation(scheme) for kind in KINDS}
        self.after = {kind: Evaluation(scheme) for kind in KINDS}
        self.bounds = {bound: Evaluation(scheme) for bound in BOUNDS}

    def add(self, name: str, counts: Counted, repair: Repair) -> None:
        """Add a document.

        Args:
            name: Its name.
            counts: The counts of the response as it is.
            repair: Its errors.
        """
        pair = repair.pair
        present = {part.kind for part in repair.parts}
        spans = counts
        if SPAN in present:
            spans = self._counts(pair, repair.repaired(()))
        _put(self.response, name, counts)
        _put(self.bounds[SPANS_REPAIRED], name, spans)
        as_in_key, of_key = _bounding_clusters(pair)
        _put(self.bounds[KEY_CLUSTERING], name, self._counts(pair, as_in_key))
        _put(self.bounds[KEY_MENTIONS], name, self._counts(pair, of_key))
        fixed: set[str] = set()
        after = spans
        for kind in KINDS:
            alone = spans
            # What does not occur in a document need not be counted again.
            if kind in present and not ERROR_KINDS[kind].is_span:
                fixed.add(kind)
                alone = self._counts(pair, repair.repaired({kind}))
                after = alone
                if len(fixed) > 1:
                    after = self._counts(pair, repair.repaired(fixed))
            _put(self.alone[kind], name, alone)
            _put(self.after[kind], name, after)

    def _counts(self, pair: Pair, clusters: Mapping[int, int]) -> Counted:
        """Count a response that has each mention in one of these clusters."""
        contingency = _contingency(pair, clusters)
        metrics = self.response.metrics.values()
        return {metric.name: tuple(metric.count(contingency)) for metric in metrics}

    def gain(self, kind: str, metric: str) -> tuple[float | None, float | None, float]:
        """Return what recall, precision and F1 gain by fixing only that kind.

        An average has no recall and no precision (None).
        """
        base = self.response if ERROR_KINDS[kind].is_span else self.alone[SPAN]
        before = base.ratios(metric)
        after = self.alone[kind].ratios(metric)
        f1 = after.f1 - before.f1
        if before.recall is None:
            return None, None, f1
        return after.recall - before.recall, after.precision - before.precision, f1


def _put(evaluation: Evaluation, name: str, counts: Counted) -> None:
    """Add the counts of a document to an evaluation."""
    evaluation.add(DocumentScore(name, counts, evaluation.metrics))


def _bounding_clusters(pair: Pair) -> tuple[dict[int, int], dict[int, int]]:
    """Return the clusters of the response's mentions in the key, and of the key's in the response.

    A mention that the other side lacks is alone in a cluster.
    """
    groups: dict[tuple[int, int], list[int]] = {}
    for mention, clusters in enumerate(zip(pair.key_of, pair.response_of)):
        groups.setdefault(clusters, []).append(mention)
    first_alone = len(pair.key) + len(pair.response)
    as_in_key: dict[int, int] = {}
    of_key: dict[int, int] = {}
    for (k, r), mentions in groups.items():
        for mention in mentions:
            if r != NOWHERE:
                as_in_key[mention] = k if k != NOWHERE else first_alone + mention
            if pair.scored_key_of[mention] != NOWHERE:
                of_key[mention] = r if r != NOWHERE else first_alone + mention
    return as_in_key, of_key


def _contingency(pair: Pair, clusters: Mapping[int, int]) -> DocumentContingency:
    """Make the contingency of the key and of a response with its mentions in these clusters."""
    sizes = Counter(clusters.values())
    number: dict[int, int] = {}
    for cluster, size in sizes.items():
        if size > 1 or not pair.drop:
            number[cluster] = len(number)
    key_of, width = pair.scored_key_of, len(number)
    # A hot loop: it runs for each kind of error of each document.
    order = [
        key_of[mention] * width + number[cluster]
        for mention, cluster in clusters.items()
        if key_of[mention] != NOWHERE and cluster in number
    ]
    return DocumentContingency(pair.key_sizes, [sizes[cluster] for cluster in number], order)
