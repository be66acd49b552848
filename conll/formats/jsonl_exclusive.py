"""JSON lines with mentions `[start, end]` where `end` is the token after the last one.

Otherwise like `jsonl`.

Never detected: the user has to name it.
"""

from __future__ import annotations

from conll.format import Format
from conll.formats.jsonl import JsonLinesSource

FORMAT = Format(
    "jsonl_exclusive",
    "JSON lines as jsonl, but the end of a mention is the token after its last",
    sniff=lambda _head: False,
    open=lambda file, path: JsonLinesSource(file, path, exclusive=True),
)
