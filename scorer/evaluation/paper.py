"""The table of an evaluation that papers print, in LaTeX."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from conll.errors import pluralize
from scorer.evaluation.layout import DEFINED
from scorer.report.paper_table import PaperRow, metrics_of_paper, paper_table

if TYPE_CHECKING:
    from scorer.count.counts import Ratios
    from scorer.evaluation.evaluation import Evaluation


def latex_of(evaluation: Evaluation, average: str, ratios: str) -> str:
    """Write the table of one system.

    Args:
        evaluation: What was scored.
        average: "macro" or "macro-defined" for means over documents; else figures are those of
            the totals.
        ratios: The ratios to show: all, or f1.
    """
    metrics = metrics_of_paper(evaluation.names)
    documents = pluralize(evaluation.scored, "document")
    figures: dict[str, Ratios] = {}
    for metric in metrics:
        if average in ("macro", DEFINED):
            figures[metric] = evaluation.macro(metric, defined=average == DEFINED)
        else:
            figures[metric] = evaluation.ratios(metric)
    caption = f"Scores on {documents}, in percent."
    if average == "macro":
        caption = f"Means over {documents}, in percent."
    elif average == DEFINED:
        caption = f"Means over those of {documents} where they are defined, in percent."
    row = PaperRow(system=_system_of(evaluation), ratios=figures)
    rounding = evaluation.options.rounding
    return paper_table([row], metrics, caption=caption, rounding=rounding, ratios=ratios)


def _system_of(evaluation: Evaluation) -> str:
    """Name the system after the file of the response, if it is one."""
    names = [source.name for source in evaluation.inputs if source.side == "response"]
    name = names[0] if len(names) == 1 else ""
    return os.path.splitext(name)[0] or "response"
