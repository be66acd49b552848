"""The commands of `scorer`, and the module of each.

Such a module holds a docstring (the description of the command), `HELP` (one line), `EPILOG`
(examples), `FORMATS` (the output formats, if it writes a report) and `run(arguments)`, which returns
the exit status. A feature has its command beside it; those of no feature are in this folder. The
arguments of all of them are in the table of `scorer.cli.arguments`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from argparse import Namespace
    from typing import Protocol

    class Command(Protocol):
        """What the module of a command holds."""

        HELP: str
        EPILOG: str

        def run(self, arguments: Namespace) -> int:
            """Run the command; returns the exit status."""


COMMANDS = {
    "batch": "scorer.batches.command",
    "check": "scorer.checking.command",
    "codabench": "scorer.codabench.command",
    "compare": "scorer.comparison.compare_command",
    "completion": "scorer.cli.commands.completion",
    "convert": "scorer.cli.commands.convert",
    "errors": "scorer.analysis.errors_command",
    "formats": "scorer.cli.commands.formats",
    "help": "scorer.cli.commands.help",
    "leaderboard": "scorer.comparison.leaderboard_command",
    "metrics": "scorer.cli.commands.metrics",
    "muc7": "scorer.spans.muc7_command",
    "score": "scorer.scoring.command",
    "show": "scorer.analysis.show_command",
    "spans": "scorer.spans.spans_command",
}
"""The modules of the commands, by name."""


def names() -> list[str]:
    """List the commands, sorted."""
    return sorted(COMMANDS)


def get(name: str) -> Any:
    """Import the module of a command."""
    return import_module(COMMANDS[name])
