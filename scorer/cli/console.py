"""What a user sees: results on standard output or in the requested file, and everything else on stderr."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Sequence
    from typing import BinaryIO, TypeVar

    UnitT = TypeVar("UnitT")


def complain(message: object) -> None:
    """Write one line to stderr, whatever the message holds."""
    from scorer.report.figures import printable

    sys.stderr.write(f"{printable(str(message))}\n")


def publish(text: str | bytes, path: str | None) -> None:
    """Write text to stdout, or to a file that is replaced once all is written; names keep the bytes that they have in files."""
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    if path is None or path == "-":
        standard_output().write(content)
        return
    from conll.io.files import replacing

    with replacing(path) as file:
        file.write(content)


def columns() -> int:
    """How wide the terminal is, as `shutil.get_terminal_size` has it, whose import takes longer than counting a small pair."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]  # AttributeError
    return 80


def claim(output: str | None, inputs: Iterable[str]) -> None:
    """Make sure, before any work, that a file can be written and replaces no input.

    OSError when it cannot be written, ValueError when it is one of the inputs, or a file in a directory that is one, even under
    another name.
    """
    if output is None or output == "-":
        return
    from conll.io.files import try_replacing

    if os.path.isfile(output):
        own = os.stat(output)
        for path in inputs:
            for file in _files(path):
                if os.path.samestat(own, os.stat(file)):
                    raise ValueError(f"{output} is an input{'' if file == output else f', {file}'}; name another file to write")
    try_replacing(output)


def _files(path: str) -> list[str]:
    """The files at a path on this machine."""
    from conll.io.opening import files_below

    if os.path.isdir(path):
        return [file for file in files_below(path) if os.path.exists(file)]
    return [path] if os.path.exists(path) else []


def standard_output() -> BinaryIO:
    """Standard output as a binary file."""
    sys.stdout.flush()
    return sys.stdout.buffer


def refused(arguments: Namespace, warnings: Sequence[object]) -> bool:
    """Show the warnings, unless `--quiet`; returns whether `--strict` makes them errors."""
    if not arguments.quiet or arguments.strict:
        for warning in warnings:
            complain(f"warning: {warning}")
    if not (arguments.strict and warnings):
        return False
    complain(f"scorer {arguments.command}: {len(warnings)} warnings, and --strict makes each an error; nothing is reported")
    return True


def progress(units: Iterable[UnitT], unit: str = "documents", total: int | None = None) -> Iterable[UnitT]:
    """The same units, with a progress bar on stderr if that is a terminal and the work takes over a second; `unit` is a plural."""
    if not sys.stderr.isatty():
        return units
    from tqdm import tqdm

    bar: Iterable[UnitT] = tqdm(units, total=total, unit=f" {unit}", delay=1, leave=False)
    return bar
