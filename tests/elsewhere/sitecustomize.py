"""Hides what other systems than Linux lack, in every Python process that finds this on its
PYTHONPATH: see `make spawn`."""

import builtins
import os
import signal
import sys
import tempfile

HIDDEN = {os: ["fork", "preadv", "sched_getaffinity"], signal: ["SIGALRM", "alarm"]}
# Python itself needs these to end processes, but no test may ask for them before it is known where
# it runs.
if "--collect-only" in sys.orig_argv:
    HIDDEN = {
        os: [*HIDDEN[os], "geteuid", "killpg", "mkfifo", "setsid"],
        signal: [*HIDDEN[signal], "SIGHUP", "SIGKILL", "SIGXCPU"],
    }
for module, names in HIDDEN.items():
    for name in names:
        delattr(module, name)

# From Python 3.13 on this is another function where there is `sched_getaffinity`.
os.process_cpu_count = os.cpu_count

imported = builtins.__import__
opened = builtins.open


def import_elsewhere(name, *arguments, **options):
    # psutil imports it on Linux, as it may.
    if (
        name == "resource"
        and arguments
        and arguments[0].get("__name__", "").startswith(("conll.", "scorer.", "test_"))
    ):
        raise ModuleNotFoundError("there is no module resource", name=name)
    return imported(name, *arguments, **options)


def open_elsewhere(file, *arguments, **options):
    if isinstance(file, str) and file.startswith("/proc/self/"):
        raise FileNotFoundError(2, "there is no /proc", file)
    return opened(file, *arguments, **options)


def open_named(*_, **__):
    raise PermissionError(13, "elsewhere a temporary file is not opened twice")


builtins.__import__ = import_elsewhere
builtins.open = open_elsewhere
tempfile.NamedTemporaryFile = open_named
