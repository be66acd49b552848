"""Score the responses of systems, and compare the systems."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Unpack

from conll.system import jobs_of
from scorer.evaluation.evaluation import Evaluation
from scorer.events import Events, LibraryEvents, Watch
from scorer.inputs.sources import named_documents
from scorer.keywords import ComparisonKeywords, Documents, Metrics, Preset
from scorer.options import Options
from scorer.registry import scheme_of
from scorer.scheme import Scheme
from scorer.signatures import checked
from scorer.statistics.resampling import Resampling, check_groups, resampling_from
from scorer.systems.comparison import Comparison, compare_evaluations, join_runs

if TYPE_CHECKING:
    from scorer.comparison.submissions import ManifestCorpora


@dataclass(frozen=True, kw_only=True)
class Responses:
    """The responses of systems to one key, and how to score them.

    Attributes:
        key: The key.
        systems: The response of each system.
        scheme: How to score.
        key_format, response_format: Their formats; detected unless named.
        scheduler: The address of a Dask cluster to score on.
    """

    key: Documents
    systems: Mapping[str, Documents]
    scheme: Scheme
    key_format: str | None = None
    response_format: str | None = None
    scheduler: str | None = None

    @property
    def names(self) -> list[str]:
        """The names of the systems."""
        return list(self.systems)

    def evaluate(self, events: Events) -> tuple[dict[str, Evaluation], list[str]]:
        """Score each response in this process, or on a cluster.

        Args:
            events: Receives warnings and progress.

        Returns:
            The evaluation of each system, and no notes.
        """
        # Loaded only here, as `scorer.comparison.submissions` scores the systems of a manifest.
        from scorer.jobs.corpora import open_corpora, score_corpora

        corpora = open_corpora(
            self.key,
            self.systems.values(),
            self.scheme.options,
            key_format=self.key_format,
            response_format=self.response_format,
        )
        evaluations = score_corpora(corpora, self.scheme, events, scheduler=self.scheduler)
        return dict(zip(self.systems, evaluations)), []


def compare_systems(
    entries: Responses | ManifestCorpora,
    resampling: Resampling,
    events: Events,
    *,
    runs: str | None = None,
    jobs: int = 1,
) -> Comparison:
    """Score the responses of systems, and compare the systems.

    Args:
        entries: The responses to one key, or those of a manifest of several corpora.
        resampling: How documents are resampled.
        events: Receives warnings and progress.
        runs: A regular expression for the part of names that differs between runs of one system.
        jobs: The number of processes that resample, which never changes the result.

    Raises:
        ValueError: There are no responses, the key has fewer than two documents, or runs cannot be
            grouped or resampled.
        ConllError, OSError: A key or a response cannot be read or scored.
    """
    check_groups(entries.names, runs, resampling.method)
    evaluations, notes = entries.evaluate(events)
    systems = join_runs(evaluations, runs)
    return compare_evaluations(systems, resampling, jobs=jobs, notes=notes)


@checked
def compare(  # noqa: PLR0913  each is an option of its own
    key: Documents | None = None,
    responses: Mapping[str, Documents] | Iterable[Documents] | None = None,
    *,
    manifest: str | os.PathLike[str] | None = None,
    metrics: Metrics | None = None,
    preset: Preset | None = None,
    runs: str | None = None,
    strict: bool = False,
    watch: Watch | None = None,
    scheduler: str | None = None,
    options: Options | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    jobs: int = 1,
    **keywords: Unpack[ComparisonKeywords],
) -> Comparison:
    """Score responses against a key, and compare the systems.

    With `manifest`, systems are compared by their means over its corpora. Documents are resampled
    within each corpus. A system that lacks a corpus is left out, with a note.

    Args:
        key: As in `scorer.score`.
        responses: A mapping from names of systems to what `scorer.score` takes as a response, or
            several of these, which are then named after their files, or numbered from 1.
        manifest: A manifest, as `scorer.batch` takes it, instead of key and responses.
        metrics: As in `scorer.score`.
        preset: As in `scorer.score`.
        runs: A regular expression for the part of names that differs between runs of one system.
            Figures are means over runs, runs are resampled as well, and the method is bootstrap.
        strict: Whether to raise ConllError instead of warning.
        watch: Shows progress, as `tqdm` does: called with the names of documents or responses that
            are about to be scored, and returns what goes through them.
        scheduler: The address of a Dask cluster to score on; "" starts one on this machine.
        options: As in `scorer.score`.
        key_format: As in `scorer.score`.
        response_format: As in `scorer.score`.
        jobs: The number of processes, 0 one for each core. It never changes the result.
        **keywords: The options that `scorer.Options` describes, and the settings that
            `scorer.Resampling` describes.

    Raises:
        ConllError, OSError, TypeError: As in `scorer.score`.
        ValueError: As in `scorer.score`; or there is no response, or the key has fewer than two
            documents.

    Examples:
        >>> import scorer
        >>> key = {"a": [["x", "y"]], "b": [["x", "y"]], "c": [["x", "y"]], "d": [["x", "y"]]}
        >>> wrong = {name: [["x"], ["y"]] for name in key}
        >>> comparison = scorer.compare(key, {"right": key, "wrong": wrong}, metrics="conll")
        >>> comparison.differences[0].p
        0.125
    """
    resampling, others = resampling_from(keywords, runs)
    jobs = jobs_of(jobs)
    entries: Responses | ManifestCorpora
    if manifest is None:
        if key is None or responses is None:
            raise TypeError(NOTHING_GIVEN)
        entries = Responses(
            key=key,
            systems=named_documents(responses, "responses", "system"),
            scheme=scheme_of(metrics, preset, options, others),
            key_format=key_format,
            response_format=response_format,
            scheduler=scheduler,
        )
    else:
        # Loaded only here, as few comparisons have a manifest, and this takes as long as the rest.
        from scorer.comparison.submissions import ManifestCorpora, Processing
        from scorer.jobs.manifest import read_manifest

        if key is not None or responses is not None:
            raise TypeError(BOTH_GIVEN)
        formats = {"key_format": key_format, "response_format": response_format}
        others |= {"metrics": metrics, "preset": preset} | formats
        entries = ManifestCorpora(
            read_manifest(manifest, others, options=options),
            Processing(jobs=jobs, scheduler=scheduler, command="compare"),
        )
    events = LibraryEvents(strict=strict, watch=watch)
    return compare_systems(entries, resampling, events, runs=runs, jobs=jobs)


NOTHING_GIVEN = "give a key and responses, or manifest="
BOTH_GIVEN = "manifest replaces key and responses; give one or the other"
