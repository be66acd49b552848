"""What is made of several metrics, several documents or several shards: averages, macro-averages, groups, merging."""

from __future__ import annotations

from scorer.count.contingency import add
from scorer.count.counts import Counts, Ratios, divide
from scorer.registry import ALIASES, AVERAGES, canonical, names

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from collections.abc import Callable, Sequence

    from scorer.evaluation.evaluation import DocumentScore, Evaluation


class NotCountedError(KeyError):
    """A metric that an evaluation does not have; `str` of it is the sentence, which other KeyErrors put in quotation marks."""

    def __str__(self) -> str:
        return str(self.args[0])


def not_counted(evaluation: Evaluation, metric: str) -> NotCountedError:
    """The error for a metric that was not counted: whether there is one of that name, or the nearest, and what was counted."""
    from difflib import get_close_matches

    every = names()
    counted = [name for name in dict.fromkeys((*every, *evaluation.metrics)) if is_counted(evaluation, name)]
    if canonical(metric) in every:
        problem = f"{metric!r} was not counted; name it among the metrics to score"
    else:
        aliases = [alias for alias, name in ALIASES.items() if name in counted]
        near = get_close_matches(metric.lower(), [*counted, *aliases], 1) or get_close_matches(metric.lower(), every, 1)
        meant = f" (did you mean {near[0]!r}?)" if near else ""
        problem = f"there is no metric {metric!r}{meant}"
    return NotCountedError(f"{problem}; counted here: {', '.join(counted)}")


def is_counted(evaluation: Evaluation, name: str) -> bool:
    """Whether an evaluation has a metric, or all that an average is of."""
    return all(metric in evaluation.metrics for metric in (AVERAGES[name].of if name in AVERAGES else (name,)))


def mean_of(evaluation: Evaluation, average: str) -> Ratios:
    """`Evaluation.mean`."""
    name = canonical(average)
    if name not in AVERAGES:
        raise NotCountedError(f"{average!r} is no average; there are: {', '.join(AVERAGES)}")
    if not is_counted(evaluation, name):
        raise not_counted(evaluation, average)
    return mean([evaluation.ratios(metric) for metric in AVERAGES[name].of])


def ratios(name: str, of: Callable[[str], Ratios]) -> Ratios:
    """The average called `name` of what `of` gives for each of its metrics; KeyError when there is no such average."""
    f1s = [of(metric).f1 for metric in AVERAGES[name].of]
    return Ratios(float("nan"), float("nan"), divide(add(f1s), len(f1s)))


def mean(each: Sequence[Ratios]) -> Ratios:
    """The means of their recall, of their precision and of their F1; 0 of none."""
    recall, precision, f1 = (divide(add(values), len(each)) for values in zip(*map(Ratios.as_tuple, each))) if each else (0.0,) * 3
    return Ratios(recall, precision, f1)


def extend(evaluation: Evaluation, scores: Sequence[DocumentScore]) -> None:
    """`Evaluation.extend`."""
    evaluation.documents += scores
    for name, totals in evaluation.totals.items():
        columns = zip(totals, *(score.counts[name] for score in scores))
        evaluation.totals[name] = tuple(Counts(*map(add, zip(*map(Counts.as_tuple, column)))) for column in columns)
    evaluation.remove(removed for score in scores for removed in score.removed)


def group(evaluation: Evaluation, pattern: str) -> dict[str, Evaluation]:
    """`Evaluation.by`."""
    from scorer.patterns import compiled

    search = compiled(pattern).search
    groups: dict[str, Evaluation] = {}
    for document in evaluation.documents:
        name = group_of(search(document.name))
        if name not in groups:
            groups[name] = evaluation.like()
        groups[name].add(document)
    return dict(sorted(groups.items()))


def group_of(match: re.Match[str] | None) -> str:
    """The group of a document in whose name a pattern matches so."""
    return "" if match is None else (match[1] if match.re.groups else match[0]) or ""


def merge(shards: Sequence[Evaluation]) -> Evaluation:
    """The documents of all shards in one evaluation, in their order.

    Totals are added document by document, so that they do not depend on where one shard ends. ValueError when metrics or options
    differ, or when two shards hold a document of the same name.
    """
    merged = shards[0].like()
    names: set[str] = set()
    for shard in shards:
        if list(shard.metrics) != list(merged.metrics) or shard.names != merged.names:
            raise ValueError(
                f"evaluations of different metrics cannot be merged: {' '.join(merged.names)} and {' '.join(shard.names)}"
            )
        if shard.options != merged.options:
            raise ValueError(f"evaluations with different options cannot be merged: {merged.options} and {shard.options}")
        for document in shard.documents:
            if document.name in names:
                raise ValueError(f"document {document.name!r} is in more than one of the evaluations to merge")
            names.add(document.name)
            merged.add(document)
        # What was taken from documents came with them.
        merged.remove(removed for removed in shard.removed if removed.filter == "documents")
        merged.problems += shard.problems
        merged.inputs += shard.inputs
    return merged
