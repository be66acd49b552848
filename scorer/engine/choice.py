"""Which engine counts: plain Python for few mentions, numpy for many."""

from __future__ import annotations

from scorer.engine.corpus import prepare
from scorer.engine.plain import score_all
from scorer.evaluation.evaluation import Evaluation

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from scorer.count.counts import Metric
    from scorer.engine.corpus import Corpus
    from scorer.options import Options

LARGE = 16_000
"""About how many mentions of key and response together are worth the import of numpy."""

DENSE, SPARSE = 40, 800
"""Bytes of a file for each of its mentions: where they would have to be denser than the one, they
are not worth it; where they are sparser than the other, numpy is taken all the same, as it needs
less memory."""


def evaluate(
    corpus: Corpus,
    metrics: Sequence[Metric],
    options: Options | None = None,
    names: Sequence[str] | None = None,
    *,
    keep: bool = True,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Evaluation:
    """Score all documents of a corpus.

    ConllError when one of them is malformed, or the options refuse it.

    `names` are the metrics and averages to show, by default all that are counted. Without `keep`,
    documents are dropped from the evaluation once they are counted, except those that repeat a
    mention. `watch`, if given, wraps the names of the documents; it is advanced as each is begun.
    """
    evaluation = Evaluation(metrics, options, names)
    if takes_arrays(corpus, evaluation.options, metrics):
        from scorer.engine.stream import evaluate_large

        return evaluate_large(corpus, evaluation, keep=keep)
    evaluation = prepare(corpus, evaluation)
    score_all(corpus, evaluation, watch(corpus.names) if watch else corpus.names, keep=keep)
    return evaluation


def takes_arrays(corpus: Corpus, options: Options, metrics: Iterable[Metric]) -> bool:
    """Choose the engine: numpy if it can count this and saves more than its import takes."""
    size = corpus.key.size + corpus.response.size
    if corpus.only is not None or size < LARGE * DENSE or not options.are_known_to_arrays():
        return False
    if any(metric.of != "clusters" for metric in metrics):
        return False
    from conll.formats.conll2012 import files_of

    files = [files_of(corpus.key), files_of(corpus.response)]
    if not all(files):
        return False
    mentions = (file.about_mentions() for side in files for file in side)
    if size < LARGE * SPARSE and sum(mentions) < LARGE:
        return False
    try:
        import numpy as np  # noqa: F401  scorer.pl also runs from a clone, where nothing is installed
    except ImportError:
        return False
    return True
