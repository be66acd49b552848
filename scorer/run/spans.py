"""From a key and a response to the scores of their spans."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from conll.arrays import ArraySource
from conll.check import missing
from conll.errors import ConllError, Problem
from conll.syntax import is_empty_node, is_span, pieces
from scorer.engine.choice import are_many
from scorer.engine.corpus import problems_of_files
from scorer.engine.plain import EMPTY, ends_of
from scorer.evaluation.signature import input_of
from scorer.run.score import WholeCorpus, check_names, source_of
from scorer.run.words import differences
from scorer.spans.changes import Changes, changes
from scorer.spans.counts import SpanCounts, count
from scorer.spans.scores import LABEL, SpanScores, SpanSettings
from scorer.spans.span import Span
from scorer.spans.thresholds import Scored, add_scored

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from conll.document import Document
    from conll.errors import Side
    from conll.layers import Layers
    from conll.source import Source
    from scorer.run.score import Documents
    from scorer.spans.pairing import Paired

ETYPE = "etype"
"""The attribute that holds the entity type of a mention in CorefUD and its kin."""


def score_spans(
    key: Documents,
    response: Documents,
    *,
    against: Documents | None = None,
    of: str = "mentions",
    beta: float = 1.0,
    within_label: bool = False,
    min_overlap: float = 0.0,
    by: str | None = None,
    thresholds: str | None = None,
    score: str = "confidence",
    documents: str | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
) -> SpanScores:
    """Score the spans of a response against those of a key, strictly and leniently.

    Each is what `scorer.score` takes, and so is another response, `against` which this one is compared: what changes from this one
    to the other. The rest are those of `scorer.spans.scores.SpanSettings`.

    Raises what `scorer.score` raises, ValueError also for an impossible setting and for a field `by` that no file has, ConllError
    also for a response span without a score where `thresholds` ask for one.

    >>> from scorer import score_spans
    >>> scores = score_spans([[(0, 1), (4, 8)]], [[(0, 1)], [(5, 8)]])
    >>> scores.measures()["strict"].recall, scores.measures()["mean"].recall
    (0.5, 0.75)
    """
    settings = SpanSettings(of, beta, within_label, min_overlap, by, thresholds, score, documents)
    check_names(key, response)
    source = source_of(key, "key", key_format)
    others = [source_of(one, "response", response_format) for one in (response, against) if one is not None]
    return spans_of_corpus(*(WholeCorpus(source, other) for other in others), settings=settings)


def spans_of_corpus(
    corpus: WholeCorpus,
    second: WholeCorpus | None = None,
    *,
    settings: SpanSettings,
    watch: Callable[[Iterable[str]], Iterable[str]] | None = None,
) -> SpanScores:
    """The scores of the spans of a corpus, and what a second corpus with the same key changes; `watch` as in `score_corpus`."""
    corpora = [corpus, *([second] if second is not None else [])]
    scores = None
    if takes_many(corpora, settings):
        from scorer.run.span_tallies import spans_at_once

        scores = spans_at_once(corpora, settings)
    if scores is None:
        scores = _one_by_one(corpora, settings, watch)
    scores.values = dict(sorted(scores.values.items()))
    if settings.of == "names" and not scores.total.key:
        scores.problems.append(Problem(corpus.key.path, 0, None, "no document that is scored has a named entity", side="key"))
    # What is odd about the key is so beside each response.
    scores.problems = list({str(problem): problem for problem in scores.problems}.values())
    scores.inputs = [input_of("key", corpus.key), input_of("response", corpus.response)]
    scores.inputs += [input_of("against", one.response) for one in corpora[1:]]
    return scores


def takes_many(corpora: Sequence[WholeCorpus], settings: SpanSettings) -> bool:
    """Whether spans are counted with numpy: of large files, and by fields that are columns of words."""
    fields = [settings.by] if settings.by not in (None, LABEL) else []
    fields += [settings.score] if settings.thresholds is not None else []
    sources = [source for one in corpora for source in (one.key, one.response)]
    known = (isinstance(source, ArraySource) and {*fields} <= {*source.columns()} for source in sources)
    return all(are_many(one) for one in corpora) and all(known)


def _one_by_one(
    corpora: Sequence[WholeCorpus], settings: SpanSettings, watch: Callable[[Iterable[str]], Iterable[str]] | None
) -> SpanScores:
    scores = SpanScores(settings, changes=Changes() if len(corpora) > 1 else None)
    names = names_found(corpora[0], settings.documents)
    for one in corpora:
        scores.problems += problems_found(one, settings.documents)
    readers = [Spans(one, settings) for one in corpora]
    scored = Scored()
    for name in watch(names) if watch else names:
        sides = [reader.both(name) for reader in readers]
        key, response = sides[0]
        pairs = _add(scores, name, key, response)
        if settings.thresholds is not None:
            add_scored(key, response, scored, within_label=settings.within_label)
        if scores.changes is not None:
            other = sides[1][1]
            _, others = count(key, other, within_label=settings.within_label)
            some = list(changes(name, key, (response, pairs), (other, others)))
            scores.changes.add(Counter((one.first, one.second) for one in some), [one for one in some if one.first != one.second])
    if settings.thresholds is not None:
        scores.cuts = scored.cuts(settings.thresholds)
    readers[0].check_field()
    for one, reader in zip(corpora, readers):
        scores.problems += [*reader.problems, *differences(one, names)]
    return scores


def names_found(corpus: WholeCorpus, pattern: str | None) -> list[str]:
    """The names of the documents to score: those in which a regular expression is found; ValueError when there is none."""
    from scorer.patterns import compiled

    if pattern is None:
        return corpus.names
    search = compiled(pattern).search
    names = [name for name in corpus.names if search(name)]
    if not names:
        raise ValueError(f"documents: {pattern!r} is found in no document name of {corpus.key.path}")
    return names


def problems_found(corpus: WholeCorpus, pattern: str | None) -> list[Problem]:
    """What is odd about the two files as a whole, without documents that are not to be scored."""
    from scorer.patterns import compiled

    problems = problems_of_files(corpus)
    if pattern is None:
        return problems
    search = compiled(pattern).search
    return [problem for problem in problems if problem.document is None or search(problem.document)]


def _add(scores: SpanScores, name: str, key: Sequence[Span], response: Sequence[Span]) -> list[Paired]:
    settings = scores.settings
    scores.documents[name], pairs = count(key, response, within_label=settings.within_label, share=settings.min_overlap)
    if settings.by is not None:
        for value in {span.group for span in (*key, *response)}:
            some = [[span for span in side if span.group == value] for side in (key, response)]
            counts, _ = count(some[0], some[1], within_label=settings.within_label, share=settings.min_overlap)
            scores.values[value] = scores.values.get(value, SpanCounts()).plus(counts)
    return pairs


class Spans:
    """The spans of the documents of a corpus, as the settings ask for them.

    `fields`: the columns and attributes that its documents have. `problems`: what is odd about those that were read.
    """

    def __init__(self, corpus: WholeCorpus, settings: SpanSettings) -> None:
        self._corpus = corpus
        self._settings = settings
        self.fields: set[str] = set()
        self.problems: list[Problem] = []
        self._known: tuple[bool, bool] | None = None

    def both(self, name: str) -> tuple[list[Span], list[Span]]:
        """The spans of the documents called `name`, of key and response; none of a document that is missing."""
        return self.of_pair(name, self._corpus.pair(name))

    def of_pair(self, name: str, pair: tuple[Document | None, Document | None]) -> tuple[list[Span], list[Span]]:
        """`both` of documents that were read already."""
        key, response = pair
        self.problems += ends_of(key, "key") if key is not None else []
        if response is None:
            self.problems.append(missing(self._corpus.response.path, name, EMPTY))
        else:
            self.problems += ends_of(response, "response")
        of_key = [] if key is None else list(self._spans(key, self._corpus.key, "key"))
        return of_key, [] if response is None else list(self._spans(response, self._corpus.response, "response"))

    @property
    def _names_or_types(self) -> tuple[bool, bool]:
        if self._settings.of != "names":
            return False, False
        if self._known is None:
            self._known = _names_and_types(self._corpus)
        return self._known

    def check_field(self) -> None:
        """ValueError when the spans that were read are to be grouped by a field that none of their documents has."""
        by = self._settings.by
        if by not in (None, LABEL) and by not in self.fields:
            there = f"there are: {', '.join(sorted(self.fields))}" if self.fields else "there is none"
            raise ValueError(f"no word and no mention has a {by!r}; {there}")

    def _layers(self, source: Source, name: str) -> Layers | None:
        settings = self._settings
        needed = settings.by not in (None, LABEL) or settings.thresholds is not None or any(self._names_or_types)
        if not needed:
            return None
        return source.layers(name)

    def _spans(self, document: Document, source: Source, side: Side) -> Iterator[Span]:
        settings = self._settings
        layers = self._layers(source, document.name)
        own: dict[str, Sequence[str]] = {}
        if layers is not None:
            own |= layers.columns
            self.fields |= {*own, *(field for cluster in layers.attributes for mention in cluster for field in mention)}
        columns = dict(own)
        if settings.by not in (None, LABEL) and side == "response":
            # What is said of words is the key's to say; a response may have other columns, or none.
            of_key = self._corpus.key.layers(document.name)
            columns |= of_key.columns if of_key is not None else {}
        for start, end, label, head, said in _found(document, layers, settings.of, named=self._names_or_types[0]):
            group = label if settings.by == LABEL else ""
            if settings.by not in (None, LABEL):
                group = said.get(settings.by, _cell(columns.get(settings.by, ()), end if head is None else head))
            score = None
            if settings.thresholds is not None and side == "response":
                text = said.get(settings.score, _cell(own.get(settings.score, ()), start))
                score = self._number(text, document, source, (start, end))
            yield Span(start, end + 1, label, score, group)

    def _number(self, text: str, document: Document, source: Source, ends: tuple[int, int]) -> float:
        try:
            number = float(text)
        except ValueError:
            number = float("nan")
        if number - number != 0:
            what = f"its {self._settings.score} is {text!r}, no number" if text else f"it has no {self._settings.score}"
            problem = f"the span {ends[0]}-{ends[1]} cannot be put above or below a threshold: {what}; write a number for each span"
            raise ConllError(source.path, source.line_of(document.name), problem, document=document.name)
        return number


Found = tuple[int, int, str, "int | None", "dict[str, str]"]
"""First and last token of a span, its label, the token that is its head, what the file says of it."""


def _names_and_types(corpus: WholeCorpus) -> tuple[bool, bool]:
    """Whether a file lists named entities, or else has mentions with an entity type, which then stand for names."""
    if isinstance(corpus.key, ArraySource) and isinstance(corpus.response, ArraySource):
        # These have columns of words, and no attributes of mentions.
        return True, False
    typed = False
    for source in (corpus.key, corpus.response):
        for name in corpus.names:
            layers = source.layers(name)
            if layers is not None and layers.names:
                return True, False
            typed = typed or (layers is not None and any(said.get(ETYPE) for cluster in layers.attributes for said in cluster))
    return False, typed


def _found(document: Document, layers: Layers | None, of: str, *, named: bool) -> Iterator[Found]:
    if named:
        yield from ((start, end, label, None, {}) for start, end, label in (layers.names if layers is not None else ()))
        return
    heads: Any = document.syntax.heads if document.syntax is not None else {}
    attributes = layers.attributes if layers is not None else ()
    for k, cluster in enumerate(document.clusters):
        for place, mention in enumerate(cluster):
            said = dict(attributes[k][place]) if attributes else {}
            if of == "names" and not said.get(ETYPE):
                continue
            ends = _ends(mention, document)
            if ends is not None:
                head = heads.get(mention)
                yield *ends, said[ETYPE] if of == "names" else "", head if isinstance(head, int) else None, said


def _ends(mention: Any, document: Document) -> tuple[int, int] | None:
    """First and last token of a mention, whatever gaps are between; None for one of empty nodes alone. ValueError for no span."""
    if is_span(mention):
        first, last = mention
        return (first, last) if first <= last else None
    parts = pieces(mention) if isinstance(mention, tuple) else ()
    if not parts or not all(is_empty_node(part) if isinstance(part, str) else is_span(part) for part in parts):
        raise ValueError(f"document {document.name!r}: {mention!r} is no span; write mentions as (first, last) tokens")
    words = [part for part in parts if not isinstance(part, str)]
    return (words[0][0], words[-1][1]) if words else None


def _cell(column: Sequence[str], token: int) -> str:
    return column[token] if token < len(column) else ""
