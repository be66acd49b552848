"""The command line of `scorer`: parsers made from the table of arguments, and running a command."""

from __future__ import annotations

import os
import re
import signal
import sys
from argparse import (
    SUPPRESS,
    Action,
    ArgumentError,
    ArgumentParser,
    RawDescriptionHelpFormatter,
)
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any, NoReturn

from conll.errors import ConllError, EntryPointError, did_you_mean, pluralize
from conll.system import HANGUPS
from scorer import perl
from scorer.cli import commands
from scorer.cli.arguments import GROUPS, Argument
from scorer.cli.console import RefusedError, print_error, terminal_columns, write_output
from scorer.cli.values import list_reader
from scorer.options import TABLE
from scorer.registry import words as metric_words
from scorer.version import __version__, said

EPILOG = """\
scorer help COMMAND says more of each
scorer METRIC KEY RESPONSE [NAME] prints what scorer.pl prints

examples:
  scorer score key.conll response.conll
  scorer score key.conll response.jsonl --metrics muc,bcub,ceafe,conll --per-document
  scorer score key/ response.conll.gz --output scores.json
  scorer check key.conll response.conll
  scorer all key.conll response.conll none

exit status: 0 done, 1 problems found, 2 wrong usage or a file that cannot be read
"""


class Help(RawDescriptionHelpFormatter):
    """Help as it is written, in which a value stands once: `-f, --format FORMAT`."""

    def _format_action_invocation(self, action: Action) -> str:
        if len(action.option_strings) < 2 or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(sorted(action.option_strings, key=len))} {value}"


class HelpAll(Action):
    """Shows the whole help."""

    def __init__(self, **words: Any) -> None:
        super().__init__(nargs=0, **words)

    def __call__(self, parser: Any, *_: object) -> None:
        write_output(parser.format_help(every=True), None)
        parser.exit()


class CorporaAction(Action):
    """Stores the manifest of --corpora, which replaces the positional arguments."""

    def __call__(self, parser: Any, namespace: Any, values: Any, _: object = None) -> None:
        setattr(namespace, self.dest, values)
        for action in parser.arguments:
            if not action.option_strings:
                action.required = False


class Parser(ArgumentParser):
    """A parser that names the nearest word for one that is unknown.

    No argument may be cut short.
    """

    others: Iterable[str] = ()
    """What else may stand for a choice of this parser, though it is not listed."""
    commands: Mapping[str, Parser] = {}
    """The parsers of the commands below this one, by name."""

    def __init__(self, **words: Any) -> None:
        # Less than the terminal has by 2, as argparse has it; it makes a formatter for each
        # argument, to check its metavar.
        formatter = partial(Help, width=terminal_columns() - 2)
        if sys.version_info >= (3, 14):
            # The import of colours takes as long as scoring a small pair.
            words["color"] = False
        super().__init__(formatter_class=formatter, allow_abbrev=False, **words)
        self.rare: list[Action] = []
        """The options that only --help-all shows."""

    @property
    def arguments(self) -> list[Action]:
        """Its arguments, in the order of its help."""
        return self._actions

    def finish(self) -> None:
        """Write the usage in one line, and add --help-all, offered if --help hides options."""
        positional = []
        for action in self._actions:
            if not action.option_strings:
                name = str(action.metavar)
                shown = {"+": f"{name}...", "?": f"[{name}]"}.get(str(action.nargs), name)
                positional.append(shown)
        self.usage = " ".join(["%(prog)s [options]", *positional])
        # Every command takes it; it is only offered where it shows more.
        text = "show every option and all terms" if self.rare else SUPPRESS
        self.add_argument("--help-all", action=HelpAll, help=text)

    def format_help(self, *, every: bool = False) -> str:
        """Return the help text, with all options where `every`, or else with the common ones.

        The process ends after that: what is left out is not put back.
        """
        if self.rare and not every:
            self.description = (self.description or "").partition("\n\n")[0]
            examples = (self.epilog or "").partition("examples:\n")[2].partition("\n\n")[0]
            shown = "\n".join(examples.splitlines()[:2])
            more = pluralize(len(self.rare), "more option")
            self.epilog = f"examples:\n{shown}\n\n--help-all lists {more}"
            for action in self.rare:
                action.help = SUPPRESS
        return super().format_help()

    def error(self, message: str) -> NoReturn:
        """End with one line."""
        print_error(f"{self.prog}: error: {message}")
        self.exit(2)

    def refuse(self, unknown: Sequence[str]) -> None:
        """End with a message about arguments that nothing takes."""
        options = [argument.partition("=")[0] for argument in unknown if argument.startswith("-")]
        hint = self._option_hint(options[0]) if options else self._word_hint(unknown)
        self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")

    def _option_hint(self, option: str) -> str:
        """Say what an unknown option is called here, by its meaning or else by its spelling."""
        meant = MEANT_OPTIONS.get(option, "")
        if meant.startswith("scorer ") or meant.partition(" ")[0] in self._option_string_actions:
            return f"; did you mean '{meant}'?"
        return did_you_mean(option, self._option_string_actions)

    def _word_hint(self, words: Sequence[str]) -> str:
        """Say how several metrics or responses are given."""
        if all(word in metric_words() for word in words):
            return f"; separate metrics by commas, such as muc,{','.join(words)}"
        if self.prog == "scorer score":
            return "; several responses are for `scorer compare` and `scorer leaderboard`"
        if self.prog == "scorer errors":
            return f"; a second response follows --against: --against {words[0]}"
        return ""

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002  argparse may give one
        # In UTF-8 like all output: the encoding that a system has for text may lack some of its
        # characters.
        write_output(self.format_help(), None)

    def _check_value(self, action: Action, value: Any) -> None:
        # The one place through which argparse takes every choice, that of a subcommand included.
        if action.choices is not None and value not in action.choices:
            known = list(map(str, action.choices))
            synonyms = MEANT_COMMANDS if action.dest == "command" else MEANT_PRESETS
            meant = synonyms.get(str(value), "")
            if meant.partition(" ")[0] in (*known, "--version"):
                hint = f"; did you mean '{meant}'?"
            else:
                hint = did_you_mean(str(value), known + list(self.others))
            raise ArgumentError(action, f"{value!r} is not one of {', '.join(known)}{hint}")


def make_parser(arguments: Sequence[str] | None = None) -> Parser:
    """Make the parser of the command line.

    Args:
        arguments: The command line; only the command that it names, which may import much, gets its
            arguments. None for the arguments of every command.
    """
    parser = Parser(prog="scorer", description="Evaluate coreference resolution.", epilog=EPILOG)
    parser.others = ("all", *perl.PERL_METRICS)
    parser.add_argument("--version", "-V", action="version", version=f"conll-scorer {__version__}")
    subparsers = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", prog=parser.prog
    )
    known = commands.names()
    asked = known if arguments is None else set(arguments[:1]).intersection(known)
    for name in asked or known:
        subparser = subparsers.add_parser(name, help=commands.COMMANDS[name].help)
        if name not in asked:
            continue
        command = commands.get(name)
        subparser.description, subparser.epilog = command.__doc__, command.EPILOG
        add_arguments(subparser, name)
        subparser.finish()
        subparser.set_defaults(run=command.run, parser=subparser)
    parser.commands = subparsers.choices
    return parser


def add_arguments(parser: Parser, command: str) -> None:
    """Add the arguments of a command to its parser."""
    for heading, arguments in GROUPS.items():
        group: Any = parser.add_argument_group(heading) if heading else parser
        for argument in arguments:
            if command not in (*argument.commands, *argument.rare):
                continue
            action = add_argument(group, argument, command)
            if command not in argument.commands:
                parser.rare.append(action)


def add_argument(group: Any, argument: Argument, command: str) -> Action:
    """Add an argument to a parser of a command, or to a group of one, in the words of argparse."""
    values = argument.values(command)
    words: dict[str, Any] = {
        "help": argument.help.format(values=", ".join(values), default=argument.default),
    }
    if argument.flag:
        words["action"] = "store_true"
    else:
        words |= {"type": argument.kind, "metavar": argument.metavar, "default": argument.default}
    if argument.optional:
        words |= {"nargs": "?", "const": ""}
    if argument.listed:
        words |= {"type": list_reader(values), "action": "extend", "default": []}
    elif values:
        words["choices"] = values
    if argument.repeated and argument.is_positional:
        words["nargs"] = "+"
    elif argument.repeated:
        words |= {"action": "append", "default": []}
    if argument.name == "--corpora":
        words["action"] = CorporaAction
    names = [argument.name, argument.short] if argument.short else [argument.name]
    action: Action = group.add_argument(*names, **words)
    return action


def explained() -> str:
    """Explain the values of options of scoring that do not explain themselves, for a help text."""
    parts = []
    for option in TABLE.values():
        if option.about:
            values = [f"  {value or '':9}  {meaning}\n" for value, meaning in option.words.items()]
            parts.append(f"{option.name} ({option.about}):\n{''.join(values)}")
    return "\n".join(parts)


def run_command(arguments: list[str]) -> int:
    """Run the command that arguments name, and print an error on one line.

    Returns the exit status, as `scorer.cli.main.main` does.
    """
    parser = make_parser(arguments)
    files = arguments[:2]
    is_command = files[:1] and files[0] in commands.COMMANDS
    if len(files) == 2 and not is_command and all(map(os.path.exists, files)):
        from shlex import join

        words = join(["scorer", "score", *arguments])
        parser.error(f"{arguments[0]} is a file and no command; write: {words}")
    refuse_dashes(parser, arguments)
    parsed, unknown = parser.parse_known_args(joined(arguments))
    if unknown:
        # The usage that is shown then is that of the command.
        (parser if parsed.command is None else parsed.parser).refuse(unknown)
    if parsed.command is None:
        parser.print_help()
        return 2
    try:
        with _signals_end_process():
            status: int = parsed.run(parsed) or 0
    except RefusedError:
        return 1
    except ConllError as error:
        print_error(error)
    except (ValueError, ImportError, EntryPointError) as error:
        print_error(f"scorer {parsed.command}: {said(error)}")
    except BrokenPipeError:
        raise
    except OSError as error:
        print_error(perl.fault(error))
    else:
        return status
    return 2


def refuse_dashes(parser: Parser, arguments: Iterable[str]) -> None:
    """End with a message if the value of an option is `--`, which argparse drops."""
    for argument in arguments:
        if argument == "--":
            return
        match = re.fullmatch(r"(--[^=]+|-\w)=?--", argument)
        if match and argument != "----":
            parser.error(f"argument {match[1]}: '--' is no value")


def joined(arguments: list[str]) -> list[str]:
    """Join --scheduler and --runs to their values, which argparse would take for something else.

    What follows --scheduler may be an address or the first file, and a pattern may begin with -.

    Examples:
        >>> joined(["score", "--scheduler", "key.conll", "response.conll"])
        ['score', '--scheduler=', 'key.conll', 'response.conll']
        >>> joined(["score", "--scheduler", "10.0.0.1:8786", "key.conll", "response.conll"])
        ['score', '--scheduler=10.0.0.1:8786', 'key.conll', 'response.conll']
        >>> joined(["compare", "k", "r-1", "r-2", "--runs", "-."])
        ['compare', 'k', 'r-1', 'r-2', '--runs=-.']
    """
    result: list[str] = []
    for argument in arguments:
        last = result[-1] if result else ""
        is_address = (
            last == "--scheduler="
            and re.fullmatch(r"(?:tcp|tls|ws|wss|ucx|inproc)://.+|[\w.-]+:\d+", argument)
            and not os.path.exists(argument)
        )
        # Another option says that the pattern was forgotten.
        if is_address:
            result[-1] += argument
        elif last == "--runs" and not argument.startswith("--"):
            result[-1] += f"={argument}"
        else:
            result.append("--scheduler=" if argument == "--scheduler" else argument)
    return result


@contextmanager
def _signals_end_process() -> Iterator[None]:
    """Treat a request to end, or a hangup, like an interrupt, so that nothing half-written stays.

    Until here an interrupt ends the process at once, as `conll_scorer` asks for.

    Signals that the caller has this process ignore, as nohup does, stay ignored.
    """
    ours = os.getpid()
    before: dict[int, Any] = {}

    def end(number: int, _: object) -> None:
        # A process that has just been forked has this handler still, and nothing of its own to
        # clean up.
        if os.getpid() != ours:
            os._exit(128 + number)
        sys.exit(128 + number)

    # Only the main thread may ask for them.
    with suppress(ValueError):
        for number in (signal.SIGTERM, *HANGUPS):
            # None is the handler of a program that has Python in it, which Python could not put
            # back.
            if signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, end)
        if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
            before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


MEANT_OPTIONS = {
    "--json": "--format json",
    "--csv": "--format csv",
    "--latex": "--format latex",
    "--md": "--format markdown",
    "--html": "--format html",
    "--threshold": "--fail-under",
    "--min-f1": "--fail-under",
    "--rank-by": "--sort",
    "--head": "--match head",
    "--exclude": "--documents",
    "--by": "--group-by",
    "--n-samples": "--trials",
    "--resamples": "--trials",
    "--test": "--method",
    "--verbose": "--all-warnings",
    "--format": "--to",
    "--bootstrap": "scorer compare",
    "--ci": "scorer compare",
    "--confidence": "scorer compare",
    "--per-document": "scorer score --per-document",
}
"""What an option that a command lacks is called here, or the command that does it."""

MEANT_COMMANDS = {
    "evaluate": "score",
    "eval": "score",
    "report": "score",
    "diff": "compare",
    "significance": "compare",
    "rank": "leaderboard",
    "stats": "check --summary",
    "validate": "check",
    "version": "--version",
    "list": "metrics",
}
"""What a command is called here."""

MEANT_PRESETS = {"corefud": "crac25", "conll": "conll12", "ontonotes": "conll12"}
"""What a preset is called here."""
