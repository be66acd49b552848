"""Prints the row of a measured run of the reference, to go into a file of fixtures/golden.

    COREFSCORER=…/scorer.pl python tests/helpers/golden.py ID METRIC KEY RESPONSE [NAME] >>
    fixtures/golden/reference.jsonl

The row holds both files, the arguments, the exit status, and standard output with the path on its
first line as {MODULE}.
"""

import json
import os
import subprocess
import sys
from pathlib import Path


def row(program, name, metric, key, response, *only):
    """The run of the program on two files of UTF-8."""
    ran = subprocess.run(
        ["perl", program, metric, key, response, *only], capture_output=True, check=False
    )
    version, _, rest = ran.stdout.decode("utf-8").partition("\n")
    start = "version: 8.01 "
    if not version.startswith(start):
        raise SystemExit(
            f"{program} prints {version[:80]!r} first, and not {start!r}; name a scorer.pl v8.01"
        )
    texts = {
        side: Path(path).read_bytes().decode("utf-8")
        for side, path in (("key", key), ("response", response))
    }
    stdout = f"{start}{{MODULE}}\n{rest}"
    return {"id": name, "args": [metric, *only], **texts, "exit": ran.returncode, "stdout": stdout}


if __name__ == "__main__":
    if len(sys.argv) not in {5, 6} or "COREFSCORER" not in os.environ:
        raise SystemExit(__doc__)
    sys.stdout.write(
        json.dumps(row(os.environ["COREFSCORER"], *sys.argv[1:]), ensure_ascii=False) + "\n"
    )
