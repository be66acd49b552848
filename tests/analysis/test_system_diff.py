"""The errors of two responses, mention by mention."""

from itertools import chain

import pytest

import scorer
from analysed import KEY, RESPONSE, spans
from scorer.analysis.document_errors import EXTRA_MENTION, MISSING_ENTITY, MISSING_MENTION
from scorer.analysis.errors_tables import _stratum_rows


def test_against():
    key = {"a": spans([[0, 1, 2], [3, 4]])}
    # The first lacks 2 and has 5, which is spurious; the second lacks 3 and 4.
    responses = spans([[0, 1], [3, 4, 5]]), spans([[0, 1, 2]])
    first, second = (scorer.errors(key, {"a": side}, metrics="muc") for side in responses)
    against = first.against(second)
    diffs = {diff.mention: diff for diff in against.mention_diffs()}
    assert {
        mention: (*diff.kinds, diff.outcome, *diff.other_kinds) for mention, diff in diffs.items()
    } == {
        (2, 2): (MISSING_MENTION, "wrong here only"),
        (3, 3): ("wrong there only", MISSING_ENTITY),
        (4, 4): ("wrong there only", MISSING_ENTITY),
        (5, 5): (EXTRA_MENTION, "wrong here only"),
    }
    assert list(against.by_kind[MISSING_MENTION].values()) == [1, 0, 0]
    assert list(against.by_kind[MISSING_ENTITY].values()) == [0, 2, 0]
    assert list(against.by_stratum["size", "3–5"].values()) == [1, 0, 0, 2]
    assert list(first.against(first).by_kind[MISSING_MENTION].values()) == [0, 0, 1]
    message = "against: the two responses were scored on other documents"
    with pytest.raises(ValueError, match=message):
        first.against(scorer.errors({"b": key["a"]}, {"b": []}, metrics="muc"))


def test_mentions_of_two_responses_are_in_the_order_of_the_text():
    key = [[(0, 0), (9, 9)]]
    sides = [[*key, [(4, 8)]], [*key, [(2, 2)], [(4, 4)]]]
    first, second = (scorer.errors(key, side, metrics="muc") for side in sides)
    diffs = first.against(second).mention_diffs()
    assert [diff.mention for diff in diffs] == [(2, 2), (4, 4), (4, 8)]
    # Mentions that are no words have no place there: one of each response follows the other.
    key, *sides = ([[f"{letter}{at}" for at in range(9)]] for letter in "abc")
    first, second = (scorer.errors(key, side, metrics="muc") for side in sides)
    mentions = [diff.mention for diff in first.against(second).mention_diffs()]
    assert mentions == [*key[0], *chain.from_iterable(zip(*chain.from_iterable(sides)))]


def test_sentences_to_read_first():
    errors, right = (scorer.errors(KEY, side, metrics="muc") for side in (RESPONSE, KEY))
    sentences = errors.against(right).sentences
    assert [(one.document, one.line, one.here, one.there) for one in sentences] == [
        ("(example/letter); part 000", 9, 1, 0),
        ("(example/report); part 000", 36, 1, 0),
    ]
    assert sentences[0].words == "She showed her the engine , and Grace thanked Ada for it ."


def test_values_of_strata_are_ordered_by_number():
    """As text, 11 would come before 2."""
    errors = scorer.errors({"a": [[(0, 1), (5, 20)]]}, {"a": []})
    rows = _stratum_rows(errors.against(errors))
    assert [row.value for row in rows if row.stratum == "length"] == ["2", "11+"]
