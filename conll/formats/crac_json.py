"""The JSON of the CRAC LLM track: an array of documents with `tokens` and `clusters_token_offsets`.

Offsets are pairs of tokens, counted from 0, both inclusive; `clusters_text_mentions` has the words
of each. Tokens that begin with `##` are empty nodes, each after its parent. `doc_id` is the name.
The layout is that of `text2text-coref` of CRAC 2025 (github.com/ondfa/text2text-coref,
json_format.py). Without its option for empty nodes it counts them in offsets, but not in `tokens`:
a mention whose words are not those at its offsets is counted.
"""

from __future__ import annotations

from functools import partial
from json import dumps
from typing import TYPE_CHECKING, Any

from conll.format import Format, Holds
from conll.marked import Marked, MarkedJsonSource, TextOrder, changed, check_fit, unfit

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterable, Iterator
    from typing import BinaryIO

    from conll.document import Document


def _documents(value: Any) -> Iterator[tuple[str | None, Any]]:
    for document in value if type(value) is list else [value]:
        name = document.get("doc_id") if type(document) is dict else None
        yield None if name is None else str(name), document


def parse(document: Any) -> Marked:
    """Read the words and mentions of a document."""
    marked = Marked([str(token) for token in document["tokens"]])
    words: list[str] = marked.words or []
    texts = document.get("clusters_text_mentions") or []
    for number, cluster in enumerate(document["clusters_token_offsets"] or ()):
        for place, (first, last) in enumerate(cluster):
            shown = f"[{first},{last}] of cluster {number}"
            if not 0 <= first <= last < len(words):
                marked.repair("impossible offset", shown)
                continue
            marked.mentions.append(((first, last), str(number)))
            text = texts[number][place] if number < len(texts) and texts[number][place:] else None
            if text is not None and _plain(text) != _plain("".join(words[first : last + 1])):
                marked.repair("mismatched mention", shown)
    return marked


def _plain(text: str) -> str:
    return text.replace("##", "").replace("_", "").replace(" ", "")


def write(documents: Iterable[Document], file: BinaryIO) -> None:
    """Write an array with an object for each document."""
    objects = []
    for document in documents:
        check_fit(document, "crac_json", nested=None)
        order = TextOrder(document)
        forms = [form.replace(" ", "_") for form in order.forms]
        offsets = [
            [list(order.span(mention) or ()) for mention in cluster]
            for cluster in document.clusters
        ]
        texts = [[" ".join(forms[a : b + 1]) for a, b in cluster] for cluster in offsets]
        value = {
            "doc_id": document.name,
            "tokens": forms,
            "clusters_token_offsets": offsets,
            "clusters_text_mentions": texts,
        }
        objects.append(dumps(value, ensure_ascii=False))
    file.write(f"[{(',' + chr(10)).join(objects)}]\n".encode("utf-8", "surrogateescape"))


def _changed(document: Document) -> Counter[str]:
    amounts = changed(document)
    del amounts["document name"]
    return amounts


FORMAT = Format(
    "crac_json",
    "JSON of the CRAC LLM track: tokens, clusters_token_offsets",
    sniff=lambda head: b'"clusters_token_offsets"' in head,
    open=partial(MarkedJsonSource, parse=parse, documents=_documents),
    write=write,
    holds=Holds(
        names=False,
        syntax=False,
        label=lambda _label: False,
        field=lambda _document, _field: False,
        changed=_changed,
        unfit=partial(unfit, nested=None),
    ),
)
