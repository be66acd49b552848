"""What systems lack: asked in one place, and what stands in for it does the same."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest

from conll import system

ROOT = Path(__file__).parent.parent.parent
ASKED = """
fork preadv pwrite sched_getaffinity sysconf getpagesize mkfifo killpg setsid platform
resource fcntl alarm setitimer SIGALRM SIGKILL SIGPIPE SIGHUP NamedTemporaryFile
get_context get_all_start_methods set_start_method Pool Pipe Process
"""


def words(path):
    """Names that are imported, and attributes of modules, with their lines.

    Texts that begin like a path of Linux alone.
    """
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((alias.name, node.lineno) for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            yield node.attr, node.lineno
        elif (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and node.value.startswith("/proc/")
        ):
            yield "/proc", node.lineno


def test_one_module_asks_what_the_system_has():
    files = [
        path for package in ("conll", "scorer") for path in sorted((ROOT / package).rglob("*.py"))
    ]
    asked = {*ASKED.split(), "/proc"}
    # Most need not be parsed.
    files = [path for path in files if any(word in path.read_text("utf-8") for word in asked)]
    asking = {
        (path.relative_to(ROOT).as_posix(), word, line)
        for path in files
        for word, line in words(path)
        if word in asked
    }
    # A context has them; the context itself is asked for there.
    made = {one for one in asking if one[1] in {"Process", "Pipe"}}
    assert {path for path, _, _ in made} <= {"scorer/jobs/isolation.py"}
    assert {path for path, _, _ in asking - made} == {"conll/system.py"}


def without(names, script):
    """What a script prints in a process that has not these attributes of `os`."""
    hidden = f"import os\nfor name in {names!r}:\n    delattr(os, name)\n"
    return subprocess.run(
        [sys.executable, "-c", hidden + script],
        capture_output=True,
        text=True,
        check=True,
        cwd=ROOT,
    ).stdout


@pytest.mark.parametrize("lacking", [False, True])
def test_reading_a_part_of_a_file(lacking, monkeypatch):
    if lacking:
        monkeypatch.delattr(os, "preadv", raising=False)
    temporary = system.AnonymousTempFile()
    temporary.write(b"0123456789")
    part = temporary.part(2)
    assert [part.read(3), part.seek(6), part.read(5), part.read(1)] == [b"234", 6, b"89", b""]


def test_cores_where_the_system_says_nothing_of_processes():
    names = [name for name in ("sched_getaffinity",) if hasattr(os, name)]
    assert int(without(names, "from conll.system import cores; print(cores())")) == os.cpu_count()
    assert 1 <= system.cores() <= os.cpu_count()


@pytest.mark.linux
def test_processes_are_forked_only_where_that_is_safe():
    script = (
        "from conll.system import FORKS, processes; print(FORKS, processes().get_start_method())"
    )
    assert without([], script) == "True fork\n"
    assert without(["fork"], script) == "False spawn\n"
    assert without([], f"import sys\nsys.platform = 'darwin'\n{script}") == "False spawn\n"


LIMITING = """
from conll.system import limit_memory
print(limit_memory(200 << 20))
try:
    bytearray(400 << 20)
    print("as much as it wants")
except MemoryError:
    print("no more than that")
"""


@pytest.mark.linux
def test_memory_is_limited_where_it_is_known_how_much_is_taken():
    assert without([], LIMITING) == "True\nno more than that\n"
    hidden = "import sys\nsys.modules['resource'] = None\n"
    assert without([], hidden + LIMITING) == "False\nas much as it wants\n"
