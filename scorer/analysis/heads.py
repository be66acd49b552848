"""The head word of a mention, from a parse in brackets or from dependencies.

Either way each word gets the word that it hangs on, and the head of a mention is the word that hangs on one outside of it; of
several the one nearest to the root, the last of equals.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = -1
"""What the head word of a sentence hangs on."""

Parents = list[int]
"""For each word of a document the word on which it hangs, `ROOT` for the head of a sentence."""


def of_dependencies(column: Sequence[str]) -> Parents:
    """The parents of words whose heads are numbers of words, as `conll.conllu.layers` gives them; other text is a root."""
    return [int(cell) if cell.isdecimal() and int(cell) < len(column) else ROOT for cell in column]


class _Node:
    """A constituent that is still open: its label, and the label and the head word of each part."""

    __slots__ = ("heads", "label", "labels")

    def __init__(self, label: str) -> None:
        self.label = label
        self.labels: list[str] = []
        self.heads: list[int] = []


def of_parse(column: Sequence[str], tags: Sequence[str]) -> Parents:
    """The parents of words with a bracketed parse, a cell a word: `(TOP(S(NP*)`, where * stands for the word and its tag.

    The head of a noun phrase is its last noun, else its last pronoun, its first noun phrase, its last number or adjective, its last
    determiner; a possessive `'s` at the end is none. Another phrase has the head of its first part that is a verb, a verb
    phrase, or a preposition, and else of its last. Brackets without a partner are closed at the end.
    """
    parents = [ROOT] * len(column)
    stack: list[_Node] = []
    # For each cell the labels that open, whether a word stands in it, and how many close; a text has few that differ.
    taken: dict[str, tuple[list[str], bool, int]] = {}
    for word, cell in enumerate(column):
        if cell == "*":
            if stack:
                stack[-1].labels.append(tags[word])
                stack[-1].heads.append(word)
            continue
        if cell not in taken:
            before, star, after = cell.partition("*")
            taken[cell] = before.replace("(", " ").split(), bool(star or not before), after.count(")")
        labels, is_word, closing = taken[cell]
        if is_word and len(labels) == closing == 1:
            # A phrase of one word needs no node.
            if stack:
                stack[-1].labels.append(labels[0])
                stack[-1].heads.append(word)
            continue
        stack += map(_Node, labels)
        if stack and is_word:
            stack[-1].labels.append(tags[word])
            stack[-1].heads.append(word)
        for _ in range(min(closing, len(stack))):
            _close(stack, parents)
    while stack:
        _close(stack, parents)
    return parents


def _close(stack: list[_Node], parents: Parents) -> None:
    node = stack.pop()
    if len(node.heads) < 2:
        if stack and node.heads:
            stack[-1].labels.append(node.label)
            stack[-1].heads += node.heads
        return
    head = node.heads[_place_of_head(node.label, node.labels)]
    for other in node.heads:
        if other != head:
            parents[other] = head
    if stack:
        stack[-1].labels.append(node.label)
        stack[-1].heads.append(head)


def _place_of_head(label: str, labels: Sequence[str]) -> int:
    last = len(labels) - 1
    if label[:1] == "N":
        end = last - 1 if last and labels[last] == "POS" else last
        for at in (
            _last(labels[: end + 1], ("NN", "NR", "NT", "NX")),
            _last(labels[: end + 1], ("PRP", "PN", "WP")),
            next((at for at in range(end + 1) if labels[at].startswith(("NP", "NML", "WHNP"))), -1),
            _last(labels[: end + 1], ("CD", "QP", "JJ", "ADJP")),
            _last(labels[: end + 1], ("DT", "WDT")),
        ):
            if at >= 0:
                return at
        return end
    for at, one in enumerate(labels):
        if one.startswith(("V", "MD", "IN", "TO")):
            return at
    return last


def _last(labels: Sequence[str], kinds: tuple[str, ...]) -> int:
    """The place of the last label of these kinds, -1 where there is none."""
    return next((at for at in range(len(labels) - 1, -1, -1) if labels[at].startswith(kinds)), -1)


def head_of(first: int, last: int, parents: Parents) -> int:
    """The head of the words from `first` to `last`, both inclusive."""
    if first == last:
        return first
    outer = [word for word in range(first, last + 1) if not first <= parents[word] <= last]
    if len(outer) == 1:
        return outer[0]
    roots = [word for word in outer if parents[word] == ROOT]
    if roots:
        return roots[-1]
    return min(reversed(outer), key=lambda word: _depth(word, parents), default=last)


def _depth(word: int, parents: Parents) -> int:
    depth = 0
    # A file may hold a circle of dependencies.
    while parents[word] != ROOT and depth < 1000:
        word, depth = parents[word], depth + 1
    return depth
