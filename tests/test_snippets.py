"""What users write first, as they would guess it: each snippet runs without a warning."""

import warnings

import pytest

import scorer
import snippets


@pytest.mark.parametrize("snippet", snippets.ALL)
def test_a_snippet_runs(snippet, capsys):
    snippet()
    assert capsys.readouterr().err == ""


def test_what_is_odd_is_one_warning_and_an_error_where_asked_for():
    pair = [(0, 0), (1, 1)]
    key = {"a": [pair], "b": [pair], "c": [pair]}
    response = {"a": [pair], "d": [[(0, 0)]]}
    with pytest.warns(scorer.ScorerWarning) as caught:
        evaluation = scorer.score(key, response)
    (warning,) = caught
    assert warning.filename == __file__
    assert "document b: the response is missing this document" in str(warning.message)
    assert "(and 1 more like it)" in str(warning.message)
    assert len(evaluation.problems) == 3
    for call in (scorer.score, scorer.errors, scorer.score_spans, scorer.score_muc7):
        with pytest.raises(scorer.ConllError, match="the key is missing this document"):
            call(key, response, strict=True)
    for call in (scorer.compare, scorer.leaderboard):
        with pytest.raises(scorer.ConllError, match=r"and 2 other problems"):
            call(key, {"x": response}, strict=True)
        with pytest.warns(scorer.ScorerWarning) as caught:
            call(key, {"x": response, "y": response}, trials=9)
        assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scorer.score(key, key, strict=True)
