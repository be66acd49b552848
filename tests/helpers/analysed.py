"""Errors of small documents, for the tests of error analysis."""

import json
from io import BytesIO
from pathlib import Path

from hypothesis import strategies as st

import scorer
from conll.document import Document, Layers
from scorer.analysis.document_errors import DocumentErrors
from scorer.options import Options

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = FIXTURES / "example.key.conll", FIXTURES / "example.response.conll"
STORY = [FIXTURES / "documentation" / f"story.{side}.conll" for side in ("key", "response")]
COREFUD = FIXTURES / "formats" / "story.corefud.conllu"


def golden(name):
    return [json.loads(line) for line in (FIXTURES / "golden" / name).read_text().splitlines()]


def found(key, response, tags=(), options=None, words=None, names=(), response_names=()):
    """The errors of one document of clusters of spans; `tags` has one for each word."""
    columns = {"pos": list(tags)} if tags else {}
    layers = Layers([list(words or tags)], columns, names=names)
    documents = Document("a", key), Document("a", response)
    response_layers = None
    if response_names:
        response_layers = Layers([list(words or tags)], names=response_names)
    of_side = {"key": layers, "response": response_layers}.get
    return DocumentErrors(*documents, options or Options(), of_side, {})


def errors_of(key, response, **options):
    """The errors of two files, of which each is text or the data of a line of JSON."""
    texts = (side if isinstance(side, str) else json.dumps(side) for side in (key, response))
    return scorer.errors(
        *(BytesIO(text.encode()) for text in texts), **{"metrics": "muc"} | options
    )


def spans(clusters):
    return [[(mention, mention) for mention in cluster] for cluster in clusters]


def values_of(errors, side="key"):
    """How many mentions of a side have each value, by stratum and value."""
    return {(r.stratum, r.value): r.mentions for r in errors.strata if r.side == side}


def corefud(*rows):
    """A CorefUD file of one sentence: of each row the word, the head and the cell of entities."""
    lines = [
        f"{at}\t{word}\t_\t_\t_\t_\t{head}\tdep\t_\t{(cell and f'Entity={cell}') or '_'}\n"
        for at, (word, head, cell) in enumerate(rows, 1)
    ]
    return "".join(["# global.Entity = eid-etype-head-other\n# newdoc id = a\n", *lines, "\n"])


TAGS = st.lists(st.sampled_from(["PRP", "NN", "NNP"]), min_size=12, max_size=12)
SINGLETONS = st.sampled_from(["keep", "drop"])
