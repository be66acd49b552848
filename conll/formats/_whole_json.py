"""A whole file of JSON: the objects in it, or what is wrong with it."""

from __future__ import annotations

import re
from contextlib import contextmanager
from json import JSONDecodeError, JSONDecoder
from typing import TYPE_CHECKING

from conll.errors import ConllError

if TYPE_CHECKING:
    from collections.abc import Iterator

_BLANKS = re.compile("[ \t\n\r]*")


@contextmanager
def errors_in(path: str) -> Iterator[None]:
    """ConllError for that file, with the line, in the place of what `json` raises when it cannot read the whole of it."""
    try:
        yield
    except UnicodeDecodeError as error:
        line, byte = error.object.count(b"\n", 0, error.start) + 1, error.start - error.object.rfind(b"\n", 0, error.start)
        raise ConllError(path, line, f"byte {byte} of the line is not UTF-8; save the file as UTF-8") from None
    except JSONDecodeError as error:
        cut = error.pos >= len(error.doc.rstrip())
        problem = "the file is cut off; fetch the whole file" if cut else f"not JSON at character {error.colno} of the line"
        raise ConllError(path, error.lineno, problem if cut else f"{problem} ({error.msg})") from None
    except ConllError:
        raise
    except ValueError:
        raise ConllError(path, 0, "a number in the file has thousands of digits") from None
    except RecursionError:
        raise ConllError(path, 0, "there are too many lists in lists in the file") from None


def values_in(data: bytes, path: str) -> Iterator[tuple[int, int]]:
    """Where each value of an array lies, or of several that follow each other: its first byte, and the one after its last.

    ConllError for that file when it is no JSON.
    """
    with errors_in(path):
        # As Latin-1 each character is a byte, and what has a meaning to JSON is the same.
        text = data.decode("latin-1")
        decode = JSONDecoder().raw_decode

        def next_from(at: int) -> int:
            blanks = _BLANKS.match(text, at)
            assert blanks is not None  # it also matches the empty string
            return blanks.end()

        at = next_from(0)
        array = text.startswith("[", at)
        if array:
            at = next_from(at + 1)
        while at < len(text) and not (array and text[at] == "]"):
            end = decode(text, at)[1]
            yield at, end
            at = next_from(end)
            if array and text.startswith(",", at):
                at = next_from(at + 1)
                if text.startswith("]", at):
                    raise JSONDecodeError("Expecting value", text, at)
            elif array and not text.startswith("]", at):
                raise JSONDecodeError("Expecting ',' delimiter", text, at)
        if array:
            at = next_from(at + 1)
            if at < len(text):
                raise JSONDecodeError("Extra data", text, at)
