"""A submission as Codabench and CodaLab hand it to a scoring program, and the scores that they read afterwards.

Their documentation says where things are: the reference data in `input/ref`, the submission in `input/res`, both unpacked; the
program writes `output/scores.json` (Codabench) or `output/scores.txt` (CodaLab), and may write `output/detailed_results.html`.
"""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar

from conll.errors import ConllError, Problem
from conll.io.files import replacing
from conll.io.opening import check_regular, files_below, open_documents
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.layout import Layout
from scorer.evaluation.page import page, refusal
from scorer.evaluation.signature import signature
from scorer.registry import AVERAGES
from scorer.report.forms.json import dumps
from scorer.run import isolation
from scorer.run.record import cut, evaluation_of, in_short, record_of
from scorer.run.score import WholeCorpus, score_corpus

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from conll.source import Source
    from scorer.count.metric import Metric
    from scorer.options import Options
    from scorer.run.isolation import Limits, Outcome

ValueT = TypeVar("ValueT")

PASSED_OVER = frozenset({"metadata", "metadata.yaml", "__MACOSX"})
"""Names of files that the platforms, and some archivers, add to a submission."""

MISSING = "missing_documents"
"""The score that says how many documents the submission lacks."""

_SCORES = "scores.json", "scores.txt"
_DETAILS = "detailed_results.html"


@dataclass(frozen=True)
class ScoringProgram:
    """How to score the submission of an input directory; calling it gives the record of its evaluation, by `scorer.score`'s rules.

    `folder`: the input directory, from which the `key` was opened; `names` as in `scorer.registry.select`; `max_size`: bytes of the
    submission, unpacked; `key_format`: the one that was named.
    """

    folder: str
    key: Source
    metrics: Sequence[Metric]
    options: Options
    names: Sequence[str]
    response_format: str | None = None
    max_size: int | None = None
    key_format: str | None = None

    def __reduce__(self) -> tuple[object, ...]:
        # An open key cannot be sent to a process that is not forked, which opens it again.
        settings = self.metrics, self.options, self.names, self.response_format, self.max_size, self.key_format
        return _opened_again, (self.folder, settings)

    def __call__(self, folder: str) -> dict[str, Any]:
        """ConllError and OSError when the submission in this directory cannot be read, or the options refuse it."""
        evaluation = score_corpus(WholeCorpus(self.key, self.opened(folder)), self.metrics, self.options, self.names)
        evaluation.problems, unlisted = in_short(evaluation.problems)
        if unlisted:
            evaluation.problems.insert(0, Problem("submission", 0, None, f"{unlisted} more warnings are not listed"))
        return record_of(evaluation)

    def read(self, _: str, record: dict[str, Any]) -> Evaluation:
        """The evaluation of that record."""
        return evaluation_of(record, Evaluation(self.metrics, self.options, self.names))

    def opened(self, folder: str) -> Source:
        """The submission in this directory."""
        _check_directory(folder)
        # The platform may have made the directory itself a link. Participants are told what is wrong, and know no paths of it.
        among = check_regular(os.path.realpath(folder), "submission")
        path, name = _only_file(folder, "submission", "the submission holds no files; send a response")
        return open_documents(path, self.response_format, name=name, limit=self.max_size, passed_over=PASSED_OVER, among=among)


def _opened_again(folder: str, settings: tuple[Any, ...]) -> ScoringProgram:
    *_, key_format = settings
    return ScoringProgram(folder, open_key(folder, key_format), *settings)


def open_key(input_directory: str, format: str | None = None) -> Source:  # noqa: A002  the word of the options
    """The key in `ref` of an input directory, of one file or of several; ConllError and OSError when it cannot be read."""
    folder = os.path.join(input_directory, "ref")
    _check_directory(folder)
    # Warnings name it, and participants see them.
    path, name = _only_file(folder, "key", "the reference data hold no key")
    return open_documents(path, format, name=name, passed_over=PASSED_OVER)


def score(input_directory: str, program: ScoringProgram, limits: Limits | None = None) -> Outcome[Evaluation]:
    """What became of the submission in `res` of an input directory, scored in a process of its own."""
    [(_, outcome)] = isolation.run(program, [os.path.join(input_directory, "res")], limits=limits, read=program.read)
    return _for_participants(outcome, input_directory)


@dataclass(frozen=True)
class ErrorsProgram:
    """Writes the page of a submission's errors to a path; calling it with the directory of the submission gives True."""

    program: ScoringProgram
    path: str

    def __call__(self, folder: str) -> bool:
        from scorer.run.error_pages import write_page

        program = self.program
        corpus = WholeCorpus(program.key, program.opened(folder))
        write_page(corpus, self.path, program.metrics, program.options, program.names, of="the submission")
        return True


def write_errors(input_directory: str, program: ScoringProgram, path: str, limits: Limits | None = None) -> Outcome[bool]:
    """What became of the page of the errors of a submission, made in a process of its own."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    outcome: Outcome[bool]
    [(_, outcome)] = isolation.run(ErrorsProgram(program, path), [os.path.join(input_directory, "res")], limits=limits)
    return _for_participants(outcome, input_directory)


def _for_participants(outcome: Outcome[ValueT], input_directory: str) -> Outcome[ValueT]:
    """The outcome with a short reason, which tells no path of this machine."""
    reason = outcome.reason
    for folder in (os.path.realpath(input_directory), input_directory):
        reason = reason.replace(os.path.join(folder, ""), "")
    return replace(outcome, reason=cut(reason))


def scores(evaluation: Evaluation) -> dict[str, float]:
    """The figures of the totals by the keys that a leaderboard's columns name, as fractions; all are finite.

    `muc_recall`, `muc_precision`, `muc_f1` and so on; an average such as `conll` has its name for its F1. Last `missing_documents`,
    the number of documents that the submission lacks.
    """
    figures: dict[str, float] = {}
    for metric in evaluation.names:
        ratios = evaluation.ratios(metric)
        values = (ratios.f1,) if metric in AVERAGES else ratios.as_tuple()
        figures |= dict(zip(columns(metric), map(float, values)))
    return figures | {MISSING: sum(problem.kind == "missing" for problem in evaluation.problems)}


def columns(metric: str) -> list[str]:
    """The keys of a metric's scores.

    >>> columns("muc"), columns("conll")
    (['muc_recall', 'muc_precision', 'muc_f1'], ['conll'])
    """
    return [metric] if metric in AVERAGES else [f"{metric}_{ratio}" for ratio in ("recall", "precision", "f1")]


def write(output_directory: str, evaluation: Evaluation, *, by: str | None = None, errors: str = "") -> None:
    """Write the scores and the page; `by` puts documents into groups. `scores.json`, by which all is judged, comes last.

    `errors`: the address of a page of the errors, to which the page links.
    OSError when something cannot be written: then no scores are left.
    """
    figures = scores(evaluation)
    report: dict[str, Any] = {"format": "codabench"} | ({"by": by} if by is not None else {})
    details = page(evaluation, signature(evaluation, report), Layout(per_document=True, by=by), errors=errors)
    contents = {
        _DETAILS: details,
        "scores.txt": "".join(f"{key}: {value}\n" for key, value in figures.items()),
        "scores.json": dumps(figures) + "\n",
    }
    os.makedirs(output_directory, exist_ok=True)
    try:
        for file, content in contents.items():
            _write(output_directory, file, content)
    except BaseException:
        remove(output_directory)
        raise


def write_refusal(output_directory: str, reason: str) -> None:
    """Write a page that says why the submission was not scored, and leave no scores."""
    os.makedirs(output_directory, exist_ok=True)
    remove(output_directory)
    _write(output_directory, _DETAILS, refusal(reason))


def prepared(output_directory: str) -> list[str]:
    """The paths of all that is written to that directory, which is made if there is none; OSError when it cannot be."""
    os.makedirs(output_directory, exist_ok=True)
    return [os.path.join(output_directory, file) for file in (*_SCORES, _DETAILS)]


def remove(output_directory: str) -> None:
    """Remove what an earlier run may have left."""
    for file in (*_SCORES, _DETAILS):
        with suppress(FileNotFoundError, NotADirectoryError):
            os.unlink(os.path.join(output_directory, file))


def _write(folder: str, file: str, content: str) -> None:
    with replacing(os.path.join(folder, file)) as opened:
        opened.write(content.encode("utf-8"))


def _check_directory(folder: str) -> None:
    if not os.path.isdir(folder):
        problem = "there is no such directory; the platform puts the key into ref and the submission into res"
        raise ConllError(os.path.basename(folder), 0, problem)


def _only_file(folder: str, name: str, nothing: str) -> tuple[str, str]:
    """The file below a directory and its path there; where there are several, the directory and its name. ConllError for none."""
    files = files_below(folder, PASSED_OVER)
    if not files:
        raise ConllError(os.path.basename(folder), 0, nothing)
    return (files[0], os.path.relpath(files[0], folder)) if len(files) == 1 else (folder, name)
