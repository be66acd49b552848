"""Adding a batch of documents to an evaluation."""

import pickle

import numpy as np
import pytest

from scorer import registry
from scorer.count.counts import Counts
from scorer.evaluation.evaluation import BatchScore, DocumentScore, Evaluation
from scorer.match.align import Removed, Repeat


def batch():
    """Ten documents, of which the response repeats a mention in the third."""
    common, key, response = np.full(10, 0.1), np.arange(1, 11), np.full(10, 3)
    score = BatchScore(
        list("abcdefghij"), {"muc": (Counts(common, key, common, response),)}, np.arange(10)
    )
    third = score.documents(every=True)[2]
    third.repeats = [Repeat("response", (0, 0), 0, 1, (0, 0), (1, 1), removed=True)]
    third.removed = [Removed("duplicates", "response", 1)]
    score.apart = {2: third}
    return score


@pytest.mark.parametrize("keep", [True, False])
def test_a_batch_is_added_document_by_document(keep):
    """Ten times 0.1, one after the other, is 0.9999999999999999 in IEEE doubles, and 1.0 added in any better way."""
    score = batch()
    evaluation = Evaluation([registry.get("muc")])
    evaluation.add(pickle.loads(pickle.dumps(score)), keep=keep)
    assert (
        repr(evaluation.totals["muc"])
        == "(Counts(recall 0.9999999999999999/55, precision 0.9999999999999999/30),)"
    )
    assert (evaluation.scored, evaluation.left_out) == (10, 0 if keep else 9)
    kept = [
        (document.name, document.invented, len(document.repeats))
        for document in evaluation.documents
    ]
    assert kept == [
        (name, at, int(at == 2)) for at, name in enumerate("abcdefghij") if keep or at == 2
    ]
    shown = [repr(document.counts["muc"][0]) for document in evaluation.documents]
    assert shown == [
        f"Counts(recall 0.1/{at}, precision 0.1/3)" for at in range(1, 11) if keep or at == 3
    ]
    assert evaluation.removed == [Removed("duplicates", "response", 1)]


def test_a_batch_and_its_documents_continue_a_total_alike():
    before = DocumentScore("before", {"muc": (Counts(0.7, 1, 0.1, 10**18),)}, [], 0)
    together, apart = Evaluation([registry.get("muc")]), Evaluation([registry.get("muc")])
    together.add(before)
    together.add(batch())
    for document in [before, *batch().documents(every=True)]:
        apart.add(document)
    assert repr(together.totals) == repr(apart.totals)
    assert together.totals["muc"][0].precision_denominator == 10**18 + 30
    assert together.documents[3].counts == apart.documents[3].counts
    assert together.removed == apart.removed
