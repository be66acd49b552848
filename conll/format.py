"""What a file format is: how it is recognised, read and written."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import BinaryIO

    from conll.document import Document
    from conll.source import Source


class Format:
    """One format of coreference files.

    `name` is what a user writes, `title` says in a few words what it is. `sniff` gets the first bytes of a file and says whether
    they look like this format. `open` gets a seekable binary file, at its beginning, and the path that names it in messages; it
    raises ConllError when the file is malformed as a whole. `write` puts documents into a binary file, and raises ConllError when
    the format cannot hold one of them; None where there is no writer.
    """

    __slots__ = ("name", "open", "sniff", "title", "write")

    def __init__(
        self,
        name: str,
        title: str,
        *,
        sniff: Callable[[bytes], bool],
        open: Callable[[BinaryIO, str], Source],  # noqa: A002  named as what it does
        write: Callable[[Iterable[Document], BinaryIO], None] | None = None,
    ) -> None:
        self.name = name
        self.title = title
        self.sniff = sniff
        self.open = open
        self.write = write

    def __repr__(self) -> str:
        return f"<Format {self.name}: {self.title}>"
