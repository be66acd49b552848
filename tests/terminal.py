"""A command as it runs on a terminal."""

import os
import subprocess
import sys


def on_a_terminal(*arguments, columns, **environment):
    """What `scorer` writes to a terminal that many columns wide."""
    import pty  # which Windows lacks

    ours, theirs = pty.openpty()
    ours_alone = {
        name: value
        for name, value in os.environ.items()
        if name not in {"LESS", "NO_COLOR", "PAGER"}
    }
    settings = {
        **ours_alone,
        "COLUMNS": str(columns),
        "LINES": "24",
        "TERM": "xterm",
        **environment,
    }
    command = [sys.executable, "-m", "scorer", *map(str, arguments)]
    with subprocess.Popen(
        command, stdout=theirs, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, env=settings
    ) as process:
        os.close(theirs)
        written = b""
        while True:
            try:
                some = os.read(ours, 65536)
            except OSError:  # how Linux ends the reading
                break
            if not some:
                break
            written += some
        assert process.wait() == 0, process.stderr.read()
    os.close(ours)
    return written.decode().replace("\r\n", "\n")
