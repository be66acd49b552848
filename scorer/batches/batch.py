"""Score a manifest and make a table: the function `scorer.batch`, and its use case."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Unpack

from conll.errors import check_choice, pluralize, warnings_in
from conll.system import jobs_of
from scorer.batches.rows import KeptRows, ScoredRow, score_rows
from scorer.batches.table import BatchTable
from scorer.evaluation.report import COMMON_AVERAGING, Layout
from scorer.events import Events, LibraryEvents, Watch
from scorer.jobs.distributed import running
from scorer.jobs.isolation import Limits
from scorer.jobs.manifest import ManifestRow, read_manifest
from scorer.keywords import ManifestKeywords
from scorer.options import Options
from scorer.signatures import checked


@dataclass(frozen=True)
class BatchSettings:
    """Settings of a batch: how it runs, and what its table shows.

    Attributes:
        layout: Which figures the table has.
        over_corpora: Whether the table has means over corpora.
        jobs: Rows that are scored at once.
        limits: The limits of a row.
        kept: The rows of earlier runs, to which these are added.
        scheduler: The address of a Dask cluster to count on.
        strict: Whether a row with warnings is one that failed.
        keep_documents: Whether evaluations keep their documents, which take much memory.
        keep_problems: Whether they keep their warnings, and not only the number of them.
    """

    layout: Layout
    over_corpora: bool = False
    jobs: int = 1
    limits: Limits = field(default_factory=Limits)
    kept: KeptRows | None = None
    scheduler: str | None = None
    strict: bool = False
    keep_documents: bool = True
    keep_problems: bool = True


def score_batch(rows: Sequence[ManifestRow], settings: BatchSettings, events: Events) -> BatchTable:
    """Score all rows, and make one table of them.

    Args:
        rows: The rows of a manifest.
        settings: How the batch runs, and what the table shows.
        events: Watches each row.
    """
    results: list[ScoredRow] = []
    with (
        running(settings.scheduler, settings.jobs, settings.limits, "batch") as run,
        closing(score_rows(rows, run, settings.kept)) as scored_rows,
    ):
        for scored in events.watch(scored_rows, "rows", len(rows)):
            checked = _refuse_warnings(scored) if settings.strict else scored
            results.append(_reduced(checked, settings))
    results.sort(key=lambda result: result.row.number)
    return BatchTable(
        results,
        settings.layout,
        over_corpora=settings.over_corpora,
    )


def _refuse_warnings(scored: ScoredRow) -> ScoredRow:
    """Return the row, or if it has warnings one that failed."""
    if scored.evaluation is None:
        return scored
    warnings = warnings_in(scored.evaluation.problems)
    if not warnings:
        return scored
    number = pluralize(len(warnings), "warning")
    reason = f"{number}, which --strict treats as errors; the first: {warnings[0]}"
    return replace(scored, evaluation=None, reason=reason)


def _reduced(scored: ScoredRow, settings: BatchSettings) -> ScoredRow:
    """Return the row with what the settings keep of its evaluation."""
    evaluation = scored.evaluation
    if evaluation is None:
        return scored
    if not settings.keep_documents:
        evaluation = evaluation.replace(documents=[], left_out=evaluation.scored)
    if not settings.keep_problems:
        # Only their number is shown.
        warnings = warnings_in(evaluation.problems)
        evaluation = evaluation.replace(problems=warnings[:1] * len(warnings))
    return replace(scored, evaluation=evaluation)


@checked
def batch(  # noqa: PLR0913  each is an option of its own
    manifest: str | os.PathLike[str],
    *,
    per_document: bool = False,
    average: str = "micro",
    group_by: str | None = None,
    over_corpora: bool = False,
    jobs: int = 1,
    keep: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    scheduler: str | None = None,
    watch: Watch | None = None,
    options: Options | None = None,
    **keywords: Unpack[ManifestKeywords],
) -> BatchTable:
    """Score all rows of a manifest, and make one table of them, as `scorer batch` does.

    A row that cannot be scored has a reason instead of figures, and does not affect the others.

    Args:
        manifest: The path of a CSV or YAML file, see `scorer.jobs.manifest`.
        per_document: Whether the table has a line for each document.
        average: Totals (micro), means over documents (macro), or both.
        group_by: A regular expression that puts documents into groups.
        over_corpora: Whether the table has means over corpora.
        jobs: Rows that are scored at once, each in a process of its own; 0 for one per core.
        keep: A file to which each row is added once it is scored; a row that is in it, with the
            same files, options, metrics and version, is not scored again.
        timeout: The limit of a row, in seconds.
        max_memory: The limit of a row, in bytes.
        scheduler: The address of a Dask cluster to count on.
        watch: Receives the rows as they are scored, and passes them on: `tqdm`, or a function like
            it.
        options: The options of `scorer.score` in one record.
        **keywords: What applies to rows that do not say otherwise: the options of `scorer.score`,
            `preset`, `metrics`, `key_format`, `response_format`.

    Returns:
        The table. Its `results` are the rows in the order of the manifest, each with its
        evaluation.

    Raises:
        ConllError: The manifest cannot be read.
        OSError: A file cannot be opened, or the folder cannot be made.
        ValueError: A value is unknown.
        TypeError: An option is unknown, or options are given both ways.
    """
    check_choice("average", average, COMMON_AVERAGING)
    layout = Layout(per_document=per_document, average=average, group_by=group_by)
    rows = read_manifest(manifest, keywords, options)
    settings = BatchSettings(
        layout=layout,
        over_corpora=over_corpora,
        jobs=jobs_of(jobs),
        limits=Limits(timeout, max_memory),
        kept=None if keep is None else KeptRows(keep),
        scheduler=scheduler,
    )
    return score_batch(rows, settings, LibraryEvents(watch=watch))
