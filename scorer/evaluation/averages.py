"""Evaluations as one: means over corpora, over runs and over documents."""

import os
from collections.abc import Mapping
from copy import copy
from hashlib import sha256

from conll.errors import Problem, distinct
from conll.source import Source
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import DocumentScore, Evaluation


def mean_over_corpora(corpora: Mapping[str, Evaluation]) -> Evaluation:
    """Combine evaluations of one system on several corpora.

    Recall, precision and F1 are the means of the corpora's (so F1 is no function of the other two),
    as in the CRAC shared tasks. `documents` are those of all corpora, called `CORPUS/NAME`.

    Args:
        corpora: The evaluations by corpus.

    Raises:
        ValueError: They show different metrics.
    """
    combined = _combined(corpora, "corpora")
    for corpus, evaluation in corpora.items():
        combined.add_removed(evaluation.removed)
        for score in evaluation.documents:
            name = f"{corpus}/{score.name}"
            # What filters took is added for the corpus as a whole.
            combined.add(
                DocumentScore(
                    name,
                    score.counts,
                    score.metrics,
                    repeats=score.repeats,
                    invented=score.invented,
                )
            )
        combined.problems += [_of_corpus(problem, corpus) for problem in evaluation.problems]
    return combined


def mean_over_runs(runs: Mapping[str, Evaluation]) -> Evaluation:
    """Combine evaluations of several runs of one system.

    Recall, precision and F1 are the means of the runs'. Each document has the sum of what was
    counted in it.

    Args:
        runs: The evaluations by run.

    Raises:
        ValueError: They show different metrics or have different documents.
    """
    combined = _combined(runs, "runs")
    scores_of_runs: list[dict[str, DocumentScore]] = []
    problems: list[Problem] = []
    for run in runs.values():
        scores_of_runs.append({score.name: score for score in run.documents})
        problems += run.problems
        combined.add_removed(run.removed)
    names = scores_of_runs[0].keys()
    for scores in scores_of_runs:
        if scores.keys() != names:
            raise ValueError("runs of one system were not scored against the same documents")
    for name in names:
        combined.add(_sum_of([scores[name] for scores in scores_of_runs]))
    combined.problems = distinct(problems)
    return combined


def _combined(parts: Mapping[str, Evaluation], over: str) -> Evaluation:
    """Make an evaluation of these parts, without documents."""
    first_name, first = next(iter(parts.items()))
    for name, part in parts.items():
        if part.names != first.names or list(part.metrics) != list(first.metrics):
            raise ValueError(
                f"{over}: {name!r} was not scored with the same metrics as {first_name!r}"
            )
    inputs: list[Input] = []
    for part in parts.values():
        inputs += part.inputs
    return Evaluation(first.scheme, inputs, parts=parts, over=over, average=first.average)


def _of_corpus(problem: Problem, corpus: str) -> Problem:
    """Return a problem whose document is named with its corpus."""
    if problem.document is None:
        return problem
    named = copy(problem)
    named.document = f"{corpus}/{problem.document}"
    return named


def _sum_of(scores: list[DocumentScore]) -> DocumentScore:
    """Add up what was counted in one document in several runs."""
    first, *others = scores
    counts = dict(first.counts)
    invented = first.invented
    for score in others:
        invented += score.invented
        for metric, parts in score.counts.items():
            counts[metric] = tuple(map(Counts.__add__, counts[metric], parts))
    return DocumentScore(first.name, counts, first.metrics, invented=invented)


def averaged(evaluation: Evaluation, average: str) -> Evaluation:
    """Return the evaluation with the figures of an average, in each corpus and run.

    Args:
        evaluation: An evaluation, whatever its average.
        average: "micro" for totals, "macro" for means over documents.
    """
    parts = {name: averaged(part, average) for name, part in evaluation.parts.items()}
    return evaluation.replace(average=average, parts=parts)


def runs_of(evaluation: Evaluation) -> Mapping[str, Evaluation]:
    """Return the runs of a system by name; one without a name where it has no several."""
    return evaluation.parts if evaluation.over == "runs" else {"": evaluation}


def corpora_of(evaluation: Evaluation) -> Mapping[str, Evaluation]:
    """Return what was scored in each corpus; one without a name where there are no several."""
    return evaluation.parts if evaluation.over == "corpora" else {"": evaluation}


def in_corpora(evaluation: Evaluation) -> Mapping[str, Evaluation]:
    """Return what was scored in each corpus: of several runs, their means in it."""
    runs = runs_of(evaluation)
    if len(runs) == 1:
        return corpora_of(next(iter(runs.values())))
    runs_by_corpus: dict[str, dict[str, Evaluation]] = {}
    for name, run in runs.items():
        for corpus, part in corpora_of(run).items():
            runs_by_corpus.setdefault(corpus, {})[name] = part
    return {corpus: mean_over_runs(parts) for corpus, parts in runs_by_corpus.items()}


class Input:
    """A key or a response that was scored.

    Attributes:
        side: "key" or "response".
        format: The name of its format.
        sha256: The SHA-256 in hex: of a file that of its unpacked bytes; of several files that of
            the lines that `sha256sum` prints for them; of clusters in memory as in
            `scorer.inputs.sources.digest_of`.
        name: The name of its file, if any.
        joined: The mapping by which its documents have the names of the key, see `conll.joining`;
            "" where they have those of the file.
    """

    __slots__ = ("format", "joined", "name", "sha256", "side")

    def __init__(
        self,
        side: str,
        format: str,  # noqa: A002  the name of the option
        sha256: str,
        name: str = "",
        joined: str = "",
    ) -> None:
        self.side: str = side
        self.name: str = name
        self.joined: str = joined
        self.format: str = format
        self.sha256: str = sha256

    def __repr__(self) -> str:
        return f"<Input {self.side}: {self.format} {self.sha256}>"


def input_of(side: str, source: Source) -> Input:
    """Read the source once more, to its end, and return its record."""
    hashes: dict[str, str] = {}
    for file in source.files():
        digest = sha256()
        for chunk in file.chunks():
            digest.update(chunk)
        hashes[file.path.replace(os.sep, "/")] = digest.hexdigest()
    name = os.path.basename(source.path.rstrip("/" + os.sep))
    if len(hashes) == 1:
        return Input(side, source.format, hashes.popitem()[1], name, source.joined)
    # Where a file ends decides what its documents are, so each has its hash; the folder around them
    # may be called anything.
    above = os.path.commonprefix([*hashes]).rfind("/") + 1  # noqa: RUF071  paths may be URLs
    lines = []
    for path, file_hash in hashes.items():
        escaped = path[above:].replace("\\", r"\\").replace("\n", r"\n")
        lines.append(f"{file_hash}  {escaped}\n")
    whole = sha256("".join(lines).encode("utf-8", "surrogateescape")).hexdigest()
    return Input(side, source.format, whole, name, source.joined)
