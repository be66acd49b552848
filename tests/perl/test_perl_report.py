"""The reference's numbers. The text around them is compared to measured runs in test_golden."""

import re
from pathlib import Path

import pytest

import scorer
from scorer.evaluation.report import Layout
from scorer.perl import render

STORY = Path(__file__).parents[2] / "fixtures" / "formats" / "story.corefud.conllu"


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ("--match head", "does not support match=head, as the reference scorer does not"),
        (
            "--preset crac24",
            "does not support match=head, zeros=dependent, like=corefud-1.2, as the reference",
        ),
        ("--split-antecedents score", "does not support split_antecedents=score, as the reference"),
        ("--typed etype", "does not support typed=etype, as the reference scorer does not"),
        ("--metrics muc,mor,zero", "cannot show mor and zero"),
        ("--per-document", "cannot print mention ('0:0.1',) of document 'answer'"),
    ],
)
def test_what_the_reference_does_not_know_is_refused(main, options, problem):
    status, out, err = main("score", STORY, STORY, "--format", "perl", *options.split())
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"scorer score: the perl report {problem}")
    assert "; choose another format" in err


KEY = ["(0)", "(1)", "(0)", "(2)|(3)", "(3)"]
RESPONSE = ["(0)", "(5)", "(0)", "(3)|(4)", "(3)"]
"""The cells of five tokens, all of which are mentions."""


@pytest.mark.parametrize(
    ("options", "key", "response"),
    [
        ([], "02 1 3 34", "02 1 34 3"),
        (["--singletons", "drop"], "02 34", "02 34"),
        (["--singletons", "drop-response"], "02 1 3 34", "02 34"),
        (["--duplicates", "keep"], "02 1 3 34", "02 1 34 3"),
        (["--duplicates", "first"], "02 1 3 4", "02 1 34"),
        (["--duplicates", "last"], "02 1 34", "02 1 4 3"),
        (["--duplicates", "first", "--singletons", "drop"], "02 34", "02 34"),
    ],
)
def test_the_entities_of_a_document_are_those_that_were_scored(
    options, key, response, main, tmp_path
):
    """The tokens of each entity; of two equal mentions, the reference prints both."""
    for side, cells in (("key", KEY), ("response", RESPONSE)):
        rows = [f"d\t0\t{token}\tw\t{cell}\n" for token, cell in enumerate(cells)]
        text = "".join(["#begin document (d)\n", *rows, "\n#end document\n"])
        (tmp_path / side).write_text(text, "utf-8")
    called = [
        "score",
        tmp_path / "key",
        tmp_path / "response",
        "--format",
        "perl",
        "--per-document",
    ]
    status, out, _ = main(*called, "--metrics", "muc", "--quiet", *options)
    assert status == 0
    printed = [re.findall(r"^Entity \d: (.*)$", side, re.MULTILINE) for side in out.split("====>")]
    tokens = [" ".join(re.sub(r"\((\d),\d\) ?", r"\1", text) for text in side) for side in printed]
    assert tokens == ["", key, response]


@pytest.mark.parametrize(
    ("metrics", "layout", "problem"),
    [
        ("mentions", None, "needs mentions and one of muc, bcub, ceafm, ceafe, blanc, or lea"),
        ("mentions,muc", Layout(average="macro"), "cannot show groups or macro-averages; choose"),
        ("mentions,muc", Layout(group_by="(.*)"), "cannot show groups or macro-averages; choose"),
        ("mentions,muc", Layout(per_document=True), "prints the clusters of each document, so"),
    ],
)
def test_what_the_report_has_no_form_for_is_refused(metrics, layout, problem):
    evaluation = scorer.score([[(0, 1), (3, 3)]], [[(0, 1), (3, 3)]], metrics=metrics)
    with pytest.raises(ValueError, match=f"^the perl report {re.escape(problem)}"):
        render(evaluation, layout)
