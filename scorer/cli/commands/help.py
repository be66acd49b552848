"""Say what a command does and which arguments it takes, as `scorer COMMAND --help` does."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

HELP = "say what a command does"

EPILOG = """\
examples:
  scorer help score
"""


def add_arguments(parser: ArgumentParser) -> None:
    """The argument of `scorer help`."""
    from scorer.cli import commands

    parser.add_argument(
        "about",
        metavar="COMMAND",
        nargs="?",
        choices=commands.names(),
        help="the command (default: an overview)",
    )


def run(arguments: Namespace) -> int:
    """Show the help of the command, which ends the process with status 0."""
    from scorer.cli.main import main

    return main([*([arguments.about] if arguments.about else []), "--help"])
