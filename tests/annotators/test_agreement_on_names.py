"""Agreement on named entities: F1 of pairs, and nominal α of words."""

import json
from collections import Counter
from itertools import combinations, permutations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from scorer.annotators.names import nominal_alpha

LAYOUTS = Path(__file__).parents[2] / "fixtures" / "layouts"
PAIR = LAYOUTS / "names-a.iob", LAYOUTS / "names-b.iob"


def written(folder, annotators, **fields):
    """Write JSON lines for each annotator: names of six words by the name of the document."""
    paths = []
    for annotator, names_by_document in annotators.items():
        path = folder / f"{annotator}.jsonl"
        lines = [
            json.dumps({"doc_key": document, "tokens": [*"abcdef"], "names": names} | fields)
            for document, names in names_by_document.items()
        ]
        path.write_text("\n".join(lines) + "\n")
        paths.append(path)
    return paths


def test_a_worked_example():
    """Ada Hill and Ada, the rest alike: D_o is 2/12, D_e is 1 - (3·2 + 2·1 + 7·6)/(12·11)."""
    result = scorer.agreement(PAIR, of="names")
    assert (result.f1("strict"), result.f1("lenient")) == (0.5, 1)
    alpha = result.alpha()
    assert (alpha.observed, alpha.expected) == (pytest.approx(1 / 6), pytest.approx(41 / 66))
    assert alpha.value == pytest.approx(30 / 41)
    assert "D_o = 0.16667, D_e = 0.62121" in result.text()


def test_alpha_rises_with_words_that_nobody_marks(main, tmp_path):
    paths = []
    for path in PAIR:
        paths.append(tmp_path / path.name)
        paths[-1].write_text(path.read_text("utf-8") + "more O\n" * 1000)
    tree = json.loads(main("agreement", *paths, "--of", "names", "--format", "json")[1])
    [row, _] = tree["pairs"]
    assert (row["strict"], row["words"], row["marked"]) == (0.5, 1006, 3)
    assert row["alpha"] == pytest.approx(0.800, abs=5e-4)


def test_each_pair_is_compared_on_the_documents_that_both_have(main, tmp_path):
    """Eve has d1 alone with Ada, and marks b as well; all agree on d2.

    Six words of two values and six of three: D_o is 2/30. Of the 30 values 6 are PER, the others
    are empty.
    """
    per = [0, 0, "PER"]
    annotators = {
        "ada": {"d1": [per], "d2": [per]},
        "bob": {"d2": [per]},
        "eve": {"d1": [per, [1, 1, "PER"]], "d2": [per]},
    }
    paths = written(tmp_path, annotators)
    status, out, err = main("agreement", *paths, "--of", "names", "--per-document", "-f", "json")
    assert (status, err) == (0, "")
    tree = json.loads(out)
    figures = [
        (row["first"], row["second"], row["documents"], row["strict"], row["words"], row["marked"])
        for row in tree["pairs"]
    ]
    assert figures == [
        ("ada", "bob", 1, 1, 6, 1),
        ("ada", "eve", 2, pytest.approx(4 / 5), 12, 3),
        ("bob", "eve", 1, 1, 6, 1),
        ("mean", "", 2, pytest.approx(14 / 15), 12, 3),
    ]
    expected = 1 - (6 * 5 + 24 * 23) / (30 * 29)
    assert tree["pairs"][-1]["alpha"] == pytest.approx(1 - 2 / 30 / expected)
    rows = [(row["document"], row["first"], row["second"]) for row in tree["documents"]]
    assert rows == [
        ("d1", "ada", "eve"),
        ("d2", "ada", "bob"),
        ("d2", "ada", "eve"),
        ("d2", "bob", "eve"),
    ]


def test_a_pair_that_marks_nothing_has_no_f1(main, tmp_path):
    annotators = {"ada": {"d": []}, "bob": {"d": []}, "eve": {"d": [[0, 1, "PER"]]}}
    paths = written(tmp_path, annotators)
    options = ["--of", "names", "--per-document", "--quiet", "--format"]
    tree = json.loads(main("agreement", *paths, *options, "json")[1])
    assert [row["strict"] for row in tree["pairs"]] == [None, 0, 0, 0]
    assert [row["lenient"] for row in tree["documents"]] == [None, 0, 0]
    assert [row["marked"] for row in tree["pairs"]] == [0, 2, 2, 2]
    for output_format in ("table", "csv", "html", "latex"):
        assert main("agreement", *paths, *options, output_format)[0] == 0
    nothing = scorer.agreement(paths[:2], of="names")
    assert nothing.alpha().value is None
    assert "no value, as annotators and words do not differ" in nothing.text()


def test_a_word_of_two_names_has_both_labels(tmp_path):
    """The sets of labels are equal or not: {PER, ORG} is not {PER}."""
    nested = [[0, 2, "ORG"], [1, 1, "PER"]]
    paths = written(tmp_path, {"ada": {"d": nested}, "bob": {"d": nested[1:]}})
    words = scorer.agreement(paths, of="names").words["d"]
    org, per, none = frozenset({"ORG"}), frozenset({"PER"}), frozenset()
    assert words == {(org, none): 2, (org | per, per): 1, (none, none): 3}


def test_words_must_be_known(tmp_path):
    paths = written(tmp_path, {"ada": {"d": []}, "bob": {"d": [[0, 0, "PER"]]}}, tokens=None)
    with pytest.raises(ValueError, match="words of the document are not known, of which alpha is"):
        scorer.agreement(paths, of="names")


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"of": "names", "distance": "masi"}, "distance: labels of names are equal or not"),
        ({"of": "words"}, "of: 'words' is not one of mentions, names"),
        ({"of": "mentions"}, "has names and no mentions; add --of names"),
    ],
)
def test_what_cannot_be_compared(options, problem):
    with pytest.raises(ValueError, match=problem):
        scorer.agreement(PAIR, **options)


VALUES = st.sampled_from([None, frozenset(), frozenset("P"), frozenset("L"), frozenset("PL")])


@given(st.lists(st.lists(VALUES, min_size=3, max_size=3), min_size=1, max_size=8))
def test_alpha_as_it_is_defined(words):
    """D_e compares each two values of all words, D_o each two of a word, which weigh 1/(n - 1)."""
    given_values = [[value for value in word if value is not None] for word in words]
    units = [unit for unit in given_values if len(unit) > 1]
    if not units:
        return
    values = [value for unit in units for value in unit]
    observed = sum(
        sum(first != second for first, second in permutations(unit, 2)) / (len(unit) - 1)
        for unit in units
    ) / len(values)
    pairs = [first != second for first, second in combinations(values, 2)]
    words = [word for word, unit in zip(words, given_values) if len(unit) > 1]
    alpha = nominal_alpha(Counter(map(tuple, words)))
    assert alpha.observed == pytest.approx(observed)
    assert alpha.expected == pytest.approx(sum(pairs) / len(pairs))
