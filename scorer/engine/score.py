# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""Score a whole key and response: choose the engine, count, compare words, hash the files."""

from __future__ import annotations

from conll.check import compare_texts, cut_off, share_a_name, to_tell
from conll.errors import ConllError, Problem, distinct
from conll.source import Source, first_name
from scorer.engine.corpus import Corpus, chosen_documents, score_document, select_documents
from scorer.evaluation.evaluation import Evaluation
from scorer.metrics import Variant
from scorer.options import EVERY, TABLE, Options, not_in, not_in_memory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from conll.conll2012_scan import Scanner
    from conll.document import Document
    from scorer.count.counts import Counts
    from scorer.evaluation.averages import Input
    from scorer.options import Honoured
    from scorer.scheme import Scheme

LARGE = 5_000_000
"""Bytes of key and response together above which numpy counts: below, its import takes longer than
it saves."""


HONOURED_BY_ARRAYS: Honoured = {
    "document_names": EVERY,
    "missing_documents": EVERY,
    "blanc_edges": EVERY,
    "rounding": EVERY,
}
"""The options with which numpy (`scorer.engine.stream`) may count. With any other it does not, and
the engine in plain Python counts."""


def takes_arrays(corpus: Corpus, scheme: Scheme) -> bool:
    """Choose the engine: numpy if it can count this and saves more than its import takes."""
    if corpus.only is not None or corpus.key.size + corpus.response.size < LARGE:
        return False
    if not_in(scheme.options.chosen(), HONOURED_BY_ARRAYS):
        return False
    for metric in scheme.metrics.values():
        if metric.of != "clusters" or isinstance(metric.function, Variant):
            return False
    from conll.formats.conll2012 import files_of

    if not (files_of(corpus.key) and files_of(corpus.response)):
        return False
    try:
        import numpy as np  # noqa: F401  scorer.pl also runs from a clone, where nothing is installed
    except ImportError:
        return False
    return True


def evaluate(
    corpus: Corpus,
    scheme: Scheme,
    *,
    keep: bool = True,
) -> Evaluation:
    """Score all documents of a corpus.

    Args:
        corpus: The key and the response.
        scheme: How to score.
        keep: Whether to keep all documents in the evaluation, or, once they are counted, only those
            that repeat a mention.

    Raises:
        ConllError: A document is malformed, or the options refuse it.
    """
    return _evaluate(corpus, scheme, keep=keep)[0]


def _evaluate(
    corpus: Corpus,
    scheme: Scheme,
    *,
    keep: bool,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> tuple[Evaluation, list[str]]:
    """Score all documents; also return the names of those whose words may differ.

    `watch` wraps the names of the documents, and is advanced as each is begun.
    """
    if takes_arrays(corpus, scheme):
        from scorer.engine.stream import evaluate_large

        return evaluate_large(corpus, scheme, keep=keep)
    selection = select_documents(corpus, scheme)
    evaluation = Evaluation(scheme)
    evaluation.add_removed(selection.removed)
    evaluation.problems += selection.problems
    for name in watch(selection.names) if watch else selection.names:
        score, problems = score_document(corpus, name, scheme)
        evaluation.add(score, keep=keep)
        evaluation.problems += problems
    return evaluation, selection.names


def score_corpus(
    corpus: WholeCorpus,
    scheme: Scheme,
    *,
    keep: bool = True,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> Evaluation:
    """Count a corpus as `evaluate` does, compare its words, and hash its files."""
    evaluation, differing = _evaluate(corpus, scheme, keep=keep, watch=watch)
    evaluation.problems += differences(corpus, differing)
    evaluation.problems += ratios_above_1(corpus, evaluation)
    evaluation.problems[:0] = diagnosed(corpus, evaluation)
    evaluation.inputs = corpus.inputs()
    return evaluation


def problems_of(evaluations: Iterable[Evaluation]) -> list[Problem]:
    """List what users are told of evaluations, each problem once."""
    problems = [
        problem
        for evaluation in evaluations
        for problem in to_tell(evaluation.problems, evaluation.scored)
    ]
    return distinct(problems)


def differences(corpus: WholeCorpus, names: Iterable[str]) -> Iterator[Problem]:
    """List where the documents with these names are not about the same text or are repaired.

    One note says if words are not known.
    """
    is_noted = False
    for name in names:
        for problem in corpus.text_problems(name):
            if problem.kind == "note" and is_noted:
                continue
            is_noted = is_noted or problem.kind == "note"
            yield problem


def diagnosed(corpus: Corpus, evaluation: Evaluation) -> list[Problem]:
    """Return why under half of the mentions match, as far as that can be found out."""
    has_documents = first_name(corpus.response) is not None and evaluation.scored
    if not has_documents or evaluation.options.layer != "identity":
        return []
    if not (_is_low(evaluation) or corpus.key.has_predictions):
        return []
    from scorer.engine.diagnosis import diagnose

    names = chosen_documents(corpus, evaluation.options.documents)
    return diagnose(corpus.key, corpus.response, names, corpus.pair)


def _is_low(evaluation: Evaluation) -> bool:
    """Return whether under half of the mentions may match, of the side with fewer mentions.

    Where they are not counted, half of an F1 shows that they do.
    """
    if "mentions" in evaluation.metrics:
        [counts] = evaluation.totals["mentions"]
        smaller = min(counts.recall_denominator, counts.precision_denominator)
        return not smaller or 2 * counts.recall_numerator < smaller
    ratios = (evaluation.ratios_of(name, evaluation.totals) for name in evaluation.metrics)
    return all(ratio.f1 < 0.5 for ratio in ratios)


ROUNDING = 1e-9
"""By how much a sum of shares may exceed its denominator as it is rounded."""


def ratios_above_1(corpus: Corpus, evaluation: Evaluation) -> list[Problem]:
    """Return a problem if repeated mentions make a ratio exceed 1, in total or in a document.

    CEAF does that as reference 8.01 counts it, where a cluster of the key repeats a mention; as
    programs that `like` names count, other metrics do as well.
    """
    repeating = [document.counts for document in evaluation.documents if document.repeats]
    metrics: set[str] = set()
    for counted in (evaluation.totals, *repeating):
        metrics.update(name for name, parts in counted.items() if any(map(_is_above_1, parts)))
    if not metrics:
        return []
    text = f"repeated mentions make {' and '.join(sorted(metrics))} exceed 100 %"
    advice = "scorer.pl counts so, too; with duplicates first no figure exceeds 100 %"
    if evaluation.options.like is not None:
        advice = f"this is how {evaluation.options.like} counts"
    return [Problem(corpus.key.path, 0, None, text, advice)]


def _is_above_1(counts: Counts) -> bool:
    recall_excess = counts.recall_numerator - counts.recall_denominator
    precision_excess = counts.precision_numerator - counts.precision_denominator
    return bool(max(recall_excess, precision_excess) > ROUNDING)


class WholeCorpus(Corpus):
    """A key and a response whose words are compared, and which must be complete.

    ConllError when a document of the response is cut off, which would just lower its score: its end
    line is missing, and either a mention is still open there, or its last line has no line feed, or
    it has fewer tokens than the key's. Reference 8.01 scores what is left. Also where mentions are
    told in ways that cannot match, such as by names on one side; TypeError for clusters in memory,
    and for options of texts where the response is in memory.
    """

    compared = True

    def __init__(
        self,
        key: Source,
        response: Source,
        options: Options | None = None,
        *,
        key_scan: Scanner | None = None,
        key_input: Input | None = None,
    ) -> None:
        response = response.as_response()
        options = options or Options()
        for name in options.chosen():
            if response.format == "memory" and TABLE[name].of_files and TABLE[name].per_corpus:
                raise not_in_memory(name)
        needs_alignment = response.loose or options.align != "auto"
        # In the names of files, a writer may have changed those of documents.
        is_named = not (key.unnamed or response.unnamed) and share_a_name(key, response)
        if needs_alignment or not is_named:
            from conll.text.aligned import aligned_or_joined

            if needs_alignment and "headword" in response.format and options.match == "exact":
                problem = (
                    "heads are not whole mentions; match them by --match head, or --preset crac25"
                )
                raise ConllError(response.path, 0, problem)
            is_exact = options.document_names == "exact"
            response = aligned_or_joined(key, response, options.align, exact=is_exact)
        if options.join_documents is not None:
            from scorer.engine.joined import join_documents

            key, response = join_documents(key, response, options)
            # The scan has the documents of the file.
            key_scan = None
        super().__init__(key, response, key_scan=key_scan)
        self._key_input = key_input
        self._formats = {form for side in (key, response) for form in side.format.split("+")}
        self._text_problems: dict[str, list[Problem]] = {}

    def inputs(self) -> list[Input]:
        """Return what a signature says of both sides, for which they are read once more."""
        from scorer.evaluation.averages import input_of

        key_input = self._key_input or input_of("key", self.key)
        return [key_input, input_of("response", self.response)]

    def pair(self, name: str) -> tuple[Document | None, Document | None]:
        key, response = super().pair(name)
        if response is not None and not response.ended:
            shorter = key is None or (response.tokens or 0) < (key.tokens or 0)
            if response.unclosed or response.cut or shorter:
                raise cut_off(response)[-1].error()
        # In all other formats mentions are tokens; strings become tokens beside a key with words.
        has_names = not self._formats.isdisjoint({"memory", "json", "strings"})
        if has_names and key is not None and response is not None:
            from scorer.inputs.sources import unlike

            problem = unlike(key.clusters, response.clusters)
            if problem and "memory" in self._formats:
                raise TypeError(f"document {name}: {problem}")
            if problem:
                raise ConllError(response.path, response.line, problem, name)
        self.compare(name, key, response)
        return key, response

    def compare(self, name: str, key: Document | None, response: Document | None) -> None:
        """Compare the texts of documents that were read, once. Clusters in memory have no text."""
        if name in self._text_problems or "memory" in self._formats:
            return
        problems = self._text_problems[name] = [*response.repairs] if response is not None else []
        if key is not None and response is not None:
            difference = compare_texts(key, response, (self.key, self.response))
            problems += [difference] if difference is not None else []

    def text_problems(self, name: str) -> list[Problem]:
        """List where the texts of a document differ, and what was repaired in it."""
        if name not in self._text_problems and "memory" not in self._formats:
            self.pair(name)
        return self._text_problems.get(name, [])
