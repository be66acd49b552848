"""JSON lines as in `jsonl`, but the end of a mention is the token after its last."""

from __future__ import annotations

from functools import partial

from conll.formats import Format
from conll.formats.jsonl import JsonLinesSource

FORMAT = Format(
    "jsonl_exclusive",
    "JSON lines as jsonl, but the end of a mention is the token after its last",
    # Never detected: the user has to name it.
    sniff=lambda _head: False,
    open=partial(JsonLinesSource, exclusive=True),
    chooses_fields=True,
)
