"""Whether a response is about the same text as its key, and whether a file is whole. Knows nothing of scoring."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING

from conll.errors import Problem, shorten

if TYPE_CHECKING:
    from collections.abc import Iterator

    from conll.document import Document
    from conll.source import Source


def differences(key: Source, response: Source) -> Iterator[Problem]:
    """The first difference of each document that both sources have, in key order; see `first_difference`."""
    known = set(response.names())
    for name in key.names():
        if name in known:
            problem = first_difference(key, response, name)
            if problem is not None:
                yield problem


def first_difference(key: Source, response: Source, name: str) -> Problem | None:
    """Where the two documents called `name` are not about the same text; None where they are, as far as the files say.

    The words are compared where both files have them, and else the numbers of tokens where both files tell them. The problem
    stands at the line of the response, and names the line of the key. ConllError when a document is malformed.
    """
    key, response = key.file_of(name), response.file_of(name)
    if key.same_text(response, name):
        return None
    words, response_words = key.words(name), response.words(name)
    if words is None or response_words is None:
        return _unlike_numbers(key.document(name), response.document(name))
    flat, response_flat = list(chain.from_iterable(words)), list(chain.from_iterable(response_words))
    token = next((token for token, pair in enumerate(zip(flat, response_flat)) if pair[0] != pair[1]), None)
    if token is None and len(flat) == len(response_flat):
        return None
    # Where one text only goes on after the other, its first word too many stands beside the other's last line.
    at = min(len(flat), len(response_flat)) if token is None else token
    key_word, response_word = (shorten(text[at]) if at < len(text) else "missing" for text in (flat, response_flat))
    key_line, response_line = (
        _line(source, name, min(at, len(text) - 1)) for source, text in ((key, flat), (response, response_flat))
    )
    problem = f"token {at} is {response_word}, but {key_word} in the key ({key.path}:{key_line})"
    if len(flat) != len(response_flat):
        problem += f"; {_numbers(len(flat), len(response_flat))}"
    return Problem(response.path, response_line, name, problem)


def _line(source: Source, name: str, token: int) -> int:
    """The line on which a token stands, or its document begins."""
    return source.lines_of(name, {token}).get(token) or source.line_of(name)


def _unlike_numbers(key: Document | None, response: Document | None) -> Problem | None:
    if key is None or response is None or None in (key.tokens, response.tokens) or key.tokens == response.tokens:
        return None
    problem = f"{_numbers(key.tokens, response.tokens)} ({key.path}:{key.line})"
    return Problem(response.path, response.line, response.name, problem)


def _numbers(key: int | None, response: int | None) -> str:
    return f"{response} tokens, but {key} in the key"


def cut_off(document: Document) -> list[Problem]:
    """Signs that the file of a document is cut off, or that lines are missing from it; none where it is whole.

    They are: no end line, mentions still open there, another document that begins inside of this one. A file whose last line is
    cut in JSON lines, or a compressed one, is refused when it is opened (ConllError).
    """
    found = [
        (line, "another document begins before this one has ended; write the missing #end document") for line in document.swallowed
    ]
    found += [(line, f"mention {label} starts here but is still open at the end of the file") for label, line in document.unclosed]
    if not document.ended:
        found.append(
            (document.line, "the file ends before this document does; fetch the whole file, or write the missing #end document")
        )
    return [Problem(document.path, line, document.name, problem) for line, problem in found]
