"""The settings of shared tasks, each under one word: keywords of `scorer.score`.

>>> from scorer import score
>>> a = [[(0, 0), (2, 2)], [(4, 4)]]
>>> score(a, a, **settings("conll12")).ratios("conll").f1
1.0
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

COREFUD = "muc+bcub+ceafm+ceafe+blanc+lea+mor+zero+conll"
"""What CorefUD's scorer prints."""

_CRAC: dict[str, str] = {
    "metrics": COREFUD,
    "duplicates": "corefud",
    "singletons": "drop",
    "blanc_edges": "luo2014",
    "like": "corefud-1.2",
    "percent": "rounded",
}

PRESETS: dict[str, dict[str, str]] = {
    "conll12": {
        "metrics": "mentions+muc+bcub+ceafm+ceafe+blanc+conll",
        "singletons": "keep",
        "blanc_edges": "recasens2011",
        "match": "exact",
        "zeros": "linear",
    },
    "conll-v4": {"metrics": "muc+bcub_conll_v4+ceafm_conll_v4+ceafe_conll_v4+conll_v4", "singletons": "keep"},
    "crac22": {**_CRAC, "match": "partial", "zeros": "linear"},
    "crac23": {**_CRAC, "match": "head", "zeros": "linear"},
    "crac24": {**_CRAC, "match": "head", "zeros": "dependent"},
    "crac25": {**_CRAC, "match": "head", "zeros": "dependent"},
}
"""CoNLL-2012 (Pradhan et al. 2012) with reference 8.01, and as the figures that CoNLL-2011 and CoNLL-2012 published were made
(`conll-v4`); CRAC 2022 (Žabokrtský et al. 2022) to CRAC 2025 (Novák et al. 2025) with CorefUD's scorer."""


def settings(name: str, **others: object) -> dict[str, Any]:
    """The settings called `name`, replaced by `others` where these are given and not None; ValueError if there are none.

    >>> settings("crac25", singletons="keep")["singletons"]
    'keep'
    """
    if name not in PRESETS:
        from conll.prose import meant

        raise ValueError(f"preset: {name!r} is not one of {', '.join(PRESETS)}{meant(name, PRESETS)}")
    return {**PRESETS[name]} | {option: value for option, value in others.items() if value is not None}
