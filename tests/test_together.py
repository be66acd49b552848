"""Which documents are found to end together, and from how many mentions on they are counted so."""

import io
from unittest.mock import patch

import pytest

import scorer.engine.together
from conll import ConllError, tail
from conll.formats.conll2012.read import Conll2012Source
from scorer import metrics
from scorer.engine import tails
from scorer.engine.corpus import Corpus
from scorer.engine.together import Together
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


def counted(key, response, *asked, of="a", **words):
    """The documents that are counted with others when that one is asked for."""
    with patch.object(tails, "count", wraps=tails.count) as count:
        Together.of(corpus(key, response)).counted(of, Evaluation(list(map(metrics.get, asked or ["muc"])), **words))
    return [list(call.args[0]) for call in count.call_args_list]


@pytest.mark.parametrize(
    ("key", "response", "mentions"),
    [(KEY, RESPONSE, 9), (RESPONSE, KEY, 9), (KEY, KEY, 18)],
    ids=["key", "response", "both"],
)
def test_from_how_many_mentions_on_they_are_counted_together(key, response, mentions):
    """Those of a, and those of b, which a holds as well; the shorter one first."""
    for worth, together in ((mentions, [["b", "a"]]), (mentions + 1, [])):
        with patch.object(scorer.engine.together, "WORTH", worth):
            assert counted(key, response) == together


@pytest.mark.parametrize(("asked", "words"), [(["muc", "mor"], {}), (["mor"], {}), (["muc"], {"match": "partial"})], ids=str)
def test_what_needs_more_than_clusters_is_counted_one_by_one(asked, words):
    with patch.object(scorer.engine.together, "WORTH", 0):
        assert counted(KEY, KEY, *asked, **words) == []


def test_those_that_end_by_themselves_are_not_read():
    """Neither c, which holds no other, nor d and e."""
    both, asked = corpus(KEY + ENDED, RESPONSE + ENDED), []
    pair = both.pair
    with patch.object(both, "pair", lambda name: asked.append(name) or pair(name)):
        assert list(map(list, Together(both).groups)) == [["b", "a"]]
    assert asked == ["a", "b"]


@pytest.mark.parametrize("side", [0, 1])
def test_a_document_that_one_side_lacks_is_empty_there(side):
    files = [ENDED, ENDED]
    files[1 - side] = KEY
    lacking = Together(corpus(*files, only="a")).pairs["a"][side]
    assert (lacking.name, lacking.clusters) == ("a", [])


def test_they_are_found_once_and_anew_for_other_documents():
    both = corpus(KEY, RESPONSE)
    found = Together.of(both)
    assert Together.of(both) is found
    both.names = ["a", "c"]
    assert list(Together.of(both).pairs) == ["a"]


def test_documents_of_several_runs_that_the_key_has_in_turns():
    """Of the response a and b end with c, and x and y with z; the key has its own ends."""
    response = KEY + KEY.replace(b"t a", b"t x").replace(b"t b", b"t y").replace(b"t c", b"t z")
    key = b"".join(b"#begin document %c\nw\t(7)\n#end document\n" % name for name in b"axbycz")
    assert list(map(list, Together(corpus(key, response)).groups)) == [["b", "a"], ["y", "x"]]
    with patch.object(scorer.engine.together, "WORTH", 0):
        assert counted(key, response) == [["b", "a"], ["y", "x"]]
    # Nine mentions in a and b together, seven in x and y once y, and so x, has lost one.
    with patch.object(scorer.engine.together, "WORTH", 9):
        assert counted(key, response.replace(b"t y\nw\t(1)", b"t y\nw\t-")) == [["b", "a"]]


# A mention of b, and so of a, is there twice.
REPEATED = KEY.replace(b"w\t(1)\nw\t(2)\n#b", b"w\t(1)\nw\t(2)|(3)\n#b")


@pytest.mark.parametrize(
    ("key", "response", "asked", "words", "apart"),
    [
        (KEY, RESPONSE, ["muc", "blanc", "lea"], {}, ""),
        (KEY, RESPONSE, ["muc", "ceafm_sys"], {}, "ab"),
        (KEY, RESPONSE, ["mor"], {}, "ab"),
        (RESPONSE, KEY, ["muc"], {"match": "head"}, "ab"),
        (RESPONSE, KEY, ["muc"], {"singletons": "drop", "duplicates": "keep"}, ""),
        (REPEATED, RESPONSE, ["muc"], {}, "ab"),
        (RESPONSE, REPEATED, ["muc"], {}, "ab"),
        (KEY, RESPONSE.replace(b"(7)", b"(7)|(8)", 1), ["muc"], {}, "ab"),
        (KEY.replace(b"t a", b"t a\nw\t(9)"), KEY, ["muc"], {}, "ab"),
    ],
    ids=["none", "twins", "mor", "heads", "filters", "repeated in the key", "repeated in the response", "at its end", "shifted"],
)
def test_which_are_counted_by_themselves(key, response, asked, words, apart):
    """Where one of them repeats a mention in a file with end lines, the other one is left by itself, too."""
    both = corpus(key, response)
    both.bounded = True
    with patch.object(scorer.engine.together, "check_counted", side_effect=[None, None]) as check:
        Together.of(both).counted("a", Evaluation(list(map(metrics.get, asked)), **words))
    of_key, of_response = ([document.name for document in call.args[0]] for call in check.call_args_list)
    assert of_key == of_response == list(apart)


# Three documents end with d: of eight, six and four mentions, of which ten are held again.
ENDLESS = b"".join(b"#begin document %c\nw\t(1)\nw\t(2)\n" % name for name in b"abcd")


@pytest.mark.parametrize("of_key", [True, False])
@pytest.mark.parametrize(("bounded", "most", "refused"), [(True, 9, True), (True, 10, False), (False, 0, False)])
def test_those_that_hold_too_much_are_not_counted_by_themselves(bounded, most, refused, of_key, monkeypatch):
    monkeypatch.setattr(tail, "COUNTED", most)
    both = corpus(*(ENDLESS, ENDED)[:: 1 if of_key else -1])
    if not of_key:
        both.names = list("abcd")
    both.bounded = bounded
    empty = Evaluation([metrics.get("mor")])
    if not refused:
        assert Together.of(both).counted("a", empty) is None
        return
    side = "key" if of_key else "response"
    for name in "ab":
        with pytest.raises(ConllError) as error:
            Together.of(both).counted(name, empty)
        assert str(error.value) == (
            f"{side}:4: document a: 3 documents from here on have no end, so each holds all that follow: 18 mentions, "
            "too many to count one document at a time; write the missing #end document"
        )


# The clusters of the key have two mentions each, of which the response has one in a cluster with one of the next.
CHAIN = [
    b"".join(
        b"#begin document d%dd\nw\t(%d)\nw\t(%d)\n" % (at, (2 * at + early) // 2, (2 * at + 1 + early) // 2) for at in range(9)
    )
    for early in (0, 1)
]


@pytest.mark.parametrize("order", [1, -1], ids=["in the key", "in the response"])
def test_chains_of_clusters_are_aligned_up_to_a_bound(order, monkeypatch):
    """Of eight documents without an end the shortest has four pairs, each other one two more, next to all that it had: 88 in all.

    It is noticed once those are sought among. Of what takes no alignment there is no bound, nor is there one for `scorer.pl`.
    """
    monkeypatch.setattr(scorer.engine.together, "WORTH", 0)

    def ask(metric, most, bounded=True):
        monkeypatch.setattr(tail, "ALIGNED", most)
        both = corpus(*CHAIN[::order])
        both.bounded = bounded
        return Together.of(both).counted("d0d", Evaluation([metrics.get(metric)])).counts[metric][0]

    assert ask("ceafm", 87, bounded=False) == ask("ceafm", 88)
    assert ask("ceafm", 88).recall_denominator == 18
    assert ask("bcub", 0).recall_denominator == 18
    with pytest.raises(ConllError) as error:
        ask("ceafm", 87)
    assert str(error.value) == (
        "key:4: document d0d: 8 documents from here on have no end, so each holds all that follow: their clusters overlap with "
        "ever more others, too many to align each time; write the missing #end document"
    )
