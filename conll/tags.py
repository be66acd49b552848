"""Named entities as tags of tokens: IOB, IOB2, IOBES and their kin.

A tag is `O`, or a letter for the place of the token in a name, a hyphen and the label of the name:
`B-PER` begins one, `I-PER` goes on, `E-PER` (or `L-PER`) ends it and `S-PER` (or `U-PER`) is whole.
The two ways of reading agree with seqeval 1.2.2 (github.com/chakki-works/seqeval): leniently as its
default mode, which reads `L` and `U` otherwise, and by one scheme as its strict mode.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from conll.document import Name

SCHEMES = {
    "iob2": ("IOB", r"B(.)(?:I\1)*"),
    "ioe2": ("IOE", r"I(.)(?:I\1)*E\1|E."),
    "iobes": ("IOBES", r"B(.)(?:I\1)*E\1|S."),
    "bilou": ("IOBLU", r"B(.)(?:I\1)*L\1|U."),
}
"""The letters of each scheme, and what a name is: letters, each with a character for its label."""

TAG = "tag"
"""What the column of tags is called."""

NO_LABEL = "_"
"""The label of names whose tags have none."""

_FIRST = 0x10000
"""The first character that stands for a label."""

_TAG = re.compile(r"O|[BIESLU](?:-.*)?")


def is_tag(text: str) -> bool:
    """Return whether a text is a tag.

    Examples:
        >>> is_tag("B-PER"), is_tag("O"), is_tag("Oslo")
        (True, True, False)
    """
    return _TAG.fullmatch(text) is not None


def _split(tag: str) -> tuple[str, str]:
    """Return the letter of a tag and its label."""
    letter, _, label = tag.partition("-")
    return letter, label or NO_LABEL


def names_of(sentences: Iterable[Sequence[str]], scheme: str | None = None) -> list[Name]:
    """Read the names of a document, whose tags are given by sentence; leniently without a scheme.

    Examples:
        >>> names_of([["B-PER", "O"], ["I-PER"]]), names_of([["B-PER", "O"], ["I-PER"]], "iob2")
        ([(0, 0, 'PER'), (2, 2, 'PER')], [(0, 0, 'PER')])
    """
    names: list[Name] = []
    start = 0
    for tags in sentences:
        names_of_sentence = lenient_names(tags) if scheme is None else strict_names(tags, scheme)
        names += [(start + first, start + last, label) for first, last, label in names_of_sentence]
        start += len(tags)
    return names


def lenient_names(tags: Sequence[str]) -> list[Name]:
    """Read the names of a sentence leniently: a tag that cannot go on with a name begins one.

    Examples:
        >>> lenient_names(["I-PER", "I-PER", "B-PER", "O", "E-LOC"])
        [(0, 1, 'PER'), (2, 2, 'PER'), (4, 4, 'LOC')]
    """
    names: list[Name] = []
    is_open = False
    for token, tag in enumerate(tags):
        letter, label = _split(tag)
        if letter == "O":
            is_open = False
            continue
        if is_open and letter in "IEL" and names[-1][2] == label:
            names[-1] = (names[-1][0], token, label)
        else:
            names.append((token, token, label))
        is_open = letter in "BI"
    return names


def strict_names(tags: Sequence[str], scheme: str) -> list[Name]:
    """Read the names of a sentence by a scheme, which has these tags: what does not fit is no name.

    Examples:
        >>> strict_names(["I-PER", "B-PER", "I-PER", "O", "B-LOC", "I-PER"], "iob2")
        [(1, 2, 'PER'), (4, 4, 'LOC')]
    """
    pattern = SCHEMES[scheme][1]
    numbers: dict[str, int] = {}
    text = ""
    for tag in tags:
        letter, label = _split(tag)
        text += letter + chr(_FIRST + numbers.setdefault(label, len(numbers)))
    labels = list(numbers)
    return [
        (match.start() // 2, match.end() // 2 - 1, labels[ord(match[0][1]) - _FIRST])
        for match in re.finditer(pattern, text, re.DOTALL)
    ]
