"""Mentions that are equal only if their types are: expected by hand, and by clusters whose mentions
bear their types."""

import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from conll.errors import ConllError


def line(clusters, types):
    value = {"doc_key": "a", "tokens": ["w"] * 12, "etype": types}
    return json.dumps(value | {"clusters": [[[m, m] for m in cluster] for cluster in clusters]})


def score(key, response, **options):
    """Score two sides; a side is a line, or clusters of (token, type)."""
    files = []
    for side in (key, response):
        text = side
        if not isinstance(side, str):
            text = line(*([[pair[at] for pair in cluster] for cluster in side] for at in (0, 1)))
        files.append(io.BytesIO(text.encode()))
    return scorer.score(*files, **({"typed": "etype"} | options))


@st.composite
def typed_sides(draw):
    """Key and response, each with clusters and types of its own.

    A span once with each of its types.
    """
    sides = []
    for _ in range(2):
        found = draw(
            st.lists(
                st.tuples(st.integers(0, 9), st.sampled_from("pog"), st.integers(0, 3)),
                unique_by=lambda one: one[:2],
            )
        )
        clusters = {}
        for mention, kind, cluster in found:
            clusters.setdefault(cluster, []).append((mention, kind))
        sides.append(list(clusters.values()))
    return sides


@given(sides=typed_sides())
def test_as_pairs_of_span_and_type(sides):
    """What neleval's `typed_mention_ceaf` is by its key (span, type): each such pair is a mention
    by itself."""
    metrics = ["muc", "bcub", "ceafm", "ceafe", "lea", "mentions", "pairwise"]
    named = [[[f"{m}/{kind}" for m, kind in cluster] for cluster in side] for side in sides]
    typed = score(*sides, metrics=metrics)
    assert typed.totals == scorer.score(*named, metrics=metrics).totals
    assert [problem for problem in typed.problems if problem.kind != "reason"] == []


@pytest.mark.parametrize(
    ("key", "response", "options", "counts", "problems"),
    [
        # All four are equal. Without types 1 appears twice, and the response keeps the first.
        ("1p2p 1o3o", "1o3o 1p2p", {"duplicates": "first"}, (4, 4, 4, 4), 0),
        ("1p2p 1o3o", "1o3o 1p2p", {"duplicates": "first", "typed": None}, (2, 3, 2, 3), 2),
        # Of two mentions one is equal; singletons take their types with them.
        ("3o 1p2p", "4g 1p2o", {"singletons": "drop"}, (1, 2, 1, 2), 0),
    ],
)
def test_small_sides(key, response, options, counts, problems):
    sides = [
        [[(int(c[at]), c[at + 1]) for at in range(0, len(c), 2)] for c in side.split()]
        for side in (key, response)
    ]
    evaluation = score(*sides, metrics="ceafm", **options)
    assert evaluation.totals["ceafm"][0].as_tuple() == counts
    assert len(evaluation.problems) == problems


@pytest.mark.parametrize(("kind", "f1"), [("place", 0), ("person", 1)])
def test_types_of_mentions_that_match_by_head(kind, f1):
    row = "{}\tw" + "\t_" * 7 + "\t{}\n"
    key, response = (
        "# global.Entity = eid-etype-head\n# newdoc id = a\n"
        + "".join(row.format(at, cell) for at, cell in enumerate(cells, 1))
        for cells in (["Entity=(e1-person-1", "Entity=e1)"], [f"Entity=(e1-{kind}-1)", "_"])
    )
    options = {"metrics": "ceafm", "match": "head"}
    assert score(key, response, typed=None, **options).ratios("ceafm").f1 == 1
    assert score(key, response, **options).ratios("ceafm").f1 == f1


@pytest.mark.parametrize("types", [[["", ""]], None], ids=["empty", "none"])
@pytest.mark.parametrize("lacking", ["", None], ids=["an empty one", "null"])
def test_mentions_without_a_type(lacking, types):
    """Of {1p 2} the response, which says no types, has 2 alone: CEAFm 1/2."""
    evaluation = score(line([[1, 2]], [["p", lacking]]), line([[1, 2]], types), metrics="ceafm")
    assert evaluation.totals["ceafm"][0].as_tuple() == (1, 2, 1, 2)


@pytest.mark.parametrize(
    ("kind", "named"), [("o", "(3,3)/o"), ("", "(3,3)/untyped"), ("p", "(3,3)")]
)
def test_a_repeated_mention_of_another_type_is_told_with_its_own(kind, named):
    (problem,) = score([[(3, "p")]], [[(3, kind), (3, kind)]], metrics="ceafm").problems
    assert problem.text == f"mention {named} of cluster 0 is already in cluster 0 (line 1)"


def test_refusals(tmp_path, main):
    side = line([[1]], [["p"]])
    message = "1: document a: typed: no mention of the key has a 'kind'; name an attribute that "
    with pytest.raises(ConllError, match=message):
        score(side, side, typed="kind")
    with pytest.raises(ConllError):
        scorer.score([["a"]], [["a"]], typed="etype")
    message = "^typed: clusters in memory have no such information; leave the option out, or score"
    with pytest.raises(TypeError, match=message):
        scorer.Accumulator(typed="etype")
    message = "typed=etype cannot be scored with"
    with pytest.raises(ValueError, match=f"{message} like=corefud-1.2; leave one of them out"):
        score(side, side, like="corefud-1.2")
    path = tmp_path / "a.jsonl"
    path.write_text(side)
    arguments = ("score", path, path, "--typed", "etype", "--metrics", "muc,mor")
    assert main(*arguments)[::2] == (2, f"scorer score: {message} mor; leave one of them out\n")
    assert main("score", path, path, "--typed", "etype", "--format", "perl", "--quiet")[2] == (
        "scorer score: the perl report does not support typed=etype, as the reference "
        "scorer does not; choose another format, or leave it out\n"
    )
