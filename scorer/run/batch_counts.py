"""What was counted in each row of a batch, document by document: the part of its JSON that a later run is compared with."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, NoReturn

from conll.errors import ConllError
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.evaluation.signature import Input, signature

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence
    from typing import Any

    from scorer.count.metric import Metric
    from scorer.options import Options
    from scorer.run.manifest import ManifestRow

MOST = 1 << 53
"""The integers up to here are exact as floats."""

HOW = "write one with: scorer batch MANIFEST --output RUN.json"


@dataclass(frozen=True)
class RowCounts:
    """What was counted in a row, or the `reason` why nothing was.

    `corpus`, `system`, `preset` and `settings` as in `ManifestRow`. `scorer`: the version that counted. `metrics`: names of those
    that were shown. `key` and `response`: the format and the SHA-256 of each. `counts`: by name of each metric that was counted,
    a list for each of the `documents`, in their order, of the four counts (as in `Counts.as_tuple`) of each part.
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
        """What it is found by."""
        return self.corpus, self.system, self.preset, self.settings

    def evaluation(self, metrics: Sequence[Metric], options: Options, names: Sequence[str]) -> Evaluation:
        """An evaluation of these metrics alone; ValueError where the counts of one are not of as many parts as it has."""
        evaluation = Evaluation(metrics, options, names)
        for metric in metrics:
            if any(len(of_one) != 4 * len(metric.parts) for of_one in self.counts[metric.name]):
                raise ValueError(f"{metric.name} was counted otherwise")
        for at, document in enumerate(self.documents):
            each = {metric.name: self.counts[metric.name][at] for metric in metrics}
            counts = {
                name: tuple(Counts(*numbers[begin : begin + 4]) for begin in range(0, len(numbers), 4))
                for name, numbers in each.items()
            }
            evaluation.add(DocumentScore(document, counts, [], 0))
        evaluation.inputs = [
            Input(side, of["format"], of["sha256"]) for side, of in (("key", self.key), ("response", self.response))
        ]
        return evaluation


def counts_of(row: ManifestRow, evaluation: Evaluation | None, reason: str = "") -> RowCounts:
    """What was counted in a row."""
    said = row.corpus, row.system, row.preset, row.settings
    if evaluation is None:
        return RowCounts(*said, reason)
    signed = signature(evaluation)
    counts = {
        name: [[number for part in document.counts[name] for number in part.as_tuple()] for document in evaluation.documents]
        for name in evaluation.metrics
    }
    documents = [document.name for document in evaluation.documents]
    sides = signed["key"] or {}, signed["response"] or {}
    return RowCounts(*said, "", signed["scorer"], list(evaluation.names), *sides, documents, counts)


@dataclass(frozen=True)
class Run:
    """An earlier run: its `path`, the SHA-256 of that file, and what was counted in its `rows`, by their names."""

    path: str
    sha256: str
    rows: Mapping[tuple[str, str, str, str], RowCounts]


def read_run(path: str | os.PathLike[str]) -> Run:
    """The counts in the JSON of a batch; OSError when it cannot be opened, ConllError when it is not what a batch has written."""
    name = str(path)
    with open(path, "rb") as file:
        content = file.read()
    try:
        tree = json.loads(content, parse_constant=_no_number)
    except RecursionError:
        _refuse(name, "there are too many lists in lists in the file")
    except ValueError as error:
        # What is no UTF-8 is a ValueError, too.
        _refuse(name, f"the file is no JSON ({str(error).partition(chr(10))[0]})")
    if not isinstance(tree, dict) or not isinstance(tree.get("counts"), list):
        _refuse(name, "the file holds no counts, so it is not the JSON of a batch")
    rows: dict[tuple[str, str, str, str], RowCounts] = {}
    for number, record in enumerate(tree["counts"], 1):
        try:
            row = _row(record)
        except (TypeError, AttributeError, KeyError, ValueError) as error:
            said = f" ({error})" if isinstance(error, ValueError) else ""
            _refuse(name, f"entry {number} of its counts is damaged{said}")
        if row.name in rows:
            _refuse(name, f"entry {number} of its counts is there twice")
        rows[row.name] = row
    return Run(name, sha256(content).hexdigest(), rows)


def _refuse(path: str, problem: str) -> NoReturn:
    raise ConllError(path, 0, f"{problem}; {HOW}") from None


def _no_number(name: str) -> float:
    raise ValueError(f"{name} is no count")


def _row(record: Any) -> RowCounts:
    """The entry; TypeError, AttributeError, KeyError or ValueError where it is not sound."""
    corpus, system, preset, settings, reason, version = (
        _text(record[name]) for name in ("corpus", "system", "preset", "settings", "reason", "scorer")
    )
    metrics, documents = _texts(record["metrics"]), _texts(record["documents"])
    key, response = ({name: _text(of) for name, of in record[side].items()} for side in ("key", "response"))
    if not reason and not all({*side} == {"format", "sha256"} for side in (key, response)):
        raise ValueError("nothing says of which files they are")
    if len({*documents}) < len(documents):
        raise ValueError("a document is there twice")
    counts = {name: [_numbers(one) for one in _listed(each)] for name, each in record["counts"].items()}
    if any(len(each) != len(documents) for each in counts.values()):
        raise ValueError("there are not as many as documents")
    return RowCounts(corpus, system, preset, settings, reason, version, metrics, key, response, documents, counts)


def _text(value: Any) -> str:
    if type(value) is not str:
        raise TypeError
    return value


def _listed(value: Any) -> list[Any]:
    if type(value) is not list:
        raise TypeError
    return value


def _texts(value: Any) -> list[str]:
    return list(map(_text, _listed(value)))


def _numbers(value: Any) -> list[float]:
    """Counts: True is none, and above `MOST` they would not add up."""
    numbers = _listed(value)
    if not all(type(number) in (int, float) for number in numbers):
        raise TypeError
    if not all(abs(number) <= MOST for number in numbers):
        raise ValueError("a count is too large")
    return numbers
