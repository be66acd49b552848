"""Documents that end together, as their files lack end lines: counted together as one by one, and read and aligned once."""

import copy
import io
import itertools
import pickle
import random
import sys
from collections import Counter
from unittest.mock import patch

import pytest
from hypothesis import given

import generator
from conll import ConllError
from conll.document import Document
from conll.formats.conll2012.read import Conll2012Source
from conll.tail import Tail
from scorer import metrics, score
from scorer.count.contingency import DocumentContingency
from scorer.count.counts import Counts
from scorer.count.metric import Metric
from scorer.engine import choice, components, jumps, tails, together
from scorer.engine.alike import Alike
from scorer.engine.corpus import Corpus
from scorer.engine.ending import Falling
from scorer.engine.jumps import Jumps, Places
from scorer.engine.kept import Kept
from scorer.options import TABLE, Options
from strategies import drawn, examples

METRICS = [metrics.get(name) for name in ("mentions", "muc", "bcub", "ceafm", "ceafe", "blanc", "lea", "b3_all", "ceafe_sys")]
"""The last two ask for twins, as others do that are made of these."""
EVERY, NONE = 0, float("inf")


def corpus(key, response):
    return Corpus(*(Conll2012Source(io.BytesIO(data), side) for side, data in (("key", key), ("response", response))))


def evaluated(key, response, worth, *, of=METRICS, **words):
    """All that an evaluation says, and the numbers' types; or the error that ends it."""
    with patch.object(together, "WORTH", worth):
        try:
            found = choice.evaluate(corpus(key, response), of, Options(**words))
        except ConllError as error:
            return str(error)
    documents = [(one.name, numbers(one.counts), one.invented, len(one.repeats), one.removed) for one in found.documents]
    return numbers(found.totals), documents, list(map(str, found.problems)), found.removed


def numbers(counts):
    return {name: [[(n, type(n)) for n in part.as_tuple()] for part in parts] for name, parts in counts.items()}


def asked(draw):
    """A key, a response, and options with which they are counted."""
    words = {
        "singletons": draw.choice(["keep", "drop", "drop", "drop-response"]),
        "duplicates": draw.choice(["reference", *TABLE["duplicates"].choices]),
        "zeros": draw.choice(["linear", "dependent"]),
        "documents": draw.choice([None, None, "[0-4]"]),
    }
    return generator.endless_pair(draw), words


def test_they_are_the_options_that_are_drawn():
    assert set(asked(random.Random(0))[1]) == set(together.POLICIES)


@examples(2)
@given(drawn(generator.endless_pair))
def test_they_are_counted_as_one_by_one(pair):
    """To the last bit and in every metric, whatever key and response lack, repeat or order otherwise."""
    assert evaluated(*pair, EVERY) == evaluated(*pair, NONE)


@examples(2)
@given(drawn(asked))
def test_they_are_with_other_options(drawn):
    """What the filters take is the same as well."""
    pair, words = drawn
    try:
        expected = evaluated(*pair, NONE, **words)
    except ValueError as error:
        assert "documents" in str(error)  # noqa: PT017  none has such a name
        return
    assert evaluated(*pair, EVERY, **words) == expected


def long(draw, documents, clusters):
    """A file of many documents without end lines; clusters of their own, or shared by all, or both."""
    lines = []
    for number in range(documents):
        lines.append(b"#begin document d%dd" % number)
        for _ in range(4):
            label = draw.randrange(clusters) + draw.choice([0, 100 * number])
            lines += [b"w\t(%d" % label, b"w\t(%d)|%d)" % (label, label)] if draw.random() < 0.4 else [b"w\t(%d)" % label, b"w\t-"]
    return b"\n".join(lines)


SINGLETONS = pytest.mark.parametrize("singletons", TABLE["singletons"].choices)


@SINGLETONS
@pytest.mark.parametrize("seed", range(3))
def test_many_long_ones(seed, singletons):
    """Fractions add up differently in another order, and alignments are large enough for several best ones."""
    draw = random.Random(seed)
    pair = [long(draw, 40, draw.choice([1, 3])) for _ in range(2)]
    found, expected = (evaluated(*pair, worth, of=[*METRICS, EVERYTHING], singletons=singletons) for worth in (EVERY, NONE))
    assert found == expected


def labelled(documents, label, mentions=4):
    """A file of documents without end lines, each of so many mentions of a word, whose clusters `label` tells by the document."""
    lines = []
    for at in range(documents):
        lines += [b"#begin document d%dd" % at, *(b"w\t(%d)" % label(at) for _ in range(mentions))]
    return b"\n".join(lines)


def mixed(draw, documents):
    """Two files: the clusters of the one are those of each document, those of the other are shared."""
    return labelled(documents, lambda at: 3 * at + draw.randrange(3)), labelled(documents, lambda _: draw.randrange(8))


@SINGLETONS
@pytest.mark.parametrize("seed", [*range(30), 76, 80])
def test_a_few_large_clusters_and_many_small_ones(seed, singletons):
    """Where some pairs are left out of the alignment; at times what is left does not settle it, and all are aligned."""
    draw = random.Random(seed)
    shared, documents = draw.choice([2, 3, 5, 8]), draw.choice([8, 16, 30, 60])
    kinds = [
        lambda at: 3 * at + draw.randrange(3),
        lambda _: draw.randrange(shared),
        lambda at: draw.choice([100 + 2 * at, draw.randrange(shared)]),
        lambda at: 10 * (at // 5) + draw.randrange(5),
    ]
    pair = [labelled(documents, kind) for kind in draw.choices(kinds, k=2)]
    with patch.multiple(components, CROWD=draw.choice([0, 0, 6]), SMALL=draw.choice([1, 2, 4]), FEWER=draw.choice([0, 0, 2])):
        found, expected = (evaluated(*pair, worth, of=[ALIGNED], singletons=singletons) for worth in (EVERY, NONE))
    assert found == expected


@SINGLETONS
@pytest.mark.parametrize("seed", [*range(6), 157, 194, 219, 233])
def test_clusters_of_a_kind_in_one_document(seed, singletons):
    """Of which those that come first are aligned: fractions between them add up differently if others are."""
    draw, new = random.Random(seed), itertools.count()
    shared, documents = draw.choice([3, 4, 5]), draw.choice([4, 8])
    own = draw.choice([lambda _: next(new), lambda at: 12 * at + draw.randrange(12)])
    pair = [labelled(documents, own, 12), labelled(documents, lambda _: draw.randrange(shared), 12)]
    if draw.random() < 0.3:
        pair.reverse()
    with patch.multiple(components, CROWD=0, SMALL=draw.choice([1, 2, 4]), FEWER=0):
        found, expected = (evaluated(*pair, worth, of=[ALIGNED], singletons=singletons) for worth in (EVERY, NONE))
    assert found == expected


def aligned_by(contingency):
    """Weights of CEAF, and others of which many are equal, and few in the order of those."""
    weights = (
        lambda n, k, r: 2 * n / (k + r),
        lambda n, k, r: (7 * n + 5 * k + 3 * r) % 11 + 1,
        lambda n, k, r: 1 / ((7 * n + 5 * k + 3 * r) % 5 + 3),
        lambda n, k, r: n / (k + 2 * r),
    )
    return (Counts(*map(contingency.sum_alignment, weights)),)


ALIGNED = Metric("aligned", aligned_by, title="", unit="", paper="")


def everything(contingency):
    """All sums of whole numbers and of fractions, of functions that take the key for something else than the response."""
    whole, parts = (lambda n, k, r: n * k + r), (lambda n, k, r: n / (k + 2 * r))
    return (
        Counts(*(contingency.sum_key(f) for f in SIZES), *(contingency.sum_response(f) for f in SIZES)),
        Counts(*(contingency.sum_key_matched(f) for f in SIZES), *(contingency.sum_response_matched(f) for f in SIZES)),
        Counts(*(add(f) for add in (contingency.sum_overlaps, contingency.sum_mentions) for f in (whole, parts))),
        Counts(*(contingency.sum_alignment(f) for f in (whole, parts)), *contingency.alone_in_both()),
        Counts(*(add(f) for add in (contingency.sum_key_linked, contingency.sum_response_linked) for f in LINKED)),
        Counts(*contingency.distinct, contingency.spread([(0, 2), (0, 3)])),
        Counts(
            contingency.sum_key(lambda _: 3),
            1,
            *(add(lambda *_: 0.1) for add in (contingency.sum_overlaps, contingency.sum_mentions)),
        ),
    )


SIZES = (lambda n: n * n + 1), (lambda n: 1 / (n + 2))
LINKED = (lambda links, size: 3 * links + size), (lambda links, size: (links + 1) / (size + 2))
PARTS = ("sizes", "matched", "overlaps", "aligned", "linked", "distinct", "alike")
EVERYTHING = Metric("everything", everything, title="", unit="", paper="", parts=PARTS, combine=lambda parts: parts[0].ratios())


@examples(1)
@given(drawn(generator.endless_pair))
def test_all_sums(pair):
    """Of whole numbers and of fractions, that no metric of ours may ask for."""
    with patch.multiple(components, CROWD=3, SMALL=2):
        assert evaluated(*pair, EVERY, of=[EVERYTHING]) == evaluated(*pair, NONE, of=[EVERYTHING])


@pytest.mark.parametrize("of_key", [False, True], ids=["the response", "the key"])
def test_one_that_repeats_a_mention_is_left_out_alone(of_key):
    """Where its other side goes on through others, those after it and before it are counted together."""
    goes_on = b"".join(b"#begin document %b\nw\t(1)\nw\t(2)\n" % name for name in (b"a", b"b", b"c", b"d"))
    ends = goes_on.replace(b"#begin", b"#end document\n#begin").replace(b"document b\nw\t(1)", b"document b\nw\t(1)|(2)")
    pair = (goes_on, ends) if of_key else (ends, goes_on)
    assert counted(*pair) == {"a", "c"}
    assert evaluated(*pair, EVERY) == evaluated(*pair, NONE)


def test_a_document_that_is_shifted_as_no_other_is_counted_by_itself():
    """The response has two tokens more in a, by which b and c lie farther from its beginning than in the key; d is none of them."""
    key = b"".join(b"#begin document %b\nw\t(1)\nw\t(2)\n" % name for name in (b"a", b"b", b"c", b"d"))
    response = key.replace(b"#begin document a", b"#begin document a\nw\t(2)\nw\t(1)")
    assert counted(key, response) == {"b", "c"}
    assert evaluated(key, response, EVERY) == evaluated(key, response, NONE)


@SINGLETONS
@pytest.mark.parametrize("order", [1, -1], ids=["the key goes on", "the response goes on"])
def test_singletons_beside_a_side_that_goes_on(singletons, order):
    """The other side has end lines, and both have singletons that match and singletons that do not."""
    draw = random.Random(9)
    goes_on = labelled(6, lambda at: draw.choice([at, 10 + 2 * at, 11 + 2 * at, 40]))
    ends = labelled(6, lambda at: draw.choice([at, 10 + 2 * at, 11 + 2 * at, 40])).replace(b"#begin", b"#end document\n#begin")
    pair = (goes_on, ends)[::order]
    assert len(counted(*pair)) == 5
    found, expected = (evaluated(*pair, worth, of=[*METRICS, EVERYTHING], singletons=singletons) for worth in (EVERY, NONE))
    assert found == expected
    taken = {one.side for one in found[3] if one.mentions}
    assert taken == {"keep": set(), "drop": {"key", "response"}, "drop-response": {"response"}}[singletons]


def counted(key, response):
    """The names of the documents that are counted together."""
    found = []
    real = tails.count

    def count(*arguments, **words):
        found.append(real(*arguments, **words))
        return found[-1]

    with patch.object(tails, "count", count):
        evaluated(key, response, EVERY, of=METRICS[:1])
    return {name for scores in found for name in scores}


def test_the_pairs_drawn_are_of_every_kind():
    kinds = Counter()
    for seed in range(300):
        key, response = generator.endless_pair(random.Random(seed))
        expected = evaluated(key, response, NONE, of=METRICS[:1])
        together = counted(key, response)
        kinds["errors"] += isinstance(expected, str)
        kinds["counted together"] += len(together)
        if not isinstance(expected, str):
            alone = [repeats for name, _, _, repeats, _ in expected[1][:-1] if name not in together]
            kinds["repeats"] += any(alone)
            kinds["key only"] += bool(together) and response.count(b"#end") > 1
            kinds["response only"] += bool(together) and key.count(b"#end") > 1
    assert all(kinds[kind] >= least for kind, least in LEAST.items()), kinds


LEAST = {"errors": 10, "counted together": 400, "repeats": 20, "key only": 20, "response only": 20}


KEY = b"""\
#begin document z
w\t-
#begin document a
w\t(1
w\t1)
w\t(2)
#begin document b
w\t(1)
w\t(2)|(3
w\t3)
"""
RESPONSE = KEY.replace(b"(2)|(3", b"(7)|(2").replace(b"3)", b"2)")


def test_three_by_hand():
    """As z adds nothing, it is as a, where 1 is {(0,1), (4,4)}, 2 is {(2,2), (5,5)}, 3 is {(5,6)}.

    The response has (5,6) in 2, and (5,5) alone, in 7. B³: (0,1) and (4,4) 2/2 each, (2,2) 1/2, (5,6) 1/1 and 1/2, (5,5) 1/2 and
    1/1. CEAFe: 1 with itself; 2 with 7 and 3 with 2, each 2/3, are more than 2 with itself, 1/2.
    """
    with patch.object(together, "WORTH", EVERY):
        found = choice.evaluate(corpus(KEY, RESPONSE), METRICS)
    assert counted(KEY, RESPONSE) == {"z", "a"}
    z, a, b = found.documents
    for one in (z, a):
        assert (one.invented, one.repeats, b.name) == (0, [], "b")
        muc, bcub, ceafm, ceafe, blanc = (one.counts[name] for name in ("muc", "bcub", "ceafm", "ceafe", "blanc"))
        assert muc[0].as_tuple() == (1, 2, 1, 2)
        assert bcub[0].as_tuple() == (4.0, 5, 4.0, 5)
        assert ceafm[0].as_tuple() == (4, 5, 4, 5)
        assert ceafe[0].as_tuple() == pytest.approx((1 + 4 / 3, 3, 1 + 4 / 3, 3))
        assert [part.as_tuple() for part in blanc] == [(1, 2, 1, 2), (7, 8, 7, 8)]


@SINGLETONS
@pytest.mark.parametrize("seed", [*range(6), 33, 70, 101, 112])
def test_sums_of_pairs_that_grow_together(seed, singletons):
    """Pairs of large clusters and of small ones, that are alike for a while, and again with others."""
    draw = random.Random(seed)
    shared, documents = draw.choice([1, 2, 3]), draw.choice([12, 24])
    turns = itertools.cycle(range(shared))
    kinds = [
        lambda at: draw.choice([100 + at, draw.randrange(shared)]),
        lambda at: 10 + at % (documents // 2),
        lambda at: draw.choice([next(turns), 100 + 2 * at]),
        lambda at: 10 * (at // 5) + draw.randrange(5),
        lambda _: draw.choice([draw.randrange(shared), 100 + draw.randrange(documents)]),
    ]
    pair = [labelled(documents, kind, draw.choice([2, 3])) for kind in draw.choices(kinds, k=2)]
    found, expected = (evaluated(*pair, worth, of=[EVERYTHING], singletons=singletons) for worth in (EVERY, NONE))
    assert found == expected


def test_one_pair_of_clusters_that_grows():
    """It goes through groups of pairs that are alike, alone in each, until the clusters are large ones."""
    both = labelled(9, lambda _: 1, 1)
    with patch.object(together, "WORTH", EVERY):
        documents = choice.evaluate(corpus(both, both), METRICS).documents
    assert len(counted(both, both)) == 8
    for one, size in zip(documents, range(9, 0, -1)):
        muc, bcub, ceafm, ceafe = (one.counts[name][0].as_tuple() for name in ("muc", "bcub", "ceafm", "ceafe"))
        assert muc == (size - 1,) * 4
        assert bcub == ceafm == (size,) * 4
        assert ceafe == (1,) * 4


def lines_of(draw, documents, own, end):
    """Documents of three mentions in three clusters, their own or those of all."""
    for number in range(documents):
        one, two, three = (label + 9 * number * own for label in draw.sample(range(3), 3))
        cells = b"(%d)" % one, b"(%d)|(%d" % (two, three), b"%d)" % three
        yield b"\n".join([b"#begin document d%dd" % number, *(b"w\t" + cell for cell in cells), end])


def lined(documents, of_key, of_response, end):
    """A key and a response of such documents; `end` is the last line of each in the response."""
    draw = random.Random(documents)
    return [b"\n".join(lines_of(draw, documents, own, last)) for own, last in ((of_key, b"w\t-"), (of_response, end))]


def steps(key, response, of=None, **words):
    """How many mentions are read, values made and set, pairs regrouped, fractions added, blocks asked for, and pairs aligned."""
    found = Counter()

    def noting(where, name, of, step=None):
        real = getattr(where, name)

        def call(*arguments):
            result = real(*arguments)
            found[step or name] += of(arguments, result)
            return result

        return patch.object(where, name, call)

    with (
        noting(Falling, "down_to", lambda _, new: len(new)),
        noting(Kept, "set", lambda given, _: len(given[1])),
        noting(Places, "put", lambda given, _: len(given[1])),
        noting(Alike, "_regroup", lambda *_: 1),
        noting(Jumps, "_added", lambda given, _: sum(map(len, given[2])), "fractions"),
        noting(Jumps, "_rounded", lambda *_: 1, "fractions"),
        noting(components.Components, "_joined", lambda *_: 1),
        noting(components.Components, "_first", lambda *_: 1),
        noting(components.Component, "take", lambda given, _: len(given[1].clusters)),
        noting(components, "reduced", lambda given, _: len(given[0])),
        noting(DocumentContingency, "__init__", lambda given, _: len(given[1]) + len(given[2]) + len(given[3])),
        patch.multiple(jumps, BLOCK=8, BLOCKS=4),
        patch.object(Tail, "__getattr__") as copied,
    ):
        assert not isinstance(evaluated(key, response, EVERY, of=of or STEPS, **words), str)
    copied.assert_not_called()
    return found


STEPS = list(map(metrics.get, ("mentions", "muc", "bcub", "ceafm", "ceafe", "blanc", "lea")))
"""Those of the reference, and LEA."""


@pytest.mark.parametrize("own", [False, True], ids=["shared clusters", "own clusters"])
@pytest.mark.parametrize("end", [b"w\t-", b"#end document"], ids=["both sides", "the key"])
def test_a_document_takes_as_many_steps_as_it_adds_lines(own, end):
    """Twice the documents, twice the steps; one by one there would be four times as many.

    The sums go through one power of two more, for each of which a few fractions are added one by one, and blocks looked at.
    """
    some, twice = (steps(*lined(documents, own, own, end)) for documents in (75, 150))
    assert len(some) == (9 if end.startswith(b"w") else 4)
    for step, count in some.items():
        assert twice[step] <= (2.7 if step == "fractions" else 2.1) * count, step


@pytest.mark.parametrize("of_key", [False, True], ids=["shared by the key", "shared by the response"])
def test_pairs_that_are_alike_are_not_all_looked_at(of_key):
    """Clusters of all documents on one side, of each its own on the other: all overlap in the end, but few need be aligned."""
    some, twice = (steps(*lined(documents, of_key, not of_key, b"w\t-")) for documents in (75, 150))
    assert len(some) == 10
    for step, count in some.items():
        assert twice[step] <= (2.7 if step == "fractions" else 2.3) * count, step


@pytest.mark.parametrize(("size", "order"), [(3, 1), (4, -1)], ids=["own clusters in the key", "shared clusters in the key"])
def test_pairs_that_large_clusters_have_alike_grow_together(size, order):
    """A cluster of each document overlaps with all of three that go through all: these grow in each, and so do all their pairs."""
    some, twice = (steps(*tied(documents, size)[::order]) for documents in (75, 150))
    for step, count in some.items():
        assert twice[step] <= (2.7 if step == "fractions" else 2.3) * count, step


def tied(documents, size):
    """Two files of a cluster for each document on the one side, and of three on the other, one after the other."""
    turns = itertools.cycle(range(3))
    return labelled(documents, lambda at: at, size), labelled(documents, lambda _: next(turns), size)


@pytest.mark.parametrize("order", [1, -1])
@SINGLETONS
def test_singletons_are_left_out_in_as_many_steps(singletons, order):
    """Also where the other side holds a mention that a cluster of this one has only got with the document before."""
    some, twice = (steps(*late(documents)[::order], singletons=singletons) for documents in (75, 150))
    assert len(some) == 9
    for step, count in some.items():
        assert twice[step] <= (2.7 if step == "fractions" else 2.3) * count, step
    found, expected = (
        evaluated(*late(30)[::order], worth, of=[*METRICS, EVERYTHING], singletons=singletons) for worth in (EVERY, NONE)
    )
    assert found == expected


def late(documents):
    """Two files: a cluster of two and two singletons in each document, and clusters of a last mention and the next two."""
    places, twos = itertools.count(2), itertools.cycle((0, 0, 1, 2))
    return labelled(documents, lambda at: 3 * at + next(twos)), labelled(documents, lambda _: next(places) // 3)


@pytest.mark.parametrize("metric", ["ceafm", "ceafe"])
@pytest.mark.parametrize("order", [1, -1], ids=["own clusters in the key", "shared clusters in the key"])
def test_few_of_many_pairs_are_aligned(metric, order):
    """Where the small clusters are of ever more kinds, few of these are looked at, each of a few clusters."""
    some, twice = (aligned(mixed(random.Random(documents), documents)[::order], metric) for documents in (100, 200))
    assert all(0 < twice[step] <= 2.5 * some[step] for step in ("kinds", "pairs"))


def aligned(pair, metric):
    """How many kinds of clusters an alignment may fall on, and pairs it is sought among, over all documents."""
    found = Counter()
    heavy, reduced = components.Components._heavy, components.reduced

    def kinds_of(*arguments, **options):
        kinds = heavy(*arguments, **options)
        found["kinds"] += len(kinds)
        return kinds

    def pairs_of(weights):
        found["pairs"] += len(weights)
        return reduced(weights)

    with patch.object(components.Components, "_heavy", kinds_of), patch.multiple(components, CROWD=0, reduced=pairs_of):
        evaluated(*pair, EVERY, of=[metrics.get(metric)])
    return found


def across(draw, documents):
    """Two files: one has a cluster for each document, the other eight, and each mention is in any of them."""
    return labelled(documents, lambda at: at, 3), labelled(documents, lambda _: draw.randrange(8), 3)


def far(_draw, documents):
    """Two files of clusters that are met once more half of the documents later."""
    key, response = itertools.count(), itertools.count(1)
    sides = (lambda _: next(key) % (2 * documents)), (lambda _: next(response) // 2 % documents)
    return [labelled(documents, side) for side in sides]


@pytest.mark.parametrize("kind", [across, far])
@pytest.mark.parametrize("order", [1, -1])
def test_fractions_by_cluster_are_added_in_blocks(kind, order):
    """Also where clusters go on through others, or are met again far on."""
    summed = [metrics.get("ceafe"), metrics.get("lea")]
    some, twice = (steps(*kind(random.Random(5), documents)[::order], summed)["fractions"] for documents in (100, 200))
    assert 0 < twice <= 2.8 * some


def test_one_that_cannot_be_read_stops_at_itself():
    """An end whose start is missing in b, but not in a, which holds its start."""
    key = b"#begin document z\n#begin document a\nw\t(1\n#begin document b\nw\t(2)\nw\t1)\n#begin document c\nw\t(2)\n"
    [group] = together.Together(corpus(key, key)).groups
    assert set(tails.count(group, METRICS, "keep", bounded=True)) == set(group) == {"z", "a"}
    assert evaluated(key, key, EVERY) == evaluated(key, key, NONE)
    assert "b: mention 1 ends here but never starts" in evaluated(key, key, EVERY)


def test_a_document_keeps_what_it_copies():
    source = Conll2012Source(io.BytesIO(KEY), "key")
    a = source.document("a")
    assert isinstance(a, Tail)
    assert a.clusters is a.clusters
    assert (a.labels, a.clusters, a.lines) == (
        ["1", "2", "3"],
        [[(0, 1), (4, 4)], [(2, 2), (5, 5)], [(5, 6)]],
        [[4, 8], [6, 9], [9]],
    )
    with pytest.raises(AttributeError, match="Tail has no attribute 'cluster'"):
        a.cluster  # noqa: B018  it is asked for what is not there


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])
def test_a_copy_stands_alone(copied):
    a = Conll2012Source(io.BytesIO(KEY), "key").document("a")
    one = copied(a)
    assert type(one) is Document
    assert [getattr(one, field) for field in Document.__slots__] == [getattr(a, field) for field in Document.__slots__]


def test_a_response_of_another_format(tmp_path):
    """Whose mentions may be no pairs of tokens: of such documents each is counted by itself."""
    rows = [("a", [[[0, 1], [4, 4]], [[2, 2], [5, 6]], [[5, 5]]]), ("b", [[[0, 0]], [[1, 1]], [[1, 2]]])]
    path = tmp_path / "response.jsonl"
    path.write_text("".join(f'{{"doc_key": "{name}", "clusters": {clusters}}}\n' for name, clusters in rows))
    key = tmp_path / "key.conll"
    key.write_bytes(KEY)
    with patch.object(together, "WORTH", EVERY), patch.object(tails, "count", wraps=tails.count) as counted:
        found = score(str(key), str(path), metrics="muc")
    counted.assert_called_once()
    assert list(counted.call_args[0][0]) == ["a", "z"]
    assert found.totals["muc"][0].as_tuple() == (1, 4, 1, 2)
    gap = Document("a", [[((0, 1), (3, 3)), (5, 6)]])
    with patch.object(Corpus, "pair", lambda _, name: (Conll2012Source(io.BytesIO(KEY), "key").document(name), gap)):
        found = together.Together(corpus(KEY, KEY))
    assert (found.groups, [response for _, response in found.pairs.values()]) == ([], [gap, gap])


def test_without_numpy(monkeypatch):
    monkeypatch.setitem(sys.modules, "scorer.engine.tails", None)
    with_numpy = evaluated(KEY, RESPONSE, NONE)
    assert evaluated(KEY, RESPONSE, EVERY) == with_numpy


def test_few_are_not_worth_numpy():
    with patch.object(tails, "count") as counted:
        choice.evaluate(corpus(KEY, RESPONSE), METRICS)
    counted.assert_not_called()


class Weight:
    """Of two response clusters that share a key cluster, the larger part is worth more, or else the smaller one."""

    def __init__(self, mentions):
        self.mentions = mentions

    def of(self, n, _k, _r):
        return n if self.mentions % 2 else 1 / n


WEIGHTS = {
    "closure": lambda weight: lambda n, k, r: 1 * weight.of(n, k, r),
    "default": lambda weight: lambda n, k, r, weight=weight: weight.of(n, k, r),
    "keyword": lambda weight: lambda n, k, r, *, weight=weight: weight.of(n, k, r),
    "method": lambda weight: weight.of,
}


@pytest.mark.parametrize("kind", WEIGHTS)
def test_a_weight_that_holds_values_is_asked_again(kind):
    """The best alignment may then be another one, though no cluster of it has grown."""
    begun = b"\n".join(b"#begin document d%dd\nw\t(%d)" % (number, number) for number in range(4)) + b"\nw\t(9)"
    key, response = begun + b"\nw\t(9)" * 2, begun + b"\nw\t(8)" * 2

    def count(contingency):
        aligned = contingency.sum_alignment(WEIGHTS[kind](Weight(contingency.key_mentions)))
        return (Counts(aligned, 1, aligned, 1),)

    metric = metrics.get("ceafm")
    weighed = type(metric)("weighed", count, title="Weighed", unit="mentions", paper="none")
    expected = evaluated(key, response, NONE, of=[weighed])
    assert [counts["weighed"][0][0][0] for _, counts, *_ in expected[1]] == [6, 4, 4, 2]
    assert counted(key, response) == {"d0d", "d1d", "d2d"}
    assert evaluated(key, response, EVERY, of=[weighed]) == expected
