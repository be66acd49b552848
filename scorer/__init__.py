# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""Score coreference resolution, compare systems and find their errors.

Functions, each with the arguments and the figures of the command of its name:

    score        score a response against a key
    compare      compare systems: intervals and significance
    leaderboard  score many systems, and rank them
    errors       find the errors of a response, and what they cost
    agreement    measure how far annotators agree
    batch        score the rows of a manifest
    check        list the problems of files
    convert      write the documents of a file in another format
    score_spans  score mentions or named entities as spans
    score_muc7   score as MUC-7 did

`Accumulator` counts documents as they come, in a training loop. `Options` describes all choices.

>>> import scorer
>>> key = [[(0, 1), (5, 5)], [(3, 4), (8, 8)]]
>>> response = [[(0, 1), (5, 5), (3, 4)]]
>>> evaluation = scorer.score(key, response)
>>> evaluation.ratios("muc")
Ratios(recall=0.5, precision=0.5, f1=0.5)
"""

import os
import sys
from importlib import import_module
from importlib.machinery import PathFinder

# This file is kept readable by any Python 3, so that an old one gets this line.
if sys.version_info < (3, 11):  # noqa: UP036
    THIS = f"{sys.version_info[0]}.{sys.version_info[1]}"
    TOO_OLD = f"scorer: it takes Python 3.11 or later, and this is {THIS}"
    if sys.argv[:1] != ["-m"]:
        raise ImportError(TOO_OLD)
    sys.stderr.write(TOO_OLD + "; try python3.12 -m scorer\n")
    sys.exit(2)

from scorer.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from conll.errors import ConllError
    from scorer.analysis.errors import Errors
    from scorer.analysis.find import errors
    from scorer.annotators.agreement import Agreement, agreement
    from scorer.batches.batch import BatchTable, batch
    from scorer.checking.check import check
    from scorer.comparison.board import Leaderboard
    from scorer.comparison.compare import compare
    from scorer.comparison.leaderboard import leaderboard
    from scorer.conversion.convert import convert
    from scorer.count.counts import Counts, Metric, Ratios
    from scorer.evaluation.evaluation import DocumentScore, Evaluation
    from scorer.events import ScorerWarning
    from scorer.keywords import Clusters, Documents, Mention
    from scorer.options import Options
    from scorer.scoring.accumulator import Accumulator
    from scorer.scoring.library import score
    from scorer.spans.muc7_scores import Muc7Scores, score_muc7
    from scorer.spans.scores import SpanScores, score_spans
    from scorer.statistics.resampling import Resampling
    from scorer.systems.comparison import Comparison

__all__ = [
    "Accumulator",
    "Agreement",
    "BatchTable",
    "Clusters",
    "Comparison",
    "ConllError",
    "Counts",
    "DocumentScore",
    "Documents",
    "Errors",
    "Evaluation",
    "Leaderboard",
    "Mention",
    "Metric",
    "Muc7Scores",
    "Options",
    "Ratios",
    "Resampling",
    "ScorerWarning",
    "SpanScores",
    "__version__",
    "agreement",
    "batch",
    "check",
    "compare",
    "convert",
    "errors",
    "leaderboard",
    "score",
    "score_muc7",
    "score_spans",
]

_LATER = {
    "conll.errors": ["ConllError"],
    "scorer.analysis.errors": ["Errors"],
    "scorer.systems.comparison": ["Comparison"],
    "scorer.comparison.board": ["Leaderboard"],
    "scorer.statistics.resampling": ["Resampling"],
    "scorer.count.counts": ["Counts", "Metric", "Ratios"],
    "scorer.evaluation.evaluation": ["DocumentScore", "Evaluation"],
    "scorer.keywords": ["Clusters", "Documents", "Mention"],
    "scorer.batches.batch": ["BatchTable", "batch"],
    "scorer.analysis.find": ["errors"],
    "scorer.annotators.agreement": ["Agreement", "agreement"],
    "scorer.events": ["ScorerWarning"],
    "scorer.scoring.accumulator": ["Accumulator"],
    "scorer.scoring.library": ["Options", "score"],
    "scorer.spans.muc7_scores": ["Muc7Scores", "score_muc7"],
    "scorer.checking.check": ["check"],
    "scorer.conversion.convert": ["convert"],
    "scorer.comparison.compare": ["compare"],
    "scorer.comparison.leaderboard": ["Leaderboard", "leaderboard"],
    "scorer.spans.scores": ["SpanScores", "score_spans"],
}
"""Names imported only on first use, so that scorer.pl starts without them, by their modules."""


def _find_conll() -> None:
    """Import the modules of our package `conll` where a foreign file conll.py has that name.

    They stand under their full names, such as conll.document, which is how they are imported here;
    the name conll alone still leads to the foreign file.

    Raises:
        ImportError: The name leads to a foreign package, whose modules may have the same names.
    """
    folder = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    own = os.path.join(folder, "conll", "__init__.py")
    _check_whole(own)
    foreign = sys.modules.get("conll")
    # All finders, as conll_scorer adds one.
    specs = (finder.find_spec("conll", None) for finder in sys.meta_path)
    taken = foreign or next(filter(None, specs), None)
    file = getattr(taken, "__file__", None) or getattr(taken, "origin", None)
    if taken is None or file == own or (file and os.path.realpath(file) == os.path.realpath(own)):
        return
    if (
        foreign is None
        and sys.argv[:1] == ["-m"]
        and ("-m", "scorer") in zip(sys.orig_argv, sys.orig_argv[1:])
    ):
        sys.path.insert(0, folder)
        return
    folders = getattr(taken, "__path__", None) or getattr(taken, "submodule_search_locations", None)
    if folders:
        raise ImportError(
            f"scorer needs its own package conll, and {file or next(iter(folders))} has taken that "
            "name; start in another directory, or with `python -P`, or write `import conll_scorer` "
            "before both",
            name="conll",
            path=file,
        )
    from importlib.util import module_from_spec
    from pkgutil import iter_modules

    spec = PathFinder.find_spec("conll", [folder])
    assert spec is not None
    assert spec.loader is not None
    sys.modules["conll"] = package = module_from_spec(spec)
    try:
        spec.loader.exec_module(package)
        for module in iter_modules(package.__path__):
            import_module(f"conll.{module.name}")
    finally:
        del sys.modules["conll"]
        if foreign is not None:
            sys.modules["conll"] = foreign


def _check_whole(file: str) -> None:
    """Raise ImportError if the first file of our package `conll` is gone or another one.

    Other packages bring a file of the same name, and pip overwrites or removes ours without a word.
    """
    try:
        with open(file, "rb") as opened:
            is_whole = b"\n_LATER = {" in opened.read()
    except FileNotFoundError:
        is_whole = False
    if not is_whole:
        raise ImportError(
            f"another package has overwritten or removed {file}; pip uninstall that package, then "
            "pip install --force-reinstall conll-scorer",
            name="conll",
            path=file,
        )


_find_conll()


def __getattr__(name: str) -> object:
    for module, names in _LATER.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__
