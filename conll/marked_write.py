"""Write texts with marked mentions, and count what such a text cannot hold."""

from __future__ import annotations

import re
from collections import Counter
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any

from conll.alignment import ZERO
from conll.format import Holds, refusal, spans_of
from conll.syntax import is_span, pieces

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from conll.document import Document
    from conll.syntax import AnyMention, Token

    Span = tuple[int, int]


class TextOrder:
    """The tokens of a document in the order of a text, and their forms.

    Args:
        document: The document, with its `words`.
        zeros: Whether empty nodes are tokens.
        moved: Whether an empty node follows its first enhanced parent, and not the word that it
            follows in CoNLL-U.
    """

    def __init__(self, document: Document, *, zeros: bool = True, moved: bool = True) -> None:
        self.forms: list[str] = [*chain.from_iterable(document.words or ())]
        self.tokens: list[Token] = [*range(len(self.forms))]
        self.places: dict[Token, int] = {token: at for at, token in enumerate(self.tokens)}
        self.moved = 0
        syntax: Any = document.syntax
        self._syntax = syntax
        self._nodes = getattr(syntax, "nodes", None) if zeros and syntax and syntax.zeros else None
        if self._nodes is None:
            return
        order = {token: syntax.place(token) for token in self._nodes.tokens}
        for zero in syntax.zeros if moved else ():
            parent = next((parent for parent, _ in syntax.relations(zero)), None)
            if type(parent) is int:
                self.moved += order[zero][0] != parent
                order[zero] = parent, 0, 1
        self.tokens = sorted(order, key=order.__getitem__)
        named = self._nodes.forms()
        words = self.forms
        self.forms = [
            words[token] if isinstance(token, int) else f"{ZERO}{named[token].removeprefix('_')}"
            for token in self.tokens
        ]
        self._numbers = {token: node for node, token in enumerate(self._nodes.tokens)}
        self.places = {token: place for place, token in enumerate(self.tokens)}

    def mention(self, first: int, last: int) -> AnyMention:
        """Return the mention from one place of the text to another, both inclusive."""
        if self._nodes is None:
            return first, last
        nodes = sorted(self._numbers[token] for token in self.tokens[first : last + 1])
        mention: AnyMention = self._nodes.mention([(node, node) for node in nodes])
        return mention

    def span(self, mention: Any) -> Span | None:
        """Return the first and last place of a mention; None where it is not in one piece."""
        if self._nodes is None:
            return mention if is_span(mention) else None
        known = self._syntax.zeros
        if not all(is_span(piece) or piece in known for piece in pieces(mention)):
            return None
        places = sorted(self.places[token] for token in self._syntax.tokens(mention))
        is_whole = places[-1] - places[0] == len(places) - 1
        return (places[0], places[-1]) if is_whole else None


def unfit(
    document: Document, *, nested: bool | None, moved: bool = True
) -> dict[tuple[int, int], str]:
    """Find the mentions that a text cannot mark: those in pieces, and such as cross others.

    Args:
        document: The document to be written.
        nested: Whether the end of a mention does not tell which it is, so that none may cross; None
            where mentions may cross in any way.
        moved: As in `TextOrder`.

    Returns:
        What is wrong with each, by the number of its cluster and its place there.
    """
    order = TextOrder(document, moved=moved)
    wrong: dict[tuple[int, int], str] = {}
    spans: list[tuple[int, int, tuple[int, int]]] = []
    for number, cluster in enumerate(document.clusters):
        for place, mention in enumerate(cluster):
            span = order.span(mention)
            if span is None:
                wrong[number, place] = "mention| in pieces"
            else:
                spans.append((span[0], -span[1], (number, place)))
    opened: list[tuple[int, int]] = []
    for first, end, at in sorted(spans if nested is not None else ()):
        opened = [other for other in opened if other[0] >= first]
        before = (last for last, number in opened if nested or (number == at[0] and first < last))
        if any(last < -end for last in before):
            wrong[at] = "mention| across another one"
        else:
            opened.append((-end, at[0]))
    return wrong


def changed(document: Document, *, named: bool, moved: bool) -> Counter[str]:
    """Count what a text does not keep: the document's name, and forms that are read otherwise."""
    forms = [word for sentence in document.words or () for word in sentence]
    return Counter(
        {
            "document name": not named,
            "form| with a space, | or _": sum(bool(re.search(r"[\s|_]", form)) for form in forms),
            "empty node| in another place of the text": TextOrder(document, moved=moved).moved,
        }
    )


def holds_of(
    *,
    nested: bool | None,
    named: bool = False,
    moved: bool = True,
    label: Callable[[str], bool] = lambda label: re.fullmatch(r"\w+", label) is not None,
) -> Holds:
    """Return what a format of texts can hold.

    Args:
        nested: As in `unfit`.
        named: Whether documents have names.
        moved: As in `TextOrder`.
        label: Whether an entity can have a given id.
    """
    return Holds(
        names=False,
        syntax=False,
        label=label,
        field=lambda _document, _field: False,
        changed=partial(changed, named=named, moved=moved),
        unfit=partial(unfit, nested=nested, moved=moved),
    )


def spans_in(
    document: Document,
    format: str,  # noqa: A002  the word of `Format`
    *,
    nested: bool | None,
    moved: bool = True,
) -> tuple[list[str], list[list[Span]]]:
    """Return the forms of a document in the order of a text, and the spans of its clusters there.

    Args:
        document: The document, with words.
        format: The name of the format, for errors.
        nested: As in `unfit`.
        moved: As in `TextOrder`.

    Raises:
        ConllError: The document has no words or a mention that the text cannot mark.
    """
    if document.syntax is None:
        spans_of(document, format)
    if document.words is None:
        raise refusal(document, format, "there are no words")
    for (number, place), kind in unfit(document, nested=nested, moved=moved).items():
        mention = str(document.clusters[number][place]).replace(" ", "")
        problem = (
            f"mention {mention} of cluster {document.ids()[number]} is{kind.partition('|')[2]}"
        )
        raise refusal(document, format, problem)
    order = TextOrder(document, moved=moved)
    forms = [re.sub(r"\s", "_", form) or "_" for form in order.forms]
    spans = [[order.span(mention) or (0, 0) for mention in row] for row in document.clusters]
    return forms, spans


def marked_lines(
    documents: Iterable[Document],
    format: str,  # noqa: A002  the word of `Format`
    show: Callable[[list[str], list[tuple[int, int, str]]], str],
    **how: bool,
) -> Iterator[bytes]:
    """Write each document as a line.

    Args:
        documents: The documents, with words.
        format: The name of the format, for errors.
        show: Writes words and mentions: first and last word, and the id of the entity.
        **how: As in `spans_in`.
    """
    for document in documents:
        forms, clusters = spans_in(document, format, **how)
        rows = zip(document.ids(), clusters)
        mentions = [(*span, label) for label, spans in rows for span in spans]
        yield f"{show(forms, mentions)}\n".encode("utf-8", "surrogateescape")
