"""Layouts of JSON with clusters: each row of the table, as other programs write it."""

import json
import re
from io import StringIO
from itertools import chain
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conll import ConllError, formats, open_documents
from conll.formats._layouts import FILES, OBJECTS
from conll.formats.json import sniff_clusters
from scorer import score

LAYOUTS = Path(__file__).parents[2] / "fixtures" / "layouts"
LETTER = [["Ada", "met", "her", "friend", "."], ["They", "smiled", "."]]
CLUSTERS = [[(0, 0), (2, 2)], [(2, 3), (5, 5)]]


def opened(value, **arguments):
    text = value if isinstance(value, str) else json.dumps(value)
    return open_documents(StringIO(text), name="a.json", **arguments)


def problem_of(value):
    with pytest.raises(ConllError) as caught:
        list(opened(value))
    return caught.value.problem


# What each means
# ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize(
    ("name", "form"),
    [
        ("allennlp.json", "jsonl"),
        ("wl-coref.jsonl", "jsonl"),
        ("preco.jsonl", "jsonl"),
        ("corenlp.json", "jsonl"),
        ("coref-data.jsonl", "jsonl"),
        ("elit-1.json", "jsonl"),
        ("elit-2.json", "jsonl"),
        ("spacy.json", "jsonl"),
        ("fast-coref.json", "jsonl"),
        ("maverick.jsonl", "crac_json"),
        ("stanza.json", "json"),
    ],
)
def test_a_letter(name, form, indent):
    text = json.dumps(json.loads((LAYOUTS / name).read_text("utf-8")), indent=indent)
    source = opened(text)
    [document] = source
    assert (source.format, document.clusters) == (form, CLUSTERS)
    flat = [list(chain.from_iterable(LETTER))]
    assert document.words in (LETTER, flat)
    assert document.name == ("1" if source.unnamed else "letter")
    evaluation = score(LAYOUTS / "key.jsonl", LAYOUTS / name, metrics="muc,mentions")
    assert evaluation["muc"].f1 == evaluation["mentions"].f1 == 1


def test_friends():
    [document] = open_documents(LAYOUTS / "friends.json")
    [right] = open_documents(LAYOUTS / "right" / "friends.jsonl")
    assert (document.name, document.words) == (right.name, right.words)
    assert document.clusters == right.clusters


@pytest.mark.parametrize("name", ["ecb", "wec"])
def test_lists_of_mentions_are_clusters_by_id(name):
    [document] = open_documents(LAYOUTS / f"{name}-mentions.json")
    [right] = open_documents(LAYOUTS / "right" / f"{name}.clusters.json")
    assert (document.name, document.labels) == ("1", right.labels)
    assert document.clusters == right.clusters


def test_mentions_of_cattan_et_al_are_counted_from_1_in_their_document():
    [document] = open_documents(LAYOUTS / "cattan-mentions.json")
    letter = "letter.xml"
    assert document.labels == ["16", "17"]
    assert document.clusters == [[(letter, 0), (letter, 2)], [(letter, 2, 3), (letter, 5)]]


def test_mentions_without_a_chain_are_left_out_and_no_chain_joins_them():
    mentions = json.loads((LAYOUTS / "ecb-mentions.json").read_text("utf-8"))
    for mention, chain_id in zip(mentions, ["-", None, "-", "", "a"]):
        mention["coref_chain"] = chain_id
    source = opened(mentions)
    [document] = source
    assert document.clusters == [[("letter", 1, 1)]]
    [note] = source.problems()
    assert (note.kind, note.problem) == (
        "note",
        "4 mentions have no chain in coref_chain and are left out",
    )
    del mentions[4]
    [document] = opened(mentions)
    assert document.clusters == []
    key = LAYOUTS / "ecb-mentions.json"
    assert score(key, StringIO(json.dumps(mentions)))["mentions"].recall == 0


def test_chains_that_a_system_predicted_are_the_response():
    mentions = json.loads((LAYOUTS / "wec-mentions.json").read_text("utf-8"))
    for mention, chain_id in zip(mentions, [None, 7, 7]):
        mention["predicted_coref_chain"] = chain_id
    source = opened(mentions)
    [document] = source
    [predicted] = source.as_response()
    assert source.has_predictions
    assert document.labels == ["22", "23"]
    assert predicted.clusters == [[("Port of Ada", "102", 1), ("Ada Cup", "103", 1)]]
    # Data sets have null in all of them.
    [document] = open_documents(LAYOUTS / "wec-mentions.json").as_response()
    assert document.labels == ["22", "23"]


def test_friends_of_everybody_are_nobody():
    def scene(*mentions):
        utterance = {"tokens": [["Guys", "you", "all"]], "character_entities": [list(mentions)]}
        scenes = [{"scene_id": "s", "utterances": [utterance]}]
        [document] = opened({"season_id": "s1", "episodes": [{"scenes": scenes}]})
        return document.clusters

    assert scene([0, 1, "#GENERAL#"], [1, 2, "#GENERAL#"]) == [[(0, 0)], [(1, 1)]]
    assert scene([0, 1], [1, 2]) == [[(0, 0)], [(1, 1)]]
    plural = [[0, 1, "Ada", "Bo"], [1, 2, "Bo", "Ada"], [2, 3, "Ada"]]
    assert scene(*plural) == [[(0, 0), (1, 1)], [(2, 2)]]


def test_marks_of_stanza():
    def words(*marks):
        return [{"id": number, "text": "w", "coref_chains": here} for number, here in marks]

    start, end, whole = {"is_start": True}, {"is_end": True}, {"is_start": True, "is_end": True}
    # Mentions of a chain in each other, and two that touch; a token of two words; an empty node.
    sentence = words(
        (1, [{"index": 0} | start]),
        ([2, 3], []),
        (2, [{"index": 0} | whole]),
        (3, [{"index": 0} | start, {"index": 0} | end]),
        ([3, 1], []),
        (4, [{"index": 0} | end]),
    )
    [document] = opened([sentence, words((1, []))])
    assert document.clusters == [[(1, 1), (0, 2), (2, 4)]]
    assert [len(sentence) for sentence in document.words] == [5, 1]
    open_one, closed_one = words((1, [{"index": 3} | start])), words((1, [{"index": 3} | end]))
    unopened = "a mention of chain 3 ends in sentence 1 and does not begin there"
    unclosed = "a mention of chain 3 begins in sentence 1 and does not end there"
    assert problem_of([closed_one]).endswith(unopened)
    assert problem_of([open_one, closed_one]).endswith(unclosed)


# What is refused
# ----------------------------------------------------------------------------------------------

PRECO = json.loads((LAYOUTS / "preco.jsonl").read_text("utf-8"))
CORENLP = json.loads((LAYOUTS / "corenlp.json").read_text("utf-8"))
EXCLUSIVE = "is none of the document; tokens are counted from 0 and ends are exclusive"
FROM_1 = EXCLUSIVE.replace("from 0", "from 1")


def corefs(sentence, start, end):
    mention = {"sentNum": sentence, "startIndex": start, "endIndex": end}
    return {"corefs": {"c": [mention]}}


@pytest.mark.parametrize(
    ("value", "fields", "problem"),
    [
        *(
            (PRECO, {"mention_clusters": [[mention]]}, f"mention {mention} of cluster 0 {EXCLUSIVE}")
            for mention in ([0, 0, 0], [0, 4, 6], [2, 0, 1], [-1, 0, 1], [0, -1, 1], [0, 2, 1])
        ),
        *(
            (PRECO, {"mention_clusters": [[mention]]}, f"mention {mention!r} is not sentence, start, end as whole numbers")
            for mention in ([0, 1], [0, 0, True], [0.0, 0, 1], ["0", 0, 1], [0, 0, 1, 2], 3, None)
        ),
        (PRECO, {"mention_clusters": [3]}, "'int' object is not iterable"),
        (PRECO, {"sentences": [["a", 3]]}, "a word is 3; write it between quotes"),
        (PRECO, {"id": 1.5}, "id is 1.5; write it between quotes"),
        (CORENLP, {"docId": True}, "docId is True; write it between quotes"),
        (CORENLP, {"sentences": [{"index": 0}]}, "it lacks 'tokens', which Stanford CoreNLP writes"),
        *((CORENLP, corefs(*numbers), FROM_1) for numbers in [(3, 1, 2), (1, 1, 7), (1, 0, 1), (1, 1, 1)]),
        *(
            (CORENLP, corefs(*numbers), "is not sentNum, startIndex, endIndex as whole numbers")
            for numbers in [("1", 1, 2), (True, 1, 2)]
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_document(value, fields, problem):
    assert problem in problem_of(value | fields)


def test_a_mention_of_spacy_begins_and_ends_with_a_token():
    value = json.loads((LAYOUTS / "spacy.json").read_text("utf-8"))
    value["spans"]["coref_clusters_1"][0]["end"] = 2
    assert "of cluster coref_clusters_1 is none of the document" in problem_of(value)


@pytest.mark.parametrize(
    ("name", "problem"),
    [
        ("stanza-chains.json", "write the Document of Stanza with CoNLL.write_doc2conll"),
        ("xcore-cross.json", "clusters_token_offsets has three numbers, [document, first, last]"),
        ("cattan-documents.json", "there are no clusters: [0, 1, 'Ada', True] is a word"),
        ("tac.tab", "a table of entity linking of TAC is not read"),
        ("winobias.txt", "sentences of WinoBias are not read"),
    ],
)
def test_known_files_that_are_not_read_are_refused_in_one_line(name, problem, main):
    status, out, err = main("check", LAYOUTS / name)
    assert (status, problem in out + err) == (1, True)
    assert out.count("\n") == 1
    value = {"tokens": [["a"]], "ocr": [[[0, 0, 1]]]}
    assert problem_of(value).startswith("`ocr` counts words over turns")


def test_named_entities_of_dygie_and_of_e2e_coref():
    source = open_documents(LAYOUTS / "dygie.jsonl")
    [document], [predicted] = source, source.as_response()
    assert (document.name, document.names) == ("7", [(0, 0, "PER"), (2, 3, "PER")])
    assert predicted.names == [(0, 0, "PER"), (2, 3, "ORG")]
    [document] = open_documents(LAYOUTS / "e2e-ner.jsonl")
    assert document.names == [(0, 0, "PERSON")]
    for ner in (["O", "B-PER"], [["O", "B-PER"]], [[0, 1]], [[0, 0, 3]], 3, None, [[]]):
        [document] = opened({"tokens": ["a", "b"], "clusters": [], "ner": ner})
        assert not document.names


@pytest.mark.parametrize("form", ["jsonl", "jsonl_exclusive", "JSONL"])
def test_fields_that_a_user_chooses(form):
    """The trigger words of two events, and names with the scores of a system."""
    chosen = f"{form}:names=predicted_ner,clusters=event_clusters"
    ends = 1 if form == "jsonl_exclusive" else 0
    value = json.loads((LAYOUTS / "dygie.jsonl").read_text("utf-8"))
    value["event_clusters"] = [[[1, 1 + ends], [6, 6 + ends]]]
    source = opened(value, format=chosen)
    [document], [response] = source, source.as_response()
    assert document.clusters == response.clusters == [[(1, 1), (6, 6)]]
    assert document.names == response.names == [(0, 0, "PER"), (2, 3, "ORG")]
    assert source.format == f"{form.lower()}:names=predicted_ner,clusters=event_clusters"
    objects = value | {"mine": [{"start": 0, "end": 0, "label": "X"}]}
    [document] = opened(objects, format="jsonl:names=mine")
    assert (document.names, len(document.clusters)) == ([(0, 0, "X")], 1)


@pytest.mark.parametrize(
    ("form", "problem"),
    [
        ("jsonl:clusters=chains", "there is no field chains; lists: sentences, clusters"),
        ("jsonl:chains", "'jsonl:chains' chooses no field; write jsonl:clusters=FIELD or names="),
        ("jsonl:clusters=", "chooses no field"),
        ("json:clusters=a", "no fields are chosen in the format json; leave out ':clusters=a'"),
    ],
)
def test_fields_that_cannot_be_chosen(form, problem):
    value = {"sentences": [["a"]], "clusters": [], "speaker": "b"}
    with pytest.raises(ValueError, match=re.escape(problem)):
        list(opened(value, format=form))


def test_a_manifest_chooses_fields(main, tmp_path):
    (tmp_path / "m.csv").write_text(
        f"key,response,key_format,response_format\n{LAYOUTS / 'dygie.jsonl'},"
        f"{LAYOUTS / 'dygie.jsonl'},jsonl:clusters=event_clusters,jsonl:clusters=clusters\n"
    )
    status, out, _ = main("batch", tmp_path / "m.csv", "--metrics", "mentions", "--format", "json")
    assert status == 0
    assert '"recall": 0' in out


@pytest.mark.parametrize("command", ["score", "check"])
def test_strings_as_a_key_are_no_positions(command, main, tmp_path):
    key, response = tmp_path / "key.json", tmp_path / "response.jsonl"
    key.write_text('{"doc_key": "a", "clusters": [["Ada", "her"]]}', "utf-8")
    response.write_text(
        '{"doc_key": "a", "tokens": ["Ada", "met", "her"], "clusters": [[[0, 0], [2, 2]]]}'
    )
    status, out, err = main(command, key, response)
    assert status != 0
    assert (
        "the key has mentions such as 'Ada', the response such as (0, 0); write both alike"
        in out + err
    )


def test_places_with_the_name_of_their_document_are_no_positions():
    with pytest.raises(ConllError, match=r"such as \('letter.xml', 0\); write both alike"):
        score(LAYOUTS / "key.jsonl", LAYOUTS / "cattan-mentions.json")


def test_a_span_with_its_text_is_read_only_if_that_is_the_text_of_its_words():
    value = {"sentences": [["Ada", "saw", "New", "York"]]}
    [document] = opened(value | {"clusters": [[[[0, 0], "Ada"], [[2, 3], "New York"]]]})
    assert document.clusters == [[(0, 0), (2, 3)]]
    problem = problem_of(value | {"clusters": [[[[0, 0], "Ada"], [[2, 2], "York"]]]})
    assert "mention [[2, 2], 'York'] of cluster 0 is a span with a text that is not" in problem
    assert "so give the file with its tokenized_doc" in problem
    assert "tokenized_doc" in problem_of({"clusters": [[[[0, 0], "Ada"]]]})


def test_strings_that_differ_from_their_characters_are_reported():
    value = {"text": "Ada left. She ran to her farm.", "clusters": [[[0, 3], [12, 15]]]}
    [document] = opened(value | {"clusters_strings": [["Ada", "She", "her"]]})
    [problem, *_] = document.repairs
    assert problem.amounts == {"mismatched mention": 1, "string without offsets": 1}
    assert "[12, 15] is 'e r', not 'She'; string without offsets: 'her'" in str(problem)


def test_strings_without_clusters_of_their_own():
    value = {"text": "Ada left.", "predicted_clusters": [[[0, 3]]], "clusters_strings": [["Bo"]]}
    [document] = opened(value)
    [problem] = document.repairs
    assert problem.amounts == {"mismatched mention": 1}
    value = {"text": "Ada left.", "clusters_strings": [["Bo"]]}
    assert problem_of(value).startswith("there are no clusters")


@pytest.mark.parametrize("form", ["lists", "objects"])
def test_characters_of_a_text_without_strings(form):
    """The second document alone shows nothing: its numbers may be tokens as well."""
    mentions = [[0, 3], [10, 13], [21, 24]], [[0, 3]]
    if form == "objects":
        mentions = [[{"start": start, "end": end} for start, end in own] for own in mentions]
    documents = [
        {"doc_key": "a", "text": "Ada left. She ran to her farm.", "clusters": [mentions[0]]},
        {"doc_key": "b", "text": "Ada saw the big old farm.", "clusters": [mentions[1]]},
    ]
    source = opened("\n".join(map(json.dumps, documents)))
    assert [document.clusters for document in source] == [[[(0, 0), (3, 3), (6, 6)]], [[(0, 0)]]]
    assert source.loose
    [alone] = opened(documents[1])
    assert alone.clusters == [[(0, 3)]]


@pytest.mark.parametrize("clusters", [[[[0, 3], [11, 13]]], [[[0, 3], [4, 40]]], [[[9, 9]]], []])
def test_numbers_that_are_no_whole_words_are_tokens(clusters):
    [document] = opened({"text": "Ada left. She ran to her farm.", "clusters": clusters})
    assert document.clusters == [[tuple(mention) for mention in own] for own in clusters]


def test_null_of_fastcoref_is_left_out_and_counted():
    value = {"text": "Ada met her.", "clusters": [[None, [0, 3], [8, 11]]]}
    [document] = opened(value | {"clusters_strings": [["Ada", "her"]]})
    assert document.clusters == [[(0, 0), (2, 2)]]
    [problem] = document.repairs
    assert problem.amounts == {"null mention": 1}


def test_objects_in_a_list_that_begins_a_line_are_no_documents():
    text = '{"doc_key": "a", "tokens": ["I", "did"], "clusters": [[\n {"start": 0, "end": 0}]]}\n'
    [document] = opened(text)
    assert (document.name, document.clusters) == ("a", [[(0, 0)]])


@pytest.mark.parametrize("name", ["stanza.json", "coref-data.jsonl", "friends.json"])
def test_no_text_format_claims_what_is_json(name):
    head = json.dumps(json.loads((LAYOUTS / name).read_text("utf-8"))).encode()
    for form in ("markdown", "xml", "colon", "corefinst", "headword", "crac"):
        for text in (
            head,
            b'["[Ada](#1)", "[she: e1]"]',
            b'[[{"a": true}, {"b": [1: e1]}',
            b'"|[e1 [x](#1)"',
        ):
            assert not formats.get(form).sniff(text)


def test_chains_that_stanza_wrote_as_names():
    text = (LAYOUTS / "stanza.conllu").read_text("utf-8")
    misnamed = text.replace("coref_chains=", "ner=S-PERSON|ner=")
    [right] = open_documents(StringIO(text))
    [found] = open_documents(StringIO(misnamed))
    assert found.clusters == right.clusters == CLUSTERS


def test_parts_of_coref_data_are_those_of_conll_2012():
    key = {"doc_key": "(bc/x); part 000", "tokens": ["a", "b"], "clusters": [[[0, 0], [1, 1]]]}
    response = key | {"doc_key": "bc/x/part_0"}
    other = {"doc_key": "(bc/x); part 001", "tokens": ["a"], "clusters": []}
    sides = [[other, key], [response, other | {"doc_key": "bc/x/part_1"}]]
    files = [StringIO("\n".join(map(json.dumps, side))) for side in sides]
    assert score(*files, metrics="muc")["muc"].f1 == 1


def test_names_are_text_or_whole_numbers():
    lines = [{"doc_key": name, "clusters": []} for name in (7, "7", None)]
    source = opened("\n".join(map(json.dumps, lines)))
    assert source.names() == ["7", "3"]
    for name in (7.0, True, ["7"]):
        problem = f"doc_key is {name}; write it between quotes"
        assert problem_of({"doc_key": name, "clusters": []}) == problem


def test_our_own_objects_come_first():
    fields = {"coref_chains": [], "spans": {}, "text": "a", "document": ["x"], "dcr": []}
    [document] = opened({"sentences": [["a", "b"]], "clusters": [[[0, 1]]]} | fields)
    assert (document.words, document.clusters) == ([["a", "b"]], [[(0, 1)]])


# Random documents in all layouts
# ----------------------------------------------------------------------------------------------


def in_sentence(document, *, base=0, exclusive=False):
    """The clusters, with mentions (sentence, start, end)."""
    places = [
        (number, at) for number, words in enumerate(document["words"]) for at in range(len(words))
    ]
    clusters = []
    for cluster in document["clusters"]:
        mentions = []
        for first, last in cluster:
            (sentence, start), (_, end) = places[first], places[last]
            mentions.append([sentence + base, start + base, end + base + exclusive])
        clusters.append(mentions)
    return clusters


def after_last(document):
    return [[[first, last + 1] for first, last in cluster] for cluster in document["clusters"]]


def tokens_of(document, field):
    return [
        {"id": number, "tokens": [{"id": at, field: word} for at, word in enumerate(words, 1)]}
        for number, words in enumerate(document["words"], 1)
    ]


def flat(document):
    return list(chain.from_iterable(document["words"]))


def as_wl_coref(document):
    numbers = [n for n, words in enumerate(document["words"]) for _ in words]
    value = {"cased_words": flat(document), "sent_id": numbers, "clusters": after_last(document)}
    return value | {"document_id": "a"}


def as_corenlp(document):
    corefs = {}
    for label, cluster in enumerate(in_sentence(document, base=1, exclusive=True), 7):
        fields = "sentNum", "startIndex", "endIndex"
        corefs[str(label)] = [dict(zip(fields, mention)) for mention in cluster]
    return {"sentences": tokens_of(document, "word"), "corefs": corefs, "docId": "a"}


def as_spacy(document):
    words = flat(document)
    offsets, begin = [], 0
    for word in words:
        offsets.append({"start": begin, "end": begin + len(word)})
        begin += len(word) + 1
    spans = {}
    for number, cluster in enumerate(document["clusters"], 1):
        spans[f"coref_clusters_{number}"] = [
            {"start": offsets[first]["start"], "end": offsets[last]["end"], "label": ""}
            for first, last in cluster
        ]
        spans[f"coref_head_clusters_{number}"] = [{"start": 0, "end": 1}]
    return {"text": " ".join(words), "tokens": offsets, "spans": spans}


def as_fast_coref(document):
    words = flat(document)
    subtokens = [number for number, word in enumerate(words) for _ in word]
    clusters = [
        [
            [subtokens.index(first), len(subtokens) - 1 - subtokens[::-1].index(last)]
            for first, last in cluster
        ]
        for cluster in document["clusters"]
    ]
    tokenized = {"subtoken_map": subtokens, "orig_tokens": words}
    texts = [[[mention, ""] for mention in cluster] for cluster in clusters]
    return {"tokenized_doc": tokenized, "clusters": texts, "subtoken_idx_clusters": clusters}


def as_friends(document):
    entities = [[] for _ in document["words"]]
    for number, cluster in enumerate(in_sentence(document, exclusive=True)):
        for sentence, start, end in cluster:
            entities[sentence].append([start, end, f"Person {number}"])
    utterances = [
        {"tokens": [words], "character_entities": [mentions]}
        for words, mentions in zip(document["words"], entities)
    ]
    return {"episodes": [{"scenes": [{"scene_id": "a", "utterances": utterances}]}]}


def as_stanza(document):
    sentences = [
        [{"id": at, "text": word, "coref_chains": []} for at, word in enumerate(words, 1)]
        for words in document["words"]
    ]
    for number, cluster in enumerate(in_sentence(document)):
        for sentence, start, end in cluster:
            for at in range(start, end + 1):
                mark = {"index": number}
                if at == start:
                    mark["is_start"] = True
                if at == end:
                    mark["is_end"] = True
                sentences[sentence][at]["coref_chains"].append(mark)
    return sentences


def as_list(document, mention):
    rows = []
    for number, cluster in enumerate(document["clusters"]):
        for place, (first, last) in zip(in_sentence(document)[number], cluster):
            rows.append(mention(number, place, first, last))
    return rows


def as_ecb(document, **fields):
    return as_list(
        document,
        lambda number, place, _first, _last: (
            {
                "doc_id": "a",
                "coref_chain": f"HUM{number}",
                "sent_id": place[0],
                "tokens_number": list(range(place[1], place[2] + 1)),
            }
            | fields
        ),
    )


def as_cattan(document):
    return as_list(
        document,
        lambda number, _place, first, last: {
            "doc_id": "a",
            "cluster_id": number,
            "tokens_ids": list(range(first + 1, last + 2)),
        },
    )


WRITERS = {
    "wl-coref": as_wl_coref,
    "wl-coref without words": lambda document: {"span_clusters": after_last(document)},
    "AllenNLP": lambda document: {
        "top_spans": [[0, 0]], "document": flat(document), "clusters": document["clusters"],
    },
    "PreCo": lambda document: {
        "id": "a", "sentences": document["words"],
        "mention_clusters": in_sentence(document, exclusive=True),
    },
    "Stanford CoreNLP": as_corenlp,
    "coref-data": lambda document: {
        "id": "a", "sentences": tokens_of(document, "text"), "coref_chains": in_sentence(document),
    },
    "ELIT": lambda document: {
        "sens": [{"sid": 0, "tok": words} for words in document["words"]],
        "coref": in_sentence(document, exclusive=True),
    },
    "ELIT 2": lambda document: {
        "tokens": document["words"],
        "dcr": [[[*mention, "text"] for mention in cluster] for cluster in in_sentence(document, exclusive=True)],
    },
    "spaCy's Doc.to_json()": as_spacy,
    "fast-coref": as_fast_coref,
    "CRAC, Maverick": lambda document: {
        "doc_id": "a", "tokens": flat(document), "clusters_token_offsets": document["clusters"],
    },
    "Friends": as_friends,
    "Stanza": as_stanza,
    "list of mentions: uCDCR": lambda document: as_ecb(document, conll_doc_key="a", doc_id="b"),
    "list of mentions: WEC": lambda document: as_ecb(document, mention_context=[], mention_id="m"),
    "list of mentions: ECB+": as_ecb,
    "list of mentions: Cattan et al.": as_cattan,
}  # fmt: skip
"""The same document as each layout has it, by the title of its row."""

NAMED = {layout.title for layout in (*OBJECTS, *FILES) if layout.name}
NAMED |= {"wl-coref", "CRAC, Maverick"}
"""Rows with a name of the document, which is ours in the last two."""


@st.composite
def documents(draw):
    """Words in sentences, and clusters whose mentions lie in a sentence and do not cross."""
    sentence = st.lists(st.sampled_from(["a", "Ada", "é"]), min_size=1, max_size=5)
    words = draw(st.lists(sentence, min_size=1, max_size=4))
    spans, start = [], 0
    for sentence in words:
        at = start
        start += len(sentence)
        while at < start:
            end = draw(st.integers(at, start - 1))
            spans.append([at, end])
            at = draw(st.integers(end + 1, start))
    labels = [draw(st.integers(0, 2)) for _ in spans]
    clusters = {}
    for span, label in zip(spans, labels):
        clusters.setdefault(label, []).append(span)
    return {"words": words, "clusters": list(clusters.values())}


@pytest.mark.parametrize("field", [layout.words.partition(".")[0] for layout in OBJECTS])
def test_a_long_file_is_recognised_before_its_clusters(field):
    head = f'{{"{field}": [["Ada", "met"'.encode()
    # A cluster may have the id document, and one layout has no words.
    assert sniff_clusters(head) == (field in ("document", ""))


def test_every_row_has_a_writer():
    titles = {layout.title for layout in (*OBJECTS, *FILES)}
    assert set(WRITERS) == titles, "add a function to WRITERS that writes the layout"


@pytest.mark.parametrize("title", WRITERS)
@given(document=documents())
def test_the_same_clusters_come_back(title, document):
    value = WRITERS[title](document)
    [found] = opened(value)
    clusters = [[tuple(mention) for mention in cluster] for cluster in document["clusters"]]
    if title.startswith("list of mentions"):
        sizes = sorted(map(len, clusters))
        assert sorted(map(len, found.clusters)) == sizes
        token = [mention[-1] for mention in chain.from_iterable(found.clusters)]
        ends = [place[-1] for place in chain.from_iterable(in_sentence(document))]
        if "Cattan" in title:
            ends = [last for _, last in chain.from_iterable(clusters)]
        assert token == ends
        return
    assert sorted(map(sorted, found.clusters)) == sorted(map(sorted, clusters))
    if "without words" not in title:
        assert list(chain.from_iterable(found.words)) == flat(document)
    assert found.name == ("a" if title in NAMED else "1")
