"""Scores coreference: reference 8.01's figures, from Python.

>>> import scorer
>>> key = [[(0, 1), (5, 5)], [(3, 4), (8, 8)]]
>>> response = [[(0, 1), (5, 5), (3, 4)]]
>>> evaluation = scorer.score(key, response)
>>> evaluation.ratios("muc")
Ratios(recall=0.5, precision=0.5, f1=0.5)
"""

from __future__ import annotations

__version__ = "0.1.0"

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.accumulator import Accumulator
    from scorer.comparison import Comparison, compare
    from scorer.corpora import score_manifest
    from scorer.counts import Counts, Ratios
    from scorer.evaluate import DocumentScore, Evaluation
    from scorer.leaderboard import Leaderboard
    from scorer.metric import Metric
    from scorer.options import Options
    from scorer.scoring import score
    from scorer.submissions import rank_responses

__all__ = [
    "Accumulator",
    "Comparison",
    "Counts",
    "DocumentScore",
    "Evaluation",
    "Leaderboard",
    "Metric",
    "Options",
    "Ratios",
    "__version__",
    "compare",
    "rank_responses",
    "score",
    "score_manifest",
]

_LATER = {
    "Accumulator": "scorer.accumulator",
    "Comparison": "scorer.comparison",
    "Counts": "scorer.counts",
    "DocumentScore": "scorer.evaluate",
    "Evaluation": "scorer.evaluate",
    "Leaderboard": "scorer.leaderboard",
    "Metric": "scorer.metric",
    "Options": "scorer.options",
    "Ratios": "scorer.counts",
    "compare": "scorer.comparison",
    "rank_responses": "scorer.submissions",
    "score": "scorer.scoring",
    "score_manifest": "scorer.corpora",
}
"""What is imported when it is asked for: scorer.pl starts without it."""


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATER[name]), name)


def __dir__() -> list[str]:
    return __all__
