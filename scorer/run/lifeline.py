"""Makes processes end with the one that started them: nobody else would read what they compute, or stop them."""

from __future__ import annotations

import os
from multiprocessing import parent_process
from multiprocessing.connection import wait
from threading import Thread, current_thread, main_thread

from conll.io.system import KILL, ends_with_parent


def starts_from_main() -> bool:
    """Whether processes started now have the main thread as their parent, for `end_with_parent`."""
    return current_thread() is main_thread()


def end_with_parent(*, of_main: bool) -> None:
    """Have this process, which `multiprocessing` started, killed once its parent is gone, even if the parent was killed itself.

    `of_main` is what `starts_from_main` said in the parent. For Linux the parent is a thread, and any but the main thread may end
    while its process goes on; in that case, and where there is no such signal, a thread here waits for the process to end.
    """
    parent = parent_process()
    assert parent is not None
    if not (of_main and ends_with_parent()):
        Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()
    elif os.getppid() != parent.pid:
        # The parent was gone before the signal was requested.
        os.kill(os.getpid(), KILL)


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os.kill(os.getpid(), KILL)
