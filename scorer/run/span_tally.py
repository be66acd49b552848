"""Counts the spans of large files with numpy, a batch of documents at a time, for `scorer.run.spans`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from scorer.run.span_batches import tallied
from scorer.spans.array_counts import ChangedSpans, count, gains, in_groups
from scorer.spans.arrays import lines, pair
from scorer.spans.changes import SpanChanges
from scorer.spans.counts import SpanCounts
from scorer.spans.scores import SpanScores
from scorer.spans.thresholds import CountsByScore

if TYPE_CHECKING:
    from collections.abc import Sequence

    from scorer.run.score import WholeCorpus
    from scorer.run.span_batch import SpanBatch
    from scorer.run.span_batches import Watch
    from scorer.spans.scores import SpanSettings


def spans_at_once(
    corpora: Sequence[WholeCorpus], settings: SpanSettings, names: Sequence[str] | None, watch: Watch | None
) -> SpanScores | None:
    """The scores of `spans_of_corpus` without what it adds; None where plain Python has to count."""
    found = tallied(corpora, [settings], names, lambda: _SpanTally(settings, against=len(corpora) > 1), watch)
    if found is None:
        return None
    tally, problems = found
    scores = tally.scores
    if settings.thresholds is not None:
        scores.cuts = tally.scored.cuts(settings.thresholds)
    scores.problems = problems
    return scores


class _SpanTally:
    """Adds up what `SpanScores` holds."""

    def __init__(self, settings: SpanSettings, *, against: bool) -> None:
        self.scores = SpanScores(settings, changes=SpanChanges() if against else None)
        self.scored = CountsByScore()

    def add(self, batch: SpanBatch) -> None:
        scores, settings = self.scores, self.scores.settings
        key, response, *others = batch.spans[settings.of]
        sides, within = (key, response), settings.within_label
        key_line, *on_lines = lines(key, response, *others)
        on_line = key_line, on_lines[0]
        texts, share = (key.text, response.text), settings.min_overlap
        counts, pairs = count(on_line, texts, len(batch.names), within_label=within, share=share)
        scores.documents |= zip(batch.names, counts)
        if settings.by is not None:
            buckets, size = (key.group, response.group), len(batch.groups)
            grouped, _ = count(in_groups(on_line, sides), buckets, size, within_label=within, share=share)
            for value, one in zip(batch.groups, grouped):
                if one.key or one.response:
                    scores.values[value] = scores.values.get(value, SpanCounts()).plus(one)
        if settings.thresholds is not None:
            values, many = np.unique(response.score, return_counts=True)
            gained = gains(on_line, response.score, pairs, within_label=within)
            self.scored.add(len(key.text), dict(zip(values.tolist(), many.tolist())), gained)
        if scores.changes is not None:
            second = key, others[0]
            changed = ChangedSpans(
                batch.names,
                (batch.labels, batch.groups),
                (sides, pairs),
                (second, pair(key_line, on_lines[1], within_label=within)),
            )
            scores.changes.add(changed.counts, changed)
