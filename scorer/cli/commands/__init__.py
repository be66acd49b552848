"""The commands of `scorer`, one per file, found by listing this folder.

A command is a file `name.py` that holds a docstring (its description), `HELP` (one line), `EPILOG`
(examples), `FORMATS` (the output formats, if it writes a report) and `run(arguments)`, which returns
the exit status. Its arguments are in the table of `scorer.cli.arguments`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from conll.registry import Registry

if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Protocol

    class Command(Protocol):
        """What the file of a command holds."""

        HELP: str
        EPILOG: str

        def run(self, arguments: Namespace) -> int:
            """Run the command; returns the exit status."""


_COMMANDS = Registry("command", ["scorer.cli.commands"])
names = _COMMANDS.names
get = _COMMANDS.get
