"""Runs a Python program again and again without importing its modules again: each run is a process forked from this one.

Arguments: the program, seconds a run may take. Standard input: one run a line, each word in
hexadecimal: the files for standard output and standard error, then the arguments. Standard output:
the wait status of each run.
"""

import os
import runpy
import signal
import sys
import traceback
from pathlib import Path


def run(program, out, err, arguments):
    """Run the program in this process; returns the exit status."""
    for path, number in ((os.devnull, 0), (out, 1), (err, 2)):
        os.dup2(os.open(path, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
    sys.argv = [program, *arguments]
    try:
        runpy.run_path(program, run_name="__main__")
    except SystemExit as error:
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    except BaseException:  # noqa: BLE001  as Python does with it
        traceback.print_exc()
        return 1
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
    return 0


def main(program, limit):
    """Run the program once for its imports, then as it is told."""
    lines, answers = os.fdopen(os.dup(0)), os.fdopen(os.dup(1), "w")
    sys.path[0] = str(Path(program).parent)
    signal.alarm(int(limit))
    run(program, os.devnull, os.devnull, ["--help"])
    signal.alarm(0)
    for line in lines:
        out, err, *arguments = (bytes.fromhex(word).decode() for word in line.split(" "))
        child = os.fork()
        if not child:
            signal.alarm(int(limit))
            os._exit(run(program, out, err, arguments))
        answers.write(f"{os.waitpid(child, 0)[1]}\n")
        answers.flush()


if __name__ == "__main__":
    main(*sys.argv[1:])
