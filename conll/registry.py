# On the fast path of scorer.pl, where no typing, re, dataclasses or numpy is imported.
"""Find formats and metrics by name: ours, and those of entry points elsewhere."""

from __future__ import annotations

from importlib import import_module

from conll.errors import EntryPointError, not_of_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from importlib.metadata import EntryPoint
    from typing import Any


class Registry:
    """Things of one kind by name: ours, and those of entry points elsewhere.

    `what` is the word for one in messages, `own` where each of ours is, as an entry point says it:
    `module:attribute`, by name. `group` names the entry points by which other packages add some,
    which must be of the type `kind`, with the name of the entry point as their `name`. Our own wins
    if a name is shared; names in `taken` are never theirs.
    """

    def __init__(
        self,
        what: str,
        own: Mapping[str, str],
        *,
        group: str,
        kind: type[Any],
        taken: Collection[str] = (),
    ) -> None:
        self.what = what
        self.own = own
        self.group = group
        self._kind = kind
        self._taken = taken

    def others(self) -> dict[str, EntryPoint]:
        """The entry points of other packages, by name."""
        from importlib.metadata import entry_points

        return {
            point.name: point
            for point in entry_points(group=self.group)
            if point.name not in self._taken
        }

    def names(self) -> list[str]:
        """All names, sorted."""
        return sorted({*self.own, *self.others()})

    def spelled(self, name: str) -> str:
        """Return a name as it is registered, whatever its case; unknown ones as they are."""
        if not isinstance(name, str):
            raise not_of_type(self.what, name, "text")
        if name in self.own:
            return name
        spellings = {known.lower(): known for known in (*self.others(), *self.own)}
        return spellings.get(name.lower(), name)

    def get(self, name: str) -> Any:
        """The thing of that name, imported on request; ValueError when there is none.

        Other packages are asked only when none of our own has that name; EntryPointError, a
        TypeError, when what they offer is something else or cannot be imported.
        """
        name = self.spelled(name)
        if name in self.own:
            module, attribute = self.own[name].split(":")
            return getattr(import_module(module), attribute)
        point = self.others().get(name)
        if point is None:
            from conll.errors import did_you_mean

            known = self.names()
            choice = f"{', '.join(known)}{did_you_mean(name, known)}"
            raise ValueError(f"unknown {self.what} {name!r}; choose from: {choice}")
        shown = f"the entry point {point.name!r} = {point.value!r} of the group {point.group}"
        try:
            other = point.load()
        except Exception as error:  # noqa: BLE001  whatever another package does when it is imported
            problem = f"cannot be loaded ({type(error).__name__}: {error})"
            raise EntryPointError(f"{shown} {problem}; update or remove its package") from None
        if not isinstance(other, self._kind) or getattr(other, "name", name) != name:
            raise EntryPointError(f"{shown} must lead to a {self._kind.__name__} named {name!r}")
        return other
