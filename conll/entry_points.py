"""What other packages offer by entry points: theirs may be broken, which is said in one line."""

from __future__ import annotations

from conll.errors import EntryPointError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from importlib.metadata import EntryPoint


def described(point: EntryPoint) -> str:
    """The entry point, as messages name it."""
    return f"the entry point {point.name!r} = {point.value!r} of the group {point.group}"


def loaded(point: EntryPoint) -> object:
    """What it leads to; EntryPointError when that cannot be imported."""
    try:
        return point.load()
    except Exception as error:  # noqa: BLE001  whatever another package does when it is imported
        reason = f"{type(error).__name__}: {error}"
        raise EntryPointError(f"{described(point)} cannot be loaded ({reason}); mend or remove its package") from None
