"""Power, detectable differences, and tests within groups: against R's published examples, scipy,
and comparisons by themselves."""

import numpy as np
import pytest
from scipy import stats

import scorer
from scorer.statistics.power import detectable, power_of


# The examples of R's `power.t.test`: two samples of n, standard deviation 1, n = 20 and delta = 1
# give power 0.8689528, which leaves out the other tail, of 2e-7.
def test_power_is_that_of_r():
    assert power_of(1, (2 / 20) ** 0.5, 38) == pytest.approx(0.8689528, abs=1e-6)
    assert detectable(0.8689528, (2 / 20) ** 0.5, 38) == pytest.approx(1, abs=1e-6)


@pytest.mark.parametrize(
    ("freedom", "shift", "level"), [(4, 2.0, 0.05), (30, 0.0, 0.01), (11.5, 4.0, 0.05)]
)
def test_power_is_that_of_the_noncentral_t(freedom, shift, level):
    end = stats.t.ppf(1 - level / 2, freedom)
    expected = stats.nct.sf(end, freedom, shift) + stats.nct.cdf(-end, freedom, shift)
    assert power_of(3 * shift, 3, freedom, level) == pytest.approx(expected, abs=1e-9)
    assert power_of(-3 * shift, 3, freedom, level) == power_of(3 * shift, 3, freedom, level)


def halves(documents, right):
    """Documents of one pair of mentions, found in those of the given numbers."""
    return {
        f"{'ab'[at % 2]}/d{at}": [["x", "y"]] if at in right else [["x"], ["y"]]
        for at in range(documents)
    }


def test_what_two_systems_could_show():
    """Recall of MUC is here the mean of 0s and 1s over documents, whose difference has the standard
    error of a paired t-test."""
    key, one, two = halves(24, range(24)), halves(24, range(20)), halves(24, range(6, 18, 2))
    compared = scorer.compare(key, {"one": one, "two": two}, metrics="muc", trials=50)
    [found] = [one for one in compared.detectable(0.9) if one.ratio == "recall"]
    more = np.array([(at < 20) - (at in range(6, 18, 2)) for at in range(24)], dtype=float)
    assert found.standard_error == pytest.approx(stats.sem(more))
    assert power_of(found.difference, stats.sem(more), 23) == pytest.approx(0.9)
    alone = scorer.compare(key, {"one": one}, metrics="muc", trials=50)
    figures = np.array([at < 20 for at in range(24)], dtype=float)
    [found] = [one for one in alone.detectable(0.8) if one.ratio == "recall"]
    assert found.standard_error == pytest.approx(stats.sem(figures) * np.sqrt(2))
    assert (found.first, found.second) == ("one", "")


@pytest.mark.parametrize("method", ["randomisation", "bootstrap"])
@pytest.mark.parametrize(("documents", "rows"), [(5, []), (6, ["f1", "precision", "recall"])])
def test_too_few_documents_have_no_power(documents, rows, method):
    """The smallest exact p of 5 documents is 2 / 2^5 = 0.0625, of 6 it is 0.03125."""
    key, found = halves(documents, range(documents)), halves(documents, range(1))
    responses = {"all": key, "one": found}
    compared = scorer.compare(key, responses, metrics="muc", method=method, trials=100)
    assert sorted(row.ratio for row in compared.detectable(0.06)) == rows
    note = f"note: with {documents} units of documents no difference is found with power 0.06\n"
    assert (note in compared.text(power=0.06)) == (rows == [])
    assert note not in compared.text()


def test_one_system_with_too_few_documents_has_no_power():
    alone = scorer.compare(halves(5, range(5)), {"one": halves(5, range(2))}, metrics="muc")
    assert alone.detectable(0.06) == []


def test_power_leaves_out_what_no_difference_shows():
    """Figures that do not vary, and a difference that would have to be larger than 1."""
    key, some = halves(8, range(8)), halves(8, range(4))
    same = scorer.compare(key, {"one": some, "two": some}, metrics="muc", trials=50)
    assert same.detectable(0.8) == []
    # Recall is 1 in four documents and 0 in the others, and the reverse in the second system.
    reverse = scorer.compare(key, {"one": some, "two": halves(8, range(4, 8))}, metrics="muc")
    error = stats.sem([1] * 4 + [-1] * 4)
    assert power_of(1, error, 7) < 0.9
    assert not [row for row in reverse.detectable(0.9) if row.ratio == "recall"]
    [found] = [row for row in reverse.detectable(0.5) if row.ratio == "recall"]
    assert power_of(found.difference, error, 7) == pytest.approx(0.5)


def test_a_power_that_cannot_be():
    key = halves(6, range(6))
    compared = scorer.compare(key, {"one": halves(6, range(3))}, metrics="muc")
    with pytest.raises(ValueError, match=r"^power: 1.0 is not between 0.05 and 1$"):
        compared.detectable(power=1.0)


def test_groups_are_compared_by_themselves():
    key, one, two = halves(24, range(24)), halves(24, range(20)), halves(24, range(6, 18, 2))
    compared = scorer.compare(key, {"one": one, "two": two}, metrics="muc", trials=5000)
    groups = compared.by("^(.)/")
    assert list(groups) == ["a", "b"]
    for name, group in groups.items():
        own = [
            {document: clusters for document, clusters in side.items() if document[0] == name}
            for side in (key, one, two)
        ]
        expected = scorer.compare(
            own[0], {"one": own[1], "two": own[2]}, metrics="muc", trials=5000
        )
        assert group.scores == expected.scores
        assert group.differences == expected.differences
    # Documents 0, 4, ..., all even, are found by the one: of group a it finds 10 of 12, the other
    # 6; of b 10 and none.
    [difference] = [one for one in groups["b"].differences if one.ratio == "f1"]
    assert difference.p == 2 / 2**10
