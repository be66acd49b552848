"""Columns of tagged words as `iob`, whose last two are the tags of the key and of the response.

This is what conlleval.pl of the shared task CoNLL-2003 reads. A file may have other columns before
the tags, so nothing shows that it is one of these.
"""

from __future__ import annotations

from conll.formats import Format
from conll.formats.iob import IobSource
from conll.source import InputFile, Source


class ConllevalSource(IobSource):
    """One open file of both sides.

    Args:
        file: The open file.
    """

    def __init__(self, file: InputFile) -> None:
        super().__init__(file, column=-2)
        self._file = file

    def as_response(self) -> Source:
        self._file.content.seek(0)
        return IobSource(self._file)


FORMAT = Format(
    "conlleval",
    "columns of words as iob, the last two with the tags of key and response",
    # Never detected: the user has to name it.
    sniff=lambda _head: False,
    open=ConllevalSource,
)
