"""Check clusters in memory, and count them document by document.

The checks make a wrong nesting an error and not a low score.
"""

from __future__ import annotations

from contextlib import suppress
from copy import copy
from hashlib import sha256
from itertools import chain, islice
from marshal import dumps
from math import isnan
from typing import TYPE_CHECKING, NamedTuple

from conll.document import Document
from conll.errors import pluralize
from conll.source import Source
from conll.syntax import is_empty_node, is_span
from scorer.engine.plain import score_documents
from scorer.evaluation.evaluation import DocumentScore, Evaluation, Input
from scorer.options import TABLE, options_of
from scorer.registry import select

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Iterator, Mapping
    from typing import Any

    from conll.errors import Problem
    from scorer.options import Options


_LISTS = {list, tuple}

_PLAIN = {int, str, bytes, float, bool, type(None)}
"""Types that hash by value and hold nothing else."""

ADVICE = "give a list of clusters, each a list of mentions, such as [[(0, 1), (5, 5)], [(3, 4)]]"

FLAT = "this is a list of mentions without clusters around them"
NUMBERED = "; mentions that are numbers must be written as strings"

DOCUMENTS = (
    "there is one list too many around the mentions, as in a list of documents; score each "
    "document by itself, or give a mapping from names to the clusters of each (if these are "
    "mentions, in pieces or of several names, write each as a string)"
)

NAMED = (
    "these are names with clusters beside them; give a mapping from names to clusters, "
    "which dict() makes of pairs"
)

UNEVEN = (
    "write them alike, or as strings if they are no spans (several documents: "
    "a mapping from names to the clusters of each)"
)


class MemorySource(Source):
    """Documents made of clusters: a mapping from their names, as `scorer.score` takes them.

    `side`: key or response.
    """

    format = "memory"

    def __init__(self, clusters: Mapping[str, Any], side: str) -> None:
        self.path = side
        self.size = 0
        for name in clusters:
            check_name(name, side)
        self._documents = {
            name: Document(name, checked(of_one, side, name), path=side)
            for name, of_one in clusters.items()
        }

    def names(self) -> list[str]:
        return list(self._documents)

    def document(self, name: str) -> Document | None:
        return self._documents.get(name)

    def line_of(self, name: str) -> int:  # noqa: ARG002  memory has no lines
        return 0

    def problems(self) -> list[Problem]:
        return []

    def chunks(self) -> Iterator[bytes]:
        for name, document in self._documents.items():
            yield content(name, digest_of(document.clusters))


def check_name(name: object, where: str, thing: str = "a document") -> None:
    """Check that the name of a thing is text; TypeError if not."""
    if not isinstance(name, str):
        raise TypeError(
            f"{where}: {thing} is called {name!r}, {_kind(name)}; "
            f"names are text, such as {str(name)!r}"
        )


def digest_of(clusters: list[list[Any]]) -> bytes:
    """Hash clusters; equal ones have equal hashes.

    The hash is the SHA-256, as 32 bytes, of `marshal.dumps(clusters, 2)`, or of their `repr` where
    marshal fails. That version of the format has no references, so equal clusters give equal bytes.
    """
    try:
        data = dumps(clusters, 2)
    except ValueError:
        data = repr(clusters).encode("utf-8", "backslashreplace")
    return sha256(data).digest()


def content(name: str, digest: bytes) -> bytes:
    """The stand-in, for a document in memory, for the bytes of a file."""
    return f"{name!r} ".encode("utf-8", "backslashreplace") + digest


def checked(
    clusters: Iterable[Iterable[Any]], side: str, name: str | None = None
) -> list[list[Any]]:
    """Clusters as lists, without lists, arrays or tensors in mentions.

    TypeError, with advice, for what is no list of clusters.

    How deep the mentions lie decides what a value is: a list of clusters is two lists around
    mentions. A mention is a name, any hashable, or a list or tuple that holds a number. Only the
    mentions together tell those that are in pieces, as `((3, 4), (6, 6))`, from clusters nested one
    list deeper: they are read as pieces where another mention is not in pieces.

    >>> checked([[[0, 1], [5, 5]], [[3, 4]]], "key")
    [[(0, 1), (5, 5)], [(3, 4)]]
    >>> checked([(0, 1), (5, 5)], "key")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    TypeError: key: this is a list of mentions without clusters around them; give a list ...
    """
    where = side if name is None else f"{side}, document {name}"
    given = _listed(clusters, where, "is no list of clusters")
    lists: list[list[Any]] = []
    for cluster in given:
        if type(cluster) is list or type(cluster) is tuple:
            lists.append([*cluster])
        else:
            lists.append([*_listed(cluster, where, "stands where a cluster should")])
    mentions = list(chain.from_iterable(lists))
    kinds = set(map(type, mentions))
    if kinds <= {str}:
        return lists
    # Pairs of integers, as training loops have them, are told without a loop over them.
    if (
        kinds == {tuple}
        and set(map(len, mentions)) == {2}
        and set(map(type, chain.from_iterable(mentions))) == {int}
    ):
        return lists
    try:
        lists = [[_plain(mention, where) for mention in cluster] for cluster in lists]
    except RecursionError:
        raise TypeError(f"{where}: the lists in it have no end; {ADVICE}") from None
    numbered = "" if all(type(cluster) is tuple for cluster in given) else NUMBERED
    _check_depth(lists, where, f"{FLAT}; {ADVICE}{numbered}", is_array=hasattr(clusters, "tolist"))
    return lists


def check_alike(key: list[list[Any]], response: list[list[Any]], name: str) -> None:
    """TypeError when the mentions of the two sides are `unlike`."""
    problem = unlike(key, response)
    if problem:
        raise TypeError(f"document {name}: {problem}")


def unlike(key: list[list[Any]], response: list[list[Any]]) -> str | None:
    """Say what is wrong if all mentions of one side differ in type from those of the other."""
    firsts = [
        mention for side in (key, response) for mention in islice(chain.from_iterable(side), 1)
    ]
    if all(map(is_span, firsts)) or len(set(map(_make, firsts))) < 2:
        return None
    makes, others = ({*map(_make, chain.from_iterable(side))} for side in (key, response))
    if makes.isdisjoint(others) and "" not in makes | others:
        return (
            f"the key has mentions such as {firsts[0]!r}, "
            f"the response such as {firsts[1]!r}; write both alike"
        )
    return None


def _make(mention: Any) -> str:
    """What the mentions of a side mostly share.

    Nothing where that says little, as of empty nodes and of mentions in pieces.
    """
    if _is_number(mention):
        return "number"
    if isinstance(mention, tuple):
        return f"{len(mention)} parts" if all(map(_is_number, mention[:2])) else ""
    return "text" if isinstance(mention, str) and not is_empty_node(mention) else ""


def _listed(value: Any, where: str, problem: str) -> Iterable[Any]:
    """The items of a list, or of whatever serves as one.

    TypeError, with the problem, for what has no items.
    """
    listed = value.tolist() if hasattr(value, "tolist") else value
    if isinstance(listed, (str, bytes, dict)) or not hasattr(listed, "__iter__"):
        raise TypeError(f"{where}: {_kind(listed)} {problem}; {ADVICE}")
    if hasattr(listed, "__next__"):
        # Where it was gone through before, as for the other side or another metric, nothing would
        # be left of it, and no one told.
        raise TypeError(
            f"{where}: {_kind(listed)} can be gone through once only; give a list of it"
        )
    return listed  # type: ignore[no-any-return]  # it can be iterated over


def _plain(part: Any, where: str) -> Any:
    """Convert a mention, or a part of one, into tuples and numbers, which hash by value."""
    if type(part) in _PLAIN:
        if type(part) is float and isnan(part):
            # Whether it is found again would depend on whether it was copied.
            raise ValueError(
                f"{where}: a mention is or holds {part}, which equals nothing, not even itself"
            )
        return part
    if isinstance(part, (list, tuple)):
        return tuple([_plain(inner, where) for inner in part])
    if isinstance(part, frozenset):
        return frozenset(_plain(inner, where) for inner in part)
    if hasattr(part, "tolist"):
        plain = part.tolist()
        # Numbers without a type in Python stay as they are.
        return part if type(plain) is type(part) else _plain(plain, where)
    if hasattr(part, "__index__"):
        # Its own hash may be by identity.
        return part.__index__()
    try:
        hash(part)
    except TypeError:
        raise TypeError(
            f"{where}: a mention is or holds {_kind(part)}, which has no hash; {ADVICE}"
        ) from None
    return part


def _check_depth(clusters: list[list[Any]], where: str, flat: str, *, is_array: bool) -> None:
    """Raise TypeError for a list too few (with the message `flat`) or too many around mentions."""
    mentions = list(chain.from_iterable(clusters))
    numbers = sum(map(_is_number, mentions))
    if numbers:
        # Numbers that name mentions are told from the ends of spans where clusters have several
        # sizes.
        sizes = {len(cluster) for cluster in clusters if cluster}
        if is_array or numbers < len(mentions) or sizes in ({2}, {3}):
            raise TypeError(f"{where}: {flat}")
        return
    if all(_may_be_cluster(mention) for mention in mentions):
        raise TypeError(f"{where}: {DOCUMENTS}")
    if any(map(_may_be_clusters, mentions)) and not any(
        type(cluster[0]) is tuple for cluster in clusters if cluster
    ):
        raise TypeError(f"{where}: {NAMED}")
    lengths = {
        len(mention) if type(mention) is tuple and all(map(_is_number, mention)) else 0
        for mention in mentions
    }
    if len(lengths) > 1 and 0 not in lengths:
        raise TypeError(
            f"{where}: some mentions are {min(lengths)} numbers and some {max(lengths)}; {UNEVEN}"
        )


def _is_number(part: Any) -> bool:
    return hasattr(part, "__float__")


def _may_be_cluster(mention: Any) -> bool:
    """Say whether a mention may be a cluster: it holds no number and no empty node."""
    if not isinstance(mention, (tuple, frozenset)):
        return False
    return not any(
        _is_number(part) or (type(part) is str and is_empty_node(part)) for part in mention
    )


def _may_be_clusters(mention: Any) -> bool:
    """Whether it may be several clusters."""
    return bool(mention) and type(mention) is tuple and all(map(_may_be_cluster, mention))


def tuple_of(mention: list[Any]) -> tuple[Any, ...]:
    """A list, and the lists in it, as tuples."""
    return tuple(tuple_of(part) if type(part) is list else part for part in mention)


def _kind(value: object) -> str:
    name = type(value).__name__
    return f"{'an' if name[:1] in 'aeiou' else 'a'} {name}"


def _checked_and_hashed(
    clusters: Iterable[Iterable[Any]], side: str, name: str
) -> tuple[list[list[Any]], bytes]:
    """Return what `checked` returns, and its `digest_of`.

    Quicker for pairs of integers, as training loops have them.
    """
    if type(clusters) in _LISTS and _LISTS.issuperset(map(type, clusters)):
        lists = list(map(list, clusters))
        with suppress(ValueError):
            data = dumps(lists, 2)
            # In this format a list, a tuple and an integer below 2³¹ take five bytes each, the
            # first of which is the type. If the types read in steps of five are one list more than
            # clusters, and tuples of two integers, all mentions are pairs.
            types = data[::5]
            lists_, pairs = types.count(b"["), types.count(b"(ii")
            if (
                lists_ == 1 + len(lists)
                and lists_ + 3 * pairs == len(types)
                and data.count(b"(\2\0\0\0") == pairs
            ):
                return lists, sha256(data).digest()
    lists = checked(clusters, side, name)
    return lists, digest_of(lists)


class _Counted(NamedTuple):
    """A counted document: its name, if any, counts, problems, hashes of key and response."""

    name: str | None
    score: DocumentScore
    problems: list[Problem]
    digests: tuple[bytes, bytes]


class Accumulator:
    """Counts documents as they come; can be pickled, sent to another process, and merged.

    `metrics` and the options are those of `scorer.score`, except the two about whole files,
    `documents` and `missing_documents` (TypeError). Clusters are counted as they come, and only the
    counts are kept. Threads may update one, and documents without a name are then numbered as they
    come. As with clusters in memory there, `match` beyond exact needs heads, which a mention of one
    token has and any other lacks; `zeros` finds no empty nodes.

    >>> from scorer import Accumulator
    >>> accumulator = Accumulator(metrics=["muc", "conll"])
    >>> accumulator.update([["a"], ["b", "c"]], [["a"], ["b", "c"]])
    >>> accumulator.update([["a", "b", "c"]], [["a", "b"]], name="second")
    >>> accumulator.compute().ratios("muc")
    Ratios(recall=0.6666666666666666, precision=1.0, f1=0.8)
    """

    def __init__(
        self,
        metrics: str | Iterable[str] = "all",
        *,
        options: Options | None = None,
        **words: str | None,
    ) -> None:
        options = options_of(options, words, ("metrics", "options"))
        whole = next((name for name in options.chosen() if TABLE[name].per_corpus), None)
        if whole is not None:
            raise TypeError(
                f"{whole}: an accumulator scores every document that it is given; "
                "leave the option out"
            )
        said = next((name for name in options.chosen() if TABLE[name].of_files), None)
        if said is not None:
            raise TypeError(
                f"{said}: clusters in memory do not say; leave the option out, or score files"
            )
        names, counted = select(metrics, options)
        self._empty = Evaluation(counted, options, names)
        self._counted: list[_Counted] = []
        self._names: set[str] = set()

    def __len__(self) -> int:
        return len(self._counted)

    def __repr__(self) -> str:
        return f"<Accumulator of {pluralize(len(self), 'document')}: {' '.join(self._empty.names)}>"

    def update(
        self,
        key_clusters: Iterable[Iterable[Hashable]],
        response_clusters: Iterable[Iterable[Hashable]],
        name: str | None = None,
    ) -> None:
        """Count one document.

        One without a name is called by its number, from 0, when `compute` lists the documents.

        Raises TypeError for clusters that are no lists of lists and for a name that is no text,
        ValueError when another document has the name, and ConllError when a mention is repeated and
        `duplicates` is error, or when `match` or a metric asks for tokens or a head that cannot be
        told; nothing is counted then.
        """
        if name is not None:
            check_name(name, "name")
            if name in self._names:
                raise _taken(name)
        called = str(len(self)) if name is None else name
        key, key_digest = _checked_and_hashed(key_clusters, "key", called)
        response, response_digest = _checked_and_hashed(response_clusters, "response", called)
        check_alike(key, response, called)
        documents = Document(called, key, path="key"), Document(called, response, path="response")
        score, problems = score_documents(called, *documents, self._empty)
        # One step, so that threads may update one accumulator.
        self._counted.append(_Counted(name, score, problems, (key_digest, response_digest)))
        if name is not None:
            self._names.add(name)

    def merge(self, *others: Accumulator) -> None:
        """Append the documents that other accumulators have counted, as in other processes.

        TypeError for what is no accumulator, ValueError unless all score alike, and when two were
        given a document of the same name; nothing is taken over then.
        """
        other = next((other for other in others if not isinstance(other, Accumulator)), None)
        if other is not None:
            raise TypeError(
                f"a {type(other).__name__} is no accumulator; "
                "write a list of accumulators as merge(*accumulators)"
            )
        names = set(self._names)
        for other in others:
            ours, theirs = self._empty, other._empty  # noqa: SLF001  of this class
            if ours.names != theirs.names or ours.options != theirs.options:
                how = f"{self} {ours.options} and {other} {theirs.options}"
                raise ValueError(f"accumulators that score differently cannot be merged: {how}")
            for name in sorted(names & other._names):  # noqa: SLF001  of this class
                raise _taken(name)
            names |= other._names  # noqa: SLF001  of this class
        counted = [document for other in others for document in other._counted]  # noqa: SLF001  of this class
        self._counted += counted
        self._names = names

    def __add__(self, other: Accumulator) -> Accumulator:
        """A new accumulator with what both have counted; ValueError as in `merge`."""
        if not isinstance(other, Accumulator):
            return NotImplemented
        both = copy(self)
        both.reset()
        both.merge(self, other)
        return both

    def reset(self) -> None:
        """Forget every document; metrics and options stay."""
        self._counted = []
        self._names = set()

    def compute(self) -> Evaluation:
        """Add up what has been counted so far."""
        evaluation = self._empty.like()
        counted = [*self._counted]
        names = [
            _unlike(str(at), self._names) if one.name is None else one.name
            for at, one in enumerate(counted)
        ]
        evaluation.extend([one.score.called(name) for one, name in zip(counted, names)])
        evaluation.problems += [problem for one in counted for problem in one.problems]
        for side in (0, 1) if counted else ():
            contents = b"".join(
                content(name, one.digests[side]) for name, one in zip(names, counted)
            )
            evaluation.inputs.append(
                Input(("key", "response")[side], "memory", sha256(contents).hexdigest())
            )
        return evaluation


def _taken(name: str | None) -> ValueError:
    return ValueError(f"two documents are called {name!r}; a name may be used once")


def _unlike(name: str, taken: set[str]) -> str:
    """`name`, with as many underscores as make it none of those taken."""
    while name in taken:
        name += "_"
    return name
