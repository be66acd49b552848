"""Strata of mentions, and their intervals."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from analysed import COREFUD, SINGLETONS, STORY, TAGS, corefud, errors_of, found, spans, values_of
from conll.document import Document, Layers
from scorer.analysis import strata
from scorer.analysis.document_errors import DocumentErrors
from scorer.analysis.pair import NAME, PRONOUN
from scorer.options import Options
from strategies import partitions


@given(partitions(), partitions(), TAGS, SINGLETONS)
def test_every_mention_has_one_value_of_a_stratum(key, response, tags, singletons):
    options = Options(singletons=singletons)
    document = found(spans(key), spans(response), tags, options)
    tallies = strata.tallies(document, columns=["pos", "pos"], group="g")
    totals = scorer.score(
        spans(key), spans(response), metrics="mentions,bcub,muc", options=options
    ).totals
    counts = [totals[metric][0].as_tuple() for metric in ("mentions", "bcub", "muc")]
    for stratum in (*strata.STRATA, "pos in the file", "group"):
        for side, at in (("key", 0), ("response", 2)):
            (found_, mentions), (bcub, _), (_, linked) = (one[at : at + 2] for one in counts)
            of_side = [tally for cell, tally in tallies.items() if cell[::2] == (stratum, side)]
            sums = [sum(column) for column in zip(strata.Tally(), *of_side)]
            if stratum == "class":  # its links are pairs
                clusters = document.pair.scored_key if side == "key" else document.pair.response
                linked = sum(len(cluster) * (len(cluster) - 1) // 2 for cluster in clusters)
            assert sums[:4] == [mentions, found_, pytest.approx(bcub), linked]
            assert sums[4] <= linked


def test_strata_by_hand():
    """Key {0, 3, 9}, response {0, 3} {9}: of the key 2 of 3 are found together."""
    key, response = [[(0, 0), (3, 4), (9, 9)]], [[(0, 0), (3, 4)], [(9, 9)]]
    tallies = strata.tallies(found(key, response, ["NN"] * 10))
    third = pytest.approx(2 / 3)
    assert tallies["length", "1", "key"] == (2, 2, pytest.approx(1), 1, 0)
    assert tallies["length", "2", "key"] == tallies["tokens", "0–5", "key"] == (1, 1, third, 1, 1)
    assert tallies["tokens", "none", "key"].mentions == 1
    assert tallies["tokens", "6–20", "key"].right == 0
    assert tallies["size", "3–5", "key"].mentions == 3
    assert tallies["singleton", "yes", "response"] == (1, 1, 1.0, 0, 0)


LABELS = st.lists(st.sampled_from(["", "GPE", "PERSON"]), min_size=12, max_size=12)


def classes_by_definition(clusters, labels):
    """Mentions with the class of their cluster, and pairs in one cluster with it."""
    mentions, pairs = set(), set()
    for cluster in map(sorted, clusters):
        own = [labels[mention] for mention in cluster if labels[mention]]
        best = max(own, key=lambda label: (own.count(label), -own.index(label)), default="none")
        mentions |= {(mention, best) for mention in cluster}
        pairs |= {(*pair, best) for pair in combinations(cluster, 2)}
    return mentions, pairs


def names_of(labels):
    return [(at, at, label) for at, label in enumerate(labels) if label]


@given(partitions(), partitions(), LABELS, LABELS)
def test_classes_are_compared_as_sets_of_mentions_and_pairs(key, response, labels, other_labels):
    document = found(
        spans(key),
        spans(response),
        words="w" * 12,
        names=names_of(labels),
        response_names=names_of(other_labels),
    )
    tallies = strata.tallies(document)
    sides = {"key": classes_by_definition(key, labels)}
    sides["response"] = classes_by_definition(response, other_labels)
    mentions, pairs = (sides["key"][at] & sides["response"][at] for at in (0, 1))
    for side, (own_mentions, own_pairs) in sides.items():
        for label in ("GPE", "PERSON", "none"):
            expected = [
                sum(item[-1] == label for item in items)
                for items in (own_mentions, mentions, own_pairs, pairs)
            ]
            tally = tallies.get(("class", label, side), strata.Tally())
            assert [tally.mentions, tally.found, tally.links, tally.right] == expected


def test_a_side_without_types_has_no_rows_of_them():
    """Ada and she; the key names Ada, the response names nothing and has she alone."""
    key = {"tokens": ["Ada", "she"], "clusters": [[[0, 0], [1, 1]]], "names": [[0, 0, "PERSON"]]}
    response = {"tokens": ["Ada", "she"], "clusters": [[[0, 0]], [[1, 1]]]}
    errors = errors_of(key, response)
    rows = [row for row in errors.strata if row.stratum in ("entity", "class")]
    assert [row[:5] for row in rows] == [
        ("entity", "PERSON", "key", 1, 1),
        ("entity", "none", "key", 1, 1),
        ("class", "PERSON", "key", 2, 1),
    ]
    note = "entity, class: the response tells no types of entities, so its rows are left out"
    assert note in errors.text(show="strata")
    turned = errors_of(response, key)
    rows = [row for row in turned.strata if row.stratum == "class"]
    assert [row[:5] for row in rows] == [("class", "PERSON", "response", 2, 1)]
    assert "entity, class: the key tells no types" in turned.text(show="strata")


def test_each_side_has_its_own_types():
    """The key calls Paris a place, the response a person; they agree on Ada."""
    tokens = ["Ada", "Paris"]
    clusters = [[[0, 0]], [[1, 1]]]
    key = {"tokens": tokens, "clusters": clusters}
    response = key | {"names": [[0, 0, "PERSON"], [1, 1, "PERSON"]]}
    key |= {"names": [[0, 0, "PERSON"], [1, 1, "GPE"]]}
    rows = [row[:5] for row in errors_of(key, response).strata if row.stratum == "class"]
    assert ("class", "PERSON", "key", 1, 1) in rows
    assert ("class", "PERSON", "response", 2, 1 / 2) in rows
    assert ("class", "GPE", "key", 1, 0) in rows


def test_named_entities_of_a_response_whose_mentions_match_otherwise():
    """The response's mention and name have one word less than the key's."""
    key = corefud(("the", 2, "(e1-x-2"), ("nurse", 0, "e1)"), ("left", 2, ""))
    response = {"doc_key": "a", "tokens": ["the", "nurse", "left"], "clusters": [[[1, 1]]]}
    response["names"] = [[1, 1, "PERSON"]]
    errors = errors_of(key, response, match="partial")
    assert errors.counts.total() == 0
    assert values_of(errors, "response")["entity", "PERSON"] == 1


def test_classes_with_f1_by_hand():
    """Ada, she, her and Paris, it; the response has her in the cluster of Paris."""
    key = {
        "doc_key": "a",
        "tokens": ["Ada", "she", "her", "Paris", "it"],
        "clusters": [[[0, 0], [1, 1], [2, 2]], [[3, 3], [4, 4]]],
        "etype": [["PERSON", "", ""], ["GPE", ""]],
    }
    response = {
        "doc_key": "a",
        "clusters": [[[0, 0], [1, 1]], [[2, 2], [3, 3], [4, 4]]],
        "etype": [["PERSON", ""], ["", "GPE", ""]],
    }
    rows = {row[1:3]: row for row in errors_of(key, response).strata if row.stratum == "class"}
    shares = {cell: (row.found, row.right) for cell, row in rows.items()}
    third = pytest.approx(1 / 3)
    assert shares == {
        ("PERSON", "key"): (pytest.approx(2 / 3), third),
        ("PERSON", "response"): (1, 1),
        ("PERSON", "F1"): (pytest.approx(0.8), pytest.approx(0.5)),
        ("GPE", "key"): (1, 1),
        ("GPE", "response"): (pytest.approx(2 / 3), third),
        ("GPE", "F1"): (pytest.approx(0.8), pytest.approx(0.5)),
    }


@pytest.mark.parametrize(
    ("labels", "expected"),
    [("", "none"), ("0A", "A"), ("0A 1B", "A"), ("0A 1B 2B", "B"), ("1B 2A", "B")],
)
def test_the_class_of_a_cluster_is_its_most_frequent_label(labels, expected):
    names = [(int(label[0]), int(label[0]), label[1]) for label in labels.split()]
    document = found(spans([range(4)]), spans([range(4)]), words="wwww", names=names)
    assert strata.classes_of(document, "key") == [expected]


def test_f1_is_there_where_both_sides_have_the_value():
    rows = scorer.errors(spans([[0, 1]]), spans([[0, 1, 2]]), metrics="muc").strata
    sides = {}
    for row in rows:
        if row.stratum == "size":
            sides.setdefault(row.value, []).append(row.side)
    assert sides == {"2": ["key"], "3–5": ["response"]}
    [row] = [row for row in rows if (row.stratum, row.side) == ("singleton", "F1")]
    # Of three response mentions two are right: P 2/3, R 1.
    assert (row.value, row.mentions, row.found) == ("no", None, pytest.approx(0.8))
    assert (row.found_low, row.links) == (None, None)


@pytest.mark.parametrize(
    ("stratum", "number", "expected"),
    [
        ("size", 100, "21–100"),
        ("size", 101, "101–1,000"),
        ("size", 1001, "1,001+"),
        ("spread", 0, "0"),
        ("spread", 1, "1–99"),
        ("spread", 999, "100–999"),
        ("spread", 9999, "1,000–9,999"),
        ("spread", 10000, "10,000+"),
    ],
)
def test_ranges(stratum, number, expected):
    assert strata.in_range(stratum, number) == expected


@pytest.mark.parametrize(("head", "expected"), [("9", "1–99"), ("", "100–999")])
def test_the_spread_of_an_entity_goes_from_head_to_head(head, expected):
    """The first mention is words 0 to 9 with head 9, or with a head that is not known; the last is
    100."""
    columns = {"pos": ["NN"] * 101}
    if head:
        columns["head"] = [head] * 9 + [""] * 92
    clusters = [[(0, 9), (50, 50), (100, 100)]]
    layers = {"key": Layers([["w"] * 101], columns)}.get
    documents = Document("a", clusters), Document("a", [[(3, 3)]])
    tallies = strata.tallies(DocumentErrors(*documents, Options(), layers, {}))
    assert {cell[1:]: n[0] for cell, n in tallies.items() if cell[0] == "spread"} == {
        (expected, "key"): 3,
        ("0", "response"): 1,
    }


@pytest.mark.parametrize(
    ("spans_", "names"),
    [
        ([(0, 5), (1, 3), (2, 2), (7, 8)], ["outside", "both", "inside", "neither"]),
        ([(0, 2), (1, 3)], ["neither", "neither"]),
        ([(0, 1), (0, 3)], ["inside", "outside"]),
    ],
)
def test_nesting(spans_, names):
    clusters = [[span] for span in spans_]
    described = strata.described(found(clusters, clusters, ["NN"] * 9), "key")
    assert [values["nesting"] for *_, values in described] == names


def test_strata_by_columns_attributes_and_groups():
    options = {"metrics": "muc", "by": ["upos", "infstat"], "group_by": "^(l)"}
    values = values_of(scorer.errors(COREFUD, COREFUD, documents="letter", **options))
    expected = {("entity", "person"): 4, ("infstat", "new"): 2, ("infstat", "giv"): 2}
    assert expected | {("upos", "PRON"): 2, ("group", "l"): 4} == {
        cell: values[cell] for cell in [*expected, ("upos", "PRON"), ("group", "l")]
    }
    message = r"by: no file has a column or attribute 'nope'; they have: .*upos"
    with pytest.raises(ValueError, match=message):
        scorer.errors(COREFUD, COREFUD, by="nope")


def test_a_repeated_mention_has_the_attributes_of_where_it_is_kept():
    """{1p 2p}{1o 3o} and {1g 2g}{1x 3x}: the key keeps the last 1, the response the first."""
    clusters = {"doc_key": "a", "clusters": [[[1, 1], [2, 2]], [[1, 1], [3, 3]]]}
    sides = [clusters | {"etype": [[first] * 2, [last] * 2]} for first, last in ("po", "gx")]
    errors = errors_of(*sides)
    for side, values in (("key", "poo"), ("response", "ggx")):
        of_side = values_of(errors, side)
        assert Counter(values) == {
            v: n for (stratum, v), n in of_side.items() if stratum == "entity"
        }


def test_sentences_that_no_file_tells():
    """Mentions in memory, of which the second and third have an antecedent."""
    values = values_of(scorer.errors([[(0, 0), (4, 4), (9, 9)]], [[(0, 0)]], metrics="muc"))
    assert {cell: n for cell, n in values.items() if cell[0] == "sentences"} == {
        ("sentences", "none"): 3
    }


def test_a_column_of_the_response_that_the_key_lacks():
    line = {"doc_key": "a", "tokens": ["Ada", "saw", "her"], "clusters": [[[0, 0], [2, 2]]]}
    key = line | {"pos": ["NNP", "VBD", "PRP"]}
    response = line | {"pos": ["NN", "VBD", "NN"], "speaker": ["Ann", "Bob", "Bob"]}
    values = values_of(errors_of(key, response, by=["speaker", "pos"]))
    assert {("speaker", "Ann"), ("speaker", "Bob")} < values.keys()
    assert {("pos in the file", "NNP"), ("pos in the file", "PRP")} < values.keys()
    assert {value for stratum, value in values if stratum == "type"} == {NAME, PRONOUN}


@pytest.mark.parametrize("interval", ["expanded", "percentile"])
def test_intervals_are_those_of_a_comparison(interval):
    """Every mention in memory is a nominal, so the B³ of that value is that of the corpus."""
    whole = [[0, 1, 2], [3, 4]]
    key = {f"{name}; part {part}": spans(whole) for name in "abcd" for part in (0, 1)}
    answers = (whole, [[0, 1], [2, 3, 4]], [[0, 1, 5]], [[0, 3, 6], [1, 4]])
    response = {name: spans(answers[at % 4 if at < 6 else 0]) for at, name in enumerate(key)}
    how = {"trials": 300, "seed": 3, "confidence": 0.8, "interval": interval, "metrics": "bcub"}
    strata_ = scorer.errors(key, response, **how).strata
    rows = {(row.stratum, row.value, row.side): row for row in strata_}
    systems = {"it": response, "key": key}
    scores = scorer.compare(key, systems, method="bootstrap", **how).scores
    for ratio, side in (("recall", "key"), ("precision", "response")):
        [score] = [score for score in scores if (score.system, score.ratio) == ("it", ratio)]
        row = rows["type", "nominal", side]
        assert (row.bcub, row.bcub_low, row.bcub_high) == pytest.approx(
            (score.value, score.low, score.high)
        )
        assert score.low < score.value < score.high


@pytest.mark.parametrize(
    ("interval", "ends"), [("expanded", (0.5, 1.0)), ("percentile", (0.75, 0.75))]
)
def test_an_interval_by_hand(interval, ends):
    """One document is half right and one wholly: a quarter of the replicates are .5, a half .75, a
    quarter 1.

    Of confidence .4, percentiles are those at .3 and .7. Expanded, they are at Φ(-√2 tan(.2 π)) =
    .152, as t of one degree of freedom is tan(π (p - ½)), and at .848.
    """
    key = {"a": [["m", "n"], ["o", "p", "q"]], "b": [["m", "n"]]}
    response = {"a": [["m", "n"], ["o", "p", "q"]], "b": [["m", "x"]]}
    rows = scorer.errors(key, response, metrics="muc", confidence=0.4, interval=interval).strata
    shares = {row.value: row[4:7] for row in rows if row[:3:2] == ("size", "key")}
    # Of a value that one document alone has, nothing tells how much it varies.
    assert (shares["2"], shares["3–5"]) == ((0.75, *ends), (1.0, None, None))


def test_documents_of_one_unit_are_no_two_documents():
    key = {"a; part 0": [["m", "n"]], "a; part 1": [["m", "n"]]}
    response = {"a; part 0": [["m", "n"]], "a; part 1": [["m", "x"]]}
    assert {row.found_low for row in scorer.errors(key, response, metrics="muc").strata} == {None}
    apart = scorer.errors(key, response, metrics="muc", unit="document").strata
    assert (0.5, 1.0) in {row[5:7] for row in apart}
    with pytest.raises(ValueError, match=r"unit: '\^q' matches no document name"):
        scorer.errors(key, response, metrics="muc", unit="^q")


def test_many_values_have_the_intervals_of_few(monkeypatch):
    options = {"metrics": "muc", "trials": 100, "by": "parse"}
    at_once = scorer.errors(*STORY, **options).strata
    monkeypatch.setattr(strata, "AT_ONCE", 300)
    for row, other in zip(at_once, scorer.errors(*STORY, **options).strata, strict=True):
        assert row[:4] == other[:4]
        assert row[4:] == tuple(map(pytest.approx, other[4:]))
    assert any(row.found_low is not None for row in at_once)
