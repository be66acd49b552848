"""A key and a response, document by document: which are scored, and problems of the files."""

from __future__ import annotations

from conll.check import extra
from conll.errors import ConllError, Place, Problem
from scorer.match.align import Removed
from scorer.options import compiled

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    from conll.document import Document
    from conll.errors import Side
    from conll.source import Source
    from scorer.evaluation.evaluation import Evaluation, Input

KEPT = 8_000_000
"""The bytes of key and response up to which documents stay in memory once read; a byte of several
documents counts for each."""


class Corpus:
    """A key and a response, document by document.

    Just the document called `only`, if that is given. `compared` says that the words of the two are
    compared elsewhere, so that different numbers of words need not be reported here.
    """

    compared = False
    key_input: Input | None = None
    """What a signature says about the key, if that is already known."""

    def __init__(self, key: Source, response: Source, only: str | None = None) -> None:
        self.key = key
        self.response = response
        self.only = only
        self._names: list[str] | None = None
        self._kept: dict[str, tuple[Document | None, Document | None]] = {}
        self._room = KEPT if key.size + response.size <= KEPT else 0

    @property
    def names(self) -> list[str]:
        """Names of the documents to score, in key order unless set otherwise."""
        if self._names is None:
            self._names = self.key.names() if self.only is None else [self.only]
        return self._names

    @names.setter
    def names(self, names: list[str]) -> None:
        self._names = names

    def pair(self, name: str) -> tuple[Document | None, Document | None]:
        """The documents called `name` in the key and in the response.

        None for one that is missing.
        """
        kept = self._kept.get(name)
        if kept is not None:
            return kept
        pair = self.key_document(name), self.response.document(name)
        if self._room > 0:
            self._room -= self.key.extent(name) + self.response.extent(name)
            self._kept[name] = pair
        return pair

    def key_document(self, name: str) -> Document | None:
        """The document called `name` in the key; None when there is none."""
        return self.key.document(name)


def prepare(corpus: Corpus, empty: Evaluation) -> Evaluation:
    """Reduce the corpus to the documents to score.

    Returns a copy of `empty` with what is odd about the files as a whole.
    """
    evaluation = empty.like()
    options = empty.options
    if options.documents is None:
        evaluation.problems += problems_of_files(corpus)
        return evaluation

    removed, unreadable = filter_documents(corpus, options.documents)
    evaluation.remove(removed)
    search = compiled(options.documents).search
    problems = problems_of_files(corpus)
    evaluation.problems += [
        problem for problem in problems if problem.document is None or search(problem.document)
    ]
    evaluation.problems += unreadable
    return evaluation


def problems_of_files(corpus: Corpus) -> list[Problem]:
    """What is odd about the two files as a whole."""
    problems = [problem.of_side("key") for problem in corpus.key.problems()]
    problems += [problem.of_side("response") for problem in corpus.response.problems()]
    if corpus.only is None:
        known = set(corpus.key.names())
        for name in corpus.response.names():
            if name not in known:
                source = corpus.response.file_of(name)
                problems.append(
                    extra(
                        Place(source.path, source.line_of(name), "response"),
                        name,
                        "it is not scored",
                    )
                )
    return problems


def filter_documents(corpus: Corpus, pattern: str) -> tuple[list[Removed], list[Problem]]:
    """Reduce the corpus to the documents whose name `pattern` matches.

    Returns what was removed, and what of that is unreadable.

    The pattern may match anywhere in the name. ValueError when it is not a regular expression or no
    document has such a name.
    """
    search = compiled(pattern).search
    names = [name for name in corpus.names if search(name)]
    if not names:
        from conll.errors import did_you_mean

        known = corpus.names
        like = did_you_mean(pattern, known) or (f"; the first one is {known[0]!r}" if known else "")
        raise ValueError(
            f"documents: {pattern!r} matches no document name in {corpus.key.path}{like}"
        )
    corpus.names = names
    of_key, unreadable = _left_out(corpus.key, "key", search)
    of_response, others = _left_out(corpus.response, "response", search)
    return [of_key, of_response], unreadable + others


def _left_out(
    source: Source, side: Side, kept: Callable[[str], object]
) -> tuple[Removed, list[Problem]]:
    """What is removed with the documents that are not kept, and which of them cannot be read."""
    problems: list[Problem] = []
    taken = [name for name in source.names() if not kept(name)]
    sizes: list[int] = []
    for name in taken:
        try:
            document = source.document(name)
        except ConllError as error:
            text = f"left out, and cannot be read: {error.problem}"
            problems.append(Problem(error.path, error.line, error.document, text, side=side))
            continue
        sizes += filter(None, map(len, document.clusters if document else []))
    return Removed("documents", side, sum(sizes), len(sizes), len(taken)), problems
