"""Kinds of errors, links, strata, entities, bounds: what is measured elsewhere, what must hold of any input, small cases."""

import csv
import io
import json
from collections import Counter
from io import BytesIO
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from conll.document import Document, Layers
from conll.io import open_documents
from scorer.analysis import pair as links
from scorer.analysis import strata
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
    DocumentErrors,
)
from scorer.analysis.text import NAME, NOMINAL, PRONOUN, Text, head_of, of_parse
from scorer.match.align import without_repeats
from scorer.options import Options
from scorer.report.forms import names
from strategies import partitions, repeating

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"


def golden(name):
    return [json.loads(line) for line in (FIXTURES / "golden" / name).read_text().splitlines()]


def found(key, response, tags=(), options=None, **said):
    """The errors of one document of clusters of spans.

    `tags` has a part of speech for each word.
    """
    layers = Layers([list(said.get("words", tags))], {"pos": list(tags)} if tags else {})
    documents = Document("a", key), Document("a", response)
    of_side = {"key": layers, "response": None}.get
    return DocumentErrors(*documents, options or Options(), of_side, said.get("antecedents", {}))


def spans(clusters):
    return [[(mention, mention) for mention in cluster] for cluster in clusters]


# Measured elsewhere
# --------------------------------------------------------------------------------------------------

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
    key, response = (BytesIO(row[side].encode()) for side in ("gold_conll", "system_conll"))
    errors = scorer.errors(
        key,
        response,
        metrics="muc",
        singletons="drop" if row["remove_singletons"] == "T" else "keep",
    )
    if "rules" in row:
        assert {name: errors.counts[kind] for name, kind in RULES.items()} == row["rules"]
    else:
        assert errors.counts[SPAN] == row["errors"]["Span Error"]


def test_all_rows_are_there():
    rows = golden("errors.jsonl")
    assert (len(rows), sum("rules" in row for row in rows), len(golden("link-errors.jsonl"))) == (
        84,
        80,
        25,
    )


def tag_of(letter):
    return "PRP" if letter.isupper() else "NNP" if "n" <= letter <= "r" else "NN"


@pytest.mark.parametrize("row", golden("link-errors.jsonl"), ids=lambda row: row["name"])
def test_link_errors_are_those_of_cort(row):
    order = row["order"]
    key, response = (
        [[(order.index(m),) * 2 for m in cluster] for cluster in row[side]]
        for side in ("key", "response")
    )
    pair = found(key, response, [tag_of(letter) for letter in order]).pair

    def wrong(each):
        places = [
            (pair.mentions[link.anaphor][0], pair.mentions[link.antecedent][0])
            for link in each
            if not link.right
        ]
        return sorted([order[anaphor], order[antecedent]] for anaphor, antecedent in places)

    assert wrong(links.of_recall(pair)) == sorted(row["recall_closest"])
    assert wrong(links.of_recall(pair, "accessible")) == sorted(row["recall_accessibility"])
    assert wrong(links.of_precision(pair, links="output")) == sorted(row["precision_system_output"])


# What must hold
# ------------------------------------------------------------------------------------------------------

TAGS = st.lists(st.sampled_from(["PRP", "NN", "NNP"]), min_size=12, max_size=12)
SINGLETONS = st.sampled_from(["keep", "drop"])


def as_sets(clusters):
    return {frozenset(cluster) for cluster in clusters if cluster}


@given(partitions(), partitions(), TAGS, SINGLETONS)
def test_all_kinds_mended_are_the_key(key, response, tags, singletons):
    document = found(spans(key), spans(response), tags, Options(singletons=singletons))
    mended = document.repair.repaired(KINDS)
    kept = [
        cluster for k, cluster in enumerate(document.pair.key) if k not in document.pair.left_out
    ]
    assert sorted(mended) == sorted(cluster for cluster in kept if cluster)
    assert as_sets([[document.pair.mentions[m] for m in cluster] for cluster in mended]) == {
        cluster for cluster in as_sets(spans(key)) if singletons == "keep" or len(cluster) > 1
    }


@given(partitions(), partitions(), st.booleans())
def test_all_kinds_mended_score_100_in_every_metric(key, response, dropped):
    every = scorer.metrics.names("clusters")
    singletons = "drop" if dropped else "keep"
    errors = scorer.errors(spans(key), spans(response), metrics=every, singletons=singletons)
    after = errors.costs.after[KINDS[-1]]
    perfect, plain = (
        scorer.score(spans(key), spans(of), metrics=every, singletons=singletons)
        for of in (key, response)
    )
    for name in every:
        # SystemDiff itself a key has 1 wherever there is a denominator, 0 elsewhere.
        assert after.ratios(name).f1 == pytest.approx(perfect.ratios(name).f1, abs=1e-12)
        assert errors.costs.response.ratios(name).f1 == pytest.approx(
            plain.ratios(name).f1, abs=1e-12
        )
    counts = after.totals["mentions"][0]
    assert counts.recall_numerator == counts.recall_denominator == counts.precision_denominator


def links_and_errors(document, clusters, others, entity, kinds):
    """MUC's links that others lack (Vilain et al. 1995), and the errors of these kinds, where no entity is missing or made up."""
    mentions = document.pair.mentions
    owner = {mention: at for at, cluster in enumerate(others) for mention in cluster}
    of_entities = {
        mentions[m][0]
        for part in document.repair.parts
        if part.kind == entity
        for m in part.mentions
    }
    left = [cluster for cluster in clusters if cluster and of_entities.isdisjoint(cluster)]
    members = {mention for cluster in left for mention in cluster}
    parts = [
        part
        for part in document.repair.parts
        if part.kind in kinds and mentions[part.mentions[0]][0] in members
    ]
    return sum(
        len({owner.get(mention, (mention,)) for mention in cluster}) - 1 for cluster in left
    ), len(parts)


@given(partitions(), partitions(), TAGS)
def test_errors_are_mucs_missing_and_extra_links(key, response, tags):
    document = found(spans(key), spans(response), tags)
    missing, errors = links_and_errors(
        document, key, response, MISSING_ENTITY, {MISSING_MENTION, DIVIDED}
    )
    assert missing == errors
    extra, errors = links_and_errors(
        document, response, key, EXTRA_ENTITY, {EXTRA_MENTION, CONFLATED}
    )
    assert extra == errors


@given(partitions(), partitions(), TAGS)
def test_wrong_links_of_trees_are_mucs(key, response, tags):
    pair = found(spans(key), spans(response), tags).pair
    (counts,) = scorer.score(spans(key), spans(response), metrics="muc").totals["muc"]
    for antecedents in links.ANTECEDENTS:
        recall, precision = (
            list(links.of_recall(pair, antecedents)),
            list(links.of_precision(pair, antecedents)),
        )
        assert (len(recall), len(precision)) == (
            counts.recall_denominator,
            counts.precision_denominator,
        )
        assert sum(link.right for link in recall) == counts.recall_numerator
        assert sum(link.right for link in precision) == counts.precision_numerator


@given(partitions(), partitions(), TAGS, SINGLETONS)
def test_every_mention_has_one_value_of_a_stratum(key, response, tags, singletons):
    options = Options(singletons=singletons)
    tallies = strata.tallies(
        found(spans(key), spans(response), tags, options), by=["pos", "pos"], group="g"
    )
    scored = scorer.score(
        spans(key), spans(response), metrics=["mentions", "bcub", "muc"], options=options
    ).totals
    (mentions,), (bcub,), (muc,) = scored["mentions"], scored["bcub"], scored["muc"]
    for stratum in (*strata.STRATA, "pos in the file", "group"):
        for side, one, share, links_ in (
            (
                "key",
                (mentions.recall_numerator, mentions.recall_denominator),
                bcub.recall_numerator,
                muc.recall_denominator,
            ),
            (
                "response",
                (mentions.precision_numerator, mentions.precision_denominator),
                bcub.precision_numerator,
                muc.precision_denominator,
            ),
        ):
            of_side = [
                tally for (name, _, at), tally in tallies.items() if (name, at) == (stratum, side)
            ]
            assert sum(tally.mentions for tally in of_side) == one[1]
            assert sum(tally.found for tally in of_side) == one[0]
            assert sum(tally.bcub for tally in of_side) == pytest.approx(share)
            assert sum(tally.links for tally in of_side) == links_
            assert all(tally.right <= tally.links for tally in of_side)


@given(partitions(), partitions())
def test_bounds(key, response):
    errors = scorer.errors(spans(key), spans(response), metrics="muc,bcub,mentions")
    both = {m for cluster in key for m in cluster} & {m for cluster in response for m in cluster}
    as_in_key = [[m for m in cluster if m in both] for cluster in key]
    as_in_key += [[m] for cluster in response for m in cluster if m not in both]
    of_key = [[m for m in cluster if m in both] for cluster in response] + [
        [m] for cluster in key for m in cluster if m not in both
    ]
    for bound, clusters in zip(errors.costs.bounds.values(), (as_in_key, of_key)):
        expected = scorer.score(spans(key), spans(clusters), metrics="muc,bcub,mentions")
        for metric in ("muc", "bcub", "mentions"):
            assert bound.ratios(metric).as_tuple() == pytest.approx(
                expected.ratios(metric).as_tuple()
            )


@given(
    repeating().map(spans),
    repeating().map(spans),
    st.sampled_from(["reference", "first", "last", "keep", "corefud"]),
)
def test_a_repeated_mention_stands_in_one_cluster(key, response, duplicates):
    """In the last cluster of the key and in the first of the response, of those in which the policy leaves it."""
    pair = found(key, response, options=Options(duplicates=duplicates)).pair
    of_key, of_response, _, _ = without_repeats(key, response, duplicates)
    last = {mention: k for k, cluster in enumerate(of_key) for mention in cluster}
    first = {
        mention: r for r, cluster in reversed(list(enumerate(of_response))) for mention in cluster
    }
    assert {mention: k for mention, k in zip(pair.mentions, pair.key_of) if k >= 0} == last
    assert {mention: r for mention, r in zip(pair.mentions, pair.response_of) if r >= 0} == first
    assert sorted(m for cluster in pair.key for m in cluster) == [
        m for m, k in enumerate(pair.key_of) if k >= 0
    ]


# By hand
# -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("key", "response", "kinds"),
    [
        ([[0, 1, 2]], [[0, 1]], {MISSING_MENTION: 1}),
        ([[0, 1, 2, 3]], [[0, 1], [2, 3]], {DIVIDED: 1}),
        ([[0, 1], [2, 3]], [[0, 1, 2, 3]], {CONFLATED: 1}),
        ([[0, 1, 2], [3, 4, 5]], [[0, 1], [2, 3, 4, 5]], {DIVIDED: 1, CONFLATED: 1}),
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


def test_mending_one_kind_alone():
    """{abc}{def} answered by {ab}{cdef}x, a to f and x being words 0 to 6."""
    document = found(spans([[0, 1, 2], [3, 4, 5]]), spans([[0, 1], [2, 3, 4, 5, 6]]))

    def mend(*kinds):
        return sorted(document.repair.repaired(kinds))

    assert mend() == [[0, 1], [2, 3, 4, 5, 6]]
    assert mend(DIVIDED) == [[0, 1, 2], [3, 4, 5, 6]]
    # The extra mention stays with the base, which is the part of the first mention.
    assert mend(CONFLATED) == [[0, 1], [2, 6], [3, 4, 5]]
    assert mend(EXTRA_MENTION) == [[0, 1], [2, 3, 4, 5]]


def test_a_base_that_is_missing_comes_in_with_what_is_divided():
    document = found(spans([[0, 1, 2]]), spans([[1, 2]]))
    assert document.repair.repaired([MISSING_MENTION]) == [[1, 2]]
    assert document.repair.repaired([DIVIDED]) == [[0, 1, 2]]


def test_missing_mentions_come_in_with_the_largest_part():
    document = found(spans([[0, 1, 2, 3]]), spans([[0], [1, 2]]))
    assert sorted(document.repair.repaired([MISSING_MENTION])) == [[0], [1, 2, 3]]


WORDS = ["The", "dog", "'s", "tail", "and", "the", "cat", "of", "war"]


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
    document = found([[key, (4, 4)]], [[response, (4, 4)]], words=WORDS)
    assert sum(part.kind == SPAN for part in document.repair.parts) == pairs


@pytest.mark.parametrize(
    ("parse", "tags", "span", "head"),
    [
        (["(NP(NP*", "(PP*", "(NP*)))"][:3], ["NNS", "IN", "NN"], (0, 2), 0),
        (["(NP*", "*", "*)"], ["DT", "JJ", "NN"], (0, 2), 2),
        (["(NP(NP*", "*)", "*)"], ["NNP", "POS", "NN"], (0, 2), 2),
        (["(NP(NP*", "*)", "*)"], ["NNP", "POS", "NN"], (0, 1), 0),
        (["(NP(NP*)", "*", "(NP*))"], ["NNP", "CC", "NNP"], (0, 2), 0),
        (["*", "*)", "(NP*"], ["DT", "NN", "NN"], (0, 1), 1),  # brackets without a partner
    ],
)
def test_heads(parse, tags, span, head):
    assert head_of(*span, of_parse(parse, tags)) == head


def test_types_of_mentions():
    words = ["Ada", "Lovelace", "saw", "her", "dog"]
    tagged = Text(
        Layers(
            [words],
            {
                "pos": ["NNP", "NNP", "VBD", "PRP$", "NN"],
                "parse": ["(NP*", "*)", "*", "(NP*", "*)"],
            },
        )
    )
    assert [tagged.kind(m) for m in ((0, 1), (3, 3), (3, 4))] == [NAME, PRONOUN, NOMINAL]
    assert tagged.source == "pos, parse"
    bare = Text(Layers([words]))
    assert [bare.kind(m) for m in ((0, 1), (3, 3), (3, 4))] == [NOMINAL, PRONOUN, NOMINAL]
    assert bare.source == "words"
    named = Text(Layers([words], names=[(0, 1, "PERSON")]))
    assert [named.kind(m) for m in ((0, 1), (3, 3), (3, 4))] == [NAME, PRONOUN, NOMINAL]
    assert Text(None).kind((0, 1)) == NOMINAL
    assert Text(None).kind(("0:1.1",)) == PRONOUN
    assert Text(None).source == "none"


def test_names_in_names_and_beyond_the_words():
    """Their tokens are not listed one by one: these would be 2 ** 40 of them."""
    text = Text(
        Layers(
            [["Ada", "Grace", "saw", "it"]],
            names=[(0, 1, "A"), (0, 0, "B"), (1, 1, "A"), (3, 1 << 40, "C"), (-1, 0, "D")],
        )
    )
    assert [text.kind((at, at)) for at in range(4)] == [NAME, NAME, NOMINAL, PRONOUN]
    assert text.kind((2, 3)) == NAME


def test_heads_and_types_of_corefud():
    errors = scorer.errors(
        FIXTURES / "formats" / "story.corefud.conllu", FIXTURES / "formats" / "story.corefud.conllu"
    )
    (document,) = errors.documents[:1]
    kinds = {(0, 0): NAME, (2, 2): PRONOUN, (2, 3): NOMINAL, (5, 5): PRONOUN}
    assert dict(zip(document.pair.mentions, document.pair.kinds)) == kinds
    assert document.pair.text.source == "pos, head"
    assert not +errors.counts


def test_antecedents_of_json_lines():
    key = b'{"doc_key": "a", "tokens": ["a", "b", "c", "d"], "clusters": [[[0, 0], [2, 2]], [[1, 1], [3, 3]]]}\n'
    one = {"doc_key": "a", "clusters": [[[0, 0], [1, 1], [2, 2], [3, 3]]]}
    one["antecedents"] = [[[2, 2], [0, 0]], [[3, 3], [2, 2]], [[1, 1], "x"]]
    table = scorer.errors(BytesIO(key), BytesIO(json.dumps(one).encode()), metrics="muc").links
    assert (
        table.links["response", NOMINAL, NOMINAL],
        table.errors["response", NOMINAL, NOMINAL],
    ) == (2, 1)
    trees = scorer.errors(
        BytesIO(key), BytesIO(json.dumps(one).encode()), metrics="muc", links="tree"
    ).links
    assert (
        trees.links["response", NOMINAL, NOMINAL],
        trees.errors["response", NOMINAL, NOMINAL],
    ) == (3, 1)
    exclusive = {"doc_key": "a", "clusters": [[[0, 1], [2, 3]]], "antecedents": [[[2, 3], [0, 1]]]}
    source = open_documents(BytesIO(json.dumps(exclusive).encode()), "jsonl_exclusive")
    assert source.antecedents("a") == {(2, 2): (0, 0)}
    assert source.antecedents("b") == {}


@pytest.mark.parametrize("match", ["head", "partial"])
def test_antecedents_of_mentions_that_stand_for_others(match):
    """The key has {the dog, it}, and the response links it to dog, which is the head of the former."""
    cells = [
        ("the", "Entity=(e1-animal-2"),
        ("dog", "Entity=e1)"),
        ("saw", "_"),
        ("it", "Entity=(e1-animal-1)"),
    ]
    rows = [
        f"{at}\t{word}\t_\t_\t_\t_\t{int(at > 1)}\tdep\t_\t{cell}\n"
        for at, (word, cell) in enumerate(cells, 1)
    ]
    key = "# global.Entity = eid-etype-head\n# newdoc id = a\n" + "".join(rows)
    response = {
        "doc_key": "a",
        "tokens": ["the", "dog", "saw", "it"],
        "clusters": [[[1, 1], [3, 3]]],
    }
    response["antecedents"] = [[[3, 3], [1, 1]]]
    sides = BytesIO(key.encode()), BytesIO(json.dumps(response).encode())
    table = scorer.errors(*sides, metrics="muc", match=match).links
    assert {at: links for at, links in table.links.items() if links} == {
        ("key", PRONOUN, NOMINAL): 1,
        ("response", PRONOUN, NOMINAL): 1,
    }
    assert not +table.errors


def test_an_empty_node_that_stands_for_none_is_said_as_it_is_written():
    """Each side has {it, an empty node after it}.

    The nodes depend on other words, so one is missing and one is extra.
    """
    text = (
        "# global.Entity = eid-etype-head\n# newdoc id = a\n1\tit\t_\tPRON\t_\t_\t2\tdep\t_\tEntity=(e1-x-1)\n"
        "1.1\t_\t_\t_\t_\t_\t_\t_\t{}\tEntity=(e1-x-1)\n2\tran\t_\tVERB\t_\t_\t0\troot\t_\t_\n"
    )
    sides = (BytesIO(text.format(dependency).encode()) for dependency in ("2:nsubj", "1:obj"))
    errors = scorer.errors(*sides, metrics="muc", zeros="dependent")
    assert +errors.counts == {MISSING_MENTION: 1, EXTRA_MENTION: 1}
    missing, extra = errors.findings()
    for one in (missing, extra):
        assert (one.mention, one.words, one.type, one.beside, one.line) == (
            ("0:1.1",),
            "0:1.1",
            PRONOUN,
            "it",
            4,
        )
    assert "unmatched" not in errors.text("json", show=["errors", "entities", "strata"])


def test_findings_say_where_and_what():
    errors = scorer.errors(KEY, RESPONSE)
    first, *_ = errors.findings()
    assert first._asdict() == {
        "kind": DIVIDED,
        "document": "(example/letter); part 000",
        "side": "key",
        "path": str(KEY),
        "line": 9,
        "mention": (6, 6),
        "mentions": 1,
        "type": PRONOUN,
        "key_cluster": "0",
        "response_cluster": "1",
        "before": "",
        "words": "She",
        "after": "showed her the engine , and",
        "beside": "Ada",
    }
    assert sum(errors.counts.values()) == len(list(errors.findings()))


def test_repeated_mentions_are_taken_once():
    key = b"#begin document (a);\na\t0\t0\tx\t(0)\na\t0\t1\ty\t(0)\n#end document\n"
    response = b"#begin document (a);\na\t0\t0\tx\t(0)|(1)\na\t0\t1\ty\t(1)\n#end document\n"
    errors = scorer.errors(BytesIO(key), BytesIO(response), metrics="muc")
    assert errors.counts[DIVIDED] == 1
    assert len(errors.notes) == 1
    assert any(problem.kind == "repeat" for problem in errors.problems)
    assert (
        errors.evaluation.totals
        == scorer.score(BytesIO(key), BytesIO(response), metrics="muc").totals
    )


@pytest.mark.parametrize("duplicates", ["first", "error"])
def test_singletons_that_are_left_out_repeat_nothing(duplicates):
    """By hand: the singleton {x} goes before {x, y} is looked at, so the response is the key."""
    key, response = [["x"], ["x", "y"]], [["x", "y"], ["y"]]
    errors = scorer.errors(key, response, metrics="muc", singletons="drop", duplicates=duplicates)
    assert errors.counts.total() == 0
    assert errors.costs.after[KINDS[-1]].totals == {"muc": (scorer.Counts(1, 1, 1, 1),)}
    # Where no other cluster has its mention, what is of it is no invention.
    errors = scorer.errors(
        [["x"], ["x"], ["y", "z"]],
        [["x", "y", "z"]],
        metrics="muc",
        singletons="drop",
        duplicates=duplicates,
    )
    assert {kind: n for kind, n in errors.counts.items() if n} == {CONFLATED: 1}


def test_singletons_that_are_left_out_stand_for_nothing():
    """By hand: of head 2, {1 2} has 2 of 3 words in common with e2 and 2 of 4 with e1, but e2 is left out."""

    def corefud(*cells):
        words = enumerate(cells, 1)
        lines = [
            f"{at}\tw\t_\t_\t_\t_\t{int(at > 1)}\tdep\t_\t{(cell and 'Entity=' + cell) or '_'}\n"
            for at, cell in words
        ]
        return BytesIO(
            "".join(
                ["# global.Entity = eid-etype-head-other\n# newdoc id = a\n", *lines, "\n"]
            ).encode()
        )

    files = (
        corefud("(e1--2(e2--2", "", "e2)", "e1)", "(e1--1)"),
        corefud("(e1--2", "e1)", "", "", "(e1--1)"),
    )
    errors = scorer.errors(*files, metrics="muc", match="head", singletons="drop")
    assert errors.evaluation.totals == {"muc": (scorer.Counts(1, 1, 1, 1),)}
    assert errors.counts.total() == 0


# Entities and NEC
# ----------------------------------------------------------------------------------------------------


def test_entities_and_nec():
    """Key: Ada {0, 2, 4} and Grace {1, 3}, a table {5, 6}.

    The response has {0, 2}, {1, 3, 4} without a name, and {5, 6}.
    """
    words = ["Ada", "Grace", "she", "Grace", "her", "table", "it"]
    tags = ["NNP", "NNP", "PRP", "NNP", "PRP", "NN", "PRP"]
    key = spans([[0, 2, 4], [1, 3], [5, 6]])
    errors = scorer.errors({"a": key}, {"a": spans([[0, 2], [1, 3, 4], [5, 6]])}, metrics="muc")
    assert [(one.size, one.common, one.f1) for one in errors.entities] == [
        (3, 2, 0.8),
        (2, 2, 0.8),
        (2, 2, 1.0),
    ]
    assert errors.nec.f1 is None  # no names are known
    document = found(key, spans([[0, 2], [1, 3, 4], [5, 6]]), tags, words=words)
    from scorer.analysis.strata import entities_of, nec

    assert [one.name for one in entities_of(document)] == ["Ada", "Grace", "table"]
    assert (nec(document).f1, nec(document).missed) == (pytest.approx(0.8), 0)
    # Of names Ada has all, Grace both; of pronouns Ada has one of two, and Grace's cluster the other.
    by_type = {kind: (mean.total, mean.entities) for kind, mean in nec(document).by_type.items()}
    assert by_type == {"name": (2, 2), "nominal": (0, 0), "pronoun": (pytest.approx(2 / 3), 2)}
    # A cluster that has the right mentions of Ada and no name of hers counts nothing: hers are
    # without a partner.
    nameless = found(key, spans([[2, 4], [1, 3]]), tags, words=words)
    assert (nec(nameless).f1, nec(nameless).missed) == (pytest.approx(0.5), 1)
    # One cluster holds both names, and can stand for one entity only: 2 × 3 / (3 + 5) is more than
    # 2 × 2 / (2 + 5).
    both = found(key, spans([[0, 1, 2, 3, 4]]), tags, words=words)
    assert (nec(both).f1, nec(both).missed) == (pytest.approx(0.375), 1)


def test_nec_is_the_same_in_every_form(main):
    """Of the documentation's story: three entities have a name, and each has a response cluster."""
    story = [FIXTURES / "documentation" / f"story.{side}.conll" for side in ("key", "response")]
    errors = scorer.errors(*story, metrics="muc")
    records = errors.to_dict(["entities"])["nec"]
    assert records[0] == {"type": "all", "f1": errors.nec.f1, "entities": 3, "missed": 0}
    frame = errors.to_frame("nec")
    assert (list(frame.columns), len(frame)) == (list(records[0]), len(records))
    arguments = ["errors", *story, "--metrics", "muc", "--show", "entities", "--format"]
    rows = list(csv.DictReader(io.StringIO(main(*arguments, "csv")[1])))
    lines = [json.loads(line) for line in main(*arguments, "jsonl")[1].splitlines()]
    assert json.loads(main(*arguments, "json")[1])["nec"] == records
    assert [row for row in lines if row["section"] == "nec"] == [
        {"section": "nec"} | record for record in records
    ]
    assert [
        {field: row[field] for field in records[0]} for row in rows if row["section"] == "nec"
    ] == [
        {field: "" if value is None else str(value) for field, value in record.items()}
        for record in records
    ]


# Strata
# --------------------------------------------------------------------------------------------------------------


def test_strata_by_hand():
    """Key {0, 3, 9}, response {0, 3} {9}: of the key 2 of 3 are found together."""
    tallies = strata.tallies(
        found([[(0, 0), (3, 4), (9, 9)]], [[(0, 0), (3, 4)], [(9, 9)]], ["NN"] * 10)
    )
    assert tallies["length", "1", "key"] == (2, 2, pytest.approx(2 / 3 + 1 / 3), 1, 0)
    assert tallies["length", "2", "key"] == (1, 1, pytest.approx(2 / 3), 1, 1)
    assert tallies["tokens", "none", "key"].mentions == 1
    assert tallies["tokens", "0–5", "key"] == (1, 1, pytest.approx(2 / 3), 1, 1)
    assert tallies["tokens", "6–20", "key"].right == 0
    assert tallies["size", "3–5", "key"].mentions == 3
    assert tallies["singleton", "yes", "response"] == (1, 1, 1.0, 0, 0)


@pytest.mark.parametrize(
    ("spans_", "names"),
    [
        ([(0, 5), (1, 3), (2, 2), (7, 8)], ["outside", "both", "inside", "neither"]),
        ([(0, 2), (1, 3)], ["neither", "neither"]),
        ([(0, 1), (0, 3)], ["inside", "outside"]),
        ([(-1, -1), (0, 0)], ["neither", "neither"]),
    ],
)
def test_nesting(spans_, names):
    assert strata._nesting(spans_) == names


def test_strata_by_columns_attributes_and_groups():
    file = FIXTURES / "formats" / "story.corefud.conllu"
    errors = scorer.errors(
        file, file, metrics="muc", by=["upos", "infstat"], groups="^(l)", documents="letter"
    )
    values = {
        (row.stratum, row.value): row.tally.mentions for row in errors.strata if row.side == "key"
    }
    assert values["entity", "person"] == 4
    assert (values["infstat", "new"], values["infstat", "giv"]) == (2, 2)
    assert values["upos", "PRON"] == 2
    assert values["group", "l"] == 4
    with pytest.raises(
        ValueError, match=r"by: no file has a column or attribute 'nope'; they have: .*upos"
    ):
        scorer.errors(file, file, by="nope")


@pytest.mark.parametrize(
    ("duplicates", "of_key", "of_response"),
    [
        ("reference", "poo", "ggx"),
        ("first", "ppo", "ggx"),
        ("last", "poo", "gxx"),
        ("keep", "poo", "ggx"),
        ("corefud", "poo", "ggx"),
    ],
)
def test_a_repeated_mention_has_the_attributes_of_where_it_is_kept(duplicates, of_key, of_response):
    """By hand: {1p 2p}{1o 3o} and {1g 2g}{1x 3x}.

    The key keeps 1 in the last of the two clusters, the response in the first.
    """
    sides = (
        json.dumps(
            {
                "doc_key": "a",
                "clusters": [[[1, 1], [2, 2]], [[1, 1], [3, 3]]],
                "etype": [[one] * 2, [other] * 2],
            }
        )
        for one, other in ("po", "gx")
    )
    errors = scorer.errors(
        *(BytesIO(side.encode()) for side in sides), metrics="muc", duplicates=duplicates
    )
    values = {side: Counter() for side in ("key", "response")}
    for row in errors.strata:
        if row.stratum == "entity":
            values[row.side][row.value] = row.tally.mentions
    assert values == {"key": Counter(of_key), "response": Counter(of_response)}


# Of three words the first is a pronoun, and they are in two sentences.
BARE = """\
#begin document a
a 0 0 [WORD] PRP * - - - Ann * (0)
a 0 1 [WORD] NN * - - - Bob (ORG) (0)

a 0 0 [WORD] NN * - - - Bob * {}
#end document
"""
TWO = '{"doc_key": "a", "clusters": [[[1, 1], [2, 2]]]'
WORDS_OF_TWO = TWO + ', "sentences": [["She", "club", "it"]]}'


@pytest.mark.parametrize(
    ("key", "response"),
    [
        (BARE.format("(0)"), TWO + "}"),
        (BARE.format("(0)"), WORDS_OF_TWO),
        (
            '{"doc_key": "a", "clusters": [[[0, 0], [1, 1], [2, 2]]]}',
            BARE.replace("Ann * (0)", "Ann * -").format("(0)"),
        ),
        (
            '{"doc_key": "a", "tokens": ["It", "is", "it"], "clusters": [[[0, 0], [1, 1], [2, 2]]]}',
            BARE.replace("Ann * (0)", "Ann * -").format("(0)"),
        ),
    ],
    ids=["no words", "words of the response", "columns of the response", "words of the key"],
)
def test_columns_say_something_of_words_that_are_not_given(key, response, tmp_path):
    """The first mention is a pronoun that is missing.

    Were it a nominal, the entity would be divided.
    """
    (tmp_path / "key").write_text(key)
    (tmp_path / "response").write_text(response)
    errors = scorer.errors(tmp_path / "key", tmp_path / "response", metrics="muc", by="speaker")
    assert +errors.counts == {MISSING_MENTION: 1}
    values = {
        (row.stratum, row.value): row.tally.mentions for row in errors.strata if row.side == "key"
    }
    assert (values["type", PRONOUN], values["type", NOMINAL]) == (1, 2)
    assert (values["speaker", "Ann"], values["speaker", "Bob"]) == (1, 2)
    assert (values["entity", "ORG"], values["entity", "none"]) == (1, 2)
    assert list(errors.sources()) == ["pos"]


def test_a_name_without_words_is_found_nowhere(tmp_path):
    (tmp_path / "key").write_text(
        "#begin document a\na 0 0 [WORD] NNP * - - - - * (0)\na 0 1 [WORD] PRP * - - - - * (0)\n#end document\n"
    )
    (tmp_path / "response").write_text('{"doc_key": "a", "clusters": [[[1, 1]]]}')
    errors = scorer.errors(tmp_path / "key", tmp_path / "response", metrics="muc")
    assert (errors.nec.f1, errors.nec.entities, [entity.name for entity in errors.entities]) == (
        None,
        0,
        ["[0, 0]"],
    )


def test_sentences_that_no_file_tells():
    """Mentions in memory, of which the second and third have an antecedent."""
    errors = scorer.errors([[(0, 0), (4, 4), (9, 9)]], [[(0, 0)]], metrics="muc")
    rows = {
        (row.value, row.side): row.tally.mentions
        for row in errors.strata
        if row.stratum == "sentences"
    }
    assert rows == {("none", "key"): 3, ("none", "response"): 1}


def test_a_column_says_the_same_to_errors_and_to_spans():
    """Of two words without a parse it is the last that counts."""
    text = b'{"doc_key": "a", "tokens": ["the", "dogs", "ran"], "clusters": [[[0, 1]]], "xpos": ["DT", "NNS", "VBD"]}'
    errors = scorer.errors(BytesIO(text), BytesIO(text), metrics="muc", by="xpos")
    assert {row.value for row in errors.strata if row.stratum == "xpos"} == {"NNS"}
    assert list(scorer.score_spans(BytesIO(text), BytesIO(text), by="xpos").values) == ["NNS"]


def test_a_column_of_the_response_that_the_key_lacks(tmp_path):
    line = '{"doc_key": "a", "tokens": ["Ada", "saw", "her"], "clusters": [[[0, 0], [2, 2]]], '
    (tmp_path / "key").write_text(line + '"pos": ["NNP", "VBD", "PRP"]}')
    (tmp_path / "response").write_text(
        line + '"pos": ["NN", "VBD", "NN"], "speaker": ["Ann", "Bob", "Bob"]}'
    )
    errors = scorer.errors(
        tmp_path / "key", tmp_path / "response", metrics="muc", by=["speaker", "pos"]
    )
    values = {(row.stratum, row.value) for row in errors.strata if row.side == "key"}
    assert {
        ("speaker", "Ann"),
        ("speaker", "Bob"),
        ("pos in the file", "NNP"),
        ("pos in the file", "PRP"),
    } < values
    assert {value for stratum, value in values if stratum == "type"} == {NAME, PRONOUN}


@pytest.mark.parametrize("interval", ["expanded", "percentile", "bca"])
def test_intervals_are_those_of_a_comparison(interval):
    """Every mention in memory is a nominal, so the B³ of that value is that of the corpus."""
    key = {f"{name}; part {part}": spans([[0, 1, 2], [3, 4]]) for name in "abcd" for part in (0, 1)}
    right = (
        spans([[0, 1, 2], [3, 4]]),
        spans([[0, 1], [2, 3, 4]]),
        spans([[0, 1, 5]]),
        spans([[0, 3, 6], [1, 4]]),
    )
    response = {name: right[at % 4 if at < 6 else 0] for at, name in enumerate(key)}
    how = {"trials": 300, "seed": 3, "confidence": 0.8, "interval": interval}
    rows = {
        (row.stratum, row.value, row.side): row
        for row in scorer.errors(key, response, metrics="bcub", **how).strata
    }
    scores = scorer.compare(
        key, {"it": response, "key": key}, metrics="bcub", method="bootstrap", **how
    ).scores
    for ratio, side in (("recall", "key"), ("precision", "response")):
        [score] = [score for score in scores if (score.system, score.ratio) == ("it", ratio)]
        row = rows["type", "nominal", side]
        assert row.bcub == pytest.approx((score.value, score.low, score.high))
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
    found = {(row.stratum, row.value, row.side): row for row in rows}
    assert found["size", "2", "key"].found == (0.75, *ends)
    # Of a value that one document alone has, nothing tells how much it varies.
    assert found["size", "3–5", "key"].found == (1.0, None, None)


def test_documents_of_one_unit_are_no_two_documents():
    key = {"a; part 0": [["m", "n"]], "a; part 1": [["m", "n"]]}
    response = {"a; part 0": [["m", "n"]], "a; part 1": [["m", "x"]]}
    assert {row.found.low for row in scorer.errors(key, response, metrics="muc").strata} == {None}
    apart = scorer.errors(key, response, metrics="muc", unit="document").strata
    assert (0.5, 1.0) in {row.found[1:] for row in apart}
    with pytest.raises(ValueError, match=r"unit: '\^q' is found in the name of no document"):
        scorer.errors(key, response, metrics="muc", unit="^q")


def test_many_values_have_the_intervals_of_few(monkeypatch):
    key, response = (
        FIXTURES / "documentation" / f"story.{side}.conll" for side in ("key", "response")
    )
    at_once = scorer.errors(key, response, metrics="muc", trials=100, by="parse").strata
    monkeypatch.setattr(strata, "AT_ONCE", 300)
    for row, other in zip(
        at_once,
        scorer.errors(key, response, metrics="muc", trials=100, by="parse").strata,
        strict=True,
    ):
        assert row[:4] == other[:4]
        for one, two in zip(row[4:], other[4:], strict=True):
            assert one == pytest.approx(two)
    assert any(row.found.low is not None for row in at_once)


def test_intervals_hold_the_share_and_repeat():
    first, second = (
        scorer.errors(KEY, RESPONSE, metrics="muc", trials=200).strata for _ in range(2)
    )
    assert first == second
    for row in first:
        if row.found.low is not None:
            assert row.found.low <= row.found.value <= row.found.high
    assert any(row.found.low is not None for row in first)
    alone = scorer.errors(KEY, RESPONSE, metrics="muc", documents="letter").strata
    assert {row.found.low for row in alone} == {None}


# Two responses
# -------------------------------------------------------------------------------------------------------


def test_against():
    key = {"a": spans([[0, 1, 2], [3, 4]])}
    first = scorer.errors(
        key, {"a": spans([[0, 1], [3, 4, 5]])}, metrics="muc"
    )  # lacks 2, invents 5
    second = scorer.errors(key, {"a": spans([[0, 1, 2]])}, metrics="muc")  # lacks 3 and 4
    against = first.against(second)
    outcomes = {
        one.mention: (one.outcome, one.kinds, one.other_kinds) for one in against.mention_diffs()
    }
    assert outcomes == {
        (2, 2): ("wrong here only", (MISSING_MENTION,), ()),
        (3, 3): ("wrong there only", (), (MISSING_ENTITY,)),
        (4, 4): ("wrong there only", (), (MISSING_ENTITY,)),
        (5, 5): ("wrong here only", (EXTRA_MENTION,), ()),
    }
    assert list(against.by_kind[MISSING_MENTION].values()) == [1, 0, 0]
    assert list(against.by_kind[MISSING_ENTITY].values()) == [0, 2, 0]
    assert list(against.by_stratum["size", "3–5"].values()) == [1, 0, 0, 2]
    assert list(first.against(first).by_kind[MISSING_MENTION].values()) == [0, 0, 1]
    with pytest.raises(
        ValueError, match="against: the two responses were scored on other documents"
    ):
        first.against(scorer.errors({"b": key["a"]}, {"b": []}, metrics="muc"))


def test_sentences_to_read_first():
    errors = scorer.errors(KEY, RESPONSE, metrics="muc")
    sentences = errors.against(scorer.errors(KEY, KEY, metrics="muc")).sentences
    assert [(one.document, one.line, one.here, one.there) for one in sentences] == [
        ("(example/letter); part 000", 9, 1, 0),
        ("(example/report); part 000", 36, 1, 0),
    ]
    assert sentences[0].words == "She showed her the engine , and Grace thanked Ada for it ."


# What cannot be
# ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ({"antecedents": "next"}, "antecedents: 'next' is not one of closest, accessible"),
        ({"links": "all"}, "links: 'all' is not one of auto, tree, output"),
        ({"trials": 0}, "trials: 0 is not 1 or more"),
        ({"seed": -1}, "seed: -1 is not 0 or more"),
        ({"interval": "wide"}, "interval: 'wide' is not one of expanded, percentile, bca"),
        ({"confidence": 1}, "confidence: 1 is not between 0 and 1"),
        ({"groups": "("}, "is no regular expression"),
        ({"metrics": "mor"}, "mor counts no clusters; add another one"),
    ],
)
def test_what_cannot_be(words, message):
    with pytest.raises(ValueError, match=message):
        scorer.errors([["a"]], [["a"]], **words)


def test_like_has_no_effect_and_metrics_of_mentions_are_left_out():
    errors = scorer.errors([["a", "b"]], [["a", "b"]], metrics="muc,mor", like="corefud-1.2")
    assert errors.names == ["muc"]
    assert len(errors.notes) == 2


@pytest.mark.parametrize("rows", ["kinds", "links", "bounds", "strata", "entities", "errors"])
def test_frames(rows):
    frame = scorer.errors(KEY, RESPONSE, metrics="muc,conll").to_frame(rows)
    assert len(frame)
    with pytest.raises(ValueError, match="rows: 'x' is not one of kinds, links"):
        scorer.errors([["a"]], [["a"]]).to_frame("x")


# The command
# ---------------------------------------------------------------------------------------------------------


def test_the_command_prints_the_tables(main):
    assert main("errors", KEY, RESPONSE) == (0, str(scorer.errors(KEY, RESPONSE)), "")


@pytest.mark.parametrize("form", [form for form in names() if form != "parquet"])
def test_every_form(form, main):
    status, out, err = main(
        "errors",
        KEY,
        RESPONSE,
        "--format",
        form,
        "--show",
        "all",
        "--against",
        KEY,
        "--metrics",
        "muc,conll",
    )
    assert (status, err) == (0, "")
    assert "divided entity" in out
    if form == "json":
        tree = json.loads(out)
        assert {
            "kinds",
            "links",
            "bounds",
            "strata",
            "entities",
            "errors",
            "nec",
            "against",
            "notes",
            "signature",
        } == set(tree)
        assert tree["kinds"][0]["kind"] == "span error"


def test_parquet_holds_every_record_with_its_type(main, tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    arguments = ["--show", "all", "--against", KEY, "--metrics", "muc"]
    assert main("errors", KEY, RESPONSE, *arguments, "--format", "parquet", "-o", path) == (
        0,
        "",
        "",
    )
    frame = pandas.read_parquet(path)
    kinds = frame[frame.section == "kinds"].set_index("kind")
    assert kinds.errors.to_dict() == dict(scorer.errors(KEY, RESPONSE, metrics="muc").counts)
    assert kinds.f1_cost.loc[DIVIDED] == pytest.approx(2 / 7)


@pytest.mark.parametrize(
    ("response", "half"),
    [
        ([[0, 1], [2, 3]], "clustering costs more"),
        ([[0, 1, 2], [4]], "finding mentions costs more"),
        ([[0, 1, 2, 3]], "cost the same"),
    ],
)
def test_the_half_that_costs_more_is_said(response, half):
    errors = scorer.errors(spans([[0, 1, 2, 3]]), spans(response), metrics="bcub")
    assert half in str(errors)


def test_an_empty_node_that_no_text_has_is_as_a_name(tmp_path, main):
    key = FIXTURES / "formats" / "pieces.universalanaphora.conllup"
    (tmp_path / "r.json").write_text(
        '{"letter": [[[0, 1]]], "answer": [[[0, 1], [[2, 3], "7:2.1"]]]}'
    )
    assert main("errors", key, tmp_path / "r.json", "--quiet", "--format", "html")[::2] == (0, "")


def test_a_list_has_a_line_for_each_error(main):
    status, out, _ = main(
        "errors", KEY, RESPONSE, "--show", "errors", "--format", "tsv", "--metrics", "muc"
    )
    heading, *rows, signature = csv.reader(io.StringIO(out), delimiter="\t")
    assert status == 0
    assert signature[0] == "signature"
    first = dict(zip(heading, rows[0]))
    assert (first["path"], first["line"], first["document"]) == (
        str(KEY),
        "9",
        "(example/letter); part 000",
    )
    assert (first["key_cluster"], first["response_cluster"], first["words"]) == ("0", "1", "She")
    assert len(rows) == sum(scorer.errors(KEY, RESPONSE).counts.values())


def test_the_chart_is_a_picture_by_itself(main, tmp_path):
    assert (
        main("errors", KEY, RESPONSE, "--chart", tmp_path / "a.svg", "--metrics", "muc,ceafe")[0]
        == 0
    )
    root = ET.fromstring((tmp_path / "a.svg").read_text())
    texts = [one.text for one in root.iter("{http://www.w3.org/2000/svg}text")]
    gains = scorer.errors(KEY, RESPONSE, metrics="muc,ceafe").costs
    assert f"{100 * gains.gain(DIVIDED, 'ceafe')[2]:+.2f}" in texts
    assert f"{100 * gains.gain(CONFLATED, 'ceafe')[2]:+.2f}" in texts
    assert {"divided entity (2)", "conflated entities (2)"} <= set(texts)
    assert gains.gain(CONFLATED, "ceafe")[2] < 0  # a bar to the left
    assert "nowhere" not in texts
    with pytest.raises(KeyError):
        scorer.errors(KEY, RESPONSE, metrics="muc").chart("lea")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--by", "pos"],
            "scorer errors: by: no file has a column or attribute 'pos'; they have: none",
        ),
        (["--documents", "q"], "scorer errors: documents: 'q' is found in no document name"),
        (["--metrics", "mor"], "scorer errors: errors are costed in metrics of clusters"),
        (["--group-by", "("], "is no regular expression"),
        (["--trials", "0"], "scorer errors: trials: 0 is not 1 or more"),
        (["--unit", "^q"], "scorer errors: unit: '^q' is found in the name of no document"),
        (["--chart", "/nowhere/a.svg"], "/nowhere/a.svg: No such file or directory"),
        (
            ["--chart", "a.png"],
            "scorer errors: a.png: the chart is written as SVG; give the file a name that ends in .svg",
        ),
        (["--against", "nowhere"], "nowhere: No such file or directory"),
    ],
)
def test_what_the_command_refuses(arguments, message, main):
    status, out, err = main("errors", KEY, RESPONSE, *arguments)
    assert (status, out) == (2, "")
    assert message in err
    assert err.count("\n") == 1


def test_a_repeated_mention_that_is_refused_has_its_line(main):
    repeats = FIXTURES / "documentation" / "repeats.conll"
    said = main("score", repeats, repeats, "--duplicates", "error")
    assert main("errors", repeats, repeats, "--duplicates", "error") == said
    assert f"{repeats}:3: " in said[2]


def test_warnings_are_errors_if_asked(main, tmp_path):
    (tmp_path / "less.conll").write_bytes(
        RESPONSE.read_bytes().partition(b"#end document\n")[0] + b"#end document\n"
    )
    status, out, err = main("errors", KEY, tmp_path / "less.conll", "--metrics", "muc")
    assert (status, "the response lacks this document" in err) == (0, True)
    assert "missing entity" in out
    status, out, _ = main("errors", KEY, tmp_path / "less.conll", "--strict")
    assert (status, out) == (1, "")
