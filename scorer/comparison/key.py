"""A key that many responses from untrusted users are scored against.

Each response is scored in a process of its own, within limits, so that none can spoil more than its
own row. `conll.archives` says which archives are refused.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from conll import archives  # noqa: F401  imported once, and not by each process
from conll.document import Document
from conll.errors import ConllError
from conll.io import open_documents, reopening
from conll.paths import check_regular
from conll.source import Source
from scorer.engine.score import WholeCorpus, score_corpus
from scorer.engine.stream import kept_scan
from scorer.evaluation.evaluation import Evaluation
from scorer.evaluation.inputs import Input
from scorer.inputs.sources import MemorySource, source_of
from scorer.inputs.submissions import Submission
from scorer.jobs.record import evaluation_of, in_short, record_of
from scorer.keywords import Documents
from scorer.metrics import METRICS
from scorer.options import Options
from scorer.scheme import Scheme

SHARED_KEY_BYTES = 1 << 27
"""The size of a key, in bytes, up to which its documents are kept in memory."""


class Key:
    """A key that many responses are scored against: opened, indexed, checked and hashed once.

    The documents of a file of moderate size stay in memory, where all processes share them.

    Attributes:
        problems: What is irregular in the key.
        scheme: How to score; mentions are always counted.

    Args:
        file: The key, or what opens it.
        scheme: How to score.
        key_format: The format of the key.
        response_format: The format of the responses.
        max_size: The most bytes of a response, unpacked.

    Raises:
        ConllError: A document of the key cannot be scored as the options ask.
        OSError: The key cannot be opened.
    """

    def __init__(
        self,
        file: Documents | Callable[[], Source],
        scheme: Scheme,
        key_format: str | None = None,
        response_format: str | None = None,
        max_size: int | None = None,
    ) -> None:
        if max_size is not None and not max_size > 0:
            raise ValueError(f"max_size: {max_size} is not more than 0")
        self._arguments = file, scheme, key_format, response_format, max_size
        # Every leaderboard shows how many mentions a system found.
        self.scheme = scheme.counting(METRICS["mentions"])
        self.source = file() if callable(file) else source_of(file, "key", key_format)
        self.documents: dict[str, Document | None] = {}
        self.input: Input | None = None
        self.scan = kept_scan(self.source) if self.source.size <= SHARED_KEY_BYTES else None
        # Whatever an empty response is warned of is about the key.
        lenient = scheme.options.replace(missing_documents="empty")
        empty = _Corpus(self, MemorySource({}, "response"), Options())
        checked = score_corpus(empty, self.scheme.with_options(lenient))
        if not checked.scored:
            problem = "the key has no documents, so responses cannot be ranked"
            raise ConllError(self.source.path, 0, problem)
        self.input = checked.inputs[0]
        self.problems = [problem for problem in checked.problems if problem.kind != "missing"]

    def __reduce__(self) -> tuple[object, ...]:
        # Where processes are not forked, and on other machines, each reads the key again, from its
        # path if it has one.
        _, *others = self._arguments
        return Key, (reopening(self.source), *others), self.input

    def __setstate__(self, known: Input) -> None:
        if self.input is None or self.input.sha256 != known.sha256:
            advice = "leave it as it is, or share one file"
            problem = f"another process finds another file there; {advice}"
            raise ConllError(self.source.path, 0, problem)

    def score_to_record(self, submission: Submission | Documents) -> tuple[dict[str, Any], int]:
        """Return the record of an evaluation, and the number of warnings that it leaves out."""
        evaluation = score_corpus(self.corpus(submission), self.scheme)
        reported = {str(problem) for problem in self.problems}
        problems, unlisted = in_short(evaluation.problems, reported)
        return record_of(evaluation, problems), unlisted

    def evaluation_from_record(
        self, submission: Submission | Documents, sent: tuple[dict[str, Any], int]
    ) -> tuple[Evaluation, int]:
        """Return the evaluation and the number that `score_to_record` has sent."""
        record, unlisted = sent
        names: dict[str, str] = {}
        if self.input is not None:
            names["key"] = self.input.name
        if isinstance(submission, Submission):
            names["response"] = os.path.basename(submission.label)
        return evaluation_of(record, self.scheme, names), int(unlisted)

    def corpus(self, submission: Submission | Documents) -> WholeCorpus:
        """Open a response to be scored against this key."""
        return _Corpus(self, self._opened(submission), self.scheme.options)

    def _opened(self, submission: Submission | Documents) -> Source:
        """Open a response; OSError and ConllError as `conll.open_documents` raises them."""
        *_, response_format, limit = self._arguments
        if not isinstance(submission, Submission):
            try:
                return source_of(submission, "response", response_format, key=self.source)
            except TypeError as error:
                # What the caller gave for this response is at fault.
                raise ValueError(str(error)) from None
        path, label = submission.path, submission.label
        among = check_regular(path, label) if submission.inside else None
        return open_documents(
            path, response_format, name=label, limit=limit, among=among, empty=True, key=self.source
        )


class _Corpus(WholeCorpus):
    """A response beside a key whose documents may have been read already."""

    def __init__(self, key: Key, response: Source, options: Options) -> None:
        super().__init__(key.source, response, options, key_scan=key.scan, key_input=key.input)
        self._documents = key.documents

    def key_document(self, name: str) -> Document | None:
        if self.key.size > SHARED_KEY_BYTES:
            return super().key_document(name)
        if name not in self._documents:
            self._documents[name] = super().key_document(name)
        return self._documents[name]
