"""Data frames of mentions, as pandas makes them."""

import pandas as pd
import pytest
from examples import KEY

from scorer.adapters.frames import documents


def frame_of(side):
    rows = [
        (name, begin, end, number)
        for name, listed in side.items()
        for number, cluster in enumerate(listed)
        for begin, end in cluster
    ]
    return pd.DataFrame(rows, columns=["document", "start", "end", "cluster"])


def test_order_other_columns_and_labels():
    frame = frame_of(KEY).assign(text="x").sample(frac=1, random_state=4)
    found = documents(frame)
    assert {name: sorted(map(sorted, one)) for name, one in found.items()} == {
        name: sorted(map(sorted, one)) for name, one in KEY.items()
    }
    frame["cluster"] = frame["cluster"].map({0: "e", 1: "f"})
    assert documents(frame) == found


@pytest.mark.parametrize(
    "types",
    [
        {"start": "Int64", "end": "float64"},
        {"document": "category"},
    ],
    ids=str,
)
def test_types_of_columns(types):
    assert documents(frame_of(KEY).astype(types)) == KEY


def test_documents_without_a_row_hold_no_mention():
    found = documents(frame_of({"two": KEY["two"]}), names=["one", "two"])
    assert found == {"one": [], "two": KEY["two"]}
    empty = pd.DataFrame(columns=["document", "start", "end", "cluster"])
    assert documents(empty, names=["one"]) == {"one": []}


@pytest.mark.parametrize(
    ("column", "value", "said"),
    [
        ("end", None, "row 'c': end is missing"),
        ("cluster", float("nan"), "row 'c': cluster is missing"),
        ("start", 2.5, "row 'c': start is 2.5, and not the number of a token"),
        ("start", True, "row 'c': start is True, and not the number of a token"),
        ("start", 4, "row 'c': the mention ends at token 3, before it begins at 4"),
    ],
)
def test_what_is_wrong_is_told_with_its_row(column, value, said):
    frame = frame_of({"one": KEY["one"]}).astype(object)
    frame.index = list("abcd")
    frame.loc["c", column] = value
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        documents(frame)
    assert str(caught.value) == said


def test_a_column_that_is_lacking():
    with pytest.raises(ValueError, match=r"^the frame has no column end, cluster; its columns are"):
        documents(frame_of(KEY).drop(columns=["end", "cluster"]))
