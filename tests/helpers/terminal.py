"""A command as it runs on a terminal."""

import os
import subprocess
import sys
from contextlib import suppress


def on_a_terminal(*arguments, columns, **environment):
    """What `scorer` writes to a terminal that many columns wide."""
    import pty  # which Windows lacks

    ours, theirs = pty.openpty()
    kept = {name: os.environ[name] for name in os.environ.keys() - {"LESS", "NO_COLOR", "PAGER"}}
    size = {"COLUMNS": str(columns), "LINES": "24", "TERM": "xterm"}
    settings = kept | size | environment
    command = [sys.executable, "-m", "scorer", *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=theirs, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=settings
    ) as process:
        os.close(theirs)
        written = b""
        # Linux ends the reading by an error.
        with suppress(OSError):
            while some := os.read(ours, 65536):
                written += some
        assert process.wait() == 0, process.stderr.read()
    os.close(ours)
    return written.decode().replace("\r\n", "\n")
