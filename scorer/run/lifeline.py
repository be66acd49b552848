"""Processes that end with the one that started them: nobody else would read what they compute, or stop them."""

from __future__ import annotations

import os
import signal
import sys
from multiprocessing import parent_process
from multiprocessing.connection import wait
from threading import Thread, current_thread, main_thread

_PR_SET_PDEATHSIG = 1
"""What Linux calls the signal that a process gets when its parent ends (`man 2const PR_SET_PDEATHSIG`)."""

_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


def starts_from_main() -> bool:
    """Whether processes that are started now have the main thread for their parent, for `end_with_parent`."""
    return current_thread() is main_thread()


def end_with_parent(*, of_main: bool) -> None:
    """Have this process, which `multiprocessing` started, killed once its parent is gone, even if that was killed itself.

    `of_main`: what `starts_from_main` said there. To Linux the parent is a thread, and another one than the main thread may end
    while its process goes on; then, and where the system knows no such signal, a thread waits for the end of the process.
    """
    parent = parent_process()
    assert parent is not None
    if not (of_main and _signalled()):
        Thread(target=_watch, args=(parent.sentinel,), daemon=True).start()
    elif os.getppid() != parent.pid:
        # It was gone before the signal was asked for.
        os.kill(os.getpid(), _KILL)


def _signalled() -> bool:
    """Ask for the signal; whether there is such a thing."""
    if not sys.platform.startswith("linux"):
        return False
    try:
        from ctypes import CDLL

        return bool(CDLL(None).prctl(_PR_SET_PDEATHSIG, int(_KILL), 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False


def _watch(sentinel: int) -> None:
    wait([sentinel])
    os.kill(os.getpid(), _KILL)
