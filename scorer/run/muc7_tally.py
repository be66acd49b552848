"""Counts what the reports of MUC-7 show of large files with numpy, a batch of documents at a time, for `scorer.run.muc7`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scorer.run.span_batches import tallied
from scorer.spans.array_counts import in_groups, slots_of_mentions, slots_of_names
from scorer.spans.arrays import lines, pair
from scorer.spans.muc7 import Muc7Part, Muc7Scores
from scorer.spans.slots import of_text, summed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from scorer.run.score import WholeCorpus
    from scorer.run.span_batch import SpanBatch
    from scorer.run.span_batches import Watch
    from scorer.spans.array_counts import Lines, Sides
    from scorer.spans.scores import SpanSettings
    from scorer.spans.slots import Slots

    Ints = NDArray[np.signedinteger[Any]]


def muc7_at_once(
    corpus: WholeCorpus, settings: Sequence[SpanSettings], names: Sequence[str] | None, *, partial: bool, watch: Watch | None
) -> Muc7Scores | None:
    """The reports of `muc7_of_corpus` without what it adds; None where plain Python has to count."""
    section = settings[0].by
    sections = section is not None
    found = tallied([corpus], settings, names, lambda: _Muc7Tally(partial=partial, sections=sections), watch, chains=True)
    if found is None:
        return None
    tally, problems = found
    scores = Muc7Scores(partial, section, settings[0].documents, tally.documents, problems=problems)
    scores.sections = {value: summed(slots) for value, slots in sorted(tally.sections.items())}
    return scores


class _Muc7Tally:
    """Adds up what `Muc7Scores` holds."""

    def __init__(self, *, partial: bool, sections: bool) -> None:
        self._partial = partial
        self._sections = sections
        self.documents: dict[str, Muc7Part] = {}
        self.sections: dict[str, list[Slots]] = {}

    def add(self, batch: SpanBatch) -> None:
        spans = {of: (sides[0], sides[1]) for of, sides in batch.spans.items()}
        on_line = {of: (both[0], both[1]) for of, both in ((of, lines(*sides)) for of, sides in spans.items())}
        texts = {of: (sides[0].text, sides[1].text) for of, sides in spans.items()}
        size = len(batch.names)
        slots = self._slots(spans, on_line, texts, size, batch.labels)
        marked = [np.bincount(np.concatenate([of[side] for of in texts.values()]), minlength=size) > 0 for side in (0, 1)]
        filtering = (of_text(key=key, response=response) for key, response in zip(*(one.tolist() for one in marked)))
        self.documents |= zip(batch.names, map(Muc7Part, batch.chains, slots, filtering))
        if self._sections:
            grouped = {of: in_groups(on_line[of], sides) for of, sides in spans.items()}
            groups = {of: (sides[0].group, sides[1].group) for of, sides in spans.items()}
            for value, some in zip(batch.groups, self._slots(spans, grouped, groups, len(batch.groups), batch.labels)):
                if some:
                    self.sections.setdefault(value, []).append(some)

    def _slots(
        self,
        spans: Mapping[str, Sides],
        on_line: Mapping[str, Lines],
        buckets: Mapping[str, tuple[Ints, Ints]],
        size: int,
        labels: Sequence[str],
    ) -> list[Slots]:
        """The slots of each of `size` buckets."""
        pairs = {of: pair(*both) for of, both in on_line.items()}
        mentions = slots_of_mentions(pairs["mentions"], buckets["mentions"], size, partial=self._partial)
        names = slots_of_names(spans["names"], pairs["names"], buckets["names"], size, labels, partial=self._partial)
        return [dict(sorted((one | other).items())) for one, other in zip(mentions, names)]
