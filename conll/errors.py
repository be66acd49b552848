# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""Errors in files that cannot be read as coreference, and problems, which stop nothing."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any, Literal

    Kind = Literal[
        "file",
        "empty",
        "reason",
        "missing",
        "extra",
        "text",
        "repeat",
        "end",
        "reading",
        "repair",
        "unaligned",
        "note",
    ]
    Side = Literal["", "key", "response"]


KINDS: Mapping[Kind, str] = {
    "file": "about the files",
    "empty": "about empty files",
    "reason": "about mentions that do not match",
    "missing": "about documents that the response lacks",
    "extra": "about documents that the key lacks",
    "text": "about texts that differ",
    "repeat": "about repeated mentions",
    "end": "about documents without an end",
    "reading": "about what other programs may read otherwise",
    "repair": "about repaired texts",
    "unaligned": "about texts that are not those of the key",
    "note": "that say what was done",
}
"""The kinds of problems, and what warnings of a kind are together. A note is no warning."""


class ConllError(ValueError):
    """A file that cannot be read: where, what is wrong, and what to do.

    Attributes: `path` of the file, `line` (from 1; 0 where no single line is to blame), `document`
    (its name, or None), `problem` (one sentence), `text` (the offending line as it stands in the
    file, or empty).
    """

    find_others: Callable[[], list[ConllError]] | None = None
    """Finds the further errors of a malformed document."""

    def __init__(
        self, path: str, line: int, problem: str, document: str | None = None, text: str = ""
    ) -> None:
        super().__init__(path, line, problem, document, text)
        self.path: str = path
        self.line: int = line
        self.problem = problem
        self.document: str | None = document
        self.text: str = text

    def others(self) -> list[ConllError]:
        """List the further errors of a malformed document, for which it is read once more."""
        return [] if self.find_others is None else self.find_others()

    def __reduce__(self) -> tuple[object, ...]:
        # Workers' exceptions are pickled; one of a subclass arrives as this.
        return ConllError, (self.path, self.line, self.problem, self.document, self.text)

    def __str__(self) -> str:
        message = describe(self.path, self.line, self.document, self.problem)
        return f"{message}: {shorten(self.text)}" if self.text else message


NOT_UTF8 = "is not UTF-8; save the file as UTF-8"
"""How the problem of `not_utf8` ends."""


def not_utf8(
    error: UnicodeDecodeError, path: str, begin: int = 1, document: str | None = None
) -> ConllError:
    """Return the error of a byte that is not UTF-8, with its line.

    Args:
        error: What was raised for the bytes.
        path: The file.
        begin: The line of the file on which the bytes begin.
        document: The document in which they are, if known.
    """
    before = error.object[: error.start]
    line = begin + before.count(b"\n")
    byte = len(before) - before.rfind(b"\n")
    problem = f"byte {byte} of the line {NOT_UTF8}"
    return ConllError(path, line, problem, document=document)


class UnknownFormatError(ConllError):
    """A file whose beginning fits no known format."""


class EmptyFileError(ConllError):
    """A file that holds nothing, or white space alone."""


class NoClustersError(ConllError):
    """A document for which the file lists no clusters, not even none.

    Attributes: `without_clusters`, the document with what else the file has of it.
    """

    # A `Document`, whose module needs this one.
    without_clusters: Any = None


class EntryPointError(TypeError):
    """An entry point of another package leads to a wrong object, or cannot be imported."""


class Place:
    """A line of a file: `path`, `line` (from 1), and `side`, "key" or "response" where known."""

    __slots__ = ("line", "path", "side")

    def __init__(self, path: str, line: int, side: Side = "") -> None:
        self.path: str = path
        self.line: int = line
        self.side = side

    def __str__(self) -> str:
        return f"{self.path}:{self.line}"


class Problem:
    """Something that does not stop the scoring but that its user should know.

    Attributes: `kind`, one of `conll.errors.KINDS`; `path`, `line` and `document` as those of
    `ConllError`; `side`, "key" or "response", or empty where the file is neither; `text`, what is
    odd; `beside`, the other place that the text is about, if any; `advice`, what to do or what
    comes of it, or empty; `scored_by`, by the name of an option (or "metrics") the values of which
    any scores what this problem says is not scored; `amounts`, how often each kind of repair was
    made.
    """

    __slots__ = (
        "advice",
        "amounts",
        "beside",
        "document",
        "kind",
        "line",
        "path",
        "scored_by",
        "side",
        "text",
    )

    def __init__(  # noqa: PLR0913  a record of the fast path
        self,
        path: str,
        line: int,
        document: str | None,
        text: str,
        advice: str = "",
        *,
        kind: Kind = "file",
        side: Side = "",
        beside: Place | None = None,
        scored_by: Mapping[str, Sequence[str]] | None = None,
        amounts: Mapping[str, int] | None = None,
    ) -> None:
        self.path: str = path
        self.line: int = line
        self.document: str | None = document
        self.text: str = text
        self.advice: str = advice
        self.kind = kind
        self.side = side
        self.beside: Place | None = beside
        self.scored_by: Mapping[str, Sequence[str]] = scored_by or {}
        self.amounts: Mapping[str, int] = amounts or {}

    @property
    def problem(self) -> str:
        """The whole sentence: the text, the other line that it is about, the advice."""
        sentence = self.text
        if self.beside is not None:
            sentence = f"{sentence} ({self.beside})"
        if self.advice:
            sentence = f"{sentence}; {self.advice}"
        return sentence

    def of_side(self, side: Side) -> Problem:
        """Return the same problem, of a file that is the key or the response."""
        beside = self.beside and Place(self.beside.path, self.beside.line, side)
        return Problem(
            self.path,
            self.line,
            self.document,
            self.text,
            self.advice,
            kind=self.kind,
            side=side,
            beside=beside,
            scored_by=self.scored_by,
            amounts=self.amounts,
        )

    def error(self) -> ConllError:
        """Return the problem as an error, where it stops the scoring after all."""
        return ConllError(self.path, self.line, self.problem, document=self.document)

    def __str__(self) -> str:
        return describe(self.path, self.line, self.document, self.problem)

    def __repr__(self) -> str:
        return f"<Problem {self.kind}: {self}>"


def warnings_in(problems: Iterable[Problem]) -> list[Problem]:
    """List the problems that are warnings, and not notes."""
    return [problem for problem in problems if problem.kind != "note"]


def distinct(problems: Iterable[Problem]) -> list[Problem]:
    """List problems in their order, each once: those of a key recur with every response."""
    return list({str(problem): problem for problem in problems}.values())


def describe(path: str, line: int, document: str | None, problem: str) -> str:
    """Describe a problem in one line: file, line and document if known, then the problem."""
    location = _visible(path)
    if line:
        location = f"{location}:{line}"
    if document is not None:
        location = f"{location}: document {_visible(document) or '(no name)'}"
    # What a problem quotes from a file, such as an id, may hold any characters.
    return f"{location}: {_visible(problem)}"


def _visible(text: str) -> str:
    """Return a text on one line, whatever it holds."""
    return "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)


def shorten(text: str) -> str:
    """Quote a text on one line, without its middle if it is longer than 60 characters."""
    return repr(f"{text[:30]}…{text[-30:]}" if len(text) > 60 else text)


def shown(value: object, width: int = 100) -> str:
    """Write a value for a message: on one line and short, whatever it is."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001  of an object of a user, or of lists in lists in lists
        text = ""
    if not text or "\n" in text or len(text) > width:
        return f"a value of type {type(value).__name__}"
    return text


def not_of_type(name: str, value: object, expected: str) -> TypeError:
    """Return the error of an argument whose value is of a wrong type."""
    return TypeError(f"{name}: {shown(value)} is not {expected}")


def pluralize(number: int, noun: str) -> str:
    """Return a number with its noun, whose plural takes an s.

    Examples:
        >>> pluralize(1, "document"), pluralize(0, "document"), pluralize(2, "document")
        ('1 document', '0 documents', '2 documents')
    """
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def did_you_mean(written: object, known: Iterable[str]) -> str:
    """Return the end of a message about an unknown word: the nearest ones known, at most two.

    It is empty where none is near.

    Examples:
        >>> did_you_mean("bcubb", ["muc", "bcub", "ceafe"]), did_you_mean("bleu", ["muc", "bcub"])
        ("; did you mean 'bcub'?", '')
        >>> did_you_mean("--html", ["--help"])
        ''
    """
    if not isinstance(written, str):
        return ""
    # Imported late, as everything that goes well does without it.
    from difflib import get_close_matches

    # The dashes of options would make any two of them alike.
    spelled = {name.lower().lstrip("-"): name for name in known}
    matches = get_close_matches(written.lower().lstrip("-"), spelled, 2, 0.65)
    if not matches:
        return ""
    nearest = " or ".join(repr(spelled[match]) for match in matches)
    return f"; did you mean {nearest}?"


def check_choice(name: str, value: object, choices: Iterable[str]) -> None:
    """Raise ValueError for a value that is not among the choices.

    Args:
        name: What the value is of.
        value: The value.
        choices: The values to choose from.
    """
    known = list(choices)
    if value not in known:
        hint = did_you_mean(value, known)
        raise ValueError(f"{name}: {shown(value)} is not one of {', '.join(known)}{hint}")
