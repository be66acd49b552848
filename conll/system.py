"""Calls that not every operating system has, each with something in its place; temporary files.

Linux has it all. macOS, other Unixes and Windows lack some of it; tests/elsewhere hides all of it,
for `make spawn`.
"""

from __future__ import annotations

import errno
import io
import os
import signal
import sys
from _thread import allocate_lock  # importing `threading` takes as long as reading a small file
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, BinaryIO

from conll.errors import ConllError, shown

if TYPE_CHECKING:
    from typing_extensions import Buffer

FORKS = hasattr(os, "fork") and sys.platform not in ("darwin", "emscripten")
"""Whether a new process may be a copy of this one, with all that it has read and opened. Windows
cannot copy one, and on macOS copies are no longer reliable (Python's issue 33725). There a new
process starts afresh and is sent what it needs. WebAssembly has the call, which fails, and starts
no process at all."""

_PR_SET_PDEATHSIG = 1
"""What Linux calls the signal that a process gets when its parent ends (`man 2const
PR_SET_PDEATHSIG`)."""

KILL = getattr(signal, "SIGKILL", signal.SIGTERM)
"""The signal that ends a process without asking; Windows has only the one way to end a process."""

HANGUPS = tuple(getattr(signal, name) for name in ["SIGHUP"] if hasattr(signal, name))
"""The signal sent when a terminal closes, which Windows does not have."""

SYSTEM_FILES = "/proc/"
"""The folder of files that the system makes up, so that none of them can be replaced."""

_MOST_LINKS = 40
"""How many links in a row Linux follows."""

_lock = allocate_lock()


def read_at(file: int, buffer: memoryview, offset: int) -> int:
    """Read bytes of an open file (a descriptor) from `offset` on into a buffer; return how many."""
    if hasattr(os, "preadv"):
        return os.preadv(file, [buffer], offset)
    # Windows has no such call. There no other process shares the descriptor, and the lock holds
    # back other threads.
    with _lock:
        os.lseek(file, offset, os.SEEK_SET)
        data = os.read(file, len(buffer))
    buffer[: len(data)] = data
    return len(data)


def open_file(path: str) -> int | None:
    """Return the number of the open file of this process that a path leads to, if it does.

    Such a path is `/dev/stdout` or `/dev/fd/3`. What others write there before and after must stay,
    so it is neither replaced nor opened anew, which would start at its beginning.
    """
    own_files = ("/dev/fd", f"/proc/{os.getpid()}/fd")
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(path)
        if name.isdecimal() and os.path.realpath(folder) in own_files:
            return int(name)
        if not os.path.islink(path):
            return None
        path = os.path.join(folder, os.readlink(path))
    return None


def cores() -> int:
    """The number of cores that this process may use.

    If the system cannot say, the number of all cores.
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def jobs_of(jobs: int) -> int:
    """So many processes as are asked for: one for each core where that is 0.

    ValueError for fewer, and for parts of one.
    """
    if not hasattr(jobs, "__index__"):
        raise ValueError(f"jobs: {shown(jobs)} is not a whole number")
    if jobs < 0:
        raise ValueError(f"jobs: {jobs} is not 0 or more; 0 means one for each core")
    return jobs or cores()


def processes() -> Any:
    """Return the `multiprocessing` context: forking where that is safe, otherwise fresh processes.

    The default will not do: it also differs between versions of Python.
    """
    from multiprocessing import get_context

    return get_context("fork" if FORKS else "spawn")


@contextmanager
def interrupts_held() -> Iterator[None]:
    """Put off an interrupt (SIGINT) until the end; Windows cannot.

    Processes and threads that start meanwhile never get one.
    """
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    from multiprocessing.resource_tracker import ensure_running

    # Before Python 3.12, it is started along with the first process, and lets interrupts through
    # again.
    ensure_running()
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def unstarted(error: Exception) -> ChildProcessError:
    """Return what to raise where the system starts no process or thread, or no more."""
    reason = getattr(error, "strerror", None) or error
    return ChildProcessError(
        errno.ECHILD,
        f"the system cannot start another process ({reason}); end other processes, or use fewer "
        "--jobs",
    )


def limit_memory(size: int) -> bool:
    """Let this process take so many bytes of address space more than it has.

    False where that cannot be.
    """
    taken = _taken()
    if taken is None:
        return False
    import resource

    try:
        hard = resource.getrlimit(resource.RLIMIT_AS)[1]
        resource.setrlimit(resource.RLIMIT_AS, (taken + size, hard))
    except (OSError, ValueError, OverflowError):
        return False
    return True


def free_address_space() -> float:
    """Return how many bytes of address space this process may still take."""
    taken = _taken()
    if taken is None:
        return float("inf")
    import resource

    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return float("inf") if limit == resource.RLIM_INFINITY else limit - taken


def limits_memory() -> bool:
    """Return whether `limit_memory` has an effect on this system.

    Windows has no such limit for a process itself. Other systems limit the whole, and only Linux
    says how much of it is taken.
    """
    return _taken() is not None


def _taken() -> int | None:
    """Return the number of bytes of address space that this process has.

    None where the system does not say, or has no limit for them.
    """
    try:
        import resource

        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[0]) * resource.getpagesize()
    except (ImportError, OSError, ValueError):
        return None


def ends_with_parent() -> bool:
    """Have this process killed once its parent is gone.

    False where the system has no signal for that: only Linux has.

    For Linux the parent is the thread that started this process.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        from ctypes import CDLL

        return bool(CDLL(None).prctl(_PR_SET_PDEATHSIG, int(KILL), 0, 0, 0) == 0)
    except (ImportError, OSError, AttributeError):
        return False


_CHANGED = "the file changed while it was being read; run again"

BUFFER = 1 << 13
"""The fewest bytes that are read at a time."""


class AnonymousTempFile:
    """A temporary file that no folder shows.

    It disappears with the last process that has it open, however that ends.
    """

    def __init__(self) -> None:
        from tempfile import TemporaryFile

        self.file: BinaryIO = TemporaryFile(buffering=0)  # noqa: SIM115  closed below

    def write(self, data: Buffer) -> None:
        """Write all of it; OSError, with the path of the temporary folder, where that is full."""
        rest = memoryview(data)
        try:
            while rest:
                rest = rest[self.file.write(rest) :]
        except OSError as error:
            from tempfile import gettempdir

            advice = "free space in this folder for temporary files, or set TMPDIR to another one"
            raise OSError(error.errno, f"{error.strerror}; {advice}", gettempdir()) from None

    def part(self, begin: int) -> BinaryIO:
        """Return what was written from `begin` on, as a file with its own position."""
        return io.BufferedReader(FilePart(self, begin, self.file.tell()), BUFFER)

    def __del__(self) -> None:
        self.file.close()


class FilePart(io.RawIOBase):
    """The bytes of an open file from `begin` to `end`.

    It keeps its position itself, so that processes and parts that share the file do not share that.
    Where the file has a path, ConllError once it is written to.
    """

    def __init__(self, file: int | AnonymousTempFile, begin: int, end: int, path: str = "") -> None:
        super().__init__()
        # A descriptor is closed along with this, a temporary file after its parts.
        self._file: int | AnonymousTempFile | None = file
        self._descriptor = file if isinstance(file, int) else file.file.fileno()
        self._begin = begin
        self._size = end - begin
        self._at = 0
        self.name = path
        self._time = os.fstat(self._descriptor).st_mtime_ns

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        room = memoryview(buffer)[: max(0, self._size - self._at)]
        try:
            count = read_at(self._descriptor, room, self._begin + self._at)
        except OSError as error:
            # A disk that fails; an error without a name would be taken for one of standard output.
            error.filename = self.name
            raise
        if self.name and os.fstat(self._descriptor).st_mtime_ns != self._time:
            raise ConllError(self.name, 0, _CHANGED)
        self._at += count
        return count

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        position = offset + (0, self._at, self._size)[whence]
        if position < 0:
            # As the system refuses it, of which a reader of damaged archives takes notice.
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL))
        self._at = position
        return position

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def close(self) -> None:
        if isinstance(self._file, int) and not self.closed:
            os.close(self._file)
        super().close()


class FileOfMany(FilePart):
    """A file that is open only while it is read, as a folder may have more than can be open.

    Besides, ConllError once another file has its path.
    """

    def __init__(self, file: io.FileIO, path: str) -> None:
        self._state = os.fstat(file.fileno())
        super().__init__(file.fileno(), 0, self._state.st_size, path)
        self._file = None

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        # Without waiting, should it be a pipe by now.
        at_once = getattr(os, "O_NONBLOCK", 0)
        with io.FileIO(
            self.name, opener=lambda path, flags: os.open(path, flags | at_once)
        ) as file:
            if not os.path.samestat(os.fstat(file.fileno()), self._state):
                raise ConllError(self.name, 0, _CHANGED)
            self._descriptor = file.fileno()
            return super().readinto(buffer)


class Budget:
    """The number of bytes that may still be read of what a user handed in.

    Compressed files count as they unpack.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._left = limit

    def spend(self, size: int, path: str) -> None:
        """Count what is read from a file; ConllError when the total is too much."""
        self._left -= size
        if self._left < 0:
            raise ConllError(path, 0, f"this is more than {size_text(self._limit)}, the size limit")


def size_text(size: int) -> str:
    """An exact number of bytes in the largest unit that fits: `500 MB`, where a MB is 1024 KB."""
    if size == 1:
        return "1 byte"
    for unit in ("bytes", "KB", "MB"):
        if size % 1024 or not size:
            return f"{size} {unit}"
        size //= 1024
    return f"{size} GB"
