"""The reference's numbers. The text around them is compared to measured runs in test_golden."""

import re
from pathlib import Path

import pytest

import scorer
from scorer.evaluation.evaluation import Layout
from scorer.perl import render

STORY = Path(__file__).parents[2] / "fixtures" / "formats" / "story.corefud.conllu"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--match head", "supports only exact matching, as the reference scorer does"),
        ("--preset crac24", "supports only exact matching, as the reference scorer does"),
        ("--typed etype", "does not support types of mentions, as the reference scorer does not"),
        ("--metrics muc,mor,zero", "cannot show mor and zero"),
        ("--per-document", "cannot print mention ('0:0.1',) of document 'answer'"),
    ],
)
def test_what_the_reference_does_not_know_is_refused(main, options, problem):
    status, out, err = main("score", STORY, STORY, "--format", "perl", *options.split())
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"scorer score: the perl report {problem}; choose another format")


@pytest.mark.parametrize(
    ("metrics", "layout", "problem"),
    [
        ("mentions", None, "needs mentions and one of muc, bcub, ceafm, ceafe, blanc, or lea"),
        ("mentions,muc", Layout(average="macro"), "cannot show groups or macro-averages; choose"),
        ("mentions,muc", Layout(by="(.*)"), "cannot show groups or macro-averages; choose"),
        ("mentions,muc", Layout(per_document=True), "prints the clusters of each document, so"),
    ],
)
def test_what_the_report_has_no_form_for_is_refused(metrics, layout, problem):
    evaluation = scorer.score([[(0, 1), (3, 3)]], [[(0, 1), (3, 3)]], metrics=metrics)
    with pytest.raises(ValueError, match=f"^the perl report {re.escape(problem)}"):
        render(evaluation, layout)
