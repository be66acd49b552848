"""Which documents are found to end together, and from how many mentions on they are counted so."""

import io
from unittest.mock import patch

import pytest

from conll.formats.conll2012.read import Conll2012Source
from scorer import metrics
from scorer.engine import tails, together
from scorer.engine.corpus import Corpus
from scorer.evaluation.evaluation import Evaluation

# a and b end with c: a, which holds all, has five mentions, and b has four of these. d and e stand for themselves.
KEY = b"""\
#begin document a
w\t(1)
#begin document b
w\t(1)
w\t(2)
#begin document c
w\t(2)
w\t(2)
#end document
"""
RESPONSE = b"".join(b"#begin document %c\nw\t(7)\nw\t(7)\n#end document\n" % name for name in b"abc")
ENDED = b"".join(b"#begin document %c\nw\t(1)\n#end document\n" % name for name in b"de")


def corpus(key, response, **only):
    return Corpus(*(Conll2012Source(io.BytesIO(data), side) for side, data in (("key", key), ("response", response))), **only)


@pytest.mark.parametrize(
    ("key", "response", "mentions"),
    [(KEY, RESPONSE, 9), (RESPONSE, KEY, 9), (KEY, KEY, 18)],
    ids=["key", "response", "both"],
)
def test_from_how_many_mentions_on_they_are_counted_together(key, response, mentions):
    """Those of a, and those of b, which a holds as well."""
    for worth, is_worth in ((mentions, True), (mentions + 1, False)):
        with patch.object(together, "WORTH", worth), patch.object(tails, "count", return_value={}) as count:
            assert together.counted_together(corpus(key, response), "a", Evaluation([metrics.get("muc")])) is None
        assert count.called == is_worth


@pytest.mark.parametrize(("asked", "words"), [(["muc", "mor"], {}), (["mor"], {}), (["muc"], {"match": "partial"})], ids=str)
def test_what_needs_more_than_clusters_is_counted_one_by_one(asked, words):
    evaluation = Evaluation(list(map(metrics.get, asked)), **words)
    with patch.object(together, "WORTH", 0), patch.object(tails, "count", return_value={}) as count:
        assert together.counted_together(corpus(KEY, KEY), "a", evaluation) is None
    count.assert_not_called()


def test_no_document_is_read_after_one_that_ends_by_itself():
    both, asked = corpus(KEY + ENDED, RESPONSE + ENDED), []
    pair = both.pair
    with patch.object(both, "pair", lambda name: asked.append(name) or pair(name)):
        assert list(together.ending_with(both, "a")) == ["a", "b"]
    assert asked == ["a", "b", "c"]


@pytest.mark.parametrize("side", [0, 1])
def test_a_document_that_one_side_lacks_is_empty_there(side):
    files = [ENDED, ENDED]
    files[1 - side] = KEY
    lacking = together.ending_with(corpus(*files, only="a"), "a")["a"][side]
    assert (lacking.name, lacking.clusters) == ("a", [])
