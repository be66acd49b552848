"""`scorer.Accumulator`: the same figures as scoring at once, in any number of processes."""

import pickle
from threading import Thread

import numpy as np
import pytest

import scorer
from conll import ConllError
from scorer import Accumulator

ONE = [["a"], ["b", "c"], ["d", "e", "f"]]
TWO = [["a"], ["d", "e"]]


def test_the_same_as_at_once():
    accumulator = Accumulator()
    accumulator.update(ONE, ONE, name="1")
    accumulator.update(ONE, TWO, name="2")
    assert len(accumulator) == 2
    at_once = scorer.score({"1": ONE, "2": ONE}, {"1": ONE, "2": TWO})
    assert accumulator.compute().to_dict() == at_once.to_dict()


def test_options():
    accumulator = Accumulator("bcub", singletons="drop", duplicates="first")
    accumulator.update([["a", "a"], ["b", "c"]], [["b", "c"], ["c", "d"]])
    evaluation = accumulator.compute()
    assert evaluation.totals["bcub"][0].as_tuple() == (2, 2, 2, 3)
    assert [str(one) for one in evaluation.removed] == [
        "singletons removed from the key: 2 mentions, 1 cluster, 0 documents",
        "singletons removed from the response: 0 mentions, 0 clusters, 0 documents",
        "duplicates removed from the key: 0 mentions, 0 clusters, 0 documents",
        "duplicates removed from the response: 1 mention, 0 clusters, 0 documents",
    ]
    assert [str(problem) for problem in evaluation.problems] == [
        "response: document 0: mention 'c' of cluster 1 is already in cluster 0; counted once"
    ]


SPANS = [[(0, 1), (3, 3)], [(5, 6), (8, 8)]]
SINGLE = [[(3, 3), (5, 6), (8, 8)], [(9, 9)]]


@pytest.mark.parametrize("options", [{"match": "head"}, {"match": "partial"}, {}])
def test_matching_as_at_once(options):
    metrics = "muc,bcub,mor,zero"
    accumulator = Accumulator(metrics, **options)
    accumulator.update(SPANS, SPANS, name="1")
    accumulator.update([[(3, 3)]], [[(3, 3), (9, 9)]], name="2")
    at_once = scorer.score(
        {"1": SPANS, "2": [[(3, 3)]]},
        {"1": SPANS, "2": [[(3, 3), (9, 9)]]},
        metrics=metrics,
        **options,
    )
    assert accumulator.compute().to_dict() == at_once.to_dict()


HEADS = "has no head; match exact, or give a file with heads, such as CorefUD"
NO_PAIR = "is not a pair of tokens, so its position is unknown"


@pytest.mark.parametrize(
    ("metrics", "match", "key", "response", "problem"),
    [
        ("muc", "head", SPANS, SINGLE, f"mention (0, 1) {HEADS}"),
        ("muc", "partial", ONE, TWO, f"mention 'b' {NO_PAIR}"),
        ("zero", "exact", ONE, TWO, f"mention 'a' {NO_PAIR}"),
        ("muc", "partial", [[(4, 4)]], [[(4, 4), ("a", 3)]], f"mention ('a', 3) {NO_PAIR}"),
        ("mor", "exact", [[(3, "a")]], [[(4, 4)]], f"mention (3, 'a') {NO_PAIR}"),
    ],
)
def test_memory_without_heads(metrics, match, key, response, problem):
    accumulator = Accumulator(metrics, match=match)
    with pytest.raises(ConllError) as caught:
        accumulator.update(key, response)
    with pytest.raises(ConllError) as at_once:
        scorer.score(key, response, metrics=metrics, match=match)
    assert str(caught.value) == str(at_once.value)
    assert caught.value.problem == problem
    assert len(accumulator) == 0


def test_a_refused_document_is_not_counted():
    accumulator = Accumulator("muc", duplicates="error")
    with pytest.raises(ConllError) as caught:
        accumulator.update(ONE, [["a", "a"]])
    problem = "response: document 0: mention 'a' of cluster 0 is already in cluster 0; remove the"
    assert str(caught.value).startswith(problem)
    with pytest.raises(TypeError):
        accumulator.update(ONE, ["a"])
    assert len(accumulator) == 0
    assert accumulator.compute().documents == []


def test_a_name_may_be_used_once():
    twice = r"^two documents are called 'a'; a name may be used once$"
    accumulator = Accumulator("muc")
    accumulator.update(ONE, TWO, "a")
    for changed in (accumulator, pickle.loads(pickle.dumps(accumulator))):
        with pytest.raises(ValueError, match=twice):
            changed.update(ONE, ONE, "a")
        with pytest.raises(ValueError, match=twice):
            changed.merge(counted((ONE, ONE, "b"), (ONE, ONE, "a"), metrics="muc"))
        # Nothing of what was refused is counted.
        assert changed.compute().totals["muc"][0].as_tuple() == (1, 3, 1, 1)


def test_pickled_it_goes_on_and_reset_it_begins_again():
    accumulator = Accumulator(blanc_edges="luo2014")
    accumulator.update(ONE, TWO)
    copy = pickle.loads(pickle.dumps(accumulator))
    for one in (accumulator, copy):
        one.update([["a"], ["b"]], [["a", "b"]])
    before = copy.compute()
    assert before.to_dict() == accumulator.compute().to_dict()
    copy.reset()
    assert len(copy) == 0
    assert copy.compute().to_dict() == Accumulator(blanc_edges="luo2014").compute().to_dict()
    # What was computed before stays.
    assert len(before.documents) == 2


@pytest.mark.parametrize(
    ("names", "called"),
    [([None, "1", None, None], ["0", "1", "2", "3"]), (["1", None], ["1", "1_"])],
)
def test_documents_without_names_are_numbered(names, called):
    accumulator = Accumulator("muc")
    for name in names:
        accumulator.update(ONE, ONE, name)
    assert [document.name for document in accumulator.compute().documents] == called


def counted(*documents, metrics="all", **options):
    accumulator = Accumulator(metrics, **options)
    for document in documents:
        accumulator.update(*document)
    return accumulator


def test_threads_may_update_one():
    accumulator = Accumulator("muc")

    def update(response):
        for _ in range(200):
            accumulator.update([[(0, 0), (1, 1)]], response)

    threads = [Thread(target=update, args=(response,)) for response in ([], [[(0, 0), (1, 1)]])]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    evaluation = accumulator.compute()
    assert evaluation.totals["muc"][0].as_tuple() == (200, 400, 200, 200)
    assert [document.name for document in evaluation.documents] == [
        str(number) for number in range(400)
    ]


DIFFERENT = r"^accumulators that score differently cannot be merged: "


def test_merge_takes_accumulators_alone():
    accumulator = counted((ONE, TWO))
    with pytest.raises(TypeError, match=r"^a list is not an accumulator; write a list of"):
        accumulator.merge(Accumulator(), [accumulator])
    with pytest.raises(TypeError, match=r"^unsupported operand type"):
        accumulator + accumulator.compute()


def test_what_is_refused_among_several_leaves_nothing():
    """A sampler that pads the shards of several processes gives a document to two of them."""
    merged = counted((ONE, ONE, "a"))
    shards = [counted((ONE, TWO, name)) for name in "bcb"]
    with pytest.raises(ValueError, match=r"^two documents are called 'b'; "):
        merged.merge(*shards)
    for different in ({"metrics": "muc"}, {"singletons": "drop"}):
        with pytest.raises(ValueError, match=DIFFERENT):
            merged.merge(counted((ONE, TWO, "b")), counted((ONE, TWO, "c"), **different))
    assert merged.compute().to_dict() == counted((ONE, ONE, "a")).compute().to_dict()
    merged.merge(counted((ONE, TWO, "b")))


def test_sums():
    first, second, third = counted((ONE, ONE, "a")), counted((ONE, TWO)), counted((TWO, ONE))
    both = first + second
    assert both.compute().to_dict() == counted((ONE, ONE, "a"), (ONE, TWO)).compute().to_dict()
    # What is added to one of the three is not in another.
    both.update(ONE, ONE, "b")
    first.update(ONE, ONE, "b")
    assert (len(first), len(second), len(both)) == (2, 1, 3)
    whole = counted((ONE, TWO), (TWO, ONE)).compute()
    assert sum([second, third], Accumulator()).compute().to_dict() == whole.to_dict()
    with pytest.raises(ValueError, match=DIFFERENT):
        first + Accumulator("muc")


def test_what_was_given_may_change_afterwards():
    key, response = [[(0, 1), (3, 3)], [(5, 6)]], [[(0, 1), (3, 3)]]
    one = counted((key, response), metrics="muc")
    key[0].append((5, 6))
    response.clear()
    assert one.compute().totals["muc"][0].as_tuple() == (1, 1, 1, 1)


def hashes(key, response, *, at_once):
    if at_once:
        evaluation = scorer.score({"0": key}, {"0": response}, metrics="muc")
    else:
        accumulator = Accumulator("muc")
        accumulator.update(key, response)
        evaluation = accumulator.compute()
    assert [one.side for one in evaluation.inputs] == ["key", "response"]
    return [one.sha256 for one in evaluation.inputs]


KEY_HASH = "35608e733e9252ac05f0949e1d9f3da830f93b1fafc22a1fd29c791bd3b1b1cf"
RESPONSE_HASH = "0efa5812a3ebf684b08afd3ed90b2666cc0771643f1eb1537b5a89d0465518cb"

SAME = [
    SPANS,
    tuple(map(tuple, SPANS)),
    [[list(mention) for mention in cluster] for cluster in SPANS],
    [[(np.int64(start), end) for start, end in cluster] for cluster in SPANS],
    [[(np.int32(start), np.int16(end)) for start, end in cluster] for cluster in SPANS],
    [[np.array(mention) for mention in cluster] for cluster in SPANS],
    np.array(SPANS),
]
"""The same clusters, in what has a buffer too, which marshal would write as bytes."""


@pytest.mark.parametrize("at_once", [True, False])
@pytest.mark.parametrize("number", range(len(SAME)))
def test_one_hash_for_what_is_the_same(number, at_once):
    # hashlib.sha256(b"'0' " + hashlib.sha256(marshal.dumps(clusters, 2)).digest()), from an
    # interactive session.
    assert hashes(SAME[number], SINGLE, at_once=at_once) == [KEY_HASH, RESPONSE_HASH]


def test_repeated_mentions_are_one_warning_a_call():
    accumulator = scorer.Accumulator("muc")
    for _ in range(3):
        accumulator.update([["a", "b"]], [["a", "b", "b"]])
    with pytest.warns(
        scorer.ScorerWarning, match=r"mention 'b' .* \(and 2 more like it\)$"
    ) as caught:
        evaluation = accumulator.compute()
    assert [warning.filename for warning in caught] == [__file__]
    assert len(evaluation.problems) == 3
