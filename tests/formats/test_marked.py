"""What language models write: texts with marked mentions, read beside a key, and written."""

import json
import random
import time
from collections import Counter
from contextlib import suppress
from io import BytesIO, StringIO
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from conll import ConllError, Document, open_documents, write_documents
from conll.convert import Reduction
from conll.text.aligned import aligned_or_joined
from conll.text.alignment import align
from conll.text.marked import Repairs
from scorer import score

FIXTURES = Path(__file__).parents[2] / "fixtures"
ROWS = {
    row["name"]: row
    for row in map(
        json.loads, (FIXTURES / "golden" / "llm-text.jsonl").read_text("utf-8").splitlines()
    )
}
TEXTS = ["colon", "corefinst", "crac", "crac_json", "markdown", "xml"]
"""The formats that hold every word and mention; `headword` and `strings` do not."""

CLEAN = {"e1": ["John", "He"], "e2": ["Mary", "her"], "e3": ["the big city"]}
EXPECTED = {
    "clean": (CLEAN, ""),
    "unclosed-tag": (CLEAN | {"e3": ["the"]}, "1 unclosed tag"),
    "unopened-tag": (CLEAN | {"e3": ["city"]}, "1 unopened tag"),
    "truncated": ({"e1": ["John"], "e2": ["Mary"], "e3": ["the big city"]}, "4 missing words"),
    "word-dropped": (CLEAN, "1 missing word"),
    "word-added": (CLEAN, "1 added word"),
    "word-changed": (CLEAN, "1 changed word"),
    "tagged-word-changed-start": (CLEAN, "1 changed word"),
    "bad-tag": (
        {"1": ["John"], "e2": ["Mary"], "e3": ["the big city"], "e1": ["He"], "eX": ["her"]},
        "",
    ),
    "two-pipes": (CLEAN | {"e9": ["John"]}, "1 second tag list"),
    "nested": (CLEAN | {"e4": ["city"]}, ""),
    "cross-sentence": (
        {"e1": ["John"], "e2": ["Mary", "her"], "e3": ["the big city . He"]},
        "",
    ),
    "zero-node": (CLEAN, "1 added word, 1 dropped mention"),
    "repeated-text": (CLEAN, "1 unread draft"),
    "chatter": (CLEAN, "6 added words"),
    "punctuation-glued": (CLEAN, "2 glued words"),
    "empty": ({}, ""),
    "lower-cased": (CLEAN, "3 case changes"),
}
"""Clusters and repairs of the measured texts, by hand: by id the words of each mention."""


def written(documents, form, *, drop=False):
    file = BytesIO()
    fit = Reduction(form, drop=True) if drop else None
    write_documents(documents, file, form, fit=fit)
    return file.getvalue(), [] if fit is None else [*fit.left_out()]


def key_of(*texts, form="conll2012"):
    """A key with these sentences, a document each, without mentions."""
    documents = [Document(f"d{n}", [], words=[text.split()]) for n, text in enumerate(texts)]
    return open_documents(BytesIO(written(documents, form)[0]))


def read(key, text, form=None, how="auto"):
    """The response aligned to a key; the mentions by their words, and what was repaired."""
    response = aligned_or_joined(
        key, open_documents(StringIO(text), form, name="r.txt", empty=True), how
    )
    found = []
    for name in key.names():
        words, document = key.read(name).text(), response.read(name)
        clusters = {} if document is None else dict(zip(document.labels, document.clusters))
        shown = {
            label: [" ".join(words[m[0] : m[1] + 1]) if len(m) > 1 else "" for m in cluster]
            for label, cluster in clusters.items()
        }
        repaired = "".join(problem.text for problem in (document.repairs if document else ()))
        found.append((shown, repaired.removeprefix("repaired: ")))
    return found


@pytest.mark.parametrize("name", ROWS)
def test_measured_texts(name):
    row = ROWS[name]
    key = open_documents(
        BytesIO(written([Document("d", [], words=row["gold_sentences"])], "conll2012")[0])
    )
    assert read(key, row["output"], "crac") == [EXPECTED[name]]


STORY = "Ada met the big dog . She liked it ."
WHOLE = {"a": ["Ada", "She"], "d": ["the big dog", "it"]}


@pytest.mark.parametrize(
    ("text", "clusters", "repaired"),
    [
        ("[Ada](#a) met [the big dog](#d). [She](#a) liked [it](#d).", WHOLE, ""),
        ("[[Ada](#a) met](#x) the big dog [sic] [](#e) [.](#)", {"a": ["Ada"], "x": ["Ada met"]},
         "1 empty mention, 1 blank tag, 1 added word, 4 missing words"),
        ("[Ada](#C. B (sr)) met [the big dog](#d(1(2))). [She](#C. B (sr)) liked [it](#d(1(2))).",
         {"C. B (sr)": WHOLE["a"], "d(1(2))": WHOLE["d"]}, ""),
        ("[Ada](#a (met [the big dog](#d)). [She](#a) liked it.", {"d": ["the big dog"], "a": ["She"]},
         "1 unreadable tag, 2 changed words, 1 glued word"),
        ("[Ada: a] met [the big dog: d] . [She:a] liked [it: d] .", WHOLE, ""),
        ("<m> Ada </m>#a met <m>the big dog</m>#d . <m> She </m>#MASK liked <m> it .", {"a": ["Ada"], "d": ["the big dog"]},
         "1 blank tag, 1 unclosed tag"),
        ("<m>Ada</m>#1met<m>the big dog</m>#2. <m>She</m>#1liked <m>it</m>#2 .", {"1": WHOLE["a"], "2": WHOLE["d"]}, ""),
        ("<m> Ada </m>#1 met <m> the big dog </m>#2 . [MID] <m> She </m>#1 liked it .",
         {"1:1": ["Ada"], "1:2": ["the big dog"], "2:1": ["She"]}, ""),
        ('<mention entity="a">Ada</mention> met <mention id=d>the big dog. She liked it .', {"a": ["Ada"], "d": ["the"]},
         "1 unclosed tag, 1 glued word"),
        ("Ada|[a] met the|[d big dog|d] . She|[a] liked it|[d] .", WHOLE, ""),
        ("Ada|[a]-[b met|b] the|[d-1 big dog|d-1] . She|] liked it .",
         {"a": ["Ada"], "b": ["Ada met"], "d-1": ["the big dog"]}, "1 unreadable tag"),
        ('[["Ada", "She"], ["the big  dog", "it"]]', {"0": ["Ada", "She"], "1": WHOLE["d"]}, ""),
        ('Here: {"clusters": [["ada", "She", "she"], ["cat"]]} I hope it helps.', {"0": ["Ada", "She"]},
         "1 case change, 2 unplaced mentions"),
        ("""[{"doc_id": "x", "tokens": ["Ada", "met", "the", "big", "dog", "."],
            "clusters_token_offsets": [[[0, 0], [2, 4]], [[9, 9]]],
            "clusters_text_mentions": [["Ada", "a dog"]]}]""", {"0": ["Ada", "the big dog"]},
         "1 mismatched mention, 1 impossible offset, 4 missing words"),
        ("Of course:\n```text\nAda|[a] met the dog .\nShe|[a] liked it .\n```\nDone|[x]", {"a": ["Ada", "She"]}, "1 missing word"),
        ("Ada|[a] met the big dog .", {"a": ["Ada"]}, "4 missing words"),
        ("Ada|[a]'s met the|[d big dog|d]. She|[a] liked [sic]. it|[d].", WHOLE, "3 glued words, 2 added words"),
        ("Ada|[a] met \u201cthe\u201d big dog . She|[a] liked it .", {"a": ["Ada", "She"]}, "1 changed word"),
    ],
)  # fmt: skip
def test_dialects(text, clusters, repaired):
    assert read(key_of(STORY), text) == [(clusters, repaired)]


def test_documents_are_paired_by_name_or_else_by_order():
    key = key_of("Ada ran .", "Bo sat .")
    text = '{"doc_key": "d1", "clusters": [["Bo"]]}\n{"doc_key": "d0", "clusters": [["Ada"]]}\n'
    assert read(key, text) == [({"0": ["Ada"]}, ""), ({"0": ["Bo"]}, "")]
    one, other = ({"e1": ["Ada"]}, ""), ({"e1": ["Bo"]}, "")
    assert read(key, "Ada|[e1] ran .\nBo|[e1] sat .\n") == [one, other]
    assert read(key, "Sure :\nAda|[e1] ran .\n\nBo|[e1] sat .\n") == [one, other]
    assert read(key, "\nBo|[e1] sat .\n") == [({}, "3 missing words"), other]
    with pytest.raises(ConllError) as caught:
        read(key, "Ada|[e1] ran . Bo|[e1] sat .\n")
    assert "1 text, and 2 documents of the key; give one text" in str(caught.value)
    with pytest.raises(ConllError) as caught:
        read(key, '{"doc_key": "z", "clusters": [["Bo"]]}')
    assert "1 text, and 2 documents of the key with other names" in str(caught.value)


def test_texts_in_json_have_names_and_may_be_windows():
    key = key_of("Ada ran .", "Bo sat . He stood .")
    windows = [("d1", "[Bo](#1) sat ."), ("d0", "[Ada](#1) ran ."), ("d1", "[He](#1) stood .")]
    lines = [json.dumps({"doc_key": name, "output": text}) for name, text in windows]
    apart = {"1:1": ["Bo"], "2:1": ["He"]}
    assert read(key, "\n".join(lines), "markdown") == [({"1": ["Ada"]}, ""), (apart, "")]
    [note] = open_documents(StringIO("\n".join(lines)), "markdown").problems()
    assert (note.kind, note.problem) == ("note", "2 windows; ids are local to each")
    with pytest.raises(ConllError, match="an object needs one of doc_key"):
        read(key, '{"output": "[Ada](#1) ran ."}', "markdown")


@pytest.mark.parametrize(
    ("names", "read_as"),
    [
        (["1", "2", "1"], ["1", "2"]),
        ([1, 2, 1], ["1", "2"]),
        ([0.5], ["0.5"]),
        ([1, "1"], "two documents have the name '1'; give each its own"),
        (
            [None],
            "the file is not of this format: an object needs one of doc_key, doc_id, name, id",
        ),
        ([True], "the file is not of this format: doc_key is True; write a name between quotes"),
    ],
)
def test_names_of_texts_in_json_are_text_or_numbers(names, read_as):
    lines = [json.dumps({"doc_key": name, "output": "[Ada](#1) ran ."}) for name in names]
    if isinstance(read_as, str):
        with pytest.raises(ConllError) as caught:
            open_documents(StringIO("\n".join(lines)), "markdown")
        assert caught.value.problem.startswith(read_as)
    else:
        assert open_documents(StringIO("\n".join(lines)), "markdown").names() == read_as


@pytest.mark.parametrize(
    ("form", "field"),
    [("strings", "doc_key"), ("crac_json", "doc_id"), ("crac_json", "doc_key")],
)
def test_names_of_other_json_are_text_or_numbers(form, field):
    """And null is no name: a document without one is called by its place."""

    def names(*given):
        value = {"tokens": ["Ada"], "clusters_token_offsets": [], "clusters": []}
        values = [value | {field: name} for name in given]
        return open_documents(StringIO(json.dumps(values)), form, name="a.json").names()

    assert names(7, None, "x") == ["7", "2", "x"]
    with pytest.raises(ConllError, match="two documents have the name '1'"):
        names(1, "1")
    with pytest.raises(ConllError, match=f"{field} is \\['a'\\]; write a name between quotes"):
        names(["a"])


def test_the_name_that_maverick_writes_pairs_documents_in_any_order():
    dog = ["The", "old", "dog", "slept", ";", "it", "snored"]
    ada = ["Ada", "met", "Grace", ".", "She", "thanked", "her"]
    key = [
        {"doc_key": "(a); part 000", "sentences": [ada], "clusters": [[[0, 0], [4, 4]]]},
        {"doc_key": "(b); part 000", "sentences": [dog], "clusters": [[[0, 2], [5, 5]]]},
    ]
    response = [
        {"doc_key": "b_0", "tokens": dog, "clusters_token_offsets": [[[0, 2], [5, 5]]]},
        {"doc_key": "a_0", "tokens": ada, "clusters_token_offsets": [[[0, 0], [4, 4]]]},
    ]
    files = [StringIO("\n".join(map(json.dumps, side))) for side in (key, response)]
    assert score(*files)["conll"].f1 == 1


@pytest.mark.parametrize("mention", [[0.0, 1], ["0", 1], [True, 1], [0], [0, 1, 1], 3, None])
def test_offsets_of_crac_json_are_two_integers(mention):
    value = {"tokens": ["Ada", "ran"], "clusters_token_offsets": [[[0, 0]], [mention]]}
    with pytest.raises(ConllError) as caught:
        open_documents(StringIO(json.dumps(value)), "crac_json")
    problem = f"mention {mention!r} is not start, end as whole numbers"
    assert caught.value.problem.endswith(problem)


def test_another_text_is_an_empty_document():
    text = "Somebody|[a] else|[b] wrote these words ."
    problem = "not aligned: this is not the text of the key, where 1 of 6 words are found"
    assert read(key_of(STORY), text) == [({}, problem)]


def test_any_response_with_words_can_be_aligned():
    text = '{"doc_key": "d0", "sentences": [["ada", "met", "the", "dog", ".", "She"]], "clusters": [[[0, 0], [2, 3]]]}'
    expected = {"0": ["Ada", "the big dog"]}
    assert read(key_of(STORY), text, how="key") == [(expected, "1 case change, 4 missing words")]
    with pytest.raises(ConllError, match="no words to align"):
        read(key_of(STORY), '{"1": [["a", 0]]}', how="key")


def test_positions_without_words_are_those_of_the_key_and_get_its_words():
    """As of subtokens: `subtoken_map` numbers the words, which are nowhere in the file."""
    key = key_of("Marguerite thanked herself")
    value = {"doc_key": "d0", "subtoken_map": [0, 0, 0, 1, 2, 2], "clusters": [[[1, 2], [4, 5]]]}
    value["sentences"] = [["[CLS]", "Mar", "##guerite", "thanked", "her", "##self"]]
    expected = [({"0": ["Marguerite", "herself"]}, "")]
    assert read(key, json.dumps(value), how="key") == expected
    table = "document,cluster,start,end\nd0,0,0,0\nd0,0,2,2\n"
    assert read(key, table, how="key") == expected
    with pytest.raises(ConllError, match="1 mention beyond the 3 tokens of the key"):
        read(key, table.replace("2,2", "2,3"), how="key")


STORIES = sorted((FIXTURES / "formats").glob("story.*.conllu"))


@pytest.mark.parametrize("form", TEXTS)
@pytest.mark.parametrize("path", [FIXTURES / "example.key.conll", *STORIES], ids=lambda p: p.name)
def test_what_is_written_comes_back_beside_the_key(path, form):
    key = open_documents(path)
    text, left_out = written(key, form, drop=True)
    response = aligned_or_joined(key, open_documents(BytesIO(text), form))
    are_lost = any("in pieces" in line or "across" in line for line in left_out)
    sides = [
        {
            (name, frozenset(cluster))
            for name in key.names()
            for cluster in filter(None, side.read(name).clusters)
        }
        for side in (key, response)
    ]
    assert (sides[0] != sides[1]) == are_lost
    assert are_lost or not any(document.repairs for document in response)


@pytest.mark.parametrize(
    "cells", [("Entity=(e1", "_", "Entity=e1)"), ("_", "Entity=(e1", "Entity=e1)")]
)
def test_texts_of_corefinst_keep_the_places_of_empty_nodes(cells):
    """Of such as are no mention and whose parent is far off, too."""
    rows = zip(
        ("1\tAda", "1.1\t_", "2\tmet", "3\tBo"),
        ("0\t_\t_", "_\t_\t3:obj", "0\t_\t_", "0\t_\t_"),
        (*cells, "_"),
    )
    lines = "".join(f"{word}\t_\t_\t_\t_\t{parent}\t{cell}\n" for word, parent, cell in rows)
    key = open_documents(StringIO(f"# global.Entity = eid\n# newdoc id = d0\n{lines}\n"))
    text, left_out = written(key, "corefinst", drop=True)
    assert not any("in another place" in line or "in pieces" in line for line in left_out)
    response = aligned_or_joined(key, open_documents(BytesIO(text), "corefinst"))
    assert response.read("d0").clusters == key.read("d0").clusters
    assert response.read("d0").repairs == []


@pytest.mark.parametrize("form", TEXTS)
def test_mentions_with_the_same_end_and_words_with_spaces_come_back(form):
    document = Document("d0", [[(0, 2), (2, 2)], [(1, 2)]], words=[["a", "New York", "c"]])
    key = open_documents(BytesIO(written([document], "jsonl")[0]))
    response = aligned_or_joined(
        key, open_documents(BytesIO(written(key, form, drop=True)[0]), form)
    )
    clusters = {frozenset(cluster) for cluster in response.read("d0").clusters}
    assert clusters == {frozenset(cluster) for cluster in document.clusters}
    assert response.read("d0").repairs == []


def test_heads_are_those_of_the_key_and_its_trees():
    """As in CorefUD's data: `her friend` has the head that its dependencies give it."""
    key = open_documents(FIXTURES / "formats" / "story.corefud.conllu")
    text, _ = written(key, "headword", drop=True)
    text = text.replace(b'\\"', b'"')  # two documents are lines of JSON
    assert b'<mention entity="e2"><mention entity="e1">her</mention> friend' not in text
    assert b'her</mention> <mention entity="e2">friend</mention>' in text
    lines = "Ada met|[e1 her friend|e1] .\nCame and saw ##|[e4] her here Now"
    document = aligned_or_joined(key, open_documents(StringIO(lines), "crac")).read("letter")
    assert document.syntax.heads[1, 3] == 1


WORDS = st.sampled_from(["the", "dog", "Ada", "saw", ",", ".", "big", "a", "cat", "ran", "home"])


KINDS = {"add": "added word", "double": "added word", "change": "changed word"}
KINDS |= {"case": "case change", "unclosed": "unclosed tag"}


@settings(deadline=None)
@given(words=st.lists(WORDS, min_size=12, max_size=60), seed=st.integers(0, 1 << 30))
# The doubled `the13` shares letters with the last word, `the14`.
@example(words=["the"] * 15, seed=0)
def test_known_damage_is_repaired_and_counted(words, seed):
    """Words and tags are damaged far enough from each other."""
    draw = random.Random(seed)
    # Each word once, so that it is known where it belongs.
    words = [f"{word}{place}" for place, word in enumerate(words)]
    text, expected, counts = [], {}, Counter()
    for place, word in enumerate(words):
        kinds = ["", "drop", "add", "double", "change", "case", "unclosed"]
        damage = draw.choice(kinds) if place % 4 == 1 else ""
        damage = "" if damage == "case" and word == word.swapcase() else damage
        label = f"e{place}"
        if damage == "drop":
            counts["missing word"] += 1
            continue
        counts[KINDS.get(damage)] += 1
        shown = {"change": f"x{place}y", "case": word.swapcase()}.get(damage, word)
        text.append(f"{shown}|[{label}{'' if damage == 'unclosed' else ']'}")
        expected[label] = [word]
        if damage == "double":
            text.append(word)
        if damage == "add":
            text.append("quite|[new]")
            counts["dropped mention"] += 1
    del counts[None]
    clusters, repaired = read(key_of(" ".join(words)), " ".join(text), "crac")[0]
    assert clusters == expected
    found = dict(reversed(part.split(" ", 1)) for part in repaired.split(", ") if part)
    assert {kind.removesuffix("s"): int(n) for kind, n in found.items()} == {
        kind: number for kind, number in counts.items() if number
    }


@given(key=st.lists(WORDS, max_size=40), text=st.lists(WORDS, max_size=40))
def test_alignment_keeps_the_order(key, text):
    spans = [span for span in align(key, text) if span is not None]
    assert spans == sorted(spans)
    assert all(0 <= first <= last < len(key) for first, last in spans)
    assert all(one[1] <= other[0] for one, other in pairwise(spans))


def test_a_long_text_is_aligned_by_what_is_rare_in_it():
    draw = random.Random(1)
    key = [f"w{int(draw.paretovariate(1)) % 5000}" for _ in range(5_000)]
    text, truth = [], []
    for place, word in enumerate(key):
        if place % 20 != 7:
            text.append(word)
            truth.append((place, place))
    spans = align(key, text)
    assert sum(span == right for span, right in zip(spans, truth)) > 0.96 * len(text)
    assert align(key[:1000], key[:1000] * 2)[:1000] == [(place, place) for place in range(1000)]


OTHERS = {
    "webanno": """#FORMAT=WebAnno TSV 3.2
#T_SP=webanno.custom.Referent|entity|infstat
#T_RL=webanno.custom.Coref|type|BT_webanno.custom.Referent


#Text=Ada met her friend
1-1→0-3→Ada→person[1]→new[1]→coref→1-3[3_1]→
1-2→4-7→met→_→_→_→_→
1-3→8-11→her→person[2]|person[3]→new[2]|giv[3]→bridge→1-1[1_2]→
1-4→12-18→friend→person[2]→new[2]→_→_→

#Text=They
2-1→19-23→They→person→new→_→_→
""".replace("→", "\t"),
    "csv": "document,cluster,start,end\na,1,0,0\na,1,2,2\na,2,2,3\na,3,4,4\n",
    "jsonl": """{"id": "a", "sentences": [["Ada", "met", "her", "friend"], ["They"]],
        "mention_clusters": [[[0, 0, 1], [0, 2, 3]], [[0, 2, 4]], [[1, 0, 1]]]}""",
}


@pytest.mark.parametrize("form", OTHERS)
def test_files_of_other_programs(form):
    source = open_documents(StringIO(OTHERS[form]), name="a.txt")
    assert (source.format, source.names()) == (form, ["a"])
    clusters = {frozenset(cluster) for cluster in source.read("a").clusters}
    assert clusters == {frozenset({(0, 0), (2, 2)}), frozenset({(2, 3)}), frozenset({(4, 4)})}
    words = None if form == "csv" else [["Ada", "met", "her", "friend"], ["They"]]
    assert source.read("a").words == words
    assert not source.loose


@pytest.mark.parametrize(
    ("text", "clusters"),
    [
        ('{"document": ["Ada", "ran"], "clusters": [[[0, 0]]], "top_spans": []}', [[(0, 0)]]),
        ('{"tokens": ["Ada", "ran"], "clusters_token_offsets": [[[0, 0]]], "clusters_char_offsets": null}', [[(0, 0)]]),
    ],
)  # fmt: skip
def test_allennlp_and_maverick(text, clusters):
    source = open_documents(StringIO(text), name="a")
    assert [source.read(name).clusters for name in source.names()] == [clusters]


def test_a_folder_of_texts_has_a_document_in_each_file(tmp_path):
    key = key_of("Ada ran .", "Bo sat .")
    for name, text in (("d0", "Ada|[e1]\nran .\n"), ("d1", "Bo|[e1]\n\nsat .\n")):
        (tmp_path / f"{name}.txt").write_text(text)
    response = aligned_or_joined(key, open_documents(tmp_path))
    for name in ("d0", "d1", "d1"):
        assert response.read(name).clusters == [[(0, 0)]]
        assert response.read(name).repairs == []


def test_a_folder_of_texts_with_an_empty_file_or_one_of_an_exact_format(tmp_path):
    (tmp_path / "d0.md").write_text("[Ada](#a) met [the big dog](#d) .")
    (tmp_path / "d1.txt").write_text("\n")
    response = aligned_or_joined(key_of(STORY, "Bo ran ."), open_documents(tmp_path, empty=True))
    assert response.names() == ["d0"]
    assert response.read("d0").clusters == [[(0, 0)], [(2, 4)]]
    [problem] = response.problems()
    assert problem.problem == "the file is empty; it is read as a response without documents"
    # Beside such a file, a text is a note about it.
    (tmp_path / "d1.txt").write_text('{"doc_key": "a", "clusters": [[[0, 0]]]}\n')
    source = open_documents(tmp_path)
    assert (source.names(), source.format, source.loose) == (["a"], "jsonl", False)
    assert [problem.path for problem in source.problems()] == [str(tmp_path / "d0.md")]


LONG = 10_000
LONG_TEXTS = [
    ("crac", "a|" + "[a-b]," * LONG),
    ("crac", "a|" + "a-" * LONG + "]"),
    ("crac", "a|" * 10 * LONG),
    ("xml", "<mention entity=" + " " * LONG + "<"),
    ("xml", '<mention entity="1">' * LONG),
    ("markdown", "[" * LONG + "](#" * LONG),
    ("markdown", "](#(a)(" * LONG),
    ("markdown", "](#" + "(a(b)" * LONG),
    ("markdown", "](#a (b) " * LONG),
    ("colon", "[" + ": a " * LONG),
    ("colon", ":" + " " * LONG),
    ("corefinst", "<m>" * LONG + "</m> " * LONG),
    ("corefinst", "a" * LONG + "</z>@" * LONG),
    ("strings", '["a", ' * LONG),
    ("strings", "[] " * 4 * LONG),
    ("headword", ": a" * LONG),
    # These are aligned to a key as long.
    (None, "a" * LONG + "|[e]"),
    (None, "a|[e] " * LONG),
    (None, json.dumps([["a"] * LONG])),
    (None, json.dumps([["a" * n for n in range(1, 200)]])),
]


@pytest.mark.clock
@pytest.mark.parametrize("number", range(len(LONG_TEXTS)))
def test_no_text_takes_quadratic_time(number):
    form, text = LONG_TEXTS[number]
    key = None if form else key_of("a " * LONG)
    start = time.process_time()
    with suppress(ConllError):
        assert form or read(key, text)[0][0].keys() <= {"e", "0"}
        open_documents(StringIO(text), form)
    assert time.process_time() - start < 5


def test_a_repair_without_a_word_moves_with_the_others():
    repairs = Repairs()
    repairs.note("unread draft", "a draft")
    repairs.note("unclosed tag", "[", 2)
    assert [repair.word for repair in repairs.moved(3)] == [None, 5]
