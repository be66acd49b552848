"""The text that reference 8.01 prints, to the byte."""

from __future__ import annotations

from scorer.report.figures import cut, number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import NoReturn

    from conll.document import Document
    from scorer.count.counts import Counts
    from scorer.evaluation.evaluation import DocumentScore, Evaluation
    from scorer.evaluation.signature import Layout, Pairs


ALL = ("muc", "bcub", "ceafm", "ceafe", "blanc")
"""The metrics of the reference, in its order."""

REPEATS = 10
"""How many mentions repeated in the response a run tolerates, over all documents and all metrics.
"""

KEPT = 1 << 25
"""How many characters of clusters are kept from one metric to the next, so that their documents
need not be read again."""

_RULE = "-" * 74 + "\n"


class TooManyRepeatsError(Exception):
    """The response repeats more mentions than the reference tolerates.

    What it prints before that has been yielded.
    """


def version() -> str:
    """The first line of every run."""
    return f"version: 8.01 {__file__}\n"


def render(evaluation: Evaluation, layout: Layout | None = None) -> str:
    """The text of all metrics that the reference has a form for, without its refusal and without a signature.

    ValueError without the corpus where the layout asks for documents, for groups or means, when
    `mentions` was not counted, and for what the reference does not know: mentions that match
    without being equal, measures of them, and mentions that are no spans.
    """
    from scorer.evaluation.signature import Layout

    layout = layout or Layout()
    corpus = layout.corpus if layout.per_document else None
    options, counted = evaluation.options, evaluation.metrics
    unknown = [metric.name for metric in counted.values() if metric.of != "clusters"]
    metrics = [name for name in evaluation.names if name in counted and name != "mentions"]
    if options.match != "exact" or options.zeros != "linear" or options.like is not None:
        _refuse(
            "supports only exact matching, as the reference scorer does; choose another format, or"
            " match exact"
        )
    if options.typed is not None:
        _refuse(
            "does not support types of mentions, as the reference scorer does not; choose another"
            " format"
        )
    if unknown:
        _refuse(f"cannot show {' and '.join(unknown)}; choose another format")
    if not metrics or "mentions" not in counted:
        _refuse(f"needs mentions and one of {', '.join(ALL)}, or lea")
    if layout.by is not None or layout.average != "micro":
        _refuse("cannot show groups or macro-averages; choose another format")
    if corpus is None and layout.per_document:
        _refuse("prints the clusters of each document, so it needs the corpus")
    _check_spans(evaluation, corpus)
    return version() + "".join(
        report(evaluation, corpus, metrics, headings=len(metrics) > 1, repeats_allowed=None)
    )


def _refuse(problem: str) -> NoReturn:
    raise ValueError(f"the perl report {problem}")


def _check_spans(evaluation: Evaluation, corpus: Pairs | None) -> None:
    """ValueError when a mention that would be printed is not a pair of tokens."""
    from conll.syntax import is_span

    for score in evaluation.documents:
        mentions = [repeat.mention for repeat in score.repeats]
        for document in filter(None, corpus.pair(score.name) if corpus is not None else ()):
            mentions += [mention for cluster in document.clusters for mention in cluster]
        for mention in mentions:
            if not is_span(mention):
                shown = str(mention).replace(" ", "")
                place = f"mention {shown} of document {score.name!r}"
                _refuse(f"cannot print {place}; choose another format")


def report(
    evaluation: Evaluation,
    corpus: Pairs | None,
    metrics: Sequence[str],
    *,
    headings: bool,
    repeats_allowed: int | None = REPEATS,
) -> Iterator[str]:
    """Yield the report in pieces: every document (if the corpus is given) and the totals, metric by metric.

    `headings` precedes each metric by its name. Raises TooManyRepeatsError where the reference ends
    the run, unless any number of repeats is allowed (None).
    """
    repeats = 0
    room = KEPT if len(metrics) > 1 else 0
    kept: dict[str, str] = {}
    for metric in metrics:
        if headings:
            yield f"\nMETRIC {metric}:\n"
        if corpus is not None and corpus.only is not None:
            yield f"{corpus.only}:\n"
        for score in evaluation.documents:
            if corpus is not None:
                text = kept.get(score.name)
                if text is None:
                    text = "".join(
                        line for document in corpus.pair(score.name) for line in _entities(document)
                    )
                    if len(text) <= room:
                        room -= len(text)
                        kept[score.name] = text
                yield text
                if corpus.only is None:
                    yield f"{score.name if metric != 'blanc' else ''}:\n"
            for repeat in score.repeats:
                first, last = repeat.mention
                if repeat.side == "response":
                    if not repeat.removed:
                        continue
                    repeats += 1
                yield f"Repeated mention in the {repeat.side}: {first}, {last} {repeat.ids[0]}{repeat.ids[1]}\n"
                if repeats_allowed is not None and repeats > repeats_allowed:
                    raise TooManyRepeatsError
            if corpus is not None:
                yield _document(score, metric)
        yield _totals(evaluation, metric)


def _entities(document: Document | None) -> Iterator[str]:
    name = document.name if document else ""
    yield f"====> {name}:\n"
    if document:
        for double in document.discarded:
            yield f"Discarded ({double})\n"
    yield f"File {name}:\n"
    if document:
        for number, cluster in enumerate(document.clusters):
            yield f"Entity {number}:{''.join(f' ({first},{last})' for first, last in cluster)}\n"


def _document(score: DocumentScore, metric: str) -> str:
    mentions = score.counts["mentions"][0]
    text = (
        f"Total key mentions: {mentions.recall_denominator}\n"
        f"Total response mentions: {mentions.precision_denominator}\n"
        f"Strictly correct identified mentions: {mentions.recall_numerator}\n"
        "Partially correct identified mentions: 0\n"
        f"No identified: {mentions.recall_denominator - mentions.recall_numerator}\n"
        f"Invented: {score.invented}\n"
    )
    return text if metric == "blanc" else text + _line(score.counts[metric][0])


def _totals(evaluation: Evaluation, metric: str) -> str:
    parts = evaluation.totals[metric]
    text = f"\n====== TOTALS =======\nIdentification of Mentions: {_line(evaluation.totals['mentions'][0])}"
    if metric != "blanc":
        return f"{text}Coreference: {_line(parts[0])}"
    ratios = evaluation.ratios("blanc")
    return (
        f"{text}\nCoreference:\nCoreference links: {_line(parts[0])}Non-coreference links: {_line(parts[1])}"
        f"BLANC: Recall: ({number(ratios.recall)} / 1) {cut(ratios.recall)}%\t"
        f"Precision: ({number(ratios.precision)} / 1) {cut(ratios.precision)}%\tF1: {cut(ratios.f1)}%\n{_RULE}"
    )


def _line(counts: Counts) -> str:
    ratios = counts.ratios()
    return (
        f"Recall: ({number(counts.recall_numerator)} / {number(counts.recall_denominator)}) {cut(ratios.recall)}%\t"
        f"Precision: ({number(counts.precision_numerator)} / {number(counts.precision_denominator)}) {cut(ratios.precision)}%\t"
        f"F1: {cut(ratios.f1)}%\n{_RULE}"
    )
