"""What files say beside coreference."""

import json
from io import BytesIO
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import generator
from conll.document import names_in
from conll.errors import ConllError
from conll.io import open_documents
from strategies import drawn

FORMATS = Path(__file__).parent.parent.parent / "fixtures" / "formats"

CONLL2012 = """\
#begin document (a); part 000
a 0 0 Ada NNP (TOP(S(NP* - - - Grace (PERSON* (ARG0* (1
a 0 1 Lovelace NNP *) - - - Grace *) *) 1)
a 0 2 met VBD (VP* meet 01 1 Grace * (V*) -
a 0 3 London NNP (NP*)))) - - - - (GPE) (ARG1*) -
#end document
"""


@pytest.mark.parametrize("separator", [" ", "\t"])
def test_columns_of_conll2012(separator):
    lines = [
        line if line[:1] == "#" else line.replace(" ", separator) for line in CONLL2012.split("\n")
    ]
    layers = open_documents(BytesIO("\n".join(lines).encode())).read("(a); part 000").layers()
    assert layers.sentences == [["Ada", "Lovelace", "met", "London"]]
    assert list(layers.columns) == ["pos", "parse", "lemma", "frameset", "sense", "speaker", "name"]
    assert layers.columns["pos"] == ["NNP", "NNP", "VBD", "NNP"]
    assert layers.columns["lemma"] == ["", "", "meet", ""]
    assert layers.columns["speaker"] == ["Grace", "Grace", "Grace", ""]
    assert layers.names == [(0, 1, "PERSON"), (3, 3, "GPE")]


@pytest.mark.parametrize(
    ("column", "names"),
    [
        (["(ORG(GPE)", "*", "*)"], [(0, 2, "ORG"), (0, 0, "GPE")]),
        (["(ORG*", "(GPE*", "*))"], [(0, 2, "ORG"), (1, 2, "GPE")]),
        (["*)", "(GPE*", "*"], []),
        (["-", "_", ""], []),
    ],
)
def test_names(column, names):
    assert names_in(column) == names


def test_corefud():
    layers = open_documents(FORMATS / "story.corefud.conllu").read("letter").layers()
    assert layers.columns["upos"] == ["PROPN", "VERB", "PRON", "NOUN", "PUNCT", "PRON", "VERB"]
    # Heads count tokens of the document from 0; -1 is the root.
    assert layers.columns["head"] == ["1", "-1", "3", "1", "1", "6", "-1"]
    assert [[m["etype"] for m in c] for c in layers.attributes] == [
        ["person"] * 2,
        *[["person"]] * 2,
    ]
    common = {"etype": "person", "head": "1", "minspan": "1"}
    assert layers.attributes[0] == [common | {"infstat": "new"}, common | {"infstat": "giv"}]


def test_mentions_of_one_entity_that_start_together_and_parts():
    text = (
        "# global.Entity = eid-etype-head\n# newdoc id = a\n"
        "1\tx" + "\t_" * 7 + "\tEntity=(e1-long-1(e1-short-1)(e2[1/2]-split-1)\n"
        "2\ty" + "\t_" * 7 + "\tEntity=e1)\n"
        "3\tz" + "\t_" * 7 + "\tEntity=(e2[2/2]-other-1)\n\n"
    )
    source = open_documents(BytesIO(text.encode()))
    document, layers = source.read("a"), source.read("a").layers()
    told = {
        mention: found["etype"]
        for cluster, attributes in zip(document.clusters, layers.attributes)
        for mention, found in zip(cluster, attributes)
    }
    assert told == {(0, 1): "long", (0, 0): "short", ((0, 0), (2, 2)): "split"}


def test_json_lines():
    """A null says nothing."""
    value = {
        "doc_key": "a",
        "sentences": [["Ada", "met"], ["her"]],
        "clusters": [[[0, 0], [2, 2]]],
        "speakers": [["x", "x"], ["-"]],
        "pos": ["NNP", None, "PRP"],
        "confidence": [[0.9, 0.25]],
        "etype": [["PER", None]],
        "names": [[0, 0, "PERSON"]],
        "odd": [1, 2],
    }
    layers = open_documents(BytesIO(json.dumps(value).encode())).read("a").layers()
    assert layers.columns == {"speakers": ["x", "x", ""], "pos": ["NNP", "", "PRP"]}
    assert layers.attributes == [[{"confidence": "0.9", "etype": "PER"}, {"confidence": "0.25"}]]
    assert layers.names == [(0, 0, "PERSON")]


FIELDS = "lemma upos xpos head deprel etype other pos speaker confidence"


def restricted(layers, fields):
    """What they say of these, without their sentences and without what says nothing."""
    columns = {name: list(cells) for name, cells in layers.columns.items() if name in fields}
    said = [
        [{name: text for name, text in one.items() if name in fields} for one in cluster]
        for cluster in layers.attributes
    ]
    return columns, said if any(map(any, said)) else [], list(layers.names)


def a_file(draw):
    """JSON lines or CorefUD."""
    return (
        generator.json_lines(draw)
        if draw.random() < 0.5
        else generator.typed(draw, generator.corefud_pair(draw)[0])
    )


@given(drawn(a_file), st.data())
def test_layers_of_a_document_that_was_read_are_those_of_the_file(content, data):
    try:
        source = open_documents(BytesIO(content))
        documents = [source.read(name) for name in source.names()]
    except ConllError:
        return
    fields = data.draw(st.sets(st.sampled_from(FIELDS.split()), max_size=3))
    for document in documents:
        layers = document.layers()
        assert restricted(document.layers(fields), fields) == restricted(layers, fields)
        assert [*(document.names or ())] == [*layers.names]


def test_a_folder_asks_the_file_of_a_document(tmp_path):
    (tmp_path / "one.conll").write_text(CONLL2012)
    (tmp_path / "two.conllu").write_bytes((FORMATS / "story.corefud.conllu").read_bytes())
    folder = open_documents(tmp_path)
    names = folder.names()
    documents = [folder.read(name) for name in names]
    assert [bool(document.names) for document in documents] == [True, False, False]
    assert documents[0].layers(["pos"]).columns["pos"] == ["NNP", "NNP", "VBD", "NNP"]
    assert list(documents[1].layers(["upos"]).columns["upos"])[:2] == ["PROPN", "VERB"]


def test_every_column_of_conllu():
    """A head of ten digits is none; a column is a layer where any word has something in it."""
    text = (
        "# newdoc id = a\n# text = Ada met her\n"
        "1\tAda\tada\tPROPN\tNNP\tNumber=Sing\t2\tnsubj\t_\t_\n"
        "2-3\tmet-her\tx\tX\tX\tX\t1\tx\t_\t_\n"
        "2\tmet\tmeet\t_\t_\t_\t0\troot\t_\t_\n"
        "2.1\t_\tx\tX\tX\tX\t1\tx\t_\t_\n\n"
        "#\n1\ther\t_\t_\t_\t_\t1234567890\t_\t_\t_\n2\t!\t_\t_\t_\t_\t123456789\t_\t_\t_\n\n# "
        "end\n\n"
    )
    source = open_documents(BytesIO(text.encode()))
    layers = source.read("a").layers()
    assert layers.sentences == [["Ada", "met"], ["her", "!"]]
    columns = {
        "lemma": ["ada", "meet", "", ""],
        "upos": ["PROPN", "", "", ""],
        "xpos": ["NNP", "", "", ""],
        "feats": ["Number=Sing", "", "", ""],
        "head": ["1", "-1", "1234567890", "123456790"],
        "deprel": ["nsubj", "root", "", ""],
    }
    assert layers.columns == columns
    assert not layers.names
    assert layers.attributes == []
    read = source.read("a").layers(columns).columns
    assert {name: list(column) for name, column in read.items()} == columns
    assert {*map(len, read.values())} == {4}


def test_columns_of_universal_anaphora_are_those_that_are_declared():
    """Words are numbered on, so heads are; the last line is short."""
    begins, declares = "# newdoc id = a\n", "# global.columns = ID FORM XPOS IDENTITY HEAD\n"
    rows = "1 x N (EntityID=1|MarkableID=m) 2\n2 y V _ 0\n\n3 z N _ 4\n4 w V\n\n"
    for text in (begins + declares + rows, declares + begins + rows):
        layers = open_documents(BytesIO(text.encode()), "universalanaphora").read("a").layers()
        assert layers.sentences == [["x", "y"], ["z", "w"]]
        assert layers.columns == {"xpos": ["N", "V", "N", "V"], "head": ["1", "-1", "3", ""]}
