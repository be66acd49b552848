"""The commands of `scorer`, one a file, found by looking.

A command is a file `name.py` that holds a docstring (its description), `HELP` (one line), `EPILOG` (examples),
`add_arguments(parser)` and `run(arguments)`, which returns the exit status.
"""

from __future__ import annotations

from conll.registry import Registry

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace
    from typing import Protocol

    class Command(Protocol):
        """What the file of a command holds."""

        HELP: str
        EPILOG: str

        def add_arguments(self, parser: ArgumentParser) -> None:
            """Say what arguments there are."""

        def run(self, arguments: Namespace) -> int:
            """Do it; the exit status."""


_COMMANDS: Registry[Command] = Registry("command", ["scorer.cli.commands"])


def names() -> list[str]:
    """Names of all commands, sorted."""
    return _COMMANDS.names()


def get(name: str) -> Command:
    """The command called `name`."""
    return _COMMANDS.get(name)
