"""Kinds of errors, links, strata, entities: as measured elsewhere, for any input, and by hand."""

import json
from collections import Counter
from io import BytesIO
from itertools import chain, combinations
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from conll.document import Document, Layers
from conll.io import open_documents
from scorer.analysis import entities, links, strata, strata_rows
from scorer.analysis.document_errors import DocumentErrors
from scorer.analysis.heads import head_of, parse_parents
from scorer.analysis.kinds import (
    CONFLATED,
    DIVIDED,
    EXTRA_ENTITY,
    EXTRA_MENTION,
    EXTRA_SINGLETON,
    KINDS,
    MISSING_ENTITY,
    MISSING_MENTION,
    MISSING_SINGLETON,
    SPAN,
)
from scorer.analysis.text import NAME, NOMINAL, PRONOUN, Text
from scorer.match.align import without_repeats
from scorer.metrics import METRICS
from scorer.options import Options
from strategies import partitions, repeating

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"
STORY = [FIXTURES / "documentation" / f"story.{side}.conll" for side in ("key", "response")]
COREFUD = FIXTURES / "formats" / "story.corefud.conllu"


def golden(name):
    return [json.loads(line) for line in (FIXTURES / "golden" / name).read_text().splitlines()]


def found(key, response, tags=(), options=None, words=None, names=()):
    """The errors of one document of clusters of spans; `tags` has one for each word."""
    columns = {"pos": list(tags)} if tags else {}
    layers = Layers([list(words or tags)], columns, names=names)
    documents = Document("a", key), Document("a", response)
    of_side = {"key": layers, "response": None}.get
    return DocumentErrors(*documents, options or Options(), of_side, {})


def errors_of(key, response, **options):
    """The errors of two files, of which each is text or the data of a line of JSON."""
    texts = (side if isinstance(side, str) else json.dumps(side) for side in (key, response))
    return scorer.errors(
        *(BytesIO(text.encode()) for text in texts), **{"metrics": "muc"} | options
    )


def spans(clusters):
    return [[(mention, mention) for mention in cluster] for cluster in clusters]


def repaired(document, kinds):
    """The response's clusters once these kinds are repaired, as mentions."""
    clusters = {}
    for mention, place in document.repair.repaired(kinds).items():
        clusters.setdefault(place, []).append(document.pair.mentions[mention])
    kept = [c for c in clusters.values() if not document.pair.drop or len(c) > 1]
    return sorted(map(sorted, kept))


def values_of(errors, side="key"):
    """How many mentions of a side have each value, by stratum and value."""
    return {(r.stratum, r.value): r.mentions for r in errors.strata if r.side == side}


def corefud(*rows):
    """A CorefUD file of one sentence: of each row the word, the head and the cell of entities."""
    lines = [
        f"{at}\t{word}\t_\t_\t_\t_\t{head}\tdep\t_\t{(cell and f'Entity={cell}') or '_'}\n"
        for at, (word, head, cell) in enumerate(rows, 1)
    ]
    return "".join(["# global.Entity = eid-etype-head-other\n# newdoc id = a\n", *lines, "\n"])


# Measured elsewhere

RULES = {
    "Conflated Entities": CONFLATED,
    "Extra Mention": EXTRA_MENTION,
    "Extra Entity": EXTRA_ENTITY,
    "Divided Entity": DIVIDED,
    "Missing Mention": MISSING_MENTION,
    "Missing Entity": MISSING_ENTITY,
}


@pytest.mark.parametrize("row", golden("errors.jsonl"), ids=lambda row: row["name"])
def test_kinds_are_those_of_the_berkeley_analyser(row):
    singletons = "drop" if row["remove_singletons"] == "T" else "keep"
    errors = errors_of(row["gold_conll"], row["system_conll"], singletons=singletons)
    if "rules" in row:
        assert {name: errors.counts[kind] for name, kind in RULES.items()} == row["rules"]
    else:
        assert errors.counts[SPAN] == row["errors"]["Span Error"]


def test_all_rows_are_there():
    rows = golden("errors.jsonl")
    assert (len(rows), sum("rules" in row for row in rows)) == (84, 80)
    assert len(golden("link-errors.jsonl")) == 25


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

    assert wrong(links.recall_links(pair)) == sorted(row["recall_closest"])
    assert wrong(links.recall_links(pair, "accessible")) == sorted(row["recall_accessibility"])
    assert wrong(links.precision_links(pair, links="output")) == sorted(
        row["precision_system_output"]
    )


# What must hold

TAGS = st.lists(st.sampled_from(["PRP", "NN", "NNP"]), min_size=12, max_size=12)
SINGLETONS = st.sampled_from(["keep", "drop"])


@given(partitions(), partitions(), TAGS, SINGLETONS)
def test_all_kinds_repaired_are_the_key(key, response, tags, singletons):
    document = found(spans(key), spans(response), tags, Options(singletons=singletons))
    assert repaired(document, KINDS) == sorted(
        sorted(cluster) for cluster in spans(key) if singletons == "keep" or len(cluster) > 1
    )


@given(partitions(), partitions(), SINGLETONS)
def test_all_kinds_repaired_score_100_in_every_metric(key, response, singletons):
    metrics = [name for name, metric in METRICS.items() if metric.of == "clusters"]
    options = {"metrics": metrics, "singletons": singletons}
    costs = scorer.errors(spans(key), spans(response), **options).costs
    # Against itself a key has 1 wherever there is a denominator, 0 elsewhere.
    for evaluation, side in ((costs.after[KINDS[-1]], key), (costs.response, response)):
        expected = scorer.score(spans(key), spans(side), **options)
        for name in options["metrics"]:
            f1 = pytest.approx(expected.ratios(name).f1, abs=1e-12)
            assert evaluation.ratios(name).f1 == f1


@given(partitions(), partitions(), TAGS)
def test_wrong_links_of_trees_are_mucs(key, response, tags):
    pair = found(spans(key), spans(response), tags).pair
    (counts,) = scorer.score(spans(key), spans(response), metrics="muc").totals["muc"]
    for antecedents in links.ANTECEDENTS:
        recall = [link.right for link in links.recall_links(pair, antecedents)]
        precision = [link.right for link in links.precision_links(pair, antecedents)]
        assert (sum(recall), len(recall), sum(precision), len(precision)) == counts.as_tuple()


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


@given(partitions(), partitions())
def test_bounds(key, response):
    metrics = ("muc", "bcub", "mentions")
    errors = scorer.errors(spans(key), spans(response), metrics=metrics)
    of_key, of_response = ({m for cluster in side for m in cluster} for side in (key, response))
    as_in_key = [[m for m in cluster if m in of_response] for cluster in key]
    as_in_key += [[m] for m in of_response - of_key]
    as_in_response = [[m for m in cluster if m in of_key] for cluster in response]
    as_in_response += [[m] for m in of_key - of_response]
    for bound, clusters in zip(errors.costs.bounds.values(), (as_in_key, as_in_response)):
        expected = scorer.score(spans(key), spans(clusters), metrics=metrics)
        for metric in metrics:
            ratios = expected.ratios(metric).as_tuple()
            assert bound.ratios(metric).as_tuple() == pytest.approx(ratios)


POLICIES = ["reference", "first", "last", "keep", "corefud"]


@given(repeating().map(spans), repeating().map(spans), st.sampled_from(POLICIES))
def test_a_repeated_mention_stands_in_one_cluster(key, response, duplicates):
    """In the last cluster of the key and the first of the response, of those that the policy leaves."""
    pair = found(key, response, options=Options(duplicates=duplicates)).pair
    of_key, of_response, _, _ = without_repeats(key, response, duplicates)
    last = {mention: k for k, cluster in enumerate(of_key) for mention in cluster}
    first = {
        mention: r for r, cluster in reversed(list(enumerate(of_response))) for mention in cluster
    }
    assert {mention: k for mention, k in zip(pair.mentions, pair.key_of) if k >= 0} == last
    assert {mention: r for mention, r in zip(pair.mentions, pair.response_of) if r >= 0} == first
    assert sorted(chain.from_iterable(pair.key)) == [m for m, k in enumerate(pair.key_of) if k >= 0]


# By hand


@pytest.mark.parametrize(
    ("key", "response", "kinds"),
    [
        ([[0, 1], [2, 3]], [[0, 2], [1, 3]], {DIVIDED: 2, CONFLATED: 2}),
        ([[0, 1, 2]], [[1, 2]], {DIVIDED: 1}),
        ([[1, 2]], [[0, 1, 2]], {CONFLATED: 1}),
        ([[0]], [[1]], {MISSING_SINGLETON: 1, EXTRA_SINGLETON: 1}),
        ([[0, 1]], [], {MISSING_ENTITY: 1}),
        ([], [[0, 1]], {EXTRA_ENTITY: 1}),
    ],
)
def test_small_cases(key, response, kinds):
    parts = found(spans(key), spans(response)).repair.parts
    assert Counter(part.kind for part in parts) == Counter(kinds)


@pytest.mark.parametrize(
    ("key", "response", "kinds", "clusters"),
    [
        # {abc}{def} answered by {ab}{cdef}x, a to f and x being words 0 to 6.
        ("012 345", "01 23456", [], "01 23456"),
        ("012 345", "01 23456", [DIVIDED], "012 3456"),
        # The extra mention stays with the base, which is the part of the first mention.
        ("012 345", "01 23456", [CONFLATED], "01 26 345"),
        ("012 345", "01 23456", [EXTRA_MENTION], "01 2345"),
        # A base that is missing comes in with what is divided.
        ("012", "12", [MISSING_MENTION], "12"),
        ("012", "12", [DIVIDED], "012"),
        # Missing mentions come in with the largest part.
        ("0123", "0 12", [MISSING_MENTION], "0 123"),
    ],
)
def test_repairing_one_kind_alone(key, response, kinds, clusters):
    sides = (spans(map(int, cluster) for cluster in side.split()) for side in (key, response))
    found_ = repaired(found(*sides), kinds)
    assert " ".join("".join(str(m) for m, _ in cluster) for cluster in found_) == clusters


@pytest.mark.parametrize(
    ("key", "response", "pairs"),
    [
        ((0, 1), (1, 1), 1),  # an article
        ((0, 1), (0, 2), 1),  # a possessive
        ((5, 6), (6, 8), 0),  # no head is known without a parse
        ((0, 1), (3, 3), 0),
    ],
)
def test_spans_that_differ_in_what_stands_at_their_borders(key, response, pairs):
    words = ["The", "dog", "'s", "tail", "and", "the", "cat", "of", "war"]
    document = found([[key, (4, 4)]], [[response, (4, 4)]], words=words)
    assert sum(part.kind == SPAN for part in document.repair.parts) == pairs


@pytest.mark.parametrize(
    ("parse", "tags", "span", "head"),
    [
        ("(NP(NP* (PP* (NP*", "NNS IN NN", (0, 2), 0),
        ("(NP* * *)", "DT JJ NN", (0, 2), 2),
        ("(NP(NP* *) *)", "NNP POS NN", (0, 2), 2),
        ("(NP(NP* *) *)", "NNP POS NN", (0, 1), 0),
        ("(NP(NP*) * (NP*))", "NNP CC NNP", (0, 2), 0),
        ("* *) (NP*", "DT NN NN", (0, 1), 1),  # brackets without a partner
    ],
)
def test_heads(parse, tags, span, head):
    assert head_of(*span, parse_parents(parse.split(), tags.split())) == head


TAGGED = {"pos": ["NNP", "NNP", "VBD", "PRP$", "NN"], "parse": ["(NP*", "*)", "*", "(NP*", "*)"]}
HUGE = [(0, 1, "PERSON"), (0, 0, "A"), (9, 1 << 40, "B"), (-1, 0, "C")]


@pytest.mark.parametrize(
    ("columns", "names", "kinds", "source"),
    [
        (TAGGED, [], [NAME, PRONOUN, NOMINAL], "pos, parse"),
        ({}, [], [NOMINAL, PRONOUN, NOMINAL], "words"),
        ({}, [(0, 1, "PERSON")], [NAME, PRONOUN, NOMINAL], "words"),
        # Tokens of names that go beyond the words are not listed one by one.
        ({}, HUGE, [NAME, PRONOUN, NOMINAL], "words"),
    ],
)
def test_types_of_mentions(columns, names, kinds, source):
    text = Text(Layers([["Ada", "Lovelace", "saw", "her", "dog"]], columns, names=names))
    assert [text.kind(mention) for mention in ((0, 1), (3, 3), (3, 4))] == kinds
    assert text.source == source


def test_heads_and_types_of_corefud():
    errors = scorer.errors(COREFUD, COREFUD)
    pair = errors.documents[0].pair
    kinds = {(0, 0): NAME, (2, 2): PRONOUN, (2, 3): NOMINAL, (5, 5): PRONOUN}
    assert dict(zip(pair.mentions, pair.kinds)) == kinds
    assert pair.text.source == "pos, head"
    assert not +errors.counts


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
    assert (source.antecedents("a"), source.antecedents("b")) == ({(2, 2): (0, 0)}, {})


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


def test_an_empty_node_that_stands_for_none_is_said_as_it_is_written():
    """Each side has {it, an empty node after it}; the nodes depend on other words."""
    text = (
        "# global.Entity = eid-etype-head\n# newdoc id = a\n"
        "1\tit\t_\tPRON\t_\t_\t2\tdep\t_\tEntity=(e1-x-1)\n"
        "1.1\t_\t_\t_\t_\t_\t_\t_\t{}\tEntity=(e1-x-1)\n2\tran\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    )
    errors = errors_of(text.format("2:nsubj"), text.format("1:obj"), zeros="dependent")
    assert +errors.counts == {MISSING_MENTION: 1, EXTRA_MENTION: 1}
    for error in errors.findings():
        assert (error.mention, error.words, error.type) == (("0:1.1",), "0:1.1", PRONOUN)
        assert (error.beside, error.line) == ("it", 4)
    assert "unmatched" not in errors.text("json", show=["errors", "entities", "strata"])


def test_findings_say_where_and_what():
    errors = scorer.errors(KEY, RESPONSE)
    first, *_ = errors.findings()
    expected = {"kind": DIVIDED, "document": "(example/letter); part 000", "side": "key"}
    expected |= {"path": str(KEY), "line": 9, "mention": (6, 6), "mentions": 1, "type": PRONOUN}
    expected |= {"key_cluster": "0", "response_cluster": "1", "before": "", "words": "She"}
    expected |= {"after": "showed her the engine , and", "beside": "Ada"}
    assert first._asdict() == expected
    assert sum(errors.counts.values()) == len(list(errors.findings()))


def test_repeated_mentions_are_taken_once():
    begin = "#begin document (a);\na\t0\t0\tx\t"
    sides = f"{begin}(0)\na\t0\t1\ty\t(0)\n", f"{begin}(0)|(1)\na\t0\t1\ty\t(1)\n"
    sides = [f"{side}#end document\n" for side in sides]
    errors = errors_of(*sides)
    assert (errors.counts[DIVIDED], len(errors.notes)) == (1, 1)
    assert any(problem.kind == "repeat" for problem in errors.problems)
    scores = scorer.score(*(BytesIO(side.encode()) for side in sides), metrics="muc")
    assert errors.evaluation.totals == scores.totals


@pytest.mark.parametrize("duplicates", ["first", "error"])
def test_singletons_that_are_left_out_repeat_nothing(duplicates):
    """The singleton {x} goes before {x, y} is looked at, so the response is the key."""
    options = {"metrics": "muc", "singletons": "drop", "duplicates": duplicates}
    errors = scorer.errors([["x"], ["x", "y"]], [["x", "y"], ["y"]], **options)
    assert errors.counts.total() == 0
    assert errors.costs.after[KINDS[-1]].totals == {"muc": (scorer.Counts(1, 1, 1, 1),)}
    # Where no other cluster has its mention, what is of it is not spurious.
    errors = scorer.errors([["x"], ["x"], ["y", "z"]], [["x", "y", "z"]], **options)
    assert +errors.counts == {CONFLATED: 1}


def test_singletons_that_are_left_out_stand_for_nothing():
    """{1 2}, of head 2, shares 2 of 3 words with e2 and 2 of 4 with e1, but e2 is left out."""
    cells = (["(e1--2(e2--2", "", "e2)", "e1)", "(e1--1)"], ["(e1--2", "e1)", "", "", "(e1--1)"])
    files = (corefud(*(("w", int(at > 0), cell) for at, cell in enumerate(row))) for row in cells)
    errors = errors_of(*files, match="head", singletons="drop")
    assert errors.evaluation.totals == {"muc": (scorer.Counts(1, 1, 1, 1),)}
    assert errors.counts.total() == 0


# Entities and NEC


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


# Strata


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


@given(partitions(), partitions(), LABELS)
def test_classes_are_compared_as_sets_of_mentions_and_pairs(key, response, labels):
    names = [(at, at, label) for at, label in enumerate(labels) if label]
    document = found(spans(key), spans(response), words="w" * 12, names=names)
    tallies = strata.tallies(document)
    sides = {"key": classes_by_definition(key, labels)}
    sides["response"] = classes_by_definition(response, labels)
    mentions, pairs = (sides["key"][at] & sides["response"][at] for at in (0, 1))
    for side, (own_mentions, own_pairs) in sides.items():
        for label in ("GPE", "PERSON", "none"):
            expected = [
                sum(item[-1] == label for item in items)
                for items in (own_mentions, mentions, own_pairs, pairs)
            ]
            tally = tallies.get(("class", label, side), strata.Tally())
            assert [tally.mentions, tally.found, tally.links, tally.right] == expected


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
    """The first mention is words 0 to 9 with head 9, or with a head that is not known; the last is 100."""
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
    options = {"metrics": "muc", "by": ["upos", "infstat"], "groups": "^(l)"}
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


# Of three words the first is a pronoun, and they are in two sentences.
BARE = """\
#begin document a
a 0 0 [WORD] PRP * - - - Ann * (0)
a 0 1 [WORD] NN * - - - Bob (ORG) (0)

a 0 0 [WORD] NN * - - - Bob * (0)
#end document
"""
LACKING = BARE.replace("Ann * (0)", "Ann * -")
TWO = {"doc_key": "a", "clusters": [[[1, 1], [2, 2]]]}
THREE = {"doc_key": "a", "clusters": [[[0, 0], [1, 1], [2, 2]]]}


@pytest.mark.parametrize(
    ("key", "response"),
    [
        (BARE, TWO),
        (THREE | {"tokens": ["It", "is", "it"]}, LACKING),
    ],
    ids=["no words", "words of the key"],
)
def test_columns_say_something_of_words_that_are_not_given(key, response):
    """The first mention is a pronoun that is missing; were it a nominal, the entity would be divided."""
    errors = errors_of(key, response, by="speaker")
    assert +errors.counts == {MISSING_MENTION: 1}
    values = values_of(errors)
    for cell, number in {
        ("type", PRONOUN): 1,
        ("type", NOMINAL): 2,
        ("speaker", "Ann"): 1,
        ("speaker", "Bob"): 2,
        ("entity", "ORG"): 1,
        ("entity", "none"): 2,
    }.items():
        assert values[cell] == number
    assert list(errors.sources()) == ["pos"]


def test_a_name_without_words_is_found_nowhere():
    rows = "a 0 0 [WORD] NNP * - - - - * (0)\na 0 1 [WORD] PRP * - - - - * (0)\n"
    response = {"doc_key": "a", "clusters": [[[1, 1]]]}
    errors = errors_of(f"#begin document a\n{rows}#end document\n", response)
    assert (errors.nec.f1, errors.nec.entities) == (None, 0)
    assert [entity.name for entity in errors.entities] == ["[0, 0]"]


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


@pytest.mark.parametrize("interval", ["expanded", "percentile", "bca"])
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
    """One document is half right and one wholly: a quarter of the replicates are .5, a half .75, a quarter 1.

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
    monkeypatch.setattr(strata_rows, "AT_ONCE", 300)
    for row, other in zip(at_once, scorer.errors(*STORY, **options).strata, strict=True):
        assert row[:4] == other[:4]
        assert row[4:] == tuple(map(pytest.approx, other[4:]))
    assert any(row.found_low is not None for row in at_once)


# Two responses


def test_against():
    key = {"a": spans([[0, 1, 2], [3, 4]])}
    # The first lacks 2 and has 5, which is spurious; the second lacks 3 and 4.
    responses = spans([[0, 1], [3, 4, 5]]), spans([[0, 1, 2]])
    first, second = (scorer.errors(key, {"a": side}, metrics="muc") for side in responses)
    against = first.against(second)
    diffs = {diff.mention: diff for diff in against.mention_diffs()}
    assert {
        mention: (*diff.kinds, diff.outcome, *diff.other_kinds) for mention, diff in diffs.items()
    } == {
        (2, 2): (MISSING_MENTION, "wrong here only"),
        (3, 3): ("wrong there only", MISSING_ENTITY),
        (4, 4): ("wrong there only", MISSING_ENTITY),
        (5, 5): (EXTRA_MENTION, "wrong here only"),
    }
    assert list(against.by_kind[MISSING_MENTION].values()) == [1, 0, 0]
    assert list(against.by_kind[MISSING_ENTITY].values()) == [0, 2, 0]
    assert list(against.by_stratum["size", "3–5"].values()) == [1, 0, 0, 2]
    assert list(first.against(first).by_kind[MISSING_MENTION].values()) == [0, 0, 1]
    message = "against: the two responses were scored on other documents"
    with pytest.raises(ValueError, match=message):
        first.against(scorer.errors({"b": key["a"]}, {"b": []}, metrics="muc"))


def test_mentions_of_two_responses_are_in_the_order_of_the_text():
    key = [[(0, 0), (9, 9)]]
    sides = [[*key, [(4, 8)]], [*key, [(2, 2)], [(4, 4)]]]
    first, second = (scorer.errors(key, side, metrics="muc") for side in sides)
    diffs = first.against(second).mention_diffs()
    assert [diff.mention for diff in diffs] == [(2, 2), (4, 4), (4, 8)]
    # Mentions that are no words have no place there: one of each response follows the other.
    key, *sides = ([[f"{letter}{at}" for at in range(9)]] for letter in "abc")
    first, second = (scorer.errors(key, side, metrics="muc") for side in sides)
    mentions = [diff.mention for diff in first.against(second).mention_diffs()]
    assert mentions == [*key[0], *chain.from_iterable(zip(*chain.from_iterable(sides)))]


def test_sentences_to_read_first():
    errors, right = (scorer.errors(KEY, side, metrics="muc") for side in (RESPONSE, KEY))
    sentences = errors.against(right).sentences
    assert [(one.document, one.line, one.here, one.there) for one in sentences] == [
        ("(example/letter); part 000", 9, 1, 0),
        ("(example/report); part 000", 36, 1, 0),
    ]
    assert sentences[0].words == "She showed her the engine , and Grace thanked Ada for it ."


# What cannot be


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"antecedents": "next"}, "antecedents: 'next' is not one of closest, accessible"),
        ({"links": "all"}, "links: 'all' is not one of auto, tree, output"),
        ({"metrics": "mor"}, "mor does not count clusters; add another metric"),
    ],
)
def test_what_cannot_be(words, message):
    with pytest.raises(ValueError, match=message):
        scorer.errors([["a"]], [["a"]], **words)


def test_metrics_of_mentions_are_left_out():
    errors = scorer.errors([["a", "b"]], [["a", "b"]], metrics="muc,mor")
    assert (errors.names, len(errors.notes)) == (["muc"], 1)
