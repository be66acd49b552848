"""spaCy documents of a blank pipeline, as key and as response."""

import pytest
import spacy
from examples import KEY, TEXTS
from spacy.tokens import Doc

from scorer.adapters.spacy import clusters

VOCAB = spacy.blank("en").vocab


def document(name, listed, prefix="coref_clusters"):
    doc = Doc(VOCAB, words=TEXTS[name])
    for number, cluster in enumerate(listed, start=1):
        doc.spans[f"{prefix}_{number}"] = [doc[begin : end + 1] for begin, end in cluster]
    return doc


def test_other_groups_and_other_prefixes():
    doc = document("one", KEY["one"])
    doc.spans["coref_clusters_of_others_1"] = doc.spans["coref_head_clusters_1"] = doc.spans[
        "entities"
    ] = [doc[2:3]]
    assert clusters(doc) == KEY["one"]
    assert clusters(doc, "coref_head_clusters") == [[(2, 2)]]
    assert clusters(doc, "coref") == []


def test_the_order_is_that_of_the_numbers():
    doc = Doc(VOCAB, words=[str(number) for number in range(12)])
    for number in range(12, 0, -1):
        doc.spans[f"coref_clusters_{number}"] = [doc[number - 1 : number]]
    assert clusters(doc) == [[(number, number)] for number in range(12)]


def test_mentions_on_the_tokens_of_the_key():
    nlp = spacy.blank("en")
    key = nlp("Ann's cat can't sleep.")
    response = Doc(
        nlp.vocab,
        words=["Ann's", "cat", "can't", "sleep", "."],
        spaces=[True, True, True, False, False],
    )
    assert [token.text for token in key] == ["Ann", "'s", "cat", "ca", "n't", "sleep", "."]
    response.spans["coref_clusters_1"] = [response[0:2], response[2:4]]
    assert clusters(response, key=key) == [[(0, 2), (3, 5)]]
    key.spans["coref_clusters_1"] = [key[0:1]]
    with pytest.raises(
        ValueError,
        match=(
            r"characters 0 to 3 begins or ends inside a token \(its tokens are characters 0 "
            r"to 5\)"
        ),
    ):
        clusters(key, key=response)
    assert clusters(key, key=response, alignment="expand") == [[(0, 0)]]


def test_another_text_is_refused():
    nlp = spacy.blank("en")
    with pytest.raises(ValueError, match=r"^key and response are not the same text$"):
        clusters(nlp("Ann met Bo"), key=nlp("Ann met"))
