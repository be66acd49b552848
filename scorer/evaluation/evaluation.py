# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""What was counted: each document, the totals, what is odd about the files, and the signature.

The signature of a report is what it takes to get the same bytes again.
"""

from __future__ import annotations

import os

from scorer.count.counts import Counts, Ratios, add, divide
from scorer.options import TABLE, WORDS, compiled
from scorer.registry import ALIASES, AVERAGES, canonical, names, needed
from scorer.result import Result
from scorer.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from typing import Any, Protocol

    import pandas as pd
    from numpy.typing import NDArray

    from conll.document import Document
    from conll.errors import Problem
    from conll.source import Source
    from scorer.count.counts import Metric
    from scorer.match.align import Repeat
    from scorer.match.removed import Removed
    from scorer.report.plots import Plot
    from scorer.report.report import Report
    from scorer.scheme import Scheme


class Input:
    """A key or a response that was scored: its side, its format, its SHA-256 in hex, its file name.

    `joined` is the mapping by which its documents have the names of the key, see `conll.joining`;
    empty where they have those of the file.

    Of a file it is that of its unpacked bytes; of several files, that of the lines that `sha256sum`
    prints for them. For clusters in memory it is made document by document, see
    `scorer.inputs.clusters.digest_of`.
    """

    __slots__ = ("format", "joined", "name", "sha256", "side")

    def __init__(
        self,
        side: str,
        format: str,  # noqa: A002  the word of the options
        sha256: str,
        name: str = "",
        joined: str = "",
    ) -> None:
        self.side = side
        self.name = name
        self.joined = joined
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
        return Input(side, source.format, hashes.popitem()[1], name, source.joined)
    # Where a file ends decides what its documents are, so each has its hash; the folder around them
    # may be called anything.
    above = os.path.commonprefix([*hashes]).rfind("/") + 1  # noqa: RUF071  paths may be URLs
    escaped = {path: path[above:].replace("\\", r"\\").replace("\n", r"\n") for path in hashes}
    lines = "".join(f"{one}  {escaped[path]}\n" for path, one in hashes.items())
    whole = sha256(lines.encode("utf-8", "surrogateescape")).hexdigest()
    return Input(side, source.format, whole, name, source.joined)


class DocumentScore:
    """What was counted in one document.

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
        self.name = name
        self.counts = counts
        self.metrics = metrics
        self.repeats = repeats
        self.invented = invented
        self.removed = removed

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
    """The counts of each document and their totals, and what is odd about the files.

    `documents` in key order, those of the `scored` ones that were kept; `totals` by metric name,
    one `Counts` for each part, added document by document; `problems` say where; `removed` says
    what the filters took from each side. `scheme` says how it was scored, with the `metrics` that
    were counted by name, the `names` of those to show, and the `options`; `inputs` are what was
    scored. `str()` of it is the table. Its figures are those of the totals (`average` is "micro"),
    means over its documents ("macro"), or means over its `parts`, which are evaluations by name:
    corpora or runs, as `over` says (see `scorer.evaluation.averages`).

    >>> from scorer import score
    >>> evaluation = score([["a"], ["b", "c"], ["d", "e", "f"]], [["a"], ["d", "e"]], metrics=["muc", "conll"])
    >>> evaluation["muc"]
    Ratios(recall=0.3333333333333333, precision=1.0, f1=0.5)
    >>> "conll" in evaluation, list(evaluation), len(evaluation)
    (True, ['muc', 'conll'], 2)
    >>> evaluation.totals["muc"]
    (Counts(recall 1/3, precision 1/1),)
    """

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
        self.metrics = scheme.metrics
        self.names = scheme.names
        self.options = scheme.options
        self.parts = dict(parts or {})
        self.over = over
        self.average = average
        self.documents: list[DocumentScore] = []
        self.left_out = 0
        self.totals = {
            name: (Counts(0, 0, 0, 0),) * len(metric.parts)
            for name, metric in scheme.metrics.items()
        }
        self.problems: list[Problem] = []
        self.removed: list[Removed] = []
        self.inputs = list(inputs)

    def ratios(self, metric: str) -> Ratios:
        """Return recall, precision and F1: of the totals (micro-average), unless `average` or `parts` say otherwise.

        An average such as conll has an F1 only; its recall and precision are None. `mean` has means
        of these, too.

        Raises:
            KeyError: The metric was not counted; the message says what was.
        """
        if self.parts:
            return mean([part.ratios(metric) for part in self.parts.values()])
        if self.average == "macro":
            return self.macro(metric)
        return self.ratios_of(metric, self.totals)

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
    def is_of_totals(self) -> bool:
        """Whether its figures are those of the totals, and so of its counts."""
        return self.average == "micro" and not self.parts

    @property
    def scored(self) -> int:
        """How many documents were counted: those that were kept, and those that were `left_out`."""
        return len(self.documents) + self.left_out

    @property
    def repaired(self) -> dict[str, int]:
        """How often the texts of a model were repaired, by the kind of repair."""
        amounts: dict[str, int] = {}
        for problem in self.problems:
            for kind, amount in problem.amounts.items():
                amounts[kind] = amounts.get(kind, 0) + amount
        return amounts

    @property
    def not_aligned(self) -> int:
        """In how many documents a model did not write the text of the key, so that they are empty."""
        return sum(problem.kind == "unaligned" for problem in self.problems)

    def add(self, score: DocumentScore | BatchScore, *, keep: bool = True) -> None:
        """Add a document, or those of a batch in turn, to the totals, and append the documents.

        Without `keep`, only those that repeat a mention are appended.
        """
        if isinstance(score, BatchScore):
            documents = score.documents() if keep else []
            self.left_out += len(score.names) - len(documents)
            add_counts: Callable[[Counts, Counts], Counts] = add_columns
        else:
            documents = [score] if keep or score.repeats else []
            self.left_out += 1 - len(documents)
            self.remove(score.removed)
            add_counts = Counts.__add__
        self.documents += documents
        for name, parts in score.counts.items():
            self.totals[name] = tuple(map(add_counts, self.totals[name], parts))

    def remove(self, removed: Iterable[Removed]) -> None:
        """Note what filters took, in one entry for each filter and side."""
        totals = {(total.filter, total.side): total for total in self.removed}
        for taken in removed:
            at = taken.filter, taken.side
            totals[at] = totals[at] + taken if at in totals else taken
        self.removed = list(totals.values())

    def replace(self, **attributes: Any) -> Evaluation:
        """Return the evaluation with other values of some attributes."""
        replaced = Evaluation(self.scheme)
        vars(replaced).update(vars(self) | attributes)
        return replaced

    def by(self, pattern: str) -> dict[str, Evaluation]:
        """The documents in groups, each an evaluation of its own, sorted by name.

        A document's group is what the first group of the regular expression captures in its name,
        or all that the expression matches if it has no group; documents in whose name it is not
        found are in the group "".

        Raises:
            ValueError: The pattern is no regular expression.
        """
        search = compiled(pattern).search
        runs = self.parts if self.over == "runs" else {}
        groups_by_run = {run: part.by(pattern) for run, part in runs.items()}
        groups: dict[str, Evaluation] = {}
        for document in self.documents:
            name = group_of(search(document.name))
            if name not in groups:
                parts = {run: of_run[name] for run, of_run in groups_by_run.items()}
                groups[name] = Evaluation(
                    self.scheme, parts=parts, over="runs" if parts else "", average=self.average
                )
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
        merged = Evaluation(self.scheme)
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

    def report(
        self,
        output_format: str = "table",
        *,
        per_document: bool = False,
        average: str = "micro",
        by: str | None = None,
        ratios: str = "all",
    ) -> Report:
        """Make the report of `scorer score`; its options are those of `text`."""
        from scorer.evaluation.report import report_of

        layout = Layout(per_document=per_document, average=average, by=by)
        return report_of(self, output_format.lower(), layout, ratios=ratios)

    def text(
        self,
        output_format: str = "table",
        *,
        per_document: bool = False,
        average: str = "micro",
        by: str | None = None,
        ratios: str = "all",
    ) -> str:
        """Write the report of `scorer score`.

        Args:
            output_format: The output format.
            per_document: Whether to show documents above the totals.
            average: "micro", "macro" or "both".
            by: A regular expression that puts documents into groups, see `by`.
            ratios: The ratios in LaTeX: all, or f1.

        Raises:
            ValueError: There is no such format, or it needs other metrics.
        """
        return self._text(
            output_format, per_document=per_document, average=average, by=by, ratios=ratios
        )

    def to_dict(self) -> dict[str, Any]:
        """Return ratios and counts of totals and documents, what filters removed, the signature."""
        from scorer.evaluation.report import to_dict

        return to_dict(self)

    def to_frame(self, rows: str = "documents") -> pd.DataFrame:
        """Return a tidy data frame with one row for each document and metric.

        The columns are those of csv: name (only for documents), metric, recall, precision, f1
        (fractions from 0 to 1) and the four counts. BLANC's two kinds of links have rows of their
        own, `blanc.coreference` and `blanc.non-coreference`. Values that do not exist are missing:
        counts of `blanc` and of averages, recall and precision of averages.

        Args:
            rows: Which rows: "documents", "totals" or "macro".

        Raises:
            ValueError: `rows` is something else.
        """
        from scorer.evaluation.report import to_frame

        return to_frame(self, rows)

    def plot(self) -> Plot:
        """Plot F1 of each metric, as the HTML report shows it."""
        from scorer.evaluation.report import plot

        return plot(self)

    def __repr__(self) -> str:
        from conll.errors import pluralize

        return f"<Evaluation of {pluralize(self.scored, 'document')}: {' '.join(self.names)}>"


class BatchScore:
    """What was counted in several documents: a `DocumentScore` of columns, with an element a document.

    Nothing repeats in them, and no filter took anything.

    Attributes:
        names: The names of the documents.
        counts: By the name of a metric, one `Counts` of arrays for each of the metric's parts.
        metrics: The metrics that were counted, by name.
        invented: The number of response mentions that are not in the key, an array.
    """

    __slots__ = ("counts", "invented", "metrics", "names")

    def __init__(
        self,
        names: list[str],
        counts: Mapping[str, Sequence[Counts]],
        metrics: Mapping[str, Metric],
        invented: NDArray[Any],
    ) -> None:
        self.names = names
        self.counts = counts
        self.metrics = metrics
        self.invented = invented

    def documents(self) -> list[DocumentScore]:
        """List the documents, made from the columns."""
        rows = (
            zip(*(map(Counts, *(column.tolist() for column in part.as_tuple())) for part in parts))
            for parts in self.counts.values()
        )
        return [
            DocumentScore(name, dict(zip(self.counts, counts)), self.metrics, invented=invented)
            for name, invented, *counts in zip(self.names, self.invented.tolist(), *rows)
        ]


def add_columns(total: Counts, columns: Counts) -> Counts:
    """Add the counts of the documents of a batch to a total, one after the other."""
    import numpy as np

    def add_column(total: float, column: NDArray[Any]) -> float:
        if column.dtype.kind == "i" and isinstance(total, int):
            return total + int(column.sum())
        # Adds document by document, as the reference does.
        return float(np.cumsum(np.append(np.float64(total), column))[-1])

    return Counts(*map(add_column, total.as_tuple(), columns.as_tuple()))


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


def counted(metrics: Mapping[str, Metric]) -> list[str]:
    """List the metrics that were counted, and the averages that can be computed of them."""
    averages = [name for name in AVERAGES if is_counted(metrics, name)]
    return list(dict.fromkeys((*metrics, *averages)))


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


def signature(evaluation: Evaluation, layout: dict[str, Any] | None = None) -> dict[str, Any]:
    """The signature as fields, in a fixed order.

    `layout` says how the report is laid out, where there is a choice.

    An evaluation merged from shards has the SHA-256 of its inputs' SHA-256s, in their order.
    """
    fields: dict[str, Any] = {
        "scorer": f"conll-scorer {__version__}",
        "metrics": evaluation.names,
        **evaluation.options.signed(),
    }
    # Which documents were to be scored stands beside how many were.
    fields["filter"] = fields.pop("filter")
    fields["documents"] = evaluation.scored
    for side in ("key", "response"):
        fields[side] = combined([one for one in evaluation.inputs if one.side == side])
    return fields | ({"report": layout} if layout else {})


def combined(inputs: Sequence[Input]) -> dict[str, str] | None:
    """What a signature says of these inputs of one side, the shards of one where there are several.

    None of none.
    """
    if not inputs:
        return None
    formats = "+".join(sorted({one.format for one in inputs}))
    mappings = sorted({one.joined for one in inputs if one.joined})
    joined = {"joined": "+".join(mappings)} if mappings else {}
    if len(inputs) == 1:
        return {"format": formats, "sha256": inputs[0].sha256, **joined}
    from hashlib import sha256

    whole = sha256("".join(one.sha256 for one in inputs).encode()).hexdigest()
    return {"format": formats, "sha256": whole, **joined}


def line(evaluation: Evaluation, layout: dict[str, Any] | None = None) -> str:
    """The signature on one line: `name=value` with semicolons between.

    What stands at its default is written too.
    """
    return written(signature(evaluation, layout))


def noted(fields: Mapping[str, Any]) -> str:
    """Write the whole signature as the last note of a report."""
    return f"signature: {written(fields)}"


def both(fields: Mapping[str, Any]) -> tuple[str, str]:
    """Write the whole and the short signature, of which a report shows one."""
    return written(fields), written(fields, short=True)


def written(fields: Mapping[str, Any], *, short: bool = False) -> str:
    """Write the fields of a signature on one line.

    Args:
        fields: The signature of a result.
        short: Leave out options and layouts at their defaults, the number of documents, and all but
            eight digits of each hash.
    """
    parts = [fields["scorer"]]
    for name, value in fields.items():
        if name != "scorer" and value is not None and not (short and _is_usual(name, value)):
            parts.append(f"{name}={_value(name, value, short=short)}")
    return "; ".join(parts)


def _is_usual(name: str, value: Any) -> bool:
    """Return whether a short signature leaves a field out."""
    if name == "report":
        return all(
            item in (("format", value["format"]), ("average", "micro")) for item in value.items()
        )
    return name == "documents" or any(
        name == option.field and value == option.default for option in TABLE.values()
    )


def _value(name: object, value: Any, *, short: bool) -> str:
    """Write a value as it stands on the line.

    What a user wrote is quoted, so that nothing in it can pass for the next field.
    """
    if isinstance(value, list):
        return ",".join(value)
    if isinstance(value, dict) and isinstance(value.get("sha256"), str):
        digest = value["sha256"][:8] if short else f"sha256:{value['sha256']}"
        joined = f":joined-by-{value['joined']}" if "joined" in value else ""
        return f"{value['format']}:{digest}{joined}"
    if isinstance(value, dict):
        items = (
            f"{_value('', key, short=short)}:{_value(key, item, short=short)}"
            for key, item in value.items()
        )
        return ",".join(items)
    if short and name in ("signatures", "run"):
        # Hashes of a batch.
        value = value[:8]
    text = str(value)
    if isinstance(value, float) or text.replace("-", "").isalnum() or text in WORDS:
        return text
    from json import dumps

    return dumps(text)


AVERAGING = ("micro", "macro", "both")
"""Totals (counts summed over documents, then divided), means over documents, or both."""


class Intervals:
    """The `ends` of confidence intervals by metric and ratio, as fractions.

    `heading`: of their column. `signed`: how they were made, as fields of a signature. `notes`:
    what they cannot bear.
    """

    __slots__ = ("ends", "heading", "notes", "signed")

    def __init__(
        self,
        heading: str,
        ends: Mapping[tuple[str, str], tuple[float, float]],
        signed: dict[str, Any],
        notes: Sequence[str] = (),
    ) -> None:
        self.heading = heading
        self.ends = ends
        self.signed = signed
        self.notes = notes


class Layout:
    """The choices that every report offers.

    ValueError for an unknown average, and for a pattern that is not a regular expression.

    `per_document`: the documents above the totals. `average`: micro, macro or both. `by`: a regular
    expression that puts documents into groups (see `Evaluation.by`). `corpus`: what was scored; the
    perl report prints its clusters, document by document, the others do without. `intervals`: of
    the totals; the page shows them, the others do without. `notes`: what a reader of the page has
    to know besides.
    """

    __slots__ = ("average", "by", "corpus", "intervals", "notes", "per_document")

    def __init__(
        self,
        *,
        per_document: bool = False,
        average: str = "micro",
        by: str | None = None,
        corpus: Pairs | None = None,
        intervals: Intervals | None = None,
        notes: Sequence[str] = (),
    ) -> None:
        if average not in AVERAGING:
            from conll.errors import did_you_mean

            raise ValueError(
                f"average: {average!r} is not one of "
                f"{', '.join(AVERAGING)}{did_you_mean(average, AVERAGING)}"
            )
        if by is not None:
            compiled(by)
        self.per_document = per_document
        self.average = average
        self.by = by
        self.corpus = corpus
        self.intervals = intervals
        self.notes = notes

    @property
    def needs_documents(self) -> bool:
        """Whether a report shows more than totals, so that an evaluation must keep its documents."""
        return self.per_document or self.by is not None or self.average != "micro"

    def signed(self, report: str) -> dict[str, Any]:
        """What the signature of that report says of its layout."""
        fields: dict[str, Any] = {"format": report, "average": self.average}
        if self.per_document:
            fields["per"] = "document"
        if self.by is not None:
            fields["by"] = self.by
        if self.intervals is not None and report == "html":
            fields |= self.intervals.signed
        return fields


if TYPE_CHECKING:

    class Pairs(Protocol):
        """What was scored, as `scorer.engine.corpus.Corpus` holds it, which lies above."""

        only: str | None

        def pair(self, name: str) -> tuple[Document | None, Document | None]:
            """The documents called `name` of the key and of the response.

            None where there is none.
            """
