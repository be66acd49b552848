"""What is read of one document: its spans, and what its file says of them."""

from __future__ import annotations

from contextlib import suppress
from itertools import chain, repeat
from math import isfinite
from operator import itemgetter, le
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

from conll.errors import ConllError
from conll.syntax import LIMIT, is_empty_node, is_span, pieces
from scorer.spans.span import Span

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from conll.document import Document
    from conll.layers import Layers
    from conll.source import Source

ValueT = TypeVar("ValueT")

ETYPE = "etype"
"""The attribute that holds the entity type of a mention in CorefUD and its kin."""


class SpanLists(NamedTuple):
    """Spans of a document, in its order: tokens `start` to `end` (exclusive), and what else is asked for; None for what is not.

    Names have a `label`, spans that are grouped a `group`, those of a response with scores a `score`.
    """

    start: Sequence[int]
    end: Sequence[int]
    label: Sequence[str] | None = None
    group: Sequence[str] | None = None
    score: Sequence[float] | None = None

    def spans(self) -> list[Span]:
        """One by one."""
        none = repeat("")
        scores: Iterable[float | None] = repeat(None) if self.score is None else self.score
        return list(map(Span, self.start, self.end, self.label or none, scores, self.group or none))


class SpansFound(NamedTuple):
    """Spans from `start` to `last` (inclusive): names, which have a `label`, or `mentions` and what the file says of each."""

    start: Sequence[int] = ()
    last: Sequence[int] = ()
    label: Sequence[str] | None = None
    mentions: Sequence[Any] = ()
    said: Sequence[Mapping[str, str]] = ()

    def at(self, places: Sequence[int]) -> SpansFound:
        """Those at these places, without labels."""
        return SpansFound(_at(self.start, places), _at(self.last, places), None, _at(self.mentions, places), _at(self.said, places))

    def heads(self, document: Document | None) -> Sequence[int]:
        """The token that is the head of each, or else its last one."""
        heads: Any = document.syntax.heads if document is not None and document.syntax is not None else {}
        if not heads or not self.mentions:
            return self.last
        found = (heads.get(mention) for mention in self.mentions)
        return [head if isinstance(head, int) else last for head, last in zip(found, self.last)]

    def texts(self, field: str, column: Sequence[str], tokens: Sequence[int]) -> list[str]:
        """What the file says of each: of the mention, or else, in a column, of these tokens."""
        size = len(column)
        cells = [column[token] if token < size else "" for token in tokens] if size else [""] * len(tokens)
        return [said.get(field, cell) for said, cell in zip(self.said, cells)] if self.said else cells


def _at(column: Sequence[ValueT], places: Sequence[int]) -> list[ValueT]:
    return [column[at] for at in places] if column else []


class DocumentSpans:
    """What is read of a document, with the field that holds its `score`; None for a document that is missing.

    `listed`: whether spans of names are those that its file lists.
    """

    def __init__(
        self, document: Document | None, layers: Layers | None, source: Source, score: str | None, *, listed: bool
    ) -> None:
        self.document = document
        self.score = score
        self.listed = listed
        self._layers = layers
        self._source = source
        self._mentions: SpansFound | None = None

    def has(self, field: str | None) -> bool:
        """Whether the document has that column or, in a mention, that attribute."""
        layers = self._layers
        return layers is not None and (field in layers.columns or any(field in said for some in layers.attributes for said in some))

    def column(self, field: str | None) -> Sequence[str]:
        """That column; empty where there is none."""
        return self._layers.columns.get(field, ()) if self._layers is not None and field is not None else ()

    def names(self) -> SpansFound:
        """The named entities that the file lists."""
        names = self._layers.names if self._layers is not None else ()
        return SpansFound(*(list(map(itemgetter(at), names)) for at in range(3)))

    def mentions(self, *, typed: bool) -> SpansFound:
        """The mentions that are spans; with `typed` those that have an entity type, as their label."""
        if typed and (self._layers is None or not self._layers.attributes):
            return SpansFound(label=())
        if self._mentions is None:
            self._mentions = self._found()
        found = self._mentions
        if not typed:
            return found
        found = found.at([at for at, said in enumerate(found.said) if said.get(ETYPE)])
        return found._replace(label=[said[ETYPE] for said in found.said])

    def _found(self) -> SpansFound:
        if self.document is None:
            return SpansFound()
        mentions = list(chain.from_iterable(self.document.clusters))
        said = list(chain.from_iterable(self._layers.attributes)) if self._layers is not None else []
        # Where all are spans as `is_span` says, as in most documents, that is told without a loop over them.
        if set(map(type, mentions)) == {tuple} and set(map(len, mentions)) == {2}:
            start, last = (list(map(itemgetter(at), mentions)) for at in (0, 1))
            if (
                set(map(type, start)) == set(map(type, last)) == {int}
                and min(start) >= 0
                and max(last) < LIMIT
                and all(map(le, start, last))
            ):
                return SpansFound(start, last, None, mentions, said)
        ends = [_ends(mention, self.document) for mention in mentions]
        places = [at for at, one in enumerate(ends) if one is not None]
        start, last = ([one[side] for one in ends if one is not None] for side in (0, 1))
        return SpansFound(start, last, None, _at(mentions, places), _at(said, places))

    def numbers(self, found: SpansFound) -> list[float]:
        """The score of each; ConllError where one is no number."""
        assert self.score is not None
        texts = found.texts(self.score, self.column(self.score), found.start)
        with suppress(ValueError):
            numbers = list(map(float, texts))
            if all(map(isfinite, numbers)):
                return numbers
        at, text = next((at, text) for at, text in enumerate(texts) if not _is_number(text))
        what = f"its {self.score} is {text!r}, no number" if text else f"it has no {self.score}"
        problem = (
            f"the span {found.start[at]}-{found.last[at]} cannot be put above or below a threshold: {what}; "
            "write a number for each span"
        )
        name = self.document.name if self.document is not None else ""
        raise ConllError(self._source.path, self._source.line_of(name), problem, document=name)


def _is_number(text: str) -> bool:
    try:
        return isfinite(float(text))
    except ValueError:
        return False


def _ends(mention: Any, document: Document) -> tuple[int, int] | None:
    """First and last token of a mention, whatever gaps are between; None for one of empty nodes alone. ValueError for no span."""
    if is_span(mention):
        return mention  # type: ignore[no-any-return]  # a span is a pair of numbers
    parts = pieces(mention) if isinstance(mention, tuple) else ()
    if not parts or not all(is_empty_node(part) if isinstance(part, str) else is_span(part) for part in parts):
        raise ValueError(f"document {document.name!r}: {mention!r} is no span; write mentions as (first, last) tokens")
    words = [part for part in parts if not isinstance(part, str)]
    return (words[0][0], words[-1][1]) if words else None
