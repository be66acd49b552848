"""The command `scorer`."""

from __future__ import annotations

import gc
import os
import sys


def run() -> int:
    """The command with the arguments of the process; returns its exit status, or ends the process by itself.

    Taking the interpreter down in good order takes longer than counting a small pair. So the process ends at once where only the
    memory would be given back: output is flushed, and there is neither another thread nor what starts other processes.
    """
    # Little of what a run makes is garbage in cycles, and looking for it after each 700 objects takes a tenth of a small run.
    gc.set_threshold(100_000)
    from scorer.cli import main

    status = main.run()
    # A process in which nothing has imported it has no other thread.
    threading = sys.modules.get("threading")
    if (threading is None or threading.active_count() == 1) and "multiprocessing" not in sys.modules:
        os._exit(status)
    return status
