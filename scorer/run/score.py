"""Score a whole key and response: compare their words, count, and hash the files for the signature."""

from __future__ import annotations

from conll.check import cut_off, first_difference
from conll.errors import ConllError
from scorer.engine.choice import evaluate
from scorer.engine.corpus import Corpus
from scorer.evaluation.signature import input_of
from scorer.options import Options

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from conll.document import Document
    from conll.errors import Problem
    from conll.source import Source
    from scorer.count.counts import Metric
    from scorer.evaluation.evaluation import Evaluation


def differences(corpus: Corpus, names: Iterable[str]) -> Iterator[Problem]:
    """Where the documents with these names, all read, are not about the same text or are repaired.

    Clusters in memory have no text.
    """
    if "memory" in {corpus.key.format, corpus.response.format}:
        return
    known = set(corpus.response.names())
    for name in names:
        yield from corpus.response.repairs(name)
        if name in known:
            problem = first_difference(corpus.key, corpus.response, name)
            if problem is not None:
                yield problem


def difference_of(
    corpus: Corpus, name: str, key: Document | None, response: Document | None
) -> list[Problem]:
    """The `differences` of one document, which was read; None for one that is missing."""
    if key is None or response is None or "memory" in {corpus.key.format, corpus.response.format}:
        return []
    if corpus.key.same_words(key, response):
        return []
    problem = first_difference(corpus.key, corpus.response, name)
    return corpus.response.repairs(name) + ([problem] if problem is not None else [])


def score_corpus(
    corpus: Corpus,
    metrics: Sequence[Metric],
    options: Options,
    names: Sequence[str],
    *,
    keep: bool = True,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Evaluation:
    """Count a corpus, compare its words, and hash its files for the signature.

    `keep` and `watch` are as in `evaluate`.
    """
    evaluation = evaluate(corpus, metrics, options, names, keep=keep, watch=watch)
    evaluation.problems += differences(corpus, corpus.names)
    evaluation.inputs = [
        corpus.key_input or input_of("key", corpus.key),
        input_of("response", corpus.response),
    ]
    return evaluation


class WholeCorpus(Corpus):
    """A key and a response whose words are compared, and which must be complete.

    ConllError when a document of the response is cut off, which would just lower its score: its end
    line is missing, and either a mention is still open there, or its last line has no line feed, or
    it has fewer tokens than the key's. Reference 8.01 scores what is left. Also where mentions are
    told in ways that cannot match, such as by names on one side; TypeError for clusters in memory.
    """

    compared = True

    def __init__(self, key: Source, response: Source, options: Options | None = None) -> None:
        response = response.as_response()
        if response.loose or (options is not None and options.align != "auto"):
            from conll.aligned import aligned

            options = options or Options()
            if "headword" in response.format and options.match == "exact":
                problem = (
                    "heads are not whole mentions; match them by --match head, or --preset crac25"
                )
                raise ConllError(response.path, 0, problem)
            response = aligned(key, response, options.align, options.repair)
        super().__init__(key, response)
        self._formats = {form for side in (key, response) for form in side.format.split("+")}

    def pair(self, name: str) -> tuple[Document | None, Document | None]:
        key, response = super().pair(name)
        if response is not None and not response.ended:
            shorter = key is None or (response.tokens or 0) < (key.tokens or 0)
            if response.unclosed or response.cut or shorter:
                raise cut_off(response)[-1].error()
        # In all other formats mentions are told by tokens.
        if key is not None and response is not None and self._formats & {"memory", "json"}:
            from scorer.run.clusters import unlike

            problem = unlike(key.clusters, response.clusters)
            if problem and "memory" in self._formats:
                raise TypeError(f"document {name}: {problem}")
            if problem:
                raise ConllError(response.path, response.line, problem, name)
        return key, response
