"""What is raised when a file cannot be read as coreference."""

from __future__ import annotations


class ConllError(ValueError):
    """A file that cannot be read: where, what is wrong, and what to do.

    Attributes: `path` of the file, `line` (from 1; 0 where no single line is to blame), `document` (its name, or None),
    `problem` (one sentence), `text` (the offending line as it stands in the file, or empty).
    """

    def __init__(self, path: str, line: int, problem: str, document: str | None = None, text: str = "") -> None:
        super().__init__(path, line, problem, document, text)
        self.path = path
        self.line = line
        self.problem = problem
        self.document = document
        self.text = text

    def __reduce__(self) -> tuple[object, ...]:
        # What a worker process raises is pickled, and exceptions are made again from positional arguments only.
        return _error, (self.path, self.line, self.problem, self.document, self.text)

    def __str__(self) -> str:
        return describe(self.path, self.line, self.document, self.problem) + (f": {shorten(self.text)}" if self.text else "")


class UnknownFormatError(ConllError):
    """A file that begins like no known format."""


class EntryPointError(TypeError):
    """What another package offers by an entry point is not what it should be, or cannot be imported."""


def _error(path: str, line: int, problem: str, document: str | None, text: str) -> ConllError:
    return ConllError(path, line, problem, document=document, text=text)


class Problem:
    """Something that does not stop the scoring but that its user should know; the fields are those of `ConllError`."""

    __slots__ = ("document", "line", "path", "problem")

    def __init__(self, path: str, line: int, document: str | None, problem: str) -> None:
        self.path = path
        self.line = line
        self.document = document
        self.problem = problem

    def __str__(self) -> str:
        return describe(self.path, self.line, self.document, self.problem)


def describe(path: str, line: int, document: str | None, problem: str) -> str:
    """One line: where (file, line, document, as far as they are known), then what."""
    place = f"{_visible(path)}:{line}" if line else _visible(path)
    inside = "" if document is None else f"document {_visible(document) or '(no name)'}: "
    # What a problem quotes of a file, an id for example, may hold anything.
    shown = problem if problem.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in problem)
    return f"{place}: {inside}{shown}"


def _visible(name: str) -> str:
    """A name on one line, whatever it holds."""
    return name if name.isprintable() else repr(name)[1:-1]


def shorten(text: str, width: int = 60) -> str:
    """`text` quoted on one line, its middle left out when longer than `width` characters."""
    if len(text) > width:
        half = width // 2
        text = f"{text[:half]}…{text[-half:]}"
    return repr(text)
