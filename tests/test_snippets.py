"""What users write first, as they would guess it: each snippet runs, and `mypy --strict` accepts it."""

import subprocess
import sys
import warnings
from pathlib import Path

import pytest

import scorer

FIXTURES = Path(__file__).parent.parent / "fixtures"
FILES = f"""
key, response = "{FIXTURES / "example.key.conll"}", "{FIXTURES / "example.response.conll"}"
"""

SNIPPETS = {
    "two files": f"""{FILES}
evaluation = scorer.score(key, response)
print(evaluation)
recall, precision, f1 = evaluation.ratios("muc")
assert round(f1, 4) == 0.7143
assert evaluation.ratios("conll").recall is None
for document in evaluation.documents:
    print(document.name, document.ratios("bcub").f1)
""",
    "clusters": """
lists = [[[0, 1], [5, 5]], [[3, 4], [8, 8]]]
tuples = [[(0, 1), (5, 5), (3, 4)]]
arrays = np.array([[[0, 1], [5, 5]]])
assert scorer.score(lists, tuples, metrics="muc").ratios("muc").recall == 0.5
assert scorer.score(lists, arrays, metrics=["muc"], singletons="drop").ratios("muc").recall == 0.5
names = {"a": [["Ann", "she"]]}
assert scorer.score(names, {"a": [{"Ann", "she"}]}, preset="conll12").ratios("conll").f1 == 1
""",
    "frame": f"""{FILES}
frame = scorer.score(key, response, metrics="muc,conll").to_frame()
assert [*frame.columns[:5]] == ["name", "metric", "recall", "precision", "f1"]
rows = pd.DataFrame([("a", 0, 0, 1), ("a", 4, 4, 1)], columns=["document", "start", "end", "cluster"])
assert documents(rows) == {{"a": [[(0, 0), (4, 4)]]}}
""",
    "accumulator": """
try:
    import torch
    tensor = torch.tensor
except ImportError:
    class Tensor:
        def __init__(self, values: Any) -> None:
            self.values = values
        def tolist(self) -> Any:
            return self.values
    tensor = Tensor

accumulator = scorer.Accumulator(metrics=["muc", "bcub", "ceafe", "conll"])
for _ in range(2):
    accumulator.update([tensor([[0, 1], [5, 5]])], [[(0, 1), (5, 5)]])
assert accumulator.compute().ratios("conll").f1 == 1
evaluator = CorefEvaluator()
evaluator.update([[(0, 1), (5, 5)]], [[(0, 1), (5, 5)]], {}, {})
assert evaluator.get_f1() == 1
""",
    "evaluate": """
try:
    import evaluate
    metric = evaluate.load(PATH)
    references = [[[[0, 0], [4, 4]]]]
    assert metric.compute(references=references, predictions=references)["muc/f1"] == 1
except ImportError:
    assert PATH
""",
    "spacy": """
try:
    import spacy
    doc = spacy.blank("en")("Ann saw Bo. She met him.")
    doc.spans["coref_clusters_1"] = [doc[0:1], doc[4:5]]
    assert scorer.score(clusters(doc), clusters(doc)).ratios("conll").f1 == 1
except ImportError:
    print(clusters)
""",
    "compare": f"""{FILES}
comparison = scorer.compare(key, {{"a": response, "b": key}}, metrics="conll", trials=100, seed=1)
print(comparison, comparison.differences[0].p)
""",
    "leaderboard": """
key = {name: [["Ann", "she"], ["Bo", "him"]] for name in ("x", "y")}
responses = {"a": {"x": [["Ann", "she"]], "y": []}, "b": key}
board = scorer.rank_responses(key, responses, metrics="conll", trials=100, seed=1)
print(board)
assert [row.system for row in board.standings] == ["b", "a"]
""",
    "metric": f"""{FILES}
def count(contingency: Any) -> tuple[scorer.Counts, ...]:
    found = contingency.sum_overlaps(lambda n, k, r: (n == k) * (n == r))
    return (scorer.Counts(found, contingency.key_clusters, found, contingency.response_clusters),)

exact = scorer.Metric("exact", count, title="Exact clusters", unit="clusters", paper="ours")
evaluation = scorer.score(key, response, metrics=["muc", exact])
assert 0 < evaluation.ratios("exact").f1 < 1
print(scorer.compare(key, [key, response], metrics=exact, trials=100))
""",
    "errors": f"""{FILES}
errors = scorer.errors(key, response, metrics="muc")
print(errors)
for finding in errors.findings():
    print(finding.kind, finding.words)
""",
}
IMPORTS = """from typing import Any
import numpy as np
import pandas as pd
import scorer
from scorer.adapters.coreference import PATH
from scorer.adapters.frames import documents
from scorer.adapters.spacy import clusters
from scorer.compat import CorefEvaluator
"""
WRONG = {
    'scorer.score([["a"]], [["a"]], singletns="drop")': "singletns",
    'scorer.score([["a"]], [["a"]], singletons="dorp")': "singletons",
    'scorer.Accumulator(match="heads")': "match",
    'scorer.score([["a"]], [["a"]], preset="conll13")': "preset",
    'scorer.compare([["a"]], [[["a"]]], interval="wide")': "interval",
    "scorer.score(1, 2)": '"score"',
}


@pytest.mark.parametrize("name", SNIPPETS)
def test_a_snippet_runs(name, capsys):
    exec(IMPORTS + SNIPPETS[name], {"__name__": "__main__"})
    assert capsys.readouterr().err == ""


def test_type_checkers_accept_the_snippets_and_refuse_what_is_wrong(tmp_path):
    for name, snippet in SNIPPETS.items():
        (tmp_path / f"snippet_{name.replace(' ', '_')}.py").write_text(IMPORTS + snippet)
    (tmp_path / "wrong.py").write_text("import scorer\n" + "\n".join(WRONG) + "\n")
    (tmp_path / "mypy.ini").write_text("[mypy]\nstrict = True\nignore_missing_imports = True\n")
    command = [sys.executable, "-m", "mypy", "--config-file", "mypy.ini", "."]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    errors = [line for line in done.stdout.splitlines() if ": error: " in line]
    assert [line for line in errors if not line.startswith("wrong.py")] == []
    for number, (line, word) in enumerate(WRONG.items(), 2):
        found = [error for error in errors if error.startswith(f"wrong.py:{number}:")]
        assert found, line
        assert word in found[0]


def test_what_is_odd_is_one_warning_and_an_error_where_asked_for():
    pair = [(0, 0), (1, 1)]
    key = {"a": [pair], "b": [pair], "c": [pair]}
    response = {"a": [pair], "d": [[(0, 0)]]}
    with pytest.warns(scorer.ScorerWarning) as caught:
        evaluation = scorer.score(key, response)
    (warning,) = caught
    assert warning.filename == __file__
    assert "document b: the response is missing this document" in str(warning.message)
    assert "(and 1 more like it)" in str(warning.message)
    assert len(evaluation.problems) == 3
    for call in (scorer.score, scorer.errors, scorer.score_spans, scorer.score_muc7):
        with pytest.raises(scorer.ConllError, match="the key is missing this document"):
            call(key, response, strict=True)
    for call in (scorer.compare, scorer.rank_responses):
        with pytest.raises(scorer.ConllError, match=r"and 2 other problems"):
            call(key, {"x": response}, strict=True)
        with pytest.warns(scorer.ScorerWarning) as caught:
            call(key, {"x": response, "y": response}, trials=9)
        assert [warning.filename for warning in caught] == [__file__]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scorer.score(key, key, strict=True)
