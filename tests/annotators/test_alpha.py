"""Krippendorff's α: worked numbers, and what must not change it."""

import random
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from scorer.annotators.agreement import FORMULAS
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
    assert result.units == 5


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


def test_a_repeated_mention_is_in_the_union_of_its_clusters():
    repeated = units_of("", [["ab", "bc"], ["bc", "ab"], ["ab", "c"]])
    values = {unit.mention: unit.values for unit in repeated}
    assert values == {
        "a": (frozenset("ab"), frozenset("ab"), frozenset("ab")),
        "b": (frozenset("abc"), frozenset("abc"), frozenset("ab")),
        "c": (frozenset("bc"), frozenset("bc"), frozenset("c")),
    }


def test_missing_values():
    """Three documents, each of two of three annotators, by hand.

    Six mentions of two values each. D_o is 2/9: the two mentions of the first document are at
    distance 2/3. Of the 12 · 11 ordered pairs of values 18 are equal and 8 are at distance 2/3, so
    D_e is 167/198.
    """
    units = units_of("1", [["ab"], None, ["a", "b"]])
    units += units_of("2", [["ab"], ["ab"], None])
    units += units_of("3", [None, ["a", "b"], ["a", "b"]])
    result = alpha_of(units, masi)
    assert result.observed == pytest.approx(2 / 9)
    assert result.expected == pytest.approx(167 / 198)
    assert result.value == pytest.approx(123 / 167)
    assert result.units == 6


def test_a_mention_counts_once_for_each_value():
    """Of three annotators one lacks the second document; units have three and two values.

    D_o = (3 · 2/3 + 2 · 0) / 5 with mention a, which two of three mark, and mention b, equal.
    """
    units = units_of("1", [["a"], ["a"], []]) + units_of("2", [["b"], ["b"], None])
    result = alpha_of(units, passonneau)
    assert result.observed == pytest.approx(2 / 5)
    # Of the 5 · 4 ordered pairs of values, two of a and two of b are equal.
    assert result.expected == pytest.approx(16 / 20)


def test_a_report_has_the_formula_of_each_distance():
    assert FORMULAS.keys() == DISTANCES.keys(), (
        "write it in FORMULAS of scorer/annotators/agreement.py"
    )


@pytest.mark.parametrize("distance", DISTANCES)
def test_two_values_are_compared_once(distance, monkeypatch):
    """One chain of 500 mentions, and the same in two halves: two pairs of values, in both orders.

    Each comparison takes as long as the chain, so one for each mention would be quadratic.
    """
    calls = []

    def counted(first, second):
        calls.append((first, second))
        return {"masi": masi, "passonneau": passonneau}[distance](first, second)

    monkeypatch.setattr("scorer.annotators.agreement.DISTANCES", {distance: counted})
    mentions = list(map(str, range(500)))
    whole, halves = [mentions], [mentions[:250], mentions[250:]]
    result = scorer.agreement({"x": whole, "y": halves}, distance=distance)
    assert result.alpha().units == 500
    assert len(set(calls)) == len(calls) <= 4


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


@pytest.mark.parametrize(
    ("distance", "clusters", "of_one", "of_hundred"),
    [
        ("masi", 5, -0.06, 0.07),
        ("masi", 15, 0.10, 0.14),
        ("passonneau", 5, 0.14, 0.34),
        ("passonneau", 15, 0.38, 0.44),
    ],
)
def test_alpha_of_random_clusters_is_not_quite_0(distance, clusters, of_one, of_hundred):
    """The figures of the guide: two annotators put the same 30 mentions into clusters at random.

    They vary by about .02. `test_alpha_as_its_definition` calculates α in another way.
    """
    draw = random.Random(30 * clusters)
    documents = []
    for number in range(100):
        annotators = []
        for _ in range(2):
            members = {}
            for mention in range(30):
                members.setdefault(draw.randrange(clusters), []).append(mention)
            annotators.append(list(members.values()))
        documents.append((str(number), annotators))
    single = [value_of([document], distance) for document in documents]
    assert sum(single) / len(single) == pytest.approx(of_one, abs=0.03)
    assert value_of(documents, distance) == pytest.approx(of_hundred, abs=0.03)
