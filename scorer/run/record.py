"""Evaluations as plain data and back.

The records are kept in the cache and in the JSON of a batch, and the process of a submission sends
one. Nobody has to trust who wrote a record: it becomes numbers and text at worst, or is refused.
"""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from conll.errors import KINDS, Place, Problem
from scorer.count.counts import Counts, Metric
from scorer.evaluation.evaluation import DocumentScore, Evaluation, Input
from scorer.evaluation.signature import signature
from scorer.match.align import Removed
from scorer.options import Options
from scorer.run.manifest import ManifestRow

LISTED = 1000
"""The most warnings of a response that are kept, besides all missing documents."""

LENGTH = 1000
"""The most characters of a reason or a warning, which may quote what an untrusted user wrote."""


def in_short(
    problems: Iterable[Problem], reported: Collection[str] = ()
) -> tuple[list[Problem], int]:
    """Return all missing documents, the first other problems, shortened, and the number left out.

    Args:
        problems: What is odd about a response.
        reported: Texts of problems to leave out, since they are reported elsewhere.
    """
    listed: list[Problem] = []
    missing = unlisted = 0
    for problem in problems:
        name = problem.document
        if problem.kind == "missing":
            missing += 1
        elif str(problem) in reported:
            continue
        elif len(listed) - missing >= LISTED:
            unlisted += 1
            continue
        elif name is not None:
            name = cut(name)
        path, text = cut(problem.path), cut(problem.problem)
        kind, side = problem.kind, problem.side
        listed.append(Problem(path, problem.line, name, text, kind=kind, side=side))
    return listed, unlisted


def cut(text: str) -> str:
    """Return the text, without its middle where it is longer than `LENGTH`."""
    return text if len(text) <= LENGTH else f"{text[: LENGTH // 2]}…{text[-LENGTH // 2 :]}"


def record_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the evaluation as plain data, without its metrics, options, names and repeats."""

    def counts_of(counts: dict[str, tuple[Counts, ...]]) -> list[Any]:
        return [[part.as_tuple() for part in counts[name]] for name in evaluation.metrics]

    return {
        "documents": [
            {
                "name": document.name,
                "counts": counts_of(document.counts),
                "invented": document.invented,
                "removed": [removed.as_tuple() for removed in document.removed],
            }
            for document in evaluation.documents
        ],
        "totals": counts_of(evaluation.totals),
        "problems": [_of_problem(problem) for problem in evaluation.problems],
        "removed": [removed.as_tuple() for removed in evaluation.removed],
        "inputs": [[file.side, file.format, file.sha256] for file in evaluation.inputs],
    }


def _of_problem(problem: Problem) -> list[Any]:
    beside = problem.beside and [problem.beside.path, problem.beside.line, problem.beside.side]
    place = [problem.path, problem.line, problem.side]
    return [problem.kind, place, problem.document, problem.text, beside, problem.advice]


def evaluation_of(record: dict[str, Any], empty: Evaluation) -> Evaluation:
    """Return the evaluation that `record_of` wrote.

    Args:
        record: The plain data, which may come from an untrusted user.
        empty: An evaluation with the same metrics, options and names.

    Raises:
        ValueError, TypeError, LookupError: The record is damaged.
    """
    evaluation = empty.like()
    for document in record["documents"]:
        (name,) = _checked([document["name"]], str)
        (spurious,) = _checked([document["invented"]], int)
        counts = _counts(document["counts"], empty)
        removed = _removed(document["removed"])
        score = DocumentScore(name, counts, [], spurious, removed)
        score.metrics = evaluation.metrics
        evaluation.documents.append(score)
    # Kept as they were counted: the sums over documents would be the same, except that a 0 may be
    # 0.0.
    evaluation.totals = _counts(record["totals"], empty)
    evaluation.problems = [_problem(*values) for values in record["problems"]]
    evaluation.removed = _removed(record["removed"])
    evaluation.inputs = [
        Input(*_checked([side, form, digest], str)) for side, form, digest in record["inputs"]
    ]
    return evaluation


def _counts(record: list[Any], empty: Evaluation) -> dict[str, tuple[Counts, ...]]:
    counts: dict[str, tuple[Counts, ...]] = {}
    for metric, parts in zip(empty.metrics.values(), record, strict=True):
        for _, numbers in zip(metric.parts, parts, strict=True):
            # Neither infinite nor an integer too large for a ratio.
            if not all(
                abs(number) <= sys.float_info.max for number in _checked(numbers, int, float)
            ):
                raise ValueError
        counts[metric.name] = tuple(Counts(*numbers) for numbers in parts)
    return counts


def _problem(kind: Any, place: Any, name: Any, text: Any, beside: Any, advice: Any) -> Problem:
    here, other = _place(*place), None if beside is None else _place(*beside)
    if kind not in KINDS:
        raise ValueError
    _checked([text, advice], str)
    _checked([name], str, type(None))
    return Problem(
        here.path, here.line, name, text, advice, kind=kind, side=here.side, beside=other
    )


def _place(path: Any, line: Any, side: Any) -> Place:
    _checked([path, side], str)
    _checked([line], int)
    return Place(path, line, side)


def _removed(record: list[Any]) -> list[Removed]:
    return [
        Removed(*_checked([filter_, side], str), *_checked(amounts, int))
        for filter_, side, *amounts in record
    ]


def _checked(values: list[Any], *kinds: type) -> list[Any]:
    """Return the values if each is exactly of one of these types: True is not a count."""
    if not all(type(value) in kinds for value in values):
        raise TypeError
    return values


@dataclass(frozen=True)
class RowCounts:
    """What was counted in a row of a batch, or the `reason` why nothing was.

    `corpus`, `system`, `preset` and `settings` as in `ManifestRow`. `scorer`: the version that
    counted. `metrics`: names of those that were shown. `key` and `response`: the format and the
    SHA-256 of each. `counts`: by name of each metric that was counted, a list for each of the
    `documents`, in their order, of the four counts (as in `Counts.as_tuple`) of each part.
    """

    corpus: str
    system: str
    preset: str
    settings: str
    reason: str = ""
    scorer: str = ""
    metrics: list[str] = field(default_factory=list)
    key: dict[str, str] = field(default_factory=dict)
    response: dict[str, str] = field(default_factory=dict)
    documents: list[str] = field(default_factory=list)
    counts: dict[str, list[list[float]]] = field(default_factory=dict)

    @property
    def name(self) -> tuple[str, str, str, str]:
        """Return what identifies the row in its batch."""
        return self.corpus, self.system, self.preset, self.settings

    def evaluation(
        self, metrics: Sequence[Metric], options: Options, names: Sequence[str]
    ) -> Evaluation:
        """Return an evaluation of these metrics alone.

        Raises:
            ValueError: A metric was counted in another number of parts.
        """
        evaluation = Evaluation(metrics, options, names)
        for metric in metrics:
            lengths = {len(numbers) for numbers in self.counts[metric.name]}
            if lengths - {4 * len(metric.parts)}:
                raise ValueError(f"{metric.name} was counted with other settings")
        for at, document in enumerate(self.documents):
            counts: dict[str, tuple[Counts, ...]] = {}
            for metric in metrics:
                numbers = self.counts[metric.name][at]
                counts[metric.name] = tuple(
                    Counts(*numbers[begin : begin + 4]) for begin in range(0, len(numbers), 4)
                )
            evaluation.add(DocumentScore(document, counts, [], 0))
        evaluation.inputs = [
            Input(side, file["format"], file["sha256"])
            for side, file in (("key", self.key), ("response", self.response))
        ]
        return evaluation


@dataclass(frozen=True)
class Scored:
    """What became of a row: its `evaluation`, or in one sentence the `reason` why it has none.

    `cached` says that it came from the cache; `uncached` says why it could not be written there,
    and so will be scored again.
    """

    row: ManifestRow
    evaluation: Evaluation | None
    reason: str = ""
    cached: bool = False
    uncached: str = ""

    @property
    def counts(self) -> RowCounts:
        """What was counted in each document of the row."""
        row, evaluation = self.row, self.evaluation
        name = row.corpus, row.system, row.preset, row.settings
        if evaluation is None:
            return RowCounts(*name, self.reason)
        fields = signature(evaluation)
        counts = {
            metric: [
                [number for part in document.counts[metric] for number in part.as_tuple()]
                for document in evaluation.documents
            ]
            for metric in evaluation.metrics
        }
        documents = [document.name for document in evaluation.documents]
        sides = fields["key"] or {}, fields["response"] or {}
        metrics = list(evaluation.names)
        return RowCounts(*name, "", fields["scorer"], metrics, *sides, documents, counts)
