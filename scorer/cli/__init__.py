"""The command `scorer`."""

import gc
import os
import sys


def run() -> int:
    """The command with the arguments of the process.

    Returns its exit status, or ends the process by itself.

    Taking the interpreter down in good order takes longer than counting a small pair. So the
    process ends at once where only the memory would be given back: output is flushed, and there is
    neither another thread nor another process.
    """
    # Little of what a run makes is garbage in cycles, and looking for it after each 700 objects
    # takes a tenth of a small run.
    gc.set_threshold(100_000)
    from scorer.cli import main

    status = main.run()
    # A process in which nothing has imported these has no other thread, and started no other
    # process.
    threading, processes = (sys.modules.get(name) for name in ("threading", "multiprocessing"))
    if (threading is None or threading.active_count() == 1) and not (
        processes and processes.active_children()
    ):
        os._exit(status)
    return status
