"""Documents that are joined: those in whose names a regular expression captures the same text.

Clusters with the same id become one where ids mean the same in every document of a file, so a
cluster may go across documents. Elsewhere an id is known in its document alone.

Mentions are pairs of words, counted over the documents of a topic one after the other. A document
takes as many words as the longer of its two sides has, so that mentions of the next one are the
same on both sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from conll.check import missing
from conll.document import Document
from conll.errors import Place, Problem, shorten
from conll.source import DerivedSource, Source, place_of
from conll.syntax import is_span, pieces
from scorer.evaluation.evaluation import group_of
from scorer.options import Options, compiled

if TYPE_CHECKING:
    from conll.errors import Side

Topics = Mapping[str, Sequence[str]]
"""The names of the documents of each topic."""


def join_documents(key: Source, response: Source, options: Options) -> tuple[Source, Source]:
    """Return a key and a response whose documents are joined as the option says.

    Raises:
        ConllError: The response lacks a document, and the options do not allow that.
    """
    pattern = options.join_documents or ""
    search = compiled(pattern).search
    names = list(dict.fromkeys(key.names() + response.names()))
    topics: dict[str, list[str]] = {}
    has_topic = False
    for name in names:
        topic = group_of(search(name))
        has_topic = has_topic or topic != ""
        # A document in whose name nothing is captured stays by itself.
        topics.setdefault(topic or name, []).append(name)
    problems = list(_missing_members(key, response, topics))
    if problems and options.missing_documents == "error":
        raise problems[0].error()
    if names and not has_topic:
        text = f"join_documents: {shorten(pattern)} captures nothing in the name of any document"
        problems.append(Problem(key.path, 0, None, text, "no documents are joined"))
    else:
        problems += _notes_of_ids(key, "key") + _notes_of_ids(response, "response")
    return JoinedSource(key, response, topics), JoinedSource(response, key, topics, problems)


def _missing_members(key: Source, response: Source, topics: Topics) -> Iterator[Problem]:
    """Yield each document that the response lacks of a topic of which it has another one."""
    known, answered = set(key.names()), set(response.names())
    for members in topics.values():
        if answered.isdisjoint(members):
            continue
        for name in members:
            if name in known and name not in answered:
                yield missing(response.path, name, "it is scored as an empty one")


def _notes_of_ids(source: Source, side: Side) -> list[Problem]:
    """Return the note that no clusters of a side are joined, if its ids mean one document each."""
    document = next(iter(source), None)
    if document is None or document.shares_ids:
        return []
    text = f"ids of clusters mean one document in {source.format}, so clusters are not joined"
    return [Problem(source.path, 0, None, text, kind="note", side=side)]


class JoinedSource(DerivedSource):
    """A side of a key and a response whose documents are joined.

    Args:
        source: The documents of this side.
        other: Those of the other side, for the lengths of documents.
        topics: The documents that are joined.
        problems: Problems of the documents that are joined, such as those that it lacks of topics
            of which it has another one.
    """

    def __init__(
        self, source: Source, other: Source, topics: Topics, problems: Sequence[Problem] = ()
    ) -> None:
        super().__init__(source)
        self.joined = source.joined
        self._other = other
        self._own_problems = list(problems)
        # Topics of which this side has no document are missing here.
        own_names = set(source.names())
        self._topics = {
            topic: members for topic, members in topics.items() if not own_names.isdisjoint(members)
        }

    def names(self) -> list[str]:
        return list(self._topics)

    def read(self, name: str) -> Document | None:
        if name not in self._topics:
            return None
        place = self._place(name)
        joined = Document(name, [], 0, words=[], path=place.path, line=place.line)
        numbers: dict[object, int] = {}
        for member in self._topics[name]:
            document, other = self._source.read(member), self._other.read(member)
            offset = joined.tokens or 0
            # A document takes as many words as its longer side has.
            lengths = [side.length() for side in (document, other) if side is not None]
            length = max(lengths, default=0)
            if document is not None:
                _add(joined, numbers, document, offset)
            # A missing document is reported, and its words do not differ as well.
            words = other if document is None else document
            _add_words(joined, words, length)
            joined.tokens = offset + length
        return joined

    def problems(self) -> list[Problem]:
        return self._source.problems() + self._own_problems

    def _place(self, name: str) -> Place:
        own_names = set(self._source.names())
        for member in self._topics.get(name, ()):
            if member in own_names:
                return place_of(self._source, member)
        return Place(self.path, 0)


def _add_words(joined: Document, document: Document | None, length: int) -> None:
    """Add the words of a document to a joined one, and empty ones up to a length.

    The words of a joined document are not known if those of one of its documents are not.
    """
    words = None if document is None else document.words
    if joined.words is None or words is None:
        joined.words = None
        return
    joined.words += words
    padding = length - sum(map(len, words))
    if padding > 0:
        joined.words.append([""] * padding)


def _add(joined: Document, numbers: dict[object, int], document: Document, offset: int) -> None:
    """Add a document to a joined one.

    Args:
        joined: The joined document.
        numbers: The number of the cluster of each id, or of each cluster of a document where ids
            mean that document alone; it grows.
        document: The document to add.
        offset: The number of words before it.
    """
    for own_number, (label, cluster) in enumerate(zip(document.ids(), document.clusters)):
        identity: object = label if document.shares_ids else (document.name, own_number)
        if identity not in numbers:
            numbers[identity] = len(joined.clusters)
            joined.labels.append(label if document.shares_ids else f"{document.name}/{label}")
            joined.clusters.append([])
            joined.lines.append([])
        number = numbers[identity]
        for position, mention in enumerate(cluster):
            joined.clusters[number].append(_moved(document, mention, offset))
            line = document.lines[own_number][position] if document.lines else document.line
            joined.lines[number].append(line)
    joined.repairs = joined.repairs + document.repairs
    joined.discarded += document.discarded
    joined.unclosed += document.unclosed
    joined.unterminated += document.unterminated
    joined.ended = joined.ended and document.ended
    joined.cut = joined.cut or document.cut


def _moved(document: Document, mention: Any, offset: int) -> Any:
    """Return a mention with its words counted from the beginning of the joined document.

    Raises:
        ConllError: It is not made of words.
    """
    parts: tuple[Any, ...] = pieces(mention) if type(mention) is tuple and mention else ()
    if not parts or not all(map(is_span, parts)):
        problem = f"mention {mention!r} is not made of words, so its document cannot be joined"
        raise document.error(problem)
    moved = tuple((first + offset, last + offset) for first, last in parts)
    return moved[0] if is_span(mention) else moved
