"""The commands of `scorer`, one per file, found by listing this folder.

A command is a file `name.py` that holds a docstring (its description), `HELP` (one line), `EPILOG`
(examples), `add_arguments(parser)` and `run(arguments)`, which returns the exit status.
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
            """Add its arguments to the parser."""

        def run(self, arguments: Namespace) -> int:
            """Run the command; returns the exit status."""


_COMMANDS: Registry[Command] = Registry("command", ["scorer.cli.commands"])


def names() -> list[str]:
    """The names of all commands, sorted."""
    return _COMMANDS.names()


def get(name: str) -> Command:
    """The command called `name`."""
    return _COMMANDS.get(name)
