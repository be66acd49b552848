"""The table of an evaluation that papers print, in LaTeX."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from conll.errors import pluralize
from scorer.report.paper_table import PaperRow, metrics_of_paper, paper_table

if TYPE_CHECKING:
    from scorer.evaluation.evaluation import Evaluation


def latex_of(evaluation: Evaluation, average: str, ratios: str) -> str:
    """Write the table of one system.

    Args:
        evaluation: What was scored.
        average: "macro" for means over documents; else figures are those of the totals.
        ratios: The ratios to show: all, or f1.
    """
    metrics = metrics_of_paper(evaluation.names)
    documents = pluralize(evaluation.scored, "document")
    if average == "macro":
        ratios_of = evaluation.macro
        caption = f"Means over {documents}, in percent."
    else:
        ratios_of = evaluation.ratios
        caption = f"Scores on {documents}, in percent."
    figures = {metric: ratios_of(metric) for metric in metrics}
    row = PaperRow(system=_system_of(evaluation), ratios=figures)
    rounding = evaluation.options.rounding
    return paper_table([row], metrics, caption=caption, rounding=rounding, ratios=ratios)


def _system_of(evaluation: Evaluation) -> str:
    """Name the system after the file of the response, if it is one."""
    names = [source.name for source in evaluation.inputs if source.side == "response"]
    name = names[0] if len(names) == 1 else ""
    return os.path.splitext(name)[0] or "response"
