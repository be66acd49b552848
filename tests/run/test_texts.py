"""Texts of language models in fixtures/texts, each scored or converted as a user would."""

from pathlib import Path

import pytest

import scorer

TEXTS = Path(__file__).parents[2] / "fixtures" / "texts"
KEY = TEXTS / "llm-key.conll"


CASES = [
    # {10–11, 13–14} of the engine, and not a mention across the end of a sentence.
    ("llm-truncated.md", 78.45),
]


@pytest.mark.parametrize(("text", "conll"), CASES)
def test_scores(text, conll):
    evaluation = scorer.score(KEY, TEXTS / text, metrics="conll")
    assert round(100 * evaluation.ratios("conll").f1, 2) == conll


def test_the_tool_of_the_track_drops_the_tag_of_a_doubled_word(main):
    given = TEXTS / "crac-doubled.txt", "-", "--key", TEXTS / "crac-doubled-key.conllu"
    status, out, _ = main("convert", *given, "--to", "corefud", "--repair", "crac")
    assert (status, "Entity" in out.partition("# newdoc")[2]) == (0, False)
    assert "Entity=(e1" in main("convert", *given, "--to", "corefud")[1]
