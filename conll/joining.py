"""Join a response to its key: pair documents whose names differ by a known convention.

Documents of equal names are pairs, and so are those of which one has the name that `scorer convert`
makes of the other as a file's name. Where no name is equal, the first of these mappings is used
that pairs names one to one and leaves no name of the smaller side alone:

- `NAME_N` is `(NAME); part N`, as e2e-coref and its descendants name the documents of CoNLL-2012
- `NAME` is `(NAME); part N`
- the last part of a path, the name without a known file ending, or both, of one side alone
- a name as `scorer convert` makes a file of it, as for brat
- key and response are a file of one document each, and one of the two has no name of its own
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from conll.check import none_shared, share_a_name
from conll.errors import ConllError, Problem, shorten
from conll.io import DirectorySource
from conll.source import RenamedSource, Source
from conll.text.alignment import align
from conll.text.marked import file_name

ENDINGS = (".txt", ".conll", ".conllu", ".json", ".tsv", ".ann", ".xml")
"""Endings of files that are left out of names."""

Reading = Callable[[str], Hashable]
"""Reads a name as what it is compared by; None for a name that has no such form."""
Agree = Callable[[str, str], bool]
"""Says whether the words of a key document and of a response document agree, by their names."""


def parted(name: str) -> tuple[str, str] | None:
    """Read `(NAME); part N`, the name of a part in CoNLL-2012, with N as it is without zeros.

    Examples:
        >>> parted("(bc/cctv_0000); part 003"), parted("cctv_0000")
        (('bc/cctv_0000', '3'), None)
    """
    beginning, separator, number = name.rstrip().rpartition("); part ")
    if not separator or not beginning.startswith("(") or not _is_number(number):
        return None
    return beginning[1:], number.lstrip("0")


def numbered(name: str) -> tuple[str, str] | None:
    """Read `NAME_N`, or `NAME/part_N` as coref-data has it.

    Examples:
        >>> numbered("bc/cctv_0000_3"), numbered("bc/cctv_0000/part_3"), numbered("bc")
        (('bc/cctv_0000', '3'), ('bc/cctv_0000', '3'), None)
    """
    beginning, separator, number = name.rpartition("_")
    if not separator or not _is_number(number):
        return None
    return beginning.removesuffix("/part"), number.lstrip("0")


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def without_part(name: str) -> str | None:
    """Read the NAME of `(NAME); part N`."""
    match = parted(name)
    return match[0] if match else None


def last_part(name: str) -> str:
    """Read the last part of a path."""
    return name.replace("\\", "/").rpartition("/")[2]


def without_ending(name: str) -> str:
    """Read a name without a known file ending.

    Examples:
        >>> without_ending("doc1.txt"), without_ending("v1.2")
        ('doc1', 'v1.2')
    """
    for ending in ENDINGS:
        if name.lower().endswith(ending):
            return name[: -len(ending)]
    return name


def file_of_path(name: str) -> str:
    """Read the last part of a path, without a known file ending."""
    return without_ending(last_part(name))


MAPPINGS: Sequence[tuple[str, Reading, Reading]] = (
    ("NAME_N", parted, numbered),
    ("NAME", without_part, str),
    ("path", last_part, str),
    ("ending", without_ending, str),
    ("path-and-ending", file_of_path, str),
    ("file-name", file_name, str),
)
"""The mappings in the order in which they are tried: what signatures call each, and how it reads
the names of one side and of the other. Either side may be the key."""

ONLY_DOCUMENT = "only-document"
"""What signatures call the pair of the only documents of two files."""


@dataclass(frozen=True)
class Joining:
    """The pairs of documents of a key and a response.

    Attributes:
        mapping: What signatures call the mapping; empty if the names have none.
        pairs: The name of the response's document by that of the key's, in the order of the key.
        reason: Why a mapping that pairs the names is not used; empty if there is none.
    """

    mapping: str = ""
    pairs: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""

    @cached_property
    def key_names(self) -> dict[str, str]:
        """The name of the key's document by that of the response's."""
        return {other: name for name, other in self.pairs.items()}


def join_names(
    key: Sequence[str], response: Sequence[str], agree: Agree, *, are_only: bool = False
) -> Joining:
    """Pair the names of a key and of a response that have none in common.

    Args:
        key: The names of the key's documents.
        response: Those of the response's.
        agree: Says whether the words of a pair agree, or are not known.
        are_only: Whether each side is one document, and one of the two has no name of its own.

    Examples:
        >>> join_names(["(bc/x); part 000", "(bc/y); part 001"], ["bc/y_1"], lambda *_: True).pairs
        {'(bc/y); part 001': 'bc/y_1'}
    """
    reason = ""
    for mapping, pairs in _possible(key, response, are_only=are_only):
        differing = next((pair for pair in pairs.items() if not agree(*pair)), None)
        if differing is None:
            return Joining(mapping, pairs)
        of_key, of_response = differing
        reason = reason or (
            f"{shorten(of_response)} is {shorten(of_key)} by its name, but under half of their "
            "words agree"
        )
    return Joining(reason=reason)


def _possible(
    key: Sequence[str], response: Sequence[str], *, are_only: bool
) -> Iterator[tuple[str, dict[str, str]]]:
    """Yield the mappings that pair the names, and the pairs."""
    for mapping, reading, other_reading in MAPPINGS:
        for of_key, of_response in ((reading, other_reading), (other_reading, reading)):
            key_names = _distinct(key, of_key)
            response_names = _distinct(response, of_response)
            pairs = {
                name: response_names[read]
                for read, name in key_names.items()
                if read in response_names
            }
            if len(pairs) == min(len(key), len(response)):
                yield mapping, pairs
    if are_only:
        yield ONLY_DOCUMENT, {key[0]: response[0]}


def _distinct(names: Iterable[str], reading: Reading) -> dict[Hashable, str]:
    """Return the names by what they are read as, without those that are read alike."""
    read = [(reading(name), name) for name in names]
    uses = Counter(value for value, _ in read)
    return {value: name for value, name in read if value is not None and uses[value] == 1}


def words_agree(key: Sequence[str] | None, response: Sequence[str] | None) -> bool:
    """Return whether at least half of the words of two texts agree, or the words are not known."""
    if not key or not response:
        return True
    longer = max(len(key), len(response))
    if 2 * sum(word == other for word, other in zip(key, response)) >= longer:
        return True
    # Words may be missing in between, or be cut otherwise.
    aligned = zip(response, align(key, response))
    alike = sum(span is not None and key[span[0]] == word for word, span in aligned)
    return 2 * alike >= longer


def join_sources(
    key: Source, response: Source, *, exact: bool = False, compare_words: bool = True
) -> Joining:
    """Pair the documents of a key and a response that have no name in common.

    Args:
        key: The key.
        response: The response.
        exact: Whether only documents of equal names are pairs.
        compare_words: Whether the words of a pair have to agree.

    Raises:
        ConllError: No document of the response is one of the key.
    """
    names, others = key.names(), response.names()
    if not names or not others:
        return Joining()

    def agree(name: str, other: str) -> bool:
        if not compare_words:
            return True
        document, other_document = key.read(name), response.read(other)
        assert document is not None
        assert other_document is not None
        return words_agree(document.text(), other_document.text())

    joining = Joining()
    if not exact:
        joining = join_names(names, others, agree, are_only=_are_only(key, response))
    if not joining.pairs:
        advice = "name them alike"
        if joining.reason:
            advice = f"{joining.reason}; {advice}"
        raise none_shared(response.path, names, others, advice).error()
    return joining


def _are_only(key: Source, response: Source) -> bool:
    """Return whether each is one document, and names in the files do not keep them apart.

    One of two files has no name of its own, or neither of two folders of a single file: others may
    belong to these.
    """
    if len(key.names()) != 1 or len(response.names()) != 1:
        return False
    sides = key, response
    folders = [source for source in sides if isinstance(source, DirectorySource)]
    if any(len(folder.sources) != 1 for folder in folders):
        return False
    are_unnamed = [source.names()[0] in source.unnamed for source in sides]
    return all(are_unnamed) if folders else any(are_unnamed)


def join_file_names(key: Iterable[str], response: Iterable[str]) -> dict[str, str]:
    """Pair the documents whose names a writer changed, though other names may be equal.

    Returns:
        The names of the response's documents by those of the key's.

    Examples:
        >>> join_file_names(["doc 1", "b"], ["b", "doc_1"])
        {'doc 1': 'doc_1'}
    """
    key_names, response_names = _unshared(key, response)
    pairs: dict[str, str] = {}
    for of_key, of_response in ((file_name, str), (str, file_name)):
        by_reading = _distinct(response_names, of_response)
        read_names = _distinct(key_names, of_key).items()
        pairs |= {name: by_reading[read] for read, name in read_names if read in by_reading}
    return pairs


def names_by_key(names: Sequence[str], given: Sequence[str], path: str) -> dict[str, str]:
    """Return the names of documents in the response, by their names in the key.

    A document of the response has the same name or, as a file, that which `file_name` makes of it.
    A document that is neither keeps its own name.

    Raises:
        ConllError: The file name of a response is that of two documents.
    """
    known = set(names)
    by_file: defaultdict[str, list[str]] = defaultdict(list)
    for name in names:
        by_file[file_name(name)].append(name)
    by_name = {name: name for name in given}
    for name in given:
        if name in known:
            continue
        documents = by_file[name]
        if len(documents) > 1:
            shown = " and ".join(map(repr, documents))
            problem = f"the file name {name!r} may be that of each of the documents {shown}"
            advice = f'write lines such as {{"doc_key": "{documents[0]}", "output": "…"}}'
            raise ConllError(path, 0, f"{problem}; {advice}, and name the format")
        if documents and documents[0] not in by_name:
            by_name[documents[0]] = by_name.pop(name)
    for name, own_name in join_file_names(names, by_name).items():
        by_name[name] = by_name.pop(own_name)
    return by_name


def likely_pairs(key: Iterable[str], response: Iterable[str]) -> dict[str, str]:
    """Pair the documents that have no name in common by a convention, though others have one.

    Returns:
        The names of the key's documents by those of the response's.
    """
    return join_names(*_unshared(key, response), lambda *_: True).key_names


def _unshared(key: Iterable[str], response: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return the names of each side that the other one lacks."""
    key_names, response_names = list(key), list(response)
    shared = set(key_names).intersection(response_names)
    return (
        [name for name in key_names if name not in shared],
        [name for name in response_names if name not in shared],
    )


def joined(key: Source, response: Source, *, exact: bool = False) -> Source:
    """Return the response with the names of the key.

    Args:
        key: The key.
        response: The response.
        exact: Whether only documents of equal names are pairs.

    Raises:
        ConllError: No document of the response is one of the key.
    """
    joining = Joining()
    if not share_a_name(key, response):
        joining = join_sources(key, response, exact=exact)
    elif not exact and (key.unnamed or response.unnamed):
        # In the names of files, a writer may have changed those of documents.
        joining = Joining("file-name", join_file_names(key.names(), response.names()))
    return JoinedSource(response, joining) if joining.pairs else response


def own_names(joining: Joining, response: Iterable[str]) -> dict[str, str]:
    """Return the response's names by those of the key, or by themselves where the key has none."""
    return {joining.key_names.get(name, name): name for name in response}


def notes_of(joining: Joining, path: str) -> list[Problem]:
    """Return the note that documents of the response at that path were joined, if any were."""
    if not joining.pairs:
        return []
    (name, other), *more = joining.pairs.items()
    and_more = f" and {len(more)} more" if more else ""
    text = f"matched {shorten(other)} with {shorten(name)}{and_more}"
    return [Problem(path, 0, None, text, kind="note", side="response")]


class JoinedSource(RenamedSource):
    """A response whose documents are called as those of the key.

    A document that the key does not have keeps its name.

    Args:
        response: The response as it is.
        joining: The pairs of documents.
    """

    def __init__(self, response: Source, joining: Joining) -> None:
        super().__init__(response, own_names(joining, response.names()))
        self.joined = joining.mapping
        self.response = response
        self._joining = joining

    def problems(self) -> list[Problem]:
        return [*self.response.problems(), *notes_of(self._joining, self.path)]

    def as_response(self) -> Source:
        return JoinedSource(self.response.as_response(), self._joining)
