"""The examples of the guide to the library that need the packages.

Tests/test_documentation.py runs the others.
"""

import doctest
import re
from pathlib import Path

import pytest
from test_fastcoref import CorefResult

PAGE = Path(__file__).parents[2] / "docs" / "guides" / "library.md"
BLOCKS = re.findall(
    r"^```python-console\n(.*?)^```$", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL
)


class Model:
    """A stand-in for a model of fastcoref, which finds the characters that the page shows."""

    def predict(self, texts):
        return CorefResult(texts, [[(14, 16), (18, 20)]])


@pytest.mark.usefixtures("unconnected")
@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_examples_print_what_the_page_says(block):
    test = doctest.DocTestParser().get_doctest(block, {"model": Model()}, str(PAGE), None, None)
    assert test.examples
    complaints = []
    doctest.DocTestRunner().run(test, out=complaints.append)
    assert not complaints, "".join(complaints)


def test_every_package_has_its_example():
    assert len(BLOCKS) == 3
