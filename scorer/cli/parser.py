"""The parser of a command's arguments: argparse's, with messages that say what was meant."""

from __future__ import annotations

import sys
from argparse import Action, ArgumentError, ArgumentParser, RawDescriptionHelpFormatter
from functools import partial

from scorer.cli.console import columns, publish

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any


KINDS = {
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

    @property
    def arguments(self) -> list[Action]:
        """What it takes, in the order of its help."""
        return self._actions

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
            publish(self.format_help(), None)
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
