"""Comparisons within groups of documents are those of the groups by themselves."""

import scorer


def halves(documents, right):
    """Documents of one pair of mentions, found in those of the given numbers."""
    return {
        f"{'ab'[at % 2]}/d{at}": [["x", "y"]] if at in right else [["x"], ["y"]]
        for at in range(documents)
    }


def test_groups_are_compared_by_themselves():
    key, one, two = halves(24, range(24)), halves(24, range(20)), halves(24, range(6, 18, 2))
    compared = scorer.compare(key, {"one": one, "two": two}, metrics="muc", trials=5000)
    groups = compared.group_by("^(.)/")
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
