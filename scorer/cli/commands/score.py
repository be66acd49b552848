"""Score a response against a key.

Each is a file (any format that `scorer formats` lists; .gz, .bz2 and .xz are unpacked), a directory, which stands for all its
files, the URL of one of these, or - for standard input. Documents are matched by their names; the key decides which ones are
scored.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager

from scorer.cli.commands import claim, complain, publish
from scorer.evaluation.layout import AVERAGES
from scorer.options import BLANC_EDGES, DUPLICATES, LIKE, MATCH, MISSING_DOCUMENTS, PERCENT, SINGLETONS, ZEROS
from scorer.presets import PRESETS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Action, ArgumentParser, Namespace, _ArgumentGroup
    from collections.abc import Iterable, Iterator, Sequence

    from distributed import Client

    from scorer.options import Options

HELP = "score a response against a key"

EPILOG = """\
duplicates (a mention that one side holds more than once):
  reference  as scorer.pl: the key keeps all; the response keeps the first if the key has the mention, else all
  first      the first stays, on both sides
  last       the last stays, on both sides
  keep       all stay and count
  corefud    as CorefUD's scorer: the first of each cluster stays
  error      refuse to score

match (CorefUD and other files with heads):
  exact      equal mentions stand for each other
  head       then mentions with the same head, those with the most tokens in common first
  partial    then response mentions inside of a key mention that hold its head

presets:
  conll12    CoNLL-2012: exact mentions, singletons kept
  crac22     the figures of CorefUD's scorer 1.2, without singletons: partial
  crac23     the same, by head
  crac24     the same, by head, and empty nodes by their dependencies (crac25 as well)

averages:
  micro      counts are summed over documents, then divided: what scorer.pl prints
  macro      mean over documents of their recall, precision and F1. What is 0/0 in a document counts as 0 there: a document
             without links lowers the macro-averaged MUC, even for a perfect response

reading the table: percent are cut off after two decimals, as scorer.pl does it, or rounded, with --percent and the presets of
CorefUD. conll is the mean F1 of muc, bcub and ceafe; it has no recall and no precision.

examples:
  scorer score key.conll response.conll
  scorer score key.conll response.conll --metrics muc bcub ceafe conll
  scorer score key.conll response.conll --by '^\\(?(\\w+)/' --average both
  scorer score key.conll response.jsonl --per-document --format csv --output scores.csv
  scorer score key.conllu response.conllu --preset crac25
  zcat response.gz | scorer score key.conll - --strict
  scorer score s3://bucket/key.conll s3://bucket/response.conll --scheduler tcp://10.0.0.1:8786

exit status: 0 scored, 1 problems found (--strict), 2 wrong usage or a file that cannot be read
"""


def add_arguments(parser: ArgumentParser) -> None:
    """The arguments of `scorer score`."""
    from scorer.evaluation.report import names

    parser.add_argument("key", metavar="KEY", help="the reference annotation")
    parser.add_argument("response", metavar="RESPONSE", help="the annotation to score")
    add_counting(parser)
    show = parser.add_argument_group("what to show")
    add_output(show, names())
    show.add_argument("--per-document", action="store_true", help="every document above the totals")
    show.add_argument("--average", choices=AVERAGES, default="micro", help="see below (default: %(default)s)")
    show.add_argument("--by", metavar="PATTERN", help="group documents by what this regular expression captures in their names")
    add_running(parser, scheduler=True)


def add_counting(parser: ArgumentParser) -> None:
    """The arguments that say what is counted, for every command that scores."""
    what = parser.add_argument_group("what to count")
    what.add_argument("--preset", choices=PRESETS, help="the settings of a shared task; other options go before it")
    # Without a default, so that what is given shows, and goes before a preset.
    what.add_argument(
        "--metrics",
        metavar="METRIC",
        action=_adding(),
        help="one or several of those that `scorer metrics` lists; again for more (default: all)",
    )
    what.add_argument("--documents", metavar="PATTERN", help="only documents in whose name this regular expression is found")
    what.add_argument("--match", choices=MATCH, help="which mentions stand for each other, equal or not (default: exact)")
    what.add_argument("--zeros", choices=ZEROS, help="empty nodes are aligned by place or dependencies (default: linear)")
    what.add_argument("--like", choices=LIKE, help="match and count as that program does (default: as the two above say)")
    what.add_argument("--percent", choices=PERCENT, help="two decimals of a percent: cut off or rounded (default: cut)")
    what.add_argument(
        "--duplicates",
        choices=DUPLICATES,
        help="repeated mentions; the end of `scorer score --help` explains (default: reference)",
    )
    what.add_argument(
        "--singletons",
        choices=SINGLETONS,
        help="clusters of one mention: drop them on both sides, or drop-response (default: keep)",
    )
    what.add_argument(
        "--missing-documents",
        choices=MISSING_DOCUMENTS,
        help="documents that the response lacks: score as empty, or refuse (default: empty)",
    )
    what.add_argument(
        "--blanc-edges",
        choices=BLANC_EDGES,
        help="a kind of links drops out of BLANC if the key has none (recasens2011, scorer.pl) or if neither side has (luo2014)",
    )


def _adding() -> type[Action]:
    """An action that puts what is given again behind what was given before, with + between."""
    from argparse import Action

    class Add(Action):
        def __call__(self, parser: object, namespace: Namespace, values: object, option_string: object = None) -> None:  # noqa: ARG002
            before = getattr(namespace, self.dest)
            setattr(namespace, self.dest, values if before is None else f"{before}+{values}")

    return Add


def add_output(group: _ArgumentGroup, formats: Sequence[str]) -> None:
    """The arguments that say in which of these formats to write, and where."""
    group.add_argument("--format", choices=formats, default="table", help="(default: %(default)s)")
    group.add_argument("--output", "-o", metavar="FILE", help="write here and not to standard output; replaced once all is written")


def add_running(
    parser: ArgumentParser,
    *,
    strict: str = "nothing is reported, exit status 1",
    jobs: str = "processes for large files",
    scheduler: bool = False,
) -> None:
    """The arguments that say how to read and how to run, for every command that scores; the words say what two of them do.

    `scheduler`: whether the command can run on a cluster; see `connected`.
    """
    how = parser.add_argument_group("how to run")
    how.add_argument(
        "--key-format", metavar="FORMAT", help="one of those that `scorer formats` lists (default: detected by content)"
    )
    how.add_argument("--response-format", metavar="FORMAT", help="likewise for what is scored")
    how.add_argument("--strict", action="store_true", help=f"any warning is an error: {strict}")
    how.add_argument("--jobs", type=number, metavar="N", default=1, help=f"{jobs} (default: 1; 0: one a core)")
    if scheduler:
        where = "the Dask cluster to run on (tcp://host:port, host:port, =FILE.json); by itself, one here of --jobs processes"
        how.add_argument("--scheduler", metavar="ADDRESS", nargs="?", const="", help=where)
    how.add_argument("--quiet", action="store_true", help="no warnings and no progress on stderr")


def run(arguments: Namespace) -> int:
    """Score, warn, report."""
    from conll.io.opening import open_documents
    from scorer.evaluation.layout import Layout
    from scorer.evaluation.report import render
    from scorer.patterns import compiled
    from scorer.report.perl import ALL as REFERENCE
    from scorer.run.score import WholeCorpus, score_corpus
    from scorer.selection import select

    options, metrics = chosen(arguments)
    perl = arguments.format == "perl"
    names, _ = select(REFERENCE if perl and metrics == "all" else metrics, options)
    _, counted = select(["mentions", *names] if perl else names, options)
    layout = Layout(per_document=arguments.per_document, average=arguments.average, by=arguments.by)
    if arguments.by is not None:
        compiled(arguments.by)
    if arguments.key == arguments.response == "-":
        raise ValueError("KEY and RESPONSE cannot both be standard input")
    claim(arguments.output, [arguments.key, arguments.response])
    key = open_documents(arguments.key, arguments.key_format)
    corpus = WholeCorpus(key, open_documents(arguments.response, arguments.response_format))
    layout.corpus = corpus
    jobs = arguments.jobs or cores()
    watch = None if arguments.quiet else progress
    keep = perl or layout.needs_documents
    with connected(arguments) as cluster:
        evaluation = score_corpus(corpus, counted, options, names, jobs=jobs, cluster=cluster, keep=keep, watch=watch)
    if refused(arguments, evaluation.problems):
        return 1
    # Whoever gives one path twice knows.
    if not arguments.quiet and arguments.key != arguments.response and len({one.sha256 for one in evaluation.inputs}) == 1:
        complain(f"note: {arguments.response} holds the same bytes as the key")
    publish(render(evaluation, arguments.format, layout), arguments.output)
    return 0


def refused(arguments: Namespace, warnings: Sequence[object]) -> bool:
    """Warn, unless `--quiet`; whether `--strict` makes an end of it."""
    if not arguments.quiet or arguments.strict:
        for warning in warnings:
            complain(f"warning: {warning}")
    if not (arguments.strict and warnings):
        return False
    complain(f"scorer {arguments.command}: {len(warnings)} warnings, and --strict makes each an error; nothing is reported")
    return True


def chosen(arguments: Namespace) -> tuple[Options, str]:
    """The options and the metrics: what is given, else what the preset says, else the defaults."""
    from scorer.options import Options

    defaults = {**Options().to_dict(), "metrics": "all"}
    found = defaults | (PRESETS[arguments.preset] if arguments.preset else {})
    found |= {name: value for name in defaults if (value := getattr(arguments, name)) is not None}
    metrics = found.pop("metrics") or "all"
    return Options(**found), metrics  # type: ignore[arg-type]  # each is a word


@contextmanager
def connected(arguments: Namespace) -> Iterator[Client | None]:
    """A client of the cluster that `--scheduler` asks for, closed in the end; None without that option.

    Raises what `scorer.run.dask.connected` raises.
    """
    if arguments.scheduler is None:
        yield None
        return
    from scorer.run import dask as cluster

    # One is what --jobs is without being given, and no cluster.
    with cluster.connected(arguments.scheduler, arguments.jobs if arguments.jobs > 1 else cores()) as client:
        yield client


@contextmanager
def scheduler_of(arguments: Namespace) -> Iterator[str | None]:
    """The address of the scheduler that `--scheduler` asks for, for processes that connect to it; None without that option.

    Raises what `scorer.run.dask.reachable` raises.
    """
    if arguments.scheduler is None:
        yield None
        return
    from scorer.run.dask import reachable

    with reachable(arguments.scheduler, cores()) as address:
        yield address


def progress(names: Iterable[str], unit: str = "documents") -> Iterable[str]:
    """The names of so many units, with a bar on stderr if that is a terminal and the work takes longer than a second."""
    if not sys.stderr.isatty():
        return names
    from tqdm import tqdm

    bar: Iterable[str] = tqdm(names, unit=f" {unit}", delay=1, leave=False)
    return bar


def number(text: str) -> int:
    """A whole number that is not negative; ValueError otherwise."""
    value = int(text)
    if value < 0:
        raise ValueError
    return value


def seconds(text: str) -> float:
    """A time of more than 0 seconds; ValueError otherwise."""
    value = float(text)
    if not 0 < value < float("inf"):
        raise ValueError
    return value


def size(text: str) -> int:
    """A number of bytes of more than 0, such as 500000, 64K, 200M or 1G; ValueError otherwise.

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


def cores() -> int:
    """The number of cores that this process may use."""
    import os

    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
