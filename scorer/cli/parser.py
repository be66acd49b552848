"""The parser of a command's arguments: argparse's, with messages that name what was probably meant."""

from __future__ import annotations

import sys
from argparse import SUPPRESS, Action, ArgumentError, ArgumentParser, RawDescriptionHelpFormatter
from functools import partial

from conll.errors import did_you_mean, pluralize
from scorer.cli.console import columns, print_error, write_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, NoReturn


class Help(RawDescriptionHelpFormatter):
    """Help as it is written, its colours sought only once it is printed."""

    def _format_action_invocation(self, action: Action) -> str:
        # `-f, --format FORMAT`, the value once.
        if len(action.option_strings) < 2 or action.nargs == 0:
            return super()._format_action_invocation(action)
        value = self._format_args(action, self._get_default_metavar_for_optional(action))
        return f"{', '.join(sorted(action.option_strings, key=len))} {value}"

    if sys.version_info >= (3, 14):
        # argparse seeks them for each parser, in modules whose import takes as long as scoring a
        # small pair.

        def _set_color(self, color: bool) -> None:
            self._in_color = color

        def __getattr__(self, name: str) -> Any:
            if name not in ("_theme", "_decolor"):
                raise AttributeError(name)
            super()._set_color(self._in_color)  # type: ignore[misc]  # unknown to the stubs
            return vars(self)[name]


class _HelpAll(Action):
    """Shows the whole help."""

    def __init__(self, **words: Any) -> None:
        super().__init__(nargs=0, **words)

    def __call__(self, parser: Any, *_: object) -> None:
        write_output(parser.format_help(every=True), None)
        parser.exit()


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
        formatter = partial(Help, width=columns() - 2)
        super().__init__(formatter_class=formatter, allow_abbrev=False, **words)
        self.rare: list[Action] = []
        """The options that only --help-all shows."""

    @property
    def arguments(self) -> list[Action]:
        """What it takes, in the order of its help."""
        return self._actions

    def finish(self) -> None:
        """Write the usage in one line, and offer --help-all where --help leaves options out."""
        places = []
        for action in self._actions:
            if not action.option_strings:
                place = str(action.metavar)
                places.append({"+": f"{place}...", "?": f"[{place}]"}.get(str(action.nargs), place))
        self.usage = " ".join(["%(prog)s [options]", *places])
        if self.rare:
            self.add_argument("--help-all", action=_HelpAll, help="show every option and all terms")

    def format_help(self, *, every: bool = False) -> str:
        """Return the help text, with all options where `every`, or else with the common ones."""
        if every or not self.rare:
            return super().format_help()
        hidden = [self.description, self.epilog, *(action.help for action in self.rare)]
        self.description = (self.description or "").partition("\n\n")[0]
        _, _, examples = (self.epilog or "").partition("examples:\n")
        shown = "\n".join(examples.partition("\n\n")[0].splitlines()[:2])
        more = pluralize(len(self.rare), "more option")
        self.epilog = f"examples:\n{shown}\n\n--help-all lists {more}"
        for action in self.rare:
            action.help = SUPPRESS
        text = super().format_help()
        self.description, self.epilog, *texts = hidden
        for action, help_text in zip(self.rare, texts):
            action.help = help_text
        return text

    def error(self, message: str) -> NoReturn:
        """End with one line."""
        print_error(f"{self.prog}: error: {message}")
        self.exit(2)

    def refuse(self, unknown: Sequence[str]) -> None:
        """End with a message about arguments that nothing takes."""
        options = [argument.partition("=")[0] for argument in unknown if argument.startswith("-")]
        nearest = did_you_mean(options[0], self._option_string_actions) if options else ""
        self.error(f"unrecognized arguments: {' '.join(unknown)}{nearest}")

    def print_help(self, file: Any = None) -> None:  # noqa: ARG002  argparse may give one
        # In UTF-8 like all output: the encoding that a system has for text may lack some of its
        # characters.
        write_output(self.format_help(), None)

    def _check_value(self, action: Action, value: Any) -> None:
        # The one place through which argparse takes every choice, that of a subcommand included.
        if action.choices is not None and value not in action.choices:
            known = list(map(str, action.choices))
            hint = did_you_mean(str(value), [*known, *self.others])
            raise ArgumentError(action, f"{value!r} is not one of {', '.join(known)}{hint}")
