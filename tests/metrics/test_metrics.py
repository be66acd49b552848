import random
import time
from importlib import import_module
from pathlib import Path

import pytest

import naive
from scorer import metrics
from scorer.count.contingency import RepeatedContingency
from scorer.count.counts import Counts, Ratios
from scorer.match.align import align
from scorer.metrics import clusters


def test_every_metric_of_every_file_is_found():
    files = {path.stem for path in Path(metrics.__file__).parent.glob("[a-z]*.py")}
    named = [
        metric.name for file in files for metric in import_module(f"scorer.metrics.{file}").METRICS
    ]
    assert len(named) == 24
    assert metrics.names() == sorted(named)


@pytest.mark.parametrize("name", ["", "none", "Muc", "__init__", "all", "muc.py"])
def test_an_unknown_metric(name):
    with pytest.raises(KeyError) as caught:
        metrics.get(name)
    assert caught.value.args == (name,)


@pytest.mark.parametrize(
    ("parts", "ratios"),
    [
        (((1, 4, 1, 1), (2, 11, 2, 2)), (19 / 88, 1, (0.4 + 4 / 13) / 2)),
        # The key has links of one kind only: that kind alone counts.
        (((0, 0, 0, 4), (2, 15, 2, 11)), (2 / 15, 2 / 11, 2 / 13)),
        (((4, 15, 4, 4), (0, 0, 0, 11)), (4 / 15, 1, 8 / 19)),
        # The response having links of one kind only changes nothing.
        (((4, 4, 4, 15), (0, 11, 0, 0)), (0.5, 2 / 15, 4 / 19)),
        (((0, 0, 0, 3), (0, 0, 0, 2)), (0, 0, 0)),
    ],
)
def test_blanc_is_the_mean_of_the_kinds_that_the_key_has(parts, ratios):
    assert clusters.combine_blanc([Counts(*part) for part in parts]).as_tuple() == pytest.approx(
        Ratios(*ratios).as_tuple(), abs=1e-15
    )


@pytest.mark.parametrize(
    ("parts", "ratios"),
    [
        (((2, 4, 2, 4), (2, 15, 2, 11)), (19 / 60, (0.5 + 2 / 11) / 2, (0.5 + 2 / 13) / 2)),
        # One side has links of a kind, though it be a single one: the kind counts.
        (((0, 0, 0, 4), (2, 15, 2, 11)), (1 / 15, 1 / 11, 1 / 13)),
        (((0, 1, 0, 0), (2, 15, 2, 11)), (1 / 15, 1 / 11, 1 / 13)),
        (((2, 15, 2, 11), (0, 4, 0, 0)), (1 / 15, 1 / 11, 1 / 13)),
        # Neither side has any of that kind.
        (((0, 0, 0, 0), (2, 15, 2, 11)), (2 / 15, 2 / 11, 2 / 13)),
        (((0, 0, 0, 0), (0, 0, 0, 0)), (0, 0, 0)),
    ],
)
def test_blanc_of_2014_is_the_mean_of_the_kinds_that_a_side_has(parts, ratios):
    combined = clusters.combine_luo2014([Counts(*part) for part in parts])
    assert combined.as_tuple() == pytest.approx(ratios, abs=1e-15)


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("mentions", [(6, 7, 6, 10)]),
        # The response cuts the first key cluster into 3 + 2; 5 links less 1.
        ("muc", [(3, 5, 3, 7)]),
        ("bcub", [(3 * 3 / 5 + 2 * 2 / 5 + 1 / 2, 7, 3 * 3 / 4 + 2 * 2 / 3 + 1 / 3, 10)]),
        # The best alignment is of the first clusters and of the second ones.
        ("ceafm", [(4, 7, 4, 10)]),
        ("ceafe", [(6 / 9 + 2 / 5, 2, 6 / 9 + 2 / 5, 3)]),
        # Links in common: ab ag bg cd. Pairs apart in both: ea eb eg.
        ("blanc", [(4, 10 + 1, 4, 6 + 3 + 3), (3, 21 - 11, 3, 45 - 12)]),
        ("lea", [(5 * (3 + 1) / 10 + 2 * 0, 7, 4 * 3 / 6 + 3 * 1 / 3, 10)]),
        ("pairwise", [(4, 11, 4, 12)]),
        ("pairwise_negative", [(3, 10, 3, 33)]),
        # For precision without what the key lacks: {abg} {cde}.
        ("b3_0", [(3 * 3 / 5 + 2 * 2 / 5 + 1 / 2, 7, 3 * 3 / 3 + 2 * 2 / 3 + 1 / 3, 6)]),
        # f alone in the response for recall; x, w, y, z each alone in the key for precision.
        (
            "b3_all",
            [(3 * 3 / 5 + 2 * 2 / 5 + 2 * 1 / 2, 7, (9 + 1) / 4 + (4 + 1) / 3 + 3 * 1 / 3, 10)],
        ),
        (
            "b3_rahman_ng",
            [(3 * 3 / 5 + 2 * 2 / 5 + 2 * 1 / 2, 7, (9 + 1) / 4 + (4 + 1) / 3 + 3 * 1 / 3, 10)],
        ),
        # For precision f alone in the response besides; v4 counts recall there as well.
        (
            "bcub_sys",
            [(3 * 3 / 5 + 2 * 2 / 5 + 2 * 1 / 2, 7, (9 + 1) / 4 + (4 + 1) / 3 + 3 * 1 / 3 + 1, 11)],
        ),
        (
            "bcub_conll_v4",
            [
                (
                    3 * 3 / 5 + 2 * 2 / 5 + 2 * 1 / 2 + 4,
                    11,
                    (9 + 1) / 4 + (4 + 1) / 3 + 3 * 1 / 3 + 1,
                    11,
                )
            ],
        ),
        ("ceafm_sys", [(3 + 1, 7, 3 + 1 + 1, 11)]),
        ("ceafm_conll_v4", [(3 + 1 + 1, 11, 3 + 1 + 1, 11)]),
        # Recall: {abcdg} with {abg}, {ef} with {f}. Precision: {abcdg} with {cde}, {x} with {abgx},
        # {ef} with {f}, {w} with {wyz}.
        ("ceafe_sys", [(6 / 8 + 2 / 3, 2, 4 / 8 + 2 / 5 + 2 / 3 + 2 / 4, 4)]),
        ("ceafe_conll_v4", [(4 / 8 + 2 / 5 + 2 / 3 + 2 / 4, 6, 4 / 8 + 2 / 5 + 2 / 3 + 2 / 4, 4)]),
    ],
)
def test_the_counts_of_an_example_done_by_hand(name, counts):
    contingency = align(["abcdg", "ef"], ["abgx", "cde", "wyz"]).contingency
    found = [part.as_tuple() for part in metrics.get(name).count(contingency)]
    assert found == [pytest.approx(part, abs=1e-14) for part in counts]


def test_the_table_above_has_every_metric_of_clusters():
    (mark,) = test_the_counts_of_an_example_done_by_hand.pytestmark
    assert sorted(name for name, _ in mark.args[1]) == metrics.names("clusters")


CAI, STOYANOV, YU = "Cai and Strube 2010", "Stoyanov et al. 2009", "Yu et al. 2022"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("b3_0", ("B³0", "mentions", STOYANOV, ("coreference",))),
        ("b3_all", ("B³all", "mentions", STOYANOV, ("coreference",))),
        ("b3_rahman_ng", ("B³ Rahman-Ng", "mentions", "Rahman and Ng 2009", ("coreference",))),
        ("bcub", ("B³", "mentions", "Bagga and Baldwin 1998", ("coreference",))),
        ("bcub_conll_v4", ("B³ v4", "mentions", CAI, ("coreference",))),
        ("bcub_sys", ("B³sys", "mentions", CAI, ("coreference",))),
        ("blanc", ("BLANC", "links", "Luo et al. 2014", ("coreference", "non-coreference"))),
        ("bridging_anaphor", ("Bridging anaphor", "anaphors", YU, ("coreference",))),
        ("bridging_entity", ("Bridging entity", "anaphors", YU, ("coreference",))),
        ("bridging_mention", ("Bridging mention", "anaphors", YU, ("coreference",))),
        ("ceafe", ("CEAFe", "clusters", "Luo 2005", ("coreference",))),
        ("ceafe_conll_v4", ("CEAFe v4", "clusters", CAI, ("coreference",))),
        ("ceafe_sys", ("CEAFe sys", "clusters", CAI, ("coreference",))),
        ("ceafm", ("CEAFm", "mentions", "Luo 2005", ("coreference",))),
        ("ceafm_conll_v4", ("CEAFm v4", "mentions", CAI, ("coreference",))),
        ("ceafm_sys", ("CEAFm sys", "mentions", CAI, ("coreference",))),
        ("lea", ("LEA", "mentions", "Moosavi and Strube 2016", ("coreference",))),
        ("mentions", ("Mentions", "mentions", "Pradhan et al. 2014", ("coreference",))),
        ("mor", ("MOR", "tokens", "Žabokrtský et al. 2022", ("coreference",))),
        ("muc", ("MUC", "links", "Vilain et al. 1995", ("coreference",))),
        ("non_referring", ("Non-referring", "mentions", YU, ("coreference",))),
        ("pairwise", ("Pairwise", "links", "Luo et al. 2014", ("coreference",))),
        ("pairwise_negative", ("Pairwise negative", "links", "Luo et al. 2014", ("coreference",))),
        ("zero", ("zeros", "zeros", "Žabokrtský et al. 2022", ("coreference",))),
    ],
)
def test_the_words_and_the_source_of_each_metric(name, said):
    metric = metrics.get(name)
    assert (metric.title, metric.unit, metric.paper, metric.parts) == said
    anaphora = metric.paper == YU
    assert metric.of == (
        "anaphora" if anaphora else "mentions" if name in {"mor", "zero"} else "clusters"
    )
    # Where the sides are not made alike in the same way, exchanging them is another question.
    assert metric.symmetric == (
        name not in {"b3_0", "b3_rahman_ng", "bridging_entity", "non_referring"}
        and not name.endswith(("_sys", "_v4"))
    )


def test_the_words_of_all_are_above():
    (mark,) = test_the_words_and_the_source_of_each_metric.pytestmark
    assert [name for name, _ in mark.args[1]] == metrics.names()


def repeating(draw):
    """Clusters of few mentions, so that many occur again, in their own cluster and in others."""
    return [
        [draw.choice("abcdef") for _ in range(draw.randrange(5))] for _ in range(draw.randrange(5))
    ]


@pytest.mark.parametrize("at_once", [2, 4096])
@pytest.mark.parametrize("seed", range(40))
def test_blanc_of_repeated_mentions_is_that_of_sets_of_links(seed, at_once, monkeypatch):
    """Each link written out, in place of closed forms."""
    monkeypatch.setattr(clusters, "AT_ONCE", at_once)
    draw = random.Random(seed)
    key, response = repeating(draw), repeating(draw)
    counts = clusters.blanc(RepeatedContingency(key, response))
    assert [part.as_tuple() for part in counts] == [
        tuple(part) for part in naive.blanc(key, response)
    ]


def test_blanc_of_many_repeated_mentions_takes_no_time():
    """20,000 of them have 200 million pairs."""
    draw = random.Random(5)
    sides = [[[] for _ in range(9000)] for _ in range(2)]
    for side in sides:
        for mention in range(20_000):
            for cluster in draw.sample(side, 2):
                cluster.append(mention)
    contingency = RepeatedContingency(*sides)
    before = time.process_time()
    clusters.blanc(contingency)
    assert time.process_time() - before < 20
