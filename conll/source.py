"""A file of documents, opened: which ones there are, and each when it is asked for."""

from __future__ import annotations

from abc import ABC, abstractmethod
from io import BytesIO

TYPE_CHECKING = False
if TYPE_CHECKING:
    from conll.document import Document
    from conll.errors import Problem


class Source(ABC):
    """The documents of one file. `path` names it in messages, `size` is its length in bytes."""

    path: str
    size: int

    @abstractmethod
    def names(self) -> list[str]:
        """Names of the documents in file order, each once."""

    @abstractmethod
    def document(self, name: str) -> Document | None:
        """The document called `name`, None when there is none; ConllError when it is malformed."""

    @abstractmethod
    def line_of(self, name: str) -> int:
        """The line (from 1) on which that document begins; 0 when there is none."""

    @abstractmethod
    def lines_of(self, name: str, tokens: set[int]) -> dict[int, int]:
        """The lines (from 1) on which tokens of that document stand."""

    @abstractmethod
    def problems(self) -> list[Problem]:
        """What is odd about the file as a whole; what is odd in a document shows when it is read."""


def open_source(path: str, *, first: bool = False) -> Source:
    """Open a CoNLL-2011/2012 file and index its documents; OSError when it cannot be read.

    Of documents of one name the last is read, or the `first`: reference 8.01 does the one for all documents, the other for one.
    """
    from conll.formats.conll2012 import Conll2012Source

    file = open(path, "rb")  # noqa: SIM115  the source reads from it for as long as it lives
    if not file.seekable():
        with file:
            return Conll2012Source(BytesIO(file.read()), path, first=first)
    return Conll2012Source(file, path, first=first)
