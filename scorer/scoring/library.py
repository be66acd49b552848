"""The function `scorer.score`."""

from __future__ import annotations  # `checked` reads what is written

from collections.abc import Iterable
from typing import Unpack

from scorer.evaluation.evaluation import Evaluation
from scorer.events import LibraryEvents
from scorer.jobs.corpora import open_corpora, score_corpora
from scorer.keywords import Documents, Metrics, OptionKeywords, Preset
from scorer.options import Options
from scorer.registry import scheme_of
from scorer.signatures import checked


@checked
def score(  # noqa: PLR0913  each is an option of its own
    key: Documents,
    response: Documents,
    *,
    metrics: Metrics | None = None,
    preset: Preset | None = None,
    strict: bool = False,
    scheduler: str | None = None,
    options: Options | None = None,
    key_format: str | None = None,
    response_format: str | None = None,
    windows: int | Iterable[int] = (),
    **keywords: Unpack[OptionKeywords],
) -> Evaluation:
    """Score a response against a key.

    Clusters are lists, tuples, sets or arrays of mentions; a mention is a pair (start, end) of
    integers, also as a list or an array, or anything hashable but a number. Mentions match if they
    are equal, unless `match` says otherwise.

    What is odd about the input, such as missing documents or different words, is listed in
    `Evaluation.problems`, and a ScorerWarning sums it up.

    Args:
        key: A path (a directory stands for its files), an open file, the clusters of one document,
            or a mapping from document names to clusters.
        response: The same for the response.
        metrics: Metrics and averages: names in a list or in a text with commas, or `Metric`
            objects. By default those of the preset, or all.
        preset: The settings of a shared task, for which other keywords are exceptions.
        strict: Whether to raise ConllError instead of warning.
        scheduler: The address of a Dask cluster to count on; "" starts one on this machine.
        options: The options as a record, instead of keywords.
        key_format: The format of the key; detected by content unless named.
        response_format: The format of the response.
        windows: A width in tokens, or several; `Evaluation.windows` has the figures of windows of
            each width.
        **keywords: The options that `scorer.Options` describes.

    Raises:
        ConllError: A file cannot be read as coreference, or the options refuse it.
        OSError: A file cannot be opened.
        ValueError: A value of an option is unknown, or a width is not positive.
        TypeError: An option is unknown, options are given both ways, clusters are no lists of lists
            of mentions, or a width is no whole number.

    Examples:
        >>> from scorer import score
        >>> key = [[(0, 0)], [(1, 1), (2, 2)], [(3, 3), (4, 4), (5, 5)]]
        >>> score(key, [[(0, 0)], [(3, 3), (4, 4)]], metrics="muc").ratios("muc")
        Ratios(recall=0.3333333333333333, precision=1.0, f1=0.5)
        >>> keys = {"a": key, "b": [["x", "y"]]}
        >>> score(keys, {"a": key, "b": [["x"]]}, metrics="muc").totals["muc"]
        (Counts(recall 3/4, precision 3/3),)
    """
    scheme = scheme_of(metrics, preset, options, keywords, windows)
    corpora = open_corpora(
        key,
        [response],
        scheme.options,
        key_format=key_format,
        response_format=response_format,
    )
    [evaluation] = score_corpora(corpora, scheme, LibraryEvents(strict=strict), scheduler=scheduler)
    return evaluation
