"""Systems scored in several corpora, as a manifest lists them: a corpus has a key of its own, and a system a response in each."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from conll.errors import ConllError
from conll.io.system import jobs_of
from scorer.comparison.comparison import compare_evaluations
from scorer.comparison.leaderboard import Participant, grouped, rank
from scorer.comparison.resampling import Resampling, method_of
from scorer.comparison.runs import check_groups, joined
from scorer.evaluation.means import Means
from scorer.registry import select
from scorer.run.isolation import Limits
from scorer.run.manifest import rows_of
from scorer.run.submissions import Key, Scoring, Submission, score_all, sort_of, with_mentions

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from conll.errors import Problem
    from scorer.comparison.comparison import Comparison
    from scorer.comparison.leaderboard import Leaderboard
    from scorer.evaluation.evaluation import Evaluation
    from scorer.options import Options
    from scorer.run.manifest import ManifestRow


@dataclass(frozen=True)
class InCorpora:
    """What became of a manifest: its `participants` in the order of their first rows, and the `problems` of its keys.

    `names`: the metrics and averages to show, in their order.
    """

    participants: list[Participant]
    names: list[str]
    problems: list[Problem] = field(default_factory=list)


def score_corpora(
    rows: Sequence[ManifestRow],
    *,
    limits: Limits | None = None,
    max_size: int | None = None,
    scheduler: str | None = None,
    jobs: int = 1,
    watch: Callable[[list[str]], Iterable[str]] | None = None,
) -> InCorpora:
    """Score each row, and put together what a system has: its figures are the means over all corpora of the manifest.

    Each key is read once. A system that lacks a corpus, or one of whose responses cannot be scored, has the reason instead, and
    what was scored of it. ValueError when two rows of a corpus have different keys or are to be scored differently, and when
    corpora show different metrics; ConllError or OSError for a key that cannot be read.
    """
    corpora: dict[str, list[ManifestRow]] = {}
    for row in rows:
        corpora.setdefault(row.corpus, []).append(row)
    names = select(rows[0].metrics, rows[0].options)[0]
    for own in corpora.values():
        _check_alike(own, names)
    scored: dict[str, dict[str, Participant]] = {row.system: {} for row in rows}
    problems: list[Problem] = []
    for corpus, own in corpora.items():
        first = own[0]
        shown, counted = select(first.metrics, first.options)
        key = Key(first.key_path, with_mentions(counted, first.options), first.options, shown, first.key_format, scheduler)
        problems += key.problems
        systems = {row.system: Submission(row.response_path, row.response_path) for row in own}
        scoring = Scoring(key, first.response_format, max_size)
        for one in score_all(scoring, systems, limits=limits, jobs=jobs, watch=watch):
            scored[one.system][corpus] = one
    return InCorpora([_together(system, of, list(corpora)) for system, of in scored.items()], names, problems)


def _check_alike(rows: Sequence[ManifestRow], names: Sequence[str]) -> None:
    first = rows[0]
    for row in rows:
        where = f"corpus {row.corpus!r}: lines {first.line} and {row.line} of the manifest"
        if row.key_path != first.key_path:
            raise ValueError(f"{where} have different keys; give a corpus one key")
        ways = [(one.options, one.metrics, one.key_format, one.response_format) for one in (first, row)]
        if ways[0] != ways[1]:
            raise ValueError(f"{where} are to be scored differently; score a corpus one way")
        if select(row.metrics, row.options)[0] != list(names):
            raise ValueError(f"{where}: its metrics are not those of the first corpus; show the same ones in all")


def _together(system: str, of: Mapping[str, Participant], corpora: Sequence[str]) -> Participant:
    """A system's responses to all corpora as one."""
    parts: dict[str, Evaluation] = {}
    for corpus in corpora:
        evaluation = of[corpus].evaluation if corpus in of else None
        if evaluation is not None:
            parts[corpus] = evaluation
    failed = next((corpus for corpus in corpora if corpus in of and corpus not in parts), None)
    if failed is not None:
        return Participant(system, reason=f"corpus {failed}: {of[failed].reason}", corpora=parts)
    lacking = [corpus for corpus in corpora if corpus not in of]
    if lacking:
        some = ", ".join(lacking[:3]) + (", …" if len(lacking) > 3 else "")
        return Participant(system, reason=f"it lacks {len(lacking)} of {len(corpora)} corpora: {some}", corpora=parts)
    return Participant(system, Means(parts, "corpora"), unlisted=sum(one.unlisted for one in of.values()))


def compare_corpora(
    manifest: str | os.PathLike[str],
    *,
    resampling: Resampling | None = None,
    runs: str | None = None,
    scheduler: str | None = None,
    options: Options | None = None,
    jobs: int = 1,
    **words: str | None,
) -> Comparison:
    """Score the rows of a manifest, and compare the systems by their means over its corpora.

    Documents are resampled within each corpus. `runs` as in `scorer.compare`; `manifest` and `words` as in `scorer.score_manifest`.
    A system that lacks a corpus is left out, with a note. Raises what `score_manifest` and `score_corpora` raise, and ConllError
    for a response that cannot be scored.
    """
    rows = rows_of(manifest, options, words)
    jobs = jobs_of(jobs)
    resampling = resampling or Resampling(method_of(runs))
    check_runs(rows, runs, resampling)
    return compared(score_corpora(rows, scheduler=scheduler, jobs=jobs), resampling, runs, jobs=jobs)


def check_runs(rows: Iterable[ManifestRow], runs: str | None, resampling: Resampling) -> None:
    """ValueError where the pattern `runs`, if there is one, cannot be had of the systems of these rows, before any is scored."""
    if runs is not None:
        check_groups(dict.fromkeys(row.system for row in rows), runs, resampling.method)


def compared(scored: InCorpora, resampling: Resampling, runs: str | None = None, *, jobs: int = 1) -> Comparison:
    """`compare_corpora` of what was scored."""
    evaluations = {one.system: one.evaluation for one in scored.participants if one.evaluation is not None}
    left_out = [one for one in scored.participants if one.evaluation is None]
    broken = next((one for one in left_out if one.reason.startswith("corpus ")), None)
    if broken is not None:
        raise ConllError(broken.system, 0, broken.reason)
    if not evaluations:
        raise ValueError("no system has a response in every corpus; give each corpus the same systems")
    if runs is not None:
        evaluations = joined(evaluations, runs)
    notes = [f"{one.system} is left out: {one.reason}" for one in left_out]
    return compare_evaluations(evaluations, resampling, jobs=jobs, notes=notes)


def rank_corpora(
    manifest: str | os.PathLike[str],
    *,
    sort: str | None = None,
    resampling: Resampling | None = None,
    runs: str | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    max_size: int | None = None,
    scheduler: str | None = None,
    options: Options | None = None,
    jobs: int = 1,
    **words: str | None,
) -> Leaderboard:
    """Score the rows of a manifest, and rank the systems by their means over its corpora.

    Documents are resampled within each corpus. A system that lacks a corpus keeps its row, with the reason and the figures that it
    has. `manifest` and `words` as in `scorer.score_manifest`, everything else as in `scorer.rank_responses`.
    """
    rows = rows_of(manifest, options, words)
    jobs = jobs_of(jobs)
    limits = Limits(timeout, max_memory)
    resampling = resampling or Resampling(method_of(runs))
    check_runs(rows, runs, resampling)
    scored = score_corpora(rows, limits=limits, max_size=max_size, scheduler=scheduler, jobs=jobs)
    participants = scored.participants if runs is None else grouped(scored.participants, runs)
    return rank(participants, sort_of(scored.names, sort), resampling, jobs=jobs, problems=scored.problems)
