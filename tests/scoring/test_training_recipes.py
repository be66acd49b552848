"""The recipes for training loops: with the package where it is installed, else with a stand-in for
its base class."""

import re
import sys
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType

import pytest

PAGE = (Path(__file__).parents[2] / "docs/guides/library.md").read_text("utf-8")
KEY = [[(0, 0), (4, 4)], [(2, 2)]]
RESPONSE = [[(0, 0), (4, 4), (2, 2)]]
CONLL_F1 = (2 / 3 + 0.7142857142857143 + 8 / 15) / 3
"""Of these clusters: MUC R 1/1 and P 1/2; B³ R 3/3 and P 5/9; CEAFe R (4/5)/2 and P (4/5)/1."""


def recipe(package, base, monkeypatch):
    """Run the block of a package, and return the class that it defines."""
    block = f"<!-- not run: needs {package} -->\n```python\n"
    code = re.search(rf"{re.escape(block)}(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)[1]
    if find_spec(package) is None:
        names = {"lightning": ["lightning", "lightning.pytorch"]}.get(package, [package])
        for name in names:
            module = ModuleType(name)
            setattr(module, base, type(base, (), {}))
            monkeypatch.setitem(sys.modules, name, module)
        if len(names) == 2:
            sys.modules["lightning"].pytorch = sys.modules["lightning.pytorch"]
    namespace = {}
    exec(code, namespace)
    return namespace["CoreferenceF1"]


class Module:
    """What a callback of Lightning logs to."""

    def __init__(self):
        self.logged = {}

    def log(self, name, value):
        self.logged[name] = value


def test_lightning(monkeypatch):
    callback, module = recipe("lightning", "Callback", monkeypatch)(), Module()
    for _ in range(2):
        callback.on_validation_epoch_start(None, module)
        outputs = {"documents": [("a", KEY, RESPONSE)]}
        callback.on_validation_batch_end(None, module, outputs, None, 0)
        callback.on_validation_epoch_end(None, module)
    assert module.logged == {"val_conll_f1": pytest.approx(CONLL_F1)}


def test_transformers(monkeypatch):
    recipe_class = recipe("transformers", "TrainerCallback", monkeypatch)
    callback = recipe_class({"a": KEY}, lambda _model: {"a": RESPONSE})
    metrics = {"eval_loss": 0.5}
    callback.on_evaluate(None, None, None, model=object(), metrics=metrics, logs=None)
    assert metrics == {"eval_loss": 0.5, "eval_conll_f1": pytest.approx(CONLL_F1)}
