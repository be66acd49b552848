"""What was counted: each document, the totals, and what is odd about the files."""

from __future__ import annotations

from scorer.count.counts import Counts
from scorer.options import options_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Protocol

    import pandas as pd

    from conll.errors import Problem
    from scorer.count.counts import Ratios
    from scorer.count.metric import Metric
    from scorer.evaluation.signature import Input
    from scorer.match.align import Repeat
    from scorer.match.filters import Removed
    from scorer.options import Options
    from scorer.report.svg import Plot

    class Addable(Protocol):
        """What was counted in a document, or in a batch of them, which lies above."""

        @property
        def counts(self) -> Mapping[str, Sequence[Counts]]:
            """By metric name, one for each of the metric's parts."""

        @property
        def removed(self) -> Sequence[Removed]:
            """What the filters took."""

        @property
        def plus(self) -> Callable[[Counts, Counts], Counts]:
            """How these counts are added to a total."""

        def kept(self, *, every: bool) -> tuple[list[DocumentScore], int]:
            """What an evaluation keeps, `every` document or those that repeat a mention, and how many it leaves out."""


class DocumentScore:
    """What was counted in one document: `counts` by metric name, one `Counts` for each of the metric's parts.

    `invented` and `repeats` as in `scorer.match.align.Alignment`; `removed` says what the filters took from it.
    """

    __slots__ = ("counts", "invented", "name", "removed", "repeats")

    def __init__(
        self,
        name: str,
        counts: dict[str, tuple[Counts, ...]],
        repeats: list[Repeat],
        invented: int,
        removed: Sequence[Removed] = (),
    ) -> None:
        self.name = name
        self.counts = counts
        self.repeats = repeats
        self.invented = invented
        self.removed = removed

    def __reduce__(self) -> tuple[object, ...]:
        return DocumentScore, (self.name, self.counts, self.repeats, self.invented, self.removed)

    def kept(self, *, every: bool) -> tuple[list[DocumentScore], int]:
        """What an evaluation keeps, `every` document or those that repeat a mention, and how many it leaves out."""
        return ([self], 0) if every or self.repeats else ([], 1)

    def called(self, name: str) -> DocumentScore:
        """The same under another name."""
        return self if name == self.name else DocumentScore(name, self.counts, self.repeats, self.invented, self.removed)

    plus = staticmethod(Counts.__add__)
    """How these counts are added to a total."""


# What shows it is reached by its methods, which import that when they are asked: it lies above, and knows this as a type.
class Evaluation:
    """The counts of each document and their totals, and what is odd about the files.

    `documents` in key order, those of the `scored` ones that were kept; `totals` by metric name, one `Counts` for each part, added
    document by document; `problems` say where; `removed` says what the filters took from each side. `names` are the metrics and
    averages that reports show, in their order; `options` say how it was scored; `inputs` are what was scored. `str()` of it is the
    table.

    >>> from scorer import score
    >>> evaluation = score([["a"], ["b", "c"], ["d", "e", "f"]], [["a"], ["d", "e"]], metrics=["muc", "conll"])
    >>> evaluation.ratios("muc")
    Ratios(recall=0.3333333333333333, precision=1.0, f1=0.5)
    >>> evaluation.totals["muc"]
    (Counts(recall 1/3, precision 1/1),)
    """

    def __init__(
        self, metrics: Sequence[Metric], options: Options | None = None, names: Sequence[str] | None = None, **words: str | None
    ) -> None:
        self.metrics = {metric.name: metric for metric in metrics}
        self.names = list(self.metrics if names is None else names)
        self.options = options_of(options, words)
        self.documents: list[DocumentScore] = []
        self.left_out = 0
        self.totals = {metric.name: (Counts(0, 0, 0, 0),) * len(metric.parts) for metric in metrics}
        self.problems: list[Problem] = []
        self.removed: list[Removed] = []
        self.inputs: list[Input] = []

    def ratios(self, metric: str) -> Ratios:
        """Recall, precision and F1 of the totals (micro-average); KeyError, which says what there is, for a metric not counted.

        An average such as conll has an F1 only: its recall and precision are not a number. `mean` has means of these, too.
        """
        return self.ratios_of(metric, self.totals)

    def mean(self, average: str = "conll") -> Ratios:
        """The means of the recall, of the precision and of the F1 of the metrics that an average is of.

        The F1 is what the average is: for conll the mean of MUC, B³ and CEAFe (Pradhan et al. 2012), and not the harmonic mean of
        the other two. Nobody defines these, so no report has them; training scripts show them. KeyError as in `ratios`.
        """
        from scorer.evaluation.sums import mean_of

        return mean_of(self, average)

    def macro(self, metric: str) -> Ratios:
        """The means over the documents of their recall, of their precision and of their F1 (macro-average).

        A ratio that is 0/0 in a document is 0, as in reference 8.01: a document without links, or one that only holds
        singletons, adds 0 to the mean of MUC. A perfect response may therefore have a macro-averaged MUC below 1.
        """
        from scorer.evaluation.sums import mean

        return mean([self.ratios_of(metric, document.counts) for document in self.documents])

    def ratios_of(self, metric: str, counts: dict[str, tuple[Counts, ...]]) -> Ratios:
        """Recall, precision and F1 of some counts by metric name, of a document for example."""
        if metric in self.metrics:
            return self.metrics[metric].combine(counts[metric])
        from scorer.evaluation.sums import is_counted, not_counted, ratios
        from scorer.registry import canonical

        name = canonical(metric)
        if not is_counted(self, name):
            raise not_counted(self, metric)
        return self.ratios_of(name, counts) if name in self.metrics else ratios(name, lambda name: self.ratios_of(name, counts))

    @property
    def scored(self) -> int:
        """How many documents were counted: those that were kept, and those that were `left_out`."""
        return len(self.documents) + self.left_out

    def add(self, score: Addable, *, keep: bool = True) -> None:
        """Add the counts of a document, or of each document of a batch in turn, to the totals, and append the documents.

        Without `keep`, only those that repeat a mention are appended.
        """
        documents, left_out = score.kept(every=keep)
        self.documents += documents
        self.left_out += left_out
        for name, parts in score.counts.items():
            self.totals[name] = tuple(map(score.plus, self.totals[name], parts))
        if score.removed:
            self.remove(score.removed)

    def extend(self, scores: Sequence[DocumentScore]) -> None:
        """`add` of each document in turn, column by column, which is quicker where there are many."""
        from scorer.evaluation.sums import extend

        extend(self, scores)

    def remove(self, removed: Iterable[Removed]) -> None:
        """Note what a filter took."""
        from scorer.match.filters import add_up

        self.removed = add_up([*self.removed, *removed])

    def like(self) -> Evaluation:
        """An evaluation of the same metrics with the same options, without a document."""
        return Evaluation(list(self.metrics.values()), self.options, self.names)

    def by(self, pattern: str) -> dict[str, Evaluation]:
        """The documents in groups, each an evaluation of its own, sorted by name.

        A document's group is what the first group of the regular expression captures in its name, or all that the expression
        matches if it has no group; documents in whose name it is not found are in the group "". ValueError when the pattern is no
        regular expression.
        """
        from scorer.evaluation.sums import group

        return group(self, pattern)

    def __add__(self, other: Evaluation) -> Evaluation:
        """The documents of two shards in one evaluation; ValueError unless both were scored alike and share no document."""
        if not isinstance(other, Evaluation):
            return NotImplemented
        from scorer.evaluation.sums import merge

        return merge([self, other])

    def to_dict(self) -> dict[str, Any]:
        """Ratios and counts of the totals and of each document, what the filters removed, and the signature."""
        from scorer.evaluation.rows import to_dict

        return to_dict(self)

    def to_json(self) -> str:
        """`to_dict` as JSON text."""
        from scorer.report.forms.json import dumps

        return dumps(self.to_dict())

    def to_frame(self, rows: str = "documents") -> pd.DataFrame:
        """A tidy pandas frame with a row for each document and metric, or of the `rows` "totals" or "macro" instead.

        Columns: document (not for totals and macro), metric, recall, precision, f1 (fractions from 0 to 1) and the four counts.
        BLANC's two kinds of links have rows of their own, `blanc.coreference` and `blanc.non-coreference`; `blanc` itself and
        averages have no counts, averages no recall and no precision: these are missing values. ValueError for other `rows`.
        """
        from scorer.evaluation.rows import to_frame

        return to_frame(self, rows)

    def text(self, form: str = "table", *, per_document: bool = False, average: str = "micro", by: str | None = None) -> str:
        """The report of `scorer score` in one of its forms; ValueError when there is no such form, or it needs other metrics.

        `per_document`, `average` (micro, macro or both) and `by` show what the arguments of that command show.
        """
        from scorer.evaluation.layout import Layout
        from scorer.evaluation.report import render

        return render(self, form, Layout(per_document=per_document, average=average, by=by))

    def plot(self) -> Plot:
        """F1 of each metric, as the page shows it."""
        from scorer.evaluation.plots import metrics
        from scorer.report.svg import Plot

        return Plot(metrics(self))

    def __str__(self) -> str:
        return self.text()

    def _repr_html_(self) -> str:
        from scorer.evaluation.report import report_of
        from scorer.report.notebook import html

        return html(report_of(self, "table"))

    def __repr__(self) -> str:
        from conll.prose import amount

        return f"<Evaluation of {amount(self.scored, 'document')}: {' '.join(self.names)}>"
