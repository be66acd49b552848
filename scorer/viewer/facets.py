"""Properties of mentions by which a page filters them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scorer.analysis.text import NONE

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Any

    from scorer.analysis.text import Text

FACETS = "type", "entity type"
"""Name, nominal or pronoun, and what the file says of the entity."""


def labelled(mentions: Iterable[Any], said: Mapping[Any, Mapping[str, str]], text: Text) -> dict[Any, str]:
    """The entity type of each mention of which it is known, by its attribute `etype` or by a named entity with the same words.

    `said`: what the file says of each mention, by the attribute's name.
    """
    found = ((mention, said.get(mention, {}).get("etype") or text.label(mention)) for mention in mentions)
    return {mention: label for mention, label in found if label != NONE}
