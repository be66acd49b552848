"""An evaluation as plain data and back: one shape for processes and the rows that a batch keeps.

Nobody has to trust who wrote a record: it becomes numbers and text at worst, or is refused.
"""

import os
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cache
from hashlib import file_digest, sha256
from importlib.metadata import version
from typing import Any

from conll import formats, remote
from conll.errors import KINDS, Place, Problem
from conll.paths import files_below, files_in
from scorer.count.counts import Counts, Metric
from scorer.evaluation.averages import Input
from scorer.evaluation.evaluation import DocumentScore, Evaluation
from scorer.evaluation.report import signature
from scorer.match.align import Removed
from scorer.scheme import Scheme
from scorer.version import __version__

LISTED = 1000
"""The most warnings of a response that are kept, besides all missing documents."""

LENGTH = 1000
"""The most characters of a reason or a warning, which may quote what an untrusted user wrote."""

MOST = 1 << 53
"""The largest number in a record: integers up to here are exact as floats."""

NUMBER = int | float
FILE = {"format": str, "sha256": str}
PLACE = (str, int, str)
REMOVED = [(str, str, int, int, int)]
WHOLE: dict[str, Any] = {
    "scorer": str,
    "metrics": [str],
    "key": FILE,
    "response": FILE,
    "documents": [str],
    "counts": {str: [[NUMBER]]},
    "totals": {str: [NUMBER]},
    "invented": [int],
    "removed": REMOVED,
    "removed_by_document": [REMOVED],
    "problems": [(PLACE, str | None, str, str, str, [PLACE], {str: int})],
}
"""The shapes of the parts of a record, as `fits` reads them.

`scorer`: the version that counted. `metrics`: names of those that are shown. `counts`: by name of
each metric that was counted, a list for each document of the four counts (as in `Counts.as_tuple`)
of each of the metric's parts. A problem has its place, document, text, advice and kind, a list of
the place beside it, if any, and the amounts of repairs by kind."""


def fits(value: Any, shape: Any) -> bool:
    """Return whether plain data, which may come from an untrusted user, has a shape.

    Args:
        value: The data; no number above `MOST` fits, and True is no number.
        shape: A type; a list for any number of items of one shape; a tuple for a list of items of
            these shapes; a dictionary for one with members of these names, or with any names for
            the only name `str`.
    """
    if isinstance(shape, list):
        return isinstance(value, list) and all(fits(item, shape[0]) for item in value)
    if isinstance(shape, tuple):
        has_length = isinstance(value, list) and len(value) == len(shape)
        return has_length and all(map(fits, value, shape))
    if isinstance(shape, dict):
        if not isinstance(value, dict):
            return False
        members = dict.fromkeys(value, shape[str]) if str in shape else shape
        return members.keys() <= value.keys() and all(
            fits(value[name], inner) for name, inner in members.items()
        )
    if not isinstance(value, shape) or isinstance(value, bool):
        return False
    return not isinstance(value, NUMBER) or abs(value) <= MOST


def record_of(evaluation: Evaluation) -> dict[str, Any]:
    """Return the evaluation as plain data, without its options and repeats."""
    documents = evaluation.documents
    fields = signature(evaluation)
    counts: dict[str, list[list[float]]] = {}
    for metric in evaluation.metrics:
        counts[metric] = [_numbers(document.counts[metric]) for document in documents]
    return {
        "scorer": fields["scorer"],
        "metrics": fields["metrics"],
        "key": fields["key"],
        "response": fields["response"],
        "documents": [document.name for document in documents],
        "counts": counts,
        # Kept as they were counted: the sums over documents would be the same, except that a 0 may
        # be 0.0.
        "totals": {name: _numbers(parts) for name, parts in evaluation.totals.items()},
        "invented": [document.invented for document in documents],
        "removed": _removed(evaluation.removed),
        "removed_by_document": [_removed(document.removed) for document in documents],
        "problems": list(map(_problem_record, evaluation.problems)),
    }


def _problem_record(problem: Problem) -> tuple[Any, ...]:
    """Return a problem as plain data, which `_problem` reads."""
    other = problem.beside
    return (
        (problem.path, problem.line, problem.side),
        problem.document,
        problem.text,
        problem.advice,
        problem.kind,
        [(other.path, other.line, other.side)] if other else [],
        dict(problem.amounts),
    )


def _numbers(parts: Iterable[Counts]) -> list[float]:
    return [number for counts in parts for number in counts.as_tuple()]


def _removed(removed: Iterable[Removed]) -> list[tuple[str, str, int, int, int]]:
    return [filtered.as_tuple() for filtered in removed]


def is_sound(record: Any) -> bool:
    """Return whether a record has its shape, and its counts are those of distinct documents."""
    if not fits(record, WHOLE):
        return False
    names = record["documents"]
    lengths = {len(documents) for documents in record["counts"].values()}
    return len(set(names)) == len(names) and lengths <= {len(names)}


def evaluation_of(
    record: dict[str, Any], scheme: Scheme, file_names: Mapping[str, str] | None = None
) -> Evaluation:
    """Return the evaluation that `record_of` wrote.

    Args:
        record: The plain data, which may come from an untrusted user.
        scheme: The scheme by which it was scored.
        file_names: The names of the files of key and response, which a record does not have.

    Raises:
        ValueError, LookupError: The record is damaged.
    """
    if not is_sound(record):
        raise ValueError("the record is damaged")
    evaluation = Evaluation(scheme)
    columns = zip(
        record["documents"], record["invented"], record["removed_by_document"], strict=True
    )
    for number, (name, invented, taken) in enumerate(columns):
        counts = {
            key: _counts(metric, record["counts"][metric.name][number])
            for key, metric in evaluation.metrics.items()
        }
        removed = _read_removed(taken)
        evaluation.add(
            DocumentScore(name, counts, scheme.metrics, invented=invented, removed=removed)
        )
    for side in ("key", "response"):
        file = record[side]
        joined = str(file.get("joined", ""))
        name = (file_names or {}).get(side, "")
        evaluation.inputs.append(Input(side, file["format"], file["sha256"], name, joined))
    for metric in evaluation.metrics.values():
        evaluation.totals[metric.name] = _counts(metric, record["totals"][metric.name])
    evaluation.removed = _read_removed(record["removed"])
    evaluation.problems = [_problem(values) for values in record["problems"]]
    return evaluation


def _read_removed(records: Iterable[Sequence[Any]]) -> list[Removed]:
    return [Removed(*values) for values in records]


def _counts(metric: Metric, numbers: Sequence[float]) -> tuple[Counts, ...]:
    """Return the counts of each part of a metric."""
    if len(numbers) != 4 * len(metric.parts):
        raise ValueError(f"{metric.name} was counted with other settings")
    return tuple(Counts(*numbers[start : start + 4]) for start in range(0, len(numbers), 4))


def _problem(values: Sequence[Any]) -> Problem:
    """Return the problem that `_problem_record` wrote."""
    location, name, text, advice, kind, other_places, amounts = values
    if kind not in KINDS:
        raise ValueError(f"{kind!r} is no kind of problem")
    path, line, side = location
    other = Place(*other_places[0]) if other_places else None
    return Problem(
        path, line, name, text, advice, kind=kind, side=side, beside=other, amounts=amounts
    )


def in_short(
    problems: Iterable[Problem], reported: Collection[str] = ()
) -> tuple[list[Problem], int]:
    """Return all missing documents, the first other problems, shortened, and the number left out.

    Args:
        problems: The problems of a response.
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
        kind, side, amounts = problem.kind, problem.side, problem.amounts
        listed.append(
            Problem(path, problem.line, name, text, kind=kind, side=side, amounts=amounts)
        )
    return listed, unlisted


def cut(text: str) -> str:
    """Return the text, without its middle where it is longer than `LENGTH`."""
    return text if len(text) <= LENGTH else f"{text[: LENGTH // 2]}…{text[-LENGTH // 2 :]}"


def content_of(path: str) -> str:
    """Return the SHA-256 of a file, or of all files below a directory and their names.

    Raises:
        OSError: A file cannot be opened.
    """
    files = files_in(path)
    if files is None:
        return _digest(path)
    lines = (f"{_digest(file)} {file[len(path) :].lstrip(os.sep)}\0" for file in files)
    return hash_text("".join(lines))


def _digest(path: str) -> str:
    if not remote.is_url(path):
        with open(path, "rb") as file:
            return file_digest(file, "sha256").hexdigest()
    digest = sha256()
    for piece in remote.fetched(path):
        digest.update(piece)
    return digest.hexdigest()


def hash_text(text: str) -> str:
    """Return the SHA-256 of a text, which may hold bytes that are not UTF-8."""
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


@cache
def made_with() -> dict[str, str]:
    """Return the SHA-256 of the code, as a version is that of a release only, and the libraries.

    The last bit of a sum may differ between versions of the libraries.
    """
    code: list[str] = []
    for module_file in (formats.__file__, __file__):
        package = os.path.dirname(os.path.dirname(module_file))
        code += [_digest(file) for file in files_below(package) if file.endswith(".py")]
    return {
        "scorer": __version__,
        "code": hash_text("".join(code)),
        "python": f"{sys.version_info.major}.{sys.version_info.minor}",
        "numpy": version("numpy"),
        "scipy": version("scipy"),
    }
