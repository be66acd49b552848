"""Krippendorff's α: worked numbers, and what must not change it."""

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scorer.annotators.alpha import DISTANCES, alpha_of, masi, passonneau, units_of

ADA = ["abc", "de"]
BOB = ["ab", "cde"]


def alpha(*annotators, distance="masi"):
    """α of clusters of one document, each a text of letters."""
    return alpha_of(units_of("", annotators), DISTANCES[distance])


def test_masi_of_two_annotators():
    """As nltk 3.10 prints it for the same values: .0858369."""
    result = alpha(ADA, BOB)
    assert result.observed == pytest.approx(0.63111, abs=5e-6)
    assert result.expected == pytest.approx(0.69037, abs=5e-6)
    assert result.value == pytest.approx(0.0858369, abs=5e-8)
    assert result.mentions == 5


def test_passonneau_of_two_annotators():
    assert alpha(ADA, BOB, distance="passonneau").value == pytest.approx(4 / 13)


def test_a_mention_that_one_annotator_lacks_has_the_empty_set():
    assert alpha(ADA, ["ab", "cd"]).value == pytest.approx(0.00392, abs=5e-6)


@pytest.mark.parametrize(
    ("first", "second", "expected_masi", "expected_passonneau"),
    [
        ("ab", "ab", 0, 0),
        ("abc", "ab", 1 - 2 / 3 * 2 / 3, 1 / 3),
        ("abc", "cde", 1 - 1 / 5 * 1 / 3, 2 / 3),
        ("ab", "cd", 1, 1),
        ("ab", "", 1, 1),
        ("", "", 0, 0),
    ],
)
def test_distances(first, second, expected_masi, expected_passonneau):
    for one_side, other in ((first, second), (second, first)):
        assert masi(frozenset(one_side), frozenset(other)) == pytest.approx(expected_masi)
        assert passonneau(frozenset(one_side), frozenset(other)) == pytest.approx(
            expected_passonneau
        )


@pytest.mark.parametrize("clusters", [[], [["a", "b"]]])
def test_no_value_where_nothing_differs(clusters):
    """One entity, or no mention at all: the expected disagreement is 0."""
    assert alpha(clusters, clusters).value is None


def test_a_repeated_mention_is_in_its_first_cluster():
    repeated = units_of("", [["ab", "bc"], ["ab", "c"]])
    assert {unit.mention: unit.values[0] for unit in repeated} == {
        "a": frozenset("ab"),
        "b": frozenset("ab"),
        "c": frozenset("c"),
    }


@st.composite
def annotations(draw):
    """Clusters of two or three annotators in one to three documents."""
    number = draw(st.integers(2, 3))
    documents = []
    for _ in range(draw(st.integers(1, 3))):
        document = []
        for _ in range(number):
            # The cluster of each mention; 0 where the annotator does not mark it.
            owners = draw(st.lists(st.integers(0, 3), min_size=4, max_size=4))
            clusters = [
                [mention for mention, owner in enumerate(owners) if owner == cluster]
                for cluster in (1, 2, 3)
            ]
            document.append([cluster for cluster in clusters if cluster])
        documents.append(document)
    return documents


def value_of(documents, distance="masi"):
    units = []
    for name, document in documents:
        units += units_of(name, document)
    return alpha_of(units, DISTANCES[distance]).value


@pytest.mark.parametrize("distance", DISTANCES)
@given(annotations())
def test_alpha_as_its_definition(distance, documents):
    """Over all pairs of values, each with its document; no two sets of different ones are alike."""
    units = [
        [(name, value) for value in unit.values]
        for name, document in enumerate(documents)
        for unit in units_of(str(name), document)
    ]

    def compare(first, second):
        (name, value), (other_name, other) = first, second
        if not value and not other:
            return 0
        return DISTANCES[distance](value, other) if name == other_name else 1

    values = [value for unit in units for value in unit]
    if not values:
        assert value_of(enumerate(documents), distance) is None
        return
    expected = [
        compare(values[i], values[j]) for i, j in product(range(len(values)), repeat=2) if i != j
    ]
    observed = [
        compare(unit[i], unit[j])
        for unit in units
        for i, j in product(range(len(unit)), repeat=2)
        if i != j
    ]
    value = value_of([(str(name), document) for name, document in enumerate(documents)], distance)
    if not any(expected):
        assert value is None
    else:
        mean = sum(observed) / len(observed)
        assert value == pytest.approx(1 - mean / (sum(expected) / len(expected)))


@given(annotations(), st.randoms(use_true_random=False))
def test_order_makes_no_difference(documents, draw):
    named = list(enumerate(map(str, range(len(documents)))))
    original = value_of([(name, documents[number]) for number, name in named])
    order = list(range(len(documents[0])))
    draw.shuffle(order)
    draw.shuffle(named)
    changed = []
    for number, name in named:
        annotators = [list(documents[number][place]) for place in order]
        for clusters in annotators:
            draw.shuffle(clusters)
        changed.append((name, annotators))
    assert value_of(changed) == original


@given(annotations())
def test_equal_annotators_agree(documents):
    equal = [(str(number), [document[0]] * 3) for number, document in enumerate(documents)]
    assert value_of(equal) in (1, None)


def test_annotators_who_draw_at_random_agree_as_by_chance():
    draw = random.Random(5)
    documents = []
    for number in range(300):
        annotators = []
        for _ in range(2):
            owners = [draw.randrange(3) for _ in range(10)]
            clusters = [
                [mention for mention, owner in enumerate(owners) if owner == cluster]
                for cluster in range(3)
            ]
            annotators.append([cluster for cluster in clusters if cluster])
        documents.append((str(number), annotators))
    assert 0 < value_of(documents) < 0.25
