"""Links between mentions, and which are wrong."""

import json
from io import BytesIO

import pytest
from hypothesis import given

import scorer
from analysed import TAGS, corefud, errors_of, found, golden, spans
from conll.io import open_documents
from scorer.analysis import document_errors
from scorer.analysis.pair import NOMINAL, PRONOUN
from strategies import partitions


def tag_of(letter):
    return "PRP" if letter.isupper() else "NNP" if "n" <= letter <= "r" else "NN"


@pytest.mark.parametrize("row", golden("link-errors.jsonl"), ids=lambda row: row["name"])
def test_link_errors_are_those_of_cort(row):
    order = row["order"]
    key, response = (
        spans([[order.index(m) for m in cluster] for cluster in row[side]])
        for side in ("key", "response")
    )
    pair = found(key, response, [tag_of(letter) for letter in order]).pair

    def wrong(every):
        wrong_links = ((link.anaphor, link.antecedent) for link in every if not link.right)
        return sorted([order[pair.mentions[end][0]] for end in link] for link in wrong_links)

    assert wrong(document_errors.recall_links(pair)) == sorted(row["recall_closest"])
    assert wrong(document_errors.recall_links(pair, "accessible")) == sorted(
        row["recall_accessibility"]
    )
    assert wrong(document_errors.precision_links(pair, links="output")) == sorted(
        row["precision_system_output"]
    )


@given(partitions(), partitions(), TAGS)
def test_wrong_links_of_trees_are_mucs(key, response, tags):
    pair = found(spans(key), spans(response), tags).pair
    (counts,) = scorer.score(spans(key), spans(response), metrics="muc").totals["muc"]
    for antecedents in document_errors.ANTECEDENTS:
        recall = [link.right for link in document_errors.recall_links(pair, antecedents)]
        precision = [link.right for link in document_errors.precision_links(pair, antecedents)]
        assert (sum(recall), len(recall), sum(precision), len(precision)) == counts.as_tuple()


def test_antecedents_of_json_lines():
    key = {"doc_key": "a", "tokens": list("abcd"), "clusters": [[[0, 0], [2, 2]], [[1, 1], [3, 3]]]}
    response = {"doc_key": "a", "clusters": [[[at, at] for at in range(4)]]}
    # An antecedent after its anaphor is none.
    given = [[[2, 2], [0, 0]], [[3, 3], [2, 2]], [[1, 1], "x"], [[0, 0], [2, 2]]]
    response["antecedents"] = given
    for how, numbers in (("auto", (1, 2)), ("tree", (1, 3))):
        links_ = errors_of(key, response, links=how).links
        assert links_["response", NOMINAL, NOMINAL] == numbers
    exclusive = {"doc_key": "a", "clusters": [[[0, 1], [2, 3]]], "antecedents": [[[2, 3], [0, 1]]]}
    source = open_documents(BytesIO(json.dumps(exclusive).encode()), "jsonl_exclusive")
    assert source.read("a").antecedents == {(2, 2): (0, 0)}


@pytest.mark.parametrize("match", ["head", "partial"])
def test_antecedents_of_mentions_that_stand_for_others(match):
    """The key has {the dog, it}; the response links it to dog, which is the head of the former."""
    key = corefud(
        ("the", 0, "(e1-animal-2"), ("dog", 1, "e1)"), ("saw", 1, ""), ("it", 1, "(e1-animal-1)")
    )
    response = {
        "doc_key": "a",
        "tokens": ["the", "dog", "saw", "it"],
        "clusters": [[[1, 1], [3, 3]]],
    }
    response["antecedents"] = [[[3, 3], [1, 1]]]
    counts = errors_of(key, response, match=match).links
    assert {cell: numbers for cell, numbers in counts.items() if any(numbers)} == {
        (side, PRONOUN, NOMINAL): (0, 1) for side in ("key", "response")
    }
