"""The function `scorer.agreement`: score each pair of annotators, and compute α of all."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import chain, combinations, permutations
from typing import Any, ClassVar

from conll.check import share_a_name
from conll.errors import Problem, did_you_mean, distinct, shown
from scorer.annotators.alpha import (
    DISTANCES,
    MASI,
    Alpha,
    Distance,
    Unit,
    alpha_of,
    units_of,
    units_of_two,
)
from scorer.annotators.annotations import AgreementLayout, AgreementSettings, Annotations
from scorer.annotators.names import NameAgreement, compare_names
from scorer.annotators.report import AGREEMENT_METRICS, headline_of, mean, notes_of, sections_of
from scorer.engine.corpus import score_document
from scorer.engine.score import WholeCorpus, differences
from scorer.evaluation.averages import Input
from scorer.evaluation.evaluation import DocumentScore, Evaluation, mean_where_defined
from scorer.events import Events, LibraryEvents
from scorer.inputs.sources import named_documents
from scorer.keywords import DocumentNames, Documents
from scorer.registry import AVERAGES, make_scheme
from scorer.report.columns import Table
from scorer.report.report import Report
from scorer.result import Result
from scorer.signatures import checked


@dataclass(repr=False)
class Agreement(Result):
    """The agreement of annotators; `str()` of it is the table.

    Attributes:
        settings: What was compared.
        annotators: The names of the annotators.
        pairs: The evaluation of each pair, whose key is the first annotator, over the documents
            that both have.
        units: The mentions that at least one annotator marked, by document.
        texts: The words of each document, if they are known.
        problems: Warnings about the files.
        inputs: The files that were compared, by annotator.
    """

    settings: AgreementSettings
    annotators: Sequence[str]
    pairs: dict[tuple[str, str], Evaluation]
    units: dict[str, list[Unit]]
    texts: dict[str, Sequence[str] | None]
    problems: list[Problem] = field(default_factory=list)
    inputs: list[Input] = field(default_factory=list)

    def alpha(self, document: str | None = None, pair: tuple[str, str] | None = None) -> Alpha:
        """Compute Krippendorff's α.

        Args:
            document: The document whose mentions are the units; None for all documents.
            pair: Two annotators; None for all annotators.
        """
        _check_known("document", document, [None, *self.units])
        _check_known("pair", pair, [None, *permutations(self.annotators, 2)])
        documents = self.units.values() if document is None else [self.units[document]]
        units: Sequence[Unit] = list(chain.from_iterable(documents))
        if pair is not None:
            units = units_of_two(units, *map(self.annotators.index, pair))
        return alpha_of(units, self.distance)

    @cached_property
    def distance(self) -> Distance:
        """The distance of two values.

        It is remembered: the mentions of a cluster share their value, and a comparison takes as
        long as a value has mentions.
        """
        return lru_cache(maxsize=1 << 16)(DISTANCES[self.settings.distance or MASI])

    def f1(
        self,
        metric: str,
        pair: tuple[str, str] | None = None,
        document: DocumentScore | None = None,
    ) -> float | None:
        """Return the F1 of a pair over its documents or in one; None for the mean of all pairs.

        It is None where it is not defined, see `f1_of`. Such pairs are left out of the mean.
        """
        _check_known("metric", metric, AGREEMENT_METRICS)
        _check_known("pair", pair, [None, *self.pairs])
        if pair is not None:
            return f1_of(self.pairs[pair], metric, document)
        return mean(self.f1(metric, each) for each in self.pairs)

    def f1s(
        self, pair: tuple[str, str] | None = None, document: DocumentScore | None = None
    ) -> dict[str, float | None]:
        """Return the F1 of each metric, as `f1` does."""
        return {metric: self.f1(metric, pair, document) for metric in AGREEMENT_METRICS}

    layout_type: ClassVar[type[Any]] = AgreementLayout
    title = "Agreement"

    def tables_of(self, layout: AgreementLayout) -> list[Table]:
        return sections_of(self, layout)

    def finish(self, report: Report, layout: AgreementLayout) -> Report:
        return super().finish(report._replace(headline=headline_of(report.sections)), layout)

    def opening_notes(self) -> list[str]:
        return notes_of(self)

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        return self.settings.signature(self.units, self.inputs, report)

    def __repr__(self) -> str:
        return f"<Agreement of {', '.join(self.annotators)}>"


def _check_known(argument: str, value: object, known: Iterable[Any]) -> None:
    """Raise ValueError for what is not one of these."""
    names = list(known)
    if value not in names:
        hint = did_you_mean(value, map(str, names))
        raise ValueError(f"{argument}: there is no {shown(value)}{hint}")


def f1_of(
    evaluation: Evaluation, metric: str, document: DocumentScore | None = None
) -> float | None:
    """Return the F1 of a metric over all documents, or in one; None where it is 0/0.

    So is that of MUC if neither annotator has a link. An average is that of the metrics which are
    defined, so equal annotators never have less than 1.
    """
    if metric in AVERAGES:
        return mean(f1_of(evaluation, each, document) for each in AVERAGES[metric].of)
    counts = evaluation.totals if document is None else document.counts
    return mean_where_defined(evaluation.metrics, metric, [counts]).f1


@checked
def agreement(
    annotators: Mapping[str, Documents] | Iterable[Documents],
    *,
    of: str = "mentions",
    distance: str | None = None,
    documents: str | None = None,
    document_names: DocumentNames = "auto",
    strict: bool = False,
    key_format: str | None = None,
) -> Agreement | NameAgreement:
    """Compute the agreement of two annotators or more.

    Args:
        annotators: What `scorer.score` takes as a key, by the name of each annotator; or a list of
            it, whose files name the annotators. Of a single export of INCEpTION, a folder or an
            archive (`annotation/DOCUMENT/USER.tsv`), the users are the annotators.
        of: Compare "mentions" and their clusters, or "names" with their labels.
        distance: The distance of two sets of mentions for Krippendorff's α: masi (if not given) or
            passonneau.
        documents: As in `scorer.Options`.
        document_names: As in `scorer.Options`.
        strict: Treat warnings as errors.
        key_format: The format of all files; it is recognised if not given.

    Raises:
        ValueError: There are fewer than two annotators, or there is no such distance.
        ConllError: A file cannot be read, or the annotators have no document in common.

    Examples:
        >>> import scorer
        >>> ada, bob = [["a", "b", "c"], ["d", "e"]], [["a", "b"], ["c", "d", "e"]]
        >>> result = scorer.agreement({"Ada": ada, "Bob": bob})
        >>> round(result.alpha().value, 5), round(result.f1("muc"), 4)
        (0.08584, 0.6667)
    """
    settings = AgreementSettings(of, distance, documents, document_names)
    inputs = named_documents(annotators, "annotators", "annotator")
    return compare_annotators(inputs, settings, LibraryEvents(strict=strict), key_format)


def compare_annotators(
    annotators: Mapping[str, Documents],
    settings: AgreementSettings,
    events: Events,
    key_format: str | None = None,
) -> Agreement | NameAgreement:
    """Compute the agreement of annotators.

    Args:
        annotators: What each annotator made, by name.
        settings: What to compare.
        events: Receives warnings and progress.
        key_format: The format of all files; it is recognised if None.
    """
    annotations = Annotations(annotators, settings, key_format)
    result = COMPARE[settings.of](annotations, settings, events)
    result.inputs = annotations.inputs()
    result.problems = distinct(result.problems)
    events.warn(result.problems)
    return result


def compare_mentions(
    annotations: Annotations, settings: AgreementSettings, events: Events
) -> Agreement:
    """Compute the agreement of annotators on mentions and their clusters."""
    sources = annotations.sources
    scheme = make_scheme(AGREEMENT_METRICS, settings.options)
    result = Agreement(settings, list(sources), pairs={}, units={}, texts={})
    corpora: dict[tuple[str, str], WholeCorpus] = {}
    for pair in combinations(sources, 2):
        result.pairs[pair] = Evaluation(scheme)
        first, second = sources[pair[0]], sources[pair[1]]
        if share_a_name(first, second):
            corpora[pair] = WholeCorpus(first, second, settings.options)
    for name, holders in annotations.shared(events, result.problems):
        # Each annotation of a document is read once, before the next document is.
        for pair in combinations(holders, 2):
            score, problems = score_document(corpora[pair], name, scheme)
            result.pairs[pair].add(score)
            result.problems += problems
        documents = [source.read(name) for source in sources.values()]
        clusters = [None if document is None else document.clusters for document in documents]
        result.units[name] = units_of(name, clusters)
        result.texts[name] = next(document.text() for document in documents if document)
    for pair, corpus in corpora.items():
        scored = [document.name for document in result.pairs[pair].documents]
        result.problems += differences(corpus, scored)
    return result


COMPARE: Mapping[str, Callable[..., Agreement | NameAgreement]] = {
    "mentions": compare_mentions,
    "names": compare_names,
}
"""How annotators are compared, by what is compared, one of `KINDS_OF_SPANS`."""
