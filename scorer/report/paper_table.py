"""The table of scores that papers print, in LaTeX: a line for each system, columns by metric."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from scorer.count.counts import Ratios
from scorer.registry import ALL_METRICS, AVERAGES, title
from scorer.report.columns import figure
from scorer.report.forms import latex_cell
from scorer.report.report import SHOWN_RATIOS

HEADINGS = {"recall": "R", "precision": "P", "f1": "F1"}
"""The headings of ratios."""

USUAL_METRICS = ("muc", "bcub", "ceafe", "conll")
"""The metrics that are shown where all were scored."""

MARK = r"$^\dagger$"
"""The mark of systems that are not significantly worse than the best."""


class PaperRow(NamedTuple):
    """A system.

    Attributes:
        system: Its name.
        ratios: Recall, precision and F1 by metric.
        is_marked: The system is not significantly worse than the best.
    """

    system: str
    ratios: Mapping[str, Ratios]
    is_marked: bool = False


def metrics_of_paper(names: Sequence[str]) -> list[str]:
    """Choose metrics to show: those that were asked for, or of all those of CoNLL-2012."""
    if list(names) == list(ALL_METRICS):
        return list(USUAL_METRICS)
    return list(names)


def paper_table(
    rows: Sequence[PaperRow],
    metrics: Iterable[str],
    *,
    caption: str,
    rounding: str,
    ratios: str = "all",
) -> str:
    """Write the table, in percent; the best figure of each column is in bold.

    Args:
        rows: The systems.
        metrics: The metrics and averages to show.
        caption: The caption, in LaTeX.
        rounding: The option by which figures are made percent.
        ratios: One of `SHOWN_RATIOS`.
    """
    columns: list[tuple[str, str]] = []
    groups: list[str] = []
    rules: list[str] = []
    headings: list[str] = []
    for metric in metrics:
        # An average has an F1 alone.
        shown = ("f1",) if metric in AVERAGES else SHOWN_RATIOS[ratios]
        name = latex_cell(metric, title(metric))
        if len(shown) == 1:
            groups.append(name)
        else:
            # The first column holds the names of systems.
            first, last = len(columns) + 2, len(columns) + 1 + len(shown)
            groups.append(rf"\multicolumn{{{len(shown)}}}{{c}}{{{name}}}")
            rules.append(rf"\cmidrule(lr){{{first}-{last}}}")
        for ratio in shown:
            columns.append((metric, ratio))
            headings.append(HEADINGS[ratio])
    lines = [
        r"% needs \usepackage{booktabs}",
        r"\begin{table}",
        r"\centering\small",
        # Ten columns of figures fit on a page with narrow gaps.
        r"\setlength{\tabcolsep}{3.5pt}",
        rf"\begin{{tabular}}{{l{'r' * len(columns)}}}",
        r"\toprule",
        _line(["", *groups]),
    ]
    if rules:
        lines.append(" ".join(rules))
    lines += [_line(["", *headings]), r"\midrule"]
    figures = [
        [figure(getattr(row.ratios[metric], ratio), rounding) for metric, ratio in columns]
        for row in rows
    ]
    # As far as two decimals tell; a single system is not the best.
    best = [max(column, key=float) for column in zip(*figures)] if len(rows) > 1 else []
    for row, texts in zip(rows, figures):
        name = latex_cell(row.system, "")
        if row.is_marked:
            name += MARK
        lines.append(_line([name, *_in_bold(texts, best)]))
    lines += [r"\bottomrule", r"\end{tabular}", rf"\caption{{{caption}}}", r"\end{table}"]
    return "\n".join(lines)


def _line(cells: Iterable[str]) -> str:
    return " & ".join(cells) + r" \\"


def _in_bold(figures: Sequence[str], best: Sequence[str]) -> list[str]:
    """Put the figures in bold that are the best of their columns, as far as two decimals tell."""
    if not best:
        return list(figures)
    texts: list[str] = []
    for text, greatest in zip(figures, best):
        texts.append(rf"\textbf{{{text}}}" if text == greatest else text)
    return texts
