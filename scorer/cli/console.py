"""What a user sees: results on standard output or in the requested file, and everything else on stderr."""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from scorer.perl import standard_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterable, Mapping
    from typing import Final, TypeVar

    from conll.errors import Kind, Problem
    from scorer.report.forms import Report

    UnitT = TypeVar("UnitT")


def print_error(message: object) -> None:
    """Write one line to stderr, whatever the message holds."""
    from scorer import perl
    from scorer.report.figures import printable

    perl.print_error(printable(str(message)))


def write_output(text: str | bytes, path: str | None) -> None:
    """Write text to stdout, or to a file that is replaced once all is written.

    Names keep the bytes that they have in files.
    """
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    if path is None or path == "-":
        standard_output().write(content)
        return
    from conll.io import replacing

    with replacing(path) as file:
        file.write(content)


def write_report(report: Report, arguments: Namespace) -> None:
    """Publish a report as `--output` and `--signature` say; on a terminal, its tables fit."""
    from scorer.report.forms import content

    report.title = arguments.title or report.title
    report.is_short = arguments.signature == "short"
    if arguments.output is None:
        report.width = terminal_width()
    write_output(content(report), arguments.output)


def columns() -> int:
    """How wide the terminal is, as `shutil.get_terminal_size` has it, whose import takes longer than counting a small pair."""
    told = os.environ.get("COLUMNS", "")
    if told.isdecimal() and int(told):
        return int(told)
    with suppress(AttributeError, ValueError, OSError):
        return os.get_terminal_size(sys.__stdout__.fileno()).columns or 80  # type: ignore[union-attr]  # AttributeError
    return 80


def check_output_path(output: str | None, inputs: Iterable[str]) -> None:
    """Make sure, before any work, that a file can be written and replaces no input.

    OSError when it cannot be written, ValueError when its name promises an archive, or it is one of
    the inputs, or a file in a directory that is one, even under another name.
    """
    if output is None or output == "-":
        return
    if output.lower().endswith((".gz", ".bz2", ".xz", ".zip")):
        raise ValueError(
            f"{output} would not be compressed; choose a name without "
            f"{os.path.splitext(output)[1]}, and compress the file afterwards"
        )
    from conll.io import files_below, try_replacing

    if os.path.isfile(output):
        for path in inputs:
            for file in files_below(path) if os.path.isdir(path) else [path]:
                if os.path.exists(file) and os.path.samefile(output, file):
                    raise ValueError(
                        f"{output} is an input{'' if file == output else f', {file}'}; "
                        "name another file to write"
                    )
    try_replacing(output)


FOLD = 10
"""How many warnings of one kind are shown before the others are folded."""

FOLDED: Final[Mapping[Kind, str]] = {
    "file": "about the files",
    "missing": "about documents that the response lacks",
    "extra": "about documents that the key lacks",
    "text": "about texts that differ",
    "repeat": "about repeated mentions",
    "end": "about documents without an end",
    "reading": "about what other programs may read otherwise",
    "repair": "about repaired texts",
}
"""What warnings of a kind are called when some of them are folded."""


def print_warnings(
    problems: Iterable[Problem],
    *,
    of: str = "",
    every: bool = False,
    fold: int = FOLD,
    option: str = "--all-warnings",
) -> None:
    """Show warnings, of each kind the first ones and the number of the others, unless `every` one is asked for.

    `of`: the system that they are about, where there are several. `option`: the one that shows all,
    where there is one.
    """
    start = f"warning: {of}: " if of else "warning: "
    seen: dict[Kind, int] = {}
    for problem in problems:
        seen[problem.kind] = number = seen.get(problem.kind, 0) + 1
        if every or number <= fold:
            print_error(f"{start}{problem}")
    for kind, number in seen.items():
        if number > fold and not every:
            print_error(
                f"{start}… and {number - fold} more {FOLDED[kind]}{f'; {option}' if option else ''}"
            )


def progress(
    units: Iterable[UnitT], unit: str = "documents", total: int | None = None
) -> Iterable[UnitT]:
    """The same units, with a progress bar on stderr if that is a terminal and the work takes over a second; `unit` is a plural."""
    if sys.stderr is None or not sys.stderr.isatty():
        return units
    try:
        from tqdm import tqdm
    except ImportError:
        return units  # a clone where nothing is installed scores all the same

    bar: Iterable[UnitT] = tqdm(units, total=total, unit=f" {unit}", delay=1, leave=False)
    return bar


def terminal_width() -> int | None:
    """How many columns standard output has; None where it is no terminal."""
    return columns() if _is_terminal() else None


def _is_terminal() -> bool:
    return sys.stdout is not None and sys.stdout.isatty()


def is_coloured(when: str) -> bool:
    """Whether to write colours: "always", "never", or "auto", on a terminal that has some, unless NO_COLOR is set and not empty."""
    if when != "auto":
        return when == "always"
    return _is_terminal() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def page(lines: Iterable[str], *, pager: bool) -> None:
    """Write lines to standard output, on a terminal by way of the pager that PAGER names, or `less -R`."""
    from shlex import split
    from shutil import which

    # With these options, less leaves on the screen what fits there.
    command = os.environ.get("PAGER", "less -FRX") if pager and _is_terminal() else ""
    text = "".join(f"{line}\n" for line in lines)
    program = split(command)[:1]
    if program and which(program[0]):
        from pydoc import pipepager

        pipepager(text, command)
    else:
        write_output(text, None)
