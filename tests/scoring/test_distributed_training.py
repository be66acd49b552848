"""The recipes of the page about distributed training.

Its command is run with the other examples.
"""

import pickle
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

import scorer

PAGE = (Path(__file__).parents[2] / "docs" / "guides" / "library.md").read_text("utf-8")
(RECIPE,) = re.findall(
    r"^<!-- not run: needs PyTorch -->\n```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL
)

KEY = [["a", "b", "c"], ["d", "e"]]
DOCUMENTS = [("one", KEY, [["a", "b"]]), ("two", KEY, KEY), ("three", KEY, [["c", "d", "e"]])]


def with_torch(monkeypatch, others):
    """A stand-in for PyTorch in a group of processes, of which this is the first.

    The others have counted this.
    """

    class Distributed(ModuleType):
        @staticmethod
        def get_world_size():
            return 1 + len(others)

        @staticmethod
        def all_gather_object(object_list, obj):
            object_list[:] = [pickle.loads(pickle.dumps(one)) for one in (obj, *others)]

    torch = ModuleType("torch")
    torch.distributed = Distributed("torch.distributed")
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "torch.distributed", torch.distributed)


def counted(documents):
    accumulator = scorer.Accumulator(("muc", "bcub", "ceafe", "conll"))
    for name, key, response in documents:
        accumulator.update(key, response, name=name)
    return accumulator


@pytest.mark.parametrize("shares", [1, 2, 3])
def test_figures_are_those_of_one_process(shares, monkeypatch):
    with_torch(monkeypatch, [counted(DOCUMENTS[rank::shares]) for rank in range(1, shares)])
    known = {"documents": DOCUMENTS[::shares]}
    exec(RECIPE, known)
    whole = counted(DOCUMENTS).compute()
    # The order in which fractions are added is that of the processes.
    for metric, (counts,) in whole.totals.items():
        assert known["evaluation"].totals[metric][0].as_tuple() == pytest.approx(
            counts.as_tuple(), rel=1e-15
        )
    # Each key has 3 links, of which 1, 3 and 1 are found; the responses have 1, 3 and 2.
    assert known["evaluation"].totals["muc"][0].as_tuple() == (5, 9, 5, 6)


def test_documents_that_a_sampler_repeats_are_refused(monkeypatch):
    with_torch(monkeypatch, [counted(DOCUMENTS[1::2] + DOCUMENTS[:1])])
    with pytest.raises(
        ValueError, match=r"^two documents are called 'one'; a name may be used once$"
    ):
        exec(RECIPE, {"documents": DOCUMENTS[::2]})
