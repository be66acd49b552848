"""Sources and documents of `conll` as a key and a response."""

import pytest

import conll
import scorer
from scorer import Accumulator

KEY, RESPONSE = "fixtures/example.key.conll", "fixtures/example.response.conll"
CONLL_F1 = 0.7991
"""Of these files, as the reference's averages of MUC, B³ and CEAFe give it."""


@pytest.fixture
def sources():
    return conll.open_documents(KEY), conll.open_documents(RESPONSE)


def f1(evaluation):
    return round(evaluation.ratios("conll").f1, 4)


def test_score_takes_sources_and_paths(sources):
    key, response = sources
    assert f1(scorer.score(key, response)) == CONLL_F1
    assert f1(scorer.score(key, RESPONSE)) == CONLL_F1
    assert f1(scorer.score(KEY, response)) == CONLL_F1


def test_a_mapping_takes_documents(sources):
    key, response = ({document.name: document for document in side} for side in sources)
    assert f1(scorer.score(key, response)) == CONLL_F1


def test_single_documents_need_no_name():
    key = conll.Document("a", [[(0, 0), (2, 2)], [(3, 3)]])
    response = conll.Document("b", [[(0, 0), (2, 2)]])
    ratios = scorer.score(key, response, metrics="mentions").ratios("mentions")
    assert (ratios.recall, ratios.precision) == (2 / 3, 1)
    assert (key.name, response.name) == ("a", "b")


def test_accumulators_take_sources_and_documents(sources):
    key, response = sources
    together, one_by_one = Accumulator("conll"), Accumulator("conll")
    together.update(key, response)
    for document in key:
        one_by_one.update(document, response.read(document.name))
    for accumulator in (together, one_by_one):
        evaluation = accumulator.compute()
        assert f1(evaluation) == CONLL_F1
        assert [document.name for document in evaluation.documents] == key.names()


@pytest.mark.filterwarnings("ignore::scorer.ScorerWarning")
def test_documents_of_one_side_are_named_in_problems(tmp_path):
    """The key's other document counts as missed, the response's is not counted."""
    key, response = tmp_path / "key.jsonl", tmp_path / "response.jsonl"
    line = '{"doc_key": "%s", "clusters": [[[0, 0], [1, 1]]]}\n'
    key.write_text(line % "a" + line % "b")
    response.write_text(line % "a" + line % "c")
    accumulator = Accumulator("mentions")
    accumulator.update(conll.open_documents(key), conll.open_documents(response))
    evaluation = accumulator.compute()
    ratios = evaluation.ratios("mentions")
    assert (ratios.recall, ratios.precision) == (0.5, 1)
    kinds = [(problem.kind, problem.document) for problem in evaluation.problems]
    assert kinds == [("extra", "c"), ("missing", "b")]


def test_what_accumulators_refuse(sources):
    key, response = sources
    accumulator = Accumulator("muc")
    with pytest.raises(TypeError, match="one side is a source"):
        accumulator.update(key, [[(0, 1)]])
    with pytest.raises(TypeError, match="leave name out"):
        accumulator.update(key, response, name="a")
    assert len(accumulator) == 0
    with pytest.raises(ValueError, match="the key is open"):
        scorer.score(key, response, key_format="conll2012")


def test_sources_are_easy_to_look_at(sources):
    key, _ = sources
    assert len(key) == 2
    assert [document.name for document in key] == key.names()
    assert repr(key) == f"<Conll2012Source {KEY!r}, conll2012: 2 documents>"
    shown = {name for name in dir(key) if not name.startswith("_")}
    methods = {"as_response", "chunks", "files", "names", "problems", "read"}
    assert shown == methods | {"format", "path", "size", "unnamed"}


@pytest.fixture
def opened(tmp_path):
    """Open documents with these names, each with one entity."""

    def open_named(*names):
        path = tmp_path / f"{len(list(tmp_path.iterdir()))}.jsonl"
        line = '{"doc_key": "%s", "clusters": [[[0, 0], [1, 1]]]}\n'
        path.write_text("".join(line % name for name in names))
        return conll.open_documents(path)

    return open_named


def test_an_accumulator_counts_all_documents_of_sources_or_none(opened):
    accumulator = Accumulator("mentions")
    accumulator.update(opened("q"), opened("q"))
    with pytest.raises(ValueError, match="two documents are called 'q'"):
        accumulator.update(opened("p", "q"), opened("p", "q"))
    assert len(accumulator) == 1
    accumulator.update(opened("p"), opened("p"))
    assert accumulator.compute().totals["mentions"][0].as_tuple() == (4, 4, 4, 4)


def test_an_accumulator_refuses_sources_without_a_common_document(opened):
    accumulator = Accumulator("mentions")
    with pytest.raises(conll.ConllError, match="share no document"):
        accumulator.update(opened("a"), opened("o"))
    assert len(accumulator) == 0


@pytest.mark.filterwarnings("ignore::scorer.ScorerWarning")
def test_an_accumulator_joins_names_as_score_does(opened):
    key, response = opened("dir/a", "dir/b"), opened("a", "b")
    accumulator = Accumulator("mentions")
    accumulator.update(key, response)
    counted = accumulator.compute().totals
    assert counted == scorer.score(key, response, metrics="mentions").totals
    assert counted["mentions"][0].as_tuple() == (4, 4, 4, 4)


@pytest.mark.parametrize("metrics", ["mentions", "muc"])
def test_a_document_counts_by_its_name_beside_named_ones(sources, metrics):
    key, _ = sources
    [document, _] = key
    for others in (KEY, key, {document.name: document}):
        assert scorer.score(document, others, metrics=metrics).ratios(metrics).recall == 1
    scored = scorer.score({document.name: document}, document, metrics=metrics)
    assert [scored_document.name for scored_document in scored.documents] == [document.name]
