"""Mentions that are equal only if their types are: expected by hand, and by clusters whose mentions bear their types."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scorer
from conll.errors import ConllError

TYPES = "pog"


def line(clusters, types, **more):
    tokens = ["w"] * 12
    return json.dumps(
        {
            "doc_key": "a",
            "tokens": tokens,
            "clusters": [[[m, m] for m in c] for c in clusters],
            "etype": types,
        }
        | more
    )


def files(folder, key, response):
    """Two files; a side is clusters of (token, type)."""
    for name, side in (("key", key), ("response", response)):
        text = line([[m for m, _ in c] for c in side], [[kind for _, kind in c] for c in side])
        (folder / f"{name}.jsonl").write_text(text + "\n")
    return folder / "key.jsonl", folder / "response.jsonl"


@st.composite
def typed_sides(draw):
    """Key and response, each with clusters and types of its own.

    A span once with each of its types.
    """
    sides = []
    for _ in range(2):
        found = draw(
            st.lists(
                st.tuples(st.integers(0, 9), st.sampled_from(TYPES), st.integers(0, 3)),
                unique_by=lambda one: one[:2],
            )
        )
        clusters = {}
        for mention, kind, cluster in found:
            clusters.setdefault(cluster, []).append((mention, kind))
        sides.append(list(clusters.values()))
    return sides


@given(sides=typed_sides())
def test_as_pairs_of_span_and_type(sides, tmp_path_factory):
    """What neleval's `typed_mention_ceaf` is by its key (span, type): each such pair is a mention by itself."""
    metrics = ["muc", "bcub", "ceafm", "ceafe", "lea", "mentions", "pairwise"]
    paths = files(tmp_path_factory.mktemp("typed"), *sides)
    named = [[[f"{m}/{kind}" for m, kind in cluster] for cluster in side] for side in sides]
    typed, by_name = (
        scorer.score(*paths, metrics=metrics, typed="etype"),
        scorer.score(*named, metrics=metrics),
    )
    assert typed.totals == by_name.totals
    assert typed.problems == []


@pytest.mark.parametrize("typed", [True, False])
def test_a_span_of_two_types_is_two_mentions(typed, tmp_path):
    """{1p 2p}{1o 3o} and {1o 3o}{1p 2p}: all four are equal.

    Without types 1 appears twice, and the response keeps the first.
    """
    paths = files(
        tmp_path,
        [[(1, "p"), (2, "p")], [(1, "o"), (3, "o")]],
        [[(1, "o"), (3, "o")], [(1, "p"), (2, "p")]],
    )
    found = scorer.score(
        *paths, metrics="ceafm", typed="etype" if typed else None, duplicates="first"
    )
    assert found.totals["ceafm"][0].as_tuple() == ((4, 4, 4, 4) if typed else (2, 3, 2, 3))
    assert len(found.problems) == (0 if typed else 2)


def test_singletons_that_are_left_out_take_their_types_with_them(tmp_path):
    """{3o}{1p 2p} and {4g}{1p 2o}: of two mentions one is equal."""
    paths = files(tmp_path, [[(3, "o")], [(1, "p"), (2, "p")]], [[(4, "g")], [(1, "p"), (2, "o")]])
    found = scorer.score(*paths, metrics="ceafm", typed="etype", singletons="drop")
    assert found.totals["ceafm"][0].as_tuple() == (1, 2, 1, 2)


@pytest.mark.parametrize(("kind", "f1"), [("place", 0), ("person", 1)])
def test_types_of_mentions_that_match_by_head(kind, f1, tmp_path):
    line = "{}\tw" + "\t_" * 7 + "\t{}\n"
    texts = {
        "key": ["Entity=(e1-person-1", "Entity=e1)"],
        "response": [f"Entity=(e1-{kind}-1)", "_"],
    }
    for side, cells in texts.items():
        rows = "".join(line.format(at, cell) for at, cell in enumerate(cells, 1))
        (tmp_path / side).write_text(f"# global.Entity = eid-etype-head\n# newdoc id = a\n{rows}\n")
    paths = tmp_path / "key", tmp_path / "response"
    assert scorer.score(*paths, metrics="ceafm", match="head").ratios("ceafm").f1 == 1
    assert (
        scorer.score(*paths, metrics="ceafm", match="head", typed="etype").ratios("ceafm").f1 == f1
    )


@pytest.mark.parametrize("types", [[["", ""]], None], ids=["empty", "none"])
@pytest.mark.parametrize("lacking", ["", None], ids=["an empty one", "null"])
def test_mentions_without_a_type(lacking, types, tmp_path):
    """Of {1p 2} the response, which says no types, has 2 alone: CEAFm 1/2."""
    key, response = tmp_path / "key", tmp_path / "response"
    key.write_text(line([[1, 2]], [["p", lacking]]))
    response.write_text(line([[1, 2]], types))
    assert scorer.score(key, response, metrics="ceafm", typed="etype").totals["ceafm"][
        0
    ].as_tuple() == (1, 2, 1, 2)


@pytest.mark.parametrize(
    ("kind", "named"), [("o", "(3,3)/o"), ("", "(3,3)/untyped"), ("p", "(3,3)")]
)
def test_a_repeated_mention_of_another_type_is_told_with_its_own(kind, named, tmp_path):
    key, response = tmp_path / "key", tmp_path / "response"
    key.write_text(line([[3]], [["p"]]))
    response.write_text(line([[3, 3]], [[kind, kind]]))
    (problem,) = scorer.score(key, response, metrics="ceafm", typed="etype").problems
    assert problem.text == f"mention {named} of cluster 0 is already in cluster 0 (line 1)"


def test_refusals(tmp_path, main):
    key, response = files(tmp_path, [[(1, "p")]], [[(1, "p")]])
    message = "1: document a: typed: no mention of the key has a 'kind'; name an attribute that "
    with pytest.raises(ConllError, match=message):
        scorer.score(key, response, typed="kind")
    with pytest.raises(ConllError):
        scorer.score([["a"]], [["a"]], typed="etype")
    with pytest.raises(TypeError) as refused:
        scorer.Accumulator(typed="etype")
    assert (
        str(refused.value)
        == "typed: clusters in memory have no such information; leave the option out, or score files"
    )
    message = "does not support types; leave one of them out"
    with pytest.raises(ValueError, match=f"typed: like corefud-1.2 {message}"):
        scorer.score(key, response, typed="etype", like="corefud-1.2")
    arguments = ("score", key, response, "--typed", "etype", "--metrics", "muc,mor")
    assert main(*arguments)[::2] == (2, f"scorer score: typed: mor {message}\n")
    assert main("score", key, response, "--typed", "etype", "--format", "perl", "--quiet")[2] == (
        "scorer score: the perl report does not support types of mentions, as the reference "
        "scorer does not; choose another format\n"
    )
