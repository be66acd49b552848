"""An evaluation as plain data and back: for files that are kept, and for what the process of a submission sends.

Nobody has to be trusted who wrote such a record: it becomes numbers and text at worst, or is
refused.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from conll.errors import KINDS, Place, Problem
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import DocumentScore
from scorer.evaluation.signature import Input
from scorer.match.align import Removed, Repeat
from scorer.run.accumulator import tuple_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
    from typing import Any

    from scorer.evaluation.evaluation import Evaluation


LISTED = 1000
"""How many warnings of a response are kept, besides all documents that it lacks; the others are
only counted."""

LENGTH = 1000
"""The most characters of a reason or a warning, which may quote what a stranger wrote."""


def in_short(problems: Iterable[Problem], told: Collection[str] = ()) -> tuple[list[Problem], int]:
    """Return the first problems that are not among those `told`, cut, with all missing documents, and how many others there are."""
    listed: list[Problem] = []
    lacking = unlisted = 0
    for problem in problems:
        name = problem.document
        if problem.kind == "missing":
            lacking += 1
        elif str(problem) in told:
            continue
        elif len(listed) - lacking >= LISTED:
            unlisted += 1
            continue
        elif name is not None:
            name = cut(name)
        listed.append(
            Problem(
                cut(problem.path),
                problem.line,
                name,
                cut(problem.problem),
                kind=problem.kind,
                side=problem.side,
            )
        )
    return listed, unlisted


def cut(text: str) -> str:
    """Return the text, without its middle where it is longer than `LENGTH`."""
    return text if len(text) <= LENGTH else f"{text[: LENGTH // 2]}…{text[-LENGTH // 2 :]}"


def record_of(
    evaluation: Evaluation, at: Callable[[Place], Place] = lambda place: place
) -> dict[str, Any]:
    """Return the evaluation as plain data, without its metrics, options and names.

    `at` maps the places of problems.
    """
    return {
        "documents": [
            {
                "name": document.name,
                "counts": [_parts(document.counts[name]) for name in evaluation.metrics],
                "invented": document.invented,
                "repeats": [
                    [getattr(repeat, name) for name in _REPEAT] for repeat in document.repeats
                ],
                "removed": [one.as_tuple() for one in document.removed],
            }
            for document in evaluation.documents
        ],
        "totals": [_parts(evaluation.totals[name]) for name in evaluation.metrics],
        "problems": [_of_problem(one.at(at)) for one in evaluation.problems],
        "removed": [one.as_tuple() for one in evaluation.removed],
        "inputs": [[one.side, one.format, one.sha256] for one in evaluation.inputs],
    }


_REPEAT = ("side", "mention", "cluster", "place", "first", "ids", "removed")


def _of_problem(problem: Problem) -> list[Any]:
    beside = problem.beside and [problem.beside.path, problem.beside.line, problem.beside.side]
    place = [problem.path, problem.line, problem.side]
    return [problem.kind, place, problem.document, problem.text, beside, problem.advice]


def _parts(parts: Sequence[Counts]) -> list[tuple[Any, ...]]:
    return [counts.as_tuple() for counts in parts]


def evaluation_of(
    record: dict[str, Any], empty: Evaluation, at: Callable[[Place], Place] = lambda place: place
) -> Evaluation:
    """Return the evaluation that `record_of` wrote, with the metrics, options and names of `empty`.

    Raises ValueError, TypeError or LookupError when the record is damaged.
    """
    evaluation = empty.like()
    for document in record["documents"]:
        (name,) = _checked([document["name"]], str)
        (invented,) = _checked([document["invented"]], int)
        repeats = [_repeat(*values) for values in document["repeats"]]
        counts = _counts(document["counts"], empty)
        evaluation.documents.append(
            DocumentScore(name, counts, repeats, invented, list(_removed(document["removed"])))
        )
    # Kept as they were counted: the sums over documents would be the same, except that a 0 may be
    # 0.0.
    evaluation.totals = _counts(record["totals"], empty)
    evaluation.problems = [_problem(*values).at(at) for values in record["problems"]]
    evaluation.removed = list(_removed(record["removed"]))
    evaluation.inputs = [
        Input(*_checked([side, form, digest], str)) for side, form, digest in record["inputs"]
    ]
    return evaluation


def _counts(record: list[Any], empty: Evaluation) -> dict[str, tuple[Counts, ...]]:
    counts: dict[str, tuple[Counts, ...]] = {}
    for metric, parts in zip(empty.metrics.values(), record, strict=True):
        for _, four in zip(metric.parts, parts, strict=True):
            # Neither infinite nor an integer too large for a ratio.
            if not all(abs(number) <= sys.float_info.max for number in _checked(four, int, float)):
                raise ValueError
        counts[metric.name] = tuple(Counts(*four) for four in parts)
    return counts


def _problem(kind: Any, place: Any, name: Any, text: Any, beside: Any, advice: Any) -> Problem:
    own, other = _place(*place), None if beside is None else _place(*beside)
    if kind not in KINDS:
        raise ValueError
    _checked([text, advice], str)
    _checked([name], str, type(None))
    return Problem(own.path, own.line, name, text, advice, kind=kind, side=own.side, beside=other)


def _place(path: Any, line: Any, side: Any) -> Place:
    _checked([path, side], str)
    _checked([line], int)
    return Place(path, line, side)


def _repeat(
    side: Any, mention: Any, cluster: Any, place: Any, first: Any, ids: Any, removed: Any
) -> Repeat:
    _checked([side], str)
    _checked([cluster, place, *first, *ids], int)
    _checked([removed], bool)
    here, there = (first[0], first[1]), (ids[0], ids[1])
    return Repeat(
        side,
        tuple_of(mention) if isinstance(mention, list) else mention,
        cluster,
        place,
        here,
        there,
        removed=removed,
    )


def _removed(record: list[Any]) -> Iterator[Removed]:
    for filter_, side, *amounts in record:
        yield Removed(*_checked([filter_, side], str), *_checked(amounts, int))


def _checked(values: list[Any], *kinds: type) -> list[Any]:
    """The values, each exactly of one of these types: True is no count."""
    if not all(type(value) in kinds for value in values):
        raise TypeError
    return values
