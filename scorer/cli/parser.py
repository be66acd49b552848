"""The parser of a command's arguments: argparse's, with messages that say what was meant."""

from __future__ import annotations

import sys
from argparse import (
    SUPPRESS,
    Action,
    ArgumentError,
    ArgumentParser,
    RawDescriptionHelpFormatter,
)
from functools import partial

from scorer.cli.console import columns, write_output

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any, NoReturn


KINDS = {
    "floor": "METRIC=PERCENT, such as conll=70",
    "float": "a number",
    "number": "a whole number, 0 or more",
    "positive": "a number above 0",
    "seconds": "a number of seconds above 0",
    "share": "a number from 0 to 1",
    "size": "a number of bytes above 0, such as 500000, 200M or 1.5G",
}
"""What arguments take, by the names of what reads them."""


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

    common: frozenset[str] | None = None
    """The options that --help shows; None for all."""

    def __init__(self, **words: Any) -> None:
        # Less than the terminal has by 2, as argparse has it; it makes a formatter for each
        # argument, to check its metavar.
        formatter = partial(Help, width=columns() - 2)
        super().__init__(formatter_class=formatter, allow_abbrev=False, **words)

    @property
    def arguments(self) -> list[Action]:
        """What it takes, in the order of its help."""
        return self._actions

    def finish(self, common: str | None) -> None:
        """Write the usage in one line, and let --help show the options that `common` names.

        Args:
            common: Names of options with spaces between; None lets --help show all.
        """
        places = " ".join(
            f"{action.metavar}..." if action.nargs == "+" else str(action.metavar)
            for action in self._actions
            if not action.option_strings
        )
        self.usage = f"%(prog)s [options] {places}"
        if common is not None:
            self.common = frozenset(f"--{name}" for name in ("help", "help-all", *common.split()))
            self.add_argument("--help-all", action=_HelpAll, help="show every option and all terms")

    def format_help(self, *, every: bool = False) -> str:
        """Return the help text, with all options where `every`, or else with the common ones."""
        if every or self.common is None:
            return super().format_help()
        texts = self.description, self.epilog
        rare = [action for action in self._actions if self.common.isdisjoint(action.option_strings)]
        rare = [action for action in rare if action.option_strings]
        hidden = [action.help for action in rare]
        try:
            for action in rare:
                action.help = SUPPRESS
            self.description = (self.description or "").partition("\n\n")[0]
            _, _, examples = (self.epilog or "").partition("examples:\n")
            shown = "\n".join(examples.partition("\n\n")[0].splitlines()[:2])
            self.epilog = f"examples:\n{shown}\n\n--help-all lists {len(rare)} more options"
            return super().format_help()
        finally:
            self.description, self.epilog = texts
            for action, text in zip(rare, hidden):
                action.help = text

    def error(self, message: str) -> NoReturn:
        """End with one line."""
        from scorer.cli.console import print_error

        print_error(f"{self.prog}: error: {message}")
        self.exit(2)

    def refuse(self, unknown: Sequence[str]) -> None:
        """End with a message about arguments that nothing takes."""
        from conll.errors import did_you_mean

        options = [argument.partition("=")[0] for argument in unknown if argument.startswith("-")]
        nearest = did_you_mean(options[0], self._option_string_actions) if options else ""
        self.error(f"unrecognized arguments: {' '.join(unknown)}{nearest}")

    def print_help(self, file: Any = None) -> None:
        # In UTF-8 like all output: the encoding that a system has for text may lack some of its
        # characters.
        if file is None:
            write_output(self.format_help(), None)
        else:
            super().print_help(file)

    def _check_value(self, action: Action, value: Any) -> None:
        # The one place through which argparse takes every choice, that of a subcommand included.
        if action.choices is None or value in action.choices:
            return
        from conll.errors import did_you_mean

        known = list(map(str, action.choices))
        raise ArgumentError(
            action,
            (
                f"{value!r} is not one of "
                f"{', '.join(known)}{did_you_mean(str(value), [*known, *self.others])}"
            ),
        )

    def _get_value(self, action: Action, arg_string: str) -> Any:
        try:
            return super()._get_value(action, arg_string)
        except ArgumentError:
            kind = KINDS.get(getattr(action.type, "__name__", ""))
            if kind is None:
                raise
            raise ArgumentError(action, f"{arg_string!r} is not {kind}") from None

    def _match_argument(self, action: Action, arg_strings_pattern: str) -> int:
        # The one place that knows of an option without its value; the help says what that would be.
        try:
            return super()._match_argument(action, arg_strings_pattern)
        except ArgumentError as error:
            meant = self._get_formatter()._expand_help(action) if action.help else ""  # noqa: SLF001  it puts the default in
            if not action.option_strings or not meant or meant.startswith("("):
                raise
            raise ArgumentError(
                action, f"{error.message}, {action.metavar or 'a word'}: {meant}"
            ) from None
