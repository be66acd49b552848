"""Print what makes a shell complete the arguments of `scorer` at a press of TAB.

Commands, options, their words, metrics and formats are completed, and files where a file is due.
What is printed does not change until the next version is installed, so it can be kept in a file.
"""

from __future__ import annotations

from argparse import Namespace

from scorer.cli.console import write_output

HELP = "print completions for a shell"

EPILOG = """\
to have them:
  bash   eval "$(scorer completion bash)"   in ~/.bashrc
  zsh    eval "$(scorer completion zsh)"   in ~/.zshrc, below compinit
  fish   scorer completion fish > ~/.config/fish/completions/scorer.fish   once
"""

FILES = {"FILE", "FILE=NAME", "IN", "KEY", "MANIFEST", "OUT", "RESPONSE", "RESPONSES"}
"""How arguments are called in help that name a file, or a directory in its place."""
DIRECTORIES = {"DIR", "INPUT_DIR", "OUTPUT_DIR"}
"""Likewise those that name a directory."""


def run(arguments: Namespace) -> int:
    """Print the completions."""
    write_output(completions(arguments.shell), None)
    return 0


def completions(shell: str) -> str:
    """A script for that shell, one of `SHELLS`; ModuleNotFoundError without shtab."""
    try:
        import shtab
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "completion needs shtab; pip install 'conll-scorer[completion]'"
        ) from None
    from itertools import chain

    from conll import formats
    from scorer import registry
    from scorer.cli.main import make_parser

    parser = make_parser()
    words = {"METRICS": sorted(registry.words()), "FORMAT": formats.names()}
    for action in chain.from_iterable(command.arguments for command in parser.commands.values()):
        named = action.metavar if isinstance(action.metavar, str) else ""
        if named in FILES | DIRECTORIES:
            action.complete = shtab.FILE if named in FILES else shtab.DIRECTORY  # type: ignore[attr-defined]  # where shtab looks
        elif named in words and action.choices is None:
            action.choices = words[named]
    return f"{shtab.complete(parser, shell)}\n"
