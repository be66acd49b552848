# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""Compare the texts of a key and a response, and look for signs that a file is cut off."""

from __future__ import annotations

from conll.brackets import unclosed
from conll.errors import Place, Problem, pluralize, shorten
from conll.source import Source, first_name

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from conll.document import Document
    from conll.errors import Side


def first_difference(key: Document, response: Document) -> Problem | None:
    """Return the first difference of the texts of two documents of the same name.

    Words are compared where both files have them, otherwise the numbers of tokens where both files
    give them.

    Returns:
        The difference, placed at the line of the response, with the line of the key; None where
        there is none, as far as the files show.

    Raises:
        ConllError: The words of a document are malformed.
    """
    if key.content.same_text(response.content):
        return None
    words, response_words = key.text(), response.text()
    if words is None or response_words is None:
        return unlike_numbers(key, response) or mention_beyond_key(key, response)
    return _different_word(key, response, words, response_words)


def compare_texts(
    key: Document, response: Document, sources: tuple[Source, Source]
) -> Problem | None:
    """Compare the texts of two documents of the same name as `first_difference` does.

    Returns:
        The first difference; or, where there is none, but the words of a side are not known, a
        note of that, the same for all documents of the two sources; None where the texts are the
        same.

    Raises:
        ConllError: The words of a document are malformed.
    """
    if key.content.same_text(response.content):
        return None
    if key.words is not None and response.words is not None:
        return first_difference(key, response)
    problem = unlike_numbers(key, response) or mention_beyond_key(key, response)
    # Clusters by id name their mentions, which stand in no text.
    are_named = any("json" in source.format.split("+") for source in sources)
    if problem is not None or are_named:
        return problem
    of_key = key.words is None
    path = sources[0].path if of_key else sources[1].path
    text = "its words are not known, so key and response are not compared word by word"
    return Problem(path, 0, None, text, kind="note", side="key" if of_key else "response")


def _different_word(
    key: Document, response: Document, words: list[str], response_words: list[str]
) -> Problem | None:
    """Return the problem that a word differs; None where all are the same."""
    shorter = min(len(words), len(response_words))
    token = shorter
    for number in range(shorter):
        if words[number] != response_words[number]:
            token = number
            break
    if token == len(words) == len(response_words):
        return None
    # Where one text merely goes on after the other ends, its first extra word is shown beside the
    # other's last line.
    shown, lines = [], []
    for document, text in ((key, words), (response, response_words)):
        word = shorten(text[token]) if token < len(text) else "missing"
        shown.append(word)
        lines.append(document.line_of(min(token, len(text) - 1)))
    difference = f"token {token} is {shown[1]}, but {shown[0]} in the key"
    advice = []
    if len(words) != len(response_words):
        advice.append(_lengths(len(words), len(response_words)))
    equal = sum(word == other for word, other in zip(words, response_words))
    if 2 * equal < max(len(words), len(response_words)):
        advice.append("most words differ; if it is the same text, score it with --align key")
    return Problem(
        response.path,
        lines[1],
        response.name,
        difference,
        "; ".join(advice),
        kind="text",
        side="response",
        beside=Place(key.path, lines[0], "key"),
    )


def unlike_numbers(key: Document | None, response: Document | None) -> Problem | None:
    """Return the problem that two documents differ in length.

    None where they do not, or where one is missing or of unknown length.
    """
    if key is None or response is None or key.tokens == response.tokens:
        return None
    if key.tokens is None or response.tokens is None:
        return None
    of_key = key.path, key.line, key.tokens
    of_response = response.path, response.line, response.tokens
    return unlike_lengths(response.name, of_key, of_response)


def mention_beyond_key(key: Document | None, response: Document | None) -> Problem | None:
    """Return the problem that a mention of a response of unknown length ends after the key does.

    None where there is none, or where one of the documents is missing.
    """
    if key is None or response is None or key.tokens is None or response.tokens is not None:
        return None
    beyond: list[tuple[int, int]] = []
    for cluster, lines in zip(response.clusters, response.lines):
        for mention, line in zip(cluster, lines):
            # Mentions may be named by anything, or consist of parts.
            is_span = type(mention) is tuple and [*map(type, mention)] == [int, int]
            if is_span and mention[1] >= key.tokens:
                beyond.append((mention[1], line))
    if not beyond:
        return None
    last, line = max(beyond)
    mentions = pluralize(len(beyond), "mention")
    text = f"{mentions} beyond the {key.tokens} tokens of the key, up to token {last}"
    beside = Place(key.path, key.line, "key")
    return Problem(
        response.path, line, response.name, text, kind="text", side="response", beside=beside
    )


def unlike_lengths(name: str, key: tuple[str, int, int], response: tuple[str, int, int]) -> Problem:
    """Return the problem that two documents differ in length.

    Each side is given as its path, its line and its number of tokens.
    """
    (key_path, key_line, tokens), (path, line, response_tokens) = key, response
    text = _lengths(tokens, response_tokens)
    beside = Place(key_path, key_line, "key")
    return Problem(path, line, name, text, kind="text", side="response", beside=beside)


def _lengths(key: int, response: int) -> str:
    """Say how many tokens the two sides have."""
    return f"{pluralize(response, 'token')}, but {key} in the key"


def share_a_name(key: Source, response: Source) -> bool:
    """Return whether two sources have documents of the same name.

    Of large files the first names are enough as a rule, which needs no index of them.
    """
    if first_name(key) == first_name(response):
        return True
    return not {*key.names()}.isdisjoint(response.names())


def missing(path: str, name: str, advice: str = "", *, there: str = "") -> Problem:
    """Return the problem that the response at that path lacks a document.

    Args:
        path: The response.
        name: The document.
        advice: The consequence, or what to do.
        there: The place of the document in the key.
    """
    text = f"the response is missing this document{there}"
    return Problem(path, 0, name, text, advice, kind="missing", side="response")


def extra(place: Place, name: str, advice: str = "", *, key: str = "") -> Problem:
    """Return the problem that the key lacks a document.

    Args:
        place: The place of the document in the response.
        name: The document.
        advice: The consequence, or what to do.
        key: The path of the key, where it is to be named.
    """
    text = "the key is missing this document"
    if key:
        text = f"the key {key} is missing this document"
    return Problem(place.path, place.line, name, text, advice, kind="extra", side=place.side)


def none_shared(
    path: str, key: Sequence[str], response: Sequence[str], advice: str = ""
) -> Problem:
    """Return the problem that the response at that path has none of the documents of the key.

    Neither list may be empty.
    """
    shown = []
    for side, names in (("key", key), ("response", response)):
        first = f"the {side} has {shorten(names[0])}"
        if len(names) > 1:
            first = f"{first} and {len(names) - 1} more"
        shown.append(first)
    text = "key and response share no document, and documents are matched by name"
    text = f"{text}: {', '.join(shown)}"
    return Problem(path, 0, None, text, advice, kind="missing", side="response")


NOTHING = ("-", "_", "*", "")
"""The last column of a token without a mention."""


def no_mention(source: Source, side: Side) -> Problem:
    """Return the problem that no document of a side has a mention."""
    text = f"the {side} has no mention in any document"
    from conll.formats.conll2012 import Conll2012Source

    file = source.files()[0]
    if isinstance(file, Conll2012Source):
        cell = file.last_cell()
        if cell not in NOTHING:
            text = f"{text}; the last column holds {shorten(cell)}"
    return Problem(source.path, 0, None, text, kind="reason", side=side)


def swapped(key: Source, response: Source) -> list[Problem]:
    """Return the problem that the two files may be swapped, if the key alone holds predictions."""
    if not key.has_predictions or response.has_predictions:
        return []
    text = "the key holds predictions (predicted_clusters), and the response does not"
    advice = "if the two files are swapped, exchange them"
    return [Problem(key.path, 0, None, text, advice, kind="reason", side="key")]


def to_tell(problems: Sequence[Problem], documents: int) -> list[Problem]:
    """Return the problems of a key of so many documents and of a response, as they are reported.

    Where the response is an empty file, that represents each document that is missing. Where the
    two have documents, but none in common, there is one problem in place of one for each document.
    """
    names: dict[str, list[str]] = {"missing": [], "extra": []}
    for problem in problems:
        if problem.kind in names:
            names[problem.kind].append(problem.document or "")
    if len(names["missing"]) < max(documents, 1):
        return list(problems)
    if any(problem.kind == "empty" for problem in problems):
        return [problem for problem in problems if problem.kind != "missing"]
    are_shared = set(names["extra"]).intersection(names["missing"])
    if not names["extra"] or are_shared:
        return list(problems)
    path = next(problem.path for problem in problems if problem.kind == "missing")
    advice = "each of the key's is scored as if the response had an empty one"
    summary = none_shared(path, names["missing"], names["extra"], advice)
    others = [problem for problem in problems if problem.kind not in names]
    return [summary, *others]


def cut_off(document: Document) -> list[Problem]:
    """List signs that a document's file is cut off or has lost lines; none where it is whole.

    They are: no end line, mentions still open at the end, another document that begins inside this
    one. Truncated JSON lines and truncated compressed files are refused when they are opened
    (ConllError).
    """
    text = "another document begins before this one has ended"
    signs = [
        (line, text, f"add #end document before line {line}") for line in document.unterminated
    ]
    signs += [
        (line, unclosed(label, "the end of the file"), "") for label, line in document.unclosed
    ]
    if not document.ended:
        text = "the file ends before this document does"
        signs.append((document.line, text, "fetch the whole file, or add #end document"))
    return [
        Problem(document.path, line, document.name, text, advice, kind="end")
        for line, text, advice in signs
    ]
