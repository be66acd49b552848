"""Every result by the names that people guess: figures by metric, and one way to each format."""

import json
import shutil
from pathlib import Path

import pytest

import scorer

FIXTURES = Path(__file__).parents[2] / "fixtures"
KEY, RESPONSE = (str(FIXTURES / f"example.{side}.conll") for side in ("key", "response"))
# The published cases 1 and 2 of MUC: links 1/3 and 1/1.
THREE = [["a"], ["b", "c"], ["d", "e", "f"]]
TWO = [["a"], ["d", "e"]]
LINKS = (1 / 3, 1.0, 0.5)
ENDINGS = {
    "csv": "csv", "html": "html", "json": "json", "jsonl": "jsonl", "tex": "latex",
    "md": "markdown", "txt": "table", "tsv": "tsv",
}  # fmt: skip


def accumulated():
    accumulator = scorer.Accumulator(metrics=["muc", "conll"])
    accumulator.update(THREE, TWO)
    return accumulator.compute()


@pytest.mark.parametrize(
    "evaluation",
    [
        scorer.score(THREE, TWO, metrics=["muc", "conll"]),
        scorer.score(THREE, TWO, metrics=["muc", "conll"]).documents[0],
        accumulated(),
    ],
    ids=["score", "document", "accumulator"],
)
def test_figures_by_the_name_of_a_metric(evaluation):
    recall, precision, f1 = evaluation["muc"]
    assert (recall, precision, f1) == LINKS
    assert evaluation["MUC"].f1 == 0.5
    assert evaluation["conll"] == evaluation.ratios("conll")
    assert evaluation["b3"] == evaluation["bcub"]
    assert "conll" in evaluation
    assert "B3" in evaluation
    assert "lea" not in evaluation
    assert 1 not in evaluation
    with pytest.raises(KeyError, match=r"'lea' was not counted; name it among the metrics"):
        evaluation["lea"]
    names = list(evaluation)
    assert len(evaluation) == len(names)
    assert {name: evaluation[name].f1 for name in evaluation}["muc"] == 0.5


def test_an_evaluation_lists_what_was_asked_for_and_a_document_what_was_counted():
    evaluation = scorer.score(THREE, TWO, metrics=["conll", "muc"])
    assert list(evaluation) == ["conll", "muc"]
    assert set(evaluation.documents[0]) == {"muc", "bcub", "ceafe", "conll"}
    counted = scorer.score(THREE, TWO, metrics=["ceafm", "lea"])
    assert list(counted.documents[0]) == ["ceafm", "lea"]


@pytest.fixture(scope="module")
def systems(tmp_path_factory):
    folder = tmp_path_factory.mktemp("systems")
    shutil.copy(RESPONSE, folder / "ours.conll")
    shutil.copy(KEY, folder / "best.conll")
    return {path.stem: str(path) for path in sorted(folder.iterdir())}


@pytest.fixture(scope="module")
def manifest(tmp_path_factory):
    path = tmp_path_factory.mktemp("manifest") / "manifest.csv"
    path.write_text(f"corpus,system,key,response\nexample,ours,{KEY},{RESPONSE}\n")
    return path


@pytest.fixture(scope="module")
def results(systems, manifest):
    spans = {"d": [[(0, 1), (4, 8)]]}, {"d": [[(0, 1)], [(5, 8)]]}
    documents = {"1": THREE, "2": THREE}
    return {
        "score": scorer.score(KEY, RESPONSE),
        "compare": scorer.compare(
            documents, {"a": {"1": TWO, "2": THREE}, "b": documents}, trials=20
        ),
        "leaderboard": scorer.leaderboard(KEY, systems, trials=20),
        "errors": scorer.errors(KEY, RESPONSE),
        "batch": scorer.batch(manifest),
        "spans": scorer.score_spans(*spans),
    }


RESULTS = ["score", "compare", "leaderboard", "errors", "batch", "spans"]


@pytest.mark.parametrize("name", RESULTS)
def test_every_result_is_written_in_every_format(name, results):
    result = results[name]
    assert result.to_html().startswith("<!doctype html>")
    assert "\\begin{tabular}" in result.to_latex()
    assert "\n|:" in result.to_markdown()
    assert result.to_csv() == result.text("csv")
    assert len(result.to_csv().splitlines()) > 1
    assert json.loads(result.to_json())
    assert len(result.to_frame()) > 0


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.parametrize("ending", ENDINGS)
def test_every_result_is_saved_in_the_format_of_the_ending(name, ending, results, tmp_path):
    path = tmp_path / f"result.{ending}"
    results[name].save(path)
    assert path.read_bytes().decode() == results[name].text(ENDINGS[ending])


def test_results_are_saved_with_the_options_of_their_reports(tmp_path):
    evaluation = scorer.score({"x/1": THREE, "y/2": THREE}, {"x/1": TWO, "y/2": THREE})
    path = str(tmp_path / "scores.csv")
    evaluation.save(path, per_document=True)
    saved = Path(path).read_text("utf-8")
    assert saved == evaluation.to_csv(per_document=True)
    assert "\ndocuments,x/1,muc,0.3333333333333333,1.0,0.5," in saved
    assert "x/1" in evaluation.to_latex(per_document=True)
    with pytest.raises(TypeError, match="per_documents"):
        evaluation.to_html(per_documents=True)


def test_a_result_is_saved_as_a_whole_or_not_at_all(tmp_path):
    evaluation = scorer.score(THREE, TWO)
    path = tmp_path / "scores.csv"
    path.write_text("kept")
    with pytest.raises(ValueError, match=r"^average: 'mean' is not one of micro, macro, both"):
        evaluation.save(path, average="mean")
    assert path.read_text() == "kept"
    message = r"scores\.xlsx: the ending names no output format; use one of \.csv, \.html, \.json, "
    with pytest.raises(ValueError, match=message):
        evaluation.save(tmp_path / "scores.xlsx")
    message = r"use one of \.csv, \.html, \.json, \.jsonl, \.tex, \.md, \.txt, \.tsv$"
    with pytest.raises(ValueError, match=message):
        evaluation.save(tmp_path / "scores.xlsx")
    with pytest.raises(ValueError, match=r"\.md, \.parquet, \.txt, \.tsv$"):
        scorer.errors(THREE, TWO).save(tmp_path / "errors.xlsx")
    with pytest.raises(ValueError, match=r"^output_format: 'parquet' is not one of csv, "):
        evaluation.save(tmp_path / "scores.parquet")
    with pytest.raises(FileNotFoundError):
        evaluation.save(tmp_path / "nowhere" / "scores.csv")
    assert [file.name for file in tmp_path.iterdir()] == ["scores.csv"]
