"""What is drawn where in plots, and what pages call it."""

import re
from math import nan
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

import scorer
from scorer.report import drawing, plots

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = (str(FIXTURES / f"example.{side}.conll") for side in ("key", "response"))


@pytest.mark.parametrize("gains", [[0.2116, 0.01], [0.9999], [-0.5, 0.0], [0.0, 0.0]])
def test_figures_beside_marks_stand_inside_the_frame(gains):
    rows = [plots.Interval(f"kind {gain}", None, gain, nan, nan) for gain in gains]
    svg = ET.fromstring(plots.intervals(rows, "costs", signed=True))
    [frame] = [part for part in svg.iter("rect") if part.get("class") == "frame"]
    right = float(frame.get("x")) + float(frame.get("width"))
    figures = [part for part in svg.iter("text") if re.fullmatch(r"[+-]\d+\.\d\d", part.text)]
    assert len(figures) == len(gains)
    for text in figures:
        assert float(text.get("x")) + drawing.LETTER * drawing.width(text.text) <= right


def test_the_mark_of_all_documents_has_a_legend():
    points = [plots.Point("d", None, None, 0.5, 0.5)]
    total = plots.Point("all documents", None, 4, 0.5, 0.25)
    svg = ET.fromstring(plots.recall_against_precision(points, "MUC", total=total))
    assert "all documents" in [text.text for text in svg.iter("text")]
    marks = [part for part in svg.iter("path") if part.get("class") == "mark mark-3"]
    assert len(marks) == 2
    height = float(svg.get("height"))
    [legend] = [text for text in svg.iter("text") if text.text == "all documents"]
    assert float(legend.get("y")) < height
    without = ET.fromstring(plots.recall_against_precision(points, "MUC"))
    assert float(without.get("height")) < height


def test_a_page_names_files_in_the_tab_and_metrics_as_papers_do():
    text = scorer.score(KEY, RESPONSE).to_html()
    title = "example.response.conll against example.key.conll – Coreference scores"
    assert f"<title>{title}</title>" in text
    assert "<h1>Coreference scores</h1>" in text
    assert "example.response.conll against example.key.conll: CoNLL F1 79.91." in text
    shown = re.sub("<style>.*?</style>|<footer>.*?</footer>", "", text, flags=re.DOTALL)
    for name in ("MUC", "B³", "CEAFe", "CoNLL"):
        assert f"<bdi>{name}</bdi>" in shown
        assert f">{name}</text>" in shown
    assert not re.search(r">(muc|bcub|ceafe|conll)\b", shown)
    assert "The axis does not start at 0." in shown


def test_numbers_beside_headings_say_what_they_count():
    text = scorer.score(KEY, RESPONSE).to_html(per_document=True)
    assert '<h2>Documents</h2><span class="faint">2 rows</span>' in text
