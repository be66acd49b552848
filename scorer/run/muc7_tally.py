"""Counts what the reports of MUC-7 show of large files with numpy, a batch of documents at a time, for `scorer.run.muc7`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from scorer import registry
from scorer.engine.arrays import align_batch
from scorer.run.chains import chains_of
from scorer.run.span_arrays import tallied
from scorer.run.span_reader import names_found
from scorer.spans.array_counts import in_groups, slots_of_mentions, slots_of_names
from scorer.spans.arrays import lines, pair
from scorer.spans.muc7 import ChainCounts, Muc7Part, Muc7Scores
from scorer.spans.slots import of_text, summed

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from scorer.run.score import WholeCorpus
    from scorer.run.span_arrays import SpanBatch
    from scorer.spans.array_counts import Lines, Sides
    from scorer.spans.scores import SpanSettings
    from scorer.spans.slots import Slots

    Ints = NDArray[np.signedinteger[Any]]


def muc7_at_once(corpus: WholeCorpus, settings: Sequence[SpanSettings], *, partial: bool) -> Muc7Scores | None:
    """The reports of `muc7_of_corpus` without what it adds; None where no document has the field with the sections."""
    pattern = settings[0].documents
    names = None if pattern is None else names_found(corpus, pattern)
    found = tallied([corpus], settings, names, lambda: _Muc7Tally(corpus, partial=partial, sections=settings[0].by is not None))
    if found is None:
        return None
    tally, problems = found
    scores = Muc7Scores(partial, settings[0].by, pattern, tally.documents, problems=problems)
    if settings[0].by is not None:
        scores.sections = {value: summed(slots) for value, slots in sorted(tally.sections.items())}
    return scores


class _Muc7Tally:
    """Adds up what `Muc7Scores` holds."""

    def __init__(self, corpus: WholeCorpus, *, partial: bool, sections: bool) -> None:
        self._corpus = corpus
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
        self.documents |= zip(batch.names, map(Muc7Part, self._chains(batch), slots, filtering))
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

    def _chains(self, batch: SpanBatch) -> list[ChainCounts]:
        key, response = batch.mentions
        contingency, odd, again = align_batch(key, response)
        (links,) = registry.get("muc").count(contingency)
        chains = []
        for side, repeated in ((key, []), (response, again)):
            sizes = np.bincount(side.cluster, minlength=len(side.cluster_document))
            # A mention that comes again in its cluster is one.
            seen = {(one.first, int(side.cluster[one.first])) for one in repeated}
            for one in repeated:
                cluster = int(side.cluster[one.mention])
                sizes[cluster] -= (one.first, cluster) in seen
                seen.add((one.first, cluster))
            chains.append(np.bincount(side.cluster_document[sizes > 1], minlength=len(batch.names)))
        columns = chains[0], chains[1], links.recall_numerator, links.recall_denominator, links.precision_denominator
        found = [ChainCounts(*row) for row in zip(*(column.tolist() for column in columns))]
        for at in {*batch.by_hand, *np.flatnonzero(odd).tolist()}:
            documents = batch.by_hand[at][0] if at in batch.by_hand else self._corpus.pair(batch.names[at])
            found[at] = chains_of(*documents)
        return found
