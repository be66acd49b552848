"""From a manifest to the table of its rows, in one call."""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.io.system import jobs_of
from scorer.evaluation.layout import Layout
from scorer.run.batch import score_rows
from scorer.run.batch_counts import read_run
from scorer.run.batch_shapes import check_shape
from scorer.run.batch_table import BatchTable, result_of
from scorer.run.cache import Cache
from scorer.run.isolation import Limits
from scorer.run.manifest import rows_of

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable

    from scorer.comparison.resampling import Resampling
    from scorer.options import Options
    from scorer.run.batch_changes import Changes


def batch(
    manifest: str | os.PathLike[str],
    *,
    presets: str | Iterable[str] | None = None,
    delta: str | os.PathLike[str] | None = None,
    resampling: Resampling | None = None,
    shape: str | None = None,
    per_document: bool = False,
    average: str = "micro",
    by: str | None = None,
    over_corpora: bool = False,
    jobs: int = 1,
    cache: str | os.PathLike[str] | None = None,
    timeout: float | None = None,
    max_memory: int | None = None,
    scheduler: str | None = None,
    options: Options | None = None,
    **words: str | None,
) -> BatchTable:
    """Score all rows of a manifest under several settings, and make one table of them, as `scorer batch` does.

    What says how to score and to run is as in `score_manifest`. `per_document`, `average` and `by` say what the table has beside
    totals, `over_corpora` that it has means over corpora, `shape` that it is wide or long. `delta` is the path of the JSON of an
    earlier run, with which this one is compared as `resampling` says.

    Raises what `score_manifest` raises, ConllError for a file that is no such JSON, ValueError for another `shape` or `average`.
    """
    rows = rows_of(manifest, options, words, presets)
    jobs = jobs_of(jobs)
    layout = Layout(per_document=per_document, average=average, by=by)
    check_shape(shape)
    changes = changes_since(delta, resampling, jobs=jobs)
    kept = None if cache is None else Cache(cache)
    scored = score_rows(rows, jobs=jobs, cache=kept, limits=Limits(timeout, max_memory), scheduler=scheduler)
    results = [result_of(one, layout) for one in scored]
    return BatchTable(results, layout, over_corpora=over_corpora, shape=shape, changes=changes)


def changes_since(path: str | os.PathLike[str] | None, resampling: Resampling | None = None, *, jobs: int = 1) -> Changes | None:
    """What is to compare with the earlier run whose JSON stands there; None without a path. Raises what `read_run` raises."""
    if path is None:
        return None
    # Who compares nothing needs no numpy.
    from scorer.run.batch_changes import Changes

    return Changes(read_run(path), resampling, jobs=jobs)
