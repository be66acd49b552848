"""Documents that end together, as their files lack end lines: found here, and counted by `scorer.engine.tails` where that pays.

Each holds all that those after it hold, so that counting them one by one takes time that grows with the square of their number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.document import Document
from conll.errors import ConllError
from conll.syntax import is_span
from conll.tail import Tail

if TYPE_CHECKING:
    from conll.tail import Longest
    from scorer.engine.corpus import Corpus
    from scorer.evaluation.evaluation import DocumentScore, Evaluation

    Pair = tuple[Document, Document]

WORTH = 100_000
"""How many mentions they must hold, each counted for every document that holds it, to be worth the import of numpy."""


POLICIES = ("documents", "duplicates", "singletons", "zeros")
"""The options that may have any word: apart from singletons, all are alike where mentions are spans and none is repeated."""


def counted_together(corpus: Corpus, name: str, empty: Evaluation) -> DocumentScore | None:
    """What was counted in that document, as `empty` asks, with the others that end with it.

    None where it is to be counted by itself, as all are where a metric or an option asks for more than their clusters.
    """
    options, metrics = empty.options, list(empty.metrics.values())
    if not options.are_known_to_arrays(but=POLICIES) or any(metric.of != "clusters" for metric in metrics):
        return None
    known = corpus.together.setdefault((options.singletons, *empty.metrics), {})
    if name not in known:
        pairs = ending_with(corpus, name)
        known |= dict.fromkeys([name, *pairs]) | known
        if _mentions(pairs) >= WORTH:
            try:
                from scorer.engine.tails import count
            except ModuleNotFoundError:
                return None
            known |= count(pairs, metrics, options.singletons)
    return known[name]


def ending_with(corpus: Corpus, name: str) -> dict[str, Pair]:
    """The documents from that one on that end with it in the key or in the response, but for any that cannot be read.

    They go no farther than to one that does not, or of which a mention is no (first, last), as other formats have them.
    """
    names = corpus.names
    pairs: dict[str, Pair] = {}
    longest: list[Longest | None] = []
    for one in names[names.index(name) :]:
        try:
            key, response = corpus.pair(one)
        except ConllError:
            continue
        pair = key or Document(one, []), response or Document(one, [])
        beside = [document.longest if isinstance(document, Tail) else None for document in pair]
        longest = longest or beside
        ends_with_it = any(here is not None and here is there for here, there in zip(longest, beside))
        if not ends_with_it or not all(isinstance(document, Tail) or _has_spans(document) for document in pair):
            break
        pairs[one] = pair
    return pairs


def _has_spans(document: Document) -> bool:
    """Whether all its mentions are (first, last), as those of documents that end together are."""
    return all(is_span(mention) for cluster in document.clusters for mention in cluster)


def _mentions(pairs: dict[str, Pair]) -> int:
    """How many mentions those of them hold that end with others."""
    return sum(document.mentions for pair in pairs.values() for document in pair if isinstance(document, Tail))
