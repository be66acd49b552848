"""The numpy engine against the plain one: counts, repeats, warnings and errors of arbitrary pairs
of files."""

import random
from io import BytesIO
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import given

import generator
from conll import ConllError, conll2012_scan, open_source
from conll.formats.conll2012 import Conll2012Source
from conll.source import InputFile
from engines import engine, limits
from scorer import registry
from scorer.engine import score as choice
from scorer.engine import stream
from scorer.engine.corpus import Corpus
from scorer.metrics import Variant
from scorer.scheme import Scheme
from strategies import corpora, drawn, examples, files

METRICS = [
    metric
    for metric in registry.METRICS.values()
    if metric.of == "clusters" and not isinstance(metric.function, Variant)
]
OF_READING = [registry.get(name) for name in ("mentions", "muc", "blanc")]
"""Whatever is read otherwise shows in these as well; where files differ in how they are read alone,
others only cost time."""


def opened(file, path="key"):
    return Conll2012Source(InputFile(BytesIO(file), path))


def evaluated(key, response, name, *, of=METRICS, keep=True, **limits):
    """Everything that an evaluation by the engine of that name says, or the error that ends it."""
    with engine(name, **limits):
        corpus = Corpus(opened(key), opened(response, "response"))
        try:
            found = choice.evaluate(corpus, Scheme(of), keep=keep)
        except ConllError as error:
            return str(error)
    documents = [
        (document.name, document.counts, document.invented, list(map(shown, document.repeats)))
        for document in found.documents
    ]
    return found.totals, documents, sorted((str(one), one.kind, one.side) for one in found.problems)


def shown(repeat):
    """Invented mentions have no number of the reference's that anyone prints."""
    ids = repeat.ids if repeat.side == "key" or repeat.removed else None
    return (
        repeat.side,
        repeat.mention,
        (repeat.cluster, repeat.position),
        repeat.first,
        ids,
        repeat.removed,
    )


def types(totals):
    """Reports print integers as they are. A sum of no fractions is 0 or 0.0."""
    values = [value for parts in totals.values() for part in parts for value in part.as_tuple()]
    assert {type(value) for value in values} <= {int, float}
    return [type(value) for value in values if value]


LIMITS = drawn(limits)


def agree(key, response, of=METRICS, **limits):
    """To the last bit, but for sums of CEAFe: there may be several best alignments, whose shares
    add up differently."""
    numpy, plain = (
        evaluated(key, response, "numpy", of=of, **limits),
        evaluated(key, response, "plain", of=of),
    )
    if isinstance(plain, str) or isinstance(numpy, str):
        assert numpy == plain
        return
    for one, other in [(numpy[0], plain[0]), *((a[1], b[1]) for a, b in zip(numpy[1], plain[1]))]:
        for name in one.keys() & {"ceafe"}:
            (aligned,), (expected,) = one.pop(name), other.pop(name)
            assert aligned.as_tuple() == pytest.approx(expected.as_tuple(), rel=1e-14, abs=0)
    assert numpy == plain
    assert types(numpy[0]) == types(plain[0])


@examples(4)
@given(corpora(), LIMITS)
def test_corpora_of_the_same_documents(files, limits):
    agree(*files, **limits)


@examples(2)
@given(files(), files(), LIMITS)
def test_arbitrary_files(key, response, limits):
    agree(key, response, **limits)


@given(corpora())
def test_documents_that_are_not_kept(files):
    everything, totals_only = (evaluated(*files, "numpy", keep=keep) for keep in (True, False))
    if isinstance(everything, str):
        assert totals_only == everything
        return
    totals, documents, problems = everything
    kept = [document for document in documents if document[-1]]
    assert totals_only[0] == totals
    assert [document for document in totals_only[1] if document[-1]] == kept
    assert totals_only[2] == problems


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize(("documents", "tokens"), [(30, 20), (6, 100), (2, 600)])
def test_larger_files(documents, tokens, seed):
    """Neither side repeats anything, so that all documents are for the numpy engine."""
    draw = random.Random(seed)
    key, response = (
        b"".join(
            generator.document(
                b"%d" % number, tokens, generator.distinct(generator.wild_spans(draw, tokens))
            )
            for number in range(documents)
        )
        for _ in range(2)
    )
    limits = {"BATCH": draw.choice([10, 50_000])}
    with patch.object(stream, "score_document") as by_hand:
        agree(key, response, CHUNK=1000, **limits)
    by_hand.assert_not_called()


def document(name, *lines):
    return b"".join(line + b"\n" for line in (b"#begin document " + name, *lines, b"#end document"))


A, B = document(b"a", b"x\t(0)", b"y\t(0)|(1)"), document(b"b", b"x\t(0)", b"y\t-", b"z\t(0)")
SPACES = A.replace(b"\t", b" ")
FORMS = {
    "two documents": A + B,
    "another order": B + A,
    "one document": A,
    "spaces": SPACES + B.replace(b"\t", b" "),
    "spaces and tabs": SPACES + B,
    "a word in brackets": document(b"a", b"(7) (0)", b"y (0)|(1)") + B.replace(b"\t", b" "),
    "text around": b"1) #begin\n" + A + b"documents (7\n" + B + b"(0",
    "no end line": A + B.removesuffix(b"#end document\n"),
    "no end line in between": A.removesuffix(b"#end document\n") + B,
    "no newline at the end": A + B.removesuffix(b"\n"),
    "an end line that begins with something else": A.replace(b"y\t", b"x #end document\ny\t") + B,
    "an end line in the text of another": A.replace(b"y\t", b"# #end document\ny\t") + B,
    "a begin line that ends": document(b"a #end document", b"x\t(0)") + B,
    "an end line in the text after a begin line that ends": document(
        b"a #end document", b"x #end document", b"x\t(0)"
    )
    + B,
    "no begin line": A + b"#begin document\n" + B,
    "documents in the words": A.replace(b"x\t", b"#end docume\t").replace(
        b"y\t", b"documents end document\t"
    )
    + B,
    "a comment": A.replace(b"y\t", b"# (9)\ny\t") + B,
    "one name twice": A + B + document(b"a", b"x\t(0)|(1)", b"y\t(0)"),
    "carriage returns": (A + B).replace(b"\n", b"\r\n"),
    "columns after the last": (A + B)
    .replace(b")\n", b")\t\t\n")
    .replace(b"-\n", b"-" + b"\t" * 12 + b"\n"),
    "a long line": A.replace(b"y\t", b"y" * 5000 + b"\t") + B,
    "a long cell": A.replace(b"|(1)", b"|(1)" * 40) + B,
    "ids with zeros": A.replace(b"|(1)", b"|(01)|(00)|(1)|(001)") + B,
    "long ids": A.replace(
        b"|(1)", b"|(12345678901234)|(02345678901234)|(99999999999999)|(00)|(200000000000000)"
    )
    + B,
    "longer ids": A.replace(
        b"|(1)", b"|(123456789012345678901234)|(000000000000000000000)|(99999999999999999999)"
    )
    + B,
    "nested": document(b"a", b"x\t(0|(0|(1", b"y\t0)|(0)|1)|0)") + B,
    "starts after ends": document(b"a", b"x\t(0", b"y\t(1)0)|(0", b"z\t0)") + B,
    "a start that never ends": document(b"a", b"x\t(0", b"y\t(0)") + B,
    "an end that never starts": A + document(b"b", b"x\t(0)", b"y\t0)"),
    "repeated in the key": document(b"a", b"x\t(0)|(1)", b"y\t(0)|(0)") + B,
    "repeated where the key has nothing": A
    + document(b"b", b"x\t(0)", b"y\t(0)|(0)|(1)|(2)", b"z\t(1)"),
    "no mentions": document(b"a", b"x\t-", b"y\t_") + document(b"b"),
    "no documents": b"x\t(0)\n",
    "nothing": b"",
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_files_in_every_metric(form):
    file, usual = FORMS[form], FORMS["two documents"]
    for key, response in ((file, file), (file, usual), (usual, file)):
        agree(key, response)


@pytest.mark.parametrize("tab", [b"\t", b" "], ids=["TAB", "space"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\t\n", b"\t\r\n"], ids=repr)
def test_white_space_and_control_bytes(end, tab):
    """Alone on a line, and beside the TAB, the CR and the brackets of others.

    The other side has none of it.
    """
    other = document(b"a", b"x\t(0)", b"y\t-", b"z\t(0)", b"z\t(1)")
    for byte in (0, 1, 8, 9, 11, 12, 13, 14, *range(27, 33), *b"#-_|", 0x7F, 0x85, 0xA0, 0xFF):
        sign = bytes([byte])
        cells = [sign, sign + sign, b"(0)" + sign, sign + b"(1)"]
        lines = [before + cell for before in (b"x\t", b"", b"\t") for cell in cells]
        text = end.join([*lines, b"y\t(0)"]).replace(b"\t", tab)
        odd = b"#begin document a\n%s\n#end document\n" % text
        for key, response in ((odd, other), (other, odd)):
            with patch.object(stream, "score_document") as by_hand:
                agree(key, response, OF_READING)
            by_hand.assert_not_called()


def test_documents_read_between_stretches_of_the_same_file(tmp_path, monkeypatch):
    """Each document of this key is for the plain engine, which reads it while the scan of the same
    open file goes on."""
    sides = []
    for side, last in (("key", b"(1)|(2)"), ("response", b"(1)")):
        lines = []
        for number in range(60):
            cells = [b"(%d)" % ((token * 7 + number) % 9) for token in range(120)]
            lines += [
                b"#begin document (%d)" % number,
                *(b"w\tword\t" + cell for cell in [*cells, last]),
                b"#end document",
            ]
        path = tmp_path / side
        path.write_bytes(b"\n".join(lines) + b"\n")
        sides.append(str(path))
    contents = {path: Path(path).read_bytes() for path in sides}
    wrong = []
    read = Conll2012Source.body

    def checked(source, entry):
        body = read(source, entry)
        if body != contents[source.path][entry.body : entry.stop]:
            wrong.append(entry.name)
        return body

    monkeypatch.setattr(Conll2012Source, "body", checked)
    monkeypatch.setattr("conll.source.CHUNK", 4096)
    monkeypatch.setattr(conll2012_scan, "CHUNK", 3000)
    monkeypatch.setattr(stream, "BATCH", 1)
    monkeypatch.setattr("scorer.engine.corpus.DOCUMENT_BYTES", 0)
    totals = []
    for size in (float("inf"), 0):
        monkeypatch.setattr(choice, "LARGE", size)
        totals.append(choice.evaluate(Corpus(*map(open_source, sides)), Scheme(METRICS)).totals)
    assert wrong == []
    assert totals[0] == totals[1]
