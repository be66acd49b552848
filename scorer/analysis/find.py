"""Find the errors of responses, and what each kind costs: for the library and the command."""

from __future__ import annotations  # `checked` reads what is written

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache
from itertools import chain
from typing import Any, Unpack

from conll.document import ETYPE, Document, Layers
from conll.errors import check_choice
from scorer.analysis import document_errors
from scorer.analysis.errors import Errors, listed
from scorer.analysis.pair import NOWHERE, OF_TYPES, OWN_FILTERS, Pair
from scorer.count.counts import Counts, DocumentContingency
from scorer.engine.corpus import score_document, select_documents
from scorer.engine.score import WholeCorpus, differences, problems_of
from scorer.evaluation.evaluation import DocumentScore, Evaluation, group_of
from scorer.events import Events, LibraryEvents
from scorer.jobs.corpora import open_corpora
from scorer.keywords import Documents, Metrics, OptionKeywords, Preset
from scorer.match.filters import apply_filters
from scorer.match.matching import Matching
from scorer.options import (
    EVERY,
    OUTSIDE_MATCHING,
    TABLE,
    Options,
    compiled,
    filters_in,
    not_in,
    options_of,
    settings,
    written,
)
from scorer.registry import scheme_of
from scorer.scheme import Scheme
from scorer.signatures import checked
from scorer.statistics.resampling import Resampling

HONOURED = {
    **OUTSIDE_MATCHING,
    "duplicates": EVERY,
    "singletons": EVERY,
    "match": ("head", "partial"),
    "zeros": ("dependent",),
}
"""The options that the analysis of errors honours."""


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
        check_choice("antecedents", self.antecedents, document_errors.ANTECEDENTS)
        check_choice("links", self.links, document_errors.PRECISION)
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
        self.alone = {kind: Evaluation(scheme) for kind in document_errors.KINDS}
        self.after = {kind: Evaluation(scheme) for kind in document_errors.KINDS}
        self.bounds = {bound: Evaluation(scheme) for bound in document_errors.BOUNDS}

    def add(self, name: str, counts: Counted, repair: document_errors.Repair) -> None:
        """Add a document.

        Args:
            name: Its name.
            counts: The counts of the response as it is.
            repair: Its errors.
        """
        pair = repair.pair
        present = {part.kind for part in repair.parts}
        spans = counts
        if document_errors.SPAN in present:
            spans = self._counts(pair, repair.repaired(()))
        _put(self.response, name, counts)
        _put(self.bounds[document_errors.SPANS_REPAIRED], name, spans)
        as_in_key, of_key = _bounding_clusters(pair)
        _put(self.bounds[document_errors.KEY_CLUSTERING], name, self._counts(pair, as_in_key))
        _put(self.bounds[document_errors.KEY_MENTIONS], name, self._counts(pair, of_key))
        fixed: set[str] = set()
        after = spans
        for kind in document_errors.KINDS:
            alone = spans
            # What does not occur in a document need not be counted again.
            if kind in present and not document_errors.ERROR_KINDS[kind].is_span:
                fixed.add(kind)
                alone = self._counts(pair, repair.repaired({kind}))
                after = self._counts(pair, repair.repaired(fixed)) if len(fixed) > 1 else alone
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
        base = (
            self.response
            if document_errors.ERROR_KINDS[kind].is_span
            else self.alone[document_errors.SPAN]
        )
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


@checked
def errors(  # noqa: PLR0913  each is an option of its own
    key: Documents,
    response: Documents,
    *,
    metrics: Metrics | None = None,
    preset: Preset | None = None,
    strict: bool = False,
    antecedents: str = "closest",
    links: str = "auto",
    by: str | Iterable[str] = (),
    group_by: str | None = None,
    trials: int = 10_000,
    seed: int = 0,
    confidence: float = 0.95,
    interval: str = "expanded",
    unit: str = "part",
    options: Options | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    **keywords: Unpack[OptionKeywords],
) -> Errors:
    """Find the errors of a response, what they cost, and where they lie.

    Mentions of a key and a response match as the options say. Options that the analysis does not
    honour, such as `like`, are refused; where a preset sets them, they are left out with a note. So
    are metrics that count no clusters (mor, zero).

    Args:
        key: As in `scorer.score`.
        response: As in `scorer.score`.
        metrics: As in `scorer.score`.
        preset: As in `scorer.score`.
        strict: As in `scorer.score`.
        antecedents: Where links point: closest or accessible.
        links: Which links of the response count: auto, tree or output.
        by: Columns and attributes of mentions that are strata too, a list or a string with commas.
        group_by: A regular expression that puts documents into groups, which are a stratum then.
        trials: As in `scorer.compare`, for the intervals of strata.
        seed: Likewise.
        confidence: Likewise.
        interval: Likewise.
        unit: Likewise.
        options: As in `scorer.score`.
        key_format: As in `scorer.score`.
        response_format: As in `scorer.score`.
        keywords: Options, as in `scorer.score`.

    Returns:
        The errors.

    Raises:
        ValueError: No file has a column or an attribute in `by`, an option is refused, or no metric
            is left.
        Exception: What `scorer.score` raises.

    Examples:
        >>> import scorer
        >>> key, response = [["Ada", "she"], ["Grace", "her"]], [["Ada", "she", "Grace", "her"]]
        >>> errors = scorer.errors(key, response, metrics="muc")
        >>> [(finding.kind, finding.words, finding.beside) for finding in errors.findings()]
        [('conflated entities', 'Grace', 'Ada')]
    """
    resampling = Resampling(
        "bootstrap", trials, seed, confidence=confidence, interval=interval, unit=unit
    )
    error_options = ErrorOptions(
        antecedents=antecedents,
        links=links,
        columns=tuple(listed(by)),
        group_by=group_by,
        resampling=resampling,
    )
    scheme = scheme_of(metrics, preset, options, keywords)
    corpora = open_corpora(
        key,
        [response],
        scheme.options,
        key_format=key_format,
        response_format=response_format,
    )
    events = LibraryEvents(strict=strict)
    [errors_of_response] = find_errors(corpora, scheme, error_options, events)
    return errors_of_response


def scheme_of_errors(scheme: Scheme) -> tuple[Scheme, list[str]]:
    """Return how errors are found where responses are scored by a scheme.

    What a preset sets, and the analysis does not honour, is left out, and so are metrics that count
    no clusters. The notes say so.

    Raises:
        ValueError: Another option is not honoured, or no metric is left.
    """
    notes: list[str] = []
    options = scheme.options
    not_honoured = not_in(options.chosen(), HONOURED)
    _check_from_preset(not_honoured, scheme)
    if not_honoured:
        defaults = {name: TABLE[name].default for name in not_honoured}
        options = options_of(None, options.to_dict() | defaults)
        notes.append(
            f"without effect here: {', '.join(written(not_honoured))}; mentions are matched with "
            f"match={options.match} and zeros={options.zeros}"
        )
    metrics = [metric for metric in scheme.metrics.values() if metric.of == "clusters"]
    others = sorted({*scheme.metrics} - {metric.name for metric in metrics})
    if others:
        notes.append(f"left out, as they count no clusters: {', '.join(others)}")
    names = [name for name in scheme.names if name not in others]
    if not names:
        raise ValueError(
            f"costs of errors need a metric of clusters, and {', '.join(others)} does not count "
            "clusters; add another metric"
        )
    return Scheme(metrics, options, names), notes


def _check_from_preset(not_honoured: Mapping[str, Any], scheme: Scheme) -> None:
    """Raise ValueError if an option that is not honoured has another value than in the preset."""
    of_preset = settings(scheme.preset) if scheme.preset else {}
    refused = {name: value for name, value in not_honoured.items() if of_preset.get(name) != value}
    if refused:
        given = ", ".join(written(refused))
        advice = "leave it out" if len(refused) == 1 else "leave them out"
        raise ValueError(f"{given} cannot be combined with error analysis; {advice}")


def find_errors(
    corpora: Iterable[WholeCorpus], scheme: Scheme, error_options: ErrorOptions, events: Events
) -> list[Errors]:
    """Find the errors of each response, and warn once of what is irregular about any.

    Args:
        corpora: Keys and responses.
        scheme: How to score.
        error_options: Which errors and strata to look for.
        events: Receives warnings and progress.
    """
    errors_of_each = [
        errors_in(corpus, scheme, error_options, watch=events.watch) for corpus in corpora
    ]
    events.warn(problems_of(errors.evaluation for errors in errors_of_each))
    return errors_of_each


def errors_in(
    corpus: WholeCorpus,
    scheme: Scheme,
    error_options: ErrorOptions,
    *,
    watch: Callable[[Iterable[str]], Iterable[str]] = iter,
) -> Errors:
    """Find the errors of one response.

    Args:
        corpus: The key and the response.
        scheme: How to score.
        error_options: Which errors and strata to look for.
        watch: Passes on the names of the documents as they are read, and shows progress.
    """
    scheme, notes = scheme_of_errors(scheme)
    selection = select_documents(corpus, scheme)
    evaluation = Evaluation(scheme, corpus.inputs())
    evaluation.add_removed(selection.removed)
    evaluation.problems += selection.problems
    costs = Costs(scheme)
    documents: list[document_errors.DocumentErrors] = []
    repeats = 0
    for name in watch(selection.names):
        key, response = corpus.pair(name)
        # It refuses what the options refuse, and names the line.
        score, problems = score_document(corpus, name, scheme, (key, response))
        evaluation.add(score)
        evaluation.problems += problems
        document = _document_errors(name, (key, response), scheme.options, error_options.columns)
        documents.append(document)
        repeats += document.pair.repeats
        costs.add(name, score.counts, document.repair)
    evaluation.problems += differences(corpus, selection.names)
    if repeats:
        notes.append(
            f"repeated mentions ({repeats}) are kept in one cluster here, so costs may differ "
            "from the metrics"
        )
    return Errors(evaluation, documents, costs, error_options, notes)


def _document_errors(
    name: str,
    documents: tuple[Document | None, Document | None],
    options: Options,
    columns: Sequence[str],
) -> document_errors.DocumentErrors:
    """Find the errors of one document.

    Args:
        name: The name of the document.
        documents: It in the key and in the response, None where one lacks it.
        options: How it is scored.
        columns: The names of the columns to keep.
    """
    read = dict(zip(("key", "response"), documents))
    key, response = (document or Document(name, []) for document in documents)
    earlier = [each for each in filters_in(options.chosen()) if each not in OWN_FILTERS]
    key, response, _ = apply_filters(key, response, options, earlier)
    left = {"key": key, "response": response}
    antecedents: Mapping[Any, Any] = response.antecedents
    renamed = response
    if options.match != "exact" or options.zeros != "linear":
        renamed = _renamed(key, response, options)
        antecedents = _renamed_antecedents(antecedents, response, renamed)

    @cache
    def layers_of(side: str) -> Layers | None:
        document = read[side]
        if document is None:
            return None
        names = None if document.words is not None else [*OF_TYPES, ETYPE, *columns]
        layers = document.layers(names)
        if names and not (layers.columns or layers.names or layers.attributes):
            return None
        if layers.attributes and left[side] is not document:
            layers = copy(layers)
            layers.attributes = _left_of(layers.attributes, document, left[side])
        return layers

    return document_errors.DocumentErrors(
        key,
        renamed,
        options,
        layers_of,
        antecedents,
        columns,
        as_read=response,
    )


def _left_of(
    attributes: Sequence[Sequence[Mapping[str, str]]], document: Document, filtered: Document
) -> list[list[Mapping[str, str]]]:
    """Return the attributes of the mentions that filters left of a document, in their shape."""
    by_mention: dict[Any, Mapping[str, str]] = {}
    for name, cluster, values in zip(document.ids(), document.clusters, attributes):
        by_mention |= {(name, mention): value for mention, value in zip(cluster, values)}
    names = zip(filtered.ids(), filtered.clusters)
    return [[by_mention[name, mention] for mention in cluster] for name, cluster in names]


def _renamed(key: Document, response: Document, options: Options) -> Document:
    """Replace each response mention that matches one of the key by it, also if filters drop it."""
    filters = filters_in(options.chosen())
    if not filters:
        matching = Matching(key, response, match=options.match, zeros=options.zeros)
        return matching.renamed(response)
    matching = Matching(key, response, match="exact", zeros=options.zeros)
    kept_key, kept_response, _ = apply_filters(key, response, options, filters)
    kept_matching = Matching(kept_key, kept_response, match=options.match, zeros=options.zeros)
    # As for the metrics, what is left out takes no partner from what is scored.
    matching.partners |= kept_matching.partners
    return matching.renamed(response)


def _renamed_antecedents(
    antecedents: Mapping[Any, Any], response: Document, renamed: Document
) -> Mapping[Any, Any]:
    """Return the antecedents of a response with its mentions renamed as in its clusters."""
    names = dict(
        zip(
            chain.from_iterable(response.clusters),
            chain.from_iterable(renamed.clusters),
        )
    )
    return {
        names.get(mention, mention): names.get(antecedent, antecedent)
        for mention, antecedent in antecedents.items()
    }
