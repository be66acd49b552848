"""The head word of a mention, from a parse in brackets or from dependencies.

Either way each word gets the word that it hangs on, its parent. The head of a mention is the word
that hangs on one outside of it; of several the one nearest to the root, the last of equals.
"""

from __future__ import annotations

from collections.abc import Sequence

ROOT = -1
"""The parent of the head word of a sentence."""

Parents = list[int]
"""For each word of a document the word on which it hangs, `ROOT` for the head of a sentence."""

Constituent = tuple[str, list[tuple[str, int]]]
"""The label of a constituent, and the label and the head word of each of its parts."""

MOST_STEPS = 1000
"""Steps to the root after which a word counts as part of a circle of dependencies."""


def dependency_parents(column: Sequence[str]) -> Parents:
    """Return the parents of words whose heads are numbers of words, as `conll.conllu` gives them.

    Other text is a root.
    """
    parents = []
    for cell in column:
        is_word = cell.isdecimal() and int(cell) < len(column)
        parents.append(int(cell) if is_word else ROOT)
    return parents


def parse_parents(column: Sequence[str], tags: Sequence[str]) -> Parents:
    """Return the parents of words with a bracketed parse, a cell a word.

    In a cell, `(TOP(S(NP*)`, the star is the word and its tag. The head of a noun phrase is its
    last noun, else its last pronoun, its first noun phrase, its last number or adjective, its last
    determiner; a possessive `'s` at the end is none. Another phrase has the head of its first part
    that is a verb, a verb phrase, or a preposition, and else of its last. Brackets that do not
    match are closed at the end.
    """
    parents = [ROOT] * len(column)
    # The constituents that are still open.
    stack: list[Constituent] = []
    for token, cell in enumerate(column):
        before, star, after = cell.partition("*")
        stack += [(label, []) for label in before.replace("(", " ").split()]
        if stack and (star or not before):
            parts = stack[-1][1]
            parts.append((tags[token], token))
        for _ in range(min(after.count(")"), len(stack))):
            _close(stack, parents)
    while stack:
        _close(stack, parents)
    return parents


def _close(stack: list[Constituent], parents: Parents) -> None:
    """Close the last constituent: its words hang on its head, which is a part of the one around."""
    label, parts = stack.pop()
    if not parts:
        return
    _, head = parts[_head_part(label, [part_label for part_label, _ in parts])]
    for _, token in parts:
        if token != head:
            parents[token] = head
    if stack:
        stack[-1][1].append((label, head))


PHRASES = ("NP", "NML", "WHNP")
_HEADS_OF_NOUN_PHRASES = (
    ("NN", "NR", "NT", "NX"),
    ("PRP", "PN", "WP"),
    PHRASES,
    ("CD", "QP", "JJ", "ADJP"),
    ("DT", "WDT"),
)
"""How the labels begin that head a noun phrase, those that are preferred first."""
_HEADS_OF_OTHERS = ("V", "MD", "IN", "TO")


def _head_part(label: str, labels: Sequence[str]) -> int:
    """Return the number of the part that heads a constituent."""
    last = len(labels) - 1
    if not label.startswith("N"):
        for at in range(last):
            if labels[at].startswith(_HEADS_OF_OTHERS):
                return at
        return last
    end = last + 1
    if last and labels[last] == "POS":
        end = last
    for beginnings in _HEADS_OF_NOUN_PHRASES:
        candidates = [at for at in range(end) if labels[at].startswith(beginnings)]
        if candidates:
            # The first noun phrase, the last of everything else.
            return candidates[0 if beginnings == PHRASES else -1]
    return end - 1


def head_of(first: int, last: int, parents: Parents) -> int:
    """Return the head of the words from `first` to `last`, both inclusive."""
    if first == last:
        return first
    outer = [token for token in range(first, last + 1) if not first <= parents[token] <= last]
    if len(outer) == 1:
        return outer[0]
    roots = [token for token in outer if parents[token] == ROOT]
    if roots:
        return roots[-1]
    return min(reversed(outer), key=lambda token: _depth(token, parents), default=last)


def _depth(token: int, parents: Parents) -> int:
    """Count the steps from a word to the root."""
    depth = 0
    # A file may hold a circle of dependencies.
    while parents[token] != ROOT and depth < MOST_STEPS:
        token = parents[token]
        depth += 1
    return depth
