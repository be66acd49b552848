"""Print what makes a shell complete the arguments of `scorer` at a press of TAB.

Commands, options, their values, metrics and formats are completed, and files where a file is due.
What is printed does not change until the next version is installed, so it can be kept in a file.
"""

from argparse import Namespace

from conll import formats
from scorer import registry
from scorer.cli.console import write_output
from scorer.cli.parser import make_parser

EPILOG = """\
to have them:
  bash   eval "$(scorer completion bash)"   in ~/.bashrc
  zsh    eval "$(scorer completion zsh)"   in ~/.zshrc, below compinit
  fish   scorer completion fish > ~/.config/fish/completions/scorer.fish   once
"""

FILES = {"FILE", "FILE=NAME", "IN", "KEY", "MANIFEST", "OUT", "RESPONSE", "RESPONSES"}
"""The metavars of arguments that name a file, or a directory in its place."""
DIRECTORIES = {"DIR", "INPUT_DIR", "OUTPUT_DIR"}
"""The metavars of arguments that name a directory."""


def run(arguments: Namespace) -> None:
    """Print the completions."""
    write_output(completions(arguments.shell), None)


def completions(shell: str) -> str:
    """Return a script for a shell, one of `scorer.cli.values.SHELLS`.

    Raises:
        ModuleNotFoundError: shtab is missing.
    """
    try:
        import shtab
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            "completion needs shtab; pip install 'conll-scorer[completion]'"
        ) from None
    parser = make_parser()
    names = {"METRICS": sorted(registry.words()), "FORMAT": formats.names()}
    for command in parser.commands.values():
        for action in command.arguments:
            metavar = action.metavar if isinstance(action.metavar, str) else ""
            if metavar in FILES:
                action.complete = shtab.FILE  # type: ignore[attr-defined]  # where shtab looks
            elif metavar in DIRECTORIES:
                action.complete = shtab.DIRECTORY  # type: ignore[attr-defined]  # where shtab looks
            elif metavar in names and action.choices is None:
                action.choices = names[metavar]
    return f"{shtab.complete(parser, shell)}\n"
