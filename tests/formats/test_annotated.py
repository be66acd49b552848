"""Files of annotations of any clusters, as other programs write them, read by ours."""

from collections import Counter
from io import BytesIO
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

import generator
from conll import open_documents


def packed(files):
    """The files in an archive."""
    out = BytesIO()
    with ZipFile(out, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return BytesIO(out.getvalue())


@pytest.mark.parametrize("write", generator.ANNOTATORS)
@given(draw=st.randoms(use_true_random=False))
def test_every_mention_of_every_cluster_is_read(write, draw):
    tokens = draw.choice([1, 3, 7, 15])
    words = draw.choices(generator.FORMS, k=tokens)
    cut = draw.randint(1, tokens)
    sentences = [sentence for sentence in (words[:cut], words[cut:]) if sentence]
    clusters = generator.wild_spans(draw, tokens)
    source = open_documents(packed(write(draw, sentences, clusters)), name="a.zip")
    [name] = source.names()
    read = source.read(name).clusters
    assert numbered(read) == numbered(clusters)
    assert source.read(name).text() in (words, None)


def numbered(clusters):
    """Count clusters, without their order and that of their mentions."""
    return Counter(frozenset(Counter(cluster).items()) for cluster in clusters)
