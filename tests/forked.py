"""Scripts of the shell whose calls of our commands are answered by processes forked from this one.

A new Python would import for each call what is imported here, which takes longer than what most
calls do.
"""

import contextlib
import io
import marshal
import os
import select
import socket
import subprocess
import sys
import tempfile
import traceback
import warnings
from importlib import import_module
from pathlib import Path

from conll.system import FORKS

COMMANDS = {"scorer": ("scorer.cli.main", "run"), "scorer.pl": ("scorer.perl", "run")}
"""What stands behind each command."""

CLIENT = """#!{python} -IS
import posix, sys
from _socket import AF_UNIX, SCM_RIGHTS, SHUT_WR, SOL_SOCKET, SOCK_STREAM, socket
from marshal import dumps
server = socket(AF_UNIX, SOCK_STREAM)
server.connect({address!r})
files = b"".join(number.to_bytes(4, sys.byteorder) for number in range(3))
server.sendmsg([b"!"], [(SOL_SOCKET, SCM_RIGHTS, files)])
server.sendall(dumps([sys.argv, posix.getcwdb(), dict(posix.environ)]))
server.shutdown(SHUT_WR)
posix._exit((server.recv(1) or b"\\x7f")[0])
"""
"""Sends its arguments, folder, environment and the files that it has open; gets the exit status."""


def shell(script, folder, environment):
    """Both outputs of a script, in one and as they are written, and its exit status.

    Where nothing is forked, the commands are those on the path.
    """
    environment = {**environment, "PYTHONUNBUFFERED": "1"}
    if not FORKS:
        command = ["sh", "-c", script]
        ran = subprocess.run(
            command,
            cwd=folder,
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            check=False,
        )
        return ran.stdout, ran.returncode
    for heavy in ("pandas", "scorer.cli.main", "scorer.perl"):
        import_module(heavy)
    with tempfile.TemporaryDirectory() as bin_folder, socket.socket(socket.AF_UNIX) as listener:
        address = os.path.join(bin_folder, "s")
        listener.bind(address)
        listener.listen()
        for name in COMMANDS:
            client = Path(bin_folder, name)
            client.write_text(CLIENT.format(python=sys.executable, address=address), "utf-8")
            client.chmod(0o755)
        path = f"{bin_folder}{os.pathsep}{environment['PATH']}"
        with subprocess.Popen(
            ["sh", "-c", script],
            cwd=folder,
            env={**environment, "PATH": path},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        ) as process:
            out = _served(listener, process.stdout.fileno())
        return out, process.returncode


def _served(listener, output):
    """What the script prints until it and all that it started have closed their output."""
    out, children = b"", []
    while True:
        ready, _, _ = select.select([listener, output], [], [])
        if listener in ready:
            with listener.accept()[0] as connection, warnings.catch_warnings():
                # Python warns of other threads, of which the child has none.
                warnings.simplefilter("ignore", DeprecationWarning)
                child = os.fork()
                if not child:
                    _answer(connection)
                children.append(child)
        if output in ready:
            some = os.read(output, 1 << 16)
            if not some:
                break
            out += some
    for child in children:
        os.waitpid(child, 0)
    return out


def _answer(connection):
    """Be the process that a client stands for."""
    status = 1
    try:
        _, files, _, _ = socket.recv_fds(connection, 1, 3)
        with connection.makefile("rb") as sent:
            arguments, folder, environment = marshal.loads(sent.read())
        for number, file in enumerate(files):
            os.dup2(file, number)
            os.close(file)
        os.chdir(folder)
        os.environb.clear()
        os.environb.update(environment)
        sys.argv = arguments
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115  to the end
        sys.stdout, sys.stderr = (
            io.TextIOWrapper(
                open(number, "wb", 0, closefd=False),  # noqa: SIM115  as above
                "utf-8",
                errors,
                write_through=True,
            )
            for number, errors in ((1, "strict"), (2, "backslashreplace"))
        )
        warnings.resetwarnings()
        warnings.simplefilter("ignore")
        module, function = COMMANDS[os.path.basename(arguments[0])]
        status = getattr(import_module(module), function)()
    except SystemExit as leaving:
        status = leaving.code or 0
    except BaseException:  # noqa: BLE001  this process must not go on as its parent does
        traceback.print_exc()
    with contextlib.suppress(BaseException):
        for file in (sys.stdout, sys.stderr):
            if file is not None:
                file.flush()
        connection.sendall(bytes([status]))
    os._exit(0)
