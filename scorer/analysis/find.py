"""From two inputs to the errors of the response."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import chain
from typing import Unpack

from conll.document import ETYPE, Document, Layers
from scorer.analysis.errors import ErrorOptions, Errors, listed
from scorer.analysis.kinds import Costs, DocumentErrors
from scorer.analysis.text import OF_TYPES
from scorer.engine.corpus import Corpus, score_document, select_documents
from scorer.engine.score import WholeCorpus, differences, problems_of
from scorer.evaluation.evaluation import Evaluation
from scorer.events import Events, LibraryEvents
from scorer.inputs.sources import check_names, sources_of
from scorer.keywords import Documents, Metrics, OptionKeywords, Preset
from scorer.match.filters import apply_filters
from scorer.match.matching import Matching
from scorer.options import (
    EVERY,
    OUTSIDE_MATCHING,
    TABLE,
    Options,
    filters_in,
    not_in,
    options_of,
    settings,
    written,
)
from scorer.registry import scheme_of
from scorer.scheme import Scheme
from scorer.statistics.resampling import Resampling

HONOURED = {
    **OUTSIDE_MATCHING,
    "duplicates": EVERY,
    "singletons": EVERY,
    "match": ("head", "partial"),
    "zeros": ("dependent",),
}
"""The options that the analysis of errors honours."""


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
    groups: str | None = None,
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

    `key`, `response`, `metrics`, `preset`, `strict`, `options` and the formats are as in `scorer.score`. `antecedents`,
    `links`, `by` (a list or a string with commas) and `groups` are as in
    `scorer.analysis.errors.ErrorOptions`; `trials`, `seed`, `confidence`, `interval` and `unit`, of
    the intervals of strata, as in `scorer.compare`. Mentions of a key and a response stand for each
    other as the options say. Options that the analysis does not honour, such as `like`, are
    refused; where a preset sets them, they are left out with a note. So are metrics that count no
    clusters (mor, zero).

    Raises what `scorer.score` raises, and ValueError for a column or an attribute in `by` that no
    file has, for an option that is refused, and where no metric is left.

    >>> import scorer
    >>> found = scorer.errors([["Ada", "she"], ["Grace", "her"]], [["Ada", "she", "Grace", "her"]], metrics="muc")
    >>> [(finding.kind, finding.words, finding.beside) for finding in found.findings()]
    [('conflated entities', 'Grace', 'Ada')]
    """
    resampling = Resampling(
        "bootstrap", trials, seed, confidence=confidence, interval=interval, unit=unit
    )
    error_options = ErrorOptions(antecedents, links, tuple(listed(by)), groups, resampling)
    scheme = scheme_of(metrics, preset, options, keywords)
    check_names(key, response)
    corpus = WholeCorpus(
        *sources_of(key, response, key_format, response_format),
        scheme.options,
    )
    [found] = find_errors([corpus], scheme, error_options, LibraryEvents(strict=strict))
    return found


def scheme_of_errors(scheme: Scheme) -> tuple[Scheme, list[str]]:
    """Return how errors are found where responses are scored by a scheme.

    What a preset sets, and the analysis does not honour, is left out, and so are metrics that count
    no clusters. The notes say so.

    Raises:
        ValueError: Another option is not honoured, or no metric is left.
    """
    notes: list[str] = []
    options = scheme.options
    of_preset = settings(scheme.preset) if scheme.preset else {}
    not_honoured = not_in(options.chosen(), HONOURED)
    refused = {name: value for name, value in not_honoured.items() if of_preset.get(name) != value}
    if refused:
        given = ", ".join(written(refused))
        advice = "leave it out" if len(refused) == 1 else "leave them out"
        raise ValueError(f"{given} cannot be combined with error analysis; {advice}")
    if not_honoured:
        defaults = {name: TABLE[name].default for name in not_honoured}
        options = options_of(None, options.to_dict() | defaults)
        notes.append(
            f"without effect here: {', '.join(written(not_honoured))}; mentions are matched with "
            f"match={options.match} and zeros={options.zeros}"
        )
    metrics = [metric for metric in scheme.metrics.values() if metric.of == "clusters"]
    others = sorted(metric.name for metric in scheme.metrics.values() if metric.of != "clusters")
    if others:
        notes.append(f"left out, as they count no clusters: {', '.join(others)}")
    names = [name for name in scheme.names if name not in others]
    if not names:
        raise ValueError(
            f"costs of errors need a metric of clusters, and {', '.join(others)} does not count "
            "clusters; add another metric"
        )
    return Scheme(metrics, options, names), notes


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
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Errors:
    """`errors` of two sources that are open.

    `watch` goes through the names of the documents as they are read.
    """
    scheme, notes = scheme_of_errors(scheme)
    selection = select_documents(corpus, scheme)
    evaluation = Evaluation(scheme, corpus.inputs())
    evaluation.remove(selection.removed)
    evaluation.problems += selection.problems
    costs = Costs(scheme)
    documents: list[DocumentErrors] = []
    repeats = 0
    for name in selection.names if watch is None else watch(selection.names):
        key, response = corpus.pair(name)
        # It refuses what the options refuse, and says where that stands.
        score, problems = score_document(corpus, name, scheme, (key, response))
        evaluation.add(score)
        evaluation.problems += problems
        document = _document(corpus, name, key, response, scheme.options, error_options.by)
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


def _renamed(key: Document, response: Document, options: Options) -> Document:
    """Replace each response mention that stands for one of the key by it, also by one that filters leave out."""
    filters = filters_in(options.chosen())
    if not filters:
        matching = Matching(key, response, match=options.match, zeros=options.zeros)
        return matching.renamed(response)
    matching = Matching(key, response, match="exact", zeros=options.zeros)
    kept_key, kept_response, _ = apply_filters(key, response, options, filters)
    # As for the metrics, what is left out takes no partner from what is scored.
    matching.partners |= Matching(
        kept_key, kept_response, match=options.match, zeros=options.zeros
    ).partners
    return matching.renamed(response)


def _document(
    corpus: Corpus,
    name: str,
    key: Document | None,
    response: Document | None,
    options: Options,
    by: Sequence[str],
) -> DocumentErrors:
    read = {"key": key, "response": response}
    if response is not None and (options.match != "exact" or options.zeros != "linear"):
        response = _renamed(key or Document(name, []), response, options)
    none = Document(name, [])
    sources = {"key": corpus.key, "response": corpus.response}

    @cache
    def told(side: str) -> Layers | None:
        document, found = read[side], sources[side].file_of(name).layers(name)
        if found is not None or document is None:
            return found
        return sources[side].layers_of(document, [*OF_TYPES, ETYPE, *by], names=True)

    antecedents = corpus.response.file_of(name).antecedents(name)
    if antecedents and response is not None and read["response"] is not None:
        # Links stand between mentions as the file has them.
        called = dict(
            zip(
                chain.from_iterable(read["response"].clusters),
                chain.from_iterable(response.clusters),
            )
        )
        antecedents = {
            called.get(one, one): called.get(other, other) for one, other in antecedents.items()
        }
    return DocumentErrors(key or none, response or none, options, told, antecedents, by)
