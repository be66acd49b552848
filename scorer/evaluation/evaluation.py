# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""The counts of each document and of all: totals, figures, groups of documents, shards."""

from __future__ import annotations

from conll.errors import Problem, not_of_type
from scorer.count.counts import Counts, Metric, Ratios, add, divide
from scorer.options import Options, compiled
from scorer.registry import ALIASES, ALL_METRICS, AVERAGES, canonical, names, needed
from scorer.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, ClassVar

    import pandas as pd

    from conll.errors import Kind
    from scorer.evaluation.averages import Input
    from scorer.evaluation.report import Layout
    from scorer.match.align import Removed, Repeat
    from scorer.report.columns import Table
    from scorer.report.plots import Plot
    from scorer.report.report import Report
    from scorer.scheme import Scheme


class DocumentScore:
    """The counts of one document.

    Attributes:
        name: The name of the document.
        counts: By the name of a metric, one `Counts` for each of the metric's parts.
        repeats, invented: As in `scorer.match.align.Alignment`.
        removed: What the filters took from it.
        metrics: The metrics that were counted, by name.
    """

    __slots__ = ("counts", "invented", "metrics", "name", "removed", "repeats")

    def __init__(
        self,
        name: str,
        counts: dict[str, tuple[Counts, ...]],
        metrics: Mapping[str, Metric],
        *,
        repeats: Sequence[Repeat] = (),
        invented: int = 0,
        removed: Sequence[Removed] = (),
    ) -> None:
        self.name: str = name
        self.counts: dict[str, tuple[Counts, ...]] = counts
        self.metrics: Mapping[str, Metric] = metrics
        self.repeats: Sequence[Repeat] = repeats
        self.invented: int = invented
        self.removed: Sequence[Removed] = removed

    def __repr__(self) -> str:
        return f"<DocumentScore {self.name!r}: {' '.join(self.counts)}>"

    def ratios(self, metric: str) -> Ratios:
        """Return recall, precision and F1 of the document, as `Evaluation.ratios` does."""
        return ratios_of(self.metrics, metric, self.counts)

    def __getitem__(self, metric: str) -> Ratios:
        return self.ratios(metric)

    def __contains__(self, metric: object) -> bool:
        return isinstance(metric, str) and is_counted(self.metrics, canonical(metric))

    def __iter__(self) -> Iterator[str]:
        return iter(counted(self.metrics))

    def __len__(self) -> int:
        return len(counted(self.metrics))

    def called(self, name: str) -> DocumentScore:
        """Return the same under another name."""
        return DocumentScore(
            name,
            self.counts,
            self.metrics,
            repeats=self.repeats,
            invented=self.invented,
            removed=self.removed,
        )


class Evaluation(Result):
    """The counts of each document, their totals, and the problems of the files.

    Its figures are those of the totals (`average` is "micro"), means over its documents ("macro"),
    or means over its `parts` (see `scorer.evaluation.averages`). `str()` of it is the table.

    Attributes:
        scheme: How it was scored.
        metrics: The metrics that were counted, by name.
        names: The names of the metrics and averages to show.
        options: The options of the scheme.
        documents: Those of the `scored` documents that were kept, in key order.
        totals: By metric, one `Counts` for each part, added document by document.
        problems: Suspicious input, with its place.
        removed: What the filters took from each side.
        inputs: The files or clusters that were scored.
        parts: Evaluations by name, of which this is the mean.
        over: What the parts are: "corpora" or "runs".
        windows: The evaluations of windows by their width, where the scheme asks for them.
        average: "micro" or "macro"; that of its `parts` as well.

    Examples:
        >>> from scorer import score
        >>> key, response = [["a"], ["b", "c"], ["d", "e", "f"]], [["a"], ["d", "e"]]
        >>> evaluation = score(key, response, metrics=["muc", "conll"])
        >>> evaluation["muc"]
        Ratios(recall=0.3333333333333333, precision=1.0, f1=0.5)
        >>> "conll" in evaluation, list(evaluation), len(evaluation)
        (True, ['muc', 'conll'], 2)
        >>> evaluation.totals["muc"]
        (Counts(recall 1/3, precision 1/1),)
    """

    meant: ClassVar[dict[str, str]] = {
        **{name: f"evaluation[{name!r}].f1" for name in ALL_METRICS},
        **{ratio: f"evaluation['muc'].{ratio}" for ratio in ("recall", "precision", "f1")},
    }

    def __init__(
        self,
        scheme: Scheme,
        inputs: Iterable[Input] = (),
        *,
        parts: Mapping[str, Evaluation] | None = None,
        over: str = "",
        average: str = "micro",
    ) -> None:
        self.scheme = scheme
        self.metrics: dict[str, Metric] = scheme.metrics
        self.names: list[str] = scheme.names
        self.options: Options = scheme.options
        self.parts: dict[str, Evaluation] = dict(parts or {})
        self.over = over
        self.average = average
        self.documents: list[DocumentScore] = []
        self.left_out: int = 0
        self.totals: dict[str, tuple[Counts, ...]] = {
            name: (Counts(0, 0, 0, 0),) * len(metric.parts)
            for name, metric in scheme.metrics.items()
        }
        self.problems: list[Problem] = []
        self.removed: list[Removed] = []
        self.inputs: list[Input] = list(inputs)
        self.windows: dict[int, Evaluation] = {}

    def ratios(self, metric: str) -> Ratios:
        """Return recall, precision and F1 of a metric.

        They are those of the totals (micro-average), unless `average` or `parts` say otherwise. An
        average such as conll has an F1 only; its recall and precision are None. `mean` has means
        of these, too.

        Raises:
            KeyError: The metric was not counted; the message says what was.
        """
        return _RATIOS[self.average](self, metric)

    def __getitem__(self, metric: str) -> Ratios:
        return self.ratios(metric)

    def __contains__(self, metric: object) -> bool:
        return isinstance(metric, str) and is_counted(self.metrics, canonical(metric))

    def __iter__(self) -> Iterator[str]:
        return iter(self.names)

    def __len__(self) -> int:
        return len(self.names)

    def mean(self, average: str = "conll") -> Ratios:
        """Return the means of recall, precision and F1 of the metrics that an average is of.

        The F1 is what the average is: for conll the mean of MUC, B³ and CEAFe (Pradhan et al.
        2012), and not the harmonic mean of the other two. Nobody defines these, so no report has
        them; training scripts show them.

        Raises:
            KeyError: There is no such average, or not all of its metrics were counted.
        """
        name = canonical(average)
        if name not in AVERAGES:
            raise NotCountedError(
                f"{average!r} is not an average; choose from: {', '.join(AVERAGES)}"
            )
        if not is_counted(self.metrics, name):
            raise not_counted(self.metrics, average)
        return mean([self.ratios(metric) for metric in AVERAGES[name].of])

    def micro(self, metric: str) -> Ratios:
        """Return recall, precision and F1 of the totals over documents (micro-average).

        Over several corpora or runs (`parts`), these are the means of theirs.

        Args:
            metric: The name of a metric or an average.

        Raises:
            KeyError: The metric was not counted; the message says what was.
        """
        if self.parts:
            return mean([part.micro(metric) for part in self.parts.values()])
        return self.ratios_of(metric, self.totals)

    def macro(self, metric: str, *, defined: bool = False) -> Ratios:
        """Return the means over documents of recall, of precision and of F1 (macro-average).

        A ratio that is 0/0 in a document is 0, as in reference 8.01: a document without links, or
        one that only holds singletons, adds 0 to the mean of MUC. A perfect response may therefore
        have a macro-averaged MUC below 1. Over several corpora or runs (`parts`), these are the
        means of theirs.

        Args:
            metric: The name of a metric or an average.
            defined: Leave a document out of the mean of a recall or precision that is 0/0 there,
                and of F1 if both are. A mean that has no document is None, and so is the F1 of an
                average if one of its metrics has none.
        """
        if self.parts:
            return mean([part.macro(metric, defined=defined) for part in self.parts.values()])
        if defined:
            name = _counted_name(self.metrics, metric)
            counts = [document.counts for document in self.documents]
            return mean_where_defined(self.metrics, name, counts)
        return mean([self.ratios_of(metric, document.counts) for document in self.documents])

    def ratios_of(self, metric: str, counts: Mapping[str, Sequence[Counts]]) -> Ratios:
        """Return recall, precision and F1 of counts by metric name, as of a group of documents."""
        return ratios_of(self.metrics, metric, counts)

    @property
    def scored(self) -> int:
        """The number of documents that were counted: those kept, and those `left_out`."""
        return len(self.documents) + self.left_out

    @property
    def repaired(self) -> dict[str, int]:
        """The number of repairs of the texts of a model, by kind."""
        amounts: dict[str, int] = {}
        for problem in self.problems:
            for kind, amount in problem.amounts.items():
                amounts[kind] = amounts.get(kind, 0) + amount
        return amounts

    @property
    def not_aligned(self) -> int:
        """The number of documents that are empty as a model did not write the text of the key."""
        return sum(problem.kind == "unaligned" for problem in self.problems)

    def documents_with(self, kind: Kind) -> list[str]:
        """List the documents that problems of a kind are about, each once."""
        found = [problem.document or "" for problem in self.problems if problem.kind == kind]
        return list(dict.fromkeys(found))

    def add(self, score: DocumentScore, *, keep: bool = True) -> None:
        """Add a document to the totals, and append it.

        Without `keep`, it is only appended if it repeats a mention.
        """
        if not isinstance(score, DocumentScore):
            raise not_of_type("score", score, "a DocumentScore")
        if keep or score.repeats:
            self.documents.append(score)
        else:
            self.left_out += 1
        self.add_removed(score.removed)
        for name, parts in score.counts.items():
            self.totals[name] = tuple(map(Counts.__add__, self.totals[name], parts))

    def add_removed(self, removed: Iterable[Removed]) -> None:
        """Add what filters took, in one entry for each filter and side."""
        totals: dict[tuple[str, str], Removed] = {}
        for total in self.removed:
            totals[total.filter, total.side] = total
        for taken in removed:
            at = taken.filter, taken.side
            totals[at] = totals[at] + taken if at in totals else taken
        self.removed = list(totals.values())

    def replace(self, **attributes: Any) -> Evaluation:
        """Return the evaluation with other values of some attributes."""
        replaced = Evaluation(self.scheme)
        vars(replaced).update(vars(self) | attributes)
        return replaced

    def group_by(self, pattern: str) -> dict[str, Evaluation]:
        """Return the documents in groups, each an evaluation of its own, sorted by name.

        A document's group is what the first group of the regular expression captures in its name,
        or all that the expression matches if it has no group; documents in whose name it is not
        found are in the group "".

        Raises:
            ValueError: The pattern is no regular expression.
        """
        search = compiled(pattern).search
        runs = self.parts if self.over == "runs" else {}
        groups_by_run = {run: part.group_by(pattern) for run, part in runs.items()}
        groups: dict[str, Evaluation] = {}
        for document in self.documents:
            name = group_of(search(document.name))
            if name not in groups:
                parts = {run: run_groups[name] for run, run_groups in groups_by_run.items()}
                over = "runs" if parts else ""
                groups[name] = Evaluation(self.scheme, parts=parts, over=over, average=self.average)
            groups[name].add(document)
        return dict(sorted(groups.items()))

    def __add__(self, other: Evaluation) -> Evaluation:
        """Return the documents of two shards in one evaluation.

        Totals are added document by document, so that they do not depend on where a shard ends.

        Raises:
            ValueError: The two were scored differently or share a document.
        """
        if not isinstance(other, Evaluation):
            return NotImplemented
        _check_mergeable(self, other)
        merged = Evaluation(self.scheme)
        names: set[str] = set()
        for shard in (self, other):
            for document in shard.documents:
                if document.name in names:
                    problem = "is in more than one of the evaluations to merge"
                    raise ValueError(f"document {document.name!r} {problem}")
                names.add(document.name)
                merged.add(document)
            # What was taken from documents came with them.
            for removed in shard.removed:
                if removed.filter == "documents":
                    merged.add_removed([removed])
            merged.problems += shard.problems
            merged.inputs += shard.inputs
        for width, windows in self.windows.items():
            merged.windows[width] = windows + other.windows[width]
        return merged

    own_formats: ClassVar[tuple[str, ...]] = ("perl",)
    title = "Coreference scores"

    def layout_of(self, options: dict[str, Any]) -> Layout:
        # Loaded only here, as scorer.pl does without.
        from scorer.evaluation.report import Layout
        from scorer.report.report import layout_from

        made: Layout = layout_from(Layout, options)
        return made

    def tables_of(self, layout: Layout) -> list[Table]:
        from scorer.evaluation.report import sections_of

        return sections_of(self, layout)

    def signature(self, report: dict[str, Any] | None = None) -> dict[str, Any]:
        from scorer.evaluation.report import signature

        return signature(self, report)

    def finishes(self) -> Mapping[str, Callable[..., Report]]:
        from scorer.evaluation.report import FINISHES

        return FINISHES

    def to_dict(self, *, per_document: bool = True, **options: Any) -> dict[str, Any]:
        return super().to_dict(per_document=per_document, **options)

    def to_frame(self, section: str = "documents", **options: Any) -> pd.DataFrame:
        """Return a tidy data frame with one row for each document and metric.

        The columns are those of csv: name, width (of windows) or average (of totals), then metric,
        recall, precision, f1 (fractions from 0 to 1) and the four counts. BLANC's two kinds of
        links have rows of their own, `blanc.coreference` and `blanc.non-coreference`. Values that
        do not exist are missing: counts of `blanc` and of averages, recall and precision of
        averages.

        Args:
            section: Which rows: "documents", "totals", "groups" (with the option `group_by`), or
                "windows" of what was scored in windows.
            options: What the report shows, as in `text`.

        Raises:
            ValueError: There is no such section.
        """
        defaults: dict[str, Any] = {"per_document": True}
        if not self.windows:
            # Windows are totals.
            defaults["average"] = "both"
        return super().to_frame(section, **defaults | options)

    def plot(self) -> Plot:
        """Plot F1 of each metric, as the HTML report shows it."""
        from scorer.evaluation.page import plot_metrics
        from scorer.report.plots import Plot

        return Plot(plot_metrics(self))

    def __repr__(self) -> str:
        from conll.errors import pluralize

        return f"<Evaluation of {pluralize(self.scored, 'document')}: {' '.join(self.names)}>"


_RATIOS = {"micro": Evaluation.micro, "macro": Evaluation.macro}
"""The figures of an evaluation by its average."""


def group_of(match: re.Match[str] | None) -> str:
    """Return the group of a document from the match of a pattern in its name, if there is one."""
    if match is None:
        return ""
    if match.re.groups:
        return match[1] or ""
    return match[0]


class NotCountedError(KeyError):
    """A metric that an evaluation does not have.

    `str` of it is the sentence, which other KeyErrors put in quotation marks.
    """

    def __str__(self) -> str:
        return str(self.args[0])


def not_counted(metrics: Mapping[str, Metric], metric: str) -> NotCountedError:
    """Make the error for a metric that is not among those counted."""
    from conll.errors import did_you_mean

    known = names()
    shown = [name for name in dict.fromkeys((*known, *metrics)) if is_counted(metrics, name)]
    if canonical(metric) in known:
        problem = f"{metric!r} was not counted; name it among the metrics to score"
    else:
        aliases = [alias for alias, name in ALIASES.items() if name in shown]
        nearest = did_you_mean(metric, [*shown, *aliases]) or did_you_mean(metric, known)
        problem = f"unknown metric {metric!r}"
        if nearest:
            problem += f" ({nearest[2:]})"
    return NotCountedError(f"{problem}; counted here: {', '.join(shown)}")


def counted(metrics: Mapping[str, Metric]) -> list[str]:
    """List the metrics that were counted, and the averages that can be computed of them."""
    averages = [name for name in AVERAGES if is_counted(metrics, name)]
    return list(dict.fromkeys((*metrics, *averages)))


def is_counted(metrics: Mapping[str, Metric], name: str) -> bool:
    """Return whether a metric was counted, or all that an average is of."""
    return all(metric in metrics for metric in needed([name]))


def _counted_name(metrics: Mapping[str, Metric], metric: str) -> str:
    """Return the name of a metric or an average that was counted; KeyError for others."""
    # That of a metric of a user is as it is written.
    if isinstance(metric, str) and metric in metrics:
        return metric
    name = canonical(metric)
    if not is_counted(metrics, name):
        raise not_counted(metrics, metric)
    return name


def ratios_of(
    metrics: Mapping[str, Metric], metric: str, counts: Mapping[str, Sequence[Counts]]
) -> Ratios:
    """Return recall, precision and F1 of a metric, or the F1 of an average, from counts by metric.

    Raises:
        KeyError: The metric was not counted.
    """
    name = _counted_name(metrics, metric)
    if name in metrics:
        return metrics[name].combine(counts[name])
    return average_of([ratios_of(metrics, part, counts) for part in AVERAGES[name].of])


def average_of(parts: Sequence[Ratios]) -> Ratios:
    """Return the average of metrics, such as conll, from their ratios: a mean F1 alone."""
    return Ratios(None, None, _mean([part.f1 for part in parts]))


def mean(each: Sequence[Ratios]) -> Ratios:
    """Return the means of recall, of precision and of F1, where all have one; 0 of none."""
    if not each:
        return Ratios(0.0, 0.0, 0.0)
    return Ratios(*map(_mean, zip(*each)))


def _mean(values: Sequence[Any]) -> Any:
    """Return the mean of numbers, or of arrays; None if one does not exist."""
    if any(value is None for value in values):
        return None
    return divide(add(values), len(values))


def mean_where_defined(
    metrics: Mapping[str, Metric], name: str, documents: Sequence[Mapping[str, Sequence[Counts]]]
) -> Ratios:
    """Return the means of recall, of precision and of F1 over the documents that define them.

    A recall or precision is left out where it is 0/0, and F1 where both are. A metric with several
    parts is 0/0 where all of them are. An average, such as conll, is the mean of the means of its
    metrics. A mean over no document is None, and so is an average of which one metric has none.

    Args:
        metrics: The metrics that were counted, by name.
        name: The name of a metric or an average.
        documents: The counts of each document, by metric.
    """
    if name not in metrics:
        # The mean of fewer metrics would be another figure under the same name.
        parts = AVERAGES[name].of
        return average_of([mean_where_defined(metrics, part, documents) for part in parts])
    recalls: list[float] = []
    precisions: list[float] = []
    f1s: list[float] = []
    for counts in documents:
        ratios = metrics[name].combine(counts[name])
        has_recall = any(part.recall_denominator for part in counts[name])
        has_precision = any(part.precision_denominator for part in counts[name])
        if has_recall:
            recalls.append(ratios.recall)
        if has_precision:
            precisions.append(ratios.precision)
        if has_recall or has_precision:
            f1s.append(ratios.f1)
    # A mean over no document is no 0.
    return Ratios(*[_mean(values) if values else None for values in (recalls, precisions, f1s)])


def _check_mergeable(first: Evaluation, second: Evaluation) -> None:
    """Raise ValueError if two evaluations were scored differently."""
    if list(first.metrics) != list(second.metrics) or first.names != second.names:
        raise ValueError(
            "evaluations of different metrics cannot be merged: "
            f"{' '.join(first.names)} and {' '.join(second.names)}"
        )
    if first.scheme.windows != second.scheme.windows:
        raise ValueError("evaluations of different windows cannot be merged")
    if first.options != second.options:
        raise ValueError(
            f"evaluations with different options cannot be merged: {first.options} "
            f"and {second.options}"
        )
