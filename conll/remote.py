"""Files at URLs, each fetched whole through fsspec."""

from __future__ import annotations

import errno
import threading
import time
from contextlib import contextmanager, suppress
from queue import Empty, SimpleQueue
from typing import TYPE_CHECKING, Any

from conll.errors import ConllError, pluralize
from conll.system import Budget, starting, unstarted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import TypeVar

    ValueT = TypeVar("ValueT")

PATIENCE = 60.0
"""Seconds in which a server must send `LEAST` bytes of a file, before it is given up."""

LEAST = 60_000
"""How many bytes are asked for at a time, and must come in that time; a byte now and then is no
answer."""

BLOCK = 1 << 20
"""How many bytes of a file that is not on the web are asked of its server at a time."""

ANSWER = 2.0
"""How often that time the beginning of an answer may take, and an answer that is no file."""

MOST = 1 << 36
"""The most bytes of a file: a server may send on for ever."""

DEEP = 100
"""How deep folders may lie in one another, of a directory on the web, where links may lead on for
ever."""

INSTALL = "pip install 'conll-scorer[remote]'"

_IDENTITY = (
    "ETag",
    "etag",
    "md5",
    "Last-Modified",
    "LastModified",
    "last_modified",
    "updated",
    "mtime",
)
"""The fields in which fsspec's file systems keep what changes with a file; `created` stands in
where there are none."""

_held: dict[int, Any] = {}
"""Every file system opened here, by identity: were a forked process to drop one of its parent's,
the connections in it would be closed, and the parent's loop would be deaf to them."""


def fetched(url: str, limit: int | None = None) -> Iterator[bytes]:
    """Fetch the file at a URL, piece by piece.

    OSError when it cannot be fetched or the server is too slow, ModuleNotFoundError when a package
    for its protocol is missing. ConllError when the protocol is unknown, when another number of
    bytes comes than the server says, and when there are more than the limit.
    """
    system, name = _system_of(url)
    expected = _look(url, system, name)[0]
    budget = Budget(MOST if limit is None else limit)
    budget.spend(0 if expected is None else int(expected), url)
    budget = Budget(MOST if limit is None else limit)
    # Without blocks, fsspec reads a file on the web from one end to the other. One of another
    # protocol must come in time.
    options = {"block_size": 0, "size": expected} if _is_http(url) else {"block_size": BLOCK}
    size = came = 0
    with _refusing(url):
        file = _within(ANSWER * PATIENCE, system.open, name, "rb", **options)
        try:
            begun = time.monotonic()
            while piece := _within(PATIENCE, file.read, LEAST, late=_TooSlowError):
                now = time.monotonic()
                if now - begun >= PATIENCE:
                    if came < LEAST:
                        raise _TooSlowError
                    begun, came = now, 0
                came += len(piece)
                size += len(piece)
                budget.spend(len(piece), url)
                yield piece
        finally:
            # A server that was given up may not answer to this either.
            with suppress(_LateError):
                _within(1.0, file.close)
    if expected is not None and size != expected:
        only = "only " if size < int(expected) else ""
        raise ConllError(
            url,
            0,
            f"{only}{size} of {pluralize(int(expected), 'byte')} came; "
            "run again, or fetch the file before",
        )


def state_of(url: str) -> tuple[int | str | None, ...]:
    """The size of a file (None if the server does not say), and whatever else would change with it.

    Raises as `fetched`.
    """
    return _look(url, *_system_of(url))


def _look(url: str, system: Any, name: str) -> tuple[int | str | None, ...]:
    with _refusing(url):
        system.invalidate_cache()
        info = _within(ANSWER * PATIENCE, system.info, name)
    if info.get("type") == "directory":
        raise IsADirectoryError(errno.EISDIR, "is a directory", url)
    identity = [str(info[field]) for field in _IDENTITY if info.get(field) is not None]
    return (info.get("size"), *(identity or [str(info.get("created"))]))


class _LateError(Exception):
    """The server does not answer in time."""


class _TooSlowError(_LateError):
    """The server sends fewer than `LEAST` bytes in `PATIENCE` seconds."""


def _within(
    seconds: float,
    call: Callable[..., ValueT],
    *arguments: Any,
    late: type[_LateError] = _LateError,
    **named: Any,
) -> ValueT:
    """What it gives; the error `late` once it has taken so many seconds.

    It then goes on in its thread, for which nothing waits.
    """
    answer: SimpleQueue[tuple[list[ValueT], BaseException | None]] = SimpleQueue()

    def work() -> None:
        try:
            answer.put(([call(*arguments, **named)], None))
        except BaseException as error:  # noqa: BLE001  whatever it is, it is raised where it is waited for
            answer.put(([], error))

    with starting():
        threading.Thread(target=work, daemon=True).start()
    try:
        value, error = answer.get(timeout=seconds)
    except Empty:
        raise late from None
    if error is not None:
        raise error
    return value[0]


def is_url(path: str) -> bool:
    """Whether a path names a file for fsspec."""
    return "://" in path


def _is_http(url: str) -> bool:
    """Whether a URL is on the web, where only its final slash marks a directory."""
    return url.startswith(("http://", "https://"))


def _system_of(url: str) -> tuple[Any, str]:
    """The file system of fsspec for a URL, and what the file is called there.

    ModuleNotFoundError when a package is missing, ConllError when there is no such protocol.
    """
    try:
        from fsspec.core import url_to_fs
    except ImportError:
        raise ModuleNotFoundError(
            f"{url}: a URL is read with fsspec, which is not installed; {INSTALL}"
        ) from None
    options: dict[str, Any] = {}
    try:
        if _is_http(url):
            from aiohttp import ClientTimeout

            # What a server compresses for transfer differs in length from the file. By default all
            # must come in five minutes.
            options = {
                "headers": {"Accept-Encoding": "identity"},
                "client_kwargs": {"timeout": ClientTimeout(total=None)},
            }
        system, name = url_to_fs(url, **options)
        _held[id(system)] = system
    except RuntimeError as error:
        # fsspec starts a thread.
        raise unstarted(error) from None
    except ImportError as error:
        advice = f"; {INSTALL}" if _is_http(url) else ""
        raise ModuleNotFoundError(f"{url}: {_one_line(error)}{advice}") from None
    except ValueError as error:
        raise ConllError(url, 0, _one_line(error)) from None
    return system, name


def files_at(url: str) -> list[str] | None:
    """The URLs of all files below a directory except hidden ones, sorted.

    None when the URL is not that of a directory.

    On the web a directory is a URL that ends with a slash and whose page links to its contents.
    """
    system, name = _system_of(url)
    if _is_http(url):
        if not url.endswith("/"):
            return None
        paths = _linked(system, name)
    else:
        with _refusing(url):
            if not _within(ANSWER * PATIENCE, system.isdir, name):
                return None
            paths = _within(ANSWER * PATIENCE, system.find, name)
    top = name.rstrip("/")
    inside = [path[len(top) :].lstrip("/") for path in paths if path.startswith(f"{top}/")]
    return sorted(f"{url.rstrip('/')}/{path}" for path in inside if not _is_hidden(path))


def _is_hidden(path: str) -> bool:
    return any(part[:1] == "." for part in path.split("/"))


def _linked(system: Any, top: str) -> list[str]:
    """List the files to which a directory on the web links, and those of the folders in it.

    fsspec's own walk would take a folder whose page does not come for an empty one.
    """
    files: list[str] = []
    folders = [top]
    known = {top}
    while folders:
        folder = folders.pop()
        if folder.count("/") > top.count("/") + DEEP:
            raise OSError(
                errno.ELOOP,
                f"folders lie in one another more than {DEEP} deep; name one further down",
                folder,
            )
        with _refusing(folder):
            found = _within(ANSWER * PATIENCE, system.ls, folder, detail=True)
        for path in sorted({one["name"] for one in found} - known):
            known.add(path)
            if not path.endswith("/"):
                files.append(path)
            elif not _is_hidden(path[len(top) :]):
                folders.append(path)
    return files


@contextmanager
def _refusing(url: str) -> Iterator[None]:
    """Raise a `refusal` for any error while a URL is read: each protocol has errors of its own."""
    try:
        yield
    except Exception as error:  # noqa: BLE001  as above
        raise refusal(url, error) from None


def refusal(url: str, error: BaseException) -> Exception:
    """Return the error for a URL that cannot be read, whatever a protocol raises."""
    if isinstance(error, ConllError):
        return error
    cause = error.__cause__ or error
    if isinstance(cause, ImportError):
        return ModuleNotFoundError(f"{url}: {_one_line(cause)}")
    status = getattr(cause, "status", None)
    number, problem = errno.EIO, f"cannot be fetched ({_one_line(cause)})"
    if isinstance(cause, _LateError):
        slow = isinstance(cause, _TooSlowError)
        late = (
            f"sent fewer than {LEAST} bytes in {PATIENCE:.15g}"
            if slow
            else f"not answered within {ANSWER * PATIENCE:.15g}"
        )
        number, problem = (
            errno.ETIMEDOUT,
            f"the server has {late} seconds; run again, or fetch the file before",
        )
    elif isinstance(status, int) and status != 404:
        problem = f"the server answers {status} {getattr(cause, 'message', '')}".rstrip()
    elif isinstance(cause, FileNotFoundError) or status == 404:
        number, problem = errno.ENOENT, "there is no such file"
    elif isinstance(cause, PermissionError):
        number, problem = errno.EACCES, "it may not be read"
    return OSError(number, problem, url)


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
