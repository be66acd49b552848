# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""A document: its name, its clusters of mentions, and where each mention stood in the file."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence
    from functools import cached_property as computed_once
    from typing import Any, TypeVar

    from conll.errors import ConllError, Problem
    from conll.syntax import Syntax

    Copied = TypeVar("Copied")
else:

    class computed_once:  # noqa: N801  as functools.cached_property, whose import takes too long
        """A method that becomes an attribute when it is first asked for."""

        def __init__(self, compute: object) -> None:
            self.compute = compute

        def __get__(self, value: object, owner: object) -> object:
            computed = value.__dict__[self.compute.__name__] = self.compute(value)
            return computed


Mention = tuple[int, int]
"""First and last token of a mention, counted from 0 in its document, both inclusive."""

Name = tuple[int, int, str]
"""First and last token of a name, counted from 0 in its document, both inclusive, and its label.

The label is empty where it is unknown."""

Clusters = list[list["Any"]]
"""Clusters in the order of their ids in the file, mentions in the order of their ends.

Mentions are hashable, and equal where they are the same: a `Mention`, or, where it has gaps or
empty nodes, a tuple of its pieces (see `conll.syntax`), or whatever names it in a list of clusters.
"""

Words = list[list[str]]
"""The words of a document, sentence by sentence."""

PLACEHOLDER = "[WORD]"
"""Stands for a word that is not known, as in the files of CoNLL-2012 that are published without
their words."""

ETYPE = "etype"
"""The attribute of a mention that holds the type of its entity."""

OPTIONAL = "optional"
"""The attribute of a mention that a key does not ask for; its value is `True`."""


class Layers:
    """The layers of one document.

    `sentences`: its words. `columns`: by the name of a layer a text for each word, empty where the
    file says nothing. `names`: named entities in the order in which they start, the longer first.
    `optional_names`: those of the names that a key does not ask for. `attributes`: in the shape of
    the document's clusters, what the file says of each mention, by the attribute's name; empty
    where it says nothing of any.
    """

    __slots__ = ("attributes", "columns", "names", "optional_names", "sentences")

    def __init__(
        self,
        sentences: Words,
        columns: Mapping[str, Sequence[str]] | None = None,
        *,
        names: Sequence[Name] = (),
        optional_names: Collection[Name] = (),
        attributes: Sequence[Sequence[Mapping[str, str]]] = (),
    ) -> None:
        self.sentences: Words = sentences
        self.columns: Mapping[str, Sequence[str]] = columns or {}
        self.names: Sequence[Name] = names
        self.optional_names: Collection[Name] = optional_names
        self.attributes: Sequence[Sequence[Mapping[str, str]]] = attributes


class Content:
    """The rest of what a file says of one document, read when it is asked for.

    A reader derives its own class from this one, which says nothing more. A document whose words
    and fields are given at once needs none.

    Attributes:
        cut_by_rule: The words were cut by a rule, so that others are no fault of the file.
    """

    cut_by_rule = False

    def words(self) -> Words | None:
        """Read the words, sentence by sentence; None where they are not known."""
        return None

    def fields(self) -> dict[str, Any]:
        """Read all but words and mentions, by the names of fields of JSON lines.

        A field that only this format has is left out. `predicted_clusters` are those of the
        response in a file that also holds a key.
        """
        return {}

    def layers(self, _fields: Collection[str] | None = None, /) -> Layers:
        """Read the layers: of columns and attributes at least these fields, or all."""
        return Layers(self.words() or [])

    def names(self) -> Sequence[Name] | None:
        """Read the named entities; None where the file has no list of them."""
        return None

    def antecedents(self) -> Mapping[Mention, Mention]:
        """Read the antecedent of each mention for which the file gives one."""
        return {}

    def repairs(self) -> list[Problem]:
        """List what was repaired while the document was read."""
        return []

    def subtoken_map(self) -> Sequence[int]:
        """Read the word of each subtoken, where mentions are still read as counted in words."""
        return ()

    def token_lines(self) -> Sequence[int]:
        """Find the line (from 1) of each token; empty where a document is one line of its file."""
        return ()

    def extent(self) -> int:
        """Return about how many bytes the document takes; 0 where that is not known."""
        return 0

    def same_text(self, other: Content) -> bool:
        """Return whether a quick look shows the same words. False proves nothing."""
        words = self.words()
        return words is not None and words == other.words()


NOTHING_MORE = Content()
"""The content of a document that is given as a whole."""


class Document:
    """One document of a key or a response.

    A plain class: importing `dataclasses` takes longer than scoring a small document.

    `name` is what follows `#begin document `. `clusters` may hold empty ones: those of which the
    file closes no mention, though it closes one of a later cluster. `tokens` is their number, None
    where the file does not say. `lines` has the shape of `clusters`: the line of the file (from 1)
    on which each mention starts. `labels` are the clusters' ids as written, and `shares_ids` says
    whether an id means the same cluster in every document of the file. `discarded` lists double
    antecedents such as `1+2`. `unclosed` pairs the id and the line of every mention still open at
    the end of a file that lacks its end line, and `cut` says whether that file ends within a line;
    `unterminated` holds the first line that begins another document inside this one. `path` and
    `line` say where the document begins; both are empty for one made in memory. `syntax` is set
    where the file gives heads or empty nodes. `types` has the shape of `clusters`, where mentions
    match only if their types are equal, and is empty elsewhere.

    Everything else is given at once, or read from `content` when it is first asked for: `words`,
    sentence by sentence, None where they are not known; `fields`, what else the file says of the
    document, by the names of fields of JSON lines; `names`, the named entities, None where the file
    has no list of them; `antecedents`, the antecedent of each mention for which there is one;
    `repairs`, what was repaired while it was read; `layers()`; and the line of each token.
    """

    def __init__(  # noqa: PLR0913  a record of the fast path
        self,
        name: str,
        clusters: Clusters,
        tokens: int | None = None,
        *,
        words: Words | None = None,
        fields: dict[str, Any] | None = None,
        lines: list[list[int]] | None = None,
        labels: list[str] | None = None,
        shares_ids: bool = False,
        discarded: list[str] | None = None,
        unclosed: list[tuple[str, int]] | None = None,
        unterminated: list[int] | None = None,
        ended: bool = True,
        cut: bool = False,
        syntax: Syntax | None = None,
        types: list[list[str]] | None = None,
        path: str = "",
        line: int = 0,
        content: Content | None = None,
    ) -> None:
        self.name = name
        self.clusters = clusters
        self.tokens = tokens
        if words is not None or content is None:
            self.words = words
        if fields is not None or content is None:
            self.fields = fields or {}
        self.lines: list[list[int]] = lines or []
        self.labels: list[str] = labels or []
        self.shares_ids = shares_ids
        self.discarded: list[str] = discarded or []
        self.unclosed: list[tuple[str, int]] = unclosed or []
        self.unterminated: list[int] = unterminated or []
        self.ended = ended
        self.cut = cut
        self.syntax = syntax
        self.types: list[list[str]] = types or []
        self.path = path
        self.line = line
        self.content: Content = content or NOTHING_MORE

    @computed_once
    def words(self) -> Words | None:
        """The words, sentence by sentence; None where they are not known."""
        return self.content.words()

    @computed_once
    def fields(self) -> dict[str, Any]:
        """Further fields of the file, by the names of fields of JSON lines."""
        return self.content.fields()

    @computed_once
    def names(self) -> Sequence[Name] | None:
        """The named entities; None where the file has no list of them."""
        return self.content.names()

    @computed_once
    def antecedents(self) -> Mapping[Mention, Mention]:
        """The antecedent of each mention for which the file gives one."""
        return self.content.antecedents()

    @computed_once
    def repairs(self) -> list[Problem]:
        """The repairs that were made while the document was read."""
        return self.content.repairs()

    @computed_once
    def token_lines(self) -> Sequence[int]:
        """The line (from 1) of each token; empty where the document is one line of its file."""
        return self.content.token_lines()

    def text(self) -> list[str] | None:
        """Return the words one after the other; None where they are not known."""
        if self.words is None:
            return None
        text: list[str] = []
        for sentence in self.words:
            text += sentence
        return text

    def layers(self, fields: Collection[str] | None = None) -> Layers:
        """Read the layers beside the mentions.

        Args:
            fields: The columns and attributes to read at least; None for all. With any, the
                sentences may be left out, which makes it quicker.
        """
        if type(self.content) is Content:
            return Layers(self.words or [])
        return self.content.layers(fields)

    def line_of(self, token: int) -> int:
        """Return the line (from 1) of a token, or else the one on which the document begins."""
        return self.token_lines[token] if 0 <= token < len(self.token_lines) else self.line

    def ids(self) -> list[str]:
        """Return the id of each cluster: its label or, if there are no labels, its number."""
        return self.labels or [*map(str, range(len(self.clusters)))]

    def error(self, problem: str) -> ConllError:
        """Return the error that something is wrong with this document."""
        from conll.errors import ConllError

        return ConllError(self.path, self.line, problem, document=self.name)

    def length(self) -> int:
        """Return the number of tokens.

        Where that is not known, as many as its words, or as its mentions need.
        """
        # Words that nobody asked for yet need not be read: their number is known.
        words = self.__dict__.get("words")
        if words is not None:
            return sum(map(len, words))
        if self.tokens is not None:
            return self.tokens
        from conll.syntax import is_span, pieces

        last = -1
        for cluster in self.clusters:
            for mention in cluster:
                if type(mention) is tuple:
                    spans = filter(is_span, pieces(mention))
                    last = max([last, *(int(span[1]) for span in spans)])
        return last + 1

    def __repr__(self) -> str:
        from conll.errors import pluralize

        mentions = pluralize(sum(map(len, self.clusters)), "mention")
        clusters = pluralize(len(self.clusters), "cluster")
        contents = f"{mentions} in {clusters}"
        if self.tokens is not None:
            contents = f"{contents}, {pluralize(self.tokens, 'token')}"
        return f"<Document {self.name!r}: {contents}>"


def copy_with(value: Copied, **attributes: object) -> Copied:
    """Return a copy of a document or a problem that differs in these attributes."""
    from copy import copy  # late, as small runs copy nothing

    copied = copy(value)
    for name, attribute in attributes.items():
        setattr(copied, name, attribute)
    return copied


def names_in(column: Sequence[str]) -> list[Name]:
    """Read the named entities of a column with `(LABEL*` and `*)`, as in CoNLL-2012.

    Names nest, and a bracket without its partner is passed over: scoring of coreference does not
    depend on them.

    Examples:
        >>> names_in(["(PERSON*", "*)", "*", "(GPE)"])
        [(0, 1, 'PERSON'), (3, 3, 'GPE')]
    """
    names: list[Name] = []
    opened: list[tuple[int, str]] = []
    for token, cell in enumerate(column):
        if "(" not in cell and ")" not in cell:
            continue
        for label in brackets_in(cell):
            if label is not None:
                opened.append((token, label))
            elif opened:
                first, name = opened.pop()
                names.append((first, token, name))
    return sorted(names, key=lambda name: (name[0], -name[1]))


def brackets_in(cell: str) -> list[str | None]:
    """List the brackets of a cell of names: the label of one that opens, None for one that closes.

    Examples:
        >>> brackets_in("(ORG(GPE)"), brackets_in("*)")
        (['ORG', 'GPE', None], [None])
    """
    pieces = cell.replace("*", "").replace(")", " ) ").replace("(", " (").split()
    return [
        None if piece == ")" else piece[1:]
        for piece in pieces
        if piece == ")" or piece.startswith("(")
    ]
