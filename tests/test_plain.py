"""One document counted in plain Python: what is said of it, what refuses it, and whose an error is."""

import pytest

from conll import ConllError, Document
from conll.source import Source
from conll.syntax import Syntax
from scorer import metrics
from scorer.count.counts import Counts
from scorer.engine.corpus import Corpus
from scorer.engine.plain import ends_of, is_matched, score_all, score_document, score_documents, score_pair
from scorer.evaluation.evaluation import Evaluation


class Held(Source):
    """A source of these documents, or of what reading them raises."""

    def __init__(self, path, *documents):
        self.path = path
        self.size = 0
        self.held = {document.name: document for document in documents}
        self.errors = {}

    def names(self):
        return [*self.held, *self.errors]

    def document(self, name):
        if name in self.errors:
            raise self.errors[name]
        return self.held.get(name)

    def extent(self, _):
        return 0

    def line_of(self, _):
        return 1

    def problems(self):
        return []


def corpus_of(keys, responses):
    return Corpus(Held("k", *keys), Held("r", *responses))


def empty(*names, **options):
    return Evaluation([metrics.get(name) for name in names or ("muc",)], **options)


def said(problems):
    return [(str(one), one.kind, one.side) for one in problems]


KEY = Document("a", [["x", "y"], ["z"]], 5, path="k", line=3)
RESPONSE = Document("a", [["x", "y", "z"]], 6, path="r", line=4)


def test_documents_are_scored_one_after_the_other():
    other = Document("b", [["x", "y"]], 5)
    corpus = corpus_of([KEY, other], [RESPONSE, other])
    for keep, kept in ({}, ["b", "a"]), ({"keep": False}, []):
        evaluation = empty()
        score_all(corpus, evaluation, ["b", "a"], **keep)
        assert [one.name for one in evaluation.documents] == kept
        assert evaluation.totals["muc"] == (Counts(2, 2, 2, 3),)
        assert (evaluation.scored, said(evaluation.problems)) == (2, [(LENGTHS, "text", "response")])


LENGTHS = "r:4: document a: 6 tokens, but 5 in the key (k:3)"


def test_lengths_are_compared_unless_words_are():
    corpus = corpus_of([KEY], [RESPONSE])
    score, problems = score_pair(corpus, "a", KEY, RESPONSE, empty())
    assert (score.name, score.counts, said(problems)) == ("a", {"muc": (Counts(1, 1, 1, 2),)}, [(LENGTHS, "text", "response")])
    assert score_pair(corpus, "a", KEY, Document("a", [], 5), empty())[1] == []
    corpus.compared = True
    assert score_pair(corpus, "a", KEY, RESPONSE, empty())[1] == []


def test_a_document_that_one_side_lacks():
    corpus = corpus_of([KEY], [RESPONSE])
    score, problems = score_pair(corpus, "a", None, RESPONSE, empty("mentions"))
    assert score.counts == {"mentions": (Counts(0, 0, 0, 3),)}
    assert said(problems) == [("k: document a: the key lacks this document; it is scored as an empty one", "extra", "key")]
    score, problems = score_pair(corpus, "a", KEY, None, empty("mentions"))
    assert score.counts == {"mentions": (Counts(0, 3, 0, 0),)}
    lacks = "r: document a: the response lacks this document"
    assert said(problems) == [(f"{lacks}; it is scored as an empty one", "missing", "response")]
    with pytest.raises(ConllError) as caught:
        score_pair(corpus, "a", KEY, None, empty(missing_documents="error"))
    assert str(caught.value) == f"{lacks}; add it, or let missing documents score as empty ones"


def open_at(*unclosed, **more):
    clusters = [["x", "y"], [], ["z"], []]
    return Document("a", clusters, labels=["3", "4", "5", "6"], unclosed=list(unclosed), **more)


STILL = "is still open at the end of the file"


def test_ends_that_are_missing():
    document = open_at(("4", 7), ("3", 8), path="p", swallowed=[9, 11])
    for side in ("key", "response"):
        assert said(ends_of(document, side)) == [
            (f"p:7: document a: mention 4 {STILL}; it is not counted", "end", side),
            (f"p:8: document a: mention 3 {STILL}; it is not counted", "end", side),
            ("p:9: document a: another document starts before this one has ended; write the missing #end document", "end", side),
            ("p:11: document a: another document starts before this one has ended; write the missing #end document", "end", side),
        ]
        assert ends_of(Document("a", [[]], path="p"), side) == []
    response = open_at(("5", 2), path="r")
    told = [f"p:7: document a: mention 3 {STILL}; it is not counted", f"r:2: document a: mention 5 {STILL}; it is not counted"]
    found = score_pair(corpus_of([], []), "a", open_at(("3", 7), path="p"), response, empty("muc"))[1]
    assert said(found) == [(told[0], "end", "key"), (told[1], "end", "response")]


def test_an_entity_that_ends_no_mention_leaves_blanc_without_a_value():
    """The one named is the first that is still open of an entity without others."""
    corpus, key = corpus_of([], []), open_at(("3", 7), ("6", 8), ("4", 9), path="p")
    whole = Document("a", [["x"], ["y"]], unclosed=[("9", 7)])
    with pytest.raises(ConllError) as caught:
        score_pair(corpus, "a", key, RESPONSE, empty("muc", "blanc"))
    problem = f"mention 6 {STILL}, and its entity has no other that ends, so blanc cannot be scored; write the missing 6)"
    assert (str(caught.value), caught.value.document) == (f"p:8: document a: {problem}", "a")
    # Not without blanc, not of the response, not where nothing is open, and not where every entity has a mention.
    for documents, names in (((key, RESPONSE), "muc"), ((KEY, key), "blanc"), ((open_at(), KEY), "blanc"), ((whole, KEY), "blanc")):
        assert score_pair(corpus, "a", *documents, empty(names))[0].name == "a"


@pytest.mark.parametrize(
    ("names", "options", "matched"),
    [
        (("muc",), {}, False),
        (("muc", "mor"), {}, True),
        (("mor",), {}, True),
        ((), {"match": "head"}, True),
        ((), {"zeros": "dependent"}, True),
        ((), {"like": "corefud-1.2"}, True),
        ((), {"singletons": "drop", "duplicates": "keep"}, False),
    ],
)
def test_when_mentions_are_matched_first(names, options, matched):
    evaluation = empty(*names, **options)
    assert is_matched(evaluation.options, [metrics.get(name) for name in names]) == matched


def test_a_repeated_mention_that_is_counted_or_refused():
    repeating = Document("a", [["x", "x"]], 6, path="r", line=4, lines=[[5, 6]], labels=["7"])
    corpus = corpus_of([KEY], [repeating])
    score, problems = score_document(corpus, "a", empty())
    assert score.counts == {"muc": (Counts(0, 1, 0, 0),)}
    assert said(problems) == [
        (LENGTHS, "text", "response"),
        ("r:6: document a: mention 'x' of cluster 7 is already in cluster 7 (line 5); counted once", "repeat", "response"),
    ]
    score, _ = score_document(corpus, "a", empty("mentions", duplicates="first"))
    assert score.counts == {"mentions": (Counts(1, 3, 1, 1),)}
    with pytest.raises(ConllError) as caught:
        score_document(corpus, "a", empty(duplicates="error"))
    problem = "mention 'x' of cluster 7 is already in cluster 7 (line 5); write it once, or choose what becomes of duplicates"
    assert str(caught.value) == f"r:6: document a: {problem}"


def test_types_are_not_counted_like_another_program():
    with pytest.raises(ValueError) as caught:  # noqa: PT011  the message is compared below
        score_pair(corpus_of([KEY], [RESPONSE]), "a", KEY, RESPONSE, empty(typed="etype", like="corefud-1.2"))
    assert str(caught.value) == "typed: what is counted like corefud-1.2 has no types; leave out one of the two"


@pytest.mark.parametrize("options", [{}, {"like": "corefud-1.2"}], ids=["alone", "like"])
@pytest.mark.parametrize("names", [("mentions",), ("mentions", "mor")])
def test_both_sides_of_spans(names, options):
    """The key has three mentions and the response four, of which three are the key's; and each side by itself."""
    key = Document("a", [[(0, 0), (2, 3)], [(4, 4)]], 6)
    response = Document("a", [[(0, 0), (4, 4)], [(2, 3), (5, 5)]], 6)
    for pair, counts in (((key, response), (3, 3, 3, 4)), ((key, None), (0, 3, 0, 0)), ((None, response), (0, 0, 0, 4))):
        score, problems = score_documents("a", *pair, empty(*names, **options))
        assert (score.name, problems, list(score.counts)) == ("a", [], list(names))
        assert score.counts["mentions"][0].as_tuple() == counts
        assert (score.repeats, score.invented, list(score.removed)) == ([], counts[3] - counts[2], [])


def repeating(path):
    return Document("a", [[(0, 0), (1, 1), (0, 0)]], 6, path=path, lines=[[5, 6, 7]], labels=["9"])


@pytest.mark.parametrize("options", [{}, {"like": "corefud-1.2"}, {"match": "head"}], ids=["alone", "like", "head"])
@pytest.mark.parametrize("side", ["key", "response"])
def test_repeats_are_said_of_their_side(side, options):
    other = Document("a", [[(1, 1)]], 6, lines=[[8]], labels=["4"], path="other")
    pair = (repeating("p"), other) if side == "key" else (other, repeating("p"))
    score, problems = score_documents("a", *pair, empty("mentions", duplicates="first", **options))
    at = "p:7: document a: mention (0,0) of cluster 9 is already in cluster 9 (line 5)"
    assert said(problems) == [(f"{at}; counted once", "repeat", side)]
    assert [(one.side, one.cluster, one.place) for one in score.repeats] == [(side, 0, 2)]
    assert [one.as_tuple() for one in score.removed if one.side == side] == [("duplicates", side, 1, 0, 0)]
    assert score.counts["mentions"][0].as_tuple() == ((1, 2, 1, 1) if side == "key" else (1, 1, 1, 2))
    with pytest.raises(ConllError) as caught:
        score_documents("a", *pair, empty("mentions", duplicates="error", **options))
    assert str(caught.value) == f"{at}; write it once, or choose what becomes of duplicates"


def test_singletons_are_dropped_before():
    score, _ = score_documents("a", KEY, RESPONSE, empty("mentions", singletons="drop"))
    assert score.counts["mentions"][0].as_tuple() == (2, 2, 2, 3)
    assert [one.as_tuple() for one in score.removed] == [("singletons", "key", 1, 1, 0), ("singletons", "response", 0, 0, 0)]
    assert score_documents("a", KEY, RESPONSE, empty("mentions"))[0].removed == []


def test_mentions_are_matched_by_their_heads():
    """The response's (1,1) stands for the key's (0,1) by the head that the key declares."""
    key = Document("a", [[(0, 1), (3, 3)]], 6, syntax=Syntax([0], {}, {(0, 1): 1}))
    response = Document("a", [[(1, 1), (3, 3)]], 6)
    for match, matched in ("exact", 1), ("head", 2):
        score, _ = score_documents("a", key, response, empty("mentions", match=match))
        assert score.counts["mentions"][0].as_tuple() == (matched, 2, matched, 2)
