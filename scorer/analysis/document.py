"""One document as its errors are found: the pair, how it is transformed, and what its files say of its mentions."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from conll.layers import Layers
from scorer.analysis.kinds import DIVIDED, EXTRA, MISSING, SPAN, Transformation
from scorer.analysis.pair import Pair
from scorer.analysis.spans import paired
from scorer.analysis.text import OF_TYPES, Text, as_written, ends

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
    from typing import Any

    from conll.document import Document
    from conll.errors import Side
    from scorer.analysis.kinds import Part
    from scorer.options import Options

ValueT = TypeVar("ValueT")


class Finding(NamedTuple):
    """An error, for readers.

    `kind`, one of `scorer.analysis.kinds.KINDS`; `side`: the file in which its mention stands, at `path` and `line` (from 1; 0
    for memory). `mention` is the first of so many `mentions`, its `words` with those `before` and `after` it in its sentence,
    its `type` name, nominal or pronoun. `key_cluster` and `response_cluster` are the ids as written, empty where a side has
    none. `beside`: the words of what it is apart from or together with: for a span error the response's mention, else the first
    mention of the cluster that is no pronoun.
    """

    kind: str
    document: str
    side: Side
    path: str
    line: int
    mention: Any
    mentions: int
    type: str
    key_cluster: str
    response_cluster: str
    before: str
    words: str
    after: str
    beside: str


class DocumentErrors:
    """The errors of one document: its `pair`, and the `transformation` of the response into the key.

    `key` and `response` are the documents as they were read. `told` is what the file of a side says of the text and of its
    mentions, be it that no word is known; `antecedents` are those that the response's file tells, and `by` names columns to keep.
    """

    def __init__(
        self,
        key: Document,
        response: Document,
        options: Options,
        told: Callable[[Side], Layers | None],
        antecedents: Mapping[Any, Any],
        by: Collection[str] = (),
    ) -> None:
        self.name = key.name
        self.key, self.response = key, response
        self.antecedents = antecedents
        self._told = told
        self.pair = Pair(key, response, Text(_richer(told, by), key, response), options)
        self.transformation = Transformation(self.pair, paired(self.pair))

    def findings(self, width: int = 6) -> Iterator[Finding]:
        """The errors one by one, with so many words around each; spans first, then by key cluster and by response cluster."""
        for part in self.transformation.parts:
            yield self._finding(part, width)

    def _finding(self, part: Part, width: int) -> Finding:
        pair = self.pair
        side: Side = "response" if part.kind in EXTRA else "key"
        mention = part.mentions[0]
        written = pair.mentions[mention]
        if part.kind == SPAN:
            beside = part.mentions[1]
        else:
            of_key = part.kind in MISSING or part.kind == DIVIDED
            cluster = pair.key[part.key] if of_key else self.transformation.response[part.response]
            beside = next((one for one in cluster if not pair.pronoun[one]), cluster[0])
        before, after = pair.text.context(written, width)
        return Finding(
            part.kind,
            self.name,
            side,
            (self.key if side == "key" else self.response).path,
            self.line(side, mention),
            as_written(written),
            1 if part.kind == SPAN else len(part.mentions),
            pair.kinds[mention],
            pair.key_labels(part.key),
            pair.response_labels(part.response),
            before,
            pair.text.said(written),
            after,
            "" if beside == mention else pair.text.said(pair.mentions[beside]),
        )

    def line(self, side: Side, mention: int) -> int:
        """The line of that side's file on which a mention starts, 0 where it has none."""
        return self._lines[side].get(self.pair.mentions[mention], 0)

    @cached_property
    def _lines(self) -> dict[Side, dict[Any, int]]:
        return {"key": self._by_mention("key", self.key.lines), "response": self._by_mention("response", self.response.lines)}

    def attributes(self, side: Side) -> dict[Any, Mapping[str, str]]:
        """What that side's file says of its mentions; of one that it repeats, where it is kept."""
        layers = self._told(side)
        return self._by_mention(side, layers.attributes if layers is not None else ())

    def _by_mention(self, side: Side, values: Sequence[Sequence[ValueT]]) -> dict[Any, ValueT]:
        """What is told of each mention, in the shape of that side's clusters; of one in several, in that where it is kept."""
        document, kept_in = (self.key, self.pair.key_of) if side == "key" else (self.response, self.pair.response_of)
        kept = dict(zip(self.pair.mentions, kept_in))
        found: dict[Any, ValueT] = {}
        elsewhere: dict[Any, ValueT] = {}
        for at, (cluster, of_cluster) in enumerate(zip(document.clusters, values)):
            for mention, one in zip(cluster, of_cluster):
                (found if kept.get(mention) == at else elsewhere).setdefault(mention, one)
        return elsewhere | found

    def known(self) -> set[str]:
        """The names of the columns and of the attributes of mentions that its files have."""
        names = set(self.pair.text.columns)
        for layers in (self._told("key"), self._told("response")):
            names.update(name for cluster in (layers.attributes if layers is not None else ()) for one in cluster for name in one)
        return names

    def wrong(self) -> dict[Any, set[str]]:
        """The kinds of errors of each mention that is in one; of a span error, the key's mention."""
        kinds: dict[Any, set[str]] = {}
        for part in self.transformation.parts:
            for mention in part.mentions[:1] if part.kind == SPAN else part.mentions:
                kinds.setdefault(self.pair.mentions[mention], set()).add(part.kind)
        return kinds

    def places(self) -> dict[Any, tuple[int, int]]:
        """Where each mention stands among the others: its first word, and its place in the order of the text."""
        return {mention: (ends(mention)[0], at) for at, mention in enumerate(self.pair.mentions)}

    def place(self, mention: Any) -> tuple[str, int]:
        """The file and the line of a mention: those of the key where it has the mention."""
        if mention in self._lines["key"] or not self._lines["response"]:
            return self.key.path, self._lines["key"].get(mention, 0)
        return self.response.path, self._lines["response"].get(mention, 0)


def _richer(told: Callable[[Side], Layers | None], by: Collection[str]) -> Layers | None:
    """What the key's file says of the text; what the response's says where the key's says nothing, and the words are as many.

    A file may have columns and names, and no word. Columns in `by` may be those of either file.
    """
    key = told("key")
    if key is not None and key.sentences and _tells(key) and set(by) <= {*key.columns}:
        return key
    response = told("response")
    if key is None or response is None:
        return key or response
    if len({_size(key), _size(response)} - {0}) > 1:
        return key
    first, other = (response, key) if _tells(response) and not _tells(key) else (key, response)
    further = {name: other.columns[name] for name in by if name in other.columns and name not in OF_TYPES}
    names = key.names or (first if _tells(first) else response).names
    return Layers(key.sentences or response.sentences, {**further, **first.columns}, names=names)


def _tells(layers: Layers) -> bool:
    """Whether the file says something of words, be it that it does not give them."""
    return any(map(len, layers.columns.values())) or bool(layers.names and layers.sentences)


def _size(layers: Layers) -> int:
    """How many words there are; 0 where that is not known."""
    return sum(map(len, layers.sentences)) or max(map(len, layers.columns.values()), default=0)
