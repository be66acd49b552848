"""Text with mentions as elements, `<mention entity="1">Ada</mention>`, which may nest.

The attributes `id` and `cluster` are read like `entity`.
"""

from __future__ import annotations

import html
import re
from functools import partial

from conll.formats._markup import Dialect

_ATTRIBUTE = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|["']?([^\s"']*))""")


def entity_of(attributes: str) -> str:
    """Return the id among the attributes of an element, and ignore others.

    Examples:
        >>> entity_of('id="m1" entity="a b" type=person'), entity_of("id=7"), entity_of("")
        ('a b', '7', '')
    """
    values: dict[str, str] = {}
    for name, *alternatives in _ATTRIBUTE.findall(attributes):
        values[name] = "".join(alternatives)
    for name in ("entity", "cluster", "id"):
        if name in values:
            return values[name].strip()
    return ""


def unescape(text: str) -> str:
    """Make characters of the entities that `html.escape` writes, and of no others."""
    # xml.sax.saxutils has this function, but imports all that reads URLs.
    return text.replace("&lt;", "<").replace("&gt;", ">").replace("&amp;", "&")


XML = Dialect(
    "xml",
    opening=r"<mention\b(?P<id>[^<>]*)>",
    closing=r"</mention\s*>",
    begin='<mention entity="{}">',
    end="</mention>",
    sniffed=r"</mention\s*>",
    escape=partial(html.escape, quote=False),
    unescape=unescape,
    label=entity_of,
)

FORMAT = XML.format('text with mentions as elements: <mention entity="1">Ada</mention>')
