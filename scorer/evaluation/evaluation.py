"""What was counted: each document, the totals, and what is odd about the files."""

from __future__ import annotations

import os

from conll.errors import distinct
from scorer.count.contingency import add
from scorer.count.counts import Counts, Ratios, divide
from scorer.options import Options, compiled
from scorer.registry import ALIASES, AVERAGES, canonical, names, needed
from scorer.result import Result

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    import pandas as pd
    from numpy.typing import NDArray

    from conll.errors import Problem
    from conll.source import Source
    from scorer.count.counts import Metric
    from scorer.match.align import Removed, Repeat
    from scorer.report.plots import Plot


class Input:
    """A key or a response that was scored: its side, its format, its SHA-256 in hex, its file name.

    Of a file it is that of its unpacked bytes; of several files, that of the lines that `sha256sum`
    prints for them. For clusters in memory it is made document by document, see
    `scorer.run.clusters.digest_of`.
    """

    __slots__ = ("format", "name", "sha256", "side")

    def __init__(self, side: str, format: str, sha256: str, name: str = "") -> None:  # noqa: A002  the word of the options
        self.side = side
        self.name = name
        self.format = format
        self.sha256 = sha256

    def __repr__(self) -> str:
        return f"<Input {self.side}: {self.format} {self.sha256}>"


def input_of(side: str, source: Source) -> Input:
    """Read the source once more, to its end, and return its record."""
    from hashlib import sha256

    hashes: dict[str, str] = {}
    for path, chunks in source.contents():
        digest = sha256()
        for chunk in chunks:
            digest.update(chunk)
        hashes[path.replace(os.sep, "/")] = digest.hexdigest()
    name = os.path.basename(source.path.rstrip("/" + os.sep))
    if len(hashes) == 1:
        return Input(side, source.format, hashes.popitem()[1], name)
    # Where a file ends decides what its documents are, so each has its hash; the folder around them
    # may be called anything.
    above = os.path.commonprefix([*hashes]).rfind("/") + 1  # noqa: RUF071  paths may be URLs
    escaped = {path: path[above:].replace("\\", r"\\").replace("\n", r"\n") for path in hashes}
    lines = "".join(f"{one}  {escaped[path]}\n" for path, one in hashes.items())
    whole = sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
    return Input(side, source.format, whole, name)


class DocumentScore:
    """What was counted in one document.

    Attributes:
        name: The name of the document.
        counts: By the name of a metric, one `Counts` for each of the metric's parts.
        repeats, invented: As in `scorer.match.align.Alignment`.
        removed: What the filters took from it.
        metrics: Those of the evaluation that it belongs to.
    """

    __slots__ = ("counts", "invented", "metrics", "name", "removed", "repeats")
    add_to = staticmethod(Counts.__add__)

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
        self.metrics: dict[str, Metric] = {}

    def __repr__(self) -> str:
        return f"<DocumentScore {self.name!r}: {' '.join(self.counts)}>"

    def ratios(self, metric: str) -> Ratios:
        """Return recall, precision and F1 of the document, as `Evaluation.ratios` does."""
        return ratios_of(self.metrics, metric, self.counts)

    def called(self, name: str) -> DocumentScore:
        """Return the same under another name."""
        return DocumentScore(name, self.counts, self.repeats, self.invented, self.removed)


class Evaluation(Result):
    """The counts of each document and their totals, and what is odd about the files.

    `documents` in key order, those of the `scored` ones that were kept; `totals` by metric name,
    one `Counts` for each part, added document by document; `problems` say where; `removed` says
    what the filters took from each side. `names` are the metrics and averages that reports show, in
    their order; `options` say how it was scored; `inputs` are what was scored. `str()` of it is the
    table.

    >>> from scorer import score
    >>> evaluation = score([["a"], ["b", "c"], ["d", "e", "f"]], [["a"], ["d", "e"]], metrics=["muc", "conll"])
    >>> evaluation.ratios("muc")
    Ratios(recall=0.3333333333333333, precision=1.0, f1=0.5)
    >>> evaluation.totals["muc"]
    (Counts(recall 1/3, precision 1/1),)
    """

    shown_by = "evaluation"

    def __init__(
        self,
        metrics: Sequence[Metric],
        options: Options | None = None,
        names: Sequence[str] | None = None,
    ) -> None:
        self.metrics = {metric.name: metric for metric in metrics}
        self.names = list(self.metrics if names is None else names)
        self.options = options or Options()
        self.documents: list[DocumentScore] = []
        self.left_out = 0
        self.totals = {metric.name: (Counts(0, 0, 0, 0),) * len(metric.parts) for metric in metrics}
        self.problems: list[Problem] = []
        self.removed: list[Removed] = []
        self.inputs: list[Input] = []

    def ratios(self, metric: str) -> Ratios:
        """Return recall, precision and F1 of the totals (micro-average).

        An average such as conll has an F1 only; its recall and precision are None. `mean` has means
        of these, too.

        Raises:
            KeyError: The metric was not counted; the message says what was.
        """
        return self.ratios_of(metric, self.totals)

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

    def macro(self, metric: str) -> Ratios:
        """Return the means over documents of recall, of precision and of F1 (macro-average).

        A ratio that is 0/0 in a document is 0, as in reference 8.01: a document without links, or
        one that only holds singletons, adds 0 to the mean of MUC. A perfect response may therefore
        have a macro-averaged MUC below 1.
        """
        return mean([self.ratios_of(metric, document.counts) for document in self.documents])

    def ratios_of(self, metric: str, counts: Mapping[str, Sequence[Counts]]) -> Ratios:
        """Return recall, precision and F1 of counts by metric name, as of a group of documents."""
        return ratios_of(self.metrics, metric, counts)

    @property
    def scored(self) -> int:
        """How many documents were counted: those that were kept, and those that were `left_out`."""
        return len(self.documents) + self.left_out

    @property
    def repaired(self) -> dict[str, int]:
        """How often the texts of a model were repaired, by the kind of repair."""
        amounts: dict[str, int] = {}
        for problem in self.problems:
            if problem.kind == "repair":
                for amount in problem.text.removeprefix("repaired: ").split(", "):
                    number, _, kind = amount.partition(" ")
                    kind = kind.removesuffix("s") if number != "1" else kind
                    amounts[kind] = amounts.get(kind, 0) + int(number)
        return amounts

    def add(self, score: DocumentScore | BatchScore, *, keep: bool = True) -> None:
        """Add a document, or those of a batch in turn, to the totals, and append the documents.

        Without `keep`, only those that repeat a mention are appended.
        """
        if isinstance(score, BatchScore):
            self.left_out += len(score.names)
            documents = score.documents() if keep else []
        else:
            self.left_out += 1
            documents = [score] if keep or score.repeats else []
            self.remove(score.removed)
        for document in documents:
            document.metrics = self.metrics
        self.documents += documents
        self.left_out -= len(documents)
        for name, parts in score.counts.items():
            self.totals[name] = tuple(map(score.add_to, self.totals[name], parts))

    def remove(self, removed: Iterable[Removed]) -> None:
        """Note what filters took, in one entry for each filter and side."""
        totals = {(total.filter, total.side): total for total in self.removed}
        for taken in removed:
            at = taken.filter, taken.side
            totals[at] = totals[at] + taken if at in totals else taken
        self.removed = list(totals.values())

    def like(self) -> Evaluation:
        """An evaluation of the same metrics with the same options, without a document."""
        return Evaluation(list(self.metrics.values()), self.options, self.names)

    def by(self, pattern: str) -> dict[str, Evaluation]:
        """The documents in groups, each an evaluation of its own, sorted by name.

        A document's group is what the first group of the regular expression captures in its name,
        or all that the expression matches if it has no group; documents in whose name it is not
        found are in the group "".

        Raises:
            ValueError: The pattern is no regular expression.
        """
        search = compiled(pattern).search
        groups: dict[str, Evaluation] = {}
        for document in self.documents:
            name = group_of(search(document.name))
            if name not in groups:
                groups[name] = self.like()
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
        if list(self.metrics) != list(other.metrics) or self.names != other.names:
            raise ValueError(
                "evaluations of different metrics cannot be merged: "
                f"{' '.join(self.names)} and {' '.join(other.names)}"
            )
        if self.options != other.options:
            raise ValueError(
                f"evaluations with different options cannot be merged: {self.options} "
                f"and {other.options}"
            )
        merged = self.like()
        names: set[str] = set()
        for shard in (self, other):
            for document in shard.documents:
                if document.name in names:
                    raise ValueError(
                        f"document {document.name!r} is in more than one of the evaluations to merge"
                    )
                names.add(document.name)
                merged.add(document)
            # What was taken from documents came with them.
            merged.remove(removed for removed in shard.removed if removed.filter == "documents")
            merged.problems += shard.problems
            merged.inputs += shard.inputs
        return merged

    def to_dict(self) -> dict[str, Any]:
        """Return ratios and counts of totals and documents, what filters removed, and the signature."""
        return dict(self._show.to_dict(self))

    def to_frame(self, rows: str = "documents") -> pd.DataFrame:
        """Return a tidy data frame with one row for each document and metric.

        The columns are those of csv: name (only for documents), metric, recall, precision, f1
        (fractions from 0 to 1) and the four counts. BLANC's two kinds of links have rows of their own,
        `blanc.coreference` and `blanc.non-coreference`. Values that do not exist are missing:
        counts of `blanc` and of averages, recall and precision of averages.

        Args:
            rows: Which rows: "documents", "totals" or "macro".

        Raises:
            ValueError: `rows` is something else.
        """
        return self._show.to_frame(self, rows)

    def text(
        self,
        form: str = "table",
        *,
        per_document: bool = False,
        average: str = "micro",
        by: str | None = None,
    ) -> str:
        """Write the report of `scorer score`.

        Args:
            form: The output format.
            per_document: Whether to show documents above the totals.
            average: "micro", "macro" or "both".
            by: A regular expression that puts documents into groups, see `by`.

        Raises:
            ValueError: There is no such format, or it needs other metrics.
        """
        layout = self._show.Layout(per_document=per_document, average=average, by=by)
        return self._text(form, layout=layout)

    def plot(self) -> Plot:
        """Plot F1 of each metric, as the HTML report shows it."""
        plot: Plot = self._show.plot(self)
        return plot

    def __repr__(self) -> str:
        from conll.errors import pluralize

        return f"<Evaluation of {pluralize(self.scored, 'document')}: {' '.join(self.names)}>"


class BatchScore:
    """What was counted in several documents: a `DocumentScore` of columns, with an element a document.

    `counts` by metric name, for each of the metric's parts one `Counts` of arrays; `invented` is an
    array as well. Nothing repeats in them, and no filter took anything.
    """

    __slots__ = ("counts", "invented", "names")

    def __init__(
        self, names: list[str], counts: Mapping[str, Sequence[Counts]], invented: NDArray[Any]
    ) -> None:
        self.names = names
        self.counts = counts
        self.invented = invented

    def documents(self) -> list[DocumentScore]:
        """List the documents, made from the columns."""
        rows = (
            zip(*(map(Counts, *(column.tolist() for column in part.as_tuple())) for part in parts))
            for parts in self.counts.values()
        )
        return [
            DocumentScore(name, dict(zip(self.counts, counts)), [], invented)
            for name, invented, *counts in zip(self.names, self.invented.tolist(), *rows)
        ]

    @staticmethod
    def add_to(total: Counts, columns: Counts) -> Counts:
        """Add the counts of the documents to a total, one after the other."""
        import numpy as np

        def in_turn(total: float, column: NDArray[Any]) -> float:
            if column.dtype.kind == "i" and isinstance(total, int):
                return total + int(column.sum())
            # Adds document by document, as the reference does.
            return float(np.cumsum(np.append(np.float64(total), column))[-1])

        return Counts(*map(in_turn, total.as_tuple(), columns.as_tuple()))


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
    counted = [name for name in dict.fromkeys((*known, *metrics)) if is_counted(metrics, name)]
    if canonical(metric) in known:
        problem = f"{metric!r} was not counted; name it among the metrics to score"
    else:
        aliases = [alias for alias, name in ALIASES.items() if name in counted]
        nearest = did_you_mean(metric, [*counted, *aliases]) or did_you_mean(metric, known)
        problem = f"unknown metric {metric!r}" + (f" ({nearest[2:]})" if nearest else "")
    return NotCountedError(f"{problem}; counted here: {', '.join(counted)}")


def is_counted(metrics: Mapping[str, Metric], name: str) -> bool:
    """Return whether a metric was counted, or all that an average is of."""
    return all(metric in metrics for metric in needed([name]))


def ratios_of(
    metrics: Mapping[str, Metric], metric: str, counts: Mapping[str, Sequence[Counts]]
) -> Ratios:
    """Return recall, precision and F1 of a metric, or the F1 of an average, from counts by metric.

    Raises:
        KeyError: The metric was not counted.
    """
    name = metric if metric in metrics else canonical(metric)
    if name in metrics:
        return metrics[name].combine(counts[name])
    if not is_counted(metrics, name):
        raise not_counted(metrics, metric)
    return ratios(name, lambda part: ratios_of(metrics, part, counts))


def ratios(name: str, of: Callable[[str], Ratios]) -> Ratios:
    """Return the average called `name` of what `of` gives for each of its metrics."""
    f1s = [of(metric).f1 for metric in AVERAGES[name].of]
    return Ratios(None, None, divide(add(f1s), len(f1s)))


def mean(each: Sequence[Ratios]) -> Ratios:
    """Return the means of recall, of precision and of F1, where all have one; 0 of none."""
    if not each:
        return Ratios(0.0, 0.0, 0.0)
    columns = zip(*map(Ratios.as_tuple, each))
    return Ratios(
        *(None if None in values else divide(add(values), len(each)) for values in columns)
    )


def group_of(match: re.Match[str] | None) -> str:
    """The group of a document in whose name a pattern matches so."""
    return "" if match is None else (match[1] if match.re.groups else match[0]) or ""


class Means(Evaluation):
    """Evaluations as one: `parts` by name, `over` corpora or runs.

    Recall, precision and F1 are the means of the parts' (so F1 is no function of the other two), as
    in the CRAC shared tasks. Counts are sums: over corpora, `documents` are those of all, called
    `CORPUS/NAME`; over runs, each document has the sum of what was counted in it. `options` are the
    first part's.

    ValueError when parts show different metrics, and when runs have different documents.
    """

    def __init__(self, parts: Mapping[str, Evaluation], over: str) -> None:
        first = next(iter(parts.values()))
        super().__init__(list(first.metrics.values()), first.options, first.names)
        self.parts = dict(parts)
        self.over = over
        for name, part in self.parts.items():
            if part.names != self.names or list(part.metrics) != list(self.metrics):
                raise ValueError(
                    f"{over}: {name!r} was not scored with the same metrics as "
                    f"{next(iter(parts))!r}"
                )
            self.remove(part.removed)
            self.inputs += part.inputs
        if over == "corpora":
            from copy import copy

            for name, part in self.parts.items():
                for score in part.documents:
                    self.add(
                        DocumentScore(
                            f"{name}/{score.name}", score.counts, score.repeats, score.invented
                        )
                    )
                for problem in part.problems:
                    named = copy(problem)
                    if named.document is not None:
                        named.document = f"{name}/{named.document}"
                    self.problems.append(named)
            return
        runs = list(self.parts.values())
        by_name = [{score.name: score for score in run.documents} for run in runs]
        if any(run.keys() != by_name[0].keys() for run in by_name):
            raise ValueError("runs of one system were not scored against the same documents")
        for name in by_name[0]:
            same = [run[name] for run in by_name]
            counts = {
                metric: tuple(
                    sum(parts[1:], parts[0]) for parts in zip(*(one.counts[metric] for one in same))
                )
                for metric in self.metrics
            }
            self.add(DocumentScore(name, counts, [], sum(one.invented for one in same)))
        self.problems = distinct(problem for run in runs for problem in run.problems)

    def like(self) -> Evaluation:
        """One without a document, whose figures are made as those of each part."""
        return next(iter(self.parts.values())).like()

    def by(self, pattern: str) -> dict[str, Evaluation]:
        """The documents in groups, as in `Evaluation`; of runs each group is their mean as well."""
        if self.over != "runs":
            return super().by(pattern)
        each = {name: part.by(pattern) for name, part in self.parts.items()}
        return {
            group: Means({name: of[group] for name, of in each.items()}, "runs")
            for group in next(iter(each.values()))
        }

    def ratios(self, metric: str) -> Ratios:
        """The means of the parts' recall, of their precision and of their F1."""
        return mean([part.ratios(metric) for part in self.parts.values()])


class Macro(Evaluation):
    """An evaluation whose figures are the means over its documents (macro-average), and not those of the totals.

    Counts, documents and whatever else there is are those of the other.
    """

    def __init__(self, of: Evaluation) -> None:
        vars(self).update(vars(of))

    def like(self) -> Macro:
        """One without a document, as in `Evaluation`."""
        return Macro(super().like())

    def ratios(self, metric: str) -> Ratios:
        """The means over documents, as `Evaluation.macro` has them."""
        return self.macro(metric)


def averaged(evaluation: Evaluation, average: str) -> Evaluation:
    """The evaluation with the figures of its totals (`micro`) or with means over documents (`macro`), in each corpus and run."""
    if average == "micro":
        return evaluation
    if isinstance(evaluation, Means):
        return Means(
            {name: averaged(part, average) for name, part in evaluation.parts.items()},
            evaluation.over,
        )
    return Macro(evaluation)


def runs_of(evaluation: Evaluation) -> dict[str, Evaluation]:
    """The runs of a system by name; one without a name where it has no several."""
    return _parts(evaluation, "runs")


def corpora_of(evaluation: Evaluation) -> dict[str, Evaluation]:
    """What was scored in each corpus, by name; one without a name where there are no several."""
    return _parts(evaluation, "corpora")


def _parts(evaluation: Evaluation, over: str) -> dict[str, Evaluation]:
    if isinstance(evaluation, Means) and evaluation.over == over:
        return evaluation.parts
    return {"": evaluation}


def in_corpora(evaluation: Evaluation) -> dict[str, Evaluation]:
    """What was scored in each corpus: of several runs, their means in it."""
    runs = runs_of(evaluation)
    each = [corpora_of(run) for run in runs.values()]
    if len(each) == 1:
        return each[0]
    return {
        corpus: Means({name: of[corpus] for name, of in zip(runs, each)}, "runs")
        for corpus in each[0]
    }
