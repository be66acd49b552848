"""The function `scorer.agreement`: score each pair of annotators, and compute α of all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, combinations
from math import fsum
from typing import TYPE_CHECKING, Any

from conll.errors import ConllError, Problem, distinct
from conll.source import place_of
from scorer.annotators.alpha import DISTANCES, Alpha, Unit, alpha_of, units_of
from scorer.engine.corpus import Corpus, chosen_documents, score_document
from scorer.engine.score import WholeCorpus, differences
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.inputs import Input, input_of
from scorer.evaluation.signature import combined
from scorer.events import Events, LibraryEvents
from scorer.inputs.sources import named_alike, named_documents
from scorer.jobs.corpora import open_corpora
from scorer.keywords import DocumentNames, Documents
from scorer.options import Options, compiled
from scorer.registry import make_scheme
from scorer.result import Result
from scorer.version import __version__

if TYPE_CHECKING:
    from conll.source import Source
    from scorer.report.report import Report

AGREEMENT_METRICS = ("mentions", "muc", "bcub", "ceafe", "lea", "conll")
"""The metrics of pairs. Their F1 does not depend on which annotator is the key."""


@dataclass(frozen=True)
class AgreementSettings:
    """Settings of `scorer.agreement`.

    Attributes:
        distance: The distance of two values for α: masi or passonneau.
        documents: A regular expression that is found in the name of each document to compare.
        document_names: As in `scorer.Options`.

    Raises:
        ValueError: There is no such distance.
    """

    distance: str = "masi"
    documents: str | None = None
    document_names: DocumentNames = "auto"

    def __post_init__(self) -> None:
        if self.distance not in DISTANCES:
            raise ValueError(f"distance: {self.distance!r} is not one of {', '.join(DISTANCES)}")

    @property
    def options(self) -> Options:
        """The options of scoring. Of repeated mentions the first counts, on both sides."""
        return Options(
            documents=self.documents, document_names=self.document_names, duplicates="first"
        )


@dataclass(repr=False)
class Agreement(Result):
    """The agreement of annotators; `str()` of it is the table.

    Attributes:
        settings: What was compared.
        annotators: The names of the annotators.
        pairs: The evaluation of each pair, whose key is the first annotator.
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
        documents = self.units.values() if document is None else [self.units[document]]
        all_units = list(chain.from_iterable(documents))
        distance = DISTANCES[self.settings.distance]
        if pair is None:
            return alpha_of(all_units, distance)
        first, second = map(self.annotators.index, pair)
        units: list[Unit] = []
        for unit in all_units:
            of_pair = unit.of_two(first, second)
            # Others may have marked the mention alone.
            if any(of_pair.values):
                units.append(of_pair)
        return alpha_of(units, distance)

    def f1(self, metric: str, pair: tuple[str, str] | None = None) -> float:
        """Return the F1 of a pair over all documents; None for the mean of all pairs."""
        if pair is not None:
            return self.pairs[pair].ratios(metric).f1
        # Exact, so that the order of the annotators makes no difference.
        return fsum(self.f1(metric, each) for each in self.pairs) / len(self.pairs)

    def f1s(self, pair: tuple[str, str] | None = None) -> dict[str, float]:
        """Return the F1 of each metric, as `f1` does."""
        return {metric: self.f1(metric, pair) for metric in AGREEMENT_METRICS}

    def signature(self, layout: dict[str, Any]) -> dict[str, Any]:
        """Return the fields that say how to get the same bytes again."""
        fields: dict[str, Any] = {
            "scorer": f"conll-scorer {__version__}",
            "agreement": self.settings.distance,
            "filter": self.settings.documents,
            "documents": len(self.units),
        }
        for number, file in enumerate(self.inputs, start=1):
            fields[f"annotator{number}"] = combined([file])
        return fields | {"report": layout}

    def report(self, output_format: str = "table", **options: Any) -> Report:
        """Make the report of `scorer agreement`.

        Args:
            output_format: One of the formats of every report.
            options: What the report shows: `per_document`.
        """
        from scorer.annotators.report import report_of

        return report_of(self, output_format.lower(), **options)

    def text(self, output_format: str = "table", **options: Any) -> str:
        """Show the agreement in an output format.

        Args:
            output_format: One of the formats of every report.
            options: What to show: `per_document`.

        Raises:
            ValueError: There is no such format.
        """
        return self._text(output_format, **options)

    def __repr__(self) -> str:
        return f"<Agreement of {', '.join(self.annotators)}>"


def agreement(
    annotators: Mapping[str, Documents] | Iterable[Documents],
    *,
    distance: str = "masi",
    documents: str | None = None,
    document_names: DocumentNames = "auto",
    strict: bool = False,
    key_format: str | None = None,
) -> Agreement:
    """Compute the agreement of two annotators or more.

    Args:
        annotators: What `scorer.score` takes as a key, by the name of each annotator; or a list of
            it, whose files name the annotators.
        distance: The distance of two sets of mentions for Krippendorff's α: masi or passonneau.
        documents: Compare only documents in whose name this regular expression is found.
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
    settings = AgreementSettings(distance, documents, document_names)
    inputs = named_documents(annotators, "annotators", "annotator")
    return compare_annotators(inputs, settings, LibraryEvents(strict=strict), key_format)


def compare_annotators(
    annotators: Mapping[str, Documents],
    settings: AgreementSettings,
    events: Events,
    key_format: str | None = None,
) -> Agreement:
    """Compute the agreement of annotators.

    Args:
        annotators: What each annotator made, by name.
        settings: What to compare.
        events: Receives warnings and progress.
        key_format: The format of all files; it is recognised if None.
    """
    if len(annotators) < 2:
        raise ValueError("agreement needs two annotators or more")
    sources = _open(annotators, settings, key_format)
    names = _common_names(sources, settings)
    result = Agreement(settings, list(annotators), pairs={}, units={}, texts={})
    result.problems += _unshared_documents(sources, names, settings)
    scheme = make_scheme(AGREEMENT_METRICS, settings.options)
    for pair in events.watch(list(combinations(annotators, 2)), unit="pairs"):
        corpus = WholeCorpus(sources[pair[0]], sources[pair[1]], settings.options)
        evaluation = Evaluation(scheme)
        for name in names:
            score, problems = score_document(corpus, name, scheme)
            evaluation.add(score)
            result.problems += problems
        result.problems += differences(corpus, names)
        result.pairs[pair] = evaluation
    for name in names:
        annotations = [_clusters_in(source, name) for source in sources.values()]
        result.units[name] = units_of(name, annotations)
        document = sources[result.annotators[0]].read(name)
        assert document is not None  # all annotators have it
        result.texts[name] = document.text()
    for annotator, source in sources.items():
        result.inputs.append(input_of(annotator, source))
    result.problems = distinct(result.problems)
    events.warn(result.problems)
    return result


def _open(
    annotators: Mapping[str, Documents], settings: AgreementSettings, key_format: str | None
) -> dict[str, Source]:
    """Open what each annotator made; documents have the names that the first one gives them."""
    names = list(annotators)
    first, *others = annotators.values()
    # They are named alike once more when they are opened; here, for messages about annotators.
    for name, other in zip(names[1:], others):
        named_alike(first, other, (f"annotation of {names[0]}", f"annotation of {name}"))
    corpora = open_corpora(
        first, others, settings.options, key_format=key_format, response_format=key_format
    )
    sources = [corpora[0].key]
    sources += [corpus.response for corpus in corpora]
    return dict(zip(annotators, sources))


def _clusters_in(source: Source, name: str) -> Sequence[Sequence[Any]]:
    document = source.read(name)
    return document.clusters if document is not None else []


def _common_names(sources: Mapping[str, Source], settings: AgreementSettings) -> list[str]:
    """List the documents that all annotators have and that the settings choose.

    Raises:
        ConllError: There are none.
        ValueError: No document has a name in which the pattern is found.
    """
    first, *others = sources.values()
    shared = set(first.names())
    for source in others:
        shared.intersection_update(source.names())
    names = chosen_documents(Corpus(first, first), settings.documents)
    common = [name for name in names if name in shared]
    if not common:
        problem = "no document of it is in the files of all other annotators"
        raise ConllError(first.path, 0, f"{problem}; scorer check lists the documents of files")
    return common


def _unshared_documents(
    sources: Mapping[str, Source], names: Sequence[str], settings: AgreementSettings
) -> list[Problem]:
    """List the documents that some annotators lack."""
    search = compiled(settings.documents or "").search
    holders: dict[str, list[str]] = {}
    for annotator, source in sources.items():
        for name in source.names():
            holders.setdefault(name, []).append(annotator)
    problems: list[Problem] = []
    for name, annotators in holders.items():
        if name in names or not search(name):
            continue
        place = place_of(sources[annotators[0]], name)
        text = f"only {' and '.join(annotators)} annotated the document"
        advice = "it is not counted"
        problem = Problem(place.path, place.line, name, text, advice, kind="missing")
        problems.append(problem)
    return problems
