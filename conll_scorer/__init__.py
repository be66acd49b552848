"""`scorer` and `conll` by their place, for use where another file of such a name comes first.

>>> import conll_scorer
>>> import scorer
>>> conll_scorer.score is scorer.score
True

The two packages are loaded from beside this one, whatever the path finds first, and stand under
their own names from then on. Where one of these is taken already, ImportError says by which file.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # `signal`, with neither enum nor types
import os
import sys

COMMANDS = ("scorer", "conll-scorer", "scorer.pl")
"""The programs whose errors are one line."""

PROGRAM = os.path.basename(sys.argv[0]) if sys.argv else ""

# Python would show an interrupt in an import by a traceback. Until a command begins, nothing is to
# be cleaned up, so that the signal may end the process.
if PROGRAM in COMMANDS and _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
    _signal.signal(_signal.SIGINT, _signal.SIG_DFL)

from importlib import import_module  # noqa: E402
from importlib.machinery import PathFinder  # noqa: E402

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import ModuleType
    from typing import Any

PLACE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
"""The folder that holds our packages."""

NAMES = ("scorer", "conll")
"""In the order in which they are loaded: `scorer` checks that `conll` is ours."""


class _Beside:
    """Finds our packages beside this one, and nothing else."""

    @staticmethod
    def find_spec(
        name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return (
            PathFinder.find_spec(name, [PLACE], target) if path is None and name in NAMES else None
        )


def is_ours(file: str | None, name: str) -> bool:
    """Whether a file that stands for the package of that name is ours."""
    own = os.path.join(PLACE, name, "__init__.py")
    return file == own or (file is not None and os.path.realpath(file) == os.path.realpath(own))


def _load() -> None:
    for name in NAMES:
        taken = sys.modules.get(name)
        file = getattr(taken, "__file__", None)
        if taken is not None and not is_ours(file, name):
            file = file or next(iter(getattr(taken, "__path__", ())), "a module without a file")
            problem = f"the name {name} is taken by {file}, which was imported before conll_scorer"
            raise ImportError(
                f"{problem}; import conll_scorer first, or give that file another name",
                name=name,
                path=file,
            )
    sys.meta_path.insert(0, _Beside)
    try:
        for name in NAMES:
            import_module(name)
    finally:
        sys.meta_path.remove(_Beside)


try:
    _load()
except ImportError as error:
    if PROGRAM not in COMMANDS:
        raise
    sys.stderr.write(f"{PROGRAM}: {error}\n")
    sys.exit(2)


def __getattr__(name: str) -> Any:
    import scorer

    return getattr(scorer, name)


def __dir__() -> list[str]:
    import scorer

    return dir(scorer)
