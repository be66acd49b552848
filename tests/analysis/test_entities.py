"""Entities, and those that have a name."""

import pytest

import scorer
from analysed import errors_of, found, spans
from scorer.analysis import entities


def test_an_entity_is_compared_with_the_cluster_of_greatest_f1():
    """A cluster of eight holds two of its four mentions, F1 1/3; one alone is another, F1 2/5."""
    errors = scorer.errors(spans([range(4)]), spans([[0, 1, *range(4, 10)], [2]]), metrics="muc")
    [entity] = errors.entities
    assert (entity.common, entity.recall, entity.precision, entity.f1) == (1, 1 / 4, 1, 2 / 5)


def test_entities_and_nec():
    """Key: Ada {0, 2, 4} and Grace {1, 3}, a table {5, 6}."""
    words = ["Ada", "Grace", "she", "Grace", "her", "table", "it"]
    tags = ["NNP", "NNP", "PRP", "NNP", "PRP", "NN", "PRP"]
    key, response = spans([[0, 2, 4], [1, 3], [5, 6]]), spans([[0, 2], [1, 3, 4], [5, 6]])
    errors = scorer.errors({"a": key}, {"a": response}, metrics="muc")
    # By cost: 3 × (1 − .8), 2 × (1 − .8), 0.
    sizes = [(entity.size, entity.common, entity.f1) for entity in errors.entities]
    assert sizes == [(3, 2, 0.8), (2, 2, 0.8), (2, 2, 1.0)]
    assert errors.nec.f1 is None  # no names are known
    document = found(key, response, tags, words=words)
    assert [entity.name for entity in entities.entities_of(document)] == ["Ada", "Grace", "table"]
    nec = entities.nec([document])
    # Of names Ada has all, Grace both; of pronouns Ada has one of two, Grace's cluster the other.
    assert nec.by_type == {
        "name": (1, 2),
        "nominal": (None, 0),
        "pronoun": (pytest.approx(1 / 3), 2),
    }
    for clusters, f1, missed in (
        ([[0, 2], [1, 3, 4], [5, 6]], 0.8, 0),
        # A cluster that has the right mentions of Ada and no name of hers counts nothing.
        ([[2, 4], [1, 3]], 0.5, 1),
        # One cluster holds both names, and can stand for one entity only: 2 × 3 / (3 + 5) is more
        # than 2 × 2 / (2 + 5).
        ([[0, 1, 2, 3, 4]], 0.375, 1),
    ):
        nec = entities.nec([found(key, spans(clusters), tags, words=words)])
        assert (nec.f1, nec.missed) == (pytest.approx(f1), missed)


def test_a_name_without_words_is_found_nowhere():
    rows = "a 0 0 [WORD] NNP * - - - - * (0)\na 0 1 [WORD] PRP * - - - - * (0)\n"
    response = {"doc_key": "a", "clusters": [[[1, 1]]]}
    errors = errors_of(f"#begin document a\n{rows}#end document\n", response)
    assert (errors.nec.f1, errors.nec.entities) == (None, 0)
    assert [entity.name for entity in errors.entities] == ["[0, 0]"]
