"""The commands of `scorer`, one a file, found by looking; only they print.

A command is a file `name.py` that holds a docstring (its description), `HELP` (one line), `EPILOG` (examples),
`add_arguments(parser)` and `run(arguments)`, which returns the exit status.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from collections.abc import Iterable
    from typing import Protocol

    class Command(Protocol):
        """What the file of a command holds."""

        HELP: str
        EPILOG: str

        def add_arguments(self, parser: ArgumentParser) -> None:
            """Say what arguments there are."""

        def run(self, arguments: Namespace) -> int:
            """Do it; the exit status."""


def names() -> list[str]:
    """Names of all commands, sorted."""
    return sorted(file[:-3] for file in os.listdir(os.path.dirname(__file__)) if file.endswith(".py") and file[0] != "_")


def get(name: str) -> Command:
    """The command called `name`."""
    from importlib import import_module
    from typing import cast

    return cast("Command", import_module(f"scorer.cli.commands.{name}"))


def metrics_joined(arguments: list[str]) -> list[str]:
    """The arguments with metrics that follow each other joined by +, so that `--metrics muc bcub KEY RESPONSE` can be told apart.

    What follows --metrics belongs to it as long as it is made of words that the registry knows; a file that is called like a
    metric is written with its folder, such as ./muc.

    >>> metrics_joined(["score", "--metrics", "muc", "b3,mor", "key.conll", "response.conll"])
    ['score', '--metrics', 'muc+b3,mor', 'key.conll', 'response.conll']
    """
    if not any(argument.partition("=")[0] == "--metrics" for argument in arguments):
        return arguments
    from scorer import registry

    known = registry.words()
    end = arguments.index("--") if "--" in arguments else len(arguments)
    joined: list[str] = []
    option = value = False
    for argument in arguments[:end]:
        if value and known.issuperset(registry.split(argument)):
            joined[-1] += f"+{argument}"
            continue
        option, value = argument == "--metrics", option or argument.startswith("--metrics=")
        joined.append(argument)
    return joined + arguments[end:]


def scheduler_joined(arguments: list[str]) -> list[str]:
    """The arguments with an address joined to --scheduler, and with none where a file follows it.

    >>> scheduler_joined(["score", "--scheduler", "key.conll", "response.conll"])
    ['score', '--scheduler=', 'key.conll', 'response.conll']
    >>> scheduler_joined(["score", "--scheduler", "10.0.0.1:8786", "key.conll", "response.conll"])
    ['score', '--scheduler=10.0.0.1:8786', 'key.conll', 'response.conll']
    """
    if "--scheduler" not in arguments:
        return arguments
    from re import fullmatch

    at = arguments.index("--scheduler")
    follows = arguments[at + 1] if at + 1 < len(arguments) else ""
    is_address = fullmatch(r"(?:tcp|tls|ws|wss|ucx|inproc)://.+|[\w.-]+:\d+", follows) and not os.path.exists(follows)
    address = [follows] if is_address else []
    return [*arguments[:at], f"--scheduler={''.join(address)}", *arguments[at + 1 + len(address) :]]


def complain(message: object) -> None:
    """One line on stderr, whatever it holds."""
    from scorer.report.figures import printable

    sys.stderr.write(f"{printable(str(message))}\n")


def publish(text: str | bytes, path: str | None) -> None:
    """Write text to stdout, or to a file that is replaced once all is written; names keep the bytes they have in the files."""
    content = text if isinstance(text, bytes) else text.encode("utf-8", "surrogateescape")
    if path is None or path == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return
    from conll.io.files import replacing

    with replacing(path) as file:
        file.write(content)


def claim(output: str | None, inputs: Iterable[str]) -> None:
    """Make sure, before any work, that a file can be written and takes the place of no input.

    OSError when it cannot be written, ValueError when it is one of the inputs, or of the files in a directory that is one, also
    under another name.
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
    """The files that stand at a path on this machine."""
    from conll.io.opening import files_below

    if os.path.isdir(path):
        return [file for file in files_below(path) if os.path.exists(file)]
    return [path] if os.path.exists(path) else []
