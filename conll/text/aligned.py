"""A response whose words are aligned to those of the key, and its mentions with them.

What was repaired is counted by kind and listed with its place, document by document
(`Document.repairs`). A document in which a model did not write the text of the key is empty.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain
from typing import Any

from conll.check import mention_beyond_key, unlike_numbers
from conll.directory import DirectorySource
from conll.document import Content, Document, Words
from conll.errors import ConllError, Problem, pluralize
from conll.joining import (
    Joining,
    join_file_names,
    join_names,
    join_sources,
    joined,
    notes_of,
    own_names,
)
from conll.source import Source, place_of
from conll.syntax import is_span
from conll.text.answers import KeyText
from conll.text.marked import Marked, MarkedContent, MarkedSource, file_name
from conll.text.projection import Projection


def aligned_or_joined(
    key: Source,
    response: Source,
    how: str = "auto",
    *,
    exact: bool = False,
) -> Source:
    """Return the response, aligned to the key if it is a model's text or if that is asked for.

    Its documents are called as those of the key, see `conll.joining`.

    Args:
        key: The key.
        response: The response.
        how: "auto" to align only a model's text, "key" to align any response.
        exact: Whether only documents of equal names are pairs.

    Raises:
        ConllError: The documents cannot be paired.
    """
    is_asked_for = response.loose or how != "auto"
    if not is_asked_for or response.format == "memory":
        return joined(key, response, exact=exact)
    return AlignedSource(key, response, exact=exact)


class AlignedSource(Source):
    """A response with the words of its key.

    Documents are paired by name, or texts of a model by their order where no name is shared.

    Args:
        key: The key, with words.
        response: The response, with words or with mentions that are text.
        exact: Pair documents of equal names alone.

    Attributes:
        response: The response, with as many documents as the key if it does not name them.

    Raises:
        ConllError: No name is shared, and the numbers of documents differ.
    """

    def __init__(self, key: Source, response: Source, *, exact: bool = False) -> None:
        self.path, self.size, self.format = response.path, response.size, response.format
        self.loose, self.reopen = response.loose, response.reopen
        self._key = key
        self.response = _divided(response, len(key.names()))
        self._joining = Joining()
        self._names = self._join(exact=exact)
        self.joined = self._joining.mapping

    def _join(self, *, exact: bool) -> dict[str, str]:
        """Return the name that the response gives to each document, by that of the key."""
        names, given = self._key.names(), self.response.names()
        if not (self.loose and _is_numbered(self.response)):
            by_name = _by_name(names, given, self.path)
            if not given or not by_name.keys().isdisjoint(names):
                return by_name
            # The words of two documents are compared when they are aligned.
            if exact or not self.loose:
                self._joining = join_sources(
                    self._key, self.response, exact=exact, compare_words=False
                )
            else:
                self._joining = join_names(names, given, lambda *_: True)
            if self._joining.pairs or not self.loose:
                return own_names(self._joining, given)
        if len(given) != len(names):
            texts, documents = pluralize(len(given), "text"), pluralize(len(names), "document")
            problem = f"{texts}, and {documents} of the key"
            if not self.response.unnamed:
                problem = f"{problem} with other names"
            advice = "give one text for each, in the same order"
            raise ConllError(self.path, 0, f"{problem}; {advice}")
        return dict(zip(names, given))

    def names(self) -> list[str]:
        return list(self._names)

    def problems(self) -> list[Problem]:
        problems = [problem for problem in self.response.problems() if problem.kind != "repair"]
        return [*problems, *notes_of(self._joining, self.path)]

    def files(self) -> list[Source]:
        return self.response.files()

    def chunks(self) -> Iterator[bytes]:
        return self.response.chunks()

    def read(self, name: str) -> Document | None:
        response = None
        if name in self._names:
            response = self.response.read(self._names[name])
        key = self._key.read(name)
        if response is None or key is None:
            return response
        if key.words is None:
            problem = "the key has no words to which a text can be aligned; give a key with words"
            raise key.error(problem)
        are_spans = all(map(is_span, chain.from_iterable(response.clusters)))
        if response.words is None and are_spans:
            return _with_words_of(key, response, name)
        key_text = KeyText(list(chain.from_iterable(key.words)))
        text = key_text.choose(_marked(response))
        projection = Projection(key)
        repairs = list(response.repairs)
        if key_text.is_about(text):
            try:
                projection.align(text)
            except ValueError as error:
                raise ConllError(response.path, response.line, str(error), name) from None
            repairs += projection.repairs.problem(response.path, response.line, name)
        else:
            repairs.append(_unaligned(response, name, key_text.fault(text)))
        clusters: list[list[Any]] = []
        lines: list[list[int]] = []
        for mentions in projection.clusters.values():
            clusters.append(list(mentions))
            lines.append([response.line] * len(mentions))
        return Document(
            name,
            clusters,
            sum(map(len, key.words)),
            labels=list(projection.clusters),
            shares_ids=response.shares_ids,
            lines=lines,
            syntax=projection.syntax(),
            path=response.path,
            line=response.line,
            content=AlignedContent(key.words, repairs, response.content.extent()),
        )

    def _place(self, name: str) -> tuple[str, int]:
        in_response = place_of(self.response, self._names.get(name, ""))
        return in_response.path, in_response.line


def _with_words_of(key: Document, response: Document, name: str) -> Document:
    """Return a response without words, whose positions are those of the key, with its words.

    Raises:
        ConllError: The two differ in length, or a mention ends after the key.
    """
    problem = unlike_numbers(key, response) or mention_beyond_key(key, response)
    if problem is not None:
        raise problem.error()
    repairs = list(response.repairs)
    return Document(
        name,
        response.clusters,
        key.tokens,
        labels=response.labels,
        shares_ids=response.shares_ids,
        lines=response.lines,
        path=response.path,
        line=response.line,
        content=AlignedContent(key.words or [], repairs, response.content.extent()),
    )


class AlignedContent(Content):
    """The rest of an aligned document: the words of the key, and what was repaired.

    Args:
        words: The words of the key.
        repairs: What was repaired, or that the document is empty.
        extent: The size of the document of the response.
    """

    def __init__(self, words: Words, repairs: list[Problem], extent: int) -> None:
        self._words = words
        self._repairs = repairs
        self._extent = extent

    def words(self) -> Words:
        return self._words

    def repairs(self) -> list[Problem]:
        return self._repairs

    def extent(self) -> int:
        return self._extent


def _unaligned(response: Document, name: str, fault: str) -> Problem:
    """Return the problem that a document is empty, as its text is not that of the key."""
    return Problem(
        response.path,
        response.line,
        name,
        f"not aligned: {fault}",
        "the document is scored as empty",
        kind="unaligned",
        side="response",
    )


def _divided(response: Source, documents: int) -> Source:
    """Return a response with so many documents, or one in each file, if it does not name them."""
    if isinstance(response, MarkedSource):
        return response.divided(documents)
    if not isinstance(response, DirectorySource):
        return response
    in_each = documents if len(response.sources) == 1 else 1
    return response.with_sources([_divided(file, in_each) for file in response.sources])


def _is_numbered(response: Source) -> bool:
    """Return whether the names in a file are numbers of texts without a name."""
    files = response.files()
    return len(files) == 1 and isinstance(files[0], MarkedSource) and files[0].numbered


def _by_name(names: Sequence[str], given: Sequence[str], path: str) -> dict[str, str]:
    """Return the names of documents in the response, by their names in the key.

    A document of the response has the same name or, as a file, that which `file_name` makes of it.
    A document that is neither keeps its own name.

    Raises:
        ConllError: The file name of a response is that of two documents.
    """
    known = set(names)
    by_file: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        by_file[file_name(name)].append(name)
    by_name = {name: name for name in given}
    for name in given:
        if name in known:
            continue
        documents = by_file[name]
        if len(documents) > 1:
            shown = " and ".join(map(repr, documents))
            problem = f"the file name {name!r} may be that of each of the documents {shown}"
            advice = f'write lines such as {{"doc_key": "{documents[0]}", "output": "…"}}'
            raise ConllError(path, 0, f"{problem}; {advice}, and name the format")
        if documents and documents[0] not in by_name:
            by_name[documents[0]] = by_name.pop(name)
    for name, own_name in join_file_names(names, by_name).items():
        by_name[name] = by_name.pop(own_name)
    return by_name


def _marked(document: Document) -> Marked:
    """Return the words of a document of a response and its mentions.

    Raises:
        ValueError: It has no words, and its mentions are no text.
    """
    content = document.content
    if isinstance(content, MarkedContent):
        return content.marked
    # Words that are only about those of a key were cut by a rule.
    marked = Marked(document.words, cut=content.cut_by_rule)
    for label, cluster in zip(document.ids(), document.clusters):
        for mention in cluster:
            if marked.sentences is None or is_span(mention):
                marked.mentions.append((mention, label))
            else:
                marked.repairs.note("discontinuous mention", str(mention).replace(" ", ""))
    return marked
