# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""A key and a response, document by document: which are scored, and what is counted in each.

This is the engine in plain Python. `scorer.engine.stream` counts many documents at once with numpy,
and leaves to this one those with anything out of the ordinary.
"""

from __future__ import annotations

from conll.brackets import unclosed
from conll.check import extra, missing, unlike_numbers
from conll.document import Document
from conll.errors import ConllError, Place, Problem, shorten
from conll.source import Source, place_of
from scorer.evaluation.evaluation import DocumentScore
from scorer.match.align import Removed, Repeat, RepeatedMentionError, align, repeat_in
from scorer.options import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from conll.conll2012_scan import Scanner
    from conll.errors import Side
    from scorer.match.matching import Matching
    from scorer.scheme import Scheme

DOCUMENT_BYTES = 8_000_000
"""The bytes of key and response up to which documents stay in memory once read; a byte of several
documents counts for each."""

EMPTY = "it is scored as an empty one"
"""What happens to a document that one of the two files lacks."""


class Corpus:
    """A key and a response, document by document.

    Attributes:
        key: The key.
        response: The response.
        only: The name of the only document to score; None for all.
        key_scan: The scan of the whole key, if it is kept.
        compared: Whether the words of the two are compared elsewhere, so that different numbers of
            words need not be reported here.
    """

    compared = False

    def __init__(
        self,
        key: Source,
        response: Source,
        only: str | None = None,
        *,
        key_scan: Scanner | None = None,
    ) -> None:
        self.key = key
        self.response = response
        self.only = only
        self.key_scan = key_scan
        self._kept: dict[str, tuple[Document | None, Document | None]] = {}
        self._room = DOCUMENT_BYTES if key.size + response.size <= DOCUMENT_BYTES else 0

    def names(self) -> list[str]:
        """List the documents of the key, in its order."""
        return self.key.names() if self.only is None else [self.only]

    def pair(self, name: str) -> tuple[Document | None, Document | None]:
        """The documents called `name` in the key and in the response.

        None for one that is missing.
        """
        kept = self._kept.get(name)
        if kept is not None:
            return kept
        pair = self.key_document(name), self.response.read(name)
        if self._room > 0:
            for document in pair:
                self._room -= 0 if document is None else document.content.extent()
            self._kept[name] = pair
        return pair

    def key_document(self, name: str) -> Document | None:
        """Return the document called `name` in the key; None when there is none."""
        return self.key.read(name)

    def problems(self) -> list[Problem]:
        """List what is irregular about the two files as a whole."""
        problems = [problem.of_side("key") for problem in self.key.problems()]
        problems += [problem.of_side("response") for problem in self.response.problems()]
        if self.only is None:
            problems += extra_documents(self.key, self.response, "it is not scored")
        return problems


def extra_documents(
    key: Source, response: Source, advice: str = "", *, key_path: str = ""
) -> list[Problem]:
    """List the documents that the key lacks, each with the one that it may be by its name.

    Args:
        key: The key.
        response: The response.
        advice: The consequence.
        key_path: The path of the key, where it is to be named.
    """
    names, known = key.names(), set(key.names())
    others = [name for name in response.names() if name not in known]
    if not others:
        return []
    # Loaded only here, as nearly all names are equal.
    from conll.joining import likely_pairs

    likely = likely_pairs(names, response.names())
    problems: list[Problem] = []
    for name in others:
        parts = [advice] if advice else []
        if name in likely:
            parts.append(f"if it is {shorten(likely[name])}, name them alike")
        place = place_of(response, name, "response")
        problems.append(extra(place, name, "; ".join(parts), key=key_path))
    return problems


class Selection:
    """The documents of a corpus that are scored.

    Attributes:
        names: Their names, in key order.
        removed: What the option `documents` leaves out, on each side.
        problems: What is irregular about the files as a whole, as far as these documents go.
    """

    __slots__ = ("names", "problems", "removed")

    def __init__(
        self, names: list[str], removed: Sequence[Removed], problems: list[Problem]
    ) -> None:
        self.names = names
        self.removed = removed
        self.problems = problems


def select_documents(corpus: Corpus, scheme: Scheme) -> Selection:
    """Select the documents that the option `documents` chooses; all if it is not given.

    Raises:
        ValueError: The pattern is no regular expression, or no document has such a name.
        ConllError: Mentions are matched by Min, and none of the key has any.
    """
    selection = _selection(corpus, scheme)
    # Another program that is reproduced takes such a key, and finds equal mentions alone.
    if scheme.options.match == "min" and scheme.options.like is None:
        _check_minimum(corpus, selection.names, scheme.options.layer)
    return selection


def _selection(corpus: Corpus, scheme: Scheme) -> Selection:
    pattern = scheme.options.documents
    names = chosen_documents(corpus, pattern)
    problems = [
        problem
        for problem in problems_of_chosen(corpus, pattern)
        if not scheme.scores(problem.scored_by)
    ]
    if pattern is None:
        return Selection(names, [], problems)
    is_chosen = document_filter(pattern, corpus.names())
    removed: list[Removed] = []
    sides: tuple[tuple[Side, Source], ...] = ("key", corpus.key), ("response", corpus.response)
    for side, source in sides:
        others = [name for name in source.names() if not is_chosen(name)]
        left_out, unreadable = _read_unscored(source, side, others)
        removed.append(left_out)
        problems += unreadable
    return Selection(names, removed, problems)


def _check_minimum(corpus: Corpus, names: Iterable[str], layer: str) -> None:
    """Raise ConllError where the key has mentions, and none of them has Min.

    Figures would be those of exact matching. The response needs none.
    """
    from conll.anaphora import anaphora_of

    has_mentions = False
    for name in names:
        document = corpus.pair(name)[0]
        if document is None:
            continue
        anaphora = anaphora_of(document, layer)
        if anaphora.minimum:
            return
        has_mentions = has_mentions or any(anaphora.entities.values())
    if has_mentions:
        advice = "match exact, or give a key with Min, such as Universal Anaphora"
        raise ConllError(corpus.key.path, 0, f"no mention of the key has Min; {advice}")


def document_filter(pattern: str, known: Iterable[str]) -> Callable[[str], object]:
    """Return a function that says whether a document is chosen by its name.

    A pattern that is the name of a document means that one, as names such as `(a); part 000` have
    characters with a meaning in regular expressions. Any other means all names in which it is
    found.

    Raises:
        ValueError: It is neither a name nor a regular expression.
    """
    return pattern.__eq__ if pattern in known else compiled(pattern).search


def chosen_documents(corpus: Corpus, pattern: str | None) -> list[str]:
    """List the documents of the key that a pattern chooses; all without one.

    Raises:
        ValueError: The pattern is no regular expression, or no document has such a name.
    """
    known = corpus.names()
    if pattern is None:
        return known
    names = list(filter(document_filter(pattern, known), known))
    if not names:
        from conll.errors import did_you_mean

        hint = did_you_mean(pattern, known) or (f"; the first one is {known[0]!r}" if known else "")
        raise ValueError(
            f"documents: {pattern!r} matches no document name in {corpus.key.path}{hint}"
        )
    return names


def problems_of_chosen(corpus: Corpus, pattern: str | None) -> list[Problem]:
    """List the problems of the documents that a pattern chooses, and of files as a whole."""
    problems = corpus.problems()
    if pattern is None:
        return problems
    is_chosen = document_filter(pattern, corpus.names())
    return [
        problem for problem in problems if problem.document is None or is_chosen(problem.document)
    ]


def _read_unscored(
    source: Source, side: Side, names: Iterable[str]
) -> tuple[Removed, list[Problem]]:
    """Count what is in documents that are not scored; also return which cannot be read."""
    removed = Removed("documents", side)
    unreadable: list[Problem] = []
    for name in names:
        removed.documents += 1
        try:
            document = source.read(name)
        except ConllError as error:
            text = f"left out, and cannot be read: {error.problem}"
            unreadable.append(Problem(error.path, error.line, error.document, text, side=side))
            continue
        for cluster in document.clusters if document else ():
            removed.mentions += len(cluster)
            removed.clusters += bool(cluster)
    return removed, unreadable


def score_document(
    corpus: Corpus,
    name: str,
    scheme: Scheme,
    pair: tuple[Document | None, Document | None] | None = None,
) -> tuple[DocumentScore, list[Problem]]:
    """Count one document; also return what is irregular about it.

    Args:
        corpus: The key and the response.
        name: The name of the document.
        scheme: How to score.
        pair: What `Corpus.pair` gave for that name, where that was asked already.

    Raises:
        ConllError: The document is malformed, or the options refuse it.
    """
    key, response = pair or corpus.pair(name)
    options = scheme.options
    problems: list[Problem] = []
    if key is None:
        problems.append(extra(Place(corpus.key.path, 0, "key"), name, EMPTY))
    if response is None:
        if options.missing_documents == "error":
            advice = "add it, or let missing documents score as empty ones"
            raise missing(corpus.response.path, name, advice).error()
        problems.append(missing(corpus.response.path, name, EMPTY))
    if key is not None:
        problems += ends_of(key, "key")
        if key.unclosed and "blanc" in scheme.metrics and not all(key.clusters):
            raise _unfinished(key)
    if response is not None:
        problems += ends_of(response, "response")
    unlike = None if corpus.compared else unlike_numbers(key, response)
    if unlike is not None:
        problems.append(unlike)
    if options.typed is not None:
        key, response = _with_types(key, response, options.typed)
    sides = key or Document(name, []), response or Document(name, [])
    score, others = score_documents(name, *sides, scheme)
    return score, problems + others


def _with_types(
    key: Document | None, response: Document | None, field: str
) -> tuple[Document | None, Document | None]:
    """Return a pair of documents whose mentions have types, which those of the key must have."""
    from scorer.match.matching import check_types, with_types

    if key is not None:
        key = with_types(key, field)
        check_types(key, field)
    if response is not None:
        response = with_types(response, field)
    return key, response


def score_documents(
    name: str,
    key: Document,
    response: Document,
    scheme: Scheme,
) -> tuple[DocumentScore, list[Problem]]:
    """Filter, align and count one document.

    Args:
        name: The name of the document.
        key: Its clusters in the key.
        response: Those in the response.
        scheme: How to score.

    Returns:
        The score, and what is odd about the mentions.

    Raises:
        ConllError: A mention is repeated, and the options do not allow that.
    """

    def described(repeat: Repeat, fate: str | None = None) -> Problem:
        return repeat_in(key if repeat.side == "key" else response, repeat, fate)

    options, metrics = scheme.options, scheme.metrics.values()
    try:
        removed: list[Removed] = []
        if scheme.filters:
            from scorer.match.filters import apply_filters

            key, response, removed = apply_filters(key, response, options, scheme.filters)
        if scheme.matcher is not None:
            pair = scheme.matcher(key, response, options)
            counts = {metric.name: pair.count(metric) for metric in metrics}
            # Lines are known for the identity layer alone.
            repeats = pair.repeats if options.layer == "identity" else []
            problems = [*pair.problems, *map(described, repeats)]
            score = DocumentScore(
                name,
                counts,
                scheme.metrics,
                repeats=pair.repeats,
                invented=pair.invented,
                removed=[*removed, *pair.removed],
            )
            return score, problems
        matching = _matching_of(key, response, scheme)
        if matching is not None:
            response = matching.renamed(response)
        if options.typed is not None:
            from scorer.match.matching import distinguish_types

            key, response = distinguish_types(key, response)
        alignment = align(key.clusters, response.clusters, options.duplicates)
    except RepeatedMentionError as error:
        advice = "remove the duplicate, or set how duplicates are scored"
        raise described(error.repeat, advice).error() from None
    counts = {
        metric.name: metric.count(matching if metric.of == "mentions" else alignment.contingency)
        for metric in metrics
    }
    removed += alignment.removed
    score = DocumentScore(
        name,
        counts,
        scheme.metrics,
        repeats=alignment.repeats,
        invented=alignment.invented,
        removed=removed,
    )
    return score, list(map(described, alignment.repeats))


def _matching_of(key: Document, response: Document, scheme: Scheme) -> Matching | None:
    """Match the mentions that need not be equal; None where equal mentions alone match."""
    options = scheme.options
    is_exact = options.match == "exact" and options.zeros == "linear"
    if is_exact and all(metric.of == "clusters" for metric in scheme.metrics.values()):
        return None
    from scorer.match.filters import filter_repeats
    from scorer.match.matching import Matching

    if options.duplicates in ("first", "last"):
        # Which occurrence stays says in which cluster metrics of mentions see it.
        key, response = filter_repeats(key, response, options.duplicates)
    return Matching(key, response, match=options.match, zeros=options.zeros)


def ends_of(document: Document, side: Side) -> list[Problem]:
    """A problem for each end that the document lacks: of its mentions, and its own."""
    signs = [
        (line, unclosed(label, "the end of the file"), "it is not counted")
        for label, line in document.unclosed
    ]
    text = "another document begins before this one has ended"
    signs += [
        (line, text, f"add #end document before line {line}") for line in document.unterminated
    ]
    return [
        Problem(document.path, line, document.name, text, advice, kind="end", side=side)
        for line, text, advice in signs
    ]


def _unfinished(document: Document) -> ConllError:
    """Return the error for an entity without a complete mention: there reference 8.01 dies."""
    empty = {label for label, cluster in zip(document.labels, document.clusters) if not cluster}
    label, line = next(mention for mention in document.unclosed if mention[0] in empty)
    problem = (
        f"{unclosed(label, 'the end of the file')}, and no other mention of its entity ends, so "
        "blanc cannot be scored"
    )
    return ConllError(document.path, line, problem, document=document.name)
