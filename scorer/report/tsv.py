"""As `csv`, with TAB between the values."""

from __future__ import annotations

from scorer.evaluation.layout import Layout
from scorer.report.csv import separated

TYPE_CHECKING = False
if TYPE_CHECKING:
    from scorer.evaluation.evaluation import Evaluation


def render(evaluation: Evaluation, layout: Layout | None = None) -> str:
    """A heading, the rows, and rows of kind `removed` and `signature` of which only the name is filled."""
    return separated(evaluation, layout or Layout(), "tsv", "\t")
