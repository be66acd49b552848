"""Find the objects of documents in a file of JSON: one on each line, or anywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from json import JSONDecodeError, JSONDecoder
from typing import BinaryIO

from conll.errors import ConllError, not_utf8


def in_lines(file: BinaryIO) -> bool:
    """Return whether a file has an object on each line; the file is left at its beginning.

    Otherwise it is an array, or its objects span several lines.
    """
    lines = (line for line in file if not line.isspace())
    first, second = next(lines, b"").strip(), next(lines, b"").lstrip()
    file.seek(0)
    if first[:1] == b"[" or (first[-1:] in (b"[", b":") and second[:1] == b"{"):
        return False
    # The first line may merely be cut off: the second then does not continue it.
    return first[-1:] == b"}" or second[:1] not in (b'"', b"[", b"]", b"}", b",")


@contextmanager
def errors_in(path: str, begin: int = 0) -> Iterator[None]:
    """Raise ConllError, with the line, in place of the errors of `json`.

    Args:
        path: The file that is read.
        begin: The line of the file on which the text begins; 0 where it is the whole file.
    """
    try:
        yield
    except UnicodeDecodeError as error:
        raise not_utf8(error, path, begin or 1) from None
    except JSONDecodeError as error:
        text = error.doc.rstrip()
        problem = f"not JSON at character {error.colno} of the line ({error.msg})"
        is_open = error.pos >= len(text) or text[-1] not in "}]"
        if text[:1] in ("{", "[") and is_open and error.msg != "Extra data":
            problem = "the file is cut off; fetch the whole file"
            if begin:
                problem = "the line is cut off; a document is one whole line"
        line = (begin or 1) + error.lineno - 1
        raise ConllError(path, line, problem, text=text if begin else "") from None
    except RecursionError:
        raise ConllError(path, begin, "lists are nested too deeply") from None
    except ValueError as error:
        raise ConllError(path, begin, str(error)) from None


def values_in(data: bytes, path: str) -> Iterator[tuple[int, int]]:
    """Find the values of an array, or several values that follow each other.

    Yields:
        The first byte of each value, and the one after its last.

    Raises:
        ConllError: The file is not JSON.
    """
    with errors_in(path):
        # As Latin-1 each character is a byte, and the characters of JSON's syntax are the same.
        text = data.decode("latin-1")
        decode = JSONDecoder().raw_decode
        begin = _next(text, 0)
        is_array = text.startswith("[", begin)
        begin = _next(text, begin + is_array)
        while begin < len(text) and not (is_array and text[begin] == "]"):
            _, end = decode(text, begin)
            yield begin, end
            begin = _next(text, end)
        if not is_array:
            return
        if begin == len(text):
            raise JSONDecodeError("Expecting ',' delimiter", text, begin)
        if _next(text, begin + 1) < len(text):
            raise JSONDecodeError("Extra data", text, begin)


def _next(text: str, start: int) -> int:
    """Return where the next value begins, after white space and commas."""
    blanks = re.compile(r"[\s,]*").match(text, start)
    return blanks.end() if blanks else start
