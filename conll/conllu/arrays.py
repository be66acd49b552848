"""The nodes of a large CoNLL-U document, from its bytes as arrays: what `nodes.Nodes` does sentence by sentence."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from conll.conllu.lines import RANGE

if TYPE_CHECKING:
    from conll.conllu.lines import LastColumns
    from conll.syntax import Token


class Arranged(NamedTuple):
    """The values of the attributes of `Nodes` with these names."""

    at: list[int]
    tokens: list[Token]
    starts: list[int]
    zeros: dict[str, str]
    words: int
    last_columns: LastColumns


def arranged(body: bytes, word: str) -> Arranged | None:
    """The nodes of a document of ten columns whose words are numbered from 1; `word` is looked for in the last column.

    None when anything about it is unusual, right or wrong: it must then be read line by line.
    """
    if body[-1:] != b"\n" or b"# global." in body:
        return None
    characters = np.frombuffer(body, np.uint8)
    ends = np.flatnonzero(characters == ord("\n"))
    begins = np.concatenate([[0], ends[:-1] + 1])
    tabs = np.flatnonzero(characters == ord("\t"))
    first = characters[begins]
    is_empty = first == ord("\n")
    [rows] = np.nonzero(~is_empty & (first != ord("#")))
    tab = np.searchsorted(tabs, begins)
    if not len(rows) or (np.diff(tab, append=len(tabs))[rows] != 9).any():
        return None
    begin = begins[rows]
    length = tabs[tab[rows]] - begin
    # A digit is 0 to 9 here and any other character more, as these numbers have no sign.
    digits = (characters[begin + np.maximum(length - place, 0)] - np.uint8(ord("0")) for place in (1, 2, 3))
    ones, tens, hundreds = (digit.astype(np.int64) for digit in digits)
    is_word = (length > 0) & (length < 4) & (ones < 10) & (characters[begin] > ord("0"))
    is_word &= ((length < 2) | (tens < 10)) & ((length < 3) | (hundreds < 10))
    number = ones + np.where(length > 1, tens, 0) * 10 + np.where(length > 2, hundreds, 0) * 100
    sentence = np.cumsum(is_empty)[rows]
    is_first = np.diff(sentence, prepend=-1) != 0
    words = np.cumsum(is_word)
    starts = (words - is_word)[is_first]
    of_sentence = np.cumsum(is_first) - 1
    expected = words - starts[of_sentence]
    if (number != expected)[is_word].any():
        return None
    [others] = np.nonzero(~is_word)
    dependencies = tab[rows[others]] + 7
    columns = (
        others,
        begin[others],
        length[others],
        of_sentence[others],
        expected[others],
        tabs[dependencies],
        tabs[dependencies + 1],
    )
    zeros: dict[str, str] = {}
    places: list[int] = []
    for row, here, size, number_of, last, after, stop in zip(*(column.tolist() for column in columns)):
        ident = body[here : here + size].decode()
        if "." in ident:
            before, _, place = ident.partition(".")
            zero = f"{number_of}:{ident}"
            if before != str(last) or not place.isdecimal() or len(place) > 9 or zero in zeros:
                return None
            zeros[zero] = body[after + 1 : stop].decode()
            places.append(row)
        elif not RANGE.fullmatch(ident):
            return None
    is_node = is_word
    is_node[places] = True
    at = np.full(len(begins), -1)
    at[rows[is_node]] = np.arange(np.count_nonzero(is_node))
    tokens: list[Token] = (words[is_node] - 1).tolist()
    for node, zero in zip(at[rows[places]].tolist(), zeros):
        tokens[node] = zero
    last = tabs[tab[rows] + 8] + 1
    size = ends[rows] - last
    # SpaceAfter=No is by far the most common content.
    [held] = np.nonzero(is_node & (size > len(word)) & ((characters[last] != ord("S")) | (size > len(word) + len("SpaceAfter="))))
    texts = [body[begin:end].decode() for begin, end in zip(last[held].tolist(), ends[rows[held]].tolist())]
    last_columns = rows[held].tolist(), at[rows[held]].tolist(), texts
    return Arranged(at.tolist(), tokens, starts.tolist(), zeros, int(words[-1]), last_columns)
