"""A document as text in the format of `corefud.py`."""

from __future__ import annotations

from io import BytesIO
from itertools import groupby
from typing import TYPE_CHECKING

from conll.errors import ConllError, shorten
from conll.formats._nodes import PLACEHOLDER
from conll.syntax import Syntax, is_span, pieces

if TYPE_CHECKING:
    from conll.document import Document, Words
    from conll.syntax import AnyMention, Token

DECLARATION = "# global.Entity = eid-etype-head-other\n"


class _UnfitError(ValueError):
    """A part of a document for which CorefUD has no place."""


def text_of(document: Document) -> bytes:
    """One document, without the declaration; ConllError when the format cannot hold it."""
    try:
        text = _text(document).encode()
        _read_again(document, text)
    except UnicodeEncodeError:
        problem = "its name or a word holds characters that UTF-8 does not have"
    except _UnfitError as error:
        problem = str(error)
    else:
        return text
    raise ConllError(document.path, document.line, f"not to be written as corefud: {problem}", document=document.name)


def _text(document: Document) -> str:
    if document.name.split("\n") != [document.name] or document.name.strip() != document.name or not document.name:
        raise _UnfitError("its name is empty, holds a line break, or begins or ends with a space")
    mentions = [mention for cluster in document.clusters for mention in cluster]
    sentences = _sentences(document, mentions)
    syntax = _syntax(document, sentences, mentions)
    nodes = _nodes(sentences, syntax)
    entities = _entities(document, syntax, [token for sentence in nodes for token in sentence])
    lines = [f"# newdoc id = {document.name}"]
    words = iter([word for sentence in sentences for word in sentence])
    for number, sentence in enumerate(nodes):
        lines.append(f"# sent_id = {number + 1}")
        for token in sentence:
            misc = "|".join([*(f"{name}={value}" for name, value in syntax.marks.get(token, {}).items()), *entities.get(token, ())])
            if isinstance(token, str):
                ident = token.partition(":")[2]
                lines.append(f"{ident}\t_\t_\t_\t_\t_\t_\t_\t{syntax.zeros[token] or '_'}\t{misc or '_'}")
            else:
                ident = str(token - syntax.starts[number] + 1)
                lines.append(f"{ident}\t{_word(next(words))}\t_\t_\t_\t_\t_\t_\t_\t{misc or '_'}")
        lines.append("")
    return "\n".join(lines) + "\n"


def _sentences(document: Document, mentions: list[AnyMention]) -> Words:
    """The words of the document, or placeholders for them."""
    spans = [piece for mention in mentions for piece in pieces(mention) if is_span(piece)]
    first, last = min((int(span[0]) for span in spans), default=0), max((int(span[1]) for span in spans), default=-1)
    if document.words is not None:
        sentences = document.words if document.syntax else [sentence for sentence in document.words if sentence]
    else:
        tokens = last + 1 if document.tokens is None else document.tokens
        starts = document.syntax.starts if document.syntax else [0] * (tokens > 0)
        sentences = [[PLACEHOLDER] * (end - start) for start, end in zip(starts, [*starts[1:], tokens])]
    tokens = sum(map(len, sentences))
    if first < 0 or last >= tokens:
        raise _UnfitError(f"its mentions go from token {first} to {last}, but it has {tokens} tokens, counted from 0")
    return sentences


def _syntax(document: Document, sentences: Words, mentions: list[AnyMention]) -> Syntax:
    if document.syntax is not None:
        return document.syntax
    for mention in mentions:
        if not is_span(mention):
            shown = str(mention).replace(" ", "")
            raise _UnfitError(f"mention {shown} is no pair of tokens")
    starts = [0]
    for sentence in sentences:
        starts.append(starts[-1] + len(sentence))
    return Syntax(starts[:-1], {}, {})


def _nodes(sentences: Words, syntax: Syntax) -> list[list[Token]]:
    """The tokens of each sentence, empty nodes among them."""
    found: list[list[Token]] = [list(range(start, start + len(words))) for start, words in zip(syntax.starts, sentences)]
    for zero in syntax.zeros:
        found[int(zero.partition(":")[0])].append(zero)
    return [sorted(sentence, key=syntax.place) for sentence in found]


def _entities(document: Document, syntax: Syntax, nodes: list[Token]) -> dict[Token, list[str]]:
    """What stands in `Entity=` of each token: ends before starts, so that of two mentions that meet the first ends first."""
    at = {token: node for node, token in enumerate(nodes)}
    ends: dict[Token, list[tuple[int, str]]] = {}
    starts: dict[Token, list[tuple[int, str]]] = {}
    labels = _labels(document)
    for label, cluster in zip(labels, document.clusters):
        for mention in cluster:
            tokens = syntax.tokens(mention)
            places = sorted(at[token] for token in tokens)
            head = f"--{tokens.index(syntax.heads[mention]) + 1}" if mention in syntax.heads else ""
            parts = [[node for _, node in group] for _, group in groupby(enumerate(places), key=lambda pair: pair[1] - pair[0])]
            for part, inside in enumerate(parts, 1):
                named = label if len(parts) == 1 else f"{label}[{part}/{len(parts)}]"
                first, last = inside[0], inside[-1]
                closed = ")" if first == last else ""
                starts.setdefault(nodes[first], []).append((-last, f"({named}{head}{closed}"))
                if not closed:
                    ends.setdefault(nodes[last], []).append((-first, f"{named})"))
    texts: dict[Token, list[str]] = {}
    for token in {**starts, **ends}:
        brackets = "".join(text for _, text in [*sorted(ends.get(token, [])), *sorted(starts.get(token, []))])
        texts[token] = [f"Entity={brackets}"]
    return texts


def _labels(document: Document) -> list[str]:
    labels = document.labels
    if len(set(labels)) == len(document.clusters) and all(label and set(label).isdisjoint("-()[]|=/ \t\r\n") for label in labels):
        return labels
    return [f"e{number + 1}" for number in range(len(document.clusters))]


def _word(word: str) -> str:
    if not set(word).isdisjoint("\t\n\r"):
        raise _UnfitError(f"the word {shorten(word)} holds a TAB or a line break")
    return word or "_"


def _read_again(document: Document, text: bytes) -> None:
    """Make sure that a reader finds the same mentions: of one entity, those that cross cannot be told apart by brackets."""
    from conll.formats.corefud import CorefUDSource

    copy = CorefUDSource(BytesIO(DECLARATION.encode() + text), "").document(document.name)
    found = {label: sorted(map(str, cluster)) for label, cluster in zip(copy.labels, copy.clusters)} if copy else {}
    for label, cluster in zip(_labels(document), document.clusters):
        if sorted(map(str, cluster)) != found.get(label, []):
            raise _UnfitError(f"mentions of cluster {label} cross, and brackets of one id would be read as other mentions")
