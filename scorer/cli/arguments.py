"""The arguments that several commands share, and how they are read.

Those of a single command are in its file.
"""

from __future__ import annotations

import os
from contextlib import contextmanager

from scorer.options import PRESETS, TABLE, Options, settings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace, _ActionsContainer, _ArgumentGroup
    from collections.abc import Iterator, Sequence

    from distributed import Client

    from scorer.comparison.resampling import Resampling
    from scorer.options import Option
    from scorer.run.isolation import Limits


def scheduler_joined(arguments: list[str]) -> list[str]:
    """The arguments with the address joined to --scheduler, or an empty one if what follows is a file.

    >>> scheduler_joined(["score", "--scheduler", "key.conll", "response.conll"])
    ['score', '--scheduler=', 'key.conll', 'response.conll']
    >>> scheduler_joined(["score", "--scheduler", "10.0.0.1:8786", "key.conll", "response.conll"])
    ['score', '--scheduler=10.0.0.1:8786', 'key.conll', 'response.conll']
    """
    if "--scheduler" not in arguments:
        return arguments
    from re import fullmatch

    at = arguments.index("--scheduler")
    follows = arguments[at + 1] if at + 1 < len(arguments) else ""
    is_address = fullmatch(
        r"(?:tcp|tls|ws|wss|ucx|inproc)://.+|[\w.-]+:\d+", follows
    ) and not os.path.exists(follows)
    address = [follows] if is_address else []
    return [*arguments[:at], f"--scheduler={''.join(address)}", *arguments[at + 1 + len(address) :]]


def runs_joined(arguments: list[str]) -> list[str]:
    """The arguments with the pattern joined to --runs, which mostly begins with what argparse takes for an option.

    >>> runs_joined(["compare", "k", "r-1", "r-2", "--runs", "-."])
    ['compare', 'k', 'r-1', 'r-2', '--runs=-.']
    """
    at = arguments.index("--runs") if "--runs" in arguments else len(arguments)
    # Another option says that the pattern was forgotten.
    if at + 1 >= len(arguments) or arguments[at + 1].startswith("--"):
        return arguments
    return [*arguments[:at], f"--runs={arguments[at + 1]}", *arguments[at + 2 :]]


def add_counting(parser: ArgumentParser) -> None:
    """The arguments that say what is counted, for every command that scores."""
    what = parser.add_argument_group("scoring")
    what.add_argument(
        "--preset",
        choices=PRESETS,
        metavar="PRESET",
        help="the settings of a shared task, such as crac25; other options prevail",
    )
    # Without a default, to know what was given: that goes before a preset.
    what.add_argument(
        "--metrics",
        "-m",
        metavar="METRICS",
        action="append",
        help="metrics, such as muc,conll; `scorer metrics` lists all (default: all)",
    )
    what.add_argument(
        "--force",
        dest="align",
        action="store_const",
        const="force",
        help="align a response even if under half of the key's words are in it",
    )
    for option in sorted(TABLE.values(), key=lambda option: option.rare):
        words = {"metavar": option.text} if option.text else {"choices": option.choices}
        text = option.help.format(default=option.default)
        what.add_argument(f"--{option.name.replace('_', '-')}", help=text, **words)


def explained() -> str:
    """Explanations of option words that do not explain themselves, for the end of a help text."""
    return "\n".join(map(_explained, filter(lambda option: option.about, TABLE.values())))


def _explained(option: Option) -> str:
    words = "".join(f"  {word or '':9}  {meaning}\n" for word, meaning in option.words.items())
    return f"{option.name} ({option.about}):\n{words}"


def add_output(group: _ArgumentGroup, formats: Sequence[str]) -> None:
    """The arguments that say in which of these formats to write, and where to."""
    group.add_argument(
        "--format",
        "-f",
        choices=formats,
        metavar="FORMAT",
        help=f"one of {' '.join(formats)} (default: by --output, else table)",
    )
    group.add_argument(
        "--output",
        "-o",
        metavar="FILE",
        help="write to this file, only if the run succeeds",
    )
    group.add_argument("--title", metavar="TEXT", help="html: the heading of the report")
    group.add_argument(
        "--signature",
        choices=("full", "short"),
        default="short",
        help="how much of the signature a report shows (default: %(default)s)",
    )


def form_of(arguments: Namespace, formats: Sequence[str]) -> str:
    """Which of these formats the arguments of `add_output` ask for, by itself or by the name of the file to write, else a table.

    ValueError for a name that asks for another one, ModuleNotFoundError where it needs a package
    that is missing.
    """
    from scorer.report.forms import FORMS, named, names, require

    output = arguments.output or ""
    by_name = named(output) if os.path.splitext(output)[1] else "table"
    if by_name is None and arguments.format is None and output != os.devnull:
        known = ", ".join(sorted(FORMS[form][1][0] for form in formats if form in FORMS))
        raise ValueError(f"{output}: no format is known by this ending; known are {known}")
    form: str = arguments.format or by_name or "table"
    if by_name not in (None, "table", form) and form in FORMS:
        raise ValueError(f"{output}: the name asks for {by_name}, and --format for {form}")
    if form not in formats:
        raise ValueError(
            f"{output}: there is no {form} of this; say by --format which one to write: "
            f"{', '.join(formats)}"
        )
    # Some commands have a form of their own, which needs nothing.
    if form in names(framed=True):
        require(form)
    return form


def add_running(
    parser: ArgumentParser,
    *,
    strict: str = "nothing is reported, exit status 1",
    jobs: str | None = None,
    cluster: bool = False,
    folds: bool = True,
) -> None:
    """The arguments that say how to read and how to run, for every command that scores.

    `strict` and `jobs` say in their help what they do there, a `jobs` of None that there is one
    process. A command with `jobs`, or that says so by `cluster`, can run on a Dask cluster; `folds`
    says whether it folds warnings of one kind.
    """
    how = parser.add_argument_group("execution")
    add_formats(how, "what is scored")
    how.add_argument("--strict", action="store_true", help=f"treat warnings as errors: {strict}")
    if jobs is not None:
        how.add_argument(
            "--jobs",
            "-j",
            type=number,
            metavar="N",
            default=1,
            help=f"{jobs} (default: 1; 0: one per core)",
        )
    if jobs is not None or cluster:
        where = (
            "run on this Dask cluster (tcp://host:port, host:port, =FILE.json); without an "
            "address, on a local one with a worker per core"
        )
        how.add_argument("--scheduler", metavar="ADDRESS", nargs="?", const="", help=where)
    how.add_argument(
        "--quiet", "-q", action="store_true", help="no warnings and no progress on stderr"
    )
    if folds:
        add_all_warnings(how)


def add_formats(group: _ActionsContainer, response: str) -> None:
    """The arguments that name the formats of a key and of a `response`, as the help calls it."""
    known = "one of those that `scorer formats` lists (default: detected by content)"
    group.add_argument("--key-format", metavar="FORMAT", help=known)
    group.add_argument(
        "--response-format", metavar="FORMAT", help=f"the format of {response} (default: detected)"
    )


def add_side(parser: ArgumentParser, file: str) -> None:
    """Which clusters are read of a file that has those of a key and of a response."""
    parser.add_argument(
        "--side",
        choices=("key", "response"),
        help=f"read these clusters where {file} has both, such as clusters and predicted_clusters",
    )


def add_all_warnings(group: _ActionsContainer) -> None:
    """The argument that unfolds the warnings of a kind."""
    group.add_argument(
        "--all-warnings",
        action="store_true",
        help="show all warnings, not only the first ten of each kind",
    )


def add_limits(parser: ArgumentParser, timeout: str = "600") -> None:
    """The arguments that limit what a response may take; `timeout` is the default, in seconds."""
    limit = parser.add_argument_group("limits per response")
    limit.add_argument(
        "--timeout", type=seconds, metavar="SECONDS", default=timeout, help="(default: %(default)s)"
    )
    limit.add_argument(
        "--max-size",
        type=size,
        metavar="SIZE",
        default="500M",
        help="of a response, unpacked (default: %(default)s)",
    )
    limit.add_argument(
        "--max-memory",
        type=size,
        metavar="SIZE",
        default=MEMORY,
        help="beyond the key's (default: %(default)s)",
    )


MEMORY = "4G"
"""How much memory a response may take unless the arguments say otherwise."""


def limits_of(arguments: Namespace) -> Limits:
    """What one row or response may take, as the arguments say it.

    A warning where one asks for what the system does not limit.
    """
    from conll.system import limits_memory
    from scorer.cli.console import print_error
    from scorer.run.isolation import Limits

    limits = Limits(arguments.timeout, arguments.max_memory)
    if (
        limits.memory not in (None, size(MEMORY))
        and not limits_memory()
        and not getattr(arguments, "quiet", False)
    ):
        print_error(
            "warning: --max-memory has no effect: this system cannot limit the memory of a process"
        )
    return limits


def add_resampling(
    parser: ArgumentParser, *, alternative: bool, heading: str = "how to compare", runs: bool = True
) -> None:
    """The arguments that say how systems are compared, below a heading.

    `alternative` says whether p may be one-sided, `runs` whether a system may have several.
    """
    from scorer.comparison.resampling import ALTERNATIVES, METHODS, Resampling

    resample = parser.add_argument_group(heading)
    bootstrap = ", bootstrap with --runs" if runs else ""
    resample.add_argument(
        "--method",
        choices=METHODS,
        help=f"what p-values come from; the end of `scorer compare --help` explains (default: randomisation{bootstrap})",
    )
    if alternative:
        resample.add_argument(
            "--alternative",
            choices=ALTERNATIVES,
            default=Resampling.alternative,
            help="alternative hypothesis: systems differ, or the first is better or worse (default: %(default)s)",
        )
    add_bootstrap(resample)


def add_bootstrap(group: _ActionsContainer) -> None:
    """The arguments that say how documents are resampled, and what kind of interval that gives."""
    from scorer.comparison.resampling import INTERVALS, Resampling

    default = Resampling()
    group.add_argument(
        "--trials", type=number, metavar="N", default=default.trials, help="(default: %(default)s)"
    )
    group.add_argument(
        "--seed",
        type=number,
        metavar="N",
        default=default.seed,
        help="same seed, same output (default: %(default)s)",
    )
    group.add_argument(
        "--confidence",
        type=float,
        metavar="FRACTION",
        default=default.confidence,
        help="of intervals (default: %(default)s)",
    )
    group.add_argument(
        "--interval", choices=INTERVALS, default=default.interval, help="(default: %(default)s)"
    )
    group.add_argument(
        "--unit",
        metavar="PATTERN",
        default=default.unit,
        help="resample together documents in whose names this regular expression captures the same, or those whose names differ in"
        " the part only (part), or each by itself (document) (default: %(default)s)",
    )


def add_average(group: _ArgumentGroup) -> None:
    """What the figures of systems that are compared are of."""
    from scorer.comparison.resampling import AVERAGES

    group.add_argument(
        "--average",
        choices=AVERAGES,
        default=AVERAGES[0],
        help="compare totals, or means over documents (default: %(default)s)",
    )


def add_systems(parser: ArgumentParser, responses: str) -> None:
    """KEY and RESPONSES, or `--corpora` in their place, and which of them are runs of one system.

    `responses`: help.
    """
    from argparse import Action

    places = [parser.add_argument("key", metavar="KEY", help="the reference annotation")]
    places.append(parser.add_argument("responses", metavar="RESPONSE", nargs="+", help=responses))

    class Corpora(Action):
        def __call__(
            self,
            parser: object,  # noqa: ARG002  argparse gives it
            namespace: Namespace,
            values: object,
            option_string: object = None,  # noqa: ARG002
        ) -> None:
            setattr(namespace, self.dest, values)
            for place in places:
                place.required = False

    who = parser.add_argument_group("systems")
    who.add_argument(
        "--corpora",
        metavar="MANIFEST",
        action=Corpora,
        help="several corpora, in place of KEY and RESPONSES: systems by the means over them, as a manifest of scorer batch lists",
    )
    who.add_argument(
        "--runs",
        metavar="PATTERN",
        help="responses whose names differ only in what this matches are runs of one system",
    )


def check_systems(arguments: Namespace) -> None:
    """ValueError for `--corpora` along with what it replaces."""
    if arguments.corpora is not None and (
        arguments.key is not None or getattr(arguments, "names", None)
    ):
        raise ValueError(
            "--corpora stands in place of KEY, RESPONSES and --names; give the names in the manifest"
        )


def resampling_of(arguments: Namespace, average: str = "micro") -> Resampling:
    """How figures of that average are compared, by `add_resampling` or `add_bootstrap`.

    ValueError if that is impossible.

    `--method`, where it is not given, is as `--runs` has it.
    """
    from dataclasses import fields

    from scorer.comparison.resampling import Resampling, method_of

    given = vars(arguments) | {
        "method": arguments.method or method_of(getattr(arguments, "runs", None)),
        "average": average,
    }
    return Resampling(
        **{field.name: given[field.name] for field in fields(Resampling) if field.name in given}
    )


def chosen(arguments: Namespace) -> tuple[Options, str | list[str]]:
    """The options and the metrics: what is given, else what the preset says, else the defaults."""
    given = {
        name: getattr(arguments, name)
        for name in ("metrics", *TABLE)
        if getattr(arguments, name) is not None
    }
    words = settings(arguments.preset, **given) if arguments.preset else given
    options = Options(**{name: word for name, word in words.items() if name in TABLE})
    return options, words.get("metrics") or "all"


@contextmanager
def connected(arguments: Namespace) -> Iterator[Client | None]:
    """A client of the cluster that `--scheduler` asks for, closed at the end.

    None without that option.

    Raises what `scorer.run.distributed.connected` raises.
    """
    if arguments.scheduler is None:
        yield None
        return
    from scorer.run import distributed

    with distributed.connected(arguments.scheduler) as client:
        yield client


def listed(text: str) -> list[str]:
    """Split a list at its commas; ArgumentTypeError where it is written with +.

    >>> listed("kinds, links")
    ['kinds', 'links']
    """
    if "+" in text:
        from argparse import ArgumentTypeError

        raise ArgumentTypeError(f"{text!r} is a list with +; write {text.replace('+', ',')}")
    return [word for part in text.split(",") if (word := part.strip())]


def floor(text: str) -> tuple[str, float]:
    """Read `METRIC=PERCENT`, the least F1 of a metric; ValueError where it is neither."""
    metric, _, least = text.partition("=")
    if not 0 <= float(least) <= 100:
        raise ValueError
    from scorer.registry import canonical

    return canonical(metric), float(least)


def number(text: str) -> int:
    """A whole number that is not negative; ValueError otherwise."""
    value = int(text)
    if value < 0:
        raise ValueError
    return value


def positive(text: str) -> float:
    """A number greater than 0; ValueError otherwise."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError
    return value


def share(text: str) -> float:
    """A number from 0 to 1; ValueError otherwise."""
    value = float(text)
    if not 0 <= value <= 1:
        raise ValueError
    return value


def seconds(text: str) -> float:
    """A number of seconds greater than 0; ValueError otherwise.

    Messages go by the name of the function, hence this one.
    """
    return positive(text)


def size(text: str) -> int:
    """A number of bytes greater than 0, such as 500000, 64K, 200M or 1G; ValueError otherwise.

    >>> size("200M"), size("1.5g")
    (209715200, 1610612736)
    """
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    number = text.upper().removesuffix("B")
    power = units.get(number[-1:], 0)
    value = float(number[:-1] if power else number) * (1 << power)
    if not 1 <= value < float("inf"):
        raise ValueError
    return int(value)
